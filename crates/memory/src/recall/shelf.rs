use jiff::Timestamp;
use ken_text::search::{Field, Query, Scan, Scored, Searchable, Statistics};

use super::Kind;
use super::plan::Facets;
use super::rank::Priors;

/// A memory of any kind but an event, ready to be ranked and shown.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    pub(crate) id: String,
    pub(crate) kind: Kind,
    pub(crate) text: String,
    /// When, for ranking and filters.
    pub(crate) when: Option<Timestamp>,
    /// When, as it is shown.
    pub(crate) shown_when: Option<String>,
    pub(crate) who: Vec<String>,
    pub(crate) project: Option<String>,
    pub(crate) place: Option<String>,
    pub(crate) skill: Option<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) priors: Priors,
    pub(crate) past: bool,
}

impl Document {
    pub(crate) fn facets(&self) -> Facets<'_> {
        Facets {
            skill: self.skill.as_deref(),
            who: &self.who,
            tags: &self.tags,
            when: self.when,
        }
    }
}

/// How much a term counts by where it stands.
pub(crate) const NAME_WEIGHT: f64 = 3.0;
pub(crate) const TEXT_WEIGHT: f64 = 1.0;
pub(crate) const LABEL_WEIGHT: f64 = 1.5;

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

    pub(crate) fn document(&self, number: usize) -> &Document {
        &self.documents[number]
    }

    pub(crate) fn documents(&self) -> &[Document] {
        &self.documents
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

/// A field of the main text.
pub(crate) fn text(text: &str) -> Field<'_> {
    Field {
        text,
        weight: TEXT_WEIGHT,
    }
}

/// A field of a name.
pub(crate) fn name(text: &str) -> Field<'_> {
    Field {
        text,
        weight: NAME_WEIGHT,
    }
}

/// A field of a label: a tag, a skill, a category.
pub(crate) fn label(text: &str) -> Field<'_> {
    Field {
        text,
        weight: LABEL_WEIGHT,
    }
}
