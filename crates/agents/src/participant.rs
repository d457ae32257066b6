//! What every reader of another tool's store can do, and the list of them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ken_files::{Clock, Paths};
use ken_library::{AgentId, AgentType, Manifest};

/// A tool whose own store can be read and projected into a manifest.
pub trait Participant {
    /// The manifest's id: the tool's slug.
    fn id(&self) -> AgentId;
    /// The manifest's agent type.
    fn kind(&self) -> AgentType;
    /// The tool's name as people say it.
    fn title(&self) -> &'static str;
    /// Whether its store is on this machine. Looks, opens nothing for writing, and does not read what is in it.
    fn discover(&self, paths: &Paths) -> Discovery;
    /// Reads the store and projects it. The same store, the same disk and the same [`Export::seen`] give the same rows,
    /// whatever the time and the order in which the disk lists its files; as long as nothing is gone, also without
    /// what was seen.
    fn export(&self, store: &Store, export: &mut Export<'_>) -> Result<Projection, ExportError>;
    /// What a session has in hand, by its transcript as it is now.
    ///
    /// # Errors
    /// When the transcript cannot be read.
    fn unfinished(&self, transcript: &Path, clock: &Clock) -> io::Result<Unfinished>;
    /// What is said of the store: what is there and what cannot be read.
    fn health(&self, paths: &Paths) -> Health;
}

/// Every participant, in the order in which they are shown.
pub fn participants() -> Vec<Box<dyn Participant>> {
    vec![Box::new(crate::ClaudeCode), Box::new(crate::Codex)]
}

/// Whether the folder `home` is there and is a store by what `is_one` sees in it: what every participant with a folder
/// of its own looks at first.
pub(crate) fn look(home: &Path, is_one: impl FnOnce(&Path) -> bool) -> Discovery {
    match fs::read_dir(home) {
        Ok(_) if is_one(home) => Discovery::Store(Store {
            path: home.to_owned(),
        }),
        Ok(_) => Discovery::Absent,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Discovery::Absent,
        Err(error) => Discovery::Unreadable(not_listed(home, &error)),
    }
}

/// The health of the store in `home`, as `found`; `tell` adds what stands in it, and fails with the folder that cannot be
/// listed.
pub(crate) fn health_of(
    home: PathBuf,
    found: Discovery,
    tell: impl FnOnce(&mut Health) -> Result<(), (PathBuf, io::Error)>,
) -> Health {
    let mut health = Health {
        present: found != Discovery::Absent,
        path: home,
        ..Health::default()
    };
    if let Discovery::Unreadable(why) = found {
        health.problems.push(why);
    }
    if health.present
        && let Err((path, error)) = tell(&mut health)
    {
        health.problems.push(not_listed(&path, &error));
    }
    health
}

fn not_listed(path: &Path, error: &io::Error) -> String {
    format!("cannot list {}: {error}; check its permissions", path.display())
}

/// A store that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Store {
    /// Its folder or file.
    pub path: PathBuf,
}

/// Whether a store is on this machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Discovery {
    /// It is, and can be read.
    Store(Store),
    /// The tool is not used here.
    Absent,
    /// It is, but cannot be read; why, and what to do.
    Unreadable(String),
}

/// What an export needs besides the store.
pub struct Export<'a> {
    /// The person's home and the tools' own homes.
    pub paths: &'a Paths,
    /// The person's time zone, for the days of sessions. What time it is does not matter to an export.
    pub clock: &'a Clock,
    /// Whether private rows are kept (marked as such) instead of dropped.
    pub keep_private: bool,
    /// A folder of this store's own for what its transcripts held, so that the next export reads only those that have
    /// changed. It is made when it is not there, and can be deleted at any time. Without one, everything is read.
    pub digests: Option<PathBuf>,
    /// A file of this store's own for what was once seen of sessions and folders. Without one, what is gone from the
    /// store or from the disk is not known any more, and what has no known place is private.
    pub seen: Option<PathBuf>,
    /// Told as bytes are read.
    pub progress: &'a mut dyn Progress,
}

/// A store's projection.
#[derive(Debug, Clone, PartialEq)]
pub struct Projection {
    /// The rows. `last_updated` is not set: writing sets it.
    pub manifest: Manifest,
    /// How many sessions the store holds, also those outside the window.
    pub sessions_read: usize,
    /// How many of its transcripts had not changed since the last export, and were not read again.
    pub unchanged: usize,
    /// How many bytes of it were read.
    pub bytes_read: u64,
    /// What was left out, and why.
    pub skipped: Vec<Skipped>,
    /// How many different credentials were found and taken out.
    pub credentials_found: usize,
}

/// Something that was left out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
pub struct Skipped {
    /// How many.
    pub count: u64,
    /// What, in the plural, and why: `lines that are not JSON`.
    pub what: String,
}

impl Skipped {
    /// Something, when there was any of it.
    pub(crate) fn some(count: u64, what: &str) -> Option<Skipped> {
        (count > 0).then(|| Skipped {
            count,
            what: what.to_owned(),
        })
    }
}

/// Why a store could not be projected at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The store, or the part of it that everything depends on, could not be read.
    #[error("cannot read {path}: {source}; check its permissions, then run `ken sync` again", path = path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// The operating system's reason.
        source: io::Error,
    },
}

/// What a session has in hand. Without credentials, and without what a program wrote in the person's place.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unfinished {
    /// The last thing that the person asked for, as one line.
    pub request: Option<String>,
    /// The files that were edited, as the tool named them, the last one first; at most 8.
    pub files: Vec<PathBuf>,
}

/// How a store is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Health {
    /// Where the store is or would be.
    pub path: PathBuf,
    /// Whether it is there.
    pub present: bool,
    /// What it holds, one line each: `41 transcripts in 3 projects`.
    pub holds: Vec<String>,
    /// What is wrong, one sentence each, with the path and what to do.
    pub problems: Vec<String>,
}

/// Is told how far a reading is.
pub trait Progress {
    /// A store of so many bytes is about to be read.
    fn begin(&mut self, agent: &AgentId, bytes: u64);
    /// So many more bytes were read.
    fn advance(&mut self, bytes: u64);
    /// The store was read.
    fn finish(&mut self);
}

/// Tells nobody.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoProgress;

impl Progress for NoProgress {
    fn begin(&mut self, _: &AgentId, _: u64) {}
    fn advance(&mut self, _: u64) {}
    fn finish(&mut self) {}
}
