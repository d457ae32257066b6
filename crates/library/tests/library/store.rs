//! The one way in which a manifest is written.

use ken_library::{
    AgentType, Entity, Error, Note, Outcome, Session, Visibility, VisibilityPolicy, WorkStatus, Workstream,
    carry_committed, to_yaml, without_private,
};
use ken_secrets::Redacted;

use crate::setting::{HEAD, Shelf, clock, clock_at, day, id, manifest};

fn entity(name: &str) -> Entity {
    Entity {
        name: name.into(),
        ..Entity::default()
    }
}

#[test]
fn created_then_unchanged_then_replaced_with_the_old_bytes_kept() {
    let shelf = Shelf::new();
    let mut one = manifest("sample");
    one.entities.push(entity("A"));
    let written = shelf.write(&one, &clock());
    assert_eq!((written.outcome, written.version), (Outcome::Created, None));
    let first = std::fs::read(&written.path).unwrap();
    assert!(String::from_utf8_lossy(&first).contains("last_updated: \"2026-06-30T12:00:00Z\""));

    let later = clock_at("2026-07-01T00:00:00.5Z");
    let again = shelf.write(&one, &later);
    assert_eq!(again.outcome, Outcome::Unchanged);
    assert_eq!(std::fs::read(&again.path).unwrap(), first);

    one.entities.push(entity("B"));
    let replaced = shelf.write(&one, &later);
    assert_eq!(replaced.outcome, Outcome::Replaced);
    let version = replaced.version.unwrap();
    assert_eq!(std::fs::read(&version).unwrap(), first);
    let name = version.file_name().unwrap().to_string_lossy().into_owned();
    assert!(
        name.starts_with("20260701T000000Z-") && name.ends_with(".l5.yaml"),
        "{name}"
    );
    assert_eq!(name.len(), "20260701T000000Z-".len() + 8 + ".l5.yaml".len());
    assert!(version.parent().unwrap().ends_with("versions/sample"));
    let text = std::fs::read_to_string(&replaced.path).unwrap();
    assert!(text.contains("last_updated: \"2026-07-01T00:00:00Z\""), "{text}");
    assert_eq!(shelf.sample().entities.len(), 2);
    assert!(ken_library::validate_file(&replaced.path).unwrap().is_valid());
    assert!(ken_library::validate_file(&version).unwrap().is_valid());
}

#[test]
#[cfg(unix)]
fn what_is_new_is_the_owners_alone_and_what_was_there_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("agent-library");
    let library = ken_library::Library::open(&root);
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let write = |manifest: &ken_library::Manifest| {
        library
            .write(Redacted::new(manifest.clone()).0, &clock())
            .unwrap()
    };
    let mut one = manifest("sample");
    let written = write(&one);
    assert_eq!(mode(&root), 0o700);
    assert_eq!(mode(&root.join("agents")), 0o700);
    assert_eq!(mode(&written.path), 0o600);
    std::fs::set_permissions(&written.path, PermissionsExt::from_mode(0o640)).unwrap();
    one.capabilities.push("x".into());
    let written = write(&one);
    assert_eq!(mode(&written.path), 0o640);
    assert_eq!(mode(written.version.as_deref().unwrap()), 0o600);
}

#[test]
fn what_does_not_conform_is_not_written() {
    let shelf = Shelf::new();
    let path = shelf.agent("sample", "");
    let before = std::fs::read(&path).unwrap();
    let mut bad = manifest("sample");
    bad.notes.push(Note {
        text: "a note without a day".into(),
        ..Note::default()
    });
    let error = shelf.library.write(Redacted::new(bad).0, &clock()).unwrap_err();
    assert!(matches!(&error, Error::Invalid { rest: 0, .. }), "{error}");
    assert!(
        error
            .to_string()
            .contains("/notes/0 error: `date` is missing; add it"),
        "{error}"
    );
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert!(!shelf.folder.path().join("versions").exists());
}

#[test]
fn a_broken_manifest_is_replaced_and_its_bytes_are_kept() {
    let shelf = Shelf::new();
    shelf.put("sample.l5.yaml", "not: [yaml");
    let written = shelf.write(&manifest("sample"), &clock());
    assert_eq!(written.outcome, Outcome::Replaced);
    assert_eq!(std::fs::read(written.version.unwrap()).unwrap(), b"not: [yaml");
}

#[test]
fn what_a_killed_writer_left_goes_with_the_next_write() {
    let shelf = Shelf::new();
    let mut one = manifest("sample");
    shelf.write(&one, &clock());
    one.entities.push(entity("A"));
    let version = shelf.write(&one, &clock()).version.unwrap();
    let versions = version.parent().unwrap();
    let folders = [shelf.folder.path().join("agents"), versions.to_owned()];
    let left = |folder: &std::path::Path| folder.join(".ken-0123456789abcdef.tmp");
    for folder in &folders {
        std::fs::write(left(folder), "half a manif").unwrap();
        std::fs::write(folder.join(".ken-mine.tmp"), "kept").unwrap();
    }
    // Also when nothing is written.
    assert_eq!(shelf.write(&one, &clock()).outcome, Outcome::Unchanged);
    for folder in &folders {
        assert!(!left(folder).exists() && folder.join(".ken-mine.tmp").exists());
    }
}

#[test]
#[cfg(unix)]
fn a_link_is_not_written_through() {
    let shelf = Shelf::new();
    let target = shelf.folder.path().join("elsewhere");
    std::fs::write(&target, HEAD).unwrap();
    std::os::unix::fs::symlink(&target, shelf.path("sample.l5.yaml")).unwrap();
    let error = shelf
        .library
        .write(Redacted::new(manifest("sample")).0, &clock())
        .unwrap_err();
    assert!(matches!(error, Error::NotAFile { .. }), "{error}");
    assert_eq!(std::fs::read_to_string(&target).unwrap(), HEAD);
}

#[test]
fn one_text_or_row_too_many_costs_itself_and_is_counted() {
    let shelf = Shelf::new();
    let mut big = manifest("sample");
    big.capabilities = vec!["a".into(), "a".into(), "x".repeat(65)];
    big.agent.role_narrative = Some("é".repeat(501));
    for n in 0..502_i64 {
        big.sessions.push(Session {
            date: Some(day("2026-01-01").unwrap() + jiff::Span::new().days(n)),
            key_actions: (0..12).map(|n| format!("did {n}")).collect(),
            files_touched: (0..51).map(|n| format!("f{n}")).collect(),
            cwd: Some("/".repeat(513)),
            ..Session::default()
        });
    }
    big.sessions[0].date = None;
    for n in 0..1_001 {
        big.entities.push(entity(&format!("E{n}")));
    }
    big.entities[1_000].aliases = (0..17).map(|n| format!("a{n}")).collect();
    big.entities[1_000].summary = Some("x".repeat(2_001));
    big.entities.push(entity("[redacted:github-token]"));
    big.workstreams = (0..201)
        .map(|n| Workstream::new(format!("W{n}"), WorkStatus::Done))
        .collect();
    for n in 0..1_001 {
        big.notes.push(Note {
            date: day("2026-01-01"),
            text: format!("{n}{}", "y".repeat(if n == 1 { 4_000 } else { 40 })),
            ..Note::default()
        });
    }
    let fitted = shelf.write(&big, &clock()).fitted;
    assert_eq!(
        (
            fitted.sessions,
            fitted.entities,
            fitted.workstreams,
            fitted.notes,
            fitted.nameless
        ),
        (2, 1, 1, 1, 1)
    );
    let manifest = shelf.sample();
    assert_eq!(manifest.capabilities, ["a"]);
    assert_eq!(manifest.sessions.len(), 500);
    assert_eq!(
        manifest.sessions[0].date,
        day("2026-01-03"),
        "the undated and the oldest go first"
    );
    assert_eq!(manifest.sessions[0].key_actions[0], "did 2");
    assert_eq!(manifest.sessions[0].files_touched.len(), 50);
    assert_eq!(manifest.sessions[0].cwd, None);
    assert_eq!(manifest.entities[0].name, "E1");
    assert_eq!(manifest.entities[999].aliases[0], "a1");
    let summary = manifest.entities[999].summary.as_deref().unwrap();
    assert_eq!(summary.chars().count(), 2_000);
    assert!(summary.ends_with('…'));
    assert_eq!(
        manifest.agent.role_narrative.as_deref().unwrap().chars().count(),
        500
    );
    assert_eq!(manifest.workstreams.len(), 200);
    assert_eq!(manifest.notes[0].text.chars().count(), 4_000);
}

#[test]
fn what_is_written_can_be_read_however_much_there_is() {
    let shelf = Shelf::new();
    let mut big = manifest("sample");
    for n in 0..530_i64 {
        big.notes.push(Note {
            date: Some(day("2026-01-01").unwrap() + jiff::Span::new().days(n)),
            text: "\u{1}".repeat(2_000),
            ..Note::default()
        });
    }
    big.entities.push(entity("A"));
    let written = shelf.write(&big, &clock());
    let size = std::fs::metadata(&written.path).unwrap().len();
    assert!(
        size <= ken_library::MAX_BYTES && size > ken_library::MAX_BYTES - 20_000,
        "{size}"
    );
    let notes = &shelf.sample().notes;
    assert_eq!(notes.len() + written.fitted.notes, 530);
    assert_eq!(notes.last().unwrap().date, big.notes[529].date);
    assert_eq!(shelf.sample().entities.len(), 1);
}

#[test]
fn writers_wait_for_each_other_and_leave_one_whole_manifest() {
    let shelf = Shelf::new();
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let library = &shelf.library;
            scope.spawn(move || {
                for turn in 0..5 {
                    let mut one = manifest("sample");
                    one.entities.push(entity(&format!("W{writer}-{turn}")));
                    library.write(Redacted::new(one).0, &clock()).unwrap();
                }
            });
        }
    });
    assert!(shelf.load().failures.is_empty());
    assert_eq!(shelf.sample().entities.len(), 1);
    let versions = std::fs::read_dir(shelf.folder.path().join("versions/sample"))
        .unwrap()
        .count();
    assert_eq!(versions, 19, "every replaced manifest is kept");
}

#[test]
fn an_export_keeps_what_agents_committed() {
    let shelf = Shelf::new();
    shelf.agent(
        "sample",
        "known_entities:
- {name: Mine, summary: said by the agent, origin: committed, visibility: private, skills: [a]}
- {name: Gone, summary: of the last export}
- {name: both, summary: committed wins, origin: committed}
recent_sessions:
- {date: '2026-01-01', cwd: /x, origin: committed}
known_workstreams:
- {name: W, status: active, origin: committed}
notes:
- {date: '2026-01-01', text: hello, origin: committed}
- {date: '2026-01-01', text: of the last export}
x-ui: {colour: 1.10}
",
    );
    let existing = shelf.library.read(&id("sample")).unwrap().unwrap().manifest;
    let mut projection = manifest("sample");
    projection.entities = vec![entity("Both"), entity("New")];
    carry_committed(&existing, &mut projection);
    let names: Vec<&str> = projection.entities.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["both", "New", "Mine"]);
    assert_eq!(projection.entities[2], existing.entities[0]);
    assert_eq!(
        (
            projection.sessions.len(),
            projection.workstreams.len(),
            projection.notes.len()
        ),
        (1, 1, 1)
    );
    assert!(projection.extra.has("x-ui"));
    let before = to_yaml(&projection);
    carry_committed(&existing, &mut projection);
    assert_eq!(to_yaml(&projection), before, "carrying twice changes nothing");
}

#[test]
fn an_export_without_private_rows_names_none_of_them() {
    let mut one = manifest("sample");
    one.visibility_policy = Some(VisibilityPolicy::usual());
    one.agent.role_narrative = Some("Helps with Zeus".into());
    one.entities = vec![
        Entity {
            name: "Zeus".into(),
            aliases: vec!["Project Thunder".into()],
            visibility: Some(Visibility::Private),
            ..Entity::default()
        },
        Entity {
            name: "Clinic".into(),
            tags: vec![" Health ".into()],
            visibility: Some(Visibility::Public),
            ..Entity::default()
        },
        Entity {
            name: "Kenning".into(),
            tags: vec!["zeus".into(), "rust".into()],
            ..Entity::default()
        },
        Entity {
            name: "Board".into(),
            summary: Some("Plans of project thunder".into()),
            ..Entity::default()
        },
    ];
    one.sessions = vec![
        Session {
            project_focus: vec!["Zeus".into(), "Kenning".into()],
            ..Session::default()
        },
        Session {
            cwd: Some("/projects/zeus/api".into()),
            ..Session::default()
        },
    ];
    let dropped = without_private(&mut one);
    assert_eq!((dropped.private, dropped.mentioning), (2, 2));
    let yaml = to_yaml(&one).to_lowercase();
    assert!(
        !yaml.contains("zeus") && !yaml.contains("thunder") && !yaml.contains("clinic"),
        "{yaml}"
    );
    assert_eq!(one.entities[0].tags, ["rust"]);
    assert_eq!(one.sessions[0].project_focus, ["Kenning"]);
    assert_eq!(one.agent.kind, AgentType::CodeAssistant);
}
