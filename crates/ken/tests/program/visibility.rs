//! A row that is private, by mark or by tag, appears below its level in no command and in no tool; nor does its name
//! in rows that others may see. Asking for it answers as for a name that was never there.

use serde_json::json;

use crate::machine::Machine;
use crate::mcp::Client;

const MANIFEST: &str = r#"spec_version: "0.1"
agent: {id: codex, type: code-assistant, role_narrative: "Reviews Zanzibar Vault, too."}
last_updated: "2026-06-14T00:00:00Z"
visibility_policy: {default: team, private_tags: [family]}
known_entities:
- name: Open Harbour
  summary: A public thing.
  visibility: public
- name: Zanzibar Vault
  aliases: [ZV-9]
  summary: The hidden thing.
  visibility: private
- name: Grandmother Ottilie
  tags: [Family]
  visibility: public
- name: Team Turbine
  summary: It feeds Zanzibar Vault.
  visibility: team
recent_sessions:
- date: "2026-06-13"
  project_focus: [Open Harbour, Zanzibar Vault]
  key_actions: [Painted the pier]
  visibility: public
- date: "2026-06-12"
  project_focus: [Open Harbour]
  key_actions: [Called Grandmother Ottilie about the pier]
  visibility: public
- date: "2026-06-11"
  cwd: /srv/hidden
  key_actions: [Counted the silver of the pier]
  visibility: private
known_workstreams:
- name: Move the ZV-9 pier
  status: active
  visibility: team
notes:
- date: "2026-06-10"
  text: The pier note about zanzibar-vault.
  visibility: public
"#;

/// What only a private caller may read, in any spelling.
const HIDDEN: &[&str] = &[
    "zanzibar",
    "zv-9",
    "ottilie",
    "silver",
    "/srv/hidden",
    "hidden thing",
];

fn nothing_hidden(what: &str, text: &str) {
    let lower = text.to_lowercase();
    for hidden in HIDDEN {
        assert!(!lower.contains(hidden), "{what} shows `{hidden}`:\n{text}");
    }
}

fn prepared() -> (Machine, std::path::PathBuf) {
    let machine = Machine::new();
    let repo = machine.repository("work/ledger");
    machine.ken(&repo, ["init"]).done();
    machine.write("agent-library/agents/codex.l5.yaml", MANIFEST);
    machine
        .ken(&repo, ["learn", "the pier of Zanzibar Vault leaks"])
        .done();
    machine.ken(&repo, ["learn", "the pier needs paint"]).done();
    machine
        .ken(
            &repo,
            [
                "edict",
                "add",
                "the pier belongs to Zanzibar Vault",
                "--category",
                "c",
            ],
        )
        .done();
    (machine, repo)
}

/// Queries that a curious caller would try.
const PROBES: &[&str] = &[
    "pier",
    "Zanzibar Vault",
    "ZV-9",
    "Ottilie",
    "silver",
    "Open Harbour",
    "Team Turbine",
];

#[test]
fn private_rows_and_their_names_stay_below_their_level_in_every_command() {
    let (machine, repo) = prepared();
    for level in ["public", "team"] {
        let mut commands: Vec<Vec<&str>> = vec![
            vec!["library", "agents"],
            vec!["library", "list", "entities"],
            vec!["library", "list", "sessions"],
            vec!["library", "list", "workstreams"],
            vec!["library", "list", "notes"],
            vec!["library", "recent"],
            vec!["library", "workstreams"],
            vec!["library", "notes"],
            vec!["brief"],
        ];
        for probe in PROBES {
            commands.push(vec!["recall", probe, "--all"]);
            commands.push(vec!["recognize", probe]);
            commands.push(vec!["brief", "--prompt", probe]);
            commands.push(vec!["library", "find", probe]);
            commands.push(vec!["library", "about", probe]);
        }
        for mut command in commands {
            command.extend(["--access", level]);
            for json in [false, true] {
                if json {
                    command.push("--json");
                }
                // The question itself may come back; what is looked at is the rest.
                let said = machine.ken(&repo, &command).done();
                let mut rest = said;
                for probe in PROBES.iter().filter(|probe| command.contains(probe)) {
                    for own in [
                        format!("\"name\": \"{probe}\""),
                        format!("\"query\": \"{probe}\""),
                        format!("the name {probe}"),
                        format!("known about {probe}"),
                    ] {
                        rest = rest.replace(&own, "");
                    }
                }
                nothing_hidden(&format!("ken {command:?}"), &rest);
            }
        }
    }
}

#[test]
fn private_rows_and_their_names_stay_below_their_level_in_every_tool() {
    let (machine, repo) = prepared();
    for level in ["public", "team"] {
        let mut client = Client::connected(&machine, &repo, &["--access", level]);
        for tool in ["brief", "facts", "recent_work"] {
            nothing_hidden(tool, &client.answer(tool, json!({})).to_string());
        }
        for probe in PROBES {
            let calls = [
                ("recall", json!({"query": probe, "all": true})),
                ("recognize", json!({"text": probe})),
                ("brief", json!({"prompt": probe})),
                ("facts", json!({"query": probe})),
                ("who_knows", json!({"name": probe})),
            ];
            for (tool, arguments) in calls {
                let mut answer = client.answer(tool, arguments);
                for own in ["query", "name"] {
                    if answer[own] == *probe {
                        answer[own] = json!("");
                    }
                }
                nothing_hidden(&format!("{tool} {probe} at {level}"), &answer.to_string());
            }
        }
    }
}

#[test]
fn what_is_not_hidden_is_still_there_and_the_person_sees_all() {
    let (machine, repo) = prepared();
    let team = machine.ken(&repo, ["recall", "pier", "--access", "team"]).done();
    assert!(
        team.contains("the pier needs paint") && team.contains("Painted the pier"),
        "{team}"
    );
    let mine = machine.ken(&repo, ["recall", "pier", "-k", "50"]).done();
    for shown in ["Zanzibar Vault leaks", "Ottilie", "silver"] {
        assert!(mine.contains(shown), "{shown}: {mine}");
    }
}

#[test]
fn a_private_name_answers_like_one_that_was_never_there() {
    let (machine, repo) = prepared();
    let mut client = Client::connected(&machine, &repo, &["--access", "team"]);
    for (private, unknown) in [("Zanzibar Vault", "Xanadu Cellars"), ("ZV-9", "QX-7")] {
        for command in [["library", "find"], ["library", "about"]] {
            let ask = |name: &str| {
                let said = machine.ken(
                    &repo,
                    [command[0], command[1], name, "--access", "team", "--json"],
                );
                (
                    said.code,
                    said.stdout.replace(name, "NAME"),
                    said.stderr.replace(name, "NAME"),
                )
            };
            assert_eq!(ask(private), ask(unknown));
        }
        for (tool, argument) in [("who_knows", "name"), ("recall", "query"), ("recognize", "text")] {
            let mut ask = |name: &str| {
                client
                    .call(tool, json!({argument: name}))
                    .to_string()
                    .replace(name, "NAME")
            };
            let (private, unknown) = (ask(private), ask(unknown));
            // Two names of different lengths differ in the number of bytes looked at, and in nothing else.
            let counted = |text: String| text.replace(|c: char| c.is_ascii_digit(), "");
            assert_eq!(counted(private), counted(unknown), "{tool}");
        }
    }
}
