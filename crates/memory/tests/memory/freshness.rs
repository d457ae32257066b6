use ken_memory::{FactsRequest, RecallRequest};

use crate::machine::{Machine, learn, texts};

#[test]
fn a_memory_that_stays_open_sees_what_others_wrote_a_moment_ago() {
    let machine = Machine::lived_in();
    let open = machine.agent("codex");
    assert_eq!(open.recognise("Basilisk").recognised.len(), 0);
    for round in 0..20 {
        let name = format!("Basilisk{round}x");
        machine.manifest(
            "late",
            &format!(
                "spec_version: \"0.1\"\nagent: {{id: late, type: other}}\nlast_updated: \"2026-11-30T00:00:00Z\"\n\
                 known_entities:\n  - {{name: {name}, visibility: team}}\n"
            ),
        );
        assert_eq!(open.recognise(&name).recognised.len(), 1, "{name}");
        machine.write(
            "edicts.yaml",
            &format!("version: 1\nedicts:\n  - {{id: e_1, category: c, text: the fact of round {round}}}\n"),
        );
        assert!(
            open.facts(&FactsRequest::default()).facts[0]
                .text
                .ends_with(&format!(" {round}"))
        );
        learn(&machine.person(), &format!("thingamajig {round}"), |_| {});
        assert_eq!(texts(&open, "thingamajig kind:event").len(), (round + 1).min(10));
    }
}

#[test]
fn a_log_that_was_edited_in_place_is_read_anew() {
    let machine = Machine::lived_in();
    let open = machine.agent("codex");
    learn(&open, "colour is teal", |_| {});
    assert_eq!(texts(&open, "teal").len(), 1);
    let log = machine.repo.join(".agent/episodic/AGENT_LEARNINGS.jsonl");
    let text = std::fs::read_to_string(&log).unwrap();
    std::fs::write(&log, text.replace("teal", "gold")).unwrap();
    assert!(texts(&open, "teal").is_empty());
    assert_eq!(texts(&open, "gold").len(), 1);
    std::fs::remove_file(&log).unwrap();
    assert!(open.recall(&RecallRequest::new("gold")).hits.is_empty());
}

#[test]
fn one_memory_answers_many_threads() {
    let machine = Machine::lived_in();
    let memory = machine.agent("codex");
    std::thread::scope(|scope| {
        for number in 0..4 {
            let memory = &memory;
            scope.spawn(move || {
                for _ in 0..5 {
                    let learned = learn(memory, &format!("gewgaw of thread {number}"), |_| {});
                    let found = memory.recall(&RecallRequest {
                        k: 100,
                        ..RecallRequest::new("gewgaw")
                    });
                    assert!(found.hits.iter().any(|hit| hit.text == learned.content));
                    assert_eq!(memory.recognise("Orchard").recognised.len(), 1);
                }
            });
        }
    });
}
