//! Checkouts and branches of one log whose writers work at one moment, and are merged by git.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use ken_dotagent::{EventId, Folder};

use super::{Project, clock, said};

/// Everybody's clock stands still here.
const NOW: &str = "2026-05-13T12:00:00Z";

fn git(folder: &Path, arguments: &[&str]) {
    let output = Command::new("git")
        .args([
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@example.org",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {said}");
}

fn commit(folder: &Path) {
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-qm", "notes"]);
}

/// Some writers at once, each through a handle of its own, as processes have; what was acknowledged to them.
fn write(root: &Path, name: &str, writers: usize, events: usize) -> Vec<(EventId, String)> {
    let work = |writer: usize| {
        let folder = Folder::open(root).unwrap().unwrap();
        let learn = |number: usize| {
            // Every other text is the same for all.
            let text = match number % 2 {
                0 => format!("note {number} of everybody"),
                _ => format!("note {number} of writer {writer} in {name}"),
            };
            let learned = folder.learn(said(&text), &clock(NOW)).unwrap();
            (learned.event.id, text)
        };
        (0..events).map(learn).collect::<Vec<_>>()
    };
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..writers)
            .map(|writer| scope.spawn(move || work(writer)))
            .collect();
        let done = threads.into_iter().map(|thread| thread.join().unwrap());
        done.flatten().collect()
    })
}

#[test]
fn no_two_events_of_merged_checkouts_and_branches_hold_one_id() {
    if Command::new("git").arg("--version").output().is_err() {
        return;
    }
    let project = Project::new();
    let root = project.root();
    git(root, &["init", "-q"]);
    let mut acknowledged = write(root, "the first", 2, 4);
    commit(root);

    // Checkouts that all begin with the same last id.
    let elsewhere = tempfile::tempdir().unwrap();
    let checkouts: Vec<_> = (0..3).map(|n| elsewhere.path().join(format!("c{n}"))).collect();
    for checkout in &checkouts {
        git(root, &["clone", "-q", ".", checkout.to_str().unwrap()]);
    }
    std::thread::scope(|scope| {
        let threads: Vec<_> = checkouts
            .iter()
            .map(|checkout| scope.spawn(move || write(checkout, checkout.to_str().unwrap(), 2, 10)))
            .collect();
        for thread in threads {
            acknowledged.extend(thread.join().unwrap());
        }
    });
    // And branches of one checkout, the second of which knows nothing of the first.
    for branch in ["one", "two"] {
        git(root, &["checkout", "-qb", branch, "main"]);
        acknowledged.extend(write(root, branch, 2, 10));
        commit(root);
    }
    git(root, &["checkout", "-q", "main"]);
    acknowledged.extend(write(root, "main", 2, 10));
    commit(root);

    git(root, &["merge", "-q", "--no-edit", "one"]);
    git(root, &["merge", "-q", "--no-edit", "two"]);
    for checkout in &checkouts {
        commit(checkout);
        git(
            root,
            &[
                "pull",
                "-q",
                "--no-rebase",
                "--no-edit",
                checkout.to_str().unwrap(),
                "main",
            ],
        );
    }
    acknowledged.extend(write(root, "after the merge", 2, 10));

    let log = project.folder.read().unwrap();
    assert_eq!((log.skipped_count, log.duplicate_ids_count), (0, 0));
    let texts: BTreeMap<EventId, &str> = log
        .events
        .iter()
        .map(|logged| (logged.event.id, logged.event.content.as_str()))
        .collect();
    assert_eq!(acknowledged.len(), 2 * 4 + 2 * 10 * (3 + 2 + 1 + 1));
    let ids: BTreeSet<EventId> = acknowledged.iter().map(|(id, _)| *id).collect();
    assert_eq!(ids.len(), acknowledged.len(), "each event has an id of its own");
    for (id, text) in &acknowledged {
        assert_eq!(texts.get(id), Some(&text.as_str()), "{id}");
    }
    assert_eq!(texts.len(), acknowledged.len());
    // The search over the log sees the same events, with segments of before the merge or without.
    let index = project.folder.index().unwrap();
    assert!(acknowledged.iter().all(|(id, _)| index.with_id(*id).is_some()));
}
