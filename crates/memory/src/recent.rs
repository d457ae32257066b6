use jiff::Span;
use ken_library::questions::{AgentsQuery, Limit, RecentQuery, recent_all};
use ken_library::{AgentId, AgentType, Session, Visible};
use serde::Serialize;

use crate::cursor::{Cursor, Mark};
use crate::shown::shown_whole;
use crate::{Error, Memory};

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

/// How far back one looks without being told.
const DAYS: i64 = 14;

impl Memory {
    /// What was done lately: sessions of every agent, newest first, as far as the caller may see.
    ///
    /// # Errors
    /// [`Error::BadCursor`] for a cursor that no page gave; [`Error::Library`] for an agent that is not here or a limit
    /// out of bounds.
    pub fn recent_work(&self, request: &RecentRequest) -> Result<RecentWork, Error> {
        let library = self.library();
        let (request, after) = match &request.cursor {
            Some(cursor) => {
                let cursor = Cursor::read(cursor)?;
                (cursor.request(), Some(cursor.after))
            }
            None => (request.clone(), None),
        };
        let limit = request.limit.map_or(Ok(Limit::default()), Limit::new)?;
        let today = self.setting.clock.today();
        let since = request.since.unwrap_or_else(|| {
            today
                .checked_sub(Span::new().days(DAYS))
                .unwrap_or(jiff::civil::Date::MIN)
        });
        let query = RecentQuery {
            since: Some(since),
            agent: request.agent.as_deref().map(agent_id).transpose()?,
            project: request.project.clone(),
            cwd: request.cwd.as_ref().map(|folder| folder.display().to_string()),
            tag: request.tag.clone(),
            undated: request.undated,
            limit,
        };
        let rows = recent_all(&library.view, &query)?;
        let marks = Mark::of_all(&rows);
        let start = after.map_or(0, |after| marks.partition_point(|mark| *mark <= after));
        let end = rows.len().min(start.saturating_add(limit.get()));
        let has_more = end < rows.len();
        let next_cursor = match marks.get(start..end).and_then(<[Mark]>::last) {
            Some(last) if has_more => Some(Cursor::new(&request, since, limit.get(), last.clone()).write()),
            _ => None,
        };
        Ok(shown_whole(RecentWork {
            sessions: rows[start..end].iter().copied().map(SessionLine::of).collect(),
            since: since.to_string(),
            next_cursor,
            has_more,
            notes: self.notes_of(&library),
        }))
    }

    /// Who is here and what they can do; only agents with a capability of this name or words, or of this type. Below
    /// level team there is no answer.
    pub fn agents(&self, capability: Option<&str>, agent_type: Option<AgentType>) -> Agents {
        let library = self.library();
        let query = AgentsQuery {
            capability: capability.map(str::to_owned),
            kind: agent_type,
        };
        let agents = ken_library::questions::agents(&library.view, &query)
            .iter()
            .map(|card| AgentLine {
                id: card.agent.to_string(),
                agent_type: card.kind.to_string(),
                instance: card.instance.clone(),
                role_narrative: card.role_narrative.clone(),
                capabilities: card.capabilities.clone(),
                last_updated: card.last_updated.map(|at| at.to_string()).unwrap_or_default(),
            })
            .collect();
        shown_whole(Agents {
            agents,
            notes: self.notes_of(&library),
        })
    }
}

/// A text that can be no agent's id names none that is here.
fn agent_id(text: &str) -> Result<AgentId, Error> {
    AgentId::new(text).map_err(|_| ken_library::Error::UnknownAgent(text.to_owned()).into())
}

impl SessionLine {
    pub(crate) fn of(session: &Visible<Session>) -> SessionLine {
        SessionLine {
            agent: session.agent().to_string(),
            date: session.date.map(|day| day.to_string()).unwrap_or_default(),
            cwd: session.cwd.clone(),
            project_focus: session.project_focus.clone(),
            key_actions: session.key_actions.clone(),
            files_touched: session.files_touched.clone(),
        }
    }
}
