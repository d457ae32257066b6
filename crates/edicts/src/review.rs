//! What a person should look at, each with what to type next.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use jiff::{SignedDuration, Timestamp};
use ken_text::frame::{Class, Frame};
use serde::Serialize;

use crate::limits::{Limits, NearLimit};
use crate::model::{Edict, Edicts};
use crate::name::{EdictId, Label, quoted};
use crate::validate::is_stale;
use crate::when::written;

/// What a review looks for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReviewRequest {
    /// Days after which a durable edict is stale; without it, as the file says.
    pub stale_days: Option<u32>,
    /// Edicts that expire within so many days.
    pub within_days: u32,
    /// Limits that are laid over the file's.
    pub limits: Limits,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Review {
    /// Durable edicts that nobody added, changed or confirmed for long, the longest first.
    pub stale: Vec<Reviewed>,
    /// Edicts that expire soon, the next first.
    pub expiring: Vec<Reviewed>,
    /// Limits of which four fifths are used.
    pub limits: Vec<NearLimit>,
    /// Edicts with one category and one key prefix, which may be one fact.
    pub compaction: Vec<Candidates>,
    /// Edicts that say nearly the same.
    pub near_duplicates: Vec<Pair>,
    /// Edicts of which at most one can be right.
    pub contradictions: Vec<Pair>,
}

/// An edict to look at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Reviewed {
    /// Its id.
    pub id: EdictId,
    /// Its text.
    pub text: String,
    /// Why it is here.
    pub why: String,
    /// What to type next.
    pub next: String,
}

/// Edicts that may become one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Candidates {
    /// Their category.
    pub category: Label,
    /// What their keys begin with, before the last `/`, else before the last `.`.
    pub key_prefix: String,
    /// Their ids, in file order.
    pub ids: Vec<EdictId>,
    /// What to type next.
    pub next: String,
}

/// Two edicts that do not go together, in file order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Pair {
    /// The ids.
    pub ids: [EdictId; 2],
    /// The texts.
    pub texts: [String; 2],
    /// Why they are here.
    pub why: String,
    /// What to type next.
    pub next: String,
}

impl Review {
    /// Whether there is nothing to look at.
    pub fn is_empty(&self) -> bool {
        *self == Review::default()
    }
}

/// Words of two texts that are shared, in tenths of all, from which they say nearly the same.
const NEAR: usize = 8;
/// The same for texts of one key prefix that are held against each other.
const RELATED: usize = 5;
/// How many neighbours of one key prefix each edict is held against.
const NEIGHBOURS: usize = 50;

impl Edicts {
    /// What a person should look at among the edicts in force at `now`.
    pub fn review(&self, request: &ReviewRequest, now: Timestamp) -> Review {
        let edicts: Vec<&Edict> = self.in_force(now).collect();
        let config = self.config.under(&request.limits);
        let stale_days = request.stale_days.unwrap_or(config.stale_threshold_days);
        let frames: Vec<Frame> = edicts.iter().map(|edict| Frame::of(&edict.text)).collect();
        let contradictions = contradictions(&edicts, &frames);
        let clashing: HashSet<[usize; 2]> = contradictions.keys().copied().collect();
        let near = near_duplicates(&edicts, &frames, &clashing);
        Review {
            stale: stale(&edicts, stale_days, now),
            expiring: expiring(&edicts, request.within_days, now),
            limits: self.near_limits(&request.limits, now),
            compaction: compaction(&edicts),
            near_duplicates: near
                .into_iter()
                .map(|[a, b]| near_pair(edicts[a], edicts[b]))
                .collect(),
            contradictions: contradictions
                .into_iter()
                .map(|([a, b], class)| clash(edicts[a], edicts[b], class))
                .collect(),
        }
    }
}

fn stale(edicts: &[&Edict], days: u32, now: Timestamp) -> Vec<Reviewed> {
    let mut stale: Vec<&Edict> = edicts
        .iter()
        .copied()
        .filter(|edict| is_stale(edict, days, now))
        .collect();
    stale.sort_by_key(|edict| edict.updated);
    let each = stale.into_iter().map(|edict| Reviewed {
        id: edict.id.clone(),
        text: edict.text.clone(),
        why: format!("nobody confirmed it since {}", written(edict.updated)),
        next: format!("ken edict confirm {}", quoted(&edict.id)),
    });
    each.collect()
}

fn expiring(edicts: &[&Edict], within: u32, now: Timestamp) -> Vec<Reviewed> {
    let until = now
        .checked_add(SignedDuration::from_hours(24 * i64::from(within)))
        .unwrap_or(Timestamp::MAX);
    let mut expiring: Vec<(Timestamp, &Edict)> = edicts
        .iter()
        .filter_map(|edict| Some((edict.expires_at.filter(|at| *at <= until)?, *edict)))
        .collect();
    expiring.sort_by_key(|(at, _)| *at);
    let each = expiring.into_iter().map(|(at, edict)| Reviewed {
        id: edict.id.clone(),
        text: edict.text.clone(),
        why: format!("it expires {}", written(at)),
        next: format!("ken edict update {} --expires-in 7d", quoted(&edict.id)),
    });
    each.collect()
}

/// What a key begins with: before the last `/`, else before the last `.`.
fn key_prefix(edict: &Edict) -> Option<&str> {
    let key = edict.key.as_deref()?;
    let (prefix, _) = key.rsplit_once('/').or_else(|| key.rsplit_once('.'))?;
    (!prefix.is_empty()).then_some(prefix)
}

fn compaction(edicts: &[&Edict]) -> Vec<Candidates> {
    let mut groups: BTreeMap<(&Label, &str), Vec<&Edict>> = BTreeMap::new();
    for edict in edicts {
        if let Some(prefix) = key_prefix(edict) {
            groups.entry((&edict.category, prefix)).or_default().push(edict);
        }
    }
    let several = groups.into_iter().filter(|(_, group)| group.len() > 1);
    several
        .map(|((category, prefix), group)| {
            let ids: Vec<EdictId> = group.iter().map(|edict| edict.id.clone()).collect();
            let named: Vec<String> = ids.iter().map(|id| quoted(id)).collect();
            Candidates {
                category: category.clone(),
                key_prefix: prefix.to_owned(),
                next: format!("ken edict compact {} --text TEXT --dry-run", named.join(" ")),
                ids,
            }
        })
        .collect()
}

/// The first of these edicts that cannot be right together with a text, and in what they differ: one frame, and one
/// value that differs.
pub(crate) fn contradicted<'e>(
    text: &str,
    edicts: impl Iterator<Item = &'e Edict>,
) -> Option<(&'e Edict, Class)> {
    let frame = Frame::of(text);
    let rest: Vec<Option<String>> = (0..frame.values().len()).map(|at| frame.without(at)).collect();
    edicts.into_iter().find_map(|edict| {
        let other = Frame::of(&edict.text);
        let at = (0..rest.len().min(other.values().len())).find(|at| {
            rest[*at].is_some()
                && frame.values()[*at] != other.values()[*at]
                && rest[*at] == other.without(*at)
        })?;
        Some((edict, frame.values()[at].0))
    })
}

/// Pairs of which at most one can be right, and in what they differ.
fn contradictions(edicts: &[&Edict], frames: &[Frame]) -> BTreeMap<[usize; 2], Class> {
    let mut found = BTreeMap::new();
    // One frame, and one value that differs: whoever shares everything but that value is under one key.
    let mut by_rest: HashMap<String, Vec<(usize, usize)>> = HashMap::new();
    for (number, frame) in frames.iter().enumerate() {
        for at in 0..frame.values().len() {
            if let Some(rest) = frame.without(at) {
                by_rest.entry(rest).or_default().push((number, at));
            }
        }
    }
    for group in by_rest.into_values().filter(|group| group.len() > 1) {
        let mut seen: Vec<(usize, &(Class, String))> = Vec::new();
        for (number, at) in group {
            let value = &frames[number].values()[at];
            // Held against the first edict of another value: a chain says as much as all pairs.
            if let Some((other, _)) = seen.iter().find(|(_, other)| *other != value) {
                found.insert([*other, number], value.0);
            }
            if seen.len() < 2 && seen.iter().all(|(_, other)| *other != value) {
                seen.push((number, value));
            }
        }
    }
    let words: Vec<Vec<&str>> = frames
        .iter()
        .map(|frame| frame.words().into_iter().collect())
        .collect();
    let mut by_prefix: HashMap<&str, Vec<usize>> = HashMap::new();
    for (number, edict) in edicts.iter().enumerate() {
        if let Some(prefix) = key_prefix(edict) {
            by_prefix.entry(prefix).or_default().push(number);
        }
    }
    for group in by_prefix.values() {
        for (place, b) in group.iter().enumerate() {
            for a in &group[place.saturating_sub(NEIGHBOURS)..place] {
                if found.contains_key(&[*a, *b]) || !shares(&words[*a], &words[*b], RELATED) {
                    continue;
                }
                if let Some(class) = frames[*a].differs_in(&frames[*b]) {
                    found.insert([*a, *b], class);
                }
            }
        }
    }
    found
}

/// Whether two sorted sets share at least so many tenths of all that is in either.
fn shares<T: Ord>(a: &[T], b: &[T], tenths: usize) -> bool {
    let (mut both, mut i, mut j) = (0, 0, 0);
    while let (Some(x), Some(y)) = (a.get(i), b.get(j)) {
        both += usize::from(x == y);
        i += usize::from(x <= y);
        j += usize::from(x >= y);
    }
    let either = a.len() + b.len() - both;
    either > 0 && both * 10 >= either * tenths
}

/// Pairs that say nearly the same, of the same numbers, dates and versions: others make another fact. Sets that share
/// eight tenths share one of their rarest words: only such pairs are compared.
fn near_duplicates(edicts: &[&Edict], frames: &[Frame], clashing: &HashSet<[usize; 2]>) -> Vec<[usize; 2]> {
    let terms: Vec<BTreeSet<String>> = edicts
        .iter()
        .map(|edict| ken_text::terms(&edict.text).into_iter().collect())
        .collect();
    let mut holding: HashMap<&str, usize> = HashMap::new();
    for term in terms.iter().flatten() {
        *holding.entry(term).or_default() += 1;
    }
    let mut by_rarity: Vec<(usize, &str)> = holding.into_iter().map(|(term, count)| (count, term)).collect();
    by_rarity.sort_unstable();
    let ranks: HashMap<&str, usize> = by_rarity
        .iter()
        .enumerate()
        .map(|(rank, (_, term))| (*term, rank))
        .collect();
    let mut sets: Vec<Vec<usize>> = Vec::with_capacity(terms.len());
    let mut by_rare: HashMap<(Vec<BTreeSet<&str>>, usize), Vec<usize>> = HashMap::new();
    let mut found = Vec::new();
    for (number, set) in terms.iter().enumerate() {
        let mut set: Vec<usize> = set
            .iter()
            .filter_map(|term| ranks.get(term.as_str()).copied())
            .collect();
        set.sort_unstable();
        let rarest = set.len() - (set.len() * NEAR).div_ceil(10) + 1;
        let mut candidates: BTreeSet<usize> = BTreeSet::new();
        for term in set.iter().take(rarest) {
            let with = by_rare.entry((values(&frames[number]), *term)).or_default();
            candidates.extend(with.iter().copied());
            with.push(number);
        }
        let near = candidates
            .into_iter()
            .filter(|other| !clashing.contains(&[*other, number]) && shares(&sets[*other], &set, NEAR));
        found.extend(near.map(|other| [other, number]));
        sets.push(set);
    }
    found
}

/// What two texts must have in common to be one fact.
fn values(frame: &Frame) -> Vec<BTreeSet<&str>> {
    let classes = [Class::Number, Class::Date, Class::Version, Class::Negation];
    classes.into_iter().map(|class| frame.of_class(class)).collect()
}

fn pair(a: &Edict, b: &Edict, why: String, next: String) -> Pair {
    Pair {
        ids: [a.id.clone(), b.id.clone()],
        texts: [a.text.clone(), b.text.clone()],
        why,
        next,
    }
}

fn near_pair(a: &Edict, b: &Edict) -> Pair {
    let next = format!(
        "ken edict compact {} {} --text TEXT",
        quoted(&a.id),
        quoted(&b.id)
    );
    pair(a, b, "they say nearly the same".to_owned(), next)
}

fn clash(a: &Edict, b: &Edict, class: Class) -> Pair {
    // The one that was said or confirmed last is likelier to hold.
    let older = if b.updated < a.updated { b } else { a };
    let why = match class {
        Class::Negation => "one denies what the other says".to_owned(),
        class => format!("they differ in a {}", class.word()),
    };
    pair(a, b, why, format!("ken edict remove {}", quoted(&older.id)))
}
