use std::sync::OnceLock;

use jiff::civil::Date;
use jiff::{SignedDuration, Timestamp};
use ken_text::search::{Field, Query, Scan, Scored, Scorer, Searchable, Statistics};

use super::Kind;
use super::plan::Facets;
use super::rank::Priors;

/// A memory of any kind but an event, ready to be ranked and shown.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    pub(crate) id: String,
    pub(crate) kind: Kind,
    pub(crate) text: String,
    /// When; the first moment of the day where only the day is known.
    pub(crate) when: Option<Timestamp>,
    /// Whether only the day is known.
    pub(crate) whole_day: bool,
    /// When, as it is shown.
    pub(crate) shown_when: Option<String>,
    pub(crate) who: Vec<String>,
    pub(crate) project: Option<String>,
    pub(crate) place: Option<String>,
    pub(crate) skill: Option<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) priors: Priors,
    /// Whether it is no longer in force.
    pub(crate) past: bool,
    /// The last day of its validity.
    pub(crate) valid_to: Option<Date>,
    /// Found out when it is asked for.
    pub(super) text_hash: OnceLock<u64>,
}

impl Document {
    /// A document without anything but what it says.
    pub(crate) fn new(id: String, kind: Kind, text: String) -> Document {
        Document {
            id,
            kind,
            text,
            when: None,
            whole_day: false,
            shown_when: None,
            who: Vec::new(),
            project: None,
            place: None,
            skill: None,
            tags: Vec::new(),
            priors: Priors::default(),
            past: false,
            valid_to: None,
            text_hash: OnceLock::new(),
        }
    }

    /// By what its text is known among others: [`ken_text::plain_hash`].
    pub(crate) fn text_hash(&self) -> u64 {
        *self.text_hash.get_or_init(|| ken_text::plain_hash(&self.text))
    }

    /// Whether it was left behind by `today`.
    pub(crate) fn is_past(&self, today: Date) -> bool {
        self.past || self.valid_to.is_some_and(|last| last < today)
    }

    pub(crate) fn facets(&self) -> Facets<'_> {
        let when = if self.whole_day {
            self.when.and_then(end_of_day)
        } else {
            self.when
        };
        Facets {
            skill: self.skill.as_deref(),
            who: &self.who,
            tags: &self.tags,
            when,
        }
    }
}

/// What counts as the time of something of which only the day is known, which begins then: it is newer than any moment
/// of that day.
pub(super) fn end_of_day(start: Timestamp) -> Option<Timestamp> {
    start.checked_add(SignedDuration::from_hours(24)).ok()
}

/// Documents with the terms under which they are found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Shelf {
    scan: Scan,
    documents: Vec<Document>,
}

impl Shelf {
    /// Adds a document under its fields.
    pub(crate) fn add(&mut self, document: Document, fields: &[Field<'_>]) {
        self.scan.add(fields);
        self.documents.push(document);
    }

    pub(crate) fn documents(&self) -> &[Document] {
        &self.documents
    }
}

impl Shelf {
    /// The score of every document, zero for those that hold none of the query's terms.
    pub(crate) fn scores(&self, query: &Query, scorer: &Scorer) -> Vec<f64> {
        let mut scores = vec![0.0; self.documents.len()];
        self.scan.add_scores(query, scorer, &mut scores);
        scores
    }
}

impl Searchable for Shelf {
    fn statistics(&self, query: &Query) -> Statistics {
        self.scan.statistics(query)
    }

    fn score(&self, query: &Query, all: &Statistics) -> Vec<Scored> {
        self.scan.score(query, all)
    }
}
