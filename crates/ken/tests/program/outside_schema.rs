//! A second opinion on manifests: PyPI's `check-jsonschema`, with the published schema and its format checks on.

use std::path::{Path, PathBuf};
use std::process::Command;

#[path = "../../../edicts/tests/room/documents.rs"]
mod documents;

use crate::machine::Machine;
use crate::outside_mcp::python;

fn schema() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../library/schema/l5-manifest-v0.1.schema.json")
}

/// Whether the other validator takes each of the files.
fn accepted(machine: &Machine, files: &[PathBuf]) -> Vec<bool> {
    let validator = Path::new(&python()).with_file_name("check-jsonschema");
    files
        .iter()
        .map(|file| {
            let output = Command::new(&validator)
                .arg("--schemafile")
                .arg(schema())
                .arg(file)
                .env("HOME", machine.home())
                .output()
                .unwrap();
            let said = String::from_utf8_lossy(&output.stdout).into_owned()
                + &String::from_utf8_lossy(&output.stderr);
            assert!(
                matches!(output.status.code(), Some(0 | 1)),
                "{}: {said}",
                file.display()
            );
            output.status.success()
        })
        .collect()
}

#[test]
fn outside_what_sync_writes_is_valid_for_both() {
    let machine = Machine::new();
    machine
        .ken(&machine.home(), ["up", "--demo", "--into", "demo"])
        .done();
    let agents = machine.home().join("demo/agent-library/agents");
    let mut files: Vec<PathBuf> = std::fs::read_dir(agents)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert_eq!(files.len(), 3);
    assert_eq!(accepted(&machine, &files), [true, true, true]);
    let checked = machine
        .ken(
            &machine.home(),
            ["library", "validate", "--library", "demo/agent-library"],
        )
        .done();
    assert_eq!(checked, "3 manifests: 0 errors, 0 warnings\n");
}

#[test]
fn outside_verdicts_on_valid_and_broken_manifests_agree() {
    const HEAD: &str =
        "spec_version: \"0.1\"\nagent: {id: sample, type: other}\nlast_updated: \"2026-06-01T00:00:00Z\"\n";
    let long = |n: usize| "x".repeat(n);
    let bodies = [
        String::new(),
        "known_entities:\n- name: A\n".to_owned(),
        "known_entities:\n- {}\n".to_owned(),
        "known_entities:\n- name: \"\"\n".to_owned(),
        format!("known_entities:\n- name: {}\n", long(128)),
        format!("known_entities:\n- name: {}\n", long(129)),
        format!("known_entities:\n- name: A\n  summary: {}\n", long(2000)),
        format!("known_entities:\n- name: A\n  summary: {}\n", long(2001)),
        "known_entities:\n- name: A\n  valid_from: \"2026-02-28\"\n".to_owned(),
        "known_entities:\n- name: A\n  valid_from: \"2026-02-30\"\n".to_owned(),
        "known_entities:\n- name: A\n  visibility: secret\n".to_owned(),
        "known_entities: {}\n".to_owned(),
        "recent_sessions:\n- date: \"2026-06-01\"\n".to_owned(),
        "recent_sessions:\n- cwd: /srv\n".to_owned(),
        "recent_sessions:\n- date: \"2026-06-01T10:00:00Z\"\n".to_owned(),
        format!(
            "recent_sessions:\n- date: \"2026-06-01\"\n  key_actions: [{}]\n",
            ["a"; 11].join(", ")
        ),
        format!("recent_sessions:\n- date: \"2026-06-01\"\n  cwd: {}\n", long(513)),
        "known_workstreams:\n- {name: A, status: active}\n".to_owned(),
        "known_workstreams:\n- {name: A, status: stuck}\n".to_owned(),
        "known_workstreams:\n- {name: A}\n".to_owned(),
        "notes:\n- {date: \"2026-06-01\", text: A}\n".to_owned(),
        "notes:\n- {date: \"2026-06-01\"}\n".to_owned(),
        format!("notes:\n- {{date: \"2026-06-01\", text: {}}}\n", long(4001)),
        "capabilities: [a, b]\n".to_owned(),
        "capabilities: [a, a]\n".to_owned(),
        "visibility_policy: {default: team, private_tags: [x]}\n".to_owned(),
        "visibility_policy: {default: sometimes}\n".to_owned(),
        "something_newer: {of: [a, later, version]}\n".to_owned(),
    ];
    let machine = Machine::new();
    let mut files: Vec<PathBuf> = bodies
        .iter()
        .enumerate()
        .map(|(number, body)| machine.write(&format!("{number:02}/sample.l5.yaml"), format!("{HEAD}{body}")))
        .collect();
    for (number, (broken, instead)) in [
        ("\"0.1\"", "\"one\""),
        ("sample", "Sample!"),
        ("other", "wizard"),
        ("2026-06-01T00:00:00Z", "yesterday"),
        ("last_updated", "updated"),
    ]
    .into_iter()
    .enumerate()
    {
        files.push(machine.write(
            &format!("head{number}/sample.l5.yaml"),
            HEAD.replace(broken, instead),
        ));
    }
    let theirs = accepted(&machine, &files);
    assert!(theirs.contains(&true) && theirs.contains(&false));
    for (file, theirs) in files.iter().zip(theirs) {
        let ours = machine.ken(
            &machine.home(),
            ["library".as_ref(), "validate".as_ref(), file.as_os_str()],
        );
        let text = std::fs::read_to_string(file).unwrap();
        let head: String = text.chars().take(300).collect();
        assert_eq!(ours.code == Some(0), theirs, "ours: {}\n{head}", ours.stdout);
    }
}

/// Which of these files the other validator takes, by the published schema of edicts; all in one call.
fn edicts_accepted(machine: &Machine, files: &[PathBuf]) -> Vec<bool> {
    let validator = Path::new(&python()).with_file_name("check-jsonschema");
    let schema = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schema/edicts-v1.schema.json");
    let output = Command::new(&validator)
        .args(["--output-format", "json", "--schemafile"])
        .arg(schema)
        .args(files)
        .env("HOME", machine.home())
        .output()
        .unwrap();
    let said: serde_json::Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)));
    let refused: Vec<&str> = ["errors", "parse_errors"]
        .iter()
        .flat_map(|list| said[list].as_array().into_iter().flatten())
        .map(|error| error["filename"].as_str().unwrap())
        .collect();
    let taken = |file: &PathBuf| !refused.contains(&file.to_str().unwrap());
    files.iter().map(taken).collect()
}

#[test]
fn outside_verdicts_on_edicts_agree() {
    const ITEM: &str = "- text: a fact\n  category: rule\n";
    let mut bodies: Vec<String> = [
        "",
        "version: 1\n",
        "version: \"1\"\n",
        "version: 1.0\n",
        "version: 2\n",
        "version: [1]\n",
        "edicts:\n",
        "edicts: {}\n",
        "edicts: [a]\n",
        "edicts: [{text: a}]\n",
        "edicts: [{category: a}]\n",
        "edicts: [{text: , category: a}]\n",
        "edicts: [{text: 5, category: 7}]\n",
        "edicts: [{text: 2025-04-16, category: no}]\n",
        "edicts: [{text: [a], category: b}]\n",
        "history: {}\n",
        "history: [{id: x}]\n",
        "config: []\n",
        "config: {maxEdicts: 5, tokenBudget: \"40\"}\n",
        "config: {maxEdicts: -5}\n",
        "config: {maxEdicts: many}\n",
        "config: {categories: [a, b]}\n",
        "config: {categories: a}\n",
        "config: {categoryLimits: {a: 3}}\n",
        "config: {categoryLimits: {a: x}}\n",
        "config: {staleThresholdDays: 4294967296}\n",
        "newer: {of: a later version}\n",
        "- text: a\n  category: b\n",
    ]
    .map(str::to_owned)
    .into();
    let fields = [
        "id: e_001",
        "id: \"\"",
        "id: expired",
        "id: [a]",
        "id: 12",
        "key: api/limit",
        "key: removed",
        "key: \"a\\nb\"",
        "tags: [a, b]",
        "tags: a",
        "tags: [a, [b]]",
        "tags: [a, null]",
        "tags:",
        "confidence: verified",
        "confidence: sure",
        "ttl: event",
        "ttl: forever",
        "source: the team",
        "source: {a: b}",
        "expiresAt: 2025-04-16",
        "expiresAt: 2025-04-16T00:00:00Z",
        "expiresAt: \"2025-04-16T00:00:00.000Z\"",
        "expiresAt: 2025-04-16T00:00:00",
        "expiresAt: tomorrow",
        "expiresAt: 20250416",
        "created: 2025-13-01",
        "updated: \"2025-04-16 10:00:00+02:00\"",
        "lastAccessed: yes",
        "colour: [any]",
    ];
    bodies.extend(fields.map(|field| format!("edicts:\n{ITEM}  {field}\n")));
    let machine = Machine::new();
    let files: Vec<PathBuf> = bodies
        .iter()
        .enumerate()
        .map(|(number, body)| machine.write(&format!("{number:02}/edicts.yaml"), body))
        .collect();
    let theirs = edicts_accepted(&machine, &files);
    assert!(theirs.iter().any(|taken| *taken) && theirs.iter().any(|taken| !*taken));
    for ((body, file), theirs) in bodies.iter().zip(&files).zip(theirs) {
        let run = machine.ken(
            &machine.home(),
            ["edict", "validate", "--path", file.to_str().unwrap()],
        );
        assert!(matches!(run.code, Some(0 | 1)), "{body}: {}", run.stderr);
        assert_eq!(run.code == Some(0), theirs, "{body}: {}", run.stdout);
    }
}

#[test]
fn outside_verdicts_on_generated_edicts_agree() {
    let machine = Machine::new();
    let documents = documents::documents();
    assert!(documents.len() >= 300, "{}", documents.len());
    let files: Vec<PathBuf> = documents
        .iter()
        .enumerate()
        .map(|(number, document)| machine.write(&format!("{number:03}/edicts.yaml"), document.to_string()))
        .collect();
    let theirs = edicts_accepted(&machine, &files);
    let clock = ken_files::Clock::pinned("2026-06-15T12:00:00Z".parse().unwrap(), jiff::tz::TimeZone::UTC);
    let mut differ = Vec::new();
    for ((document, file), theirs) in documents.iter().zip(&files).zip(theirs) {
        let store = ken_edicts::Store::new(file, None);
        let report = store.validate(&ken_edicts::Limits::default(), &clock).unwrap();
        let whole = [ken_edicts::Rule::OverLimit, ken_edicts::Rule::Category];
        let errors = report
            .findings
            .iter()
            .filter(|finding| finding.severity == ken_edicts::Severity::Error);
        let ours = errors.filter(|finding| !whole.contains(&finding.rule)).count() == 0;
        if ours != theirs {
            differ.push(format!("{document}: here {ours}, there {theirs}"));
        }
    }
    assert!(
        differ.is_empty(),
        "{} differ:\n{}",
        differ.len(),
        differ.join("\n")
    );
}
