//! A document that may become a hit: its score, and its place among the others.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::rc::Rc;

use jiff::Timestamp;
use ken_dotagent::EventId;
use ken_library::RowPlace;

use super::Factors;
use super::shelf::Document;

/// A document of one of the collections.
#[derive(Debug, Clone)]
pub(super) enum Found<'a> {
    /// An event, by its number in the index.
    Event(usize, EventId),
    Document(&'a Document),
    /// A row of the library, by its place, and what it is shown as.
    Row(Option<RowPlace>, Rc<Document>),
}

#[derive(Debug, Clone)]
pub(super) struct Candidate<'a> {
    pub(super) found: Found<'a>,
    pub(super) factors: Factors,
    pub(super) score: f64,
    pub(super) when: Option<Timestamp>,
    pub(super) superseded_by: Option<EventId>,
    /// Whether the newest come first, whatever their scores.
    pub(super) newest_first: bool,
}

impl Candidate<'_> {
    /// What it is shown as, unless it is an event.
    pub(super) fn document(&self) -> Option<&Document> {
        match &self.found {
            Found::Event(..) => None,
            Found::Document(document) => Some(document),
            Found::Row(_, document) => Some(document),
        }
    }

    pub(super) fn id(&self) -> Cow<'_, str> {
        match &self.found {
            Found::Event(_, id) => id.to_string().into(),
            Found::Document(document) => document.id.as_str().into(),
            Found::Row(_, document) => document.id.as_str().into(),
        }
    }

    /// The order of hits: less is better.
    pub(super) fn order(&self, other: &Candidate<'_>) -> Ordering {
        let by_score = || other.score.total_cmp(&self.score);
        let by_time = || other.when.cmp(&self.when);
        let order = if self.newest_first {
            by_time().then_with(by_score)
        } else {
            by_score().then_with(by_time)
        };
        order.then_with(|| match (&self.found, &other.found) {
            (Found::Event(_, one), Found::Event(_, other)) => one.cmp(other),
            // Rows come behind what else is as good, in their own order, which is known without decoding them.
            (Found::Row(one, _), Found::Row(other, _)) => one.cmp(other),
            (Found::Row(..), _) => Ordering::Greater,
            (_, Found::Row(..)) => Ordering::Less,
            _ => self.id().cmp(&other.id()),
        })
    }
}

/// By the order of hits, so that the greatest is the worst.
impl Ord for Candidate<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.order(other)
    }
}

impl PartialOrd for Candidate<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Candidate<'_> {}
