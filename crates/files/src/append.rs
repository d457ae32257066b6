use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::folder::{parent, sync_folder};
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
        let (file, identity) = open(path)?;
        Ok(LockedLog {
            path: path.to_owned(),
            file,
            identity,
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
            (self.file, self.identity) = open(&self.path)?;
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

fn open(path: &Path) -> Result<(File, Identity), FileError> {
    let mut options = OpenOptions::new();
    options.create(true).append(true).read(true);
    let (file, seen) =
        open_regular(&mut options, path, Links::Followed, "open").map_err(FileError::while_creating)?;
    Ok((file, Identity::of(&seen)))
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
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;

    const SOON: Duration = Duration::from_secs(5);

    struct Place {
        folder: tempfile::TempDir,
    }

    impl Place {
        fn new() -> Place {
            Place {
                folder: tempfile::tempdir().unwrap(),
            }
        }

        fn log(&self) -> PathBuf {
            self.folder.path().join("log.jsonl")
        }

        fn open(&self) -> LockedLog {
            LockedLog::open(&self.log(), &self.folder.path().join("lock"), "test", SOON).unwrap()
        }

        fn content(&self) -> String {
            fs::read_to_string(self.log()).unwrap()
        }
    }

    #[test]
    fn lines_follow_each_other_and_say_where_they_stand() {
        let place = Place::new();
        let mut log = place.open();
        assert_eq!(log.last_line().unwrap(), None);
        assert_eq!(log.append(b"one").unwrap(), Appended { offset: 0 });
        assert_eq!(log.append("zwöi".as_bytes()).unwrap(), Appended { offset: 4 });
        drop(log);
        let mut log = place.open();
        assert_eq!(log.append(b"three").unwrap(), Appended { offset: 10 });
        assert_eq!(place.content(), "one\nzwöi\nthree\n");
        assert_eq!(log.length().unwrap(), 16);
        assert_eq!(log.read_from(4).unwrap(), "zwöi\nthree\n".as_bytes());
        assert_eq!(log.read_from(16).unwrap(), b"");
        assert_eq!(log.read_from(1_000_000).unwrap(), b"");
        assert_eq!(log.last_line().unwrap().unwrap(), b"three");
    }

    #[test]
    fn a_second_one_waits_for_the_lock() {
        let place = Place::new();
        let _held = place.open();
        let lock = place.folder.path().join("lock");
        let error = LockedLog::open(&place.log(), &lock, "other", Duration::ZERO).unwrap_err();
        assert!(matches!(error, FileError::Locked { .. }), "{error}");
    }

    #[test]
    fn what_is_not_one_line_is_refused_and_nothing_is_written() {
        let place = Place::new();
        let mut log = place.open();
        for (line, fault) in [
            (&b""[..], "is empty"),
            (b" \t\r", "is empty"),
            (b"\n", "is empty"),
            (b"ab\ncd", "holds a line break at byte 2"),
            (b"ab\n", "holds a line break at byte 2"),
        ] {
            let error = log.append(line).unwrap_err();
            let expected = format!(
                "a line for {} {fault}; write exactly one line of text at a time",
                place.log().display()
            );
            assert_eq!(error.to_string(), expected);
        }
        assert_eq!(place.content(), "");
    }

    #[test]
    fn a_torn_tail_is_closed_first() {
        let place = Place::new();
        fs::write(place.log(), "whole\n{\"torn").unwrap();
        let mut log = place.open();
        assert_eq!(log.last_line().unwrap().unwrap(), b"whole");
        assert_eq!(log.append(b"next").unwrap(), Appended { offset: 13 });
        assert_eq!(place.content(), "whole\n{\"torn\nnext\n");
    }

    #[test]
    fn bytes_that_others_add_meanwhile_do_not_move_the_offset() {
        let place = Place::new();
        let mut log = place.open();
        log.append(b"one").unwrap();
        let mut foreign = OpenOptions::new().append(true).open(place.log()).unwrap();
        foreign.write_all(b"foreign\n").unwrap();
        assert_eq!(log.append(b"two").unwrap(), Appended { offset: 12 });
        let appended = log
            .append_watched(b"three", || foreign.write_all(b"more\n").unwrap())
            .unwrap();
        assert_eq!(appended.offset, 16);
        assert_eq!(place.content(), "one\nforeign\ntwo\nthree\nmore\n");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_was_put_there_meanwhile_gets_the_line_too() {
        let place = Place::new();
        let mut log = place.open();
        log.append(b"one").unwrap();
        let mut checkouts = ["from git", "from git\nand again"].into_iter();
        let appended = log
            .append_watched(b"two", || {
                if let Some(content) = checkouts.next() {
                    let new = place.folder.path().join("new");
                    fs::write(&new, content).unwrap();
                    fs::rename(&new, place.log()).unwrap();
                }
            })
            .unwrap();
        assert_eq!(place.content(), "from git\nand again\ntwo\n");
        assert_eq!(appended.offset, 19);
        // What follows goes to the file that stands there now.
        log.append(b"three").unwrap();
        assert_eq!(place.content(), "from git\nand again\ntwo\nthree\n");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_was_removed_meanwhile_is_made_anew() {
        let place = Place::new();
        let mut log = place.open();
        log.append(b"one").unwrap();
        fs::remove_file(place.log()).unwrap();
        assert_eq!(log.append(b"two").unwrap(), Appended { offset: 0 });
        assert_eq!(place.content(), "two\n");
    }

    #[cfg(unix)]
    #[test]
    fn a_folder_that_was_removed_meanwhile_is_an_error_and_not_an_acknowledgement() {
        let place = Place::new();
        let below = place.folder.path().join("below");
        fs::create_dir(&below).unwrap();
        let lock = place.folder.path().join("lock");
        let mut log = LockedLog::open(&below.join("log"), &lock, "test", SOON).unwrap();
        fs::remove_dir_all(&below).unwrap();
        let error = log.append(b"one").unwrap_err();
        assert_eq!(error.kind(), Some(ErrorKind::NotFound), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_that_never_stays_is_given_up() {
        let place = Place::new();
        let mut log = place.open();
        let mut times = 0;
        let error = log
            .append_watched(b"one", || {
                times += 1;
                let new = place.folder.path().join("new");
                fs::write(&new, "new\n").unwrap();
                fs::rename(&new, place.log()).unwrap();
            })
            .unwrap_err();
        assert!(
            matches!(error, FileError::Unsettled { attempts: 8, .. }),
            "{error}"
        );
        assert_eq!(times, 8);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_and_stays() {
        let place = Place::new();
        let real = place.folder.path().join("real");
        std::os::unix::fs::symlink(&real, place.log()).unwrap();
        place.open().append(b"one").unwrap();
        place.open().append(b"two").unwrap();
        assert_eq!(fs::read_to_string(&real).unwrap(), "one\ntwo\n");
        assert!(fs::symlink_metadata(place.log()).unwrap().is_symlink());
    }

    #[cfg(unix)]
    #[test]
    fn a_log_that_is_a_pipe_or_a_device_or_a_folder_is_refused() {
        let place = Place::new();
        let lock = place.folder.path().join("lock");
        let made = std::process::Command::new("mkfifo")
            .arg(place.log())
            .status()
            .unwrap();
        assert!(made.success());
        for path in [&place.log(), Path::new("/dev/null"), place.folder.path()] {
            let error = LockedLog::open(path, &lock, "test", SOON).unwrap_err();
            assert!(matches!(error, FileError::NotAFile { .. }), "{error}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_write_that_fails_is_an_error() {
        let full = OpenOptions::new()
            .read(true)
            .append(true)
            .open("/dev/full")
            .unwrap();
        let error = write_whole(&full, b"line\n").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::StorageFull);
    }

    #[test]
    fn only_our_own_tail_is_taken_back() {
        let place = Place::new();
        fs::write(place.log(), "kept\nours").unwrap();
        let file = OpenOptions::new().append(true).open(place.log()).unwrap();
        take_back(&file, 8, 4);
        assert_eq!(place.content(), "kept\nours");
        take_back(&file, 9, 0);
        assert_eq!(place.content(), "kept\nours");
        take_back(&file, 9, 4);
        assert_eq!(place.content(), "kept\n");
    }

    #[derive(Debug, Clone)]
    enum Deed {
        Append(Vec<u8>),
        Foreign(Vec<u8>),
        Reopen,
    }

    fn deed() -> impl Strategy<Value = Deed> {
        let line = prop::collection::vec(any::<u8>().prop_filter("one line", |b| *b != b'\n'), 1..60);
        let line = line.prop_filter("not blank", |line| !line.trim_ascii().is_empty());
        let bytes = prop::collection::vec(
            prop_oneof![Just(b'\n'), Just(b' '), Just(b'x'), any::<u8>()],
            0..40,
        );
        prop_oneof![
            3 => line.prop_map(Deed::Append),
            1 => bytes.prop_map(Deed::Foreign),
            1 => Just(Deed::Reopen),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn every_acknowledged_line_is_whole_whatever_others_leave_at_the_end(
            deeds in prop::collection::vec(deed(), 1..16)
        ) {
            let place = Place::new();
            let mut model = Vec::new();
            let mut acknowledged = Vec::new();
            let mut log = place.open();
            for deed in deeds {
                match deed {
                    Deed::Append(line) => {
                        if model.last().is_some_and(|last| *last != b'\n') {
                            model.push(b'\n');
                        }
                        let offset = log.append(&line).unwrap().offset;
                        prop_assert_eq!(offset, model.len() as u64);
                        model.extend_from_slice(&line);
                        model.push(b'\n');
                        prop_assert_eq!(log.last_line().unwrap(), Some(line.clone()));
                        acknowledged.push((offset, line));
                    }
                    Deed::Foreign(bytes) => {
                        let mut foreign = OpenOptions::new().append(true).open(place.log()).unwrap();
                        foreign.write_all(&bytes).unwrap();
                        model.extend_from_slice(&bytes);
                    }
                    Deed::Reopen => {
                        drop(log);
                        log = place.open();
                    }
                }
            }
            let content = log.read_from(0).unwrap();
            prop_assert_eq!(&content, &model);
            for (offset, line) in acknowledged {
                let at = usize::try_from(offset).unwrap();
                prop_assert!(at == 0 || content[at - 1] == b'\n');
                prop_assert_eq!(content[at..].split(|b| *b == b'\n').next().unwrap(), &line[..]);
            }
        }
    }
}
