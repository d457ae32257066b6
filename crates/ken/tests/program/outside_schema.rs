//! A second opinion on manifests: PyPI's `check-jsonschema`, with the published schema and its format checks on.

use std::path::{Path, PathBuf};
use std::process::Command;

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
