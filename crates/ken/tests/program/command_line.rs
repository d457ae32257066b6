//! The command line as hooks, scripts and people rely on it.

use std::process::Stdio;

use crate::machine::Machine;

#[test]
fn the_commands_are_those_of_the_interface() {
    let machine = Machine::new();
    let help = machine.ken(&machine.home(), ["--help"]).done();
    let commands: Vec<&str> = help
        .lines()
        .skip_while(|line| *line != "Commands:")
        .skip(1)
        .take_while(|line| !line.is_empty())
        // A line that is set in further goes on with what a command does.
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    insta::assert_snapshot!(commands.join(" "), @"up init status doctor learn recall recognize brief dream trust edict library audit sync setup unsetup mcp hook config eval completions man help");
}

#[test]
fn every_command_has_help_with_an_example_and_takes_json() {
    let machine = Machine::new();
    for command in [
        "up",
        "init",
        "status",
        "doctor",
        "learn",
        "recall",
        "recognize",
        "brief",
        "trust",
        "edict",
        "library",
        "sync",
        "setup",
        "unsetup",
        "mcp",
        "hook",
        "config",
        "eval",
        "completions",
        "man",
    ] {
        let help = machine.ken(&machine.home(), [command, "--help"]).done();
        assert!(
            help.contains("Example"),
            "ken {command} --help shows no example:\n{help}"
        );
        assert!(help.contains("--json"), "ken {command} does not take --json");
    }
}

#[test]
fn a_version_is_printed_without_a_home() {
    let machine = Machine::new();
    let output = machine
        .command(&machine.home())
        .env_remove("HOME")
        .arg("--version")
        .output()
        .unwrap();
    assert_eq!(
        String::from_utf8(output.stdout).unwrap(),
        concat!("ken ", env!("CARGO_PKG_VERSION"), "\n")
    );
}

#[test]
fn completions_and_manual_pages_cover_every_command() {
    let machine = Machine::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = machine.ken(&machine.home(), ["completions", shell]).done();
        assert!(
            script.contains("recognize") && script.contains("validate"),
            "{shell}"
        );
    }
    let said = machine.ken(&machine.home(), ["man", "pages"]).done();
    assert!(said.contains("manual pages written"), "{said}");
    for page in ["ken.1", "ken-learn.1", "ken-edict-add.1", "ken-library-find.1"] {
        let text = machine.read(&format!("pages/{page}"));
        assert!(text.contains(".SH NAME"), "{page}: {text}");
    }
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let machine = Machine::new();
    let mut child = machine
        .command(&machine.home())
        .args(["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn settings_come_in_layers_that_say_where_they_stand() {
    let machine = Machine::new();
    let repo = machine.repository("work/ledger");
    machine.write(
        ".config/ken/config.toml",
        "# mine\n[access]\ndefault = \"team\" # as ever\ncodex = \"public\"\n",
    );
    machine.write("work/ledger/.agent/ken.toml", "keep_private = true\n[access]\ndefault = \"private\"\nclaude-code = \"public\"\n[brief]\nprompt_tokens = 200\nrest_tokens = 100000\n");
    let said = machine.ken(&repo, ["config"]).done();
    assert!(
        said.contains("ken.toml is ignored: this repository is not trusted") && !said.contains("ken.toml:"),
        "{said}"
    );
    machine.ken(&repo, ["trust"]).done();
    insta::assert_snapshot!(machine.ken(&repo, ["config"]).done(), @"
    access.claude-code = public     ~/work/ledger/.agent/ken.toml:4:15 what this agent may see at most
    access.codex = public           ~/.config/ken/config.toml:4:9 what this agent may see at most
    access.default = team           ~/.config/ken/config.toml:3:11 what a local agent may see at most
    brief.lessons_tokens = 800      default      lessons in the brief at a session's start
    brief.prompt_tokens = 200       ~/work/ledger/.agent/ken.toml:6:17 the whole brief at a prompt
    brief.rest_tokens = 400         default      what else the brief holds at a session's start
    edicts.propose = false          default      let agents propose facts, marked as their own conclusions
    keep_private = false            default      write private rows of agents' stores into this machine's library
    library.path = ~/agent-library  default      where the library lies
    warning: ~/work/ledger/.agent/ken.toml:1:16: `keep_private` is ignored: a project may only tighten privacy
    warning: ~/work/ledger/.agent/ken.toml:3:11: `access.default` is ignored: a project may only tighten privacy
    warning: ~/work/ledger/.agent/ken.toml:7:15: `brief.rest_tokens` is ignored: a project may only lower what a brief may say
    ");
    machine.ken(&repo, ["config", "access.codex", "team"]).done();
    assert_eq!(
        machine.read(".config/ken/config.toml"),
        "# mine\n[access]\ndefault = \"team\" # as ever\ncodex = \"team\"\n"
    );
}

#[test]
fn the_library_can_be_moved_by_flag_variable_and_setting() {
    let machine = Machine::new();
    let home = machine.home();
    machine.write(".config/ken/config.toml", "[library]\npath = \"~/shelf\"\n");
    let place = |run: crate::machine::Run| {
        run.json()["settings"][0]["value"]
            .as_str()
            .unwrap()
            .replace(home.to_str().unwrap(), "~")
    };
    let asked = ["config", "library.path", "--json"];
    assert_eq!(place(machine.ken(&home, asked)), "~/shelf");
    let output = machine
        .command(&home)
        .env("KEN_LIBRARY", home.join("other"))
        .args(asked)
        .output()
        .unwrap();
    assert!(String::from_utf8(output.stdout).unwrap().contains("other"));
    assert_eq!(
        place(machine.ken(&home, ["config", "library.path", "--json", "--library", "third"])),
        "~/third"
    );
}

#[test]
fn an_answer_as_json_holds_the_factors_of_each_score() {
    let machine = Machine::new();
    let repo = machine.repository("work/ledger");
    machine.ken(&repo, ["init"]).done();
    machine.ken(&repo, ["learn", "the parser needs a lock"]).done();
    let answers = [
        &["recall", "parser lock", "--json"][..],
        &["recall", "parser lock", "--json", "--explain"],
    ]
    .map(|arguments| machine.ken(&repo, arguments).json());
    assert_eq!(answers[0], answers[1]);
    let hit = &answers[0]["hits"][0];
    let factors = hit["factors"].as_object().unwrap();
    let product: f64 = factors.values().map(|factor| factor.as_f64().unwrap()).product();
    assert!((product - hit["score"].as_f64().unwrap()).abs() < 1e-9, "{hit}");
    let text = machine.ken(&repo, ["recall", "parser lock"]).done();
    assert!(!text.contains("bm25"), "{text}");
}

#[test]
fn the_defaults_work_at_the_first_of_all_days() {
    let machine = Machine::new().at("0001-01-02T12:00:00Z");
    let home = machine.home();
    machine.ken(&home, ["library", "recent"]).done();
    machine.ken(&home, ["library", "recent", "--since", "2w"]).done();
}
