//! The log under many processes at once. A child is this very program, told by its environment what to do.

use std::collections::HashSet;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use jiff::tz::TimeZone;
use ken_dotagent::{Error, Folder};
use ken_files::{Clock, FileError};

use super::{Project, keyed, line, said};

pub(super) const ROOT: &str = "DOTAGENT_TEST_ROOT";
pub(super) const COUNT: &str = "DOTAGENT_TEST_COUNT";

/// What a child does; run as a test of its own it has nothing to do.
#[test]
fn child() {
    let (Some(root), Ok(count)) = (std::env::var_os(ROOT), std::env::var(COUNT)) else {
        return;
    };
    let folder = Folder::open(root.as_ref()).unwrap().unwrap();
    let clock = Clock::system(TimeZone::UTC);
    for n in 0..count.parse::<u32>().unwrap() {
        let observation = match n % 5 {
            0 => keyed("the same for all", &format!("shared {n}")),
            1 => said(&"long words ".repeat(500)),
            _ => said(&format!("{n} of {}", std::process::id())),
        };
        let began = clock.now();
        let learned = loop {
            match folder.learn(observation.clone(), &clock) {
                Ok(learned) => break learned,
                // On a busy disk the file may be replaced during every attempt: that is said, and nothing acknowledged.
                Err(Error::File(FileError::Unsettled { .. })) => {}
                Err(other) => panic!("{other}"),
            }
        };
        let told = clock.now();
        println!("ack {} {} {began} {told}", learned.event.id, learned.deduplicated);
    }
}

fn start(project: &Project, count: u32) -> Child {
    start_as("door::processes::child", project, count)
}

pub(super) fn start_as(child: &str, project: &Project, count: u32) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args([child, "--exact", "--nocapture", "--test-threads=1"])
        .env(ROOT, project.root())
        .env(COUNT, count.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// What a child was told.
struct Told {
    id: String,
    deduplicated: bool,
    /// When it asked, and when it was told that the event is on the disk.
    during: (Timestamp, Timestamp),
}

fn told(child: &mut Child) -> Vec<Told> {
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let told = lines.map_while(Result::ok).filter_map(|line| {
        // The test's harness may have left the line half written before the first one.
        let (_, told) = line.split_once("ack ")?;
        let mut words = told.split(' ');
        Some(Told {
            id: words.next()?.to_owned(),
            deduplicated: words.next()?.parse().ok()?,
            during: (words.next()?.parse().ok()?, words.next()?.parse().ok()?),
        })
    });
    told.collect()
}

fn told_by_all(mut children: Vec<Child>) -> Vec<Told> {
    // Every pipe is emptied while all of them run.
    let all: Vec<Told> = std::thread::scope(|scope| {
        let readers: Vec<_> = children
            .iter_mut()
            .map(|child| scope.spawn(|| told(child)))
            .collect();
        readers
            .into_iter()
            .flat_map(|reader| reader.join().unwrap())
            .collect()
    });
    for child in &mut children {
        child.wait().unwrap();
    }
    all
}

fn ids(project: &Project) -> Vec<String> {
    let log = project.folder.read().unwrap();
    log.events
        .iter()
        .map(|logged| logged.event.id.to_string())
        .collect()
}

#[test]
fn eight_processes_at_once() {
    let project = Project::new();
    let children = (0..8).map(|_| start(&project, 50)).collect();
    let told = told_by_all(children);
    assert_eq!(told.len(), 400);

    let log = project.folder.read().unwrap();
    assert_eq!(
        (log.skipped_count, log.repeated_count, log.duplicate_ids_count),
        (0, 0, 0)
    );
    let ids = ids(&project);
    assert!(ids.is_sorted(), "each id follows the one before");
    let in_log: HashSet<&String> = ids.iter().collect();
    assert_eq!(in_log.len(), ids.len());
    let new: Vec<&String> = told
        .iter()
        .filter(|told| !told.deduplicated)
        .map(|told| &told.id)
        .collect();
    assert_eq!(new.len(), in_log.len());
    assert_eq!(
        HashSet::from_iter(new),
        in_log,
        "what was acknowledged is there, and nothing else"
    );
    assert!(told.iter().all(|told| in_log.contains(&told.id)));
    // Ten keys that all eight share, each written once.
    assert_eq!(ids.len(), 8 * 40 + 10);
    assert!(project.log_text().ends_with('\n'));
}

#[test]
fn killed_at_any_time() {
    let project = Project::new();
    // A torn tail from the start, too.
    project.write_log(&line(1, "2026-05-13T12:00:00Z", "torn")[..70]);
    let size = || project.folder.log_path().metadata().unwrap().len();
    let mut told = Vec::new();
    for round in 0..6_u64 {
        let mut children = vec![
            start(&project, 10_000),
            start(&project, 10_000),
            start(&project, 30),
        ];
        let (began, before) = (Instant::now(), size());
        // Well into their work, at a time that differs from round to round.
        while size() < before + 20_000 + 7919 * round && began.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_micros(300 + 130 * round));
        }
        children[0].kill().unwrap();
        children[1].kill().unwrap();
        told.extend(told_by_all(children));
    }
    assert!(told.len() > 180, "{}", told.len());
    let in_log = HashSet::<String>::from_iter(ids(&project));
    for Told { id, .. } in &told {
        assert!(in_log.contains(id), "{id} was acknowledged");
    }
    let log = project.folder.read().unwrap();
    assert_eq!((log.duplicate_ids_count, log.repeated_count), (0, 0));
    // The torn tail, and at most one more for each process that was killed.
    assert!(log.skipped_count <= 13, "{:?}", log.skipped);
    let clock = Clock::system(TimeZone::UTC);
    project.folder.learn(said("after all"), &clock).unwrap();
}

#[test]
fn replaced_underneath_while_it_is_appended_to() {
    let project = Project::new();
    let path = project.folder.log_path();
    let checkout = project.root().join("checkout");
    let mut child = start(&project, 300);
    let mut replaced = Vec::new();
    let lines = |text: &[u8]| text.iter().filter(|byte| **byte == b'\n').count();
    let told = std::thread::scope(|scope| {
        let reader = scope.spawn(|| told(&mut child));
        while !reader.is_finished() {
            // What git does: another file, made from what was there a moment ago, in the place of the log.
            let from = Timestamp::now();
            let text = std::fs::read(&path).unwrap();
            let whole = text
                .iter()
                .rposition(|byte| *byte == b'\n')
                .map_or(0, |end| end + 1);
            std::fs::write(&checkout, &text[..whole]).unwrap();
            std::fs::rename(&checkout, &path).unwrap();
            replaced.push((from, Timestamp::now()));
            // The writer sets the pace, so that the test is the same on a busy machine: some lines between two
            // replacements.
            let wanted = lines(&text[..whole]) + 15;
            while !reader.is_finished() && lines(&std::fs::read(&path).unwrap()) < wanted {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        reader.join().unwrap()
    });
    child.wait().unwrap();
    assert_eq!(told.len(), 300);
    assert!(replaced.len() > 5, "{}", replaced.len());

    // Only what was written while a copy was made can have gone with the old file, as any program's words would.
    let in_log = HashSet::<String>::from_iter(ids(&project));
    let apart = told.iter().filter(|told| {
        let overlaps = |(from, to): &(Timestamp, Timestamp)| told.during.0 <= *to && told.during.1 >= *from;
        !told.deduplicated && !replaced.iter().any(overlaps)
    });
    let mut count = 0;
    for told in apart {
        assert!(in_log.contains(&told.id), "{} was acknowledged", told.id);
        count += 1;
    }
    assert!(count > 50, "{count}");
}
