//! A small Claude Code home, modelled by hand on real ones, and the manifest that it gives.

use ken_agents::{SyncOptions, SyncOutcome};

use crate::home::{Home, token};

#[test]
fn a_home_gives_this_manifest() {
    let home = Home::of("claude-code");
    let line = home.sync();
    assert_eq!(line.outcome, SyncOutcome::Created, "{line:?}");
    insta::assert_snapshot!(home.manifest(), @r#"
    spec_version: "0.1"
    agent:
      id: claude-code
      type: code-assistant
      role_narrative: "Code assistant at the command line: reads and changes repositories, runs commands and tests."
      spec_version_compat: "0.1"
    last_updated: "2026-11-30T12:00:00Z"
    capabilities:
      - code-read
      - code-write
      - shell
      - image-analysis
      - web-search
    recent_sessions:
      - date: "2026-11-25"
        cwd: ~/code/harbour-web
        project_focus:
          - harbour-web
        key_actions:
          - build the settings page from the sketch
          - Edited app/settings.tsx, app/theme.css
          - Ran npm run build, npm test
        files_touched:
          - app/settings.tsx
          - app/theme.css
      - date: "2026-11-25"
        cwd: ~/code/tidewater/src
        project_focus:
          - tidewater
        key_actions:
          - why is the nightly posting twice as slow since the arena?
          - Edited bench/posting.ipynb
          - Ran cargo bench -p posting
        files_touched:
          - bench/posting.ipynb
      - date: "2026-11-20"
        cwd: ~/code/tidewater
        project_focus:
          - tidewater
        key_actions:
          - The parser drops the last token of a ledger file without a newline at its end. Find out why.
          - now let the error name line and column too, the token for the forge is [redacted:github-token]
          - "Committed: lexer: keep the last token of a file without newline"
          - Edited src/lexer.rs, tests/end_of_file.rs, docs/lexer.md
          - Ran cargo nextest run
        files_touched:
          - src/lexer.rs
          - tests/end_of_file.rs
          - docs/lexer.md
      - date: "2026-11-14"
        cwd: ~/code/harbour-web
        project_focus:
          - harbour-web
        key_actions:
          - try the dark theme on the login page
      - date: "2026-11-12"
        cwd: ~/code/lantern-api
        project_focus:
          - lantern-api
        key_actions:
          - move the rate limit of lantern-api into the gateway
          - Edited src/limit.rs
        files_touched:
          - src/limit.rs
    known_entities:
      - name: harbour-web
        type: project
        aliases:
          - "@coast/harbour-web"
        last_touched: "2026-11-25"
        tags:
          - project
          - active
      - name: tidewater
        type: project
        aliases:
          - coast/tidewater
          - tidewater-core
        summary: Tidewater reads ledger files and posts them to the bank at night. Ledger files are Latin-1, not UTF-8
        last_touched: "2026-11-25"
        tags:
          - project
          - active
      - name: lantern-api
        type: project
        last_touched: "2026-11-12"
        tags:
          - project
          - active
      - name: flaky-parser-tests
        type: concept
        summary: The parser's property tests fail when TZ is unset. They read the local time zone. Run them with TZ=UTC.
      - name: Review before merge
        type: preference
        summary: "Note: two people look at every change of the posting job"
        last_touched: "2026-11-20"
    known_workstreams:
      - name: build the settings page from the sketch
        status: active
        summary: "1 of 2 tasks done; open: Save on change."
        started: "2026-11-25"
        last_touched: "2026-11-25"
        related_entities:
          - harbour-web
      - name: spike-arena
        status: active
        summary: Branch of tidewater, 1 session.
        started: "2026-11-25"
        last_touched: "2026-11-25"
        related_entities:
          - tidewater
      - name: fix/last-token
        status: active
        summary: "Branch of tidewater, 1 session. 1 of 3 tasks done; open: Name line and column in errors; Write the changelog."
        started: "2026-11-20"
        last_touched: "2026-11-20"
        related_entities:
          - tidewater
    notes:
      - date: "2026-11-18"
        text: "Freeze: The schema of postings is frozen until the audit is over."
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
    insta::assert_snapshot!(
        line.skipped.iter().map(|s| format!("{} {}", s.count, s.what)).collect::<Vec<_>>().join("\n"),
        @r#"
    1 edited files outside their session's project
    5 private rows (kept with --keep-private)
    2 rows that name something private
    3 lines that are not JSON
    1 last lines that were not written to their end
    "#
    );
    assert_eq!((line.sessions_read, line.credentials_found), (7, 1));
    let report = ken_library::validate_file(&home.library().manifest_path(&line.agent)).unwrap();
    assert!(report.is_valid(), "{report:?}");
}

#[test]
fn what_nobody_said_to_the_agent_is_not_in_it() {
    let home = Home::of("claude-code");
    home.sync_with(SyncOptions { keep_private: true });
    let manifest = home.manifest();
    let words = [
        "META",
        "REMINDER",
        "THOUGHT",
        "RESULT",
        "PROGRESS",
        "HELPER",
        "SYSTEM",
        "SUMMARY",
        "UNKNOWN",
        "HALF",
        "SIDE",
        "PASTED",
        "Warmup",
        "iVBOR",
        "A title that",
        "interrupted",
        "/clear",
        "/model",
    ];
    for word in words {
        assert!(!manifest.contains(word), "{word} stands in\n{manifest}");
    }
    assert!(
        !manifest.contains(&token()) && manifest.contains("[redacted:"),
        "{manifest}"
    );
}

#[test]
fn private_rows_and_their_names_stay_away_unless_they_are_wanted() {
    let home = Home::of("claude-code");
    home.sync();
    let team = home.manifest();
    for word in [
        "taxes",
        "receipts",
        "accountant",
        "gone-folder-secret",
        "Ingeborg",
    ] {
        assert!(!team.contains(word), "{word} stands in\n{team}");
    }
    home.sync_with(SyncOptions { keep_private: true });
    let all = home.manifest();
    for word in [
        "taxes-2026",
        "receipts",
        "gone-folder-secret",
        "Ingeborg",
        "visibility: private",
    ] {
        assert!(all.contains(word), "{word} is missing in\n{all}");
    }
}

#[test]
fn memories_are_read_where_the_settings_put_them_and_are_the_person_s_own() {
    let home = Home::of("claude-code");
    home.write(
        ".claude/settings.json",
        "{\"autoMemoryDirectory\": \"~/notes/claude\"}",
    );
    home.write(
        "notes/claude/MEMORY.md",
        "# Notes\n\n- 2026-11-17: the shared shed is locked\n",
    );
    home.write("notes/other.md", "- 2026-11-17: none of its business\n");
    home.sync();
    assert!(!home.manifest().contains("shared shed"));
    home.sync_with(SyncOptions { keep_private: true });
    let all = home.manifest();
    assert!(
        all.contains("the shared shed is locked") && !all.contains("none of its"),
        "{all}"
    );
}
