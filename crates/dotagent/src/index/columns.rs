//! Numbers by row, each column as wide as its largest needs, and tables of distinct texts. Readers are right for what
//! the writers made, and answer something for any other bytes.

use ken_files::Section;

/// Rows, number of columns.
const HEADER: usize = 4 + 1;
/// Width of a column's numbers in bytes, and what is added to each.
const PLACE: usize = 1 + 8;

/// Columns of `rows` numbers each.
pub(super) fn write_columns(rows: usize, columns: &[Vec<u64>]) -> Vec<u8> {
    let mut bytes = (rows as u32).to_le_bytes().to_vec();
    bytes.push(columns.len() as u8);
    let mut data = Vec::new();
    for column in columns {
        let base = column.iter().copied().min().unwrap_or_default();
        let most = column.iter().copied().max().unwrap_or_default() - base;
        let width: usize = match most {
            0 => 0,
            1..=0xff => 1,
            0x100..=0xffff => 2,
            0x1_0000..=0xffff_ffff => 4,
            _ => 8,
        };
        bytes.push(width as u8);
        bytes.extend_from_slice(&base.to_le_bytes());
        for number in column {
            data.extend_from_slice(&(number - base).to_le_bytes()[..width]);
        }
    }
    bytes.extend_from_slice(&data);
    bytes
}

/// Columns in a cache.
#[derive(Debug)]
pub(super) struct Columns<const N: usize> {
    bytes: Section,
    rows: usize,
    places: [Place; N],
}

#[derive(Debug, Clone, Copy, Default)]
struct Place {
    start: usize,
    width: u8,
    base: u64,
}

impl<const N: usize> Columns<N> {
    /// `None` when the bytes do not hold `N` columns of one length.
    pub(super) fn open(bytes: Section) -> Option<Columns<N>> {
        let rows = u32::from_le_bytes(*bytes.first_chunk()?) as usize;
        if usize::from(*bytes.get(4)?) != N {
            return None;
        }
        let mut places = [Place::default(); N];
        let mut start = HEADER + N * PLACE;
        for (number, place) in places.iter_mut().enumerate() {
            let said = bytes.get(HEADER + number * PLACE..)?;
            let width = *said.first()?;
            if !matches!(width, 0 | 1 | 2 | 4 | 8) {
                return None;
            }
            let base = u64::from_le_bytes(*said.get(1..)?.first_chunk()?);
            *place = Place { start, width, base };
            start = start.checked_add(rows.checked_mul(usize::from(width))?)?;
        }
        (bytes.len() == start).then_some(Columns { bytes, rows, places })
    }

    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn column(&self, number: usize) -> Column<'_> {
        let Place { start, width, base } = self.places[number];
        let length = self.rows * usize::from(width);
        Column::Bytes {
            bytes: self.bytes.get(start..start + length).unwrap_or_default(),
            width,
            base,
        }
    }

    pub(super) fn get(&self, column: usize, row: usize) -> u64 {
        self.column(column).get(row)
    }
}

/// One column, held to be asked for many rows.
#[derive(Debug, Clone, Copy)]
pub(super) enum Column<'a> {
    Bytes { bytes: &'a [u8], width: u8, base: u64 },
    Memory(&'a [u32]),
}

impl Column<'_> {
    /// The number at a row; outside of the column the least one.
    #[inline]
    pub(super) fn get(&self, row: usize) -> u64 {
        match *self {
            Column::Memory(numbers) => numbers.get(row).copied().map_or(0, u64::from),
            Column::Bytes { bytes, width, base } => base.wrapping_add(number(bytes, width, row)),
        }
    }
}

#[inline]
fn number(bytes: &[u8], width: u8, row: usize) -> u64 {
    fn chunk<const W: usize>(bytes: &[u8], row: usize) -> [u8; W] {
        let chunk = bytes.get(row * W..).and_then(<[u8]>::first_chunk);
        chunk.copied().unwrap_or([0; W])
    }
    match width {
        0 => 0,
        1 => u64::from(u8::from_le_bytes(chunk(bytes, row))),
        2 => u64::from(u16::from_le_bytes(chunk(bytes, row))),
        4 => u64::from(u32::from_le_bytes(chunk(bytes, row))),
        _ => u64::from_le_bytes(chunk(bytes, row)),
    }
}

/// Pieces of bytes by number.
pub(super) fn write_table<'a>(pieces: impl ExactSizeIterator<Item = &'a [u8]>) -> Vec<u8> {
    let mut bytes = (pieces.len() as u32).to_le_bytes().to_vec();
    let mut data = Vec::new();
    for piece in pieces {
        data.extend_from_slice(piece);
        bytes.extend_from_slice(&(data.len() as u32).to_le_bytes());
    }
    bytes.extend_from_slice(&data);
    bytes
}

/// Pieces of bytes by number, in a cache.
#[derive(Debug)]
pub(super) struct Table {
    bytes: Section,
    count: usize,
}

impl Table {
    pub(super) fn open(bytes: Section) -> Option<Table> {
        let count = u32::from_le_bytes(*bytes.first_chunk()?) as usize;
        (bytes.len() >= count.checked_mul(4)?.checked_add(4)?).then_some(Table { bytes, count })
    }

    pub(super) fn len(&self) -> usize {
        self.count
    }

    /// A piece; none of its bytes when there is no such.
    pub(super) fn get(&self, number: usize) -> &[u8] {
        let end = |number: usize| {
            let bytes = self.bytes.get(4 + number * 4..)?.first_chunk()?;
            Some(u32::from_le_bytes(*bytes) as usize)
        };
        let piece = || {
            let start = match number.checked_sub(1) {
                Some(before) => end(before)?,
                None => 0,
            };
            let data = self.bytes.get(4 + self.count * 4..)?;
            data.get(start..end(number)?)
        };
        if number < self.count {
            piece().unwrap_or_default()
        } else {
            &[]
        }
    }
}
