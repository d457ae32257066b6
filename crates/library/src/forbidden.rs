//! Names that must not leave: those of rows above a caller's level that no row within it bears.

use std::collections::HashSet;
use std::fmt;

use ken_text::recognise::{MAX_TEXT, Name, Recogniser};

use crate::names::{is_common_word, key};

/// The names that a caller must not read, ready to be looked for. The rule is the design's: references to them are
/// dropped from lists, and a row of any kind whose free text mentions one is withheld. A name that is one common word
/// counts in references only.
#[derive(Clone, Default)]
pub struct ForbiddenNames {
    keys: HashSet<String>,
    recogniser: Recogniser,
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
    ///
    /// Names are found wherever they can be read, also as a part of an identifier, a path or a file's name. A text too
    /// long to be looked at whole counts as one that mentions a name.
    pub fn mentioned_in(&self, text: &str) -> bool {
        !self.recogniser.is_empty() && (text.len() > MAX_TEXT || !self.recogniser.find_all(text).is_empty())
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
    fn a_text_too_long_to_be_looked_at_is_not_shown() {
        let names = forbidden(&["Zeus"], &[]);
        assert!(names.mentioned_in(&"a ".repeat(MAX_TEXT)));
        assert!(!names.mentioned_in(&"a ".repeat(100)));
        assert!(!forbidden(&[], &[]).mentioned_in(&"a ".repeat(MAX_TEXT)));
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
