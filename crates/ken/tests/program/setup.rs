//! `ken setup` and `ken unsetup` as a person and a script meet them.

use std::path::Path;

use crate::machine::{Machine, program};

/// A machine with both agents installed, and a repository.
fn furnished() -> (Machine, std::path::PathBuf) {
    let machine = Machine::new();
    let repo = machine.repository("work/ledger");
    machine.folder(".claude");
    machine.folder(".codex");
    (machine, repo)
}

/// Every file and folder below a folder, with its bytes.
fn tree(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.push((format!("{}/", path.display()), Vec::new()));
            found.extend(tree(&path));
        } else {
            found.push((path.display().to_string(), std::fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

/// A text in which the digests in the names of backups are masked.
fn masked(text: &str) -> String {
    let mut parts = text.split("T120000Z-");
    let mut masked = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        masked.push_str(&format!("T120000Z-[of]{}", &part[8..]));
    }
    masked
}

#[test]
fn it_says_what_it_wrote_and_what_is_left_to_do() {
    let (machine, repo) = furnished();
    machine.write("work/ledger/CLAUDE.md", "# Ours\n");
    let before = tree(&repo);
    insta::assert_snapshot!(masked(&machine.ken(&repo, ["setup", "--yes"]).done()), @r"
    wrote .mcp.json: adds the MCP server ken
    wrote .claude/settings.json: adds hooks for SessionStart, UserPromptSubmit, Stop, SessionEnd, PreCompact
    wrote CLAUDE.md: adds five lines that say what ken is and when to ask it
      a copy of what it was: ~/.local/state/ken/wiring/backups/2026-06-15T120000Z-[of]-CLAUDE.md
    wrote .codex/config.toml: adds the MCP server ken
    wrote .codex/hooks.json: adds hooks for SessionStart, UserPromptSubmit, Stop, SessionEnd, PreCompact
    wrote AGENTS.md: adds five lines that say what ken is and when to ask it
    Still to do by hand:
      Claude Code: start `claude` in this project and, when it asks, trust the folder and allow the server ken of .mcp.json
      Codex: start `codex` in this project and trust the folder when it asks: it reads a project's .codex only then
      Codex: type /hooks in Codex and trust ken's hooks: new ones do not run before that
    ");
    let once = tree(&repo);
    insta::assert_snapshot!(machine.ken(&repo, ["setup"]).done(), @"Claude Code, Codex: set up already, nothing to write");
    assert_eq!(tree(&repo), once);
    insta::assert_snapshot!(machine.ken(&repo, ["unsetup", "--yes"]).done().lines().filter(|line| !line.starts_with(' ')).collect::<Vec<_>>().join("\n"), @r"
    removed .mcp.json: setup made it
    removed .claude/settings.json: setup made it
    wrote CLAUDE.md: takes out what setup put in
    removed .codex/config.toml: setup made it
    removed .codex/hooks.json: setup made it
    removed AGENTS.md: setup made it
    ");
    assert_eq!(tree(&repo), before);
    insta::assert_snapshot!(machine.ken(&repo, ["unsetup"]).done(), @"Claude Code, Codex: nothing of ken's was found, nothing to write");
}

#[test]
fn a_dry_run_prints_the_exact_changes_and_writes_nothing() {
    let (machine, repo) = furnished();
    machine.write(
        "work/ledger/.mcp.json",
        "{\n  \"mcpServers\": {\n    \"other\": {} // theirs\n  }\n}\n",
    );
    let before = tree(&machine.home());
    let said = machine
        .ken(&repo, ["setup", "claude-code", "--dry-run"])
        .done()
        .replace(program(), "PROGRAM");
    insta::assert_snapshot!(said.lines().take(14).collect::<Vec<_>>().join("\n"), @r#"
    --- .mcp.json
    +++ .mcp.json
    @@ -1,5 +1,9 @@
     {
       "mcpServers": {
    -    "other": {} // theirs
    +    "other": {}, // theirs
    +    "ken": {
    +      "command": "PROGRAM",
    +      "args": ["mcp", "--agent", "claude-code"]
    +    }
       }
     }
    --- /dev/null
    "#);
    assert!(said.contains("\nNothing was written.\n"), "{said}");
    assert_eq!(tree(&machine.home()), before);
    let json = machine
        .ken(&repo, ["setup", "codex", "--dry-run", "--json"])
        .json();
    assert_eq!(json["written"], false);
    assert_eq!(json["deed"], "setup");
    assert_eq!(json["agents"][0]["id"], "codex");
    assert_eq!(json["files"].as_array().unwrap().len(), 3);
    assert!(
        json["files"][0]["diff"]
            .as_str()
            .unwrap()
            .contains("+[mcp_servers.ken]")
    );
    assert_eq!(tree(&machine.home()), before);
}

#[test]
fn a_file_that_its_agent_does_not_read_is_told_by_setup_and_by_doctor() {
    let (machine, repo) = furnished();
    machine.write("work/ledger/.mcp.json", "{\n  // mine\n  \"mcpServers\": {}\n}\n");
    machine.write("work/ledger/.codex/hooks.json", "{\n  \"hooks\": {} // mine\n}\n");
    let notes = |said: String| {
        let lines = said.lines().filter(|line| line.starts_with("note: "));
        lines.map(str::to_owned).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(notes(machine.ken(&repo, ["setup", "--dry-run"]).done()), @r"
    note: ~/work/ledger/.mcp.json:2:3: Claude Code does not read comments here, so nothing in this file is in effect; take them out
    note: ~/work/ledger/.codex/hooks.json:2:15: Codex does not read comments here, so nothing in this file is in effect; take them out
    ");
    // Once written, the second stands behind what was written.
    let written = r"
    note: ~/work/ledger/.mcp.json:2:3: Claude Code does not read comments here, so nothing in this file is in effect; take them out
    note: ~/work/ledger/.codex/hooks.json:58:5: Codex does not read comments here, so nothing in this file is in effect; take them out
    ";
    let written: Vec<&str> = written.trim().lines().map(str::trim).collect();
    assert_eq!(
        notes(machine.ken(&repo, ["setup", "--yes"]).done()),
        written.join("\n")
    );
    assert_eq!(notes(machine.ken(&repo, ["setup"]).done()), written.join("\n"));
    let found = machine.ken(&repo, ["doctor"]);
    assert_eq!(found.code, Some(1), "something is to be mended");
    let said = found.stdout;
    for note in &written {
        let sentence = note.trim_start_matches("note: ");
        assert!(
            said.contains(&format!("in this project's settings: {sentence}")),
            "{said}"
        );
    }
    assert!(!said.contains("wired in this project's settings"), "{said}");
}

#[test]
fn an_answer_for_programs_says_written_only_when_something_was() {
    let (machine, repo) = furnished();
    let written = |command: &str| {
        let said = machine.ken(&repo, command.split(' ')).json();
        (
            said["written"].as_bool().unwrap(),
            said["files"].as_array().unwrap().is_empty(),
        )
    };
    assert_eq!(written("unsetup --yes --json"), (false, true));
    assert_eq!(written("setup --dry-run --json"), (false, false));
    assert_eq!(written("setup --yes --json"), (true, false));
    assert_eq!(written("setup --yes --json"), (false, true));
    assert_eq!(written("unsetup --yes --json"), (true, false));
}

#[cfg(unix)]
#[test]
fn a_link_is_told_before_anything_is_written_through_it() {
    use std::os::unix::fs::symlink;

    let (machine, repo) = furnished();
    machine.folder("dots");
    machine.write("dots/notes.md", "# Notes\n");
    symlink("../../dots/notes.md", repo.join("CLAUDE.md")).unwrap();
    symlink("../../dots", repo.join(".claude")).unwrap();
    let said = machine.ken(&repo, ["setup", "claude-code", "--dry-run"]).done();
    assert!(
        said.contains("CLAUDE.md is a link to ~/dots/notes.md\n"),
        "{said}"
    );
    assert!(
        said.contains(".claude/settings.json is a link to ~/dots/settings.json\n"),
        "{said}"
    );
    let said = machine.ken(&repo, ["setup", "claude-code", "--yes"]).done();
    assert!(
        said.contains("wrote CLAUDE.md (a link to ~/dots/notes.md): adds"),
        "{said}"
    );
}

#[test]
fn without_a_terminal_it_writes_only_when_told_to() {
    let (machine, repo) = furnished();
    let before = tree(&machine.home());
    for command in ["setup", "setup --json"] {
        let said = machine.ken(&repo, command.split(' ')).refused(2);
        assert!(said.contains("--yes") && said.contains("--dry-run"), "{said}");
    }
    assert_eq!(tree(&machine.home()), before);
}

#[test]
fn what_cannot_be_set_up_is_told_with_the_remedy() {
    let (machine, repo) = furnished();
    insta::assert_snapshot!(machine.ken(&repo, ["setup", "emacs"]).refused(2), @"error: `emacs` is not an agent that ken can set up; those are: claude-code, codex");
    insta::assert_snapshot!(machine.ken(&machine.home(), ["setup", "--yes"]).refused(1), @"error: there is no project here; go into a git repository (or say `ken init` in the folder), or use --user for your own settings");
    let outside = machine.folder("notes");
    insta::assert_snapshot!(machine.ken(&outside, ["setup", "--yes"]).refused(1), @"error: there is no project here; go into a git repository (or say `ken init` in the folder), or use --user for your own settings");
    machine.write("work/ledger/.claude/settings.json", "{\n  \"hooks\": {,}\n}\n");
    let before = tree(&machine.home());
    insta::assert_snapshot!(machine.ken(&repo, ["setup", "--yes"]).refused(1), @"error: ~/work/ledger/.claude/settings.json:2:13: this is not JSON (unexpected token in object); nothing was written; repair the file and run the command again");
    assert_eq!(tree(&machine.home()), before);
    let bare = Machine::new();
    let repo = bare.repository("work/ledger");
    insta::assert_snapshot!(bare.ken(&repo, ["setup", "--yes"]).refused(1), @"error: no agent that ken can set up was found on this machine; name one of claude-code, codex to set it up all the same");
    let said = bare.ken(&repo, ["setup", "codex", "--yes"]).done();
    assert!(
        said.contains("note: Codex was not found on this machine"),
        "{said}"
    );
}

#[test]
fn the_persons_own_settings_are_apart_and_come_back() {
    let (machine, repo) = furnished();
    machine.write(".claude.json", "{\"numStartups\": 3}");
    let before = tree(&machine.home());
    let said = machine
        .ken(
            &machine.home(),
            ["setup", "--user", "--yes", "--access", "public"],
        )
        .done();
    assert!(said.contains("wrote ~/.claude.json"), "{said}");
    assert!(
        machine.read(".claude.json").contains("\"--access\",\"public\"")
            || machine.read(".claude.json").contains("\"--access\", \"public\"")
    );
    assert!(
        machine
            .read(".codex/hooks.json")
            .contains("--agent codex --access public")
    );
    assert!(!repo.join(".mcp.json").exists());
    machine.ken(&repo, ["unsetup", "--user", "--yes"]).done();
    let state = machine.home().join(".local");
    let after: Vec<_> = tree(&machine.home())
        .into_iter()
        .filter(|(path, _)| !Path::new(path).starts_with(&state))
        .collect();
    assert_eq!(after, before);
}

/// On a terminal, which `script` of util-linux plays.
#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_it_shows_the_changes_and_asks() {
    use std::io::Write;
    use std::process::{Command, Stdio};

    let (machine, repo) = furnished();
    let before = tree(&repo);
    let answer = |answer: &str| {
        let mut command = Command::new("script");
        command
            .args(["-qec", &format!("'{}' setup claude-code", program()), "/dev/null"])
            .current_dir(&repo)
            .env_clear()
            .env("HOME", machine.home())
            .env("PATH", "/usr/bin:/bin")
            .env("SHELL", "/bin/sh")
            .env("TERM", "dumb")
            .env("TZ", "UTC")
            .env("KEN_NOW", crate::machine::NOW)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().expect("util-linux has script");
        child.stdin.take().unwrap().write_all(answer.as_bytes()).unwrap();
        let output = child.wait_with_output().unwrap();
        (
            String::from_utf8_lossy(&output.stdout).into_owned(),
            output.status.code(),
        )
    };
    let (said, code) = answer("n\n");
    assert!(
        said.contains("+++ .mcp.json") && said.contains("Write this? [y/N]"),
        "{said}"
    );
    assert!(said.contains("Nothing was written."), "{said}");
    // A no is no error.
    assert_eq!(code, Some(0));
    assert_eq!(tree(&repo), before);
    let (said, code) = answer("y\n");
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains("wrote .mcp.json"), "{said}");
    assert!(repo.join(".mcp.json").is_file());
}
