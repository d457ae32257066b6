//! `ken status` names the next thing to do, and it can be done as it is written.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;

use crate::machine::{Machine, NOW, program};

/// What status says is to be done next, and why.
fn next(machine: &Machine, folder: &Path) -> Option<(String, String)> {
    let status = machine.ken(folder, ["status", "--json"]).json();
    let said = machine.ken(folder, ["status"]).done();
    let next = &status["next"];
    let command = next["command"].as_str()?.to_owned();
    assert!(said.contains(&format!("next      {command}  (")), "{said}");
    Some((command, next["why"].as_str().unwrap().to_owned()))
}

fn command(machine: &Machine, folder: &Path) -> String {
    next(machine, folder).map_or_else(String::new, |(command, _)| command)
}

/// Types what status named into a shell, as a person does; the code that it ended with, and all that it printed.
fn take(machine: &Machine, folder: &Path) -> (Option<i32>, String) {
    let command = command(machine, folder);
    // Where nobody can be asked, setup wants to be told.
    let yes = if command.starts_with("ken setup") {
        " --yes"
    } else {
        ""
    };
    let output = Command::new("/bin/sh")
        .args([
            "-c",
            &format!("ken() {{ '{}' \"$@\"; }}\n{command}{yes}", program()),
        ])
        .current_dir(folder)
        .env_clear()
        .env("HOME", machine.home())
        .env("PATH", "/usr/bin:/bin")
        .env("TZ", "UTC")
        .env("KEN_NOW", NOW)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let printed = [output.stdout, output.stderr].concat();
    (output.status.code(), String::from_utf8(printed).unwrap())
}

/// What status named is done without an error, and is not named again.
fn leads_on(machine: &Machine, folder: &Path, expected: &str) {
    assert_eq!(command(machine, folder), expected);
    let (code, printed) = take(machine, folder);
    assert_eq!(code, Some(0), "{expected}: {printed}");
    assert_ne!(command(machine, folder), expected, "{printed}");
}

/// What status named finds the fault and says so.
fn finds(machine: &Machine, folder: &Path, expected: &str, fault: &str) {
    assert_eq!(command(machine, folder), expected);
    let (_, printed) = take(machine, folder);
    assert!(printed.contains(fault), "{expected}: {printed}");
}

fn session(machine: &Machine, repo: &Path) {
    let row = json!({
        "type": "user", "uuid": "u", "parentUuid": null, "isSidechain": false, "userType": "external",
        "cwd": repo, "sessionId": "11111111-1111-4111-8111-111111111111", "version": "2.1.205", "gitBranch": "main",
        "timestamp": "2026-06-14T10:00:00.000Z", "message": {"role": "user", "content": "fix the importer"},
    });
    machine.write(
        ".claude/projects/-x/11111111-1111-4111-8111-111111111111.jsonl",
        format!("{row}\n"),
    );
}

#[test]
fn from_an_empty_machine_each_step_leads_to_the_next() {
    let machine = Machine::new();
    let home = machine.home();
    let (named, why) = next(&machine, &home).unwrap();
    assert_eq!(named, "ken up");
    assert!(why.contains("go into a repository"), "{why}");
    assert_eq!(take(&machine, &home).0, Some(0));
    let repo = machine.repository("work/ledger");
    leads_on(&machine, &repo, "ken up");
    leads_on(&machine, &repo, "ken learn \"what is worth remembering\"");
    assert_eq!(next(&machine, &repo), None);
    // An agent comes; it has said nothing yet.
    machine.folder(".claude/projects");
    leads_on(&machine, &home, "ken setup --user");
    leads_on(&machine, &repo, "ken sync");
    assert_eq!(next(&machine, &repo), None);
    assert_eq!(command(&machine, &home), "ken up");
    // It says something, and its store is read: all is well everywhere.
    session(&machine, &repo);
    machine.ken(&repo, ["sync"]).done();
    assert_eq!(next(&machine, &repo), None);
    assert_eq!(next(&machine, &home), None);
}

#[test]
fn in_a_repository_with_agents_each_step_leads_to_the_next() {
    let machine = Machine::new();
    let repo = machine.repository("work/ledger");
    session(&machine, &repo);
    machine.write("work/ledger/edicts.yaml", "version: 1\nedicts: []\n");
    leads_on(&machine, &repo, "ken trust");
    leads_on(&machine, &repo, "ken up");
    leads_on(&machine, &repo, "ken setup");
    assert_eq!(next(&machine, &repo), None);
    // A part of the wiring goes.
    std::fs::remove_file(repo.join("CLAUDE.md")).unwrap();
    leads_on(&machine, &repo, "ken setup claude-code");
    assert_eq!(next(&machine, &repo), None);
    // It starts a program that is gone.
    let settings = machine.read("work/ledger/.claude/settings.json");
    machine.write(
        "work/ledger/.claude/settings.json",
        settings.replace(program(), "/gone/bin/ken"),
    );
    leads_on(&machine, &repo, "ken setup claude-code");
    // Wired in the person's own settings, it lacks nothing here.
    machine.ken(&repo, ["setup", "--user", "--yes"]).done();
    std::fs::remove_file(repo.join("CLAUDE.md")).unwrap();
    assert_eq!(next(&machine, &repo), None);
    // Another's server of the same name is for the person to rename.
    machine.write(
        "work/ledger/.mcp.json",
        "{\"mcpServers\": {\"ken\": {\"command\": \"theirs\"}}}\n",
    );
    finds(&machine, &repo, "ken doctor", "ken stands here");
}

#[test]
fn facts_that_are_due_are_seen_to_by_what_is_named() {
    let machine = Machine::new();
    let repo = machine.repository("work/ledger");
    machine.ken(&repo, ["up"]).done();
    machine.ken(&repo, ["learn", "the importer is slow"]).done();
    let add = |text: &str, more: &[&str]| {
        let arguments = ["edict", "add", text, "--category", "product"];
        machine.ken(&repo, arguments.iter().chain(more)).done();
    };
    add("the freeze ends", &["--ttl", "event", "--expires-in", "2d"]);
    add(
        "the freeze starts",
        &["--ttl", "event", "--expires-in", "1d", "--key", "the freeze"],
    );
    leads_on(&machine, &repo, "ken edict update --expires-in 4w 'the freeze'");
    leads_on(&machine, &repo, "ken edict update --expires-in 4w e_001");
    assert_eq!(next(&machine, &repo), None);
    let edicts = machine.read("work/ledger/edicts.yaml");
    add("the port is 7000", &["--ttl", "durable"]);
    let with = machine.read("work/ledger/edicts.yaml");
    assert_ne!(edicts, with);
    let (old, new) = with.split_at(with.rfind("the port is 7000").unwrap());
    machine.write(
        "work/ledger/edicts.yaml",
        format!("{old}{}", new.replace("2026-06-15", "2025-01-15")),
    );
    leads_on(&machine, &repo, "ken edict confirm e_002");
    assert_eq!(next(&machine, &repo), None);
}

#[test]
fn what_is_broken_is_found_by_what_is_named() {
    let machine = Machine::new();
    let repo: PathBuf = machine.repository("library/edicts.d");
    machine.write("library/edicts.d/.agent", "a file");
    finds(&machine, &repo, "ken doctor", ".agent is not a folder");
    std::fs::remove_file(repo.join(".agent")).unwrap();
    machine.ken(&repo, ["up"]).done();
    let log = "library/edicts.d/.agent/episodic/AGENT_LEARNINGS.jsonl";
    machine.write(log, "oops\n");
    finds(&machine, &repo, "ken doctor", "AGENT_LEARNINGS.jsonl:1");
    machine.write(log, "");
    let trust = machine.read(".local/state/ken/trust.json");
    machine.write(".local/state/ken/trust.json", "nonsense");
    finds(&machine, &repo, "ken doctor", "trust.json");
    machine.write(".local/state/ken/trust.json", trust);
    machine.write("agent-library/agents/codex.l5.yaml", "][");
    finds(&machine, &repo, "ken library validate", "codex.l5.yaml");
    let edicts = machine.read("library/edicts.d/edicts.yaml");
    machine.write("library/edicts.d/edicts.yaml", format!("{edicts}\n  broken: ["));
    finds(&machine, &repo, "ken edict validate", "edicts.yaml");
    machine.write("library/edicts.d/edicts.yaml", edicts);
    std::fs::remove_file(machine.home().join("agent-library/agents/codex.l5.yaml")).unwrap();
    // A hook could not answer.
    machine
        .ken_with_input(&repo, ["hook", "prompt", "--agent", "codex"], b"garbage")
        .done();
    finds(&machine, &repo, "ken doctor", "not JSON");
}
