//! A manifest's file from outside, and its bytes when it holds still.

use std::path::{Path, PathBuf};

use ken_files::{FileError, FileLook};

use crate::Error;
use crate::manifest_read;
use crate::store::ENDING;

/// How often a file that changes while it is read is read again.
const ATTEMPTS: usize = 4;

/// A manifest's file.
pub(super) struct Seen {
    pub(super) path: PathBuf,
    pub(super) stem: String,
    pub(super) look: Option<FileLook>,
}

impl Seen {
    pub(super) fn of(path: PathBuf) -> Seen {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let stem = name.strip_suffix(ENDING).unwrap_or(&name).to_owned();
        Seen {
            look: look_at(&path),
            path,
            stem,
        }
    }
}

/// How a regular file looks; `None` for a link and everything else.
pub(super) fn look_at(path: &Path) -> Option<FileLook> {
    let seen = std::fs::symlink_metadata(path).ok()?;
    seen.is_file().then(|| FileLook::of(&seen))
}

/// A file's bytes with how it looked before and after they were read; `false` when it did not hold still.
pub(super) fn read_steadily(path: &Path, look: Option<FileLook>) -> Result<(Vec<u8>, FileLook, bool), Error> {
    let mut before = look;
    for attempt in 1.. {
        let bytes = manifest_read::read_bytes(path)?;
        let after = look_at(path);
        if let Some(look) = after
            && (after == before || attempt == ATTEMPTS)
        {
            return Ok((bytes, look, after == before));
        }
        if attempt >= ATTEMPTS {
            break;
        }
        before = after;
    }
    let gone = std::io::Error::from(std::io::ErrorKind::NotFound);
    Err(FileError::io("read", path, gone).into())
}
