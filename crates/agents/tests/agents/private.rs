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

/// The same, also when the database is gone with the rollout, or is all that is left.
#[test]
fn what_was_private_stays_so_when_its_rollout_is_gone() {
    for database in [false, true] {
        let home = home("codex");
        let mut rollouts = vec![
            rollout(&home, "tax", "Documents/taxes", &json!({}), "SECRET receipts"),
            rollout(
                &home,
                "off",
                "/srv/quay",
                &json!({"memory_mode": "disabled"}),
                "HIDDEN plan",
            ),
            rollout(
                &home,
                "pier",
                "/srv/quay",
                &json!({"git": {"branch": "widen/the-pier"}}),
                "widen the pier",
            ),
        ];
        let mut prompts = vec![
            typed("tax", "SECRET receipts"),
            typed("off", "HIDDEN plan"),
            typed("pier", "widen the pier"),
        ];
        home.sync();
        if database {
            // It says of the one where it was, and of the other that memory is on.
            let open = rusqlite::Connection::open(home.path().join(".codex/state_5.sqlite")).unwrap();
            open.execute_batch(
                "CREATE TABLE threads (id TEXT, cwd TEXT, title TEXT, git_branch TEXT, memory_mode TEXT);
                 INSERT INTO threads VALUES ('tax', '/srv/quay', 'SECRET receipts', 'sums/of-SECRET', 'enabled');
                 INSERT INTO threads VALUES ('off', '/srv/quay', 'HIDDEN plan', 'HIDDEN/branch', 'enabled');",
            )
            .unwrap();
            prompts.remove(0);
        }
        home.write(".codex/history.jsonl", jsonl(&prompts));
        let of_off = "thread_id: off\nupdated_at: 2026-11-20T10:00:00Z\ncwd: /srv/quay\n\nHIDDEN summary\n";
        let of_tax = of_off.replace("off", "tax").replace("HIDDEN", "SECRET");
        home.write(".codex/memories/rollout_summaries/off.md", of_off);
        home.write(".codex/memories/rollout_summaries/tax.md", of_tax);
        for path in rollouts.drain(..) {
            fs::remove_file(home.path().join(path)).unwrap();
        }
        for _ in 0..2 {
            home.sync();
            let team = home.manifest();
            assert!(!team.contains("SECRET") && !team.contains("HIDDEN"), "{team}");
            assert!(
                team.contains("cwd: /srv/quay\n    project_focus:\n      - quay\n    key_actions:\n      - widen the pier"),
                "{team}"
            );
        }
        home.sync_with(SyncOptions { keep_private: true });
        let own = home.manifest();
        assert!(
            own.contains("- SECRET receipts\n    visibility: private") && !own.contains("HIDDEN"),
            "{own}"
        );
        let seen = fs::read_to_string(home.paths.state.join("harvest/codex/seen.json")).unwrap();
        assert!(!seen.contains("taxes") && !seen.contains("receipts"), "{seen}");
    }
}

#[test]
fn a_fork_of_what_is_gone_stands_as_that_stood() {
    let home = home("codex");
    let gone = [
        rollout(&home, "tax", "Documents/taxes", &json!({}), "SECRET receipts"),
        rollout(
            &home,
            "off",
            "/srv/quay",
            &json!({"memory_mode": "disabled"}),
            "HIDDEN plan",
        ),
    ];
    home.sync();
    rollout(
        &home,
        "x",
        "/srv/quay",
        &json!({"forked_from_id": "tax", "git": {"branch": "fix/SECRET"}}),
        "SECRET receipts",
    );
    rollout(
        &home,
        "y",
        "/srv/quay",
        &json!({"forked_from_id": "off"}),
        "HIDDEN plan",
    );
    rollout(&home, "z", "/srv/quay", &json!({}), "widen the pier");
    for path in gone {
        fs::remove_file(home.path().join(path)).unwrap();
    }
    home.sync();
    let team = home.manifest();
    assert!(team.contains("widen the pier"), "{team}");
    assert!(!team.contains("SECRET") && !team.contains("HIDDEN"), "{team}");
}

#[test]
fn a_rollout_that_cannot_be_read_may_have_been_private() {
    let home = home("codex");
    rollout(&home, "a", "/srv/quay", &json!({}), "widen the pier");
    home.write(".codex/sessions/2026/11/20/rollout-b.jsonl.zst", "no frame");
    let open = rusqlite::Connection::open(home.path().join(".codex/state_5.sqlite")).unwrap();
    open.execute_batch(
        "CREATE TABLE threads (id TEXT, cwd TEXT, title TEXT);
         INSERT INTO threads VALUES ('rollout-b', '/srv/quay', 'SECRET plan');",
    )
    .unwrap();
    home.sync();
    assert!(!home.manifest().contains("SECRET"), "{}", home.manifest());
}

#[test]
fn claude_code_s_history_says_where_and_what_it_does_not_say_is_private() {
    let home = home("claude-code");
    let at = |id: &str, folder: &str, words: &str| json!({"display": words, "project": folder, "sessionId": id, "timestamp": 1_795_251_605_000_i64});
    let taxes = home.path().join("Documents/taxes").to_string_lossy().into_owned();
    home.write(
        ".claude/history.jsonl",
        jsonl(&[
            at("a", "/srv/quay", "widen the pier"),
            at("b", &taxes, "SECRET receipts"),
        ]),
    );
    home.write(
        ".claude/projects/-somewhere/memory/MEMORY.md",
        "- 2026-11-21: SECRET note\n",
    );
    home.sync();
    let team = home.manifest();
    assert!(
        team.contains("widen the pier") && !team.contains("SECRET"),
        "{team}"
    );
}

#[test]
fn a_folder_s_memory_is_known_by_what_was_seen_when_its_transcripts_are_gone() {
    let home = home("claude-code");
    home.write("code/quay-works/.git/HEAD", "ref: refs/heads/main\n");
    let cwd = home.path().join("code/quay-works");
    let project = format!(".claude/projects/{}-code-quay-works", home.slug());
    let line = json!({"type": "user", "cwd": cwd, "timestamp": "2026-11-20T09:00:05Z", "message": {"content": "widen the pier"}});
    let transcript = home.write(&format!("{project}/s.jsonl"), jsonl(&[line]));
    home.write(
        &format!("{project}/memory/MEMORY.md"),
        "- 2026-11-21: the pier is of oak\n",
    );
    home.sync();
    fs::remove_file(transcript).unwrap();
    home.sync();
    let note = "text: the pier is of oak\n    related_entities:\n      - quay-works\n";
    assert!(home.manifest().contains(note), "{}", home.manifest());
    fs::remove_dir_all(home.paths.state.join("harvest")).unwrap();
    home.sync_with(SyncOptions { keep_private: true });
    assert!(
        home.manifest()
            .contains("text: the pier is of oak\n    visibility: private"),
        "{}",
        home.manifest()
    );
}
