use std::ffi::OsStr;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::FileError;
use crate::read::{Identity, Links, open_regular};

const PREFIX: &str = ".ken-";
const SUFFIX: &str = ".tmp";

/// How many names are tried before somebody else's files in the way are an error.
const NAMES: usize = 64;

/// A file that is being written beside the one it will replace, and removed unless it does.
///
/// It is locked while its writer lives, which tells it from one that a killed process left.
#[derive(Debug)]
pub(crate) struct Temporary {
    path: PathBuf,
    file: File,
    renamed: bool,
}

impl Temporary {
    /// Creates one in `folder`: readable by the owner only if `private`, else as the umask says.
    pub(crate) fn create(folder: &Path, private: bool) -> Result<Temporary, FileError> {
        Temporary::create_named(folder, private, random_name)
    }

    /// As [`Temporary::create`], taking names from `name` until one is free. A name at which anything stands, a
    /// link included, is not free.
    fn create_named(
        folder: &Path,
        private: bool,
        mut name: impl FnMut() -> String,
    ) -> Result<Temporary, FileError> {
        let mut taken = None;
        for _ in 0..NAMES {
            let path = folder.join(name());
            match options(private).open(&path) {
                Ok(file) => {
                    let temporary = Temporary {
                        path,
                        file,
                        renamed: false,
                    };
                    if temporary.is_ours() {
                        return Ok(temporary);
                    }
                }
                Err(e) if e.kind() == ErrorKind::AlreadyExists => taken = Some(e),
                Err(e) => return Err(FileError::io("create a file in", folder, e)),
            }
        }
        let error = taken.unwrap_or_else(|| ErrorKind::AlreadyExists.into());
        Err(FileError::io("create a temporary file in", folder, error))
    }

    /// Locks the file against [`remove_leftovers`], and says whether that came in time. A disk without locks has no
    /// sweeper either.
    fn is_ours(&self) -> bool {
        match self.file.try_lock() {
            Ok(()) => self
                .file
                .metadata()
                .is_ok_and(|made| Identity::of(&made).is_at(&self.path)),
            Err(fs::TryLockError::WouldBlock) => false,
            Err(fs::TryLockError::Error(_)) => true,
        }
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Puts the file in the place of `target`.
    pub(crate) fn rename(mut self, target: &Path) -> Result<(), FileError> {
        fs::rename(&self.path, target).map_err(|e| FileError::io("replace", target, e))?;
        self.renamed = true;
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.renamed {
            let _ = fs::remove_file(&self.path);
        }
        // Unlocked by name: a child process that is just being started may hold a copy of the descriptor.
        let _ = self.file.unlock();
    }
}

fn options(private: bool) -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    if private {
        use std::os::unix::fs::OpenOptionsExt;

        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let _ = private;
    options
}

/// A short name, so that it fits beside a file whose own name is as long as names may be, and one that nobody guesses
/// beforehand.
fn random_name() -> String {
    let random = RandomState::new().hash_one(std::process::id());
    format!("{PREFIX}{random:016x}{SUFFIX}")
}

fn is_temporary_name(name: &OsStr) -> bool {
    let middle = name
        .to_str()
        .and_then(|name| name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX));
    middle.is_some_and(|hex| hex.len() == 16 && hex.bytes().all(|b| b.is_ascii_hexdigit()))
}

/// Removes from `folder` (not from those below it) the temporary files of processes that were killed while they
/// replaced a file, and says how many there were. Those of processes that are still writing stay.
///
/// # Errors
/// [`FileError::Io`] when the folder cannot be read or a file in it not be removed; a folder that does not exist has
/// no leftovers.
pub fn remove_leftovers(folder: &Path) -> Result<usize, FileError> {
    let unreadable = |e: io::Error| FileError::io("read the folder", folder, e);
    let entries = match fs::read_dir(folder) {
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(0),
        entries => entries.map_err(unreadable)?,
    };
    let mut removed = 0;
    for entry in entries {
        let entry = entry.map_err(unreadable)?;
        if !is_temporary_name(&entry.file_name()) {
            continue;
        }
        let path = entry.path();
        let opened = open_regular(OpenOptions::new().read(true), &path, Links::Refused, "open");
        // What is not a file, or is gone again, is not a leftover.
        let Ok((file, _)) = opened else { continue };
        if file.try_lock().is_err() {
            continue;
        }
        match fs::remove_file(&path) {
            Ok(()) => removed += 1,
            Err(e) if e.kind() == ErrorKind::NotFound => {}
            Err(e) => return Err(FileError::io("remove", path, e)),
        }
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;

    fn hex(n: u64) -> String {
        format!("{PREFIX}{n:016x}{SUFFIX}")
    }

    #[test]
    fn names_are_short_and_differ() {
        let (one, two) = (random_name(), random_name());
        assert_ne!(one, two);
        assert!(one.len() <= 32 && is_temporary_name(OsStr::new(&one)), "{one}");
        for other in [
            ".ken-.tmp",
            ".ken-0123.tmp",
            "ken-0123456789abcdef.tmp",
            ".ken-0123456789abcdeg.tmp",
        ] {
            assert!(!is_temporary_name(OsStr::new(other)), "{other}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_planted_name_is_neither_followed_nor_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let victim = folder.path().join("victim");
        fs::write(&victim, b"precious").unwrap();
        std::os::unix::fs::symlink(&victim, folder.path().join(hex(0))).unwrap();
        std::os::unix::fs::symlink("nowhere", folder.path().join(hex(1))).unwrap();
        fs::write(folder.path().join(hex(2)), b"planted").unwrap();
        let mut next = 0;
        let name = || {
            next += 1;
            hex(next - 1)
        };
        let temporary = Temporary::create_named(folder.path(), true, name).unwrap();
        temporary.file().write_all(b"secret").unwrap();
        assert_eq!(temporary.path, folder.path().join(hex(3)));
        assert_eq!(fs::read(&victim).unwrap(), b"precious");
        assert_eq!(fs::read(folder.path().join(hex(2))).unwrap(), b"planted");
        assert!(!folder.path().join("nowhere").exists());
    }

    #[test]
    fn names_that_are_all_taken_end_in_an_error() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(hex(0)), b"").unwrap();
        Temporary::create_named(folder.path(), true, || hex(0)).unwrap_err();
    }

    #[test]
    fn only_what_a_dead_process_left_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        let alive = Temporary::create(folder.path(), false).unwrap();
        fs::write(folder.path().join(hex(7)), b"left").unwrap();
        fs::write(folder.path().join("mine.tmp"), b"kept").unwrap();
        fs::create_dir(folder.path().join(hex(8))).unwrap();
        assert_eq!(remove_leftovers(folder.path()).unwrap(), 1);
        assert!(!folder.path().join(hex(7)).exists());
        assert!(folder.path().join("mine.tmp").exists() && folder.path().join(hex(8)).exists());
        assert!(alive.path.exists());
        alive.rename(&folder.path().join("done")).unwrap();
        assert_eq!(remove_leftovers(folder.path()).unwrap(), 0);
        assert_eq!(remove_leftovers(&folder.path().join("nowhere")).unwrap(), 0);
    }

    #[test]
    fn one_that_is_not_renamed_is_removed() {
        let folder = tempfile::tempdir().unwrap();
        drop(Temporary::create(folder.path(), true).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn sweeping_while_others_write_breaks_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    remove_leftovers(folder.path()).unwrap();
                }
            });
            let written = (0..300).try_for_each(|n| {
                let temporary = Temporary::create(folder.path(), false)?;
                temporary.rename(&folder.path().join(format!("f{}", n % 5)))
            });
            done.store(true, Ordering::Relaxed);
            written.unwrap();
        });
    }
}
