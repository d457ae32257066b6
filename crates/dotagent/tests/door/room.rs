//! How much room the caches of a log take beside it.

use std::path::Path;

use ken_dotagent::Folder;

use super::{Project, noon, said};

fn size_of(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| match entry.metadata().unwrap() {
            metadata if metadata.is_dir() => size_of(&entry.path()),
            metadata => metadata.len(),
        })
        .sum()
}

/// Numbers without an order.
fn dice(seed: u64) -> u64 {
    (seed + 1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15)
        .rotate_left(29)
        .wrapping_mul(0xbf58_476d_1ce4_e5b9)
        >> 3
}

/// A line as `learn` writes it, with an id of its time and of no order within it.
fn line(number: u64, words: u64, key: bool) -> String {
    const DIGITS: &[u8] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
    let random: String = (0..16)
        .map(|digit| char::from(DIGITS[(dice(number) >> (digit * 3)) as usize % 32]))
        .collect();
    let text: Vec<String> = (0..words)
        .map(|word| format!("w{}", dice(number * 31 + word) % 3000))
        .collect();
    let key = match key {
        true => format!(r#","client_dedup_key":"k{number}""#),
        false => String::new(),
    };
    let (hour, minute, second) = (number / 3600 % 24, number / 60 % 60, number % 60);
    format!(
        r#"{{"schema_version":"1.0","id":"evt_01KRG{number:05}{random}","timestamp":"2026-05-13T{hour:02}:{minute:02}:{second:02}.{:03}Z","content":"{}","pain":5.0,"importance":5.0,"recurrence":0,"skill_action":"general","source_harness":"cli","pinned":false{key}}}"#,
        dice(number) % 1000,
        text.join(" ")
    ) + "\n"
}

/// The share of its log that everything in `.dreamd/ken` takes, once all of it is known.
fn share(events: u64, words: u64, key: bool) -> f64 {
    let log: String = (0..events).map(|number| line(number, words, key)).collect();
    let project = Project::with_log(&log);
    let table = project.folder.path().join(".dreamd/ken/repeats-2.table");
    // Until the table knows all but what may follow it.
    let covered =
        || std::fs::read(&table).map_or(0, |bytes| u64::from_le_bytes(bytes[24..32].try_into().unwrap()));
    while covered() + 20_000 < log.len() as u64 {
        let folder = Folder::open(project.root()).unwrap().unwrap();
        folder.learn(said("done"), &noon()).unwrap();
    }
    drop(project.folder.index().unwrap());
    let indexed = project.folder.log_path().metadata().unwrap().len();
    size_of(&project.folder.path().join(".dreamd/ken")) as f64 / indexed as f64
}

#[test]
fn caches_take_at_most_half_of_what_they_index() {
    for (events, words, key) in [(700, 1, true), (1500, 6, false), (700, 22, true)] {
        let share = share(events, words, key);
        assert!(
            share <= 0.5,
            "{events} events of {words} words, keys {key}: {share}"
        );
    }
}

#[test]
fn a_small_log_has_small_caches() {
    let project = Project::new();
    let state = project.folder.path().join(".dreamd/ken");
    for number in 0..60 {
        let text = format!("{number} {}", "some words more ".repeat(30));
        project.folder.learn(said(&text), &noon()).unwrap();
        drop(project.folder.index().unwrap());
        let (log, caches) = (project.log_text().len() as u64, size_of(&state));
        assert!(caches <= 1024 + log / 10, "{caches} beside {log}");
    }
    assert!(state.join("repeats-2.table").exists());
}
