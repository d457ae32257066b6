use std::path::PathBuf;
use std::time::Duration;

/// What can go wrong between this program and the disk. Every variant carries the path and says what to do.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileError {
    /// The operating system refused; `deed` is a verb phrase such as `read` or `replace`.
    #[error("cannot {deed} {path}: {source}", path = path.display())]
    Io {
        /// What was tried.
        deed: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The operating system's own reason.
        source: std::io::Error,
    },
    /// Another process holds the lock longer than the caller wanted to wait.
    #[error(
        "{path} is locked by {holder} and was not released within {waited:?}; wait for it to finish, or end that process",
        path = path.display()
    )]
    Locked {
        /// The lock file.
        path: PathBuf,
        /// Who holds it, as it wrote itself into the lock file, for example `ken learn (process 4711)`.
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
}

impl FileError {
    /// Wraps an operating-system error with the path and the deed it belongs to.
    pub fn io(deed: &'static str, path: impl Into<PathBuf>, source: std::io::Error) -> Self {
        FileError::Io {
            deed,
            path: path.into(),
            source,
        }
    }
}
