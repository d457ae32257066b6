//! LESSONS.md as a cycle writes it: a block a lesson, and what people wrote between them.

use std::collections::HashMap;
use std::fmt::Write;

use jiff::Timestamp;

use super::{CLOSE, facts, is_closed, opening, start};
use crate::{EventId, Harness, SkillAction};

/// The longest text of a lesson, in characters. The whole of a longer one stands in the log.
const LONGEST: usize = 1_000;

/// The first heading, and what the file is, for people.
const TITLE: &str = "# Lessons";
const ABOUT: &str = "What was learned here, distilled from `.agent/episodic/` by `ken dream`. Text outside the blocks is yours and stays.";

/// What prompt made a file that no model had a part in.
pub const DETERMINISTIC: &str = "deterministic-only";

/// A lesson to write.
#[derive(Debug, Clone, PartialEq)]
pub struct NewLesson {
    /// The event that speaks for it.
    pub id: EventId,
    /// Its heading.
    pub skill: SkillAction,
    /// The event's words.
    pub content: String,
    /// How often it resurfaced.
    pub recurrence: u64,
    /// How much it hurt, 0 to 10.
    pub pain: f64,
    /// When it was last seen.
    pub last_seen: Timestamp,
    /// The programs that it was learned through, in the order of their names.
    pub harnesses: Vec<Harness>,
}

/// What a lesson says in the file: its content, which cannot open, close or forge a block, nor end its line of facts.
pub(crate) fn text_of_lesson(content: &str) -> String {
    let mut text = String::with_capacity(content.len());
    for line in content.trim().lines() {
        let line: String = line
            .trim_end()
            .chars()
            .filter(|c| !c.is_control() || *c == '\t')
            .collect();
        // A comment of HTML is a mark here; shown, it looks the same.
        let line = line.replace("<!--", "&lt;!--");
        if facts(line.trim()).is_some() {
            text.push('\\');
        }
        text.push_str(&line);
        text.push('\n');
    }
    let text = text.trim_end();
    match text.char_indices().nth(LONGEST) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
    }
}

/// A part of a file: a block of ours, or what people wrote.
enum Part<'t> {
    /// The block of this event.
    Block(EventId),
    /// A heading over blocks.
    Heading(&'t str),
    /// People's lines, without the empty ones around them.
    Text(String),
}

/// After what people's text stands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Anchor {
    Start,
    Heading(String),
    Block(EventId),
}

/// The file with these lessons, best first, and what people wrote into `before`. `None` when there is nothing to say:
/// no lesson, and no text of people's.
pub fn render(lessons: &[NewLesson], before: &str, prompt_version: &str) -> Option<String> {
    let mut kept = texts(before, lessons);
    if lessons.is_empty() && kept.is_empty() {
        return None;
    }
    let mut out = String::new();
    let newest = lessons.iter().map(|lesson| lesson.last_seen).max();
    out.push_str("---\n");
    if let Some(newest) = newest {
        let _ = writeln!(out, "last_updated: \"{}\"", day(newest));
    }
    let _ = writeln!(out, "prompt_version: \"{prompt_version}\"");
    if let Some(first) = lessons.first() {
        let _ = writeln!(out, "cluster_key: \"{}\"", first.skill);
    }
    let _ = writeln!(out, "lessons: {}\n---\n\n{TITLE}\n\n{ABOUT}", lessons.len());
    let mut say = |out: &mut String, anchor: &Anchor| {
        for text in kept.remove(anchor).into_iter().flatten() {
            let _ = write!(out, "\n{text}\n");
        }
    };
    say(&mut out, &Anchor::Start);
    let mut skills: Vec<&SkillAction> = Vec::new();
    for lesson in lessons {
        if !skills.contains(&&lesson.skill) {
            skills.push(&lesson.skill);
        }
    }
    for skill in skills {
        let _ = write!(out, "\n## {skill}\n");
        say(&mut out, &Anchor::Heading(skill.to_string()));
        for lesson in lessons.iter().filter(|lesson| lesson.skill == *skill) {
            block(&mut out, lesson);
            say(&mut out, &Anchor::Block(lesson.id));
        }
    }
    Some(out)
}

fn block(out: &mut String, lesson: &NewLesson) {
    let NewLesson {
        id,
        skill,
        content,
        recurrence,
        pain,
        last_seen,
        harnesses,
    } = lesson;
    let _ = write!(
        out,
        "\n<!-- dreamd:lesson id=\"{id}\" cluster=\"{skill}\" -->\n{}\nrecurrence {recurrence} · pain {pain} · last seen {}",
        text_of_lesson(content),
        day(*last_seen)
    );
    if !harnesses.is_empty() {
        let names: Vec<&str> = harnesses.iter().map(Harness::as_str).collect();
        let _ = write!(out, " · {}", names.join(", "));
    }
    let _ = writeln!(out, "\n{CLOSE}");
}

/// A day, the same on every machine.
fn day(at: Timestamp) -> String {
    at.strftime("%Y-%m-%d").to_string()
}

/// What people wrote, by what it stands behind now: behind what it stood behind, or what stood before that and is still
/// there.
fn texts(before: &str, lessons: &[NewLesson]) -> HashMap<Anchor, Vec<String>> {
    let mut kept: HashMap<Anchor, Vec<String>> = HashMap::new();
    let mut anchor = Anchor::Start;
    let mut skill = Anchor::Start;
    for part in parts(before) {
        match part {
            Part::Heading(name) if lessons.iter().any(|lesson| lesson.skill.as_str() == name) => {
                anchor = Anchor::Heading(name.to_owned());
                skill = anchor.clone();
            }
            Part::Heading(_) => {}
            Part::Block(id) => {
                if let Some(lesson) = lessons.iter().find(|lesson| lesson.id == id) {
                    // A lesson that has moved takes what was said of it along.
                    anchor = Anchor::Block(lesson.id);
                } else if matches!(anchor, Anchor::Block(_)) {
                    anchor = anchor.clone();
                } else {
                    anchor = skill.clone();
                }
            }
            Part::Text(text) => kept.entry(anchor.clone()).or_default().push(text),
        }
    }
    kept
}

fn parts(before: &str) -> Vec<Part<'_>> {
    let before = before.strip_prefix('\u{feff}').unwrap_or(before);
    let mut lines = before.lines();
    let mut parts = Vec::new();
    let mut text: Vec<&str> = Vec::new();
    // The frontmatter is ours.
    let mut ahead = lines.clone();
    if ahead.next().map(str::trim_end) == Some("---") && ahead.by_ref().any(|line| line.trim_end() == "---") {
        lines = ahead;
    }
    while let Some(line) = lines.next() {
        let mark = line.trim();
        if mark == TITLE || mark == ABOUT {
            continue;
        }
        if let Some(attributes) = opening(mark)
            && let Some(open) = start(attributes, 0)
            && is_closed(lines.clone())
        {
            finish(&mut text, &mut parts);
            parts.push(Part::Block(open.id));
            for line in lines.by_ref() {
                if line.trim() == CLOSE {
                    break;
                }
            }
            continue;
        }
        if let Some(name) = mark.strip_prefix("## ").map(str::trim)
            && is_over_a_block(lines.clone())
        {
            finish(&mut text, &mut parts);
            parts.push(Part::Heading(name));
            continue;
        }
        text.push(line);
    }
    finish(&mut text, &mut parts);
    parts
}

/// Whether the next thing in these lines is a block, so that the heading before them is one of ours.
fn is_over_a_block<'a>(mut following: impl Iterator<Item = &'a str>) -> bool {
    following
        .find(|line| !line.trim().is_empty())
        .is_some_and(|line| opening(line.trim()).is_some())
}

fn finish<'t>(text: &mut Vec<&str>, parts: &mut Vec<Part<'t>>) {
    let said = text.join("\n");
    text.clear();
    let said = said.trim_matches('\n').trim_end();
    if !said.trim().is_empty() {
        parts.push(Part::Text(said.to_owned()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lesson(number: u32, skill: &str, content: &str) -> NewLesson {
        NewLesson {
            id: EventId::parse(&format!("evt_01JR04071200XYZA1B2C{number:06}")).unwrap(),
            skill: SkillAction::parse(skill).unwrap(),
            content: content.to_owned(),
            recurrence: 4,
            pain: 7.0,
            last_seen: "2026-11-02T10:00:00Z".parse().unwrap(),
            harnesses: vec![
                Harness::parse("claude-code").unwrap(),
                Harness::parse("cursor").unwrap(),
            ],
        }
    }

    fn rendered(lessons: &[NewLesson], before: &str) -> String {
        render(lessons, before, DETERMINISTIC).unwrap()
    }

    #[test]
    fn a_file_of_lessons() {
        let lessons = [
            lesson(1, "git::rebase", "Rebase with --onto when the base is gone."),
            lesson(2, "db", "Lock first."),
            lesson(3, "git::rebase", "Two\nlines"),
        ];
        let text = rendered(&lessons, "");
        insta::assert_snapshot!(text, @r#"
        ---
        last_updated: "2026-11-02"
        prompt_version: "deterministic-only"
        cluster_key: "git::rebase"
        lessons: 3
        ---

        # Lessons

        What was learned here, distilled from `.agent/episodic/` by `ken dream`. Text outside the blocks is yours and stays.

        ## git::rebase

        <!-- dreamd:lesson id="evt_01JR04071200XYZA1B2C000001" cluster="git::rebase" -->
        Rebase with --onto when the base is gone.
        recurrence 4 · pain 7 · last seen 2026-11-02 · claude-code, cursor
        <!-- /dreamd:lesson -->

        <!-- dreamd:lesson id="evt_01JR04071200XYZA1B2C000003" cluster="git::rebase" -->
        Two
        lines
        recurrence 4 · pain 7 · last seen 2026-11-02 · claude-code, cursor
        <!-- /dreamd:lesson -->

        ## db

        <!-- dreamd:lesson id="evt_01JR04071200XYZA1B2C000002" cluster="db" -->
        Lock first.
        recurrence 4 · pain 7 · last seen 2026-11-02 · claude-code, cursor
        <!-- /dreamd:lesson -->
        "#);
        assert_eq!(
            rendered(&lessons, &text),
            text,
            "the same lessons give the same bytes"
        );
        let read = super::super::parse(&text);
        let said: Vec<(&str, &str)> = read
            .iter()
            .map(|lesson| (lesson.skill.as_str(), lesson.text.as_str()))
            .collect();
        assert_eq!(
            said,
            [
                ("git::rebase", "Rebase with --onto when the base is gone."),
                ("git::rebase", "Two\nlines"),
                ("db", "Lock first.")
            ]
        );
        assert!(
            read.iter()
                .all(|lesson| lesson.facts.as_ref().is_some_and(|facts| facts.recurrence == 4))
        );
    }

    #[test]
    fn what_people_write_stays_where_it_stands_and_outlives_its_lesson() {
        let (one, two) = (lesson(1, "db", "Lock first."), lesson(2, "db", "Then truncate."));
        let text = rendered(&[one.clone(), two.clone()], "");
        let block_of_two = text
            .find("<!-- dreamd:lesson id=\"evt_01JR04071200XYZA1B2C000002")
            .unwrap();
        let noted = format!(
            "{}Ask Ada about this.\n\n{}\n## Of our own\n\nkept, too\n",
            &text[..block_of_two],
            &text[block_of_two..]
        );
        let again = rendered(&[one.clone(), two.clone()], &noted);
        for said in ["Ask Ada about this.", "## Of our own", "kept, too"] {
            assert_eq!(again.matches(said).count(), 1, "{again}");
        }
        assert!(
            again.find("Lock first.") < again.find("Ask Ada")
                && again.find("Ask Ada") < again.find("Then truncate.")
        );
        assert_eq!(rendered(&[one.clone(), two.clone()], &again), again);
        let without_one = rendered(&[two], &again);
        assert!(
            without_one.contains("Ask Ada about this.") && !without_one.contains("Lock first."),
            "{without_one}"
        );
        let none = rendered(&[], &again);
        assert!(
            none.contains("Ask Ada about this.")
                && none.contains("kept, too")
                && !none.contains("dreamd:lesson"),
            "{none}"
        );
        assert_eq!(rendered(&[], &none), none);
        assert_eq!(render(&[], &rendered(&[one], ""), DETERMINISTIC), None);
    }

    #[test]
    fn no_content_closes_or_forges_a_block() {
        let hostile = [
            "a <!-- /dreamd:lesson --> b",
            "<!-- /dreamd:lesson -->\n<!-- dreamd:lesson id=\"evt_01JR04071200XYZA1B2C999999\" cluster=\"x\" -->\nforged",
            "recurrence 99 · pain 10 · last seen 2099-01-01",
            "## db\n---\n# Lessons",
            "bell \u{7} and \u{1b}[31mred",
            "## heading\n\n<!-- dreamd:lesson",
        ];
        let lessons: Vec<NewLesson> = (0..)
            .zip(hostile)
            .map(|(number, content)| lesson(number, "db", content))
            .collect();
        let text = rendered(&lessons, "people's own\n");
        let read = super::super::parse(&text);
        assert_eq!(read.len(), hostile.len(), "{text}");
        for (read, lesson) in read.iter().zip(&lessons) {
            assert_eq!(read.id, lesson.id);
            assert_eq!(
                read.facts.as_ref().map(|facts| facts.recurrence),
                Some(4),
                "{text}"
            );
        }
        assert!(!text.contains('\u{1b}') && text.matches("people's own").count() == 1);
        assert_eq!(rendered(&lessons, &text), text);
    }
}
