use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

/// How files looked before they were read: when they look the same again, they need not be read again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stamp {
    files: Vec<(PathBuf, Option<Look>)>,
    settled: bool,
}

/// What the file system says about a file without opening it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Look {
    size: u64,
    modified: Option<SystemTime>,
    /// Inode and change time, where there are such: an atomic replace changes the one, a restored time the other.
    inode: u64,
    changed: (i64, i64),
}

/// A file that changed this short a time ago can change once more without looking any different, because a file
/// system's clock ticks in milliseconds at best and in seconds at worst.
const TICK: Duration = Duration::from_millis(100);
const WHOLE_SECOND_TICK: Duration = Duration::from_secs(3);

impl Stamp {
    /// How these files look now. It is taken before they are read, so that a change in between is seen next time.
    pub(crate) fn of(files: impl IntoIterator<Item = PathBuf>) -> Stamp {
        let now = SystemTime::now();
        let mut settled = true;
        let files = files
            .into_iter()
            .map(|path| {
                let look = std::fs::metadata(&path).ok().map(|meta| Look::of(&meta));
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

impl Look {
    fn of(meta: &Metadata) -> Look {
        #[cfg(unix)]
        let (inode, changed) = {
            use std::os::unix::fs::MetadataExt;
            (meta.ino(), (meta.ctime(), meta.ctime_nsec()))
        };
        #[cfg(not(unix))]
        let (inode, changed) = (0, (0, 0));
        Look {
            size: meta.len(),
            modified: meta.modified().ok(),
            inode,
            changed,
        }
    }

    fn is_settled(&self, now: SystemTime) -> bool {
        let Some(modified) = self.modified else {
            return false;
        };
        let whole_second = modified
            .duration_since(SystemTime::UNIX_EPOCH)
            .is_ok_and(|since| since.subsec_nanos() == 0);
        let tick = if whole_second { WHOLE_SECOND_TICK } else { TICK };
        // A time in the future says nothing about order: such a file is read each time.
        now.duration_since(modified).is_ok_and(|age| age > tick)
    }
}

/// Takes a lock; what another thread left half done by a panic is only a cache.
pub(crate) fn hold<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What was read of some files, kept as long as they look the same.
#[derive(Debug)]
pub(crate) struct Kept<T> {
    inside: Mutex<Option<(Stamp, Arc<T>)>>,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Kept {
            inside: Mutex::new(None),
        }
    }
}

impl<T> Kept<T> {
    /// What is kept when the files look as they did, else what `read` reads now. `read` gets what was kept, so that it
    /// can go on from there.
    pub(crate) fn get(&self, now: Stamp, read: impl FnOnce(Option<&T>) -> T) -> Arc<T> {
        let mut inside = hold(&self.inside);
        if let Some((stamp, value)) = inside.as_ref()
            && stamp.still_holds(&now)
        {
            return Arc::clone(value);
        }
        let value = Arc::new(read(inside.as_ref().map(|(_, value)| value.as_ref())));
        *inside = Some((now, Arc::clone(&value)));
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
            kept.get(now, |_| {
                reads += 1;
                fs::read_to_string(&path).ok()
            })
        };
        assert_eq!(*read(), None);
        for text in ["one", "two", "six", "four"] {
            fs::write(&path, text).unwrap();
            assert_eq!(read().as_deref(), Some(text));
        }
        std::thread::sleep(TICK * 2);
        read();
        let before = reads;
        let read = || kept.get(Stamp::of([path.clone()]), |_| fs::read_to_string(&path).ok());
        for _ in 0..3 {
            assert_eq!(read().as_deref(), Some("four"));
        }
        assert!(before >= 5);
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
