//! A small table on the disk: where in a log the texts and keys stand that came before, so that one line can be judged
//! without reading the log. It is a cache: a damaged or missing one is made again from the log.
//!
//! It holds little of each hash, and no text. What it names is a place in the log, and whoever asks reads what stands
//! there: two texts whose hashes begin alike both have their slots, and are told apart by their lines.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use ken_files::NewFile;

use crate::place::{read_at, write_at};

/// Eight bytes at the start; another way of hashing or normalising needs another one, and another name of the file.
const MAGIC: &[u8; 8] = b"kenrep\x00\x02";
const HEADER: usize = 64;
/// Bytes of a hash that are kept, and of a number.
const HASH: usize = 4;
const NUMBER: usize = 5;
const SLOT: usize = HASH + NUMBER;
/// Numbers end below this: a log of a tebibyte.
const NUMBERS_END: u64 = 1 << (8 * NUMBER);
/// Slots of the smallest table, which takes about half a kibibyte.
const SMALLEST: u64 = 48;
const LARGEST: u64 = 1 << 28;
/// A table is made anew when more than this of its slots would be taken, and then has so many that this is taken. So a
/// row takes 10 to 13 bytes, and each is written anew about five times while a log grows.
const FULL: (u64, u64) = (7, 8);
const FRESH: (u64, u64) = (7, 10);
/// Slots that are read at once.
const GROUP: u64 = 64;

/// How far into a log something reaches, and how the log ended there.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Covered {
    /// Bytes of whole lines.
    pub(crate) offset: u64,
    /// How many lines those are.
    pub(crate) lines: u64,
    /// A checksum of the last of those bytes.
    pub(crate) check: u64,
}

/// What is put into a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row {
    pub(crate) hash: u64,
    /// Positive.
    pub(crate) number: u64,
    /// The number of the same hash whose place it takes.
    pub(crate) replaces: Option<u64>,
}

/// An open table. Its numbers are positive; a slot of number 0 is empty.
#[derive(Debug)]
pub(crate) struct Table {
    file: File,
    capacity: u64,
    used: u64,
    pub(crate) covered: Covered,
}

impl Table {
    /// Opens the table at `path`; `None` when there is none that can be used.
    pub(crate) fn open(path: &Path) -> Option<Table> {
        let file = OpenOptions::new().read(true).write(true).open(path);
        let file = file.or_else(|_| File::open(path)).ok()?;
        let (capacity, used, covered) = read_header(&file)?;
        let length = HEADER as u64 + capacity * SLOT as u64;
        (file.metadata().ok()?.len() == length).then_some(Table {
            file,
            capacity,
            used,
            covered,
        })
    }

    /// The same table as it is now: another process may have added to it.
    pub(crate) fn again(self) -> Option<Table> {
        let (capacity, used, covered) = read_header(&self.file)?;
        (capacity == self.capacity).then_some(Table {
            used,
            covered,
            ..self
        })
    }

    /// The numbers of `hash`, and of those that begin as it does.
    pub(crate) fn numbers(&self, hash: u64) -> io::Result<Vec<u64>> {
        let mut numbers = Vec::new();
        self.find(kept_of(hash), |number| {
            numbers.push(number);
            false
        })?;
        Ok(numbers)
    }

    /// The first slot from a hash's own on that is free, or holds this hash and a number that is `wanted`.
    fn find(&self, hash: u32, mut wanted: impl FnMut(u64) -> bool) -> io::Result<Place> {
        let mut group = [0; GROUP as usize * SLOT];
        let mut slot = first_slot(hash, self.capacity);
        let mut left = self.capacity;
        while left > 0 {
            let here = GROUP.min(self.capacity - slot).min(left);
            let bytes = &mut group[..here as usize * SLOT];
            read_at(&self.file, place_of(slot), bytes)?;
            for (ahead, bytes) in (0..).zip(bytes.chunks_exact(SLOT)) {
                match slot_of(bytes) {
                    (_, 0) => return Ok(Place::Free(slot + ahead)),
                    (other, number) if other == hash && wanted(number) => {
                        return Ok(Place::Taken(slot + ahead));
                    }
                    _ => {}
                }
            }
            slot = (slot + here) % self.capacity;
            left -= here;
        }
        Err(io::Error::other("a table without a free slot"))
    }

    /// Adds rows in place. The slots are on the disk before the header says that they are: a reader, or a crash, finds
    /// either the old header and its rows, or the new one and all of its rows. False, and nothing written, when they do
    /// not fit.
    pub(crate) fn add(&mut self, rows: &[Row], covered: Covered) -> io::Result<bool> {
        let (part, whole) = FULL;
        if (self.used + rows.len() as u64) * whole > self.capacity * part {
            return Ok(false);
        }
        for row in rows {
            let hash = kept_of(row.hash);
            let slot = match self.find(hash, |number| Some(number) == row.replaces)? {
                Place::Free(slot) => {
                    self.used += 1;
                    slot
                }
                Place::Taken(slot) => slot,
            };
            write_at(&self.file, place_of(slot), &slot_bytes(hash, row.number)?)?;
        }
        self.file.sync_data()?;
        self.covered = covered;
        write_at(&self.file, 0, &header(self.capacity, self.used, covered))?;
        Ok(true)
    }

    /// Every hash, as much as is kept of it, and its number.
    fn rows(&self) -> io::Result<Vec<(u32, u64)>> {
        let mut bytes = vec![0; self.capacity as usize * SLOT];
        read_at(&self.file, HEADER as u64, &mut bytes)?;
        let rows = bytes.chunks_exact(SLOT).map(slot_of);
        Ok(rows.filter(|(_, number)| *number != 0).collect())
    }
}

/// Writes a new table at `path` with the rows of `old` and `rows`.
pub(crate) fn write_new(path: &Path, old: Option<&Table>, rows: &[Row], covered: Covered) -> io::Result<()> {
    let replaced: HashSet<(u32, u64)> = rows
        .iter()
        .filter_map(|row| Some((kept_of(row.hash), row.replaces?)))
        .collect();
    let mut all = old.map_or(Ok(Vec::new()), Table::rows)?;
    all.retain(|row| !replaced.contains(row));
    all.extend(rows.iter().map(|row| (kept_of(row.hash), row.number)));
    let (part, whole) = FRESH;
    let capacity = (all.len() as u64 * whole).div_ceil(part).max(SMALLEST);
    if capacity > LARGEST {
        return Err(io::Error::other("a log of too many events for the table"));
    }
    let mut image = vec![0; HEADER + capacity as usize * SLOT];
    for &(hash, number) in &all {
        let mut slot = first_slot(hash, capacity);
        let range = loop {
            let start = place_of(slot) as usize;
            match slot_of(&image[start..start + SLOT]) {
                (_, 0) => break start..start + SLOT,
                _ => slot = (slot + 1) % capacity,
            }
        };
        image[range].copy_from_slice(&slot_bytes(hash, number)?);
    }
    image[..HEADER].copy_from_slice(&header(capacity, all.len() as u64, covered));
    ken_files::replace(path, &image, NewFile::Shared).map_err(io::Error::other)
}

enum Place {
    Taken(u64),
    Free(u64),
}

/// What is kept of a hash.
pub(crate) fn kept_of(hash: u64) -> u32 {
    (hash >> 32) as u32
}

/// Where a hash is looked for first: hashes in their order take slots in theirs.
fn first_slot(hash: u32, capacity: u64) -> u64 {
    (u64::from(hash) * capacity) >> 32
}

fn place_of(slot: u64) -> u64 {
    HEADER as u64 + slot * SLOT as u64
}

fn slot_bytes(hash: u32, number: u64) -> io::Result<[u8; SLOT]> {
    if number >= NUMBERS_END {
        return Err(io::Error::other("a log that is too long for the table"));
    }
    let mut bytes = [0; SLOT];
    bytes[..HASH].copy_from_slice(&hash.to_le_bytes());
    bytes[HASH..].copy_from_slice(&number.to_le_bytes()[..NUMBER]);
    Ok(bytes)
}

fn slot_of(bytes: &[u8]) -> (u32, u64) {
    let (hash, number) = bytes.split_at(HASH);
    let mut wide = [0; 8];
    wide[..NUMBER].copy_from_slice(number);
    let hash = u32::from_le_bytes(hash.try_into().unwrap_or_default());
    (hash, u64::from_le_bytes(wide))
}

fn header(capacity: u64, used: u64, covered: Covered) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(MAGIC);
    let fields = [capacity, used, covered.offset, covered.lines, covered.check, 0];
    for (place, field) in header[8..56].chunks_exact_mut(8).zip(fields) {
        place.copy_from_slice(&field.to_le_bytes());
    }
    let check = checksum(&header[..56]);
    header[56..].copy_from_slice(&check.to_le_bytes());
    header
}

fn read_header(file: &File) -> Option<(u64, u64, Covered)> {
    let mut header = [0; HEADER];
    read_at(file, 0, &mut header).ok()?;
    let field = |at: usize| u64::from_le_bytes(header[at * 8..at * 8 + 8].try_into().unwrap_or_default());
    let (capacity, used) = (field(1), field(2));
    let sound = header[..8] == *MAGIC
        && field(7) == checksum(&header[..56])
        && (SMALLEST..=LARGEST).contains(&capacity)
        && used <= capacity;
    let covered = Covered {
        offset: field(3),
        lines: field(4),
        check: field(5),
    };
    sound.then_some((capacity, used, covered))
}

/// The first eight bytes of a BLAKE3 hash.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(blake3::hash(bytes).as_bytes()[..8].try_into().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    fn covered(offset: u64) -> Covered {
        Covered {
            offset,
            lines: offset / 10,
            check: offset ^ 7,
        }
    }

    fn row(hash: u64, number: u64) -> Row {
        Row {
            hash,
            number,
            replaces: None,
        }
    }

    #[test]
    fn holds_what_a_map_holds_through_growth() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t");
        let mut oracle: BTreeMap<u64, BTreeSet<u64>> = BTreeMap::new();
        write_new(&path, None, &[], covered(0)).unwrap();
        let mut grown = 0;
        for round in 1..=40_u64 {
            // Hashes that fall on the same slots, at the end and around it; some of them are equal.
            let hash = |i: u64| match i % 4 {
                0 => u64::MAX - ((round * 61 + i) << 32),
                1 => (round * 7 + i) << 32,
                2 => 5 << 32,
                _ => (round * 100 + i).wrapping_mul(0x9e37_79b9_7f4a_7c15),
            };
            let mut rows: Vec<Row> = (0..20).map(|i| row(hash(i), round * 100 + i + 1)).collect();
            if let Some(number) = oracle
                .get(&(5 << 32))
                .and_then(|numbers| numbers.first().copied())
            {
                rows[2].replaces = Some(number);
            }
            let mut table = Table::open(&path).unwrap();
            if !table.add(&rows, covered(round)).unwrap() {
                grown += 1;
                write_new(&path, Some(&table), &rows, covered(round)).unwrap();
            }
            for row in rows {
                let numbers = oracle.entry(u64::from(kept_of(row.hash)) << 32).or_default();
                if let Some(replaced) = row.replaces {
                    numbers.remove(&replaced);
                }
                numbers.insert(row.number);
            }
            let table = Table::open(&path).unwrap();
            assert_eq!(table.covered, covered(round));
            let count: usize = oracle.values().map(BTreeSet::len).sum();
            assert_eq!(table.used, count as u64);
            for (hash, numbers) in &oracle {
                let found: BTreeSet<u64> = table.numbers(*hash).unwrap().into_iter().collect();
                assert_eq!(found, *numbers);
            }
            assert_eq!(table.numbers(1 << 60).unwrap(), [0; 0]);
            let bytes = std::fs::metadata(&path).unwrap().len();
            assert!(
                bytes <= (count as u64 * 13).max(48 * 9) + 64 + 9,
                "{bytes} for {count}"
            );
        }
        assert!((4..=25).contains(&grown), "{grown}");
    }

    #[test]
    fn a_damaged_table_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t");
        assert!(Table::open(&path).is_none());
        write_new(&path, None, &[row(9, 1), row(0, 4)], covered(3)).unwrap();
        assert_eq!(Table::open(&path).unwrap().numbers(0).unwrap(), [1, 4]);
        let whole = std::fs::read(&path).unwrap();
        for damaged in [
            &whole[..10],
            &whole[..whole.len() - 1],
            &[&whole[..20], &[0xff], &whole[21..]].concat(),
            b"",
        ] {
            std::fs::write(&path, damaged).unwrap();
            assert!(Table::open(&path).is_none());
        }
    }

    #[test]
    fn a_table_without_a_free_slot_is_an_error_and_can_be_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t");
        write_new(&path, None, &[], covered(0)).unwrap();
        let mut table = Table::open(&path).unwrap();
        // As crashes between slots and header leave it.
        for number in 1..=SMALLEST {
            table.used = 0;
            table.add(&[row(number << 40, number)], covered(1)).unwrap();
        }
        assert!(table.numbers(3 << 40).is_err());
        assert!(table.add(&[row(1, 99)], covered(2)).is_err());
        write_new(&path, Some(&table), &[row(1, 99)], covered(2)).unwrap();
        let table = Table::open(&path).unwrap();
        assert_eq!(table.used, SMALLEST + 1);
        assert!(table.numbers(3 << 40).unwrap().contains(&3));
        assert!(write_new(&path, Some(&table), &[row(1, NUMBERS_END)], covered(3)).is_err());
    }
}
