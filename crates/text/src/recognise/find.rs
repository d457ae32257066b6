//! Names are found in one pass over a text, whatever the number of sets they come from.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use foldhash::fast::RandomState;

use super::atoms::{Atom, Atoms, Link, Sort};
use super::edges::Context;
use super::meaning::{asks, is_meant};
use super::names::{AnyNames, Sense, View};
use super::repeats::Repeats;
use super::{Match, Reading, looked_at};
use crate::normalize::Normalised;
use crate::transducer::Place;

/// A set of names, and which of its ids count. What is not admitted does not exist: it never hides a shorter name.
#[derive(Clone, Copy)]
pub struct Part<'a> {
    names: &'a dyn AnyNames,
    admits: &'a dyn Fn(u32) -> bool,
}

impl<'a> Part<'a> {
    /// The names of `names` that things bear which are admitted.
    pub fn new(names: &'a dyn AnyNames, admits: &'a dyn Fn(u32) -> bool) -> Part<'a> {
        Part { names, admits }
    }
}

/// The names of all parts that stand in `text`, in order of their place; where names overlap, the longest over all parts
/// is taken. Text past [`MAX_TEXT`](super::MAX_TEXT) is not looked at. The time is linear in the text.
pub fn find(parts: &[Part<'_>], text: &str, reading: Reading) -> Vec<Match> {
    find_with(parts, text, reading, PATIENCE)
}

/// So many steps for each place of a text, and at least so many in all, are taken before it is asked whether the text
/// repeats itself. Ordinary texts never come there.
pub(super) const PATIENCE: (usize, usize) = (12, 100_000);

pub(super) fn find_with(
    parts: &[Part<'_>],
    text: &str,
    reading: Reading,
    patience: (usize, usize),
) -> Vec<Match> {
    let normalised = Normalised::cased(looked_at(text));
    let cased = normalised.text.as_ref();
    let atoms = Atoms::of(cased);
    let context = Context {
        text: cased,
        atoms: atoms.list(),
        words: atoms
            .list()
            .iter()
            .filter(|atom| !matches!(atom.sort, Sort::Sign(_)))
            .count(),
        reading,
    };
    let search = Search {
        context,
        atoms: &atoms,
        parts,
        views: parts.iter().map(|part| part.names.view()).collect(),
        known: HashMap::default(),
        steps: 0,
    };
    let found = search.all(patience);
    let found = match reading {
        Reading::Names | Reading::Certain => without_overlap(atoms.list(), found),
        Reading::Mentions => found,
    };
    found
        .into_iter()
        .map(|found| {
            let (first, last) = (&atoms.list()[found.start], &atoms.list()[found.end - 1]);
            Match {
                span: normalised
                    .offsets
                    .original(first.start as usize..last.end as usize),
                bearers: found.bearers,
            }
        })
        .collect()
}

/// The things that bear a name: which part they are in, and their ids there.
type Bearers = Arc<[(usize, u32)]>;

/// A match, in atoms.
struct Found {
    start: usize,
    end: usize,
    bearers: Bearers,
}

/// The bearers of a form that count, by what must be so for them to be meant.
struct Group {
    sense: Sense,
    spelling: String,
    bearers: Bearers,
}

struct Search<'a> {
    context: Context<'a>,
    atoms: &'a Atoms,
    parts: &'a [Part<'a>],
    views: Vec<View<'a>>,
    /// Who bears the forms that were come across, by part and number.
    known: HashMap<(usize, u64), Vec<Group>, RandomState>,
    /// How many steps were taken in the sets.
    steps: usize,
}

/// A name that goes on: in which part, where there, and the atom behind what was read of it.
type Open = (usize, Place, usize);

/// A form that ends: in which part, its number there, and the atom behind it.
type End = (usize, u64, usize);

impl Search<'_> {
    /// Every valid match, by start and then the longest first.
    fn all(mut self, mut patience: (usize, usize)) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        let mut open: Vec<Open> = Vec::new();
        let mut ends: Vec<End> = Vec::new();
        let mut repeats: Option<Repeats> = None;
        for start in 0..self.context.atoms.len() {
            if let Some(repeats) = &mut repeats {
                if !self.context.may_begin(start) {
                    continue;
                }
                if !repeats.recall(start, &mut ends) {
                    self.begin(start, &mut open);
                    let reach = self.walk(&mut open, &mut ends);
                    repeats.keep(start, reach, &ends);
                }
            } else {
                self.begin(start, &mut open);
                if open.is_empty() {
                    continue;
                }
                if !self.context.may_begin(start) {
                    open.clear();
                    continue;
                }
                self.walk(&mut open, &mut ends);
                if self.steps > patience.0 * start + patience.1 {
                    repeats = Some(Repeats::of(self.atoms));
                }
            }
            if repeats.as_ref().is_some_and(Repeats::is_idle) {
                repeats = None;
                patience = (0, usize::MAX);
            }
            let from = found.len();
            for (part, value, end) in ends.drain(..) {
                if self.context.may_end(start, end) {
                    self.take(part, value, start, end, &mut found, from);
                }
            }
            found[from..].sort_by_key(|one| std::cmp::Reverse(one.end));
        }
        found
    }

    /// The names of all parts that begin with the atom at `start`.
    fn begin(&mut self, start: usize, open: &mut Vec<Open>) {
        for part in 0..self.views.len() {
            self.step(part, None, start, open);
        }
    }

    /// Where the forms end that go on from what is open, and the first atom that was not looked at.
    fn walk(&mut self, open: &mut Vec<Open>, ends: &mut Vec<End>) -> usize {
        let mut reach = 0;
        while let Some((part, place, end)) = open.pop() {
            reach = reach.max(end + 1);
            if let Some(value) = self.views[part].transducer.value(place) {
                ends.push((part, value, end));
            }
            let next = self.context.atoms.get(end);
            if next.is_some_and(|next| next.link != Link::Barrier) {
                self.step(part, Some(place), end, open);
                self.steps += 1;
            }
        }
        reach
    }

    /// Goes on from a place with the atom at `at`: as it is, and as the beginning of a whole word.
    fn step(&self, part: usize, from: Option<Place>, at: usize, open: &mut Vec<Open>) {
        let (view, atom) = (&self.views[part], &self.context.atoms[at]);
        let next = |token| {
            let token = self.atoms.text_of(token);
            match from {
                None => view.begin(token),
                Some(place) => view.go_on(place, atom.link.joins(), token),
            }
        };
        if let Some(place) = next(atom.token) {
            open.push((part, place, at + 1));
        }
        for whole in self.atoms.wholes(atom) {
            if let Some(place) = next(whole.token) {
                open.push((part, place, at + whole.length as usize));
            }
        }
    }

    /// Takes in the bearers of a form that are meant here.
    fn take(
        &mut self,
        part: usize,
        value: u64,
        start: usize,
        end: usize,
        found: &mut Vec<Found>,
        from: usize,
    ) {
        let (view, admits, reading) = (self.views[part], self.parts[part].admits, self.context.reading);
        let groups = self
            .known
            .entry((part, value))
            .or_insert_with(|| groups(part, &view, value, admits, reading));
        for group in groups {
            if is_meant(&self.context, group.sense, &group.spelling, start, end) {
                match found[from..].iter_mut().find(|one| one.end == end) {
                    Some(one) => one.bearers = union(&one.bearers, &group.bearers),
                    None => found.push(Found {
                        start,
                        end,
                        bearers: Arc::clone(&group.bearers),
                    }),
                }
            }
        }
    }
}

/// The admitted bearers of a form, those together that are meant in the same places.
fn groups(
    part: usize,
    view: &View<'_>,
    value: u64,
    admits: &dyn Fn(u32) -> bool,
    reading: Reading,
) -> Vec<Group> {
    let mut bearers: Vec<_> = view
        .bearers(value)
        .filter(|bearer| admits(bearer.id))
        .map(|bearer| match asks(bearer.sense, reading) {
            true => (bearer.sense, bearer.spelling, bearer.id),
            false => (Sense::Name, &[][..], bearer.id),
        })
        .collect();
    bearers.sort_unstable();
    bearers.dedup();
    bearers
        .chunk_by(|a, b| (a.0, a.1) == (b.0, b.1))
        .filter_map(|same| {
            Some(Group {
                sense: same[0].0,
                spelling: std::str::from_utf8(same[0].1).ok()?.to_owned(),
                bearers: same.iter().map(|(_, _, id)| (part, *id)).collect(),
            })
        })
        .collect()
}

fn union(one: &Bearers, other: &Bearers) -> Bearers {
    if one == other {
        return Arc::clone(one);
    }
    let mut all = [&one[..], &other[..]].concat();
    all.sort_unstable();
    all.dedup();
    all.into()
}

/// Longest first, then first; in order of their place.
fn without_overlap(atoms: &[Atom], found: Vec<Found>) -> Vec<Found> {
    let length = |one: &Found| atoms[one.end - 1].end - atoms[one.start].start;
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by_key(|at| (std::cmp::Reverse(length(&found[*at])), found[*at].start));
    // Taken matches, by their start.
    let mut taken: BTreeMap<usize, (usize, usize)> = BTreeMap::new();
    for at in order {
        let one = &found[at];
        let clear = taken
            .range(..one.end)
            .next_back()
            .is_none_or(|(_, (end, _))| *end <= one.start);
        if clear {
            taken.insert(one.start, (one.end, at));
        }
    }
    let mut found: Vec<Option<Found>> = found.into_iter().map(Some).collect();
    taken
        .into_values()
        .filter_map(|(_, at)| found[at].take())
        .collect()
}
