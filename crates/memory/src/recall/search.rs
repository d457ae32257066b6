//! The search itself: every collection under one set of statistics, priors, order, duplicates, and the screen.

use std::collections::HashMap;

use jiff::Timestamp;
use jiff::civil::Date;
use ken_dotagent::EventIndex;
use ken_text::search::{Scored, Searchable, Statistics};

use super::candidate::{Candidate, Found};
use super::plan::Plan;
use super::shelf::Shelf;
use super::succession::{rank_under_successors, successors};
use super::{Hit, Kind, Rank, RecallRequest};
use crate::Memory;
use crate::sources::Events;
use crate::withhold::Screen;

/// What is searched together.
pub(super) struct Collections<'a> {
    pub(super) events: Option<&'a EventIndex>,
    pub(super) shelves: Vec<&'a Shelf>,
    /// Whether events come from a repository that nobody trusted.
    pub(super) untrusted: bool,
    /// Where the events' lines stand.
    pub(super) log: String,
    pub(super) project: Option<String>,
    /// What was valid before this day is past.
    pub(super) today: Date,
}

impl Memory {
    /// Searches everything that the plan wants and the caller may see: the hits, and whether there were more.
    pub(super) fn search(
        &self,
        plan: &Plan,
        request: &RecallRequest,
        notes: &mut Vec<String>,
    ) -> (Vec<Hit>, bool) {
        let library = self.library();
        let screen = library.screen();
        let mut project_shelf = Shelf::default();
        if plan.wants(Kind::Edict) || plan.wants(Kind::Lesson) {
            if let Some(untrusted) = self.untrusted() {
                notes.push(untrusted);
            } else {
                let (edicts, lessons) = (self.edicts(), self.lessons());
                notes.extend(self.edict_notes(&edicts));
                project_shelf = self.project_shelf(plan, &edicts, &lessons, screen);
            }
        }
        let nothing = Shelf::default();
        let library_shelf = if LIBRARY_KINDS.iter().any(|kind| plan.wants(*kind)) {
            notes.extend(self.library_notes());
            library.shelf(|| self.library_shelf(&library))
        } else {
            &nothing
        };
        let events = if plan.wants(Kind::Event) && self.setting.may_read_events() {
            self.events().unwrap_or_else(|error| {
                notes.push(self.file_note(&error.to_string(), "the project's log cannot be read"));
                None
            })
        } else {
            None
        };
        let collections = Collections {
            events: events.as_ref().map(Events::index),
            shelves: vec![&project_shelf, library_shelf],
            today: self.setting.clock.today(),
            untrusted: self.is_trusted() == Some(false),
            log: events
                .as_ref()
                .map(|events| self.place_of(&events.path(), screen))
                .unwrap_or_default(),
            project: self.project_name(screen),
        };
        notes.extend(collections.skipped());
        self.rank(&collections, screen, plan, request)
    }

    fn rank(
        &self,
        collections: &Collections<'_>,
        screen: Screen<'_>,
        plan: &Plan,
        request: &RecallRequest,
    ) -> (Vec<Hit>, bool) {
        let now = self.setting.clock.now();
        let mut candidates = candidates(collections, plan, request, now);
        if request.rank == Rank::Relevance {
            rank_under_successors(&mut candidates, &successors(collections, screen, now));
        }
        candidates.sort_by(|a, b| {
            let by_score = || b.score.total_cmp(&a.score);
            let by_time = || b.when.cmp(&a.when);
            let order = if plan.newest_first {
                by_time().then_with(by_score)
            } else {
                by_score().then_with(by_time)
            };
            order.then_with(|| a.id().cmp(&b.id()))
        });
        // What says the same is one hit, the best of those that may be shown; only those are counted.
        let folded: Vec<String> = candidates
            .iter()
            .map(|candidate| ken_text::fingerprint_text(candidate.text()))
            .collect();
        let mut same: HashMap<&str, Vec<usize>> = HashMap::with_capacity(candidates.len());
        for (number, text) in folded.iter().enumerate() {
            same.entry(text).or_default().push(number);
        }
        let mut hits = Vec::with_capacity(plan.k);
        for (candidate, text) in candidates.iter().zip(&folded) {
            // A text that is shown already is no longer in the map.
            if !same.contains_key(text.as_str()) || !candidate.allowed(screen) {
                continue;
            }
            if hits.len() == plan.k {
                return (hits, true);
            }
            let others = same.remove(text.as_str()).unwrap_or_default();
            let copies = others
                .into_iter()
                .filter(|other| candidates[*other].allowed(screen))
                .count();
            hits.push(candidate.hit(collections, request, copies));
        }
        (hits, false)
    }
}

const LIBRARY_KINDS: [Kind; 4] = [Kind::Entity, Kind::Session, Kind::Workstream, Kind::Note];

impl Collections<'_> {
    /// A sentence on lines of the log that are no events.
    fn skipped(&self) -> Option<String> {
        let skipped = self.events?.log().skipped_count;
        let lines = if skipped == 1 {
            "line of the log is no event and was"
        } else {
            "lines of the log are no events and were"
        };
        (skipped > 0).then(|| format!("{skipped} {lines} not searched; `ken status` shows them"))
    }
}

fn candidates<'a>(
    collections: &Collections<'a>,
    plan: &Plan,
    request: &RecallRequest,
    now: Timestamp,
) -> Vec<Candidate<'a>> {
    let mut all = Statistics::default();
    if let Some(events) = collections.events {
        all.add(&events.statistics(&plan.query));
    }
    for shelf in &collections.shelves {
        all.add(&shelf.statistics(&plan.query));
    }
    let scored = |collection: &dyn Searchable, size: usize| -> Vec<Scored> {
        if plan.newest_first {
            return (0..size).map(|document| Scored { document, bm25: 1.0 }).collect();
        }
        collection.score(&plan.query, &all)
    };
    let mut candidates = Vec::new();
    if let Some(events) = collections.events {
        for Scored { document, bm25 } in scored(events, events.len()) {
            let found = Found::Event(events.event(document));
            candidates.extend(Candidate::of(
                found,
                bm25,
                plan,
                request,
                (now, collections.today),
            ));
        }
    }
    for shelf in &collections.shelves {
        for Scored { document, bm25 } in scored(*shelf, shelf.documents().len()) {
            let found = Found::Document(shelf.document(document));
            candidates.extend(Candidate::of(
                found,
                bm25,
                plan,
                request,
                (now, collections.today),
            ));
        }
    }
    candidates
}
