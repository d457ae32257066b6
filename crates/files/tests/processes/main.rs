//! Several processes on the same files: each test starts its own program anew, in another part.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr
)]

mod crowd;
mod disk;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use ken_files::LockedLog;

const PART: &str = "KEN_FILES_TEST_PART";
const FOLDER: &str = "KEN_FILES_TEST_FOLDER";
const PATIENCE: Duration = Duration::from_secs(60);

/// What this process is to do: nothing but start others, unless it was started by [`start`].
fn part() -> Option<(String, PathBuf)> {
    let part = std::env::var(PART).ok()?;
    Some((part, PathBuf::from(std::env::var_os(FOLDER)?)))
}

/// This program again, running only `test` (with its module), in another part. `wrapper` is a program and its arguments before it.
fn start(test: &str, part: &str, folder: &Path, wrapper: &[&str]) -> Child {
    let own = std::env::current_exe().unwrap();
    let mut command = match wrapper.split_first() {
        Some((program, arguments)) => {
            let mut command = Command::new(program);
            command.args(arguments).arg(own);
            command
        }
        None => Command::new(own),
    };
    command
        .args([test, "--exact", "--nocapture"])
        .env(PART, part)
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Tells the one who started this process that a line is on the disk. The harness may have left a line unfinished.
fn acknowledge(line: &str) {
    println!("\nacknowledged {line}");
}

fn acknowledged(child: &mut Child) -> Vec<String> {
    let output = BufReader::new(child.stdout.take().unwrap());
    output
        .lines()
        .map_while(Result::ok)
        .filter_map(|line| line.strip_prefix("acknowledged ").map(str::to_owned))
        .collect()
}

fn open(folder: &Path) -> LockedLog {
    LockedLog::open(&folder.join("log"), &folder.join("lock"), "test", PATIENCE).unwrap()
}
