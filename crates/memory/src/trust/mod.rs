mod mark;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use ken_files::{Clock, Lock, NewFile};
use serde::{Deserialize, Serialize};

use crate::{Error, Project};

/// What changed when a repository was trusted, or no longer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trust {
    /// The project's name.
    pub project: String,
    /// The identity that the decision is kept under.
    pub identity: String,
    /// Whether it is trusted now.
    pub trusted: bool,
    /// Whether that was different before.
    pub changed: bool,
}

/// The decisions of this machine's person about what repositories carry, by project identity: `trust.json` in the
/// state folder.
#[derive(Debug, Clone)]
pub(crate) struct TrustFile {
    path: PathBuf,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Decisions {
    version: u32,
    trusted: BTreeMap<String, Decision>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Decision {
    since: Timestamp,
    name: String,
    /// What the repository bore then ([`mark`]); none where nothing could be written into it, and in files of before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    mark: Option<String>,
    #[serde(flatten)]
    extra: serde_json::Map<String, serde_json::Value>,
}

impl Decisions {
    fn holds(&self, project: &Project) -> bool {
        self.trusted
            .get(&key(project))
            .is_some_and(|decision| decision.mark.is_none() || decision.mark == mark::read(project))
    }
}

const LIMIT: u64 = 16 * 1024 * 1024;
const PATIENCE: Duration = Duration::from_secs(5);

impl TrustFile {
    pub(crate) fn new(state: &Path) -> TrustFile {
        TrustFile {
            path: state.join("trust.json"),
        }
    }

    /// Whether the project was trusted: a decision stands under its identity, and it is the repository that was meant. A
    /// file that cannot be read trusts nothing; that is an error, so that the person hears of it.
    pub(crate) fn holds(&self, project: &Project) -> Result<bool, Error> {
        Ok(self.read()?.holds(project))
    }

    /// Everything that [`TrustFile::holds`] reads: as long as these look the same, its answer is.
    pub(crate) fn rests_on(&self, project: &Project) -> [PathBuf; 2] {
        [self.path.clone(), mark::path(project)]
    }

    /// Keeps a decision; durable when it returns.
    pub(crate) fn decide(&self, project: &Project, trusted: bool, clock: &Clock) -> Result<Trust, Error> {
        let folder = self.path.parent().unwrap_or(Path::new("."));
        ken_files::create_folder(folder, NewFile::Private)?;
        let _lock = Lock::acquire(&folder.join("trust.lock"), "ken trust", PATIENCE)?;
        let mut decisions = self.read()?;
        let identity = key(project);
        let before = decisions.holds(project);
        let stale = decisions.trusted.contains_key(&identity) && !trusted;
        if before != trusted || stale {
            if trusted {
                let decision = Decision {
                    since: clock.now(),
                    name: project.name.clone(),
                    mark: mark::ensure(project),
                    extra: serde_json::Map::new(),
                };
                decisions.trusted.insert(identity.clone(), decision);
            } else {
                decisions.trusted.remove(&identity);
            }
            decisions.version = 1;
            let mut bytes = serde_json::to_vec_pretty(&decisions).map_err(|source| self.broken(&source))?;
            bytes.push(b'\n');
            ken_files::replace(&self.path, &bytes, NewFile::Private)?;
        }
        Ok(Trust {
            project: project.name.clone(),
            identity,
            trusted,
            changed: before != trusted,
        })
    }

    fn read(&self) -> Result<Decisions, Error> {
        if !self.path.exists() {
            return Ok(Decisions::default());
        }
        let bytes = ken_files::read_bounded(&self.path, LIMIT)?;
        serde_json::from_slice(&bytes).map_err(|source| self.broken(&source))
    }

    fn broken(&self, source: &serde_json::Error) -> Error {
        Error::State {
            path: self.path.clone(),
            line: source.line(),
            column: source.column(),
            why: source.to_string(),
        }
    }
}

/// The identity as a key of the file. A path that is not UTF-8 is written escaped, so that no two are one.
fn key(project: &Project) -> String {
    project
        .identity
        .to_str()
        .map_or_else(|| format!("{:?}", project.identity), str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::tz::TimeZone;

    fn project(name: &str) -> Project {
        Project {
            root: PathBuf::from("/made/up").join(name),
            identity: PathBuf::from("/made/up").join(name).join(".git"),
            name: name.to_owned(),
            owner_and_name: None,
            main: None,
            start: PathBuf::from("/made/up").join(name),
        }
    }

    fn clock() -> Clock {
        Clock::pinned("2026-11-30T10:00:00Z".parse().unwrap(), TimeZone::UTC)
    }

    #[test]
    fn trust_is_kept_by_identity_and_taken_back() {
        let state = tempfile::tempdir().unwrap();
        let file = TrustFile::new(&state.path().join("ken"));
        assert!(!file.holds(&project("a")).unwrap());
        assert!(file.decide(&project("a"), true, &clock()).unwrap().changed);
        assert!(!file.decide(&project("a"), true, &clock()).unwrap().changed);
        assert!(file.holds(&project("a")).unwrap());
        assert!(!file.holds(&project("b")).unwrap());
        let taken = file.decide(&project("a"), false, &clock()).unwrap();
        assert_eq!((taken.trusted, taken.changed), (false, true));
        assert!(!file.holds(&project("a")).unwrap());
    }

    #[test]
    fn decisions_at_once_all_stand() {
        let state = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for number in 0..8 {
                let file = TrustFile::new(state.path());
                scope.spawn(move || {
                    file.decide(&project(&format!("p{number}")), true, &clock())
                        .unwrap()
                });
            }
        });
        let file = TrustFile::new(state.path());
        assert!((0..8).all(|number| file.holds(&project(&format!("p{number}"))).unwrap()));
    }

    #[test]
    fn a_broken_file_trusts_nothing_and_is_left_as_it_is() {
        let state = tempfile::tempdir().unwrap();
        std::fs::write(state.path().join("trust.json"), "{\n  oops").unwrap();
        let file = TrustFile::new(state.path());
        let refusal = file.holds(&project("a")).unwrap_err().to_string();
        assert!(refusal.contains("trust.json:2:3"), "{refusal}");
        assert!(file.decide(&project("a"), true, &clock()).is_err());
        assert_eq!(
            std::fs::read(state.path().join("trust.json")).unwrap(),
            b"{\n  oops"
        );
    }
}
