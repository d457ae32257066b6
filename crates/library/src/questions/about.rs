//! Everything about one project.

use serde::Serialize;

use super::recent::concerns;
use super::{
    AskAgent, Limit, MergedWorkstream, Page, Period, Thing, WorkstreamsQuery, find, newest_first, workstreams,
};
use crate::filter::Visible;
use crate::model::{Note, Session};
use crate::names::key;
use crate::view::View;
use crate::{AgentId, Error};

/// The answer to [`about`].
#[derive(Debug, Clone, Serialize)]
pub struct About {
    /// The project that was asked for.
    pub name: String,
    /// What bears its name.
    pub things: Vec<Thing>,
    /// Sessions about it, newest first.
    pub sessions: Page<Visible<Session>>,
    /// Workstreams of its name or related to it.
    pub workstreams: Vec<MergedWorkstream>,
    /// Notes related to it, newest first.
    pub notes: Page<Visible<Note>>,
    /// Who worked on it or knows it.
    pub agents: Vec<AgentId>,
    /// Who else may know more.
    pub ask: Vec<AskAgent>,
}

/// Gathers what the library knows of a project, by its name or one of its aliases.
pub fn about(view: &View, project: &str, valid: Option<&Period>, limit: Limit) -> Result<About, Error> {
    let found = find(view, project, valid);
    let mut names = vec![key(project)];
    for thing in &found.things {
        names.extend(
            std::iter::once(&thing.name)
                .chain(&thing.aliases)
                .map(|name| key(name)),
        );
    }
    names.retain(|name| !name.is_empty());
    let is_named = |text: &String| names.contains(&key(text));

    let mut sessions: Vec<&Visible<Session>> = view
        .sessions()
        .iter()
        .filter(|row| names.iter().any(|name| concerns(row, name)))
        .collect();
    newest_first(&mut sessions, |row| row.date);
    let mut notes: Vec<&Visible<Note>> = view
        .notes()
        .iter()
        .filter(|row| row.related_entities.iter().any(is_named))
        .collect();
    newest_first(&mut notes, |row| row.date);
    let all = WorkstreamsQuery {
        limit: Limit::new(100)?,
        ..WorkstreamsQuery::default()
    };
    let mut streams = workstreams(view, &all)?.rows;
    streams.retain(|work| is_named(&work.name) || work.related_entities.iter().any(is_named));
    streams.truncate(limit.get());

    let mut agents: Vec<AgentId> = found
        .things
        .iter()
        .flat_map(|thing| thing.agents.iter())
        .chain(streams.iter().flat_map(|work| work.agents.iter()))
        .chain(sessions.iter().map(|row| row.agent()))
        .chain(notes.iter().map(|row| row.agent()))
        .cloned()
        .collect();
    agents.sort_unstable();
    agents.dedup();
    let page = |rows: Vec<&Visible<Session>>| Page::of(rows.into_iter().cloned().collect(), limit);
    Ok(About {
        name: project.to_owned(),
        things: found.things,
        sessions: page(sessions),
        workstreams: streams,
        notes: Page::of(notes.into_iter().cloned().collect(), limit),
        agents,
        ask: found.ask,
    })
}
