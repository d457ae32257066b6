use ken_library::{AccessLevel, Caller};
use ken_memory::{Counts, IllWired, Memory, Setting, Status, Surroundings};

use crate::machine::{Machine, learn};

fn next(machine: &Machine) -> Option<String> {
    machine.person().status().next.map(|next| next.command)
}

#[test]
fn status_counts_what_the_caller_may_see() {
    let machine = Machine::lived_in();
    learn(&machine.agent("cursor"), "a gimmick", |_| {});
    let person = machine.person().status();
    assert_eq!(
        person.counts,
        Counts {
            agents: 3,
            entities: 6,
            sessions: 4,
            workstreams: 1,
            notes: 1,
            events: 1,
            lessons: 2,
            edicts: 2,
        }
    );
    assert_eq!(person.stale_agents, ["codex"]);
    let due: Vec<(&str, &str)> = person
        .edicts_due
        .iter()
        .map(|due| (due.id.as_str(), due.why.as_str()))
        .collect();
    assert_eq!(due, [("e_001", "expiring")]);
    let writes: Vec<(&str, &str)> = person
        .last_writes
        .iter()
        .map(|write| (write.what.as_str(), write.who.as_str()))
        .collect();
    assert_eq!(
        writes,
        [("event", "cursor"), ("manifest", "notes"), ("edict", "manual")]
    );
    let agent = machine.agent("codex").status();
    assert_eq!((agent.counts.entities, agent.counts.sessions), (5, 3));
    let public = machine
        .caller(Caller::local_agent(AccessLevel::Public), None)
        .status();
    assert_eq!(
        (
            public.counts.edicts,
            public.counts.lessons,
            public.counts.agents,
            public.counts.entities
        ),
        (0, 0, 0, 1)
    );
}

#[test]
fn the_next_thing_to_do_follows_what_is_wrong() {
    let machine = Machine::empty();
    assert_eq!(next(&machine).as_deref(), Some("ken up"));
    let machine = Machine::lived_in();
    assert_eq!(next(&machine).as_deref(), Some("ken sync"), "codex is stale");
    machine.person().untrust().unwrap();
    assert_eq!(next(&machine).as_deref(), Some("ken trust"));
    machine.manifest("broken", "][");
    assert_eq!(next(&machine).as_deref(), Some("ken library validate"));
    machine.write("edicts.yaml", "version: 7\n");
    assert_eq!(next(&machine).as_deref(), Some("ken edict validate"));
}

#[test]
fn right_after_a_sync_nobody_is_sent_to_sync() {
    let after = |machine: &Machine| {
        let next = machine.person().status().after_sync().next;
        next.map(|next| next.command)
    };
    let machine = Machine::empty();
    ken_dotagent::Folder::init(&machine.repo).unwrap();
    machine.person().trust().unwrap();
    assert_eq!(next(&machine).as_deref(), Some("ken sync"));
    let said = after(&machine).unwrap_or_default();
    assert!(said.starts_with("ken learn \""), "{said}");
    learn(&machine.person(), "a good line", |_| {});
    assert_eq!(after(&machine), None);
    // `codex` stays stale when its store said nothing new.
    assert_eq!(after(&Machine::lived_in()).as_deref(), Some(LATER));
}

/// What is said of the fact that expires within three days.
const LATER: &str = "ken edict update --expires-in 4w e_001";

#[test]
fn what_cannot_be_read_is_listed_with_its_place() {
    let machine = Machine::lived_in();
    learn(&machine.person(), "a good line", |_| {});
    let log = machine.repo.join(".agent/episodic/AGENT_LEARNINGS.jsonl");
    let mut bytes = std::fs::read(&log).unwrap();
    bytes.extend(b"oops\n");
    std::fs::write(&log, bytes).unwrap();
    machine.write(
        "edicts.yaml",
        "version: 1\nedicts:\n  - {id: a, text: ok, category: c}\n  - {id: b, text: 7, category: []}\n",
    );
    machine.manifest("broken", "agent: {id: broken\n  Hushname: x");
    std::fs::create_dir_all(&machine.paths.state).unwrap();
    std::fs::write(machine.paths.state.join("trust.json"), "nonsense").unwrap();
    let status: Status = machine.person().status();
    let places: Vec<&str> = status
        .troubles
        .iter()
        .map(|trouble| trouble.place.as_str())
        .collect();
    for part in ["AGENT_LEARNINGS.jsonl:2", "edicts.yaml:4:", "broken.l5.yaml"] {
        assert!(
            places.iter().any(|place| place.contains(part)),
            "{part}: {places:?}"
        );
    }
    assert!(
        status
            .troubles
            .iter()
            .any(|trouble| trouble.message.contains("trust.json"))
    );
    assert_eq!(status.counts.events, 1);
    assert_eq!(status.counts.edicts, 1);
    let agent = machine.shown(&machine.agent("codex").status());
    assert!(!agent.contains("Hushname"), "{agent}");
}

#[test]
fn what_stands_around_the_memory_decides_with_it_what_is_next() {
    let machine = Machine::empty();
    ken_dotagent::Folder::init(&machine.repo).unwrap();
    machine.person().trust().unwrap();
    let next = |machine: &Machine, around: &Surroundings| {
        let next = machine.person().status().with_surroundings(around).next;
        next.map(|next| (next.command, next.why)).unwrap_or_default()
    };
    let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect::<Vec<String>>();
    let nobody = Surroundings {
        agents_here: Some(Vec::new()),
        ..Surroundings::default()
    };
    let unwired = Surroundings {
        agents_here: Some(ids(&["claude-code", "codex"])),
        unwired: ids(&["claude-code", "codex"]),
        ..Surroundings::default()
    };
    assert_eq!(next(&machine, &Surroundings::default()).0, "ken sync");
    // No agent is here: there is nothing to sync, however often it is done.
    assert!(next(&machine, &nobody).0.starts_with("ken learn"));
    assert_eq!(
        next(&machine, &unwired),
        (
            "ken setup".to_owned(),
            "claude-code, codex are on this machine and are not wired to ask this memory".to_owned()
        )
    );
    let failing = Surroundings {
        hook_failures: 3,
        ..unwired.clone()
    };
    assert_eq!(
        next(&machine, &failing),
        ("ken doctor".to_owned(), "3 calls of hooks failed".to_owned())
    );
    // Broken before missing, missing before old.
    let lived_in = Machine::lived_in();
    let wired = Surroundings {
        unwired: Vec::new(),
        ..unwired.clone()
    };
    assert_eq!(next(&lived_in, &unwired).0, "ken setup");
    assert_eq!(
        next(&lived_in, &wired),
        ("ken sync".to_owned(), "not read for 14 days: codex".to_owned())
    );
    // An agent that is not here any more is not read again.
    assert_eq!(next(&lived_in, &nobody).0, LATER);
    // Nor one whose store told nothing new a while ago.
    let read = Surroundings {
        read_lately: ids(&["codex"]),
        ..wired.clone()
    };
    assert_eq!(next(&lived_in, &read).0, LATER);
    let empty = Surroundings {
        read_lately: ids(&["claude-code", "codex"]),
        ..wired.clone()
    };
    assert!(next(&machine, &empty).0.starts_with("ken learn"));
    assert_eq!(next(&machine, &read).0, "ken sync", "the other was not read yet");
    // A wiring that lacks a part comes before everything that is missing as a whole.
    let ill = |remedy: Option<&str>| Surroundings {
        ill_wired: vec![IllWired {
            why: "it lacks prompt".to_owned(),
            remedy: remedy.map(str::to_owned),
        }],
        ..unwired.clone()
    };
    let lacks = |command: &str| (command.to_owned(), "it lacks prompt".to_owned());
    assert_eq!(
        next(&lived_in, &ill(Some("ken setup codex"))),
        lacks("ken setup codex")
    );
    assert_eq!(next(&lived_in, &ill(None)), lacks("ken doctor"));
    let unreadable = Surroundings {
        unreadable: vec!["/x cannot be read".to_owned()],
        ..ill(None)
    };
    assert_eq!(
        next(&lived_in, &unreadable),
        ("ken doctor".to_owned(), "/x cannot be read".to_owned())
    );
    lived_in.person().untrust().unwrap();
    assert_eq!(next(&lived_in, &unwired).0, "ken trust");
    lived_in.write("edicts.yaml", "version: 7\n");
    assert_eq!(next(&lived_in, &failing).0, "ken edict validate");
}

#[test]
fn outside_a_repository_the_next_thing_can_be_done_there() {
    let machine = Machine::empty();
    let outside = Memory::open(Setting {
        project: None,
        ..machine.setting()
    })
    .unwrap();
    let next = |around: &Surroundings| {
        let next = outside.status().with_surroundings(around).next;
        next.map(|next| next.command)
    };
    let here = |read_lately: &[&str], unwired: &[&str]| {
        let own = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
        Surroundings {
            agents_here: Some(own(&["codex"])),
            read_lately: own(read_lately),
            unwired: own(unwired),
            ..Surroundings::default()
        }
    };
    let nobody = Surroundings {
        agents_here: Some(Vec::new()),
        ..Surroundings::default()
    };
    assert_eq!(next(&nobody).as_deref(), Some("ken up"));
    assert_eq!(next(&here(&[], &["codex"])).as_deref(), Some("ken setup --user"));
    assert_eq!(next(&here(&[], &[])).as_deref(), Some("ken sync"));
    assert_eq!(next(&here(&["codex"], &[])).as_deref(), Some("ken up"));
    machine.manifest(
        "codex",
        "spec_version: \"0.1\"\nagent: {id: codex, type: code-assistant}\nlast_updated: \"2026-11-29T00:00:00Z\"\n",
    );
    assert_eq!(next(&here(&["codex"], &[])), None, "all is well");
}

#[test]
fn a_fact_that_is_due_is_named_with_what_can_be_done_about_it() {
    let edict = |id: &str, rest: &str| {
        format!("  - {{id: \"{id}\", text: the port of {id} is 7, category: c, {rest}}}\n")
    };
    let said = |edicts: &[String]| {
        let machine = Machine::empty();
        ken_dotagent::Folder::init(&machine.repo).unwrap();
        machine.write(
            "edicts.yaml",
            &format!("version: 1\nedicts:\n{}", edicts.concat()),
        );
        machine.person().trust().unwrap();
        let nobody = Surroundings {
            agents_here: Some(Vec::new()),
            ..Surroundings::default()
        };
        learn(&machine.person(), "a good line", |_| {});
        let status = machine.person().status().with_surroundings(&nobody);
        assert_eq!(status.edicts_due.len(), edicts.len(), "{:?}", status.troubles);
        status.next.map(|next| (next.command, next.why))
    };
    let stale = edict(
        "old one",
        "ttl: durable, created: 2025-01-01T00:00:00Z, updated: 2025-01-01T00:00:00Z",
    );
    let soon = edict("-soon", "ttl: event, expiresAt: 2026-12-01T00:00:00Z");
    let later = edict("later", "ttl: event, expiresAt: 2026-12-02T00:00:00Z");
    let passing = edict("passing", "ttl: ephemeral, expiresAt: 2026-12-01T00:00:00Z");
    let pair = |command: &str, why: &str| Some((command.to_owned(), why.to_owned()));
    assert_eq!(
        said(&[stale.clone(), later, soon.clone()]),
        pair(
            "ken edict update --expires-in 4w -- -soon",
            "it expires at 2026-12-01T00:00:00Z; say how long it still holds, or leave it to expire"
        )
    );
    assert_eq!(
        said(&[stale, passing.clone()]),
        pair(
            "ken edict confirm 'old one'",
            "nobody confirmed it since 2025-01-01T00:00:00Z; say so if it still holds"
        )
    );
    assert_eq!(said(&[passing]), None);
}

#[test]
fn what_is_broken_is_named_by_the_command_that_finds_it() {
    // Neither the name of a folder nor a line of the log makes it the edicts' or the library's.
    let machine = Machine::empty();
    let repo = machine.paths.home.join("my-library/edicts.d");
    std::fs::create_dir_all(repo.join(".git/objects")).unwrap();
    std::fs::create_dir_all(repo.join(".git/refs")).unwrap();
    std::fs::write(repo.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    let person = || {
        let project = ken_memory::Project::find(&repo, &machine.paths);
        let setting = Setting {
            project,
            ..machine.setting()
        };
        Memory::open(setting).unwrap()
    };
    let next = || person().status().next.map(|next| next.command);
    std::fs::write(repo.join(".agent"), "a file").unwrap();
    assert_eq!(next().as_deref(), Some("ken doctor"), "`ken up` could not help");
    std::fs::remove_file(repo.join(".agent")).unwrap();
    ken_dotagent::Folder::init(&repo).unwrap();
    std::fs::write(repo.join(".agent/episodic/AGENT_LEARNINGS.jsonl"), "oops\n").unwrap();
    assert_eq!(next().as_deref(), Some("ken doctor"));
    std::fs::write(repo.join(".agent/episodic/AGENT_LEARNINGS.jsonl"), "").unwrap();
    std::fs::create_dir_all(&machine.paths.state).unwrap();
    std::fs::write(machine.paths.state.join("trust.json"), "nonsense").unwrap();
    assert_eq!(
        next().as_deref(),
        Some("ken doctor"),
        "`ken trust` could not help"
    );
    machine.manifest("broken", "][");
    assert_eq!(next().as_deref(), Some("ken library validate"));
    std::fs::write(repo.join("edicts.yaml"), "version: 7\n").unwrap();
    assert_eq!(next().as_deref(), Some("ken edict validate"));
}

#[test]
fn what_is_near_its_limit_or_has_expired_is_said_with_what_to_type() {
    let machine = Machine::lived_in();
    let status = machine.person().status();
    assert_eq!(
        status.edicts_due[0].next,
        "ken edict update --expires-in 4w e_001"
    );
    let text = std::fs::read_to_string(machine.repo.join("edicts.yaml")).unwrap();
    let limited = text.replace(
        "version: 1\n",
        "version: 1\nconfig:\n  maxEdicts: 2\n  tokenBudget: 20\n",
    );
    machine.write("edicts.yaml", &limited);
    let said: Vec<String> = machine
        .person()
        .status()
        .troubles
        .into_iter()
        .map(|trouble| format!("{}: {}", trouble.severity, trouble.message))
        .collect();
    insta::assert_snapshot!(said.join("\n"), @"
    warning: 100 % of maxEdicts is used: 2 of 2 edicts; see `ken edict stats`
    warning: 135 % of tokenBudget is used: 27 of 20 tokens; see `ken edict stats`
    warning: 1 edict has expired; the next write moves it to history, and `ken edict validate` lists it
    ");
    let stale = machine.at("2027-06-01T00:00:00Z");
    let text = text.replace("ttl: permanent", "ttl: durable");
    machine.write("edicts.yaml", &text);
    let due = &stale.status().edicts_due[0];
    assert_eq!(
        (due.why.as_str(), due.next.as_str()),
        ("stale", "ken edict confirm db_version")
    );
    let brief = stale.brief(&ken_memory::BriefRequest::new(
        ken_memory::Situation::SessionStart,
    ));
    assert!(
        brief
            .text
            .contains("(from platform team; last confirmed 2026-01-10)"),
        "{}",
        brief.text
    );
}
