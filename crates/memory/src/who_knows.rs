use serde::Serialize;

use crate::{SessionLine, Summary};

/// A thing of the library by its name: everything that agents say about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct KnownThing {
    /// The spelling most agents use.
    pub name: String,
    /// Its types, distinct.
    pub types: Vec<String>,
    /// The agents that know it, sorted.
    pub agents: Vec<String>,
    /// What each of them says.
    pub summaries: Vec<Summary>,
    /// Its other names.
    pub aliases: Vec<String>,
    /// Its tags.
    pub tags: Vec<String>,
    /// First day of validity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<String>,
    /// Last day of validity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<String>,
    /// The day anybody touched it last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_touched: Option<String>,
}

/// An agent that can be asked, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Knower {
    /// The agent's id.
    pub agent: String,
    /// Its type.
    #[serde(rename = "type")]
    pub agent_type: String,
    /// Why it is named: the thing it describes, a session, its role, a capability. Strongest first.
    pub why: Vec<String>,
    /// The day of its last session on the matter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_session: Option<String>,
}

/// The answer to "who should I ask about this?". A name that the caller may not see answers exactly as one that was
/// never there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct WhoKnows {
    /// What was asked.
    pub name: String,
    /// The things of that name.
    pub things: Vec<KnownThing>,
    /// Whom to ask, best first.
    pub agents: Vec<Knower>,
    /// The last sessions on the matter, newest first, at most five.
    pub sessions: Vec<SessionLine>,
    /// Sentences for the reader: manifests that could not be read.
    pub notes: Vec<String>,
}
