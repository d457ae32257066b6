//! The search over a log that many processes write to and index at once, and the size of what they keep.

use std::io::{BufRead, BufReader};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ken_dotagent::{EventId, EventIndex, Folder};
use ken_text::search::{Query, Searchable};

use super::processes::{COUNT, ROOT, start_as};
use super::{Project, line};

type Answers = (Vec<(EventId, u64)>, Vec<(usize, u64)>);

/// What an index says, to be held against a plain reading: ids, lines, and scores to the last bit.
fn answers(index: &EventIndex) -> Answers {
    let query = Query::parse("long words 7 of shared");
    let scored = index.score(&query, &index.statistics(&query));
    (
        (0..index.len())
            .map(|document| (index.id(document), index.line(document)))
            .collect(),
        scored.iter().map(|s| (s.document, s.bm25.to_bits())).collect(),
    )
}

fn agrees(folder: &Folder) {
    let plainly = EventIndex::of(folder.read().unwrap());
    assert_eq!(answers(&folder.index().unwrap()), answers(&plainly));
}

/// Segments on the disk.
fn segments(project: &Project) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(project.folder.path().join(".dreamd/ken/index"));
    let paths = entries.into_iter().flatten().map(|entry| entry.unwrap().path());
    paths
        .filter(|path| path.extension().is_some_and(|e| e == "segment"))
        .collect()
}

#[test]
fn each_answer_has_every_write_that_was_acknowledged_before() {
    let project = Project::new();
    let acknowledged = Mutex::new(Vec::<EventId>::new());
    let running = AtomicUsize::new(2);
    let asked = AtomicUsize::new(0);
    let asking = |kept: bool| {
        let folder = Folder::open(project.root()).unwrap().unwrap();
        let mut index = EventIndex::default();
        loop {
            let over = running.load(Ordering::SeqCst) == 0;
            let before = acknowledged.lock().unwrap().clone();
            if kept {
                index.refresh(&folder).unwrap();
            } else {
                index = folder.index().unwrap();
            }
            for id in &before {
                let document = index
                    .with_id(*id)
                    .unwrap_or_else(|| panic!("{id} was acknowledged"));
                assert_eq!(index.id(document), *id);
            }
            if let Some(id) = before.last() {
                let found = index.event(index.with_id(*id).unwrap()).unwrap();
                assert_eq!(found.event.id, *id);
            }
            asked.fetch_add(1, Ordering::Relaxed);
            if over {
                return answers(&index);
            }
        }
    };
    let (one, other) = std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut child = start_as("door::processes::child", &project, 350);
                for line in BufReader::new(child.stdout.take().unwrap()).lines() {
                    let line = line.unwrap();
                    // The test's harness may have left the line half written before the first one.
                    let Some((_, told)) = line.split_once("ack ") else {
                        continue;
                    };
                    let id = told.split(' ').next().unwrap();
                    acknowledged.lock().unwrap().push(EventId::parse(id).unwrap());
                }
                assert!(child.wait().unwrap().success());
                running.fetch_sub(1, Ordering::SeqCst);
            });
        }
        let one = scope.spawn(|| asking(true));
        let other = scope.spawn(|| asking(false));
        (one.join().unwrap(), other.join().unwrap())
    });
    let plainly = answers(&EventIndex::of(project.folder.read().unwrap()));
    assert_eq!(one, plainly);
    assert_eq!(other, plainly);
    assert!(asked.into_inner() > 10);
    assert!(!segments(&project).is_empty(), "enough was written for a segment");
}

/// What a child does that makes the caches again and again; run as a test of its own it has nothing to do.
#[test]
fn builder() {
    let (Some(root), Ok(count)) = (std::env::var_os(ROOT), std::env::var(COUNT)) else {
        return;
    };
    let folder = Folder::open(root.as_ref()).unwrap().unwrap();
    for _ in 0..count.parse::<u32>().unwrap() {
        if let Ok(entries) = std::fs::read_dir(folder.path().join(".dreamd/ken/index")) {
            for entry in entries.flatten() {
                let _ = std::fs::remove_file(entry.path());
            }
        }
        drop(folder.index().unwrap());
    }
}

#[test]
fn builders_that_are_killed_leave_nothing_that_is_believed_wrongly() {
    let lines: Vec<String> = (0..1500)
        .map(|n| {
            line(
                n,
                "2026-05-13T12:00:00Z",
                &format!("long words {n} of {}", n % 13),
            )
        })
        .collect();
    let project = Project::with_log(lines.join("\n") + "\n");
    for round in 0..5_u64 {
        let mut builders: Vec<_> = (0..2)
            .map(|_| start_as("door::index_processes::builder", &project, 1000))
            .collect();
        std::thread::sleep(Duration::from_millis(30 + 17 * round));
        agrees(&project.folder);
        for builder in &mut builders {
            builder.kill().unwrap();
            builder.wait().unwrap();
        }
        agrees(&project.folder);
    }
    std::fs::OpenOptions::new()
        .append(true)
        .open(project.folder.log_path())
        .and_then(|mut log| {
            std::io::Write::write_all(
                &mut log,
                (lines.join("\n").replace("KRGZ", "KRHA") + "\n").as_bytes(),
            )
        })
        .unwrap();
    agrees(&project.folder);
    let names: Vec<String> = std::fs::read_dir(project.folder.path().join(".dreamd/ken/index"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(names.iter().all(|name| !name.ends_with(".tmp")), "{names:?}");
    assert!(segments(&project).len() < 4, "{names:?}");
}

#[test]
fn caches_take_at_most_half_of_what_they_index() {
    const WORDS: [&str; 24] = [
        "the",
        "deploy",
        "of",
        "parser",
        "failed",
        "because",
        "connection",
        "pool",
        "was",
        "exhausted",
        "after",
        "migration",
        "retry",
        "timeout",
        "fixed",
        "by",
        "raising",
        "limit",
        "in",
        "config",
        "tests",
        "pass",
        "now",
        "cache",
    ];
    let mut seed = 0x2545_f491_4f6c_dd1d_u64;
    let mut draw = |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % below
    };
    let mut log = String::new();
    for n in 0..2500 {
        // Sentences of common words, with names and numbers that few events share, and random ids as ULIDs have them.
        let content: Vec<String> = (0..14 + draw(12))
            .map(|_| match draw(6) {
                0 => format!("{}_{}", WORDS[draw(24) as usize], draw(400)),
                1 => format!("module{}.rs", draw(900)),
                _ => WORDS[draw(24) as usize].to_owned(),
            })
            .collect();
        let at = format!(
            "2026-05-{:02}T{:02}:{:02}:{:02}.{:03}Z",
            1 + draw(28),
            draw(24),
            draw(60),
            draw(60),
            draw(1000)
        );
        let event = line(n, &at, &content.join(" "))
            .replace("01KRGZ", &format!("01KRG{:X}", draw(16)))
            .replace(
                "\"general\"",
                &format!("\"area_{}::topic_{}\"", draw(9), draw(40)),
            )
            .replace("\"pain\":5.0", &format!("\"pain\":{}.0", draw(11)));
        log.push_str(&event);
        log.push('\n');
    }
    let project = Project::with_log(&log);
    agrees(&project.folder);
    let kept: u64 = segments(&project)
        .iter()
        .map(|path| path.metadata().unwrap().len())
        .sum();
    assert!(
        kept > 0 && kept * 2 <= log.len() as u64,
        "{kept} bytes for {}",
        log.len()
    );
}
