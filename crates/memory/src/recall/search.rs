//! The search itself: every collection under one set of statistics, priors, order, duplicates, and the screen.

use std::collections::HashMap;

use jiff::Timestamp;
use jiff::civil::Date;
use ken_dotagent::{Event, EventIndex, Logged, Origin, Supersedes};
use ken_text::search::{Scored, Searchable, Statistics};

use super::plan::{Facets, Plan};
use super::rank::{Priors, Voice, relevance};
use super::shelf::{Document, Shelf};
use super::{Factors, Hit, Kind, Rank, RecallRequest};
use crate::Memory;
use crate::shown::{cut, shown};
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

/// A document of one of the collections.
#[derive(Clone, Copy)]
enum Found<'a> {
    Event(&'a Logged),
    Document(&'a Document),
}

struct Candidate<'a> {
    found: Found<'a>,
    factors: Factors,
    score: f64,
    when: Option<Timestamp>,
    superseded_by: Option<String>,
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
            rank_under_successors(&mut candidates, &superseded(collections, now));
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
        // How many say the same, and whether one of them is shown already.
        let folded: Vec<String> = candidates
            .iter()
            .map(|candidate| same(candidate.text()))
            .collect();
        let mut said: HashMap<&str, (usize, bool)> = HashMap::with_capacity(candidates.len());
        for text in &folded {
            said.entry(text).or_default().0 += 1;
        }
        let mut hits = Vec::with_capacity(plan.k);
        for (candidate, text) in candidates.iter().zip(&folded) {
            let (copies, shown) = said.entry(text).or_default();
            if *shown || !screen.allows_all(candidate.parts()) {
                continue;
            }
            if hits.len() == plan.k {
                return (hits, true);
            }
            *shown = true;
            hits.push(candidate.hit(collections, request, *copies));
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
        (skipped > 0).then(|| format!("{skipped} {lines} not searched; `ken doctor` shows them"))
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

impl<'a> Candidate<'a> {
    /// The document under the question's filters; `None` when it does not pass.
    fn of(
        found: Found<'a>,
        bm25: f64,
        plan: &Plan,
        request: &RecallRequest,
        (now, today): (Timestamp, Date),
    ) -> Option<Candidate<'a>> {
        let (priors, when) = match found {
            Found::Event(logged) => (event_priors(&logged.event), Some(logged.event.time_as_of(now))),
            Found::Document(document) => (document.priors, document.when),
        };
        let passes = match found {
            Found::Event(logged) => {
                let who: Vec<String> = harness(&logged.event).into_iter().collect();
                plan.filter.passes(&Facets {
                    skill: Some(logged.event.skill_action.as_str()),
                    who: &who,
                    tags: &logged.event.tags,
                    when,
                })
            }
            Found::Document(document) => {
                plan.wants(document.kind)
                    && (request.all || !document.is_past(today))
                    && plan.filter.passes(&document.facets())
            }
        };
        let mut candidate = Candidate {
            found,
            factors: Factors::default(),
            score: 0.0,
            when,
            superseded_by: None,
        };
        if !passes || !plan.query.phrases.iter().all(|phrase| candidate.holds(phrase)) {
            return None;
        }
        candidate.factors = match (request.rank, found) {
            (Rank::Salience, Found::Event(logged)) => Factors {
                bm25,
                salience: Some(ken_dotagent::salience(&logged.event, now)),
                ..Factors::default()
            },
            _ => relevance(bm25, &priors, when, now),
        };
        candidate.score = candidate.factors.product();
        Some(candidate)
    }

    fn id(&self) -> String {
        match self.found {
            Found::Event(logged) => logged.event.id.to_string(),
            Found::Document(document) => document.id.clone(),
        }
    }

    fn text(&self) -> &'a str {
        match self.found {
            Found::Event(logged) => &logged.event.content,
            Found::Document(document) => &document.text,
        }
    }

    /// Every text of the document that an answer would show.
    fn parts(&self) -> Vec<&'a str> {
        let mut parts = vec![self.text()];
        match self.found {
            Found::Event(logged) => {
                parts.push(logged.event.skill_action.as_str());
                parts.extend(logged.event.tags.iter().map(String::as_str));
            }
            Found::Document(document) => {
                parts.extend(document.skill.as_deref());
                parts.extend(document.project.as_deref());
                parts.extend(document.tags.iter().map(String::as_str));
                parts.push(&document.id);
            }
        }
        parts
    }

    fn holds(&self, phrase: &str) -> bool {
        self.parts()
            .iter()
            .any(|part| ken_text::normalize(part).contains(phrase))
    }

    fn hit(&self, collections: &Collections<'_>, request: &RecallRequest, copies: usize) -> Hit {
        let (text, was_cut) = cut(shown(self.text()), request.text_limit);
        let factors = request.explain.then(|| self.factors.clone());
        let id = self.id();
        let superseded_by = self.superseded_by.clone();
        match self.found {
            Found::Event(Logged { event, line }) => Hit {
                id,
                kind: Kind::Event,
                text,
                cut: was_cut,
                score: self.score,
                factors,
                when: Some(event.timestamp.to_string()),
                who: harness(event).into_iter().collect(),
                origin: event.origin.map(|origin| origin.to_string()),
                project: collections.project.clone(),
                place: Some(format!("{}:{line}", collections.log)),
                skill: Some(event.skill_action.to_string()),
                tags: event.tags.iter().map(|tag| shown(tag)).collect(),
                copies,
                superseded_by,
                past: false,
                untrusted: collections.untrusted,
            },
            Found::Document(document) => Hit {
                id,
                kind: document.kind,
                text,
                cut: was_cut,
                score: self.score,
                factors,
                when: document.shown_when.clone(),
                who: document.who.clone(),
                origin: None,
                project: document.project.clone(),
                place: document.place.clone(),
                skill: document.skill.clone(),
                tags: document.tags.iter().map(|tag| shown(tag)).collect(),
                copies,
                superseded_by,
                past: document.is_past(collections.today),
                untrusted: false,
            },
        }
    }
}

fn event_priors(event: &Event) -> Priors {
    Priors {
        weight: Some((event.pain, event.importance)),
        recurrence: Some(event.recurrence),
        origin: Some(match event.origin {
            Some(Origin::User) => Voice::Person,
            Some(Origin::Tool) => Voice::Tool,
            Some(Origin::Agent) | None => Voice::Agent,
        }),
        confidence: None,
        fades: true,
    }
}

fn harness(event: &Event) -> Option<String> {
    event.source_harness.as_ref().map(ToString::to_string)
}

/// The form in which two texts say the same: without case, form and white space.
fn same(text: &str) -> String {
    crate::names::key(text)
}

/// By the id of an event whose place was taken, the id of what took it: the newest that names it or its skill.
fn superseded(collections: &Collections<'_>, now: Timestamp) -> HashMap<String, String> {
    let Some(index) = collections.events else {
        return HashMap::new();
    };
    let events = || (0..index.len()).map(|document| &index.event(document).event);
    let mut successors = HashMap::new();
    let mut by_time: Vec<&Event> = events().filter(|event| event.supersedes.is_some()).collect();
    by_time.sort_by_key(|event| (event.time_as_of(now), event.id.to_string()));
    for newer in by_time {
        match &newer.supersedes {
            Some(Supersedes::Event(older)) if *older != newer.id => {
                successors.insert(older.to_string(), newer.id.to_string());
            }
            Some(Supersedes::Skill(skill)) => {
                let taken = events().filter(|older| {
                    older.skill_action == *skill && older.id != newer.id && older.timestamp < newer.timestamp
                });
                for older in taken {
                    successors.insert(older.id.to_string(), newer.id.to_string());
                }
            }
            _ => {}
        }
    }
    successors
}

/// What ranks a superseded hit whose successor was not found itself.
const ALONE: f64 = 0.8;
/// How far below its successor a superseded hit ranks at least.
const BELOW: f64 = 0.99;

fn rank_under_successors(candidates: &mut [Candidate<'_>], successors: &HashMap<String, String>) {
    if successors.is_empty() {
        return;
    }
    let scores: HashMap<String, f64> = candidates
        .iter()
        .filter(|candidate| matches!(candidate.found, Found::Event(_)))
        .map(|candidate| (candidate.id(), candidate.score))
        .collect();
    for candidate in candidates {
        let Found::Event(logged) = candidate.found else {
            continue;
        };
        let Some(successor) = successors.get(&logged.event.id.to_string()) else {
            continue;
        };
        let factor = match scores.get(successor) {
            Some(score) => (BELOW * score / candidate.score).min(1.0),
            None => ALONE,
        };
        candidate.factors.superseded = Some(factor);
        candidate.score = candidate.factors.product();
        candidate.superseded_by = Some(successor.clone());
    }
}
