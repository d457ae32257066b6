//! The one search interface: collections of documents that answer a query in two steps, so that several collections
//! (a mapped segment, a log's tail, edicts, manifests) are ranked with one set of statistics and agree to the last bit.
//!
//! Step one: every collection says how many documents it has, how long they are and how many hold each term
//! ([`Statistics`], which add up). Step two: every collection scores its documents under the sum.

use std::collections::HashMap;

/// A parsed query: plain words, phrases in quotes, and filters (`skill:`, `harness:`, `tag:`, `since:`, `kind:`).
/// Anything else is text: no input is a syntax error.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Query {
    /// The query as it was given.
    pub raw: String,
    /// Distinct terms, in order of first appearance.
    pub terms: Vec<String>,
    /// Phrases that must stand in the text, normalised.
    pub phrases: Vec<String>,
    /// Filters as (name, value), lower-case name.
    pub filters: Vec<(String, String)>,
}

impl Query {
    /// Reads a query; text past 4,096 distinct terms is left out.
    pub fn parse(raw: &str) -> Query {
        let mut terms = Vec::new();
        for term in crate::terms(raw) {
            if !terms.contains(&term) {
                terms.push(term);
            }
        }
        Query {
            raw: raw.to_owned(),
            terms,
            phrases: Vec::new(),
            filters: Vec::new(),
        }
    }
}

/// Counts of a collection that matter for a query. They add up over collections.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Statistics {
    /// Number of documents.
    pub documents: u64,
    /// Sum of the documents' lengths in weighted terms.
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

/// A part of a document with the weight of its terms (1.0 for the main text).
#[derive(Debug, Clone, Copy)]
pub struct Field<'a> {
    /// The text.
    pub text: &'a str,
    /// How much each of its terms counts.
    pub weight: f64,
}

/// The exact scan: documents tokenised in memory. It is what the mapped segments are tested against.
#[derive(Debug, Clone, Default)]
pub struct Scan {
    documents: Vec<(HashMap<String, f64>, f64)>,
}

impl Scan {
    /// An empty collection.
    pub fn new() -> Scan {
        Scan::default()
    }

    /// Adds a document and returns its number.
    pub fn add(&mut self, fields: &[Field<'_>]) -> usize {
        let mut frequencies = HashMap::new();
        let mut length = 0.0;
        for field in fields {
            for term in crate::terms(field.text) {
                *frequencies.entry(term).or_insert(0.0) += field.weight;
                length += field.weight;
            }
        }
        self.documents.push((frequencies, length));
        self.documents.len() - 1
    }
}

impl Searchable for Scan {
    fn statistics(&self, query: &Query) -> Statistics {
        Statistics {
            documents: self.documents.len() as u64,
            total_length: self.documents.iter().map(|(_, length)| length).sum(),
            holding: query
                .terms
                .iter()
                .map(|term| {
                    self.documents
                        .iter()
                        .filter(|(f, _)| f.contains_key(term))
                        .count() as u64
                })
                .collect(),
        }
    }

    fn score(&self, query: &Query, all: &Statistics) -> Vec<Scored> {
        let average = all.total_length / (all.documents.max(1) as f64);
        let mut scored = Vec::new();
        for (document, (frequencies, length)) in self.documents.iter().enumerate() {
            let bm25 = query
                .terms
                .iter()
                .zip(&all.holding)
                .filter_map(|(term, holding)| {
                    let frequency = *frequencies.get(term)?;
                    Some(
                        crate::bm25::idf(all.documents, *holding)
                            * crate::bm25::saturation(frequency, *length, average),
                    )
                })
                .sum::<f64>();
            if bm25 > 0.0 {
                scored.push(Scored { document, bm25 });
            }
        }
        scored
    }
}
