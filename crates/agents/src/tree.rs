//! The files of a tool's store: listed in a fixed order, never out of its folder.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use ken_files::FileError;

use crate::participant::{ExportError, Skipped};

/// A file of a store with its size at the time of listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
}

/// A store's folder, and what was met in it that cannot be read.
#[derive(Debug, Default)]
pub(crate) struct Tree {
    pub(crate) root: PathBuf,
    /// Links that lead out of the store, and are not followed.
    pub(crate) links: u64,
    /// Folders and files that cannot be looked at, with the reason.
    pub(crate) unreadable: Vec<(PathBuf, io::Error)>,
}

impl Tree {
    /// Fails with the first file or folder that could not be read, when some could not and nothing was: then what was
    /// read is not what the store holds, and must not replace what it held before.
    pub(crate) fn something_was_read(
        &self,
        read: u64,
        unreadable: Option<(PathBuf, io::Error)>,
    ) -> Result<(), ExportError> {
        let again = |(path, error): &(PathBuf, io::Error)| (path.clone(), io::Error::from(error.kind()));
        match unreadable.or_else(|| self.unreadable.first().map(again)) {
            Some((path, source)) if read == 0 => Err(ExportError::Unreadable { path, source }),
            _ => Ok(()),
        }
    }

    /// The tree below `root`; fails when that folder cannot be looked at.
    pub(crate) fn of(root: &Path) -> Result<Tree, (PathBuf, io::Error)> {
        let real = fs::canonicalize(root).map_err(|error| (root.to_owned(), error))?;
        Ok(Tree {
            root: real,
            ..Tree::default()
        })
    }

    /// The names in a folder, in the order of their bytes; none, and no word about it, when the folder is not there.
    pub(crate) fn names(&mut self, folder: &Path) -> Vec<String> {
        match names(folder) {
            Ok(names) => names,
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    self.unreadable.push((folder.to_owned(), error));
                }
                Vec::new()
            }
        }
    }

    /// A regular file of the store, by its real path.
    pub(crate) fn file(&mut self, path: &Path) -> Option<Listed> {
        let path = self.inside(path)?;
        let about = fs::metadata(&path).ok()?;
        about.is_file().then_some(Listed {
            bytes: about.len(),
            path,
        })
    }

    /// A folder of the store, by its real path.
    pub(crate) fn folder(&mut self, path: &Path) -> Option<PathBuf> {
        self.inside(path).filter(|inside| inside.is_dir())
    }

    /// The files of a folder with this ending; nothing when the folder is not there.
    pub(crate) fn files_in(&mut self, folder: &Path, ending: &str) -> Vec<Listed> {
        let Some(folder) = self.folder(folder) else {
            return Vec::new();
        };
        let names = self.names(&folder);
        names
            .iter()
            .filter(|name| name.ends_with(ending))
            .filter_map(|name| self.file(&folder.join(name)))
            .collect()
    }

    /// What was left out because it cannot be read, beside `unreadable` files that were met elsewhere.
    pub(crate) fn skipped(&self, unreadable: u64) -> impl Iterator<Item = Skipped> {
        let unreadable = unreadable + self.unreadable.len() as u64;
        [
            (unreadable, "files or folders that cannot be read"),
            (self.links, "links that lead out of the store"),
        ]
        .into_iter()
        .filter_map(|(count, what)| Skipped::some(count, what))
    }

    /// What is wrong with the store, one sentence each.
    pub(crate) fn problems(&self) -> Vec<String> {
        let links = (self.links > 0).then(|| {
            format!(
                "{} links in {} lead out of it and are not followed; move their targets in to have them read",
                self.links,
                self.root.display()
            )
        });
        let unreadable = self
            .unreadable
            .iter()
            .map(|(path, error)| format!("cannot read {}: {error}; check its permissions", path.display()));
        links.into_iter().chain(unreadable).collect()
    }

    /// The real path, when it is inside the store.
    fn inside(&mut self, path: &Path) -> Option<PathBuf> {
        match fs::canonicalize(path) {
            Ok(real) if real.starts_with(&self.root) => Some(real),
            Ok(_) => {
                self.links += 1;
                None
            }
            Err(error) => {
                if error.kind() != io::ErrorKind::NotFound {
                    self.unreadable.push((path.to_owned(), error));
                }
                None
            }
        }
    }
}

/// Opens a file of a store to read it. Only what is a regular file is opened, also when it was exchanged after it was
/// listed: nobody waits for the other end of a pipe.
pub(crate) fn open(path: &Path) -> io::Result<File> {
    ken_files::open_file(File::options().read(true), path).map_err(|error| match error {
        FileError::Io { source, .. } => source,
        _ => io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"),
    })
}

/// The names in a folder, in the order of their bytes. Names that are not UTF-8 are no tool's.
pub(crate) fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.extend(entry?.file_name().into_string().ok());
    }
    names.sort();
    Ok(names)
}
