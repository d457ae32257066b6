//! How things stand.

mod gather;
mod next;
mod trouble;

pub use next::{IllWired, Surroundings};

use jiff::Timestamp;
use serde::Serialize;

/// A project, as status shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ProjectStatus {
    /// Its name.
    pub name: String,
    /// Its root.
    pub root: String,
    /// Whether this machine's person trusted what it carries.
    pub trusted: bool,
    /// Whether it carries memory at all: edicts or an `.agent` folder.
    pub carries_memory: bool,
    /// Whether it has an `.agent` folder.
    pub agent_folder: bool,
    /// Where its edicts file is, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edicts_file: Option<String>,
}

/// Who wrote last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LastWrite {
    /// The harness or agent.
    pub who: String,
    /// When, RFC 3339 or a day.
    pub when: String,
    /// `event`, `edict` or `manifest`.
    pub what: String,
    /// The first words of it, for an event or edict that the caller may see.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// An edict that needs a person's eye.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EdictDue {
    /// Its id.
    pub id: String,
    /// Its text.
    pub text: String,
    /// How long it is meant to hold: `permanent`, `durable`, `event` or `ephemeral`.
    pub ttl: String,
    /// `stale` or `expiring`.
    pub why: String,
    /// When it was last confirmed, or when it expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<Timestamp>,
    /// What to type.
    pub next: String,
}

/// A file, or a line of one, that could not be read as its contract says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trouble {
    /// `file`, `file:line` or `file:line:column`.
    pub place: String,
    /// `error` (it is not in force or not searched) or `warning`.
    pub severity: String,
    /// What is wrong and what to do.
    pub message: String,
}

/// How much of everything is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Manifests that can be read.
    pub agents: usize,
    /// Entities, same-named rows of several agents counted once.
    pub entities: usize,
    /// Sessions.
    pub sessions: usize,
    /// Workstreams, same-named counted once.
    pub workstreams: usize,
    /// Notes.
    pub notes: usize,
    /// Events of this project.
    pub events: usize,
    /// Lessons of this project.
    pub lessons: usize,
    /// Edicts in force.
    pub edicts: usize,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Next {
    /// What to type.
    pub command: String,
    /// Why.
    pub why: String,
}

/// The answer to "how do things stand?".
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Status {
    /// The project one stands in, if any.
    pub project: Option<ProjectStatus>,
    /// Where the library is.
    pub library: String,
    /// How much is known, as far as the caller may see.
    pub counts: Counts,
    /// Who wrote last, newest first: the last event, edict and manifest.
    pub last_writes: Vec<LastWrite>,
    /// Agents whose manifest is older than 14 days.
    pub stale_agents: Vec<String>,
    /// Edicts that are stale or expire within 7 days.
    pub edicts_due: Vec<EdictDue>,
    /// Everything that could not be read, with its place.
    pub troubles: Vec<Trouble>,
    /// The next thing to do; nothing when all is well.
    pub next: Option<Next>,
}
