//! The questions that are asked of the whole library. Each takes a [`crate::View`], so that no answer can hold what its
//! caller may not see, and gives a value that serialises to stable JSON.

mod about;
mod agents;
mod answer;
mod find;
mod list;
mod recent;
mod thing;
mod when;
mod workstreams;

pub use about::{About, about};
pub use agents::{AgentsQuery, agents};
pub use find::{AskAgent, Because, Found, find};
pub use list::{EntitiesQuery, NotesQuery, entities, notes};
pub use recent::{RecentQuery, concerns, recent, recent_all};
pub(crate) use thing::Things;
pub use thing::{RowKind, Summary, Thing, ThingId};
pub use when::{Period, since};
pub use workstreams::{MergedWorkstream, WorkstreamsQuery, workstreams};

use jiff::civil::Date;
use serde::Serialize;

use crate::filter::Visible;
use crate::names::key;
use crate::view::View;
use crate::{AgentId, Error};

/// How many rows an answer may have: 20 unless told otherwise, at most 100.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Limit(usize);

impl Limit {
    /// Checks a limit; 0 and more than 100 are errors, not the nearest bound.
    pub fn new(rows: usize) -> Result<Limit, Error> {
        match rows {
            1..=100 => Ok(Limit(rows)),
            _ => Err(Error::Limit(rows)),
        }
    }

    /// The number.
    pub fn get(self) -> usize {
        self.0
    }
}

impl Default for Limit {
    fn default() -> Limit {
        Limit(20)
    }
}

/// Part of an answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Page<T> {
    /// The rows, in the question's order.
    pub rows: Vec<T>,
    /// Whether there are more behind them.
    pub more: bool,
}

impl<T> Page<T> {
    fn of(mut rows: Vec<T>, limit: Limit) -> Page<T> {
        let more = rows.len() > limit.get();
        rows.truncate(limit.get());
        Page { rows, more }
    }
}

/// An agent that a question names must be one that the caller sees something of.
fn known_agent(view: &View, agent: Option<&AgentId>) -> Result<(), Error> {
    match agent {
        Some(agent) if !view.knows(agent) => Err(Error::UnknownAgent(agent.to_string())),
        _ => Ok(()),
    }
}

/// Newest first, undated last, and rows of one day in a stable order: by agent, then as they stand in the file.
fn newest_first<T>(rows: &mut [&Visible<T>], date: impl Fn(&T) -> Option<Date>) {
    rows.sort_by(|a, b| date(b).cmp(&date(a)).then_with(|| a.agent().cmp(b.agent())));
}

fn is_tagged(tags: &[&str], wanted: Option<&str>) -> bool {
    wanted.is_none_or(|wanted| {
        let wanted = key(wanted);
        tags.iter().any(|tag| key(tag) == wanted)
    })
}

/// Whether every term of `wanted` is among the terms of `text`; never when there is no term.
fn holds_terms(text: &str, wanted: &[String]) -> bool {
    if wanted.is_empty() {
        return false;
    }
    let terms = ken_text::terms(text);
    wanted.iter().all(|term| terms.contains(term))
}
