//! A folder with a file of edicts, and a clock that stands still.

use std::path::PathBuf;

use jiff::tz::TimeZone;
use ken_edicts::{Edicts, Error, Limits, NewEdict, Store, Written};
use ken_files::Clock;
use tempfile::TempDir;

pub(crate) const EXAMPLE: &str = include_str!("example.yaml");

/// A clock that always shows this time, in UTC.
pub(crate) fn clock_at(time: &str) -> Clock {
    Clock::pinned(time.parse().unwrap(), TimeZone::UTC)
}

/// The time of the contract's example.
pub(crate) fn noon() -> Clock {
    clock_at("2025-03-20T12:00:00Z")
}

pub(crate) struct Project {
    pub(crate) folder: TempDir,
    pub(crate) store: Store,
    pub(crate) path: PathBuf,
}

impl Project {
    /// With a file of this name and text.
    pub(crate) fn named(name: &str, text: &str) -> Project {
        let project = Project::without_file(name);
        std::fs::write(&project.path, text).unwrap();
        project
    }

    pub(crate) fn yaml(text: &str) -> Project {
        Project::named("edicts.yaml", text)
    }

    pub(crate) fn without_file(name: &str) -> Project {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("repo").join(name);
        std::fs::create_dir(folder.path().join("repo")).unwrap();
        let store = Store::new(&path, Some(folder.path().join("state")));
        Project { folder, store, path }
    }

    pub(crate) fn text(&self) -> String {
        std::fs::read_to_string(&self.path).unwrap()
    }

    pub(crate) fn load(&self) -> Edicts {
        self.store.load(&noon()).unwrap()
    }

    /// Adds at the time of the example.
    pub(crate) fn add(&self, new: NewEdict) -> Result<Written, Error> {
        self.store.add(new, &Limits::default(), &noon())
    }

    /// Every finding, one a line, with the folder left out.
    pub(crate) fn findings(&self) -> String {
        let edicts = self.load();
        let folder = format!("{}/", self.path.parent().unwrap().display());
        edicts
            .findings
            .iter()
            .map(|finding| format!("{finding}\n").replace(&folder, ""))
            .collect()
    }
}
