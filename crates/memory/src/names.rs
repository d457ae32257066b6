//! Every name that is known here, ready to be recognised, and the thing that bears it.

use std::collections::HashMap;
use std::sync::Arc;

use jiff::civil::Date;
use ken_library::{AgentId, Entity, View, Visible, WorkStatus, Workstream};
use ken_text::recognise::{Name, Recogniser, is_common_word};

use crate::sources::{EdictsRead, LessonsRead, LibraryRead};
use crate::{Memory, Summary, ThingKind};

/// The names of one state of the files.
#[derive(Debug)]
pub(crate) struct Names {
    of: (Arc<LibraryRead>, Arc<EdictsRead>, Arc<LessonsRead>),
    pub(crate) recogniser: Recogniser,
    pub(crate) things: Vec<Thing>,
}

/// Something that bears names.
#[derive(Debug, Clone)]
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
    /// The thing that took its place, by number; its name when nobody describes it.
    pub(crate) successor: Option<Successor>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Successor {
    Known(usize),
    Named(String),
}

impl Memory {
    /// Every name that the caller may see, as the files are now.
    pub(crate) fn names(&self) -> Arc<Names> {
        self.names_of(&self.library())
    }

    /// The same of the library as it was read.
    pub(crate) fn names_of(&self, library: &Arc<LibraryRead>) -> Arc<Names> {
        let (edicts, lessons) = self.carried();
        let mut kept = crate::freshness::hold(&self.sources.names);
        if let Some(names) = kept.as_ref()
            && Arc::ptr_eq(&names.of.0, library)
            && Arc::ptr_eq(&names.of.1, &edicts)
            && Arc::ptr_eq(&names.of.2, &lessons)
        {
            return Arc::clone(names);
        }
        let screen = library.screen();
        let mut things = library.things().to_vec();
        for edict in self.edicts_for(&edicts, screen) {
            if let Some(key) = &edict.key {
                things.push(Thing {
                    types: vec![edict.category.to_string()],
                    summaries: vec![Summary {
                        agent: "edicts".to_owned(),
                        text: edict.text.clone(),
                    }],
                    ..Thing::of_file(ThingKind::Edict, key.as_str(), "edicts")
                });
            }
        }
        let mut skills: HashMap<&str, usize> = HashMap::new();
        for lesson in self.lessons_for(&lessons, screen) {
            let at = *skills.entry(lesson.skill.as_str()).or_insert_with(|| {
                things.push(Thing::of_file(ThingKind::Skill, &lesson.skill, "lessons"));
                things.len() - 1
            });
            things[at].summaries.push(Summary {
                agent: "lessons".to_owned(),
                text: lesson.text.clone(),
            });
        }
        let recogniser = Recogniser::new(things.iter().enumerate().flat_map(|(number, thing)| {
            thing.spellings().map(move |text| Name {
                text,
                id: number as u32,
            })
        }));
        let names = Arc::new(Names {
            of: (Arc::clone(library), edicts, lessons),
            recogniser,
            things,
        });
        *kept = Some(Arc::clone(&names));
        names
    }
}

impl Thing {
    fn of_file(kind: ThingKind, name: &str, source: &str) -> Thing {
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
            successor: None,
        }
    }

    /// The agent whose words come first.
    pub(crate) fn speaker(&self) -> Option<AgentId> {
        let first = self.summaries.first().map(|summary| &summary.agent);
        first
            .or(self.sources.first())
            .and_then(|agent| AgentId::new(agent.clone()).ok())
    }

    /// Under which texts it is recognised. Keys and skills are also recognised as the words that they are made of.
    fn spellings(&self) -> impl Iterator<Item = String> {
        let own = match self.kind {
            ThingKind::Entity | ThingKind::Workstream => Vec::new(),
            // Everybody writes such a word without meaning the key, and `general` is what belongs to no skill.
            _ if is_common_word(&self.name) || self.name == "general" => return Vec::new().into_iter(),
            ThingKind::Edict | ThingKind::Skill => {
                let words: Vec<&str> = self
                    .name
                    .split(|c: char| !c.is_alphanumeric())
                    .filter(|word| !word.is_empty())
                    .collect();
                vec![words.join(" ")]
            }
        };
        let mut spellings: Vec<String> = std::iter::once(&self.name)
            .chain(&self.aliases)
            .cloned()
            .chain(own.into_iter().filter(|text| *text != self.name))
            .collect();
        spellings.dedup();
        spellings.into_iter()
    }

    /// Takes in what one more row says. `known` are the keys of the names and of the types that were taken in before.
    fn absorb(&mut self, row: &Told<'_>, known: &mut (Vec<String>, Vec<String>)) {
        if !self.sources.iter().any(|source| source == row.agent) {
            self.sources.push(row.agent.to_owned());
        }
        if let Some(kind) = row.kind
            && !known.1.contains(&row.keys.1)
        {
            known.1.push(row.keys.1.clone());
            self.types.push(kind.to_owned());
        }
        for alias in &row.aliases {
            let key = key(alias);
            if !known.0.contains(&key) {
                known.0.push(key);
                self.aliases.push((*alias).to_owned());
            }
        }
        for tag in row.tags {
            if !self.tags.contains(tag) {
                self.tags.push(tag.clone());
            }
        }
        self.last_touched = self.last_touched.max(row.last_touched);
        self.valid_from = earlier(self.valid_from, row.valid_from);
        self.valid_to = self.valid_to.max(row.valid_to);
    }
}

/// What one agent's row says of a thing, entity or workstream.
struct Told<'a> {
    agent: &'a str,
    name: &'a str,
    /// The name and the type in the form in which two are one; no type is the empty one.
    keys: (String, String),
    kind: Option<&'a str>,
    aliases: Vec<&'a str>,
    tags: &'a [String],
    summary: Option<&'a str>,
    status: Option<&'a str>,
    valid_from: Option<Date>,
    valid_to: Option<Date>,
    last_touched: Option<Date>,
    superseded_by: Option<&'a str>,
    supersedes: Vec<&'a str>,
}

impl<'a> Told<'a> {
    fn entity(row: &'a Visible<Entity>) -> Told<'a> {
        Told {
            agent: row.agent().as_str(),
            name: &row.name,
            keys: (key(&row.name), row.kind.as_deref().map(key).unwrap_or_default()),
            kind: row.kind.as_deref(),
            aliases: row.aliases.iter().map(String::as_str).collect(),
            tags: &row.tags,
            summary: row.summary.as_deref(),
            status: None,
            valid_from: row.valid_from,
            valid_to: row.valid_to,
            last_touched: row.last_touched,
            superseded_by: row.extra.texts("superseded_by").into_iter().next(),
            supersedes: row.extra.texts("supersedes"),
        }
    }

    fn workstream(row: &'a Visible<Workstream>) -> Told<'a> {
        Told {
            agent: row.agent().as_str(),
            name: &row.name,
            keys: (key(&row.name), String::new()),
            kind: None,
            aliases: row.extra.texts("aliases"),
            tags: &row.tags,
            summary: row.summary.as_deref(),
            status: row.status.map(WorkStatus::as_str),
            valid_from: row.started,
            valid_to: None,
            last_touched: row.last_touched,
            superseded_by: row.extra.texts("superseded_by").into_iter().next(),
            supersedes: row.extra.texts("supersedes"),
        }
    }
}

/// The entities and workstreams that a view shows. Rows of one name are one thing; where agents mean things of
/// different types by it, each type is one.
pub(crate) fn of_library(view: &View) -> Vec<Thing> {
    let mut things = group(
        ThingKind::Entity,
        view.entities().iter().map(Told::entity).collect(),
    );
    things.extend(group(
        ThingKind::Workstream,
        view.workstreams().iter().map(Told::workstream).collect(),
    ));
    things
}

fn group(kind: ThingKind, rows: Vec<Told<'_>>) -> Vec<Thing> {
    // The types that a name has, so that a row without one joins the only thing of its name.
    let mut types: HashMap<String, Vec<String>> = HashMap::new();
    for row in &rows {
        let (name, own) = &row.keys;
        let known = match types.get_mut(name) {
            Some(known) => known,
            None => types.entry(name.clone()).or_default(),
        };
        if !own.is_empty() && !known.contains(own) {
            known.push(own.clone());
        }
    }
    let mut numbers: HashMap<(String, String), usize> = HashMap::new();
    let mut grouped: Vec<Vec<Told<'_>>> = Vec::new();
    for row in rows {
        let (name, mut own) = row.keys.clone();
        if let Some([only]) = types.get(&name).map(Vec::as_slice)
            && own.is_empty()
        {
            own.clone_from(only);
        }
        let number = *numbers.entry((name, own)).or_insert_with(|| {
            grouped.push(Vec::new());
            grouped.len() - 1
        });
        grouped[number].push(row);
    }
    let mut things: Vec<Thing> = grouped.iter_mut().map(|rows| thing(kind, rows)).collect();
    // Of several things of one name the last, as names are looked up without their types.
    let by_name: HashMap<&str, usize> = grouped
        .iter()
        .enumerate()
        .map(|(number, rows)| (rows[0].keys.0.as_str(), number))
        .collect();
    for (number, rows) in grouped.iter().enumerate() {
        for row in rows {
            if let Some(successor) = row.superseded_by {
                let successor = match by_name.get(key(successor).as_str()) {
                    Some(known) if *known != number => Successor::Known(*known),
                    Some(_) => continue,
                    None => Successor::Named(successor.to_owned()),
                };
                things[number].successor.get_or_insert(successor);
            }
            for older in &row.supersedes {
                if let Some(older) = by_name.get(key(older).as_str()).filter(|older| **older != number) {
                    things[*older].successor.get_or_insert(Successor::Known(number));
                }
            }
        }
    }
    things
}

fn thing(kind: ThingKind, rows: &mut [Told<'_>]) -> Thing {
    // The newest row first: what it says is what holds. Rows without a date come last, by agent.
    rows.sort_by(|a, b| {
        b.last_touched
            .cmp(&a.last_touched)
            .then_with(|| a.agent.cmp(b.agent))
    });
    let mut thing = Thing {
        sources: Vec::new(),
        ..Thing::of_file(kind, spelling(rows), "")
    };
    let mut known = (vec![rows[0].keys.0.clone()], Vec::new());
    for row in rows.iter() {
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
    thing
}

/// The spelling that most rows use; of equally many, the newest row's.
fn spelling<'a>(rows: &[Told<'a>]) -> &'a str {
    let count = |name: &str| rows.iter().filter(|row| row.name == name).count();
    let mut best = rows[0].name;
    for row in &rows[1..] {
        if count(row.name) > count(best) {
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

/// The form in which two names are one.
pub(crate) fn key(name: &str) -> String {
    let normal = ken_text::normalize(name);
    let is_word = |word: &str| !word.is_empty() && !word.contains(char::is_whitespace);
    if normal.split(' ').all(is_word) {
        return normal;
    }
    normal.split_whitespace().collect::<Vec<_>>().join(" ")
}
