//! What was read of a file of edicts, kept in the state folder so that the next reader need not read it again.
//!
//! The file is the truth: the cache counts only while the file looks exactly as it did when it was read, or holds the
//! very bytes that were read. Without a cache, with a damaged one or one that cannot be written, the answers are the
//! same.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use ken_files::{CacheFile, CacheFormat, CacheWriter, Clock, FileLook, NewFile, create_folder};

use crate::Error;
use crate::finding::Finding;
use crate::kept::{Kept, kept_fields};
use crate::model::{Edict, Edicts};
use crate::source::Format;
use crate::store::parse;

/// Raised whenever a field is added, or the same file is read to other values than before. A release counts by itself.
const VERSION: u32 = 3;

const FORMAT: CacheFormat = CacheFormat {
    name: "edicts",
    version: VERSION,
};

const STAMP: usize = 0;
const CONTENTS: usize = 1;

/// The name of the cache of a file with this mark. Programs of two versions keep one each.
pub(crate) fn file_name(mark: &str) -> String {
    format!("{mark}.{}-{VERSION}.cache", env!("CARGO_PKG_VERSION"))
}

/// The cache of one file of edicts.
pub(crate) struct Cache<'p> {
    path: &'p Path,
    place: PathBuf,
}

/// Of which file, and of which state of it, a cache is.
struct Stamp {
    /// Whether the file was read as JSON: the same file can be reached under two names.
    json: bool,
    look: [u8; FileLook::BYTES],
    /// Whether a later change would have changed the look.
    settled: bool,
    /// Of the file's bytes.
    digest: [u8; 32],
}

kept_fields!(Stamp {
    json,
    look,
    settled,
    digest
});

/// Why a file is put aside.
struct Problem {
    line: u32,
    column: u32,
    why: String,
    remedy: String,
}

kept_fields!(Problem {
    line,
    column,
    why,
    remedy
});

impl<'p> Cache<'p> {
    pub(crate) fn new(path: &'p Path, place: PathBuf) -> Cache<'p> {
        Cache { path, place }
    }

    /// What the file says: from the cache when it is of the file as it is now, else from its bytes, which are kept.
    pub(crate) fn read(
        &self,
        clock: &Clock,
        bytes: impl FnOnce() -> Result<Vec<u8>, Error>,
    ) -> Result<Edicts, Error> {
        // Before the bytes are read, so that a change in between is seen next time.
        let now = SystemTime::now();
        let look = FileLook::at(self.path);
        let cached = CacheFile::open(&self.place, &FORMAT);
        let stamp = cached.as_ref().and_then(|cached| {
            let section = cached.section(STAMP)?;
            Stamp::take(&mut &*section).filter(|stamp| stamp.json == self.is_json())
        });
        let contents = || cached.as_ref()?.section(CONTENTS);
        let fresh = |stamp: &&Stamp| stamp.settled && look.is_some_and(|look| look.to_bytes() == stamp.look);
        if let Some(section) = stamp.as_ref().filter(fresh).and_then(|_| contents())
            && let Some(said) = self.said(&section, clock)
        {
            return said;
        }
        let bytes = bytes()?;
        let digest = blake3::hash(&bytes).into();
        let stamp_now = |look: FileLook| Stamp {
            json: self.is_json(),
            look: look.to_bytes(),
            settled: look.is_settled(now),
            digest,
        };
        if let Some(section) = stamp
            .filter(|stamp| stamp.digest == digest)
            .and_then(|_| contents())
            && let Some(said) = self.said(&section, clock)
        {
            // Only a settled look spares the next reader the bytes.
            if let Some(stamp) = look.map(stamp_now).filter(|stamp| stamp.settled) {
                self.write(&stamp, section.to_vec());
            }
            return said;
        }
        let said = parse(self.path, bytes, clock);
        if let (Some(stamp), Some(contents)) = (look.map(stamp_now), to_keep(&said)) {
            self.write(&stamp, contents);
        }
        said
    }

    /// What the kept bytes say in this zone at this time; `None` when they are damaged or do not say it.
    fn said(&self, mut contents: &[u8], clock: &Clock) -> Option<Result<Edicts, Error>> {
        let from = &mut contents;
        if bool::take(from)? {
            let Problem {
                line,
                column,
                why,
                remedy,
            } = Problem::take(from)?;
            return Some(Err(Error::Parse {
                path: self.path.to_owned(),
                line,
                column,
                why,
                remedy,
            }));
        }
        let mut edicts = Edicts::take(from)?;
        if !edicts.days.iter().all(|day| day.is_same_in(clock.zone())) {
            return None;
        }
        self.path.clone_into(&mut edicts.path);
        for finding in &mut edicts.findings {
            let Finding { path, .. } = finding;
            self.path.clone_into(path);
        }
        for edict in edicts.edicts.iter_mut().filter(|edict| is_of_now(edict)) {
            edict.created = clock.now();
            edict.updated = edict.created;
        }
        Some(Ok(edicts))
    }

    /// Best effort: without a cache the next reader reads the file.
    fn write(&self, stamp: &Stamp, contents: Vec<u8>) {
        let Some(folder) = self.place.parent() else {
            return;
        };
        if create_folder(folder, NewFile::Private).is_err() {
            return;
        }
        let mut bytes = Vec::new();
        stamp.put(&mut bytes);
        let mut writer = CacheWriter::new(FORMAT);
        writer.section(bytes);
        writer.section(contents);
        let _ = writer.write(&self.place, NewFile::Private);
    }

    fn is_json(&self) -> bool {
        Format::of(self.path) == Format::Json
    }
}

/// The bytes that say what was read; `None` for what must be read again each time.
fn to_keep(said: &Result<Edicts, Error>) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    match said {
        Ok(edicts) => {
            // When it expires, and the finding that says so, depend on when it is read.
            let expires_from_now = |edict: &Edict| edict.pending.created && edict.pending.expires_at;
            if edicts.edicts.iter().any(expires_from_now) {
                return None;
            }
            false.put(&mut bytes);
            edicts.put(&mut bytes);
        }
        Err(Error::Parse {
            path: _,
            line,
            column,
            why,
            remedy,
        }) => {
            true.put(&mut bytes);
            let problem = Problem {
                line: *line,
                column: *column,
                why: why.clone(),
                remedy: remedy.clone(),
            };
            problem.put(&mut bytes);
        }
        Err(_) => return None,
    }
    Some(bytes)
}

/// Whether the file says neither when it was made nor when it was changed: then both are now, whenever it is read.
fn is_of_now(edict: &Edict) -> bool {
    edict.pending.created && edict.pending.updated
}
