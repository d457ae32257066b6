use std::fs::{self, File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{FileError, Lock, NewFile, create_folder, open_file, read_bounded};

/// How long a writer waits for another that moves the full log. A rename takes less than a thousandth of it.
const PATIENCE: Duration = Duration::from_millis(100);

/// A log of lines for this user alone that keeps its own size: a full one is set aside, and the part that was set aside
/// before goes. For what is worth a look and not worth an `fsync`: any number of processes add to it, and none waits
/// for another but while a full log is moved.
#[derive(Debug, Clone)]
pub struct BoundedLog {
    folder: PathBuf,
    name: &'static str,
    limit: u64,
}

impl BoundedLog {
    /// The log `NAME.jsonl` in `folder`, set aside as `NAME.1.jsonl` at `limit` bytes. Nothing is made before the first
    /// line.
    pub fn new(folder: PathBuf, name: &'static str, limit: u64) -> BoundedLog {
        BoundedLog { folder, name, limit }
    }

    /// Where the lines are added.
    pub fn path(&self) -> PathBuf {
        self.folder.join(format!("{}.jsonl", self.name))
    }

    /// Where the part that was set aside is.
    pub fn earlier(&self) -> PathBuf {
        self.folder.join(format!("{}.1.jsonl", self.name))
    }

    /// Adds a line (without its end) in one write. What a killed process left without its end does not take it along.
    ///
    /// # Errors
    /// [`FileError`] when the folder or the log cannot be written, or the log is no regular file.
    pub fn add(&self, line: &[u8]) -> Result<(), FileError> {
        create_folder(&self.folder, NewFile::Private)?;
        let path = self.path();
        self.set_aside(&path);
        let mut whole = Vec::with_capacity(line.len() + 2);
        if !ends_with_newline(&path) {
            whole.push(b'\n');
        }
        whole.extend_from_slice(line);
        whole.push(b'\n');
        add_to_private(&path, &whole)
    }

    /// The lines that are kept, oldest first. A part that cannot be read has none.
    pub fn lines(&self) -> Vec<Vec<u8>> {
        // What processes add while one of them moves the log comes on top of the limit.
        let most = self.limit.saturating_mul(4).max(64 * 1024);
        [self.earlier(), self.path()]
            .iter()
            .filter_map(|path| read_bounded(path, most).ok())
            .flat_map(|bytes| {
                bytes
                    .split(|byte| *byte == b'\n')
                    .map(<[u8]>::to_vec)
                    .collect::<Vec<_>>()
            })
            .filter(|line| !line.is_empty())
            .collect()
    }

    /// Moves a log that is full out of the way. One process does it, and looks again once it is alone: of two that saw
    /// the same full log the second would move the first's new one over it. The others wait, so that they do not go on
    /// filling it.
    fn set_aside(&self, path: &Path) {
        let full = || fs::metadata(path).is_ok_and(|about| about.len() > self.limit);
        if !full() {
            return;
        }
        let lock = self.folder.join(format!("{}.lock", self.name));
        if let Ok(_lock) = Lock::acquire(&lock, "ken", PATIENCE)
            && full()
        {
            let _ = fs::rename(path, self.earlier());
        }
    }
}

/// Adds to a file that is for this user alone, in one write, and makes it and its folder where they are not there.
///
/// # Errors
/// [`FileError`] when it cannot be written, or is no regular file.
pub fn add_to_private(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    if let Some(folder) = path.parent() {
        create_folder(folder, NewFile::Private)?;
    }
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    open_file(&mut options, path)?
        .write_all(bytes)
        .map_err(|error| FileError::io("add to", path, error))
}

/// Whether a file that is added to ends as it should; an absent or empty one does.
fn ends_with_newline(path: &Path) -> bool {
    let Ok(mut file) = open_file(File::options().read(true), path) else {
        return true;
    };
    let mut last = [b'\n'];
    if file.seek(SeekFrom::End(-1)).is_ok() {
        let _ = file.read_exact(&mut last);
    }
    last == *b"\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_writers_keep_it_bounded_and_every_line_whole() {
        let folder = tempfile::tempdir().unwrap();
        let log = BoundedLog::new(folder.path().join("below"), "log", 4096);
        std::thread::scope(|scope| {
            for writer in 0..4 {
                let log = &log;
                scope.spawn(move || {
                    for number in 0..100 {
                        log.add(format!("{writer} {number:099}").as_bytes()).unwrap();
                    }
                });
            }
        });
        for path in [log.path(), log.earlier()] {
            assert!(fs::metadata(path).unwrap().len() < 4096 + 1024);
        }
        let lines = log.lines();
        assert!(lines.len() >= 30 && lines.iter().all(|line| line.len() == 101));
    }

    #[test]
    fn half_a_line_of_a_killed_writer_takes_no_other_along() {
        let folder = tempfile::tempdir().unwrap();
        let log = BoundedLog::new(folder.path().to_owned(), "log", 4096);
        log.add(b"one").unwrap();
        add_to_private(&log.path(), b"hal").unwrap();
        log.add(b"two").unwrap();
        assert_eq!(log.lines(), [&b"one"[..], b"hal", b"two"]);
    }
}
