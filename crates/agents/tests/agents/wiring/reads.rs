//! Files that we can edit and their agent does not read.

use ken_agents::wiring::{State, inspect};

use super::{BOTH, Desk, rows};

/// What setup notes of a file before it is written. What it notes afterwards, what it notes once more, and what
/// inspecting says must not differ, and the way back must be exact all the same.
fn unread(id: &str, file: &str, content: &str) -> Vec<String> {
    let desk = Desk::new();
    desk.write(&format!("work/ledger/{file}"), content);
    let before = desk.tree();
    let plan = desk.plan(&[id]).unwrap();
    let shown = |text: &String| text.replace(desk.project().to_str().unwrap(), "");
    let noted: Vec<String> = plan.agents[0]
        .notes
        .iter()
        .filter(|note| note.contains(file))
        .map(shown)
        .collect();
    let then: Vec<String> = plan.agents_once_written()[0]
        .notes
        .iter()
        .filter(|note| note.contains(file))
        .map(shown)
        .collect();
    plan.apply(&super::clock()).unwrap();
    let found = inspect(rows(&[id])[0], &desk.request);
    let mut said: Vec<String> = Vec::new();
    for part in found.scopes[1]
        .parts
        .iter()
        .filter(|part| part.file.ends_with(file))
    {
        if let State::Unread(why) = &part.state {
            said.push(shown(why));
        } else {
            assert_eq!(part.state, State::Present);
        }
        assert!(part.remedy.is_none(), "{part:?}");
    }
    said.dedup();
    assert_eq!(said, then);
    assert_eq!(found.scopes[1].is_complete(), said.is_empty());
    // Set up again, it is still said.
    let again = desk.plan(&[id]).unwrap();
    let again: Vec<String> = again.agents[0]
        .notes
        .iter()
        .map(shown)
        .filter(|note| note.contains(file))
        .collect();
    assert_eq!(again, then);
    desk.unsetup(&[id]);
    assert_eq!(desk.tree(), before);
    noted
}

#[test]
fn a_file_that_its_agent_does_not_read_is_told_with_the_place() {
    let said: Vec<String> = [
        (
            "claude-code",
            ".mcp.json",
            "{\n  // mine\n  \"mcpServers\": {}\n}\n",
        ),
        (
            "claude-code",
            ".mcp.json",
            "{\n  \"a\": [1,],\n  \"mcpServers\": {} /* mine */\n}\n",
        ),
        ("claude-code", ".claude/settings.json", "/* mine */ {}"),
        (
            "claude-code",
            ".claude/settings.json",
            "{\"env\": {\"A\": \"b\",}}",
        ),
        (
            "claude-code",
            ".claude/settings.json",
            "{\n  \"env\": {\"A\": \"\tb\"}\n}\n",
        ),
        ("codex", ".codex/hooks.json", "{\n  \"hooks\": {} // mine\n}\n"),
        ("codex", ".codex/hooks.json", "\u{feff}{}"),
        ("codex", ".codex/hooks.json", "{\"env\": {}, \"hooks\": {}}"),
        (
            "codex",
            ".codex/hooks.json",
            "{\"hooks\": {\"PreToolUse\": null}}",
        ),
        (
            "codex",
            ".codex/hooks.json",
            "{\"hooks\": {\"Stop\": [{\"hooks\": \"x\"}]}}",
        ),
        ("codex", ".codex/hooks.json", "{\"hooks\": {\"Stop\": [\"x\"]}}"),
        (
            "codex",
            ".codex/hooks.json",
            "{\"hooks\": {\"Stop\": [{\"hooks\": [1]}]}}",
        ),
    ]
    .into_iter()
    .map(|(id, file, content)| unread(id, file, content).join("\n"))
    .collect();
    insta::assert_snapshot!(said.join("\n"), @r"
    /.mcp.json:2:3: Claude Code does not read comments here, so nothing in this file is in effect; take them out
    /.mcp.json:2:10: Claude Code does not read a comma behind the last item here, so nothing in this file is in effect; take it out
    /.claude/settings.json:1:1: Claude Code does not read comments here, so nothing in this file is in effect; take them out
    /.claude/settings.json:1:18: Claude Code does not read a comma behind the last item here, so nothing in this file is in effect; take it out
    /.claude/settings.json:2:16: Claude Code reads no such JSON (control character (\u0000-\u001F) found while parsing a string) here, so nothing in this file is in effect; repair it
    /.codex/hooks.json:2:15: Codex does not read comments here, so nothing in this file is in effect; take them out
    /.codex/hooks.json:1:1: Codex does not read a byte order mark here, so nothing in this file is in effect; save the file without it
    /.codex/hooks.json:1:2: Codex takes no key `env` here, so nothing in this file is in effect; take it out
    /.codex/hooks.json:1:26: Codex reads only a list (in `PreToolUse`) and no null here, so nothing in this file is in effect; repair it
    /.codex/hooks.json:1:31: Codex reads only a list (in `Stop`) and no text here, so nothing in this file is in effect; repair it
    /.codex/hooks.json:1:21: Codex reads only tables (in `Stop`) and no text here, so nothing in this file is in effect; repair it
    /.codex/hooks.json:1:32: Codex reads only tables (in `Stop`) and no number here, so nothing in this file is in effect; repair it
    ");
}

#[test]
fn what_an_agent_reads_is_not_complained_of() {
    for (id, file, content) in [
        ("claude-code", ".mcp.json", "\u{feff}{\r\n}\r\n"),
        ("claude-code", ".mcp.json", ""),
        ("claude-code", ".claude/settings.json", "\u{feff}{}"),
        (
            "claude-code",
            ".claude/settings.json",
            "{\"x\": \"// no comment\", \"hooks\": {\"Stop\": [{\"hooks\": \"x\"}]}}",
        ),
        ("codex", ".codex/hooks.json", "{\r\n}\r\n"),
        ("codex", ".codex/hooks.json", " \n"),
        (
            "codex",
            ".codex/hooks.json",
            "{\"description\": \"mine\", \"hooks\": {\"Bogus\": 1, \"Stop\": [{\"x\": 1}]}}",
        ),
        ("codex", ".codex/config.toml", "\u{feff}# mine\r\n"),
    ] {
        assert!(unread(id, file, content).is_empty(), "{file}: {content}");
    }
    let desk = Desk::new();
    desk.setup(&BOTH);
    for row in rows(&BOTH) {
        assert!(inspect(row, &desk.request).scopes[1].is_complete());
    }
}

#[test]
fn hooks_of_the_persons_own_in_another_file_are_told() {
    let desk = Desk::new();
    let noted = |config: &str| {
        desk.write("work/ledger/.codex/config.toml", config);
        let plan = desk.plan(&["codex"]).unwrap();
        let notes = plan.agents[0]
            .notes
            .iter()
            .filter(|note| note.contains("config.toml"));
        notes
            .map(|note| note.replace(desk.project().to_str().unwrap(), ""))
            .collect::<Vec<_>>()
            .join("\n")
    };
    insta::assert_snapshot!(noted("a = 1\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"true\"\n"), @"/.codex/config.toml:2:9: hooks of yours stand here, and ken's in hooks.json; Codex runs both and warns of two places at every start: move yours into hooks.json to end that");
    insta::assert_snapshot!(noted("hooks = { Stop = [{ hooks = [] }] }\n"), @"/.codex/config.toml:1:11: hooks of yours stand here, and ken's in hooks.json; Codex runs both and warns of two places at every start: move yours into hooks.json to end that");
    // What Codex itself keeps there of hooks that are trusted.
    assert_eq!(noted("[hooks.state.\"x\"]\ntrusted_hash = \"y\"\n"), "");
    assert_eq!(noted("[hooks]\nStop = []\n"), "");
    assert_eq!(noted(""), "");
}
