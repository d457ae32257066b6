//! Speed of recognition, each bar of it: `cargo bench -p ken-text --bench recognition`.
#![allow(missing_docs)]

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ken_text::recognise::{Names, NamesBuilder, NamesBytes, Part, Reading, find};

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

fn capital(word: &str) -> String {
    let (first, rest) = word.split_at(1);
    first.to_ascii_uppercase() + rest
}

/// A made-up word of two or three syllables, one of a few thousand.
fn word(dice: &mut Dice) -> String {
    let rank = dice.roll(90) * dice.roll(90);
    let mut word = Dice(rank as u64 + 7);
    word.roll(1);
    (0..2 + word.roll(2))
        .map(|_| SYLLABLES[word.roll(SYLLABLES.len())])
        .collect()
}

/// A text as people write it: half of it small words, here and there an identifier.
fn prose(dice: &mut Dice, bytes: usize) -> String {
    let mut out = String::new();
    while out.len() < bytes {
        match dice.roll(16) {
            0..8 => out.push_str(FREQUENT[dice.roll(FREQUENT.len())]),
            8 => out.push_str(&format!("{}_{}", word(dice), word(dice))),
            9 => out.push_str(&format!("{}{}", word(dice), capital(&word(dice)))),
            _ => out.push_str(&word(dice)),
        }
        out.push_str(match dice.roll(12) {
            0 => ", ",
            1 => ".\n",
            _ => " ",
        });
    }
    out
}

/// Names as a team has them: numbered siblings, services, people, identifiers.
fn name(number: usize, dice: &mut Dice) -> String {
    match number % 4 {
        0 => format!("Omega Onyx {number}"),
        1 => format!("{} Gateway {number}", capital(&word(dice))),
        2 => format!("{}{}{number}", word(dice), capital(&word(dice))),
        _ => format!("{} {} {number}", capital(&word(dice)), capital(&word(dice))),
    }
}

fn names(number: usize) -> Vec<String> {
    let mut dice = Dice(11);
    let mut names: Vec<String> = (0..number).map(|number| name(number, &mut dice)).collect();
    // Some that the texts hold, also of one word and of several.
    for at in 0..number / 100 {
        let at = at * 100;
        names[at] = if at % 200 == 0 {
            word(&mut dice)
        } else {
            format!("{} {}", word(&mut dice), word(&mut dice))
        };
    }
    names
}

fn build<'a>(names: impl IntoIterator<Item = &'a String>) -> NamesBytes {
    let mut builder = NamesBuilder::new();
    for (id, name) in names.into_iter().enumerate() {
        builder.add(name, id as u32);
    }
    builder.finish()
}

fn found(names: &Names<Vec<u8>>, text: &str, reading: Reading) -> usize {
    find(&[Part::new(names, &|_| true)], black_box(text), reading).len()
}

const MEGABYTE: usize = 1_000_000;

fn repeated(part: &str) -> String {
    part.repeat(MEGABYTE / part.len())
}

fn building(c: &mut Criterion) {
    let mut names = names(2_000_000);
    let mut group = c.benchmark_group("build 2,000,000 names");
    group.sample_size(10).measurement_time(Duration::from_secs(20));
    group.bench_function("in any order", |b| b.iter(|| build(black_box(&names)).fst.len()));
    names.sort_by_cached_key(|name| name.to_lowercase());
    group.bench_function("sorted", |b| b.iter(|| build(black_box(&names)).fst.len()));
    group.finish();
}

fn prompts(c: &mut Criterion) {
    let bytes = build(&names(1_000_000));
    let mut group = c.benchmark_group("1,000,000 names");
    group.bench_function("open", |b| {
        b.iter(|| Names::open(black_box(&bytes.fst), &bytes.bearers).is_some());
    });
    let names = bytes.open();
    let mut prompt = prose(&mut Dice(2), 175);
    prompt.push_str("and Omega Onyx 31284?");
    group.bench_function("a prompt of 200 bytes", |b| {
        b.iter(|| found(&names, &prompt, Reading::Names));
    });
    group
        .sample_size(20)
        .throughput(Throughput::Bytes(MEGABYTE as u64));
    for (what, text) in [
        ("prose", prose(&mut Dice(3), MEGABYTE)),
        ("one word, which is a name", repeated("omega onyx 28 ")),
        ("one word, which is no name", repeated("orchard ")),
        ("beginnings of names", repeated("Omega Onyx ")),
        ("Chinese", repeated("请在明天之前把果园项目部署到测试服务器上。")),
        ("hyphens", repeated("-")),
        ("words and hyphens", repeated("omega-onyx-")),
        ("one identifier in camel case", repeated("omegaOnyx")),
        ("one identifier in snake case", repeated("omega_onyx_")),
        ("one word", repeated("x")),
        ("accents", repeated("Cafe\u{301} Zürich ")),
    ] {
        for reading in [Reading::Names, Reading::Mentions] {
            group.bench_with_input(
                BenchmarkId::new(what, format!("{reading:?}")),
                &text,
                |b, text| {
                    b.iter(|| found(&names, text, reading));
                },
            );
        }
    }
    group.finish();
}

/// Names that only differ in their last word, after as many words as a name can have.
fn long_names(c: &mut Criterion) {
    let same: Vec<String> = (0..100_000)
        .map(|number| format!("{}{number}", "a ".repeat(63)))
        .collect();
    // All names of twelve words of two.
    let two: Vec<String> = (0..1 << 16)
        .map(|number| {
            (0..16)
                .map(|bit| if number >> bit & 1 == 0 { "a " } else { "b " })
                .collect()
        })
        .collect();
    let ideographs: Vec<String> = (0..100_000)
        .map(|number| format!("{}{number}", "北".repeat(60)))
        .collect();
    let mut dice = Dice(5);
    let coins: String = (0..MEGABYTE / 2).map(|_| ["a ", "b "][dice.roll(2)]).collect();
    let mut group = c.benchmark_group("names that begin alike");
    group
        .sample_size(10)
        .throughput(Throughput::Bytes(MEGABYTE as u64));
    for (what, names, text) in [
        ("one word", &same, repeated("a ")),
        ("two words", &two, coins),
        ("one ideograph", &ideographs, repeated("北")),
    ] {
        let names = build(names).open();
        for reading in [Reading::Names, Reading::Mentions] {
            group.bench_with_input(
                BenchmarkId::new(what, format!("{reading:?}")),
                &text,
                |b, text| {
                    b.iter(|| found(&names, text, reading));
                },
            );
        }
    }
    group.finish();
}

criterion_group!(benches, building, prompts, long_names);
criterion_main!(benches);
