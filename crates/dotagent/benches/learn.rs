//! The price of an acknowledged observation beside the disk's own: one write and one fdatasync of the same bytes on
//! the same disk.
//!
//! `cargo bench -p ken-dotagent --bench learn`. `KEN_BENCH_FOLDER` names a folder on the disk to measure; the default
//! is the build folder, because temporary folders are often kept in memory, where syncing costs nothing.
//!
//! All ways take turns, so that whatever else the machine does hits them alike.
#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use jiff::tz::TimeZone;
use ken_dotagent::{Folder, Observation};
use ken_files::Clock;

const ROUNDS: usize = 1500;
const TEXT: &str = "The checkout service hung because every retry took a second connection from the pool while it held \
    the first. Cap the retries below half of the pool's size, or give the connection back before the pause.";

fn main() {
    let folder = std::env::var_os("KEN_BENCH_FOLDER")
        .map_or_else(|| PathBuf::from(env!("CARGO_TARGET_TMPDIR")), PathBuf::from);
    let place = tempfile::tempdir_in(folder).unwrap();
    let bare_path = place.path().join("bare");
    let mut bare = OpenOptions::new()
        .create(true)
        .append(true)
        .open(bare_path)
        .unwrap();
    let clock = Clock::system(TimeZone::UTC);
    let project = |name: &str| {
        let root = place.path().join(name);
        std::fs::create_dir(&root).unwrap();
        Folder::init(&root).unwrap().0
    };
    let (plain, keyed, reopened) = (project("plain"), project("keyed"), project("reopened"));

    let mut times: [Vec<Duration>; 4] = [const { Vec::new() }; 4];
    for n in 0..ROUNDS {
        let observation = || Observation {
            skill_action: Some("postgres::pool".to_owned()),
            ..Observation::new(format!("{n} {TEXT}"), "claude-code")
        };
        for way in 0..4 {
            let way = (way + n) % 4;
            let start = Instant::now();
            match way {
                0 => write(&mut bare, n),
                1 => drop(plain.learn(observation(), &clock).unwrap()),
                2 => {
                    let dedup_key = Some(format!("key {n}"));
                    let observation = Observation {
                        dedup_key,
                        ..observation()
                    };
                    drop(keyed.learn(observation, &clock).unwrap());
                }
                _ => {
                    // What a process of one learn does.
                    let folder = Folder::open(reopened.root()).unwrap().unwrap();
                    drop(folder.learn(observation(), &clock).unwrap());
                }
            }
            times[way].push(start.elapsed());
        }
    }
    let names = [
        "bare write + fdatasync",
        "learn",
        "learn with a dedup key",
        "open the folder, learn",
    ];
    // The fastest tenth says what the work costs; the median also what else the machine does.
    let quantile = |times: &[Duration], part: usize| times[times.len() / part];
    let sorted = times.map(|mut times| {
        times.sort();
        times
    });
    let disk = [quantile(&sorted[0], 10), quantile(&sorted[0], 2)];
    for (name, times) in names.iter().zip(&sorted) {
        let [fast, median] = [quantile(times, 10), quantile(times, 2)];
        println!(
            "{name:<24} a tenth below {fast:>9.1?} x {:.2}   median {median:>9.1?} x {:.2}",
            fast.as_secs_f64() / disk[0].as_secs_f64(),
            median.as_secs_f64() / disk[1].as_secs_f64(),
        );
    }
}

fn write(bare: &mut File, n: usize) {
    // As many bytes as an event of this text has.
    let line = format!(
        "{{\"schema_version\":\"1.0\",\"id\":\"evt_01KRGZ00000000000000000001\",\"timestamp\":\"2026-05-13T12:00:00.123Z\",\"content\":\"{n} {TEXT}\",\"pain\":5.0,\"importance\":5.0,\"recurrence\":0,\"skill_action\":\"postgres::pool\",\"source_harness\":\"claude-code\",\"pinned\":false}}\n"
    );
    bare.write_all(line.as_bytes()).unwrap();
    bare.sync_data().unwrap();
}
