use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::Error;

/// The places of a `.agent/` folder (contract, section 1), and the rule that nothing is followed out of it.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    pub(crate) root: PathBuf,
}

/// Name of the folder.
pub(crate) const AGENT: &str = ".agent";
/// The append-only log, below `.agent/`.
pub(crate) const LOG: &str = "episodic/AGENT_LEARNINGS.jsonl";
/// What a dream cycle writes.
pub(crate) const LESSONS: &str = "semantic/LESSONS.md";
/// What people accepted, rejected and confirmed.
pub(crate) const REVIEWS: &str = "semantic/reviews.jsonl";
/// The lock of the dream cycle: one at a time.
pub(crate) const CYCLE_LOCK: &str = ".dreamd/ken/cycle.lock";
/// The lock of the reviews.
pub(crate) const REVIEWS_LOCK: &str = ".dreamd/ken/reviews.lock";
/// The person's own folder, and the two files in it.
pub(crate) const PERSONAL: &str = "personal";
pub(crate) const PREFERENCES: &str = "personal/PREFERENCES.md";
pub(crate) const DECISIONS: &str = "personal/DECISIONS.md";
/// What is in flight.
pub(crate) const WORKING: &str = "working";
/// `ken`'s own state.
pub(crate) const STATE: &str = ".dreamd/ken";
/// The lock of the log.
pub(crate) const LOG_LOCK: &str = ".dreamd/ken/log.lock";
/// The table of texts and keys that came before, and its lock. The format stands in the name, so that two versions side
/// by side each have their own.
pub(crate) const REPEATS: &str = ".dreamd/ken/repeats-2.table";
pub(crate) const REPEATS_LOCK: &str = ".dreamd/ken/repeats.lock";
/// The table of the format before.
pub(crate) const REPEATS_BEFORE: &str = ".dreamd/ken/repeats.table";

/// The segments of the search over events.
pub(crate) const INDEX: &str = ".dreamd/ken/index";

/// Parts of `.agent/` that must not be reached through a link from another part.
const CLOSED_INSIDE: &[&str] = &[PERSONAL, WORKING, ".dreamd"];
/// Parts of a repository that must not be reached through a link that stands at its root.
const CLOSED_AT_ROOT: &[&str] = &[".git"];

/// What may stand at a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Folder,
    File,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Folder => "folder",
            Kind::File => "file",
        }
    }
}

impl Layout {
    pub(crate) fn agent(&self) -> PathBuf {
        self.root.join(AGENT)
    }

    pub(crate) fn path(&self, inside: &str) -> PathBuf {
        self.root.join(AGENT).join(inside)
    }

    /// Whether `.agent` itself is there, as a folder of this repository.
    ///
    /// # Errors
    /// When something else stands there, or a link that leads out of the root.
    pub(crate) fn check_agent(&self) -> Result<bool, Error> {
        at_root(&self.root, AGENT, Kind::Folder)
    }

    /// Where `.agent` really stands, relative to the root, with `/` between its parts: what git sees of it.
    pub(crate) fn real_name(&self) -> Option<String> {
        let root = fs::canonicalize(&self.root).ok()?;
        let agent = fs::canonicalize(self.agent()).ok()?;
        let parts = agent.strip_prefix(root).ok()?.components();
        let parts: Option<Vec<&str>> = parts.map(|part| part.as_os_str().to_str()).collect();
        parts.map(|parts| parts.join("/"))
    }

    /// Whether something of the right kind stands at `inside`; every step on the way is looked at.
    ///
    /// # Errors
    /// When a step is of the wrong kind, or a link that leads out of `.agent/`, or one that leads from an open part of
    /// it into `personal/`, `working/` or `.dreamd/`.
    pub(crate) fn check(&self, inside: &str, kind: Kind) -> Result<bool, Error> {
        if !self.check_agent()? {
            return Ok(false);
        }
        self.check_inside(inside, kind)
    }

    /// As [`Layout::check`], but `.agent` itself has to be there.
    pub(crate) fn expect(&self, inside: &str, kind: Kind) -> Result<bool, Error> {
        self.expect_agent()?;
        self.check_inside(inside, kind)
    }

    /// That `.agent` itself is there.
    ///
    /// # Errors
    /// As [`Layout::check_agent`], and when it is not.
    pub(crate) fn expect_agent(&self) -> Result<(), Error> {
        if self.check_agent()? {
            return Ok(());
        }
        Err(Error::Absent { path: self.agent() })
    }

    /// As [`Layout::check`], for who has just looked at `.agent` itself.
    pub(crate) fn check_inside(&self, inside: &str, kind: Kind) -> Result<bool, Error> {
        contained(&self.agent(), Path::new(inside), kind, CLOSED_INSIDE)
    }
}

/// Whether something of the right kind stands at a repository's root under this name.
///
/// # Errors
/// When it is of the wrong kind, or a link that leads out of the root or into `.git/`.
pub(crate) fn at_root(root: &Path, name: &str, kind: Kind) -> Result<bool, Error> {
    contained(root, Path::new(name), kind, CLOSED_AT_ROOT)
}

/// Whether `inside` stands below `bound` without leaving it by a link; false when it does not exist yet.
fn contained(bound: &Path, inside: &Path, kind: Kind, closed: &[&str]) -> Result<bool, Error> {
    let mut path = bound.to_owned();
    let mut steps = inside.components().peekable();
    while let Some(step) = steps.next() {
        path.push(step);
        let wanted = if steps.peek().is_some() {
            Kind::Folder
        } else {
            kind
        };
        let found = match fs::symlink_metadata(&path) {
            Ok(found) => found,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(Error::reading(path, error)),
        };
        let found = if found.is_symlink() {
            if !stays(bound, inside, &path, closed)? {
                return Err(Error::LinkOut {
                    path,
                    bound: bound.to_owned(),
                    what: wanted.name(),
                });
            }
            fs::metadata(&path).map_err(|error| Error::reading(&path, error))?
        } else {
            found
        };
        match wanted {
            Kind::Folder if !found.is_dir() => return Err(Error::NotAFolder { path }),
            Kind::File if !found.is_file() => return Err(Error::NotAFile { path }),
            _ => {}
        }
    }
    Ok(true)
}

/// Whether the link at `link` ends where it may. One that ends nowhere may not: writing through it would make its end.
fn stays(bound: &Path, inside: &Path, link: &Path, closed: &[&str]) -> Result<bool, Error> {
    let Ok(end) = fs::canonicalize(link) else {
        return Ok(false);
    };
    let real = fs::canonicalize(bound).map_err(|error| Error::reading(bound, error))?;
    let Ok(end) = end.strip_prefix(&real) else {
        return Ok(false);
    };
    if end.as_os_str().is_empty() {
        return Ok(false);
    }
    Ok(closed
        .iter()
        .all(|closed| !end.starts_with(closed) || inside.starts_with(closed)))
}
