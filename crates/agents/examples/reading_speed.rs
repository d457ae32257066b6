//! How fast, and in how much memory, a Claude Code home is read.
//!
//! `cargo run --release -p ken-agents --example reading_speed [MEGABYTES] [one|harm]`
//!
//! Makes a home of that size (100 by default) in a temporary folder, in the proportions of a real one: two thirds
//! tool results, then pictures, the agent's words and thoughts, a few prompts. `one` makes a single transcript of it,
//! `harm` one of lines that cost a reader most memory: as long as a line may be, every character escaped. Prints megabytes a second, how much
//! faster it is when nothing has changed, and the largest resident size of the process.
#![allow(
    clippy::print_stdout,
    clippy::panic,
    reason = "a measurement is printed, and stops when it cannot be made"
)]

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use ken_agents::{ClaudeCode, Discovery, Export, NoProgress, Participant, Store};
use ken_files::{Clock, Paths};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let megabytes: u64 = arguments
        .next()
        .map_or(100, |size| size.parse().expect("a number of megabytes"));
    let mode = arguments.next().unwrap_or_default();
    let home = tempfile::tempdir().expect("a temporary folder");
    let bytes = megabytes * 1_000_000;
    let written = match mode.as_str() {
        "harm" => harm(home.path(), bytes),
        mode => furnish(home.path(), bytes, mode == "one"),
    };

    // What making the home took is not the reader's: the peak starts again here.
    let counted = fs::write("/proc/self/clear_refs", "5").is_ok();

    let paths = Paths::under(home.path());
    let clock = Clock::pinned(Timestamp::UNIX_EPOCH, TimeZone::UTC);
    let Discovery::Store(store) = ClaudeCode.discover(&paths) else {
        panic!("the store was just made");
    };
    let mut best = f64::MAX;
    for _ in 0..3 {
        let start = Instant::now();
        let mut progress = NoProgress;
        let mut export = Export {
            paths: &paths,
            clock: &clock,
            keep_private: true,
            digests: None,
            seen: None,
            progress: &mut progress,
        };
        let projection = ClaudeCode
            .export(&store, &mut export)
            .expect("the store can be read");
        assert_eq!(projection.bytes_read, written);
        best = best.min(start.elapsed().as_secs_f64());
        println!(
            "{} sessions, {} rows, {:?}",
            projection.sessions_read,
            projection.manifest.sessions.len(),
            projection.skipped
        );
    }
    println!(
        "{:.0} MB/s on one core ({written} bytes in {best:.3} s)",
        written as f64 / best / 1e6
    );
    again(&paths, &clock, &store, best);
    if let (true, Ok(status)) = (counted, fs::read_to_string("/proc/self/status")) {
        let peak = status
            .lines()
            .find(|line| line.starts_with("VmHWM"))
            .unwrap_or("VmHWM unknown");
        println!("{peak}");
    }
}

/// Reads the store once more with digests of all that it holds, as the sync after a turn does.
fn again(paths: &Paths, clock: &Clock, store: &Store, cold: f64) {
    // What was written a moment ago is not taken for settled.
    std::thread::sleep(Duration::from_secs(2));
    let mut taken = 0.0;
    for _ in 0..2 {
        let start = Instant::now();
        let mut export = Export {
            paths,
            clock,
            keep_private: true,
            digests: Some(paths.state.join("harvest/claude-code/digests")),
            seen: None,
            progress: &mut NoProgress,
        };
        let projection = ClaudeCode
            .export(store, &mut export)
            .expect("the store can be read");
        taken = start.elapsed().as_secs_f64();
        println!("{} transcripts unchanged, {taken:.3} s", projection.unchanged);
    }
    println!("{:.0} times faster than reading everything", cold / taken);
}

/// Writes one transcript of the costliest lines; answers how many bytes it has.
fn harm(home: &Path, bytes: u64) -> u64 {
    let folder = home.join(".claude/projects/-srv-harm");
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("harm.jsonl");
    let mut file = BufWriter::new(File::create(&path).expect("a file"));
    let mut written = 0;
    for turn in 0.. {
        let (head, tail) = (
            "{\"type\":\"user\",\"cwd\":\"/srv/harm\",\"message\":{\"content\":",
            "}}\n",
        );
        let body = match turn % 4 {
            0 => format!("\"make it say {}\"", "\\n".repeat(8_000_000)),
            1 => format!("[{}{{}}]", "{},".repeat(5_000_000)),
            2 => format!(
                "[{}{{\"type\":\"text\",\"text\":\"{}\"}}]",
                "[".repeat(100) + &"]".repeat(100) + ",",
                "\\u00e9".repeat(2_500_000)
            ),
            _ => format!("\"{}\"", "x".repeat(40_000_000)),
        };
        let line = format!("{head}{body}{tail}");
        file.write_all(line.as_bytes()).expect("room on the disk");
        written += line.len() as u64;
        if written >= bytes {
            break;
        }
    }
    file.flush().expect("room on the disk");
    written
}

/// Writes transcripts until there are so many bytes; answers how many there are.
fn furnish(home: &Path, bytes: u64, one: bool) -> u64 {
    let mut random = 0x2545_f491_4f6c_dd1d_u64;
    let mut next = move |below: usize| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random % below as u64) as usize
    };
    let words: Vec<&str> = "let mut parser = Parser::new(source); // the token after the newline\\n    if token.kind == Kind::End { return Ok(()) }\\n <div class=\\\"row\\\"> ünïcode \\u00e9 \\t error[E0308]: expected u64"
        .split(' ')
        .collect();
    let mut prose = |length: usize| {
        let mut text = String::new();
        while text.len() < length {
            text.push_str(words[next(words.len())]);
            text.push(' ');
        }
        text
    };
    let picture = "iVBORw0KGgoAAAANSUhEUgAA".repeat(20_000);
    let mut written = 0;
    let mut session = 0;
    while written < bytes {
        let project = session % 5;
        let folder = home.join(format!(".claude/projects/-srv-project-{project}"));
        fs::create_dir_all(&folder).expect("a folder");
        let id = format!("{session:08x}-0000-4000-8000-000000000000");
        let mut file = BufWriter::new(File::create(folder.join(format!("{id}.jsonl"))).expect("a file"));
        let target = if one { bytes } else { 1_500_000 };
        let mut own = 0;
        let mut turn = 0;
        while own < target {
            let at = format!(
                "2026-{:02}-{:02}T{:02}:{:02}:00.000Z",
                1 + session % 12,
                1 + turn % 28,
                turn % 24,
                turn % 60
            );
            let head = format!(
                "{{\"parentUuid\":\"u-{turn}\",\"isSidechain\":false,\"userType\":\"external\",\"cwd\":\"/srv/project-{project}\",\"sessionId\":\"{id}\",\"version\":\"2.1.205\",\"gitBranch\":\"fix-{}\"",
                session % 9
            );
            let tail = format!("\"uuid\":\"v-{turn}\",\"timestamp\":\"{at}\"}}");
            let mut lines = Vec::new();
            if turn % 12 == 0 {
                lines.push(format!("{head},\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":\"make project {project} do thing {turn}: {}\"}},{tail}", prose(200)));
            }
            lines.push(format!(
                "{head},\"type\":\"assistant\",\"message\":{{\"id\":\"m\",\"role\":\"assistant\",\"content\":[{{\"type\":\"thinking\",\"thinking\":\"{}\",\"signature\":\"{}\"}},{{\"type\":\"text\",\"text\":\"{}\"}},{{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"{}\",\"input\":{{\"file_path\":\"/srv/project-{project}/src/file{}.rs\",\"command\":\"cargo test -p parser\",\"old_string\":\"{}\"}}}}],\"usage\":{{\"input_tokens\":10,\"output_tokens\":5}}}},{tail}",
                prose(900), "A".repeat(600), prose(400), if turn % 2 == 0 { "Edit" } else { "Bash" }, turn % 40, prose(600)
            ));
            let result = prose(6_000);
            lines.push(format!(
                "{head},\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":[{{\"type\":\"tool_result\",\"tool_use_id\":\"t\",\"content\":\"{result}\"}}]}},\"toolUseResult\":{{\"stdout\":\"{result}\"}},{tail}"
            ));
            if turn % 200 == 150 {
                lines.push(format!("{head},\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":[{{\"type\":\"image\",\"source\":{{\"type\":\"base64\",\"data\":\"{picture}\"}}}},{{\"type\":\"text\",\"text\":\"what is wrong in this picture?\"}}]}},{tail}"));
            }
            for line in lines {
                file.write_all(line.as_bytes())
                    .and_then(|()| file.write_all(b"\n"))
                    .expect("room on the disk");
                own += line.len() as u64 + 1;
            }
            turn += 1;
        }
        file.flush().expect("room on the disk");
        written += own;
        session += 1;
    }
    written
}
