//! How long a file of edicts takes to be read and to be added to. `cargo bench -p ken-edicts`.
#![allow(missing_docs, clippy::unwrap_used)]

use std::fmt::Write;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use jiff::tz::TimeZone;
use ken_edicts::{Limits, NewEdict, RenderFormat, Store, render};
use ken_files::Clock;

fn clock() -> Clock {
    Clock::pinned("2025-03-20T12:00:00Z".parse().unwrap(), TimeZone::UTC)
}

/// A file in the manner of the contract's example.
fn file(edicts: usize) -> String {
    let mut text =
        String::from("version: 1\nconfig:\n  maxEdicts: 100000\n  tokenBudget: 10000000\n\nedicts:\n");
    for number in 1..=edicts {
        let _ = write!(
            text,
            "  - id: e_{number:03}\n    text: \"Service {number} answers on port {number}, and its owner is team {}.\"\n    category: operation\n    tags:\n      - service\n      - port\n    confidence: verified\n    source: \"ops, 2025-03-15\"\n    ttl: durable\n    created: \"2025-03-15T10:00:00.000Z\"\n    updated: \"2025-03-15T10:00:00.000Z\"\n\n",
            number % 17
        );
    }
    text.push_str("history: []\n");
    text
}

fn reading(c: &mut Criterion) {
    for edicts in [200, 5_000] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("edicts.yaml");
        std::fs::write(&path, file(edicts)).unwrap();
        let store = Store::new(&path, Some(folder.path().join("state")));
        let uncached = Store::new(&path, None);
        c.bench_function(&format!("read {edicts} from YAML"), |b| {
            b.iter(|| uncached.load(&clock()).unwrap());
        });
        store.load(&clock()).unwrap();
        // A file that changed a moment ago is compared byte by byte.
        std::thread::sleep(std::time::Duration::from_millis(200));
        c.bench_function(&format!("load {edicts}"), |b| {
            b.iter(|| store.load(&clock()).unwrap());
        });
        let loaded = store.load(&clock()).unwrap();
        c.bench_function(&format!("render {edicts} within 4000"), |b| {
            b.iter(|| render(&loaded, RenderFormat::Brief, Some(4_000), clock().now()));
        });
        c.bench_function(&format!("add to {edicts}"), |b| {
            b.iter_batched(
                || std::fs::write(&path, file(edicts)).unwrap(),
                |()| {
                    store
                        .add(
                            NewEdict::new("One more.", "operation"),
                            &Limits::default(),
                            &clock(),
                        )
                        .unwrap()
                },
                BatchSize::PerIteration,
            );
        });
    }
}

criterion_group!(benches, reading);
criterion_main!(benches);
