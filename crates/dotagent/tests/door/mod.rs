mod containment;
mod index;
mod index_processes;
mod init;
mod laws;
mod learn;
mod lessons;
mod merges;
mod processes;
mod read;
mod repeats;
mod room;
mod salience;

use std::path::Path;

use jiff::Timestamp;
use jiff::tz::TimeZone;
use ken_dotagent::{Folder, Learned, Observation};
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

    pub(crate) fn with_log(bytes: impl AsRef<[u8]>) -> Project {
        let project = Project::new();
        project.write_log(bytes);
        project
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

    pub(crate) fn learn_at(&self, observation: Observation, at: &str) -> Learned {
        self.folder.learn(observation, &clock(at)).unwrap()
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

pub(crate) fn keyed(content: &str, key: &str) -> Observation {
    Observation {
        dedup_key: Some(key.to_owned()),
        ..said(content)
    }
}

/// A line of the contract's shape; `n` numbers its id.
pub(crate) fn line(n: u32, at: &str, content: &str) -> String {
    format!(
        r#"{{"schema_version":"1.0","id":"evt_01KRGZ0000000000{n:010}","timestamp":"{at}","content":"{content}","pain":5.0,"importance":5.0,"recurrence":0,"skill_action":"general","source_harness":"cli","pinned":false}}"#
    )
}
