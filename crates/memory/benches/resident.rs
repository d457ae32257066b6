//! How much memory a process takes that has 100,000 events open and has answered a question: `VmRSS` of a child that
//! does nothing else, where the system tells it.
//!
//! `cargo bench -p ken-memory --bench resident`.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use jiff::tz::TimeZone;
use ken_dotagent::Folder;
use ken_files::{Clock, Paths};
use ken_memory::{Kind, Memory, Project, RecallRequest, Setting};

const ROOT: &str = "KEN_BENCH_ROOT";
const EVENTS: u64 = 100_000;

fn main() {
    if let Some(root) = std::env::var_os(ROOT) {
        return child(Path::new(&root));
    }
    let place = tempfile::tempdir().unwrap();
    let repo = place.path().join("home/orchard");
    std::fs::create_dir_all(&repo).unwrap();
    let (folder, _) = Folder::init(&repo).unwrap();
    let mut log = String::new();
    for n in 0..EVENTS {
        let word = |by: u64| n.wrapping_mul(by) >> 7;
        let words: Vec<String> = (1..25_u64)
            .map(|place| {
                format!(
                    "word{}",
                    word(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(place)) % (40 << (place / 2))
                )
            })
            .collect();
        writeln!(
            log,
            "{{\"schema_version\":\"1.0\",\"id\":\"evt_01JR0407120{n:015}\",\"timestamp\":\"2026-11-{:02}T{:02}:00:00Z\",\"content\":\"{} number {n}\",\"pain\":5.0,\"importance\":{}.0,\"recurrence\":0,\"skill_action\":\"rust::cache\",\"source_harness\":\"codex\",\"pinned\":false}}",
            1 + n % 28,
            n % 24,
            words.join(" "),
            n % 11,
        )
        .unwrap();
    }
    std::fs::write(folder.log_path(), log).unwrap();
    for state in ["that makes the caches", "that finds them"] {
        let me = std::env::current_exe().unwrap();
        let said = Command::new(me).env(ROOT, place.path()).output().unwrap();
        println!(
            "a process {state}: {}",
            String::from_utf8_lossy(&said.stdout).trim()
        );
    }
}

fn child(root: &Path) {
    let paths = Paths::under(root.join("home"));
    let project = Project::find(&paths.home.join("orchard"), &paths);
    let clock = Clock::pinned("2026-11-30T12:00:00Z".parse().unwrap(), TimeZone::UTC);
    let memory = Memory::open(Setting::person(paths, clock, project)).unwrap();
    let request = RecallRequest {
        kinds: vec![Kind::Event],
        ..RecallRequest::new("word3 word77 number 4711")
    };
    assert_eq!(memory.recall(&request).hits.len(), request.k);
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let resident = status.lines().find(|line| line.starts_with("VmRSS"));
    println!("{}", resident.unwrap_or("not told on this system"));
}
