//! `history.jsonl`, every prompt that was typed, and `session_index.jsonl`, the names that people gave to sessions.
//! Both outlive the rollouts.

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::Value;

use crate::harvest::{Redactor, Session, bounded};
use crate::jsonl::{LineCounts, Lines, read_records};
use crate::lenient::{Text, text};
use crate::newest::Newest;
use crate::participant::{NoProgress, Progress};
use crate::tree::Listed;

/// More names than this are not held.
const MAX_NAMES: usize = 2_000;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Prompt<'a> {
    #[serde(borrow, deserialize_with = "text")]
    session_id: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    text: Text<'a>,
    ts: Value,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Named<'a> {
    #[serde(borrow, deserialize_with = "text")]
    id: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    thread_name: Text<'a>,
}

/// The sessions that are not `covered` by a rollout, as their prompts tell them. Of a history of any length the newest
/// sessions are taken in.
pub(crate) fn history(
    file: &Listed,
    covered: &BTreeSet<String>,
    horizon: Timestamp,
    redactor: &mut Redactor,
    progress: &mut dyn Progress,
) -> io::Result<(BTreeMap<String, Session>, LineCounts)> {
    let mut newest = Newest::default();
    read_records(Lines::open(&file.path)?, &mut NoProgress, |json| {
        each(json, covered, |id, at, _| {
            newest.prompt(id, at.filter(|at| *at <= horizon));
        })
    })?;
    let newest = newest.sessions();
    let mut sessions: BTreeMap<String, Session> = BTreeMap::new();
    let counts = read_records(Lines::open(&file.path)?, progress, |json| {
        each(json, covered, |id, at, text| {
            if !newest.contains(id) {
                return;
            }
            let session = sessions
                .entry(id.to_owned())
                .or_insert_with_key(|id| Session::new(id, horizon));
            if let Some(at) = at {
                session.active_at(at);
            }
            session.asked(text, at, redactor);
        })
    })?;
    Ok((sessions, counts))
}

/// Gives the prompt of a line, unless its session is `covered`; `false` when it is not one.
fn each(json: &[u8], covered: &BTreeSet<String>, take: impl FnOnce(&str, Option<Timestamp>, &str)) -> bool {
    let Ok(prompt) = serde_json::from_slice::<Prompt<'_>>(json) else {
        return false;
    };
    if let (Some(id), Some(text)) = (prompt.session_id.as_deref(), prompt.text.as_deref())
        && !covered.contains(id)
    {
        take(id, instant(&prompt.ts), text);
    }
    true
}

/// The names of sessions; of several the last one counts.
pub(crate) fn names(
    file: &Listed,
    redactor: &mut Redactor,
    progress: &mut dyn Progress,
) -> io::Result<(BTreeMap<String, String>, LineCounts)> {
    let mut names = BTreeMap::new();
    let counts = read_records(Lines::open(&file.path)?, progress, |json| {
        let Ok(named) = serde_json::from_slice::<Named<'_>>(json) else {
            return false;
        };
        if let (Some(id), Some(name)) = (named.id.as_deref(), named.thread_name.as_deref())
            && (names.len() < MAX_NAMES || names.contains_key(id))
        {
            names.insert(id.to_owned(), redactor.text(bounded(name)));
        }
        true
    })?;
    Ok((names, counts))
}

/// Seconds since 1970, or milliseconds where the number is too large for them, or RFC 3339.
pub(crate) fn instant(value: &Value) -> Option<Timestamp> {
    match value {
        Value::Number(number) => {
            let number = number.as_i64().or_else(|| number.as_f64().map(|n| n as i64))?;
            epoch(number)
        }
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}

/// See [`instant`].
pub(crate) fn epoch(number: i64) -> Option<Timestamp> {
    if number.unsigned_abs() > 100_000_000_000 {
        Timestamp::from_millisecond(number).ok()
    } else {
        Timestamp::from_second(number).ok()
    }
}
