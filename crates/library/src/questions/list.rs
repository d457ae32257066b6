//! Everything of a kind: entities and notes.

use jiff::civil::Date;

use super::{Limit, Page, Period, is_tagged, known_agent, newest_first};
use crate::filter::Visible;
use crate::model::{Entity, Note, Row};
use crate::names::key;
use crate::view::View;
use crate::{AgentId, Error};

/// Which entities are wanted; everything absent: all.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EntitiesQuery {
    /// Of this agent.
    pub agent: Option<AgentId>,
    /// Of this category.
    pub kind: Option<String>,
    /// With this tag.
    pub tag: Option<String>,
    /// Valid at some time of this period.
    pub valid: Option<Period>,
    /// At most so many.
    pub limit: Limit,
}

/// Entities row by row, by name, then by agent.
pub fn entities(view: &View, query: &EntitiesQuery) -> Result<Page<Visible<Entity>>, Error> {
    known_agent(view, query.agent.as_ref())?;
    let kind = query.kind.as_deref().map(key);
    let mut rows: Vec<(String, &Visible<Entity>)> = view
        .entities()
        .iter()
        .filter(|row| query.agent.as_ref().is_none_or(|agent| row.agent() == agent))
        .filter(|row| kind.is_none() || row.kind.as_deref().map(key) == kind)
        .filter(|row| is_tagged(&row.tags(), query.tag.as_deref()))
        .filter(|row| {
            query
                .valid
                .is_none_or(|period| period.overlaps(row.valid_from, row.valid_to))
        })
        .map(|row| (key(&row.name), row))
        .collect();
    rows.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| a.1.agent().cmp(b.1.agent())));
    Ok(Page::of(
        rows.into_iter().map(|(_, row)| row.clone()).collect(),
        query.limit,
    ))
}

/// Which notes are wanted; everything absent: the newest 20.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct NotesQuery {
    /// On this day or later.
    pub since: Option<Date>,
    /// Of this agent.
    pub agent: Option<AgentId>,
    /// With this tag.
    pub tag: Option<String>,
    /// At most so many.
    pub limit: Limit,
}

/// Notes, newest first.
pub fn notes(view: &View, query: &NotesQuery) -> Result<Page<Visible<Note>>, Error> {
    known_agent(view, query.agent.as_ref())?;
    let mut rows: Vec<&Visible<Note>> = view
        .notes()
        .iter()
        .filter(|row| {
            query
                .since
                .is_none_or(|since| row.date.is_some_and(|date| date >= since))
        })
        .filter(|row| query.agent.as_ref().is_none_or(|agent| row.agent() == agent))
        .filter(|row| is_tagged(&row.tags(), query.tag.as_deref()))
        .collect();
    newest_first(&mut rows, |row| row.date);
    Ok(Page::of(rows.into_iter().cloned().collect(), query.limit))
}
