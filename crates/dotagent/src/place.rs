//! Reading and writing at a place of a file, in one call where the system has one.

use std::fs::File;
use std::io::{self, Read};

/// Reads exactly `bytes` at `offset`.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, offset)
}

/// Writes all of `bytes` at `offset`.
#[cfg(unix)]
pub(crate) fn write_at(file: &File, offset: u64, bytes: &[u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, offset)
}

/// Reads exactly `bytes` at `offset`.
#[cfg(not(unix))]
pub(crate) fn read_at(mut file: &File, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
    use std::io::{Seek, SeekFrom};
    file.seek(SeekFrom::Start(offset))?;
    file.read_exact(bytes)
}

/// Writes all of `bytes` at `offset`.
#[cfg(not(unix))]
pub(crate) fn write_at(mut file: &File, offset: u64, bytes: &[u8]) -> io::Result<()> {
    use std::io::{Seek, SeekFrom, Write};
    file.seek(SeekFrom::Start(offset))?;
    file.write_all(bytes)
}

/// A file read from a place on.
pub(crate) struct From<'a> {
    pub(crate) file: &'a File,
    pub(crate) offset: u64,
}

impl Read for From<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        let read = std::os::unix::fs::FileExt::read_at(self.file, bytes, self.offset)?;
        #[cfg(not(unix))]
        let read = {
            use std::io::{Seek, SeekFrom};
            let mut file = self.file;
            file.seek(SeekFrom::Start(self.offset))?;
            file.read(bytes)?
        };
        self.offset += read as u64;
        Ok(read)
    }
}
