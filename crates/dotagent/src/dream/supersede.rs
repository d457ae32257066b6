//! What took the place of what: by name, by a fact that overrides it, or because the later of two says another value of
//! one thing.

use std::collections::HashMap;

use ken_text::frame::Frame;

use super::DreamInputs;
use super::group::Grouped;
use crate::{EventId, Origin, Supersedes};

/// Successions that events name.
#[derive(Debug, Default)]
pub(super) struct Explicit {
    /// By the place of an event whose place was taken: who took it.
    successors: HashMap<usize, usize>,
    /// By the place of a successor: the pain and importance of what it took the place of, where they weigh more.
    inherited: HashMap<usize, (f64, f64)>,
}

impl Explicit {
    pub(super) fn of(inputs: &DreamInputs<'_>) -> Explicit {
        let mut explicit = Explicit::default();
        let events = inputs.events;
        let mut naming: Vec<usize> = (0..events.len())
            .filter(|event| events[*event].event.supersedes.is_some())
            .collect();
        if naming.is_empty() {
            return explicit;
        }
        let order = |event: usize| {
            let event = &events[event].event;
            (event.time_as_of(inputs.now), event.id)
        };
        naming.sort_by_key(|event| order(*event));
        let by_id: HashMap<EventId, usize> = events
            .iter()
            .enumerate()
            .map(|(place, logged)| (logged.event.id, place))
            .collect();
        let mut by_skill: HashMap<&str, Vec<usize>> = HashMap::new();
        for (place, logged) in events.iter().enumerate() {
            by_skill
                .entry(logged.event.skill_action.as_str())
                .or_default()
                .push(place);
        }
        for newer in naming {
            let older: Vec<usize> = match &events[newer].event.supersedes {
                Some(Supersedes::Event(id)) => by_id.get(id).copied().into_iter().collect(),
                Some(Supersedes::Skill(skill)) => by_skill.get(skill.as_str()).cloned().unwrap_or_default(),
                None => Vec::new(),
            };
            for older in older {
                // Only what is earlier; and words out of a tool take no person's or agent's place.
                if older != newer && order(older) < order(newer) && may_displace(inputs, newer, older) {
                    explicit.successors.insert(older, newer);
                    let weight = explicit.weight(inputs, older);
                    explicit.inherit(inputs, newer, weight);
                }
            }
        }
        explicit
    }

    pub(super) fn is_superseded(&self, event: usize) -> bool {
        self.successors.contains_key(&event)
    }

    /// The pain and importance that an event counts with: its own, or those of what it took the place of.
    pub(super) fn weight(&self, inputs: &DreamInputs<'_>, event: usize) -> (f64, f64) {
        let own = &inputs.events[event].event;
        heavier((own.pain, own.importance), self.inherited.get(&event).copied())
    }

    /// The same of what it took the place of alone.
    pub(super) fn inherited_by(&self, event: usize) -> Option<(f64, f64)> {
        self.inherited.get(&event).copied()
    }

    fn inherit(&mut self, inputs: &DreamInputs<'_>, event: usize, weight: (f64, f64)) {
        let weight = heavier(self.weight(inputs, event), Some(weight));
        self.inherited.insert(event, weight);
    }
}

/// Of two pairs of pain and importance the one that weighs more.
pub(super) fn heavier(one: (f64, f64), other: Option<(f64, f64)>) -> (f64, f64) {
    match other {
        Some(other) if other.0 * other.1 > one.0 * one.1 => other,
        _ => one,
    }
}

fn may_displace(inputs: &DreamInputs<'_>, newer: usize, older: usize) -> bool {
    let origin = |event: usize| inputs.events[event].event.origin;
    origin(newer) != Some(Origin::Tool) || origin(older) == Some(Origin::Tool)
}

/// Finds the successors that nobody names, of one group after the other.
pub(super) struct Detector<'d> {
    inputs: &'d DreamInputs<'d>,
    grouped: &'d Grouped,
    /// The groups whose speaker holds a term, those that were last written first.
    holding: Vec<Vec<u32>>,
    /// When each group was last written.
    written: Vec<jiff::Timestamp>,
    frames: HashMap<usize, Frame>,
    facts: Vec<Frame>,
}

impl<'d> Detector<'d> {
    pub(super) fn new(inputs: &'d DreamInputs<'d>, grouped: &'d Grouped) -> Detector<'d> {
        let written: Vec<jiff::Timestamp> = grouped
            .groups
            .iter()
            .map(|group| {
                let members = group.members.iter();
                let times = members.map(|event| inputs.events[*event].event.time_as_of(inputs.now));
                times.max().unwrap_or(inputs.now)
            })
            .collect();
        let mut newest: Vec<u32> = (0..grouped.groups.len() as u32).collect();
        newest.sort_by_key(|group| std::cmp::Reverse((written[*group as usize], *group)));
        let mut holding: Vec<Vec<u32>> = vec![Vec::new(); grouped.texts.idf.len()];
        for group in newest {
            for (term, _) in &grouped.texts.texts[grouped.text_of[group as usize]].terms {
                holding[*term as usize].push(group);
            }
        }
        Detector {
            inputs,
            grouped,
            holding,
            written,
            frames: HashMap::new(),
            facts: inputs.facts.iter().map(|fact| Frame::of(fact)).collect(),
        }
    }

    /// The fact that contradicts a group, as a place in the inputs' facts.
    pub(super) fn overriding(&mut self, group: usize) -> Option<usize> {
        if self.facts.is_empty() {
            return None;
        }
        self.look(group);
        let frame = &self.frames[&group];
        self.facts.iter().position(|fact| fact.replaces(frame))
    }

    /// The newest group that says another value of what this one says.
    pub(super) fn successor(&mut self, group: usize) -> Option<usize> {
        /// So many of a text's rarest terms lead to what may speak of the same.
        const LEADS: usize = 4;
        /// So many newer texts are looked at for each.
        const LOOKED_AT: usize = 512;
        /// So much of what a text says is met again at least in one that tells of a change of it.
        const RELATED: f64 = 0.25;
        let texts = &self.grouped.texts;
        let own = self.grouped.text_of[group];
        let mut leads: Vec<u32> = texts.texts[own].terms.iter().map(|(term, _)| *term).collect();
        leads.sort_by(|a, b| {
            texts.idf[*b as usize]
                .total_cmp(&texts.idf[*a as usize])
                .then(a.cmp(b))
        });
        leads.truncate(LEADS);
        let mut candidates: Vec<u32> = Vec::new();
        for term in leads {
            let newer = self.holding[term as usize]
                .iter()
                .take_while(|other| self.written[**other as usize] > self.written[group]);
            candidates.extend(newer.take(LOOKED_AT));
        }
        candidates.sort_unstable_by_key(|other| std::cmp::Reverse((self.written[*other as usize], *other)));
        candidates.dedup();
        let speaker = self.grouped.groups[group].speaker;
        for other in candidates.into_iter().map(|other| other as usize) {
            let theirs = self.grouped.text_of[other];
            if !may_displace(self.inputs, self.grouped.groups[other].speaker, speaker)
                || texts.part_in(own, theirs) < RELATED
            {
                continue;
            }
            self.look(group);
            self.look(other);
            if self.frames[&other].replaces(&self.frames[&group]) {
                return Some(other);
            }
        }
        None
    }

    fn look(&mut self, group: usize) {
        let event = &self.inputs.events[self.grouped.groups[group].speaker].event;
        self.frames
            .entry(group)
            .or_insert_with(|| Frame::of(&event.content));
    }
}
