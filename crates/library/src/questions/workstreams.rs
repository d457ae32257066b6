//! What is in flight.

use std::collections::BTreeMap;

use jiff::civil::Date;
use serde::Serialize;

use super::{Limit, Page, is_tagged, known_agent};
use crate::filter::Visible;
use crate::model::{WorkStatus, Workstream};
use crate::names::key;
use crate::view::View;
use crate::{AgentId, Error, Visibility};

/// Which workstreams are wanted; everything absent: all.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WorkstreamsQuery {
    /// In this state, after all agents' rows were merged.
    pub status: Option<WorkStatus>,
    /// Known to this agent.
    pub agent: Option<AgentId>,
    /// With this tag.
    pub tag: Option<String>,
    /// At most so many.
    pub limit: Limit,
}

/// A workstream as all agents together know it: the row touched last speaks, lists unite.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MergedWorkstream {
    /// Its name, as the newest row spells it.
    pub name: String,
    /// Where it stands by the newest row.
    pub status: Option<WorkStatus>,
    /// The newest row's summary, else the next newest one's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The earliest first day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub started: Option<Date>,
    /// The latest day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_touched: Option<Date>,
    /// Names of what it is about.
    pub related_entities: Vec<String>,
    /// Tags.
    pub tags: Vec<String>,
    /// Who knows it, the newest row's agent first.
    pub agents: Vec<AgentId>,
    /// How far the newest row may travel.
    pub visibility: Visibility,
}

/// Workstreams, those touched last first; undated ones last, by name.
pub fn workstreams(view: &View, query: &WorkstreamsQuery) -> Result<Page<MergedWorkstream>, Error> {
    known_agent(view, query.agent.as_ref())?;
    let mut groups: BTreeMap<String, Vec<&Visible<Workstream>>> = BTreeMap::new();
    for row in view.workstreams() {
        groups.entry(key(&row.name)).or_default().push(row);
    }
    let mut merged: Vec<MergedWorkstream> = groups
        .into_values()
        .filter_map(merge)
        .filter(|work| query.status.is_none_or(|status| work.status == Some(status)))
        .filter(|work| {
            query
                .agent
                .as_ref()
                .is_none_or(|agent| work.agents.contains(agent))
        })
        .filter(|work| {
            let tags: Vec<&str> = work.tags.iter().map(String::as_str).collect();
            is_tagged(&tags, query.tag.as_deref())
        })
        .collect();
    merged.sort_by_key(|work| std::cmp::Reverse(work.last_touched));
    Ok(Page::of(merged, query.limit))
}

/// Rows of one name, in order of agents, as one.
fn merge(mut rows: Vec<&Visible<Workstream>>) -> Option<MergedWorkstream> {
    // A stable sort: of rows of one day the first agent's speaks.
    rows.sort_by_key(|row| std::cmp::Reverse(row.last_touched));
    let newest = *rows.first()?;
    let united = |list: fn(&Workstream) -> &[String]| {
        let mut seen = std::collections::HashSet::new();
        rows.iter()
            .flat_map(|row| list(row))
            .filter(|text| seen.insert(key(text)))
            .cloned()
            .collect::<Vec<String>>()
    };
    let mut agents = Vec::new();
    for row in &rows {
        if !agents.contains(row.agent()) {
            agents.push(row.agent().clone());
        }
    }
    Some(MergedWorkstream {
        name: newest.name.clone(),
        status: newest.status,
        summary: rows.iter().find_map(|row| row.summary.clone()),
        started: rows.iter().filter_map(|row| row.started).min(),
        last_touched: newest.last_touched,
        related_entities: united(|row| &row.related_entities),
        tags: united(|row| &row.tags),
        agents,
        visibility: newest.visibility(),
    })
}
