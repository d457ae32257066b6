//! What others put on the machine: files with credentials, texts that deceive the eye, settings that lead elsewhere.

use crate::machine::Machine;

/// A credential of a known shape, put together here so that no scanner finds one in the repository.
fn token() -> String {
    ["gh", "p_", "Zq7Rk2Lm9Xw4Tn6Bv1Yc8Hd3Jf5Gs0PaEuIo"].concat()
}

fn prepared() -> (Machine, std::path::PathBuf) {
    let machine = Machine::new();
    let repo = machine.repository("work/ledger");
    machine.ken(&repo, ["init"]).done();
    (machine, repo)
}

#[test]
fn credentials_in_files_written_by_hand_are_not_shown() {
    let (machine, repo) = prepared();
    let token = token();
    machine.write(
        "work/ledger/edicts.yaml",
        format!("version: 1\nedicts:\n- text: \"the zebra token is {token}\"\n  category: c\n  source: \"{token}\"\n"),
    );
    machine.write(
        "agent-library/agents/codex.l5.yaml",
        format!(
            "spec_version: \"0.1\"\nagent: {{id: codex, type: other, role_narrative: \"zebra {token}\"}}\n\
             last_updated: \"2026-06-14T00:00:00Z\"\nknown_entities:\n- name: Zebra\n  aliases: [\"{token}\"]\n  \
             summary: \"{token}\"\n  visibility: team\n\
             recent_sessions:\n- date: \"2026-06-14\"\n  key_actions: [\"zebra {token}\"]\n  visibility: team\n"
        ),
    );
    let commands: &[&[&str]] = &[
        &["recall", "zebra"],
        &["recognize", "Zebra"],
        &["brief"],
        &["brief", "--prompt", "Zebra"],
        &["edict", "list"],
        &["edict", "render", "--format", "brief"],
        &["edict", "search", "zebra"],
        &["library", "agents"],
        &["library", "find", "Zebra"],
        &["library", "about", "Zebra"],
        &["library", "recent"],
        &["library", "list", "entities"],
        &["status"],
    ];
    for command in commands {
        for json in [false, true] {
            let said = machine
                .ken(&repo, command.iter().copied().chain(json.then_some("--json")))
                .done();
            assert!(!said.contains(&token), "ken {command:?} shows it: {said}");
        }
    }
}

#[test]
fn a_refused_value_is_not_echoed_when_it_is_a_credential() {
    let (machine, repo) = prepared();
    let token = token();
    let commands: &[&[&str]] = &[
        &["edict", "add", "x", "--category", "c", "--expires-at", &token],
        &["recall", "x", "--since", &token],
        &["learn", "x", "--origin", &token],
    ];
    for command in commands {
        let said = machine.ken(&repo, command.iter().copied()).refused(2);
        assert!(!said.contains(&token), "ken {command:?}: {said}");
    }
}

#[test]
fn characters_that_deceive_the_eye_are_not_printed() {
    let (machine, repo) = prepared();
    let text = "zebra \u{202e}live\u{202c} a\u{200b}b \u{feff}c\u{e0041}d \u{1b}[31mred";
    machine.ken(&repo, ["learn", text]).done();
    machine
        .ken(&repo, ["edict", "add", text, "--category", "c"])
        .done();
    for command in [&["recall", "zebra"][..], &["edict", "list"], &["status"]] {
        let said = machine.ken(&repo, command).done();
        for character in [
            '\u{202e}',
            '\u{202c}',
            '\u{200b}',
            '\u{feff}',
            '\u{e0041}',
            '\u{1b}',
        ] {
            assert!(!said.contains(character), "ken {command:?} prints {character:?}");
        }
        assert!(said.contains("zebra"), "{said}");
    }
}

#[test]
fn a_repository_does_not_choose_which_settings_file_is_read() {
    let (machine, repo) = prepared();
    machine.write("elsewhere.toml", "[brief]\nprompt_tokens = 1\n");
    std::os::unix::fs::symlink(
        machine.home().join("elsewhere.toml"),
        repo.join(".agent/ken.toml"),
    )
    .unwrap();
    let said = machine.ken(&repo, ["status"]).done();
    assert!(said.contains("ken.toml"), "{said}");
    let said = machine.ken(&repo, ["config", "brief.prompt_tokens"]).done();
    assert!(said.starts_with("brief.prompt_tokens = 450"), "{said}");
}

#[test]
fn a_settings_file_of_a_repository_cannot_loosen_or_silence() {
    let machine = Machine::new();
    let repo = machine.repository("work/ledger");
    let rows: String = (0..60)
        .map(|number| format!("- name: Koala{number}\n  type: project\n  summary: \"the koala number {number} eats leaves\"\n  visibility: team\n"))
        .collect();
    machine.write(
        "agent-library/agents/codex.l5.yaml",
        format!("spec_version: \"0.1\"\nagent: {{id: codex, type: other}}\nlast_updated: \"2026-06-14T00:00:00Z\"\nknown_entities:\n{rows}"),
    );
    let names: String = (0..60).map(|number| format!("Koala{number} ")).collect();
    let ask = |session: &str| {
        let call = serde_json::json!({"session_id": session, "cwd": repo, "prompt": names}).to_string();
        let said = machine.ken_with_input(&repo, ["hook", "prompt", "--agent", "codex"], call.as_bytes());
        said.done()
    };
    for (number, file) in [
        "[brief]\nprompt_tokens = 100000\n",
        "[brief]\nprompt_tokens = 0\n",
        "x = ",
    ]
    .iter()
    .enumerate()
    {
        machine.write("work/ledger/.agent/ken.toml", file);
        let said = ask(&format!("s{number}"));
        assert!(said.contains("Koala0") && said.len() < 2500, "{file}: {said}");
        assert!(
            machine
                .ken(&repo, ["doctor"])
                .stdout
                .contains("is ignored: this repository is not trusted")
        );
    }
    // Trusted, and broken: what it was to tighten is not known, so agents see what is public.
    machine.ken(&repo, ["trust"]).done();
    assert_eq!(ask("t"), "");
    let said = machine.ken(&repo, ["doctor"]).stdout;
    assert!(
        said.contains("ken.toml:1:") && said.contains("agents see here what is public"),
        "{said}"
    );
    machine.ken(&repo, ["trust", "--remove"]).done();
}

#[test]
fn a_plain_file_where_the_folder_should_be_is_named() {
    let machine = Machine::new();
    let repo = machine.repository("work/ledger");
    machine.write("work/ledger/.agent", "");
    let said = machine.ken(&repo, ["init"]).refused(1);
    assert!(said.contains(".agent is not a folder"), "{said}");
}

#[test]
fn a_time_zone_that_is_a_device_is_not_read() {
    let (machine, repo) = prepared();
    for zone in [":/dev/zero", "/dev/zero", "../../../dev/zero", "No/Where", ""] {
        let output = machine
            .command(&repo)
            .env("TZ", zone)
            .arg("status")
            .output()
            .unwrap();
        assert!(output.status.success(), "{zone}");
    }
}

#[test]
fn texts_may_begin_with_a_hyphen_and_input_with_a_byte_order_mark() {
    let (machine, repo) = prepared();
    machine.ken(&repo, ["learn", "- zebra one"]).done();
    machine
        .ken(&repo, ["edict", "add", "-1 is not an amount", "--category", "c"])
        .done();
    assert!(
        machine
            .ken(&repo, ["recall", "-zebra"])
            .done()
            .contains("zebra one")
    );
    let learned = machine
        .ken_with_input(&repo, ["learn", "-", "--json"], "\u{feff}hello".as_bytes())
        .json();
    assert_eq!(learned["content"], "hello");
    let said = machine
        .ken_with_input(&repo, ["learn", "-"], "\u{feff}".as_bytes())
        .refused(2);
    assert!(said.contains("empty"), "{said}");
}

#[test]
fn usage_errors_are_json_when_json_is_asked_for() {
    let machine = Machine::new();
    let said = machine.ken(&machine.home(), ["recall", "--json"]).refused(2);
    let object: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert!(
        object["error"]["message"].as_str().unwrap().contains("<QUERY>"),
        "{said}"
    );
}
