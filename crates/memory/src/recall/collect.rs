//! What is searched: the project's log, its edicts and lessons, and the library, each as documents.

use jiff::Timestamp;
use jiff::civil::Date;
use ken_dotagent::Lesson;
use ken_edicts::{Confidence, Edict};
use ken_library::{Library, Note, Session, Visible};
use ken_text::search::Field;

use super::Kind;
use super::plan::Plan;
use super::rank::{Priors, Sureness};
use super::shelf::{Document, Shelf, label, name, text};
use crate::names::Thing;
use crate::sources::{EdictsRead, LessonsRead, LibraryRead};
use crate::withhold::Screen;
use crate::{Memory, ThingKind};

impl Memory {
    /// The project's edicts and lessons that the caller may see, expired ones too.
    pub(super) fn project_shelf(
        &self,
        plan: &Plan,
        edicts: &EdictsRead,
        lessons: &LessonsRead,
        screen: Screen<'_>,
    ) -> Shelf {
        let mut shelf = Shelf::default();
        let project = self.project_name(screen);
        let now = self.setting.clock.now();
        if plan.wants(Kind::Edict) && self.reaches_team() {
            let path = edicts.path.as_ref().map(|path| self.place_of(path, screen));
            let all = edicts.edicts.iter().flat_map(|edicts| &edicts.edicts);
            for edict in all.filter(|edict| crate::sources::allows_edict(screen, edict)) {
                let document = Document {
                    project: project.clone(),
                    place: path.as_ref().map(|path| format!("{path}:{}", edict.line)),
                    ..edict_document(edict, now)
                };
                let mut fields = vec![text(&edict.text), label(edict.category.as_str())];
                fields.extend(edict.key.iter().map(|key| label(key.as_str())));
                fields.extend(edict.tags.iter().map(|tag| label(tag.as_str())));
                fields.push(text(&edict.source));
                shelf.add(document, &fields);
            }
        }
        if plan.wants(Kind::Lesson) {
            let path = self.place_of(&lessons.path, screen);
            for lesson in self.lessons_for(lessons, screen) {
                let document = Document {
                    project: project.clone(),
                    place: Some(format!("{path}:{}", lesson.line)),
                    ..lesson_document(
                        lesson,
                        self.instant(lesson.facts.as_ref().map(|facts| facts.last_seen)),
                    )
                };
                let skill = lesson.skill.replace("::", " ");
                shelf.add(document, &[text(&lesson.text), label(&skill)]);
            }
        }
        shelf
    }

    /// The library's rows that the caller may see: things of one name as one document.
    pub(super) fn library_shelf(&self, plan: &Plan, read: &LibraryRead) -> Shelf {
        let mut shelf = Shelf::default();
        let place = |agent: &ken_library::AgentId| {
            let library = Library::open(&self.setting.paths.library);
            self.place_of(&library.manifest_path(agent), read.screen())
        };
        let today = self.setting.clock.today();
        for thing in crate::names::of_library(&read.view) {
            let kind = match thing.kind {
                ThingKind::Workstream => Kind::Workstream,
                _ => Kind::Entity,
            };
            if !plan.wants(kind) {
                continue;
            }
            let mut fields = vec![name(&thing.name)];
            fields.extend(thing.aliases.iter().map(|alias| name(alias)));
            fields.extend(thing.summaries.iter().map(|summary| text(&summary.text)));
            fields.extend(thing.types.iter().chain(&thing.tags).map(|word| label(word)));
            fields.extend(thing.status.as_deref().map(label));
            let document = Document {
                when: self.instant(thing.last_touched),
                past: thing.valid_to.is_some_and(|day| day < today),
                ..thing_document(kind, &thing)
            };
            shelf.add(document, &fields);
        }
        if plan.wants(Kind::Session) {
            let mut numbers = Numbers::default();
            for session in read.view.sessions() {
                let number = numbers.next(session.agent().as_str());
                let document = Document {
                    when: self.instant(session.date),
                    place: Some(place(session.agent())),
                    ..session_document(session, number)
                };
                let mut fields: Vec<Field<'_>> =
                    session.key_actions.iter().map(|action| text(action)).collect();
                fields.extend(session.project_focus.iter().map(|focus| label(focus)));
                fields.extend(session.files_touched.iter().map(|file| text(file)));
                fields.extend(session.cwd.as_deref().map(text));
                shelf.add(document, &fields);
            }
        }
        if plan.wants(Kind::Note) {
            let mut numbers = Numbers::default();
            for note in read.view.notes() {
                let number = numbers.next(note.agent().as_str());
                let document = Document {
                    when: self.instant(note.date),
                    place: Some(place(note.agent())),
                    ..note_document(note, number)
                };
                let mut fields = vec![text(&note.text)];
                fields.extend(
                    note.related_entities
                        .iter()
                        .chain(&note.tags)
                        .map(|word| label(word)),
                );
                shelf.add(document, &fields);
            }
        }
        shelf
    }

    /// The first moment of a day, where the person is.
    fn instant(&self, day: Option<Date>) -> Option<Timestamp> {
        self.setting.clock.zone().to_timestamp(day?.at(0, 0, 0, 0)).ok()
    }
}

/// Counts rows by agent, so that each has an id of its own.
#[derive(Default)]
struct Numbers(std::collections::HashMap<String, usize>);

impl Numbers {
    fn next(&mut self, agent: &str) -> usize {
        let number = self.0.entry(agent.to_owned()).or_default();
        *number += 1;
        *number
    }
}

fn edict_document(edict: &Edict, now: Timestamp) -> Document {
    Document {
        id: edict.id.to_string(),
        kind: Kind::Edict,
        text: edict.text.clone(),
        when: Some(edict.updated),
        shown_when: Some(edict.updated.to_string()),
        who: vec![edict.source.clone()],
        project: None,
        place: None,
        skill: None,
        tags: edict.tags.iter().map(ToString::to_string).collect(),
        priors: Priors {
            confidence: Some(match edict.confidence {
                Confidence::Verified => Sureness::Verified,
                Confidence::User => Sureness::Said,
                Confidence::Inferred => Sureness::Inferred,
            }),
            // A fact in force is in force, however old.
            fades: false,
            ..Priors::default()
        },
        past: edict.expired(now),
    }
}

fn lesson_document(lesson: &Lesson, when: Option<Timestamp>) -> Document {
    let facts = lesson.facts.as_ref();
    Document {
        id: lesson.id.to_string(),
        kind: Kind::Lesson,
        text: lesson.text.clone(),
        when,
        shown_when: facts.map(|facts| facts.last_seen.to_string()),
        who: facts
            .map(|facts| facts.harnesses.iter().map(ToString::to_string).collect())
            .unwrap_or_default(),
        project: None,
        place: None,
        skill: Some(lesson.skill.clone()),
        tags: Vec::new(),
        priors: Priors {
            recurrence: facts.map(|facts| facts.recurrence),
            fades: true,
            ..Priors::default()
        },
        past: false,
    }
}

fn thing_document(kind: Kind, thing: &Thing) -> Document {
    let mut said = thing.name.clone();
    match (&thing.status, thing.types.as_slice()) {
        (Some(status), _) => said.push_str(&format!(" ({status})")),
        (None, []) => {}
        (None, types) => said.push_str(&format!(" ({})", types.join(", "))),
    }
    for (number, summary) in thing.summaries.iter().enumerate() {
        said.push_str(if number == 0 { ": " } else { "\n" });
        said.push_str(&summary.text);
        if thing.summaries.len() > 1 {
            said.push_str(&format!(" ({})", summary.agent));
        }
    }
    let types = if thing.types.is_empty() {
        String::new()
    } else {
        format!(":{}", thing.types.join(","))
    };
    Document {
        id: format!("{kind}:{}{types}", thing.name),
        kind,
        text: said,
        when: None,
        shown_when: thing.last_touched.map(|day| day.to_string()),
        who: thing.sources.clone(),
        project: None,
        place: None,
        skill: None,
        tags: thing.tags.clone(),
        priors: Priors {
            fades: true,
            ..Priors::default()
        },
        past: false,
    }
}

fn session_document(session: &Visible<Session>, number: usize) -> Document {
    let agent = session.agent().to_string();
    let date = session.date.map(|day| day.to_string()).unwrap_or_default();
    let mut said = session.key_actions.join("\n");
    if !session.files_touched.is_empty() {
        said.push_str(&format!("\nfiles: {}", session.files_touched.join(", ")));
    }
    Document {
        id: format!("session:{agent}:{date}:{number}"),
        kind: Kind::Session,
        text: said,
        when: None,
        shown_when: (!date.is_empty()).then_some(date),
        who: vec![agent],
        project: session.project_focus.first().cloned(),
        place: None,
        skill: None,
        tags: session
            .extra
            .texts("tags")
            .into_iter()
            .map(str::to_owned)
            .collect(),
        priors: Priors {
            fades: true,
            ..Priors::default()
        },
        past: false,
    }
}

fn note_document(note: &Visible<Note>, number: usize) -> Document {
    let agent = note.agent().to_string();
    let date = note.date.map(|day| day.to_string()).unwrap_or_default();
    Document {
        id: format!("note:{agent}:{date}:{number}"),
        kind: Kind::Note,
        text: note.text.clone(),
        when: None,
        shown_when: (!date.is_empty()).then_some(date),
        who: vec![agent],
        project: None,
        place: None,
        skill: None,
        tags: note.tags.clone(),
        priors: Priors {
            fades: true,
            ..Priors::default()
        },
        past: false,
    }
}
