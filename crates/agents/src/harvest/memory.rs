//! A Markdown file that an agent keeps as its own memory, into what it names and what it noted.

use std::collections::HashSet;

use jiff::Timestamp;
use jiff::civil::Date;

use super::readme::{without_frontmatter, without_markup};
use super::request::{is_lone_mark, one_line};

/// A memory file, taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Memory {
    /// `name` of its frontmatter.
    pub(crate) name: Option<String>,
    /// `description` of its frontmatter.
    pub(crate) description: Option<String>,
    /// `type` of its frontmatter: who or what it is about.
    pub(crate) kind: Option<String>,
    pub(crate) tags: Vec<String>,
    /// When it was last changed, by its frontmatter.
    pub(crate) modified: Option<Moment>,
    /// Pieces of the body, in order: a paragraph or an item of a list, one line each, with the date they carry.
    pub(crate) pieces: Vec<Piece>,
}

/// A piece of a memory's body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) date: Option<Date>,
    pub(crate) text: String,
}

/// A day, or an instant whose day depends on the time zone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Moment {
    Day(Date),
    Instant(Timestamp),
}

impl Moment {
    fn parse(text: &str) -> Option<Moment> {
        let text = text.trim();
        if let Ok(at) = text.parse::<Timestamp>() {
            return Some(Moment::Instant(at));
        }
        first_date(text).map(Moment::Day)
    }
}

impl Memory {
    /// Takes a file apart. Frontmatter is read line by line, because agents write values that are no valid YAML
    /// (`description: Note: always ...`).
    pub(crate) fn parse(text: &str) -> Memory {
        let mut memory = Memory::default();
        let body = without_frontmatter(text);
        let head = &text[..text.len() - body.len()];
        for (key, value) in fields(head) {
            let filled = || Some(value.clone()).filter(|v| !v.is_empty());
            match key.as_str() {
                "name" | "title" => memory.name = memory.name.take().or_else(filled),
                "description" | "summary" => memory.description = memory.description.take().or_else(filled),
                "type" => memory.kind = filled().map(|v| v.to_lowercase()),
                "tags" => memory.tags = list(&value),
                "modified" | "updated" | "last_updated" | "date" => {
                    memory.modified = Moment::parse(&value).or(memory.modified);
                }
                "created" if memory.modified.is_none() => memory.modified = Moment::parse(&value),
                _ => {}
            }
        }
        memory.pieces = pieces(body);
        memory
    }

    /// Leaves out what no row can show: what is noted twice, undated pieces behind the first `undated` characters of them, and what of a piece
    /// is longer than a row.
    pub(crate) fn shorten(&mut self, undated: usize, longest: usize) {
        let mut left = undated;
        let mut seen = HashSet::new();
        self.pieces.retain_mut(|piece| {
            if piece.date.is_none() && left == 0 {
                return false;
            }
            if piece.date.is_some() && !seen.insert((piece.date, blake3::hash(piece.text.as_bytes()))) {
                return false;
            }
            // One more, so that it shows that something was cut.
            if let Some((end, _)) = piece.text.char_indices().nth(longest + 1) {
                piece.text.truncate(end);
            }
            piece.text.shrink_to_fit();
            if piece.date.is_none() {
                left = left.saturating_sub(piece.text.chars().count() + 1);
            }
            true
        });
    }

    /// Whether it is about a person.
    pub(crate) fn is_about_a_person(&self) -> bool {
        matches!(
            self.kind.as_deref(),
            Some("user" | "person" | "people" | "contact" | "profile")
        )
    }
}

/// `key: value` lines between the dashes; deeper ones (`metadata:`) count as well, and a folded or listed value is
/// put together from the lines below it.
fn fields(head: &str) -> Vec<(String, String)> {
    let mut found: Vec<(String, String)> = Vec::new();
    let mut open_indent = None;
    for line in head.lines().filter(|line| line.trim_end() != "---") {
        let indent = line.len() - line.trim_start().len();
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let (Some(depth), Some((_, value))) = (open_indent, found.last_mut())
            && (indent > depth || indent == depth && line.starts_with("- "))
            && (line.starts_with("- ") || !value.is_empty() || key_of(line).is_none())
        {
            let item = unquoted(line.trim_start_matches("- ").trim());
            if value == ">" || value == ">-" || value == "|" || value == "|-" {
                value.clear();
            }
            if !value.is_empty() {
                value.push_str(if line.starts_with("- ") { ", " } else { " " });
            }
            value.push_str(item);
            continue;
        }
        if let Some((key, value)) = key_of(line) {
            found.push((key.to_lowercase(), unquoted(value).to_owned()));
            open_indent = Some(indent);
        }
    }
    found
}

fn key_of(line: &str) -> Option<(&str, &str)> {
    let (key, value) = line.split_once(':')?;
    let plain = !key.is_empty()
        && key
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    (plain && (value.is_empty() || value.starts_with(' '))).then(|| (key, value.trim()))
}

fn unquoted(value: &str) -> &str {
    let value = value.trim();
    ['"', '\'']
        .into_iter()
        .find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(value)
}

fn list(value: &str) -> Vec<String> {
    value
        .trim_matches(['[', ']'])
        .split(',')
        .map(|item| unquoted(item).to_owned())
        .filter(|item| !item.is_empty())
        .collect()
}

/// The body as one-line pieces. A date in a heading is the date of what stands under it; one in the piece itself wins.
/// Headings, code and the index of other memory files are not pieces.
fn pieces(body: &str) -> Vec<Piece> {
    let mut found: Vec<Piece> = Vec::new();
    let mut headings: Vec<Heading> = Vec::new();
    let mut open = String::new();
    let mut fenced = false;
    let mut close = |open: &mut String, headings: &[Heading]| {
        let mut text = one_line(&without_markup(&open.replace("[[", "").replace("]]", "")));
        open.clear();
        let mut date = first_date(&text);
        if let (None, Some(heading)) = (date, headings.iter().rev().find(|heading| heading.date.is_some())) {
            date = heading.date;
            if !heading.text.is_empty() && !text.is_empty() {
                text = format!("{}: {text}", heading.text);
            }
        }
        // A date that opens the piece is the piece's date already.
        if let Some(rest) = date.and_then(|date| text.strip_prefix(&date.to_string())) {
            text = rest
                .trim_start_matches([':', ' ', '-', '–', '—', ',', '.', ')'])
                .to_owned();
        }
        if text.chars().any(char::is_alphanumeric) {
            found.push(Piece { date, text });
        }
    };
    for line in body.lines() {
        let bare = line.trim();
        if bare.starts_with("```") || bare.starts_with("~~~") {
            fenced = !fenced;
            continue;
        }
        if fenced {
            continue;
        }
        let level = bare.bytes().take_while(|b| *b == b'#').count();
        let heading = (1..=6).contains(&level) && bare[level..].starts_with(' ');
        if is_lone_mark(bare) {
            close(&mut open, &headings);
            continue;
        }
        let item = ["- ", "* ", "+ "].iter().any(|mark| bare.starts_with(mark)) || numbered(bare);
        if heading || item || bare.is_empty() || bare.starts_with('|') {
            close(&mut open, &headings);
        }
        if heading {
            headings.retain(|other| other.level < level);
            headings.push(Heading::of(bare, level));
        } else if !bare.is_empty() && !bare.starts_with('|') && !is_index_entry(bare) {
            open.push_str(bare);
            open.push('\n');
        }
    }
    close(&mut open, &headings);
    found
}

/// A heading above pieces.
struct Heading {
    level: usize,
    date: Option<Date>,
    /// What it says besides its date.
    text: String,
}

impl Heading {
    fn of(line: &str, level: usize) -> Heading {
        let date = first_date(line);
        let text = without_markup(&line[level..]);
        let text = date.map_or(text.clone(), |date| text.replace(&date.to_string(), ""));
        let words = text.trim_matches(|c: char| !c.is_alphanumeric());
        Heading {
            level,
            date,
            text: one_line(words),
        }
    }
}

fn numbered(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && (line[digits..].starts_with(". ") || line[digits..].starts_with(") "))
}

/// `- [Title](file.md)` with or without words behind it: points to another memory file, which is read itself.
fn is_index_entry(line: &str) -> bool {
    let item = line.trim_start_matches(['-', '*', '+', ' ']);
    item.starts_with('[') && item.find("](").is_some_and(|at| item[at..].contains(".md)"))
}

/// The first calendar date (`2026-11-30`) in a text that is not part of a longer word or number.
pub(crate) fn first_date(text: &str) -> Option<Date> {
    let bytes = text.as_bytes();
    (0..bytes.len().saturating_sub(9)).find_map(|at| {
        let candidate = text.get(at..at + 10)?;
        let shape = candidate.bytes().enumerate().all(|(n, b)| match n {
            4 | 7 => b == b'-',
            _ => b.is_ascii_digit(),
        });
        let open = |b: Option<&u8>| b.is_none_or(|b| !b.is_ascii_alphanumeric() && *b != b'-' && *b != b'_');
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        let after = bytes.get(at + 10).filter(|b| **b != b'T');
        (shape && open(before) && open(after))
            .then(|| candidate.parse().ok())
            .flatten()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn frontmatter_is_read_as_agents_write_it() {
        let memory = Memory::parse(
            "---\nname: flaky-parser-tests\ndescription: Note: they need \"TZ\"\nmetadata:\n  node_type: memory\n  type: feedback\n  modified: 2026-11-02T10:00:00Z\ntags: [tests, 'ci']\n---\nBody line.\n",
        );
        assert_eq!(memory.name.as_deref(), Some("flaky-parser-tests"));
        assert_eq!(memory.description.as_deref(), Some("Note: they need \"TZ\""));
        assert_eq!(memory.kind.as_deref(), Some("feedback"));
        assert_eq!(
            memory.modified,
            Some(Moment::Instant("2026-11-02T10:00:00Z".parse().unwrap()))
        );
        assert_eq!(memory.tags, ["tests", "ci"]);
        assert_eq!(
            memory.pieces,
            [Piece {
                date: None,
                text: "Body line.".into()
            }]
        );
    }

    #[test]
    fn folded_and_listed_values_are_put_together() {
        let memory = Memory::parse(
            "---\r\ndescription: >-\r\n  one\r\n  two: three\r\ntags:\r\n- a\r\n- b\r\nname: \"x y\"\r\n---\r\n",
        );
        assert_eq!(memory.description.as_deref(), Some("one two: three"));
        assert_eq!(memory.tags, ["a", "b"]);
        assert_eq!(memory.name.as_deref(), Some("x y"));
    }

    #[test]
    fn pieces_carry_their_date_or_that_of_their_heading() {
        let memory = Memory::parse(
            "# Memory\n- [Flaky tests](flaky.md) - what to do\n- Tests need the `db` container\n  running first\n\n\
             ## 2026-10-03 Freeze\nThe schema is frozen.\n\n- 2026-10-05: thawed for **one** table\n## Later\nNo day here.\n\
             ```\n2026-01-01 code\n```\nSee [[ledger]] v2026-01-01-rc.\n",
        );
        let told: Vec<_> = memory
            .pieces
            .iter()
            .map(|p| format!("{} {}", p.date.map_or("-".into(), |d| d.to_string()), p.text))
            .collect();
        assert_eq!(
            told,
            [
                "- Tests need the db container running first",
                "2026-10-03 Freeze: The schema is frozen.",
                "2026-10-05 thawed for one table",
                "- No day here. See ledger v2026-01-01-rc."
            ]
        );
    }

    #[test]
    fn a_date_is_a_day_of_the_calendar_and_stands_alone() {
        assert_eq!(
            first_date("on (2026-02-28)."),
            Some("2026-02-28".parse().unwrap())
        );
        assert_eq!(first_date("2026-02-30 12026-01-01 2026-01-011 a2026-01-01"), None);
        assert_eq!(
            first_date("am 2026-03-01T10:00 Ü"),
            Some("2026-03-01".parse().unwrap())
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn any_text_is_a_memory(text in "(---\n|name: |type: |- |# |2026-1|\\[\\[|```\n|: |\n|  |[a-zü ]{0,9}|\\PC){0,30}") {
            for piece in Memory::parse(&text).pieces {
                prop_assert!(!piece.text.contains('\n'));
            }
        }
    }
}
