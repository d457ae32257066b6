//! Checksums of bytes of a log: what tells a log that changed from one that only grew. They need not stand up to
//! somebody who may write the log anyway, so a fast one serves.

use std::fmt;
use std::fs::File;
use std::hash::Hasher;
use std::io;

use twox_hash::XxHash3_64;

use crate::place::read_at;

/// A checksum of bytes that come piece by piece.
#[derive(Clone)]
pub(crate) struct Checksum(XxHash3_64);

impl Default for Checksum {
    fn default() -> Self {
        Checksum(XxHash3_64::with_seed(0))
    }
}

impl fmt::Debug for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Checksum({:016x})", self.value())
    }
}

/// Bytes that are read at once.
const BLOCK: usize = 256 * 1024;

impl Checksum {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
    }

    /// The checksum of what was added.
    pub(crate) fn value(&self) -> u64 {
        self.0.finish()
    }

    /// The checksum of the bytes of `file` from `from` to `to`.
    ///
    /// # Errors
    /// When they cannot be read, or there are fewer.
    pub(crate) fn of(file: &File, from: u64, to: u64) -> io::Result<u64> {
        let mut sum = Checksum::default();
        let mut buffer = vec![0; BLOCK.min(usize::try_from(to.saturating_sub(from)).unwrap_or(BLOCK))];
        let mut at = from;
        while at < to {
            let length = (to - at).min(BLOCK as u64);
            let bytes = &mut buffer[..length as usize];
            read_at(file, at, bytes)?;
            sum.add(bytes);
            at += length;
        }
        Ok(sum.value())
    }
}
