//! The made-up machine is read by the same code as a real one.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use ken_agents::{NoProgress, SyncOptions, SyncOutcome, demo, sync};
use ken_dotagent::Folder;
use ken_edicts::{Severity, Store};
use ken_files::Clock;
use ken_library::{Library, validate_file};

use crate::home::Home;

fn clock() -> Clock {
    Clock::pinned("2026-11-30T12:00:00Z".parse().unwrap(), jiff::tz::TimeZone::UTC)
}

#[test]
fn the_demo_is_a_month_of_three_agents() {
    let home = Home::empty();
    let demo = demo::furnish(home.path(), &clock()).unwrap();
    assert_eq!((demo.sessions, demo.observations, demo.edicts), (31, 62, 8));

    let library = Library::open(&demo.paths.library);
    let lines = sync(
        &demo.paths,
        &clock(),
        &library,
        &[],
        SyncOptions::default(),
        &mut NoProgress,
    );
    assert_eq!(lines[0].outcome, SyncOutcome::Created, "{lines:?}");
    assert_eq!((lines[0].sessions_read, lines[0].written.sessions), (31, 30));
    assert_eq!(lines[0].credentials_found, 1);
    assert_eq!(lines[1].outcome, SyncOutcome::Created, "{lines:?}");
    assert_eq!((lines[1].sessions_read, lines[1].written.sessions), (13, 13));
    assert_eq!(lines[1].skipped, []);
    for path in library.manifest_files().unwrap() {
        let report = validate_file(&path).unwrap();
        assert!(report.is_valid() && report.findings.is_empty(), "{report:?}");
    }
    let manifest = fs::read_to_string(library.manifest_path(&lines[0].agent)).unwrap();
    for wanted in [
        "name: brinepay",
        "name: settlements-split",
        "name: statement-parser",
        "parser: read statements as a stream",
    ] {
        assert!(manifest.contains(wanted), "{wanted} is missing in\n{manifest}");
    }
    // Where the work of both touches, each tells what it knows.
    let other = fs::read_to_string(library.manifest_path(&lines[1].agent)).unwrap();
    for wanted in [
        "name: settlements-split",
        "the yearly tax export is the last reader of orders.settled_cents",
        "gangplank/canary.py",
        "matcher: read O as 0 in references",
    ] {
        assert!(other.contains(wanted), "{wanted} is missing in\n{other}");
    }
    for private in ["allotment", "Robin", "beans"] {
        assert!(!manifest.contains(private), "{private} stands in\n{manifest}");
    }

    let log = Folder::open(&demo.project).unwrap().unwrap().read().unwrap();
    assert_eq!((log.events.len(), log.skipped.len()), (62, 0));
    let times: Vec<_> = log.events.iter().map(|logged| logged.event.timestamp).collect();
    assert!(times.is_sorted() && times.iter().all(|at| *at < clock().now()));
    let harnesses: BTreeSet<_> = log
        .events
        .iter()
        .filter_map(|logged| logged.event.source_harness.clone())
        .collect();
    assert_eq!(harnesses.len(), 3);
    assert!(log.events.iter().any(|logged| logged.event.recurrence >= 2));

    let edicts = Store::new(demo.project.join("edicts.yaml"), None)
        .load(&clock())
        .unwrap();
    assert_eq!(edicts.in_force(clock().now()).count(), 8);
    assert!(
        edicts
            .findings
            .iter()
            .all(|finding| finding.severity != Severity::Error),
        "{:?}",
        edicts.findings
    );
}

#[test]
fn the_same_clock_makes_the_same_machine() {
    let (one, two) = (Home::empty(), Home::empty());
    for home in [&one, &two] {
        let demo = demo::furnish(home.path(), &clock()).unwrap();
        sync(
            &demo.paths,
            &clock(),
            &Library::open(&demo.paths.library),
            &[],
            SyncOptions::default(),
            &mut NoProgress,
        );
    }
    assert_eq!(files(one.path()), files(two.path()));
}

/// Every file but those whose content is a matter of chance or state, with the home's path taken out.
fn files(home: &Path) -> Vec<(String, String)> {
    let spelled = home.to_string_lossy().into_owned();
    let slug = spelled.replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    let mut all = Vec::new();
    let mut open = vec![home.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.to_string_lossy().replace(&spelled, "~").replace(&slug, "~");
            if path.is_dir() {
                if ![".dreamd", ".ken", ".local"]
                    .iter()
                    .any(|state| name.ends_with(state))
                {
                    open.push(path);
                }
            } else if !name.ends_with("AGENT_LEARNINGS.jsonl") && !name.contains("/agents.lock") {
                let text = String::from_utf8_lossy(&unpacked(&path)).into_owned();
                all.push((name, text.replace(&spelled, "~").replace(&slug, "~")));
            }
        }
    }
    all.sort();
    all
}

/// A file's bytes; of a compressed one, what it holds.
fn unpacked(path: &Path) -> Vec<u8> {
    let bytes = fs::read(path).unwrap();
    if path.extension().is_none_or(|ending| ending != "zst") {
        return bytes;
    }
    let mut text = Vec::new();
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(bytes.as_slice()).unwrap();
    std::io::Read::read_to_end(&mut decoder, &mut text).unwrap();
    text
}
