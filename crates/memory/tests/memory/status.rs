use ken_library::{AccessLevel, Caller};
use ken_memory::{Counts, Status, Surroundings};

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
    assert_eq!(next(&machine).as_deref(), Some("ken init"));
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
    assert_eq!(after(&Machine::lived_in()).as_deref(), Some("ken edict validate"));
}

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
    assert_eq!(next(&lived_in, &nobody).0, "ken edict validate");
    lived_in.person().untrust().unwrap();
    assert_eq!(next(&lived_in, &unwired).0, "ken trust");
    lived_in.write("edicts.yaml", "version: 7\n");
    assert_eq!(next(&lived_in, &failing).0, "ken edict validate");
}
