use std::fs::{self, Metadata};
use std::path::Path;
use std::time::{Duration, SystemTime};

/// How a file looks from outside, without being opened: when it looks the same again, it was not changed in between
/// (unless it had not settled: [`FileLook::is_settled`]).
///
/// Besides length and time of modification it holds, where the system has such, the inode and the time of change: an
/// atomic replacement changes the one, and a modification time that somebody sets back the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct FileLook {
    length: u64,
    modified: Instant,
    changed: Instant,
    device: u64,
    inode: u64,
}

/// Seconds since 1970 and nanoseconds.
type Instant = (i64, u32);

/// The clocks of file systems tick in milliseconds at best.
const TICK: Duration = Duration::from_millis(100);
/// And in seconds at worst.
const WHOLE_SECOND_TICK: Duration = Duration::from_secs(3);

impl FileLook {
    /// How many bytes [`FileLook::to_bytes`] gives.
    pub const BYTES: usize = 48;

    /// How the file looks that this metadata is of.
    pub fn of(metadata: &Metadata) -> FileLook {
        let modified = metadata.modified().map_or((0, 0), since_1970);
        #[cfg(unix)]
        let (changed, device, inode) = {
            use std::os::unix::fs::MetadataExt;
            let nanoseconds = u32::try_from(metadata.ctime_nsec()).unwrap_or(0);
            ((metadata.ctime(), nanoseconds), metadata.dev(), metadata.ino())
        };
        #[cfg(not(unix))]
        let (changed, device, inode) = (modified, 0, 0);
        FileLook {
            length: metadata.len(),
            modified,
            changed,
            device,
            inode,
        }
    }

    /// How the file at `path` looks, links followed; `None` where none can be seen.
    pub fn at(path: &Path) -> Option<FileLook> {
        fs::metadata(path).ok().map(|metadata| FileLook::of(&metadata))
    }

    /// Its length in bytes.
    pub fn length(&self) -> u64 {
        self.length
    }

    /// Whether a file that looks like this as of `now` would look different after one more change.
    ///
    /// One that changed a moment ago can change once more within the same tick of the file system's clock. Take the look
    /// first and ask with the time before it; a time in the future settles nothing.
    pub fn is_settled(&self, now: SystemTime) -> bool {
        let (seconds, nanoseconds) = self.changed;
        let Ok(seconds) = u64::try_from(seconds) else {
            return false;
        };
        let changed = SystemTime::UNIX_EPOCH + Duration::new(seconds, nanoseconds);
        let tick = if nanoseconds == 0 { WHOLE_SECOND_TICK } else { TICK };
        now.duration_since(changed).is_ok_and(|age| age > tick)
    }

    /// The look as bytes, to be kept in a cache.
    pub fn to_bytes(&self) -> [u8; FileLook::BYTES] {
        let mut bytes = [0; FileLook::BYTES];
        let numbers = [
            self.length,
            self.modified.0.cast_unsigned(),
            self.changed.0.cast_unsigned(),
            self.device,
            self.inode,
            u64::from(self.modified.1) << 32 | u64::from(self.changed.1),
        ];
        for (place, number) in bytes.chunks_exact_mut(8).zip(numbers) {
            place.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    /// The look that these bytes are; `None` for too few of them.
    pub fn from_bytes(bytes: &[u8]) -> Option<FileLook> {
        let number = |at: usize| {
            Some(u64::from_le_bytes(
                bytes.get(at * 8..at * 8 + 8)?.try_into().ok()?,
            ))
        };
        let nanoseconds = number(5)?;
        Some(FileLook {
            length: number(0)?,
            modified: (number(1)?.cast_signed(), (nanoseconds >> 32) as u32),
            changed: (number(2)?.cast_signed(), nanoseconds as u32),
            device: number(3)?,
            inode: number(4)?,
        })
    }

    /// Which file it is, whatever it holds: device and inode; zeros where there are no such.
    pub(crate) fn place(&self) -> (u64, u64) {
        (self.device, self.inode)
    }
}

fn since_1970(time: SystemTime) -> Instant {
    match time.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => (
            i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
            since.subsec_nanos(),
        ),
        Err(before) => {
            let before = before.duration();
            let seconds = i64::try_from(before.as_secs()).unwrap_or(i64::MAX);
            (-seconds, before.subsec_nanos())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_change_looks_different_once_it_has_settled() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        assert_eq!(FileLook::at(&path), None);
        fs::write(&path, "one").unwrap();
        let first = FileLook::at(&path).unwrap();
        assert_eq!(first.length(), 3);
        assert!(!first.is_settled(SystemTime::now()));
        std::thread::sleep(TICK * 2);
        assert!(first.is_settled(SystemTime::now()));
        assert_eq!(FileLook::at(&path), Some(first));
        // The same length, and the old time of modification set again.
        let modified = fs::metadata(&path).unwrap().modified().unwrap();
        fs::write(&path, "two").unwrap();
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_modified(modified).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().modified().unwrap(), modified);
        if cfg!(unix) {
            assert_ne!(FileLook::at(&path), Some(first));
        }
    }

    #[test]
    fn a_time_in_the_future_settles_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let look = FileLook::at(folder.path()).unwrap();
        let now = SystemTime::now();
        assert!(look.is_settled(now + Duration::from_secs(60)));
        assert!(!look.is_settled(now - Duration::from_secs(60)));
    }

    #[test]
    fn a_look_comes_back_out_of_its_bytes() {
        let folder = tempfile::tempdir().unwrap();
        let look = FileLook::at(folder.path()).unwrap();
        assert_eq!(FileLook::from_bytes(&look.to_bytes()), Some(look));
        let ancient = FileLook {
            modified: (-5, 7),
            changed: (i64::MIN, 9),
            ..look
        };
        assert_eq!(FileLook::from_bytes(&ancient.to_bytes()), Some(ancient));
        assert_eq!(FileLook::from_bytes(&[0; FileLook::BYTES - 1]), None);
    }
}
