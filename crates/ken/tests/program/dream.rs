//! `ken dream`: what was learned becomes lessons, the same whenever and however often it is asked.

use std::path::PathBuf;

use serde_json::Value;

use crate::machine::Machine;

const LESSONS: &str = "work/ledger/.agent/semantic/LESSONS.md";

/// A repository with the events of the case: two skills, seven texts, aged one to six days at noon of 13 May 2026.
fn case() -> (Machine, PathBuf) {
    let machine = Machine::new().at("2026-05-13T12:00:00Z");
    let repo = machine.repository("work/ledger");
    machine.ken(&repo, ["init"]).done();
    let events = [
        (
            "rust::axum::error_handling",
            1,
            8,
            9,
            "A handler that returns Result needs IntoResponse for its error type",
        ),
        (
            "rust::axum::error_handling",
            2,
            6,
            7,
            "Map database failures to a status before they leave the layer",
        ),
        (
            "rust::axum::error_handling",
            4,
            5,
            5,
            "Log the cause chain once at the outermost extractor",
        ),
        (
            "rust::tokio::async_patterns",
            1,
            7,
            8,
            "Holding a mutex guard across an await deadlocks the worker",
        ),
        (
            "rust::tokio::async_patterns",
            3,
            6,
            6,
            "Spawn blocking work on its own pool instead of the reactor",
        ),
        (
            "rust::tokio::async_patterns",
            5,
            5,
            7,
            "Cancel safety decides which branch of select may be dropped",
        ),
        (
            "rust::tokio::async_patterns",
            6,
            4,
            5,
            "Name the tasks so that a dump of the runtime can be read",
        ),
    ];
    let lines = (0..).zip(events).map(|(number, (skill, age, pain, importance, content))| {
        format!(
            "{{\"schema_version\":\"1.0\",\"id\":\"evt_01JR04071200XYZA1B2C{number:06}\",\"timestamp\":\"2026-05-{:02}T12:00:00Z\",\"content\":\"{content}\",\"pain\":{pain},\"importance\":{importance},\"recurrence\":0,\"skill_action\":\"{skill}\",\"source_harness\":\"cli\",\"pinned\":false}}\n",
            13 - age
        )
    });
    machine.write(
        "work/ledger/.agent/episodic/AGENT_LEARNINGS.jsonl",
        lines.collect::<String>(),
    );
    (machine, repo)
}

#[test]
fn five_of_seven_become_lessons_and_every_factor_is_shown() {
    let (machine, repo) = case();
    let dry = machine.ken(&repo, ["dream", "--explain", "--dry-run"]).done();
    assert!(!repo.join(".agent/semantic/LESSONS.md").exists());
    assert!(
        dry.ends_with(
            "5 lessons from 7 observations; ~/work/ledger/.agent/semantic/LESSONS.md would be written\n"
        ),
        "{dry}"
    );
    assert!(dry.contains("2 groups are too weak"), "{dry}");
    let explained = machine.ken(&repo, ["dream", "--dry-run", "--json"]).json();
    let mut salience: Vec<String> = explained["groups"]
        .as_array()
        .unwrap()
        .iter()
        .map(|group| format!("{:.3}", group["salience"].as_f64().unwrap()))
        .collect();
    salience.sort();
    assert_eq!(salience, ["0.245", "0.291", "0.364", "0.521", "0.670"]);
    machine.ken(&repo, ["dream"]).done();
    let text = machine.read(LESSONS);
    assert!(
        text.contains("## rust::axum::error_handling") && text.contains("lessons: 5"),
        "{text}"
    );
    assert_eq!(
        machine.ken(&repo, ["dream"]).done(),
        "5 lessons from 7 observations; ~/work/ledger/.agent/semantic/LESSONS.md unchanged\n"
    );
    machine.ken(&repo, ["trust"]).done();
    let brief = machine.ken(&repo, ["brief"]).done();
    assert!(
        brief.contains("Holding a mutex guard across an await deadlocks the worker"),
        "{brief}"
    );
    let found = machine
        .ken(&repo, ["recall", "mutex guard", "--kind", "lesson", "--json"])
        .json();
    assert_eq!(found["hits"][0]["kind"], "lesson", "{found}");
}

#[test]
fn a_cycle_a_day_and_one_at_the_end_give_the_same_bytes() {
    let (machine, repo) = case();
    let log = machine.read("work/ledger/.agent/episodic/AGENT_LEARNINGS.jsonl");
    let lines: Vec<&str> = log.lines().collect();
    let mut machine = machine;
    // Each line becomes known on its day.
    for day in 7..=13 {
        machine = machine.at(&format!("2026-05-{day:02}T12:00:00Z"));
        let known: String = lines
            .iter()
            .filter(|line| {
                let event: Value = serde_json::from_str(line).unwrap();
                let on: u32 = event["timestamp"].as_str().unwrap()[8..10].parse().unwrap();
                on <= day
            })
            .map(|line| format!("{line}\n"))
            .collect();
        machine.write("work/ledger/.agent/episodic/AGENT_LEARNINGS.jsonl", known);
        machine.ken(&repo, ["dream"]).done();
    }
    let daily = machine.read(LESSONS);
    std::fs::remove_file(repo.join(".agent/semantic/LESSONS.md")).unwrap();
    machine.write("work/ledger/.agent/episodic/AGENT_LEARNINGS.jsonl", &log);
    machine.ken(&repo, ["dream"]).done();
    assert_eq!(machine.read(LESSONS), daily);
    // Ninety days later nothing new came: the lessons retire, the log is untouched.
    let machine = machine.at("2026-08-11T12:00:00Z");
    let said = machine.ken(&repo, ["dream"]).done();
    assert!(said.ends_with("LESSONS.md removed\n"), "{said}");
    assert!(!repo.join(".agent/semantic/LESSONS.md").exists());
    assert_eq!(
        machine.read("work/ledger/.agent/episodic/AGENT_LEARNINGS.jsonl"),
        log
    );
}

#[test]
fn facts_override_peoples_words_stay_and_a_conflict_is_written_anew() {
    let machine = Machine::new();
    let repo = machine.repository("work/ledger");
    machine.ken(&repo, ["init"]).done();
    machine
        .ken(
            &repo,
            [
                "learn",
                "The office is in London",
                "--pain",
                "8",
                "--importance",
                "8",
            ],
        )
        .done();
    machine
        .ken(
            &repo,
            [
                "learn",
                "Backups run on the replica",
                "--pain",
                "8",
                "--importance",
                "8",
            ],
        )
        .done();
    machine.ken(&repo, ["dream"]).done();
    let text = machine.read(LESSONS);
    assert!(text.contains("London") && text.contains("replica"), "{text}");
    machine
        .ken(
            &repo,
            ["edict", "add", "The office is in Tokyo", "--category", "place"],
        )
        .done();
    machine.write(LESSONS, format!("{text}\n## Ours\n\nAda knows more.\n"));
    let explained = machine.ken(&repo, ["dream", "--explain"]).done();
    assert!(
        explained.contains("overridden by the fact: The office is in Tokyo"),
        "{explained}"
    );
    let text = machine.read(LESSONS);
    assert!(
        !text.contains("London") && text.contains("replica") && text.contains("Ada knows more."),
        "{text}"
    );
    // What git leaves of a merge is solved by the next cycle; both sides' own words stay.
    let block = text.find("<!-- dreamd:lesson").unwrap();
    let conflict = format!(
        "{}<<<<<<< ours\n{}=======\n{}>>>>>>> theirs\n",
        &text[..block],
        &text[block..],
        &text[block..].replace("Ada knows more.", "Bob knows more.")
    );
    machine.write(LESSONS, &conflict);
    machine.ken(&repo, ["dream"]).done();
    let solved = machine.read(LESSONS);
    assert_eq!(solved.matches("dreamd:lesson id=").count(), 1, "{solved}");
    assert!(
        solved.contains("Ada knows more.") && solved.contains("Bob knows more."),
        "{solved}"
    );
}
