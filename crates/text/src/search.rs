//! The one search interface: collections of documents that answer a query in two steps, so that several collections
//! (a mapped segment, a log's tail, edicts, manifests) are ranked with one set of statistics and agree to the last bit.
//!
//! Step one: every collection says how many documents it has, how long they are and how many hold each term
//! ([`Statistics`], which add up). Step two: every collection scores its documents under the sum.
//!
//! **Exactness.** Lengths and frequencies are counted in quarters of a term, so that their sums are exact in whatever
//! order they are added; a document's score is the sum over the query's terms in the query's order. So a document has
//! the same score, bit for bit, in every collection that uses [`Scorer`], and wherever it stands in it.

mod function_words;
mod query;
mod scan;
mod segment;

pub use query::{FILTERS, MAX_FILTERS, MAX_PHRASES, MAX_TERMS, Query};
pub use scan::Scan;
pub use segment::{Segment, SegmentBytes};

use crate::bm25;

/// Counts of a collection that matter for a query. They add up over collections.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Statistics {
    /// Number of documents.
    pub documents: u64,
    /// Sum of the documents' lengths in weighted terms: a multiple of 0.25.
    pub total_length: f64,
    /// For each of the query's terms, in its order, how many documents hold it.
    pub holding: Vec<u64>,
}

impl Statistics {
    /// Adds another collection's counts for the same query.
    pub fn add(&mut self, other: &Statistics) {
        self.documents += other.documents;
        self.total_length += other.total_length;
        self.holding
            .resize(self.holding.len().max(other.holding.len()), 0);
        for (mine, theirs) in self.holding.iter_mut().zip(&other.holding) {
            *mine += theirs;
        }
    }

    /// The mean length of a document, zero when there is none.
    pub fn average_length(&self) -> f64 {
        if self.documents == 0 {
            0.0
        } else {
            self.total_length / self.documents as f64
        }
    }
}

/// A document's score under a query: `document` is its number in its own collection, in order of addition.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scored {
    /// Number of the document in its collection.
    pub document: usize,
    /// BM25, above zero.
    pub bm25: f64,
}

/// A collection that can be searched.
pub trait Searchable {
    /// Step one: this collection's counts for the query.
    fn statistics(&self, query: &Query) -> Statistics;
    /// Step two: every document that holds at least one term, in document order, scored under `all`.
    fn score(&self, query: &Query, all: &Statistics) -> Vec<Scored>;
}

/// Scores by document as a list of those that hold any term: only those have one above zero.
fn scored(scores: &[f64]) -> Vec<Scored> {
    let found = scores.iter().enumerate().filter(|(_, bm25)| **bm25 > 0.0);
    found
        .map(|(document, bm25)| Scored {
            document,
            bm25: *bm25,
        })
        .collect()
}

/// The weights of a query's terms under one set of statistics. Every collection scores through it.
#[derive(Debug, Clone, PartialEq)]
pub struct Scorer {
    weights: Vec<f64>,
    average_length: f64,
}

impl Scorer {
    /// Prepares the weights. A term without a count is taken for one that no document holds.
    pub fn new(query: &Query, all: &Statistics) -> Scorer {
        Scorer {
            weights: (0..query.terms.len())
                .map(|term| bm25::idf(all.documents, all.holding.get(term).copied().unwrap_or(0)))
                .collect(),
            average_length: all.average_length(),
        }
    }

    /// What the query's term number `term` adds to the score of a document of `length` that holds it `frequency`
    /// times (both weighted). Add these up in the order of the query's terms, starting from 0.0.
    pub fn part(&self, term: usize, frequency: f64, length: f64) -> f64 {
        self.weights.get(term).map_or(0.0, |idf| {
            idf * bm25::saturation(frequency, length, self.average_length)
        })
    }
}

/// A part of a document with the weight of its terms (1.0 for the main text).
#[derive(Debug, Clone, Copy)]
pub struct Field<'a> {
    /// The text.
    pub text: &'a str,
    /// How much each of its terms counts: rounded to quarters, from 0 (not searched) to [`Field::MAX_WEIGHT`].
    pub weight: f64,
}

impl<'a> Field<'a> {
    /// A name, each of whose terms counts three times.
    pub fn name(text: &'a str) -> Field<'a> {
        Field { text, weight: 3.0 }
    }

    /// Running text, whose terms count once.
    pub fn text(text: &'a str) -> Field<'a> {
        Field { text, weight: 1.0 }
    }

    /// A label (a tag, a skill, a category), whose terms count one and a half times.
    pub fn label(text: &'a str) -> Field<'a> {
        Field { text, weight: 1.5 }
    }
}

impl Field<'_> {
    /// The largest weight.
    pub const MAX_WEIGHT: f64 = 1024.0;

    /// The weight in quarters of a term, as every collection counts it.
    pub fn quarters(&self) -> u32 {
        // NaN counts as nothing.
        (self.weight.clamp(0.0, Field::MAX_WEIGHT) * 4.0).round() as u32
    }
}
