//! A sync reads again only what has changed, and says the same as one that reads everything.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use ken_agents::{NoProgress, SyncLine, SyncOptions, sync};
use ken_files::Paths;
use ken_library::Library;
use proptest::prelude::*;

use crate::home::{Home, token};

/// Lets every file of the store be old enough to be trusted.
pub(crate) fn age(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            age(&path);
        } else {
            let file = fs::File::options().append(true).open(&path).unwrap();
            file.set_modified(SystemTime::now() - Duration::from_secs(60))
                .unwrap();
        }
    }
}

fn digests(home: &Home) -> PathBuf {
    home.paths.state.join("harvest").join(home.agent).join("digests")
}

fn digest_files(home: &Home) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(digests(home))
        .into_iter()
        .flatten()
        .map(|entry| entry.unwrap().path())
        .filter(|path| !path.ends_with("begun"))
        .collect();
    files.sort();
    files
}

/// The manifest of a sync that has nothing to go by, and what it reported.
fn cold(home: &Home) -> (String, SyncLine) {
    let elsewhere = tempfile::tempdir().unwrap();
    let paths = Paths {
        state: elsewhere.path().join("state"),
        library: elsewhere.path().join("library"),
        ..home.paths.clone()
    };
    let library = Library::open(&paths.library);
    let only = [home.agent.parse().unwrap()];
    let line = sync(
        &paths,
        &home.clock,
        &library,
        &only,
        SyncOptions::default(),
        &mut NoProgress,
    )
    .remove(0);
    let manifest = fs::read_to_string(library.manifest_path(&line.agent)).unwrap_or_default();
    (manifest, line)
}

/// A sync of the home itself says the same, in its rows and in its report.
fn agrees(home: &Home) -> SyncLine {
    let line = home.sync();
    let (rows, report) = cold(home);
    let manifest = fs::read_to_string(home.library().manifest_path(&line.agent)).unwrap_or_default();
    if !rows.is_empty() {
        assert_eq!(without_stamp(&manifest), without_stamp(&rows));
    }
    let told = |line: &SyncLine| {
        (
            line.sessions_read,
            line.written,
            line.skipped.clone(),
            line.credentials_found,
        )
    };
    assert_eq!(told(&line), told(&report));
    line
}

fn without_stamp(manifest: &str) -> String {
    let lines = manifest.lines().filter(|line| !line.starts_with("last_updated"));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn what_has_not_changed_is_not_read_again() {
    for (agent, transcripts) in [("claude-code", 7), ("codex", 8)] {
        let home = Home::of(agent);
        // What was written a moment ago may be written again in the same tick.
        assert_eq!((home.sync().unchanged, home.sync().unchanged), (0, 0));
        let store = home
            .path()
            .join(if agent == "codex" { ".codex" } else { ".claude" });
        age(&store);
        assert_eq!(agrees(&home).unchanged, 0);
        let line = agrees(&home);
        assert_eq!(line.unchanged, transcripts, "{agent}");
        let all = cold(&home).1.bytes_read;
        assert!(line.bytes_read < all / 2, "{} of {all}", line.bytes_read);
    }
}

#[test]
fn a_session_that_goes_on_is_read_again_and_no_other() {
    let home = Home::of("claude-code");
    let store = home.path().join(".claude");
    age(&store);
    home.sync();
    let transcript = store.join(format!(
        "projects/{}-code-old-name/33333333-0000-4000-8000-000000000003.jsonl",
        home.slug()
    ));
    let mut text = fs::read_to_string(&transcript).unwrap();
    text.push_str("{\"type\":\"user\",\"cwd\":\"/srv/quay\",\"timestamp\":\"2026-11-28T09:00:00Z\",\"message\":{\"content\":\"one more thing\"}}\n");
    fs::write(&transcript, &text).unwrap();
    let line = agrees(&home);
    assert_eq!(line.unchanged, 6);
    assert!(home.manifest().contains("one more thing"));
    // The same size, and the same time of change as the tool tells it.
    age(&store);
    agrees(&home);
    let modified = fs::metadata(&transcript).unwrap().modified().unwrap();
    fs::write(&transcript, text.replace("one more", "any more")).unwrap();
    fs::File::options()
        .append(true)
        .open(&transcript)
        .unwrap()
        .set_modified(modified)
        .unwrap();
    agrees(&home);
    assert!(home.manifest().contains("any more thing"));
    fs::remove_file(&transcript).unwrap();
    let before = digest_files(&home).len();
    agrees(&home);
    assert_eq!(digest_files(&home).len(), before - 1);
}

#[test]
fn a_time_that_has_come_since_counts_from_then_on() {
    let mut home = Home::empty();
    let line = |at: &str, text: &str| {
        format!(
            "{{\"type\":\"user\",\"cwd\":\"/srv/quay\",\"timestamp\":\"{at}\",\"message\":{{\"content\":\"{text}\"}}}}\n"
        )
    };
    let text = line("2026-11-29T09:00:00Z", "paint the pier") + &line("2026-12-05T09:00:00Z", "and the buoy");
    home.write(".claude/projects/-srv-quay/s.jsonl", text);
    age(&home.path().join(".claude"));
    agrees(&home);
    assert!(home.manifest().contains("date: \"2026-11-29\""));
    home.at("2026-12-06T12:00:00Z");
    assert_eq!(agrees(&home).unchanged, 0);
    assert!(home.manifest().contains("date: \"2026-12-05\""));
    // A clock that was set back.
    home.at("2026-11-30T12:00:00Z");
    agrees(&home);
    assert!(home.manifest().contains("date: \"2026-11-29\""));
}

#[test]
fn no_credential_is_kept_and_nobody_else_can_read_what_is() {
    for agent in ["claude-code", "codex"] {
        let home = Home::of(agent);
        let store = home
            .path()
            .join(if agent == "codex" { ".codex" } else { ".claude" });
        let folder = format!("/srv/{}/quay", token());
        let claude = format!(
            "{{\"type\":\"user\",\"cwd\":\"{folder}\",\"gitBranch\":\"{}\",\"message\":{{\"content\":\"paint it\"}}}}\n",
            token()
        );
        let codex = format!(
            "{{\"type\":\"session_meta\",\"payload\":{{\"id\":\"x\",\"cwd\":\"{folder}\"}}}}\n{{\"type\":\"event_msg\",\"payload\":{{\"type\":\"user_message\",\"message\":\"paint it\"}}}}\n"
        );
        home.write(&format!(".claude/projects/-x-{}/s.jsonl", token()), claude);
        home.write(".codex/sessions/2026/11/20/rollout-x.jsonl", codex);
        age(&store);
        home.sync();
        assert!(digest_files(&home).len() >= 6);
        for file in digest_files(&home) {
            let text = fs::read_to_string(&file).unwrap();
            assert!(!text.contains(&token()), "{text}");
            #[cfg(unix)]
            {
                use std::os::unix::fs::PermissionsExt;
                assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
            }
        }
        assert!(!home.manifest().contains(&token()));
    }
}

#[test]
fn a_database_is_copied_again_only_when_it_or_its_log_has_changed() {
    let (home, database) = crate::codex::home();
    let store = home.path().join(".codex");
    let file = store.join("state_5.sqlite");
    let add = |id: &str, title: &str| {
        let folder = home.path().join("code/tidewater").to_string_lossy().into_owned();
        let row = (id, 1_795_000_000, "cli", folder, title);
        let sql = "INSERT INTO threads (id, updated_at, source, cwd, title) VALUES (?1, ?2, ?3, ?4, ?5)";
        database.execute(sql, row).unwrap();
    };
    add("s1", &format!("send {} to the harbour", token()));
    age(&store);
    // It was read, and is read no more.
    let first = agrees(&home);
    let line = agrees(&home);
    assert_eq!(line.unchanged, 8);
    let bytes = fs::metadata(&file).unwrap().len();
    assert!(line.bytes_read + bytes <= first.bytes_read);
    assert!(home.manifest().contains("to the harbour"));
    for kept in digest_files(&home) {
        assert!(!fs::read_to_string(kept).unwrap().contains(&token()));
    }
    // Only the log changes, and stays as long as it was.
    let changed = fs::metadata(&file).unwrap().modified().unwrap();
    add("s2", "paint the buoys");
    assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), changed);
    assert_eq!(agrees(&home).bytes_read, line.bytes_read + bytes);
    assert!(home.manifest().contains("paint the buoys"));
    age(&store);
    agrees(&home);
    assert_eq!(agrees(&home).bytes_read, line.bytes_read);
    assert!(home.manifest().contains("paint the buoys"));
    // What the log held is worked into the database.
    database.pragma_update(None, "journal_mode", "delete").unwrap();
    database
        .execute("DELETE FROM threads WHERE id = 's2'", [])
        .unwrap();
    agrees(&home);
    assert!(!home.manifest().contains("paint the buoys"));
    age(&store);
    agrees(&home);
    agrees(&home);
    // A folder that is called like a credential is in no digest.
    database
        .execute(
            "UPDATE threads SET cwd = ?1 WHERE id = 's1'",
            [format!("/srv/{}/x", token())],
        )
        .unwrap();
    age(&store);
    agrees(&home);
    agrees(&home);
    for kept in digest_files(&home) {
        assert!(!fs::read_to_string(kept).unwrap().contains(&token()));
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_in_the_folder_is_replaced_and_not_followed_or_waited_for() {
    type Put = fn(&Path);
    let puts: [Put; 4] = [
        |path| {
            let made = std::process::Command::new("mkfifo").arg(path).status().unwrap();
            assert!(made.success());
        },
        |path| {
            let victim = path.parent().unwrap().join("../victim");
            fs::write(&victim, "precious").unwrap();
            std::os::unix::fs::symlink(&victim, path).unwrap();
        },
        |path| std::os::unix::fs::symlink("/dev/zero", path).unwrap(),
        |path| fs::create_dir(path).unwrap(),
    ];
    for (agent, transcripts) in [("claude-code", 7), ("codex", 8)] {
        for (at, put) in puts.iter().enumerate() {
            let home = Home::of(agent);
            let name = if agent == "codex" { ".codex" } else { ".claude" };
            age(&home.path().join(name));
            home.sync();
            let begun = digests(&home).join("begun");
            for path in digest_files(&home).into_iter().chain([begun]) {
                fs::remove_file(&path).unwrap();
                put(&path);
            }
            agrees(&home);
            let victim = digests(&home).join("../victim");
            assert!(fs::read_to_string(victim).map_or(true, |text| text == "precious"));
            // A folder is nobody's to take away; then nothing is kept.
            let expected = if at == 3 { 0 } else { transcripts };
            assert_eq!(agrees(&home).unchanged, expected, "{agent} {at}");
        }
    }
}

/// Everything that a sync keeps for itself, as pipes: it ends all the same.
#[cfg(unix)]
#[test]
fn pipes_for_locks_and_copies_are_not_waited_for() {
    for path in ["sync.lock", "copy.lock", "copy", "digests", ""] {
        let (home, _open) = crate::codex::home();
        let pipe = home.paths.state.join("harvest/codex").join(path);
        let pipe = pipe.components().as_path();
        fs::create_dir_all(pipe.parent().unwrap()).unwrap();
        let made = std::process::Command::new("mkfifo").arg(pipe).status().unwrap();
        assert!(made.success());
        home.sync();
        assert!(
            home.manifest().contains("Round every posting half to even"),
            "{path}"
        );
        // Without its lock no copy is made.
        let told = home.manifest().contains("fix/webhooks");
        assert_eq!(told, !matches!(path, "copy.lock" | ""), "{path}");
    }
}

#[derive(Debug, Clone)]
enum Step {
    Append(usize, usize),
    Rewrite(usize, usize),
    Delete(usize),
    Damage(usize, usize),
    Forget,
    OtherVersion(usize),
    Age,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (0..5usize, 0..9usize).prop_map(|(file, text)| Step::Append(file, text)),
        2 => (0..5usize, 0..9usize).prop_map(|(file, text)| Step::Rewrite(file, text)),
        1 => (0..5usize).prop_map(Step::Delete),
        2 => (0..9usize, 0..4000usize).prop_map(|(file, at)| Step::Damage(file, at)),
        1 => Just(Step::Forget),
        1 => (0..9usize).prop_map(Step::OtherVersion),
        4 => Just(Step::Age),
    ]
}

/// A line of the session with this number, as each agent writes it.
fn line(agent: &str, file: usize, text: usize) -> String {
    let at = Timestamp::UNIX_EPOCH + jiff::SignedDuration::from_hours(490_000 + (file * 20 + text) as i64);
    let words = [
        "paint the pier",
        "tar the boat",
        "yes",
        "count the nets and say why",
        "mend the sail of number 3",
    ];
    let word = words[text % words.len()];
    match (agent, text) {
        ("codex", 0) => format!(
            "{{\"timestamp\":\"{at}\",\"type\":\"session_meta\",\"payload\":{{\"id\":\"s{file}\",\"cwd\":\"/srv/quay\",\"forked_from_id\":\"s{}\"}}}}\n",
            file / 2
        ),
        ("codex", 8) => format!(
            "{{\"timestamp\":\"{at}\",\"type\":\"response_item\",\"payload\":{{\"type\":\"custom_tool_call\",\"name\":\"apply_patch\",\"input\":\"*** Begin Patch\\n*** Add File: f{file}\"}}}}\n"
        ),
        ("codex", _) => format!(
            "{{\"timestamp\":\"{at}\",\"type\":\"event_msg\",\"payload\":{{\"type\":\"user_message\",\"message\":\"{word}\"}}}}\n"
        ),
        (_, 8) => "{\"type\":\"user\",\n".to_owned(),
        _ => format!(
            "{{\"type\":\"user\",\"cwd\":\"/srv/quay\",\"gitBranch\":\"b{file}\",\"timestamp\":\"{at}\",\"message\":{{\"content\":\"{word}\"}}}}\n"
        ),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]
    #[test]
    fn whatever_happens_to_the_store_or_to_the_digests_the_rows_are_the_same(
        agent in prop_oneof![Just("claude-code"), Just("codex")],
        steps in prop::collection::vec(step(), 1..12),
    ) {
        let mut home = Home::empty();
        home.agent = agent;
        let folder = if agent == "codex" { ".codex/sessions/2026/11/20" } else { ".claude/projects/-srv-quay" };
        let name = |file: usize| home.path().join(folder).join(format!("rollout-{file}.jsonl"));
        fs::create_dir_all(home.path().join(folder)).unwrap();
        for file in 0..5 {
            fs::write(name(file), line(agent, file, 0) + &line(agent, file, 1 + file)).unwrap();
        }
        age(&home.path().join(folder));
        for step in steps {
            let kept = digest_files(&home);
            match step {
                Step::Append(file, text) => {
                    let mut all = fs::read(name(file)).unwrap_or_default();
                    all.extend(line(agent, file, text).bytes());
                    fs::write(name(file), all).unwrap();
                }
                Step::Rewrite(file, text) => fs::write(name(file), line(agent, file, text)).unwrap(),
                Step::Delete(file) => drop(fs::remove_file(name(file))),
                Step::Damage(file, at) => {
                    if let Some(path) = kept.get(file) {
                        let mut bytes = fs::read(path).unwrap();
                        let at = at % bytes.len();
                        bytes[at] ^= 1;
                        fs::write(path, bytes).unwrap();
                    }
                }
                Step::Forget => drop(fs::remove_dir_all(digests(&home))),
                Step::OtherVersion(file) => {
                    if let Some(path) = kept.get(file) {
                        let text = fs::read_to_string(path).unwrap();
                        fs::write(path, text.replacen("ken digest ", "ken digest 0", 1)).unwrap();
                    }
                }
                Step::Age => age(&home.path().join(folder)),
            }
            agrees(&home);
        }
    }
}
