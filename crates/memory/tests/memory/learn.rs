use ken_library::{AccessLevel, Caller};
use ken_memory::{Error, LearnRequest, Memory, Project, RecallRequest, Setting};

use crate::machine::{Machine, NOW, clock, learn, texts};

#[test]
fn what_was_learned_is_found_by_the_next_question_of_anybody() {
    let machine = Machine::lived_in();
    let (writer, reader) = (machine.agent("claude-code"), machine.agent("codex"));
    for number in 0..5 {
        let content = format!("The flux capacitor needs {number} gigawatts");
        let learned = learn(&writer, &content, |_| {});
        assert_eq!(learned.source_harness, "claude-code");
        let hit = &reader.recall(&RecallRequest::new("flux capacitor")).hits[..=number];
        let hit = hit.iter().find(|hit| hit.text == content).unwrap();
        assert_eq!(hit.id, learned.id);
        assert_eq!(hit.place.as_deref(), Some(learned.place.as_str()));
        assert_eq!(hit.who, ["claude-code"]);
        assert_eq!(hit.project.as_deref(), Some("orchard"));
    }
}

#[test]
fn without_a_place_to_write_it_says_what_to_do() {
    let machine = Machine::empty();
    let refused = machine.person().learn(LearnRequest::new("x")).unwrap_err();
    assert!(matches!(refused, Error::NoAgentFolder { .. }));
    assert!(refused.to_string().contains("`ken init`"), "{refused}");
    let outside = Memory::open(Setting::person(
        machine.paths.clone(),
        clock(NOW),
        Project::find(&machine.paths.home, &machine.paths),
    ))
    .unwrap();
    assert!(matches!(
        outside.learn(LearnRequest::new("x")),
        Err(Error::NoProject)
    ));
}

#[test]
fn a_broken_rule_writes_nothing() {
    let machine = Machine::lived_in();
    let memory = machine.person();
    for request in [
        LearnRequest::new("  "),
        LearnRequest {
            pain: 11.0,
            ..LearnRequest::new("x")
        },
        LearnRequest {
            origin: Some("rumour".to_owned()),
            ..LearnRequest::new("x")
        },
    ] {
        assert!(matches!(memory.learn(request), Err(Error::Agent(_))));
    }
    assert!(texts(&memory, "x kind:event").is_empty());
}

#[test]
fn a_credential_is_neither_written_nor_shown() {
    let machine = Machine::lived_in();
    let memory = machine.person();
    let secret = format!("ghp_{}", "aB3dE6gH9j".repeat(4).get(..36).unwrap());
    let learned = learn(&memory, &format!("the deploy token is {secret}"), |_| {});
    let shown = format!(
        "{learned:?}{:?}",
        memory.recall(&RecallRequest::new("deploy token"))
    );
    assert_eq!(learned.redacted.is_empty(), !shown.contains("[redacted:"));
    // One that a person typed into a file by hand does not go out either.
    machine.write(
        "edicts.yaml",
        &format!("version: 1\nedicts:\n  - id: e_001\n    text: use {secret} to deploy\n    category: ops\n"),
    );
    let answers = [
        machine.shown(&memory.recall(&RecallRequest::new("deploy"))),
        machine.shown(&memory.facts(&ken_memory::FactsRequest::default())),
    ];
    for answer in answers {
        assert!(answer.contains("to deploy"), "{answer}");
        assert!(!answer.contains(&secret), "{answer}");
    }
}

#[test]
fn nobody_writes_from_afar() {
    let machine = Machine::lived_in();
    let remote = machine.caller(Caller::remote(AccessLevel::Team), None);
    assert!(matches!(
        remote.learn(LearnRequest::new("x")),
        Err(Error::NotAllowed { .. })
    ));
    assert!(matches!(remote.trust(), Err(Error::NotAllowed { .. })));
}

#[test]
fn what_was_injected_is_not_learned_back() {
    let machine = Machine::lived_in();
    let memory = machine.agent("codex");
    let brief = memory
        .brief(&ken_memory::BriefRequest::new(
            ken_memory::Situation::SessionStart,
        ))
        .text;
    assert!(brief.contains("PostgreSQL"));
    let learned = learn(&memory, &format!("{brief}\nThe mirror moved."), |_| {});
    assert_eq!(learned.content, "The mirror moved.");
    assert!(memory.learn(LearnRequest::new(brief)).is_err());
}

/// A machine whose person alone knows `Zephyrine`, and the names under which the log holds something of it.
fn with_a_private_name() -> Machine {
    let machine = Machine::lived_in();
    let person = machine.person();
    learn(&person, "Zephyrine keeps the vault key", |request| {
        request.dedup_key = Some("text".to_owned());
    });
    for (key, change) in [
        (
            "harness",
            (|r| r.harness = Some("zephyrine".to_owned())) as fn(&mut LearnRequest),
        ),
        ("tags", |r| r.tags = vec!["Zephyrine".to_owned()]),
        ("skill", |r| r.skill_action = Some("zephyrine::keys".to_owned())),
        ("supersedes", |r| {
            r.supersedes = Some("zephyrine::keys".to_owned());
        }),
    ] {
        learn(&person, "The vault rotates on Mondays", |request| {
            request.dedup_key = Some(key.to_owned());
            change(request);
        });
    }
    learn(&person, "The vault is blue", |request| {
        request.dedup_key = Some("zephyrine-7".to_owned());
    });
    machine
}

#[test]
fn a_known_key_gives_away_nothing_that_recall_withholds() {
    let machine = with_a_private_name();
    let (person, agent) = (machine.person(), machine.agent("codex"));
    for key in ["text", "harness", "tags", "skill", "supersedes", "zephyrine-7"] {
        let request = LearnRequest {
            dedup_key: Some(key.to_owned()),
            skill_action: Some("own skill".to_owned()),
            ..LearnRequest::new(" my own words ")
        };
        let whole = person.learn(request.clone()).unwrap();
        let learned = agent.learn(request).unwrap();
        assert_eq!(learned.id, whole.id, "{key}");
        assert!(
            learned.deduplicated && whole.content.contains("ault"),
            "{key}: {whole:?}"
        );
        assert_eq!(learned.content, "my own words", "{key}");
        assert_eq!(learned.skill_action, "own_skill", "{key}");
        assert_eq!(
            (learned.source_harness.as_str(), learned.recurrence),
            ("codex", 0),
            "{key}"
        );
        assert!(
            learned.place.ends_with("AGENT_LEARNINGS.jsonl"),
            "{key}: {learned:?}"
        );
    }
    // What the caller may read comes back as it stands.
    learn(&person, "The mirror moved", |request| {
        request.dedup_key = Some("open".to_owned());
    });
    let learned = learn(&agent, "another text", |request| {
        request.dedup_key = Some("open".to_owned());
    });
    assert_eq!(
        (learned.content.as_str(), learned.source_harness.as_str()),
        ("The mirror moved", "cli")
    );
}

#[test]
fn a_private_name_in_any_part_of_an_event_withholds_it() {
    let machine = with_a_private_name();
    learn(&machine.agent("codex"), "The vault rotates on Mondays", |_| {});
    let all = |memory: &Memory, query: &str| memory.recall(&RecallRequest::new(query)).hits;
    let (person, agent) = (machine.person(), machine.agent("codex"));
    assert_eq!(all(&person, "vault kind:event").len(), 3);
    let hits = all(&agent, "vault kind:event");
    assert_eq!(hits.len(), 1, "{hits:?}");
    assert_eq!((hits[0].copies, hits[0].superseded_by.as_deref()), (1, None));
    assert_eq!(hits[0].who, ["codex"]);
    for query in ["harness:zephyrine", "tag:zephyrine", "skill:zephyrine"] {
        assert!(!all(&person, query).is_empty(), "{query}");
        assert!(all(&agent, query).is_empty(), "{query}");
    }
    let status = agent.status();
    assert_eq!((status.counts.events, person.status().counts.events), (1, 7));
    assert!(!machine.shown(&status).to_lowercase().contains("zephyrine"));
}
