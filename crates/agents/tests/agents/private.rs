//! What is private stays so, whatever is left of it.

use std::fs;

use ken_agents::SyncOptions;
use serde_json::{Value, json};

use crate::home::Home;

fn jsonl(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn home(agent: &'static str) -> Home {
    let mut home = Home::empty();
    home.agent = agent;
    home
}

/// A rollout of this id, in this folder.
fn rollout(home: &Home, id: &str, folder: &str, more: &Value, words: &str) -> String {
    let cwd = home.path().join(folder);
    fs::create_dir_all(&cwd).unwrap();
    let at = "2026-11-20T09:00:00Z";
    let mut meta = json!({"id": id, "timestamp": at, "cwd": cwd, "source": "cli"});
    for (key, value) in more.as_object().unwrap() {
        meta[key] = value.clone();
    }
    let lines = [
        json!({"timestamp": at, "type": "session_meta", "payload": meta}),
        json!({"timestamp": at, "type": "event_msg", "payload": {"type": "user_message", "message": words}}),
    ];
    let path = format!(".codex/sessions/2026/11/20/rollout-{id}.jsonl");
    home.write(&path, jsonl(&lines));
    path
}

fn typed(id: &str, words: &str) -> Value {
    json!({"session_id": id, "ts": 1_795_251_605, "text": words})
}

#[test]
fn prompts_of_which_nobody_knows_where_they_were_typed_are_private() {
    let home = home("codex");
    rollout(&home, "a", "/srv/quay", &json!({}), "widen the pier");
    home.write(
        ".codex/history.jsonl",
        jsonl(&[typed("a", "widen the pier"), typed("b", "SECRET receipts")]),
    );
    home.sync();
    assert!(!home.manifest().contains("SECRET"), "{}", home.manifest());
    home.sync_with(SyncOptions { keep_private: true });
    let row = "- SECRET receipts\n    visibility: private\n";
    assert!(home.manifest().contains(row), "{}", home.manifest());
}
