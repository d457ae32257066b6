mod change;
mod upkeep;

use ken_edicts::{Edict, Filter, Label};
use serde::Serialize;

use crate::Memory;
use crate::shown::shown_whole;

pub use change::{FactChange, FactChanged, FactFields};

/// Which edicts in force are wanted. Everything empty means all of them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FactsRequest {
    /// Words that all must occur, ranked; `"phrases"` stand as they are.
    pub query: Option<String>,
    /// Only this category.
    pub category: Option<String>,
    /// Only what bears this tag.
    pub tag: Option<String>,
    /// How many at most; `None` means all.
    pub limit: Option<usize>,
}

/// An edict in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// The edict's id.
    pub id: String,
    /// The fact itself.
    pub text: String,
    /// Its category.
    pub category: String,
    /// Its tags.
    pub tags: Vec<String>,
    /// `verified`, `user` or `inferred`.
    pub confidence: String,
    /// Who established it.
    pub source: String,
    /// Its key, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key: Option<String>,
    /// `permanent`, `event`, `ephemeral` or `durable`.
    pub ttl: String,
    /// When it expires, where it does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<jiff::Timestamp>,
    /// When it was last changed or confirmed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub updated: Option<jiff::Timestamp>,
    /// `file:line`.
    pub place: Option<String>,
}

/// The edicts in force that were asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Facts {
    /// In the order of the contract's render, or best first when words were searched.
    pub facts: Vec<Fact>,
    /// How many there are before the limit.
    pub found: usize,
    /// One sentence instead of facts, when nobody on this machine has trusted this repository.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub untrusted: Option<String>,
    /// Sentences for the reader: no edicts file, a broken one, edicts that were set aside.
    pub notes: Vec<String>,
}

impl Memory {
    /// The edicts in force that the caller may see: all of them in the order in which they are shown, or those that
    /// hold every word of a query, best first. They are of level team: a public caller sees none.
    pub fn facts(&self, request: &FactsRequest) -> Facts {
        shown_whole(self.facts_as_written(request))
    }

    fn facts_as_written(&self, request: &FactsRequest) -> Facts {
        if let Some(untrusted) = self.untrusted() {
            return Facts {
                untrusted: Some(untrusted),
                ..Facts::default()
            };
        }
        let read = self.edicts();
        let library = self.library();
        let visible = self.edicts_for(&read, library.screen());
        let mut notes = self.edict_notes(&read);
        let query = request
            .query
            .as_deref()
            .map(str::trim)
            .filter(|query| !query.is_empty());
        let ordered: Vec<&Edict> = match (query, &read.edicts) {
            (Some(query), Some(edicts)) => {
                ken_edicts::search(edicts, query, &Filter::default(), self.setting.clock.now())
                    .into_iter()
                    .map(|hit| hit.edict)
                    .filter(|edict| visible.iter().any(|seen| std::ptr::eq(*seen, *edict)))
                    .collect()
            }
            _ => visible,
        };
        let category = request.category.as_deref().map(Label::new).transpose();
        let tag = request.tag.as_deref().map(Label::new).transpose();
        let (category, tag) = match (category, tag) {
            (Ok(category), Ok(tag)) => (category, tag),
            (Err(why), _) | (_, Err(why)) => {
                notes.push(why.to_string());
                return Facts {
                    notes,
                    ..Facts::default()
                };
            }
        };
        let place = read
            .path
            .as_ref()
            .map(|path| self.place_of(path, library.screen()));
        let mut facts: Vec<Fact> = ordered
            .into_iter()
            .filter(|edict| {
                category
                    .as_ref()
                    .is_none_or(|category| edict.category == *category)
            })
            .filter(|edict| tag.as_ref().is_none_or(|tag| edict.tags.contains(tag)))
            .map(|edict| Fact::of(edict, place.as_deref()))
            .collect();
        let found = facts.len();
        facts.truncate(request.limit.unwrap_or(usize::MAX));
        Facts {
            facts,
            found,
            untrusted: None,
            notes,
        }
    }
}

impl Fact {
    pub(crate) fn of(edict: &Edict, path: Option<&str>) -> Fact {
        Fact {
            id: edict.id.to_string(),
            text: edict.text.clone(),
            category: edict.category.to_string(),
            tags: edict.tags.iter().map(ToString::to_string).collect(),
            confidence: edict.confidence.as_str().to_owned(),
            source: edict.source.clone(),
            key: edict.key.as_ref().map(ToString::to_string),
            ttl: edict.ttl.as_str().to_owned(),
            expires_at: edict.expires_at,
            updated: Some(edict.updated),
            place: path.map(|path| format!("{path}:{}", edict.line)),
        }
    }
}
