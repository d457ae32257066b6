mod write;

use jiff::civil::Date;
use serde::Serialize;

use crate::layout::{Kind, LESSONS};
use crate::{Error, EventId, Folder, Harness};

pub(crate) use write::text_of_lesson;
pub use write::{DETERMINISTIC, NewLesson, render};

/// Most bytes of a LESSONS.md that are read; two thousand tokens of lessons need a hundredth of it.
pub(crate) const LARGEST: u64 = 4 * 1024 * 1024;

const CLOSE: &str = "<!-- /dreamd:lesson -->";

/// A block of LESSONS.md: what a dream cycle made of a group of events.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lesson {
    /// The event that speaks for the group.
    pub id: EventId,
    /// The group's key, as it stands in the file.
    pub cluster: String,
    /// The heading that it stands under; empty before the first.
    pub skill: String,
    /// The lesson itself, without the line of facts.
    pub text: String,
    /// The line of facts, where there is one.
    pub facts: Option<Facts>,
    /// The line of the file at which the block begins, from 1.
    pub line: u64,
}

/// The line of facts below a lesson: `recurrence 4 · pain 7 · last seen 2026-11-02 · claude-code, cursor`.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Facts {
    /// How often it resurfaced.
    pub recurrence: u64,
    /// How much it hurt, 0 to 10.
    pub pain: f64,
    /// The day on which it was last seen.
    pub last_seen: Date,
    /// The programs that it was learned through.
    pub harnesses: Vec<Harness>,
}

impl Folder {
    /// The lessons that stand in LESSONS.md, in its order; none when there is no such file.
    ///
    /// Text outside the blocks belongs to people and is passed over. Within a block that is closed a line that looks
    /// like a heading is the lesson's text. A block that is not closed ends before the next one, before the next
    /// heading, or behind its line of facts; one without a proper id is passed over.
    ///
    /// # Errors
    /// When the file cannot be read, is larger than 4 MiB, or is reached through a link that leads out.
    pub fn lessons(&self) -> Result<Vec<Lesson>, Error> {
        if !self.layout.expect(LESSONS, Kind::File)? {
            return Ok(Vec::new());
        }
        let bytes = ken_files::read_bounded(&self.lessons_path(), LARGEST)?;
        Ok(parse(&String::from_utf8_lossy(&bytes)))
    }
}

struct Open {
    id: EventId,
    cluster: String,
    line: u64,
    text: Vec<String>,
    facts: Option<Facts>,
}

/// Whether a block of these lines is closed before another begins.
fn is_closed<'a>(mut following: impl Iterator<Item = &'a str>) -> bool {
    following
        .find(|line| line.trim() == CLOSE || opening(line.trim()).is_some())
        .is_some_and(|line| line.trim() == CLOSE)
}

fn parse(text: &str) -> Vec<Lesson> {
    let mut lessons = Vec::new();
    let mut skill = String::new();
    let mut open: Option<Open> = None;
    // Whether the line stands in a block that is closed: nothing there is a heading, whatever it looks like.
    let mut enclosed = false;
    let mut lines = text.lines();
    for number in 1.. {
        let Some(line) = lines.next() else { break };
        let mark = line.trim();
        if mark == CLOSE {
            finish(&mut open, &skill, true, &mut lessons);
            enclosed = false;
        } else if let Some(attributes) = opening(mark) {
            finish(&mut open, &skill, false, &mut lessons);
            open = start(attributes, number);
            enclosed = is_closed(lines.clone());
        } else if let Some(heading) = mark.strip_prefix("## ").filter(|_| !enclosed) {
            finish(&mut open, &skill, false, &mut lessons);
            skill = heading.trim().to_owned();
        } else if let Some(open) = &mut open {
            match facts(mark) {
                // Text behind the facts is not the lesson's: its block was not closed.
                Some(found) if open.facts.is_none() => open.facts = Some(found),
                _ if open.facts.is_some() => {}
                _ => open.text.push(line.trim_end().to_owned()),
            }
        }
    }
    finish(&mut open, &skill, false, &mut lessons);
    lessons
}

fn finish(open: &mut Option<Open>, skill: &str, closed: bool, lessons: &mut Vec<Lesson>) {
    let Some(open) = open.take() else { return };
    let text = open.text.join("\n");
    let mut text = text.trim();
    if !closed && open.facts.is_none() {
        // Nothing tells a lesson from what people wrote behind it but the first empty line.
        text = text.split("\n\n").next().unwrap_or_default();
    }
    if text.is_empty() {
        return;
    }
    lessons.push(Lesson {
        id: open.id,
        cluster: open.cluster,
        skill: skill.to_owned(),
        text: text.to_owned(),
        facts: open.facts,
        line: open.line,
    });
}

/// The attributes of `<!-- dreamd:lesson id="..." cluster="..." -->`.
fn opening(mark: &str) -> Option<&str> {
    let inside = mark.strip_prefix("<!--")?.strip_suffix("-->")?.trim();
    let attributes = inside.strip_prefix("dreamd:lesson")?;
    (attributes.is_empty() || attributes.starts_with(char::is_whitespace)).then_some(attributes)
}

fn start(attributes: &str, line: u64) -> Option<Open> {
    Some(Open {
        id: EventId::parse(attribute(attributes, "id")?).ok()?,
        cluster: attribute(attributes, "cluster").unwrap_or_default().to_owned(),
        line,
        text: Vec::new(),
        facts: None,
    })
}

fn attribute<'a>(mut attributes: &'a str, wanted: &str) -> Option<&'a str> {
    while let Some((name, rest)) = attributes.split_once("=\"") {
        let (value, rest) = rest.split_once('"')?;
        if name.trim() == wanted {
            return Some(value);
        }
        attributes = rest;
    }
    None
}

fn facts(line: &str) -> Option<Facts> {
    let mut parts = line.split(" · ");
    let recurrence = parts.next()?.strip_prefix("recurrence ")?.parse().ok()?;
    let pain: f64 = parts.next()?.strip_prefix("pain ")?.parse().ok()?;
    let last_seen = parts.next()?.strip_prefix("last seen ")?.parse().ok()?;
    let harnesses = match parts.next() {
        Some(names) => names
            .split(", ")
            .map(Harness::parse)
            .collect::<Result<_, _>>()
            .ok()?,
        None => Vec::new(),
    };
    let whole = parts.next().is_none() && (0.0..=10.0).contains(&pain);
    whole.then_some(Facts {
        recurrence,
        pain,
        last_seen,
        harnesses,
    })
}
