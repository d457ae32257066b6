//! The one filter between the library and whoever asks: what does not pass here is not seen anywhere.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use crate::cache::{Card, Kept, Lost, ManifestCache};
use crate::forbidden::ForbiddenNames;
use crate::level::Caller;
use crate::model::{Manifest, Row};
use crate::screen::{Screen, Screened, screen};
use crate::snapshot::Shelved;
use crate::visibility::{Effective, Reason, Rules};
use crate::{AgentId, AgentType, Visibility};

/// A row that a caller may see. Only the filter makes one, so what can be shown has been through it.
#[derive(Clone)]
pub struct Visible<T> {
    agent: Arc<AgentId>,
    row: T,
    effective: Effective,
}

impl<T: fmt::Debug> fmt::Debug for Visible<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Visible")
            .field("agent", &self.agent().as_str())
            .field("row", &**self)
            .field("visibility", &self.effective)
            .finish()
    }
}

impl<T> Visible<T> {
    /// The agent whose manifest holds the row.
    pub fn agent(&self) -> &AgentId {
        &self.agent
    }

    /// How far the row may travel.
    pub fn visibility(&self) -> Visibility {
        self.effective.visibility
    }

    /// Why it may travel that far.
    pub fn reason(&self) -> Reason {
        self.effective.reason
    }
}

impl<T> Deref for Visible<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.row
    }
}

/// What a caller may know of an agent: its block and its capabilities, at level team and above.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct AgentCard {
    /// The agent.
    pub agent: AgentId,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: AgentType,
    /// The machine or deployment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
    /// What it does among others of its type.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub role_narrative: Option<String>,
    /// What it offers.
    pub capabilities: Vec<String>,
    /// When its manifest was last regenerated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_updated: Option<jiff::Timestamp>,
}

/// What the filter leaves of a row.
pub(crate) enum Left<T> {
    /// The row, maybe without some references.
    Row {
        /// What can be shown.
        row: Visible<T>,
        /// Whether some of it went.
        reduced: bool,
        /// Whether some of its names went.
        renamed: bool,
    },
    /// Nothing.
    Nothing,
}

/// The filter for one manifest.
pub(crate) struct Filter<'a> {
    agent: &'a Arc<AgentId>,
    rules: Rules,
    caller: &'a Caller,
    forbidden: &'a ForbiddenNames,
}

/// What the caller may know of an agent, by what its manifest says.
pub(crate) fn agent(
    agent: &Arc<AgentId>,
    card: Card,
    caller: &Caller,
    forbidden: &ForbiddenNames,
) -> Option<Visible<AgentCard>> {
    if !caller.level().reaches(Visibility::Team) {
        return None;
    }
    let fine = |text: &String| !forbidden.mentioned_in(text);
    let row = AgentCard {
        agent: AgentId::clone(agent),
        kind: card.kind,
        instance: card.instance.filter(fine),
        role_narrative: card.role_narrative.filter(fine),
        capabilities: card.capabilities.into_iter().filter(fine).collect(),
        last_updated: card.last_updated,
    };
    Some(Visible {
        agent: Arc::clone(agent),
        row,
        effective: Effective {
            visibility: Visibility::Team,
            reason: Reason::Default,
        },
    })
}

impl<'a> Filter<'a> {
    /// The filter for the rows of this manifest, by the rules in its frame.
    pub(crate) fn new(
        agent: &'a Arc<AgentId>,
        frame: &Manifest,
        caller: &'a Caller,
        forbidden: &'a ForbiddenNames,
    ) -> Filter<'a> {
        Filter {
            agent,
            rules: Rules::of(frame, caller.place()),
            caller,
            forbidden,
        }
    }

    /// Who asked.
    #[cfg(test)]
    pub(crate) fn caller(&self) -> &Caller {
        self.caller
    }

    /// The agent whose rows these are.
    #[cfg(test)]
    pub(crate) fn agent_id(&self) -> &AgentId {
        self.agent
    }

    /// What is left of a row.
    pub(crate) fn row<T: Row + Screen>(&self, row: T) -> Left<T> {
        let effective = self.rules.effective(&row);
        if !self.caller.level().reaches(effective.visibility) {
            return Left::Nothing;
        }
        let (row, reduced, renamed) = match screen(&row, self.forbidden) {
            Screened::Whole => (row, false, false),
            Screened::Reduced(reduced) => {
                let superseded = |row: &T| row.extra().texts("supersedes").len();
                let renamed = reduced.names() != row.names() || superseded(&reduced) != superseded(&row);
                (reduced, true, renamed)
            }
            Screened::Withheld => return Left::Nothing,
        };
        Left::Row {
            row: Visible {
                agent: Arc::clone(self.agent),
                row,
                effective,
            },
            reduced,
            renamed,
        }
    }

    /// What is left of all these rows.
    pub(crate) fn rows<T: Row + Screen>(&self, rows: Vec<T>) -> Vec<Visible<T>> {
        rows.into_iter()
            .filter_map(|row| match self.row(row) {
                Left::Row { row, .. } => Some(row),
                Left::Nothing => None,
            })
            .collect()
    }
}

/// A kind of row, or an agent's card, as it comes out of a manifest's cache through the filter.
pub(crate) trait Filtered: Sized {
    /// What the caller may see of one manifest.
    fn filtered(
        shelved: &Shelved,
        cache: &ManifestCache,
        caller: &Caller,
        forbidden: &ForbiddenNames,
    ) -> Result<Vec<Visible<Self>>, Lost>;
}

impl<T: Kept + Row + Screen> Filtered for T {
    fn filtered(
        shelved: &Shelved,
        cache: &ManifestCache,
        caller: &Caller,
        forbidden: &ForbiddenNames,
    ) -> Result<Vec<Visible<T>>, Lost> {
        if cache.len::<T>() == 0 {
            return Ok(Vec::new());
        }
        let filter = Filter::new(&shelved.agent, &cache.frame()?, caller, forbidden);
        Ok(filter.rows(cache.rows()?))
    }
}

impl Filtered for AgentCard {
    fn filtered(
        shelved: &Shelved,
        cache: &ManifestCache,
        caller: &Caller,
        forbidden: &ForbiddenNames,
    ) -> Result<Vec<Visible<AgentCard>>, Lost> {
        let card = Card::of(&cache.frame()?);
        Ok(agent(&shelved.agent, card, caller, forbidden)
            .into_iter()
            .collect())
    }
}
