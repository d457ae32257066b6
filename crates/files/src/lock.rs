use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use crate::FileError;

/// An exclusive lock between processes, held until dropped. The lock file is never deleted.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock, waiting at most `timeout`. `holder` is how this process names itself to others that wait.
    pub fn acquire(path: &Path, holder: &str, timeout: Duration) -> Result<Lock, FileError> {
        let start = Instant::now();
        loop {
            if let Some(lock) = Lock::try_acquire(path, holder)? {
                return Ok(lock);
            }
            if start.elapsed() >= timeout {
                let holder = std::fs::read_to_string(path).unwrap_or_default();
                return Err(FileError::Locked {
                    path: path.to_owned(),
                    holder,
                    waited: timeout,
                });
            }
            std::thread::sleep(Duration::from_micros(500));
        }
    }

    /// Takes the lock if nobody holds it; `None` if somebody does.
    pub fn try_acquire(path: &Path, holder: &str) -> Result<Option<Lock>, FileError> {
        let file = OpenOptions::new()
            .create(true)
            .truncate(false)
            .read(true)
            .write(true)
            .open(path)
            .map_err(|e| FileError::io("open the lock", path, e))?;
        match file.try_lock() {
            Ok(()) => {
                let mut lock = Lock { file };
                lock.name(holder);
                Ok(Some(lock))
            }
            Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(e)) => Err(FileError::io("lock", path, e)),
        }
    }

    fn name(&mut self, holder: &str) {
        let _ = self
            .file
            .rewind()
            .and_then(|()| self.file.set_len(0))
            .and_then(|()| {
                self.file
                    .write_all(format!("{holder} (process {})", std::process::id()).as_bytes())
            });
    }
}
