//! Many at once, and some of them killed.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Child;
use std::time::{Duration, Instant};

use ken_files::{Lock, NewFile, remove_leftovers, replace};

use crate::{PATIENCE, acknowledge, acknowledged, open, part, start};

fn append(folder: &Path, part: &str, number: u32) {
    let line = format!("{part}-{number} {}", "x".repeat(200));
    open(folder).append(line.as_bytes()).unwrap();
}

/// The first word of every line, each of which must be whole.
fn whole_lines(folder: &Path) -> Vec<String> {
    let content = fs::read_to_string(folder.join("log")).unwrap();
    assert!(content.ends_with('\n'));
    content
        .lines()
        .map(|line| {
            let (name, rest) = line.split_once(' ').unwrap();
            assert!(rest.len() == 200 && rest.bytes().all(|b| b == b'x'), "{line}");
            name.to_owned()
        })
        .collect()
}

fn wait_until(condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < PATIENCE, "waited in vain");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn eight_processes_append_at_once_and_each_line_is_there_once() {
    if let Some((part, folder)) = part() {
        let mut longest = Duration::ZERO;
        for number in 0..200 {
            let start = Instant::now();
            append(&folder, &part, number);
            longest = longest.max(start.elapsed());
            acknowledge(&format!("{part}-{number}"));
        }
        acknowledge(&format!("longest {}", longest.as_millis()));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let test = "crowd::eight_processes_append_at_once_and_each_line_is_there_once";
    let begin = Instant::now();
    let mut children: Vec<Child> = (0..8)
        .map(|n| start(test, &format!("p{n}"), folder.path(), &[]))
        .collect();
    let mut promised = BTreeSet::new();
    let mut longest = 0;
    for child in &mut children {
        for name in acknowledged(child) {
            match name.strip_prefix("longest ") {
                Some(time) => longest = longest.max(time.parse::<u128>().unwrap()),
                None => assert!(promised.insert(name)),
            }
        }
        assert!(child.wait().unwrap().success());
    }
    let took = begin.elapsed();
    let lines = whole_lines(folder.path());
    assert_eq!(lines.len(), 1600);
    assert_eq!(lines.into_iter().collect::<BTreeSet<_>>(), promised);
    eprintln!("1600 appends of 8 processes took {took:?}, the longest of them {longest} ms");
    assert!(
        longest < PATIENCE.as_millis() / 2,
        "one append waited {longest} ms"
    );
}

#[test]
fn what_was_acknowledged_survives_processes_that_are_killed() {
    if let Some((part, folder)) = part() {
        for number in 0.. {
            append(&folder, &part, number);
            acknowledge(&format!("{part}-{number}"));
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let test = "crowd::what_was_acknowledged_survives_processes_that_are_killed";
    let mut children: Vec<Child> = (0..4)
        .map(|n| start(test, &format!("p{n}"), folder.path(), &[]))
        .collect();
    let log = folder.path().join("log");
    wait_until(|| fs::metadata(&log).is_ok_and(|log| log.len() > 50 * 200));
    for (child, lived) in children.iter_mut().zip([17, 31, 53, 23]) {
        std::thread::sleep(Duration::from_millis(lived));
        child.kill().unwrap();
    }
    // The lock died with its holders, and a torn line, if there is one, is closed.
    append(folder.path(), "after", 0);
    let mut lines = whole_lines(folder.path());
    let count = lines.len();
    lines.sort();
    lines.dedup();
    assert_eq!(lines.len(), count, "a line is there twice");
    let mut promised = 0;
    for child in &mut children {
        for name in acknowledged(child) {
            promised += 1;
            assert!(lines.binary_search(&name).is_ok(), "{name} is lost");
        }
        child.wait().unwrap();
    }
    assert!(
        promised > 20,
        "only {promised} lines were appended before the end"
    );
}

#[test]
fn a_process_that_dies_frees_its_lock_and_is_not_named_any_more() {
    let test = "crowd::a_process_that_dies_frees_its_lock_and_is_not_named_any_more";
    if let Some((_, folder)) = part() {
        let _held = Lock::acquire(&folder.join("lock"), "ken dream", Duration::ZERO).unwrap();
        acknowledge("locked");
        std::thread::sleep(PATIENCE);
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let mut child = start(test, "holder", folder.path(), &[]);
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("acknowledged") {
        line.clear();
        assert!(output.read_line(&mut line).unwrap() > 0, "the holder ended early");
    }
    let error = Lock::acquire(&path, "ken", Duration::from_millis(10)).unwrap_err();
    let named = format!("is locked by ken dream (process {})", child.id());
    assert!(error.to_string().contains(&named), "{error}");
    child.kill().unwrap();
    child.wait().unwrap();
    let left = fs::read_to_string(&path).unwrap();
    assert!(left.contains("ken dream"), "{left}");
    // Held by a program that writes no name: the dead one's stays in the file and is not believed.
    let foreign = fs::File::open(&path).unwrap();
    foreign.lock().unwrap();
    let error = Lock::acquire(&path, "ken", Duration::ZERO).unwrap_err();
    assert!(
        error.to_string().contains("is locked by another program"),
        "{error}"
    );
    drop(foreign);
    let _free_again = Lock::acquire(&path, "ken", Duration::ZERO).unwrap();
}

#[test]
fn a_replacement_that_is_killed_leaves_the_old_or_the_new_file() {
    let test = "crowd::a_replacement_that_is_killed_leaves_the_old_or_the_new_file";
    let content = |number: u32| vec![b'a' + u8::try_from(number % 26).unwrap(); 200_000];
    if let Some((_, folder)) = part() {
        for number in 0.. {
            replace(&folder.join("file"), &content(number), NewFile::Private).unwrap();
            acknowledge(&number.to_string());
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    for lived in [3, 17, 31] {
        let _ = fs::remove_file(&file);
        let mut child = start(test, "writer", folder.path(), &[]);
        wait_until(|| file.exists());
        std::thread::sleep(Duration::from_millis(lived));
        child.kill().unwrap();
        let written = acknowledged(&mut child);
        child.wait().unwrap();
        let last = written.last().map_or(0, |number| number.parse::<u32>().unwrap());
        let seen = fs::read(&file).unwrap();
        assert!(
            seen == content(last) || seen == content(last + 1),
            "{} bytes",
            seen.len()
        );
        remove_leftovers(folder.path()).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
