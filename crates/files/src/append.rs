use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::folder::{parent, sync_folder};
use crate::read::{Links, is_at, open_regular};
use crate::{FileError, Lock};

/// An append-only file of lines, held under its lock: what is read through it cannot change until it is dropped
/// (but for programs that do not know the lock), and what [`append`](LockedLog::append) acknowledges is on the disk.
#[derive(Debug)]
pub struct LockedLog {
    path: PathBuf,
    file: File,
    _lock: Lock,
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
    /// A link at `path` is followed; whether it may lead where it leads is the caller's to judge.
    ///
    /// # Errors
    /// Those of [`Lock::acquire`]; [`FileError::NotAFile`] or [`FileError::Io`] for the log.
    pub fn open(path: &Path, lock: &Path, holder: &str, timeout: Duration) -> Result<LockedLog, FileError> {
        let lock = Lock::acquire(lock, holder, timeout)?;
        Ok(LockedLog {
            path: path.to_owned(),
            file: open(path)?,
            _lock: lock,
        })
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
            let left = length(&self.file)?.saturating_sub(offset);
            let mut bytes = Vec::with_capacity(usize::try_from(left).unwrap_or(0));
            let mut file = &self.file;
            file.seek(SeekFrom::Start(offset))?;
            file.read_to_end(&mut bytes)?;
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
        self.must_be_one_line(line)?;
        for _ in 0..ATTEMPTS {
            let offset = self.write(line)?;
            let ours = self
                .file
                .metadata()
                .map_err(|e| FileError::io("append to", &self.path, e))?;
            if is_at(&ours, &self.path) {
                return Ok(Appended { offset });
            }
            self.file = open(&self.path)?;
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
        let end = write_whole(&self.file, &bytes)
            .and_then(|end| sync_or_take_back(&self.file, end, bytes.len()).map(|()| end))
            .map_err(failed)?;
        Ok(end - line.len() as u64 - 1)
    }
}

fn open(path: &Path) -> Result<File, FileError> {
    let mut options = OpenOptions::new();
    options.create(true).append(true).read(true);
    open_regular(&mut options, path, Links::Followed, "open")
        .map(|(file, _)| file)
        .map_err(FileError::while_creating)
}

fn length(file: &File) -> io::Result<u64> {
    file.metadata().map(|seen| seen.len())
}

fn last_byte(mut file: &File, length: u64) -> io::Result<u8> {
    let mut byte = [b'\n'];
    file.seek(SeekFrom::Start(length - 1))?;
    file.read_exact(&mut byte)?;
    Ok(byte[0])
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

/// How much is read at a time from the end.
const BLOCK: u64 = 8 * 1024;

/// What is longer is not a line of ours and is not held in memory.
const LONGEST_LINE: u64 = 8 * 1024 * 1024;

fn last_line(file: &File) -> io::Result<Option<Vec<u8>>> {
    let mut block = Vec::new();
    let mut start = length(file)?;
    // Where the line that is being looked for ends; unknown until its newline was found.
    let mut end = None;
    while start > 0 {
        let below = start.saturating_sub(BLOCK);
        read_range(file, below, start, &mut block)?;
        for at in (0..block.len()).rev().filter(|at| block[*at] == b'\n') {
            let newline = below + at as u64;
            if let Some(line) = line_between(file, newline + 1, end)? {
                return Ok(Some(line));
            }
            end = Some(newline);
        }
        start = below;
    }
    line_between(file, 0, end)
}

/// The line from `start` to the newline at `end`, if there is one and it is worth having.
fn line_between(file: &File, start: u64, end: Option<u64>) -> io::Result<Option<Vec<u8>>> {
    let Some(end) = end.filter(|end| *end > start && *end - start <= LONGEST_LINE) else {
        return Ok(None);
    };
    let mut line = Vec::new();
    read_range(file, start, end, &mut line)?;
    Ok((!line.trim_ascii().is_empty()).then_some(line))
}

fn read_range(mut file: &File, start: u64, end: u64, bytes: &mut Vec<u8>) -> io::Result<()> {
    bytes.clear();
    file.seek(SeekFrom::Start(start))?;
    file.take(end - start).read_to_end(bytes)?;
    Ok(())
}
