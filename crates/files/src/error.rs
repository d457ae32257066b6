use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::time::Duration;

/// What can go wrong between this program and the disk. Every variant carries the path and says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The operating system refused; `deed` is a verb phrase such as `read` or `replace`.
    #[error("cannot {deed} {path}: {reason}", path = path.display(), reason = reason(source))]
    Io {
        /// What was tried.
        deed: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The operating system's own reason.
        source: io::Error,
    },
    /// Another process holds the lock longer than the caller wanted to wait.
    #[error(
        "{path} is locked by {holder} and was not released within {waited:?}; wait for it to finish, or end that process",
        path = path.display()
    )]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// Who holds it, as it wrote itself into the lock file, for example `ken learn (process 4711)`; `another
        /// program` where that is not known.
        holder: String,
        /// How long this process waited.
        waited: Duration,
    },
    /// The file is larger than a reader is willing to hold in memory.
    #[error("{path} is larger than {limit} bytes; split it or remove what is not needed", path = path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The limit in bytes.
        limit: u64,
    },
    /// Something other than a file stands where a file is wanted.
    #[error("{path} is {what}, not a file; move it away or name another path", path = path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
        /// What stands there, with its article: `a folder`, `a named pipe`.
        what: &'static str,
    },
    /// Something other than a folder stands where a folder is wanted.
    #[error("{path} is {what}, not a folder; move it away or name another path", path = path.display())]
    NotAFolder {
        /// The path.
        path: PathBuf,
        /// What stands there, with its article: `a file`, `a link that leads nowhere`.
        what: &'static str,
    },
    /// A link stands where none is followed.
    #[error("{path} is a link, and links are not followed here; put the file itself in its place", path = path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// A chain of links that leads back to itself, or is longer than any real one.
    #[error("{path} is a link that never arrives at a file; remove it or point it at the file", path = path.display())]
    LinkLoop {
        /// The first link of the chain.
        path: PathBuf,
    },
    /// The file's mode lets nobody write, which is respected although the folder would allow a replacement.
    #[error("{path} is read-only; make it writable first (`chmod u+w`)", path = path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
    },
    /// A line that would not be one line in the log.
    #[error("a line for {path} {fault}; write exactly one line of text at a time", path = path.display())]
    Line {
        /// The log.
        path: PathBuf,
        /// What is wrong with the line: `is empty`, `holds a line break at byte 17`.
        fault: String,
    },
    /// Another program put a new file at the path after every single attempt to write there.
    #[error(
        "{path} was replaced by another program {attempts} times while a line was being appended; try again when that program is done",
        path = path.display()
    )]
    Unsettled {
        /// The log.
        path: PathBuf,
        /// How many different files the line was appended to.
        attempts: u32,
    },
}

impl FileError {
    /// Wraps an operating-system error with the path and the deed it belongs to.
    pub fn io(deed: &'static str, path: impl Into<PathBuf>, source: io::Error) -> Self {
        FileError::Io {
            deed,
            path: path.into(),
            source,
        }
    }

    /// The same error of a deed that creates files: there "not found" speaks of the folder.
    pub(crate) fn while_creating(self) -> Self {
        match self {
            FileError::Io { deed, path, source } if source.kind() == ErrorKind::NotFound => {
                let missing = "its folder does not exist; create the folder first";
                FileError::io(deed, path, io::Error::new(ErrorKind::NotFound, missing))
            }
            other => other,
        }
    }

    /// The operating system's kind of error, where it was the operating system that refused.
    #[must_use]
    pub fn kind(&self) -> Option<ErrorKind> {
        match self {
            FileError::Io { source, .. } => Some(source.kind()),
            _ => None,
        }
    }
}

/// The reason in the house's words, with what can be done about it; errors without a known remedy speak for themselves.
fn reason(source: &io::Error) -> String {
    if source.get_ref().is_some() {
        return source.to_string();
    }
    let known = match source.kind() {
        ErrorKind::NotFound => "it does not exist; check the path",
        ErrorKind::PermissionDenied => "permission denied; check its owner and mode, and those of its folder",
        ErrorKind::ReadOnlyFilesystem => {
            "the disk is mounted read-only; mount it writable or use another place"
        }
        ErrorKind::StorageFull => "no space is left on the disk; free some and try again",
        ErrorKind::QuotaExceeded => "the disk quota is used up; free some space and try again",
        ErrorKind::FileTooLarge => {
            "it would grow beyond what this process or disk allows; raise the limit (`ulimit -f`)"
        }
        ErrorKind::InvalidFilename => "the name is too long or not allowed here; choose another",
        ErrorKind::NotADirectory => "a part of the path is not a folder; check the path",
        ErrorKind::IsADirectory => "it is a folder; name a file",
        ErrorKind::ResourceBusy => "it is in use, or mounted by itself; mount its folder instead",
        ErrorKind::Unsupported => "this disk does not support it; use a local disk",
        _ => return source.to_string(),
    };
    known.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_is_one_lower_case_sentence_with_place_and_remedy() {
        let path = PathBuf::from("/p/f");
        let io = |kind: ErrorKind| FileError::io("read", "/p/f", io::Error::from(kind));
        let errors = [
            io(ErrorKind::NotFound),
            io(ErrorKind::PermissionDenied),
            io(ErrorKind::ReadOnlyFilesystem),
            io(ErrorKind::StorageFull),
            io(ErrorKind::QuotaExceeded),
            io(ErrorKind::FileTooLarge),
            io(ErrorKind::InvalidFilename),
            io(ErrorKind::NotADirectory),
            io(ErrorKind::IsADirectory),
            io(ErrorKind::ResourceBusy),
            io(ErrorKind::Unsupported),
            io(ErrorKind::NotFound).while_creating(),
            FileError::TooLarge {
                path: path.clone(),
                limit: 10,
            },
            FileError::NotAFile {
                path: path.clone(),
                what: "a folder",
            },
            FileError::NotAFolder {
                path: path.clone(),
                what: "a file",
            },
            FileError::Link { path: path.clone() },
            FileError::LinkLoop { path: path.clone() },
            FileError::ReadOnly { path: path.clone() },
            FileError::Line {
                path: path.clone(),
                fault: "is empty".to_owned(),
            },
            FileError::Unsettled {
                path: path.clone(),
                attempts: 8,
            },
            FileError::Locked {
                path,
                holder: "ken learn (process 4711)".to_owned(),
                waited: Duration::from_secs(5),
            },
        ];
        for error in errors {
            let message = error.to_string();
            assert!(message.contains("/p/f"), "{message}");
            assert!(message.contains("; "), "{message} has no remedy");
            assert!(!message.ends_with('.') && !message.contains('\n'), "{message}");
            assert!(!message.contains("os error"), "{message}");
        }
    }

    #[test]
    fn an_error_of_the_system_that_has_no_known_remedy_speaks_for_itself() {
        let error = FileError::io("read", "/p", io::Error::from(ErrorKind::TimedOut));
        assert_eq!(error.to_string(), "cannot read /p: timed out");
        assert_eq!(error.kind(), Some(ErrorKind::TimedOut));
    }
}
