//! A document that may become a hit: under the question's filters, with its score, and as it is shown.

use jiff::Timestamp;
use jiff::civil::Date;
use ken_dotagent::{Event, Logged, Origin};

use super::plan::{Facets, Plan};
use super::rank::{Priors, Voice, relevance};
use super::search::Collections;
use super::shelf::Document;
use super::{Factors, Hit, Kind, Rank, RecallRequest};
use crate::shown::{cut, shown};
use crate::withhold::Screen;

/// A document of one of the collections.
#[derive(Clone, Copy)]
pub(super) enum Found<'a> {
    Event(&'a Logged),
    Document(&'a Document),
}

pub(super) struct Candidate<'a> {
    pub(super) found: Found<'a>,
    pub(super) factors: Factors,
    pub(super) score: f64,
    pub(super) when: Option<Timestamp>,
    pub(super) superseded_by: Option<String>,
}

impl<'a> Candidate<'a> {
    /// The document under the question's filters; `None` when it does not pass.
    pub(super) fn of(
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

    pub(super) fn id(&self) -> String {
        match self.found {
            Found::Event(logged) => logged.event.id.to_string(),
            Found::Document(document) => document.id.clone(),
        }
    }

    pub(super) fn text(&self) -> &'a str {
        match self.found {
            Found::Event(logged) => &logged.event.content,
            Found::Document(document) => &document.text,
        }
    }

    /// Whether the document may be shown, and count for anything.
    pub(super) fn allowed(&self, screen: Screen<'_>) -> bool {
        match self.found {
            Found::Event(logged) => screen.allows_event(&logged.event),
            Found::Document(_) => screen.allows_all(self.parts()),
        }
    }

    /// Every text of the document in which a phrase is looked for.
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
        self.parts().iter().any(|part| ken_text::phrase_in(part, phrase))
    }

    pub(super) fn hit(&self, collections: &Collections<'_>, request: &RecallRequest, copies: usize) -> Hit {
        // Before it is cut: half a credential is not known for one.
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
                tags: event.tags.clone(),
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
                tags: document.tags.clone(),
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
