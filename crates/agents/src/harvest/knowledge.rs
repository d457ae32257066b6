//! Entities and notes: projects, and what agents' own memory files name and say.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::Timestamp;
use jiff::civil::Date;
use ken_files::Clock;
use ken_library::{Entity, MAX_NOTES, Note, Visibility};

use super::memory::{Memory, Moment};
use super::names::{names_a_thing, without_kind};
use super::project::Project;
use super::request::{cut, one_line, plain};

/// Longest summary that the contract recommends, longest note that it allows.
const MAX_SUMMARY: usize = 500;
const MAX_NOTE: usize = 4_000;
/// As many aliases as the schema allows.
const MAX_ALIASES: usize = 16;
/// Memory files held; a store has tens.
const MAX_FILES: usize = 5_000;

/// A memory file and where it belongs.
#[derive(Debug)]
struct Known {
    file: String,
    memory: Memory,
    project: Option<PathBuf>,
    private: bool,
}

/// The memory files of a store.
#[derive(Debug, Default)]
pub(crate) struct Knowledge {
    files: Vec<Known>,
    /// Dated pieces in them.
    dated: usize,
}

impl Knowledge {
    /// Takes a file in, as far as rows can tell of it.
    pub(crate) fn add(&mut self, file: &str, mut memory: Memory, project: Option<PathBuf>, private: bool) {
        if self.files.len() < MAX_FILES {
            // The text of an undated piece goes into a summary, or into one note for all of them.
            let room = if memory.modified.is_some() {
                MAX_NOTE
            } else {
                MAX_SUMMARY
            };
            memory.shorten(room, MAX_NOTE);
            self.dated += memory.pieces.iter().filter(|piece| piece.date.is_some()).count();
            self.files.push(Known {
                file: file.to_owned(),
                memory,
                project,
                private,
            });
        }
        // Not at every file: what is gone through must have doubled since.
        if self.dated > 4 * MAX_NOTES {
            self.forget_old_notes();
        }
    }

    /// Keeps only as many dated pieces as a manifest holds, those that it would take: of what may be told, and of what is
    /// private.
    fn forget_old_notes(&mut self) {
        self.dated = 0;
        for private in [false, true] {
            let mine = |known: &Known| known.is_private_by_itself() == private;
            let notes = self.files.iter().filter(|known| mine(known)).flat_map(|known| {
                let dated = known.memory.pieces.iter();
                dated.filter_map(|piece| Some((Reverse(piece.date?), piece.text.as_str())))
            });
            let mut notes: Vec<_> = notes.collect();
            notes.sort_unstable();
            notes.dedup();
            let last = notes
                .get(MAX_NOTES)
                .map(|(date, text)| (*date, (*text).to_owned()));
            for known in self.files.iter_mut().filter(|known| mine(known)) {
                known.memory.pieces.retain(|piece| {
                    let (Some(date), Some((last, text))) = (piece.date, &last) else {
                        return true;
                    };
                    (Reverse(date), piece.text.as_str()) < (*last, text.as_str())
                });
                known.memory.pieces.shrink_to_fit();
                self.dated += known
                    .memory
                    .pieces
                    .iter()
                    .filter(|piece| piece.date.is_some())
                    .count();
            }
        }
    }

    /// What carries no date and is about no thing of its own is about the project: it goes into the project's summary
    /// as far as there is room, behind the README's sentence.
    pub(crate) fn about_projects(&self, projects: &mut BTreeMap<PathBuf, Project>) {
        for known in &self.files {
            let Some(project) = known.project.as_ref().and_then(|id| projects.get_mut(id)) else {
                continue;
            };
            if known.name().is_some() || known.is_private_by_itself() || known.memory.modified.is_some() {
                continue;
            }
            let undated = known.memory.pieces.iter().filter(|piece| piece.date.is_none());
            let texts = known
                .memory
                .description
                .iter()
                .map(String::as_str)
                .chain(undated.map(|piece| piece.text.as_str()));
            for text in texts {
                let summary = project.summary.get_or_insert_default();
                if !append(summary, text) {
                    break;
                }
            }
            if project.summary.as_deref() == Some("") {
                project.summary = None;
            }
        }
    }

    /// Projects, newest first, then what memory files name, by name.
    pub(crate) fn entities(
        &self,
        projects: &BTreeMap<PathBuf, Project>,
        since: Option<Timestamp>,
        clock: &Clock,
    ) -> Vec<Entity> {
        let mut rows: Vec<Entity> = Vec::new();
        let mut newest_first: Vec<&Project> =
            projects.values().filter(|project| project.is_named()).collect();
        newest_first.sort_by(|a, b| {
            let last = |project: &Project| project.span.map(|span| span.last);
            last(b)
                .cmp(&last(a))
                .then_with(|| a.name.cmp(&b.name))
                .then_with(|| a.root.cmp(&b.root))
        });
        for project in newest_first {
            merge(&mut rows, of_project(project, since, clock));
        }
        let mut named: Vec<Entity> = self
            .files
            .iter()
            .filter_map(|known| known.entity(projects, clock))
            .collect();
        named.sort_by_key(|row| (plain(&row.name), row.summary.clone()));
        for row in named {
            merge(&mut rows, row);
        }
        rows
    }

    /// What carries a date, newest first.
    pub(crate) fn notes(&self, projects: &BTreeMap<PathBuf, Project>, clock: &Clock) -> Vec<Note> {
        let mut rows: Vec<Note> = Vec::new();
        for known in &self.files {
            let project = known.project.as_ref().and_then(|id| projects.get(id));
            let related: Vec<String> = known
                .name()
                .into_iter()
                .chain(
                    project
                        .filter(|project| project.is_named())
                        .and_then(|project| project.name.clone()),
                )
                .collect();
            let visibility = known.is_private(project).then_some(Visibility::Private);
            let mut note = |date: Date, text: &str| {
                rows.push(Note {
                    date: Some(date),
                    text: cut(text, MAX_NOTE),
                    related_entities: related.clone(),
                    tags: known.memory.tags.clone(),
                    visibility,
                    ..Note::default()
                });
            };
            let mut undated: Vec<&str> = Vec::new();
            for piece in &known.memory.pieces {
                match piece.date {
                    Some(date) => note(date, &piece.text),
                    None => undated.push(&piece.text),
                }
            }
            if let (Some(moment), false) = (known.memory.modified, undated.is_empty()) {
                note(day(moment, clock), &undated.join("\n"));
            }
        }
        rows.sort_by(|a, b| b.date.cmp(&a.date).then_with(|| a.text.cmp(&b.text)));
        rows.dedup();
        rows
    }
}

impl Known {
    /// The name of the thing that the file is about.
    fn name(&self) -> Option<String> {
        let name = without_kind(self.memory.name.as_deref()?, self.memory.kind.as_deref());
        names_a_thing(name).then(|| one_line(name))
    }

    fn is_private_by_itself(&self) -> bool {
        self.private || self.memory.is_about_a_person()
    }

    fn is_private(&self, project: Option<&Project>) -> bool {
        self.is_private_by_itself() || project.is_some_and(|project| project.private)
    }

    fn entity(&self, projects: &BTreeMap<PathBuf, Project>, clock: &Clock) -> Option<Entity> {
        let name = self.name()?;
        let project = self.project.as_ref().and_then(|id| projects.get(id));
        let mut summary = String::new();
        if let Some(description) = &self.memory.description {
            append(&mut summary, description);
        }
        if self.memory.modified.is_none() {
            for piece in self.memory.pieces.iter().filter(|piece| piece.date.is_none()) {
                if !append(&mut summary, &piece.text) {
                    break;
                }
            }
        }
        let file = self.file.trim_end_matches(".md");
        let alias = without_kind(file, self.memory.kind.as_deref());
        let dates = self.memory.pieces.iter().filter_map(|piece| piece.date);
        Some(Entity {
            kind: Some(self.entity_kind().to_owned()),
            aliases: (!plain(&name).contains(&plain(alias)) && names_a_thing(alias))
                .then(|| alias.to_owned())
                .into_iter()
                .collect(),
            summary: (!summary.is_empty()).then_some(summary),
            last_touched: self
                .memory
                .modified
                .map(|moment| day(moment, clock))
                .or_else(|| dates.max()),
            tags: self.memory.tags.clone(),
            visibility: self.is_private(project).then_some(Visibility::Private),
            name,
            ..Entity::default()
        })
    }

    /// The contract's common categories for the kinds that agents give their memories.
    fn entity_kind(&self) -> &str {
        match self.memory.kind.as_deref() {
            Some("user" | "person" | "people" | "contact" | "profile") => "person",
            Some("feedback" | "preference") => "preference",
            Some("decision") => "decision",
            Some("reference") => "reference",
            _ => "concept",
        }
    }
}

fn of_project(project: &Project, since: Option<Timestamp>, clock: &Clock) -> Entity {
    let last = project.span.map(|span| span.last);
    let mut tags = vec!["project".to_owned()];
    if last.is_some() && last >= since {
        tags.push("active".to_owned());
    }
    Entity {
        name: cut(project.name.as_deref().unwrap_or_default(), 128),
        kind: Some("project".to_owned()),
        aliases: project.aliases.clone(),
        summary: project.summary.clone(),
        last_touched: last.map(|last| clock.local_date(last)),
        tags,
        visibility: project.private.then_some(Visibility::Private),
        ..Entity::default()
    }
}

/// Adds a row, or unites it with the one of the same name and level: the first one's words stand.
fn merge(rows: &mut Vec<Entity>, mut row: Entity) {
    row.aliases.truncate(MAX_ALIASES);
    let same =
        |other: &&mut Entity| plain(&other.name) == plain(&row.name) && other.visibility == row.visibility;
    let Some(known) = rows.iter_mut().find(same) else {
        rows.push(row);
        return;
    };
    for alias in row.aliases {
        let has = |other: &String| plain(other) == plain(&alias);
        if known.aliases.len() < MAX_ALIASES
            && plain(&known.name) != plain(&alias)
            && !known.aliases.iter().any(has)
        {
            known.aliases.push(alias);
        }
    }
    for tag in row.tags {
        if !known.tags.contains(&tag) {
            known.tags.push(tag);
        }
    }
    known.last_touched = known.last_touched.max(row.last_touched);
    match (&mut known.summary, row.summary) {
        (Some(summary), Some(more)) => {
            append(summary, &more);
        }
        (summary @ None, more) => *summary = more,
        _ => {}
    }
}

/// Adds a sentence to a summary; `false` when there is no room for it.
fn append(summary: &mut String, text: &str) -> bool {
    let text = one_line(text);
    if text.is_empty() || summary.contains(&text) {
        return true;
    }
    let joined = if summary.is_empty() {
        text
    } else if summary.ends_with(['.', '!', '?', '…', ':', ';']) {
        format!("{summary} {text}")
    } else {
        format!("{summary}. {text}")
    };
    let room = joined.chars().count() <= MAX_SUMMARY;
    if room || summary.is_empty() {
        *summary = cut(&joined, MAX_SUMMARY);
    }
    room
}

fn day(moment: Moment, clock: &Clock) -> Date {
    match moment {
        Moment::Day(date) => date,
        Moment::Instant(at) => clock.local_date(at),
    }
}
