//! What was in flight in a session before its conversation was compacted: what the person asked last, and which files
//! were being edited.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use ken_files::NewFile;
use ken_library::AgentId;
use ken_text::fence::one_line;
use serde::{Deserialize, Serialize};

use super::sessions::fingerprint;
use crate::shown::{cut, shown, shown_whole};
use crate::{Error, Memory};

/// What is in flight in a session: facts of its transcript, as the one who calls before a compaction found them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InFlight {
    /// The last thing that the person asked for, in their words.
    pub request: Option<String>,
    /// The files that were edited, the last first; below the project where they lie in it.
    pub files: Vec<String>,
}

/// A note as it is kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Kept {
    pub(crate) at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) agent: Option<String>,
    /// The identity of the project it was taken in: it is shown nowhere else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) project: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) request: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) files: Vec<String>,
}

impl Kept {
    /// Whether these texts of an agent's row tell what was asked in the session that this was noted in: rows do not say
    /// which session they come from.
    pub(super) fn is_of(&self, agent: &AgentId, texts: &[String]) -> bool {
        let asked = self.request.as_deref().unwrap_or_default();
        self.agent.as_deref() == Some(agent.as_str()) && texts.iter().any(|text| is_same(asked, text))
    }
}

/// Whether two texts are one, of which either may have been cut.
fn is_same(one: &str, other: &str) -> bool {
    let cut = |text: &str| text.strip_suffix('…').map(str::to_owned);
    !one.is_empty()
        && (one == other
            || cut(one).is_some_and(|beginning| !beginning.is_empty() && other.starts_with(&beginning))
            || cut(other).is_some_and(|beginning| !beginning.is_empty() && one.starts_with(&beginning)))
}

/// So much of a request is kept, in characters: the conversation holds the rest in its summary.
const LONGEST_REQUEST: usize = 300;
const LONGEST_FILE: usize = 160;
const MOST_FILES: usize = 8;
const LIMIT: u64 = 64 * 1024;

/// The notes of all sessions: a file each, under the state folder's `brief/in-flight/`.
#[derive(Debug)]
pub(crate) struct Notes {
    folder: PathBuf,
}

impl Notes {
    pub(crate) fn new(state: &Path) -> Notes {
        Notes {
            folder: state.join("brief/in-flight"),
        }
    }

    pub(crate) fn keep(&self, session: &str, note: &Kept) -> Result<(), Error> {
        if note.request.is_none() && note.files.is_empty() {
            self.forget(session);
            return Ok(());
        }
        ken_files::create_folder(&self.folder, NewFile::Private)?;
        let bytes = serde_json::to_vec(note).expect("a note holds only texts and a time");
        ken_files::replace(&self.file(session), &bytes, NewFile::Private)?;
        Ok(())
    }

    /// What was in flight; `None` when nothing was noted or the note cannot be read.
    pub(crate) fn of(&self, session: &str) -> Option<Kept> {
        let bytes = ken_files::read_bounded(&self.file(session), LIMIT).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    pub(crate) fn forget(&self, session: &str) {
        let _ = std::fs::remove_file(self.file(session));
    }

    /// A session's id comes from another program: only its hash becomes a file name.
    fn file(&self, session: &str) -> PathBuf {
        self.folder.join(fingerprint(session))
    }
}

impl Memory {
    /// The note as it is kept: bounded, on one line each, without credentials and without the briefs that a request may
    /// quote.
    pub(super) fn kept(&self, note: InFlight) -> Kept {
        let clean = |text: &str, longest: usize| {
            let line = one_line(&shown(&ken_text::mark::without_briefs(text)));
            (!line.is_empty()).then(|| cut(line, longest).0)
        };
        Kept {
            at: self.setting.clock.now(),
            agent: self.setting.agent.as_ref().map(ToString::to_string),
            project: self.in_flight_project(),
            request: note.request.and_then(|text| clean(&text, LONGEST_REQUEST)),
            files: note
                .files
                .iter()
                .filter_map(|file| clean(file, LONGEST_FILE))
                .take(MOST_FILES)
                .collect(),
        }
    }

    /// What was in flight in a session, where it was noted in this project.
    pub(super) fn in_flight(&self, session: &str) -> Option<Kept> {
        Notes::new(&self.setting.paths.state)
            .of(session)
            .filter(|note| note.project == self.in_flight_project())
            .map(shown_whole)
    }

    fn in_flight_project(&self) -> Option<String> {
        let project = self.setting.project.as_ref()?;
        Some(project.identity.display().to_string())
    }
}
