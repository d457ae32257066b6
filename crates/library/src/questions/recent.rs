//! What was done lately.

use std::path::Path;

use jiff::civil::Date;

use super::{Limit, Page, is_tagged, known_agent, newest_first};
use crate::filter::Visible;
use crate::model::{Row, Session};
use crate::names::key;
use crate::view::View;
use crate::{AgentId, Error};

/// Which sessions are wanted. Everything absent: the newest 20.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct RecentQuery {
    /// On this day or later.
    pub since: Option<Date>,
    /// Of this agent.
    pub agent: Option<AgentId>,
    /// About this project: in its focus, with its owner in front or without (`tidewater` for `coast/tidewater`), or in
    /// a folder of that name.
    pub project: Option<String>,
    /// In this folder or below it.
    pub cwd: Option<String>,
    /// With this tag.
    pub tag: Option<String>,
    /// Sessions without a day too, behind the others.
    pub undated: bool,
    /// At most so many.
    pub limit: Limit,
}

/// Sessions, newest first.
pub fn recent(view: &View, query: &RecentQuery) -> Result<Page<Visible<Session>>, Error> {
    let rows = recent_all(view, query)?;
    Ok(Page::of(rows.into_iter().cloned().collect(), query.limit))
}

/// All sessions that [`recent`] takes its page from, in the same order, whatever the limit: for those who go on where a
/// page ended.
pub fn recent_all<'v>(view: &'v View, query: &RecentQuery) -> Result<Vec<&'v Visible<Session>>, Error> {
    known_agent(view, query.agent.as_ref())?;
    let project = query.project.as_deref().map(key);
    let mut rows: Vec<&Visible<Session>> = view
        .sessions()
        .iter()
        .filter(|row| match (row.date, query.since) {
            (None, _) => query.undated,
            (Some(date), since) => since.is_none_or(|since| date >= since),
        })
        .filter(|row| query.agent.as_ref().is_none_or(|agent| row.agent() == agent))
        .filter(|row| {
            let project = project.as_deref();
            project.is_none_or(|project| concerns(row, project) || is_of_an_owner(row, project))
        })
        .filter(|row| query.cwd.as_deref().is_none_or(|folder| is_below(row, folder)))
        .filter(|row| is_tagged(&row.tags(), query.tag.as_deref()))
        .collect();
    newest_first(&mut rows, |row| row.date);
    Ok(rows)
}

/// Whether one of the things that a session was about is a repository of this key, whoever owns it.
fn is_of_an_owner(session: &Session, project: &str) -> bool {
    let names = session
        .project_focus
        .iter()
        .filter_map(|focus| focus.rsplit_once('/'));
    names.into_iter().any(|(_, name)| key(name) == project)
}

/// Whether a session is about the project whose name has this [`key`](ken_text::recognise::key): it is in its focus, or
/// in a folder of that name.
pub fn concerns(session: &Session, project: &str) -> bool {
    session.project_focus.iter().any(|focus| key(focus) == project)
        || session.cwd.as_deref().is_some_and(|cwd| {
            cwd.trim_end_matches(['/', '\\'])
                .rsplit(['/', '\\'])
                .next()
                .is_some_and(|last| key(last) == project)
        })
}

fn is_below(session: &Session, folder: &str) -> bool {
    session
        .cwd
        .as_deref()
        .is_some_and(|cwd| Path::new(cwd).starts_with(folder))
}
