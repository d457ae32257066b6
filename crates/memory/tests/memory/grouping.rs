//! What a text names, against a second way to find it: every row of the view grouped, every name in one list.

use std::collections::{BTreeMap, HashMap};
use std::sync::OnceLock;

use ken_library::{AccessLevel, Caller, Entity, Library, View, Visible, Workstream};
use ken_memory::{Recognised, Span, Summary, ThingKind};
use ken_text::recognise::{Name, Recogniser, key};
use proptest::prelude::*;
use serde_json::{Value, json};

use crate::machine::Machine;

const NAMES: [&str; 9] = [
    "Orchard",
    "orchard",
    "Lampwick",
    "Mercury",
    "Mercury Bank",
    "api-gateway",
    "API Gateway",
    "Go",
    "Zephyrine",
];
const EDICTS: &str = "version: 1
edicts:
  - {id: e_001, key: mercury_bank_launch, text: In spring., category: date}
  - {id: e_002, key: lampwick, text: No more., category: date}
";

/// One row of the view, whatever its kind.
struct Row {
    kind: ThingKind,
    agent: String,
    name: String,
    own: String,
    of_type: Option<String>,
    aliases: Vec<String>,
    summary: Option<String>,
    status: Option<String>,
    from: Option<jiff::civil::Date>,
    to: Option<jiff::civil::Date>,
    touched: Option<jiff::civil::Date>,
    superseded_by: Option<String>,
    supersedes: Vec<String>,
}

fn owned(texts: Vec<&str>) -> Vec<String> {
    texts.into_iter().map(str::to_owned).collect()
}

fn of_entity(row: &Visible<Entity>) -> Row {
    Row {
        kind: ThingKind::Entity,
        agent: row.agent().to_string(),
        name: row.name.clone(),
        own: row.kind.as_deref().map(key).unwrap_or_default(),
        of_type: row.kind.clone(),
        aliases: row.aliases.clone(),
        summary: row.summary.clone(),
        status: None,
        from: row.valid_from,
        to: row.valid_to,
        touched: row.last_touched,
        superseded_by: owned(row.extra.texts("superseded_by")).into_iter().next(),
        supersedes: owned(row.extra.texts("supersedes")),
    }
}

fn of_workstream(row: &Visible<Workstream>) -> Row {
    Row {
        kind: ThingKind::Workstream,
        agent: row.agent().to_string(),
        name: row.name.clone(),
        own: String::new(),
        of_type: None,
        aliases: owned(row.extra.texts("aliases")),
        summary: row.summary.clone(),
        status: row.status.map(|status| status.as_str().to_owned()),
        from: row.started,
        to: None,
        touched: row.last_touched,
        superseded_by: owned(row.extra.texts("superseded_by")).into_iter().next(),
        supersedes: owned(row.extra.texts("supersedes")),
    }
}

struct Grouping {
    things: Vec<Vec<Row>>,
    /// Names that rows mention in successions and nobody describes: they are numbered behind the things.
    undescribed: Vec<(ThingKind, String)>,
    /// What each is said to have left its place to, the likeliest first.
    after: Vec<Vec<usize>>,
}

impl Grouping {
    fn of(view: &View) -> Grouping {
        let rows = view.entities().iter().map(of_entity);
        let rows: Vec<Row> = rows.chain(view.workstreams().iter().map(of_workstream)).collect();
        let mut types: HashMap<(ThingKind, String), Vec<String>> = HashMap::new();
        for row in &rows {
            let known = types.entry((row.kind, key(&row.name))).or_default();
            if !row.own.is_empty() && !known.contains(&row.own) {
                known.push(row.own.clone());
            }
        }
        let mut numbers: HashMap<(ThingKind, String, String), usize> = HashMap::new();
        let mut things: Vec<Vec<Row>> = Vec::new();
        for row in rows {
            let name = key(&row.name);
            let own = match types[&(row.kind, name.clone())].as_slice() {
                [only] => only.clone(),
                _ => row.own.clone(),
            };
            let number = *numbers.entry((row.kind, name, own)).or_insert_with(|| {
                things.push(Vec::new());
                things.len() - 1
            });
            things[number].push(row);
        }
        for rows in &mut things {
            rows.sort_by(|a, b| b.touched.cmp(&a.touched).then_with(|| a.agent.cmp(&b.agent)));
        }
        // Of several things of one name the last.
        let of_name: HashMap<(ThingKind, String), usize> = things
            .iter()
            .enumerate()
            .map(|(number, rows)| ((rows[0].kind, key(&rows[0].name)), number))
            .collect();
        let mut grouping = Grouping {
            after: vec![Vec::new(); things.len()],
            things,
            undescribed: Vec::new(),
        };
        let mut said: Vec<(usize, usize)> = Vec::new();
        for number in 0..grouping.things.len() {
            let kind = grouping.things[number][0].kind;
            for name in said_by(&grouping.things[number]) {
                said.push((number, grouping.meant(&of_name, kind, &name)));
            }
        }
        let mut claims: Vec<(&Row, usize)> = Vec::new();
        for (number, rows) in grouping.things.iter().enumerate() {
            claims.extend(rows.iter().map(|row| (row, number)));
        }
        claims.sort_by(|(a, _), (b, _)| {
            b.touched
                .cmp(&a.touched)
                .then_with(|| a.agent.cmp(&b.agent))
                .then_with(|| a.name.cmp(&b.name))
        });
        let claims: Vec<(ThingKind, Vec<String>, usize)> = claims
            .into_iter()
            .map(|(row, number)| (row.kind, row.supersedes.clone(), number))
            .collect();
        for (kind, older, number) in claims {
            for older in older {
                said.push((grouping.meant(&of_name, kind, &older), number));
            }
        }
        for (older, newer) in said {
            grouping.after[older].push(newer);
        }
        grouping
    }

    /// The number of what a name means.
    fn meant(&mut self, of_name: &HashMap<(ThingKind, String), usize>, kind: ThingKind, name: &str) -> usize {
        if let Some(number) = of_name.get(&(kind, key(name))) {
            return *number;
        }
        let is_it = |(of, other): &(ThingKind, String)| *of == kind && key(other) == key(name);
        let at = self.undescribed.iter().position(is_it).unwrap_or_else(|| {
            self.undescribed.push((kind, name.to_owned()));
            self.after.push(Vec::new());
            self.undescribed.len() - 1
        });
        self.things.len() + at
    }

    fn leads(&self, from: usize, to: usize) -> bool {
        let mut met = vec![from];
        let mut at = 0;
        while let Some(number) = met.get(at) {
            if *number == to {
                return true;
            }
            let new: Vec<usize> = self.after[*number]
                .iter()
                .copied()
                .filter(|next| !met.contains(next))
                .collect();
            met.extend(new);
            at += 1;
        }
        false
    }

    fn name(&self, number: usize) -> String {
        match self.things.get(number) {
            Some(rows) => spelling(rows),
            None => self.undescribed[number - self.things.len()].1.clone(),
        }
    }

    /// The last on the way from a thing that somebody describes, what came before it, and the name behind it.
    fn present(&self, number: usize) -> Option<(usize, Vec<String>, Option<String>)> {
        let mut way = vec![number];
        // Of those that are in a ring nobody follows another.
        while let Some(next) = {
            let at = way[way.len() - 1];
            self.after[at].iter().find(|next| !self.leads(**next, at))
        } {
            way.push(*next);
        }
        let is_described = |number: &&usize| **number < self.things.len();
        let last = *way.iter().rev().find(is_described)?;
        let formerly = way[..way.len() - 1]
            .iter()
            .map(|number| self.name(*number))
            .collect();
        let end = way[way.len() - 1];
        Some((last, formerly, (end != last).then(|| self.name(end))))
    }

    fn recognised(&self, number: usize, words: &str) -> Recognised {
        let (at, mut formerly, named) = self.present(number).unwrap();
        let rows = &self.things[at];
        let own = spelling(rows);
        let name = named.unwrap_or_else(|| own.clone());
        formerly.retain(|former| key(former) != key(&name));
        let mut aliases: Vec<String> = vec![own];
        for alias in rows.iter().flat_map(|row| &row.aliases) {
            if !aliases.iter().any(|known| key(known) == key(alias)) {
                aliases.push(alias.clone());
            }
        }
        aliases.retain(|alias| {
            key(alias) != key(&name) && !formerly.iter().any(|former| key(former) == key(alias))
        });
        let mut types: Vec<String> = Vec::new();
        for of_type in rows.iter().filter_map(|row| row.of_type.as_ref()) {
            if !types.iter().any(|known| key(known) == key(of_type)) {
                types.push(of_type.clone());
            }
        }
        let mut sources: Vec<String> = rows.iter().map(|row| row.agent.clone()).collect();
        sources.sort();
        sources.dedup();
        Recognised {
            name,
            kind: rows[0].kind,
            types,
            span: Span { start: 0, end: 0 },
            text: words.to_owned(),
            times: 1,
            sources,
            also_known_as: aliases,
            formerly,
            summaries: rows
                .iter()
                .filter_map(|row| {
                    Some(Summary {
                        agent: row.agent.clone(),
                        text: row.summary.clone()?,
                    })
                })
                .collect(),
            status: rows.iter().find_map(|row| row.status.clone()),
            valid_from: rows
                .iter()
                .filter_map(|row| row.from)
                .min()
                .map(|day| day.to_string()),
            valid_to: rows
                .iter()
                .filter_map(|row| row.to)
                .max()
                .map(|day| day.to_string()),
            past: rows.iter().filter_map(|row| row.to).max() < "2026-11-30".parse().ok()
                && rows.iter().any(|row| row.to.is_some()),
            last_touched: rows
                .iter()
                .filter_map(|row| row.touched)
                .max()
                .map(|day| day.to_string()),
        }
    }

    /// What a text names of the library; `keys` are names of something else, which may be longer.
    fn named_in(&self, text: &str, keys: &[&str]) -> Vec<Recognised> {
        let names = self.things.iter().enumerate().flat_map(|(number, rows)| {
            let texts = rows.iter().flat_map(|row| row.aliases.iter().chain([&row.name]));
            texts.map(move |text| (text, number))
        });
        let former = (self.things.len()..)
            .zip(&self.undescribed)
            .map(|(number, (_, name))| (name, number));
        let is_taken_over = |number: usize| {
            let (kind, name) = &self.undescribed[number - self.things.len()];
            let mut rows = self.things.iter().flatten().filter(|row| row.kind == *kind);
            rows.any(|row| row.supersedes.iter().any(|older| key(older) == key(name)))
        };
        let former = former.filter(|(_, number)| is_taken_over(*number));
        let names = names.chain(former).map(|(text, number)| Name {
            text: text.clone(),
            id: number as u32,
        });
        let others = keys.iter().map(|key| Name {
            text: (*key).to_owned(),
            id: u32::MAX,
        });
        let mut found: BTreeMap<(usize, Option<String>), Recognised> = BTreeMap::new();
        for place in Recogniser::new(names.chain(others)).find(text) {
            let mut ids: Vec<usize> = place
                .ids()
                .filter(|id| *id != u32::MAX)
                .map(|id| id as usize)
                .collect();
            if ids.iter().any(|id| *id < self.things.len()) {
                ids.retain(|id| *id < self.things.len());
            }
            let mut here = Vec::new();
            for id in ids {
                let words = &text[place.span.clone()];
                let Some((last, _, named)) = self.present(id) else {
                    continue;
                };
                let shown = (last, named.as_deref().map(key));
                let counts = !here.contains(&shown);
                here.push(shown.clone());
                let one = self.recognised(id, words);
                found
                    .entry(shown)
                    .and_modify(|known| {
                        known.times += usize::from(counts);
                        for former in &one.formerly {
                            known.also_known_as.retain(|other| key(other) != key(former));
                            if !known.formerly.iter().any(|other| key(other) == key(former)) {
                                known.formerly.push(former.clone());
                            }
                        }
                    })
                    .or_insert_with(|| Recognised {
                        span: Span {
                            start: place.span.start,
                            end: place.span.end,
                        },
                        ..one
                    });
            }
        }
        found.into_values().collect()
    }
}

fn said_by(rows: &[Row]) -> Vec<String> {
    rows.iter().filter_map(|row| row.superseded_by.clone()).collect()
}

fn spelling(rows: &[Row]) -> String {
    let count = |name: &str| rows.iter().filter(|row| row.name == name).count();
    let most = rows.iter().map(|row| count(&row.name)).max();
    let best = rows.iter().find(|row| Some(count(&row.name)) == most);
    best.unwrap().name.clone()
}

/// Made of bytes, so that fewer and smaller ones are simpler.
struct Choices<'b>(std::slice::Iter<'b, u8>);

impl Choices<'_> {
    fn below(&mut self, count: usize) -> usize {
        self.0.next().map_or(0, |byte| usize::from(*byte) % count)
    }
    fn name(&mut self) -> &'static str {
        NAMES[self.below(NAMES.len())]
    }
    fn day(&mut self) -> Option<String> {
        let month = self.below(4);
        (month > 0).then(|| format!("2026-{:02}-01", month * 4))
    }
    fn row(&mut self, entity: bool) -> Value {
        let mut row = json!({"name": self.name()});
        let level = ["public", "team", "team", "private"][self.below(4)];
        row["visibility"] = json!(level);
        if self.below(2) == 1 {
            row["summary"] = json!(format!("Said {level}."));
        }
        if let Some(day) = self.day() {
            row["last_touched"] = json!(day);
        }
        if self.below(2) == 1 {
            row["aliases"] = json!([self.name(), self.name()]);
        }
        match self.below(7) {
            1 => row["superseded_by"] = json!(self.name()),
            2 => row["superseded_by"] = json!("Nobody"),
            3 => row["supersedes"] = json!([self.name(), self.name()]),
            4 => row["supersedes"] = json!(["Bygone", self.name()]),
            _ => {}
        }
        if !entity {
            row["status"] = json!(["active", "paused"][self.below(2)]);
        } else if let Some(of_type) = [None, Some("project"), Some("Project"), Some("planet")][self.below(4)]
        {
            row["type"] = json!(of_type);
            row["valid_to"] = self.day().map_or(Value::Null, |day| json!(day));
        }
        if row["valid_to"].is_null() {
            row.as_object_mut().unwrap().remove("valid_to");
        }
        row
    }
    fn manifest(&mut self, agent: &str) -> Value {
        let entities = (0..self.below(6)).map(|_| self.row(true)).collect::<Vec<_>>();
        let streams = (0..self.below(3)).map(|_| self.row(false)).collect::<Vec<_>>();
        json!({
            "spec_version": "0.1",
            "agent": {"id": agent, "type": "code-assistant"},
            "last_updated": "2026-11-01T10:00:00Z",
            "known_entities": entities,
            "known_workstreams": streams,
            "visibility_policy": {"default": "team"},
        })
    }
    fn text(&mut self) -> String {
        let longer = ["", "the mercury bank launch, "][self.below(2)].to_owned();
        let words = 1 + self.below(6);
        let old = ["", "Bygone and "][self.below(2)];
        (0..words).fold(longer + old, |text, _| text + self.name() + " and ")
    }
}

/// Its library is another one in each case.
static MACHINE: OnceLock<Machine> = OnceLock::new();

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(80) })]

    #[test]
    fn what_a_text_names_is_what_grouping_every_row_says(bytes in proptest::collection::vec(any::<u8>(), 0..260)) {
        let mut choices = Choices(bytes.iter());
        let machine = MACHINE.get_or_init(|| {
            let machine = Machine::empty();
            machine.write("edicts.yaml", EDICTS);
            machine.person().trust().unwrap();
            machine
        });
        let text = choices.text();
        for agent in ["amber", "birch", "cedar"] {
            machine.manifest(agent, &choices.manifest(agent).to_string());
        }
        let loaded = Library::open(&machine.paths.library).load().unwrap();
        prop_assert!(loaded.failures.is_empty(), "{:?}", loaded.failures);
        for level in [AccessLevel::Public, AccessLevel::Team, AccessLevel::Private] {
            let caller = Caller::local_agent(level);
            // Keys of edicts are of level team, and those that would name what is private are withheld.
            let view = loaded.view(&caller);
            let team = level >= AccessLevel::Team;
            let keys = ["mercury_bank_launch", "lampwick"].into_iter();
            let keys: Vec<&str> = keys
                .filter(|key| team && !view.forbidden().in_reference(key))
                .collect();
            let spellings: Vec<String> = keys.iter().map(|key| key.replace('_', " ")).collect();
            let spellings: Vec<&str> = spellings.iter().map(String::as_str).chain(keys).collect();
            let mut expected = Grouping::of(&view).named_in(&text, &spellings);
            let memory = machine.caller(caller, Some("amber"));
            for _ in 0..2 {
                let mut found = memory.recognise(&text).recognised;
                found.retain(|one| matches!(one.kind, ThingKind::Entity | ThingKind::Workstream));
                let order = |one: &Recognised| (one.span, serde_json::to_string(one).unwrap());
                found.sort_by_cached_key(order);
                expected.sort_by_cached_key(order);
                prop_assert_eq!(&found, &expected, "{} at {}", text, level);
            }
        }
    }
}
