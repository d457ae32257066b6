//! No forbidden name in any answer: random libraries, every level, every question.

use std::collections::BTreeSet;

use ken_library::{AccessLevel, Caller, Grant};
use ken_memory::{BriefRequest, FactsRequest, Memory, Rank, RecallRequest, RecentRequest, Situation};
use proptest::prelude::*;

use crate::machine::{Machine, learn};

/// Names that no word of these tests contains.
const NAMES: [&str; 8] = [
    "Quasarine",
    "Nimbrel",
    "Vexoria",
    "Thornapple Deal",
    "zeta_vault",
    "Ostrava-Nine",
    "Крылов",
    "東雲計画",
];
const AGENTS: [&str; 2] = ["alpha", "beta"];

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Public,
    Team,
    Private,
}

#[derive(Debug, Clone)]
struct Row {
    agent: usize,
    name: usize,
    alias: Option<usize>,
    workstream: bool,
    level: Option<Level>,
    private_tag: bool,
    mentions: Option<usize>,
}

#[derive(Debug, Clone)]
struct World {
    defaults: [Option<Level>; 2],
    rows: Vec<Row>,
    /// Texts that mention names: as session, note, event, edict, lesson, in turn.
    texts: Vec<usize>,
}

fn level() -> impl Strategy<Value = Option<Level>> {
    prop_oneof![
        2 => Just(None),
        1 => Just(Some(Level::Public)),
        2 => Just(Some(Level::Team)),
        2 => Just(Some(Level::Private)),
    ]
}

fn world() -> impl Strategy<Value = World> {
    let name = 0..NAMES.len();
    let row = (
        0..2usize,
        name.clone(),
        prop::option::of(name.clone()),
        any::<bool>(),
        level(),
        prop::bool::weighted(0.2),
        prop::option::of(name.clone()),
    )
        .prop_map(
            |(agent, name, alias, workstream, level, private_tag, mentions)| Row {
                agent,
                name,
                alias,
                workstream,
                level,
                private_tag,
                mentions,
            },
        );
    (
        [level(), level()],
        prop::collection::vec(row, 1..8),
        prop::collection::vec(name, 10),
    )
        .prop_map(|(defaults, rows, texts)| World {
            defaults,
            rows,
            texts,
        })
}

impl Row {
    /// The ruling, in the words of this test: private tag, own word, default, undeclared.
    fn seen_at(&self, world: &World, level: Level, remote: bool) -> bool {
        let effective = if self.private_tag {
            Level::Private
        } else {
            self.level.or(world.defaults[self.agent]).unwrap_or(if remote {
                Level::Private
            } else {
                Level::Team
            })
        };
        effective <= level
    }

    fn names(&self) -> impl Iterator<Item = usize> {
        std::iter::once(self.name).chain(self.alias)
    }
}

impl World {
    /// The names above a level that no row within it bears.
    fn forbidden(&self, level: Level, remote: bool) -> BTreeSet<usize> {
        let of = |seen: bool| -> BTreeSet<usize> {
            self.rows
                .iter()
                .filter(|row| row.seen_at(self, level, remote) == seen)
                .flat_map(Row::names)
                .collect()
        };
        &of(false) - &of(true)
    }

    fn machine(&self) -> Machine {
        let machine = Machine::empty();
        let said = |turn: usize| format!("Common words on {} turn {turn}", NAMES[self.texts[turn]]);
        for (agent, id) in AGENTS.iter().enumerate() {
            let mut manifest = format!(
                "spec_version: \"0.1\"\nagent:\n  id: {id}\n  type: other\n  role_narrative: Common words on {}\nlast_updated: \"2026-11-29T00:00:00Z\"\ncapabilities: [common, \"{}\"]\n",
                NAMES[self.texts[8]], NAMES[self.texts[9]]
            );
            for (section, workstream) in [("known_entities", false), ("known_workstreams", true)] {
                manifest.push_str(&format!("{section}:\n"));
                let rows = self
                    .rows
                    .iter()
                    .filter(|row| row.agent == agent && row.workstream == workstream);
                let mut any = false;
                for row in rows {
                    any = true;
                    manifest.push_str(&format!(
                        "  - name: \"{}\"\n    summary: Common words",
                        NAMES[row.name]
                    ));
                    manifest.push_str(
                        &row.mentions
                            .map(|name| format!(" on {}\n", NAMES[name]))
                            .unwrap_or("\n".to_owned()),
                    );
                    if workstream {
                        manifest.push_str("    status: active\n");
                    }
                    if let Some(alias) = row.alias {
                        manifest.push_str(&format!("    aliases: [\"{}\"]\n", NAMES[alias]));
                    }
                    if let Some(level) = row.level {
                        manifest.push_str(&format!(
                            "    visibility: {}\n",
                            format!("{level:?}").to_lowercase()
                        ));
                    }
                    if row.private_tag {
                        manifest.push_str("    tags: [health]\n");
                    }
                }
                if !any {
                    manifest = manifest.replace(&format!("{section}:\n"), "");
                }
            }
            manifest.push_str(&format!(
                "recent_sessions:\n  - {{date: \"2026-11-28\", key_actions: [\"{}\"], project_focus: [orchard, \"{}\"], visibility: public}}\n",
                said(0),
                NAMES[self.texts[1]],
            ));
            manifest.push_str(&format!(
                "  - {{date: \"2026-11-27\", key_actions: [Common words], project_focus: [\"{}\"], files_touched: [\"src/{}.rs\"], visibility: public}}\n",
                NAMES[self.texts[2]],
                NAMES[self.texts[3]],
            ));
            manifest.push_str(&format!(
                "notes:\n  - {{date: \"2026-11-28\", text: \"{}\", visibility: public}}\n",
                said(4)
            ));
            if let Some(default) = self.defaults[agent] {
                manifest.push_str(&format!(
                    "visibility_policy: {{default: {}}}\n",
                    format!("{default:?}").to_lowercase()
                ));
            }
            machine.manifest(id, &manifest);
        }
        ken_dotagent::Folder::init(&machine.repo).unwrap();
        let person = machine.person();
        learn(&person, &said(5), |_| {});
        learn(&person, "Common words", |request| {
            request.tags = vec![NAMES[self.texts[6]].to_owned()];
        });
        learn(&person, "Common words that everybody may read", |_| {});
        machine.write(
            "edicts.yaml",
            &format!(
                "version: 1\nedicts:\n  - {{id: e_001, category: c, text: \"{}\"}}\n  - {{key: \"{}\", category: c, text: Common words}}\n  - {{id: e_003, category: c, text: Common words, tags: [\"{}\"], source: \"{}\"}}\n",
                said(7), NAMES[self.texts[8]], NAMES[self.texts[9]], NAMES[self.texts[0]],
            ),
        );
        machine.write(
            ".agent/semantic/LESSONS.md",
            &format!(
                "## {}\n<!-- dreamd:lesson id=\"evt_01JR04071200XYZA1B2C3D4E5F\" cluster=\"c\" -->\nCommon words\n<!-- /dreamd:lesson -->\n## general\n<!-- dreamd:lesson id=\"evt_01JR04071200XYZA1B2C3D4E5G\" cluster=\"c\" -->\n{}\n<!-- /dreamd:lesson -->\n",
                NAMES[self.texts[1]], said(2),
            ),
        );
        person.trust().unwrap();
        machine
    }
}

/// Everything that can be asked without saying a name.
fn answers(machine: &Machine, memory: &Memory) -> String {
    let everything = RecallRequest {
        k: 100,
        all: true,
        explain: true,
        ..RecallRequest::new("common words everybody health")
    };
    let salient = RecallRequest {
        rank: Rank::Salience,
        ..everything.clone()
    };
    let undated = RecentRequest {
        undated: true,
        limit: Some(1),
        ..RecentRequest::default()
    };
    [
        machine.shown(&memory.recall(&everything)),
        machine.shown(&memory.recall(&salient)),
        machine.shown(&memory.recall(&RecallRequest::new("since:2020-01-01"))),
        machine.shown(&memory.recognise(&format!("On {}.", NAMES.join(", ")))),
        machine.shown(&memory.brief(&BriefRequest::new(Situation::SessionStart))),
        machine.shown(&memory.brief(&BriefRequest::new(Situation::Prompt(format!(
            "common words {}",
            NAMES.join(" or ")
        ))))),
        machine.shown(&memory.facts(&FactsRequest::default())),
        machine.shown(&memory.facts(&FactsRequest {
            query: Some("common".to_owned()),
            ..FactsRequest::default()
        })),
        machine.shown(&memory.who_knows("common words")),
        machine.shown(&memory.who_knows("common")),
        machine.shown(&memory.recent_work(&RecentRequest::default()).unwrap()),
        machine.shown(&memory.recent_work(&undated).unwrap()),
        machine.shown(&memory.agents(None, None)),
        machine.shown(&memory.status()),
    ]
    .join("\n")
}

/// Everything that can be asked with a name, the name taken out.
fn answers_to(machine: &Machine, memory: &Memory, name: &str) -> Vec<String> {
    let without = |text: String| text.replace(name, "NAME");
    vec![
        without(machine.shown(&memory.who_knows(name))),
        without(machine.shown(&memory.recall(&RecallRequest::new(format!("{name} kind:entity kind:note"))))),
        without(machine.shown(&memory.recognise(name))),
        without(machine.shown(&memory.brief(&BriefRequest::new(Situation::Prompt(name.to_owned()))))),
        without(machine.shown(&memory.facts(&FactsRequest {
            query: Some(name.to_owned()),
            ..FactsRequest::default()
        }))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 10, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_forbidden_name_leaves(world in world()) {
        let machine = world.machine();
        let person = answers(&machine, &machine.person());
        for row in &world.rows {
            prop_assert!(person.contains(NAMES[row.name]), "the person sees {}", NAMES[row.name]);
        }
        let granted = Caller::remote(AccessLevel::Team).with_grants([Grant::Events("orchard".to_owned())]);
        for (caller, level, remote) in [
            (Caller::local_agent(AccessLevel::Public), Level::Public, false),
            (Caller::local_agent(AccessLevel::Team), Level::Team, false),
            (Caller::remote(AccessLevel::Public), Level::Public, true),
            (granted, Level::Team, true),
        ] {
            let memory = machine.caller(caller, None);
            let said = answers(&machine, &memory).to_lowercase();
            for name in world.forbidden(level, remote) {
                let name = NAMES[name];
                for spelling in [name.to_lowercase(), name.to_lowercase().replace(['_', '-'], " ")] {
                    prop_assert!(!said.contains(&spelling), "{name} at {level:?}, remote {remote}: {said}");
                }
                // As long, so that only the name itself differs.
                let unknown = "q".repeat(name.len());
                for (private, never) in answers_to(&machine, &memory, name).into_iter().zip(answers_to(&machine, &memory, &unknown)) {
                    prop_assert_eq!(private, never, "{} at {:?}", name, level);
                }
            }
        }
    }
}
