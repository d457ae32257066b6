use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::folder::{parent, sync_folder};
use crate::intent::Intent;
use crate::read::{Identity, Links, open_regular};
use crate::tail::{last_byte, last_line, length, read_range};
use crate::{FileError, Lock};

/// An append-only file of lines, held under its lock: what is read through it cannot change until it is dropped
/// (but for programs that do not know the lock), and what [`append`](LockedLog::append) acknowledges is on the disk.
#[derive(Debug)]
pub struct LockedLog {
    path: PathBuf,
    file: File,
    identity: Identity,
    lock: Lock,
}

/// Where an appended line stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appended {
    /// The byte at which the line begins in the file that stands at the log's path.
    pub offset: u64,
}

/// How many different files may appear at the path during one append before it is given up.
const ATTEMPTS: u32 = 8;

impl LockedLog {
    /// Takes the lock at `lock` (waiting at most `timeout`) and opens the log at `path`, creating it when absent.
    ///
    /// What a process of ours that was killed in the middle of a line left of it is taken back: nobody was told that it
    /// is there. A link at `path` is followed; whether it may lead where it leads is the caller's to judge.
    ///
    /// # Errors
    /// Those of [`Lock::acquire`]; [`FileError::NotAFile`] or [`FileError::Io`] for the log.
    pub fn open(path: &Path, lock: &Path, holder: &str, timeout: Duration) -> Result<LockedLog, FileError> {
        let lock = Lock::acquire(lock, holder, timeout)?;
        let (file, seen) = open(path)?;
        let log = LockedLog {
            path: path.to_owned(),
            file,
            identity: Identity::of(&seen),
            lock,
        };
        log.take_back_torn_line(seen.len())
            .map_err(|e| FileError::io("open", path, e))?;
        Ok(log)
    }

    /// The open log, to be read at places.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// How many bytes the log has.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn length(&self) -> Result<u64, FileError> {
        length(&self.file).map_err(|e| FileError::io("read", &self.path, e))
    }

    /// The last whole, non-empty line without its newline; `None` for an empty log. Reads only the file's end.
    ///
    /// A torn tail (bytes after the last newline), lines of white space only, and lines longer than 8 MiB, which no
    /// program of ours has written, are passed over.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn last_line(&self) -> Result<Option<Vec<u8>>, FileError> {
        last_line(&self.file).map_err(|e| FileError::io("read", &self.path, e))
    }

    /// Everything from byte `offset` to the end; nothing when the log is shorter.
    ///
    /// # Errors
    /// [`FileError::Io`].
    pub fn read_from(&self, offset: u64) -> Result<Vec<u8>, FileError> {
        let read = || {
            let mut bytes = Vec::new();
            read_range(&self.file, offset, length(&self.file)?, &mut bytes)?;
            Ok(bytes)
        };
        read().map_err(|e| FileError::io("read", &self.path, e))
    }

    /// Appends one line (given without its newline), durably, and returns only when it is on the disk, in the file
    /// that stands at the path.
    ///
    /// The line goes out in one write, after a newline of its own if the file does not end in one. If another program
    /// (git, an editor) has meanwhile put another file at the path, or removed it, the line is appended there too. On
    /// an error what was written of the line is taken back, unless others have written after it.
    ///
    /// # Errors
    /// [`FileError::Line`] for an empty line or one with a line break; [`FileError::Unsettled`] when the file at the
    /// path never stays; else [`FileError::Io`].
    pub fn append(&mut self, line: &[u8]) -> Result<Appended, FileError> {
        self.append_watched(line, || {})
    }

    /// As [`append`](LockedLog::append); `written` is called whenever the line is in a file and before it is known
    /// whether that file still stands at the path.
    fn append_watched(&mut self, line: &[u8], mut written: impl FnMut()) -> Result<Appended, FileError> {
        self.must_be_one_line(line)?;
        for _ in 0..ATTEMPTS {
            let offset = self.write(line)?;
            written();
            if self.identity.is_at(&self.path) {
                return Ok(Appended { offset });
            }
            let (file, seen) = open(&self.path)?;
            self.file = file;
            self.identity = Identity::of(&seen);
        }
        Err(FileError::Unsettled {
            path: self.path.clone(),
            attempts: ATTEMPTS,
        })
    }

    fn must_be_one_line(&self, line: &[u8]) -> Result<(), FileError> {
        let fault = if line.trim_ascii().is_empty() {
            "is empty".to_owned()
        } else if let Some(at) = line.iter().position(|b| *b == b'\n') {
            format!("holds a line break at byte {at}")
        } else {
            return Ok(());
        };
        Err(FileError::Line {
            path: self.path.clone(),
            fault,
        })
    }

    /// Writes one line to the open file and to the disk below it, and says where it begins.
    fn write(&mut self, line: &[u8]) -> Result<u64, FileError> {
        let failed = |e| FileError::io("append to", &self.path, e);
        let before = length(&self.file).map_err(failed)?;
        if before == 0 {
            // Before the first line, not after: then every log that has a line has a durable name, also when the
            // process that made it died in between.
            sync_folder(parent(&self.path))?;
        }
        let mut bytes = Vec::with_capacity(line.len() + 2);
        if before > 0 && last_byte(&self.file, before).map_err(failed)? != b'\n' {
            bytes.push(b'\n');
        }
        bytes.extend_from_slice(line);
        bytes.push(b'\n');
        let end = before + bytes.len() as u64;
        let intent = Intent::needed(self.identity, before, end);
        if let Some(intent) = intent {
            intent.note(self.lock.file());
        }
        let written = write_whole(&self.file, &bytes);
        if intent.is_some() {
            Intent::clear(self.lock.file());
        }
        let end = written
            .and_then(|end| sync_or_take_back(&self.file, end, bytes.len()).map(|()| end))
            .map_err(failed)?;
        Ok(end - line.len() as u64 - 1)
    }

    /// Takes back a line whose writer was killed in the middle of it.
    fn take_back_torn_line(&self, length: u64) -> io::Result<()> {
        if length == 0 || last_byte(&self.file, length)? == b'\n' {
            return Ok(());
        }
        if let Some(intent) = Intent::left(self.lock.file()) {
            if intent.is_torn(&self.file, self.identity, length)? {
                self.file.set_len(intent.start)?;
            }
            Intent::clear(self.lock.file());
        }
        Ok(())
    }
}

fn open(path: &Path) -> Result<(File, Metadata), FileError> {
    let mut options = OpenOptions::new();
    options.create(true).append(true).read(true);
    open_regular(&mut options, path, Links::Followed, "open").map_err(FileError::while_creating)
}

/// Writes all of `bytes` at the end of the file, in one write as long as the system takes them in one, and returns
/// the position after them. When it does not take them all, none stay.
fn write_whole(mut file: &File, bytes: &[u8]) -> io::Result<u64> {
    let mut written = 0;
    let mut end = 0;
    while written < bytes.len() {
        let failure = match file.write(&bytes[written..]) {
            Ok(0) => io::Error::from(ErrorKind::WriteZero),
            Ok(count) => {
                // The system leaves the position behind what it appended, wherever others moved the end meanwhile.
                let position = file.stream_position()?;
                if written == 0 || end + count as u64 == position {
                    written += count;
                    end = position;
                    continue;
                }
                // Somebody's bytes came between the two parts of ours: nothing can be taken back any more.
                return Err(io::Error::other(
                    "another program wrote into the middle of the line; try again",
                ));
            }
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(e) => e,
        };
        take_back(file, end, written);
        return Err(failure);
    }
    Ok(end)
}

fn sync_or_take_back(file: &File, end: u64, written: usize) -> io::Result<()> {
    file.sync_data().inspect_err(|_| take_back(file, end, written))
}

/// Cuts the last `written` bytes, which end at `end`, off the file, if the file still ends there.
fn take_back(file: &File, end: u64, written: usize) {
    if written > 0 && length(file).is_ok_and(|length| length == end) {
        let _ = file.set_len(end - written as u64).and_then(|()| file.sync_data());
    }
}

#[cfg(test)]
mod tests;
