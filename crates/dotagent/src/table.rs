//! A small table of hashes on the disk: what came before in a log, so that one line can be judged without reading the
//! log. It is a cache: a damaged or missing one is made again from the log.

use std::fs::{File, OpenOptions};
use std::io;
use std::path::Path;

use ken_files::NewFile;

use crate::place::{read_at, write_at};

/// Eight bytes at the start; another way of hashing or normalising needs another one.
const MAGIC: &[u8; 8] = b"kenrep\x00\x01";
const HEADER: usize = 64;
const SLOT: usize = 16;
const SMALLEST: u64 = 1024;
const LARGEST: u64 = 1 << 26;
/// Slots that are read at once.
const GROUP: u64 = 16;

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

    /// The number that `hash` has.
    pub(crate) fn get(&self, hash: u64) -> io::Result<Option<u64>> {
        Ok(match self.find(hash)? {
            Place::Taken(_, number) => Some(number),
            Place::Free(_) => None,
        })
    }

    fn find(&self, hash: u64) -> io::Result<Place> {
        let hash = hash.max(1);
        let mut group = [0; GROUP as usize * SLOT];
        let mut slot = hash & (self.capacity - 1);
        for _ in 0..=self.capacity / GROUP + 1 {
            let here = GROUP.min(self.capacity - slot);
            let bytes = &mut group[..here as usize * SLOT];
            read_at(&self.file, HEADER as u64 + slot * SLOT as u64, bytes)?;
            for (ahead, bytes) in (0..).zip(bytes.chunks_exact(SLOT)) {
                match slot_of(bytes) {
                    (_, 0) => return Ok(Place::Free(slot + ahead)),
                    (other, number) if other == hash => return Ok(Place::Taken(slot + ahead, number)),
                    _ => {}
                }
            }
            slot = (slot + here) & (self.capacity - 1);
        }
        Err(io::Error::other("a table without a free slot"))
    }

    /// Adds numbers in place; of two for one hash `prefer(old, new)` stays. The slots are on the disk before the header
    /// says that they are: a reader, or a crash, finds either the old header and its rows, or the new one and all of
    /// its rows. False, and nothing written, when they do not fit.
    pub(crate) fn add(
        &mut self,
        rows: &[(u64, u64)],
        covered: Covered,
        mut prefer: impl FnMut(u64, u64) -> u64,
    ) -> io::Result<bool> {
        if (self.used + rows.len() as u64) * 2 > self.capacity {
            return Ok(false);
        }
        for &(hash, number) in rows {
            let (slot, number) = match self.find(hash)? {
                Place::Free(slot) => {
                    self.used += 1;
                    (slot, number)
                }
                Place::Taken(slot, old) => (slot, prefer(old, number)),
            };
            let mut bytes = [0; SLOT];
            bytes[..8].copy_from_slice(&hash.max(1).to_le_bytes());
            bytes[8..].copy_from_slice(&number.to_le_bytes());
            write_at(&self.file, HEADER as u64 + slot * SLOT as u64, &bytes)?;
        }
        self.file.sync_data()?;
        self.covered = covered;
        write_at(&self.file, 0, &header(self.capacity, self.used, covered))?;
        Ok(true)
    }

    /// Every row.
    fn rows(&self) -> io::Result<Vec<(u64, u64)>> {
        let mut bytes = vec![0; self.capacity as usize * SLOT];
        read_at(&self.file, HEADER as u64, &mut bytes)?;
        let rows = bytes.chunks_exact(SLOT).map(slot_of);
        Ok(rows.filter(|(_, number)| *number != 0).collect())
    }
}

/// Writes a new table at `path` with the rows of `old` and `rows`.
pub(crate) fn write_new(
    path: &Path,
    old: Option<&Table>,
    rows: &[(u64, u64)],
    covered: Covered,
    mut prefer: impl FnMut(u64, u64) -> u64,
) -> io::Result<()> {
    let mut all = old.map_or(Ok(Vec::new()), Table::rows)?;
    let kept = all.len();
    all.extend_from_slice(rows);
    // Half full at most, with room for as many again.
    let capacity = (all.len() as u64 * 4).next_power_of_two().max(SMALLEST);
    if capacity > LARGEST {
        return Err(io::Error::other("a log of too many events for the table"));
    }
    let mut image = vec![0; HEADER + capacity as usize * SLOT];
    let mut used = 0;
    for (at, &(hash, number)) in all.iter().enumerate() {
        let hash = hash.max(1);
        let mut slot = hash & (capacity - 1);
        let number = loop {
            let start = HEADER + slot as usize * SLOT;
            match slot_of(&image[start..start + SLOT]) {
                (_, 0) => {
                    used += 1;
                    break number;
                }
                (other, old) if other == hash => break if at < kept { old } else { prefer(old, number) },
                _ => slot = (slot + 1) & (capacity - 1),
            }
        };
        let start = HEADER + slot as usize * SLOT;
        image[start..start + 8].copy_from_slice(&hash.to_le_bytes());
        image[start + 8..start + SLOT].copy_from_slice(&number.to_le_bytes());
    }
    image[..HEADER].copy_from_slice(&header(capacity, used, covered));
    ken_files::replace(path, &image, NewFile::Shared).map_err(io::Error::other)
}

enum Place {
    Taken(u64, u64),
    Free(u64),
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
        && capacity.is_power_of_two()
        && (SMALLEST..=LARGEST).contains(&capacity)
        && used < capacity;
    let covered = Covered {
        offset: field(3),
        lines: field(4),
        check: field(5),
    };
    sound.then_some((capacity, used, covered))
}

fn slot_of(bytes: &[u8]) -> (u64, u64) {
    let half = |half: &[u8]| u64::from_le_bytes(half.try_into().unwrap_or_default());
    (half(&bytes[..8]), half(&bytes[8..]))
}

/// The first eight bytes of a BLAKE3 hash.
pub(crate) fn checksum(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(blake3::hash(bytes).as_bytes()[..8].try_into().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;

    fn covered(offset: u64) -> Covered {
        Covered {
            offset,
            lines: offset / 10,
            check: offset ^ 7,
        }
    }

    #[test]
    fn holds_what_a_map_holds_through_growth() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t");
        let mut oracle: HashMap<u64, u64> = HashMap::new();
        write_new(&path, None, &[], covered(0), u64::max).unwrap();
        for round in 1..=12_u64 {
            // Hashes that fall on the same slots, next to the end and around it.
            let rows: Vec<(u64, u64)> = (0..100)
                .map(|i| ((round * 61 + i) % 900 * 1021 + 1020 + i % 5, round * 100 + i + 1))
                .collect();
            let mut table = Table::open(&path).unwrap();
            if !table.add(&rows, covered(round), u64::max).unwrap() {
                write_new(&path, Some(&table), &rows, covered(round), u64::max).unwrap();
            }
            for (hash, number) in rows {
                let kept = oracle.entry(hash).or_default();
                *kept = number.max(*kept);
            }
            let table = Table::open(&path).unwrap();
            assert_eq!(table.covered, covered(round));
            assert_eq!(table.used, oracle.len() as u64);
            for (hash, number) in &oracle {
                assert_eq!(table.get(*hash).unwrap(), Some(*number));
            }
            assert_eq!(table.get(5).unwrap(), None);
        }
        assert!(oracle.len() > 512, "the table has grown: {}", oracle.len());
    }

    #[test]
    fn a_damaged_table_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t");
        assert!(Table::open(&path).is_none());
        write_new(&path, None, &[(9, 1), (0, 4)], covered(3), u64::max).unwrap();
        assert_eq!(Table::open(&path).unwrap().get(0).unwrap(), Some(4));
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
}
