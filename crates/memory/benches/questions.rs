//! What a question costs: cold (everything is read from the disk, as a command does) and warm (as a server that stays
//! open answers).
#![allow(missing_docs, clippy::unwrap_used)]

use std::fmt::Write;
use std::hint::black_box;
use std::path::PathBuf;

use criterion::{Criterion, criterion_group, criterion_main};
use jiff::tz::TimeZone;
use ken_dotagent::Folder;
use ken_files::{Clock, Paths};
use ken_library::{AccessLevel, Caller};
use ken_memory::{BriefRequest, Kind, Memory, Project, RecallRequest, Setting, Situation};

const WORDS: &[&str] = &[
    "parser", "cache", "timeout", "deploy", "schema", "ledger", "worker", "queue", "retry", "index",
    "socket", "token", "branch", "merge", "review", "release", "window", "cursor", "buffer", "stream",
    "vault", "tenant", "billing", "invoice", "webhook", "cluster", "replica", "shard", "backup", "restore",
];

/// Words without an order that a reader would see, the same in every run.
struct Dice(u64);

impl Dice {
    fn word(&mut self) -> &'static str {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        WORDS[(self.0 >> 33) as usize % WORDS.len()]
    }

    /// Something that somebody noted: a few of the words, and many that come the less often the higher their number.
    fn note(&mut self, words: usize) -> String {
        let mut note = Vec::with_capacity(words);
        for place in 0..words {
            let word = self.word();
            let drawn = (self.0 >> 20) as f64 / (1_u64 << 44) as f64;
            if place % 7 == 3 {
                note.push(word.to_owned());
            } else {
                // In letters: a word with a number behind it is an identifier, and found by its parts.
                let number = ((drawn.powi(4) * 20_000.0) as u32).to_string();
                let letters = number.bytes().map(|digit| char::from(digit - b'0' + b'a'));
                note.push(word.chars().chain(letters).collect());
            }
        }
        note.join(" ")
    }

    fn sentence(&mut self, words: usize) -> String {
        (0..words).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }
}

struct Machine {
    _folder: tempfile::TempDir,
    setting: Setting,
}

impl Machine {
    fn new(agents: usize, entities: usize, events: usize) -> Machine {
        let folder = tempfile::tempdir().unwrap();
        let paths = Paths::under(folder.path().join("home"));
        let repo = paths.home.join("code/orchard");
        std::fs::create_dir_all(&repo).unwrap();
        let mut dice = Dice(7);
        std::fs::create_dir_all(paths.library.join("agents")).unwrap();
        for agent in 0..agents {
            let path = paths.library.join(format!("agents/agent-{agent}.l5.yaml"));
            std::fs::write(path, manifest(agent, entities, &mut dice)).unwrap();
        }
        let (dot_agent, _) = Folder::init(&repo).unwrap();
        write_log(dot_agent.log_path(), events, &mut dice);
        let clock = Clock::pinned("2026-11-30T12:00:00Z".parse().unwrap(), TimeZone::UTC);
        let project = Project::find(&repo, &paths);
        let setting = Setting::person(paths, clock, project);
        let machine = Machine {
            _folder: folder,
            setting,
        };
        Memory::open(machine.setting.clone()).unwrap().trust().unwrap();
        machine
    }

    fn memory(&self) -> Memory {
        let caller = Caller::local_agent(AccessLevel::Team);
        Memory::open(self.setting.clone().with_caller(caller, None)).unwrap()
    }
}

fn manifest(agent: usize, entities: usize, dice: &mut Dice) -> String {
    let mut text = format!(
        "spec_version: \"0.1\"\nagent: {{id: agent-{agent}, type: code-assistant}}\nlast_updated: \"2026-11-29T00:00:00Z\"\nknown_entities:\n"
    );
    for number in 0..entities {
        writeln!(
            text,
            "  - name: \"Omega {} {agent}{number}\"\n    type: project\n    summary: \"{}\"\n    last_touched: \"2026-11-28\"\n    visibility: team",
            dice.word(),
            dice.sentence(14)
        )
        .unwrap();
    }
    text
}

fn write_log(path: PathBuf, events: usize, dice: &mut Dice) {
    let mut log = String::new();
    for number in 0..events {
        writeln!(
            log,
            "{{\"schema_version\":\"1.0\",\"id\":\"evt_01JR0407120{number:015}\",\"timestamp\":\"2026-11-{:02}T{:02}:{:02}:00Z\",\"content\":\"{} number {number}\",\"pain\":5.0,\"importance\":5.0,\"recurrence\":0,\"skill_action\":\"rust::{}\",\"source_harness\":\"codex\",\"pinned\":false}}",
            1 + number % 28,
            number % 24,
            number % 60,
            dice.note(20),
            dice.word()
        )
        .unwrap();
    }
    std::fs::write(path, log).unwrap();
}

fn questions(criterion: &mut Criterion) {
    let machine = Machine::new(10, 1_000, 10_000);
    let prompt = "How did the deploy of Omega parser 3130 go, and who touched the ledger?";
    let query = RecallRequest {
        kinds: vec![Kind::Event],
        ..RecallRequest::new("ledger timeout after the release")
    };
    let all = RecallRequest::new("ledger timeout after the release");
    let brief = BriefRequest::new(Situation::Prompt(prompt.to_owned()));

    let mut group = criterion.benchmark_group("cold");
    group.sample_size(10);
    group.bench_function("recognise, 10 agents x 1,000 entities", |bench| {
        bench.iter(|| black_box(machine.memory().recognise(prompt)));
    });
    group.bench_function("recall, 10,000 events", |bench| {
        bench.iter(|| black_box(machine.memory().recall(&query)));
    });
    let large = Machine::new(0, 0, 100_000);
    // The caches are made by the first question.
    large.memory().recall(&query);
    group.bench_function("recall, 100,000 events", |bench| {
        bench.iter(|| black_box(large.memory().recall(&query)));
    });
    group.bench_function("brief at a prompt", |bench| {
        bench.iter(|| black_box(machine.memory().brief(&brief)));
    });
    group.finish();

    let open = machine.memory();
    let mut group = criterion.benchmark_group("warm");
    group.sample_size(20);
    group.bench_function("recognise, 10 agents x 1,000 entities", |bench| {
        bench.iter(|| black_box(open.recognise(prompt)));
    });
    group.bench_function("recall, 10,000 events", |bench| {
        bench.iter(|| black_box(open.recall(&query)));
    });
    let large = large.memory();
    group.bench_function("recall, 100,000 events", |bench| {
        bench.iter(|| black_box(large.recall(&query)));
    });
    let filtered = RecallRequest {
        query: "skill:rust::ledger since:2026-11-10".to_owned(),
        ..query.clone()
    };
    group.bench_function("the newest of a skill, 100,000 events", |bench| {
        bench.iter(|| black_box(large.recall(&filtered)));
    });
    group.bench_function("recall, 10,000 events and 10,000 rows of the library", |bench| {
        bench.iter(|| black_box(open.recall(&all)));
    });
    group.finish();
}

criterion_group!(benches, questions);
criterion_main!(benches);
