//! Recognition of known names in a text: longest match, whole words, ten scripts, identifiers and symbols.
//!
//! Texts and names are compared in NFKC and full case folding, word by word.
//! - A space, a hyphen, an underscore and the border inside an identifier are one and the same: `api_gateway`,
//!   `apiGateway`, `api-gateway` and `API Gateway` are one name. Accents count.
//! - Signs that are part of a name must be there, and a sign that would make another name of it must not: `C`, `C++`,
//!   `C#` and `.NET` are four names, and `Node` is not in `Node.js`.
//! - A possessive `'s` is not part of a name (unless the name has it), nor is an elided article (`l'API`). Plurals are
//!   other words.
//! - Never inside another word, identifier or number. Names in scripts that are written without spaces match inside of
//!   runs, at borders of syllables; a name in Hangul begins where a word begins and ends there or before particles, one
//!   in katakana begins where its run begins, and a single ideograph stands alone.
//! - A name of one common English word, or of one letter, is recognised only in its own case, and only where its
//!   capital means something: not at the start of a sentence, heading, item or line, unless the name has more capitals
//!   than its first. A name in small letters needs a capital in the text (`Make` for `make`) or quotation marks or
//!   back-ticks around it. A text that is the name and nothing else is always that name.
//! - Of names that overlap the longest wins.

mod atoms;
mod common;
mod edges;
mod everyday;
mod keys;
mod names;

use std::collections::BTreeMap;
use std::ops::Range;

pub use common::is_common_word;
pub use everyday::{is_everyday_technology, is_everyday_word};
pub use keys::{key, keys};

use crate::normalize::{Normalised, cut};
use atoms::{Atom, Sort, atoms};
use edges::{Context, Strictness};
use names::{Bearer, Names, Node, UNKNOWN};

/// A name to recognise. Several names (aliases, spellings) may carry the same `id`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The name as people write it.
    pub text: String,
    /// The caller's number for the thing it names.
    pub id: u32,
}

/// A place in the text where a name was recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// Where, in bytes of the text that was given.
    pub span: Range<usize>,
    /// The things that bear this name, ascending, without repetition.
    pub ids: Vec<u32>,
}

/// A set of names, ready to be recognised.
#[derive(Debug, Clone, Default)]
pub struct Recogniser {
    names: Names,
}

/// Texts are looked at up to this many bytes.
pub const MAX_TEXT: usize = 1024 * 1024;

/// A match, in atoms.
struct Found {
    start: usize,
    end: usize,
    ids: Vec<u32>,
}

impl Recogniser {
    /// Prepares a set of names. Names without any letter, digit or symbol are left out; names of more than 64 words
    /// are recognised by their first 64.
    pub fn new(names: impl IntoIterator<Item = Name>) -> Recogniser {
        Recogniser {
            names: Names::new(names),
        }
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.names.len() == 0
    }

    /// The names that stand in `text`, in order of their place. Where names overlap the longest is taken, then the
    /// first. Text past [`MAX_TEXT`] is not looked at. The time is linear in the text.
    pub fn find(&self, text: &str) -> Vec<Match> {
        self.search(text, Strictness::Names, without_overlap)
    }

    /// The names that are surely meant, for those who speak up unasked: as [`Recogniser::find`], but a name of any
    /// everyday word ([`is_everyday_word`]: `Harbor`, `Scheduler`) needs what a name of one common word needs.
    pub fn find_certain(&self, text: &str) -> Vec<Match> {
        self.search(text, Strictness::Certain, without_overlap)
    }

    /// Every place where a name stands: also inside of a longer name, overlapping another, or as a part of an
    /// identifier (`orchard` in `orchard_url` and `OrchardClient`). In order of their place, the longer first. It tells
    /// whether a text gives a name away.
    pub fn find_all(&self, text: &str) -> Vec<Match> {
        self.search(text, Strictness::Mentions, |_, found| found)
    }

    fn search(
        &self,
        text: &str,
        strictness: Strictness,
        choose: impl Fn(&[Atom], Vec<Found>) -> Vec<Found>,
    ) -> Vec<Match> {
        if self.is_empty() {
            return Vec::new();
        }
        let normalised = Normalised::cased(looked_at(text));
        let cased = normalised.text.as_ref();
        let atoms = atoms(cased, &mut |token| self.names.token(token));
        let context = Context {
            text: cased,
            atoms: &atoms,
            words: atoms
                .iter()
                .filter(|atom| !matches!(atom.sort, Sort::Sign(_)))
                .count(),
            strictness,
        };
        let found = self.all(&context);
        choose(&atoms, found)
            .into_iter()
            .map(|found| {
                let (first, last) = (&atoms[found.start], &atoms[found.end - 1]);
                Match {
                    span: normalised
                        .offsets
                        .original(first.start as usize..last.end as usize),
                    ids: found.ids,
                }
            })
            .collect()
    }

    /// Every valid match, by start and then the longest first.
    fn all(&self, context: &Context<'_>) -> Vec<Found> {
        let atoms = context.atoms;
        let mut found: Vec<Found> = Vec::new();
        let mut open: Vec<(Node, usize)> = Vec::new();
        for start in 0..atoms.len() {
            self.step(None, &atoms[start], start, &mut open);
            if open.is_empty() {
                continue;
            }
            if !context.may_begin(start) {
                open.clear();
                continue;
            }
            let from = found.len();
            while let Some((node, end)) = open.pop() {
                let bearers = self.names.bearers(node);
                if !bearers.is_empty() && context.may_end(start, end) {
                    let ids = bearers
                        .iter()
                        .filter(|bearer| is_meant(context, bearer, start, end));
                    merge(&mut found, from, start, end, ids.map(|bearer| bearer.id));
                }
                if let Some(next) = atoms.get(end).filter(|next| next.link != atoms::Link::Barrier) {
                    self.step(Some(node), next, end, &mut open);
                }
            }
            found[from..].sort_by_key(|one| std::cmp::Reverse(one.end));
        }
        found
    }

    /// Goes on from a node with the atom at `at`: as it is, and as the beginning of a whole word.
    fn step(&self, node: Option<Node>, atom: &Atom, at: usize, open: &mut Vec<(Node, usize)>) {
        let next = |token: u32| match node {
            None => self.names.first(token),
            Some(node) => self.names.next(node, atom.link.joins(), token),
        };
        if atom.token != UNKNOWN
            && let Some(node) = next(atom.token)
        {
            open.push((node, at + 1));
        }
        for whole in atom.wholes {
            if whole.length > 0
                && let Some(node) = next(whole.token)
            {
                open.push((node, at + whole.length as usize));
            }
        }
    }
}

/// The part of a text that is looked at: up to the limit, and not into the middle of a word.
fn looked_at(text: &str) -> &str {
    if text.len() <= MAX_TEXT {
        return text;
    }
    let part = cut(text, MAX_TEXT);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if !text[part.len()..].starts_with(is_word) {
        return part;
    }
    let edge = part.char_indices().rev().take(256).find(|(_, c)| !is_word(*c));
    edge.map_or(part, |(at, c)| &part[..at + c.len_utf8()])
}

/// Adds ids to the match at a place, or a new match.
fn merge(found: &mut Vec<Found>, from: usize, start: usize, end: usize, ids: impl Iterator<Item = u32>) {
    let at = found[from..].iter().position(|one| one.end == end);
    let mut all = at.map_or_else(Vec::new, |at| std::mem::take(&mut found[from + at].ids));
    all.extend(ids);
    all.sort_unstable();
    all.dedup();
    match at {
        Some(at) => found[from + at].ids = all,
        None if all.is_empty() => {}
        None => found.push(Found { start, end, ids: all }),
    }
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

/// Whether a name that stands here is meant: always, unless it is one common word or letter, or an everyday word where
/// only certainty counts.
fn is_meant(context: &Context<'_>, bearer: &Bearer, start: usize, end: usize) -> bool {
    let Some(exact) = bearer.exact.as_deref() else {
        return true;
    };
    if !bearer.common && context.strictness != Strictness::Certain {
        return true;
    }
    let written = &context.text[context.atoms[start].start as usize..context.atoms[end - 1].end as usize];
    let own = written == exact;
    let small = !exact.contains(char::is_uppercase);
    // A name in small letters is told from the word by a capital.
    let raised = small && is_title_case(written) && written.eq_ignore_ascii_case(exact);
    let alone = context.words == end - start;
    if alone || context.is_quoted(start, end) {
        return own || raised && alone;
    }
    let letter = exact.len() == 1;
    if letter && (matches!(exact, "A" | "I" | "a" | "i") || !context.letter_stands_alone(start)) {
        return false;
    }
    if !(own && !small || raised) {
        return false;
    }
    letter || !is_title_case(written) || !context.begins_sentence(start) || context.is_value(start, end)
}

fn is_title_case(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next().is_some_and(char::is_uppercase) && !chars.any(char::is_uppercase)
}
