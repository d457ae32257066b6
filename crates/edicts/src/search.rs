use jiff::Timestamp;
use ken_text::search::{Field, Query, Scan, Scored, Searchable, Statistics};

use crate::model::{Confidence, Edict, Edicts, Ttl};
use crate::name::Label;

/// What id, key, category, tags and source of an edict count against its text.
const LABEL_WEIGHT: f64 = 0.5;

/// The edicts in force as a collection that recall searches. Document `n` is [`EdictIndex::edict`]`(n)`.
#[derive(Debug)]
pub struct EdictIndex<'e> {
    scan: Scan,
    edicts: Vec<&'e Edict>,
}

impl Edicts {
    /// The edicts in force at `now`, ready to be searched, in file order.
    pub fn searchable(&self, now: Timestamp) -> EdictIndex<'_> {
        EdictIndex::of(self.in_force(now).collect())
    }
}

impl<'e> EdictIndex<'e> {
    fn of(edicts: Vec<&'e Edict>) -> EdictIndex<'e> {
        let mut scan = Scan::new();
        for edict in &edicts {
            let labels = labels(edict);
            scan.add(&[
                Field {
                    text: &edict.text,
                    weight: 1.0,
                },
                Field {
                    text: &labels,
                    weight: LABEL_WEIGHT,
                },
            ]);
        }
        EdictIndex { scan, edicts }
    }

    /// The edict with this document number.
    pub fn edict(&self, document: usize) -> &'e Edict {
        self.edicts[document]
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.edicts.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.edicts.is_empty()
    }
}

impl Searchable for EdictIndex<'_> {
    fn statistics(&self, query: &Query) -> Statistics {
        self.scan.statistics(query)
    }

    fn score(&self, query: &Query, all: &Statistics) -> Vec<Scored> {
        self.scan.score(query, all)
    }
}

/// Everything but the text, each part once: an id that is the key, or the usual source, says nothing more.
fn labels(edict: &Edict) -> String {
    let mut parts = vec![edict.id.as_str(), edict.category.as_str()];
    parts.extend(edict.key.as_deref().filter(|key| edict.id != *key));
    parts.extend(edict.tags.iter().map(Label::as_str));
    if edict.source != "manual" {
        parts.push(&edict.source);
    }
    parts.join("\n")
}

/// Which edicts to look at. Everything that is given must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Of this category.
    pub category: Option<Label>,
    /// With all of these tags.
    pub tags: Vec<Label>,
    /// Of this ttl.
    pub ttl: Option<Ttl>,
    /// Of this confidence.
    pub confidence: Option<Confidence>,
    /// With a key that starts so.
    pub key_prefix: Option<String>,
}

impl Filter {
    /// Whether an edict passes.
    pub fn admits(&self, edict: &Edict) -> bool {
        let key = || edict.key.as_deref().unwrap_or_default();
        self.category
            .as_ref()
            .is_none_or(|category| edict.category == *category)
            && self.tags.iter().all(|tag| edict.tags.contains(tag))
            && self.ttl.is_none_or(|ttl| edict.ttl == ttl)
            && self
                .confidence
                .is_none_or(|confidence| edict.confidence == confidence)
            && self
                .key_prefix
                .as_ref()
                .is_none_or(|prefix| key().starts_with(prefix.as_str()))
    }
}

/// An edict that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct EdictHit<'e> {
    /// The edict.
    pub edict: &'e Edict,
    /// Its BM25 among the edicts in force.
    pub score: f64,
}

/// Searches every field of the edicts in force: all words must be there (stemmed), phrases in quotes exactly; best
/// first, then file order. A query without words finds nothing.
pub fn search<'e>(edicts: &'e Edicts, query: &str, filter: &Filter, now: Timestamp) -> Vec<EdictHit<'e>> {
    let query = Query::parse(query);
    let index = edicts.searchable(now);
    let statistics = index.statistics(&query);
    let mut hits: Vec<EdictHit<'e>> = index
        .score(&query, &statistics)
        .into_iter()
        .map(|scored| EdictHit {
            edict: index.edict(scored.document),
            score: scored.bm25,
        })
        .filter(|hit| filter.admits(hit.edict) && holds_all(hit.edict, &query))
        .collect();
    hits.sort_by(|a, b| {
        b.score
            .total_cmp(&a.score)
            .then(a.edict.position.cmp(&b.edict.position))
    });
    hits
}

fn holds_all(edict: &Edict, query: &Query) -> bool {
    let everything = format!("{}\n{}\n{}", edict.text, labels(edict), edict.source);
    let terms = ken_text::terms(&everything);
    let normal = ken_text::normalize(&everything);
    query.terms.iter().all(|term| terms.contains(term))
        && query.phrases.iter().all(|phrase| normal.contains(phrase))
}
