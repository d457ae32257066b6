use std::fs::{File, OpenOptions, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io::{ErrorKind, Read, Seek, Write};
use std::ops::Range;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::FileError;
use crate::read::{Identity, Links, open_regular};

/// An exclusive lock between processes (and between threads of one), held until dropped.
///
/// The lock is the system's own on an open file: it ends with its process, however that ends. The lock file is never
/// deleted; what stands in it only says who holds the lock, and is believed only while somebody does.
#[derive(Debug)]
#[must_use = "the lock is given back when this is dropped"]
pub struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock, waiting at most `timeout`. `holder` is how this process names itself to others that wait, for
    /// example `ken learn`; its process id is added.
    ///
    /// The file is created when absent, for its owner alone; its folder is not. A link at `path` is refused.
    ///
    /// # Errors
    /// [`FileError::Locked`] after `timeout`, naming the holder; [`FileError::Link`], [`FileError::NotAFile`] or
    /// [`FileError::Io`] when there can be no lock at `path`.
    pub fn acquire(path: &Path, holder: &str, timeout: Duration) -> Result<Lock, FileError> {
        let start = Instant::now();
        let mut pause = Pause::new();
        let mut candidate = Candidate::open(path)?;
        loop {
            match candidate.attempt(path)? {
                Attempt::Taken => return Ok(candidate.named(holder)),
                Attempt::Held => {}
                Attempt::Stale => candidate = Candidate::open(path)?,
            }
            let waited = start.elapsed();
            if waited >= timeout {
                return Err(FileError::Locked {
                    path: path.to_owned(),
                    holder: read_holder(&mut candidate.file),
                    waited: timeout,
                });
            }
            pause.wait(waited, timeout.saturating_sub(waited));
        }
    }

    /// Takes the lock if nobody holds it; `None` if somebody does.
    ///
    /// # Errors
    /// As [`Lock::acquire`], except that a held lock is none.
    pub fn try_acquire(path: &Path, holder: &str) -> Result<Option<Lock>, FileError> {
        loop {
            let candidate = Candidate::open(path)?;
            match candidate.attempt(path)? {
                Attempt::Taken => return Ok(Some(candidate.named(holder))),
                Attempt::Held => return Ok(None),
                Attempt::Stale => {}
            }
        }
    }

    /// The open lock file, for what its holder notes in it behind its name.
    pub(crate) fn file(&self) -> &File {
        &self.file
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // By name rather than by closing: a child process that is just being started may hold a copy of the
        // descriptor, and would keep the lock until it runs its program.
        let _ = self.file.unlock();
    }
}

/// A lock file that is open and not yet locked.
struct Candidate {
    file: File,
    identity: Identity,
}

enum Attempt {
    /// Locked by this call.
    Taken,
    /// Locked by somebody else.
    Held,
    /// Somebody deleted the lock file; others would lock the one that stands there now.
    Stale,
}

impl Candidate {
    fn open(path: &Path) -> Result<Candidate, FileError> {
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).read(true).write(true);
        // What stands in it is nobody else's business, and who cannot open it cannot hold the others up.
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let (file, seen) = open_regular(&mut options, path, Links::Refused, "open the lock")
            .map_err(FileError::while_creating)?;
        Ok(Candidate {
            file,
            identity: Identity::of(&seen),
        })
    }

    fn attempt(&self, path: &Path) -> Result<Attempt, FileError> {
        match self.file.try_lock() {
            Ok(()) if self.identity.is_at(path) => Ok(Attempt::Taken),
            Ok(()) => Ok(Attempt::Stale),
            Err(TryLockError::WouldBlock) => Ok(Attempt::Held),
            Err(TryLockError::Error(e)) if e.kind() == ErrorKind::Interrupted => Ok(Attempt::Held),
            Err(TryLockError::Error(e)) => Err(FileError::io("lock", path, e)),
        }
    }

    /// Writes who holds the lock now. Best effort: the lock is held whether or not its name could be written.
    fn named(mut self, holder: &str) -> Lock {
        let record = record(holder);
        // Who takes it again and again is named already, and looking is cheaper than making the disk write it once
        // more. The position is still at the beginning.
        let mut found = [0; RECORD];
        let named = self.file.read_exact(&mut found).is_ok() && found == record;
        // Another name of the file stands elsewhere, where nobody asked for a holder to be written.
        if !named && is_only_name(&self.file) {
            // In place and of one length: emptying the file first would make the disk write it at every turn.
            let _ = self.file.rewind().and_then(|()| self.file.write_all(&record));
        }
        Lock { file: self.file }
    }
}

/// Whether the file has no second name.
fn is_only_name(file: &File) -> bool {
    #[cfg(unix)]
    return file
        .metadata()
        .is_ok_and(|seen| std::os::unix::fs::MetadataExt::nlink(&seen) == 1);
    #[cfg(not(unix))]
    true
}

/// How long to stay away between two attempts: a turn or two of the scheduler, because most holds are short, then a
/// random while, so that those who wait do not meet at the same instant again and again.
///
/// Eight processes that append without a break get by with waits of a twentieth of a second this way; pauses of up to
/// two milliseconds halve what they write and let some wait for seconds. A hold that lasts is asked about less often.
struct Pause {
    turns: u32,
    random: u64,
}

impl Pause {
    const YIELDS: u32 = 2;
    /// Microseconds, at first.
    const EAGER: Range<u64> = 50..250;
    /// Microseconds, when somebody holds the lock for long.
    const PATIENT: Range<u64> = 200..1_000;
    const LONG: Duration = Duration::from_millis(500);

    fn new() -> Pause {
        Pause {
            turns: 0,
            random: RandomState::new().hash_one(0) | 1,
        }
    }

    fn wait(&mut self, waited: Duration, left: Duration) {
        self.turns = self.turns.saturating_add(1);
        if self.turns <= Pause::YIELDS {
            thread::yield_now();
        } else {
            thread::sleep(self.next(waited).min(left));
        }
    }

    fn next(&mut self, waited: Duration) -> Duration {
        // xorshift: any spread will do.
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        let range = if waited < Pause::LONG {
            Pause::EAGER
        } else {
            Pause::PATIENT
        };
        Duration::from_micros(range.start + self.random % (range.end - range.start))
    }
}

/// The length of what a holder writes into the file, line break included.
pub(crate) const RECORD: usize = 128;

/// What a holder is called when nothing believable is written.
const UNKNOWN: &str = "another program";

fn record(holder: &str) -> [u8; RECORD] {
    let suffix = format!(" (process {})", std::process::id());
    let mut name = printable(holder);
    if name.is_empty() {
        name.push_str(UNKNOWN);
    }
    while name.len() + suffix.len() >= RECORD {
        name.pop();
    }
    let text = name + &suffix;
    let mut record = [b' '; RECORD];
    record[..text.len()].copy_from_slice(text.as_bytes());
    record[RECORD - 1] = b'\n';
    record
}

/// Who holds a lock that was just seen to be held. What a dead process left is not believed.
fn read_holder(file: &mut File) -> String {
    let mut bytes = Vec::with_capacity(RECORD);
    let read = file
        .rewind()
        .and_then(|()| file.take(RECORD as u64).read_to_end(&mut bytes));
    let text = String::from_utf8_lossy(&bytes);
    let name = printable(text.lines().next().unwrap_or_default());
    match (read, process_of(&name)) {
        (Ok(_), Some(process)) if is_alive(process) => name,
        _ => UNKNOWN.to_owned(),
    }
}

/// One line of plain words: the file can be written by anyone who can write to the folder.
fn printable(text: &str) -> String {
    let plain: String = text
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || c.is_ascii_graphic() {
                c
            } else {
                ' '
            }
        })
        .collect();
    plain.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The process id in `name (process 4711)`.
fn process_of(name: &str) -> Option<i32> {
    let (_, process) = name.strip_suffix(')')?.rsplit_once(" (process ")?;
    process.parse().ok()
}

#[cfg(unix)]
fn is_alive(process: i32) -> bool {
    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};

    // One that may not be signalled is alive all the same.
    Pid::from_raw(process.max(0)).is_some_and(|pid| test_kill_process(pid) != Err(Errno::SRCH))
}

#[cfg(not(unix))]
fn is_alive(_: i32) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn a_held_lock_is_refused_by_name_and_given_when_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let held = Lock::acquire(&path, "ken dream", Duration::ZERO).unwrap();
        assert!(Lock::try_acquire(&path, "ken learn").unwrap().is_none());
        let error = Lock::acquire(&path, "ken learn", Duration::from_millis(20)).unwrap_err();
        let expected = format!(
            "{} is locked by ken dream (process {}) and was not released within 20ms; wait for it to finish, or end that process",
            path.display(),
            std::process::id()
        );
        assert_eq!(error.to_string(), expected);
        drop(held);
        assert!(Lock::try_acquire(&path, "ken learn").unwrap().is_some());
        assert!(path.exists());
    }

    #[test]
    fn who_takes_it_again_does_not_write_its_name_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        drop(Lock::acquire(&path, "ken learn", Duration::ZERO).unwrap());
        let long_ago = std::time::SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000);
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(long_ago)
            .unwrap();
        let written = || fs::metadata(&path).unwrap().modified().unwrap();
        drop(Lock::acquire(&path, "ken learn", Duration::ZERO).unwrap());
        assert_eq!(written(), long_ago);
        drop(Lock::acquire(&path, "ken dream", Duration::ZERO).unwrap());
        assert_ne!(written(), long_ago);
        assert!(
            fs::read_to_string(&path)
                .unwrap()
                .starts_with("ken dream (process ")
        );
    }

    #[test]
    fn a_file_with_another_name_elsewhere_is_locked_and_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let (path, elsewhere) = (folder.path().join("lock"), folder.path().join("elsewhere"));
        fs::write(&elsewhere, "mine").unwrap();
        fs::hard_link(&elsewhere, &path).unwrap();
        let held = Lock::acquire(&path, "ken learn", Duration::ZERO).unwrap();
        assert!(Lock::try_acquire(&path, "ken learn").unwrap().is_none());
        drop(held);
        assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "mine");
    }

    #[test]
    fn a_holder_that_left_no_name_or_died_is_not_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let dead = child.id();
        child.wait().unwrap();
        for left in [
            String::new(),
            "ken learn".to_owned(),
            format!("ken learn (process {dead})\n"),
            "ken learn (process 0)".to_owned(),
            "ken learn (process -1)".to_owned(),
            "ken learn (process 99999999999)".to_owned(),
            "x".repeat(5000),
        ] {
            fs::write(&path, &left).unwrap();
            let foreign = File::open(&path).unwrap();
            foreign.lock().unwrap();
            let error = Lock::acquire(&path, "ken", Duration::ZERO).unwrap_err();
            assert!(
                error.to_string().contains("is locked by another program and"),
                "{left}: {error}"
            );
        }
    }

    #[test]
    fn what_is_read_back_is_one_line_of_plain_words() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let process = std::process::id();
        fs::write(
            &path,
            format!("a\x1b[31m\u{202e}b\t\u{7}  c \"q\" (process {process})   \nsecond"),
        )
        .unwrap();
        let mut file = File::open(&path).unwrap();
        assert_eq!(
            read_holder(&mut file),
            format!("a [31m b c \"q\" (process {process})")
        );
    }

    #[test]
    fn a_record_has_one_length_whatever_the_name() {
        for name in ["", "ken", &"long ".repeat(100), &"ü".repeat(100), "two\nlines"] {
            let record = record(name);
            let text = std::str::from_utf8(&record).unwrap();
            assert_eq!(text.matches('\n').count(), 1, "{text}");
            assert_eq!(
                process_of(text.trim_end()),
                Some(std::process::id().cast_signed())
            );
        }
    }

    #[test]
    fn a_longer_record_that_somebody_left_does_not_mix_with_ours() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        fs::write(&path, "somebody else with a long name\n".repeat(20)).unwrap();
        let _held = Lock::acquire(&path, "ken", Duration::ZERO).unwrap();
        let mut file = File::open(&path).unwrap();
        assert_eq!(
            read_holder(&mut file),
            format!("ken (process {})", std::process::id())
        );
    }

    #[test]
    fn a_missing_folder_and_a_folder_in_the_place_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = Lock::try_acquire(&folder.path().join("no/lock"), "ken").unwrap_err();
        assert!(error.to_string().contains("its folder does not exist"), "{error}");
        let error = Lock::acquire(folder.path(), "ken", Duration::ZERO).unwrap_err();
        assert!(matches!(error, FileError::NotAFile { .. }), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_file_is_its_owners_alone() {
        use std::os::unix::fs::PermissionsExt;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let _held = Lock::acquire(&path, "ken", Duration::ZERO).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[cfg(unix)]
    #[test]
    fn a_planted_link_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let victim = folder.path().join("victim");
        std::os::unix::fs::symlink(&victim, &path).unwrap();
        let error = Lock::try_acquire(&path, "ken").unwrap_err();
        assert!(matches!(error, FileError::Link { .. }), "{error}");
        assert!(!victim.exists());
        fs::write(&victim, "precious").unwrap();
        Lock::try_acquire(&path, "ken").unwrap_err();
        assert_eq!(fs::read_to_string(&victim).unwrap(), "precious");
    }

    #[cfg(unix)]
    #[test]
    fn a_lock_file_that_was_deleted_while_held_does_not_let_two_in_for_long() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let first = Candidate::open(&path).unwrap();
        fs::remove_file(&path).unwrap();
        let second = Lock::try_acquire(&path, "ken").unwrap().unwrap();
        // One that had the deleted file open sees that it is not what the others lock.
        assert!(matches!(first.attempt(&path).unwrap(), Attempt::Stale));
        assert!(Lock::try_acquire(&path, "ken").unwrap().is_none());
        drop(second);
    }

    #[test]
    fn threads_exclude_each_other_and_none_starves() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let (inside, turns) = (AtomicU32::new(0), AtomicU32::new(0));
        thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        let _held = Lock::acquire(&path, "ken", Duration::from_secs(30)).unwrap();
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        turns.fetch_add(1, Ordering::SeqCst);
                        assert_eq!(inside.fetch_sub(1, Ordering::SeqCst), 1);
                    }
                });
            }
        });
        assert_eq!(turns.into_inner(), 800);
    }

    #[test]
    fn pauses_differ_and_stay_between_their_bounds() {
        let mut pause = Pause::new();
        for (waited, bounds) in [(Duration::ZERO, Pause::EAGER), (Pause::LONG, Pause::PATIENT)] {
            let pauses: Vec<_> = (0..1000).map(|_| pause.next(waited)).collect();
            assert!(
                pauses
                    .iter()
                    .all(|next| bounds.contains(&(next.as_micros() as u64))),
                "{pauses:?}"
            );
            let mut different = pauses.clone();
            different.sort();
            different.dedup();
            assert!(different.len() > 100, "{}", different.len());
        }
    }

    #[test]
    fn a_timeout_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lock");
        let _held = Lock::acquire(&path, "ken", Duration::ZERO).unwrap();
        let start = Instant::now();
        Lock::acquire(&path, "ken", Duration::from_millis(50)).unwrap_err();
        let waited = start.elapsed();
        assert!(waited >= Duration::from_millis(50), "{waited:?}");
    }
}
