//! The price of an acknowledged line beside the disk's own: one write and one fdatasync on a file of the same folder.
//!
//! `cargo bench -p ken-files --bench append`. `KEN_BENCH_FOLDER` names a folder on the disk to measure; the default is
//! the build folder, because temporary folders are often kept in memory, where syncing costs nothing.
//!
//! Every sample runs all ways in turn and counts one of them, so that whatever else the machine does hits all alike.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use std::cell::RefCell;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
use ken_files::LockedLog;

/// What an event line usually weighs.
const LINE: usize = 400;

const WAYS: [&str; 3] = [
    "bare write + fdatasync",
    "log held open",
    "lock, open, last line, append",
];

struct Bench {
    folder: PathBuf,
    bare: File,
    held: LockedLog,
    line: Vec<u8>,
    turn: usize,
    times: [Vec<Duration>; 3],
}

impl Bench {
    fn new(folder: &Path) -> Bench {
        let bare = OpenOptions::new()
            .create(true)
            .append(true)
            .open(folder.join("bare"))
            .unwrap();
        let held = open(folder, "held");
        Bench {
            folder: folder.to_owned(),
            bare,
            held,
            line: vec![b'x'; LINE],
            turn: 0,
            times: [const { Vec::new() }; 3],
        }
    }

    fn run(&mut self, way: usize) -> Duration {
        let start = Instant::now();
        match way {
            0 => {
                let mut bytes = self.line.clone();
                bytes.push(b'\n');
                self.bare.write_all(&bytes).unwrap();
                self.bare.sync_data().unwrap();
            }
            1 => {
                self.held.append(&self.line).unwrap();
            }
            _ => {
                // What every `learn` does, the question for the last id included.
                let mut log = open(&self.folder, "each");
                log.last_line().unwrap();
                log.append(&self.line).unwrap();
            }
        }
        start.elapsed()
    }

    /// One round of all ways, each time beginning with another one; gives the time of `counted`.
    fn round(&mut self, counted: usize) -> Duration {
        self.turn += 1;
        let mut time = Duration::ZERO;
        for offset in 0..WAYS.len() {
            let way = (self.turn + offset) % WAYS.len();
            let taken = self.run(way);
            self.times[way].push(taken);
            if way == counted {
                time = taken;
            }
        }
        time
    }
}

fn open(folder: &Path, name: &str) -> LockedLog {
    let lock = folder.join(format!("{name}.lock"));
    LockedLog::open(&folder.join(name), &lock, "bench", Duration::from_secs(5)).unwrap()
}

fn appends(criterion: &mut Criterion) {
    let place = std::env::var_os("KEN_BENCH_FOLDER")
        .map_or_else(|| env!("CARGO_TARGET_TMPDIR").into(), PathBuf::from);
    let folder = tempfile::tempdir_in(&place).unwrap();
    let bench = RefCell::new(Bench::new(folder.path()));
    let mut group = criterion.benchmark_group("append");
    group.measurement_time(Duration::from_secs(8));
    for (way, name) in WAYS.iter().enumerate() {
        group.bench_function(*name, |bencher| {
            bencher.iter_custom(|rounds| (0..rounds).map(|_| bench.borrow_mut().round(way)).sum());
        });
    }
    group.finish();

    println!("in {}, {} rounds:", place.display(), bench.borrow().turn);
    let mut bare = None;
    for (name, times) in WAYS.iter().zip(&mut bench.borrow_mut().times) {
        times.sort();
        let mean = times.iter().sum::<Duration>().as_secs_f64() / times.len() as f64;
        let at = |hundredth: usize| times[times.len() * hundredth / 100].as_secs_f64();
        let (quarter, median) = (at(25), at(50));
        let (bare_quarter, bare_median) = *bare.get_or_insert((quarter, median));
        println!(
            "{name:30} quarter {:7.1} µs, median {:7.1}, mean {:7.1}, p99 {:8.1}; ratio {:.3} of quarters, {:.3} of medians (bar: 1.3)",
            quarter * 1e6,
            median * 1e6,
            mean * 1e6,
            at(99) * 1e6,
            quarter / bare_quarter,
            median / bare_median,
        );
    }
}

criterion_group!(benches, appends);
criterion_main!(benches);
