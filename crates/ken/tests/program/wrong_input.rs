//! Wrong input of every kind: one sentence with place and remedy, the documented exit code, nothing written.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::machine::Machine;

/// Every file below a folder with its bytes, but for locks, which say nothing.
fn everything(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path
                .extension()
                // A cache may be made by whoever reads; it holds nothing that is not elsewhere.
                .is_none_or(|extension| extension != "lock" && extension != "cache")
            {
                found.insert(path.clone(), std::fs::read(&path).unwrap());
            }
        }
    }
    found
}

struct Case {
    arguments: &'static [&'static str],
    input: &'static [u8],
    code: i32,
    says: &'static [&'static str],
}

fn case(arguments: &'static [&'static str], code: i32, says: &'static [&'static str]) -> Case {
    Case {
        arguments,
        input: b"",
        code,
        says,
    }
}

#[test]
fn is_refused_with_a_sentence_and_changes_nothing() {
    let machine = Machine::new();
    let repo = machine.repository("work/ledger");
    machine.ken(&repo, ["init"]).done();
    machine
        .ken(
            &repo,
            ["edict", "add", "the limit is 500", "--category", "product"],
        )
        .done();
    machine.write(
        "work/ledger/broken.yaml",
        "version: 1\nedicts:\n  - id: [unclosed\n",
    );
    machine.write("work/ledger/twice.yaml", "version: 1\nversion: 1\n");
    machine.write("broken.l5.yaml", "spec_version: \"0.1\"\nagent:\n  id: broken\n  type: wizard\nlast_updated: \"2026-02-30T00:00:00Z\"\n");
    let cases = [
        case(&["nonsense"], 2, &["nonsense"]),
        case(&["learn"], 2, &["<TEXT>"]),
        case(&["learn", "x", "--loud"], 2, &["--loud"]),
        case(&["learn", "x", "--pain", "11"], 2, &["pain", "11", "0 to 10"]),
        case(&["learn", "x", "--pain", "-1"], 2, &["pain", "0 to 10"]),
        case(
            &["learn", "x", "--importance", "NaN"],
            2,
            &["importance", "0 to 10"],
        ),
        case(&["learn", "x", "--pain", "much"], 2, &["much"]),
        case(&["learn", "  \n "], 2, &["empty"]),
        case(&["learn", "x", "--skill", "???"], 2, &["skill"]),
        case(&["learn", "x", "--harness", "Some One"], 2, &["Some One"]),
        case(&["learn", "x", "--origin", "oracle"], 2, &["oracle", "user"]),
        Case {
            input: &[0xff, 0xfe, 0x00],
            ..case(&["learn", "-"], 1, &["UTF-8", "byte 0"])
        },
        Case {
            input: &[b'a'; 102_400],
            ..case(&["learn", "-"], 2, &["102400", "65536"])
        },
        case(
            &["recall", "x", "--since", "banana"],
            2,
            &["--since", "banana", "2026-01-31"],
        ),
        case(&["recall", "x", "--kind", "rumour"], 2, &["rumour", "event"]),
        case(&["recall", "x", "--access", "cosmic"], 2, &["cosmic", "public"]),
        case(&["recall", "x", "-k", "0"], 2, &["1 to 100"]),
        case(
            &["library", "recent", "--since", "2026-02-30"],
            2,
            &["2026-02-30"],
        ),
        case(&["library", "recent", "--agent", "../x"], 2, &["../x"]),
        case(&["library", "recent", "--agent", "nobody"], 1, &["nobody"]),
        case(
            &["library", "agents", "--type", "wizard"],
            2,
            &["wizard", "code-assistant"],
        ),
        case(
            &["library", "workstreams", "--status", "stuck"],
            2,
            &["stuck", "active"],
        ),
        case(&["library", "list", "entities", "--limit", "0"], 2, &["limit"]),
        case(
            &["library", "list", "entities", "--active-on", "2026-02-30"],
            2,
            &["2026-02-30"],
        ),
        case(
            &["library", "list", "entities", "--active-during", "2026-Q5"],
            2,
            &["2026-Q5"],
        ),
        case(
            &["library", "validate", "nowhere.l5.yaml"],
            1,
            &["nowhere.l5.yaml"],
        ),
        case(&["edict", "add", "x"], 2, &["--category"]),
        case(&["edict", "add", " ", "--category", "c"], 2, &["empty"]),
        case(
            &["edict", "add", "x", "--category", "c", "--ttl", "eternal"],
            2,
            &["eternal", "permanent"],
        ),
        case(
            &["edict", "add", "x", "--category", "c", "--expires-in", "banana"],
            2,
            &["banana", "2h"],
        ),
        case(
            &[
                "edict",
                "add",
                "x",
                "--category",
                "c",
                "--expires-at",
                "2026-13-01",
            ],
            2,
            &["2026-13-01"],
        ),
        case(
            &["edict", "add", "x", "--category", "c", "--ttl", "event"],
            2,
            &["event"],
        ),
        case(&["edict", "get", "e_999"], 1, &["e_999", "ken edict list"]),
        case(&["edict", "remove", "e_999"], 1, &["e_999"]),
        case(
            &["edict", "list", "--path", "broken.yaml"],
            1,
            &["broken.yaml:3:", "not closed", ";"],
        ),
        case(
            &["edict", "add", "x", "--category", "c", "--path", "broken.yaml"],
            1,
            &["broken.yaml:3:"],
        ),
        case(
            &["edict", "list", "--path", "twice.yaml"],
            1,
            &["twice.yaml:2:", "version"],
        ),
        case(
            &["edict", "list", "--path", "nowhere.yaml"],
            1,
            &["nowhere.yaml", "ken edict init"],
        ),
        case(
            &["edict", "add", "x", "--category", "c", "--max-edicts", "1"],
            1,
            &["maxEdicts", "1"],
        ),
        case(
            &[
                "edict",
                "add",
                "x y z w",
                "--category",
                "c",
                "--token-budget",
                "4",
            ],
            1,
            &["tokenBudget", "4"],
        ),
        case(&["sync", "nobody"], 2, &["nobody", "claude-code"]),
        case(&["config", "no.such.key"], 2, &["no.such.key"]),
        case(&["config", "access.default", "cosmic"], 2, &["cosmic", "public"]),
        case(&["brief", "--budget", "lots"], 2, &["lots"]),
        case(
            &["status", "--project", "/no/such/folder"],
            1,
            &["/no/such/folder"],
        ),
        case(&["mcp", "--agent", "No One"], 2, &["No One"]),
    ];
    let before = everything(&machine.home());
    for Case {
        arguments,
        input,
        code,
        says,
    } in cases
    {
        let said = machine.ken_with_input(&repo, arguments, input).refused(code);
        for part in says {
            assert!(
                said.contains(part),
                "ken {arguments:?} does not say {part:?}:\n{said}"
            );
        }
        let first = said.lines().next().unwrap();
        assert!(first.starts_with("error: "), "ken {arguments:?}: {said}");
        assert!(
            before == everything(&machine.home()),
            "ken {arguments:?} changed something"
        );
    }
}

#[test]
fn a_pinned_clock_that_is_no_time_is_named() {
    let machine = Machine::new().at("yesterday");
    let said = machine.ken(&machine.home(), ["status"]).refused(2);
    insta::assert_snapshot!(said, @"error: KEN_NOW: `yesterday` is not a time; write RFC 3339 such as 2026-01-31T12:00:00Z, or seconds since 1970");
}

#[test]
fn a_broken_settings_file_is_named_with_its_line() {
    let machine = Machine::new();
    machine.write(".config/ken/config.toml", "[access]\ndefault = team\n");
    let said = machine.ken(&machine.home(), ["status"]).refused(1);
    assert!(said.contains("~/.config/ken/config.toml:2:11"), "{said}");
    machine.write(".config/ken/config.toml", "[brief]\nprompt_tokens = \"many\"\n");
    let said = machine.ken(&machine.home(), ["status"]).refused(1);
    assert!(
        said.contains("config.toml:2:17") && said.contains("whole number"),
        "{said}"
    );
}

#[test]
fn errors_are_json_when_json_is_asked_for() {
    let machine = Machine::new();
    let said = machine.ken(&machine.home(), ["learn", "x", "--json"]).refused(1);
    let object: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert!(
        object["error"]["message"]
            .as_str()
            .unwrap()
            .contains("not in a project"),
        "{said}"
    );
}

#[test]
fn bad_content_beside_good_hides_nothing() {
    let machine = Machine::new();
    let repo = machine.repository("work/ledger");
    machine.ken(&repo, ["init"]).done();
    machine.ken(&repo, ["learn", "the good observation stays"]).done();
    let log = "work/ledger/.agent/episodic/AGENT_LEARNINGS.jsonl";
    let text = machine.read(log);
    machine.write(
        log,
        format!("<<<<<<< HEAD\nnot json\n{text}{{\"schema_version\":\"9.0\"}}\n"),
    );
    machine.write(
        "work/ledger/edicts.yaml",
        "version: 1\nedicts:\n  - text: a good fact\n    category: c\n  - text: [1, 2]\n    category: c\n",
    );
    machine.write("agent-library/agents/good.l5.yaml", "spec_version: \"0.1\"\nagent: {id: good, type: other}\nlast_updated: \"2026-06-01T00:00:00Z\"\nknown_entities:\n- name: Goodness\n  visibility: team\n");
    machine.write(
        "agent-library/agents/bad.l5.yaml",
        "spec_version: \"0.1\"\nagent: {id: bad\n",
    );
    let found = machine.ken(&repo, ["recall", "good"]).done();
    assert!(
        found.contains("the good observation stays")
            && found.contains("a good fact")
            && found.contains("Goodness"),
        "{found}"
    );
    let status = machine.ken(&repo, ["status"]).done();
    for place in ["bad.l5.yaml:", "edicts.yaml:5", "AGENT_LEARNINGS.jsonl:1"] {
        assert!(status.contains(place), "status does not name {place}:\n{status}");
    }
    let said = machine.ken(&repo, ["library", "validate"]);
    assert_eq!(said.code, Some(1));
    assert!(said.stdout.contains("bad.l5.yaml:"), "{}", said.stdout);
}

#[cfg(unix)]
#[test]
fn no_question_is_an_error_whatever_its_bytes() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let machine = Machine::new();
    let odd = OsStr::from_bytes(b"orchard \xff");
    for question in [
        vec![OsStr::new("recall"), odd],
        vec![OsStr::new("recognize"), odd],
        vec![OsStr::new("library"), OsStr::new("find"), odd],
        vec![OsStr::new("library"), OsStr::new("about"), odd],
        vec![OsStr::new("brief"), OsStr::new("--prompt"), odd],
    ] {
        let run = machine.ken(&machine.home(), question.clone());
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""), "{question:?}");
    }
}
