//! What it costs to open a library: the first time, again, after a change, and with a name asked for at once.
//!
//! `cargo bench -p ken-library --bench caches`; with `KEN_BENCH_LARGE=1` also with a million entities, which takes a few
//! minutes and 1 GB in the folder for temporary files.

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

use criterion::{BatchSize, Criterion};
use ken_library::questions::find;
use ken_library::{AccessLevel, Caller, Library};
use ken_text::recognise::{NamesBuilder, Reading};

const WORDS: [&str; 64] = [
    "amber", "anchor", "apollo", "arbor", "atlas", "aurora", "basalt", "beacon", "birch", "bravo", "canyon",
    "cedar", "cobalt", "comet", "coral", "crimson", "delta", "dune", "ember", "falcon", "fjord", "flint",
    "garnet", "glacier", "harbor", "hazel", "helix", "indigo", "iris", "jasper", "juniper", "kelp",
    "krypton", "lantern", "larch", "lotus", "maple", "mercury", "meteor", "nebula", "nimbus", "nova", "oak",
    "obsidian", "ocean", "onyx", "opal", "orchid", "osprey", "pearl", "phoenix", "pine", "plasma", "quartz",
    "quill", "raven", "relay", "ridge", "river", "sable", "saffron", "sequoia", "sierra", "zinc",
];

/// Numbers that are the same every time.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % below
    }

    fn word(&mut self) -> &'static str {
        WORDS[self.next(WORDS.len())]
    }

    fn words(&mut self, count: usize) -> String {
        (0..count).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }
}

fn title(word: &str) -> String {
    word[..1].to_uppercase() + &word[1..]
}

/// A manifest as agents write them, with a private entity now and then.
fn manifest(agent: usize, entities: usize, round: usize) -> String {
    let mut numbers = Numbers((agent * 31 + round) as u64 + 7);
    let mut out = format!(
        "spec_version: \"0.1\"\nagent:\n  id: agent-{agent}\n  type: other\nlast_updated: \"2026-11-29T00:00:00Z\"\nvisibility_policy:\n  default: team\nknown_entities:\n"
    );
    for n in 0..entities {
        let name = format!(
            "{} {} {}",
            title(numbers.word()),
            title(numbers.word()),
            agent * entities + n
        );
        out.push_str(&format!(
            "- name: \"{name}\"\n  type: project\n  aliases: [\"{}\"]\n  summary: \"{}.\"\n  tags: [active]\n  last_touched: \"2026-11-{:02}\"\n",
            name.to_lowercase().replace(' ', "-"),
            numbers.words(14),
            1 + numbers.next(29),
        ));
        if n % 50 == 49 {
            out.push_str("  visibility: private\n");
        }
    }
    out.push_str("recent_sessions:\n");
    for n in 0..entities / 10 {
        out.push_str(&format!(
            "- date: \"2026-11-{:02}\"\n  cwd: /home/dev/p{n}\n  project_focus: [\"p{n}\"]\n  key_actions: [\"{}\"]\n",
            1 + numbers.next(29),
            numbers.words(9),
        ));
    }
    out
}

fn library(root: &Path, agents: usize, entities: usize) -> Library {
    std::fs::create_dir_all(root.join("agents")).unwrap();
    let mut bytes = 0;
    for agent in 0..agents {
        let text = manifest(agent, entities, 0);
        bytes += text.len();
        std::fs::write(root.join(format!("agents/agent-{agent}.l5.yaml")), text).unwrap();
    }
    println!("{agents} manifests of {entities} entities: {bytes} bytes");
    // Files that have just been written are read again and again until they have settled.
    std::thread::sleep(Duration::from_millis(200));
    Library::open(root)
}

fn caches(root: &Path) -> u64 {
    let entries = std::fs::read_dir(root.join(".ken/cache")).unwrap();
    entries
        .map(|entry| entry.unwrap().metadata().unwrap().len())
        .sum()
}

fn bench(criterion: &mut Criterion, agents: usize, entities: usize) {
    let folder = tempfile::tempdir().unwrap();
    let library = library(folder.path(), agents, entities);
    let name = format!("{agents} x {entities}");
    let mut group = criterion.benchmark_group(&name);
    group.sample_size(10);
    let forget = || {
        let _ = std::fs::remove_dir_all(folder.path().join(".ken/cache"));
    };
    if entities <= 100 {
        group.bench_function("first load", |b| {
            b.iter_batched(
                forget,
                |()| black_box(library.load().unwrap()),
                BatchSize::PerIteration,
            );
        });
    } else {
        let start = Instant::now();
        library.load().unwrap();
        println!("{name}/first load: {:?}", start.elapsed());
    }
    library.load().unwrap();
    println!("{name}/caches: {} bytes", caches(folder.path()));
    group.bench_function("load again", |b| b.iter(|| black_box(library.load().unwrap())));
    let mut round = 0;
    let changed = folder.path().join("agents/agent-7.l5.yaml");
    group.bench_function("load after one manifest changed", |b| {
        b.iter_batched(
            || {
                round += 1;
                std::fs::write(&changed, manifest(7, entities, round)).unwrap();
            },
            |()| black_box(library.load().unwrap()),
            BatchSize::PerIteration,
        );
    });
    std::thread::sleep(Duration::from_millis(200));
    let prompt =
        "please look at Nova Falcon 17 and why the importer of Quartz Raven 512 stopped, then tell the team";
    let none = NamesBuilder::new().finish().open();
    for (who, caller) in [
        ("person", Caller::person()),
        ("team", Caller::local_agent(AccessLevel::Team)),
    ] {
        group.bench_function(format!("open and recognise one prompt, {who}"), |b| {
            b.iter(|| {
                let view = library.load().unwrap().view(&caller);
                black_box(view.names_in(prompt, Reading::Names, &none))
            });
        });
        let view = library.load().unwrap().view(&caller);
        group.bench_function(format!("recognise one prompt, {who}"), |b| {
            b.iter(|| black_box(view.names_in(prompt, Reading::Names, &none)));
        });
        group.bench_function(format!("find one name, {who}"), |b| {
            b.iter(|| {
                let view = library.load().unwrap().view(&caller);
                black_box(view.rows_called("nova falcon 17").len())
            });
        });
    }
    group.bench_function("find, with whom to ask", |b| {
        b.iter(|| {
            let view = library.load().unwrap().view(&Caller::person());
            black_box(find(&view, "nova falcon 17", None))
        });
    });
    if entities <= 100 {
        group.bench_function("all entities, team", |b| {
            b.iter(|| {
                let view = library
                    .load()
                    .unwrap()
                    .view(&Caller::local_agent(AccessLevel::Team));
                black_box(view.entities().len())
            });
        });
    }
    group.finish();
    let me = std::env::current_exe().unwrap();
    let told = std::process::Command::new(me)
        .arg("--resident")
        .arg(folder.path())
        .output()
        .unwrap();
    println!("{name}/{}", String::from_utf8_lossy(&told.stdout));
}

/// Opens a library, recognises and finds, and says what the process holds.
fn resident(root: &Path) {
    let view = Library::open(root)
        .load()
        .unwrap()
        .view(&Caller::local_agent(AccessLevel::Team));
    let none = NamesBuilder::new().finish().open();
    let mut numbers = Numbers(1);
    for n in 0..200 {
        let prompt = format!(
            "{} {} {} {n}",
            numbers.words(6),
            title(numbers.word()),
            title(numbers.word())
        );
        for named in view.names_in(&prompt, Reading::Names, &none) {
            black_box(named);
        }
        black_box(find(&view, &format!("nova falcon {n}"), None));
    }
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status
        .lines()
        .find(|line| line.starts_with("VmHWM"))
        .unwrap_or_default();
    println!("resident at most while recognising and finding: {peak}");
}

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    if let Some(at) = arguments.iter().position(|argument| argument == "--resident") {
        return resident(Path::new(&arguments[at + 1]));
    }
    let mut criterion = Criterion::default().configure_from_args();
    bench(&mut criterion, 1_000, 100);
    if std::env::var_os("KEN_BENCH_LARGE").is_some() {
        bench(&mut criterion, 1_000, 1_000);
    }
    criterion.final_summary();
}
