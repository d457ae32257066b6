use std::path::PathBuf;

use ken_files::FileError;

use crate::{MAX_CONTENT, MAX_TAGS};

/// What can go wrong in a `.agent/` folder.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The observation breaks a rule of the log; nothing was written.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// There is no `.agent/` folder any more.
    #[error("{path} does not exist; run `ken init` in its repository", path = path.display())]
    Absent {
        /// The folder that should be there.
        path: PathBuf,
    },
    /// A plain file, a device or the like stands where a folder belongs.
    #[error("{path} is not a folder; move it away and run `ken init` again", path = path.display())]
    NotAFolder {
        /// What stands there.
        path: PathBuf,
    },
    /// A folder, a device or the like stands where a file belongs.
    #[error("{path} is not a regular file; move it away and run `ken init` again", path = path.display())]
    NotAFile {
        /// What stands there.
        path: PathBuf,
    },
    /// A link leads out of the folder that it stands in.
    #[error(
        "{path} is a link that leads out of {bound}, and ken follows none of those; put a real {what} in its place",
        path = path.display(),
        bound = bound.display()
    )]
    LinkOut {
        /// The link.
        path: PathBuf,
        /// The folder that it would have to stay in.
        bound: PathBuf,
        /// What belongs there: `folder` or `file`.
        what: &'static str,
    },
    /// Bytes of a file that are no text.
    #[error("{path} is not UTF-8; save it as UTF-8", path = path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
    },
    /// Another program keeps changing a file that is being written.
    #[error("{path} was changed by another program again and again; try again when it is done", path = path.display())]
    Unsettled {
        /// The file.
        path: PathBuf,
    },
    /// Another process holds a lock, or the operating system refused.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Error {
    /// Reading `path` failed.
    pub(crate) fn reading(path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        Error::File(FileError::io("read", path, source))
    }
}

/// A rule of the log that an observation breaks. The values shown have been through the credential scan.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Refusal {
    /// `pain` or `importance` is not a number from 0 to 10.
    #[error("{field} is {value}; give a number from 0 to 10")]
    OutOfRange {
        /// `pain` or `importance`.
        field: &'static str,
        /// What was given.
        value: f64,
    },
    /// Nothing but white space.
    #[error("the text is empty; say in a sentence what was learned")]
    Empty,
    /// More than [`MAX_CONTENT`] bytes.
    #[error(
        "the text has {bytes} bytes, and an observation holds at most {MAX_CONTENT}; shorten it or split it"
    )]
    TooLong {
        /// Length in bytes after trimming.
        bytes: usize,
    },
    /// The skill cannot be brought into the form `[a-z0-9_]+` joined by `::`.
    #[error(
        "`{value}` is not a skill; write words of a-z, 0-9 and _ joined by `::`, such as `rust::error_handling`, in at most 256 bytes"
    )]
    Skill {
        /// What was given, shortened.
        value: String,
    },
    /// The harness is not `[a-z0-9_-]+`.
    #[error("`{value}` is not the name of a harness; write it with a-z, 0-9, _ and -, such as `claude-code`")]
    Harness {
        /// What was given, shortened.
        value: String,
    },
    /// Neither an event's id nor a skill.
    #[error(
        "`{value}` is nothing that an observation can supersede; give an event's id (`evt_` and 26 letters and digits) or a skill such as `rust::error_handling`"
    )]
    Supersedes {
        /// What was given, shortened.
        value: String,
    },
    /// A tag that is empty, longer than 128 bytes, or holds a control character.
    #[error("`{value}` is not a tag; give 1 to 128 bytes on one line")]
    Tag {
        /// What was given, shortened.
        value: String,
    },
    /// More than [`MAX_TAGS`] tags.
    #[error("{count} tags were given, and an observation holds at most {MAX_TAGS}; leave some out")]
    TooManyTags {
        /// How many were given.
        count: usize,
    },
    /// A dedup key that is empty or longer than 256 bytes.
    #[error("`{value}` is not a dedup key; give 1 to 256 bytes")]
    DedupKey {
        /// What was given, shortened.
        value: String,
    },
    /// Not one of the three origins.
    #[error("`{value}` is not an origin; write `user`, `agent` or `tool`")]
    Origin {
        /// What was given, shortened.
        value: String,
    },
    /// Not an event's id.
    #[error("`{value}` is not an event's id; it is `evt_` and 26 letters and digits")]
    Id {
        /// What was given, shortened.
        value: String,
    },
}

/// A value fit to stand in a message: on one line, and not longer than a person wants to read.
pub(crate) fn shown(value: &str) -> String {
    const MOST: usize = 60;
    let mut short: String = value.chars().take(MOST).flat_map(char::escape_debug).collect();
    if value.chars().nth(MOST).is_some() {
        short.push('…');
    }
    short
}
