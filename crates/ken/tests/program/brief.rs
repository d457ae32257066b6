//! What reaches a prompt, on the made-up machine: silence on other things, what is known on what is named.

use std::path::PathBuf;

use serde_json::json;

use crate::machine::{Machine, NOW};
use crate::mcp::Client;

/// Prompts as people type them, of the room that measures silence.
const OTHER: &str = include_str!("../../../memory/tests/memory/prompts/other.txt");

const BEFORE: &[&str] = &["", "please ", "quick one: "];
const AFTER: &[&str] = &[
    "",
    ", and keep it short",
    "\n\nhere is what I tried: I restarted it and ran the tests again",
];

fn demo() -> (Machine, PathBuf) {
    let machine = Machine::new();
    let made = machine
        .ken(&machine.home(), ["up", "--demo", "--into", "demo", "--json"])
        .json();
    let project = made["demo"]["project"].as_str().unwrap().to_owned();
    assert!(!project.is_empty() && !NOW.is_empty());
    let demo = machine.home().join("demo");
    let project = demo.join(project.rsplit_once("/demo/").unwrap().1);
    (machine, project)
}

fn told(client: &mut Client, prompt: &str) -> String {
    let brief = client.answer("brief", json!({"prompt": prompt}));
    brief["text"].as_str().unwrap().to_owned()
}

#[test]
fn on_the_made_up_machine_other_things_get_silence_and_known_ones_are_told() {
    let (machine, project) = demo();
    let library = machine.home().join("demo/agent-library");
    let library = library.to_str().unwrap();
    // Trust is the person's of the made-up machine; the program of the test trusts it once more.
    machine.ken(&project, ["trust"]).done();
    let mut client = Client::connected(&machine, &project, &["--agent", "codex", "--library", library]);
    let mut asked = 0;
    let mut spoken = Vec::new();
    for line in OTHER.lines() {
        let line = line.replace("\\n", "\n").replace("\\t", "\t");
        for (before, after) in BEFORE.iter().zip(AFTER) {
            let prompt = format!("{before}{line}{after}");
            asked += 1;
            let brief = told(&mut client, &prompt);
            if !brief.is_empty() {
                spoken.push(format!("{prompt:?}\n{brief}"));
            }
        }
    }
    assert!(asked >= 500);
    assert!(
        spoken.len() * 100 <= asked * 2,
        "{} of {asked}:\n{}",
        spoken.len(),
        spoken.join("\n")
    );
    let facts = client.answer("facts", json!({"limit": 100}));
    let facts = facts["facts"].as_array().unwrap();
    assert!(facts.len() >= 5, "{}", facts.len());
    let mut heard = 0;
    for fact in facts {
        let text = fact["text"].as_str().unwrap();
        let brief = told(&mut client, &format!("is it still true that {text}"));
        assert!(brief.chars().count() <= 1_800);
        heard += usize::from(brief.contains(&text[..text.len().min(30)]));
    }
    assert!(heard * 10 >= facts.len() * 9, "{heard} of {}", facts.len());
}

#[test]
fn what_was_told_can_be_read_back_by_session() {
    let (machine, project) = demo();
    machine.ken(&project, ["trust"]).done();
    let tell = |session: &str| machine.ken(&project, ["brief", "--session", session]).done();
    let first = tell("s-1");
    assert!(first.starts_with("<kenning-memory>\n"), "{first}");
    assert_eq!(tell("s-1"), "", "nothing is told twice");
    assert_eq!(tell("s-2"), first);
    // A look at what would be told is no telling.
    assert_eq!(machine.ken(&project, ["brief"]).done(), first);
    let library = machine.home().join("demo/agent-library");
    let looked = [
        "--library",
        library.to_str().unwrap(),
        "brief",
        "--prompt",
        "is gangplank ready?",
    ];
    assert_ne!(machine.ken(&project, looked).done(), "");
    let last = machine
        .ken(&project, ["brief", "--last", "--session", "s-1"])
        .done();
    assert!(
        last.contains("to the command line, session_start (") && last.contains(", session s-1, in "),
        "{last}"
    );
    assert!(last.ends_with(&first), "{last}");
    let all = machine
        .ken(&project, ["brief", "--last", "-n", "5", "--json"])
        .json();
    let sessions: Vec<&str> = all["told"]
        .as_array()
        .unwrap()
        .iter()
        .map(|told| told["session"].as_str().unwrap())
        .collect();
    assert_eq!(sessions, ["s-2", "s-1"]);
    let last = machine.ken(&project, ["brief", "--last", "--json"]).json();
    assert_eq!(last["last"]["session"], "s-2");
    let none = machine
        .ken(&project, ["brief", "--last", "--session", "s-3"])
        .done();
    assert_eq!(none, "nothing was told yet\n");
    let refused = machine.ken(&project, ["brief", "-n", "5"]).refused(2);
    assert!(refused.contains("--last"), "{refused}");
}
