//! What a dream cycle makes of a log: a pure function of the log, what people said of its lessons, when they were last
//! seen, the facts that override them, the time, and a few settings. The same inputs give the same lessons, whenever
//! and however often a cycle ran before.

mod group;
mod promote;
mod reading;
mod supersede;

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use jiff::Timestamp;
use serde::Serialize;

use crate::{EventId, Logged, Reviews, Salience};

/// The thresholds and budgets of a dream cycle.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DreamSettings {
    /// What a group must be worth when it is fresh to become a lesson: the formula at age 0.
    pub promote_strength: f64,
    /// What it must be worth now to stay one.
    pub retire_salience: f64,
    /// How many lessons there are at most.
    pub max_lessons: usize,
    /// How many tokens their texts take together at most.
    pub lessons_token_budget: usize,
}

impl Default for DreamSettings {
    fn default() -> DreamSettings {
        DreamSettings {
            promote_strength: 0.30,
            retire_salience: 0.02,
            max_lessons: 40,
            lessons_token_budget: 2_000,
        }
    }
}

/// Everything that decides what a log's lessons are.
#[derive(Debug, Clone, Copy)]
pub struct DreamInputs<'a> {
    /// The events of the log, in its order.
    pub events: &'a [Logged],
    /// What people said of lessons.
    pub reviews: &'a Reviews,
    /// When an event was last among the first hits of a question.
    pub seen: &'a HashMap<EventId, Timestamp>,
    /// The facts that override what was learned.
    pub facts: &'a [String],
    /// As of when.
    pub now: Timestamp,
    /// Thresholds and budgets.
    pub settings: DreamSettings,
}

/// Why a group is a lesson, or is none.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "decision", content = "by")]
pub enum Decision {
    /// It is a lesson.
    Promoted,
    /// A later event took its place.
    Superseded(EventId),
    /// A fact in force contradicts it.
    Overridden(String),
    /// A person rejected it, and it has not resurfaced more often since.
    Rejected,
    /// All of its words came out of tools, and nobody accepted it.
    ToolsOnly,
    /// It is not worth enough, even when fresh.
    Weak,
    /// It was worth enough, long ago.
    Retired,
    /// Better ones take all the places or tokens.
    NoRoom,
}

/// Events that say one thing.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// The event that speaks for it, as a place in the inputs' events.
    pub speaker: usize,
    /// All of its events, the speaker among them, in the log's order.
    pub members: Vec<usize>,
    /// How often it resurfaced: the highest of its lines, or the number of further members if that is higher.
    pub recurrence: u64,
    /// When it was last seen: its newest event, a confirmation, or a question that it answered.
    pub last_seen: Timestamp,
    /// What it is worth now, by factor; pain and importance are those of what it took the place of, where they weigh
    /// more than its own.
    pub salience: Salience,
    /// BM25 of the speaker against the group's own profile.
    pub bm25: f64,
    /// `bm25 * salience`, by which groups are promoted.
    pub score: f64,
    /// Whether it is a lesson, and why.
    pub decision: Decision,
}

/// What a cycle decides.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Dream {
    /// Every group that is worth a look: the lessons in their order first, then the others, best first.
    pub groups: Vec<Group>,
    /// How many groups are too weak to be looked at one by one.
    pub weak: usize,
}

impl Dream {
    /// The groups that are lessons, best first.
    pub fn lessons(&self) -> impl Iterator<Item = &Group> {
        self.groups
            .iter()
            .filter(|group| group.decision == Decision::Promoted)
    }
}

/// Decides what a log's lessons are.
pub fn dream(inputs: &DreamInputs<'_>) -> Dream {
    let succession = supersede::Explicit::of(inputs);
    let grouped = group::group(inputs, &succession);
    promote::promote(inputs, &succession, &grouped)
}
