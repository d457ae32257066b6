use std::collections::HashMap;

use foldhash::fast::FixedState;
use twox_hash::XxHash3_64;

use crate::terms::{Splitter, Use, without_punctuation};

/// A term by its hash, and what kind of word it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct TermHash {
    /// Of the term; two terms have one hash about once in 2^64.
    pub hash: u64,
    /// Whether a digit stands in it.
    pub has_digit: bool,
    /// Whether it denies: `not`, `never`, `can't`.
    pub denies: bool,
}

impl TermHash {
    /// Of a term as [`crate::terms`] gives it.
    pub fn of(term: &str) -> TermHash {
        const DENIALS: &[&str] = &["not", "no", "never", "cannot", "without", "nor", "neither"];
        TermHash {
            hash: XxHash3_64::oneshot(term.as_bytes()),
            has_digit: term.bytes().any(|byte| byte.is_ascii_digit()),
            denies: DENIALS.contains(&term) || term.ends_with("n't"),
        }
    }
}

/// Reads the terms of many texts, as hashes: the same words come again and again, and are split and stemmed once.
#[derive(Debug, Default)]
pub struct TermHashes {
    splitter: Splitter,
    met: HashMap<Box<str>, Box<[TermHash]>, FixedState>,
}

impl TermHashes {
    /// So many chunks of text are remembered.
    const REMEMBERED: usize = 1 << 16;
    /// Longer ones are seldom met again.
    const LONGEST: usize = 32;

    /// Adds the terms of a text to `found`, in order and with repetitions: those of [`crate::terms`].
    pub fn read(&mut self, text: &str, found: &mut Vec<TermHash>) {
        for chunk in text.split_ascii_whitespace() {
            let chunk = without_punctuation(chunk);
            if let Some(known) = self.met.get(chunk) {
                found.extend_from_slice(known);
                continue;
            }
            let before = found.len();
            self.splitter
                .each(chunk, Use::Document, &mut |term| found.push(TermHash::of(term)));
            if chunk.len() <= Self::LONGEST && self.met.len() < Self::REMEMBERED {
                self.met.insert(chunk.into(), found[before..].into());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terms;

    #[test]
    fn they_are_those_of_the_terms_however_often_a_word_is_met() {
        let mut hashes = TermHashes::default();
        for text in [
            "Connections to api_gateway, not to C++ 2.1!",
            "connections can't (to) api_gateway",
            "日本語 and 2.1",
        ] {
            for _ in 0..2 {
                let mut found = Vec::new();
                hashes.read(text, &mut found);
                let expected: Vec<TermHash> = terms(text).iter().map(|term| TermHash::of(term)).collect();
                assert_eq!(found, expected, "{text}");
            }
        }
        let denials: Vec<bool> = terms("it can't not be")
            .iter()
            .map(|term| TermHash::of(term).denies)
            .collect();
        assert_eq!(denials, [false, true, true, false]);
    }
}
