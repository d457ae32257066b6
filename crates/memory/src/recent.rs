use serde::Serialize;

/// Which sessions are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RecentRequest {
    /// Not before this day; `None` means the last 14 days.
    pub since: Option<jiff::civil::Date>,
    /// Only this agent's.
    pub agent: Option<String>,
    /// Only on this project, by name.
    pub project: Option<String>,
    /// Only at or below this folder.
    pub cwd: Option<std::path::PathBuf>,
    /// Only what bears this tag.
    pub tag: Option<String>,
    /// Also sessions without a date, last.
    pub undated: bool,
    /// How many on a page: 1 to 100, 20 when not given.
    pub limit: Option<usize>,
    /// Where the page before ended.
    pub cursor: Option<String>,
}

/// A session as it is shown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct SessionLine {
    /// Whose.
    pub agent: String,
    /// The day; empty when the agent's own store did not say.
    pub date: String,
    /// Where it worked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cwd: Option<String>,
    /// What it was about.
    pub project_focus: Vec<String>,
    /// What happened.
    pub key_actions: Vec<String>,
    /// Files that were changed.
    pub files_touched: Vec<String>,
}

/// What was done lately.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct RecentWork {
    /// Newest first; undated last.
    pub sessions: Vec<SessionLine>,
    /// The first day that was looked at.
    pub since: String,
    /// Where the next page begins.
    pub next_cursor: Option<String>,
    /// Whether there is a next page.
    pub has_more: bool,
    /// Sentences for the reader: manifests that could not be read.
    pub notes: Vec<String>,
}

/// An agent of the library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AgentLine {
    /// Its id.
    pub id: String,
    /// Its type.
    #[serde(rename = "type")]
    pub agent_type: String,
    /// The machine, where the manifest says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
    /// What it is for, in its own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role_narrative: Option<String>,
    /// What it can do.
    pub capabilities: Vec<String>,
    /// When its manifest was last regenerated.
    pub last_updated: String,
}

/// Who is here and what they can do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Agents {
    /// Sorted by id.
    pub agents: Vec<AgentLine>,
    /// Sentences for the reader: manifests that could not be read.
    pub notes: Vec<String>,
}
