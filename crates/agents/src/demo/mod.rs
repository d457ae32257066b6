//! The made-up machine of `ken up --demo`: three agents, a month of work, in the formats of the real ones.
//!
//! Somebody keeps the books and the shop of a ferry line that does not exist: `brinepay` takes payments, `brine-web`
//! is the booking page, `gangplank` brings both to the servers. The homes of Claude Code and Codex are written as those
//! write them; what Cursor knows stands in its manifest; what all three learned is in `brinepay`'s `.agent/` folder
//! and `edicts.yaml`. All of it is then read by the same code as a real machine.
//!
//! The stories are data (`sessions`, `reviews`, `observations`, `others`, `memories`); the other files say how they are
//! written down. Days count backwards from the clock's, so that the month always ends yesterday.

mod edicts;
mod memories;
mod observations;
mod others;
mod repositories;
mod reviews;
mod rollouts;
mod sessions;
mod story;
mod transcripts;

use std::path::{Path, PathBuf};

use ken_files::{Clock, FileError, Paths};
use ken_library::Library;

use story::Calendar;

/// The machine that was made.
#[derive(Debug, Clone)]
pub struct Demo {
    /// Where everything is, as for a real home.
    pub paths: Paths,
    /// The repository with the `.agent/` folder and the edicts: the one to stand in.
    pub project: PathBuf,
    /// All repositories.
    pub projects: Vec<PathBuf>,
    /// Sessions in Claude Code's home.
    pub sessions: usize,
    /// Observations in the project's log.
    pub observations: usize,
    /// Edicts in force.
    pub edicts: usize,
}

/// Why the machine could not be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The disk refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// The `.agent/` folder refused an observation.
    #[error("cannot furnish the demo: {0}")]
    Folder(#[from] ken_dotagent::Error),
    /// The edicts refused a fact.
    #[error("cannot furnish the demo: {0}")]
    Edicts(#[from] ken_edicts::Error),
    /// The library refused a manifest.
    #[error("cannot furnish the demo: {0}")]
    Library(#[from] ken_library::Error),
}

/// Makes the machine in `home`, which should be an empty folder. The same clock gives the same files.
///
/// The manifests of Claude Code and Codex are not written: [`sync`](crate::sync) makes them out of the stores, as on a real machine.
pub fn furnish(home: &Path, clock: &Clock) -> Result<Demo, Error> {
    let home = std::fs::canonicalize(home).map_err(|source| FileError::io("open", home, source))?;
    let paths = Paths::under(&home);
    let calendar = Calendar::new(clock);
    let projects = repositories::write(&home)?;
    let project = projects[0].clone();
    let sessions = transcripts::write(&home, &calendar)?;
    memories::write(&home, &calendar)?;
    rollouts::write(&home, &calendar)?;
    let observations = observations::learn(&project, &calendar)?;
    let edicts = edicts::write(&project, &paths.state, &calendar)?;
    others::write(&Library::open(&paths.library), &home, &calendar)?;
    Ok(Demo {
        paths,
        project,
        projects,
        sessions,
        observations,
        edicts,
    })
}

/// Writes a file and the folders above it.
fn put(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), FileError> {
    if let Some(folder) = path.parent() {
        ken_files::create_folder(folder, ken_files::NewFile::Shared)?;
    }
    std::fs::write(path, bytes).map_err(|source| FileError::io("write", path, source))
}
