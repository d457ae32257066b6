//! What a process is about to append, noted in the lock file, so that the next one can tell a line that was torn by
//! its writer's death from one that a person left without a newline.
//!
//! A process can be killed in the middle of a write: the system copies page by page, and may wait between two pages
//! when the disk is busy. What it left was never acknowledged and is taken back; what anybody else left is kept.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use crate::lock::RECORD;
use crate::read::Identity;
use crate::tail::read_range;

/// Behind the holder's name and as long as that.
const PLACE: u64 = RECORD as u64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Intent {
    /// The file that is appended to.
    pub(crate) identity: Identity,
    /// Its length before.
    pub(crate) start: u64,
    /// Its length when all is written.
    pub(crate) end: u64,
}

/// What the system copies without a chance to be interrupted; it may be more elsewhere, in multiples of this.
const PAGE: u64 = 4096;

impl Intent {
    /// The intent to append from `start` to `end`, if a death could leave half of that: what stays within one page is
    /// written or not.
    pub(crate) fn needed(identity: Identity, start: u64, end: u64) -> Option<Intent> {
        let intent = Intent { identity, start, end };
        (start / PAGE != end.saturating_sub(1) / PAGE).then_some(intent)
    }

    /// Notes the intent in the lock file that the caller holds. Best effort: without it a torn line is closed by a
    /// newline instead of taken back.
    pub(crate) fn note(self, lock: &File) {
        let (device, inode) = self.identity.numbers();
        let text = format!("appends {device} {inode} {} {}", self.start, self.end);
        let _ = write(lock, &text);
    }

    /// Notes that nothing is about to be appended.
    pub(crate) fn clear(lock: &File) {
        let _ = write(lock, "");
    }

    /// What the last process that noted anything left undone.
    pub(crate) fn left(mut lock: &File) -> Option<Intent> {
        let mut bytes = [0; RECORD];
        lock.seek(SeekFrom::Start(PLACE)).ok()?;
        lock.read_exact(&mut bytes).ok()?;
        let text = std::str::from_utf8(&bytes).ok()?;
        let mut numbers = text.trim().strip_prefix("appends ")?.split(' ').map(str::parse);
        let mut next = || numbers.next()?.ok();
        Some(Intent {
            identity: Identity::from_numbers(next()?, next()?),
            start: next()?,
            end: next()?,
        })
    }

    /// Whether what `file` holds from `start` to its end, `length`, is the beginning of what was to be appended: not
    /// all of it, and nobody has written a line after it.
    pub(crate) fn is_torn(self, file: &File, identity: Identity, length: u64) -> io::Result<bool> {
        if self.identity != identity || length <= self.start || length >= self.end {
            return Ok(false);
        }
        let mut bytes = Vec::new();
        read_range(file, self.start.saturating_sub(1), length, &mut bytes)?;
        let mut torn = &bytes[..];
        if self.start > 0 {
            let Some((before, after)) = bytes.split_first() else {
                return Ok(false);
            };
            torn = after;
            if *before != b'\n' {
                // Then the line was to begin with the newline that closes what stood there.
                let Some(line) = torn.strip_prefix(b"\n") else {
                    return Ok(false);
                };
                torn = line;
            }
        }
        Ok(!torn.contains(&b'\n'))
    }
}

fn write(mut lock: &File, text: &str) -> io::Result<()> {
    let mut record = [b' '; RECORD];
    record[..text.len()].copy_from_slice(text.as_bytes());
    record[RECORD - 1] = b'\n';
    lock.seek(SeekFrom::Start(PLACE))?;
    lock.write_all(&record)
}
