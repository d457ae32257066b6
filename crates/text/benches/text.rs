//! Speed of words: `cargo bench -p ken-text`.
#![allow(missing_docs)]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use ken_text::search::{Field, Query, Scan, Searchable};

/// A number that looks random and is the same in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % below
    }
}

const SYLLABLES: [&str; 24] = [
    "ba", "con", "de", "er", "fi", "gra", "ha", "in", "ja", "ko", "lu", "mo", "ne", "or", "pre", "qua", "ri",
    "sto", "tion", "ur", "va", "wo", "ster", "ing",
];
const FREQUENT: [&str; 24] = [
    "the", "to", "of", "in", "we", "is", "and", "for", "it", "on", "use", "a", "test", "run", "not", "with",
    "file", "error", "build", "that", "be", "was", "this", "from",
];

/// A word: half of them frequent, the others from some thousands, the lower numbers more often.
fn word(dice: &mut Dice, out: &mut String) {
    if dice.roll(2) == 0 {
        out.push_str(FREQUENT[dice.roll(FREQUENT.len())]);
        return;
    }
    let rank = dice.roll(90) * dice.roll(90);
    let mut word = Dice(rank as u64 + 7);
    word.roll(1);
    for at in 0..2 + word.roll(2) {
        match word.roll(24) {
            0 if at > 0 => out.push('_'),
            1 if at > 0 => out.push('-'),
            _ => {}
        }
        out.push_str(SYLLABLES[word.roll(SYLLABLES.len())]);
    }
}

/// A text like an observation: sentences of some two hundred bytes.
fn text(dice: &mut Dice, bytes: usize) -> String {
    let mut out = String::new();
    while out.len() < bytes {
        word(dice, &mut out);
        out.push_str(match dice.roll(12) {
            0 => ", ",
            1 => ". ",
            _ => " ",
        });
    }
    out
}

fn tokenise(c: &mut Criterion) {
    let text = text(&mut Dice(1), 1 << 20);
    let mut group = c.benchmark_group("tokenise 1 MiB");
    group
        .throughput(Throughput::Bytes(text.len() as u64))
        .sample_size(20);
    group.bench_function("words", |b| b.iter(|| ken_text::words(black_box(&text)).len()));
    group.bench_function("terms", |b| b.iter(|| ken_text::terms(black_box(&text)).len()));
    group.bench_function("fingerprint", |b| {
        b.iter(|| ken_text::fingerprint_text(black_box(&text)).len());
    });
    group.bench_function("normalize", |b| {
        b.iter(|| ken_text::normalize(black_box(&text)).len());
    });
    group.bench_function("one_line", |b| {
        b.iter(|| ken_text::fence::one_line(black_box(&text)).len());
    });
    group.finish();
}

fn scan(c: &mut Criterion) {
    let mut dice = Dice(4);
    let texts: Vec<String> = (0..10_000).map(|_| text(&mut dice, 200)).collect();
    let build = || {
        let mut scan = Scan::new();
        for text in &texts {
            scan.add(&[Field { text, weight: 1.0 }]);
        }
        scan
    };
    let mut group = c.benchmark_group("scan 10,000 documents of 200 bytes");
    group.sample_size(20);
    group.bench_function("tokenise", |b| b.iter(|| build().len()));
    let scan = build();
    let query = Query::parse("why does the build of the gateway not run with graor");
    group.bench_function("query", |b| {
        b.iter(|| {
            let statistics = scan.statistics(&query);
            scan.score(&query, &statistics).len()
        });
    });
    group.finish();
}

criterion_group!(benches, tokenise, scan);
criterion_main!(benches);
