//! The folder of the library's caches: what each file in it is called, and who may write there.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use ken_files::{CacheFile, CacheWriter, Lock, NewFile};

use super::{VERSION, WordsIndex, index, manifest, words};
use crate::AgentId;

/// What the files of manifests' caches end with, behind the version.
const ROWS: &str = ".rows";

/// The folder `.ken/cache/` of a library.
#[derive(Debug, Clone)]
pub(crate) struct Store {
    folder: PathBuf,
}

/// The right to write into the folder. Nobody waits for it: who does not get it works in memory.
#[derive(Debug)]
pub(crate) struct Writable<'a> {
    store: &'a Store,
    _lock: Lock,
}

impl Store {
    /// The caches of the library at `root`.
    pub(crate) fn of(root: &Path) -> Store {
        Store {
            folder: root.join(".ken").join("cache"),
        }
    }

    /// The index of all names.
    pub(crate) fn base(&self) -> PathBuf {
        self.folder.join(format!("names.v{VERSION}.base"))
    }

    /// What changed since the base was made.
    pub(crate) fn delta(&self) -> PathBuf {
        self.folder.join(format!("names.v{VERSION}.delta"))
    }

    /// The index of all words.
    pub(crate) fn words_base(&self) -> PathBuf {
        self.folder.join(format!("words.v{VERSION}.base"))
    }

    /// The words that came since that was made.
    pub(crate) fn words_delta(&self) -> PathBuf {
        self.folder.join(format!("words.v{VERSION}.delta"))
    }

    /// An index of words.
    pub(crate) fn words(&self, path: &Path) -> Option<WordsIndex> {
        WordsIndex::open(&CacheFile::open(path, &words::FORMAT)?)
    }

    fn rows(&self, agent: &AgentId) -> PathBuf {
        self.folder.join(format!("{agent}.v{VERSION}{ROWS}"))
    }

    /// The cache of an agent's manifest.
    pub(crate) fn manifest(&self, agent: &AgentId) -> Option<CacheFile> {
        CacheFile::open(&self.rows(agent), &manifest::FORMAT)
    }

    /// An index of names.
    pub(crate) fn index(&self, path: &Path) -> Option<index::Opened> {
        index::open(CacheFile::open(path, &index::FORMAT)?)
    }

    /// The right to write; `None` while another process has it, or where nothing can be written.
    pub(crate) fn writable(&self) -> Option<Writable<'_>> {
        let lock = self.folder.join("lock");
        let locked = match Lock::try_acquire(&lock, "ken library") {
            Err(_) => {
                self.make()?;
                Lock::try_acquire(&lock, "ken library")
            }
            locked => locked,
        };
        Some(Writable {
            store: self,
            _lock: locked.ok()??,
        })
    }

    /// Makes the folder, which no version control should carry away.
    fn make(&self) -> Option<()> {
        let private = self.folder.parent()?;
        for folder in [private, &self.folder] {
            ken_files::create_folder(folder, NewFile::Private).ok()?;
        }
        ken_files::replace(&self.folder.join(".gitignore"), b"*\n", NewFile::Private).ok()
    }
}

impl Writable<'_> {
    /// Keeps the cache of an agent's manifest; `None` when it cannot be written.
    pub(crate) fn keep_manifest(&self, agent: &AgentId, cache: &CacheWriter) -> Option<()> {
        cache.write(&self.store.rows(agent), NewFile::Private).ok()?;
        Some(())
    }

    /// Keeps an index at `path`; `None` when it cannot be written.
    pub(crate) fn keep_index(&self, path: &Path, cache: &CacheWriter) -> Option<CacheFile> {
        cache.write(path, NewFile::Private).ok()
    }

    /// Keeps an index of words at `path`, as the base if it is `whole`; `None` when it cannot be written.
    pub(crate) fn keep_words(&self, path: &Path, whole: bool, cache: &CacheWriter) -> Option<CacheFile> {
        let written = cache.write(path, NewFile::Private).ok()?;
        if whole {
            let _ = std::fs::remove_file(self.store.words_delta());
        }
        // What was written is mapped rather than held.
        Some(CacheFile::open(path, &words::FORMAT).unwrap_or(written))
    }

    /// Removes the delta, which the base has taken in.
    pub(crate) fn drop_delta(&self) {
        let _ = std::fs::remove_file(self.store.delta());
    }

    /// Removes the caches of manifests that are gone, of whatever version, and what killed writers left.
    pub(crate) fn sweep(&self, agents: &HashSet<&str>) {
        let _ = ken_files::remove_leftovers(&self.store.folder);
        let Ok(entries) = std::fs::read_dir(&self.store.folder) else {
            return;
        };
        for entry in entries.flatten() {
            let name = entry.file_name();
            let agent = name
                .to_str()
                .and_then(|name| name.strip_suffix(ROWS))
                .and_then(|name| name.rsplit_once(".v"))
                .filter(|(_, version)| version.bytes().all(|byte| byte.is_ascii_digit()))
                .map(|(agent, _)| agent);
            if agent.is_some_and(|agent| !agents.contains(agent)) {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}
