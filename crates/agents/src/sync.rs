//! Every store that is here, into the library.

use std::path::PathBuf;
use std::time::Duration;

use ken_files::{Clock, Lock, NewFile, Paths};
use ken_library::{AgentId, Library, Manifest, Outcome, carry_committed};
use ken_secrets::Redacted;
use serde::Serialize;

use crate::participant::{Discovery, Export, Participant, Progress, Projection, Skipped, participants};

/// How long a sync waits for another one of the same store.
const PATIENCE: Duration = Duration::from_secs(30);

/// How a sync is done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SyncOptions {
    /// Whether private rows are written (marked as such) instead of dropped.
    pub keep_private: bool,
}

/// What became of one participant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SyncOutcome {
    /// The tool is not used on this machine; nothing was written.
    Absent,
    /// The store holds nothing yet; nothing was written.
    Empty,
    /// There was no manifest, and now there is.
    Created,
    /// The manifest was replaced.
    Replaced,
    /// The manifest says the same already; its bytes were left alone.
    Unchanged,
    /// The manifest was left as it is: the store is empty where it was not, or the manifest is closed to writers.
    Kept,
    /// It did not work; [`SyncLine::why`] says why. The manifest was left as it is.
    Failed,
}

/// How many rows of each kind a manifest holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct RowCounts {
    /// Rows of `recent_sessions`.
    pub sessions: usize,
    /// Rows of `known_entities`.
    pub entities: usize,
    /// Rows of `known_workstreams`.
    pub workstreams: usize,
    /// Rows of `notes`.
    pub notes: usize,
}

impl RowCounts {
    fn of(manifest: &Manifest) -> RowCounts {
        RowCounts {
            sessions: manifest.sessions.len(),
            entities: manifest.entities.len(),
            workstreams: manifest.workstreams.len(),
            notes: manifest.notes.len(),
        }
    }
}

/// The report on one participant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SyncLine {
    /// The participant.
    pub agent: AgentId,
    /// Its tool's name as people say it.
    pub title: &'static str,
    /// What became of it.
    pub outcome: SyncOutcome,
    /// Sessions that its store holds.
    pub sessions_read: usize,
    /// Transcripts that had not changed since the last sync, and were not read again.
    pub unchanged: usize,
    /// Bytes of the store that were read.
    pub bytes_read: u64,
    /// Rows that the manifest now holds.
    pub written: RowCounts,
    /// What was left out, and why.
    pub skipped: Vec<Skipped>,
    /// Different credentials that were found and taken out.
    pub credentials_found: usize,
    /// The manifest's file, when there is one.
    pub manifest: Option<PathBuf>,
    /// Why it was kept, empty or failed, and what to do.
    pub why: Option<String>,
}

/// Exports the participants in `only` (all of them when it names none) into the library, one report line each, in
/// the order of [`participants`]. One that fails does not hinder the others.
pub fn sync(
    paths: &Paths,
    clock: &Clock,
    library: &Library,
    only: &[AgentId],
    options: SyncOptions,
    progress: &mut dyn Progress,
) -> Vec<SyncLine> {
    participants()
        .iter()
        .filter(|participant| only.is_empty() || only.contains(&participant.id()))
        .map(|participant| sync_one(participant.as_ref(), paths, clock, library, options, progress))
        .collect()
}

/// Exports one participant into the library.
pub fn sync_one(
    participant: &dyn Participant,
    paths: &Paths,
    clock: &Clock,
    library: &Library,
    options: SyncOptions,
    progress: &mut dyn Progress,
) -> SyncLine {
    let mut line = SyncLine {
        agent: participant.id(),
        title: participant.title(),
        outcome: SyncOutcome::Failed,
        sessions_read: 0,
        unchanged: 0,
        bytes_read: 0,
        written: RowCounts::default(),
        skipped: Vec::new(),
        credentials_found: 0,
        manifest: None,
        why: None,
    };
    let store = match participant.discover(paths) {
        Discovery::Store(store) => store,
        Discovery::Absent => {
            line.outcome = SyncOutcome::Absent;
            return line;
        }
        Discovery::Unreadable(why) => {
            line.why = Some(why);
            return line;
        }
    };
    let kept = paths.state.join("harvest").join(participant.id().as_str());
    // Of two syncs at once the one that read the store earlier must not write later. Without the lock it goes too.
    let _turn = ken_files::create_folder(&kept, NewFile::Private)
        .and_then(|()| Lock::acquire(&kept.join("sync.lock"), "ken sync", PATIENCE));
    let mut export = Export {
        paths,
        clock,
        keep_private: options.keep_private,
        digests: Some(kept.join("digests")),
        seen: Some(kept.join("seen.json")),
        progress,
    };
    match participant.export(&store, &mut export) {
        Ok(projection) => write(projection, clock, library, &mut line),
        Err(error) => line.why = Some(error.to_string()),
    }
    line
}

/// Whether the manifest's owner has closed it to writers.
fn is_read_only(manifest: &Manifest) -> bool {
    [&manifest.extra, &manifest.agent.extra]
        .iter()
        .any(|extra| extra.texts("write_policy") == ["read-only"])
}

fn write(projection: Projection, clock: &Clock, library: &Library, line: &mut SyncLine) {
    let Projection {
        mut manifest,
        sessions_read,
        unchanged,
        bytes_read,
        skipped,
        credentials_found,
    } = projection;
    line.sessions_read = sessions_read;
    line.unchanged = unchanged;
    line.bytes_read = bytes_read;
    line.skipped = skipped;
    line.credentials_found = credentials_found;

    let existing = match library.read(&manifest.agent.id) {
        Ok(existing) => existing,
        Err(error) => {
            // Rows that agents committed may be in it: it is for a person to say that it may go.
            line.why = Some(format!(
                "the store was read, but the manifest that is there cannot be, and was left alone: {error}"
            ));
            return;
        }
    };
    if let Some(existing) = &existing {
        line.manifest = Some(library.manifest_path(&manifest.agent.id));
        line.written = RowCounts::of(&existing.manifest);
    }
    if existing
        .as_ref()
        .is_some_and(|existing| is_read_only(&existing.manifest))
    {
        line.outcome = SyncOutcome::Kept;
        line.why = Some(
            "the manifest says `write_policy: read-only`; take that line out to have it written".to_owned(),
        );
        return;
    }
    if manifest.is_empty() {
        let populated = existing.is_some_and(|existing| !existing.manifest.is_empty());
        line.outcome = if populated {
            SyncOutcome::Kept
        } else {
            SyncOutcome::Empty
        };
        line.why = Some(if populated {
            "the store has nothing to tell any more; the manifest was left as it is".to_owned()
        } else {
            "the store has nothing to tell yet".to_owned()
        });
        return;
    }
    let agent = manifest.agent.id.clone();
    let mut counts = RowCounts::default();
    // Another process may have committed rows since the manifest was looked at.
    let written = library.update(&agent, clock, |existing| {
        if let Some(existing) = existing {
            carry_committed(existing, &mut manifest);
        }
        counts = RowCounts::of(&manifest);
        Redacted::new(manifest).0
    });
    match written {
        Ok(written) => {
            line.outcome = match written.outcome {
                Outcome::Created => SyncOutcome::Created,
                Outcome::Replaced => SyncOutcome::Replaced,
                Outcome::Unchanged => SyncOutcome::Unchanged,
            };
            let fitted = written.fitted;
            line.written = RowCounts {
                sessions: counts.sessions - fitted.sessions,
                entities: counts.entities.saturating_sub(fitted.entities + fitted.nameless),
                workstreams: counts.workstreams - fitted.workstreams,
                notes: counts.notes - fitted.notes,
            };
            let left_out =
                fitted.sessions + fitted.entities + fitted.workstreams + fitted.notes + fitted.nameless;
            if left_out > 0 {
                line.skipped.push(Skipped {
                    count: left_out as u64,
                    what: "rows beyond what a manifest may hold".to_owned(),
                });
            }
            line.manifest = Some(written.path);
        }
        Err(error) => {
            line.why = Some(format!(
                "the store was read, but the manifest cannot be written: {error}"
            ));
        }
    }
}
