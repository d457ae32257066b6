//! Events that say one thing become a group. Members are like the group's speaker, not like each other in a chain; a
//! pair that differs in a number, version, date, name or denial is never one.

use std::cmp::Ordering;
use std::collections::HashMap;

use foldhash::fast::FixedState;
use jiff::Timestamp;
use ken_text::frame::Frame;

use super::reading::{LANES, Sketch, Texts, in_parallel, in_parallel_few, mixed};
use super::supersede::Explicit;
use super::{DreamInputs, Group};
use crate::repeats::text_hash;
use crate::{Decision, Event, EventId, Salience, SkillAction};

/// From which likeness two texts of one skill are one thing.
const ALIKE_IN_SKILL: f64 = 0.6;
/// The same for two of any skills.
const ALIKE: f64 = 0.85;
/// So many of a bucket are compared with; more have too much in common to tell anything.
const MOST_COMPARED: usize = 64;
/// Minima of a band for texts of one skill: sixteen such bands miss one pair in fifty that is just alike enough.
const IN_SKILL: usize = 3;
/// The same for any two: twelve such bands miss one in seven thousand.
const OF_ALL: usize = 4;
/// Minima that two texts share at least before their terms are compared: one pair in two hundred that is just alike
/// enough has fewer.
const LANES_IN_SKILL: u32 = 20;
const LANES_OF_ALL: u32 = 33;

/// The groups of a log, and what was read of the texts of their speakers.
pub(super) struct Grouped {
    pub(super) groups: Vec<Group>,
    pub(super) texts: Texts,
    /// The text of each group's speaker, as a place in `texts`.
    pub(super) text_of: Vec<usize>,
    /// The texts of all members of each group.
    pub(super) texts_of: Vec<Vec<usize>>,
}

/// By what it is decided whose words stand for a group.
struct Rank {
    worth: f64,
    pain: f64,
    importance: f64,
    written: Timestamp,
    id: EventId,
}

impl Rank {
    fn of(event: &Event, now: Timestamp) -> Rank {
        Rank {
            worth: Salience::of(event, now).value,
            pain: event.pain,
            importance: event.importance,
            written: event.time_as_of(now),
            id: event.id,
        }
    }

    /// The one that speaks comes first.
    fn cmp(&self, other: &Rank) -> Ordering {
        other
            .worth
            .total_cmp(&self.worth)
            .then(other.pain.total_cmp(&self.pain))
            .then(other.importance.total_cmp(&self.importance))
            .then(other.written.cmp(&self.written))
            .then(self.id.cmp(&other.id))
    }
}

pub(super) fn group(inputs: &DreamInputs<'_>, succession: &Explicit) -> Grouped {
    let live: Vec<usize> = (0..inputs.events.len())
        .filter(|event| !succession.is_superseded(*event))
        .collect();
    let hashes = in_parallel(&live, |event| text_hash(&inputs.events[*event].event.content));
    // The events of each text, the one that speaks for it first.
    let mut of_hash: HashMap<u64, usize, FixedState> = HashMap::default();
    let mut same: Vec<Vec<usize>> = Vec::new();
    for (event, hash) in live.iter().zip(hashes) {
        match of_hash.get(&hash) {
            Some(text) => same[*text].push(*event),
            None => {
                of_hash.insert(hash, same.len());
                same.push(vec![*event]);
            }
        }
    }
    let ranks = in_parallel(inputs.events, |logged| Rank::of(&logged.event, inputs.now));
    for events in same.iter_mut().filter(|events| events.len() > 1) {
        events.sort_by(|a, b| ranks[*a].cmp(&ranks[*b]));
    }
    same.sort_unstable_by(|a, b| ranks[a[0]].cmp(&ranks[b[0]]));
    let contents: Vec<&str> = same
        .iter()
        .map(|events| inputs.events[events[0]].event.content.as_str())
        .collect();
    let texts = Texts::read(&contents);
    let joined = join(inputs, &texts, &same);
    let mut groups: Vec<Group> = Vec::new();
    let (mut text_of, mut texts_of): (Vec<usize>, Vec<Vec<usize>>) = (Vec::new(), Vec::new());
    let mut number_of: HashMap<usize, usize, FixedState> = HashMap::default();
    for (text, speaker) in joined.into_iter().enumerate() {
        let group = *number_of.entry(speaker).or_insert_with(|| {
            text_of.push(speaker);
            texts_of.push(Vec::new());
            groups.push(Group {
                speaker: same[speaker][0],
                members: Vec::new(),
                recurrence: 0,
                last_seen: inputs.now,
                salience: Salience::new(0.0, 0.0, 0.0, 0),
                bm25: 0.0,
                score: 0.0,
                decision: Decision::Weak,
            });
            groups.len() - 1
        });
        groups[group].members.extend(&same[text]);
        texts_of[group].push(text);
    }
    for group in &mut groups {
        group.members.sort_unstable();
        let further = group.members.len() as u64 - 1;
        let lines = group
            .members
            .iter()
            .map(|event| inputs.events[*event].event.recurrence);
        group.recurrence = lines.max().unwrap_or(0).max(further);
    }
    Grouped {
        groups,
        texts,
        text_of,
        texts_of,
    }
}

/// The text that speaks for each text: itself, or one before it. Texts come in the order in which they speak.
fn join(inputs: &DreamInputs<'_>, texts: &Texts, same: &[Vec<usize>]) -> Vec<usize> {
    let sketches = texts.sketches();
    let event = |text: usize| &inputs.events[same[text][0]].event;
    let skills = skills(same.len(), event);
    let buckets = Buckets::of(texts, &sketches, &skills);
    let mut frames: HashMap<usize, Frame, FixedState> = HashMap::default();
    let mut looked_at: Vec<u32> = vec![u32::MAX; same.len()];
    let mut speakers: Vec<usize> = Vec::with_capacity(same.len());
    for text in 0..same.len() {
        let mut best: Option<usize> = None;
        for candidate in buckets.before(text) {
            let candidate = candidate as usize;
            let speaks = speakers[candidate] == candidate;
            if !speaks || looked_at[candidate] == text as u32 || best.is_some_and(|best| best < candidate) {
                continue;
            }
            looked_at[candidate] = text as u32;
            let of_skill = skills[candidate] == skills[text] && skills[text] != GENERAL;
            let (enough, lanes) = if of_skill {
                (ALIKE_IN_SKILL, LANES_IN_SKILL)
            } else {
                (ALIKE, LANES_OF_ALL)
            };
            if equal_lanes(&sketches[candidate], &sketches[text]) < lanes
                || texts.likeness(candidate, text) < enough
            {
                continue;
            }
            for text in [candidate, text] {
                frames
                    .entry(text)
                    .or_insert_with(|| Frame::of(&event(text).content));
            }
            if frames[&candidate].may_say_the_same_as(&frames[&text]) {
                best = Some(candidate);
            }
        }
        if best.is_some() {
            frames.remove(&text);
        }
        speakers.push(best.unwrap_or(text));
    }
    speakers
}

/// The number of what belongs to no skill.
const GENERAL: u32 = 0;

/// A number for each text's skill.
fn skills<'e>(count: usize, event: impl Fn(usize) -> &'e Event) -> Vec<u32> {
    let mut numbers: HashMap<&str, u32, FixedState> = HashMap::default();
    numbers.insert(SkillAction::GENERAL, GENERAL);
    (0..count)
        .map(|text| {
            let next = numbers.len() as u32;
            *numbers.entry(event(text).skill_action.as_str()).or_insert(next)
        })
        .collect()
}

/// How many minima two sketches share.
fn equal_lanes(one: &Sketch, other: &Sketch) -> u32 {
    one.iter().zip(other).map(|(a, b)| u32::from(a == b)).sum()
}

/// Where texts meet that may be alike: those that share a band of their sketches, and the same numbers. Short bands for
/// texts of one skill, long ones for any two.
struct Buckets {
    /// Texts, bucket by bucket, in their order.
    texts: Vec<u32>,
    /// Of each text: where each of its buckets begins, and how far into it the text stands.
    places: Vec<(u32, u32)>,
    /// Where the places of each text begin; one more than there are texts.
    first: Vec<u32>,
}

impl Buckets {
    fn of(texts: &Texts, sketches: &[Sketch], skills: &[u32]) -> Buckets {
        let in_skill = (0..LANES / IN_SKILL).map(|number| (number * IN_SKILL, IN_SKILL, true));
        let of_all = (0..LANES / OF_ALL).map(|number| (number * OF_ALL, OF_ALL, false));
        let bands: Vec<(usize, usize, bool)> = in_skill.chain(of_all).collect();
        let shared = in_parallel_few(&bands, |(start, lanes, of_skill)| {
            let mut keys: Vec<(u64, u32)> = Vec::with_capacity(sketches.len());
            for (text, sketch) in (0..).zip(sketches) {
                let skill = skills[text as usize];
                if *of_skill && skill == GENERAL {
                    continue;
                }
                let salt = if *of_skill { u64::from(skill) } else { u64::MAX };
                let start_key = mixed(texts.texts[text as usize].values, salt);
                let lanes = &sketch[*start..start + lanes];
                let key = lanes
                    .iter()
                    .fold(start_key, |key, lane| mixed(key, u64::from(*lane)));
                keys.push((key, text));
            }
            keys.sort_unstable();
            // Whoever is alone in a bucket meets nobody there.
            let runs = keys.chunk_by(|a, b| a.0 == b.0).filter(|run| run.len() > 1);
            let runs: Vec<Vec<u32>> = runs
                .map(|run| run.iter().map(|(_, text)| *text).collect())
                .collect();
            runs
        });
        let mut counts = vec![0_u32; sketches.len() + 1];
        for run in shared.iter().flatten() {
            for text in run {
                counts[*text as usize + 1] += 1;
            }
        }
        for text in 1..counts.len() {
            counts[text] += counts[text - 1];
        }
        let first = counts.clone();
        let mut next = counts;
        let mut places = vec![(0, 0); first.last().map_or(0, |all| *all as usize)];
        let mut all = Vec::new();
        for run in shared.into_iter().flatten() {
            let start = all.len() as u32;
            for (place, text) in (0..).zip(&run) {
                let at = &mut next[*text as usize];
                places[*at as usize] = (start, place);
                *at += 1;
            }
            all.extend(run);
        }
        Buckets {
            texts: all,
            places,
            first,
        }
    }

    /// The texts before this one in its buckets, some of them more than once.
    fn before(&self, text: usize) -> impl Iterator<Item = u32> {
        let places = &self.places[self.first[text] as usize..self.first[text + 1] as usize];
        places.iter().flat_map(|(start, place)| {
            let start = *start as usize;
            let most = (*place as usize).min(MOST_COMPARED);
            self.texts[start..start + most].iter().copied()
        })
    }
}
