//! A question to the collections: every document under one set of statistics, priors, order, copies, and the screen.
//!
//! Only what may reach the answer is looked at closely. A document's BM25 times the most that its priors can be says
//! that it cannot come before those that were found already; so most are passed over, and the answer is the same as if
//! every one had been looked at.

use std::collections::{BinaryHeap, HashMap, HashSet};

use ken_dotagent::Stale;
use ken_text::search::{Scorer, Searchable, Statistics};

use super::candidate::{Candidate, Found};
use super::events::AskedEvents;
use super::plan::Plan;
use super::rank::{MOST, relevance};
use super::rows::AskedRows;
use super::search::Collections;
use super::shelf::{Document, Shelf};
use super::succession::Succession;
use super::{Hit, Kind, Rank, RecallRequest};
use crate::shown::{cut, shown};
use crate::withhold::Screen;

pub(super) struct Asked<'a> {
    collections: &'a Collections<'a>,
    screen: Screen<'a>,
    plan: &'a Plan,
    request: &'a RecallRequest,
    pub(super) events: Option<AskedEvents<'a>>,
    pub(super) rows: Option<AskedRows<'a>>,
    /// Each shelf with the BM25 of its documents.
    shelves: Vec<(&'a Shelf, Vec<f64>)>,
}

/// So many candidates are gathered at first (fewer where rows must be decoded for it), and so many times as many when
/// they were not enough.
const GATHERED: usize = 64;
const MORE: usize = 8;

impl<'a> Asked<'a> {
    pub(super) fn new(
        collections: &'a Collections<'a>,
        screen: Screen<'a>,
        plan: &'a Plan,
        request: &'a RecallRequest,
    ) -> Asked<'a> {
        let mut all = Statistics::default();
        if let Some(events) = collections.events {
            all.add(&events.statistics(&plan.query));
        }
        if let Some((_, rows)) = &collections.rows {
            all.add(&rows.statistics(&plan.query));
        }
        for shelf in &collections.shelves {
            all.add(&shelf.statistics(&plan.query));
        }
        let scorer = Scorer::new(&plan.query, &all);
        let scores = |shelf: &Shelf| {
            if plan.newest_first {
                vec![1.0; shelf.documents().len()]
            } else {
                shelf.scores(&plan.query, &scorer)
            }
        };
        Asked {
            events: collections
                .events
                .map(|index| AskedEvents::new(index, &scorer, plan, request.rank, screen, collections.now)),
            rows: collections
                .rows
                .map(|(of, rows)| AskedRows::new(of, rows, &scorer, plan, collections.now)),
            shelves: collections
                .shelves
                .iter()
                .map(|shelf| (*shelf, scores(shelf)))
                .collect(),
            collections,
            screen,
            plan,
            request,
        }
    }

    /// The hits, and whether there were more.
    ///
    /// # Errors
    /// When a line of the log is no longer what it was.
    pub(super) fn hits(&self) -> Result<(Vec<Hit>, bool), Stale> {
        let mut succession = match &self.events {
            Some(events) if self.request.rank == Rank::Relevance => Some(Succession::new(events)),
            _ => None,
        };
        let mut most = match self.rows {
            Some(_) => 2 * (self.plan.k + 1),
            None => GATHERED.max(4 * (self.plan.k + 1)),
        };
        loop {
            let mut best = self.best(most)?.into_vec();
            // What was not gathered comes behind the last of these, and nothing rises.
            let last = (best.len() == most).then(|| best.iter().max().cloned()).flatten();
            if let (Some(events), Some(succession)) = (&self.events, &mut succession) {
                for candidate in &mut best {
                    succession.adjust(events, candidate)?;
                }
            }
            best.sort_unstable();
            if let Some(answer) = self.shown(&best, last.as_ref())? {
                // What is put together of a newer library does not go with the scores of an older one.
                if self.rows.as_ref().is_some_and(|rows| !rows.is_current()) {
                    return Err(Stale);
                }
                return Ok(answer);
            }
            most = most.saturating_mul(MORE);
        }
    }

    /// What is shown of the best candidates; `None` when it is not certain what comes next, because of what was not
    /// gathered, which comes behind `last`.
    fn shown(
        &self,
        best: &[Candidate<'_>],
        last: Option<&Candidate<'_>>,
    ) -> Result<Option<(Vec<Hit>, bool)>, Stale> {
        let mut texts = HashSet::new();
        let mut hits: Vec<(&Candidate<'_>, u64)> = Vec::with_capacity(self.plan.k);
        let mut more = false;
        for candidate in best {
            if last.is_some_and(|last| candidate > last) {
                return Ok(None);
            }
            // What says the same is one hit, the best of those that may be shown.
            let text = self.text_hash(candidate);
            if texts.contains(&text) || !self.allows(candidate)? {
                continue;
            }
            if hits.len() == self.plan.k {
                more = true;
                break;
            }
            texts.insert(text);
            hits.push((candidate, text));
        }
        if !more && last.is_some() {
            return Ok(None);
        }
        let mut copies: HashMap<u64, usize> = texts.into_iter().map(|text| (text, 0)).collect();
        self.count_copies(&mut copies)?;
        let hits: Result<Vec<Hit>, Stale> = hits
            .into_iter()
            .map(|(candidate, text)| self.hit(candidate, copies[&text]))
            .collect();
        Ok(Some((hits?, more)))
    }

    /// The candidates that come first, without regard to what took whose place; at most `most`.
    fn best(&self, most: usize) -> Result<BinaryHeap<Candidate<'a>>, Stale> {
        let mut best: BinaryHeap<Candidate<'a>> = BinaryHeap::with_capacity(most.min(1 << 16) + 1);
        let full = |best: &BinaryHeap<Candidate<'a>>| best.len() == most;
        // The score that one must reach.
        let floor = |best: &BinaryHeap<Candidate<'a>>| match best.peek() {
            Some(worst) if full(best) && !self.plan.newest_first => worst.score,
            _ => f64::NEG_INFINITY,
        };
        let mut least = f64::NEG_INFINITY;
        if let Some(events) = &self.events {
            let widest = match self.request.rank {
                Rank::Relevance => MOST,
                Rank::Salience => f64::INFINITY,
            };
            // From the end, where the newest are, so that others soon need not be looked at.
            for (document, bm25) in events.scores().iter().enumerate().rev() {
                if *bm25 <= 0.0 || bm25 * widest < least {
                    continue;
                }
                if self.plan.newest_first {
                    let worst = best.peek().filter(|_| full(&best));
                    if worst.is_some_and(|worst| Some(events.when(document)) < worst.when) {
                        continue;
                    }
                } else if events.bound(document) < least {
                    continue;
                }
                if !events.passes_filters(document) {
                    continue;
                }
                let candidate = events.candidate(document);
                if best.peek().is_some_and(|worst| full(&best) && candidate > *worst)
                    || !events.holds_phrases(document)?
                {
                    continue;
                }
                put(&mut best, candidate, most);
                least = floor(&best);
            }
        }
        for (shelf, scores) in &self.shelves {
            for (document, bm25) in shelf.documents().iter().zip(scores) {
                if *bm25 <= 0.0 || bm25 * MOST < least || !self.passes(document) {
                    continue;
                }
                let candidate = self.candidate(document, *bm25);
                if best.peek().is_some_and(|worst| full(&best) && candidate > *worst)
                    || !self.holds_phrases(document)
                {
                    continue;
                }
                put(&mut best, candidate, most);
                least = floor(&best);
            }
        }
        if let Some(rows) = &self.rows {
            rows.each_best(|candidate| {
                if best.peek().is_some_and(|worst| full(&best) && candidate > *worst) {
                    return Ok(false);
                }
                let fits = candidate
                    .document()
                    .is_some_and(|document| self.passes(document) && self.holds_phrases(document));
                if fits {
                    put(&mut best, candidate, most);
                }
                Ok(true)
            })?;
        }
        Ok(best)
    }

    fn candidate<'d>(&self, document: &'d Document, bm25: f64) -> Candidate<'d> {
        let factors = relevance(bm25, &document.priors, document.when, self.collections.now);
        Candidate {
            found: Found::Document(document),
            score: factors.product(),
            factors,
            when: document.when,
            superseded_by: None,
            newest_first: self.plan.newest_first,
        }
    }

    /// Every document of the shelves that is a candidate.
    #[cfg(test)]
    pub(super) fn documents(&self) -> impl Iterator<Item = Candidate<'_>> {
        let scored = self
            .shelves
            .iter()
            .flat_map(|(shelf, scores)| shelf.documents().iter().zip(scores));
        scored
            .filter(|(document, bm25)| **bm25 > 0.0 && self.passes(document) && self.holds_phrases(document))
            .map(|(document, bm25)| self.candidate(document, *bm25))
    }

    /// Whether a document passes the question's filters.
    pub(super) fn passes(&self, document: &Document) -> bool {
        let filter = &self.plan.filter;
        self.plan.wants(document.kind)
            && (self.request.all || !document.is_past(self.collections.today))
            && (filter.is_empty() || filter.passes(&document.facets()))
    }

    pub(super) fn holds_phrases(&self, document: &Document) -> bool {
        let parts = parts(document);
        self.plan
            .query
            .phrases
            .iter()
            .all(|phrase| parts.iter().any(|part| ken_text::phrase_in(part, phrase)))
    }

    /// Whether a candidate may be shown, and count for anything.
    pub(super) fn allows(&self, candidate: &Candidate<'_>) -> Result<bool, Stale> {
        match (candidate.document(), &candidate.found, &self.events) {
            (Some(document), _, _) => Ok(self.screen.allows_all(parts(document))),
            (None, Found::Event(number, _), Some(events)) => events.allows(*number),
            (None, _, _) => Ok(false),
        }
    }

    fn text_hash(&self, candidate: &Candidate<'_>) -> u64 {
        match (candidate.document(), &candidate.found, self.collections.events) {
            (Some(document), _, _) => document.text_hash(),
            (None, Found::Event(number, _), Some(events)) => events.text_hash(*number),
            (None, _, _) => 0,
        }
    }

    /// Counts the candidates that may be shown by their texts, for these texts.
    fn count_copies(&self, copies: &mut HashMap<u64, usize>) -> Result<(), Stale> {
        if let Some(events) = &self.events {
            for (text, copies) in copies.iter_mut() {
                for document in events.index.with_text(*text) {
                    let counts = events.passes_filters(document)
                        && events.holds_phrases(document)?
                        && events.allows(document)?;
                    *copies += usize::from(counts);
                }
            }
        }
        if let Some(rows) = &self.rows {
            for (text, document) in rows.saying(copies)? {
                if let Some(copies) = copies.get_mut(&text)
                    && self.passes(&document)
                    && self.holds_phrases(&document)
                    && self.screen.allows_all(parts(&document))
                {
                    *copies += 1;
                }
            }
        }
        for (shelf, scores) in &self.shelves {
            let held = shelf
                .documents()
                .iter()
                .zip(scores)
                .filter(|(_, bm25)| **bm25 > 0.0);
            for (document, _) in held {
                if let Some(copies) = copies.get_mut(&document.text_hash())
                    && self.passes(document)
                    && self.holds_phrases(document)
                    && self.screen.allows_all(parts(document))
                {
                    *copies += 1;
                }
            }
        }
        Ok(())
    }

    pub(super) fn hit(&self, candidate: &Candidate<'_>, copies: usize) -> Result<Hit, Stale> {
        // Before it is cut: half a credential is not known for one.
        let limited = |text: &str| cut(shown(text), self.request.text_limit);
        let factors = self.request.explain.then(|| candidate.factors.clone());
        let id = candidate.id().into_owned();
        let superseded_by = candidate.superseded_by.map(|id| id.to_string());
        if let Some(document) = candidate.document() {
            let (text, cut) = limited(&document.text);
            return Ok(Hit {
                id,
                kind: document.kind,
                text,
                cut,
                score: candidate.score,
                factors,
                when: document.shown_when.clone(),
                who: document.who.clone(),
                origin: None,
                project: document.project.clone(),
                place: document.place.clone(),
                skill: document.skill.clone(),
                tags: document.tags.clone(),
                copies,
                superseded_by,
                past: document.is_past(self.collections.today),
                untrusted: false,
            });
        }
        let logged = match (&candidate.found, &self.events) {
            (Found::Event(number, _), Some(events)) => events.event(*number)?,
            _ => return Err(Stale),
        };
        let (event, line) = (&logged.event, logged.line);
        let (text, cut) = limited(&event.content);
        Ok(Hit {
            id,
            kind: Kind::Event,
            text,
            cut,
            score: candidate.score,
            factors,
            when: Some(event.timestamp.to_string()),
            who: event.source_harness.iter().map(ToString::to_string).collect(),
            origin: event.origin.map(|origin| origin.to_string()),
            project: self.collections.project.clone(),
            place: Some(format!("{}:{line}", self.collections.log)),
            skill: Some(event.skill_action.to_string()),
            tags: event.tags.clone(),
            copies,
            superseded_by,
            past: false,
            untrusted: self.collections.untrusted,
        })
    }
}

/// Takes a candidate in, and the worst one out when there are too many.
fn put<'a>(best: &mut BinaryHeap<Candidate<'a>>, candidate: Candidate<'a>, most: usize) {
    best.push(candidate);
    if best.len() > most {
        best.pop();
    }
}

/// Every text of a document in which a phrase is looked for.
fn parts(document: &Document) -> Vec<&str> {
    let mut parts = vec![document.text.as_str()];
    parts.extend(document.skill.as_deref());
    parts.extend(document.project.as_deref());
    parts.extend(document.tags.iter().map(String::as_str));
    parts.push(&document.id);
    parts
}
