//! The cache of what was read: never another answer than the file's.

use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use jiff::tz::TimeZone;
use ken_edicts::{NewEdict, Store, parsed_files};
use ken_files::Clock;
use proptest::prelude::*;

use crate::files::{Choices, valid_yaml};
use crate::support::{EXAMPLE, Project, clock_at, noon};

/// Everything that a file can say: good edicts, a bad one, a history, limits, dates without a time, findings.
const RICH: &str = "version: 1
config: {maxEdicts: 5, categories: [date, port], categoryLimits: {port: 3}, defaultCategoryLimit: 9}
edicts:
  - id: launch
    key: launch
    text: \"Launch is on 2026-12-24.\"
    category: Dates
    tags: [Ships, ships, ports]
    ttl: event
    expiresAt: 2026-12-24
    created: 2026-01-02
    lastAccessed: 2026-01-03
  - text: it says neither when nor by whom
    category: port
  - {id: e_007, text: no category}
  - {id: launch, text: the id is taken, category: port, ttl: ephemeral, created: \"2026-01-02T00:00:00Z\"}
  - {id: e_009, text: permanent, category: port, ttl: permanent, expiresAt: 2027-01-01, colour: red}
history:
  - {id: e_001__1700000000000_1, text: was, supersededBy: removed, archivedAt: 2026-01-01, tags: [a]}
  - {text: without an id}
";

/// Longer than any tick of a file system's clock.
fn settle() {
    std::thread::sleep(Duration::from_millis(150));
}

/// What is read at a time, in a zone; every field of it.
fn said(store: &Store, clock: &Clock) -> String {
    format!("{:#?}\n{:#?}", store.load(clock), store.standing(clock))
}

fn without_cache(project: &Project, clock: &Clock) -> String {
    let alone = Store::new(&project.path, None);
    format!("{:#?}\n{:#?}", alone.load(clock), alone.standing(clock))
}

fn caches(project: &Project) -> Vec<PathBuf> {
    let folder = project.folder.path().join("state/edicts");
    let Ok(files) = fs::read_dir(folder) else {
        return Vec::new();
    };
    files
        .map(|file| file.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "cache"))
        .collect()
}

/// How many files are parsed while this is done.
fn parsed(work: impl FnOnce()) -> u64 {
    let before = parsed_files();
    work();
    parsed_files() - before
}

#[test]
fn a_fresh_cache_says_what_the_file_says_and_nothing_is_parsed() {
    for text in [EXAMPLE, RICH, "", "version: 1\nedicts: []\n"] {
        let project = Project::yaml(text);
        settle();
        let expected = without_cache(&project, &noon());
        assert_eq!(said(&project.store, &noon()), expected);
        let parsed = parsed(|| assert_eq!(said(&project.store, &noon()), expected));
        assert_eq!((parsed, caches(&project).len()), (0, 1));
    }
}

#[test]
fn what_is_now_and_what_is_a_day_goes_by_the_clock_that_asks() {
    let project = Project::yaml(RICH);
    settle();
    let berlin = || TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
    let clocks = [
        noon(),
        clock_at("2030-01-01T00:00:00Z"),
        Clock::pinned("2025-03-20T12:00:00Z".parse().unwrap(), berlin()),
    ];
    for clock in clocks.iter().chain(&clocks).chain(clocks.iter().rev()) {
        assert_eq!(said(&project.store, clock), without_cache(&project, clock));
    }
    // Without a creation, a short life starts whenever it is read.
    fs::write(
        &project.path,
        "version: 1\nedicts: [{id: a, text: x, category: c, ttl: ephemeral}]\n",
    )
    .unwrap();
    for clock in &clocks {
        assert_eq!(said(&project.store, clock), without_cache(&project, clock));
    }
}

#[test]
fn every_change_is_seen_at_once() {
    let project = Project::yaml("");
    for number in 0..200 {
        // Of one length, several within a tick of the clock.
        let text = format!("version: 1\nedicts: [{{id: e_001, text: number {number:03}, category: port}}]\n");
        fs::write(&project.path, text).unwrap();
        let edicts = project.load();
        assert_eq!(edicts.edicts[0].text, format!("number {number:03}"));
    }
    settle();
    project.load();
    assert_eq!(parsed(|| drop(project.load())), 0);
    // Another file at its place, of the same length and the same time of modification.
    let modified = fs::metadata(&project.path).unwrap().modified().unwrap();
    let other = project.path.with_extension("other");
    fs::write(&other, project.text().replace("number 199", "number two")).unwrap();
    let file = fs::File::options().write(true).open(&other).unwrap();
    file.set_modified(modified).unwrap();
    fs::rename(&other, &project.path).unwrap();
    assert_eq!(project.load().edicts[0].text, "number two");
    project.add(NewEdict::new("One more.", "port")).unwrap();
    assert_eq!(project.load().edicts.len(), 2);
}

#[test]
fn a_broken_file_is_broken_from_the_cache_too() {
    let project = Project::yaml(EXAMPLE);
    project.load();
    project.store.standing(&noon()).unwrap();
    fs::write(&project.path, "edicts: [\n").unwrap();
    settle();
    let first = said(&project.store, &noon());
    assert!(first.contains("Parse") && first.contains("problem: Some"));
    // The last good copy is JSON, and read whenever it is needed.
    let parsed = parsed(|| drop(project.store.load(&noon())));
    assert_eq!(parsed, 0);
    assert_eq!(said(&project.store, &noon()), first);
    fs::write(&project.path, EXAMPLE).unwrap();
    assert_eq!(said(&project.store, &noon()), without_cache(&project, &noon()));
    // Without a file there is none, whatever is kept of it.
    fs::remove_file(&project.path).unwrap();
    assert_eq!(said(&project.store, &noon()), without_cache(&project, &noon()));
}

#[test]
fn a_damaged_cache_is_none_and_is_made_again() {
    let project = Project::yaml(RICH);
    settle();
    let expected = without_cache(&project, &noon());
    assert_eq!(said(&project.store, &noon()), expected);
    let cache = caches(&project).remove(0);
    let whole = fs::read(&cache).unwrap();
    let step = 1 + whole.len() / 60;
    for at in (0..whole.len()).step_by(step) {
        let mut changed = whole.clone();
        changed[at] ^= 0x11;
        for damaged in [&whole[..at], &changed] {
            fs::write(&cache, damaged).unwrap();
            assert_eq!(said(&project.store, &noon()), expected, "byte {at}");
        }
    }
    fs::remove_file(&cache).unwrap();
    assert_eq!(said(&project.store, &noon()), expected);
    assert!(fs::read(&cache).unwrap() == whole);
    // Another file's cache, or one from another machine, in its place.
    let other = Project::yaml("version: 1\nedicts: [{id: e_001, text: foreign, category: port}]\n");
    other.load();
    fs::copy(caches(&other).remove(0), &cache).unwrap();
    assert_eq!(said(&project.store, &noon()), expected);
    fs::copy(caches(&other).remove(0), cache.with_file_name("beside")).unwrap();
    assert_eq!(said(&project.store, &noon()), expected);
}

#[test]
fn a_state_folder_that_cannot_be_written_costs_only_time() {
    let project = Project::yaml(RICH);
    settle();
    let expected = without_cache(&project, &noon());
    fs::write(project.folder.path().join("state"), "not a folder").unwrap();
    for _ in 0..2 {
        assert_eq!(said(&project.store, &noon()), expected);
    }
}

#[cfg(unix)]
#[test]
fn a_cache_is_for_its_owner_alone_and_no_way_around_the_containment() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::yaml(EXAMPLE);
    settle();
    project.load();
    let mode = fs::metadata(caches(&project).remove(0))
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    // The same file, reached by a link that a repository put there.
    let repo = project.folder.path().join("other");
    fs::create_dir(&repo).unwrap();
    let link = repo.join("edicts.yaml");
    std::os::unix::fs::symlink(&project.path, &link).unwrap();
    let store = Store::new(&link, Some(project.folder.path().join("state"))).within(&repo);
    assert!(matches!(
        store.load(&noon()),
        Err(ken_edicts::Error::Outside { .. })
    ));
    // Reached under a name of the other format it is read in that format.
    let json = project.path.with_extension("json");
    std::os::unix::fs::symlink(&project.path, &json).unwrap();
    let store = Store::new(&json, Some(project.folder.path().join("state")));
    let alone = Store::new(&json, None);
    assert_eq!(
        format!("{:?}", store.load(&noon())),
        format!("{:?}", alone.load(&noon()))
    );
    assert!(project.store.load(&noon()).is_ok());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_file_is_read_the_same_with_and_without(bytes in proptest::collection::vec(any::<u8>(), 0..160)) {
        let project = Project::yaml(&valid_yaml(&mut Choices::new(&bytes)).text);
        let expected = without_cache(&project, &noon());
        for _ in 0..2 {
            prop_assert_eq!(&said(&project.store, &noon()), &expected);
        }
    }

    #[test]
    fn any_bytes_are_read_the_same_with_and_without(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
        let project = Project::without_file("edicts.yaml");
        fs::write(&project.path, bytes).unwrap();
        let expected = without_cache(&project, &noon());
        for _ in 0..2 {
            prop_assert_eq!(&said(&project.store, &noon()), &expected);
        }
    }
}
