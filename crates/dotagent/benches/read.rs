//! Reading a log, making it searchable with and without a cache, asking it, and looking again.
//!
//! `cargo bench -p ken-dotagent --bench read`.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stderr)]

use std::fmt::Write;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use jiff::tz::TimeZone;
use ken_dotagent::{Folder, Observation};
use ken_files::Clock;
use ken_text::search::{Query, Searchable};

const WORDS: &[&str] = &[
    "checkout",
    "retry",
    "pool",
    "connection",
    "parser",
    "lookahead",
    "token",
    "lock",
    "release",
    "workspace",
    "feature",
    "migration",
    "index",
    "transaction",
    "grid",
    "column",
    "cache",
    "daemon",
    "watcher",
    "timeout",
    "the",
    "a",
    "of",
    "and",
];

/// A log of `count` events of about 400 bytes, in a folder of its own.
fn log(count: u64) -> (tempfile::TempDir, Folder) {
    let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let (folder, _) = Folder::init(place.path()).unwrap();
    let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move |below: u64| {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        seed % below
    };
    let mut text = String::new();
    for n in 0..count {
        let words: Vec<&str> = (0..25)
            .map(|_| WORDS[next(WORDS.len() as u64) as usize])
            .collect();
        let (pain, importance, minute) = (next(21) as f64 / 2.0, next(21) as f64 / 2.0, n % 60);
        writeln!(
            text,
            r#"{{"schema_version":"1.0","id":"evt_01KRGZ000000{n:014}","timestamp":"2026-05-13T12:{minute:02}:00.123Z","content":"{n} {}","pain":{pain:?},"importance":{importance:?},"recurrence":{},"skill_action":"postgres::pool","source_harness":"claude-code","pinned":false}}"#,
            words.join(" "),
            n % 3,
        )
        .unwrap();
    }
    std::fs::write(folder.log_path(), text).unwrap();
    (place, folder)
}

fn read(criterion: &mut Criterion) {
    for count in [10_000, 100_000] {
        let (_place, folder) = log(count);
        let cache = folder.path().join(".dreamd/ken/index");
        let mut group = criterion.benchmark_group(format!("{count} events"));
        group.sample_size(10);
        group.bench_function("read", |b| b.iter(|| folder.read().unwrap()));
        group.bench_function("index, without a cache", |b| {
            b.iter_batched(
                || std::fs::remove_dir_all(&cache),
                |_| folder.index().unwrap(),
                BatchSize::PerIteration,
            );
        });
        group.bench_function("open the index", |b| b.iter(|| folder.index().unwrap()));
        let mut index = folder.index().unwrap();
        group.bench_function("look again, nothing new", |b| {
            b.iter(|| index.refresh(&folder).unwrap());
        });
        let query = Query::parse("migration timeout 77");
        group.bench_function("score three words", |b| {
            b.iter(|| index.score(&query, &index.statistics(&query)));
        });
        let clock = Clock::system(TimeZone::UTC);
        let learn = || folder.learn(Observation::new("one more", "cli"), &clock).unwrap();
        group.bench_function("look again, one line more", |b| {
            b.iter_batched(
                learn,
                |_| index.refresh(&folder).unwrap(),
                BatchSize::PerIteration,
            );
        });
        group.finish();
        let size = |path: &std::path::Path| std::fs::metadata(path).unwrap().len();
        let kept: u64 = std::fs::read_dir(&cache)
            .unwrap()
            .map(|entry| size(&entry.unwrap().path()))
            .sum();
        let of = size(&folder.log_path());
        eprintln!("{count} events: {kept} bytes of cache for {of} bytes of log");
    }
}

criterion_group!(benches, read);
criterion_main!(benches);
