//! The mark that trust leaves in a repository, so that another one at the same path is not taken for it.
//!
//! It is a random word in a file that no clone carries: in the git folder, or outside git in the part of `.agent/` that
//! is never committed. Only a repository that holds the word which was noted when it was trusted is trusted.

use std::fs::{self, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};
use std::path::PathBuf;

use crate::Project;
use crate::project::AGENT_FOLDER;

const FILE: &str = "ken-trust";
/// Where `.agent/` keeps what is not committed.
const OWN_STATE: &str = ".dreamd/ken";
const LENGTH: usize = 32;

/// The mark that a repository bears; `None` when it bears none, or what stands there is no mark.
pub(super) fn read(project: &Project) -> Option<String> {
    let bytes = ken_files::read_bounded_no_link(&place(project)?, 256).ok()?;
    let mark = String::from_utf8(bytes).ok()?.trim_end().to_owned();
    is_mark(&mark).then_some(mark)
}

/// The mark that a repository bears, made when it bears none. `None` where none can be written: then the path alone has
/// to do.
pub(super) fn ensure(project: &Project) -> Option<String> {
    read(project).or_else(|| make(project).ok())
}

fn make(project: &Project) -> io::Result<String> {
    let path = place(project).ok_or(io::ErrorKind::NotFound)?;
    if let Some(folder) = path.parent().filter(|folder| !folder.exists()) {
        fs::create_dir_all(folder)?;
    }
    // What stands there is no mark, and may be a link to anywhere: it goes, and nothing is written through it.
    match fs::remove_file(&path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mark = format!("{:016x}{:016x}", random(), random());
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let mut file = options.open(&path)?;
    file.write_all(format!("{mark}\n").as_bytes())?;
    file.sync_all()?;
    Ok(mark)
}

fn place(project: &Project) -> Option<PathBuf> {
    let outside_git = project.identity == project.root;
    (!outside_git || project.root.join(AGENT_FOLDER).is_dir()).then(|| path(project))
}

/// Where a project's mark stands, if it bears one.
pub(super) fn path(project: &Project) -> PathBuf {
    if project.identity == project.root {
        project.root.join(AGENT_FOLDER).join(OWN_STATE).join(FILE)
    } else {
        project.identity.join(FILE)
    }
}

fn is_mark(text: &str) -> bool {
    text.len() == LENGTH && text.bytes().all(|b| b.is_ascii_hexdigit())
}

fn random() -> u64 {
    RandomState::new().hash_one(FILE)
}
