//! The rows of a manifest as bytes, each of them readable alone.

use super::Lost;
use super::coder::{Reader, Writer, level_number, level_of};
use crate::model::{Entity, Manifest, Note, Session, WorkStatus, Workstream};

/// A kind of row that a cache holds.
pub(crate) trait Kept: Sized {
    /// The place of its kind in a cache: entities, workstreams, sessions, notes.
    const KIND: usize;
    /// The key of its list in the file.
    const SECTION: &'static str;
    /// The rows of this kind.
    fn of(manifest: &Manifest) -> &[Self];
    /// Writes one row.
    fn write<'a>(&'a self, to: &mut Writer<'a>);
    /// Reads one row.
    fn read(from: &mut Reader<'_>) -> Result<Self, Lost>;
}

/// Which of a row's fields are there, and its level.
struct Flags(u64);

impl Flags {
    fn of(level: Option<crate::Visibility>, fields: &[bool]) -> u64 {
        let bits = fields
            .iter()
            .rev()
            .fold(0, |bits, there| bits << 1 | u64::from(*there));
        bits << 2 | level_number(level)
    }

    fn read(from: &mut Reader<'_>) -> Result<(Option<crate::Visibility>, Flags), Lost> {
        let number = from.number()?;
        Ok((level_of(number & 3)?, Flags(number >> 2)))
    }

    fn next(&mut self) -> bool {
        let there = self.0 & 1 == 1;
        self.0 >>= 1;
        there
    }

    /// What `read` reads, when it is there.
    fn when<T>(&mut self, read: impl FnOnce() -> Result<T, Lost>) -> Result<Option<T>, Lost> {
        self.next().then(read).transpose()
    }

    /// A list, empty when it is not there.
    fn list<T: Default>(&mut self, read: impl FnOnce() -> Result<T, Lost>) -> Result<T, Lost> {
        self.when(read).map(Option::unwrap_or_default)
    }
}

impl Kept for Entity {
    const KIND: usize = 0;
    const SECTION: &'static str = "known_entities:";
    fn of(manifest: &Manifest) -> &[Entity] {
        &manifest.entities
    }
    fn write<'a>(&'a self, to: &mut Writer<'a>) {
        to.number(Flags::of(
            self.visibility,
            &[
                self.kind.is_some(),
                !self.aliases.is_empty(),
                self.summary.is_some(),
                !self.tags.is_empty(),
                self.last_touched.is_some(),
                self.valid_from.is_some(),
                self.valid_to.is_some(),
                !self.extra.is_empty(),
            ],
        ));
        to.name(&self.name);
        self.kind.iter().for_each(|kind| to.text(kind));
        if !self.aliases.is_empty() {
            to.names(&self.aliases);
        }
        self.summary.iter().for_each(|summary| to.text(summary));
        if !self.tags.is_empty() {
            to.texts(&self.tags);
        }
        let days = [self.last_touched, self.valid_from, self.valid_to];
        days.into_iter().flatten().for_each(|day| to.day(day));
        if !self.extra.is_empty() {
            to.extra(&self.extra);
        }
    }
    fn read(from: &mut Reader<'_>) -> Result<Entity, Lost> {
        let (visibility, mut there) = Flags::read(from)?;
        Ok(Entity {
            visibility,
            name: from.text()?,
            kind: there.when(|| from.text())?,
            aliases: there.list(|| from.texts())?,
            summary: there.when(|| from.text())?,
            tags: there.list(|| from.texts())?,
            last_touched: there.when(|| from.day())?,
            valid_from: there.when(|| from.day())?,
            valid_to: there.when(|| from.day())?,
            extra: there.list(|| from.extra())?,
        })
    }
}

impl Kept for Workstream {
    const KIND: usize = 1;
    const SECTION: &'static str = "known_workstreams:";
    fn of(manifest: &Manifest) -> &[Workstream] {
        &manifest.workstreams
    }
    fn write<'a>(&'a self, to: &mut Writer<'a>) {
        to.number(Flags::of(
            self.visibility,
            &[
                self.status.is_some(),
                self.summary.is_some(),
                self.started.is_some(),
                self.last_touched.is_some(),
                !self.related_entities.is_empty(),
                !self.tags.is_empty(),
                !self.extra.is_empty(),
            ],
        ));
        to.name(&self.name);
        self.status.iter().for_each(|status| to.number(*status as u64));
        self.summary.iter().for_each(|summary| to.text(summary));
        let days = [self.started, self.last_touched];
        days.into_iter().flatten().for_each(|day| to.day(day));
        for list in [&self.related_entities, &self.tags] {
            if !list.is_empty() {
                to.texts(list);
            }
        }
        if !self.extra.is_empty() {
            to.extra(&self.extra);
        }
    }
    fn read(from: &mut Reader<'_>) -> Result<Workstream, Lost> {
        let (visibility, mut there) = Flags::read(from)?;
        Ok(Workstream {
            visibility,
            name: from.text()?,
            status: there.when(|| status_of(from.number()?))?,
            summary: there.when(|| from.text())?,
            started: there.when(|| from.day())?,
            last_touched: there.when(|| from.day())?,
            related_entities: there.list(|| from.texts())?,
            tags: there.list(|| from.texts())?,
            extra: there.list(|| from.extra())?,
        })
    }
}

fn status_of(number: u64) -> Result<WorkStatus, Lost> {
    [
        WorkStatus::Active,
        WorkStatus::Paused,
        WorkStatus::Done,
        WorkStatus::Archived,
    ]
    .into_iter()
    .find(|status| *status as u64 == number)
    .ok_or(Lost::Damaged)
}

impl Kept for Session {
    const KIND: usize = 2;
    const SECTION: &'static str = "recent_sessions:";
    fn of(manifest: &Manifest) -> &[Session] {
        &manifest.sessions
    }
    fn write<'a>(&'a self, to: &mut Writer<'a>) {
        to.number(Flags::of(
            self.visibility,
            &[
                self.date.is_some(),
                self.cwd.is_some(),
                !self.project_focus.is_empty(),
                !self.key_actions.is_empty(),
                !self.files_touched.is_empty(),
                !self.extra.is_empty(),
            ],
        ));
        self.date.iter().for_each(|date| to.day(*date));
        self.cwd.iter().for_each(|cwd| to.text(cwd));
        for list in [&self.project_focus, &self.key_actions, &self.files_touched] {
            if !list.is_empty() {
                to.texts(list);
            }
        }
        if !self.extra.is_empty() {
            to.extra(&self.extra);
        }
    }
    fn read(from: &mut Reader<'_>) -> Result<Session, Lost> {
        let (visibility, mut there) = Flags::read(from)?;
        Ok(Session {
            visibility,
            date: there.when(|| from.day())?,
            cwd: there.when(|| from.text())?,
            project_focus: there.list(|| from.texts())?,
            key_actions: there.list(|| from.texts())?,
            files_touched: there.list(|| from.texts())?,
            extra: there.list(|| from.extra())?,
        })
    }
}

impl Kept for Note {
    const KIND: usize = 3;
    const SECTION: &'static str = "notes:";
    fn of(manifest: &Manifest) -> &[Note] {
        &manifest.notes
    }
    fn write<'a>(&'a self, to: &mut Writer<'a>) {
        to.number(Flags::of(
            self.visibility,
            &[
                self.date.is_some(),
                !self.related_entities.is_empty(),
                !self.tags.is_empty(),
                !self.extra.is_empty(),
            ],
        ));
        self.date.iter().for_each(|date| to.day(*date));
        to.text(&self.text);
        for list in [&self.related_entities, &self.tags] {
            if !list.is_empty() {
                to.texts(list);
            }
        }
        if !self.extra.is_empty() {
            to.extra(&self.extra);
        }
    }
    fn read(from: &mut Reader<'_>) -> Result<Note, Lost> {
        let (visibility, mut there) = Flags::read(from)?;
        Ok(Note {
            visibility,
            date: there.when(|| from.day())?,
            text: from.text()?,
            related_entities: there.list(|| from.texts())?,
            tags: there.list(|| from.texts())?,
            extra: there.list(|| from.extra())?,
        })
    }
}
