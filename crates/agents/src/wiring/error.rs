use std::path::PathBuf;

use ken_files::FileError;

/// Why an agent's settings are left as they are.
#[derive(Debug, thiserror::Error)]
pub enum WiringError {
    /// A name that is in no row of the table.
    #[error("`{name}` is not an agent that ken can set up; those are: {known}")]
    UnknownAgent {
        /// What was asked for.
        name: String,
        /// The names that are known, with commas.
        known: String,
    },
    /// Project scope was asked for where no project is.
    #[error(
        "there is no project here; go into a git repository (or say `ken init` in the folder), or use --user for your own settings"
    )]
    NoProject,
    /// The program lies where no settings file can say.
    #[error("{} cannot be written into a settings file, which are all text in UTF-8, and this path is not; nothing was written; move ken to another folder and run it from there", path.display())]
    Program {
        /// The program.
        path: PathBuf,
    },
    /// The file is not what its format says.
    #[error("{}:{line}:{column}: {what}; nothing was written; repair the file and run the command again", path.display())]
    Broken {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
        /// What is wrong there.
        what: String,
    },
    /// The place is taken by something that somebody else put there.
    #[error("{}:{line}:{column}: {what}; nothing was written; {remedy}, then run the command again", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The column in characters, from 1.
        column: usize,
        /// What stands there.
        what: String,
        /// What to do about it.
        remedy: String,
    },
    /// The edit would have changed more than what is ours.
    #[error("{}: ken cannot change this file without touching what is not its own; nothing was written; add the entry by hand as docs/agents.md shows", path.display())]
    NotExact {
        /// The file.
        path: PathBuf,
    },
    /// Somebody changed the file between the plan and the write, again and again.
    #[error("{} was changed by another program while it was being set up; nothing of that was overwritten; run the command again", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// A write failed, and files that were written before it could not get their bytes back. What is remembered of
    /// them is kept, so that the way back is still exact.
    #[error(
        "{source}; {} written before that and could not be put back; when the cause is gone, run the command again to go on, or `ken unsetup` to have the old bytes",
        written(paths)
    )]
    NotUndone {
        /// Why the write failed.
        source: Box<WiringError>,
        /// The files that stay changed.
        paths: Vec<PathBuf>,
    },
    /// The disk refused.
    #[error(transparent)]
    File(#[from] FileError),
}

impl WiringError {
    /// The sentence where nobody wanted to write: what stands there, and what to do about it.
    pub(super) fn as_found(&self) -> String {
        match self {
            WiringError::Broken {
                path,
                line,
                column,
                what,
            } => format!("{}:{line}:{column}: {what}; repair the file", path.display()),
            WiringError::Foreign {
                path,
                line,
                column,
                what,
                remedy,
            } => format!("{}:{line}:{column}: {what}; {remedy}", path.display()),
            other => other.to_string(),
        }
    }
}

fn written(paths: &[PathBuf]) -> String {
    let names: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
    let verb = if names.len() == 1 { "was" } else { "were" };
    format!("{} {verb}", names.join(", "))
}
