//! What it costs to read ten manifests of a thousand entities, to filter them, and to ask.
//!
//! `cargo bench -p ken-library`

#![allow(missing_docs, clippy::unwrap_used, clippy::print_stdout)]

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use ken_library::questions::find;
use ken_library::{
    AccessLevel, AgentId, AgentType, Caller, Entity, Library, Manifest, Session, Visibility,
    VisibilityPolicy, read_manifest, to_yaml, validate_file,
};

fn manifest(agent: usize, entities: usize) -> Manifest {
    let id = AgentId::new(format!("agent-{agent}")).unwrap();
    let mut manifest = Manifest::new(id, AgentType::CodeAssistant);
    manifest.last_updated = Some("2026-06-26T00:00:00Z".parse().unwrap());
    manifest.visibility_policy = Some(VisibilityPolicy::usual());
    for n in 0..entities {
        manifest.entities.push(Entity {
            name: format!("Orchard {agent} {n}"),
            kind: Some("project".into()),
            aliases: vec![format!("orchard-{agent}-{n}"), format!("the tree {n}")],
            summary: Some(format!(
                "Number {n} of the projects that agent {agent} knows: a parser, its tests, and the notes about both."
            )),
            last_touched: Some(jiff::civil::date(2026, 6, 1 + (n % 28) as i8)),
            tags: vec!["project".into(), "rust".into()],
            visibility: Some(if n % 50 == 0 { Visibility::Private } else { Visibility::Team }),
            ..Entity::default()
        });
    }
    for n in 0..entities / 10 {
        manifest.sessions.push(Session {
            date: Some(jiff::civil::date(2026, 6, 1 + (n % 28) as i8)),
            cwd: Some(format!("/home/me/work/orchard-{n}")),
            project_focus: vec![format!("Orchard {agent} {}", n + 1)],
            key_actions: vec!["Fixed the tokenizer.".into(), "Ran the tests.".into()],
            files_touched: vec![format!("src/file_{n}.rs")],
            visibility: Some(Visibility::Team),
            ..Session::default()
        });
    }
    manifest
}

fn library(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("agents")).unwrap();
    let mut bytes = 0;
    for agent in 0..10 {
        let manifest = manifest(agent, 1_000);
        let yaml = to_yaml(&manifest);
        bytes += yaml.len();
        std::fs::write(
            folder.path().join("agents").join(manifest.agent.id.file_name()),
            yaml,
        )
        .unwrap();
    }
    println!("10 manifests of 1,000 entities: {bytes} bytes");
    let library = Library::open(folder.path());
    let one = library.manifest_files().unwrap().remove(0);
    let loaded = library.load().unwrap();
    let team = loaded.view(&Caller::local_agent(AccessLevel::Team));
    let mut group = criterion.benchmark_group("library");
    group.sample_size(20);
    group.bench_function("load 10 x 1,000 again", |b| {
        b.iter(|| black_box(library.load().unwrap()));
    });
    group.bench_function("read 1,000", |b| {
        b.iter(|| black_box(read_manifest(&one).unwrap()));
    });
    group.bench_function("entities for the person", |b| {
        b.iter(|| black_box(loaded.view(&Caller::person()).entities().len()));
    });
    group.bench_function("entities for the team, 600 names withheld", |b| {
        b.iter(|| {
            black_box(
                loaded
                    .view(&Caller::local_agent(AccessLevel::Team))
                    .entities()
                    .len(),
            )
        });
    });
    group.bench_function("names", |b| {
        b.iter(|| black_box(loaded.view(&Caller::person()).names()));
    });
    group.bench_function("find, rows known", |b| {
        b.iter(|| black_box(find(&team, "orchard 3 7", None)));
    });
    group.bench_function("validate 1,000", |b| {
        b.iter(|| black_box(validate_file(&one).unwrap()));
    });
    group.bench_function("write as text, 1,000", |b| {
        let manifest = manifest(0, 1_000);
        b.iter(|| black_box(to_yaml(&manifest)));
    });
}

criterion_group!(benches, library);
criterion_main!(benches);
