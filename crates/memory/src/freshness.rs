use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use ken_files::FileLook;

/// How files looked before they were read: when they look the same again, they need not be read again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stamp {
    files: Vec<(PathBuf, Option<FileLook>)>,
    settled: bool,
}

impl Stamp {
    /// How these files look now. It is taken before they are read, so that a change in between is seen next time.
    pub(crate) fn of(files: impl IntoIterator<Item = PathBuf>) -> Stamp {
        let now = SystemTime::now();
        let mut settled = true;
        let files = files
            .into_iter()
            .map(|path| {
                let look = FileLook::at(&path);
                settled &= look.is_none_or(|look| look.is_settled(now));
                (path, look)
            })
            .collect();
        Stamp { files, settled }
    }

    /// The regular files of a folder whose name ends in `suffix`, and the folder itself.
    pub(crate) fn of_folder(folder: &Path, suffix: &str) -> Stamp {
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
            .map(|entries| {
                entries
                    .flatten()
                    .filter(|entry| entry.file_name().to_string_lossy().ends_with(suffix))
                    .map(|entry| entry.path())
                    .collect()
            })
            .unwrap_or_default();
        files.sort();
        files.push(folder.to_owned());
        Stamp::of(files)
    }

    fn still_holds(&self, now: &Stamp) -> bool {
        self.settled && self.files == now.files
    }
}

/// Takes a lock; what another thread left half done by a panic is only a cache.
pub(crate) fn hold<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What was read of some files, kept as long as they look the same.
#[derive(Debug)]
pub(crate) struct Kept<T> {
    inside: Mutex<Option<(Option<Stamp>, Arc<T>)>>,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Kept {
            inside: Mutex::new(None),
        }
    }
}

impl<T> Kept<T> {
    /// What is kept when the files look as they did, else what is read now.
    pub(crate) fn get(&self, now: Stamp, read: impl FnOnce() -> T) -> Arc<T> {
        let mut inside = hold(&self.inside);
        if let Some((Some(stamp), value)) = inside.as_ref()
            && stamp.still_holds(&now)
        {
            return Arc::clone(value);
        }
        let value = Arc::new(read());
        *inside = Some((Some(now), Arc::clone(&value)));
        value
    }

    /// The same of many files that `read` looks at by itself: the first time they are not looked at for it, because most
    /// processes ask one question and end.
    pub(crate) fn get_again(&self, now: impl FnOnce() -> Stamp, read: impl FnOnce() -> T) -> Arc<T> {
        let mut inside = hold(&self.inside);
        if inside.is_some() {
            drop(inside);
            return self.get(now(), read);
        }
        let value = Arc::new(read());
        *inside = Some((None, Arc::clone(&value)));
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_change_is_seen_at_once_and_a_quiet_file_is_read_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let kept = Kept::default();
        let mut reads = 0;
        let mut read = || {
            let now = Stamp::of([path.clone()]);
            kept.get(now, || {
                reads += 1;
                fs::read_to_string(&path).ok()
            })
        };
        assert_eq!(*read(), None);
        for text in ["one", "two", "six", "four"] {
            fs::write(&path, text).unwrap();
            assert_eq!(read().as_deref(), Some(text));
        }
        std::thread::sleep(std::time::Duration::from_millis(200));
        read();
        let before = reads;
        let read = || kept.get(Stamp::of([path.clone()]), || fs::read_to_string(&path).ok());
        for _ in 0..3 {
            assert_eq!(read().as_deref(), Some("four"));
        }
        assert!(before >= 5);
    }

    #[test]
    fn a_change_while_a_file_is_read_is_seen_by_the_next_question() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let text = || fs::read_to_string(&path).unwrap();
        for quiet in [false, true] {
            for replaced in [false, true] {
                fs::write(&path, "one").unwrap();
                if quiet {
                    std::thread::sleep(std::time::Duration::from_millis(200));
                }
                let kept = Kept::default();
                let read = || {
                    let before = text();
                    // Of the same length, in place or as another file.
                    if replaced {
                        fs::write(folder.path().join("b.txt"), "two").unwrap();
                        fs::rename(folder.path().join("b.txt"), &path).unwrap();
                    } else {
                        fs::write(&path, "two").unwrap();
                    }
                    before
                };
                assert_eq!(*kept.get(Stamp::of([path.clone()]), read), "one");
                assert_eq!(*kept.get(Stamp::of([path.clone()]), text), "two");
            }
        }
    }

    #[test]
    fn what_was_read_without_a_look_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        let kept = Kept::default();
        for text in ["one", "two", "six"] {
            fs::write(&path, text).unwrap();
            let read = kept.get_again(
                || Stamp::of([path.clone()]),
                || fs::read_to_string(&path).unwrap(),
            );
            assert_eq!(*read, text);
        }
    }

    #[test]
    fn a_new_file_in_a_folder_is_a_change() {
        let folder = tempfile::tempdir().unwrap();
        let before = Stamp::of_folder(folder.path(), ".yaml");
        fs::write(folder.path().join("a.yaml"), "").unwrap();
        assert_ne!(before, Stamp::of_folder(folder.path(), ".yaml"));
        let absent = Stamp::of_folder(&folder.path().join("none"), ".yaml");
        assert_eq!(absent, Stamp::of_folder(&folder.path().join("none"), ".yaml"));
    }
}
