//! Same-named rows of several agents are one thing.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use jiff::civil::Date;
use serde::Serialize;

use crate::model::{Entity, Row, WorkStatus, Workstream};
use crate::names::key;
use crate::view::View;
use crate::{AgentId, NamedRow, Succession, Visibility, Visible};

/// The number of a thing within one view.
pub type ThingId = u32;

/// What kind of row speaks of a thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum RowKind {
    /// A known entity.
    Entity,
    /// A known workstream.
    Workstream,
}

/// What one agent says of a thing.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Summary {
    /// The agent.
    pub agent: AgentId,
    /// In which kind of row.
    pub kind: RowKind,
    /// The name as this agent spells it.
    pub name: String,
    /// Its category of the thing.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// What it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// A workstream's status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<WorkStatus>,
    /// The last day this agent worked on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_touched: Option<Date>,
    /// The first day it was valid, or a workstream's first day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Date>,
    /// The last day it was valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<Date>,
    /// How far this row may travel.
    pub visibility: Visibility,
}

/// A thing that one or several agents know.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Thing {
    /// The spelling that most agents use.
    pub name: String,
    /// Every category that an agent gives it, the most frequent first.
    pub types: Vec<String>,
    /// Every other name.
    pub aliases: Vec<String>,
    /// Every tag.
    pub tags: Vec<String>,
    /// Who knows it.
    pub agents: Vec<AgentId>,
    /// What each of them says, in order of agents.
    pub summaries: Vec<Summary>,
    /// The first day it was valid, when every row says one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<Date>,
    /// The last day it was valid, when every row says one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<Date>,
    /// The last day any of them worked on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_touched: Option<Date>,
    /// Names that its own rows say it took the place of.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub supersedes: Vec<String>,
    /// Names that took its place: those that its own rows say, then those whose rows say it. Never one whose place it is
    /// said to have taken in its turn.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub superseded_by: Vec<String>,
}

/// A row that speaks of a thing.
#[derive(Debug, Clone, Copy)]
enum Member {
    Entity(usize),
    Workstream(usize),
}

/// Which rows of a view speak of which thing.
#[derive(Debug, Default)]
pub(crate) struct Things {
    groups: Vec<Vec<Member>>,
}

impl Things {
    pub(crate) fn of(entities: &[Visible<Entity>], workstreams: &[Visible<Workstream>]) -> Things {
        let mut groups: BTreeMap<String, Vec<Member>> = BTreeMap::new();
        for (index, row) in entities.iter().enumerate() {
            groups
                .entry(key(&row.name))
                .or_default()
                .push(Member::Entity(index));
        }
        for (index, row) in workstreams.iter().enumerate() {
            groups
                .entry(key(&row.name))
                .or_default()
                .push(Member::Workstream(index));
        }
        groups.remove("");
        Things {
            groups: groups.into_values().collect(),
        }
    }
}

impl View {
    /// Every name and alias with the number of the thing it names: what recognition is made of.
    pub fn names(&self) -> Vec<(String, ThingId)> {
        let mut names = Vec::new();
        let mut seen = HashSet::new();
        let (things, entities, workstreams) = self.things();
        for (id, members) in things.groups.iter().enumerate() {
            seen.clear();
            for member in members {
                let row_names = match *member {
                    Member::Entity(index) => entities[index].names(),
                    Member::Workstream(index) => workstreams[index].names(),
                };
                for name in row_names {
                    if seen.insert(name) {
                        names.push((name.to_owned(), id as ThingId));
                    }
                }
            }
        }
        names
    }

    /// The thing of this number; `None` for a number that [`View::names`] does not give.
    pub fn thing(&self, id: ThingId) -> Option<Thing> {
        let (things, entities, workstreams) = self.things();
        let members = things.groups.get(id as usize)?;
        let mut gathered = Gathered::default();
        for member in members {
            match *member {
                Member::Entity(index) => gathered.entity(&entities[index]),
                Member::Workstream(index) => gathered.workstream(&workstreams[index]),
            }
        }
        Some(self.with_successors(gathered.finish()))
    }

    /// The things of this name, then those of this alias; when there are none, those that took the place of what was
    /// called so. By the index: no other row is decoded.
    pub(crate) fn things_called(&self, name: &str) -> Vec<Thing> {
        let name = key(name);
        let by_alias: BTreeSet<String> = self
            .rows_bearing(&name)
            .iter()
            .map(|row| key(row.name()))
            .filter(|other| !other.is_empty() && *other != name)
            .collect();
        if name.is_empty() {
            return by_alias
                .iter()
                .filter_map(|name| self.thing_called(name))
                .collect();
        }
        let own = self.thing_called(&name).into_iter();
        let mut things: Vec<Thing> = own
            .chain(by_alias.iter().filter_map(|name| self.thing_called(name)))
            .collect();
        if things.is_empty() {
            let successors: BTreeSet<String> = self
                .rows_superseding(&name)
                .iter()
                .map(|row| key(row.name()))
                .collect();
            things = successors
                .iter()
                .filter_map(|name| self.thing_called(name))
                .collect();
        }
        things
    }

    /// The thing whose name has this key.
    fn thing_called(&self, name: &str) -> Option<Thing> {
        let rows = self.rows_called(name);
        let mut gathered = Gathered::default();
        for row in &rows {
            match row {
                NamedRow::Entity(row) => gathered.entity(row),
                NamedRow::Workstream(row) => gathered.workstream(row),
            }
        }
        (!rows.is_empty()).then(|| self.with_successors(gathered.finish()))
    }

    /// The thing with all that took its place, whoever says so, and without those that are in one ring with it.
    fn with_successors(&self, mut thing: Thing) -> Thing {
        let own = key(&thing.name);
        let mut newer = Vec::new();
        let succession = Succession::of([own.clone()], |older| {
            let superseding = self.rows_superseding(older);
            let others = superseding.iter().map(NamedRow::name);
            if *older == own {
                newer = others.clone().map(str::to_owned).collect();
            }
            let called = self.rows_called(older);
            let said = called.iter().flat_map(NamedRow::superseded_by);
            said.chain(others).map(key).collect()
        });
        let mut known: HashSet<String> = thing.superseded_by.iter().map(|name| key(name)).collect();
        newer.sort();
        thing
            .superseded_by
            .extend(newer.into_iter().filter(|name| known.insert(key(name))));
        let elsewhere = |name: &String| !succession.in_one_ring(&own, &key(name));
        thing.superseded_by.retain(elsewhere);
        thing.supersedes.retain(elsewhere);
        thing
    }
}

/// Counts how often each text comes, and remembers which came first.
#[derive(Default)]
struct Tally<'a>(Vec<(&'a str, usize)>);

impl<'a> Tally<'a> {
    fn add(&mut self, text: &'a str) {
        match self.0.iter_mut().find(|(known, _)| *known == text) {
            Some((_, count)) => *count += 1,
            None => self.0.push((text, 1)),
        }
    }

    /// Most frequent first; of equals, the lesser text, so that the answer does not depend on the order of files.
    fn ranked(mut self) -> Vec<String> {
        self.0.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        self.0.into_iter().map(|(text, _)| text.to_owned()).collect()
    }
}

#[derive(Default)]
struct Gathered<'a> {
    spellings: Tally<'a>,
    types: Tally<'a>,
    aliases: Vec<&'a str>,
    tags: Vec<&'a str>,
    supersedes: Vec<&'a str>,
    superseded_by: Vec<&'a str>,
    summaries: Vec<Summary>,
    validity: Vec<(Option<Date>, Option<Date>)>,
}

impl<'a> Gathered<'a> {
    fn row<T: Row>(&mut self, row: &'a T) {
        let mut names = row.names().into_iter();
        self.spellings.0.reserve(1);
        if let Some(name) = names.next() {
            self.spellings.add(name);
        }
        self.aliases.extend(names);
        self.tags.extend(row.tags());
        self.supersedes.extend(row.extra().texts("supersedes"));
        self.superseded_by.extend(row.extra().texts("superseded_by"));
    }

    fn entity(&mut self, row: &'a Visible<Entity>) {
        self.row::<Entity>(row);
        if let Some(kind) = &row.kind {
            self.types.add(kind);
        }
        self.validity.push((row.valid_from, row.valid_to));
        self.summaries.push(Summary {
            agent: row.agent().clone(),
            kind: RowKind::Entity,
            name: row.name.clone(),
            category: row.kind.clone(),
            summary: row.summary.clone(),
            status: None,
            last_touched: row.last_touched,
            valid_from: row.valid_from,
            valid_to: row.valid_to,
            visibility: row.visibility(),
        });
    }

    fn workstream(&mut self, row: &'a Visible<Workstream>) {
        self.row::<Workstream>(row);
        self.summaries.push(Summary {
            agent: row.agent().clone(),
            kind: RowKind::Workstream,
            name: row.name.clone(),
            category: None,
            summary: row.summary.clone(),
            status: row.status,
            last_touched: row.last_touched,
            valid_from: row.started,
            valid_to: None,
            visibility: row.visibility(),
        });
    }

    fn finish(mut self) -> Thing {
        self.summaries.sort_by(|a, b| a.agent.cmp(&b.agent));
        let name = self.spellings.ranked().into_iter().next().unwrap_or_default();
        let own = key(&name);
        let distinct = |texts: Vec<&str>, without: Option<&str>| {
            let mut seen: HashSet<String> = without.into_iter().map(str::to_owned).collect();
            texts
                .into_iter()
                .filter(|text| seen.insert(key(text)))
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        let mut agents: Vec<AgentId> = self
            .summaries
            .iter()
            .map(|summary| summary.agent.clone())
            .collect();
        agents.dedup();
        // A thing is valid as long as anyone holds it valid.
        let all = |dates: Vec<Option<Date>>| {
            dates
                .into_iter()
                .collect::<Option<Vec<Date>>>()
                .unwrap_or_default()
        };
        let from = all(self.validity.iter().map(|(from, _)| *from).collect());
        let to = all(self.validity.iter().map(|(_, to)| *to).collect());
        Thing {
            types: self.types.ranked(),
            aliases: distinct(self.aliases, Some(&own)),
            tags: distinct(self.tags, None),
            agents,
            valid_from: from.into_iter().min(),
            valid_to: to.into_iter().max(),
            last_touched: self
                .summaries
                .iter()
                .filter_map(|summary| summary.last_touched)
                .max(),
            supersedes: distinct(self.supersedes, None),
            superseded_by: distinct(self.superseded_by, None),
            summaries: self.summaries,
            name,
        }
    }
}
