//! Two repositories, one of them with a second work tree, both agents: each session lands in its own project.

use std::fs;

use ken_agents::{NoProgress, SyncOptions, sync};
use serde_json::{Value, json};

use crate::home::Home;

fn repository(home: &Home, name: &str) {
    home.write(&format!("code/{name}/.git/HEAD"), "ref: refs/heads/main\n");
    home.write(
        &format!("code/{name}/.git/config"),
        format!("[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@forge.example:coast/{name}.git\n"),
    );
    home.write(&format!("code/{name}/src/lib.rs"), "");
}

/// A linked work tree of `code/quay-works`, as git lays it out.
fn work_tree(home: &Home, folder: &str, branch: &str) {
    let git = home.path().join("code/quay-works/.git/worktrees/hotfix");
    let tree = home.path().join(folder);
    home.write("code/quay-works/.git/worktrees/hotfix/commondir", "../..\n");
    home.write(
        "code/quay-works/.git/worktrees/hotfix/HEAD",
        format!("ref: refs/heads/{branch}\n"),
    );
    home.write(
        "code/quay-works/.git/worktrees/hotfix/gitdir",
        format!("{}\n", tree.join(".git").display()),
    );
    home.write(&format!("code/quay-works/.git/refs/heads/{branch}"), "");
    home.write(&format!("{folder}/.git"), format!("gitdir: {}\n", git.display()));
}

/// A session of each agent in this folder, that edits `src/lib.rs` there and is told apart by its words.
fn sessions(home: &Home, number: usize, folder: &str, branch: &str, words: &str) {
    let cwd = home.path().join(folder).to_string_lossy().into_owned();
    let at = format!("2026-11-2{number}T09:00:00Z");
    let file = format!("{cwd}/src/lib.rs");
    let line = |kind: &str, content: Value| json!({"type": kind, "cwd": cwd, "gitBranch": branch, "timestamp": at, "message": {"content": content}});
    let edit = json!([{"type": "tool_use", "name": "Edit", "input": {"file_path": file}}]);
    let claude = [line("user", json!(words)), line("assistant", edit)];
    let item = |kind: &str, payload: Value| json!({"timestamp": at, "type": kind, "payload": payload});
    let codex = [
        item(
            "session_meta",
            json!({"id": format!("s{number}"), "cwd": cwd, "source": "cli", "git": {"branch": branch}}),
        ),
        item("event_msg", json!({"type": "user_message", "message": words})),
        item(
            "response_item",
            json!({"type": "custom_tool_call", "name": "apply_patch", "input": "*** Begin Patch\n*** Update File: src/lib.rs\n*** End Patch"}),
        ),
    ];
    let text = |lines: &[Value]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
    home.write(
        &format!(".claude/projects/-p{number}/s{number}.jsonl"),
        text(&claude),
    );
    home.write(
        &format!(".codex/sessions/2026/11/20/rollout-s{number}.jsonl"),
        text(&codex),
    );
}

#[test]
fn each_session_lands_in_its_own_project() {
    let home = Home::empty();
    repository(&home, "quay-works");
    repository(&home, "tide-tables");
    work_tree(&home, "trees/quay-hotfix", "hotfix");
    fs::create_dir_all(home.path().join("trees/quay-hotfix/src")).unwrap();
    sessions(&home, 1, "code/quay-works", "main", "widen the pier");
    sessions(&home, 2, "trees/quay-hotfix", "hotfix", "mend the crane");
    sessions(&home, 3, "code/tide-tables/src/..", "main", "print the tables");
    sessions(&home, 4, "code/quay-works/src", "main", "tar the hulls");
    // An agent's own work tree, which is gone.
    sessions(
        &home,
        5,
        "code/quay-works/.claude/worktrees/agent-7",
        "agent-7",
        "count the nets",
    );
    let library = home.library();
    let lines = sync(
        &home.paths,
        &home.clock,
        &library,
        &[],
        SyncOptions::default(),
        &mut NoProgress,
    );
    for line in &lines {
        let manifest = library.read(&line.agent).unwrap().unwrap().manifest;
        let mut told: Vec<String> = manifest
            .sessions
            .iter()
            .map(|row| {
                format!(
                    "{}: {} ({})",
                    row.key_actions[0],
                    row.project_focus.join("+"),
                    row.files_touched.join(" ")
                )
            })
            .collect();
        told.sort();
        insta::allow_duplicates! {
            insta::assert_snapshot!(told.join("\n"), @r#"
            count the nets: quay-works (src/lib.rs)
            mend the crane: quay-works (src/lib.rs)
            print the tables: tide-tables (src/lib.rs)
            tar the hulls: quay-works (src/src/lib.rs)
            widen the pier: quay-works (src/lib.rs)
            "#);
        }
        let mut entities: Vec<&str> = manifest.entities.iter().map(|row| row.name.as_str()).collect();
        entities.sort_unstable();
        assert_eq!(entities, ["quay-works", "tide-tables"], "{}", line.agent);
        let streams: Vec<String> = manifest
            .workstreams
            .iter()
            .map(|row| format!("{} of {}", row.name, row.related_entities.join("+")))
            .collect();
        assert!(
            streams.contains(&"hotfix of quay-works".to_owned()),
            "{streams:?}"
        );
    }
    assert_eq!(lines.len(), 2);
}

/// Both agents' rows as `words: project (files)`, sorted, and the names of all entities.
fn told(home: &Home) -> [(Vec<String>, Vec<String>); 2] {
    let library = home.library();
    let only = ["claude-code", "codex"].map(|agent| agent.parse().unwrap());
    sync(
        &home.paths,
        &home.clock,
        &library,
        &only,
        SyncOptions::default(),
        &mut NoProgress,
    );
    only.map(|agent| {
        let manifest = library.read(&agent).unwrap().unwrap().manifest;
        let row = |row: ken_library::Session| {
            let files = row.files_touched.join(" ");
            format!(
                "{}: {} ({files})",
                row.key_actions[0],
                row.project_focus.join("+")
            )
        };
        let mut rows: Vec<String> = manifest.sessions.into_iter().map(row).collect();
        rows.sort();
        let mut names: Vec<String> = manifest.entities.into_iter().map(|row| row.name).collect();
        names.sort();
        (rows, names)
    })
}

/// As `git worktree remove` and `git branch -D` leave it.
fn remove_work_tree(home: &Home, folder: &str, branch: &str) {
    fs::remove_dir_all(home.path().join(folder)).unwrap();
    fs::remove_dir_all(home.path().join("code/quay-works/.git/worktrees")).unwrap();
    fs::remove_file(
        home.path()
            .join(format!("code/quay-works/.git/refs/heads/{branch}")),
    )
    .unwrap();
}

#[test]
fn a_removed_work_tree_stays_with_its_repository() {
    let home = Home::empty();
    repository(&home, "quay-works");
    work_tree(&home, "trees/quay-hotfix", "hotfix");
    sessions(&home, 1, "trees/quay-hotfix", "hotfix", "mend the crane");
    sessions(&home, 2, "code/quay-works", "main", "widen the pier");
    let before = told(&home);
    for (rows, names) in &before {
        assert_eq!(
            rows[..],
            [
                "mend the crane: quay-works (src/lib.rs)",
                "widen the pier: quay-works (src/lib.rs)"
            ]
        );
        assert_eq!(names[..], ["quay-works"]);
    }
    remove_work_tree(&home, "trees/quay-hotfix", "hotfix");
    assert_eq!(told(&home), before);
    assert_eq!(told(&home), before);

    // A folder that was made in its place is nobody else's business.
    fs::create_dir_all(home.path().join("trees/quay-hotfix")).unwrap();
    sessions(&home, 3, "trees/quay-hotfix", "", "write to mum");
    let [(claude, _), (codex, _)] = told(&home);
    assert!(
        !claude.concat().contains("mum") && !codex.concat().contains("mum"),
        "{claude:?} {codex:?}"
    );
    fs::remove_dir_all(home.path().join("trees/quay-hotfix")).unwrap();
    for (rows, _) in told(&home) {
        assert!(!rows.concat().contains("mum"), "{rows:?}");
    }

    // Of a repository that is gone altogether, its name is left.
    fs::remove_dir_all(home.path().join("code/quay-works")).unwrap();
    for (_, names) in told(&home) {
        assert_eq!(names, ["quay-works"]);
    }
}

#[test]
fn codex_notes_the_remote_by_which_a_removed_work_tree_is_known() {
    let home = Home::empty();
    repository(&home, "quay-works");
    let line = |id: &str, folder: &str, words: &str| {
        let cwd = home.path().join(folder);
        let at = "2026-11-20T09:00:00Z";
        let git = json!({"branch": "hotfix", "repository_url": "https://forge.example/coast/quay-works"});
        let meta = json!({"id": id, "cwd": cwd, "source": "cli", "git": git});
        let lines = [
            json!({"timestamp": at, "type": "session_meta", "payload": meta}),
            json!({"timestamp": at, "type": "event_msg", "payload": {"type": "user_message", "message": words}}),
        ];
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        home.write(&format!(".codex/sessions/2026/11/20/rollout-{id}.jsonl"), text);
    };
    // The one whose folder is gone is read first.
    line("a", "trees/quay-hotfix", "mend the crane");
    line("b", "code/quay-works", "widen the pier");
    home.write(
        ".codex/memories/MEMORY.md",
        format!(
            "# Task Group: crane\napplies_to: cwd={}; x\n\n- 2026-11-21: the crane squeaks\n",
            home.path().join("trees/quay-hotfix").display()
        ),
    );
    let mut home = home;
    home.agent = "codex";
    home.sync();
    let manifest = home.manifest();
    let row = "cwd: ~/trees/quay-hotfix\n    project_focus:\n      - quay-works\n";
    let note = "text: the crane squeaks\n    related_entities:\n      - quay-works\n";
    assert!(
        manifest.contains(row) && manifest.contains(note) && !manifest.contains("- quay-hotfix"),
        "{manifest}"
    );
}
