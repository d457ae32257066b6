//! What Codex writes since 2026: no `user_message` events, instructions without a folder, homes of little.

use ken_agents::{Codex, Discovery, Participant as _, SyncOptions, SyncOutcome};
use serde_json::{Value, json};

use crate::home::Home;

fn home() -> Home {
    let mut home = Home::empty();
    home.agent = "codex";
    home
}

/// A rollout as version 0.171 writes one, without what no reader looks at.
fn rollout() -> String {
    let at = |second: u32, kind: &str, payload: Value| json!({"timestamp": format!("2026-11-20T09:00:{second:02}.787Z"), "ordinal": second, "type": kind, "payload": payload});
    let message = |role: &str, texts: &[&str]| {
        let content: Vec<Value> = texts
            .iter()
            .map(|text| json!({"type": "input_text", "text": text}))
            .collect();
        json!({"type": "message", "id": "msg_1", "role": role, "content": content})
    };
    let completed = |kind: &str, part: Value| json!({"type": "item_completed", "thread_id": "t", "turn_id": "u", "item": {"type": kind, "id": "i", "content": [part]}, "started_at_ms": 1_796_072_327_883_u64});
    let typed = |text: &str| {
        completed(
            "UserMessage",
            json!({"type": "text", "text": text, "text_elements": []}),
        )
    };
    let lines = [
        at(
            0,
            "session_meta",
            json!({"session_id": "t", "id": "t", "cwd": "/srv/quay", "originator": "codex_exec", "cli_version": "0.171.0", "source": "exec", "thread_source": "user", "history_mode": "paginated", "git": {}}),
        ),
        at(1, "event_msg", json!({"type": "task_started", "turn_id": "u"})),
        at(
            2,
            "response_item",
            message(
                "developer",
                &[
                    "<skills_instructions>\n## Skills\n</skills_instructions>",
                    "<kenning-memory>\n- TOLD\n</kenning-memory>",
                ],
            ),
        ),
        at(
            3,
            "response_item",
            message(
                "user",
                &[
                    "# AGENTS.md instructions\n\n<INSTRUCTIONS>\nAGENTSMD\n</INSTRUCTIONS>",
                    "<environment_context>\n  <cwd>/srv/quay</cwd>\n</environment_context>",
                ],
            ),
        ),
        at(
            4,
            "world_state",
            json!({"full": true, "state": {"agents_md": {"text": "AGENTSMD"}}}),
        ),
        at(5, "turn_context", json!({"turn_id": "u", "cwd": "/srv/quay"})),
        at(6, "response_item", message("user", &["why does the crane hang"])),
        at(7, "event_msg", typed("why does the crane hang")),
        at(
            8,
            "event_msg",
            completed("AgentMessage", json!({"type": "Text", "text": "ASSISTANT"})),
        ),
        at(
            9,
            "response_item",
            message(
                "user",
                &["<environment_context>\n  <cwd>/srv/quay</cwd>\n</environment_context>"],
            ),
        ),
        at(10, "response_item", message("developer", &["TOLD again"])),
        at(
            11,
            "event_msg",
            typed("now oil the crane\n- <kenning-memory>TOLD</kenning-memory>"),
        ),
        at(
            12,
            "event_msg",
            json!({"type": "task_complete", "turn_id": "u", "last_agent_message": "ASSISTANT"}),
        ),
    ];
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn actions(home: &Home) -> Vec<Vec<String>> {
    let manifest = home.library().read(&home.agent.parse().unwrap()).unwrap();
    let rows = manifest.unwrap().manifest.sessions;
    rows.into_iter().map(|row| row.key_actions).collect()
}

#[test]
fn completed_messages_are_the_person_s_words() {
    let home = home();
    home.write(".codex/sessions/2026/11/20/rollout-t.jsonl", rollout());
    home.sync_with(SyncOptions { keep_private: true });
    assert_eq!(actions(&home), [["why does the crane hang", "now oil the crane"]]);
}

#[test]
fn without_events_the_messages_tell_and_instructions_are_nobody_s_words() {
    let home = home();
    let rollout = rollout();
    let messages = rollout
        .split_inclusive('\n')
        .filter(|line| !line.contains("UserMessage"));
    home.write(
        ".codex/sessions/2026/11/20/rollout-t.jsonl",
        messages.collect::<String>(),
    );
    home.sync();
    assert_eq!(actions(&home), [["why does the crane hang"]]);
}

#[test]
fn a_database_or_memories_alone_make_a_store() {
    let database = home();
    std::fs::create_dir_all(database.path().join(".codex")).unwrap();
    let open = rusqlite::Connection::open(database.path().join(".codex/state_5.sqlite")).unwrap();
    open.execute_batch(
        "CREATE TABLE threads (id TEXT, cwd TEXT, title TEXT, created_at INTEGER);
         INSERT INTO threads VALUES ('a', '/srv/quay', 'widen the pier', 1795251605);",
    )
    .unwrap();
    assert_eq!(database.sync().outcome, SyncOutcome::Created);
    assert_eq!(actions(&database), [["widen the pier"]]);

    let memories = home();
    memories.write(
        ".codex/memories/MEMORY.md",
        "# Task Group: pier\napplies_to: cwd=/srv/quay-works; x\n\n- 2026-11-21: the pier is of oak\n- <kenning-memory>TOLD</kenning-memory>\n",
    );
    assert_eq!(memories.sync().outcome, SyncOutcome::Created);
    let manifest = memories.manifest();
    assert!(manifest.contains("text: the pier is of oak\n"), "{manifest}");

    let settings = home();
    settings.write(".codex/config.toml", "");
    std::fs::create_dir_all(settings.path().join(".codex/memories/extensions")).unwrap();
    assert_eq!(Codex.discover(&settings.paths), Discovery::Absent);
}
