use std::path::{Path, PathBuf};

use ken_files::Paths;
use ken_library::AccessLevel;
use serde::Serialize;

use super::agent::{Agent, Trace};

/// Whose settings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scope {
    /// The project's own files.
    Project,
    /// The person's, for every project.
    User,
}

/// What a setup is to be made of.
#[derive(Debug, Clone)]
pub struct Request {
    /// Where things live on this machine.
    pub paths: Paths,
    /// The project's root. It must not be the home directory.
    pub project: Option<PathBuf>,
    /// Whose settings.
    pub scope: Scope,
    /// The absolute path of this program, as agents are to start it.
    pub program: PathBuf,
    /// What agents may see at most; without it, what the settings say at the time.
    pub access: Option<AccessLevel>,
    /// The folders that are searched for programs, to find out which agents are installed.
    pub search: Vec<PathBuf>,
}

impl Request {
    /// Where a trace of the agent was found, if it is installed.
    pub fn installed(&self, agent: &Agent) -> Option<PathBuf> {
        agent.traces.iter().find_map(|trace| match trace {
            Trace::File(place) => place
                .path(&self.paths, self.project.as_deref())
                .filter(|path| path.exists()),
            Trace::Program(name) => self
                .search
                .iter()
                .flat_map(|folder| [folder.join(name), folder.join(format!("{name}.exe"))])
                .find(|path| path.is_file()),
        })
    }

    pub(super) fn root(&self) -> Option<&Path> {
        self.project.as_deref()
    }
}
