use serde::Serialize;

/// Which edicts in force are wanted. Everything empty means all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FactsRequest {
    /// Words that all must occur, ranked; `"phrases"` stand as they are.
    pub query: Option<String>,
    /// Only this category.
    pub category: Option<String>,
    /// Only what bears this tag.
    pub tag: Option<String>,
    /// How many at most; `None` means all.
    pub limit: Option<usize>,
}

/// An edict in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// The edict's id.
    pub id: String,
    /// The fact itself.
    pub text: String,
    /// Its category.
    pub category: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// `verified`, `user` or `inferred`.
    pub confidence: String,
    /// Who established it.
    pub source: String,
    /// Its key, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// `permanent`, `event`, `ephemeral` or `durable`.
    pub ttl: String,
    /// When it expires, where it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<jiff::Timestamp>,
    /// When it was last changed or confirmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated: Option<jiff::Timestamp>,
    /// `file:line`.
    pub place: Option<String>,
}

/// The edicts in force that were asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Facts {
    /// In the order of the contract's render, or best first when words were searched.
    pub facts: Vec<Fact>,
    /// How many there are before the limit.
    pub found: usize,
    /// One sentence instead of facts, when nobody on this machine has trusted this repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untrusted: Option<String>,
    /// Sentences for the reader: no edicts file, a broken one, edicts that were set aside.
    pub notes: Vec<String>,
}
