//! What several of these tests stand on.

use std::path::{Path, PathBuf};

use jiff::civil::Date;
use jiff::tz::TimeZone;
use ken_files::Clock;
use ken_library::{AgentId, AgentType, Caller, Error, Library, Loaded, Manifest, ReadManifest, Report, View};
use ken_secrets::Redacted;

/// A view with the library that it is read from.
pub(crate) struct Seen {
    view: View,
    _shelf: Shelf,
}

impl std::ops::Deref for Seen {
    type Target = View;
    fn deref(&self) -> &View {
        &self.view
    }
}

/// A manifest's beginning that the schema passes.
pub(crate) const HEAD: &str = "spec_version: \"0.1\"\nagent:\n  id: sample\n  type: code-assistant\nlast_updated: \"2026-06-26T00:00:00Z\"\n";

/// A library in a folder of its own.
pub(crate) struct Shelf {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) library: Library,
}

impl Shelf {
    pub(crate) fn new() -> Shelf {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("agents")).unwrap();
        let library = Library::open(folder.path());
        Shelf { folder, library }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("agents").join(name)
    }

    pub(crate) fn put(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    /// A manifest of this agent whose rows are `rows`, in YAML.
    pub(crate) fn agent(&self, id: &str, rows: &str) -> PathBuf {
        let head = HEAD.replace("id: sample", &format!("id: {id}"));
        self.put(&format!("{id}.l5.yaml"), format!("{head}{rows}"))
    }

    pub(crate) fn load(&self) -> Loaded {
        self.library.load().unwrap()
    }

    /// What this caller sees, with the library that it is read from.
    pub(crate) fn view(self, caller: &Caller) -> Seen {
        Seen {
            view: self.load().view(caller),
            _shelf: self,
        }
    }

    /// The manifest of `sample`, which loads.
    pub(crate) fn sample(&self) -> Manifest {
        assert!(self.load().failures.is_empty());
        self.library.read(&id("sample")).unwrap().unwrap().manifest
    }

    pub(crate) fn write(&self, manifest: &Manifest, clock: &Clock) -> ken_library::Written {
        self.library
            .write(Redacted::new(manifest.clone()).0, clock)
            .unwrap()
    }
}

pub(crate) fn clock() -> Clock {
    clock_at("2026-06-30T12:00:00Z")
}

pub(crate) fn clock_at(time: &str) -> Clock {
    Clock::pinned(time.parse().unwrap(), TimeZone::UTC)
}

pub(crate) fn id(id: &str) -> AgentId {
    AgentId::new(id).unwrap()
}

pub(crate) fn manifest(agent: &str) -> Manifest {
    Manifest::new(id(agent), AgentType::CodeAssistant)
}

pub(crate) fn day(text: &str) -> Option<Date> {
    Some(text.parse().unwrap())
}

/// Reads a text as the manifest `sample.l5.yaml`.
pub(crate) fn read(text: impl AsRef<[u8]>) -> Result<ReadManifest, Error> {
    in_file(text, ken_library::read_manifest)
}

/// Validates a text as the manifest `sample.l5.yaml`.
pub(crate) fn validate(text: impl AsRef<[u8]>) -> Report {
    in_file(text, ken_library::validate_file).unwrap()
}

fn in_file<T>(text: impl AsRef<[u8]>, act: impl Fn(&Path) -> T) -> T {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sample.l5.yaml");
    std::fs::write(&path, text).unwrap();
    act(&path)
}

/// Findings without the folder that the test stands in.
pub(crate) fn lines(findings: &[ken_library::Finding]) -> String {
    findings
        .iter()
        .map(|finding| {
            let line = finding.to_string();
            let name = line.find("sample.l5.yaml").unwrap();
            line[name..].to_owned()
        })
        .collect::<Vec<_>>()
        .join("\n")
}

/// An error without the folder that the test stands in.
pub(crate) fn message(error: &Error) -> String {
    let line = error.to_string();
    match line.find("sample.l5.yaml") {
        Some(at) => line[at..].to_owned(),
        None => line,
    }
}
