//! What is in a Claude Code home: listed in a fixed order, never out of the folder.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// A file of the store with its size at the time of listing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Listed {
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
}

/// A conversation: its own transcript, and those of its helpers.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    pub(crate) own: Option<Listed>,
    pub(crate) helpers: Vec<Listed>,
}

/// A folder below `projects/`.
#[derive(Debug, Default)]
pub(crate) struct Folder {
    pub(crate) slug: String,
    /// By session id.
    pub(crate) conversations: BTreeMap<String, Conversation>,
    /// Helpers' transcripts of earlier versions, which lie beside their parents and name them inside.
    pub(crate) stray_helpers: Vec<Listed>,
    pub(crate) memories: Vec<Listed>,
}

/// The whole store.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    pub(crate) folders: Vec<Folder>,
    pub(crate) history: Option<Listed>,
    /// Links that lead out of the store, and are not followed.
    pub(crate) links: u64,
    /// Folders and files that cannot be looked at, with the reason.
    pub(crate) unreadable: Vec<(PathBuf, io::Error)>,
}

impl Listing {
    /// Lists the store. Fails only when `projects/` is there and cannot be listed.
    pub(crate) fn of(home: &Path) -> Result<Listing, (PathBuf, io::Error)> {
        let root = fs::canonicalize(home).map_err(|e| (home.to_owned(), e))?;
        let mut listing = Listing::default();
        listing.history = listing.file(&root, &root.join("history.jsonl"));
        let projects = root.join("projects");
        let slugs = match names(&projects) {
            Ok(slugs) => slugs,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err((projects, error)),
        };
        for slug in slugs {
            let path = projects.join(&slug);
            if let Some(folder) = listing.folder(&root, &path, &slug) {
                listing.folders.push(folder);
            }
        }
        Ok(listing)
    }

    /// All bytes that an export reads.
    pub(crate) fn bytes(&self) -> u64 {
        self.files().map(|file| file.bytes).sum()
    }

    fn files(&self) -> impl Iterator<Item = &Listed> {
        self.history.iter().chain(self.folders.iter().flat_map(|folder| {
            let conversations = folder
                .conversations
                .values()
                .flat_map(|c| c.own.iter().chain(&c.helpers));
            conversations.chain(&folder.stray_helpers).chain(&folder.memories)
        }))
    }

    fn folder(&mut self, root: &Path, path: &Path, slug: &str) -> Option<Folder> {
        let path = self.inside(root, path)?;
        if !path.is_dir() {
            return None;
        }
        let mut folder = Folder {
            slug: slug.to_owned(),
            ..Folder::default()
        };
        for name in self.names_or_note(&path) {
            let entry = path.join(&name);
            if let Some(id) = name.strip_suffix(".jsonl") {
                let Some(file) = self.file(root, &entry) else {
                    continue;
                };
                if id.starts_with("agent-") {
                    folder.stray_helpers.push(file);
                } else {
                    folder.conversations.entry(id.to_owned()).or_default().own = Some(file);
                }
            } else if name == "memory" {
                folder.memories = self.files_in(root, &entry, ".md");
            } else if let Some(inside) = self.inside(root, &entry).filter(|inside| inside.is_dir()) {
                let helpers = self.files_in(root, &inside.join("subagents"), ".jsonl");
                if !helpers.is_empty() {
                    folder.conversations.entry(name).or_default().helpers = helpers;
                }
            }
        }
        // The index of the memory first, then its topics.
        folder
            .memories
            .sort_by_key(|file| (!file.path.ends_with("MEMORY.md"), file.path.clone()));
        Some(folder)
    }

    /// The files of a folder with this ending; nothing when the folder is not there.
    fn files_in(&mut self, root: &Path, folder: &Path, ending: &str) -> Vec<Listed> {
        let Some(folder) = self.inside(root, folder).filter(|folder| folder.is_dir()) else {
            return Vec::new();
        };
        let names = self.names_or_note(&folder);
        names
            .iter()
            .filter(|name| name.ends_with(ending))
            .filter_map(|name| self.file(root, &folder.join(name)))
            .collect()
    }

    fn names_or_note(&mut self, folder: &Path) -> Vec<String> {
        names(folder).unwrap_or_else(|error| {
            self.unreadable.push((folder.to_owned(), error));
            Vec::new()
        })
    }

    fn file(&mut self, root: &Path, path: &Path) -> Option<Listed> {
        let path = self.inside(root, path)?;
        let about = fs::metadata(&path).ok()?;
        about.is_file().then_some(Listed {
            bytes: about.len(),
            path,
        })
    }

    /// The real path, when it is inside the store.
    fn inside(&mut self, root: &Path, path: &Path) -> Option<PathBuf> {
        match fs::canonicalize(path) {
            Ok(real) if real.starts_with(root) => Some(real),
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

/// The names in a folder, in the order of their bytes. Names that are not UTF-8 are none of this tool's.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        names.extend(entry?.file_name().into_string().ok());
    }
    names.sort();
    Ok(names)
}

/// A path as the tool spells it in a folder's name: everything but letters and digits becomes a dash.
pub(crate) fn slug_of(path: &str) -> String {
    path.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect()
}
