//! Which groups are lessons: those that are worth enough, best first, as long as there is room.

use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap, HashSet};

use jiff::Timestamp;
use ken_text::bm25;
use ken_text::tokens::budget_tokens;

use super::group::Grouped;
use super::reading::Texts;
use super::supersede::{Detector, Explicit, heavier};
use super::{Decision, Dream, DreamInputs, Group};
use crate::lessons::text_of_lesson;
use crate::{EventId, Origin, Salience, SkillAction};

/// So many of a group's strongest terms make its profile, beside the words of its skill.
const PROFILE: usize = 8;
/// So many groups that are no lessons are shown beside those that are.
const SHOWN: usize = 100;

/// A group that waits to be looked at, the best first.
#[derive(PartialEq)]
struct Waiting {
    score: f64,
    id: EventId,
    group: usize,
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Waiting) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Waiting) -> Ordering {
        self.score
            .total_cmp(&other.score)
            .then(Reverse(self.id).cmp(&Reverse(other.id)))
    }
}

struct Promotion<'d> {
    inputs: &'d DreamInputs<'d>,
    texts: &'d Texts,
    text_of: &'d [usize],
    texts_of: &'d [Vec<usize>],
    groups: Vec<Group>,
    /// The pain and importance that each group counts with.
    weights: Vec<(f64, f64)>,
    /// The terms of each skill's words.
    skills: HashMap<&'d SkillAction, Vec<u32>>,
}

pub(super) fn promote(inputs: &DreamInputs<'_>, succession: &Explicit, grouped: &Grouped) -> Dream {
    let mut promotion = Promotion {
        inputs,
        texts: &grouped.texts,
        text_of: &grouped.text_of,
        texts_of: &grouped.texts_of,
        groups: grouped.groups.clone(),
        weights: Vec::with_capacity(grouped.groups.len()),
        skills: HashMap::new(),
    };
    for group in &grouped.groups {
        let skill = &inputs.events[group.speaker].event.skill_action;
        if !skill.is_general() && !promotion.skills.contains_key(skill) {
            let terms = grouped.texts.terms_of(skill.as_str());
            promotion.skills.insert(skill, terms);
        }
    }
    for group in &grouped.groups {
        let own = succession.weight(inputs, group.speaker);
        let weight = group.members.iter().fold(own, |weight, event| {
            heavier(weight, succession.inherited_by(*event))
        });
        promotion.weights.push(weight);
    }
    let mut detector = Detector::new(inputs, grouped);
    let mut waiting = BinaryHeap::new();
    let mut weak = Vec::new();
    for group in 0..promotion.groups.len() {
        promotion.judge(group);
        match promotion.groups[group].decision {
            Decision::Weak => weak.push(group),
            _ => waiting.push(promotion.waiting(group)),
        }
    }
    let mut looked_at: Vec<usize> = Vec::new();
    let mut done: HashSet<usize> = HashSet::new();
    let (mut lessons, mut tokens, mut too_long) = (0, 0, 0);
    while let Some(next) = waiting.pop() {
        let group = next.group;
        // One that took another's place waits anew, with what that was worth.
        if done.contains(&group) || next.score < promotion.groups[group].score {
            continue;
        }
        let full = lessons == inputs.settings.max_lessons || too_long >= SHOWN;
        if full && looked_at.len() >= lessons + SHOWN {
            break;
        }
        done.insert(group);
        looked_at.push(group);
        if promotion.groups[group].decision != Decision::NoRoom {
            continue;
        }
        if let Some(fact) = detector.overriding(group) {
            promotion.groups[group].decision = Decision::Overridden(inputs.facts[fact].clone());
            continue;
        }
        if !full && let Some(successor) = detector.successor(group) {
            let id = promotion.id(successor);
            promotion.groups[group].decision = Decision::Superseded(id);
            if promotion.inherit(successor, group) && !done.contains(&successor) {
                waiting.push(promotion.waiting(successor));
            }
            continue;
        }
        if full {
            continue;
        }
        let content = &inputs.events[promotion.groups[group].speaker].event.content;
        let needed = budget_tokens(&text_of_lesson(content));
        if tokens + needed <= inputs.settings.lessons_token_budget {
            promotion.groups[group].decision = Decision::Promoted;
            tokens += needed;
            lessons += 1;
        } else {
            // When so many do not fit, there is hardly room for any.
            too_long += 1;
        }
    }
    weak.retain(|group| promotion.groups[*group].decision == Decision::Weak);
    let mut groups: Vec<Group> = looked_at
        .into_iter()
        .map(|group| promotion.groups[group].clone())
        .collect();
    let id = |group: &Group| inputs.events[group.speaker].event.id;
    groups.sort_by(|a, b| {
        let last = |group: &Group| group.decision != Decision::Promoted;
        last(a)
            .cmp(&last(b))
            .then(b.score.total_cmp(&a.score))
            .then(id(a).cmp(&id(b)))
    });
    Dream {
        groups,
        weak: weak.len(),
    }
}

impl Promotion<'_> {
    fn id(&self, group: usize) -> EventId {
        self.inputs.events[self.groups[group].speaker].event.id
    }

    fn waiting(&self, group: usize) -> Waiting {
        Waiting {
            score: self.groups[group].score,
            id: self.id(group),
            group,
        }
    }

    /// Works out what a group is worth, and whether it may be a lesson if there is room.
    fn judge(&mut self, group: usize) {
        let inputs = self.inputs;
        let members = &self.groups[group].members;
        let ids = || members.iter().map(|event| inputs.events[*event].event.id);
        let said = inputs.reviews.of(ids());
        let newest = members
            .iter()
            .map(|event| inputs.events[*event].event.time_as_of(inputs.now));
        let seen = ids().filter_map(|id| inputs.seen.get(&id).copied());
        let last_seen = newest
            .chain(seen)
            .chain(said.confirmed)
            .map(|at| at.min(inputs.now))
            .max()
            .unwrap_or(Timestamp::MIN);
        let pinned = members.iter().any(|event| inputs.events[*event].event.pinned);
        let tools_only = members
            .iter()
            .all(|event| inputs.events[*event].event.origin == Some(Origin::Tool));
        let (pain, importance) = self.weights[group];
        let recurrence = self.groups[group].recurrence;
        let salience = Salience::at(last_seen, pain, importance, recurrence, inputs.now);
        let kept = pinned || said.accepted;
        let decision = if said.rejected.is_some_and(|then| recurrence <= then) {
            Decision::Rejected
        } else if tools_only && !said.accepted {
            Decision::ToolsOnly
        } else if !kept && salience.strength() < inputs.settings.promote_strength {
            Decision::Weak
        } else if !kept && salience.value < inputs.settings.retire_salience {
            Decision::Retired
        } else {
            Decision::NoRoom
        };
        let bm25 = if decision == Decision::Weak {
            0.0
        } else {
            self.bm25(group)
        };
        let group = &mut self.groups[group];
        group.last_seen = last_seen;
        group.salience = salience;
        group.bm25 = bm25;
        group.score = bm25 * salience.value;
        group.decision = decision;
    }

    /// Lets a group take the place of another: it counts with what that was worth, where that is more. Whether it does.
    fn inherit(&mut self, successor: usize, group: usize) -> bool {
        let weight = heavier(self.weights[successor], Some(self.weights[group]));
        if weight == self.weights[successor] {
            return false;
        }
        self.weights[successor] = weight;
        let before = self.groups[successor].decision.clone();
        self.judge(successor);
        let after = &mut self.groups[successor].decision;
        if before == Decision::Promoted {
            *after = before;
        }
        true
    }

    /// BM25 of the speaker against the group's own profile: the words of its skill and its strongest terms.
    fn bm25(&self, group: usize) -> f64 {
        let speaker = &self.texts.texts[self.text_of[group]];
        let texts = self.texts_of[group].iter();
        let terms = texts.flat_map(|text| &self.texts.texts[*text].terms);
        let mut strength: Vec<(u32, f64)> = terms
            .map(|(term, count)| (*term, f64::from(*count) * self.texts.idf[*term as usize]))
            .collect();
        if self.texts_of[group].len() > 1 {
            strength.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(a.1.total_cmp(&b.1)));
            strength.dedup_by(|again, kept| {
                let same = again.0 == kept.0;
                if same {
                    kept.1 += again.1;
                }
                same
            });
        }
        let by_strength = |a: &(u32, f64), b: &(u32, f64)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if strength.len() > PROFILE {
            strength.select_nth_unstable_by(PROFILE - 1, by_strength);
            strength.truncate(PROFILE);
        }
        let strongest = strength;
        let skill = &self.inputs.events[self.groups[group].speaker].event.skill_action;
        let skill = (!skill.is_general()).then(|| self.texts.terms_of(skill.as_str()));
        let mut profile: Vec<u32> = strongest
            .into_iter()
            .take(PROFILE)
            .map(|(term, _)| term)
            .collect();
        for term in skill.into_iter().flatten() {
            if !profile.contains(&term) {
                profile.push(term);
            }
        }
        // Always in the same order, so that the same sum comes out to the last bit.
        profile.sort_unstable();
        let frequency = |term: u32| {
            let at = speaker
                .terms
                .binary_search_by_key(&term, |(term, _)| *term)
                .ok()?;
            Some(f64::from(speaker.terms[at].1))
        };
        let length = f64::from(speaker.length);
        profile
            .into_iter()
            .filter_map(|term| {
                let saturation = bm25::saturation(frequency(term)?, length, self.texts.average_length);
                Some(self.texts.idf[term as usize] * saturation)
            })
            // Not `sum`, which makes nothing at all less than nothing.
            .fold(0.0, |sum, weight| sum + weight)
    }
}
