//! The project's events under one question: what each scores, which pass, and the lines of those that matter.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use jiff::Timestamp;
use ken_dotagent::{EventId, EventIndex, Facet, Logged, Numbers, Origin, Salience, Stale, Standing};
use ken_text::search::Scorer;

use super::candidate::{Candidate, Found};
use super::plan::Plan;
use super::rank::{Priors, Voice, relevance};
use super::{Factors, Rank};
use crate::withhold::Screen;

/// Bounds of scores are reached a little later than they are, so that rounding passes nobody over.
const SLACK: f64 = 1.0 + 1e-9;

pub(super) struct AskedEvents<'a> {
    pub(super) index: &'a EventIndex,
    /// BM25 by document; zero for those that hold none of the words.
    scores: Vec<f64>,
    plan: &'a Plan,
    rank: Rank,
    screen: Screen<'a>,
    now: Timestamp,
    facets: RefCell<Facets<'a>>,
    lines: RefCell<HashMap<usize, Rc<Logged>>>,
}

/// What events have in common, looked at once for each distinct value.
struct Facets<'a> {
    standing: Numbers<'a>,
    skill: Numbers<'a>,
    harness: Numbers<'a>,
    tags: Numbers<'a>,
    /// The most that an event of a standing can come to beside its BM25; NaN where nobody asked yet.
    bounds: Vec<f64>,
    passes: [Vec<Option<bool>>; 3],
}

impl<'a> AskedEvents<'a> {
    pub(super) fn new(
        index: &'a EventIndex,
        scorer: &Scorer,
        plan: &'a Plan,
        rank: Rank,
        screen: Screen<'a>,
        now: Timestamp,
    ) -> AskedEvents<'a> {
        let scores = if plan.newest_first {
            vec![1.0; index.len()]
        } else {
            let mut scores = vec![0.0; index.len()];
            index.add_scores(&plan.query, scorer, &mut scores);
            scores
        };
        let known = |facet| vec![None; index.count(facet)];
        AskedEvents {
            index,
            scores,
            plan,
            rank,
            screen,
            now,
            facets: RefCell::new(Facets {
                standing: index.numbers(Facet::Standing),
                skill: index.numbers(Facet::Skill),
                harness: index.numbers(Facet::Harness),
                tags: index.numbers(Facet::Tags),
                bounds: vec![f64::NAN; index.count(Facet::Standing)],
                passes: [known(Facet::Skill), known(Facet::Harness), known(Facet::Tags)],
            }),
            lines: RefCell::default(),
        }
    }

    /// BM25 of every event.
    pub(super) fn scores(&self) -> &[f64] {
        &self.scores
    }

    /// The most that an event's score can be.
    pub(super) fn bound(&self, document: usize) -> f64 {
        let mut facets = self.facets.borrow_mut();
        let number = facets.standing.of(document);
        let Some(known) = facets.bounds.get_mut(number) else {
            return f64::INFINITY;
        };
        if known.is_nan() {
            let standing = self.index.standing(number);
            *known = SLACK
                * match self.rank {
                    Rank::Relevance => relevance(1.0, &priors(&standing), Some(self.now), self.now).product(),
                    Rank::Salience => salience(&standing, self.now, self.now),
                };
        }
        self.scores[document] * *known
    }

    /// When an event was; a time in the future counts as now.
    pub(super) fn when(&self, document: usize) -> Timestamp {
        ken_dotagent::time_as_of(self.index.timestamp(document), self.now)
    }

    /// An event as a candidate, whether it passes or not.
    pub(super) fn candidate(&self, document: usize) -> Candidate<'a> {
        let bm25 = self.scores[document];
        let standing = self
            .index
            .standing(self.facets.borrow_mut().standing.of(document));
        let when = self.when(document);
        let factors = match self.rank {
            Rank::Salience => Factors {
                bm25,
                salience: Some(salience(&standing, self.index.timestamp(document), self.now)),
                ..Factors::default()
            },
            Rank::Relevance => relevance(bm25, &priors(&standing), Some(when), self.now),
        };
        Candidate {
            found: Found::Event(document, self.index.id(document)),
            score: factors.product(),
            factors,
            when: Some(when),
            superseded_by: None,
            newest_first: self.plan.newest_first,
        }
    }

    /// Whether an event holds any of the words and passes the filters.
    pub(super) fn passes_filters(&self, document: usize) -> bool {
        let (filter, index) = (&self.plan.filter, self.index);
        if self.scores[document] <= 0.0 {
            return false;
        }
        if filter.is_empty() {
            return true;
        }
        let mut facets = self.facets.borrow_mut();
        let Facets {
            skill,
            harness,
            tags,
            passes: [skills, harnesses, lists],
            ..
        } = &mut *facets;
        once(skills, skill.of(document), |number| {
            filter.passes_skill(Some(index.skill(number)))
        }) && once(harnesses, harness.of(document), |number| {
            let harness = index.harness(number).map(str::to_owned);
            filter.passes_who(harness.as_slice())
        }) && once(lists, tags.of(document), |number| {
            filter.passes_tags(&index.tags(number))
        }) && filter.passes_when(Some(self.when(document)))
    }

    /// Whether every phrase stands in an event.
    pub(super) fn holds_phrases(&self, document: usize) -> Result<bool, Stale> {
        let phrases = &self.plan.query.phrases;
        if phrases.is_empty() {
            return Ok(true);
        }
        let logged = self.event(document)?;
        let event = &logged.event;
        let mut parts = vec![event.content.as_str(), event.skill_action.as_str()];
        parts.extend(event.tags.iter().map(String::as_str));
        Ok(phrases
            .iter()
            .all(|phrase| parts.iter().any(|part| ken_text::phrase_in(part, phrase))))
    }

    /// Whether an event may be shown, counted, or stand for anything.
    pub(super) fn allows(&self, document: usize) -> Result<bool, Stale> {
        Ok(self.screen.hides_nothing() || self.screen.allows_event(&self.event(document)?.event))
    }

    /// An event, read from its line once.
    pub(super) fn event(&self, document: usize) -> Result<Rc<Logged>, Stale> {
        if let Some(known) = self.lines.borrow().get(&document) {
            return Ok(Rc::clone(known));
        }
        let logged = Rc::new(self.index.event(document)?.into_owned());
        let mut lines = self.lines.borrow_mut();
        if lines.len() >= MOST_LINES {
            lines.clear();
        }
        lines.insert(document, Rc::clone(&logged));
        Ok(logged)
    }

    /// The skill of an event.
    pub(super) fn skill(&self, document: usize) -> &'a str {
        self.index.skill(self.facets.borrow_mut().skill.of(document))
    }

    pub(super) fn now(&self) -> Timestamp {
        self.now
    }

    /// An event's number and id.
    pub(super) fn id(&self, document: usize) -> EventId {
        self.index.id(document)
    }
}

/// Lines that are held at once: a question that looks at all of a log does not hold all of it.
const MOST_LINES: usize = 4096;

fn once(known: &mut [Option<bool>], number: usize, ask: impl FnOnce(usize) -> bool) -> bool {
    match known.get_mut(number) {
        Some(known) => *known.get_or_insert_with(|| ask(number)),
        None => ask(number),
    }
}

fn salience(standing: &Standing, written: Timestamp, now: Timestamp) -> f64 {
    Salience::at(
        written,
        standing.pain,
        standing.importance,
        standing.recurrence,
        now,
    )
    .value
}

pub(super) fn priors(standing: &Standing) -> Priors {
    Priors {
        weight: Some((standing.pain, standing.importance)),
        recurrence: Some(standing.recurrence),
        origin: Some(match standing.origin {
            Some(Origin::User) => Voice::Person,
            Some(Origin::Tool) => Voice::Tool,
            Some(Origin::Agent) | None => Voice::Agent,
        }),
        confidence: None,
        fades: true,
    }
}
