//! What `ken` put into a conversation never comes back as memory.
//!
//! A brief is known by the mark around it. A line of one that somebody said again without the mark is known by its
//! text: the local log of briefs holds every line that was told, and when.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use jiff::Timestamp;
use serde::Deserialize;

use super::request::plain;

/// The log is read as far as this; it is set aside at half of it.
const MAX_LOG: u64 = 2 * 1024 * 1024;
/// Shorter lines are what anybody says.
const MIN_WORDS: usize = 3;
const MIN_LENGTH: usize = 16;
/// How a mark is spelled where the text was quoted in JSON or HTML.
const SPELLED: &[(&str, &str)] = &[
    ("\\u003c", "<"),
    ("\\u003C", "<"),
    ("\\u003e", ">"),
    ("\\u003E", ">"),
    ("&lt;", "<"),
    ("&gt;", ">"),
];

/// The text without the briefs that `ken` injected, however they are quoted.
pub(crate) fn without_injected(text: &str) -> Cow<'_, str> {
    let name = ken_text::mark::BRIEF_OPEN.trim_matches(['<', '>']);
    let quoted = text.contains(name) && SPELLED.iter().any(|(spelled, _)| text.contains(spelled));
    if !quoted {
        return ken_text::mark::without_briefs(text);
    }
    let mut plain = text.to_owned();
    for (spelled, sign) in SPELLED {
        plain = plain.replace(spelled, sign);
    }
    Cow::Owned(ken_text::mark::without_briefs(&plain).into_owned())
}

/// Whether an element of this name is one that `ken` writes: a section of a brief that was copied out of it.
pub(crate) fn is_own_element(name: &str) -> bool {
    name == "kenning" || name.starts_with("kenning-")
}

/// Every line that a brief told on this machine, in its plain form, with when it was told first.
#[derive(Debug, Default)]
pub(crate) struct Told {
    lines: HashMap<String, Option<Timestamp>>,
}

#[derive(Debug, Deserialize)]
struct Entry {
    at: Option<Timestamp>,
    text: String,
}

impl Told {
    /// What the log in the state folder holds. What cannot be read there was not told.
    pub(crate) fn read(state: &Path) -> Told {
        let mut told = Told::default();
        // The part that was set aside is the earlier one.
        for name in ["told.1.jsonl", "told.jsonl"] {
            let Ok(bytes) = ken_files::read_bounded(&state.join("brief").join(name), MAX_LOG) else {
                continue;
            };
            for entry in bytes.split(|b| *b == b'\n') {
                if let Ok(entry) = serde_json::from_slice::<Entry>(entry) {
                    entry.text.lines().for_each(|line| told.add(line, entry.at));
                }
            }
        }
        told
    }

    fn add(&mut self, line: &str, at: Option<Timestamp>) {
        // A fact is told with its category in front, and said again without.
        let bare = line.trim_start_matches(['-', ' ']);
        let bare = bare.strip_prefix('[').and_then(|rest| rest.split_once("] "));
        for line in bare.map(|(_, bare)| bare).into_iter().chain([line]) {
            let plain = plain(line);
            if plain.len() >= MIN_LENGTH && plain.split(' ').count() >= MIN_WORDS {
                self.lines.entry(plain).or_insert(at);
            }
        }
    }

    /// Whether this line was told, and not only later: who says something before it is told says it for the first time.
    pub(crate) fn holds(&self, line: &str, said: Option<Timestamp>) -> bool {
        if self.lines.is_empty() {
            return false;
        }
        // Memory files put a date or a key in front.
        let value = line.split_once(": ").map(|(_, value)| value);
        let told = [Some(line), value]
            .into_iter()
            .flatten()
            .find_map(|line| self.lines.get(&plain(line)));
        told.is_some_and(|told| match (told, said) {
            (Some(told), Some(said)) => *told <= said,
            _ => true,
        })
    }

    /// The text without the lines that were told before it was said.
    pub(crate) fn taken_out_of<'a>(&self, text: &'a str, said: Option<Timestamp>) -> Cow<'a, str> {
        if self.lines.is_empty() || !text.lines().any(|line| self.holds(line, said)) {
            return Cow::Borrowed(text);
        }
        let kept: Vec<&str> = text.lines().filter(|line| !self.holds(line, said)).collect();
        Cow::Owned(kept.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brief_is_taken_out_however_it_is_quoted() {
        assert_eq!(without_injected("a <kenning-memory>x</kenning-memory> b"), "a  b");
        assert_eq!(
            without_injected("a \\u003ckenning-memory\\u003E\\nx\\u003c/kenning-memory\\u003e b"),
            "a  b"
        );
        assert_eq!(without_injected("a &lt;kenning-memory&gt; x"), "a ");
        assert_eq!(without_injected("&lt;b&gt; stays"), "&lt;b&gt; stays");
    }

    #[test]
    fn a_line_that_was_told_is_known_by_its_text_from_then_on() {
        let state = tempfile::tempdir().unwrap();
        std::fs::create_dir(state.path().join("brief")).unwrap();
        let log = "{\"at\":\"2026-11-20T10:00:00Z\",\"text\":\"<kenning-memory>\\n- [product] the API rate limit is 600 a minute\\n- use pnpm\\n</kenning-memory>\"}\n{\"at\":";
        std::fs::write(state.path().join("brief/told.jsonl"), log).unwrap();
        let told = Told::read(state.path());
        let at = |text: &str| Some(text.parse().unwrap());
        let (before, after) = (at("2026-11-19T10:00:00Z"), at("2026-11-21T10:00:00Z"));
        let line = "* The API rate limit is 600 a minute.";
        assert!(told.holds(line, after) && told.holds(line, None) && !told.holds(line, before));
        assert!(!told.holds("use pnpm", after));
        assert_eq!(
            told.taken_out_of("first\n[product] the API rate limit is 600 a minute\nlast", after),
            "first\nlast"
        );
        assert!(Told::read(Path::new("/nowhere")).lines.is_empty());
    }
}
