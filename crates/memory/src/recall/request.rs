use std::str::FromStr;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::Error;

/// What kind of memory a hit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// An observation of the project's log.
    Event,
    /// A block of `LESSONS.md`.
    Lesson,
    /// A fact of `edicts.yaml`.
    Edict,
    /// An entity of the library.
    Entity,
    /// A session of the library.
    Session,
    /// A workstream of the library.
    Workstream,
    /// A note of the library.
    Note,
}

impl Kind {
    /// Every kind, in the order in which they are listed.
    pub const ALL: [Kind; 7] = [
        Kind::Event,
        Kind::Lesson,
        Kind::Edict,
        Kind::Entity,
        Kind::Session,
        Kind::Workstream,
        Kind::Note,
    ];

    /// The kind's name, as it is typed and printed.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::Event => "event",
            Kind::Lesson => "lesson",
            Kind::Edict => "edict",
            Kind::Entity => "entity",
            Kind::Session => "session",
            Kind::Workstream => "workstream",
            Kind::Note => "note",
        }
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Kind {
    type Err = Error;

    fn from_str(name: &str) -> Result<Kind, Error> {
        let wanted = name.trim().to_lowercase();
        Kind::ALL
            .into_iter()
            .find(|kind| kind.as_str() == wanted)
            .ok_or_else(|| Error::UnknownKind {
                given: name.to_owned(),
            })
    }
}

/// By what hits are ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rank {
    /// BM25 times bounded priors: what answers a question best.
    #[default]
    Relevance,
    /// The contract's `bm25 * salience`, over events only: what the dream cycle would promote.
    Salience,
}

impl FromStr for Rank {
    type Err = Error;

    fn from_str(name: &str) -> Result<Rank, Error> {
        match name.trim().to_lowercase().as_str() {
            "relevance" => Ok(Rank::Relevance),
            "salience" => Ok(Rank::Salience),
            _ => Err(Error::UnknownRank {
                given: name.to_owned(),
            }),
        }
    }
}

/// A question to everything that is remembered.
#[derive(Debug, Clone)]
pub struct RecallRequest {
    /// Plain words, `"phrases"`, and the filters `skill:`, `harness:`, `tag:`, `since:` and `kind:`. Never an error.
    pub query: String,
    /// How many hits at most: 1 to 100. What lies outside is taken to the nearer bound, and the answer says so.
    pub k: usize,
    /// Only these kinds; empty means all.
    pub kinds: Vec<Kind>,
    /// Only this skill and what lies below it (`git` finds `git::rebase`).
    pub skill: Option<String>,
    /// Only what this harness or agent wrote.
    pub harness: Option<String>,
    /// Only what bears this tag.
    pub tag: Option<String>,
    /// Only what is not older. See [`crate::since`].
    pub since: Option<Timestamp>,
    /// Also expired edicts and what is past its `valid_to`.
    pub all: bool,
    /// By what hits are ordered.
    pub rank: Rank,
    /// Show every factor of every score.
    pub explain: bool,
    /// Texts are cut after this many characters (a cut hit says so); 0 cuts nothing.
    pub text_limit: usize,
}

/// Hits when the caller does not say how many.
pub const DEFAULT_K: usize = 10;
/// The most hits that one question gets.
pub const MAX_K: usize = 100;

impl RecallRequest {
    /// A question with everything at its default: ten hits of every kind, by relevance, texts whole.
    pub fn new(query: impl Into<String>) -> RecallRequest {
        RecallRequest {
            query: query.into(),
            k: DEFAULT_K,
            kinds: Vec::new(),
            skill: None,
            harness: None,
            tag: None,
            since: None,
            all: false,
            rank: Rank::Relevance,
            explain: false,
            text_limit: 0,
        }
    }
}
