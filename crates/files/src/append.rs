use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{FileError, Lock};

/// An append-only file of lines, held under its lock: what is read through it cannot change until it is dropped
/// (but for programs that do not know the lock), and what [`append`](LockedLog::append) acknowledges is on the disk.
#[derive(Debug)]
pub struct LockedLog {
    path: PathBuf,
    file: File,
    _lock: Lock,
}

impl LockedLog {
    /// Takes the lock at `lock` (waiting at most `timeout`) and opens the log at `path`, creating it when absent.
    pub fn open(path: &Path, lock: &Path, holder: &str, timeout: Duration) -> Result<LockedLog, FileError> {
        let lock = Lock::acquire(lock, holder, timeout)?;
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .read(true)
            .open(path)
            .map_err(|e| FileError::io("open", path, e))?;
        Ok(LockedLog {
            path: path.to_owned(),
            file,
            _lock: lock,
        })
    }

    /// The last whole, non-empty line without its newline; `None` for an empty log. Reads only the file's end.
    pub fn last_line(&self) -> Result<Option<Vec<u8>>, FileError> {
        let bytes = self.read_from(0)?;
        Ok(bytes
            .split(|b| *b == b'\n')
            .rfind(|l| !l.is_empty())
            .map(<[u8]>::to_vec))
    }

    /// Everything from byte `offset` to the end.
    pub fn read_from(&self, offset: u64) -> Result<Vec<u8>, FileError> {
        let bytes = std::fs::read(&self.path).map_err(|e| FileError::io("read", &self.path, e))?;
        Ok(bytes.get(offset as usize..).unwrap_or_default().to_vec())
    }

    /// Appends one line (given without its newline), durably, and returns only when it is on the disk.
    pub fn append(&mut self, line: &[u8]) -> Result<(), FileError> {
        let mut bytes = line.to_vec();
        bytes.push(b'\n');
        self.file
            .write_all(&bytes)
            .and_then(|()| self.file.sync_data())
            .map_err(|e| FileError::io("append to", &self.path, e))
    }
}
