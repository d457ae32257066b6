use serde::Serialize;

/// The moment at which a brief is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Situation {
    /// A session begins, or is resumed: facts, lessons and the rest. One that is resumed still holds what it was told,
    /// which its id says.
    SessionStart,
    /// A person sends this prompt: only what it names or touches, or nothing.
    Prompt(String),
    /// The conversation was compacted: as a session start, with what was in flight in it, and what was said before may
    /// be said again.
    AfterCompaction,
    /// The person cleared the conversation: as a session start, what was said before may be said again, and nothing of
    /// what was cleared is in flight any more.
    Cleared,
}

impl Situation {
    /// As it stands in the log.
    pub fn as_str(&self) -> &'static str {
        match self {
            Situation::SessionStart => "session_start",
            Situation::Prompt(_) => "prompt",
            Situation::AfterCompaction => "after_compaction",
            Situation::Cleared => "cleared",
        }
    }

    /// Whether the conversation no longer holds what the session was told.
    pub(super) fn starts_afresh(&self) -> bool {
        matches!(self, Situation::AfterCompaction | Situation::Cleared)
    }
}

/// A question for what should reach a prompt now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BriefRequest {
    /// The moment.
    pub situation: Situation,
    /// A cap on the whole brief in prompt tokens, wrapper included.
    pub budget: Option<usize>,
    /// The session that the brief goes to; within one, nothing is said twice.
    pub session: Option<String>,
}

impl BriefRequest {
    /// A brief for a moment, without a cap of its own and without a session's memory.
    pub fn new(situation: Situation) -> BriefRequest {
        BriefRequest {
            situation,
            budget: None,
            session: None,
        }
    }
}

/// What a part of a brief is about, in the order in which the parts stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SectionKind {
    /// Edicts in force.
    Facts,
    /// What was recognised, one line each.
    Known,
    /// Lessons of the project.
    Lessons,
    /// Work in flight here: workstreams and the last sessions.
    Work,
}

/// A part of a brief, for those who print or count it apart.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Section {
    /// What it is about.
    pub kind: SectionKind,
    /// Its lines, fenced, as they stand in the text.
    pub lines: Vec<String>,
    /// How many more there were than the budget holds.
    pub left_out: usize,
}

/// What should reach a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Brief {
    /// The whole text with its wrapper; empty when there is nothing to say.
    pub text: String,
    /// What the text costs in a prompt.
    pub tokens: usize,
    /// Its parts.
    pub sections: Vec<Section>,
    /// How many lines did not fit.
    pub left_out: usize,
    /// How many lines this session was told before, and is not told again.
    pub told_before: usize,
    /// One sentence instead of a brief, when nobody on this machine has trusted this repository; once in a session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untrusted: Option<String>,
    /// Sentences for the person (never for the prompt): files that could not be read.
    pub notes: Vec<String>,
}

/// A brief that was given, as the local log remembers it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct Told {
    /// When, RFC 3339.
    pub at: jiff::Timestamp,
    /// To which session, where one was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    /// To which agent, where it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// In which project (its root), where there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<String>,
    /// `session_start`, `prompt`, `after_compaction` or `cleared`.
    pub situation: String,
    /// The text, exactly.
    pub text: String,
    /// What it cost in the prompt.
    pub tokens: usize,
}
