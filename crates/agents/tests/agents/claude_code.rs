//! A small Claude Code home, modelled by hand on real ones, and the manifest that it gives.

use ken_agents::{SyncOptions, SyncOutcome};

use crate::home::{Home, token};

#[test]
fn a_home_gives_this_manifest() {
    let home = Home::of("claude-code");
    let line = home.sync();
    assert_eq!(line.outcome, SyncOutcome::Created, "{line:?}");
    insta::assert_snapshot!(home.manifest(), @"");
    insta::assert_snapshot!(
        line.skipped.iter().map(|s| format!("{} {}", s.count, s.what)).collect::<Vec<_>>().join("\n"),
        @""
    );
    assert_eq!((line.sessions_read, line.credentials_found), (8, 1));
    let report = ken_library::validate_file(&home.library().manifest_path(&line.agent)).unwrap();
    assert!(report.is_valid(), "{report:?}");
}

#[test]
fn what_nobody_said_to_the_agent_is_not_in_it() {
    let home = Home::of("claude-code");
    home.sync_with(SyncOptions { keep_private: true });
    let manifest = home.manifest();
    let words = [
        "META", "REMINDER", "THOUGHT", "RESULT", "PROGRESS", "HELPER", "SYSTEM", "SUMMARY", "UNKNOWN", "HALF", "SIDE", "PASTED",
        "Warmup", "iVBOR", "A title that", "interrupted", "/clear", "/model",
    ];
    for word in words {
        assert!(!manifest.contains(word), "{word} stands in\n{manifest}");
    }
    assert!(!manifest.contains(&token()) && manifest.contains("[redacted:"), "{manifest}");
}

#[test]
fn private_rows_and_their_names_stay_away_unless_they_are_wanted() {
    let home = Home::of("claude-code");
    home.sync();
    let team = home.manifest();
    for word in ["taxes", "receipts", "accountant", "gone-folder-secret", "Ingeborg"] {
        assert!(!team.contains(word), "{word} stands in\n{team}");
    }
    home.sync_with(SyncOptions { keep_private: true });
    let all = home.manifest();
    for word in ["taxes-2026", "receipts", "gone-folder-secret", "Ingeborg", "visibility: private"] {
        assert!(all.contains(word), "{word} is missing in\n{all}");
    }
}
