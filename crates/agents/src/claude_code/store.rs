//! What is in a Claude Code home: listed in a fixed order, never out of the folder.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::tree::{Listed, Tree, names};

/// Larger settings are not read.
const MAX_SETTINGS: u64 = 4 * 1024 * 1024;

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
    /// Memory files where the person's settings put them: those of all projects together.
    pub(crate) shared_memories: Vec<Listed>,
    /// Where all of it is, and what of it cannot be read.
    pub(crate) tree: Tree,
}

impl Listing {
    /// Lists the store of a person with this home directory. Fails only when `projects/` is there and cannot be listed.
    pub(crate) fn of(home: &Path, person: &Path) -> Result<Listing, (PathBuf, io::Error)> {
        let mut listing = Listing {
            tree: Tree::of(home)?,
            ..Listing::default()
        };
        let root = listing.tree.root.clone();
        listing.history = listing.tree.file(&root.join("history.jsonl"));
        if let Some(folder) = memory_folder(&root, person)
            && let Ok(mut elsewhere) = Tree::of(&folder)
        {
            let folder = elsewhere.root.clone();
            listing.shared_memories = elsewhere.files_in(&folder, ".md");
        }
        let projects = root.join("projects");
        let slugs = match names(&projects) {
            Ok(slugs) => slugs,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err((projects, error)),
        };
        for slug in slugs {
            let folder = folder(&mut listing.tree, &projects.join(&slug), slug);
            listing.folders.extend(folder);
        }
        Ok(listing)
    }

    /// All bytes that an export reads.
    pub(crate) fn bytes(&self) -> u64 {
        self.files().map(|file| file.bytes).sum()
    }

    fn files(&self) -> impl Iterator<Item = &Listed> {
        let shared = self.history.iter().chain(&self.shared_memories);
        shared.chain(self.folders.iter().flat_map(|folder| {
            let conversations = folder
                .conversations
                .values()
                .flat_map(|c| c.own.iter().chain(&c.helpers));
            conversations.chain(&folder.stray_helpers).chain(&folder.memories)
        }))
    }
}

/// `autoMemoryDirectory` of the person's own settings.
fn memory_folder(root: &Path, person: &Path) -> Option<PathBuf> {
    let settings = ken_files::read_bounded(&root.join("settings.json"), MAX_SETTINGS).ok()?;
    let settings: serde_json::Value = serde_json::from_slice(&settings).ok()?;
    let folder = settings.get("autoMemoryDirectory")?.as_str()?;
    let folder = match folder.strip_prefix("~/") {
        Some(inside) => person.join(inside),
        None => PathBuf::from(folder),
    };
    folder.is_absolute().then_some(folder)
}

fn folder(tree: &mut Tree, path: &Path, slug: String) -> Option<Folder> {
    let path = tree.folder(path)?;
    let mut folder = Folder {
        slug,
        ..Folder::default()
    };
    for name in tree.names(&path) {
        let entry = path.join(&name);
        if let Some(id) = name.strip_suffix(".jsonl") {
            let Some(file) = tree.file(&entry) else {
                continue;
            };
            if id.starts_with("agent-") {
                folder.stray_helpers.push(file);
            } else {
                folder.conversations.entry(id.to_owned()).or_default().own = Some(file);
            }
        } else if name == "memory" {
            folder.memories = tree.files_in(&entry, ".md");
        } else if let Some(inside) = tree.folder(&entry) {
            let helpers = tree.files_in(&inside.join("subagents"), ".jsonl");
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

/// A path as the tool spells it in a folder's name: everything but letters and digits becomes a dash.
pub(crate) fn slug_of(path: &str) -> String {
    path.chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect()
}
