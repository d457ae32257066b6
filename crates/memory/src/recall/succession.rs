//! Events that took the place of others: the newer one ranks first, and the older one says so.

use std::collections::HashMap;

use jiff::Timestamp;
use ken_dotagent::{EventId, Stale, Supersedes};

use super::candidate::{Candidate, Found};
use super::events::AskedEvents;

/// What ranks a superseded hit whose successor was not found itself.
const ALONE: f64 = 0.8;
/// How far below its successor a superseded hit ranks at least.
const BELOW: f64 = 0.99;

/// What took the place of what, in a log. What may not be shown takes nobody's place.
pub(super) struct Succession {
    /// The events that say what they take the place of, the oldest first.
    newer: Vec<Newer>,
    /// By the event, or the skill, whose place was taken: who says so, as places in `newer`.
    of_event: HashMap<EventId, Vec<usize>>,
    of_skill: HashMap<String, Vec<usize>>,
    /// What candidates were found to be when their successors were looked at.
    known: HashMap<usize, Adjusted>,
}

struct Newer {
    document: usize,
    id: EventId,
    written: Timestamp,
}

/// A candidate below its successor.
#[derive(Debug, Clone, Copy)]
struct Adjusted {
    /// What its score is multiplied with, and who took its place.
    successor: Option<(f64, EventId)>,
    score: f64,
}

impl Succession {
    pub(super) fn new(events: &AskedEvents<'_>) -> Succession {
        let mut newer: Vec<(Newer, Supersedes)> = events
            .index
            .superseding()
            .into_iter()
            .map(|(document, what)| {
                let newer = Newer {
                    document,
                    id: events.id(document),
                    written: events.index.timestamp(document),
                };
                (newer, what)
            })
            .collect();
        newer.sort_by_key(|(newer, _)| (ken_dotagent::time_as_of(newer.written, events.now()), newer.id));
        let mut succession = Succession {
            newer: Vec::with_capacity(newer.len()),
            of_event: HashMap::new(),
            of_skill: HashMap::new(),
            known: HashMap::new(),
        };
        for (place, (newer, what)) in newer.into_iter().enumerate() {
            match what {
                Supersedes::Event(older) => succession.of_event.entry(older).or_default().push(place),
                Supersedes::Skill(skill) => {
                    let taken = succession.of_skill.entry(skill.to_string()).or_default();
                    taken.push(place);
                }
            }
            succession.newer.push(newer);
        }
        succession
    }

    /// Ranks a superseded event below what took its place.
    pub(super) fn adjust(
        &mut self,
        events: &AskedEvents<'_>,
        candidate: &mut Candidate<'_>,
    ) -> Result<(), Stale> {
        let Found::Event(document, _) = candidate.found else {
            return Ok(());
        };
        if self.newer.is_empty() {
            return Ok(());
        }
        let adjusted = self.adjusted(events, document)?;
        if let Some((factor, successor)) = adjusted.successor {
            candidate.factors.superseded = Some(factor);
            candidate.score = candidate.factors.product();
            candidate.superseded_by = Some(successor);
        }
        Ok(())
    }

    /// The newest event that took the place of this one.
    fn successor(&self, events: &AskedEvents<'_>, document: usize) -> Result<Option<&Newer>, Stale> {
        let id = events.id(document);
        let latest = |places: Option<&Vec<usize>>, takes: &dyn Fn(&Newer) -> bool| {
            for place in places.into_iter().flatten().rev() {
                let newer = &self.newer[*place];
                if newer.id != id && takes(newer) && events.allows(newer.document)? {
                    return Ok(Some(*place));
                }
            }
            Ok(None)
        };
        let of_event = latest(self.of_event.get(&id), &|_| true)?;
        let of_skill = if self.of_skill.is_empty() {
            None
        } else {
            let written = events.index.timestamp(document);
            latest(self.of_skill.get(events.skill(document)), &|newer| {
                written < newer.written
            })?
        };
        Ok(of_event.max(of_skill).map(|place| &self.newer[place]))
    }

    /// The newest are looked at first, so that in a chain each ranks below the next: a successor that is newer is ranked
    /// itself before; one that is older, as a wrong clock makes it, counts with its own score.
    fn adjusted(&mut self, events: &AskedEvents<'_>, document: usize) -> Result<Adjusted, Stale> {
        let earlier = |a: usize, b: usize| (events.when(b), a).cmp(&(events.when(a), b)).is_lt();
        let mut waiting = vec![document];
        let mut last = None;
        while let Some(document) = waiting.pop() {
            if let Some(known) = self.known.get(&document) {
                last = Some(*known);
                continue;
            }
            let own = events.candidate(document);
            let found = self
                .successor(events, document)?
                .map(|newer| (newer.document, newer.id));
            let successor = match found {
                None => None,
                Some((newer, id)) if !(events.passes_filters(newer) && events.holds_phrases(newer)?) => {
                    let _ = newer;
                    Some((ALONE, id))
                }
                Some((newer, id)) => {
                    let score = if !earlier(newer, document) {
                        events.candidate(newer).score
                    } else if let Some(known) = self.known.get(&newer) {
                        known.score
                    } else {
                        waiting.extend([document, newer]);
                        continue;
                    };
                    Some(((BELOW * score / own.score).min(1.0), id))
                }
            };
            let mut factors = own.factors;
            factors.superseded = successor.map(|(factor, _)| factor);
            let adjusted = Adjusted {
                successor,
                score: factors.product(),
            };
            self.known.insert(document, adjusted);
            last = Some(adjusted);
        }
        Ok(last.expect("the document that was asked for is looked at last"))
    }
}
