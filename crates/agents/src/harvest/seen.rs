//! What was once seen of sessions and folders, for when the store or the disk does not show it any more.
//!
//! A prompt outlives its session, and a session outlives the folder that it took place in. What is left does not say
//! that memory was switched off, that the place was private, or which repository a removed work tree belonged to: that
//! is remembered here. One private file a store, in a folder of this program's own. Without it, what nobody knows the
//! place of is private.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::digests::write;
use super::redact::Redactor;

/// Sessions remembered that are not to be told, and those that are; of more, the oldest go.
const MAX_WITHHELD: usize = 20_000;
const MAX_TOLD: usize = 5_000;
/// Folders remembered, with their repositories.
const MAX_FOLDERS: usize = 4_000;
/// A larger file is not one.
const MAX_BYTES: u64 = 16 * 1024 * 1024;

/// How a session stood when it was seen last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Standing {
    /// The person had switched memory off for it.
    Off,
    /// It took place where it is nobody else's business.
    Private,
    /// It was told, as one of this folder.
    Told { folder: PathBuf, in_repository: bool },
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Session {
    /// Its last activity, in seconds since 1970; of too many, the oldest go.
    at: i64,
    standing: Standing,
}

/// The work tree that a folder is or was in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Tree {
    /// The git folder that all work trees of the repository share.
    pub(crate) repository: PathBuf,
    /// The work tree's own folder.
    pub(crate) root: PathBuf,
}

/// A repository, as far as a row needs it when nothing of it is left.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Repository {
    /// The main work tree.
    pub(crate) root: PathBuf,
    pub(crate) name: Option<String>,
    pub(crate) aliases: Vec<String>,
    /// See [`super::project::remote_key`].
    pub(crate) remote: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
struct Held {
    /// By a hash of the session's id.
    sessions: BTreeMap<String, Session>,
    folders: BTreeMap<PathBuf, Tree>,
    repositories: BTreeMap<PathBuf, Repository>,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    file: Option<PathBuf>,
    before: Held,
    now: Held,
}

impl Seen {
    /// What the file holds; nothing when it is not there or is damaged. Without a file nothing is remembered.
    pub(crate) fn open(file: Option<&Path>) -> Seen {
        let before: Held = file
            .and_then(|file| ken_files::read_bounded_no_link(file, MAX_BYTES).ok())
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        Seen {
            file: file.map(Path::to_owned),
            now: before.clone(),
            before,
        }
    }

    /// How the session stood.
    pub(crate) fn standing(&self, id: &str) -> Option<&Standing> {
        self.now.sessions.get(&key(id)).map(|session| &session.standing)
    }

    /// Whether memory was ever seen to be switched off for the session.
    pub(crate) fn is_off(&self, id: &str) -> bool {
        self.standing(id) == Some(&Standing::Off)
    }

    /// The session stands so now.
    pub(crate) fn session(&mut self, id: &str, last: Option<Timestamp>, standing: Standing) {
        let session = Session {
            at: last.map_or(i64::MAX, Timestamp::as_second),
            standing,
        };
        self.now.sessions.insert(key(id), session);
    }

    /// The work tree that a folder which is gone was in.
    pub(crate) fn tree(&self, folder: &Path) -> Option<Tree> {
        folder
            .ancestors()
            .take_while(|ancestor| !ancestor.is_dir())
            .find_map(|ancestor| self.now.folders.get(ancestor))
            .cloned()
    }

    /// Folders that sessions took place in, and that were in a repository.
    pub(crate) fn folders(&self) -> impl Iterator<Item = &Path> {
        self.now.folders.keys().map(PathBuf::as_path)
    }

    /// The folder is in this work tree.
    pub(crate) fn folder(&mut self, folder: &Path, tree: Tree) {
        self.now.folders.insert(tree.root.clone(), tree.clone());
        self.now.folders.insert(folder.to_owned(), tree);
    }

    pub(crate) fn repository(&self, id: &Path) -> Option<&Repository> {
        self.now.repositories.get(id)
    }

    /// Repositories with this remote, whether or not they are still there.
    pub(crate) fn with_remote<'a>(
        &'a self,
        remote: &'a str,
    ) -> impl Iterator<Item = (&'a Path, &'a Repository)> {
        let repositories = self.now.repositories.iter();
        repositories
            .filter(move |(_, repository)| repository.remote.as_deref() == Some(remote))
            .map(|(id, repository)| (id.as_path(), repository))
    }

    /// The repository is like this.
    pub(crate) fn repository_is(&mut self, id: &Path, repository: Repository) {
        self.now.repositories.insert(id.to_owned(), repository);
    }

    /// Keeps it. What cannot be kept is not remembered: then less is told, not more.
    pub(crate) fn close(mut self) {
        self.bound();
        let Some(file) = self.file.filter(|_| self.now != self.before) else {
            return;
        };
        let aside = file.with_extension(format!("{}", std::process::id()));
        if let Ok(bytes) = serde_json::to_vec(&self.now) {
            let kept = write(&aside, &bytes).is_ok() && fs::rename(&aside, &file).is_ok();
            if !kept {
                let _ = fs::remove_file(&aside);
            }
        }
    }

    /// Only as much as is held, and nothing in which a credential stands: paths and names are as the tool noted them.
    fn bound(&mut self) {
        let (before, now) = (&self.before, &mut self.now);
        let mut eye = Redactor::default();
        let mut clean = |path: &Path| eye.path(&path.to_string_lossy()) == path.to_string_lossy();
        now.folders.retain(|folder, tree| {
            before.folders.get(folder) == Some(tree)
                || clean(folder) && clean(&tree.root) && clean(&tree.repository)
        });
        now.sessions.retain(|id, session| match &session.standing {
            Standing::Told { folder, .. } => before.sessions.get(id) == Some(session) || clean(folder),
            _ => true,
        });
        for (withheld, most) in [(true, MAX_WITHHELD), (false, MAX_TOLD)] {
            let mine = |session: &Session| matches!(session.standing, Standing::Told { .. }) != withheld;
            let mut times: Vec<(i64, String)> = now
                .sessions
                .iter()
                .filter(|(_, session)| mine(session))
                .map(|(id, session)| (session.at, id.clone()))
                .collect();
            times.sort();
            for (_, id) in times.iter().rev().skip(most) {
                now.sessions.remove(id);
            }
        }
        // What is still there need not be remembered as long.
        let mut excess = now.folders.len().saturating_sub(MAX_FOLDERS);
        for there in [true, false] {
            now.folders.retain(|folder, _| {
                let goes = excess > 0 && folder.is_dir() == there;
                excess -= usize::from(goes);
                !goes
            });
        }
        let used: std::collections::BTreeSet<PathBuf> =
            now.folders.values().map(|tree| tree.repository.clone()).collect();
        let mut eye = Redactor::default();
        now.repositories.retain(|id, repository| {
            let words = [&repository.name, &repository.remote];
            let words = words.into_iter().flatten().chain(&repository.aliases);
            let words: Vec<&str> = words.map(String::as_str).collect();
            let words = words.join("\n");
            used.contains(id)
                && (before.repositories.get(id) == Some(repository) || eye.text(&words) == words)
        });
    }
}

fn key(id: &str) -> String {
    blake3::hash(id.as_bytes()).to_hex()[..24].to_owned()
}
