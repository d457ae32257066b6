use serde::{Deserialize, Serialize};

/// Something worth remembering, before it is checked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LearnRequest {
    /// What was learned: 1 byte to 64 KiB after trimming.
    pub content: String,
    /// How much it hurt, 0 to 10.
    #[serde(default = "middle")]
    pub pain: f64,
    /// How much it matters, 0 to 10.
    #[serde(default = "middle")]
    pub importance: f64,
    /// The skill it belongs to, such as `git::rebase`.
    #[serde(default)]
    pub skill_action: Option<String>,
    /// Who writes; the setting's agent when not given, else `cli`.
    #[serde(default)]
    pub harness: Option<String>,
    /// Whose words they are: `user`, `agent` or `tool`.
    #[serde(default)]
    pub origin: Option<String>,
    /// Tags.
    #[serde(default)]
    pub tags: Vec<String>,
    /// The event id or skill that this takes the place of.
    #[serde(default)]
    pub supersedes: Option<String>,
    /// The same key within 24 hours returns the first event instead of writing a second.
    #[serde(default)]
    pub dedup_key: Option<String>,
}

fn middle() -> f64 {
    5.0
}

impl LearnRequest {
    /// An observation with everything else at its default.
    pub fn new(content: impl Into<String>) -> LearnRequest {
        LearnRequest {
            content: content.into(),
            pain: middle(),
            importance: middle(),
            skill_action: None,
            harness: None,
            origin: None,
            tags: Vec::new(),
            supersedes: None,
            dedup_key: None,
        }
    }
}

/// An observation that is on the disk.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Learned {
    /// The event's id.
    pub id: String,
    /// Its time.
    pub timestamp: jiff::Timestamp,
    /// Whether an earlier event with the same dedup key stands for it.
    pub deduplicated: bool,
    /// The content as it was written, credentials replaced.
    pub content: String,
    /// The skill, normalised.
    pub skill_action: String,
    /// Who wrote.
    pub source_harness: String,
    /// How often this was observed before.
    pub recurrence: u64,
    /// `file:line`.
    pub place: String,
    /// The project's name.
    pub project: String,
    /// The kinds of credentials that were replaced.
    pub redacted: Vec<String>,
}
