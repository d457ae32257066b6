//! What is in a Codex home: listed in a fixed order, never out of the folder.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::tree::{Listed, Tree};

/// How the name of a rollout begins.
const ROLLOUT: &str = "rollout-";

/// Any of these makes a store of a folder, as does a database. Settings alone do not.
const USED: &[&str] = &[
    "sessions",
    "archived_sessions",
    "history.jsonl",
    "memories/MEMORY.md",
    "memories/memory_summary.md",
    "memories/rollout_summaries",
];

/// Whether the folder holds anything that an export reads.
pub(crate) fn is_one(home: &Path) -> bool {
    let database = || {
        let names = std::fs::read_dir(home).into_iter().flatten().flatten();
        names
            .map(|entry| entry.file_name())
            .any(|name| name.to_str().and_then(state_number).is_some())
    };
    USED.iter().any(|name| home.join(name).exists()) || database()
}

/// The whole store.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    /// Rollouts by their names without ending, which begin with the time of the session's start.
    pub(crate) rollouts: BTreeMap<String, Listed>,
    pub(crate) history: Option<Listed>,
    pub(crate) names: Option<Listed>,
    /// `state_<number>.sqlite` with the highest number: each version of the database's layout has its own file.
    pub(crate) state: Option<Listed>,
    pub(crate) memories: Vec<Listed>,
    /// Where all of it is, and what of it cannot be read.
    pub(crate) tree: Tree,
}

impl Listing {
    /// Lists the store. Fails only when its folder cannot be looked at.
    pub(crate) fn of(home: &Path) -> Result<Listing, (PathBuf, io::Error)> {
        let mut listing = Listing {
            tree: Tree::of(home)?,
            ..Listing::default()
        };
        let root = listing.tree.root.clone();
        listing.history = listing.tree.file(&root.join("history.jsonl"));
        listing.names = listing.tree.file(&root.join("session_index.jsonl"));
        // Days are folders; what lies in the archive lies flat.
        for year in listing.folders(&root.join("sessions")) {
            listing.rollouts_of(&year);
            for month in listing.folders(&year) {
                for day in listing.folders(&month) {
                    listing.rollouts_of(&day);
                }
            }
        }
        listing.rollouts_of(&root.join("sessions"));
        listing.rollouts_of(&root.join("archived_sessions"));
        let newest = listing
            .tree
            .names(&root)
            .into_iter()
            .filter_map(|name| Some((state_number(&name)?, name)))
            .max();
        listing.state = newest.and_then(|(_, name)| listing.tree.file(&root.join(name)));
        listing.memories_of(&root.join("memories"));
        Ok(listing)
    }

    /// All bytes that an export reads.
    pub(crate) fn bytes(&self) -> u64 {
        let one = [&self.history, &self.names, &self.state];
        self.rollouts
            .values()
            .chain(one.into_iter().flatten())
            .chain(&self.memories)
            .map(|file| file.bytes)
            .sum()
    }

    fn folders(&mut self, of: &Path) -> Vec<PathBuf> {
        let Some(of) = self.tree.folder(of) else {
            return Vec::new();
        };
        let names = self.tree.names(&of);
        let numbered = |name: &&String| name.bytes().all(|b| b.is_ascii_digit());
        names
            .iter()
            .filter(numbered)
            .filter_map(|name| self.tree.folder(&of.join(name)))
            .collect()
    }

    fn rollouts_of(&mut self, folder: &Path) {
        let Some(folder) = self.tree.folder(folder) else {
            return;
        };
        // In this order: while a rollout is being compressed, both lie there, and the plain one is whole.
        for ending in [".jsonl", ".jsonl.zst"] {
            for name in self.tree.names(&folder) {
                let Some(stem) = name.strip_suffix(ending).filter(|stem| stem.starts_with(ROLLOUT)) else {
                    continue;
                };
                if !self.rollouts.contains_key(stem)
                    && let Some(file) = self.tree.file(&folder.join(&name))
                {
                    self.rollouts.insert(stem.to_owned(), file);
                }
            }
        }
    }

    /// What the agent keeps for itself to read again. Its raw material is the sessions once more, and what lies in
    /// `extensions/` other programs put there, this one among them.
    fn memories_of(&mut self, folder: &Path) {
        for name in ["MEMORY.md", "memory_summary.md"] {
            let file = self.tree.file(&folder.join(name));
            self.memories.extend(file);
        }
        let summaries = self.tree.files_in(&folder.join("rollout_summaries"), ".md");
        self.memories.extend(summaries);
    }
}

fn state_number(name: &str) -> Option<u64> {
    name.strip_prefix("state_")?.strip_suffix(".sqlite")?.parse().ok()
}

/// The session's id in a rollout's name, `rollout-2026-07-17T10-00-00-<uuid>`; the whole name when it has none.
pub(crate) fn id_of(stem: &str) -> &str {
    stem.len()
        .checked_sub(36)
        .and_then(|at| stem.get(at..))
        .filter(|id| id.bytes().filter(|b| *b == b'-').count() == 4)
        .unwrap_or(stem)
}
