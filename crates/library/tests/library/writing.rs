//! The same manifest gives the same bytes, and every reader reads back what was written.

use insta::assert_snapshot;
use ken_library::tree::Node;
use ken_library::{
    Entity, Manifest, Note, Session, Visibility, VisibilityPolicy, WorkStatus, Workstream, to_yaml,
};
use proptest::prelude::*;

use crate::arbitrary;
use crate::setting::{HEAD, day, manifest, read};

fn full() -> Manifest {
    let mut full = manifest("sample");
    full.agent.role_narrative = Some("Reviews: everything # twice".into());
    full.last_updated = Some("2026-06-26T00:00:00Z".parse().unwrap());
    full.capabilities = vec!["code-read".into(), "no".into()];
    full.sessions = vec![
        Session {
            date: day("2026-06-24"),
            cwd: Some("/projects/kenning".into()),
            project_focus: vec!["kenning".into()],
            key_actions: vec!["Fixed the parser.".into(), "- and its tests".into()],
            files_touched: vec!["src/a.rs".into()],
            visibility: Some(Visibility::Team),
            ..Session::default()
        },
        Session::default(),
    ];
    let mut entity = Entity {
        name: "Kenning".into(),
        kind: Some("project".into()),
        aliases: vec!["ken".into()],
        summary: Some("First line.\nSecond line.\n".into()),
        last_touched: day("2026-06-24"),
        tags: vec!["project".into()],
        ..Entity::default()
    };
    entity.extra.set("supersedes", Node::texts(["Lampwick"]));
    full.entities = vec![entity];
    full.workstreams = vec![Workstream::new("Release 1.0", WorkStatus::Active)];
    full.notes = vec![Note {
        date: day("2026-06-25"),
        text: "a\u{2028}b".into(),
        ..Note::default()
    }];
    full.visibility_policy = Some(VisibilityPolicy::usual());
    full
}

#[test]
fn a_manifest_in_block_style_and_fixed_order() {
    assert_snapshot!(to_yaml(&full()), @r#"
    spec_version: "0.1"
    agent:
      id: sample
      type: code-assistant
      role_narrative: "Reviews: everything # twice"
    last_updated: "2026-06-26T00:00:00Z"
    capabilities:
      - code-read
      - "no"
    recent_sessions:
      - date: "2026-06-24"
        cwd: /projects/kenning
        project_focus:
          - kenning
        key_actions:
          - Fixed the parser.
          - "- and its tests"
        files_touched:
          - src/a.rs
        visibility: team
      - date: ""
    known_entities:
      - name: Kenning
        type: project
        aliases:
          - ken
        summary: |
          First line.
          Second line.
        last_touched: "2026-06-24"
        tags:
          - project
        supersedes:
          - Lampwick
    known_workstreams:
      - name: Release 1.0
        status: active
    notes:
      - date: "2026-06-25"
        text: "a\u2028b"
    visibility_policy:
      default: team
      private_tags:
        - personal
        - financial
        - credential
        - secret
        - health
        - family
        - legal
    "#);
}

#[test]
fn unknown_keys_survive_exactly_wherever_they_stand() {
    let text = format!(
        "{HEAD}known_entities:
  - name: A
    confidence: 1.10
    seen: 2026-06-24
    code: \"007\"
    empty:
    nested: {{b: [1_000, ~, yes], a: {{}}, list: []}}
write_policy: read-only
x-build: 0o17
"
    )
    .replace("  type:", "  home: ~\n  type:");
    let first = to_yaml(&read(text).unwrap().manifest);
    assert_snapshot!(first, @r#"
    spec_version: "0.1"
    agent:
      id: sample
      type: code-assistant
      home: ~
    last_updated: "2026-06-26T00:00:00Z"
    known_entities:
      - name: A
        confidence: 1.10
        seen: 2026-06-24
        code: "007"
        empty: ~
        nested:
          b:
            - 1_000
            - ~
            - yes
          a: {}
          list: []
    write_policy: read-only
    x-build: 0o17
    "#);
    assert_eq!(to_yaml(&read(&first).unwrap().manifest), first);
}

#[test]
fn what_could_not_be_read_is_written_back_where_it_was() {
    let text = format!(
        "{HEAD}known_entities:\n  - name: A\n    last_touched: soon\n    tags: x\n  - not a row\nvisibility_policy: none\n"
    );
    let first = read(text).unwrap().manifest;
    let yaml = to_yaml(&first);
    assert_snapshot!(yaml, @r#"
    spec_version: "0.1"
    agent:
      id: sample
      type: code-assistant
    last_updated: "2026-06-26T00:00:00Z"
    known_entities:
      - name: A
        last_touched: soon
        tags: x
      - not a row
    visibility_policy: none
    "#);
    assert_eq!(read(&yaml).unwrap().manifest, first);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn reading_what_was_written_gives_it_back(manifest in arbitrary::manifest()) {
        let yaml = to_yaml(&manifest);
        let again = read(&yaml).map_err(|error| TestCaseError::fail(format!("{error}\n{yaml}")))?;
        prop_assert_eq!(&again.manifest, &manifest, "{}", yaml);
        prop_assert_eq!(to_yaml(&again.manifest), yaml);
    }
}

/// PyYAML reads YAML 1.1: if it reads every text as that text, quoting is right. Skipped where it is not installed.
#[test]
fn pyyaml_reads_every_text_as_it_is() {
    let python = |code: &str, input: &str| {
        use std::io::Write;
        let mut child = std::process::Command::new("python3")
            .args(["-c", code])
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .stderr(std::process::Stdio::piped())
            .spawn()
            .ok()?;
        child.stdin.take()?.write_all(input.as_bytes()).ok()?;
        let output = child.wait_with_output().ok()?;
        Some((
            output.status.success(),
            output.stdout,
            String::from_utf8_lossy(&output.stderr).into_owned(),
        ))
    };
    if !python("import yaml", "").is_some_and(|(success, ..)| success) {
        eprintln!("PyYAML is not installed; skipped");
        return;
    }
    let mut texts: Vec<String> = arbitrary::WEIRD.iter().map(|text| (*text).to_owned()).collect();
    for a in arbitrary::WEIRD {
        for b in ["\n", "x "] {
            texts.push(format!("{a}{b}"));
            texts.push(format!("{b}{a}"));
        }
    }
    let mut manifest = manifest("sample");
    for text in &texts {
        let mut note = Note {
            date: day("2026-06-24"),
            text: text.clone(),
            tags: vec![text.clone()],
            ..Note::default()
        };
        if text != "<<" {
            let entry = ken_library::tree::Value::Map(vec![ken_library::tree::Entry {
                position: Default::default(),
                key: ken_library::tree::Scalar::text(text.clone()),
                node: Node::text(text.clone()),
            }]);
            note.extra.set("map", Node::from(entry));
        }
        manifest.notes.push(note);
    }
    let code = "import sys, json, yaml\nsys.stdin.reconfigure(encoding='utf-8', newline='')\nsys.stdout.reconfigure(encoding='utf-8')\njson.dump(yaml.safe_load(sys.stdin.read()), sys.stdout)";
    let (success, out, complaint) = python(code, &to_yaml(&manifest)).unwrap();
    assert!(success, "{complaint}");
    let read: serde_json::Value = serde_json::from_slice(&out).unwrap();
    assert_eq!(read["spec_version"], "0.1");
    for (note, text) in read["notes"].as_array().unwrap().iter().zip(&texts) {
        assert_eq!(note["text"], text.as_str());
        assert_eq!(note["tags"][0], text.as_str());
        assert_eq!(note["date"], "2026-06-24");
        if text != "<<" {
            assert_eq!(
                note["map"].as_object().unwrap().iter().next().unwrap(),
                (text, &text.as_str().into())
            );
        }
    }
}
