use serde::Serialize;

/// What kind of thing a recognised name belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ThingKind {
    /// An entity of the library.
    Entity,
    /// A workstream of the library.
    Workstream,
    /// A fact of `edicts.yaml`, recognised by its key.
    Edict,
    /// A skill that lessons speak of.
    Skill,
}

/// A place in the text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// What one agent (or file) says about a thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// The agent's id; `edicts` or `lessons` for what a project's files say.
    pub agent: String,
    /// Its words.
    pub text: String,
}

/// A thing that is named in a text. Two things of one name are two entries with the same span.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Recognised {
    /// The name under which the thing is known now (a successor's, when the text used a superseded name).
    pub name: String,
    /// What kind of thing.
    pub kind: ThingKind,
    /// The types that agents give an entity (`project`, `person`), distinct, most used first.
    pub types: Vec<String>,
    /// Where it is named first.
    pub span: Span,
    /// The words that stand there.
    pub text: String,
    /// How often the text names it.
    pub times: usize,
    /// The agents that know it, sorted; for edicts and skills the file that does.
    pub sources: Vec<String>,
    /// Its other names.
    pub also_known_as: Vec<String>,
    /// Names that it bore before, when the text used one of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub formerly: Vec<String>,
    /// What each source says about it.
    pub summaries: Vec<Summary>,
    /// A workstream's status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// First day of validity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<String>,
    /// Last day of validity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<String>,
    /// Whether `valid_to` lies in the past.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub past: bool,
    /// The day it was last touched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_touched: Option<String>,
}

/// The answer to "which known things does this text name?".
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Recognition {
    /// The things named, in the order in which the text names them.
    pub recognised: Vec<Recognised>,
    /// How many bytes of the text were looked at (at most 1 MiB).
    pub looked_at: usize,
    /// How many bytes the text has.
    pub text_bytes: usize,
    /// Sentences for the reader: what was not looked at, which files could not be read.
    pub notes: Vec<String>,
}
