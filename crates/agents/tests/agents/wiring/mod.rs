//! Setting up Claude Code and Codex, and the way back.

mod dialects;
mod files;
mod laws;
mod reads;
mod strangers;

use std::fs;
use std::path::{Path, PathBuf};

use ken_agents::wiring::{
    Agent, Applied, Plan, Request, Scope, WiringError, agent, plan_setup, plan_unsetup,
};
use ken_files::{Clock, Paths};
use tempfile::TempDir;

/// A made-up machine with one project on it.
pub(crate) struct Desk {
    folder: TempDir,
    pub(crate) request: Request,
}

impl Desk {
    pub(crate) fn new() -> Desk {
        // In memory where there is such a place: the laws write some thousand files, each made durable.
        let memory = Path::new("/dev/shm");
        let builder = &mut tempfile::Builder::new();
        let builder = builder.prefix("wiring-");
        Desk::on(builder.tempdir_in(memory).or_else(|_| builder.tempdir()).unwrap())
    }

    /// A machine whose files are in this folder.
    pub(crate) fn on(folder: TempDir) -> Desk {
        let root = fs::canonicalize(folder.path()).unwrap();
        let (home, project) = (root.join("home"), root.join("home/work/ledger"));
        fs::create_dir_all(&project).unwrap();
        let program = root.join("bin/ken");
        fs::create_dir_all(root.join("bin")).unwrap();
        fs::write(&program, "").unwrap();
        Desk {
            folder,
            request: Request {
                paths: Paths::under(home),
                project: Some(project),
                scope: Scope::Project,
                program,
                access: None,
                search: Vec::new(),
            },
        }
    }

    pub(crate) fn user(mut self) -> Desk {
        self.request.scope = Scope::User;
        self
    }

    pub(crate) fn root(&self) -> PathBuf {
        fs::canonicalize(self.folder.path()).unwrap()
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.root().join("home/work/ledger")
    }

    pub(crate) fn write(&self, relative: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.root().join("home").join(relative);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn read(&self, relative: &str) -> String {
        fs::read_to_string(self.root().join("home").join(relative)).unwrap()
    }

    pub(crate) fn plan(&self, ids: &[&str]) -> Result<Plan, WiringError> {
        plan_setup(&rows(ids), &self.request)
    }

    pub(crate) fn setup(&self, ids: &[&str]) -> Applied {
        self.plan(ids).unwrap().apply(&clock()).unwrap()
    }

    pub(crate) fn unsetup(&self, ids: &[&str]) -> Applied {
        plan_unsetup(&rows(ids), &self.request)
            .unwrap()
            .apply(&clock())
            .unwrap()
    }

    /// What setup refuses with, after which nothing may have changed.
    pub(crate) fn refused(&self, ids: &[&str]) -> String {
        let before = self.tree();
        let error = self.plan(ids).unwrap_err().to_string();
        assert_eq!(self.tree(), before);
        error.replace(self.root().to_str().unwrap(), "")
    }

    /// Loses what setup remembers.
    pub(crate) fn forget(&self) {
        let _ = fs::remove_dir_all(&self.request.paths.state);
    }

    /// Every file and folder with its bytes, mode and link target, but for the state directory.
    pub(crate) fn tree(&self) -> Vec<String> {
        let mut found = Vec::new();
        walk(&self.root().join("home"), &self.request.paths.state, &mut found);
        found.sort();
        found
    }
}

fn walk(folder: &Path, state: &Path, found: &mut Vec<String>) {
    use std::os::unix::fs::PermissionsExt;

    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if state.starts_with(&path) && path != *state && !path.is_symlink() {
            // The folders that lead to the state directory are made with it.
            walk(&path, state, found);
            continue;
        }
        if path == *state {
            continue;
        }
        let seen = fs::symlink_metadata(&path).unwrap();
        if seen.is_symlink() {
            found.push(format!(
                "{} -> {}",
                path.display(),
                fs::read_link(&path).unwrap().display()
            ));
        } else if seen.is_dir() {
            found.push(format!("{}/", path.display()));
            walk(&path, state, found);
        } else {
            let mode = seen.permissions().mode() & 0o7777;
            found.push(format!(
                "{} {mode:o} {:?}",
                path.display(),
                String::from_utf8_lossy(&fs::read(&path).unwrap())
            ));
        }
    }
}

pub(crate) fn rows(ids: &[&str]) -> Vec<&'static Agent> {
    ids.iter().map(|id| agent(id).unwrap()).collect()
}

pub(crate) fn clock() -> Clock {
    let at = Clock::parse_pin("2026-06-15T12:00:00Z").unwrap();
    Clock::pinned(at, jiff::tz::TimeZone::UTC)
}

pub(crate) const BOTH: [&str; 2] = ["claude-code", "codex"];
