use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::str::FromStr;

use jiff::Timestamp;
use serde::Serialize;

use crate::finding::Finding;
use crate::kept::{kept_choice, kept_fields};
use crate::name::{EdictId, Key, Label};
use crate::when::{self, Day};

/// How sure the source of an edict was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Confidence {
    /// Somebody checked it.
    Verified,
    /// A person said it. The contract's default.
    User,
    /// An agent concluded it.
    Inferred,
}

/// How long an edict holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ttl {
    /// Never expires.
    Permanent,
    /// Until a date that belongs to an event.
    Event,
    /// For a short while: a day unless told otherwise.
    Ephemeral,
    /// Until somebody says otherwise; stale when nobody confirms it. The contract's default.
    Durable,
}

impl Confidence {
    /// As the contract writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Confidence::Verified => "verified",
            Confidence::User => "user",
            Confidence::Inferred => "inferred",
        }
    }
}

impl Ttl {
    /// As the contract writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Ttl::Permanent => "permanent",
            Ttl::Event => "event",
            Ttl::Ephemeral => "ephemeral",
            Ttl::Durable => "durable",
        }
    }
}

impl FromStr for Confidence {
    type Err = String;
    fn from_str(text: &str) -> Result<Confidence, String> {
        [Confidence::Verified, Confidence::Inferred, Confidence::User]
            .into_iter()
            .find(|c| c.as_str() == text)
            .ok_or_else(|| format!("`{text}` is not a confidence; write verified, inferred or user"))
    }
}

impl FromStr for Ttl {
    type Err = String;
    fn from_str(text: &str) -> Result<Ttl, String> {
        [Ttl::Permanent, Ttl::Durable, Ttl::Event, Ttl::Ephemeral]
            .into_iter()
            .find(|t| t.as_str() == text)
            .ok_or_else(|| format!("`{text}` is not a ttl; write permanent, durable, event or ephemeral"))
    }
}

/// One fact that must win, as the contract's table has it, with every default filled in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Edict {
    /// Its id.
    pub id: EdictId,
    /// The fact.
    pub text: String,
    /// Its category, normalised.
    pub category: Label,
    /// Its tags, normalised, each once.
    pub tags: Vec<Label>,
    /// How sure its source was.
    pub confidence: Confidence,
    /// Who or what established it.
    pub source: String,
    /// Its supersession key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<Key>,
    /// How long it holds.
    pub ttl: Ttl,
    /// From this instant on it is invisible.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "when::serialize_some"
    )]
    pub expires_at: Option<Timestamp>,
    /// When it was made. An edict whose file does not say so was made now, until a write fills it in.
    #[serde(serialize_with = "when::serialize")]
    pub created: Timestamp,
    /// When it was added, changed or confirmed last.
    #[serde(serialize_with = "when::serialize")]
    pub updated: Timestamp,
    /// When it was read last, where that is known.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "when::serialize_some"
    )]
    pub last_accessed: Option<Timestamp>,
    /// Line of the file on which it starts, counted from 1.
    #[serde(skip)]
    pub line: u32,
    /// Its number among the items of the file's list.
    #[serde(skip)]
    pub(crate) position: usize,
    /// What the file does not say and the next write fills in.
    #[serde(skip)]
    pub(crate) pending: Pending,
}

/// Fields that are in force though the file does not hold them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Pending {
    pub(crate) id: bool,
    pub(crate) created: bool,
    pub(crate) updated: bool,
    pub(crate) expires_at: bool,
}

impl Edict {
    /// Whether it has expired at `now`.
    pub fn expired(&self, now: Timestamp) -> bool {
        self.expires_at.is_some_and(|at| at <= now)
    }

    /// What its text counts against `tokenBudget`.
    pub fn tokens(&self) -> usize {
        ken_text::tokens::budget_tokens(&self.text)
    }
}

/// What an edict was before it was superseded, changed, removed, or expired.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct HistoryEntry {
    /// `{id}__{milliseconds since 1970}_{version}`; files of other programs may have other shapes.
    pub id: String,
    /// The text that was.
    pub text: String,
    /// The id of what replaced it, `expired`, or `removed`.
    pub superseded_by: String,
    /// When it was archived.
    #[serde(serialize_with = "when::serialize")]
    pub archived_at: Timestamp,
    /// Its category; entries of other programs have none of the following.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<Label>,
    /// Its tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Label>,
    /// How sure its source was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<Confidence>,
    /// Who or what established it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
    /// Its key.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<Key>,
    /// How long it held.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttl: Option<Ttl>,
    /// When it expired or would have.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "when::serialize_some"
    )]
    pub expires_at: Option<Timestamp>,
    /// When it was made.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "when::serialize_some"
    )]
    pub created: Option<Timestamp>,
    /// When it was changed last.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "when::serialize_some"
    )]
    pub updated: Option<Timestamp>,
    /// Line of the file on which it starts, counted from 1.
    #[serde(skip)]
    pub line: u32,
}

impl HistoryEntry {
    /// The id that the edict had, and the entry's version of it (0 where the id has another shape).
    pub fn origin(&self) -> (&str, u64) {
        split_history_id(&self.id)
    }
}

/// Parses `{id}__{milliseconds}_{version}` from the right. Another program's suffix after the last `__` is left off
/// with version 0; an id without `__` is the edict's own.
pub(crate) fn split_history_id(id: &str) -> (&str, u64) {
    let Some((edict, suffix)) = id.rsplit_once("__").filter(|(edict, _)| !edict.is_empty()) else {
        return (id, 0);
    };
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let version = suffix
        .split_once('_')
        .filter(|(millis, version)| digits(millis) && digits(version))
        .and_then(|(_, version)| version.parse().ok())
        .unwrap_or(0);
    (edict, version)
}

/// The limits and thresholds in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Config {
    /// At most this many edicts in force.
    pub max_edicts: usize,
    /// At most this many tokens of edict text in force.
    pub token_budget: usize,
    /// Allowed categories; empty allows any.
    pub categories: Vec<Label>,
    /// A durable edict is stale when it was not changed or confirmed for this many days.
    pub stale_threshold_days: u32,
    /// Numbers of edicts by category, above which to warn.
    pub category_limits: BTreeMap<Label, usize>,
    /// The same for categories not listed.
    pub default_category_limit: Option<usize>,
    /// How long an ephemeral edict holds that does not say it, in seconds.
    pub default_ephemeral_ttl_seconds: u64,
}

impl Default for Config {
    /// The contract's defaults.
    fn default() -> Config {
        Config {
            max_edicts: 200,
            token_budget: 4000,
            categories: Vec::new(),
            stale_threshold_days: 90,
            category_limits: BTreeMap::new(),
            default_category_limit: None,
            default_ephemeral_ttl_seconds: 86_400,
        }
    }
}

/// A file of edicts, read and checked.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Edicts {
    /// The file.
    pub path: PathBuf,
    /// The version of the file's form: 1.
    pub version: u32,
    /// The file's own configuration with the contract's defaults.
    pub config: Config,
    /// Every edict that can be read, in file order, expired ones included.
    pub edicts: Vec<Edict>,
    /// What was, in file order.
    pub history: Vec<HistoryEntry>,
    /// What is wrong with the file.
    pub findings: Vec<Finding>,
    /// Edicts that stand in the file and are not in force because a field of theirs is bad.
    pub set_aside: Vec<SetAside>,
    /// The highest number of an `e_...` id that stands anywhere in the file.
    pub(crate) highest: u64,
    /// Of the text that was read.
    pub(crate) digest: [u8; 32],
    /// The dates without a time that stand in it: what instants they are depends on the zone.
    pub(crate) days: BTreeSet<Day>,
}

/// An edict that is not in force because it cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAside {
    /// Its id, as far as that can be read.
    pub id: Option<String>,
    /// Its key, as far as that can be read.
    pub key: Option<String>,
    /// Line on which it starts, counted from 1.
    pub line: u32,
}

kept_choice!(Confidence {
    Verified,
    User,
    Inferred
});
kept_choice!(Ttl {
    Permanent,
    Event,
    Ephemeral,
    Durable
});
kept_fields!(Pending {
    id,
    created,
    updated,
    expires_at
});
kept_fields!(Edict {
    id,
    text,
    category,
    tags,
    confidence,
    source,
    key,
    ttl,
    expires_at,
    created,
    updated,
    last_accessed,
    line,
    position,
    pending,
});
kept_fields!(HistoryEntry {
    id,
    text,
    superseded_by,
    archived_at,
    category,
    tags,
    confidence,
    source,
    key,
    ttl,
    expires_at,
    created,
    updated,
    line,
});
kept_fields!(Config {
    max_edicts,
    token_budget,
    categories,
    stale_threshold_days,
    category_limits,
    default_category_limit,
    default_ephemeral_ttl_seconds,
});
kept_fields!(SetAside { id, key, line });
kept_fields!(Edicts {
    path,
    version,
    config,
    edicts,
    history,
    findings,
    set_aside,
    highest,
    digest,
    days,
});

impl Edicts {
    /// A file without edicts.
    pub(crate) fn empty(path: PathBuf, text: &str) -> Edicts {
        Edicts {
            path,
            version: 1,
            config: Config::default(),
            edicts: Vec::new(),
            history: Vec::new(),
            findings: Vec::new(),
            set_aside: Vec::new(),
            highest: 0,
            digest: blake3::hash(text.as_bytes()).into(),
            days: BTreeSet::new(),
        }
    }

    /// The edicts that have not expired at `now`, in file order.
    pub fn in_force(&self, now: Timestamp) -> impl Iterator<Item = &Edict> {
        self.edicts.iter().filter(move |edict| !edict.expired(now))
    }

    /// The edict in force with this id.
    pub fn get(&self, id: &str, now: Timestamp) -> Option<&Edict> {
        self.in_force(now).find(|edict| edict.id == *id)
    }

    /// The history of one edict, or of all, in file order.
    pub fn history_of<'e>(&'e self, id: Option<&'e str>) -> impl Iterator<Item = &'e HistoryEntry> {
        self.history
            .iter()
            .filter(move |entry| id.is_none_or(|id| entry.origin().0 == id))
    }
}
