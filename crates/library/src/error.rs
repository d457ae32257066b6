//! What can go wrong in the library, each with its place and its remedy.

use std::path::PathBuf;

use ken_files::FileError;

use crate::finding::Finding;
use crate::{AgentId, AgentIdError};

/// An error of the library.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The disk refused.
    #[error(transparent)]
    File(#[from] FileError),
    /// A manifest's file is not a readable YAML document, or not a manifest at all.
    #[error("{path}:{line}:{column} {message}", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Line, from 1.
        line: u32,
        /// Column in characters, from 1.
        column: u32,
        /// What is wrong and what to do.
        message: String,
    },
    /// A manifest is a link, a folder, a pipe: anything but a regular file.
    #[error("{path} is {what}, and only regular files are read; put the manifest itself there", path = path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// What it is.
        what: &'static str,
    },
    /// A file in `agents/` has a name that is no agent's.
    #[error("{path}: {source}, and name the file after it", path = path.display())]
    FileName {
        /// The file.
        path: PathBuf,
        /// Why.
        source: AgentIdError,
    },
    /// A manifest that is to be written does not conform.
    #[error("the manifest of {agent} was not written: {first}{more}", more = more_findings(*.rest))]
    Invalid {
        /// Whose manifest.
        agent: AgentId,
        /// The first finding.
        first: Box<Finding>,
        /// How many more there are.
        rest: usize,
    },
    /// A manifest that is to be written would not read back as it is.
    #[error(
        "the manifest of {agent} was not written: it does not read back as it was; report this with the agent's store"
    )]
    NotReadBack {
        /// Whose manifest.
        agent: AgentId,
    },
    /// A question names an agent that the caller sees nothing of.
    #[error("there is no agent {0:?} here; `ken library agents` lists them")]
    UnknownAgent(String),
    /// A question's date, window or duration cannot be read.
    #[error("{value:?} is not {what}; write {remedy}")]
    When {
        /// What was given.
        value: String,
        /// What was wanted.
        what: &'static str,
        /// An example.
        remedy: &'static str,
    },
    /// A question's limit is out of bounds.
    #[error("the limit {0} is out of bounds; use 1 to 100")]
    Limit(usize),
}

fn more_findings(rest: usize) -> String {
    match rest {
        0 => String::new(),
        1 => " (and 1 more)".to_owned(),
        rest => format!(" (and {rest} more)"),
    }
}
