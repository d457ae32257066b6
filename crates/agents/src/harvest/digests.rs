//! What transcripts and databases held, kept between exports, so that one reads again only what has changed.
//!
//! One private file for each, in a folder of this program's own. All of it can be deleted at any time. A digest is used
//! only when its source is the file that it was made of, by path, size, times and inode; when it was whole
//! (a checksum); when this version wrote it; and when no time in it counts otherwise now. So an export says the same
//! with the folder, without it, and with a damaged one.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use ken_files::{FileError, NewFile};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::redact::Redactor;
use super::session::Session;
use crate::participant::Progress;
use crate::tree::Listed;

/// Opens every file; whatever changes what is read or how it is told changes this line.
const HEAD: &str = concat!("ken digest 4 of ", env!("CARGO_PKG_VERSION"), "\n");
/// Larger ones are not read; a session's bounds stay far below.
const MAX_BYTES: u64 = 16 * 1024 * 1024;
/// A transcript that changed so shortly before it was read may change again without a trace: a disk's clock is coarse.
const SETTLED: Duration = Duration::from_secs(2);

/// What is kept of a source.
pub(crate) trait Digest: Serialize + DeserializeOwned {
    /// The session that it tells, when it is a transcript.
    fn session(&self) -> Option<&Session>;
    /// What of the rest of it is as the tool noted it: names, and paths of folders.
    fn names(&self) -> Vec<&str>;
    /// See [`Digest::names`].
    fn folders(&self) -> Vec<&str> {
        Vec::new()
    }
}

/// What a digest is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source<'a> {
    pub(crate) file: &'a Listed,
    /// The way in which it is read, when there is more than one.
    pub(crate) how: &'a str,
    /// For a database, the log beside it, in which the last that happened stands.
    pub(crate) log: Option<&'a Path>,
}

/// The digests of one store.
#[derive(Debug, Default)]
pub(crate) struct Digests {
    folder: Option<PathBuf>,
    /// When the export began, by the clock of the disk that the digests are on.
    begun: Option<SystemTime>,
    used: BTreeSet<String>,
    /// Transcripts by whether a digest stood for them, with their sizes.
    known: BTreeMap<PathBuf, u64>,
    anew: BTreeMap<PathBuf, u64>,
    /// Bytes of databases for which one did.
    unread: u64,
}

/// The state of a file; its path stands in the digest's name, as a hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Key {
    size: u64,
    modified: (u64, u32),
    changed: (i64, i64),
    inode: u64,
}

#[derive(Serialize, Deserialize)]
struct Entry<D> {
    key: Key,
    /// The state of a database's log, when there is one.
    #[serde(default)]
    log: Option<Key>,
    /// Fingerprints of the credentials that were taken out.
    found: BTreeSet<String>,
    digest: D,
}

impl Digests {
    /// The digests in `folder`, which is made when it is not there; without one, or when it cannot be written, nothing
    /// is kept.
    pub(crate) fn open(folder: Option<&Path>) -> Digests {
        let begun = folder.and_then(|folder| {
            ken_files::create_folder(folder, NewFile::Private).ok()?;
            let probe = folder.join("begun");
            write(&probe, b"").ok()?;
            fs::metadata(&probe).ok()?.modified().ok()
        });
        Digests {
            folder: folder.filter(|_| begun.is_some()).map(Path::to_owned),
            begun,
            ..Digests::default()
        }
    }

    /// What the source holds: as the digest says when it is still true, else as `read` finds it.
    pub(crate) fn of<D: Digest>(
        &mut self,
        source: Source<'_>,
        horizon: Timestamp,
        redactor: &mut Redactor,
        progress: &mut dyn Progress,
        read: impl FnOnce(&mut Redactor, &mut dyn Progress) -> io::Result<D>,
    ) -> io::Result<D> {
        let file = source.file;
        let kept = self.folder.as_ref().map(|folder| {
            let name = name_of(&file.path, source.how);
            (folder.join(&name), name)
        });
        let Some((kept, name)) = kept else {
            self.anew.insert(file.path.clone(), file.bytes);
            return read(redactor, progress);
        };
        let keys = || (Key::of(&file.path), source.log.and_then(Key::of));
        let before = keys();
        if let Some(entry) = load::<D>(&kept)
            && before == (Some(entry.key), entry.log)
            && entry
                .digest
                .session()
                .is_none_or(|session| session.is_as_of(horizon))
        {
            progress.advance(file.bytes);
            redactor.found_before(entry.found);
            self.used.insert(name);
            match source.log {
                Some(_) => self.unread += file.bytes,
                None => drop(self.known.insert(file.path.clone(), file.bytes)),
            }
            return Ok(entry.digest);
        }
        self.anew.insert(file.path.clone(), file.bytes);
        let mut own = Redactor::default();
        let read = read(&mut own, progress);
        redactor.found_before(own.fingerprints().clone());
        let digest = read?;
        if let (Some(key), log) = before
            && self.has_settled(key)
            && log.is_none_or(|log| self.has_settled(log))
            && keys() == before
        {
            let entry = Entry {
                key,
                log,
                found: own.fingerprints().clone(),
                digest,
            };
            if save(&kept, &entry).is_some() {
                self.used.insert(name);
            }
            return Ok(entry.digest);
        }
        Ok(digest)
    }

    fn has_settled(&self, key: Key) -> bool {
        let modified = SystemTime::UNIX_EPOCH + Duration::new(key.modified.0, key.modified.1);
        self.begun
            .is_some_and(|begun| begun.duration_since(modified).is_ok_and(|since| since >= SETTLED))
    }

    /// Forgets sources that are gone. Answers how many transcripts were known, and how many bytes of all sources were
    /// not read.
    pub(crate) fn close(self) -> (usize, u64) {
        if let Some(files) = self.folder.as_ref().and_then(|folder| fs::read_dir(folder).ok()) {
            for file in files.flatten() {
                let name = file.file_name();
                if name != "begun" && !name.to_str().is_some_and(|name| self.used.contains(name)) {
                    let _ = fs::remove_file(file.path());
                }
            }
        }
        let known = self
            .known
            .iter()
            .filter(|(path, _)| !self.anew.contains_key(*path));
        known.fold((0, self.unread), |(count, sum), (_, bytes)| {
            (count + 1, sum + bytes)
        })
    }
}

impl Key {
    fn of(path: &Path) -> Option<Key> {
        let about = fs::metadata(path).ok()?;
        let modified = about
            .modified()
            .ok()?
            .duration_since(SystemTime::UNIX_EPOCH)
            .ok()?;
        let (changed, inode) = unix(&about);
        Some(Key {
            size: about.len(),
            modified: (modified.as_secs(), modified.subsec_nanos()),
            changed,
            inode,
        })
    }
}

#[cfg(unix)]
fn unix(about: &Metadata) -> ((i64, i64), u64) {
    use std::os::unix::fs::MetadataExt;
    ((about.ctime(), about.ctime_nsec()), about.ino())
}

#[cfg(not(unix))]
fn unix(_: &Metadata) -> ((i64, i64), u64) {
    ((0, 0), 0)
}

fn name_of(path: &Path, how: &str) -> String {
    let mut hash = blake3::Hasher::new();
    hash.update(path.as_os_str().as_encoded_bytes());
    hash.update(b"\0");
    hash.update(how.as_bytes());
    hash.finalize().to_hex()[..32].to_owned()
}

fn load<D: Digest>(path: &Path) -> Option<Entry<D>> {
    let bytes = ken_files::read_bounded_no_link(path, MAX_BYTES).ok()?;
    let rest = bytes.strip_prefix(HEAD.as_bytes())?;
    let (sum, body) = rest.split_at_checked(65)?;
    let whole = sum.strip_suffix(b"\n")? == blake3::hash(body).to_hex().as_bytes();
    whole.then(|| serde_json::from_slice(body).ok()).flatten()
}

/// Keeps a digest, unless a credential is left in it: paths and names of branches are as the tool noted them.
fn save<D: Digest>(path: &Path, entry: &Entry<D>) -> Option<()> {
    let mut eye = Redactor::default();
    let mut names: Vec<&str> = entry.digest.names();
    let mut folders: BTreeSet<Cow<'_, str>> = entry.digest.folders().into_iter().map(Cow::Borrowed).collect();
    if let Some(session) = entry.digest.session() {
        names.extend(session.branches.keys().map(String::as_str));
        names.push(&session.id);
        folders.extend(session.folders.iter().map(|folder| folder.to_string_lossy()));
    }
    let names = names.join("\n");
    let clean = eye.text(&names) == names && folders.iter().all(|folder| eye.path(folder) == *folder);
    if !clean {
        return None;
    }
    let body = serde_json::to_vec(entry).ok()?;
    if body.len() as u64 > MAX_BYTES / 2 {
        return None;
    }
    let sum = blake3::hash(&body).to_hex();
    let bytes = [HEAD.as_bytes(), sum.as_bytes(), b"\n", &body].concat();
    let aside = path.with_extension(format!("{}", std::process::id()));
    write(&aside, &bytes).ok()?;
    fs::rename(&aside, path).ok()
}

/// Writes a private file, in the place of whatever stands there, if it is no folder: a link is not followed, nor a pipe
/// waited for. Not made durable: what a crash leaves of it does not have its checksum.
pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    if fs::symlink_metadata(path).is_ok_and(|there| !there.is_file()) {
        let _ = fs::remove_file(path);
    }
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    ken_files::open_file_no_link(&mut options, path)?
        .write_all(bytes)
        .map_err(|error| FileError::io("write", path, error))
}
