use serde::Serialize;

use super::Kind;

/// How a score came about: `score` is the product of `bm25` and every factor that is shown.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Factors {
    /// BM25 with field weights, under one set of statistics for everything that was searched.
    pub bm25: f64,
    /// An event's pain and importance: 0.75 to 1.25, and 1 at 5/5.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weight: Option<f64>,
    /// How often the pattern came back: 1 to 1.15.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recurrence: Option<f64>,
    /// Whose words they are: a person's over an agent's over a tool's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<f64>,
    /// How sure an edict is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// How recent it is: 0.9 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recency: Option<f64>,
    /// The contract's salience (rank by salience only).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub salience: Option<f64>,
    /// What ranks it under the event that took its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded: Option<f64>,
}

/// One thing that was found.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Hit {
    /// The event's, lesson's or edict's id; for rows of the library `kind:name` or `kind:agent:date:number`.
    pub id: String,
    /// What kind of memory.
    pub kind: Kind,
    /// What it says.
    pub text: String,
    /// Whether the text was cut at the request's limit.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// Above zero; higher is better. Comparable within one answer only.
    pub score: f64,
    /// The factors of the score, when they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub factors: Option<Factors>,
    /// RFC 3339, or a day where only the day is known.
    pub when: Option<String>,
    /// Who wrote it: harnesses or agents, sorted.
    pub who: Vec<String>,
    /// Whose words they are: `user`, `agent` or `tool`, where that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
    /// The project it belongs to.
    pub project: Option<String>,
    /// Where the line stands: `file:line`, or the file.
    pub place: Option<String>,
    /// The skill of an event or lesson.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub skill: Option<String>,
    /// Its tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// How many lines say the same; they are one hit.
    pub copies: usize,
    /// The id of what took its place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded_by: Option<String>,
    /// Whether it has expired or lies past its `valid_to` (shown only on request).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub past: bool,
    /// Whether it comes from a repository that nobody on this machine has trusted.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub untrusted: bool,
}

/// The answer to a question to everything that is remembered.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Recall {
    /// The question.
    pub query: String,
    /// Best first; equal scores newest first, then by id.
    pub hits: Vec<Hit>,
    /// Whether more was found than the answer holds.
    pub more: bool,
    /// Sentences for the reader: what was not searched and why, which lines could not be read.
    pub notes: Vec<String>,
}
