//! Caches never change an answer, whatever becomes of them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use ken_library::questions::find;
use ken_library::{AccessLevel, Caller, Library, View};
use ken_text::recognise::{NamesBuilder, Reading};

use crate::setting::{HEAD, Shelf};

const TEXT: &str =
    "Did Zeus see Orchard 7, the old orchard or Kenning? Ask Hera about Project Thunder and beta.";

/// Everything of this view that somebody could see.
fn answers(view: &View) -> String {
    let none = NamesBuilder::new().finish().open();
    let named: Vec<String> = view
        .names_in(TEXT, Reading::Names, &none)
        .into_iter()
        .map(|named| format!("{:?} {}", named.span, named.bearers.len()))
        .collect();
    let forbidden = ["Zeus", "Hera", "Orchard 7", "Project Thunder", "Falcon"].map(|name| {
        (
            view.forbidden().mentioned_in(name),
            view.forbidden().names_it(name),
        )
    });
    serde_json::to_string(&(
        (
            named,
            forbidden,
            find(view, "orchard 7", None),
            find(view, "Zeus", None),
        ),
        (
            view.agents(),
            view.entities(),
            view.workstreams(),
            view.sessions(),
            view.notes(),
        ),
    ))
    .unwrap()
}

/// The same for several callers, and what could not be read.
fn all(library: &Library) -> String {
    let loaded = library.load().unwrap();
    let callers = [
        Caller::person(),
        Caller::local_agent(AccessLevel::Team),
        Caller::remote(AccessLevel::Public),
    ];
    let mut all: Vec<String> = callers.map(|caller| answers(&loaded.view(&caller))).into();
    all.extend(loaded.failures.iter().map(|failure| failure.error.to_string()));
    all.extend(loaded.findings().map(ToString::to_string));
    all.join("\n")
}

/// What a load says that knows no caches and makes none.
fn without_caches(root: &Path) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("agents")).unwrap();
    for entry in fs::read_dir(root.join("agents")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(
            &path,
            folder.path().join("agents").join(path.file_name().unwrap()),
        )
        .unwrap();
    }
    fs::write(folder.path().join(".ken"), "").unwrap();
    let said = all(&Library::open(folder.path()));
    said.replace(&folder.path().display().to_string(), &root.display().to_string())
}

fn entities(count: usize) -> String {
    let rows = (0..count).map(|n| {
        format!("- {{name: Orchard {n}, aliases: [orchard-{n}, the old orchard], summary: number {n} of the orchards that are known here, visibility: team}}\n")
    });
    format!("known_entities:\n{}", rows.collect::<String>())
}

fn shelf() -> Shelf {
    let shelf = Shelf::new();
    shelf.agent(
        "alpha",
        "known_entities:
- {name: Zeus, aliases: [Project Thunder], visibility: private}
- {name: Hera, visibility: private}
- {name: Kenning, aliases: [zeus-board, ken], supersedes: [Lampwick], visibility: public}
- {aliases: [Falcon]}
notes:
- {date: '2026-01-01', text: 'a note on Project  Thunder', visibility: public}
- {date: '2026-01-02', text: 'a note that is long enough to be told by its place', x-seen: [Zeus], visibility: public}
",
    );
    shelf.agent("beta", &entities(20));
    shelf.agent("gamma", "known_entities:\n- {name: hera, visibility: public}\n");
    shelf.put("broken.l5.yaml", "spec_version: \"0.1\"\nagent: [\n");
    shelf
}

fn cache(shelf: &Shelf) -> PathBuf {
    shelf.folder.path().join(".ken/cache")
}

/// The files of the caches with what stands in them.
fn kept(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files
        .filter(|path| {
            path.extension()
                .is_some_and(|ending| ["rows", "base", "delta"].iter().any(|e| ending == *e))
        })
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect()
}

fn settle() {
    std::thread::sleep(Duration::from_millis(150));
}

#[test]
fn with_caches_and_without_them_the_answers_are_the_same() {
    let shelf = shelf();
    let wanted = without_caches(shelf.folder.path());
    assert!(wanted.contains("Orchard 7") && wanted.contains("broken.l5.yaml:"));
    for _ in 0..3 {
        assert_eq!(all(&shelf.library), wanted);
        settle();
    }
    let names: Vec<String> = kept(&cache(&shelf))
        .keys()
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    assert!(
        names.starts_with(&[
            "alpha.v2.rows".into(),
            "beta.v2.rows".into(),
            "gamma.v2.rows".into()
        ]),
        "{names:?}"
    );
    assert!(names.contains(&"names.v2.base".into()), "{names:?}");
}

#[cfg(unix)]
#[test]
fn caches_are_for_their_owner_alone_and_for_no_repository() {
    use std::os::unix::fs::PermissionsExt;
    let shelf = shelf();
    shelf.load();
    for (path, _) in kept(&cache(&shelf)) {
        assert_eq!(
            fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600,
            "{path:?}"
        );
    }
    assert_eq!(
        fs::metadata(cache(&shelf)).unwrap().permissions().mode() & 0o777,
        0o700
    );
    assert_eq!(
        fs::read_to_string(cache(&shelf).join(".gitignore")).unwrap(),
        "*\n"
    );
}

#[test]
fn an_empty_or_absent_library_gets_no_caches() {
    let folder = tempfile::tempdir().unwrap();
    let absent = Library::open(folder.path().join("absent"));
    assert!(
        absent
            .load()
            .unwrap()
            .view(&Caller::person())
            .entities()
            .is_empty()
    );
    fs::create_dir(folder.path().join("agents")).unwrap();
    Library::open(folder.path()).load().unwrap();
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn damaged_caches_are_made_again_in_silence() {
    let shelf = shelf();
    let wanted = without_caches(shelf.folder.path());
    settle();
    shelf.load();
    let whole = kept(&cache(&shelf));
    for (path, bytes) in &whole {
        let mut damages: Vec<Vec<u8>> = vec![
            Vec::new(),
            bytes[..bytes.len() / 2].to_vec(),
            b"kencache".to_vec(),
        ];
        for at in (0..bytes.len()).step_by(1 + bytes.len() / 6) {
            let mut changed = bytes.clone();
            changed[at] ^= 0x21;
            damages.push(changed);
        }
        for damage in damages {
            fs::write(path, damage).unwrap();
            assert_eq!(all(&shelf.library), wanted, "{path:?}");
            assert_eq!(all(&shelf.library), wanted, "{path:?}, made again");
            for (path, bytes) in &whole {
                fs::write(path, bytes).unwrap();
            }
        }
        fs::remove_file(path).unwrap();
        fs::create_dir(path).unwrap();
        assert_eq!(all(&shelf.library), wanted, "a folder in the place of {path:?}");
        fs::remove_dir(path).unwrap();
        assert_eq!(all(&shelf.library), wanted, "without {path:?}");
    }
}

#[test]
fn caches_of_another_library_are_not_believed() {
    let (shelf, other) = (shelf(), Shelf::new());
    other.agent("alpha", "known_entities:\n- {name: Other, visibility: public}\n");
    other.agent("beta", &entities(3).replace("Orchard", "Other"));
    settle();
    other.load();
    shelf.load();
    let wanted = without_caches(shelf.folder.path());
    for (path, _) in kept(&cache(&other)) {
        fs::copy(&path, cache(&shelf).join(path.file_name().unwrap())).unwrap();
    }
    assert_eq!(all(&shelf.library), wanted);
    // A library that was moved keeps its folders, and its caches.
    let moved = shelf.folder.path().with_extension("moved");
    fs::rename(shelf.folder.path(), &moved).unwrap();
    let said = all(&Library::open(&moved));
    fs::rename(&moved, shelf.folder.path()).unwrap();
    assert_eq!(said.replace(".moved/agents", "/agents"), wanted);
}

#[test]
fn where_nothing_can_be_written_everything_is_answered_from_memory() {
    for blocked in [".ken", ".ken/cache"] {
        let shelf = shelf();
        let path = shelf.folder.path().join(blocked);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "in the way").unwrap();
        let wanted = without_caches(shelf.folder.path());
        assert_eq!(all(&shelf.library), wanted);
        assert_eq!(fs::read_to_string(&path).unwrap(), "in the way");
    }
    // While another process writes, too.
    let shelf = shelf();
    shelf.load();
    let _lock = ken_files::Lock::try_acquire(&cache(&shelf).join("lock"), "a test")
        .unwrap()
        .unwrap();
    let before = kept(&cache(&shelf));
    shelf.agent("beta", &entities(30));
    assert_eq!(all(&shelf.library), without_caches(shelf.folder.path()));
    assert_eq!(kept(&cache(&shelf)), before);
}

/// A writer that is killed leaves some files as they were and others new: every such mixture is right.
#[test]
fn any_mixture_of_old_and_new_caches_answers_rightly() {
    let shelf = shelf();
    settle();
    shelf.load();
    let old = kept(&cache(&shelf));
    shelf.agent("beta", &entities(25).replace("team", "public"));
    fs::remove_file(shelf.path("gamma.l5.yaml")).unwrap();
    shelf.agent("omega", "known_entities:\n- {name: Zeus, visibility: public}\n");
    settle();
    shelf.load();
    let new = kept(&cache(&shelf));
    assert!(new.len() == 5 && old.len() == 4, "{:?}", new.keys());
    let wanted = without_caches(shelf.folder.path());
    let paths: Vec<&PathBuf> = old
        .keys()
        .chain(new.keys().filter(|path| !old.contains_key(*path)))
        .collect();
    for mixture in 0..1_u32 << paths.len() {
        for (at, path) in paths.iter().enumerate() {
            let from = if mixture >> at & 1 == 0 { &old } else { &new };
            match from.get(*path) {
                Some(bytes) => fs::write(path, bytes).unwrap(),
                None => drop(fs::remove_file(path)),
            }
        }
        assert_eq!(all(&shelf.library), wanted, "{mixture:b}");
    }
}

#[test]
fn what_is_gone_is_swept_and_other_versions_are_left_alone() {
    let shelf = shelf();
    settle();
    shelf.load();
    let folder = cache(&shelf);
    for name in ["names.v0.base", "beta.v0.rows", "gamma.v0.rows", "mine.txt"] {
        fs::write(folder.join(name), "another version's").unwrap();
    }
    fs::remove_file(shelf.path("gamma.l5.yaml")).unwrap();
    assert_eq!(all(&shelf.library), without_caches(shelf.folder.path()));
    let mut names: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    insta::assert_snapshot!(names.join(" "), @".gitignore alpha.v2.rows beta.v0.rows beta.v2.rows lock mine.txt names.v0.base names.v2.base names.v2.delta");
}

#[test]
fn a_change_that_does_not_show_is_seen_all_the_same() {
    let shelf = shelf();
    settle();
    shelf.load();
    let path = shelf.path("beta.l5.yaml");
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    // As long as before, and as old by its own word.
    let set = |name: &str, modified: SystemTime| {
        shelf.agent("beta", &entities(20).replace("Orchard", name));
        fs::File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_modified(modified)
            .unwrap();
    };
    for name in ["Archerd", "Orcherd", "Orchurd"] {
        set(name, modified);
        assert_eq!(all(&shelf.library), without_caches(shelf.folder.path()), "{name}");
    }
    // Files that change faster than their time does, and a clock that jumps.
    for round in 0..40_u64 {
        let times = [
            modified,
            SystemTime::UNIX_EPOCH,
            modified + Duration::from_secs(400_000_000),
        ];
        let name = format!("Orch{round:03}");
        set(&name, times[round as usize % 3]);
        let view = shelf.load().view(&Caller::person());
        assert_eq!(view.rows_called(&format!("orch{round:03} 7")).len(), 1, "{name}");
        assert_eq!(view.entities()[3].name, format!("{name} 0"));
    }
    settle();
    assert_eq!(all(&shelf.library), without_caches(shelf.folder.path()));
}

#[test]
fn a_view_goes_on_with_the_library_as_it_is_when_a_manifest_changed() {
    let shelf = shelf();
    let view = shelf.load().view(&Caller::local_agent(AccessLevel::Team));
    assert!(!view.forbidden().mentioned_in("Orchard 7"));
    shelf.agent(
        "beta",
        &entities(20).replace("visibility: team", "visibility: private"),
    );
    // The rows of the old manifest cannot be read any more, and those of the new one are judged by its own names.
    let names: Vec<&str> = view.entities().iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["Kenning", "hera"]);
    assert!(view.forbidden().mentioned_in("Orchard 7"));
    assert!(find(&view, "Orchard 7", None).things.is_empty());
}

#[test]
fn every_load_sees_a_state_that_was() {
    let shelf = Shelf::new();
    let rows = |version: u32| entities(12).replace("known here", &format!("known in version {version:06}"));
    let write = |agent: &str, version: u32| {
        let head = HEAD.replace("id: sample", &format!("id: {agent}"));
        let text = format!("{head}{}", rows(version));
        ken_files::replace(
            &shelf.path(&format!("{agent}.l5.yaml")),
            text.as_bytes(),
            ken_files::NewFile::Private,
        )
        .unwrap();
    };
    for agent in ["one", "two", "three"] {
        write(agent, 0);
    }
    let (written, done) = (AtomicU32::new(0), AtomicBool::new(false));
    let version_of = |summary: &str| -> u32 { summary[summary.len() - 6..].parse().unwrap() };
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let mut loads = 0;
                    while !done.load(Ordering::Relaxed) {
                        let before = written.load(Ordering::SeqCst);
                        let loaded = Library::open(shelf.folder.path()).load().unwrap();
                        assert!(loaded.failures.is_empty());
                        let view = loaded.view(&Caller::person());
                        let found = view.rows_called("orchard 3");
                        assert_eq!(found.len(), 3);
                        let rows = view.entities();
                        assert_eq!(rows.len(), 36);
                        for manifest in rows.chunks(12) {
                            let version = version_of(manifest[0].summary.as_deref().unwrap());
                            assert!(
                                manifest
                                    .iter()
                                    .all(|row| version_of(row.summary.as_deref().unwrap()) == version)
                            );
                        }
                        let of_one = rows.iter().find(|row| row.agent().as_str() == "one").unwrap();
                        assert!(version_of(of_one.summary.as_deref().unwrap()) >= before);
                        loads += 1;
                    }
                    loads
                })
            })
            .collect();
        for version in 1..=150 {
            write("one", version);
            written.store(version, Ordering::SeqCst);
            write(if version % 2 == 0 { "two" } else { "three" }, version);
        }
        done.store(true, Ordering::Relaxed);
        for reader in readers {
            assert!(reader.join().unwrap() > 0);
        }
    });
}

#[test]
fn the_caches_of_a_library_take_at_most_half_of_its_room() {
    let shelf = Shelf::new();
    let words = [
        "amber", "basalt", "cedar", "delta", "ember", "flint", "garnet", "harbor", "iris", "jasper",
    ];
    for agent in 0..4_usize {
        let rows: String = (0..150_usize)
            .map(|n| {
                let word = |step: usize| words[(n * 7 + agent * 3 + step * step) % 10];
                let text: Vec<&str> = (0..14).map(word).collect();
                format!(
                    "- name: \"{} {} {}\"\n  type: project\n  aliases: [\"{}-{}-{}\"]\n  summary: \"{}.\"\n  tags: [active]\n  last_touched: \"2026-11-{:02}\"\n",
                    word(1), word(2), agent * 150 + n, word(1), word(2), agent * 150 + n, text.join(" "), 1 + n % 28,
                )
            })
            .collect();
        let sessions: String = (0..30)
            .map(|n| format!("- date: \"2026-11-{:02}\"\n  cwd: /home/dev/p{n}\n  project_focus: [\"p{n}\"]\n  key_actions: [\"fixed the parser of p{n} and ran its tests\"]\n", 1 + n % 28))
            .collect();
        shelf.agent(
            &format!("agent-{agent}"),
            &format!("known_entities:\n{rows}recent_sessions:\n{sessions}"),
        );
    }
    shelf.agent(
        "by-hand",
        "known_entities:
  - name: Kenning
    type: project
    summary: >
      The memory of all agents of a machine,
      as plain files.
    tags: [rust, memory]
  - {name: Lampwick, summary: 'What Kenning was called before its first release.', visibility: private}
notes:
  - date: '2026-11-01'
    text: |
      The importer wants a lock: two of them at once lose rows.
      See the report of last week.
",
    );
    shelf.load();
    let size = |folder: &Path| -> u64 {
        fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().metadata().unwrap().len())
            .sum()
    };
    let (caches, manifests) = (size(&cache(&shelf)), size(&shelf.folder.path().join("agents")));
    assert!(caches * 2 <= manifests, "{caches} of {manifests}");
}
