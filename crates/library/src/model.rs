//! The manifest as types: one block a struct, with the contract's fields in the contract's order.

use jiff::Timestamp;
use jiff::civil::Date;
use ken_secrets::EachString;

use crate::extra::Extra;
use crate::tree::Node;
use crate::{AgentId, AgentType, Visibility};

/// The version of the specification that this library writes.
pub const SPEC_VERSION: &str = "0.1";

/// One agent's L5 manifest.
#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    /// The version of the specification it conforms to.
    pub spec_version: String,
    /// Who wrote it.
    pub agent: AgentBlock,
    /// When it was last regenerated; `None` when the file's value could not be read. Writing sets it.
    pub last_updated: Option<Timestamp>,
    /// What the agent offers, as free words (`image-analysis`).
    pub capabilities: Vec<String>,
    /// `recent_sessions`.
    pub sessions: Vec<Session>,
    /// `known_entities`.
    pub entities: Vec<Entity>,
    /// `known_workstreams`.
    pub workstreams: Vec<Workstream>,
    /// `notes`.
    pub notes: Vec<Note>,
    /// Default visibility and tag rules.
    pub visibility_policy: Option<VisibilityPolicy>,
    /// Unknown keys of the top level, and list items that could not be read, under their list's key.
    pub extra: Extra,
}

impl Manifest {
    /// An empty manifest of this agent.
    pub fn new(id: AgentId, kind: AgentType) -> Manifest {
        Manifest {
            spec_version: SPEC_VERSION.to_owned(),
            agent: AgentBlock {
                id,
                kind,
                instance: None,
                role_narrative: None,
                spec_version_compat: None,
                extra: Extra::default(),
            },
            last_updated: None,
            capabilities: Vec::new(),
            sessions: Vec::new(),
            entities: Vec::new(),
            workstreams: Vec::new(),
            notes: Vec::new(),
            visibility_policy: None,
            extra: Extra::default(),
        }
    }

    /// Whether it holds no row of any kind. An empty projection must not replace a manifest that has rows.
    pub fn is_empty(&self) -> bool {
        self.sessions.is_empty()
            && self.entities.is_empty()
            && self.workstreams.is_empty()
            && self.notes.is_empty()
    }
}

/// The manifest's `agent` block.
#[derive(Debug, Clone, PartialEq)]
pub struct AgentBlock {
    /// The agent's slug, also the file's name.
    pub id: AgentId,
    /// `type`; [`AgentType::Other`] when the file's value could not be read.
    pub kind: AgentType,
    /// The machine or deployment.
    pub instance: Option<String>,
    /// What this agent does among others of its type.
    pub role_narrative: Option<String>,
    /// An npm-style range of specification versions.
    pub spec_version_compat: Option<String>,
    /// Unknown keys.
    pub extra: Extra,
}

/// A thing that an agent knows about.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Entity {
    /// What recognition matches on.
    pub name: String,
    /// `type`: a free category.
    pub kind: Option<String>,
    /// Other names.
    pub aliases: Vec<String>,
    /// One to three sentences.
    pub summary: Option<String>,
    /// The last day it was worked on.
    pub last_touched: Option<Date>,
    /// The first day it was valid.
    pub valid_from: Option<Date>,
    /// The last day it was valid.
    pub valid_to: Option<Date>,
    /// Free tags; they decide visibility too.
    pub tags: Vec<String>,
    /// The row's own level.
    pub visibility: Option<Visibility>,
    /// Unknown keys.
    pub extra: Extra,
}

/// A dated session of work.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Session {
    /// The day; `None` is the contract's empty text: the store carried no time. Never today's day instead.
    pub date: Option<Date>,
    /// The working directory.
    pub cwd: Option<String>,
    /// Names of what it was about.
    pub project_focus: Vec<String>,
    /// What happened, one to five short texts.
    pub key_actions: Vec<String>,
    /// Paths or patterns.
    pub files_touched: Vec<String>,
    /// The row's own level.
    pub visibility: Option<Visibility>,
    /// Unknown keys (`tags` is one, and is honoured).
    pub extra: Extra,
}

/// Where a workstream stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WorkStatus {
    /// In flight.
    Active,
    /// Stopped for now.
    Paused,
    /// Finished.
    Done,
    /// Put away.
    Archived,
}

/// A text that is not a status.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a status; use active, paused, done or archived")]
pub struct WorkStatusError(pub String);

impl WorkStatus {
    /// The status as the schema spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            WorkStatus::Active => "active",
            WorkStatus::Paused => "paused",
            WorkStatus::Done => "done",
            WorkStatus::Archived => "archived",
        }
    }
}

impl std::str::FromStr for WorkStatus {
    type Err = WorkStatusError;
    fn from_str(text: &str) -> Result<WorkStatus, WorkStatusError> {
        [
            WorkStatus::Active,
            WorkStatus::Paused,
            WorkStatus::Done,
            WorkStatus::Archived,
        ]
        .into_iter()
        .find(|status| status.as_str() == text)
        .ok_or_else(|| WorkStatusError(text.chars().take(80).collect()))
    }
}

/// An initiative over several sessions.
#[derive(Debug, Clone, PartialEq)]
pub struct Workstream {
    /// Its name.
    pub name: String,
    /// Where it stands; `None` when the file's value could not be read.
    pub status: Option<WorkStatus>,
    /// One to three sentences.
    pub summary: Option<String>,
    /// The first day.
    pub started: Option<Date>,
    /// The last day it was worked on.
    pub last_touched: Option<Date>,
    /// Names of what it is about.
    pub related_entities: Vec<String>,
    /// Free tags; they decide visibility too.
    pub tags: Vec<String>,
    /// The row's own level.
    pub visibility: Option<Visibility>,
    /// Unknown keys.
    pub extra: Extra,
}

impl Workstream {
    /// A workstream with nothing but its name and status.
    pub fn new(name: impl Into<String>, status: WorkStatus) -> Workstream {
        Workstream {
            name: name.into(),
            status: Some(status),
            summary: None,
            started: None,
            last_touched: None,
            related_entities: Vec::new(),
            tags: Vec::new(),
            visibility: None,
            extra: Extra::default(),
        }
    }
}

/// A journal entry.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Note {
    /// The day; `None` when the file's value could not be read. A note without a day cannot be written.
    pub date: Option<Date>,
    /// What it says.
    pub text: String,
    /// Names of what it is about.
    pub related_entities: Vec<String>,
    /// Free tags; they decide visibility too.
    pub tags: Vec<String>,
    /// The row's own level.
    pub visibility: Option<Visibility>,
    /// Unknown keys.
    pub extra: Extra,
}

/// Default visibility, and levels by tag.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct VisibilityPolicy {
    /// For rows that say nothing themselves.
    pub default: Option<Visibility>,
    /// Tags that make a row private whatever it says; absent means the contract's families, empty means none.
    pub private_tags: Option<Vec<String>>,
    /// Tags that make an undeclared row a team row.
    pub team_tags: Vec<String>,
    /// Unknown keys, and known ones whose value could not be read: then every row below it is withheld.
    pub extra: Extra,
}

/// The contract's private tags, for manifests whose policy names none.
pub const PRIVATE_FAMILIES: [&str; 7] = [
    "personal",
    "financial",
    "credential",
    "secret",
    "health",
    "family",
    "legal",
];

impl VisibilityPolicy {
    /// What participants write: team by default, the contract's private tags.
    pub fn usual() -> VisibilityPolicy {
        VisibilityPolicy {
            default: Some(Visibility::Team),
            private_tags: Some(PRIVATE_FAMILIES.map(str::to_owned).to_vec()),
            team_tags: Vec::new(),
            extra: Extra::default(),
        }
    }
}

/// What rows of every kind have in common.
pub trait Row {
    /// The row's unknown keys.
    fn extra(&self) -> &Extra;
    /// The same, to change.
    fn extra_mut(&mut self) -> &mut Extra;
    /// The level that the row itself declares.
    fn declared(&self) -> Option<Visibility>;
    /// The row's tags. Sessions have none in the schema; those under an unknown key `tags` count.
    fn tags(&self) -> Vec<&str>;
    /// The names by which the row's thing is known: name and aliases. Empty for sessions and notes.
    fn names(&self) -> Vec<&str>;

    /// Whether the row has tags that cannot be read, so that nobody can tell how private it is.
    fn tags_unread(&self) -> bool {
        self.extra().has("tags")
    }

    /// Whether an agent committed the row itself, so that an export keeps it.
    fn is_committed(&self) -> bool {
        self.extra().get("origin").and_then(Node::as_text) == Some("committed")
    }
}

macro_rules! row {
    ($kind:ty, |$row:ident| $tags:expr, $names:expr $(, $more:item)?) => {
        impl Row for $kind {
            fn extra(&self) -> &Extra {
                &self.extra
            }
            fn extra_mut(&mut self) -> &mut Extra {
                &mut self.extra
            }
            fn declared(&self) -> Option<Visibility> {
                self.visibility
            }
            fn tags(&self) -> Vec<&str> {
                let $row = self;
                $tags
            }
            fn names(&self) -> Vec<&str> {
                let $row = self;
                $names
            }
            $($more)?
        }
    };
}

fn borrowed(texts: &[String]) -> Vec<&str> {
    texts.iter().map(String::as_str).collect()
}

row!(Entity, |row| borrowed(&row.tags), {
    std::iter::once(&row.name)
        .chain(&row.aliases)
        .map(String::as_str)
        .collect()
});
row!(
    Session,
    |row| row.extra.texts("tags"),
    {
        let _ = row;
        Vec::new()
    },
    // To the schema a session's tags are an unknown key, and there they stand when they are well formed, too.
    fn tags_unread(&self) -> bool {
        self.extra
            .get("tags")
            .is_some_and(|tags| !tags.is_null() && tags.as_texts().is_none())
    }
);
row!(Workstream, |row| borrowed(&row.tags), {
    // Aliases of a workstream are not in the schema, and count all the same.
    std::iter::once(row.name.as_str())
        .chain(row.extra.texts("aliases"))
        .collect()
});
row!(Note, |row| borrowed(&row.tags), {
    let _ = row;
    Vec::new()
});

macro_rules! each_string {
    ($kind:ty: $($field:ident),+) => {
        impl EachString for $kind {
            fn each_string(&mut self, visit: &mut dyn FnMut(&mut String)) {
                $(self.$field.each_string(visit);)+
            }
        }
    };
}

// Ids, levels, dates and statuses are not visited: their types hold nothing that could be a credential's text.
each_string!(Manifest: spec_version, agent, capabilities, sessions, entities, workstreams, notes, visibility_policy, extra);
each_string!(AgentBlock: instance, role_narrative, spec_version_compat, extra);
each_string!(Entity: name, kind, aliases, summary, tags, extra);
each_string!(Session: cwd, project_focus, key_actions, files_touched, extra);
each_string!(Workstream: name, summary, related_entities, tags, extra);
each_string!(Note: text, related_entities, tags, extra);
each_string!(VisibilityPolicy: private_tags, team_tags, extra);
