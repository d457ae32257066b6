//! What a repository or a disk can hold that nobody would think of.

use std::fs;
use std::os::unix::fs::symlink;
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use ken_agents::wiring::{State, agent, inspect, plan_unsetup};

use super::{BOTH, Desk, rows};

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
