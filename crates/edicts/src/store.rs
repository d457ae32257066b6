use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{panic, thread};

use jiff::Timestamp;
use ken_files::{Clock, FileError, Lock, NewFile, create_folder, read_bounded, remove_leftovers, replace};
use ken_secrets::Redacted;

use crate::cache::{self, Cache};
use crate::deeds::{self, Decided, Outcome};
use crate::draft::Draft;
use crate::input::{NewEdict, Patch, Wanted};
use crate::limits::{Limits, warnings};
use crate::model::{Confidence, Config, Edict, Edicts};
use crate::source::{Document, Format};
use crate::{Error, contain, edit, load, rewrite};

/// The largest file that is read or written, in bytes.
pub const MAX_FILE: u64 = 4 * 1024 * 1024;
/// How long a writer waits for another one.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often a change is applied anew because another program changed the file meanwhile.
const ATTEMPTS: usize = 5;
/// How a waiting process sees this one named.
const HOLDER: &str = "ken edict";

/// One file of edicts: the only way to change it.
#[derive(Debug, Clone)]
pub struct Store {
    path: PathBuf,
    state: Option<PathBuf>,
    root: Option<PathBuf>,
    reformat: bool,
}

/// What a write did.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Written {
    /// The edict as it is in the file now; for a removal, as it was.
    pub edict: Edict,
    /// What happened.
    pub outcome: Outcome,
    /// The history entry that holds what the edict was before.
    pub history_id: Option<String>,
    /// How many expired edicts were moved to history by the way.
    pub expired: usize,
    /// Limits that are near or, for categories, exceeded.
    pub warnings: Vec<String>,
    /// Credentials that were found and not written.
    pub redactions: Vec<ken_secrets::Finding>,
}

/// How a change is made.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Way {
    /// Make the file when there is none.
    pub(crate) create: bool,
    /// Do everything but the replacing.
    pub(crate) dry: bool,
}

/// What every change does beside its own answer.
pub(crate) struct Committed {
    /// The time of the change.
    pub(crate) now: Timestamp,
    /// How many expired edicts were moved to history by the way.
    pub(crate) expired: usize,
    /// Limits that are near or exceeded afterwards.
    pub(crate) warnings: Vec<String>,
    /// Credentials that were found and not written.
    pub(crate) redactions: Vec<ken_secrets::Finding>,
    /// The file afterwards; nothing when it was left as it is.
    pub(crate) after: Option<Edicts>,
}

impl Store {
    /// The file at `path`, whether or not it exists yet. `state` is a folder of this program's own for the lock and
    /// the last good copy; without one the lock is a file `.edicts.lock` beside the edicts.
    pub fn new(path: impl Into<PathBuf>, state: Option<PathBuf>) -> Store {
        Store {
            path: path.into(),
            state,
            root: None,
            reformat: false,
        }
    }

    /// Refuses to read or write the file where links lead out of this folder or nowhere ([`Error::Outside`]): for a
    /// path that a repository chose and not a person. Without this, links are followed wherever they lead.
    #[must_use]
    pub fn within(mut self, root: impl Into<PathBuf>) -> Store {
        self.root = Some(root.into());
        self
    }

    /// Allows writes to rewrite the whole file, losing its comments, where a change cannot be made in place.
    #[must_use]
    pub fn reformat(mut self, allowed: bool) -> Store {
        self.reformat = allowed;
        self
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The folder of this program's own.
    pub(crate) fn state(&self) -> Option<&Path> {
        self.state.as_deref()
    }

    /// Makes a file without edicts. [`Error::Exists`] when there is one, which is left as it is.
    pub fn init(&self) -> Result<(), Error> {
        let _lock = self.lock()?;
        if self.bytes()?.is_some() {
            return Err(Error::Exists {
                path: self.path.clone(),
            });
        }
        let text = rewrite::fresh(Format::of(&self.path));
        self.save(text.as_bytes())
    }

    /// Reads the file: every edict that can be used, and everything that is wrong. It takes no lock and never writes
    /// the file; what it read is kept in the state folder, where there is one, and is read from there until the file
    /// looks different, and a copy of what is good in it for the day when it is broken. [`Error::NoFile`] when there is none, [`Error::Parse`] when the whole file is put aside.
    pub fn load(&self, clock: &Clock) -> Result<Edicts, Error> {
        self.contained()?;
        let edicts = match self.cache() {
            Some(cache) => cache.read(clock, || self.present_bytes()),
            None => parse(&self.path, self.present_bytes()?, clock),
        }?;
        self.remember(&edicts);
        Ok(edicts)
    }

    /// The file's own tree.
    pub(crate) fn document(&self) -> Result<Document, Error> {
        Document::read(&self.path, self.present_bytes()?)
    }

    fn present_bytes(&self) -> Result<Vec<u8>, Error> {
        self.bytes()?.ok_or_else(|| Error::NoFile {
            path: self.path.clone(),
        })
    }

    /// Adds an edict. With a key that is there it supersedes that edict in place; the same text again confirms.
    /// Makes the file when there is none. Limits are enforced; on an error nothing is changed.
    pub fn add(&self, new: NewEdict, limits: &Limits, clock: &Clock) -> Result<Written, Error> {
        let (new, redactions) = Redacted::new(new);
        let wanted = Wanted::of(&Patch::from(&*new), clock)?;
        self.write(true, limits, clock, redactions, |draft, config| {
            deeds::add(draft, &wanted, config)
        })
    }

    /// Adds an edict that nobody stated or verified: its confidence is `inferred`, whatever `new` says. It never changes
    /// and never stands against what a person stated or somebody verified ([`Error::Conflict`]); where the same is
    /// known already, nothing is written and the answer is that edict.
    pub fn propose(&self, new: NewEdict, limits: &Limits, clock: &Clock) -> Result<Written, Error> {
        let (new, redactions) = Redacted::new(NewEdict {
            confidence: Some(Confidence::Inferred),
            ..new
        });
        let wanted = Wanted::of(&Patch::from(&*new), clock)?;
        self.write(true, limits, clock, redactions, |draft, config| {
            deeds::propose(draft, &wanted, config)
        })
    }

    /// Changes fields of the edict with this id; what it was goes to history.
    pub fn update(&self, id: &str, patch: Patch, limits: &Limits, clock: &Clock) -> Result<Written, Error> {
        let (patch, redactions) = Redacted::new(patch);
        let wanted = Wanted::of(&patch, clock)?;
        self.write(false, limits, clock, redactions, |draft, config| {
            deeds::update(draft, id, &wanted, config)
        })
    }

    /// Moves the edict with this id to history.
    pub fn remove(&self, id: &str, clock: &Clock) -> Result<Written, Error> {
        self.write(false, &Limits::default(), clock, Vec::new(), |draft, _| {
            deeds::remove(draft, id)
        })
    }

    /// Says that the edict with this id still holds: `updated` moves, and an ephemeral one gets a fresh default expiry.
    pub fn confirm(&self, id: &str, clock: &Clock) -> Result<Written, Error> {
        self.write(false, &Limits::default(), clock, Vec::new(), |draft, config| {
            deeds::confirm(draft, id, config)
        })
    }

    /// Brings back what a history entry holds, exactly. Of `patch` only the expiry is used (needed for one that has
    /// expired), and the category where the entry has none.
    pub fn restore(
        &self,
        history_id: &str,
        patch: Patch,
        limits: &Limits,
        clock: &Clock,
    ) -> Result<Written, Error> {
        let (patch, redactions) = Redacted::new(patch);
        let wanted = Wanted::of(&patch, clock)?;
        self.write(false, limits, clock, redactions, |draft, config| {
            deeds::restore(draft, history_id, &wanted, config)
        })
    }

    /// [`Store::commit`] for a deed that concerns one edict.
    fn write(
        &self,
        create: bool,
        limits: &Limits,
        clock: &Clock,
        mut redactions: Vec<ken_secrets::Finding>,
        decide: impl Fn(&mut Draft<'_>, &Config) -> Result<Decided, Error>,
    ) -> Result<Written, Error> {
        let way = Way {
            create,
            ..Way::default()
        };
        let (decided, committed) = self.commit(way, limits, clock, |draft, config| {
            let decided = decide(draft, config)?;
            let changes = decided.outcome != Outcome::Unchanged;
            Ok((decided, changes))
        })?;
        redactions.extend(committed.redactions);
        let Decided {
            edict,
            outcome,
            history_id,
        } = decided;
        let now = committed.now;
        let stands = committed
            .after
            .as_ref()
            .and_then(|after| after.get(&edict.id, now));
        Ok(Written {
            edict: stands.cloned().unwrap_or(edict),
            outcome,
            history_id,
            expired: committed.expired,
            warnings: committed.warnings,
            redactions,
        })
    }

    /// The one way to the file: under the lock, read, decide, edit, check, compare, replace; again when another
    /// program changed the file in between. `decide` says whether there is anything to write.
    pub(crate) fn commit<T>(
        &self,
        way: Way,
        limits: &Limits,
        clock: &Clock,
        decide: impl Fn(&mut Draft<'_>, &Config) -> Result<(T, bool), Error>,
    ) -> Result<(T, Committed), Error> {
        let _lock = self.lock()?;
        for _ in 0..ATTEMPTS {
            let before = self.bytes()?;
            let bytes = match &before {
                Some(bytes) => bytes.clone(),
                None if way.create => rewrite::fresh(Format::of(&self.path)).into_bytes(),
                None => {
                    return Err(Error::NoFile {
                        path: self.path.clone(),
                    });
                }
            };
            let document = Document::read(&self.path, bytes)?;
            let edicts = load::edicts(&self.path, &document, clock);
            let config = edicts.config.under(limits);
            let mut draft = Draft::new(&edicts, clock.now());
            draft.accessed = self.access_times();
            let (answer, changes) = decide(&mut draft, &config)?;
            let now = draft.now;
            let committed = |expired, after: &Edicts, redactions| Committed {
                now,
                expired,
                warnings: warnings(&config, &after.usage(now)),
                redactions,
                after: None,
            };
            if !changes {
                return Ok((answer, committed(0, &edicts, Vec::new())));
            }
            if let Some((name, kind)) = draft.change.credential_in_a_name() {
                return Err(Error::Validation(format!(
                    "the {name} holds what looks like a credential ({kind}); give it a name in plain words"
                )));
            }
            let expired = draft.tidy();
            let (change, found) = Redacted::new(draft.change);
            let next = edit::apply(&document, &change, self.reformat, &self.path)?;
            // What the file says afterwards is worked out while the disk makes it durable.
            let (after, saved) = thread::scope(|scope| {
                let after = scope.spawn(|| load::edicts(&self.path, &next, clock));
                let saved = way.dry || self.bytes()? == before;
                if saved && !way.dry {
                    self.save(&next.bytes())?;
                }
                let after = after.join().unwrap_or_else(|panic| panic::resume_unwind(panic));
                Ok::<_, Error>((after, saved))
            })?;
            if !saved {
                continue;
            }
            if !way.dry {
                self.remember(&after);
            }
            let committed = committed(expired, &after, found);
            return Ok((
                answer,
                Committed {
                    after: Some(after),
                    ..committed
                },
            ));
        }
        Err(Error::Changed {
            path: self.path.clone(),
            times: ATTEMPTS,
        })
    }

    fn contained(&self) -> Result<(), Error> {
        self.root
            .as_deref()
            .map_or(Ok(()), |root| contain::check(&self.path, root))
    }

    fn save(&self, bytes: &[u8]) -> Result<(), Error> {
        // What would not be read again is not written.
        if bytes.len() as u64 > MAX_FILE {
            return Err(Error::File(FileError::TooLarge {
                path: self.path.clone(),
                limit: MAX_FILE,
            }));
        }
        self.contained()?;
        self.sweep();
        Ok(replace(&self.path, bytes, NewFile::Shared)?)
    }

    /// Removes what killed writers left where this one is about to write. Best effort: it is only in the way.
    fn sweep(&self) {
        let real = fs::canonicalize(&self.path);
        let folder = real.as_deref().unwrap_or(&self.path).parent();
        let bare = folder.is_some_and(|folder| folder.as_os_str().is_empty());
        let folder = if bare { Some(Path::new(".")) } else { folder };
        let copies = self.state().map(|state| state.join("edicts"));
        for folder in folder.into_iter().chain(copies.as_deref()) {
            let _ = remove_leftovers(folder);
        }
    }

    pub(crate) fn bytes(&self) -> Result<Option<Vec<u8>>, Error> {
        self.contained()?;
        match read_bounded(&self.path, MAX_FILE) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(FileError::Io { source, .. }) if source.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Where what was read of the file is kept.
    fn cache(&self) -> Option<Cache<'_>> {
        let place = self.state()?.join("edicts").join(cache::file_name(&self.mark()));
        Some(Cache::new(&self.path, place))
    }

    fn lock(&self) -> Result<Lock, Error> {
        self.contained()?;
        let path = match &self.state {
            Some(state) => {
                let folder = state.join("edicts");
                create_folder(&folder, NewFile::Private)?;
                folder.join(format!("{}.lock", self.mark()))
            }
            None => self.path.with_file_name(".edicts.lock"),
        };
        Ok(Lock::acquire(&path, HOLDER, PATIENCE)?)
    }

    /// A name for the real file, whichever way it was reached.
    pub(crate) fn mark(&self) -> String {
        let absolute = std::path::absolute(&self.path).unwrap_or_else(|_| self.path.clone());
        let real = fs::canonicalize(&absolute).or_else(|error| {
            let (folder, name) = absolute.parent().zip(absolute.file_name()).ok_or(error)?;
            fs::canonicalize(folder).map(|folder| folder.join(name))
        });
        let real = real.unwrap_or(absolute);
        blake3::hash(real.as_os_str().as_encoded_bytes()).to_hex()[..32].to_owned()
    }
}

/// Reads a document that stands in no file of this machine: JSON when it begins with `{`, else YAML. Places in findings
/// and errors are of `document`.
///
/// # Errors
/// [`Error::Parse`] when it is not one document that can be read.
pub fn read(text: &str, clock: &Clock) -> Result<Edicts, Error> {
    let json = text.trim_start().starts_with('{');
    let name = if json { "document.json" } else { "document" };
    parse(Path::new(name), text.as_bytes().to_vec(), clock)
}

/// What the bytes of a file say.
pub(crate) fn parse(path: &Path, bytes: Vec<u8>, clock: &Clock) -> Result<Edicts, Error> {
    let document = Document::read(path, bytes)?;
    Ok(load::edicts(path, &document, clock))
}
