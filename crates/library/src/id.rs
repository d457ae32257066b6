//! Who an agent is: its id and its type.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The longest agent id, in characters, that the schema allows.
pub const AGENT_ID_MAX: usize = 64;

/// An agent's slug: `^[a-z0-9][a-z0-9_-]*$`, at most 64 characters. It is also the manifest's file name and the
/// reference key between agents, so nothing that could leave a folder is one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AgentId(String);

/// A text that is not an agent id.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{value:?} is not an agent id: {why}; use 1 to 64 of a-z, 0-9, `_` and `-`, beginning with a letter or digit, for example `claude-code`"
)]
pub struct AgentIdError {
    /// What was given, cut to a length that fits a message.
    pub value: String,
    /// What is wrong with it.
    pub why: &'static str,
}

impl AgentId {
    /// Checks an id against the schema's pattern and length.
    pub fn new(id: impl Into<String>) -> Result<AgentId, AgentIdError> {
        let id = id.into();
        let why = match id.as_bytes() {
            [] => "it is empty",
            bytes if bytes.len() > AGENT_ID_MAX => "it is longer than 64 characters",
            [b'_' | b'-', ..] => "it begins with `_` or `-`",
            bytes
                if !bytes
                    .iter()
                    .all(|b| matches!(b, b'a'..=b'z' | b'0'..=b'9' | b'_' | b'-')) =>
            {
                "it holds other characters"
            }
            _ => return Ok(AgentId(id)),
        };
        Err(AgentIdError {
            value: id.chars().take(AGENT_ID_MAX + 1).collect(),
            why,
        })
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of this agent's manifest in `agents/`.
    pub fn file_name(&self) -> String {
        format!("{}.l5.yaml", self.0)
    }
}

impl fmt::Display for AgentId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl AsRef<str> for AgentId {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl FromStr for AgentId {
    type Err = AgentIdError;
    fn from_str(id: &str) -> Result<AgentId, AgentIdError> {
        AgentId::new(id)
    }
}

impl TryFrom<String> for AgentId {
    type Error = AgentIdError;
    fn try_from(id: String) -> Result<AgentId, AgentIdError> {
        AgentId::new(id)
    }
}

impl From<AgentId> for String {
    fn from(id: AgentId) -> String {
        id.0
    }
}

/// The category of an agent, as the schema lists them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AgentType {
    /// Writes and changes code.
    CodeAssistant,
    /// Takes notes.
    NoteCapture,
    /// Several local agents that act as one.
    LocalSwarm,
    /// Answers customers.
    CustomerSupport,
    /// Finds and sums up sources.
    ResearchAssistant,
    /// Writes, draws or composes with a person.
    CreativeCollaborator,
    /// Plans and follows work.
    ProjectManager,
    /// Teaches.
    Tutor,
    /// None of these.
    Other,
}

/// A text that is not an agent type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not an agent type; use one of {names}", names = AgentType::names())]
pub struct AgentTypeError(pub String);

impl AgentType {
    /// Every type, in the schema's order.
    pub const ALL: [AgentType; 9] = [
        AgentType::CodeAssistant,
        AgentType::NoteCapture,
        AgentType::LocalSwarm,
        AgentType::CustomerSupport,
        AgentType::ResearchAssistant,
        AgentType::CreativeCollaborator,
        AgentType::ProjectManager,
        AgentType::Tutor,
        AgentType::Other,
    ];

    /// The type as the schema spells it.
    pub fn as_str(self) -> &'static str {
        match self {
            AgentType::CodeAssistant => "code-assistant",
            AgentType::NoteCapture => "note-capture",
            AgentType::LocalSwarm => "local-swarm",
            AgentType::CustomerSupport => "customer-support",
            AgentType::ResearchAssistant => "research-assistant",
            AgentType::CreativeCollaborator => "creative-collaborator",
            AgentType::ProjectManager => "project-manager",
            AgentType::Tutor => "tutor",
            AgentType::Other => "other",
        }
    }

    fn names() -> String {
        AgentType::ALL.map(AgentType::as_str).join(", ")
    }
}

impl fmt::Display for AgentType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for AgentType {
    type Err = AgentTypeError;
    fn from_str(text: &str) -> Result<AgentType, AgentTypeError> {
        AgentType::ALL
            .into_iter()
            .find(|t| t.as_str() == text)
            .ok_or_else(|| AgentTypeError(text.chars().take(80).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_follow_the_schema_and_leave_no_folder() {
        let longest = "a".repeat(64);
        for good in ["a", "0", "claude-code", "a_b-c", "9-", longest.as_str()] {
            assert!(AgentId::new(good).is_ok(), "{good}");
        }
        let too_long = "a".repeat(65);
        for bad in [
            "",
            "-a",
            "_a",
            "A",
            "../x",
            "a/b",
            "a\\b",
            "x\n",
            "\nx",
            ".",
            "..",
            "a.b",
            "é",
            "a b",
            "a\0",
            too_long.as_str(),
        ] {
            assert!(AgentId::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn every_type_reads_back() {
        for kind in AgentType::ALL {
            assert_eq!(kind.as_str().parse(), Ok(kind));
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
        assert!("Code-Assistant".parse::<AgentType>().is_err());
    }
}
