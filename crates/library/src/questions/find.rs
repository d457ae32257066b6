//! What is X, who knows it, and whom to ask about it.

use serde::Serialize;

use super::{Period, Thing, holds_terms};
use crate::view::View;
use crate::{AgentId, AgentType};

/// The answer to [`find`]. A name that is not there and one that the caller may not see answer the same.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Found {
    /// The name that was asked for.
    pub name: String,
    /// The things that bear it, by name first, then by alias.
    pub things: Vec<Thing>,
    /// Agents whose role or capabilities speak of it.
    pub ask: Vec<AskAgent>,
}

/// An agent that may know more.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AskAgent {
    /// The agent.
    pub agent: AgentId,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: AgentType,
    /// Why.
    pub because: Because,
}

/// Why an agent may know more.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Because {
    /// It offers this capability.
    Capability(String),
    /// Its role narrative says so.
    Role(String),
}

/// Finds a thing by name or alias, in any case and width; with a period, only things that were valid in it.
pub fn find(view: &View, name: &str, valid: Option<&Period>) -> Found {
    let things = view
        .things_called(name)
        .into_iter()
        .filter(|thing| valid.is_none_or(|period| period.overlaps(thing.valid_from, thing.valid_to)))
        .collect();
    Found {
        name: name.to_owned(),
        things,
        ask: ask(view, name),
    }
}

/// Agents whose capabilities or role hold every word of the topic.
fn ask(view: &View, topic: &str) -> Vec<AskAgent> {
    let wanted = ken_text::terms(topic);
    view.agents()
        .iter()
        .filter_map(|card| {
            let capability = card.capabilities.iter().find(|word| holds_terms(word, &wanted));
            let because = match capability {
                Some(capability) => Because::Capability(capability.clone()),
                None => Because::Role(
                    card.role_narrative
                        .clone()
                        .filter(|narrative| holds_terms(narrative, &wanted))?,
                ),
            };
            Some(AskAgent {
                agent: card.agent.clone(),
                kind: card.kind,
                because,
            })
        })
        .collect()
}
