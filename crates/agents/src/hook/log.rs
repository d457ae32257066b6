use std::path::{Path, PathBuf};

use jiff::Timestamp;
use ken_files::{BoundedLog, FileError};
use serde::{Deserialize, Serialize};

/// The log is set aside at this size; one earlier part is kept.
const LIMIT: u64 = 512 * 1024;
/// The longest reason that is kept, in characters.
const LONGEST_REASON: usize = 500;

/// What became of a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HookOutcome {
    /// Something was said.
    Told,
    /// There was nothing to say, as mostly.
    Silent,
    /// The agent's store was read into the library afterwards.
    Exported,
    /// It did not work; the agent heard nothing of it.
    Failed,
}

/// One run of a hook, or of the work that it started in the background.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookRun {
    /// When.
    pub at: Timestamp,
    /// The agent's id.
    pub agent: String,
    /// The event's word, as in `ken hook prompt`.
    pub event: String,
    /// What became of it.
    pub outcome: HookOutcome,
    /// How long it took, in milliseconds, as far as it was measured.
    pub milliseconds: u64,
    /// What was said, in prompt tokens.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub tokens: usize,
    /// Why it failed, or what could not be read although it worked: one sentence each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<String>,
}

fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// What hooks did on this machine: `hooks/log.jsonl` below the state folder, private to the person, bounded.
///
/// Hooks fail in silence, so this is where a person finds out why nothing was said.
#[derive(Debug, Clone)]
pub struct HookLog {
    log: BoundedLog,
}

impl HookLog {
    /// The log of the machine whose state folder this is.
    pub fn new(state: &Path) -> HookLog {
        HookLog {
            log: BoundedLog::new(state.join("hooks"), "log", LIMIT),
        }
    }

    /// Where the log is.
    pub fn path(&self) -> PathBuf {
        self.log.path()
    }

    /// Adds a run. Credentials in its reasons are replaced.
    ///
    /// # Errors
    /// [`FileError`] when the folder or the log cannot be written, or the log is no regular file.
    pub fn add(&self, run: &HookRun) -> Result<(), FileError> {
        let mut run = run.clone();
        for reason in &mut run.reasons {
            let (redacted, _) = ken_secrets::redact(reason);
            *reason = ken_text::fence::one_line(&redacted)
                .chars()
                .take(LONGEST_REASON)
                .collect();
        }
        self.log.add(&serde_json::to_vec(&run).unwrap_or_default())
    }

    /// The runs that are kept, oldest first. Lines that cannot be read are passed over.
    pub fn runs(&self) -> Vec<HookRun> {
        let lines = self.log.lines();
        lines
            .iter()
            .filter_map(|line| serde_json::from_slice(line).ok())
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, OpenOptions};
    use std::io::Write;

    use super::*;

    fn run(event: &str, reasons: &[&str]) -> HookRun {
        HookRun {
            at: "2026-06-15T12:00:00Z".parse().unwrap(),
            agent: "codex".to_owned(),
            event: event.to_owned(),
            outcome: if reasons.is_empty() {
                HookOutcome::Silent
            } else {
                HookOutcome::Failed
            },
            milliseconds: 7,
            tokens: 0,
            reasons: reasons.iter().map(|&reason| reason.to_owned()).collect(),
        }
    }

    fn limited(state: &Path, limit: u64) -> HookLog {
        HookLog {
            log: BoundedLog::new(state.join("hooks"), "log", limit),
        }
    }

    #[test]
    fn runs_are_read_back_in_order_over_a_torn_line() {
        let state = tempfile::tempdir().unwrap();
        let log = HookLog::new(state.path());
        assert_eq!(log.runs(), []);
        log.add(&run("prompt", &[])).unwrap();
        OpenOptions::new()
            .append(true)
            .open(log.path())
            .unwrap()
            .write_all(b"{\"at\":\n")
            .unwrap();
        log.add(&run("stop", &["no room\nat all"])).unwrap();
        let runs = log.runs();
        assert_eq!(runs[0], run("prompt", &[]));
        assert_eq!(runs[1].reasons, ["no room at all"]);
        insta::assert_snapshot!(
            fs::read_to_string(log.path()).unwrap().lines().next().unwrap(),
            @r#"{"at":"2026-06-15T12:00:00Z","agent":"codex","event":"prompt","outcome":"silent","milliseconds":7}"#
        );
    }

    #[test]
    fn a_reason_holds_no_credential() {
        let state = tempfile::tempdir().unwrap();
        let log = HookLog::new(state.path());
        let key = format!("AKIA{}", "Z7Q4M2K9X3B8N5V6");
        log.add(&run("prompt", &[&format!("cannot read {key}")])).unwrap();
        assert!(!fs::read_to_string(log.path()).unwrap().contains(&key));
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_in_its_place_is_an_error_and_nobody_waits() {
        let state = tempfile::tempdir().unwrap();
        let log = HookLog::new(state.path());
        log.add(&run("prompt", &[])).unwrap();
        fs::remove_file(log.path()).unwrap();
        let lock = log.path().with_file_name("log.lock");
        for pipe in [log.path(), log.log.earlier(), lock.clone()] {
            let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
            assert!(made.success());
        }
        let error = log.add(&run("prompt", &[])).unwrap_err().to_string();
        assert!(error.contains("log.jsonl is a named pipe, not a file"), "{error}");
        assert_eq!(log.runs(), []);
        // The earlier part gives way to a full log; without its lock the log is added to as it is.
        fs::remove_file(log.path()).unwrap();
        let small = limited(state.path(), 0);
        small.add(&run("stop", &[])).unwrap();
        small.add(&run("stop", &[])).unwrap();
        assert_eq!(small.runs().len(), 2);
        fs::remove_file(lock).unwrap();
        small.add(&run("stop", &[])).unwrap();
        assert_eq!(small.runs().len(), 3);
    }

    #[test]
    fn the_log_is_bounded_under_many_writers() {
        let state = tempfile::tempdir().unwrap();
        let log = limited(state.path(), 4096);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..30 {
                        log.add(&run("prompt", &["no room"])).unwrap();
                    }
                });
            }
        });
        for path in [log.path(), log.log.earlier()] {
            assert!(fs::metadata(path).unwrap().len() < 4096 + 1024);
        }
        // Every line that is kept is whole.
        let lines = fs::read_to_string(log.path()).unwrap().lines().count()
            + fs::read_to_string(log.log.earlier()).unwrap().lines().count();
        assert_eq!(log.runs().len(), lines);
        assert!(lines >= 30, "{lines}");
    }

    #[cfg(unix)]
    #[test]
    fn only_the_person_reads_it() {
        use std::os::unix::fs::PermissionsExt;
        let state = tempfile::tempdir().unwrap();
        let log = HookLog::new(state.path());
        log.add(&run("prompt", &[])).unwrap();
        assert_eq!(
            fs::metadata(log.path()).unwrap().permissions().mode() & 0o777,
            0o600
        );
    }
}
