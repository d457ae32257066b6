//! The law of the hot path: with fresh caches no question that an agent waits for parses YAML, and none ever compiles a
//! schema. Alone in its process, because the counts are the process's.
#![allow(clippy::unwrap_used)]

#[allow(dead_code)]
#[path = "memory/machine.rs"]
mod machine;

use std::time::Duration;

use ken_library::{AccessLevel, Caller};
use ken_memory::{BriefRequest, LearnRequest, RecallRequest, Situation};

use machine::Machine;

/// Longer than any tick of a file system's clock.
fn settle() {
    std::thread::sleep(Duration::from_millis(200));
}

/// Every question of the hot path, each as a process of its own asks it, for everyone who can ask.
fn ask(machine: &Machine) {
    let prompt = "Does the db_version matter to Orchard and Mercury Bank, as Zephyrine said?";
    for caller in [
        Caller::person(),
        Caller::local_agent(AccessLevel::Team),
        Caller::local_agent(AccessLevel::Public),
    ] {
        let memory = || machine.caller(caller.clone(), Some("codex"));
        assert!(!memory().recognise(prompt).recognised.is_empty());
        for situation in [Situation::SessionStart, Situation::Prompt(prompt.to_owned())] {
            memory().brief(&BriefRequest::new(situation));
        }
        memory().recall(&RecallRequest::new("parser"));
        memory().learn(LearnRequest::new("Lines are whole.")).unwrap();
    }
}

/// How many documents are parsed while this is done.
fn parsed(work: impl FnOnce()) -> (u64, u64) {
    let now = || (ken_library::parsed_documents(), ken_edicts::parsed_files());
    let before = now();
    work();
    let after = now();
    (after.0 - before.0, after.1 - before.1)
}

#[test]
fn with_fresh_caches_nothing_is_parsed() {
    let machine = Machine::lived_in();
    settle();
    let (manifests, edicts) = parsed(|| ask(&machine));
    assert!(manifests >= 3 && edicts >= 1, "{manifests}, {edicts}");
    assert_eq!(parsed(|| ask(&machine)), (0, 0));
    // One change is one file.
    let manifest = machine.paths.library.join("agents/codex.l5.yaml");
    let text = std::fs::read_to_string(&manifest).unwrap();
    std::fs::write(&manifest, text.replace("nine crates", "ten crates")).unwrap();
    settle();
    let (manifests, edicts) = parsed(|| ask(&machine));
    assert!(manifests >= 1 && edicts == 0, "{manifests}, {edicts}");
    assert_eq!(parsed(|| ask(&machine)), (0, 0));
    assert_eq!(
        ken_edicts::compiled_schemas() + ken_library::compiled_schemas(),
        0
    );
    ken_edicts::Store::new(machine.repo.join("edicts.yaml"), None)
        .validate(
            &ken_edicts::Limits::default(),
            &ken_files::Clock::system(jiff::tz::TimeZone::UTC),
        )
        .unwrap();
    assert_eq!(ken_edicts::compiled_schemas(), 1, "the count counts");
}
