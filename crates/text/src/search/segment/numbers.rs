//! Numbers in bytes: of variable length one after the other, and of one width side by side. Readers stop where bytes
//! are no numbers.

use integer_encoding::VarInt;

/// Adds a number of variable length.
pub(super) fn put(bytes: &mut Vec<u8>, number: u64) {
    let start = bytes.len();
    bytes.resize(start + number.required_space(), 0);
    number.encode_var(&mut bytes[start..]);
}

/// Reads numbers and pieces one after the other.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { bytes }
    }

    #[inline]
    pub(super) fn number(&mut self) -> Option<u64> {
        // Most numbers are small.
        let (first, rest) = self.bytes.split_first()?;
        if *first < 0x80 {
            self.bytes = rest;
            return Some(u64::from(*first));
        }
        let (number, length) = u64::decode_var(self.bytes)?;
        self.bytes = self.bytes.get(length..)?;
        Some(number)
    }

    pub(super) fn piece(&mut self, length: u64) -> Option<&'a [u8]> {
        let (piece, rest) = self.bytes.split_at_checked(usize::try_from(length).ok()?)?;
        self.bytes = rest;
        Some(piece)
    }
}

/// How many bytes each of some numbers takes, of which this is the largest: 0, 1, 2, 4 or 8.
pub(super) fn width_of(largest: u64) -> u8 {
    match largest {
        0 => 0,
        1..=0xff => 1,
        0x100..=0xffff => 2,
        0x1_0000..=0xffff_ffff => 4,
        _ => 8,
    }
}

/// The number at a place of a column; `None` outside of it.
#[inline]
pub(super) fn at(column: &[u8], width: u8, place: usize) -> Option<u64> {
    Some(match width {
        0 => 0,
        1 => u64::from(*column.get(place)?),
        2 => u64::from(u16::from_le_bytes(*column.get(place * 2..)?.first_chunk()?)),
        4 => u64::from(u32::from_le_bytes(*column.get(place * 4..)?.first_chunk()?)),
        _ => u64::from_le_bytes(*column.get(place * 8..)?.first_chunk()?),
    })
}
