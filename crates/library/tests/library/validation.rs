//! Findings: `file:line:column path message`.

use insta::assert_snapshot;
use ken_library::{Severity, validate_file, validate_files};

use crate::setting::{HEAD, Shelf, lines, validate};

#[test]
fn the_contracts_example_is_valid_and_stays_the_same_after_its_first_write() {
    let example = "spec_version: \"0.1\"
agent:
  id: sample
  type: code-assistant
  role_narrative: >-
    Reference assistant working on public sample data.
  spec_version_compat: \"0.1\"
last_updated: \"2026-06-26T00:00:00Z\"
capabilities:
  - state_db
  - memories_dir
known_entities:
  - name: Bourdon
    type: project
    summary: Cross-agent memory federation; recognition-first runtime.
    visibility: team
    tags: [project, active]
  - name: Concise answers
    type: preference
    summary: Prefers terse, high-signal responses.
    visibility: team
recent_sessions:
  - date: \"2026-06-24\"
    project_focus: [bourdon]
    cwd: /projects/bourdon
    files_touched:
      - core/leak_audit.py
      - tests/test_leak_audit.py
    key_actions:
      - Hardened the federation leak auditor to scan every federated string.
    visibility: team
visibility_policy:
  default: team
  private_tags: [personal, financial, credential, secret, health, family, legal]
  team_tags: [project, active]
";
    let report = validate(example);
    assert_eq!(lines(&report.findings), "");
    let first = ken_library::to_yaml(&crate::setting::read(example).unwrap().manifest);
    assert_eq!(lines(&validate(&first).findings), "");
    assert_eq!(
        ken_library::to_yaml(&crate::setting::read(&first).unwrap().manifest),
        first
    );
}

#[test]
fn errors_have_their_place_and_a_remedy_and_never_the_value() {
    let text = format!(
        "{HEAD}capabilities: [a, a]
known_entities:
- name: {long}
  summary: [x]
  last_touched: 2026-02-30
  visibility: everyone
- type: project
  tags: [~]
recent_sessions:
- date: yesterday
- cwd: /x
- date: ''
known_workstreams:
- {{name: W, status: soon}}
notes:
- {{date: '', text: no day}}
visibility_policy: none
",
        long = "n".repeat(129)
    );
    let report = validate(text);
    assert!(!report.is_valid());
    assert_snapshot!(lines(&report.findings), @r#"
    sample.l5.yaml:6:15 /capabilities error: an item stands twice in this list; remove one of them
    sample.l5.yaml:8:9 /known_entities/0/name error: 129 characters stand here, and at most 128 are allowed; shorten the text
    sample.l5.yaml:9:12 /known_entities/0/summary error: one text is wanted here; write one
    sample.l5.yaml:10:17 /known_entities/0/last_touched error: this is not a day of the calendar; write it like "2026-01-31"
    sample.l5.yaml:11:15 /known_entities/0/visibility error: this is none of the words that are allowed here; use one of public, team, private
    sample.l5.yaml:12:3 /known_entities/1 error: `name` is missing; add it
    sample.l5.yaml:13:10 /known_entities/1/tags/0 error: one text is wanted here; write one
    sample.l5.yaml:15:3 /recent_sessions/0 warning: 6 rows say nothing about visibility, and the manifest has no default: such rows are team rows on this machine and private elsewhere; add `visibility_policy: {default: team}`
    sample.l5.yaml:15:9 /recent_sessions/0/date error: this is not a day of the calendar; write it like "2026-01-31"
    sample.l5.yaml:16:3 /recent_sessions/1 error: `date` is missing; add it
    sample.l5.yaml:19:21 /known_workstreams/0/status error: this is none of the words that are allowed here; use one of active, paused, done, archived
    sample.l5.yaml:21:10 /notes/0/date error: this is not a day of the calendar; write it like "2026-01-31"
    sample.l5.yaml:22:20 /visibility_policy error: a mapping is wanted here; write one
    "#);
}

#[test]
fn warnings_say_what_the_author_would_want_to_know() {
    let text = format!(
        "{}known_entities:
- name: Kenning
  aliases: [ken]
  summary: {}
  valid_from: \"2026-03-01\"
  valid_to: \"2026-01-01\"
- name: Declared
  visibility: team
recent_sessions:
- date: 2026-06-24
  key_actions: [a, b, c, d, e, f]
  project_focus: [KEN, nobody]
notes:
- {{date: \"2026-06-24\", text: x, related_entities: [Work, none]}}
known_workstreams:
- {{name: work, status: active, colour: red}}
x: 1
supersedes: [a]
",
        HEAD.replace("\"0.1\"", "\"0.2\""),
        "s".repeat(501)
    );
    let report = validate(text);
    assert!(report.is_valid());
    assert_snapshot!(lines(&report.findings), @r#"
    sample.l5.yaml:1:15 /spec_version warning: the manifest is of specification "0.2" and this program reads 0.1; what it does not know is kept and not used
    sample.l5.yaml:9:12 /known_entities/0/summary warning: the summary has 501 characters, and up to 500 are meant; shorten it
    sample.l5.yaml:11:13 /known_entities/0/valid_to warning: `valid_to` is before `valid_from` (2026-03-01); swap or correct them
    sample.l5.yaml:15:3 /recent_sessions/0 warning: 4 rows say nothing about visibility, and the manifest has no default: such rows are team rows on this machine and private elsewhere; add `visibility_policy: {default: team}`
    sample.l5.yaml:15:9 /recent_sessions/0/date warning: other readers may take 2026-06-24 for a date; put it in quotes
    sample.l5.yaml:16:16 /recent_sessions/0/key_actions warning: 6 key actions stand here, and one to five are meant; keep those that matter
    sample.l5.yaml:17:24 /recent_sessions/0/project_focus/1 warning: no entity or workstream of this manifest has this name; add one or remove the reference
    sample.l5.yaml:19:58 /notes/0/related_entities/1 warning: no entity or workstream of this manifest has this name; add one or remove the reference
    sample.l5.yaml:21:32 /known_workstreams/0/colour warning: the key "colour" is not in the schema; it is kept, and not used
    sample.l5.yaml:22:1 /x warning: the key "x" is not in the schema; it is kept, and not used
    "#);
}

#[test]
fn a_file_that_cannot_be_read_at_all_is_a_finding_too() {
    assert_snapshot!(lines(&validate("a: [").findings), @"sample.l5.yaml:1:4 / error: not YAML: unclosed bracket '['; quote the text or fix the indentation");
    assert_snapshot!(lines(&validate("").findings), @"sample.l5.yaml:1:1 / error: the file holds no document; a manifest begins with spec_version, agent and last_updated");
    assert_snapshot!(lines(&validate("[]").findings), @"sample.l5.yaml:1:1 / error: a mapping is wanted here; write one");
    assert_snapshot!(lines(&validate(format!("{HEAD}{}", "#".repeat(5 << 20))).findings), @"sample.l5.yaml:1:1 / error: the file is larger than 4 MiB; remove what is not needed");
    let folder = tempfile::tempdir().unwrap();
    assert!(validate_file(&folder.path().join("nowhere.l5.yaml")).is_err());
}

#[test]
fn the_file_is_named_after_its_agent() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, HEAD).unwrap();
        validate_file(&path).unwrap()
    };
    assert!(path("sample.l5.yaml").is_valid());
    assert!(
        path("sample/20260630T120000Z-0123abcd.l5.yaml").is_valid(),
        "a kept version"
    );
    assert!(
        path("manifest.yaml").is_valid(),
        "any other name says nothing about the agent"
    );
    let other = path("other.l5.yaml");
    assert_eq!(other.findings.len(), 1);
    let finding = &other.findings[0];
    assert_eq!(
        (finding.severity, finding.line, finding.column),
        (Severity::Error, 3, 7)
    );
    assert_eq!(finding.pointer, "/agent/id");
}

#[test]
fn a_finding_is_stable_json() {
    let report = validate(HEAD.replace("code-assistant", "robot"));
    let mut json = serde_json::to_value(&report.findings).unwrap();
    json[0]["file"] = "sample.l5.yaml".into();
    assert_snapshot!(json, @r#"[{"severity":"error","file":"sample.l5.yaml","line":4,"column":9,"pointer":"/agent/type","message":"this is none of the words that are allowed here; use one of code-assistant, note-capture, local-swarm, customer-support, research-assistant, creative-collaborator, project-manager, tutor, other"}]"#);
}

#[test]
fn rows_that_name_each_other_as_successors_are_told_with_their_places() {
    let text = format!(
        "{HEAD}visibility_policy: {{default: team}}
known_entities:
- {{name: Circa, superseded_by: Circb}}
- {{name: Circb, superseded_by: [Orchard, Circc]}}
- {{name: Circc}}
- {{name: circa, supersedes: [Lampwick, CIRCC]}}
- {{name: Selve, superseded_by: selve}}
- {{name: Orchard, supersedes: Lampwick}}
"
    );
    assert_snapshot!(lines(&validate(text).findings), @r#"
    sample.l5.yaml:8:32 /known_entities/0/superseded_by warning: "Circa", "Circb" and "Circc" are said to have taken each other's place, so that none of them counts as another's successor (also line 9, line 11); remove what is wrong of it
    sample.l5.yaml:12:32 /known_entities/4/superseded_by warning: "Selve" is said to have taken its own place, which counts for nothing; remove that, or name what took its place
    "#);
    let shelf = Shelf::new();
    let rows = |rows: &str| format!("visibility_policy: {{default: team}}\nknown_entities:\n{rows}");
    let alpha = shelf.agent(
        "alpha",
        &rows("- {name: Circa, superseded_by: Circb, visibility: private}\n"),
    );
    let beta = shelf.agent(
        "beta",
        &rows("- {name: Other}\n- {name: Circb, superseded_by: Circa}\n"),
    );
    let gone = shelf.path("gone.l5.yaml");
    let alone = validate_file(&alpha).unwrap().findings;
    assert!(alone.is_empty(), "{alone:?}");
    let reports = validate_files(&[&alpha, &gone, &beta]);
    assert!(reports[1].is_err() && reports[2].as_ref().unwrap().findings.is_empty());
    let report = reports[0].as_ref().unwrap();
    assert!(report.is_valid());
    let said = report.findings[0].to_string();
    let folder = shelf.folder.path().join("agents").display().to_string();
    assert_snapshot!(said.replace(&folder, "agents"), @r#"agents/alpha.l5.yaml:8:32 /known_entities/0/superseded_by warning: "Circa" and "Circb" are said to have taken each other's place, so that none of them counts as another's successor (also agents/beta.l5.yaml line 9); remove what is wrong of it"#);
}

#[test]
fn a_long_ring_is_told_in_one_sentence() {
    let rows: String = (0..100)
        .map(|at| format!("- {{name: Onyx {at}, superseded_by: Onyx {}}}\n", (at + 1) % 100))
        .collect();
    let text = format!("{HEAD}visibility_policy: {{default: team}}\nknown_entities:\n{rows}");
    assert_snapshot!(lines(&validate(text).findings), @r#"sample.l5.yaml:8:33 /known_entities/0/superseded_by warning: "Onyx 0", "Onyx 1", "Onyx 2", "Onyx 3", "Onyx 4", "Onyx 5", "Onyx 6", "Onyx 7" and 92 more are said to have taken each other's place, so that none of them counts as another's successor (also line 9, line 10, line 11, line 12, line 13, line 14, line 15, line 16 and 91 more); remove what is wrong of it"#);
}

#[test]
fn a_day_that_is_not_in_the_calendar_is_told_with_its_place_and_the_row_is_read() {
    let text = format!(
        "{HEAD}visibility_policy: {{default: team}}\nknown_entities:\n- {{name: Orchard, summary: a tree, valid_to: '2026-02-30'}}\n"
    );
    assert_snapshot!(lines(&validate(&text).findings), @r#"sample.l5.yaml:8:46 /known_entities/0/valid_to error: this is not a day of the calendar; write it like "2026-01-31""#);
    let read = crate::setting::read(&text).unwrap();
    assert_eq!(read.manifest.entities[0].summary.as_deref(), Some("a tree"));
    assert_eq!(read.manifest.entities[0].valid_to, None);
    assert_snapshot!(lines(&read.findings), @r#"sample.l5.yaml:8:46 /known_entities/0/valid_to error: "2026-02-30" is not a day of the calendar, such as "2026-01-31""#);
}
