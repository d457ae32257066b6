use std::collections::{HashMap, HashSet};

use jiff::civil::Date;
use ken_library::{AgentId, Entity, Visible, WorkStatus, Workstream};

use super::key;
use crate::{Summary, ThingKind};

/// Something that bears names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Thing {
    pub(crate) kind: ThingKind,
    /// The spelling that most sources use.
    pub(crate) name: String,
    pub(crate) types: Vec<String>,
    pub(crate) sources: Vec<String>,
    /// Every name but the first, in order of appearance.
    pub(crate) aliases: Vec<String>,
    /// What each source says, the newest first, as it stands in the files.
    pub(crate) summaries: Vec<Summary>,
    pub(crate) tags: Vec<String>,
    pub(crate) status: Option<String>,
    pub(crate) valid_from: Option<Date>,
    pub(crate) valid_to: Option<Date>,
    pub(crate) last_touched: Option<Date>,
}

impl Thing {
    pub(super) fn of_file(kind: ThingKind, name: &str, source: &str) -> Thing {
        Thing {
            kind,
            name: name.to_owned(),
            types: Vec::new(),
            sources: vec![source.to_owned()],
            aliases: Vec::new(),
            summaries: Vec::new(),
            tags: Vec::new(),
            status: None,
            valid_from: None,
            valid_to: None,
            last_touched: None,
        }
    }

    /// The agent whose words come first.
    pub(crate) fn speaker(&self) -> Option<AgentId> {
        let first = self.summaries.first().map(|summary| &summary.agent);
        first
            .or(self.sources.first())
            .and_then(|agent| AgentId::new(agent.clone()).ok())
    }

    /// Takes in what one more row says.
    fn absorb<'a>(&mut self, row: &'a Told<'a>, known: &mut Known<'a>) {
        if known.sources.insert(row.agent) {
            self.sources.push(row.agent.to_owned());
        }
        if let Some(kind) = row.kind
            && known.types.insert(&row.own)
        {
            self.types.push(kind.to_owned());
        }
        let aliases = row.aliases.iter().filter(|alias| known.names.insert(key(alias)));
        self.aliases.extend(aliases.map(|alias| (*alias).to_owned()));
        let tags = row.tags.iter().filter(|tag| known.tags.insert(tag));
        self.tags.extend(tags.cloned());
        self.last_touched = self.last_touched.max(row.last_touched);
        self.valid_from = earlier(self.valid_from, row.valid_from);
        self.valid_to = self.valid_to.max(row.valid_to);
    }
}

/// What a thing has taken in before, of which a row may say any number.
#[derive(Default)]
struct Known<'a> {
    sources: HashSet<&'a str>,
    /// Keys of names.
    names: HashSet<String>,
    /// Keys of types.
    types: HashSet<&'a str>,
    tags: HashSet<&'a str>,
}

/// What one agent's row says of a thing, entity or workstream.
#[derive(Debug, Clone)]
pub(super) struct Told<'a> {
    pub(super) agent: &'a str,
    pub(super) name: &'a str,
    /// The type in the form in which two are one; none is the empty one.
    pub(super) own: String,
    kind: Option<&'a str>,
    aliases: Vec<&'a str>,
    tags: &'a [String],
    summary: Option<&'a str>,
    status: Option<&'a str>,
    valid_from: Option<Date>,
    valid_to: Option<Date>,
    pub(super) last_touched: Option<Date>,
    superseded_by: Option<&'a str>,
}

impl<'a> Told<'a> {
    pub(super) fn entity(row: &'a Visible<Entity>) -> Told<'a> {
        Told {
            agent: row.agent().as_str(),
            name: &row.name,
            own: row.kind.as_deref().map(key).unwrap_or_default(),
            kind: row.kind.as_deref(),
            aliases: row.aliases.iter().map(String::as_str).collect(),
            tags: &row.tags,
            summary: row.summary.as_deref(),
            status: None,
            valid_from: row.valid_from,
            valid_to: row.valid_to,
            last_touched: row.last_touched,
            superseded_by: row.extra.texts("superseded_by").into_iter().next(),
        }
    }

    pub(super) fn workstream(row: &'a Visible<Workstream>) -> Told<'a> {
        Told {
            agent: row.agent().as_str(),
            name: &row.name,
            own: String::new(),
            kind: None,
            aliases: row.extra.texts("aliases"),
            tags: &row.tags,
            summary: row.summary.as_deref(),
            status: row.status.map(WorkStatus::as_str),
            valid_from: row.started,
            valid_to: None,
            last_touched: row.last_touched,
            superseded_by: row.extra.texts("superseded_by").into_iter().next(),
        }
    }
}

/// A thing, with what only its succession needs.
#[derive(Debug)]
pub(super) struct Grouped {
    /// The key of its type; empty for a thing that nobody gives one.
    pub(super) own: String,
    pub(super) thing: Thing,
    /// What its rows say took its place, the newest first.
    pub(super) superseded_by: Vec<String>,
}

/// The things of one name. Rows of one name are one thing; where agents mean things of different types by it, each type
/// is one, and a row without a type joins the only one there is.
///
/// The library's own grouping answers another question, who knows what of a name, and keeps neither kinds nor types
/// apart: recognition must, since it shows both of two things that share a name.
pub(super) fn of_one_name(kind: ThingKind, rows: Vec<Told<'_>>) -> Vec<Grouped> {
    let types: HashSet<&str> = rows.iter().map(|row| row.own.as_str()).collect();
    let mut typed = types.into_iter().filter(|own| !own.is_empty());
    let only = match (typed.next(), typed.next()) {
        (Some(only), None) => Some(only.to_owned()),
        _ => None,
    };
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut groups: Vec<(String, Vec<Told<'_>>)> = Vec::new();
    for row in rows {
        let own = match &only {
            Some(only) if row.own.is_empty() => only.clone(),
            _ => row.own.clone(),
        };
        let number = *numbers.entry(own.clone()).or_insert(groups.len());
        if number == groups.len() {
            groups.push((own, Vec::new()));
        }
        groups[number].1.push(row);
    }
    groups
        .into_iter()
        .map(|(own, rows)| grouped(kind, own, rows))
        .collect()
}

fn grouped(kind: ThingKind, own: String, mut rows: Vec<Told<'_>>) -> Grouped {
    // The newest row first: what it says is what holds. Rows without a date come last, by agent.
    rows.sort_by(|a, b| {
        b.last_touched
            .cmp(&a.last_touched)
            .then_with(|| a.agent.cmp(b.agent))
    });
    let mut thing = Thing {
        sources: Vec::new(),
        ..Thing::of_file(kind, spelling(&rows), "")
    };
    let mut known = Known::default();
    known.names.insert(key(rows[0].name));
    for row in &rows {
        thing.absorb(row, &mut known);
    }
    thing.sources.sort();
    thing.status = rows.iter().find_map(|row| row.status).map(str::to_owned);
    thing.summaries = rows
        .iter()
        .filter_map(|row| {
            Some(Summary {
                agent: row.agent.to_owned(),
                text: row.summary?.to_owned(),
            })
        })
        .filter(|summary| !summary.text.trim().is_empty())
        .collect();
    let successors = rows.iter().filter_map(|row| row.superseded_by);
    Grouped {
        own,
        superseded_by: successors.map(str::to_owned).collect(),
        thing,
    }
}

/// The spelling that most rows use; of equally many, the newest row's.
fn spelling<'a>(rows: &[Told<'a>]) -> &'a str {
    let mut counts: HashMap<&str, usize> = HashMap::new();
    for row in rows {
        *counts.entry(row.name).or_default() += 1;
    }
    let mut best = rows[0].name;
    for row in &rows[1..] {
        if counts[row.name] > counts[best] {
            best = row.name;
        }
    }
    best
}

fn earlier(one: Option<Date>, other: Option<Date>) -> Option<Date> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}
