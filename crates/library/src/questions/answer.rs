//! Rows as JSON: the contract's keys, the agent before them, and the visibility that holds, not the one declared.

use jiff::civil::Date;
use serde::{Serialize, Serializer};

use crate::filter::{AgentCard, Visible};
use crate::model::{Entity, Note, Row, Session, WorkStatus, Workstream};
use crate::{AgentId, Visibility};

#[derive(Serialize)]
struct EntityAnswer<'a> {
    agent: &'a AgentId,
    name: &'a str,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    aliases: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_touched: Option<Date>,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_from: Option<Date>,
    #[serde(skip_serializing_if = "Option::is_none")]
    valid_to: Option<Date>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    supersedes: Vec<&'a str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    superseded_by: Vec<&'a str>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    tags: &'a [String],
    visibility: Visibility,
}

#[derive(Serialize)]
struct SessionAnswer<'a> {
    agent: &'a AgentId,
    /// The contract's empty text when the day is not known.
    date: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    cwd: Option<&'a str>,
    project_focus: &'a [String],
    key_actions: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    files_touched: &'a [String],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<&'a str>,
    visibility: Visibility,
}

#[derive(Serialize)]
struct WorkstreamAnswer<'a> {
    agent: &'a AgentId,
    name: &'a str,
    status: Option<WorkStatus>,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    started: Option<Date>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_touched: Option<Date>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    related_entities: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    tags: &'a [String],
    visibility: Visibility,
}

#[derive(Serialize)]
struct NoteAnswer<'a> {
    agent: &'a AgentId,
    #[serde(skip_serializing_if = "Option::is_none")]
    date: Option<Date>,
    text: &'a str,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    related_entities: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    tags: &'a [String],
    visibility: Visibility,
}

impl Serialize for Visible<Entity> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        EntityAnswer {
            agent: self.agent(),
            name: &self.name,
            kind: self.kind.as_deref(),
            aliases: &self.aliases,
            summary: self.summary.as_deref(),
            last_touched: self.last_touched,
            valid_from: self.valid_from,
            valid_to: self.valid_to,
            supersedes: self.extra.texts("supersedes"),
            superseded_by: self.extra.texts("superseded_by"),
            tags: &self.tags,
            visibility: self.visibility(),
        }
        .serialize(serializer)
    }
}

impl Serialize for Visible<Session> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        SessionAnswer {
            agent: self.agent(),
            date: self.date.map(|date| date.to_string()).unwrap_or_default(),
            cwd: self.cwd.as_deref(),
            project_focus: &self.project_focus,
            key_actions: &self.key_actions,
            files_touched: &self.files_touched,
            tags: self.tags(),
            visibility: self.visibility(),
        }
        .serialize(serializer)
    }
}

impl Serialize for Visible<Workstream> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        WorkstreamAnswer {
            agent: self.agent(),
            name: &self.name,
            status: self.status,
            summary: self.summary.as_deref(),
            started: self.started,
            last_touched: self.last_touched,
            related_entities: &self.related_entities,
            tags: &self.tags,
            visibility: self.visibility(),
        }
        .serialize(serializer)
    }
}

impl Serialize for Visible<Note> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        NoteAnswer {
            agent: self.agent(),
            date: self.date,
            text: &self.text,
            related_entities: &self.related_entities,
            tags: &self.tags,
            visibility: self.visibility(),
        }
        .serialize(serializer)
    }
}

impl Serialize for Visible<AgentCard> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (**self).serialize(serializer)
    }
}
