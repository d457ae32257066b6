//! A Codex home that is damaged, in use, or meant to do harm.

use std::fs;
use std::path::Path;

use ken_agents::SyncOutcome;
use proptest::prelude::*;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::{Value, json};

use crate::codex::{home as furnished, skipped};
use crate::home::{Home, token};
use crate::hostile::snapshot;

fn home() -> Home {
    let mut home = Home::empty();
    home.agent = "codex";
    home
}

fn meta(id: &str, more: &Value) -> Value {
    let mut payload =
        json!({"id": id, "timestamp": "2026-11-20T09:00:00Z", "cwd": "/srv/quay", "source": "cli"});
    for (key, value) in more.as_object().unwrap() {
        payload[key] = value.clone();
    }
    json!({"timestamp": "2026-11-20T09:00:00Z", "type": "session_meta", "payload": payload})
}

fn asks(text: &str) -> Value {
    json!({"timestamp": "2026-11-20T09:00:05Z", "type": "event_msg", "payload": {"type": "user_message", "message": text}})
}

fn jsonl(lines: &[Value]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn write(home: &Home, name: &str, lines: &[Value]) {
    home.write(
        &format!(".codex/sessions/2026/11/20/rollout-{name}.jsonl"),
        jsonl(lines),
    );
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

fn requests(home: &Home) -> Vec<String> {
    let manifest = home
        .library()
        .read(&home.agent.parse().unwrap())
        .unwrap()
        .unwrap()
        .manifest;
    let mut all: Vec<String> = manifest
        .sessions
        .into_iter()
        .flat_map(|row| row.key_actions)
        .collect();
    all.sort();
    all
}

#[test]
fn compressed_rollouts_are_read_and_a_bomb_costs_nothing() {
    let home = home();
    let day = ".codex/sessions/2026/11/20";
    let text = jsonl(&[meta("a", &json!({})), asks("widen the pier")]);
    home.write(&format!("{day}/rollout-a.jsonl.zst"), packed(text.as_bytes()));
    home.write(
        &format!("{day}/rollout-b.jsonl.zst"),
        packed(&vec![b' '; 96 * 1024 * 1024]),
    );
    let long = jsonl(&[meta("c", &json!({})), asks("lost with its end")]) + &"x".repeat(200_000);
    let whole = packed(long.as_bytes());
    home.write(&format!("{day}/rollout-c.jsonl.zst"), &whole[..whole.len() - 5]);
    home.write(&format!("{day}/rollout-d.jsonl.zst"), b"not compressed at all");
    // While a rollout is being compressed both lie there.
    home.write(&format!("{day}/rollout-a.jsonl"), &text);
    let line = home.sync();
    assert_eq!(requests(&home), ["widen the pier"]);
    insta::assert_snapshot!(skipped(&line), @r#"
    1 compressed sessions that unpack to more than 200 times their size
    2 compressed sessions that cannot be unpacked
    "#);
}

#[test]
fn the_store_is_only_read_also_while_its_database_is_open() {
    let (home, database) = furnished();
    let store = home.path().join(".codex");
    database.execute_batch("BEGIN IMMEDIATE").unwrap();
    let before = snapshot(&store);
    home.sync();
    assert_eq!(snapshot(&store), before);
    database.execute_batch("COMMIT").unwrap();
    assert!(home.manifest().contains("fix/webhooks"));
    assert!(!home.paths.state.join("harvest/codex/copy").exists());
}

#[test]
fn a_damaged_database_is_one_skipped_item_with_a_reason() {
    type Damage = fn(&Path);
    let damages: [(&str, Damage); 5] = [
        ("damaged", |path| {
            fs::write(path, b"SQLite format 3\0 and no more").unwrap();
        }),
        ("damaged", |path| {
            let mut bytes = fs::read(path).unwrap();
            bytes.truncate(5000);
            fs::write(path, bytes).unwrap();
        }),
        ("damaged", |path| {
            let mut bytes = fs::read(path).unwrap();
            bytes[100..].fill(0xff);
            fs::write(path, bytes).unwrap();
        }),
        ("larger than 256 MiB", |path| {
            fs::File::options()
                .write(true)
                .open(path)
                .unwrap()
                .set_len(300 << 20)
                .unwrap();
        }),
        ("", |path| fs::write(path, b"").unwrap()),
    ];
    for (why, damage) in damages {
        let (home, database) = furnished();
        drop(database);
        damage(&home.path().join(".codex/state_5.sqlite"));
        let line = home.sync();
        assert_eq!(line.outcome, SyncOutcome::Created);
        assert!(home.manifest().contains("Round every posting half to even"));
        let told = skipped(&line);
        let wanted = if why.is_empty() {
            String::new()
        } else {
            "1 database: state_5.sqlite, which is ".to_owned() + why
        };
        assert!(
            told.contains(&wanted) && (why.is_empty() != told.contains("database")),
            "{told}"
        );
        assert!(!home.paths.state.join("harvest/codex/copy").exists());
    }
}

#[cfg(unix)]
#[test]
fn pipes_in_the_store_are_not_waited_for() {
    for (pipe, told) in [
        (
            "state_5.sqlite-wal",
            "1 database: state_5.sqlite, which cannot be copied (it is not a regular file)",
        ),
        (
            "state_5.sqlite-shm",
            "1 database: state_5.sqlite, which cannot be copied (it is not a regular file)",
        ),
        ("state_5.sqlite-journal", ""),
        ("state_6.sqlite", ""),
        ("history.jsonl", ""),
        ("session_index.jsonl", ""),
        ("memories/MEMORY.md", ""),
        ("sessions/2026/11/20/rollout-p.jsonl", ""),
        ("sessions/2026/11/20/rollout-p.jsonl.zst", ""),
    ] {
        let (home, database) = furnished();
        database.pragma_update(None, "journal_mode", "delete").unwrap();
        drop(database);
        let pipe = home.path().join(".codex").join(pipe);
        let _ = fs::remove_file(&pipe);
        fs::create_dir_all(pipe.parent().unwrap()).unwrap();
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let line = home.sync();
        assert_eq!(line.outcome, SyncOutcome::Created);
        assert_eq!(
            skipped(&line)
                .lines()
                .find(|line| line.contains("database"))
                .unwrap_or_default(),
            told
        );
        assert!(home.manifest().contains("Round every posting half to even"));
        assert!(!home.paths.state.join("harvest/codex/copy").exists());
    }
}

#[test]
fn only_a_plain_table_of_threads_is_read() {
    let endless = "CREATE VIEW threads AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
        SELECT i AS id, 'ENDLESS words' AS title, '/srv/quay' AS cwd, 1794218400 AS updated_at, 'cli' AS source FROM n;";
    let disguised = format!(
        "PRAGMA writable_schema = on; CREATE TABLE other (id);
         UPDATE sqlite_schema SET name = 'threads', tbl_name = 'threads', sql = '{}' WHERE name = 'other';",
        endless.trim_end_matches(';').replace('\'', "''")
    );
    let of_a_module = "CREATE VIRTUAL TABLE threads USING fts5(id, title, cwd, source);
        INSERT INTO threads VALUES ('1', 'ENDLESS words', '/srv/quay', 'cli');";
    for threads in [endless, &disguised, of_a_module] {
        let (home, database) = furnished();
        database.execute_batch("DROP TABLE threads").unwrap();
        database.execute_batch(threads).unwrap();
        drop(database);
        let line = home.sync();
        assert_eq!(line.outcome, SyncOutcome::Created);
        assert!(home.manifest().contains("Round every posting half to even"));
        assert!(!home.manifest().contains("ENDLESS"));
    }
}

#[test]
fn the_database_with_the_highest_number_is_read_and_none_other() {
    let (home, database) = furnished();
    drop(database);
    home.write(".codex/state_12.sqlite", b"");
    home.write(".codex/state_old.sqlite", b"x");
    home.sync();
    assert!(!home.manifest().contains("fix/webhooks"));
}

#[test]
fn what_a_fork_repeats_is_told_once() {
    let home = home();
    let own = [asks("widen the pier"), asks("and paint it")];
    let all = |parts: &[&[Value]]| parts.concat();
    write(&home, "a", &all(&[&[meta("a", &json!({}))], &own]));
    let fork = meta("b", &json!({"forked_from_id": "a"}));
    write(
        &home,
        "b",
        &all(&[&[fork, meta("a", &json!({}))], &own, &[asks("tar the hulls")]]),
    );
    // A fork of the fork, noted only by the lines of the one that it repeats.
    write(
        &home,
        "c",
        &all(&[
            &[meta("c", &json!({})), meta("b", &json!({}))],
            &own,
            &[asks("tar the hulls"), asks("mend the crane")],
        ]),
    );
    // Of a session that is gone, its fork is all that is left.
    write(
        &home,
        "d",
        &all(&[
            &[meta("d", &json!({"forked_from_id": "gone"}))],
            &[asks("count the nets")],
        ]),
    );
    // Forks of one another, and of itself.
    write(
        &home,
        "e",
        &[meta("e", &json!({"forked_from_id": "f"})), asks("sound the horn")],
    );
    write(
        &home,
        "f",
        &[meta("f", &json!({"forked_from_id": "e"})), asks("light the lamp")],
    );
    write(
        &home,
        "g",
        &[meta("g", &json!({"forked_from_id": "g"})), asks("ring the bell")],
    );
    home.sync();
    let wanted = [
        "and paint it",
        "count the nets",
        "light the lamp",
        "mend the crane",
        "ring the bell",
        "sound the horn",
        "tar the hulls",
        "widen the pier",
    ];
    assert_eq!(requests(&home), wanted);
    // One that was resumed into a file of its own repeats itself.
    write(
        &home,
        "a2",
        &all(&[&[meta("a", &json!({}))], &own, &[asks("close the gate")]]),
    );
    let before = home
        .library()
        .read(&"codex".parse().unwrap())
        .unwrap()
        .unwrap()
        .manifest
        .sessions
        .len();
    home.sync();
    let manifest = home
        .library()
        .read(&"codex".parse().unwrap())
        .unwrap()
        .unwrap()
        .manifest;
    assert_eq!(manifest.sessions.len(), before);
    assert!(home.manifest().contains("close the gate"));
}

#[test]
fn what_memory_is_switched_off_for_is_not_told_in_any_way() {
    let home = home();
    write(&home, "a", &[meta("a", &json!({})), asks("widen the pier")]);
    write(&home, "b", &[meta("b", &json!({})), asks("SECRET plan")]);
    let sent = json!({"source": {"subagent": {"thread_spawn": {"parent_thread_id": "b"}}}});
    let ran = json!({"type": "response_item", "payload": {"type": "function_call", "name": "exec_command", "arguments": "{\"cmd\":\"./scripts/deploy.sh SECRET\"}"}});
    write(&home, "c", &[meta("c", &sent), ran]);
    home.write(
        ".codex/history.jsonl",
        jsonl(&[json!({"session_id": "b", "ts": 1_795_251_605, "text": "SECRET plan"})]),
    );
    let database = rusqlite::Connection::open(home.path().join(".codex/state_5.sqlite")).unwrap();
    database
        .execute_batch(
            "CREATE TABLE threads (id TEXT, cwd TEXT, memory_mode TEXT, title TEXT);
             INSERT INTO threads VALUES ('b', '/srv/quay', 'disabled', 'SECRET plan');",
        )
        .unwrap();
    let line = home.sync();
    assert!(!home.manifest().contains("SECRET"), "{}", home.manifest());
    assert_eq!(skipped(&line), "2 sessions for which memory is switched off");
}

#[test]
fn a_work_tree_of_the_program_s_own_that_is_gone_was_a_repository() {
    let home = home();
    let gone = |folder: &str| home.path().join(folder).to_string_lossy().into_owned();
    let tree = json!({"cwd": gone(".codex/worktrees/ab12/quay-works"), "git": {"commit_hash": "4f1c2aa"}});
    write(&home, "a", &[meta("a", &tree), asks("widen the pier")]);
    for (id, git) in [("b", Value::Null), ("c", json!({}))] {
        let diary = json!({"cwd": gone("diary"), "git": git});
        write(&home, id, &[meta(id, &diary), asks("SECRET entry")]);
    }
    home.sync();
    let manifest = home.manifest();
    assert!(
        manifest.contains("- quay-works") && !manifest.contains("SECRET"),
        "{manifest}"
    );
}

#[test]
fn a_store_of_which_nothing_can_be_read_replaces_nothing() {
    let home = home();
    write(&home, "a", &[meta("a", &json!({})), asks("widen the pier")]);
    home.sync();
    let day = home.path().join(".codex/sessions/2026/11/20");
    fs::remove_file(day.join("rollout-a.jsonl")).unwrap();
    fs::write(day.join("rollout-a.jsonl.zst"), b"no frame").unwrap();
    let line = home.sync();
    assert_eq!(line.outcome, SyncOutcome::Failed, "{line:?}");
    assert!(home.manifest().contains("widen the pier"));
}

#[test]
fn credentials_stay_away_wherever_they_stand() {
    let home = home();
    let token = token();
    let folder = format!("/srv/{token}/quay");
    write(
        &home,
        "a",
        &[
            meta("a", &json!({"cwd": folder, "git": {"branch": token}})),
            asks(&format!("use {token}")),
            json!({"type": "response_item", "payload": {"type": "function_call", "name": "update_plan", "arguments": json!({"plan": [{"step": token, "status": "pending"}]}).to_string()}}),
            json!({"type": "response_item", "payload": {"type": "custom_tool_call", "input": format!("*** Begin Patch\n*** Add File: {token}.rs\n*** End Patch")}}),
        ],
    );
    let named = json!({"id": "gone", "thread_name": token});
    home.write(".codex/session_index.jsonl", jsonl(&[named]));
    home.write(
        ".codex/memories/MEMORY.md",
        format!("# Task Group: x\nscope: {token}\napplies_to: cwd={folder};\n- 2026-11-01: {token}\n"),
    );
    let line = home.sync();
    assert!(!home.manifest().contains(&token), "{}", home.manifest());
    assert_eq!(line.credentials_found, 1);
}

#[test]
fn the_tool_s_own_variable_moves_its_home() {
    let mut home = home();
    write(&home, "a", &[meta("a", &json!({})), asks("widen the pier")]);
    let moved = home.path().join("moved");
    fs::rename(home.path().join(".codex"), &moved).unwrap();
    assert_eq!(home.sync().outcome, SyncOutcome::Absent);
    home.paths.moved.insert("CODEX_HOME".to_owned(), moved);
    assert_eq!(home.sync().outcome, SyncOutcome::Created);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn any_bytes_are_read_without_harm(
        pieces in prop::collection::vec(
            prop_oneof![
                Just(jsonl(&[meta("a", &json!({"source": {"subagent": {"thread_spawn": {"parent_thread_id": "a"}}}}))])),
                Just(jsonl(&[meta("b", &json!({"forked_from_id": "a", "git": 7}))])),
                Just(jsonl(&[asks("mend the crane"), json!({"type": "turn_context", "payload": {"cwd": ["x"]}})])),
                Just(r#"{"type":"response_item","payload":{"type":"custom_tool_call","input":"*** Begin Patch\n*** Move to: \n"#.to_owned()),
                Just("{\"session_id\":\"s\",\"ts\":1e300,\"text\":\"do it well\"}\n".to_owned()),
                Just("# Task Group: x\napplies_to: cwd=/srv/x and\n2026-01-01 z\n".to_owned()),
                Just("}}\n".to_owned()),
                "\\PC{0,12}",
                "[\\[\\]{}\",:\n\\\\]{0,6}",
            ],
            0..24,
        ),
        raw in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let mut bytes = pieces.concat().into_bytes();
        bytes.extend(raw);
        let home = home();
        home.write(".codex/sessions/2026/11/20/rollout-a.jsonl", &bytes);
        home.write(".codex/archived_sessions/rollout-b.jsonl.zst", packed(&bytes));
        for name in ["history.jsonl", "session_index.jsonl", "state_5.sqlite", "state_5.sqlite-wal", "memories/MEMORY.md", "memories/rollout_summaries/a.md"] {
            home.write(&format!(".codex/{name}"), &bytes);
        }
        let report = home.sync();
        prop_assert!(report.why.is_none() || report.outcome == SyncOutcome::Empty, "{report:?}");
    }
}
