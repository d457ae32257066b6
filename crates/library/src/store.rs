//! The library's folder: which files are manifests, and the one way in which a manifest is written.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use jiff::Timestamp;
use ken_files::{Clock, FileError, Lock, NewFile};
use ken_secrets::Redacted;
use sha2::{Digest, Sha256};

use crate::cache::ManifestCache;
use crate::fit::{Fitted, fit, shed};
use crate::load::{Bytes, load};
use crate::manifest_read::{self, MAX_BYTES, ReadManifest};
use crate::model::Manifest;
use crate::snapshot::Snapshot;
use crate::validate::{Severities, validate_text};
use crate::yaml_write::to_yaml;
use crate::{AgentId, Error, Finding};

/// How long a writer waits for another one.
const PATIENCE: Duration = Duration::from_secs(10);
/// More than the time of writing takes in the file.
const STAMP: usize = 64;
/// What every manifest's file name ends with.
pub(crate) const ENDING: &str = ".l5.yaml";

/// The library in a folder. Opening looks at nothing; a folder that is not there is an empty library.
#[derive(Debug, Clone)]
pub struct Library {
    root: PathBuf,
}

/// A manifest that could not be loaded.
#[derive(Debug)]
pub struct Failure {
    /// Its file.
    pub path: PathBuf,
    /// Why.
    pub error: Error,
}

/// Every manifest of the library that can be read, by agent.
#[derive(Debug, Default)]
pub struct Loaded {
    /// What was read. Nobody sees it but through [`Loaded::view`].
    pub(crate) snapshot: Arc<Snapshot>,
    /// Where it was read.
    pub(crate) library: Option<Library>,
    findings: OnceLock<Vec<Finding>>,
    /// What was not. One bad file never hides another.
    pub failures: Vec<Failure>,
}

/// What a write did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// There was no manifest of this agent.
    Created,
    /// The old bytes are in `versions/`.
    Replaced,
    /// The manifest on disk was equal but for `last_updated`; nothing was written.
    Unchanged,
}

/// A write that was acknowledged: the manifest is on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Written {
    /// What happened.
    pub outcome: Outcome,
    /// The manifest's file.
    pub path: PathBuf,
    /// Where the replaced bytes are kept.
    pub version: Option<PathBuf>,
    /// What was cut or left out to stay within the schema's bounds.
    pub fitted: Fitted,
}

impl Library {
    /// The library at `root`.
    pub fn open(root: impl Into<PathBuf>) -> Library {
        Library { root: root.into() }
    }

    /// Its folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where an agent's manifest is, or would be.
    pub fn manifest_path(&self, agent: &AgentId) -> PathBuf {
        self.root.join("agents").join(agent.file_name())
    }

    /// The manifests' files, in order of their names, whether or not they can be read. Nothing but `agents/*.l5.yaml`
    /// is one; an absent folder has none.
    pub fn manifest_files(&self) -> Result<Vec<PathBuf>, Error> {
        let folder = self.root.join("agents");
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(FileError::io("list", folder, error).into()),
        };
        let mut files = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|error| FileError::io("list", &folder, error))?;
            let name = entry.file_name();
            let name = name.to_string_lossy();
            // A leading dot marks a writer's temporary file.
            if name.ends_with(ENDING) && !name.starts_with('.') {
                files.push(entry.path());
            }
        }
        // They differ in their names only, and names are compared faster than paths.
        files.sort_unstable_by(|a, b| a.file_name().cmp(&b.file_name()));
        Ok(files)
    }

    /// The library as it is now. Every manifest is looked at, and only those that are new or changed are read: what was
    /// read before is remembered in `.ken/cache/` below the library's folder, when that can be written. Rows are read
    /// when a [`View`](crate::View) is asked for them.
    ///
    /// # Errors
    /// When the folder of the manifests cannot be listed. A manifest that cannot be read is one of
    /// [`Loaded::failures`], and caches never cause an error.
    pub fn load(&self) -> Result<Loaded, Error> {
        let (snapshot, failures) = load(self, Bytes::Dropped)?;
        Ok(Loaded {
            snapshot: Arc::new(snapshot),
            library: Some(self.clone()),
            failures,
            findings: OnceLock::new(),
        })
    }

    /// Reads the manifest of one agent; `None` when there is none.
    pub fn read(&self, agent: &AgentId) -> Result<Option<ReadManifest>, Error> {
        let path = self.manifest_path(agent);
        match std::fs::symlink_metadata(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            _ => load_file(&path).map(Some),
        }
    }

    /// Writes a manifest: the only way in which one is written.
    ///
    /// It is brought within the schema's bounds, stamped, validated, and read back before it lands. A manifest that is
    /// equal but for `last_updated` writes nothing. The bytes that it replaces go to `versions/` first. It is replaced
    /// atomically, under a lock that other processes respect.
    pub fn write(&self, manifest: Redacted<Manifest>, clock: &Clock) -> Result<Written, Error> {
        let agent = manifest.agent.id.clone();
        self.locked(&agent, clock, |_| Ok(manifest))
    }

    /// Writes what `make` makes of the agent's manifest (`None` when there is none) in its place, as
    /// [`Library::write`] does.
    /// Nobody else writes between the reading and the writing, so that what others put in is not lost.
    ///
    /// # Errors
    /// As [`Library::write`]; and when there is a manifest that cannot be read: then nothing is made.
    pub fn update(
        &self,
        agent: &AgentId,
        clock: &Clock,
        make: impl FnOnce(Option<&Manifest>) -> Redacted<Manifest>,
    ) -> Result<Written, Error> {
        self.locked(agent, clock, |library| {
            let existing = library.read(agent)?;
            Ok(make(existing.as_ref().map(|read| &read.manifest)))
        })
    }

    fn locked(
        &self,
        agent: &AgentId,
        clock: &Clock,
        make: impl FnOnce(&Library) -> Result<Redacted<Manifest>, Error>,
    ) -> Result<Written, Error> {
        let path = self.manifest_path(agent);
        let folders = [
            self.root.clone(),
            self.root.join("agents"),
            self.root.join(".ken"),
        ];
        for folder in &folders {
            ken_files::create_folder(folder, NewFile::Private)?;
        }
        let _lock = Lock::acquire(&folders[2].join("agents.lock"), "ken library", PATIENCE)?;
        // What a killed writer left is only in the way: that it cannot be removed stops nobody.
        for folder in [&folders[1], &self.versions(agent)] {
            let _ = ken_files::remove_leftovers(folder);
        }
        let mut manifest = make(self)?.into_inner();
        manifest.agent.id = agent.clone();
        let mut fitted = fit(&mut manifest);
        let size = to_yaml(&manifest).len() as u64;
        if size > MAX_BYTES {
            shed(&mut manifest, (size - MAX_BYTES) as usize + STAMP, &mut fitted);
        }
        let old = match std::fs::symlink_metadata(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            _ => Some(manifest_read::read_bytes(&path)?),
        };
        let now = clock.now();
        manifest.last_updated = Timestamp::from_second(now.as_second()).ok();
        if let Some(old) = &old
            && is_same(old, &manifest, &path)
        {
            return Ok(Written {
                outcome: Outcome::Unchanged,
                path,
                version: None,
                fitted,
            });
        }
        let text = checked(&manifest, &path)?;
        let version = match &old {
            Some(bytes) => Some(self.keep_version(agent, bytes, now)?),
            None => None,
        };
        ken_files::replace(&path, text.as_bytes(), NewFile::Private)?;
        Ok(Written {
            outcome: if old.is_some() {
                Outcome::Replaced
            } else {
                Outcome::Created
            },
            path,
            version,
            fitted,
        })
    }

    fn versions(&self, agent: &AgentId) -> PathBuf {
        self.root.join("versions").join(agent.as_str())
    }

    /// Puts the bytes that are about to be replaced into `versions/`.
    fn keep_version(&self, agent: &AgentId, bytes: &[u8], now: Timestamp) -> Result<PathBuf, Error> {
        let folder = self.versions(agent);
        ken_files::create_folder(&self.root.join("versions"), NewFile::Private)?;
        ken_files::create_folder(&folder, NewFile::Private)?;
        let digest = Sha256::digest(bytes);
        let short: String = digest.iter().take(4).map(|byte| format!("{byte:02x}")).collect();
        let path = folder.join(format!("{}-{short}{ENDING}", now.strftime("%Y%m%dT%H%M%SZ")));
        ken_files::replace(&path, bytes, NewFile::Private)?;
        Ok(path)
    }
}

impl Loaded {
    /// What could not be read, or was read in spite of itself, in the manifests that were loaded. It may quote a row of
    /// any level: it is for the person at the machine.
    pub fn findings(&self) -> impl Iterator<Item = &Finding> {
        let of = |at: usize| {
            let findings = self.snapshot.ask(at, ManifestCache::findings);
            // A manifest that changed meanwhile is told of when it is loaded again.
            findings.unwrap_or_default()
        };
        let all = || {
            let manifests = self.snapshot.manifests.iter().enumerate();
            let found = manifests.filter(|(_, shelved)| shelved.rows.findings);
            found.flat_map(|(at, _)| of(at)).collect()
        };
        self.findings.get_or_init(all).iter()
    }

    /// The agents that were loaded.
    pub fn agents(&self) -> impl Iterator<Item = &AgentId> {
        self.snapshot.manifests.iter().map(|shelved| &*shelved.agent)
    }
}

fn load_file(path: &Path) -> Result<ReadManifest, Error> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.strip_suffix(ENDING).unwrap_or(&name);
    let id = AgentId::new(stem).map_err(|source| Error::FileName {
        path: path.to_owned(),
        source,
    })?;
    manifest_read::read_text_of(&manifest_read::read_bytes(path)?, path, &id)
}

/// Whether the bytes on the disk are this manifest, but for the time of their regeneration.
fn is_same(old: &[u8], manifest: &Manifest, path: &Path) -> bool {
    let Ok(old) = manifest_read::read_text(old, path) else {
        return false;
    };
    let mut old = old.manifest;
    old.last_updated = manifest.last_updated;
    old == *manifest
}

/// The manifest's text, after the schema has passed it and it was read back.
fn checked(manifest: &Manifest, path: &Path) -> Result<String, Error> {
    let text = to_yaml(manifest);
    let invalid = validate_text(text.as_bytes(), path, Severities::Errors);
    let mut errors = invalid.into_iter();
    if let Some(first) = errors.next() {
        return Err(Error::Invalid {
            agent: manifest.agent.id.clone(),
            first: Box::new(first),
            rest: errors.len(),
        });
    }
    match manifest_read::read_text(text.as_bytes(), path) {
        Ok(read) if read.manifest == *manifest => Ok(text),
        _ => Err(Error::NotReadBack {
            agent: manifest.agent.id.clone(),
        }),
    }
}
