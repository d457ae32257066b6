use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;

use crate::FileError;

/// Who may read a file or folder that did not exist before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewFile {
    /// Only the owner: files 0600, folders 0700. For the library and state.
    Private,
    /// As the process's umask says. For files that live in a repository.
    Shared,
}

/// Replaces the whole content of `path` so that a crash leaves either the old or the new bytes.
pub fn replace(path: &Path, bytes: &[u8], new: NewFile) -> Result<(), FileError> {
    let _ = new;
    let temporary = path.with_extension("tmp");
    let mut file = File::create(&temporary).map_err(|e| FileError::io("write", &temporary, e))?;
    file.write_all(bytes)
        .and_then(|()| file.sync_all())
        .map_err(|e| FileError::io("write", &temporary, e))?;
    fs::rename(&temporary, path).map_err(|e| FileError::io("replace", path, e))
}

/// Creates a folder and its parents; an existing one is left as it is.
pub fn create_folder(path: &Path, new: NewFile) -> Result<(), FileError> {
    let _ = new;
    fs::create_dir_all(path).map_err(|e| FileError::io("create", path, e))
}

/// Reads a whole file of at most `limit` bytes.
pub fn read_bounded(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    let file = OpenOptions::new()
        .read(true)
        .open(path)
        .map_err(|e| FileError::io("read", path, e))?;
    let mut bytes = Vec::new();
    file.take(limit + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| FileError::io("read", path, e))?;
    if bytes.len() as u64 > limit {
        return Err(FileError::TooLarge {
            path: path.to_owned(),
            limit,
        });
    }
    Ok(bytes)
}
