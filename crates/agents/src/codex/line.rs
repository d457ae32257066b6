//! One line of a rollout, as far as it is of interest.
//!
//! What is not named here (reasoning, outputs of tools, instructions, token counts, the history that a compaction
//! leaves) is passed over.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::Value;

use crate::lenient::{Text, object, objects, strings, text};

/// A line of a rollout: `{"timestamp", "type", "payload"}`.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Record<'a> {
    #[serde(rename = "type", borrow, deserialize_with = "text")]
    pub(crate) kind: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) timestamp: Text<'a>,
    #[serde(borrow, deserialize_with = "object")]
    pub(crate) payload: Option<Payload<'a>>,
}

/// What a line says, over all kinds of lines that matter here. Versions of 2025 wrote it without the wrapper.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Payload<'a> {
    #[serde(rename = "type", borrow, deserialize_with = "text")]
    pub(crate) kind: Text<'a>,
    // Of the session.
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) id: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) timestamp: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) cwd: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) forked_from_id: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) parent_thread_id: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) memory_mode: Text<'a>,
    pub(crate) source: Value,
    #[serde(borrow, deserialize_with = "object")]
    pub(crate) git: Option<Git<'a>>,
    // Of what was said.
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) message: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) role: Text<'a>,
    #[serde(borrow, deserialize_with = "objects")]
    pub(crate) content: Option<Vec<Part<'a>>>,
    #[serde(borrow, deserialize_with = "object")]
    pub(crate) item: Option<Item<'a>>,
    // Of what was done.
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) name: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) arguments: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) input: Text<'a>,
    #[serde(borrow, deserialize_with = "object")]
    pub(crate) action: Option<Call<'a>>,
}

/// The repository as it was when the session began.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Git<'a> {
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) commit_hash: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) repository_url: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) branch: Text<'a>,
}

/// A part of a turn that is complete, as versions since 2026 tell it.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Item<'a> {
    #[serde(rename = "type", borrow, deserialize_with = "text")]
    pub(crate) kind: Text<'a>,
    #[serde(borrow, deserialize_with = "objects")]
    pub(crate) content: Option<Vec<Part<'a>>>,
}

/// A part of a message.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Part<'a> {
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) text: Text<'a>,
}

/// What a tool was called with, over all tools that matter here.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Call<'a> {
    /// A command as its words, or as one line.
    #[serde(borrow, deserialize_with = "strings")]
    pub(crate) command: Vec<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "strings")]
    pub(crate) cmd: Vec<Cow<'a, str>>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) workdir: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) working_directory: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) input: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) patch: Text<'a>,
    #[serde(borrow, deserialize_with = "objects")]
    pub(crate) plan: Option<Vec<Step<'a>>>,
}

/// A step of the agent's plan.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Step<'a> {
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) step: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) status: Text<'a>,
}

/// Whose session it is, by `source`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub(crate) enum Owner {
    /// A person's, or a script's that speaks for one (`cli`, `vscode`, `exec`, `mcp`).
    Person,
    /// An agent's that another session sent out: its deeds count, its words do not.
    Helper,
    /// The program's own: writing memories, making a conversation shorter.
    Machine,
}

impl Owner {
    pub(crate) fn of(source: &Value) -> Owner {
        let (kind, which) = match source {
            Value::String(kind) => (kind.as_str(), None),
            Value::Object(map) => map
                .iter()
                .next()
                .map_or(("", None), |(kind, which)| (kind.as_str(), Some(which))),
            _ => return Owner::Person,
        };
        match (kind, which.and_then(Value::as_str)) {
            ("internal", _) | ("subagent" | "subAgent", Some("compact" | "memory_consolidation")) => {
                Owner::Machine
            }
            ("subagent" | "subAgent", _) => Owner::Helper,
            _ => Owner::Person,
        }
    }

    /// The session that sent a helper out.
    pub(crate) fn parent(source: &Value) -> Option<&str> {
        let sent = source.get("subagent").or_else(|| source.get("subAgent"))?;
        sent.get("thread_spawn")?.get("parent_thread_id")?.as_str()
    }
}
