//! Hooks, as agents run them: the brief in each agent's shape, silence otherwise, and never a failure.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::machine::{Machine, program};

const AGENTS: [&str; 2] = ["claude-code", "codex"];

/// A repository with a fact, and a library in which a thing is known.
fn furnished() -> (Machine, PathBuf) {
    let machine = Machine::new();
    let repo = machine.repository("work/ledger");
    machine.ken(&repo, ["up", "--yes"]).done();
    machine
        .ken(
            &repo,
            [
                "edict",
                "add",
                "the exporter speaks protocol 7",
                "--category",
                "product",
                "--key",
                "exporter/protocol",
            ],
        )
        .done();
    machine.write(
        "agent-library/agents/scout.l5.yaml",
        "spec_version: \"0.1\"\nagent: {id: scout, type: other}\nlast_updated: \"2026-06-14T00:00:00Z\"\n\
         known_entities:\n- name: Quillback\n  type: project\n  summary: Quillback turns invoices into postings.\n  \
         visibility: team\n",
    );
    (machine, repo)
}

fn call(session: &str, folder: &Path, more: Value) -> Vec<u8> {
    let mut call = json!({
        "session_id": session,
        "transcript_path": null,
        "cwd": folder,
        "permission_mode": "default",
    });
    let all = call.as_object_mut().unwrap();
    all.extend(more.as_object().unwrap().clone());
    serde_json::to_vec(&call).unwrap()
}

fn prompt(session: &str, folder: &Path, text: &str) -> Vec<u8> {
    call(
        session,
        folder,
        json!({"hook_event_name": "UserPromptSubmit", "prompt": text}),
    )
}

fn start(session: &str, folder: &Path, source: &str) -> Vec<u8> {
    call(
        session,
        folder,
        json!({"hook_event_name": "SessionStart", "source": source}),
    )
}

/// Runs a hook that must exit with 0 and say nothing to the person; gives what it said to the agent.
fn hook(machine: &Machine, event: &str, agent: &str, input: &[u8]) -> Option<Value> {
    // The working directory is nowhere in particular: the project is the one that the agent names.
    let run = machine.ken_with_input(&machine.home(), ["hook", event, "--agent", agent], input);
    assert_eq!(run.code, Some(0), "{}", run.stderr);
    assert_eq!(run.stderr, "");
    (!run.stdout.is_empty()).then(|| serde_json::from_str(&run.stdout).unwrap())
}

/// What a hook put into the conversation.
fn context(machine: &Machine, event: &str, agent: &str, input: &[u8]) -> Option<String> {
    let said = hook(machine, event, agent, input)?;
    let text = said["hookSpecificOutput"]["additionalContext"].as_str();
    Some(
        text.unwrap_or_else(|| panic!("not for the model: {said}"))
            .to_owned(),
    )
}

#[test]
fn both_agents_get_the_brief_in_their_shape() {
    let (machine, repo) = furnished();
    for agent in AGENTS {
        let session = format!("{agent}-1");
        let said = hook(
            &machine,
            "session-start",
            agent,
            &start(&session, &repo, "startup"),
        )
        .unwrap();
        assert_eq!(said["hookSpecificOutput"]["hookEventName"], "SessionStart");
        let said = said["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
        assert!(said.contains("the exporter speaks protocol 7"), "{said}");

        let said = hook(
            &machine,
            "prompt",
            agent,
            &prompt(&session, &repo, "can Quillback do it?"),
        )
        .unwrap();
        assert_eq!(said["hookSpecificOutput"]["hookEventName"], "UserPromptSubmit");
        let said = said["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
        assert!(
            said.starts_with("<kenning-memory>\n") && said.ends_with("</kenning-memory>\n"),
            "{said}"
        );
        assert!(said.contains("- Quillback [project; known to scout]: "), "{said}");
        assert!(said.chars().count() <= 1800);

        let last = machine.ken(&repo, ["brief", "--last", "--json"]).json();
        assert_eq!(last["last"]["agent"], agent);
        assert_eq!(last["last"]["text"], said);
    }
}

#[test]
fn a_prompt_about_something_else_gets_nothing() {
    let (machine, repo) = furnished();
    for agent in AGENTS {
        assert_eq!(
            hook(
                &machine,
                "prompt",
                agent,
                &prompt("s", &repo, "please rename the button")
            ),
            None
        );
    }
}

#[test]
fn nothing_is_said_twice_in_a_session_until_its_conversation_was_compacted() {
    let (machine, repo) = furnished();
    let ask = || {
        context(
            &machine,
            "prompt",
            "codex",
            &prompt("s", &repo, "look at Quillback"),
        )
    };
    let begin = |source| context(&machine, "session-start", "codex", &start("s", &repo, source));
    assert!(ask().unwrap().contains("Quillback"));
    assert_eq!(ask(), None);
    assert!(begin("startup").unwrap().contains("protocol 7"));
    assert_eq!(begin("resume"), None);
    assert!(begin("compact").unwrap().contains("protocol 7"));
    assert!(ask().unwrap().contains("Quillback"));
    assert_eq!(ask(), None);
    assert!(begin("clear").unwrap().contains("protocol 7"));
    // Another session knows nothing of it.
    let other = context(
        &machine,
        "prompt",
        "codex",
        &prompt("t", &repo, "look at Quillback"),
    );
    assert!(other.is_some());
}

#[test]
fn a_repository_that_nobody_trusted_is_named_to_the_person_once() {
    let (machine, repo) = furnished();
    machine.ken(&repo, ["trust", "--remove"]).done();
    for agent in AGENTS {
        let said = hook(&machine, "session-start", agent, &start(agent, &repo, "startup")).unwrap();
        assert_eq!(said.get("hookSpecificOutput"), None);
        let notice = said["systemMessage"].as_str().unwrap();
        assert!(notice.contains("ken trust"), "{notice}");
        assert!(!notice.contains("protocol 7"));
        assert_eq!(
            hook(&machine, "session-start", agent, &start(agent, &repo, "startup")),
            None
        );
        assert_eq!(
            hook(
                &machine,
                "prompt",
                agent,
                &prompt(agent, &repo, "the exporter/protocol")
            ),
            None
        );
    }
}

/// What `ken doctor` says, whatever its exit code.
fn doctor(machine: &Machine, folder: &Path) -> String {
    let run = machine.ken(folder, ["doctor"]);
    assert!(matches!(run.code, Some(0 | 1)), "{}", run.stderr);
    run.stdout
}

#[test]
fn what_is_no_call_gets_silence_and_the_reason_is_in_doctor() {
    let (machine, repo) = furnished();
    let huge = prompt("s", &repo, &"Quillback ".repeat(120_000));
    let endless = vec![b'{'; 6 * 1024 * 1024];
    let cases: [(&[u8], &str); 6] = [
        (b"", "nothing came on standard input"),
        (b"garbage \xff\xfe", "not JSON"),
        (b"[[[[", "not JSON"),
        (b"{\"prompt\": 7}", "no `prompt`"),
        (&huge, "bytes, and those over 262144 are not looked at"),
        (&endless, "more than 4194304 bytes"),
    ];
    for (input, reason) in cases {
        assert_eq!(hook(&machine, "prompt", "codex", input), None);
        let said = doctor(&machine, &repo);
        assert!(said.contains(reason), "{reason}: {said}");
    }
}

#[test]
fn arguments_that_this_version_does_not_know_get_silence_too() {
    let (machine, repo) = furnished();
    let cases: [(&[&str], &str); 4] = [
        (
            &["hook", "pre-flight", "--agent", "codex"],
            "`pre-flight` is no hook event",
        ),
        (&["hook", "prompt", "--agent", "../x"], "../x"),
        (&["hook", "prompt", "--colour", "red"], "--colour"),
        (&["hook"], "required arguments were not provided"),
    ];
    for (arguments, reason) in cases {
        let run = machine.ken_with_input(&repo, arguments, &prompt("s", &repo, "Quillback"));
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""), "{arguments:?}");
        let said = doctor(&machine, &repo);
        assert!(said.contains(reason), "{reason}: {said}");
    }
}

#[test]
fn settings_that_cannot_be_read_get_silence_and_the_reason_is_in_doctor() {
    let (machine, repo) = furnished();
    machine.write(".config/ken/config.toml", "access = [");
    assert_eq!(
        hook(&machine, "prompt", "codex", &prompt("s", &repo, "Quillback")),
        None
    );
    let run = machine.ken(&repo, ["doctor"]);
    assert!(run.code != Some(0));
    assert!(
        format!("{}{}", run.stdout, run.stderr).contains("config.toml:1:"),
        "{}",
        run.stderr
    );
}

#[test]
fn a_missing_home_gets_silence_and_is_not_made() {
    let (machine, repo) = furnished();
    let missing = machine.home().join("nobody");
    let mut command = machine.command(&repo);
    command
        .args(["hook", "prompt", "--agent", "codex"])
        .env("HOME", &missing);
    let (code, out) = feed(&mut command, &prompt("s", &repo, "Quillback"));
    assert_eq!((code, out.as_str()), (Some(0), ""));
    assert!(!missing.exists());
    let doctor = machine
        .command(&repo)
        .arg("doctor")
        .env("HOME", &missing)
        .output()
        .unwrap();
    let said = String::from_utf8(doctor.stdout).unwrap() + &String::from_utf8(doctor.stderr).unwrap();
    assert!(
        said.contains("nobody") && said.contains("does not exist"),
        "{said}"
    );
    assert!(!missing.exists());
}

#[test]
fn a_held_lock_keeps_no_hook_waiting() {
    let (machine, repo) = furnished();
    let held: Vec<std::fs::File> = locks(&machine.home())
        .iter()
        .map(|path| {
            let file = std::fs::OpenOptions::new().write(true).open(path).unwrap();
            file.lock().unwrap();
            file
        })
        .collect();
    assert!(!held.is_empty());
    let began = Instant::now();
    let said = context(
        &machine,
        "prompt",
        "codex",
        &prompt("s", &repo, "is Quillback ready?"),
    );
    assert!(said.unwrap().contains("Quillback"));
    assert_eq!(
        hook(&machine, "stop", "codex", &call("s", &repo, json!({}))),
        None
    );
    assert!(began.elapsed() < Duration::from_secs(10));
}

fn locks(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(locks(&path));
        } else if path.to_string_lossy().ends_with("lock") {
            found.push(path);
        }
    }
    found
}

/// A disk with no room at all: in a mount of its own, as only Linux has it.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_fails_no_hook_and_doctor_says_so() {
    let (machine, repo) = furnished();
    let state = machine.folder(".local/state/ken");
    let input = machine.write("input.json", prompt("s", &repo, "is Quillback ready?"));
    let script = format!(
        "mount -t tmpfs -o size=16k tmpfs '{state}' && (cat /dev/zero > '{state}/filler' 2>/dev/null || true) && \
         '{ken}' hook prompt --agent codex < '{input}'; echo \"code $?\"; \
         '{ken}' hook stop --agent codex < '{input}'; echo \"code $?\"; '{ken}' doctor",
        state = state.display(),
        ken = program(),
        input = input.display(),
    );
    let output = machine
        .command(&repo)
        .args(["--version"])
        .get_envs()
        .fold(&mut Command::new("unshare"), |command, (name, value)| {
            command.env(name, value.unwrap_or_default())
        })
        .args(["--map-root-user", "--mount", "sh", "-c", &script])
        .current_dir(&repo)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(
        said.matches("code 0\n").count(),
        2,
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    // What could not be noted would come at every prompt.
    assert!(!said.contains("kenning-memory"), "{said}");
    let doctor = said.rsplit("code 0\n").next().unwrap();
    assert!(
        doctor.contains("cannot be written") || doctor.contains("no room"),
        "{said}"
    );
}

#[test]
fn a_hook_that_is_late_says_nothing_and_forgets_that_it_wanted_to() {
    let (machine, repo) = furnished();
    let mut late = machine.command(&repo);
    late.args(["hook", "prompt", "--agent", "codex"])
        .env("KEN_HOOK_DEADLINE", "20");
    // An agent that sends its input late: the time is up before there is anything to answer.
    let mut child = late
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut status = None;
    for _ in 0..600 {
        status = child.try_wait().unwrap();
        if status.is_some() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(status.expect("it does not wait for its input").success());
    drop(child.stdin.take());
    let mut out = String::new();
    std::io::Read::read_to_string(&mut child.stdout.take().unwrap(), &mut out).unwrap();
    assert_eq!(out, "");
    assert!(doctor(&machine, &repo).contains("nothing was found within 20 milliseconds"));
    // Nothing counts as told.
    let said = context(
        &machine,
        "prompt",
        "codex",
        &prompt("s", &repo, "is Quillback ready?"),
    );
    assert!(said.unwrap().contains("Quillback"));
}

fn feed(command: &mut Command, input: &[u8]) -> (Option<i32>, String) {
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let _ = std::io::Write::write_all(&mut child.stdin.take().unwrap(), input);
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn the_end_of_a_turn_brings_the_session_into_the_library_by_itself() {
    let (machine, repo) = furnished();
    let slug: String = repo
        .to_string_lossy()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let line = json!({
        "type": "user", "uuid": "u-1", "sessionId": "5f", "cwd": repo, "gitBranch": "main", "isSidechain": false,
        "timestamp": "2026-06-15T10:00:00.000Z", "message": {"role": "user", "content": "teach the exporter about herring"},
    });
    machine.write(&format!(".claude/projects/{slug}/5f.jsonl"), format!("{line}\n"));
    assert_eq!(
        hook(&machine, "stop", "claude-code", &call("5f", &repo, json!({}))),
        None
    );
    let manifest = machine.home().join("agent-library/agents/claude-code.l5.yaml");
    let mut text = String::new();
    for _ in 0..600 {
        text = std::fs::read_to_string(&manifest).unwrap_or_default();
        if text.contains("herring") {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(text.contains("teach the exporter about herring"), "{text}");
    // The other agent is told of it at its next start.
    let said = context(&machine, "session-start", "codex", &start("c", &repo, "startup")).unwrap();
    assert!(said.contains("teach the exporter about herring"), "{said}");
}

#[test]
fn turns_that_end_together_are_all_exported() {
    let (machine, repo) = furnished();
    let slug: String = repo
        .to_string_lossy()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let (machine, repo, slug) = (&machine, &repo, &slug);
            scope.spawn(move || {
                let line = json!({
                    "type": "user", "uuid": "u-1", "sessionId": format!("s{number}"), "cwd": repo, "gitBranch": "main",
                    "timestamp": format!("2026-06-15T10:0{number}:00.000Z"),
                    "message": {"role": "user", "content": format!("catch herring number {number}")},
                });
                machine.write(&format!(".claude/projects/{slug}/s{number}.jsonl"), format!("{line}\n"));
                let ended = call(&format!("s{number}"), repo, json!({}));
                assert_eq!(hook(machine, "stop", "claude-code", &ended), None);
            });
        }
    });
    let manifest = machine.home().join("agent-library/agents/claude-code.l5.yaml");
    let all = |text: &str| (0..8).all(|number| text.contains(&format!("herring number {number}")));
    let mut text = String::new();
    for _ in 0..600 {
        text = std::fs::read_to_string(&manifest).unwrap_or_default();
        if all(&text) {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(all(&text), "{text}");
}

/// Everything below a folder, as one text.
fn everything(folder: &Path) -> String {
    let mut text = String::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            text += &everything(&path);
        } else {
            text += &String::from_utf8_lossy(&std::fs::read(&path).unwrap());
        }
    }
    text
}

#[test]
fn what_a_late_hook_had_no_time_for_is_done_behind_it() {
    let (machine, repo) = furnished();
    let caches = machine.home().join("agent-library/.ken");
    if caches.exists() {
        std::fs::remove_dir_all(&caches).unwrap();
    }
    let mut late = machine.command(&repo);
    late.args(["hook", "prompt", "--agent", "codex"])
        .env("KEN_HOOK_DEADLINE", "1");
    // An input that does not end.
    let mut child = late.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let input = child.stdin.take();
    let out = child.wait_with_output().unwrap();
    assert!(out.status.success() && out.stdout.is_empty());
    drop(input);
    let index = caches.join("cache/names.v2.base");
    for _ in 0..600 {
        if index.exists() {
            return;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    panic!("nobody indexed the library");
}

#[test]
fn a_brief_that_stands_in_a_session_does_not_come_back_as_memory() {
    let (machine, repo) = furnished();
    // Words that stand in the memory and nowhere else, so that they can only have come back out of a brief.
    let fact = "protocol 7";
    let summary = "turns invoices into postings";
    let brief = context(&machine, "session-start", "codex", &start("b", &repo, "startup")).unwrap()
        + &context(
            &machine,
            "prompt",
            "codex",
            &prompt("b", &repo, "is Quillback ready?"),
        )
        .unwrap();
    assert!(brief.contains(fact) && brief.contains(summary), "{brief}");
    let before = everything(&machine.home().join("agent-library"));
    assert_eq!(before.matches(summary).count(), 1);

    let said = |content: Value| {
        json!({"type": "user", "uuid": "u", "sessionId": "5f", "cwd": repo, "gitBranch": "main",
            "timestamp": "2026-06-15T10:00:00.000Z", "message": {"role": "user", "content": content}})
    };
    let claude = [
        said(json!("is Quillback ready?")),
        // As a part of the turn, as a reminder around it, and as a record of the hook.
        said(json!([{"type": "text", "text": brief}, {"type": "text", "text": "and the tide tables?"}])),
        said(json!(format!(
            "<system-reminder>\nUserPromptSubmit hook additional context: {brief}\n</system-reminder>\nwhat else?"
        ))),
        json!({"type": "attachment", "uuid": "a", "sessionId": "5f", "cwd": repo, "timestamp": "2026-06-15T10:01:00.000Z",
            "attachment": {"type": "hook_additional_context", "content": [brief], "hookName": "UserPromptSubmit"}}),
    ];
    let slug: String = repo
        .to_string_lossy()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let lines = |records: &[Value]| {
        records
            .iter()
            .map(|record| format!("{record}\n"))
            .collect::<String>()
    };
    machine.write(&format!(".claude/projects/{slug}/5f.jsonl"), lines(&claude));
    let item = |role: &str, text: &str| {
        json!({"timestamp": "2026-06-15T10:02:00.000Z", "type": "response_item", "payload": {"type": "message", "role": role,
            "content": [{"type": "input_text", "text": text}]}})
    };
    let codex = [
        json!({"timestamp": "2026-06-15T10:00:00.000Z", "type": "session_meta", "payload": {"id": "b", "cwd": repo,
            "timestamp": "2026-06-15T10:00:00.000Z", "originator": "codex_cli_rs", "cli_version": "0.171.0"}}),
        item("developer", &brief),
        item("user", &brief),
        json!({"timestamp": "2026-06-15T10:02:00.000Z", "type": "event_msg", "payload": {"type": "user_message",
            "message": format!("{brief}\ncount the herring")}}),
        item("assistant", &format!("I was told: {brief}")),
    ];
    machine.write(
        ".codex/sessions/2026/06/15/rollout-2026-06-15T10-00-00-b.jsonl",
        lines(&codex),
    );
    // What an agent wrote down of it by itself.
    machine.write(
        &format!(".claude/projects/{slug}/memory/MEMORY.md"),
        format!("# Notes\n\n{brief}\n\n- the tide tables are in fathoms\n"),
    );

    machine.ken(&repo, ["sync"]).done();
    let after = everything(&machine.home().join("agent-library"));
    assert!(
        after.contains("count the herring") && after.contains("tide tables"),
        "{after}"
    );
    assert!(!after.contains(fact), "{after}");
    assert_eq!(after.matches(summary).count(), 1, "{after}");
    assert!(!after.contains("kenning-memory"), "{after}");
}

#[test]
fn what_was_in_flight_is_told_after_the_compaction() {
    let (machine, repo) = furnished();
    let at = |second: u8| format!("2026-06-15T10:00:{second:02}.000Z");
    let claude = |kind: &str, second, message: Value| {
        json!({"type": kind, "uuid": "u", "sessionId": "claude-code", "cwd": repo, "gitBranch": "main",
            "timestamp": at(second), "message": message})
    };
    let edit = |file: &str| {
        json!({"role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "Edit",
            "input": {"file_path": repo.join(file), "old_string": "a", "new_string": "b"}}]})
    };
    let transcripts = [
        (
            "claude-code",
            vec![
                claude("user", 1, json!({"role": "user", "content": "count the herring"})),
                claude("assistant", 2, edit("src/herring.rs")),
                claude(
                    "user",
                    3,
                    json!({"role": "user", "content": "now weigh them in tons"}),
                ),
                claude("assistant", 4, edit("src/scales.rs")),
            ],
        ),
        (
            "codex",
            vec![
                json!({"timestamp": at(1), "type": "session_meta", "payload": {"id": "codex", "cwd": repo}}),
                json!({"timestamp": at(2), "type": "event_msg", "payload": {"type": "user_message", "message": "now weigh them in tons"}}),
                json!({"timestamp": at(3), "type": "response_item", "payload": {"type": "custom_tool_call", "name": "apply_patch",
                    "call_id": "c", "input": "*** Begin Patch\n*** Update File: src/scales.rs\n@@\n-a\n+b\n*** End Patch\n"}}),
            ],
        ),
    ];
    for (agent, records) in transcripts {
        let text: String = records.iter().map(|record| format!("{record}\n")).collect();
        let transcript = machine.write(&format!("transcripts/{agent}.jsonl"), text);
        let told = json!({"hook_event_name": "PreCompact", "trigger": "auto", "transcript_path": transcript});
        assert_eq!(
            hook(&machine, "pre-compact", agent, &call(agent, &repo, told)),
            None
        );
        let mut said = String::new();
        for _ in 0..600 {
            said = context(&machine, "session-start", agent, &start(agent, &repo, "compact")).unwrap();
            if said.contains("weigh them") {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        assert!(
            said.contains("now weigh them in tons") && said.contains("src/scales.rs"),
            "{said}"
        );
        // Not in a session that was not compacted.
        let other = context(
            &machine,
            "session-start",
            agent,
            &start(&format!("other-{agent}"), &repo, "startup"),
        )
        .unwrap();
        assert!(!other.contains("weigh them"), "{other}");
    }
}

#[test]
fn of_two_hooks_for_one_prompt_one_speaks() {
    let (machine, repo) = furnished();
    for round in 0..10 {
        let session = format!("s{round}");
        let spoke: usize = std::thread::scope(|scope| {
            let ask = || {
                let input = prompt(&session, &repo, "is Quillback ready?");
                usize::from(hook(&machine, "prompt", "codex", &input).is_some())
            };
            let both = [scope.spawn(ask), scope.spawn(ask)];
            both.into_iter().map(|one| one.join().unwrap()).sum()
        });
        assert_eq!(spoke, 1, "round {round}");
    }
}

#[test]
fn flags_before_the_word_make_it_no_less_a_hook() {
    let (machine, repo) = furnished();
    for arguments in [
        &["-q", "hook", "prompt", "--bogus"][..],
        &["--library", "/nowhere", "hook", "prompt", "--bogus"],
        &["--library=", "hook", "prompt"],
    ] {
        let run = machine.ken_with_input(&repo, arguments, b"{}");
        assert_eq!((run.code, run.stdout.as_str()), (Some(0), ""), "{arguments:?}");
    }
    // Another command that has the word among its values.
    assert_eq!(machine.ken(&repo, ["learn", "hook", "--bogus"]).code, Some(2));
}
