use std::collections::HashMap;

use ken_dotagent::{Folder, Learned, Observation};

use super::{Project, clock, keyed, line, noon, said};

fn recurrence(project: &Project, content: &str) -> u64 {
    project
        .folder
        .learn(said(content), &noon())
        .unwrap()
        .event
        .recurrence
}

#[test]
fn a_text_that_comes_again_is_counted() {
    let project = Project::new();
    assert_eq!(recurrence(&project, "Use pnpm, not npm"), 0);
    assert_eq!(recurrence(&project, "use PNPM not npm."), 1);
    assert_eq!(recurrence(&project, "something else"), 0);
    assert_eq!(recurrence(&project, "use pnpm -- not npm"), 2);
    assert_eq!(recurrence(&project, "…"), 0);
    assert_eq!(recurrence(&project, "?"), 0);
    assert_eq!(recurrence(&project, "…"), 1);
    // From another process, which has only the disk.
    let other = Folder::open(project.root()).unwrap().unwrap();
    assert_eq!(
        other
            .learn(said("use pnpm not npm"), &noon())
            .unwrap()
            .event
            .recurrence,
        3
    );
    assert_eq!(recurrence(&project, "use pnpm not npm"), 4);
}

#[test]
fn the_highest_earlier_count_is_followed() {
    let at = "2026-05-13T12:00:00Z";
    let high = line(1, at, "old").replace("\"recurrence\":0", "\"recurrence\":41");
    let most = line(2, at, "most").replace("\"recurrence\":0", "\"recurrence\":18446744073709551615");
    let project = Project::with_log(format!("{high}\n{}\n{most}\n", line(3, at, "old")));
    assert_eq!(recurrence(&project, "old"), 42);
    assert_eq!(recurrence(&project, "most"), u64::MAX);
}

/// A word that is not repeated, so that a few events fill the table.
fn filler(n: usize) -> String {
    format!("{n} {}", "lorem ipsum dolor sit amet ".repeat(40))
}

#[test]
fn counts_hold_through_the_table_and_without_it() {
    let project = Project::new();
    let mut counts: HashMap<String, u64> = HashMap::new();
    let table = project.folder.path().join(".dreamd/ken/repeats-2.table");
    for n in 0..120 {
        // A process of many learns, and processes of one.
        let folder = if n % 3 == 0 {
            Folder::open(project.root()).unwrap().unwrap()
        } else {
            project.folder.clone()
        };
        let content = filler(n % 37);
        let learned = folder.learn(said(&content), &noon()).unwrap();
        let expected = counts.entry(content).or_default();
        assert_eq!(learned.event.recurrence, *expected, "{n}");
        assert_eq!(learned.line, n as u64 + 1);
        *expected += 1;
        match n {
            60 => assert!(table.metadata().unwrap().len() > 0, "the table has been made"),
            70 => std::fs::remove_file(&table).unwrap(),
            80 => std::fs::write(&table, "damaged").unwrap(),
            _ => {}
        }
    }
    let bytes = std::fs::read(&table).unwrap();
    assert!(bytes.starts_with(b"kenrep"), "and was made again");
}

#[test]
fn a_log_that_git_replaced_is_counted_anew() {
    let project = Project::new();
    for n in 0..60 {
        recurrence(&project, &filler(n));
    }
    let kept: String = project
        .log_text()
        .lines()
        .take(30)
        .map(|line| format!("{line}\n"))
        .collect();
    let checkout = project.root().join("checkout");
    std::fs::write(&checkout, kept).unwrap();
    std::fs::rename(checkout, project.folder.log_path()).unwrap();
    assert_eq!(recurrence(&project, &filler(3)), 1);
    assert_eq!(
        recurrence(&project, &filler(50)),
        0,
        "that one is on another branch"
    );
    let learned = project.folder.learn(said(&filler(50)), &noon()).unwrap();
    assert_eq!((learned.event.recurrence, learned.line), (1, 33));
}

#[test]
fn a_big_log_becomes_known_over_some_calls() {
    let at = "2026-05-13T11:00:00Z";
    let long = |n: u32| format!("{n} {}", "x".repeat(3_000));
    let lines: String = (0..120).map(|n| line(n, at, &long(n)) + "\n").collect();
    assert!((300_000..448_000).contains(&lines.len()));
    let project = Project::with_log(&lines);
    let other = || Folder::open(project.root()).unwrap().unwrap();
    let first = other().learn(said(&long(119)), &noon()).unwrap();
    assert_eq!((first.event.recurrence, first.line), (0, 121), "not known yet");
    for n in 0..6 {
        assert_eq!(other().learn(said("now"), &noon()).unwrap().line, 122 + n);
    }
    assert_eq!(
        other().learn(said(&long(119)), &noon()).unwrap().event.recurrence,
        1
    );
    assert_eq!(
        other().learn(said(&long(7)), &noon()).unwrap().event.recurrence,
        1
    );
}

#[test]
fn a_dedup_key_holds_while_the_table_lags() {
    // Half a megabyte of which the table knows nothing, then a part, then all: the keys hold at every step.
    let at = "2026-05-13T11:00:00Z";
    let key = |n: u32| format!("\"pinned\":false,\"client_dedup_key\":\"key {n}\"");
    let lines: String = (0..160)
        .map(|n| line(n, at, &filler(n as usize * 3)).replace("\"pinned\":false", &key(n)) + "\n")
        .map(|line| line.replace("lorem ipsum", "lorem ipsum and so on and on and on"))
        .collect();
    assert!(lines.len() > 300_000, "{}", lines.len());
    let project = Project::with_log(&lines);
    for step in 0..12 {
        for n in [0, 11, 80, 158 - step, 159_u32] {
            let folder = Folder::open(project.root()).unwrap().unwrap();
            let learned = folder.learn(keyed("x", &format!("key {n}")), &noon()).unwrap();
            assert!(learned.deduplicated, "{step}: key {n}");
            assert_eq!(learned.line, u64::from(n) + 1);
        }
        let folder = Folder::open(project.root()).unwrap().unwrap();
        let new = keyed("new", &format!("new {step}"));
        assert!(!folder.learn(new.clone(), &noon()).unwrap().deduplicated);
        let folder = Folder::open(project.root()).unwrap().unwrap();
        assert!(folder.learn(new, &noon()).unwrap().deduplicated, "{step}");
    }
    assert_eq!(project.log_text().lines().count(), 172);
}

#[test]
fn a_dedup_key_holds_for_a_day_in_every_process() {
    let project = Project::new();
    let first = project.learn_at(keyed("deploy failed", "job-7"), "2026-05-13T12:00:00Z");
    assert!(!first.deduplicated);
    let again = project.learn_at(keyed("deploy failed, again", "job-7"), "2026-05-14T11:59:59.999Z");
    assert!(again.deduplicated);
    assert_eq!((&again.event, again.line), (&first.event, 1));
    let other = Folder::open(project.root()).unwrap().unwrap();
    assert!(other.learn(keyed("x", "job-7"), &noon()).unwrap().deduplicated);
    assert!(!other.learn(keyed("x", "job-8"), &noon()).unwrap().deduplicated);
    let later = project.learn_at(keyed("deploy failed", "job-7"), "2026-05-14T12:00:00Z");
    assert!(!later.deduplicated);
    let again = project.learn_at(keyed("deploy failed", "job-7"), "2026-05-14T12:00:01Z");
    assert_eq!((again.deduplicated, again.event.id), (true, later.event.id));
    assert_eq!(project.log_text().lines().count(), 3);
}

#[test]
fn dedup_keys_are_found_wherever_they_stand() {
    // The table covers the keys, then a merge puts older lines behind newer ones.
    let project = Project::new();
    for n in 0..60 {
        assert!(
            !project
                .learn_at(keyed(&filler(n), &format!("key {n}")), "2026-05-13T12:00:00Z")
                .deduplicated
        );
    }
    let fresh = || Folder::open(project.root()).unwrap().unwrap();
    let old = line(700, "2026-05-01T12:00:00Z", "old").replace(
        "\"pinned\":false",
        "\"pinned\":false,\"client_dedup_key\":\"key 5\"",
    );
    project.write_log(project.log_text() + &old + "\n");
    for n in 60..120 {
        project.learn_at(keyed(&filler(n), &format!("key {n}")), "2026-05-13T12:00:00Z");
    }
    let mut lines = Vec::new();
    for n in [0, 5, 30, 59, 61, 100, 119] {
        let learned = fresh().learn(keyed("x", &format!("key {n}")), &noon()).unwrap();
        assert!(learned.deduplicated, "key {n}");
        assert_eq!(learned.event.content, filler(n).trim());
        lines.push(learned.line);
    }
    assert_eq!(lines, [1, 6, 31, 60, 63, 102, 121]);

    // Escapes, a last line without its newline, a table of another log: the words of the log decide.
    let escaped = line(800, "2026-05-13T11:00:00Z", "escaped").replace(
        "\"pinned\":false",
        "\"pinned\":false, \"client_dedup_key\" : \"k\\u0065y \\\"e\\\"\"",
    );
    project.write_log(format!("{old}\n{escaped}"));
    assert!(
        fresh()
            .learn(keyed("x", "key \"e\""), &noon())
            .unwrap()
            .deduplicated
    );
    assert!(
        !fresh()
            .learn(keyed("x", "key 119"), &noon())
            .unwrap()
            .deduplicated
    );
    assert!(
        !fresh().learn(keyed("x", "key 5"), &noon()).unwrap().deduplicated,
        "too old"
    );
    assert_eq!(project.log_text().lines().count(), 4);
}

#[test]
fn a_key_of_the_future_counts_as_now() {
    let project = Project::new();
    project.learn_at(keyed("a", "k"), "2027-01-01T00:00:00Z");
    assert!(
        project
            .learn_at(keyed("a", "k"), "2026-05-13T12:00:00Z")
            .deduplicated
    );
}

#[test]
fn ids_follow_the_log_whoever_writes() {
    let project = Project::new();
    let mut last = None;
    for n in 0..20 {
        let folder = Folder::open(project.root()).unwrap().unwrap();
        // Clocks of different processes differ a little.
        let at = format!("2026-05-13T12:0{}:00Z", [3, 0, 4, 1][n % 4]);
        let id = folder.learn(said("x"), &clock(&at)).unwrap().event.id;
        assert!(Some(id) > last);
        last = Some(id);
    }
    // A clock that went wrong by a year does not carry the ids with it.
    let far = project.learn_at(said("x"), "2027-05-13T12:00:00Z").event.id;
    let back = project.learn_at(said("x"), "2026-05-13T12:10:00Z").event.id;
    assert!(back < far && Some(back) > last);
}

#[test]
fn no_two_writers_give_a_text_the_same_count() {
    let project = Project::new();
    let learn = || {
        let folder = Folder::open(project.folder.root()).unwrap().unwrap();
        let count = |_| folder.learn(said("the same"), &noon()).unwrap().event.recurrence;
        (0..10).map(count).collect::<Vec<u64>>()
    };
    let mut counts: Vec<u64> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..3).map(|_| scope.spawn(learn)).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    counts.sort_unstable();
    assert_eq!(counts, (0..30).collect::<Vec<u64>>());
}

#[test]
fn threads_of_one_process_share_a_folder() {
    let project = Project::new();
    let learned: Vec<Learned> = std::thread::scope(|scope| {
        let work = |n: usize| {
            let folder = project.folder.clone();
            move || -> Vec<Learned> {
                let texts = (0..20).map(|k| {
                    if k % 4 == 0 {
                        filler(k)
                    } else {
                        format!("{n} {}", filler(k))
                    }
                });
                texts
                    .map(|text| folder.learn(said(&text), &noon()).unwrap())
                    .collect()
            }
        };
        let threads: Vec<_> = (0..4).map(|n| scope.spawn(work(n))).collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().unwrap())
            .collect()
    });
    let log = project.folder.read().unwrap();
    assert_eq!((log.events.len(), log.skipped_count), (80, 0));
    for one in learned {
        let found = log.get(one.event.id).unwrap();
        assert_eq!((&found.event, found.line), (&one.event, one.line));
    }
    let ids: Vec<_> = log.events.iter().map(|logged| logged.event.id).collect();
    assert!(ids.is_sorted());
    let next = project.folder.learn(said(&filler(4)), &noon()).unwrap();
    assert!(
        (1..=4).contains(&next.event.recurrence),
        "{}",
        next.event.recurrence
    );
}

#[test]
fn observations_come_with_their_defaults() {
    let observation = Observation::new("x", "cli");
    assert_eq!((observation.pain, observation.importance), (5.0, 5.0));
}
