//! A small Codex home, modelled by hand on real ones, and the manifest that it gives.

use std::fs;

use ken_agents::{Skipped, SyncLine, SyncOptions, SyncOutcome};
use rusqlite::Connection;

use crate::home::{Home, token};

/// The home with its database, which the program has open: what it did last stands only in the log beside it.
pub(crate) fn home() -> (Home, Connection) {
    let home = Home::of("codex");
    let database = Connection::open(home.path().join(".codex/state_5.sqlite")).unwrap();
    database.pragma_update(None, "journal_mode", "wal").unwrap();
    database
        .execute_batch(
            "CREATE TABLE threads (id TEXT PRIMARY KEY, rollout_path TEXT, created_at INTEGER, updated_at INTEGER,
                 updated_at_ms INTEGER, source TEXT, cwd TEXT, title TEXT, git_branch TEXT, of_a_later_version BLOB);
             PRAGMA wal_checkpoint(TRUNCATE);",
        )
        .unwrap();
    let folder = home.path().join("code/tidewater").to_string_lossy().into_owned();
    let thread = |number: u32, source: &str, title: &str| {
        let id = format!("0198{number:04}-0000-7000-8000-{number:012}");
        database
            .execute(
                "INSERT INTO threads VALUES (?1, 'gone', 1794218300, 1794218400, NULL, ?2, ?3, ?4, 'fix/webhooks', x'00')",
                (id, source, &folder, title),
            )
            .unwrap();
    };
    thread(1, "cli", "COVERED by its rollout");
    thread(7, "cli", "TITLE although there are prompts");
    thread(8, "cli", "FORGOTTEN title");
    thread(10, "vscode", "TITLE although it was named");
    thread(11, "{\"subagent\":\"review\"}", "HELPER title");
    (home, database)
}

pub(crate) fn skipped(line: &SyncLine) -> String {
    let told = |s: &Skipped| format!("{} {}", s.count, s.what);
    line.skipped.iter().map(told).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_home_gives_this_manifest() {
    let (home, _open) = home();
    let line = home.sync();
    assert_eq!(line.outcome, SyncOutcome::Created, "{line:?}");
    insta::assert_snapshot!(home.manifest(), @r#"
    spec_version: "0.1"
    agent:
      id: codex
      type: code-assistant
      role_narrative: "Code assistant at the command line and in the editor: reads, changes and reviews repositories, runs commands and tests."
      spec_version_compat: "0.1"
    last_updated: "2026-11-30T12:00:00Z"
    capabilities:
      - code-read
      - code-write
      - shell
      - code-review
      - web-search
    recent_sessions:
      - date: "2026-11-24"
        cwd: ~/code/tidewater
        project_focus:
          - tidewater
        key_actions:
          - Now do the same for the fee table, and say in the changelog that fees change by a cent.
          - Edited src/fees.rs, CHANGELOG.md
        files_touched:
          - src/fees.rs
          - CHANGELOG.md
      - date: "2026-11-22"
        cwd: ~/code/harbour-web
        project_focus:
          - harbour-web
        key_actions:
          - review the settings page for contrast and keyboard use
          - Ran npm run lint
      - date: "2026-11-21"
        cwd: ~/code/tidewater
        project_focus:
          - tidewater
        key_actions:
          - Round every posting half to even, the audit found half-up in three places.
          - commit it; the token for the forge is [redacted:github-token]
          - "Committed: posting: round half to even"
          - Edited src/posting.rs, tests/rounding.rs, docs/rounding.md
          - Ran cargo nextest run -p tidewater-core
        files_touched:
          - src/posting.rs
          - tests/rounding.rs
          - docs/rounding.md
      - date: "2026-11-09"
        cwd: ~/code/tidewater
        project_focus:
          - tidewater
        key_actions:
          - find out why the forge rejects our webhooks
      - date: "2026-11-09"
        cwd: ~/code/tidewater
        project_focus:
          - tidewater
        key_actions:
          - Move the night run to the new queue
      - date: "2026-11-05"
        cwd: ~/code/tidewater
        project_focus:
          - tidewater
        key_actions:
          - why does the importer read every ledger twice?
          - Ran cargo bench
    known_entities:
      - name: tidewater
        type: project
        aliases:
          - coast/tidewater
          - tidewater-core
        summary: Tidewater reads ledger files and posts them to the bank at night. rounding and posting of ledgers. Postings are rounded once, at the end
        last_touched: "2026-11-24"
        tags:
          - project
          - active
      - name: harbour-web
        type: project
        aliases:
          - "@coast/harbour-web"
        last_touched: "2026-11-22"
        tags:
          - project
          - active
    known_workstreams:
      - name: settle/round-half-even
        status: paused
        summary: "Branch of tidewater, 2 sessions. 1 of 3 tasks done; open: Round half to even; Property test."
        started: "2026-11-21"
        last_touched: "2026-11-24"
        related_entities:
          - tidewater
      - name: fix/webhooks
        status: done
        summary: Branch of tidewater, 2 sessions.
        started: "2026-11-09"
        last_touched: "2026-11-09"
        related_entities:
          - tidewater
    notes:
      - date: "2026-11-21"
        text: The audit's three places were posting, fee and interest.
        related_entities:
          - tidewater
      - date: "2026-11-21"
        text: amounts are rounded half to even, the bank does the same
        related_entities:
          - tidewater
    visibility_policy:
      default: team
      private_tags:
        - personal
        - financial
        - credential
        - secret
        - health
        - family
        - legal
      team_tags:
        - project
        - active
    "#);
    insta::assert_snapshot!(skipped(&line), @r#"
    4 private rows (kept with --keep-private)
    2 lines that are not JSON
    1 last lines that were not written to their end
    1 sessions for which memory is switched off
    "#);
    assert_eq!((line.sessions_read, line.credentials_found), (7, 1));
    let report = ken_library::validate_file(&home.library().manifest_path(&line.agent)).unwrap();
    assert!(report.is_valid(), "{report:?}");
    let left: Vec<_> = fs::read_dir(home.path().join(".codex"))
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    assert_eq!(left.len(), 9, "{left:?}");
}

#[test]
fn what_nobody_said_to_the_agent_is_not_in_it() {
    let (home, _open) = home();
    home.sync_with(SyncOptions { keep_private: true });
    let manifest = home.manifest();
    let words = [
        "INSTRUCTIONS",
        "DEVELOPER",
        "AGENTSMD",
        "environment_context",
        "REASONING",
        "OUTPUT",
        "PATCHED",
        "ASSISTANT",
        "COMPACTED",
        "REPLACED",
        "UNKNOWN",
        "HELPER",
        "CONSOLIDATE",
        "FORGOTTEN",
        "INJECTED",
        "POINTER",
        "RAW",
        "OWN",
        "COVERED",
        "TITLE",
        "elsewhere",
    ];
    for word in words {
        assert!(!manifest.contains(word), "{word} stands in\n{manifest}");
    }
    assert!(
        !manifest.contains(&token()) && manifest.contains("[redacted:"),
        "{manifest}"
    );
    for word in ["taxes-2026", "PERSONAL habit", "PERSONAL profile"] {
        assert!(manifest.contains(word), "{word} is missing in\n{manifest}");
    }
    home.sync();
    let team = home.manifest();
    assert!(
        !team.contains("taxes") && !team.contains("receipts") && !team.contains("PERSONAL"),
        "{team}"
    );
}
