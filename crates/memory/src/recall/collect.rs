//! What is searched besides the log, as documents: edicts and lessons, and what the library's rows are shown as.

use jiff::Timestamp;
use jiff::civil::Date;
use ken_dotagent::Lesson;
use ken_edicts::{Confidence, Edict};
use ken_library::{Note, Session, Visible};
use ken_text::search::Field;

use super::Kind;
use super::plan::Plan;
use super::rank::{Priors, Sureness};
use super::shelf::{Document, Shelf};
use crate::names::Thing;
use crate::sources::{EdictsRead, LessonsRead};
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
                let mut fields = vec![Field::text(&edict.text), Field::label(edict.category.as_str())];
                fields.extend(edict.key.iter().map(|key| Field::label(key.as_str())));
                fields.extend(edict.tags.iter().map(|tag| Field::label(tag.as_str())));
                fields.push(Field::text(&edict.source));
                shelf.add(document, &fields);
            }
        }
        if plan.wants(Kind::Lesson) {
            let path = self.place_of(&lessons.path, screen);
            for lesson in self.lessons_for(lessons, screen) {
                let mut document = Document {
                    project: project.clone(),
                    place: Some(format!("{path}:{}", lesson.line)),
                    ..lesson_document(lesson)
                };
                self.date(&mut document, lesson.facts.as_ref().map(|facts| facts.last_seen));
                let skill = lesson.skill.replace("::", " ");
                shelf.add(document, &[Field::text(&lesson.text), Field::label(&skill)]);
            }
        }
        shelf
    }

    /// Dates a document by the day, where the person is.
    pub(super) fn date(&self, document: &mut Document, day: Option<Date>) {
        document.when = self.start_of(day);
        document.whole_day = true;
        document.shown_when = day.map(|day| day.to_string());
    }

    /// The first moment of a day, where the person is.
    pub(super) fn start_of(&self, day: Option<Date>) -> Option<Timestamp> {
        self.setting.clock.zone().to_timestamp(day?.at(0, 0, 0, 0)).ok()
    }
}

fn edict_document(edict: &Edict, now: Timestamp) -> Document {
    Document {
        when: Some(edict.updated),
        shown_when: Some(edict.updated.to_string()),
        who: vec![edict.source.clone()],
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
        ..Document::new(edict.id.to_string(), Kind::Edict, edict.text.clone())
    }
}

fn lesson_document(lesson: &Lesson) -> Document {
    let facts = lesson.facts.as_ref();
    Document {
        who: facts
            .map(|facts| facts.harnesses.iter().map(ToString::to_string).collect())
            .unwrap_or_default(),
        skill: Some(lesson.skill.clone()),
        priors: Priors {
            recurrence: facts.map(|facts| facts.recurrence),
            ..FADING
        },
        ..Document::new(lesson.id.to_string(), Kind::Lesson, lesson.text.clone())
    }
}

/// Nothing is known but that it grows old.
pub(super) const FADING: Priors = Priors {
    weight: None,
    recurrence: None,
    origin: None,
    confidence: None,
    fades: true,
};

pub(super) fn thing_document(thing: &Thing) -> Document {
    let kind = match thing.kind {
        ThingKind::Workstream => Kind::Workstream,
        _ => Kind::Entity,
    };
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
        who: thing.sources.clone(),
        tags: thing.tags.clone(),
        priors: FADING,
        valid_to: thing.valid_to,
        ..Document::new(format!("{kind}:{}{types}", thing.name), kind, said)
    }
}

/// A session as a document; `None` for one that says nothing.
pub(super) fn session_document(session: &Visible<Session>, number: usize) -> Option<Document> {
    let agent = session.agent().to_string();
    let date = session.date.map(|day| day.to_string()).unwrap_or_default();
    let said = session.said()?;
    Some(Document {
        who: vec![agent.clone()],
        project: session.project_focus.first().cloned(),
        tags: session
            .extra
            .texts("tags")
            .into_iter()
            .map(str::to_owned)
            .collect(),
        priors: FADING,
        ..Document::new(format!("session:{agent}:{date}:{number}"), Kind::Session, said)
    })
}

pub(super) fn note_document(note: &Visible<Note>, number: usize) -> Document {
    let agent = note.agent().to_string();
    let date = note.date.map(|day| day.to_string()).unwrap_or_default();
    Document {
        who: vec![agent.clone()],
        tags: note.tags.clone(),
        priors: FADING,
        ..Document::new(
            format!("note:{agent}:{date}:{number}"),
            Kind::Note,
            note.text.clone(),
        )
    }
}
