//! A rich memory: ten agents with a thousand things each, sixty facts and forty lessons on everyday topics of
//! engineering, and prompts as people type them to coding agents.

use ken_memory::Memory;

use crate::machine::Machine;

pub(crate) const AGENTS: usize = 10;
pub(crate) const THINGS_OF_AN_AGENT: usize = 1_000;

/// Names of one word that are proper names: nobody writes them and means something else, in whatever case.
pub(crate) const PROPER: &[&str] = &[
    "Apollo",
    "Larkspur",
    "Quillwort",
    "Zephyr",
    "Tamarind",
    "Kestrel",
    "Wolfram",
    "Ondine",
    "Bramble",
    "Saffron",
    "Juniper",
    "Halcyon",
    "Calypso",
    "Peregrine",
    "Obsidian",
    "Marigold",
    "Thalassa",
    "Nimbus",
    "Cobalt",
    "Vireo",
    "Lumen",
    "Hyperion",
    "Solstice",
    "Umbra",
    "Basilisk",
    "Corvid",
    "Foxglove",
    "Gannet",
    "Hemlock",
    "Isotope",
];

/// Names of one word that everybody also writes in another sense.
pub(crate) const ORDINARY: &[&str] = &[
    "Mercury",
    "Beacon",
    "Relay",
    "Harbor",
    "Switch",
    "Buffer",
    "Anchor",
    "Bridge",
    "Compass",
    "Scheduler",
    "Signal",
    "Sensor",
    "Pulse",
    "Atlas",
    "Grid",
    "Lens",
    "Ledger",
    "Router",
    "Forge",
    "Canvas",
    "Spark",
    "Shield",
    "Vault",
    "Launch",
    "Mirror",
    "Hammer",
    "Prism",
    "Portal",
    "Radar",
    "Scout",
    "Echo",
    "Drift",
    "Pilot",
    "Rocket",
    "Shuttle",
    "Trace",
    "Pixel",
    "Loop",
    "Index",
    "Query",
    "Widget",
    "Banner",
    "Checkout",
    "Dashboard",
    "Gateway",
    "Crawler",
    "Parser",
    "Builder",
    "Runner",
    "Worker",
    "Courier",
    "Keystone",
    "Notebook",
    "Workbench",
    "Insight",
    "Engine",
    "Studio",
    "Console",
    "Stream",
    "Storm",
    "Cloud",
    "Mesh",
    "Nest",
    "Hive",
    "Root",
    "Leaf",
    "Branch",
    "Cascade",
    "Column",
    "Shadow",
    "Shader",
    "Lobby",
    "Arena",
    "Quest",
    "Phoenix",
    "Delta",
    "Sigma",
    "Atom",
    "Proton",
    "Neutron",
];

/// Names of two ordinary words, as teams give them.
pub(crate) const TWO_WORDS: &[&str] = &[
    "Design System",
    "Data Lake",
    "Release Train",
    "Image Proxy",
    "Invoice Mailer",
    "Admin Panel",
    "Style Guide",
    "Build Farm",
    "Search Service",
    "Fraud Rules",
    "Price Engine",
    "Event Bus",
    "Audit Trail",
    "Job Runner",
    "Night Shift",
    "Front Door",
    "Paper Trail",
    "Green Room",
    "Last Mile",
    "Open Banking",
];

const COLOURS: &[&str] = &[
    "Amber", "Azure", "Copper", "Crimson", "Ebony", "Golden", "Indigo", "Ivory", "Jade", "Scarlet", "Silver",
    "Violet",
];
const BEASTS: &[&str] = &[
    "Badger", "Curlew", "Dormouse", "Egret", "Finch", "Gecko", "Heron", "Ibex", "Jackdaw", "Lynx", "Marten",
    "Newt", "Otter", "Puffin", "Quail", "Raven", "Stoat", "Tern", "Urchin", "Vole",
];
const FIRST: &[&str] = &[
    "Ada", "Bruno", "Chiara", "Dmitri", "Elif", "Farah", "Goran", "Hana", "Ivo", "Jelena", "Kofi", "Lucia",
    "Marek", "Nadia", "Oskar", "Priya", "Quentin", "Rosa", "Sven", "Tomoko",
];
const LAST: &[&str] = &[
    "Abernathy",
    "Bjarnason",
    "Castellano",
    "Dumitrescu",
    "Eklund",
    "Fitzwilliam",
    "Grabowski",
    "Haverford",
    "Ishikawa",
    "Jovanovic",
    "Kowalczyk",
    "Lindqvist",
    "Moretti",
    "Novakova",
    "Okonkwo",
    "Petrosyan",
    "Quintero",
    "Rasmussen",
];
const PARTS: &[&str] = &[
    "api", "web", "worker", "infra", "docs", "proto", "mobile", "etl", "cli", "sdk",
];

/// A thing of the library: how it is called, and by what other name.
pub(crate) struct Known {
    pub(crate) name: String,
    pub(crate) alias: Option<String>,
    kind: &'static str,
}

/// The things of all agents, an agent after the other: some known to several, most to one.
pub(crate) fn things() -> Vec<Known> {
    let known = |name: String, alias: Option<String>, kind| Known { name, alias, kind };
    let mut things: Vec<Known> = PROPER
        .iter()
        .chain(ORDINARY)
        .chain(TWO_WORDS)
        .map(|name| known((*name).to_owned(), None, "project"))
        .collect();
    for colour in COLOURS {
        for beast in BEASTS {
            let alias = format!("{}-{}", colour.to_lowercase(), beast.to_lowercase());
            things.push(known(format!("{colour} {beast}"), Some(alias), "project"));
        }
    }
    for first in FIRST {
        for last in LAST {
            things.push(known(
                format!("{first} {last}"),
                Some((*last).to_owned()),
                "person",
            ));
        }
    }
    let mut number = 0;
    while things.len() < AGENTS * THINGS_OF_AN_AGENT {
        let beast = BEASTS[number % BEASTS.len()].to_lowercase();
        let part = PARTS[number / BEASTS.len() % PARTS.len()];
        let turn = number / (BEASTS.len() * PARTS.len());
        let name = match turn {
            0 => format!("{beast}-{part}"),
            _ => format!("{beast}-{part}-{turn}"),
        };
        things.push(known(name, None, "repository"));
        number += 1;
    }
    things
}

/// The prompts of a list, one a line, with `\n` and `\t` spelled out.
pub(crate) fn prompts(list: &str) -> Vec<String> {
    list.lines()
        .map(|line| line.replace("\\n", "\n").replace("\\t", "\t"))
        .collect()
}

const BEFORE: &[&str] = &[
    "please ",
    "hey, ",
    "ok, next: ",
    "Could you ",
    "quick one: ",
    "I'd like you to ",
    "for tomorrow's demo: ",
    "hm, ",
    "in the same file, ",
    "new task. ",
    "@agent ",
    "one more thing, ",
];
const AFTER: &[&str] = &[
    ", and explain why",
    " - no tests needed",
    ". Keep it short.",
    " thx",
    "\n\ndon't touch anything else",
    "?",
    " (asap)",
    ", step by step",
    "\n\nLet me know when you are done, then commit.",
    " :)",
    ". The customer is waiting for it and the deadline is tonight, so do not overthink it.",
    "\n\nHere is what I tried already:\n1. restarted everything\n2. cleared the cache\n3. ran the tests again",
];

/// More prompts on the same topics: each with a beginning and an ending as people put them around a request.
pub(crate) fn dressed(prompts: &[String]) -> Vec<String> {
    let dress = |number: usize, prompt: &String| {
        let (before, after) = (BEFORE[number % BEFORE.len()], AFTER[number * 5 % AFTER.len()]);
        format!("{before}{prompt}{after}")
    };
    prompts
        .iter()
        .enumerate()
        .map(|(number, prompt)| dress(number, prompt))
        .collect()
}

pub(crate) const OTHER: &str = include_str!("prompts/other.txt");
pub(crate) const TOUCHING: &str = include_str!("prompts/touching.txt");
const FACTS: &str = include_str!("prompts/facts.txt");
const LESSONS: &str = include_str!("prompts/lessons.txt");

/// Puts the facts and lessons into the repository of a machine, and trusts it.
pub(crate) fn teach(machine: &Machine) {
    let facts: String = FACTS
        .lines()
        .enumerate()
        .map(|(number, line)| {
            let [key, category, text] = line.splitn(3, '|').map(str::trim).collect::<Vec<_>>()[..] else {
                panic!("{line}");
            };
            let key = if key.is_empty() {
                String::new()
            } else {
                format!("key: {key}, ")
            };
            format!(
                "  - {{id: e_{number:03}, {key}category: {category}, text: {}}}\n",
                serde_json::json!(text)
            )
        })
        .collect();
    machine.write(
        "edicts.yaml",
        &format!("version: 1\nconfig: {{tokenBudget: 4000}}\nedicts:\n{facts}"),
    );
    let lessons: String = LESSONS
        .lines()
        .enumerate()
        .map(|(number, line)| {
            let (skill, text) = line.split_once(" | ").unwrap();
            format!(
                "## {skill}\n<!-- dreamd:lesson id=\"evt_01JR0407120000000000000{number:03}\" cluster=\"{skill}\" -->\n\
                 {text}\nrecurrence 2 · pain 6 · last seen 2026-11-{:02} · codex\n<!-- /dreamd:lesson -->\n\n",
                1 + number % 28
            )
        })
        .collect();
    ken_dotagent::Folder::init(&machine.repo).unwrap();
    machine.write(
        ".agent/semantic/LESSONS.md",
        &format!("---\nlast_updated: \"2026-11-28\"\nprompt_version: \"deterministic-only\"\nlessons: 40\n---\n\n{lessons}"),
    );
    machine.person().trust().unwrap();
}

/// Puts the things into the library of a machine.
pub(crate) fn acquaint(machine: &Machine) {
    for (number, things) in things().chunks(THINGS_OF_AN_AGENT).enumerate() {
        let rows: String = things
            .iter()
            .map(|thing| {
                let alias = thing.alias.as_ref().map(|alias| format!(", aliases: [{alias}]"));
                format!(
                    "  - {{name: {}, type: {}, summary: What agent {number} noted of it, visibility: team{}}}\n",
                    thing.name,
                    thing.kind,
                    alias.unwrap_or_default()
                )
            })
            .collect();
        machine.manifest(
            &format!("agent-{number}"),
            &format!(
                "spec_version: \"0.1\"\nagent: {{id: agent-{number}, type: code-assistant}}\n\
                 last_updated: \"2026-11-29T10:00:00Z\"\nknown_entities:\n{rows}\
                 visibility_policy: {{default: team}}\n"
            ),
        );
    }
}

/// The rich memory, as an agent asks it.
pub(crate) fn memory() -> (Machine, Memory) {
    let machine = Machine::empty();
    acquaint(&machine);
    teach(&machine);
    let memory = machine.agent("codex");
    assert_eq!(memory.status().counts.entities, things().len());
    (machine, memory)
}
