//! Lines of briefs that somebody said again, known by their text.
//!
//! The local log of briefs holds every line that was told, and when. A line carries more than what it tells: a category
//! or name in front, who knows it behind. It is known with that and without, and so is what is said, which may have a
//! mark, a date or a label of its own.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use jiff::Timestamp;
use serde::Deserialize;

use super::memory::first_date;
use super::request::plain;

/// A log is read as far as this: far more than the size at which it is set aside.
const MAX_LOG: u64 = 4 * 1024 * 1024;
/// Shorter lines are what anybody says.
const MIN_WORDS: usize = 3;
const MIN_LENGTH: usize = 16;
/// Forms looked at of a line that was said.
const MAX_FORMS: usize = 32;
/// Stands for agents that a line does not name.
const AND_MORE: &str = " more";

/// What a brief told, in its plain form.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Line {
    /// When it was told first.
    at: Option<Timestamp>,
    /// The agents whose own memory it came from, as the line names them; empty when it came from elsewhere.
    of: String,
    /// Whether it is what a person had asked or an agent had done: somebody may well ask or do it again.
    work: bool,
}

/// Every line that a brief told on this machine.
#[derive(Debug, Default)]
pub(crate) struct Told {
    lines: HashMap<String, Line>,
    /// The beginnings of lines that were cut, and their lengths.
    cut: HashMap<String, Line>,
    lengths: BTreeSet<usize>,
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

    /// Takes a line of a brief in, in every form that a brief gives it.
    fn add(&mut self, line: &str, at: Option<Timestamp>) {
        let line = line.trim_start_matches(['-', ' ']).trim_end();
        let mut keep = |text: &str, of: &str, work: bool| {
            let mut text = text;
            loop {
                self.keep(text, at, of, work);
                match without_parenthesis(text) {
                    Some((shorter, _)) => text = shorter,
                    None => break,
                }
            }
        };
        keep(line, "", false);
        if let Some((_, text)) = bracketed(line) {
            keep(text, "", false);
        } else if let Some(text) = line.strip_prefix("warning: ") {
            keep(text, "", false);
        } else if line.starts_with("before the compaction, noted by ") {
            for head in [": the person asked: ", ": files being edited: "] {
                if let Some((_, text)) = line.split_once(head) {
                    keep(text, "", true);
                }
            }
        } else if let Some((agent, actions)) = of_session(line) {
            keep(actions, agent, true);
            actions.split("; ").for_each(|action| keep(action, agent, true));
        } else if let Some((name, labels, summary)) = of_thing(line) {
            let work = line.starts_with("in flight: ");
            let name = name.strip_prefix("in flight: ").unwrap_or(name);
            let of = labels.rsplit("known to ").next().unwrap_or(labels);
            if work {
                keep(name, of, true);
            }
            if let Some(summary) = summary {
                let author = without_parenthesis(summary).map(|(_, author)| author);
                let of = format!("{of}, {}", author.unwrap_or_default());
                keep(summary, &of, false);
                keep(&format!("{name}: {summary}"), &of, false);
            }
        }
    }

    fn keep(&mut self, text: &str, at: Option<Timestamp>, of: &str, work: bool) {
        let plain = plain(text);
        if plain.len() < MIN_LENGTH || plain.split(' ').count() < MIN_WORDS {
            return;
        }
        let cut = text.trim_end().ends_with('…');
        if cut {
            self.lengths.insert(plain.len());
        }
        let lines = if cut { &mut self.cut } else { &mut self.lines };
        let line = Line {
            at,
            of: of.to_owned(),
            work,
        };
        match lines.get_mut(&plain) {
            Some(known) if known.work && !work => *known = line,
            Some(_) => {}
            None => drop(lines.insert(plain, line)),
        }
    }

    fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.cut.is_empty()
    }

    /// Whether anything of this kind was told that the line says again.
    fn any(&self, line: &str, kind: impl Fn(&Line) -> bool) -> bool {
        if self.is_empty() {
            return false;
        }
        forms(line).into_iter().any(|form| {
            let text = plain(form);
            let beginnings = self.lengths.range(..=text.len());
            let beginnings = beginnings.filter_map(|length| self.cut.get(text.get(..*length)?));
            self.lines.get(&text).into_iter().chain(beginnings).any(&kind)
        })
    }

    /// Whether this line was told, and not only later: who says something before it is told says it for the first time.
    pub(crate) fn holds(&self, line: &str, said: Option<Timestamp>) -> bool {
        self.any(line, |told| {
            let later = matches!((told.at, said), (Some(told), Some(said)) if told > said);
            !told.work && !later
        })
    }

    /// Whether this line of the agent's own memory was told to it, and did not come from there.
    pub(crate) fn holds_noted(&self, line: &str, agent: &str) -> bool {
        self.any(line, |told| {
            let own = told.of.split([',', ' ']).any(|of| of == agent) || told.of.contains(AND_MORE);
            !own
        })
    }

    /// The text without the lines that were told before it was said.
    pub(crate) fn taken_out_of<'a>(&self, text: &'a str, said: Option<Timestamp>) -> Cow<'a, str> {
        without(text, |line| self.holds(line, said))
    }

    /// An agent's own memory without the lines that were told to it.
    pub(crate) fn taken_out_of_memory<'a>(&self, text: &'a str, agent: &str) -> Cow<'a, str> {
        without(text, |line| self.holds_noted(line, agent))
    }
}

fn without(text: &str, told: impl Fn(&str) -> bool) -> Cow<'_, str> {
    if !text.lines().any(&told) {
        return Cow::Borrowed(text);
    }
    let kept: Vec<&str> = text.lines().filter(|line| !told(line)).collect();
    Cow::Owned(kept.join("\n"))
}

/// `[category] text`: the label and the text.
fn bracketed(line: &str) -> Option<(&str, &str)> {
    line.strip_prefix('[')?.split_once("] ")
}

/// `text (words)`: the text and the words.
fn without_parenthesis(line: &str) -> Option<(&str, &str)> {
    let inside = line.trim_end().strip_suffix(')')?;
    let (text, words) = inside.rsplit_once(" (")?;
    Some((text.trim_end(), words))
}

/// `2026-11-28 codex: what was asked; what was done`: the agent and the rest.
fn of_session(line: &str) -> Option<(&str, &str)> {
    let (head, actions) = line.split_once(": ")?;
    let (day, agent) = head.split_once(' ')?;
    let is_day = day == "undated" || day.len() == 10 && first_date(day).is_some();
    (is_day && !agent.contains(' ')).then_some((agent, actions))
}

/// `name [type; known to agents]: summary`: the name, what stands in brackets, and the summary.
fn of_thing(line: &str) -> Option<(&str, &str, Option<&str>)> {
    if let Some((head, summary)) = line.split_once("]: ") {
        let (name, labels) = head.rsplit_once(" [")?;
        return Some((name, labels, Some(summary)));
    }
    let (name, labels) = line.strip_suffix(']')?.rsplit_once(" [")?;
    Some((name, labels, None))
}

/// What a line says, with and without what people and programs put around it.
fn forms(line: &str) -> Vec<&str> {
    let mut forms = vec![line.trim()];
    let mut at = 0;
    while at < forms.len() && forms.len() < MAX_FORMS {
        let form = forms[at];
        let marked = form.trim_start_matches(|c: char| !c.is_alphanumeric() && c != '[');
        let after = |sign: &str| form.split_once(sign).map(|(_, rest)| rest);
        let shorter = [
            Some(marked),
            without_number(marked),
            without_date(marked),
            bracketed(marked).map(|(_, text)| text),
            without_parenthesis(form).map(|(text, _)| text),
            after("]: "),
            after(": "),
            after(" - "),
            after(" – "),
            after(" — "),
        ];
        for shorter in shorter.into_iter().flatten() {
            if !shorter.is_empty() && !forms.contains(&shorter) {
                forms.push(shorter);
            }
        }
        at += 1;
    }
    forms
}

/// Without the number of an item: `1. text`.
fn without_number(line: &str) -> Option<&str> {
    let text = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let text = text.strip_prefix(". ").or_else(|| text.strip_prefix(") "))?;
    (text.len() + 2 < line.len()).then_some(text)
}

/// Without the date in front.
fn without_date(line: &str) -> Option<&str> {
    first_date(line.get(..10)?)?;
    Some(line[10..].trim_start_matches(|c: char| !c.is_alphanumeric() && c != '['))
}

#[cfg(test)]
mod tests {
    use super::*;

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
        assert!(Told::read(Path::new("/nowhere")).is_empty());
    }

    /// Every form in which a brief tells something, and what is told by it.
    const FORMS: &[(&str, &str)] = &[
        (
            "[product] the quota is ninety a minute",
            "the quota is ninety a minute",
        ),
        (
            "[product] the freeze ends with the audit (an agent's conclusion) (until 2026-12-24)",
            "The freeze ends with the audit.",
        ),
        (
            "[parser] when it fails with code 5 restart the worker (claude-code, cursor)",
            "When it fails with code 5, restart the worker",
        ),
        (
            "Tide Gauge (formerly Gauge) [project; known to cursor]: A device that measures the tide.",
            "a device that measures the tide",
        ),
        (
            "Night Boat [project; valid until 2026-12-01; known to cursor, codex]: Sails at two in the night. (cursor)",
            "Sails at two in the night",
        ),
        (
            "warning: two facts speak against each other",
            "Two facts speak against each other",
        ),
        (
            "in flight: widen/pier [cursor]: Branch of quay, 2 sessions.",
            "Branch of quay, 2 sessions",
        ),
        (
            "2026-11-28 cursor: oil the old crane; Ran cargo bench on it",
            "oil the old crane; Ran cargo bench on it",
        ),
        (
            "before the compaction, noted by cursor at 2026-11-28T09:00:00Z: the person asked: oil the old crane",
            "before the compaction, noted by cursor at 2026-11-28T09:00:00Z: the person asked: oil the old crane",
        ),
        (
            "[notes] what was cut is known by its beg…",
            "What was cut is known by its beginning, too.",
        ),
    ];

    #[test]
    fn a_line_is_known_in_all_its_forms() {
        let mut told = Told::default();
        for (line, _) in FORMS {
            told.add(&format!("- {line}"), None);
        }
        for (line, text) in FORMS {
            for said in [line, text] {
                for form in [
                    (*said).to_owned(),
                    format!("- {said}"),
                    format!("> * **{said}**"),
                    format!("3. {said}"),
                    format!("- 2026-11-28: {said}"),
                    format!("2026-11-28 - {said} (told by Kenning)"),
                    format!("- [fact] {said}"),
                    format!("Remember: {said}"),
                ] {
                    assert!(told.holds_noted(&form, "zed"), "{form}");
                    assert!(said.contains("oil the") || told.holds(&form, None), "{form}");
                }
            }
        }
        for own in [
            "The quota is eighty a minute",
            "the quota is ninety a minute, and we ask for more",
            "a device",
        ] {
            assert!(!told.holds_noted(own, "zed") && !told.holds(own, None), "{own}");
        }
    }

    #[test]
    fn what_was_asked_may_be_asked_again_and_what_an_agent_told_is_its_own() {
        let mut told = Told::default();
        for (line, _) in FORMS {
            told.add(line, None);
        }
        told.add("in flight: sort the nets by size [cursor]", None);
        for asked in ["oil the old crane", "sort the nets by size"] {
            assert!(!told.holds(asked, None), "{asked}");
        }
        assert!(
            told.holds_noted("- oil the old crane", "zed")
                && !told.holds_noted("oil the old crane", "cursor")
        );
        let summary = "A device that measures the tide.";
        assert!(told.holds_noted(summary, "codex") && !told.holds_noted(summary, "cursor"));
        assert!(told.holds_noted("the quota is ninety a minute", "cursor"));
    }
}
