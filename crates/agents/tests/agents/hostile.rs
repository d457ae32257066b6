//! Stores that are damaged, huge or meant to do harm.

use std::fs;

use ken_agents::SyncOutcome;
use proptest::prelude::*;

use crate::home::Home;

fn line(home: &Home, text: &str) -> String {
    format!(
        "{{\"type\":\"user\",\"cwd\":\"{}/code\",\"gitBranch\":\"main\",\"timestamp\":\"2026-11-20T09:00:00Z\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}}}}\n",
        home.path().display()
    )
}

#[test]
fn a_line_of_any_length_costs_nothing_and_its_neighbours_stay() {
    let home = Home::empty();
    let mut bytes = line(&home, "look at the first line").into_bytes();
    let huge = line(&home, &"x".repeat(20 * 1024 * 1024));
    bytes.extend_from_slice(huge.as_bytes());
    bytes.extend_from_slice(line(&home, "look at the last line").as_bytes());
    home.write(".claude/projects/-x/s.jsonl", bytes);
    let report = home.sync();
    assert_eq!(report.skipped[0].what, "lines longer than 16 MiB");
    let manifest = home.manifest();
    assert!(
        manifest.contains("the first line") && manifest.contains("the last line"),
        "{manifest}"
    );
}

#[test]
fn bytes_that_are_no_text_spoil_a_word_and_not_the_line() {
    let home = Home::empty();
    let mut bytes = b"\0\0\0\0".to_vec();
    bytes.extend_from_slice(line(&home, "caf\u{1} kept").replace('\u{1}', "é").as_bytes());
    let latin: Vec<u8> = line(&home, "naive words")
        .bytes()
        .map(|b| if b == b'v' { 0xef } else { b })
        .collect();
    bytes.extend_from_slice(&latin);
    bytes.extend_from_slice(b"\xff\xfe{\"type\"\n\r\n\0\n");
    home.write(".claude/projects/-x/s.jsonl", bytes);
    let report = home.sync();
    let manifest = home.manifest();
    assert!(
        manifest.contains("café kept") && manifest.contains("nai\u{fffd}e words"),
        "{manifest}"
    );
    assert_eq!(report.skipped[0].count, 1, "{report:?}");
}

#[test]
fn half_of_a_character_spoils_itself_and_not_the_line() {
    let home = Home::empty();
    let text = line(&home, "cut here \\ud83d kept") + &line(&home, "whole \\ud83d\\ude00 kept");
    let mut bytes = text.into_bytes();
    let latin = line(&home, "na\u{1}ve \\uDE00 kept");
    bytes.extend(latin.bytes().map(|b| if b == 1 { 0xef } else { b }));
    home.write(".claude/projects/-x/s.jsonl", bytes);
    let prompt =
        "{\"display\":\"typed \\ud83d prompt\",\"project\":\"/srv/y\",\"timestamp\":1795000000000}\n";
    home.write(".claude/history.jsonl", prompt);
    let report = home.sync();
    let manifest = home.manifest();
    for kept in [
        "cut here \u{fffd} kept",
        "whole \u{1f600} kept",
        "na\u{fffd}ve \u{fffd} kept",
        "typed \u{fffd} prompt",
    ] {
        assert!(manifest.contains(kept), "{kept}: {manifest}");
    }
    assert!(report.skipped.is_empty(), "{report:?}");
}

#[test]
fn a_folder_of_any_depth_costs_no_time() {
    let home = Home::empty();
    let deep = "/a".repeat(1_000_000);
    let lines: String = (0..3)
        .map(|n| line(&home, &format!("step {n}")).replace("/code\"", &format!("/code{deep}{n}\"")))
        .collect();
    home.write(".claude/projects/-x/s.jsonl", lines);
    home.write(
        ".claude/projects/-x/t.jsonl",
        line(&home, "outside of the home").replace(&format!("{}/code", home.path().display()), &deep),
    );
    let start = std::time::Instant::now();
    home.sync();
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    let manifest = home.manifest();
    assert!(
        manifest.contains("outside of the home") && manifest.contains("step 0"),
        "{manifest}"
    );
    assert!(!manifest.contains("/a/a"));
}

#[cfg(unix)]
#[test]
fn links_that_lead_out_of_the_store_are_not_followed() {
    use std::os::unix::fs::symlink;
    let home = Home::empty();
    let outside = home.write("elsewhere/p/s.jsonl", line(&home, "words from elsewhere"));
    home.write("elsewhere/notes/MEMORY.md", "- words from elsewhere");
    let inside = home.write(".claude/projects/-x/s.jsonl", line(&home, "words from inside"));
    let projects = home.path().join(".claude/projects");
    symlink(outside.parent().unwrap(), projects.join("-linked")).unwrap();
    symlink(&outside, projects.join("-x/linked.jsonl")).unwrap();
    symlink(home.path().join("elsewhere/notes"), projects.join("-x/memory")).unwrap();
    symlink(&outside, home.path().join(".claude/history.jsonl")).unwrap();
    symlink(&inside, projects.join("-x/again.jsonl")).unwrap();
    symlink(projects.join("-x"), projects.join("-x/circle")).unwrap();
    let report = home.sync();
    assert!(!home.manifest().contains("elsewhere"), "{}", home.manifest());
    assert!(home.manifest().contains("words from inside"));
    assert!(
        report
            .skipped
            .iter()
            .any(|s| s.what == "links that lead out of the store" && s.count == 4),
        "{report:?}"
    );
}

#[cfg(unix)]
#[test]
fn a_store_of_which_nothing_can_be_read_replaces_nothing() {
    let home = Home::of("claude-code");
    home.sync();
    let first = home.manifest();
    let projects = home.path().join(".claude/projects");
    fs::rename(&projects, home.path().join("aside")).unwrap();
    fs::create_dir(&projects).unwrap();
    std::os::unix::fs::symlink(projects.join("-loop"), projects.join("-loop")).unwrap();
    let report = home.sync();
    assert_eq!(report.outcome, SyncOutcome::Failed);
    assert!(report.why.unwrap().contains("-loop"));
    assert_eq!(home.manifest(), first);
}

#[cfg(unix)]
#[test]
fn a_pipe_in_the_store_is_not_waited_for() {
    let home = Home::empty();
    home.write(".claude/projects/-x/s.jsonl", line(&home, "words from inside"));
    let pipe = home.path().join(".claude/projects/-x/pipe.jsonl");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()));
    assert_eq!(home.sync().outcome, SyncOutcome::Created);
}

#[test]
fn a_brief_that_was_injected_does_not_come_back() {
    use ken_text::fence::Section;
    use ken_text::mark::{BRIEF_CLOSE, BRIEF_OPEN};
    let home = Home::empty();
    let lessons = Section::new("Lessons", ".agent/LESSONS.md")
        .line("INJECTED words of a lesson")
        .finish();
    let brief = format!("{BRIEF_OPEN}\n{lessons}{BRIEF_CLOSE}")
        .replace('"', "\\\"")
        .replace('\n', "\\n");
    let text = line(&home, &format!("{brief}\\nchange the ledger")) + &line(&home, &brief);
    home.write(".claude/projects/-x/s.jsonl", text);
    let note =
        format!("{BRIEF_OPEN}\n- 2026-11-01 INJECTED\n{BRIEF_CLOSE}\n- 2026-11-02 the ledger is frozen\n");
    home.write(".claude/projects/-x/memory/MEMORY.md", note);
    home.sync();
    let manifest = home.manifest();
    assert!(!manifest.contains("INJECTED"), "{manifest}");
    assert!(
        manifest.contains("- change the ledger") && manifest.contains("the ledger is frozen"),
        "{manifest}"
    );
}

#[test]
fn the_store_is_only_read() {
    let home = Home::of("claude-code");
    let store = home.path().join(".claude");
    let before = snapshot(&store);
    home.sync();
    assert_eq!(snapshot(&store), before);
}

pub(crate) fn snapshot(
    folder: &std::path::Path,
) -> Vec<(std::path::PathBuf, Vec<u8>, std::time::SystemTime)> {
    let mut all = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                all.push((
                    path.clone(),
                    fs::read(&path).unwrap(),
                    fs::metadata(&path).unwrap().modified().unwrap(),
                ));
            }
        }
    }
    all.sort();
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_bytes_are_read_without_harm(
        pieces in prop::collection::vec(
            prop_oneof![
                Just(r#"{"type":"user","message":{"content":"#.to_owned()),
                Just(r#""change the parser of the ledger""#.to_owned()),
                Just(r#"[{"type":"tool_use","name":"Bash","input":{"command":"git commit -m 'x y z'"}}]"#.to_owned()),
                Just(r#","cwd":"/srv/x","timestamp":"2026-01-01T00:00:00Z","gitBranch":"b-1""#.to_owned()),
                Just("}}\n".to_owned()),
                Just("{\"display\":\"do it well\",\"project\":\"/srv/y\",\"timestamp\":1e300}\n".to_owned()),
                Just("---\nname: x-y\n---\n2026-01-01 z\n".to_owned()),
                "\\PC{0,12}",
                "[\\[\\]{}\",:\n\\\\]{0,6}",
            ],
            0..24,
        ),
        raw in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let mut bytes = pieces.concat().into_bytes();
        bytes.extend(raw);
        let home = Home::empty();
        home.write(".claude/projects/-x/s.jsonl", &bytes);
        home.write(".claude/projects/-x/s/subagents/agent-1.jsonl", &bytes);
        home.write(".claude/projects/-x/memory/MEMORY.md", &bytes);
        home.write(".claude/history.jsonl", &bytes);
        let report = home.sync();
        prop_assert!(report.why.is_none() || report.outcome == SyncOutcome::Empty, "{report:?}");
    }
}

#[test]
fn credentials_in_paths_stay_away() {
    let home = Home::empty();
    let value = ["Zq9", "xK2m", "Vb7p", "Lw4t"].concat();
    let pass = ["Hunter", "Zq9", "xK2m"].concat();
    let edit = |path: &str| {
        format!(
            "{{\"type\":\"assistant\",\"cwd\":\"/srv/tidewater\",\"timestamp\":\"2026-11-20T09:00:01Z\",\"message\":{{\"content\":[{{\"type\":\"tool_use\",\"name\":\"Edit\",\"input\":{{\"file_path\":\"{path}\"}}}}]}}}}\n"
        )
    };
    let ask =
        |folder: &str| line(&home, "change it").replace(&format!("{}/code", home.path().display()), folder);
    let text = [
        ask("/srv/tidewater"),
        edit("/srv/tidewater/src/plain.rs"),
        edit(&format!("/srv/tidewater/DB_PASS={value}/x.rs")),
        edit(&format!("/srv/tidewater/password: {value}/x.rs")),
        edit(&format!("https://user:{pass}@host.example/x/x.rs")),
        edit(&format!("/srv/tidewater/https:/user:{pass}@host.example/x/x.rs")),
    ]
    .concat();
    home.write(".claude/projects/-x/s.jsonl", text);
    home.write(
        ".claude/projects/-x/t.jsonl",
        ask(&format!("/srv/DB_PASS={value}/deep/er")),
    );
    home.write(
        ".claude/projects/-x/u.jsonl",
        ask(&format!("/srv/https:/user:{pass}@host.example/x")),
    );
    home.sync();
    let manifest = home.manifest();
    assert!(manifest.contains("src/plain.rs"), "{manifest}");
    assert!(
        !manifest.contains(&value) && !manifest.contains(&pass),
        "{manifest}"
    );
}

#[test]
fn of_memory_without_end_the_newest_notes_are_told() {
    let home = Home::empty();
    home.write(
        ".claude/projects/-srv-quay/s.jsonl",
        told("/srv/quay", "2026-11-20T09:00:00Z"),
    );
    let day = jiff::civil::date(2020, 1, 1);
    for file in 0..40 {
        let mut text = String::new();
        for note in 0..300 {
            let day = day.saturating_add(jiff::Span::new().days(note));
            text.push_str(&format!(
                "- {day}: note {note} of file {file:02} {}\n",
                "word ".repeat(60)
            ));
        }
        // All of one day, without end, and without a day.
        text.push_str(&"- 2019-01-01: the same again and again\n".repeat(500));
        for note in 0..500 {
            text.push_str(&format!(
                "- 2019-01-01: old {file} {note}\n- undated {note} {}\n",
                "x".repeat(99)
            ));
        }
        home.write(&format!(".claude/projects/-srv-quay/memory/f{file:02}.md"), text);
    }
    let report = home.sync();
    assert_eq!(report.written.notes, 1_000, "{report:?}");
    let manifest = home.manifest();
    // 40 files tell of each day: the last 25 days fill the manifest.
    for (note, there) in [(299, true), (275, true), (274, false), (0, false)] {
        let text = format!("note {note} of file 39 ");
        assert_eq!(manifest.contains(&text), there, "{text}");
    }
}

fn told(folder: &str, at: &str) -> String {
    format!(
        "{{\"type\":\"user\",\"cwd\":\"{folder}\",\"timestamp\":\"{at}\",\"message\":{{\"content\":\"change the ledger\"}}}}\n"
    )
}
