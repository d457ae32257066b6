use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use ken_edicts::{Limits, NewEdict, RenderFormat, Store, render};

use crate::support::{EXAMPLE, Project, noon};

fn twelve_at_once(project: &Project) {
    std::thread::scope(|scope| {
        for number in 0..12 {
            let store = project.store.clone();
            scope.spawn(move || {
                store
                    .add(
                        NewEdict::new(format!("fact {number}"), "release"),
                        &Limits::default(),
                        &noon(),
                    )
                    .unwrap()
            });
        }
    });
}

#[test]
fn twelve_adds_at_once_to_a_new_file_are_twelve_edicts() {
    let project = Project::without_file("edicts.yaml");
    twelve_at_once(&project);
    let edicts = project.load();
    assert_eq!(
        edicts
            .edicts
            .iter()
            .map(|edict| &edict.id)
            .collect::<HashSet<_>>()
            .len(),
        12
    );
    assert_eq!(
        edicts
            .edicts
            .iter()
            .map(|edict| &edict.text)
            .collect::<HashSet<_>>()
            .len(),
        12
    );
}

#[test]
fn twelve_adds_at_once_to_a_file_that_is_there_lose_nothing() {
    let project = Project::yaml(EXAMPLE);
    twelve_at_once(&project);
    let edicts = project.load();
    assert_eq!(
        edicts
            .edicts
            .iter()
            .map(|edict| &edict.id)
            .collect::<HashSet<_>>()
            .len(),
        15
    );
    assert!(
        project
            .text()
            .starts_with(EXAMPLE.split_once("\nhistory:").unwrap().0)
    );
}

#[test]
fn readers_see_whole_files_beside_a_writer() {
    let project = Project::yaml(EXAMPLE);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                let mut least = 0;
                while !done.load(Ordering::Relaxed) {
                    let edicts = project.store.load(&noon()).unwrap();
                    assert!(edicts.get("e_001", noon().now()).is_some());
                    let shown = render(&edicts, RenderFormat::Plain, None, noon().now()).shown;
                    assert!(shown >= least);
                    least = shown;
                }
            });
        }
        for number in 0..10 {
            project
                .add(NewEdict::new(format!("fact {number}"), "release"))
                .unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
    assert_eq!(project.load().edicts.len(), 13);
}

#[test]
fn two_names_of_one_file_have_one_lock() {
    let project = Project::yaml("version: 1\nedicts: []\n");
    let link = project.path.with_file_name("link.yaml");
    std::os::unix::fs::symlink(&project.path, &link).unwrap();
    let other = Store::new(&link, Some(project.folder.path().join("state")));
    std::thread::scope(|scope| {
        for number in 0..8 {
            let store = if number % 2 == 0 {
                project.store.clone()
            } else {
                other.clone()
            };
            scope.spawn(move || {
                store
                    .add(
                        NewEdict::new(format!("fact {number}"), "rule"),
                        &Limits::default(),
                        &noon(),
                    )
                    .unwrap()
            });
        }
    });
    assert_eq!(project.load().edicts.len(), 8);
    assert!(link.is_symlink());
}

#[test]
fn a_program_that_ignores_the_lock_loses_nothing() {
    // It appends by itself, over and over, while edicts are added here; each of its changes is whole.
    let project = Project::yaml("version: 1\nedicts:\n");
    let done = AtomicBool::new(false);
    let foreign = std::thread::scope(|scope| {
        let other = scope.spawn(|| {
            let mut written = 0;
            while !done.load(Ordering::Relaxed) {
                let before = project.text();
                let line =
                    format!("  - {{id: foreign_{written}, text: foreign {written}, category: rule}}\n");
                let temporary = project.path.with_file_name("foreign.tmp");
                std::fs::write(&temporary, format!("{before}{line}")).unwrap();
                // It too is careful, as an editor is: only a file that is still the same is replaced.
                if project.text() == before {
                    std::fs::rename(&temporary, &project.path).unwrap();
                    written += 1;
                }
                std::thread::sleep(std::time::Duration::from_millis(20));
            }
            written
        });
        for number in 0..5 {
            project
                .add(NewEdict::new(format!("fact {number}"), "rule"))
                .unwrap();
        }
        done.store(true, Ordering::Relaxed);
        other.join().unwrap()
    });
    assert!(foreign > 0);
    let edicts = project.store.load(&noon());
    assert!(edicts.is_ok(), "{edicts:?}\n{}", project.text());
}
