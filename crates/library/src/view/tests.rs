//! The lazy view against an eager one, which reads every manifest from its YAML and filters every row.

use std::path::Path;

use ken_text::recognise::{Name, NamesBuilder, Reading, Recogniser};
use ken_text::search::{Query, Scan, Scorer, Searchable};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::cache::unread_names;
use crate::filter::{Filter, Left};
use crate::model::{Manifest, Row, WorkStatus};
use crate::names::key;
use crate::questions::find;
use crate::tree::{Entry, Node, Position, Scalar, Value};
use crate::visibility::Rules;
use crate::{AccessLevel, AgentType, Bearer, FoundRow, NamedRow, ReadManifest, RowKind, Visibility, to_yaml};

/// Names within names, names of several forms, common words, and names that agents bear.
const NAMES: [&str; 18] = [
    "Omega",
    "Omega Onyx",
    "Omega Onyx 3130",
    "GitHub",
    "git hub",
    "apiGateway",
    "api-gateway",
    "Mark",
    "go",
    "Test",
    "Harbor",
    "alpha",
    "beta",
    "Zeus",
    "Project Thunder",
    "飞燕计划",
    "C++",
    "the tower of an unusually long name that stands in the file and not in the cache",
];

fn text() -> impl Strategy<Value = String> {
    let word = prop_oneof![
        2 => select(&["the", "parser", "was fixed", "in", "see", "notes."][..]).prop_map(str::to_owned),
        2 => select(&NAMES[..]).prop_map(str::to_owned),
        1 => (select(&NAMES[..]), 0..5_usize).prop_map(|(name, way)| match way {
            0 => name.to_uppercase(),
            1 => format!("`{}`", name.to_lowercase()),
            2 => format!("{name}'s"),
            3 => format!("/home/me/{name}/src"),
            _ => format!("src/{}_client.rs", name.to_lowercase().replace(' ', "_")),
        }),
    ];
    vec(word, 1..6).prop_map(|words| words.join(" "))
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![8 => select(&NAMES[..]).prop_map(str::to_owned), 1 => text()]
}

fn names() -> impl Strategy<Value = Vec<String>> {
    vec(name(), 0..3)
}

fn level() -> impl Strategy<Value = Option<Visibility>> {
    option::of(select(&Visibility::ALL[..]))
}

fn tags() -> impl Strategy<Value = Vec<String>> {
    vec(
        prop_oneof![3 => select(&["health", "project"][..]).prop_map(str::to_owned), 1 => name()],
        0..2,
    )
}

/// Aliases that are no list.
fn odd_aliases(names: Vec<String>) -> Node {
    let entries = names.into_iter().map(|name| Entry {
        position: Position::default(),
        key: Scalar::text(format!("x {name}")),
        node: Node::text(name),
    });
    Node::from(Value::Map(entries.collect()))
}

prop_compose! {
    fn entity()(
        name in name(), aliases in names(), summary in option::of(text()), tags in tags(), visibility in level(),
        supersedes in names(), odd in option::weighted(0.15, names()), broken in option::weighted(0.05, text()),
    ) -> Entity {
        let mut row = Entity { name, aliases, summary, tags, visibility, ..Entity::default() };
        row.extra.set("supersedes", Node::texts(supersedes));
        if let Some(odd) = odd {
            row.aliases.clear();
            row.extra.set("aliases", odd_aliases(odd));
        }
        if let Some(broken) = broken {
            row.visibility = None;
            row.extra.set("visibility", Node::text(broken));
        }
        row
    }
}

prop_compose! {
    fn workstream()(
        name in name(), aliases in names(), odd: bool, summary in option::of(text()), related in names(),
        visibility in level(), supersedes in option::of(name()),
    ) -> Workstream {
        let mut row = Workstream {
            summary, related_entities: related, visibility, ..Workstream::new(name, WorkStatus::Active)
        };
        let aliases = if odd { odd_aliases(aliases) } else { Node::texts(aliases) };
        row.extra.set("aliases", aliases);
        if let Some(supersedes) = supersedes {
            row.extra.set("supersedes", Node::text(supersedes));
        }
        row
    }
}

prop_compose! {
    fn note()(text in text(), related_entities in names(), tags in tags(), visibility in level()) -> Note {
        Note { date: Some(jiff::civil::date(2026, 1, 1)), text, related_entities, tags, visibility, ..Note::default() }
    }
}

prop_compose! {
    /// What stands in a manifest's file.
    fn file(id: &'static str)(
        role in option::of(text()), entities in vec(entity(), 0..5), workstreams in vec(workstream(), 0..3),
        notes in vec(note(), 0..3), sessions in vec(text(), 0..2), capabilities in vec(text(), 0..2),
        default in option::of(level()), unread in option::weighted(0.2, (name(), name())),
        broken in option::weighted(0.05, text()),
    ) -> String {
        if let Some(broken) = broken {
            return format!("agent: [{broken}");
        }
        let mut manifest = Manifest::new(AgentId::new(id).unwrap(), AgentType::Other);
        manifest.agent.role_narrative = role;
        manifest.capabilities = capabilities;
        manifest.entities = entities;
        manifest.notes = notes;
        manifest.sessions = sessions.into_iter().map(|action| Session {
            key_actions: vec![action], visibility: Some(Visibility::Public), ..Session::default()
        }).collect();
        manifest.visibility_policy = default.map(|default| crate::VisibilityPolicy { default, ..Default::default() });
        match unread {
            Some((name, alias)) => {
                let bad = Entity { name, ..Entity::default() };
                manifest.entities.push(bad);
                let yaml = to_yaml(&manifest);
                format!("{yaml}known_workstreams:\n- {{aliases: [{alias:?}], summary: no name}}\n")
            }
            None => {
                manifest.workstreams = workstreams;
                to_yaml(&manifest)
            }
        }
    }
}

#[derive(Debug, Clone)]
enum Edit {
    Put(&'static str, String),
    Remove(&'static str),
    /// The file is written again as it is.
    Touch(&'static str),
}

const AGENTS: [&str; 4] = ["alpha", "beta", "gamma", "delta"];

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        6 => select(&AGENTS[..]).prop_flat_map(|id| file(id).prop_map(move |text| Edit::Put(id, text))),
        1 => select(&AGENTS[..]).prop_map(Edit::Remove),
        1 => select(&AGENTS[..]).prop_map(Edit::Touch),
    ]
}

impl Edit {
    fn make(&self, root: &Path) {
        let path = |id: &str| root.join("agents").join(format!("{id}.l5.yaml"));
        match self {
            Edit::Put(id, text) => std::fs::write(path(id), text).unwrap(),
            Edit::Remove(id) => {
                let _ = std::fs::remove_file(path(id));
            }
            Edit::Touch(id) => {
                if let Ok(bytes) = std::fs::read(path(id)) {
                    std::fs::write(path(id), bytes).unwrap();
                }
            }
        }
    }
}

/// The library as a caller may see it, made the simple way.
struct Eager {
    forbidden: ForbiddenNames,
    entities: Vec<Visible<Entity>>,
    workstreams: Vec<Visible<Workstream>>,
    sessions: Vec<Visible<Session>>,
    notes: Vec<Visible<Note>>,
    agents: Vec<Visible<AgentCard>>,
}

fn eager(manifests: &[ReadManifest], caller: &Caller) -> Eager {
    let (mut hidden, mut shown) = (Vec::new(), Vec::new());
    for read in manifests {
        let manifest = &read.manifest;
        let rules = Rules::of(manifest, caller.place());
        shown.push(manifest.agent.id.as_str());
        fn sort<'a, T: Row>(row: &'a T, shows: bool, hidden: &mut Vec<&'a str>, shown: &mut Vec<&'a str>) {
            if shows {
                shown.extend(row.names());
            } else {
                hidden.extend(row.names());
                if let Some(aliases) = row.extra().get("aliases") {
                    aliases.each_scalar(&mut |alias| hidden.push(alias));
                }
            }
        }
        for row in &manifest.entities {
            sort(row, rules.shows(row, caller), &mut hidden, &mut shown);
        }
        for row in &manifest.workstreams {
            sort(row, rules.shows(row, caller), &mut hidden, &mut shown);
        }
        if caller.level() < AccessLevel::Private {
            hidden.extend(unread_names(manifest));
        }
    }
    let forbidden = ForbiddenNames::new(hidden, shown);
    let (mut entities, mut workstreams, mut sessions, mut notes, mut agents) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for read in manifests {
        let agent = Arc::new(read.manifest.agent.id.clone());
        let filter = Filter::new(&agent, &read.manifest, caller, &forbidden);
        entities.extend(filter.rows(read.manifest.entities.clone()));
        workstreams.extend(filter.rows(read.manifest.workstreams.clone()));
        sessions.extend(filter.rows(read.manifest.sessions.clone()));
        notes.extend(filter.rows(read.manifest.notes.clone()));
        let card = crate::cache::Card::of(&read.manifest);
        agents.extend(crate::filter::agent(&agent, card, caller, &forbidden));
    }
    Eager {
        forbidden,
        entities,
        workstreams,
        sessions,
        notes,
        agents,
    }
}

fn same<T: PartialEq + fmt::Debug>(found: &[Visible<T>], wanted: &[Visible<T>]) {
    assert_eq!(found.len(), wanted.len(), "{found:?} {wanted:?}");
    for (found, wanted) in found.iter().zip(wanted) {
        assert_eq!(
            (&**found, found.agent(), found.visibility(), found.reason()),
            (&**wanted, wanted.agent(), wanted.visibility(), wanted.reason())
        );
    }
}

impl Eager {
    /// The rows that bear names, in order.
    fn named(&self) -> Vec<NamedRow> {
        let entities = self.entities.iter().cloned().map(NamedRow::Entity);
        entities
            .chain(self.workstreams.iter().cloned().map(NamedRow::Workstream))
            .collect()
    }

    /// Which of the rows that bear names this one is: the first that is equal, but for where its unknown keys stood.
    fn place(&self, row: &NamedRow) -> usize {
        fn is_same<T: PartialEq>(one: &Visible<T>, other: &Visible<T>) -> bool {
            **one == **other && one.agent() == other.agent() && one.reason() == other.reason()
        }
        let found = match row {
            NamedRow::Entity(row) => self.entities.iter().position(|other| is_same(row, other)),
            NamedRow::Workstream(row) => {
                let at = self.workstreams.iter().position(|other| is_same(row, other));
                at.map(|at| self.entities.len() + at)
            }
        };
        found.unwrap_or_else(|| panic!("{row:?} is not there"))
    }

    fn is_seen_by(&self, view: &View, texts: &[String]) {
        for text in texts {
            assert_eq!(
                view.forbidden().mentioned_in(text),
                self.forbidden.mentioned_in(text),
                "{text}"
            );
            assert_eq!(
                view.forbidden().names_it(text),
                self.forbidden.names_it(text),
                "{text}"
            );
        }
        assert_eq!(view.forbidden().common_words(), self.forbidden.common_words());
        let long = "a ".repeat(ken_text::recognise::MAX_TEXT);
        assert_eq!(
            view.forbidden().mentioned_in(&long),
            self.forbidden.mentioned_in(&long)
        );
        for name in NAMES {
            assert_eq!(
                view.forbidden().in_reference(name),
                self.forbidden.in_reference(name),
                "{name}"
            );
            self.rows_of_a_name(view, name);
        }
        for text in texts {
            for reading in [Reading::Names, Reading::Certain, Reading::Mentions] {
                self.names_in(view, text, reading);
            }
        }
        same(view.entities(), &self.entities);
        same(view.workstreams(), &self.workstreams);
        same(view.sessions(), &self.sessions);
        same(view.notes(), &self.notes);
        same(view.agents(), &self.agents);
        for id in AGENTS {
            let id = AgentId::new(id).unwrap();
            let any = self
                .agents
                .iter()
                .map(Visible::agent)
                .chain(self.entities.iter().map(Visible::agent));
            let any = any.chain(self.workstreams.iter().map(Visible::agent));
            let mut any = any
                .chain(self.notes.iter().map(Visible::agent))
                .chain(self.sessions.iter().map(Visible::agent));
            assert_eq!(view.knows(&id), any.any(|agent| *agent == id), "{id}");
        }
    }

    fn rows_of_a_name(&self, view: &View, name: &str) {
        let places = |rows: Vec<NamedRow>| rows.iter().map(|row| self.place(row)).collect::<Vec<_>>();
        let of =
            |wanted: &dyn Fn(&NamedRow) -> bool| places(self.named().into_iter().filter(wanted).collect());
        let wanted = key(name);
        assert_eq!(
            places(view.rows_called(&wanted)),
            of(&|row| key(row.name()) == wanted),
            "{name}"
        );
        let supersedes = |row: &NamedRow| row.supersedes().iter().any(|other| key(other) == wanted);
        assert_eq!(places(view.rows_superseding(&wanted)), of(&supersedes), "{name}");
        // By the names of all things, which are made of all rows.
        let mut things: Vec<_> = view
            .names()
            .into_iter()
            .filter(|(other, _)| key(other) == wanted)
            .collect();
        things.sort_by_key(|(_, thing)| (key(&view.thing(*thing).unwrap().name) != wanted, *thing));
        things.dedup_by_key(|(_, thing)| *thing);
        let things: Vec<_> = things
            .iter()
            .map(|(_, thing)| view.thing(*thing).unwrap())
            .collect();
        let things = match things.is_empty() {
            true => self.successors_of(view, &wanted),
            false => things,
        };
        assert_eq!(find(view, name, None).things, things, "{name}");
    }

    /// The things with a row that says that it took the place of what has this key.
    fn successors_of(&self, view: &View, wanted: &str) -> Vec<crate::questions::Thing> {
        let rows = self.named();
        let rows = rows
            .iter()
            .filter(|row| row.supersedes().iter().any(|other| key(other) == wanted));
        let names: std::collections::BTreeSet<String> = rows.map(|row| key(row.name())).collect();
        let ids: std::collections::BTreeSet<_> = view
            .names()
            .into_iter()
            .filter(|(name, _)| names.contains(&key(name)))
            .map(|(_, id)| id)
            .collect();
        let things = ids.into_iter().map(|id| view.thing(id).unwrap());
        things.filter(|thing| names.contains(&key(&thing.name))).collect()
    }

    fn names_in(&self, view: &View, text: &str, reading: Reading) {
        const OTHER: &str = "Omega Onyx 3130";
        let mut others = NamesBuilder::new();
        others.add(OTHER, 7);
        let others = others.finish().open();
        let rows = self.named();
        let of_rows = rows.iter().enumerate().flat_map(|(at, row)| {
            let names = row.names().into_iter().chain(row.supersedes());
            names.map(move |name| (name, at as u32)).collect::<Vec<_>>()
        });
        let all = of_rows.chain([(OTHER, u32::MAX)]).map(|(name, id)| Name {
            text: name.to_owned(),
            id,
        });
        let mut wanted: Vec<(std::ops::Range<usize>, Vec<usize>)> = Recogniser::new(all)
            .read(text, reading)
            .into_iter()
            .map(|found| {
                let bearers = found.ids().map(|id| match rows.get(id as usize) {
                    Some(row) => self.place(row),
                    None => usize::MAX,
                });
                (found.span.clone(), bearers.collect())
            })
            .collect();
        let mut found: Vec<(std::ops::Range<usize>, Vec<usize>)> = view
            .names_in(text, reading, &others)
            .into_iter()
            .map(|named| {
                let bearers = named.bearers.into_iter().map(|bearer| match bearer {
                    Bearer::Row(id) => self.place(&view.row(id).unwrap()),
                    Bearer::Other(id) => {
                        assert_eq!(id, 7);
                        usize::MAX
                    }
                });
                (named.span, bearers.collect())
            })
            .collect();
        wanted
            .iter_mut()
            .chain(&mut found)
            .for_each(|(_, bearers)| bearers.sort());
        assert_eq!(found, wanted, "{text:?} {reading:?}");
    }
}

/// Whether two rows are one, but for where its unknown keys stood.
fn same_row(one: &FoundRow, other: &FoundRow) -> bool {
    fn same<T: PartialEq>(one: &Visible<T>, other: &Visible<T>) -> bool {
        **one == **other && one.agent() == other.agent() && one.reason() == other.reason()
    }
    match (one, other) {
        (FoundRow::Named(NamedRow::Entity(one)), FoundRow::Named(NamedRow::Entity(other))) => {
            same(one, other)
        }
        (FoundRow::Named(NamedRow::Workstream(one)), FoundRow::Named(NamedRow::Workstream(other))) => {
            same(one, other)
        }
        (FoundRow::Session(one), FoundRow::Session(other)) => same(one, other),
        (FoundRow::Note(one), FoundRow::Note(other)) => same(one, other),
        _ => false,
    }
}

/// A row by its agent, its kind, and its number among those of both.
type Place = (String, RowKind, usize);

/// What is searched by its definition: every row that the caller's level reaches is a document of its own.
#[derive(Default)]
struct Searching {
    scan: Scan,
    /// Each row, with what the filter leaves of it.
    rows: Vec<(Place, Option<(FoundRow, bool)>)>,
}

impl Searching {
    fn of(manifests: &[ReadManifest], caller: &Caller, forbidden: &ForbiddenNames) -> Searching {
        let mut all = Searching::default();
        for read in manifests {
            let manifest = &read.manifest;
            let agent = Arc::new(manifest.agent.id.clone());
            let filter = Filter::new(&agent, manifest, caller, forbidden);
            let rules = Rules::of(manifest, caller.place());
            let named_entity = |row| FoundRow::Named(NamedRow::Entity(row));
            let named_workstream = |row| FoundRow::Named(NamedRow::Workstream(row));
            all.kind(RowKind::Entity, &manifest.entities, &filter, &rules, named_entity);
            all.kind(
                RowKind::Workstream,
                &manifest.workstreams,
                &filter,
                &rules,
                named_workstream,
            );
            all.kind(
                RowKind::Session,
                &manifest.sessions,
                &filter,
                &rules,
                FoundRow::Session,
            );
            all.kind(RowKind::Note, &manifest.notes, &filter, &rules, FoundRow::Note);
        }
        all
    }

    fn kind<T: Row + crate::screen::Screen + crate::words::Searched>(
        &mut self,
        kind: RowKind,
        rows: &[T],
        filter: &Filter<'_>,
        rules: &Rules,
        found: impl Fn(Visible<T>) -> FoundRow,
    ) {
        let mut number = 0;
        for row in rows.iter().filter(|row| rules.shows(*row, filter.caller())) {
            number += 1;
            self.scan.add(&row.fields());
            let left = match filter.row(row.clone()) {
                Left::Row { row, reduced, .. } => Some((found(row), reduced)),
                Left::Nothing => None,
            };
            self.rows
                .push(((filter.agent_id().to_string(), kind, number), left));
        }
    }

    fn is_found_by(&self, view: &View, question: &str) {
        let searched = view.searched();
        let query = Query::parse(question);
        let all = self.scan.statistics(&query);
        assert_eq!(searched.statistics(&query), all, "{question}");
        let scorer = Scorer::new(&query, &all);
        let mut wanted = vec![0.0; self.rows.len()];
        self.scan.add_scores(&query, &scorer, &mut wanted);
        let scores = searched.scores(&query, &scorer);
        let mut holding = searched.ones();
        assert_eq!(holding.iter().sum::<f64>(), self.rows.len() as f64);
        searched.keep_holding_all(&query.terms, &mut holding);
        let mut seen = 0;
        for (row, score) in scores.iter().enumerate() {
            let Some(agent) = searched.agent(row) else {
                assert_eq!((*score, holding[row]), (0.0, 0.0));
                continue;
            };
            let id = (agent.to_string(), searched.kind(row), searched.number(row));
            let at = self.rows.iter().position(|(other, _)| *other == id);
            let at = at.unwrap_or_else(|| panic!("{id:?} is not there"));
            seen += 1;
            assert_eq!(score.to_bits(), wanted[at].to_bits(), "{id:?} {question}");
            let found = searched.row(row).unwrap();
            let expected = &self.rows[at].1;
            let is_same = match (&found, expected) {
                (Some((found, reduced)), Some((wanted, was))) => reduced == was && same_row(found, wanted),
                (found, wanted) => found.is_none() && wanted.is_none(),
            };
            assert!(is_same, "{found:?} {expected:?}");
            let Some((found, reduced)) = found else { continue };
            let exact = found.score(&query, &scorer);
            if !reduced {
                assert_eq!(exact.to_bits(), score.to_bits(), "{id:?} {question}");
                let mut scan = Scan::new();
                scan.add(&found.fields());
                let holds = |term: &String| {
                    let alone = Query {
                        terms: vec![term.clone()],
                        ..Query::default()
                    };
                    scan.statistics(&alone).holding == [1]
                };
                assert_eq!(
                    holding[row] == 1.0,
                    query.terms.iter().all(holds),
                    "{id:?} {question}"
                );
            }
            let said = match &found {
                FoundRow::Session(session) => session.said(),
                FoundRow::Note(note) => Some(note.text.clone()),
                FoundRow::Named(_) => None,
            };
            if let (Some(said), false) = (said, reduced) {
                assert!(searched.saying(&[0, ken_text::plain_hash(&said)]).contains(&row));
            }
        }
        assert_eq!(seen, self.rows.len());
    }
}

fn callers() -> [Caller; 5] {
    [
        Caller::person(),
        Caller::local_agent(AccessLevel::Team),
        Caller::local_agent(AccessLevel::Public),
        Caller::remote(AccessLevel::Team),
        Caller::remote(AccessLevel::Public),
    ]
}

/// What the disk holds, seen by everybody.
fn is_seen(root: &Path, texts: &[String]) {
    let library = Library::open(root);
    let mut manifests = Vec::new();
    let mut bad = 0;
    for path in library.manifest_files().unwrap() {
        match crate::read_manifest(&path) {
            Ok(read) => manifests.push(read),
            Err(_) => bad += 1,
        }
    }
    let loaded = library.load().unwrap();
    assert_eq!(loaded.failures.len(), bad);
    let findings: Vec<_> = manifests.iter().flat_map(|read| &read.findings).collect();
    assert_eq!(loaded.findings().collect::<Vec<_>>(), findings);
    for caller in callers() {
        let (eager, view) = (eager(&manifests, &caller), loaded.view(&caller));
        let searching = Searching::of(&manifests, &caller, &eager.forbidden);
        texts.iter().for_each(|text| searching.is_found_by(&view, text));
        eager.is_seen_by(&view, texts);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { max_shrink_iters: 300, ..ProptestConfig::with_cases(10) })]

    #[test]
    fn the_lazy_view_is_the_eager_one(
        first in vec(edit(), 1..5), edits in vec(edit(), 1..4), texts in vec(text(), 3),
        without in select(&["caches", "no caches", "a file in the place of the caches"][..]),
    ) {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        std::fs::create_dir_all(root.join("agents")).unwrap();
        first.iter().for_each(|edit| edit.make(root));
        if without == "a file in the place of the caches" {
            std::fs::create_dir_all(root.join(".ken")).unwrap();
            std::fs::write(root.join(".ken/cache"), "").unwrap();
        }
        is_seen(root, &texts);
        is_seen(root, &texts);
        for edit in edits {
            edit.make(root);
            if without == "no caches" {
                let _ = std::fs::remove_dir_all(root.join(".ken"));
            }
            is_seen(root, &texts);
        }
    }
}
