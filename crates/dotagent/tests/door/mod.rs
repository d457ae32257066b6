mod learn;

use std::path::Path;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use ken_dotagent::{Folder, Observation};
use ken_files::Clock;

/// A project with a fresh `.agent/`, gone when dropped.
pub(crate) struct Project {
    place: tempfile::TempDir,
    pub(crate) folder: Folder,
}

impl Project {
    pub(crate) fn new() -> Project {
        let place = tempfile::tempdir().unwrap();
        let (folder, _) = Folder::init(place.path()).unwrap();
        Project { place, folder }
    }

    pub(crate) fn root(&self) -> &Path {
        self.place.path()
    }

    pub(crate) fn log_text(&self) -> String {
        std::fs::read_to_string(self.folder.log_path()).unwrap()
    }

    pub(crate) fn write_log(&self, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.folder.log_path(), bytes).unwrap();
    }
}

pub(crate) fn time(text: &str) -> Timestamp {
    text.parse().unwrap()
}

pub(crate) fn clock(text: &str) -> Clock {
    Clock::pinned(time(text), TimeZone::UTC)
}

pub(crate) fn noon() -> Clock {
    clock("2026-05-13T12:00:00Z")
}

pub(crate) fn said(content: &str) -> Observation {
    Observation::new(content, "cli")
}
