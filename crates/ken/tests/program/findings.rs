//! What validators found, in the forms that other programs read: SARIF and the annotations of a workflow.

use serde_json::{Value, json};

use crate::machine::Machine;

/// Line 7 has a bad field, line 8 a key that history uses; the third edict has nothing wrong but its age.
const BROKEN: &str = "\
version: 1
config:
  maxEdicts: many
edicts:
  - id: e_001
    text: the first
    category: [a, b]
  - {id: e_002, text: the second, category: a, key: removed}
  - {id: e_003, text: the third, category: a, created: 2026-01-01, updated: 2026-01-01}
";

#[test]
fn sarif_names_every_fault_with_its_rule_and_place() {
    let machine = Machine::new();
    let repo = machine.repository("work/ledger");
    machine.write("work/ledger/facts of us/edicts.yaml", BROKEN);
    let below = repo.join("facts of us");
    let said = machine.ken(&below, ["edict", "validate", "--format", "sarif"]);
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    let log: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(log["version"], "2.1.0");
    let run = &log["runs"][0];
    let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
    let results = run["results"].as_array().unwrap();
    for result in results {
        let index = usize::try_from(result["ruleIndex"].as_u64().unwrap()).unwrap();
        assert_eq!(rules[index]["id"], result["ruleId"]);
        assert!(
            result["message"]["text"]
                .as_str()
                .is_some_and(|text| !text.is_empty())
        );
    }
    let seen: Vec<Value> = results
        .iter()
        .map(|result| {
            let place = &result["locations"][0]["physicalLocation"];
            assert_eq!(place["artifactLocation"]["uri"], "facts%20of%20us/edicts.yaml");
            assert_eq!(place["artifactLocation"]["uriBaseId"], "%SRCROOT%");
            let region = &place["region"];
            json!([
                result["level"],
                result["ruleId"],
                region["startLine"],
                region["startColumn"]
            ])
        })
        .collect();
    assert_eq!(
        seen,
        [
            json!(["error", "bad-config", 3, 14]),
            json!(["error", "bad-field", 7, 15]),
            json!(["error", "bad-field", 8, 53]),
            json!(["warning", "stale", 9, 1]),
        ]
    );
}

#[test]
fn annotations_are_one_line_each_and_fail_only_on_errors() {
    let machine = Machine::new();
    let repo = machine.repository("work/ledger");
    let validate = |more: &[&str]| {
        let arguments = [&["edict", "validate", "--format", "github"], more].concat();
        machine.ken(&repo, arguments)
    };
    machine.write("work/ledger/edicts.yaml", BROKEN);
    let said = validate(&[]);
    assert_eq!(said.code, Some(1));
    let lines: Vec<&str> = said.stdout.lines().collect();
    let heads: Vec<&str> = lines[..4]
        .iter()
        .map(|line| line[2..].split_once("::").unwrap().0)
        .collect();
    assert_eq!(
        heads,
        [
            "error file=edicts.yaml,line=3,col=14,title=bad-config",
            "error file=edicts.yaml,line=7,col=15,title=bad-field",
            "error file=edicts.yaml,line=8,col=53,title=bad-field",
            "warning file=edicts.yaml,line=9,col=1,title=stale",
        ]
    );
    assert_eq!(lines[4..], ["3 errors, 1 warning"]);

    // What stands in the file cannot give the workflow a command of its own.
    machine.write(
        "work/ledger/edicts.yaml",
        "version: 1\nedicts:\n  - {text: a, category: b, ttl: \"x\\n::stop-commands::all\\r100%\"}\n",
    );
    let said = validate(&[]);
    assert_eq!(
        said.stdout.lines().filter(|line| line.starts_with("::")).count(),
        1
    );
    assert!(
        said.stdout.contains("%0A") && said.stdout.contains("100%25"),
        "{}",
        said.stdout
    );

    machine.write(
        "work/ledger/edicts.yaml",
        "version: 1\nedicts:\n  - {id: a, text: a, category: b, created: 2026-01-01, updated: 2026-01-01}\n",
    );
    assert_eq!(validate(&[]).code, Some(0));
    assert_eq!(validate(&["--strict"]).code, Some(1));
}

#[test]
fn manifests_have_the_same_forms() {
    let machine = Machine::new();
    let repo = machine.repository("work/ledger");
    machine.write(
        "work/ledger/sample.l5.yaml",
        "spec_version: \"0.1\"\nagent: {id: sample, type: wizard}\nlast_updated: \"2026-06-01T00:00:00Z\"\n",
    );
    let validate = |format: &str| {
        machine.ken(
            &repo,
            ["library", "validate", "sample.l5.yaml", "--format", format],
        )
    };
    let said = validate("github");
    assert_eq!(said.code, Some(1));
    assert!(
        said.stdout
            .starts_with("::error file=sample.l5.yaml,line=2,col=27,title=manifest::/agent/type "),
        "{}",
        said.stdout
    );
    let log: Value = serde_json::from_str(&validate("sarif").stdout).unwrap();
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "manifest");
    assert_eq!(
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
        "sample.l5.yaml"
    );
}

#[test]
fn nothing_in_a_file_begins_a_line_of_what_is_said_of_it() {
    let machine = Machine::new();
    let repo = machine.repository("work/ledger");
    machine.write(
        "work/ledger/edicts.yaml",
        "version: 1\nedicts:\n  - {id: \"x\\n::error file=a::owned\", text: t, category: c}\n  - {id: y, text: t, category: c, ttl: \"zz\\n::stop-commands::abc\"}\n",
    );
    for format in ["text", "github", "sarif"] {
        let said = machine.ken(&repo, ["edict", "validate", "--format", format]);
        assert_eq!(said.code, Some(1), "{}", said.stderr);
        for line in said.stdout.lines().chain(said.stderr.lines()) {
            let is_told = line.starts_with("::error file=edicts.yaml,")
                || line.starts_with("::warning file=edicts.yaml,");
            assert!(is_told || !line.starts_with("::"), "{format}: {line}");
        }
    }
}
