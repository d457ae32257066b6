//! Links in a folder that somebody else may have filled: a repository must not choose a place outside itself.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use ken_files::FileError;

use crate::Error;

/// Refuses a path that leads out of `root`, or into the `.git` of it, through links, and a link that leads nowhere:
/// a write would create the file that it names. A path at which nothing stands is judged by its folder.
pub(crate) fn check(path: &Path, root: &Path) -> Result<(), Error> {
    let unseen = |at: &Path, error| Error::File(FileError::io("follow", at, error));
    let root = std::fs::canonicalize(root).map_err(|error| unseen(root, error))?;
    let refused = |why: String| Error::Outside {
        path: path.to_owned(),
        why,
    };
    let real = match std::fs::canonicalize(path) {
        Ok(real) => real,
        Err(_) if path.is_symlink() => {
            let to = std::fs::read_link(path).unwrap_or_default();
            return Err(refused(format!(
                "is a link to {}, which leads to no file",
                to.display()
            )));
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            let Some(folder) = folder_of(path) else {
                return Ok(());
            };
            match std::fs::canonicalize(&folder) {
                Ok(folder) => folder.join(path.file_name().unwrap_or_default()),
                // Nothing can be read or written there.
                Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
                Err(error) => return Err(unseen(&folder, error)),
            }
        }
        Err(error) => return Err(unseen(path, error)),
    };
    match real.strip_prefix(&root) {
        Ok(inside) if inside.components().all(|part| part.as_os_str() != ".git") => Ok(()),
        Ok(_) => Err(refused(format!("leads to git's own {}", real.display()))),
        Err(_) => Err(refused(format!(
            "leads to {}, outside {}",
            real.display(),
            root.display()
        ))),
    }
}

/// The folder of a path, that of a bare name being `.`.
fn folder_of(path: &Path) -> Option<PathBuf> {
    let folder = path.parent()?;
    let bare = folder.as_os_str().is_empty();
    Some(if bare {
        PathBuf::from(".")
    } else {
        folder.to_owned()
    })
}
