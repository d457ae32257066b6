//! Who is here, and what can they do.

use super::holds_terms;
use crate::AgentType;
use crate::filter::{AgentCard, Visible};
use crate::names::key;
use crate::view::View;

/// Which agents are wanted; everything absent: all.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct AgentsQuery {
    /// With a capability of this name, or one that holds every word of it.
    pub capability: Option<String>,
    /// Of this type.
    pub kind: Option<AgentType>,
}

/// Agents by id. Nothing below level team.
pub fn agents(view: &View, query: &AgentsQuery) -> Vec<Visible<AgentCard>> {
    view.agents()
        .iter()
        .filter(|card| query.kind.is_none_or(|kind| card.kind == kind))
        .filter(|card| {
            query
                .capability
                .as_deref()
                .is_none_or(|wanted| offers(card, wanted))
        })
        .cloned()
        .collect()
}

fn offers(card: &AgentCard, wanted: &str) -> bool {
    let (name, terms) = (key(wanted), ken_text::terms(wanted));
    card.capabilities
        .iter()
        .any(|word| key(word) == name || holds_terms(word, &terms))
}
