//! Names that must not leave: those of rows above a caller's level that no row within it bears.

use std::collections::HashSet;
use std::fmt;

use ken_text::Normalised;
use ken_text::recognise::{Name, Recogniser};

use crate::names::{is_common_word, key};

/// The names that a caller must not read, ready to be looked for. The rule is the design's: references to them are
/// dropped from lists, and a row of any kind whose free text mentions one is withheld. A name that is one common word
/// counts in references only.
#[derive(Clone, Default)]
pub struct ForbiddenNames {
    keys: HashSet<String>,
    recogniser: Recogniser,
    parts: Parts,
    common: Vec<String>,
}

/// How many there are, and not which.
impl fmt::Debug for ForbiddenNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ForbiddenNames({})", self.keys.len())
    }
}

impl ForbiddenNames {
    /// The names in `hidden` that are not in `shown`.
    pub fn new<'a>(
        hidden: impl IntoIterator<Item = &'a str>,
        shown: impl IntoIterator<Item = &'a str>,
    ) -> ForbiddenNames {
        let mut hidden: Vec<(String, &str)> = hidden.into_iter().map(|name| (key(name), name)).collect();
        hidden.retain(|(key, _)| !key.is_empty());
        if hidden.is_empty() {
            return ForbiddenNames::default();
        }
        let shown: HashSet<String> = shown.into_iter().map(key).collect();
        hidden.retain(|(key, _)| !shown.contains(key));
        hidden.sort_unstable();
        hidden.dedup_by(|a, b| a.0 == b.0);
        let (common, guarded): (Vec<_>, Vec<_>) = hidden.iter().partition(|(key, _)| is_common_word(key));
        ForbiddenNames {
            recogniser: Recogniser::new(guarded.iter().map(|(_, name)| Name {
                text: (*name).to_owned(),
                id: 0,
            })),
            parts: Parts::new(guarded.iter().map(|(_, name)| *name)),
            common: common.into_iter().map(|(_, name)| (*name).to_owned()).collect(),
            keys: hidden.into_iter().map(|(key, _)| key).collect(),
        }
    }

    /// Whether nothing is forbidden, as for the person at the machine.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Whether `reference` is one of the names, as a whole.
    pub fn names_it(&self, reference: &str) -> bool {
        !self.is_empty() && self.keys.contains(&key(reference))
    }

    /// Whether free text mentions one of the names: then it must not be shown. This is what the room that sees events,
    /// lessons and edicts asks for each of them.
    pub fn mentioned_in(&self, text: &str) -> bool {
        !self.is_empty() && (self.parts.stand_in(text) || !self.recogniser.find_all(text).is_empty())
    }

    /// Whether an item of a list of references must be dropped.
    pub fn in_reference(&self, reference: &str) -> bool {
        self.names_it(reference) || self.mentioned_in(reference)
    }

    /// Private names that are one common word, which free text may therefore mention. For diagnosis, to the person only.
    pub fn common_words(&self) -> &[String] {
        &self.common
    }
}

/// A second look, at what the recogniser rightly does not recognise: a name as part of an identifier, a path or a file
/// name (`zeus_client.rs`, `ZeusClient`) still gives it away.
#[derive(Debug, Clone, Default)]
struct Parts {
    /// Each name as words, and as parts of words.
    names: Vec<Vec<String>>,
    /// The first word or part of each.
    starts: HashSet<String>,
}

/// Shorter names would be found in half of all identifiers.
const SHORTEST: usize = 3;

impl Parts {
    fn new<'a>(names: impl Iterator<Item = &'a str>) -> Parts {
        let mut all = Parts::default();
        for name in names {
            let plain = |c: char| c.is_alphanumeric() || " _-./'&".contains(c);
            let edge = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
            let normal = Normalised::cased(name).text;
            let trimmed = normal.trim();
            if !trimmed.chars().all(plain)
                || !edge(trimmed.chars().next())
                || !edge(trimmed.chars().next_back())
                || trimmed.chars().filter(|c| c.is_alphanumeric()).count() < SHORTEST
            {
                continue;
            }
            let (words, parts) = (words(trimmed), parts(trimmed));
            if words != parts {
                all.add(parts);
            }
            all.add(words);
        }
        all
    }

    fn add(&mut self, name: Vec<String>) {
        if let Some(first) = name.first() {
            self.starts.insert(first.clone());
            self.names.push(name);
        }
    }

    fn stand_in(&self, text: &str) -> bool {
        if self.starts.is_empty() {
            return false;
        }
        // Without the characters that are not seen, and still in the case that identifiers are split by.
        let normal = (!text.is_ascii()).then(|| Normalised::cased(text).text);
        let text = normal.as_deref().unwrap_or(text);
        if !self.may_stand_in(text) {
            return false;
        }
        let (words, parts) = (words(text), parts(text));
        self.names.iter().any(|name| {
            let in_row = |row: &[String]| row.windows(name.len()).any(|window| window == name.as_slice());
            in_row(&words) || in_row(&parts)
        })
    }

    /// Cheap and never wrongly `false`: whether the first word of any name stands in the text.
    fn may_stand_in(&self, text: &str) -> bool {
        let mut folded = String::new();
        chunks(text).any(|chunk| {
            let mut starts = |piece: &str| {
                if piece.is_ascii() {
                    folded.clear();
                    folded.push_str(piece);
                    folded.make_ascii_lowercase();
                    self.starts.contains(&folded)
                } else {
                    self.starts.contains(&ken_text::normalize(piece))
                }
            };
            starts(chunk) || ken_text::identifier_parts(chunk).into_iter().any(&mut starts)
        })
    }
}

fn chunks(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|chunk| !chunk.is_empty())
}

fn words(text: &str) -> Vec<String> {
    chunks(text).map(ken_text::normalize).collect()
}

fn parts(text: &str) -> Vec<String> {
    chunks(text)
        .flat_map(ken_text::identifier_parts)
        .map(ken_text::normalize)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forbidden(hidden: &[&str], shown: &[&str]) -> ForbiddenNames {
        ForbiddenNames::new(hidden.iter().copied(), shown.iter().copied())
    }

    #[test]
    fn a_name_is_found_wherever_it_can_be_read() {
        let names = forbidden(&["Zeus", "Omega Onyx", "api-gateway"], &[]);
        for text in [
            "we moved Zeus",
            "zeus's keys",
            "/home/a/zeus/src",
            "zeus_client.rs",
            "ZeusClient",
            "the omega onyx deal",
            "omega-onyx.toml",
            "OmegaOnyx",
            "api_gateway",
            "apiGateway",
            "Ze\u{200b}us",
            "Ｚｅｕｓ",
            "API GATEWAY",
        ] {
            assert!(names.mentioned_in(text), "{text}");
        }
        for text in ["", "omega", "onyx omega", "zeusian", "gateway api", "amadeus"] {
            assert!(!names.mentioned_in(text), "{text}");
        }
    }

    #[test]
    fn a_name_that_is_shown_somewhere_is_not_forbidden() {
        let names = forbidden(&["Zeus", "ZEUS ", "Hera"], &["zeus"]);
        assert!(!names.mentioned_in("Zeus"));
        assert!(!names.names_it("Zeus"));
        assert!(names.names_it(" hera"));
    }

    #[test]
    fn a_common_word_is_guarded_in_references_only() {
        let names = forbidden(&["Test", "Mark"], &[]);
        assert!(names.names_it("test"));
        assert!(!names.mentioned_in("run the test and mark it done"));
        assert_eq!(names.common_words(), ["Mark", "Test"]);
    }

    #[test]
    fn nothing_hidden_is_nothing_forbidden() {
        assert!(forbidden(&[], &["a"]).is_empty());
        assert!(forbidden(&[" ", ""], &[]).is_empty());
    }
}
