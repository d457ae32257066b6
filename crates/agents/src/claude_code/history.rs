//! `history.jsonl`: every prompt that was typed, kept longer than the transcripts.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use jiff::Timestamp;
use serde::Deserialize;

use crate::harvest::{Redactor, Session};
use crate::jsonl::{LineCounts, Lines, read_records};
use crate::lenient::{Text, text};
use crate::newest::Newest;
use crate::participant::{NoProgress, Progress};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Entry<'a> {
    #[serde(borrow, deserialize_with = "text")]
    display: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    project: Text<'a>,
    #[serde(rename = "sessionId", borrow, deserialize_with = "text")]
    session: Text<'a>,
    timestamp: serde_json::Value,
}

/// What is already told by a transcript, so that the history does not tell it again.
#[derive(Debug, Default)]
pub(crate) struct Covered {
    pub(crate) sessions: HashSet<String>,
    /// By folder, from when to when a transcript's session went there.
    pub(crate) spans: BTreeMap<std::path::PathBuf, Vec<(Timestamp, Timestamp)>>,
}

impl Covered {
    fn holds(&self, entry: &Entry<'_>, at: Option<Timestamp>) -> bool {
        if let Some(id) = entry.session.as_deref() {
            return self.sessions.contains(id);
        }
        let (Some(project), Some(at)) = (entry.project.as_deref(), at) else {
            return false;
        };
        // The prompt is written down a moment before the transcript's first line.
        let before = at
            .saturating_add(jiff::SignedDuration::from_secs(60))
            .unwrap_or(at);
        self.spans
            .get(Path::new(project))
            .is_some_and(|spans| spans.iter().any(|(first, last)| *first <= before && at <= *last))
    }
}

/// The sessions that are known from the history alone, and how its lines were. Of a history of any length the newest
/// sessions are taken in.
///
/// Lines without a session id (older versions) count as one session for each project and UTC day.
pub(crate) fn read(
    path: &Path,
    covered: &Covered,
    horizon: Timestamp,
    redactor: &mut Redactor,
    progress: &mut dyn Progress,
) -> std::io::Result<(Vec<Session>, LineCounts)> {
    let mut newest = Newest::default();
    read_records(Lines::open(path)?, &mut NoProgress, |json| {
        each(json, covered, horizon, |prompt| {
            newest.prompt(&prompt.key, prompt.at.filter(|at| *at <= horizon));
        })
    })?;
    let newest = newest.sessions();
    let mut sessions: BTreeMap<String, Session> = BTreeMap::new();
    let counts = read_records(Lines::open(path)?, progress, |json| {
        each(json, covered, horizon, |prompt| {
            if !newest.contains(&*prompt.key) {
                return;
            }
            let session = sessions
                .entry(prompt.key.into_owned())
                .or_insert_with_key(|key| Session::new(key, horizon));
            session.in_folder(prompt.project);
            if let Some(at) = prompt.at {
                session.active_at(at);
            }
            session.asked(prompt.text, prompt.at, redactor);
        })
    })?;
    Ok((sessions.into_values().collect(), counts))
}

/// A prompt that no transcript tells.
struct Prompt<'a> {
    /// What its session is known by.
    key: Cow<'a, str>,
    project: &'a str,
    text: &'a str,
    at: Option<Timestamp>,
}

/// Gives the prompt of a line, unless it is `covered`; `false` when it is not one.
fn each(json: &[u8], covered: &Covered, horizon: Timestamp, take: impl FnOnce(Prompt<'_>)) -> bool {
    let Ok(entry) = serde_json::from_slice::<Entry<'_>>(json) else {
        return false;
    };
    let noted = instant(&entry.timestamp);
    let at = noted.filter(|at| *at <= horizon);
    let (Some(text), Some(project)) = (entry.display.as_deref(), entry.project.as_deref()) else {
        return true;
    };
    if covered.holds(&entry, at) {
        return true;
    }
    let key = match (entry.session.as_deref(), at) {
        (Some(id), _) => Cow::Borrowed(id),
        (None, Some(at)) => Cow::Owned(format!("{project} {}", at.strftime("%F"))),
        (None, None) => Cow::Borrowed(project),
    };
    take(Prompt {
        key,
        project,
        text,
        at: noted,
    });
    true
}

/// Milliseconds since 1970, or RFC 3339.
fn instant(value: &serde_json::Value) -> Option<Timestamp> {
    match value {
        serde_json::Value::Number(number) => {
            let milliseconds = number.as_i64().or_else(|| number.as_f64().map(|ms| ms as i64))?;
            Timestamp::from_millisecond(milliseconds).ok()
        }
        serde_json::Value::String(text) => text.parse().ok(),
        _ => None,
    }
}
