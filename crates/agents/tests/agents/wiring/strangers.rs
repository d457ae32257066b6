//! What a repository or a disk can hold that nobody would think of.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use ken_agents::wiring::{State, WiringError, agent, inspect, plan_unsetup};

use super::{BOTH, Desk, clock, rows};

/// What `work` gives, within a time in which nothing hangs.
fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || drop(sender.send(work())));
    receiver
        .recv_timeout(Duration::from_secs(20))
        .expect("it should not wait for a pipe or read without an end")
}

#[test]
fn a_pipe_or_a_device_in_place_of_a_file_is_told_and_never_waited_for() {
    let names = [
        "CLAUDE.md",
        "AGENTS.md",
        ".mcp.json",
        ".claude/settings.json",
        ".codex/config.toml",
        ".codex/hooks.json",
    ];
    for name in names {
        for device in [true, false] {
            let desk = Desk::new();
            let path = desk.project().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            if device {
                symlink("/dev/zero", &path).unwrap();
            } else {
                assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
            }
            let (setup, unsetup, broken) = in_time(move || {
                let setup = desk.plan(&BOTH).map(drop).map_err(|error| error.to_string());
                let unsetup = plan_unsetup(&rows(&BOTH), &desk.request)
                    .map(drop)
                    .map_err(|error| error.to_string());
                let scopes = BOTH.map(|id| inspect(agent(id).unwrap(), &desk.request).scopes);
                let broken = scopes
                    .iter()
                    .flatten()
                    .flat_map(|scope| &scope.parts)
                    .any(|part| matches!(part.state, State::Broken(_)));
                (setup, unsetup, broken)
            });
            let named = |result: Result<(), String>| {
                let error = result.unwrap_err();
                assert!(error.contains(if device { "/dev/zero" } else { name }), "{error}");
            };
            named(setup);
            named(unsetup);
            assert!(broken, "{name}");
        }
    }
}

#[test]
fn a_pipe_that_the_instructions_read_in_is_not_waited_for() {
    let desk = Desk::new();
    desk.write("work/ledger/CLAUDE.md", "@AGENTS.md\n");
    let pipe = desk.project().join("AGENTS.md");
    assert!(Command::new("mkfifo").arg(pipe).status().unwrap().success());
    let files = in_time(move || desk.plan(&["claude-code"]).unwrap().files.len());
    assert_eq!(files, 3);
}

/// Where a test of this name finds its small disk: it runs itself again in a place of its own, where it may mount one.
/// `None` where the work is done there, or may not be done.
fn small_disk(test: &str, options: &str) -> Option<PathBuf> {
    const HERE: &str = "KEN_TEST_SMALL_DISK";
    if let Some(folder) = std::env::var_os(HERE) {
        return Some(folder.into());
    }
    let folder = tempfile::tempdir().unwrap();
    let mount = format!("mount -t tmpfs -o {options} tmpfs \"$0\" && {HERE}=\"$0\" exec \"$@\"");
    let inside = |command: &[&OsStr]| {
        let mut unshare = Command::new("unshare");
        unshare
            .args(["-rm", "sh", "-c", &mount])
            .arg(folder.path())
            .args(command);
        unshare.output()
    };
    if !inside(&["true".as_ref()]).is_ok_and(|done| done.status.success()) {
        return None;
    }
    let own = std::env::current_exe().unwrap();
    let words = [
        own.as_os_str(),
        "--exact".as_ref(),
        test.as_ref(),
        "--nocapture".as_ref(),
    ];
    let done = inside(&words).unwrap();
    let said = String::from_utf8_lossy(&done.stdout).into_owned() + &String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success() && said.contains("1 passed"), "{said}");
    None
}

/// Fills the disk at `folder` but for so many blocks or so many files.
fn fill(folder: &Path, blocks: Option<u64>, files: Option<usize>) -> PathBuf {
    let full = folder.join("full");
    fs::create_dir(&full).unwrap();
    if let Some(free) = blocks {
        let mut filling = File::create(full.join("fill")).unwrap();
        while filling.write_all(&[0; 4096]).is_ok() {}
        let length = filling.metadata().unwrap().len();
        filling.set_len(length.saturating_sub(free * 4096)).unwrap();
    }
    if let Some(free) = files {
        let names = (0..).map(|number| full.join(number.to_string()));
        let made: Vec<_> = names.take_while(|name| File::create(name).is_ok()).collect();
        made.iter()
            .rev()
            .take(free)
            .for_each(|name| fs::remove_file(name).unwrap());
    }
    full
}

#[test]
fn a_disk_that_fills_in_between_takes_nobodys_bytes_and_no_way_back() {
    let test = "wiring::strangers::a_disk_that_fills_in_between_takes_nobodys_bytes_and_no_way_back";
    let Some(disk) = small_disk(test, "size=400k,nr_inodes=120") else {
        return;
    };
    let rooms = (0..24)
        .map(|free| (Some(free), None))
        .chain((0..30).map(|free| (None, Some(free))));
    let (mut done, mut refused) = (0, 0);
    for (blocks, files) in rooms {
        let desk = Desk::on(tempfile::tempdir_in(&disk).unwrap());
        desk.write("work/ledger/.claude/settings.json", "{\n \"a\": 1 // x\n}");
        desk.write("work/ledger/.codex/config.toml", "a=1\n");
        desk.write("work/ledger/CLAUDE.md", "hi");
        desk.write("work/ledger/.mcp.json", "{\"mcpServers\":{}}");
        let before = desk.tree();
        let full = fill(&disk, blocks, files);
        let outcome = desk.plan(&BOTH).unwrap().apply(&clock());
        let after = desk.tree();
        fs::remove_dir_all(&full).unwrap();
        match outcome {
            Ok(_) => done += 1,
            Err(WiringError::NotUndone { paths, source }) => {
                panic!("{blocks:?} {files:?}: {source}: {paths:?} could not be put back")
            }
            Err(error) => {
                refused += 1;
                assert!(error.to_string().contains("no space is left"), "{error}");
                assert_eq!(after, before, "{blocks:?} {files:?}");
            }
        }
        desk.unsetup(&BOTH);
        assert_eq!(desk.tree(), before, "{blocks:?} {files:?}");

        desk.setup(&BOTH);
        let full = fill(&disk, blocks, files);
        let outcome = plan_unsetup(&rows(&BOTH), &desk.request).unwrap().apply(&clock());
        fs::remove_dir_all(&full).unwrap();
        if let Err(error) = outcome {
            assert!(error.to_string().contains("no space is left"), "{error}");
            desk.unsetup(&BOTH);
        }
        assert_eq!(desk.tree(), before, "{blocks:?} {files:?}");
    }
    assert!(done > 5 && refused > 5, "{done} {refused}");
}

#[test]
fn what_a_person_wrote_between_markers_is_refused_with_its_place() {
    let cases = [
        (
            "<!-- ken:begin 1 -->\nmy own\n<!-- ken:end -->\n",
            "1:1: the lines between this marker of ken and its end are not those that ken writes",
        ),
        (
            "x\n\n<!-- ken:begin 7 -->\r\n<!-- ken:end -->",
            "3:1: the lines between this marker of ken and its end are not those that ken writes",
        ),
        (
            "<!-- ken:beginning of my notes -->\nprecious\n<!-- ken:end -->\n",
            "3:1: a block of ken ends here that does not begin",
        ),
    ];
    for (text, said) in cases {
        let desk = Desk::new();
        desk.write("work/ledger/CLAUDE.md", text);
        let error = desk.refused(&["claude-code"]);
        assert!(
            error.starts_with(&format!("/home/work/ledger/CLAUDE.md:{said}")),
            "{error}"
        );
        let error = plan_unsetup(&rows(&["claude-code"]), &desk.request)
            .unwrap_err()
            .to_string();
        assert!(error.contains(&format!("CLAUDE.md:{said}")), "{error}");
    }
    // Also when the person wrote into the block that setup made.
    let desk = Desk::new();
    desk.setup(&["claude-code"]);
    let text = desk.read("work/ledger/CLAUDE.md");
    desk.write(
        "work/ledger/CLAUDE.md",
        text.replace("<!-- ken:end", "and my own\n<!-- ken:end"),
    );
    let error = plan_unsetup(&rows(&["claude-code"]), &desk.request)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("CLAUDE.md:1:1: the lines between this marker"),
        "{error}"
    );
}

#[test]
fn markers_that_are_quoted_or_only_look_alike_are_a_persons_text() {
    let desk = Desk::new();
    desk.setup(&["claude-code"]);
    let block = desk.read("work/ledger/CLAUDE.md");
    desk.unsetup(&["claude-code"]);
    let texts = [
        "# docs\n```\n<!-- ken:begin 1 -->\nan example\n<!-- ken:end -->\n```\ntail\n".to_owned(),
        format!("   ~~~~ markdown\r\n{}   ~~~~\r\n", block.replace('\n', "\r\n")),
        format!("```\n{block}```"),
        "<!-- ken:beginning of my notes -->\nprecious\n".to_owned(),
        "see <!-- ken:begin 1 --> and\n<!-- ken:end -->, which ken writes\n".to_owned(),
        "    <!-- ken:begin 1 -->\n    code\n    <!-- ken:end -->\n".to_owned(),
        "a fence without an end\n```\nx\n".to_owned(),
    ];
    for text in texts {
        for receipt in [true, false] {
            let desk = Desk::new();
            desk.write("work/ledger/CLAUDE.md", &text);
            let before = desk.tree();
            desk.setup(&["claude-code"]);
            let wired = desk.read("work/ledger/CLAUDE.md");
            assert!(wired.starts_with(&text) && wired.len() > text.len(), "{wired}");
            assert!(desk.plan(&["claude-code"]).unwrap().is_empty());
            if !receipt {
                desk.forget();
            }
            desk.unsetup(&["claude-code"]);
            assert_eq!(desk.tree(), before, "{text}");
        }
    }
}

#[test]
fn a_file_of_nothing_but_remarks_keeps_them() {
    let texts = [
        "// keep this",
        "// keep this\n",
        "// keep this\r\n\r\n",
        "/* keep */",
        "/* keep\n   this */\n  ",
        "\u{feff}// one\n\n// two\n",
    ];
    for text in texts {
        for file in [".mcp.json", ".claude/settings.json"] {
            for (receipt, added) in [
                (true, ""),
                (false, ""),
                (true, "// another\n"),
                (false, "// another\n"),
            ] {
                let desk = Desk::new();
                let file = format!("work/ledger/{file}");
                desk.write(&file, text);
                let before = desk.tree();
                desk.setup(&["claude-code"]);
                let wired = desk.read(&file);
                assert!(wired.starts_with(text) && wired.contains("bin/ken"), "{wired}");
                assert!(desk.plan(&["claude-code"]).unwrap().is_empty());
                if !receipt {
                    desk.forget();
                }
                let body = wired.strip_prefix('\u{feff}');
                let mark = body.map_or("", |_| "\u{feff}");
                desk.write(&file, format!("{mark}{added}{}", body.unwrap_or(&wired)));
                desk.unsetup(&["claude-code"]);
                let left = desk.read(&file);
                if added.is_empty() {
                    assert_eq!(desk.tree(), before, "{text:?}");
                } else {
                    assert_eq!(left.replacen(added, "", 1), text);
                }
            }
        }
    }
    // An object that a person wrote behind remarks stays, and so does a remark that came later.
    for text in ["// mine\n{}\n", "// mine\n\n{}\n", "// mine\n{\n}"] {
        let desk = Desk::new();
        desk.write("work/ledger/.mcp.json", text);
        let before = desk.tree();
        desk.setup(&["claude-code"]);
        desk.unsetup(&["claude-code"]);
        assert_eq!(desk.tree(), before, "{text:?}");
        desk.setup(&["claude-code"]);
        desk.forget();
        desk.unsetup(&["claude-code"]);
        let left = desk.read("work/ledger/.mcp.json");
        assert_eq!(left.replace('\n', ""), "// mine{}", "{text:?}");
    }
    let desk = Desk::new();
    desk.write("work/ledger/.mcp.json", " \n");
    desk.setup(&["claude-code"]);
    let wired = desk.read("work/ledger/.mcp.json");
    desk.write("work/ledger/.mcp.json", format!("// later\n{wired}"));
    desk.unsetup(&["claude-code"]);
    assert!(desk.read("work/ledger/.mcp.json").starts_with("// later\n"));
}

#[test]
fn a_hook_that_a_person_wrote_stays_theirs() {
    let one = |event: &str, group: &str, command: &str, more: &str| {
        format!(
            r#"{{"hooks":{{"{event}":[{{{group}"hooks":[{{"type":"command","command":"{command}"{more}}}]}}]}}}}"#
        )
    };
    let start = "/opt/ken hook session-start --agent claude-code";
    let limit = r#","timeout":3"#;
    let theirs = [
        one(
            "PreToolUse",
            "",
            "/opt/ken hook pre-tool --agent claude-code",
            limit,
        ),
        one("PreToolUse", "", start, limit),
        one("Stop", "", start, limit),
        one("SessionStart", r#""matcher":"clear","#, start, limit),
        one("SessionStart", "", start, r#","timeout":9"#),
        one("SessionStart", "", start, ""),
        one("SessionStart", "", start, r#","timeout":3,"x":1"#),
        one("SessionStart", "", &format!("{start} # note"), limit),
        one("SessionStart", "", &format!("{start} --verbose"), limit),
        one(
            "SessionStart",
            "",
            "ken hook session-start --agent claude-code",
            limit,
        ),
        one(
            "SessionStart",
            "",
            "echo /opt/ken hook session-start --agent claude-code",
            limit,
        ),
    ];
    for text in theirs {
        for receipt in [true, false] {
            let desk = Desk::new();
            desk.write("work/ledger/.claude/settings.json", &text);
            let before = desk.tree();
            desk.setup(&["claude-code"]);
            let wired = desk.read("work/ledger/.claude/settings.json");
            let body = text
                .trim_end_matches(['}', ']'])
                .trim_start_matches(r#"{"hooks":{"#);
            assert!(wired.contains(body), "{wired}");
            assert_eq!(
                wired
                    .matches("bin/ken hook session-start --agent claude-code")
                    .count(),
                1
            );
            assert!(desk.plan(&["claude-code"]).unwrap().is_empty());
            if !receipt {
                desk.forget();
            }
            desk.unsetup(&["claude-code"]);
            assert_eq!(desk.tree(), before, "{text}");
        }
    }
}

#[test]
fn what_a_killed_setup_left_goes_with_the_next_one() {
    let name = ".ken-0123456789abcdef.tmp";
    for setup in [true, false] {
        let desk = Desk::new();
        desk.write("work/ledger/CLAUDE.md", "hi");
        let before = desk.tree();
        desk.setup(&BOTH);
        // Killed before it wrote the last file, whose folder it had made.
        fs::remove_file(desk.project().join(".codex/hooks.json")).unwrap();
        fs::remove_file(desk.project().join(".codex/config.toml")).unwrap();
        let state = desk.request.paths.state.join("wiring");
        let mut left = vec![state.join("backups"), desk.project()];
        left.extend([".claude", ".codex"].map(|folder| desk.project().join(folder)));
        left.extend(
            fs::read_dir(state.join("files"))
                .unwrap()
                .map(|entry| entry.unwrap().path()),
        );
        for folder in &left {
            fs::write(folder.join(name), "half").unwrap();
        }
        fs::write(desk.project().join(".ken-mine.tmp"), "kept").unwrap();
        if setup {
            desk.setup(&BOTH);
        } else {
            desk.unsetup(&BOTH);
        }
        for folder in &left {
            assert!(!folder.join(name).exists(), "{}", folder.display());
        }
        fs::remove_file(desk.project().join(".ken-mine.tmp")).unwrap();
        if setup {
            desk.unsetup(&BOTH);
        }
        assert_eq!(desk.tree(), before);
    }
}

#[test]
fn a_program_whose_path_no_text_can_hold_is_refused() {
    use std::os::unix::ffi::OsStrExt;

    let mut desk = Desk::new();
    desk.request.program = desk.root().join(OsStr::from_bytes(b"b\xffn/ken"));
    let error = desk.refused(&BOTH);
    assert!(
        error.contains("and this path is not; nothing was written"),
        "{error}"
    );
    desk.unsetup(&BOTH);
}
