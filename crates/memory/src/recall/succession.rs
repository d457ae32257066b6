//! Events that took the place of others: the newer one ranks first, and the older one says so.

use std::collections::HashMap;

use jiff::Timestamp;
use ken_dotagent::{Event, EventId, Supersedes};

use super::candidate::{Candidate, Found};
use super::search::Collections;
use crate::withhold::Screen;

/// By an event whose place was taken, the newest event that took it: by its id, or by its skill.
///
/// What may not be shown takes nobody's place.
pub(super) fn successors(
    collections: &Collections<'_>,
    screen: Screen<'_>,
    now: Timestamp,
) -> HashMap<EventId, EventId> {
    let Some(index) = collections.events else {
        return HashMap::new();
    };
    let events = || (0..index.len()).map(|document| &index.event(document).event);
    let mut newer: Vec<&Event> = events()
        .filter(|event| event.supersedes.is_some() && screen.allows_event(event))
        .collect();
    newer.sort_by_key(|event| (event.time_as_of(now), event.id));
    let mut successors = HashMap::new();
    for newer in newer {
        match &newer.supersedes {
            Some(Supersedes::Event(older)) if *older != newer.id => {
                successors.insert(*older, newer.id);
            }
            Some(Supersedes::Skill(skill)) => {
                let taken = events().filter(|older| {
                    older.skill_action == *skill && older.id != newer.id && older.timestamp < newer.timestamp
                });
                successors.extend(taken.map(|older| (older.id, newer.id)));
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

/// Ranks each superseded hit below what took its place. The newest are looked at first, so that in a chain each ranks
/// below the next.
pub(super) fn rank_under_successors(
    candidates: &mut [Candidate<'_>],
    successors: &HashMap<EventId, EventId>,
) {
    if successors.is_empty() {
        return;
    }
    let mut newest_first: Vec<(EventId, usize)> = candidates
        .iter()
        .enumerate()
        .filter_map(|(number, candidate)| match candidate.found {
            Found::Event(logged) => Some((logged.event.id, number)),
            Found::Document(_) => None,
        })
        .collect();
    newest_first.sort_by(|(_, a), (_, b)| candidates[*b].when.cmp(&candidates[*a].when));
    let places: HashMap<EventId, usize> = newest_first.iter().copied().collect();
    for (id, number) in newest_first {
        let Some(successor) = successors.get(&id) else {
            continue;
        };
        let factor = match places.get(successor) {
            Some(place) => (BELOW * candidates[*place].score / candidates[number].score).min(1.0),
            None => ALONE,
        };
        let candidate = &mut candidates[number];
        candidate.factors.superseded = Some(factor);
        candidate.score = candidate.factors.product();
        candidate.superseded_by = Some(successor.to_string());
    }
}
