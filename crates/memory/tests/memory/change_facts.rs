//! Changes of the project's edicts by agents: who may, and what they must not learn by it.

use ken_library::{AccessLevel, AgentId, Caller};
use ken_memory::{Error, FactChange, FactFields, FactsRequest, Memory, Setting};
use serde_json::Value;

use crate::machine::Machine;

fn fact(text: &str, key: Option<&str>) -> FactFields {
    FactFields {
        text: Some(text.to_owned()),
        category: Some("api".to_owned()),
        key: key.map(str::to_owned),
        ..FactFields::default()
    }
}

/// An agent that the person lets propose.
fn proposing(machine: &Machine) -> Memory {
    let caller = Caller::local_agent(AccessLevel::Team);
    let agent = AgentId::new("codex").unwrap();
    Memory::open(Setting {
        proposals: true,
        ..machine.setting().with_caller(caller, Some(agent))
    })
    .unwrap()
}

fn file(machine: &Machine) -> String {
    std::fs::read_to_string(machine.repo.join("edicts.yaml")).unwrap()
}

#[test]
fn a_proposal_needs_the_persons_leave_and_is_found_at_once() {
    let machine = Machine::lived_in();
    let before = file(&machine);
    let propose = || FactChange::Propose(fact("uploads go through the gateway", None));
    let refused = machine.agent("codex").change_fact(propose()).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "proposing facts is not allowed; the person allows it with `ken config edicts.propose true`"
    );
    assert_eq!(file(&machine), before);
    let agent = proposing(&machine);
    let proposed = agent.change_fact(propose()).unwrap();
    assert_eq!(
        (proposed.outcome.as_str(), proposed.fact.id.as_str()),
        ("added", "e_003")
    );
    assert_eq!(
        (proposed.fact.confidence.as_str(), proposed.fact.source.as_str()),
        ("inferred", "codex")
    );
    let query = FactsRequest {
        query: Some("uploads gateway".to_owned()),
        ..FactsRequest::default()
    };
    assert_eq!(machine.agent("cursor").facts(&query).found, 1);
    let against = FactChange::Propose(fact(
        "The database is MySQL 9; never write for another one.",
        Some("db_version"),
    ));
    let refused = agent.change_fact(against).unwrap_err().to_string();
    assert!(
        refused.starts_with("`db_version` is what somebody verified; tell the person"),
        "{refused}"
    );
}

#[test]
fn every_change_is_made_and_undone() {
    let machine = Machine::lived_in();
    let agent = machine.agent("codex");
    let change = |change| agent.change_fact(change).unwrap();
    let added = change(FactChange::Add(fact("the limit is 500", Some("limit"))));
    assert_eq!(
        (
            added.outcome.as_str(),
            added.fact.confidence.as_str(),
            added.expired
        ),
        ("added", "user", 1)
    );
    let again = change(FactChange::Add(fact("the limit is 600", Some("limit"))));
    assert_eq!(again.outcome, "superseded");
    let tags = FactFields {
        tags: Some(vec!["Limits".to_owned()]),
        ..FactFields::default()
    };
    assert_eq!(
        change(FactChange::Update("limit".to_owned(), tags)).fact.tags,
        ["limit"]
    );
    assert_eq!(
        change(FactChange::Confirm("limit".to_owned())).outcome,
        "confirmed"
    );
    let removed = change(FactChange::Remove("limit".to_owned()));
    assert!(
        agent
            .fact("limit")
            .unwrap_err()
            .to_string()
            .contains("ken edict restore")
    );
    let restore = FactChange::Restore(removed.history_id.unwrap(), FactFields::default());
    assert_eq!(change(restore).fact.text, "the limit is 600");
    assert_eq!(agent.fact("limit").unwrap().tags, ["limit"]);
    let history = agent.fact_history(Some("limit")).unwrap();
    let texts: Vec<&str> = history["history"]
        .as_array()
        .unwrap()
        .iter()
        .map(|entry| entry["text"].as_str().unwrap())
        .collect();
    assert_eq!(
        texts,
        ["the limit is 500", "the limit is 600", "the limit is 600"]
    );
    change(FactChange::Add(fact("the limit is 900", None)));
    let review = agent.review_facts(None, 7).unwrap();
    assert_eq!(
        review["contradictions"][0]["ids"],
        serde_json::json!(["limit", "e_003"])
    );
    let ids = ["limit".to_owned(), "e_003".to_owned()];
    let compacted = agent
        .compact_facts(&ids, fact("the limit is 900", None), true)
        .unwrap();
    assert_eq!(
        (
            &compacted["dry_run"],
            compacted["merged"].as_array().unwrap().len()
        ),
        (&Value::Bool(true), 2)
    );
    assert_eq!(agent.fact_stats().unwrap()["edicts"], 4);
    agent
        .compact_facts(&ids, fact("the limit is 900", None), false)
        .unwrap();
    assert_eq!(agent.fact_stats().unwrap()["edicts"], 3);
    let exported = agent.export_facts("json").unwrap();
    let other = Machine::lived_in();
    let imported = other
        .agent("codex")
        .import_facts(exported["content"].as_str().unwrap(), false, false)
        .unwrap();
    assert_eq!(imported["added"], serde_json::json!(["e_004"]));
    let rendered = agent
        .render_facts("plain", Some(1), &FactsRequest::default())
        .unwrap();
    assert!(
        rendered["note"]
            .as_str()
            .unwrap()
            .contains("3 more edicts did not fit"),
        "{rendered}"
    );
    assert_eq!(agent.validate_facts().unwrap()["findings"], serde_json::json!([]));
}

#[test]
fn who_may_not_read_facts_may_not_change_them() {
    let machine = Machine::lived_in();
    let before = file(&machine);
    let add = || FactChange::Add(fact("anything", None));
    let public = machine.caller(Caller::local_agent(AccessLevel::Public), None);
    assert!(matches!(public.change_fact(add()), Err(Error::BelowTeam)));
    assert!(matches!(public.fact("db_version"), Err(Error::BelowTeam)));
    let remote = machine.caller(Caller::remote(AccessLevel::Team), None);
    assert!(matches!(remote.change_fact(add()), Err(Error::NotAllowed { .. })));
    machine.person().untrust().unwrap();
    let agent = machine.agent("codex");
    assert!(matches!(agent.change_fact(add()), Err(Error::NotTrusted)));
    assert!(matches!(agent.fact("db_version"), Err(Error::NotTrusted)));
    assert_eq!(file(&machine), before);
}

#[test]
fn a_fact_that_names_something_private_is_not_there_for_an_agent() {
    let machine = Machine::lived_in();
    let person = machine.person();
    let secret = fact("Zephyrine signs every release", Some("zephyrine/signs"));
    person.change_fact(FactChange::Add(secret)).unwrap();
    let removed = person
        .change_fact(FactChange::Add(fact("Zephyrine left", Some("gone"))))
        .unwrap();
    person.change_fact(FactChange::Remove(removed.fact.id)).unwrap();
    let before = file(&machine);
    let agent = machine.agent("codex");
    let id = "zephyrine/signs".to_owned();
    let said = |id: &str, result: Result<String, Error>| match result {
        Ok(answer) => answer,
        Err(error) => error.to_string().replace(id, "ID"),
    };
    for unknown in ["zephyrine/signs", "nobody/knows"] {
        let say = |result: Result<_, Error>| {
            said(
                unknown,
                result.map(|changed: ken_memory::FactChanged| changed.outcome),
            )
        };
        let tried = [
            say(agent.change_fact(FactChange::Remove(unknown.to_owned()))),
            say(agent.change_fact(FactChange::Confirm(unknown.to_owned()))),
            say(agent.change_fact(FactChange::Update(
                unknown.to_owned(),
                FactFields {
                    text: Some("x".to_owned()),
                    ..FactFields::default()
                },
            ))),
            said(unknown, agent.fact(unknown).map(|fact| fact.id)),
        ];
        for said in tried {
            assert_eq!(
                said,
                "there is no edict `ID`; see them with `ken edict list`, and what was with `ken edict history`"
            );
        }
    }
    assert!(matches!(
        agent.change_fact(FactChange::Add(fact("mine", Some(&id)))),
        Err(Error::Hidden)
    ));
    let all = [
        agent.fact_history(None).unwrap(),
        agent.review_facts(Some(0), 9_999).unwrap(),
        agent.fact_stats().unwrap(),
        agent.validate_facts().unwrap(),
        agent
            .render_facts("json", None, &FactsRequest::default())
            .unwrap(),
        agent.export_facts("yaml").unwrap(),
    ];
    for answer in all {
        assert!(
            !answer.to_string().to_lowercase().contains("zephyrine"),
            "{answer}"
        );
    }
    assert!(matches!(
        agent.import_facts("version: 1\nedicts: []\n", true, false),
        Err(Error::Hidden)
    ));
    assert_eq!(file(&machine), before);
    assert!(
        person
            .export_facts("yaml")
            .unwrap()
            .to_string()
            .contains("Zephyrine")
    );
}

#[test]
fn of_a_broken_file_only_the_person_hears_why() {
    let machine = Machine::lived_in();
    machine.write("edicts.yaml", "version: 1\nedicts: [Zephyrine\n");
    let add = || FactChange::Add(fact("anything", None));
    let agent = machine.agent("codex").change_fact(add()).unwrap_err().to_string();
    assert_eq!(
        agent,
        "the edicts file cannot be read and was left as it is; the person sees why with `ken edict validate`"
    );
    let person = machine.person().change_fact(add()).unwrap_err().to_string();
    assert!(person.contains("edicts.yaml:"), "{person}");
}
