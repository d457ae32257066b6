//! Stores into the library: when a manifest is written, and when it is left alone.

use std::fs;

use jiff::civil::date;
use ken_agents::{Progress, SyncOptions, SyncOutcome, participants, sync};
use ken_library::tree::Node;
use ken_library::{AgentId, Entity, Manifest, Note};
use ken_secrets::Redacted;

use crate::home::Home;

#[test]
fn the_same_store_gives_the_same_bytes_whatever_the_time_and_the_files_ages() {
    let mut home = Home::of("claude-code");
    assert_eq!(home.sync().outcome, SyncOutcome::Created);
    let first = home.manifest();
    home.at("2027-03-01T00:00:00Z");
    let touched = home.path().join(".claude/history.jsonl");
    let text = fs::read(&touched).unwrap();
    fs::remove_file(&touched).unwrap();
    fs::write(&touched, text).unwrap();
    assert_eq!(home.sync().outcome, SyncOutcome::Unchanged);
    assert_eq!(home.manifest(), first);
    fs::remove_dir_all(&home.paths.library).unwrap();
    assert_eq!(home.sync().outcome, SyncOutcome::Created);
    let dateless = |text: &str| {
        text.lines()
            .filter(|l| !l.starts_with("last_updated"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(dateless(&home.manifest()), dateless(&first));
}

#[test]
fn an_absent_tool_writes_nothing() {
    let home = Home::empty();
    let report = home.sync();
    assert_eq!(report.outcome, SyncOutcome::Absent);
    assert!(!home.paths.library.exists());
    fs::create_dir_all(home.path().join(".claude/projects")).unwrap();
    assert_eq!(home.sync().outcome, SyncOutcome::Empty);
    assert!(!home.paths.library.exists());
}

#[test]
fn an_emptied_or_damaged_store_does_not_replace_what_is_there() {
    let home = Home::of("claude-code");
    home.sync();
    let first = home.manifest();
    let projects = home.path().join(".claude/projects");
    fs::rename(&projects, home.path().join("aside")).unwrap();
    fs::remove_file(home.path().join(".claude/history.jsonl")).unwrap();
    fs::create_dir(&projects).unwrap();
    assert_eq!(home.sync().outcome, SyncOutcome::Kept);
    fs::remove_dir(&projects).unwrap();
    fs::write(&projects, "not a folder").unwrap();
    let report = home.sync();
    assert_eq!(report.outcome, SyncOutcome::Failed);
    assert!(report.why.unwrap().contains(".claude/projects"));
    assert_eq!(home.manifest(), first);
}

#[test]
fn a_manifest_that_cannot_be_read_is_left_to_its_owner() {
    let home = Home::of("claude-code");
    home.write(
        "agent-library/agents/claude-code.l5.yaml",
        "spec_version: \"0.1\"\nagent: [\n",
    );
    let report = home.sync();
    assert_eq!(report.outcome, SyncOutcome::Failed);
    assert!(home.manifest().ends_with("agent: [\n"));
}

#[test]
fn a_manifest_that_is_closed_to_writers_is_not_written() {
    let home = Home::of("claude-code");
    let report = home.sync();
    let path = home.library().manifest_path(&report.agent);
    let closed = fs::read_to_string(&path)
        .unwrap()
        .replace("last_updated:", "write_policy: read-only\nlast_updated:");
    fs::write(&path, &closed).unwrap();
    fs::remove_file(home.path().join(".claude/history.jsonl")).unwrap();
    let report = home.sync();
    assert_eq!(report.outcome, SyncOutcome::Kept);
    assert!(report.why.unwrap().contains("write_policy"));
    assert_eq!(fs::read_to_string(&path).unwrap(), closed);
}

#[test]
fn rows_whose_source_is_gone_go_and_committed_ones_stay() {
    let home = Home::of("claude-code");
    let report = home.sync();
    let library = home.library();
    let mut manifest = library.read(&report.agent).unwrap().unwrap().manifest;
    let mut committed = Note {
        date: Some(date(2026, 11, 29)),
        text: "the audit is over".to_owned(),
        ..Note::default()
    };
    committed.extra.set("origin", Node::text("committed"));
    manifest.notes.push(committed);
    manifest.entities.push(Entity {
        name: "no source has this".to_owned(),
        ..Entity::default()
    });
    library.write(Redacted::new(manifest).0, &home.clock).unwrap();
    let sessions = home
        .path()
        .join(format!(".claude/projects/{}-code-old-name", home.slug()));
    fs::remove_dir_all(sessions).unwrap();
    assert_eq!(home.sync().outcome, SyncOutcome::Replaced);
    let manifest = home.manifest();
    assert!(manifest.contains("the audit is over") && manifest.contains("origin: committed"));
    assert!(!manifest.contains("no source has this") && !manifest.contains("lantern-api"));
}

#[test]
fn only_the_newest_month_or_hundred_sessions_are_told() {
    let home = Home::empty();
    for n in 0..130 {
        let day = date(2025, 1, 1).saturating_add(jiff::Span::new().days(n * 2));
        let text = format!(
            "{{\"type\":\"user\",\"cwd\":\"/srv/tidewater\",\"timestamp\":\"{day}T09:00:00Z\",\"message\":{{\"content\":\"step number {n} of the work\"}}}}\n"
        );
        home.write(
            &format!(".claude/projects/-srv-tidewater/{:04}.jsonl", 9999 - n),
            text,
        );
    }
    let report = home.sync();
    assert_eq!((report.sessions_read, report.written.sessions), (130, 100));
    let manifest = home.manifest();
    assert!(
        manifest.contains("number 129 ")
            && manifest.contains("number 30 ")
            && !manifest.contains("number 29 ")
    );
}

fn told(folder: &str, branch: &str, at: &str, text: &str) -> String {
    format!(
        "{{\"type\":\"user\",\"cwd\":\"{folder}\",\"gitBranch\":\"{branch}\",\"timestamp\":\"{at}\",\"message\":{{\"content\":\"{text}\"}}}}\n"
    )
}

#[test]
fn a_time_in_the_future_counts_as_unknown() {
    let mut home = Home::empty();
    for n in 1..=28 {
        let text = told(
            "/srv/tidewater",
            "fix-the-ledger",
            &format!("2026-11-{n:02}T09:00:00Z"),
            &format!("step number {n} of the work"),
        );
        home.write(&format!(".claude/projects/-srv-tidewater/{n:04}.jsonl"), text);
    }
    home.sync();
    let before = home.manifest();
    assert!(
        before.contains("fix-the-ledger") && before.contains("status: active"),
        "{before}"
    );
    let ahead = told(
        "/srv/tidewater",
        "other-branch",
        "9999-01-01T00:00:00Z",
        "step from nowhere",
    );
    home.write(".claude/projects/-srv-tidewater/ahead.jsonl", ahead);
    // One line of a session is wrong, and only that line.
    let partly = told(
        "/srv/tidewater",
        "fix-the-ledger",
        "2026-11-29T09:00:00Z",
        "step with a wrong line",
    ) + &told(
        "/srv/tidewater",
        "fix-the-ledger",
        "2126-11-29T09:00:00Z",
        "wrong line",
    );
    home.write(".claude/projects/-srv-tidewater/partly.jsonl", partly);
    let prompt =
        "{\"display\":\"typed long ahead\",\"project\":\"/srv/tidewater\",\"timestamp\":99999999999999}\n";
    home.write(".claude/history.jsonl", prompt);
    let report = home.sync();
    let after = home.manifest();
    assert!(
        report
            .skipped
            .iter()
            .any(|s| s.count == 3 && s.what.contains("in the future")),
        "{report:?}"
    );
    assert_eq!(report.written.sessions, 31, "{after}");
    assert!(
        after.contains("fix-the-ledger") && after.contains("status: active"),
        "{after}"
    );
    assert!(
        after.contains("2026-11-29") && !after.contains("9999") && !after.contains("2126"),
        "{after}"
    );
    // Tomorrow the same store says the same.
    home.at("2027-06-01T00:00:00Z");
    assert_eq!(home.sync().outcome, SyncOutcome::Unchanged);
}

#[test]
fn private_sessions_take_no_place_in_the_window() {
    let home = Home::empty();
    let private = home.path().join("diary");
    for n in 0..620 {
        let at = date(2026, 1, 1)
            .at(0, 0, 0, 0)
            .saturating_add(jiff::Span::new().hours(n));
        let text = told(
            &private.to_string_lossy(),
            "",
            &format!("{at}Z"),
            &format!("entry {n} of the day"),
        );
        home.write(&format!(".claude/projects/-diary/{n:04}.jsonl"), text);
    }
    for n in 0..110 {
        let day = date(2025, 1, 1).saturating_add(jiff::Span::new().days(n));
        let text = told(
            "/srv/tidewater",
            "",
            &format!("{day}T09:00:00Z"),
            &format!("step {n} of the work"),
        );
        home.write(&format!(".claude/projects/-srv-tidewater/{n:04}.jsonl"), text);
    }
    let report = home.sync();
    let manifest = home.manifest();
    assert_eq!(
        (report.sessions_read, report.written.sessions),
        (730, 100),
        "{report:?}"
    );
    assert!(manifest.contains("step 109 ") && manifest.contains("step 10 ") && !manifest.contains("step 9 "));
    assert!(!manifest.contains("entry"));
}

#[cfg(unix)]
#[test]
fn a_library_that_cannot_be_written_is_not_taken_for_a_store_that_cannot_be_read() {
    let home = Home::of("claude-code");
    let agents = home.paths.library.join("agents");
    fs::create_dir_all(agents.parent().unwrap()).unwrap();
    fs::write(&agents, "a file").unwrap();
    let report = home.sync();
    assert_eq!(report.outcome, SyncOutcome::Failed);
    let why = report.why.unwrap();
    assert!(why.starts_with("the store was read, but the manifest"), "{why}");
    fs::remove_file(&agents).unwrap();
    home.sync();
    fs::write(agents.join("claude-code.l5.yaml"), "agent: [").unwrap();
    let report = home.sync();
    assert_eq!(report.outcome, SyncOutcome::Failed);
    let why = report.why.unwrap();
    assert!(why.contains("the manifest that is there cannot be"), "{why}");
}

#[test]
fn a_session_without_a_time_has_no_date() {
    let home = Home::empty();
    let text =
        "{\"type\":\"user\",\"cwd\":\"/srv/tidewater\",\"message\":{\"content\":\"change the ledger\"}}\n";
    home.write(".claude/projects/-x/s.jsonl", text);
    home.sync();
    assert!(home.manifest().contains("date: \"\""), "{}", home.manifest());
}

#[test]
fn progress_ends_where_it_said_it_would() {
    #[derive(Default)]
    struct Told {
        total: u64,
        done: u64,
        finished: bool,
    }
    impl Progress for Told {
        fn begin(&mut self, _: &AgentId, bytes: u64) {
            self.total = bytes;
        }
        fn advance(&mut self, bytes: u64) {
            self.done += bytes;
        }
        fn finish(&mut self) {
            self.finished = true;
        }
    }
    // The second time nothing has changed.
    for (agent, changed) in [
        ("claude-code", true),
        ("codex", true),
        ("claude-code", false),
        ("codex", false),
    ] {
        let home = Home::of(agent);
        if !changed {
            crate::incremental::age(&home.path().join(".claude"));
            crate::incremental::age(&home.path().join(".codex"));
            home.sync();
        }
        let mut told = Told::default();
        let library = home.library();
        let lines = sync(
            &home.paths,
            &home.clock,
            &library,
            &[],
            SyncOptions::default(),
            &mut told,
        );
        assert!(told.finished && told.total > 10_000);
        assert_eq!(told.done, told.total, "{agent}");
        let unchanged: usize = lines.iter().map(|line| line.unchanged).sum();
        assert_eq!(unchanged > 0, !changed);
    }
}

#[test]
fn the_tool_s_own_variable_moves_its_home() {
    let mut home = Home::of("claude-code");
    let moved = home.path().join("moved");
    fs::rename(home.path().join(".claude"), &moved).unwrap();
    assert_eq!(home.sync().outcome, SyncOutcome::Absent);
    home.paths.moved.insert("CLAUDE_CONFIG_DIR".to_owned(), moved);
    assert_eq!(home.sync().outcome, SyncOutcome::Created);
}

#[test]
fn health_says_what_is_there_and_what_is_wrong() {
    let home = Home::of("claude-code");
    let participant = participants().remove(0);
    let health = participant.health(&home.paths);
    assert!(health.present && health.problems.is_empty());
    assert_eq!(health.holds[0], "5 transcripts in 5 folders");
    assert!(!participant.health(&Home::empty().paths).present);
    let home = Home::of("codex");
    let health = participants().remove(1).health(&home.paths);
    assert!(health.present && health.problems.is_empty());
    assert_eq!(
        health.holds,
        ["8 sessions", "3 memory files", "a history of prompts"]
    );
}

#[test]
fn what_others_commit_while_stores_are_synced_is_not_lost() {
    let home = Home::of("claude-code");
    home.sync();
    let agent: AgentId = home.agent.parse().unwrap();
    let library = home.library();
    let committed = |number: usize| {
        let mut note = Note {
            date: Some(date(2026, 11, 29)),
            text: format!("committed number {number}"),
            ..Note::default()
        };
        note.extra.set("origin", Node::text("committed"));
        note
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for number in 0..20 {
                let add = |existing: Option<&Manifest>| {
                    let mut manifest = existing.unwrap().clone();
                    manifest.notes.push(committed(number));
                    Redacted::new(manifest).0
                };
                library.update(&agent, &home.clock, add).unwrap();
            }
        });
        // Two hooks that end at the same time, while the conversation goes on.
        for hook in 0..2 {
            let home = &home;
            scope.spawn(move || {
                for turn in 0..10 {
                    let text = told(
                        "/srv/quay",
                        "",
                        "2026-11-28T09:00:00Z",
                        &format!("step {turn} of hook {hook}"),
                    );
                    home.write(&format!(".claude/projects/-srv-quay/{hook}.jsonl"), text);
                    let line = home.sync();
                    assert_ne!(line.outcome, SyncOutcome::Failed, "{line:?}");
                }
            });
        }
    });
    home.sync();
    let manifest = home.manifest();
    for number in 0..20 {
        assert!(
            manifest.contains(&format!("committed number {number}\n")),
            "{number} is lost in\n{manifest}"
        );
    }
    assert!(manifest.contains("step 9 of hook 0") && manifest.contains("step 9 of hook 1"));
}

/// A history may name any number of sessions; each that is told is told whole.
#[test]
fn of_a_history_of_any_length_the_newest_sessions_are_told() {
    for (agent, path) in [
        ("claude-code", ".claude/history.jsonl"),
        ("codex", ".codex/history.jsonl"),
    ] {
        let mut home = Home::empty();
        home.agent = agent;
        let prompt = |session: &str, second: i64, text: &str| match agent {
            "codex" => format!("{{\"session_id\":\"{session}\",\"ts\":{second},\"text\":\"{text}\"}}\n"),
            _ => format!(
                "{{\"display\":\"{text}\",\"project\":\"/srv/quay\",\"sessionId\":\"{session}\",\"timestamp\":{second}000}}\n"
            ),
        };
        let mut text = prompt("again", 1_790_000_000, "widen the pier");
        text += &prompt("never", 1_790_000_001, "sound the horn");
        for n in 0..5_000 {
            let at = 1_795_000_000 + n;
            text += &prompt(&format!("s{n}"), at, &format!("count the nets of number {n}"));
        }
        text += &prompt("again", 1_795_900_000, "and paint it grey");
        home.write(path, text);
        // A prompt that stands in no folder is private.
        let line = home.sync_with(SyncOptions { keep_private: true });
        assert_eq!(line.sessions_read, 2_000, "{agent}");
        assert_eq!(
            line.skipped
                .iter()
                .find(|left_out| left_out.what.contains("lines")),
            None
        );
        let manifest = home.manifest();
        for told in [
            "widen the pier",
            "and paint it grey",
            "count the nets of number 4999",
        ] {
            assert!(manifest.contains(told), "{agent}: {told}");
        }
        assert!(!manifest.contains("sound the horn"));
    }
}
