//! Recognition of known names in a text: longest match, whole words, ten scripts, identifiers and symbols.
//!
//! Texts and names are compared in NFKC and full case folding, word by word.
//! - A space, a hyphen, an underscore and the border inside an identifier are one and the same: `api_gateway`,
//!   `apiGateway`, `api-gateway` and `API Gateway` are one name. Between a picture and a word a space and none are the
//!   same, too: `🚀 Rocket` and `🚀Rocket`. Accents count.
//! - Signs that are part of a name must be there, and a sign that would make another name of it must not: `C`, `C++`,
//!   `C#` and `.NET` are four names, and `Node` is not in `Node.js`.
//! - A possessive `'s` is not part of a name (unless the name has it), nor is an elided article (`l'API`). Plurals are
//!   other words.
//! - Never inside another word or number. The words of an identifier are words: `kenning_cli` and `kenningCli` name
//!   Kenning as `kenning-cli` does. What begins with a capital and has no underscore is one word (`GitHub` does not name
//!   Git), and digits and single letters are no words of their own (`orchard2`, `orchardX`). Names in scripts that are written without spaces match inside of
//!   runs, at borders of syllables; a name in Hangul begins where a word begins and ends there or before particles, one
//!   in katakana begins where its run begins, and a single ideograph stands alone.
//! - A name of one common English word, or of one letter, is recognised only in its own case, and only where its
//!   capital means something: not at the start of a sentence, heading, item or line, unless the name has more capitals
//!   than its first. Inside of camel case it never does. A name in small letters needs a capital in the text (`Make` for `make`) or quotation marks or
//!   back-ticks around it. A text that is the name and nothing else is always that name.
//! - Of names that overlap the longest wins.

mod atoms;
mod common;
mod edges;
pub mod evaluation;
mod everyday;
mod find;
mod keys;
mod meaning;
mod names;
#[cfg(test)]
mod oracle;
mod repeats;

use std::ops::Range;
use std::sync::Arc;

pub use common::is_common_word;
pub use everyday::{is_everyday_technology, is_everyday_word};
pub use find::{Part, find};
pub use keys::{key, keys};
pub use names::{AnyNames, Names, NamesBuilder, NamesBytes};

use crate::normalize::cut;

/// How a text is read for names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// The names that stand in the text, as a reader takes them. Where names overlap the longest is taken, then the
    /// first.
    Names,
    /// The names that are surely meant, for those who speak up unasked: a name of any everyday word
    /// ([`is_everyday_word`]: `Harbor`, `Scheduler`) needs what a name of one common word needs.
    Certain,
    /// Every place where a name can be read: also inside of a longer name, overlapping another, or as a part of an
    /// identifier (`orchard` in `orchard_url` and `OrchardClient`); of those that begin at one place the longer first.
    /// It tells whether a text gives a name away.
    Mentions,
}

/// A place in the text where a name was recognised.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Match {
    /// Where, in bytes of the text that was given.
    pub span: Range<usize>,
    /// The things that bear this name, ascending, without repetition: in which of the parts, and their ids there.
    /// Matches of one name share them.
    pub bearers: Arc<[(usize, u32)]>,
}

impl Match {
    /// The ids of the bearers, whichever part they are in.
    pub fn ids(&self) -> impl Iterator<Item = u32> {
        self.bearers.iter().map(|(_, id)| *id)
    }
}

/// A name to recognise. Several names (aliases, spellings) may carry the same `id`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The name as people write it.
    pub text: String,
    /// The caller's number for the thing it names.
    pub id: u32,
}

/// A set of names in memory, ready to be recognised by itself.
#[derive(Debug, Clone, Default)]
pub struct Recogniser {
    /// `None` when there is no name.
    names: Option<Names<Vec<u8>>>,
    number: usize,
}

/// Texts are looked at up to this many bytes.
pub const MAX_TEXT: usize = 1024 * 1024;

impl Recogniser {
    /// Prepares a set of names, as [`NamesBuilder::add`] takes them.
    pub fn new(names: impl IntoIterator<Item = Name>) -> Recogniser {
        let mut builder = NamesBuilder::new();
        for name in names {
            builder.add(&name.text, name.id);
        }
        let number = builder.len();
        Recogniser {
            names: (number > 0).then(|| builder.finish().open()),
            number,
        }
    }

    /// How many names there are.
    pub fn len(&self) -> usize {
        self.number
    }

    /// Whether there is no name.
    pub fn is_empty(&self) -> bool {
        self.number == 0
    }

    /// The names that stand in `text`: [`Reading::Names`].
    pub fn find(&self, text: &str) -> Vec<Match> {
        self.read(text, Reading::Names)
    }

    /// The names that are surely meant: [`Reading::Certain`].
    pub fn find_certain(&self, text: &str) -> Vec<Match> {
        self.read(text, Reading::Certain)
    }

    /// Every place where a name stands: [`Reading::Mentions`].
    pub fn find_all(&self, text: &str) -> Vec<Match> {
        self.read(text, Reading::Mentions)
    }

    /// The names that stand in `text` by this reading.
    pub fn read(&self, text: &str, reading: Reading) -> Vec<Match> {
        match &self.names {
            Some(names) => find(&[Part::new(names, &|_| true)], text, reading),
            None => Vec::new(),
        }
    }
}

/// The part of a text that is looked at: up to [`MAX_TEXT`], or less of a text of characters that stand for many
/// (`ﷺ` is eighteen in NFKC), and not into the middle of a word.
pub fn looked_at(text: &str) -> &str {
    let limit = limit(text);
    if text.len() <= limit {
        return text;
    }
    let part = cut(text, limit);
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if !text[part.len()..].starts_with(is_word) {
        return part;
    }
    let edge = part.char_indices().rev().take(256).find(|(_, c)| !is_word(*c));
    edge.map_or(part, |(at, c)| &part[..at + c.len_utf8()])
}

/// A character is at most so many times as long in NFKC as it was.
const MOST_LONGER: usize = 11;
/// So many bytes of characters taken apart are looked at: an accented letter is half as long again, apart.
const MOST_APART: usize = MAX_TEXT / 2 * 3;

/// How many bytes of a text can be looked at.
fn limit(text: &str) -> usize {
    let limit = MAX_TEXT.min(text.len());
    if limit <= MAX_TEXT / MOST_LONGER || text.is_ascii() {
        return MAX_TEXT;
    }
    let mut apart = 0;
    for (at, c) in text.char_indices().take_while(|(at, _)| *at < limit) {
        // Syllables of Hangul are put together again.
        if c.is_ascii() || matches!(c, '\u{ac00}'..='\u{d7a3}') {
            apart += c.len_utf8();
        } else {
            unicode_normalization::char::decompose_compatible(c, |part| apart += part.len_utf8());
        }
        if apart > MOST_APART {
            return at;
        }
    }
    MAX_TEXT
}
