use ken_library::{AccessLevel, Caller};
use ken_memory::FactsRequest;

use crate::machine::Machine;

fn ids(machine: &Machine, request: &FactsRequest) -> Vec<String> {
    machine
        .agent("codex")
        .facts(request)
        .facts
        .into_iter()
        .map(|fact| fact.id)
        .collect()
}

#[test]
fn facts_in_force_are_listed_and_searched() {
    let machine = Machine::lived_in();
    let all = FactsRequest::default();
    assert_eq!(
        ids(&machine, &all),
        ["db_version", "e_001"],
        "the expired one is not in force"
    );
    let query = |query: &str| FactsRequest {
        query: Some(query.to_owned()),
        ..FactsRequest::default()
    };
    assert_eq!(ids(&machine, &query("release frozen")), ["e_001"]);
    assert!(ids(&machine, &query("frozen mirror")).is_empty());
    let filtered = FactsRequest {
        category: Some("Releases".to_owned()),
        ..all.clone()
    };
    assert_eq!(ids(&machine, &filtered), ["e_001"]);
    let limited = machine.agent("codex").facts(&FactsRequest {
        limit: Some(1),
        ..all
    });
    assert_eq!((limited.facts.len(), limited.found), (1, 2));
    assert!(
        limited.facts[0]
            .place
            .as_ref()
            .unwrap()
            .ends_with("edicts.yaml:3")
    );
}

#[test]
fn a_public_caller_sees_none() {
    let machine = Machine::lived_in();
    let public = machine.caller(Caller::local_agent(AccessLevel::Public), None);
    let facts = public.facts(&FactsRequest::default());
    assert!(facts.facts.is_empty() && facts.found == 0);
}

#[test]
fn a_broken_file_leaves_the_last_good_copy_in_force_and_says_so() {
    let machine = Machine::lived_in();
    let memory = machine.person();
    assert_eq!(memory.facts(&FactsRequest::default()).facts.len(), 2);
    machine.write("edicts.yaml", "version: 1\nedicts: [\n");
    for memory in [&memory, &machine.person()] {
        let facts = memory.facts(&FactsRequest::default());
        assert_eq!(facts.facts.len(), 2);
        assert!(
            facts.notes[0].contains("edicts.yaml:") && facts.notes[0].contains("last good copy"),
            "{:?}",
            facts.notes
        );
    }
}

#[test]
fn without_a_file_there_are_no_facts_and_nothing_to_say() {
    let machine = Machine::empty();
    assert_eq!(
        machine.person().facts(&FactsRequest::default()),
        ken_memory::Facts::default()
    );
}
