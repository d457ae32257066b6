//! `ken audit leaks`: what must not stand in the files that are kept, and what is not told of it.

use std::path::Path;

use serde_json::Value;

use crate::machine::Machine;

/// A credential, put together here so that no scanner finds one in this file.
pub(crate) fn token(last: char) -> String {
    format!("ghp_{}{last}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R")
}

const MANIFEST: &str = "spec_version: \"0.1\"\nagent: {id: sample, type: other}\nlast_updated: \"2026-06-01T00:00:00Z\"\n\
    known_entities:\n- {name: Lampwick, visibility: team}\n- {name: Zephyrine, visibility: private}\n\
    notes:\n- {date: \"2026-06-01\", text: ask Zephyrine for the key, visibility: team}\n";

/// What was found, as `file:line rule`.
fn places(said: &str) -> Vec<String> {
    let lines = said.lines().filter(|line| line.contains(": "));
    let places = lines.filter_map(|line| {
        let (place, rest) = line.split_once(' ')?;
        let (rule, _) = rest.split_once(':')?;
        let mut parts = place.rsplitn(2, ':');
        let (_, file_and_line) = (parts.next()?, parts.next()?);
        Some(format!("{file_and_line} {rule}"))
    });
    places.collect()
}

#[test]
fn credentials_are_found_wherever_they_hide_and_never_shown() {
    let machine = Machine::new();
    let repo = machine.repository("work/ledger");
    machine.ken(&repo, ["init"]).done();
    let clean = machine.ken(&repo, ["audit", "leaks"]).done();
    assert!(clean.ends_with(": 0 findings\n"), "{clean}");
    let tokens: Vec<String> = "stuvwxyz".chars().map(token).collect();
    let escaped = format!("\\u0067{}", &tokens[3][1..]);
    machine.write(
        "work/ledger/edicts.yaml",
        format!(
            "version: 1\n# the old one was {}\nedicts:\n  - {{id: a, text: \"use {}\", category: b}}\n  - {{id: c, text: d, category: e, {}: f}}\n  - {{id: g, text: \"{}\", category: h}}\n",
            tokens[0],
            tokens[1],
            tokens[2],
            escaped.replace("\\u0067", "\\x67"),
        ),
    );
    let log = machine.read("work/ledger/.agent/episodic/AGENT_LEARNINGS.jsonl");
    let event = "{\"schema_version\":\"1.0\",\"id\":\"evt_01JR04071200XYZA1B2C3D4E5F\",\"timestamp\":\"2026-06-01T00:00:00Z\",\"content\":\"CONTENT\",\"pain\":5,\"importance\":5,\"recurrence\":0,\"skill_action\":\"a\"}\n";
    machine.write(
        "work/ledger/.agent/episodic/AGENT_LEARNINGS.jsonl",
        format!(
            "{log}{}not JSON {}\n",
            event.replace("CONTENT", &escaped),
            tokens[4]
        ),
    );
    machine.write(
        "work/ledger/.agent/semantic/LESSONS.md",
        format!("people wrote {}\n", tokens[5]),
    );
    machine.write(
        "work/ledger/.agent/working/notes.md",
        [b"\xff\xfe bad bytes, then ", tokens[6].as_bytes()]
            .concat()
            .get(2..)
            .unwrap(),
    );
    machine.write("work/ledger/.agent/personal/PREFERENCES.md", &tokens[7]);
    machine.write("work/ledger/.agent/.dreamd/ken/cache", &tokens[7]);
    machine.write(
        "agent-library/agents/sample.l5.yaml",
        MANIFEST.replace("Lampwick", &tokens[7]),
    );
    let said = machine.ken(&repo, ["audit", "leaks"]);
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    for token in &tokens {
        assert!(!said.stdout.contains(token.as_str()), "{}", said.stdout);
    }
    let mut expected = vec![
        "~/agent-library/agents/sample.l5.yaml:5 credential".to_owned(),
        ".agent/episodic/AGENT_LEARNINGS.jsonl:1 credential".to_owned(),
        ".agent/episodic/AGENT_LEARNINGS.jsonl:2 credential".to_owned(),
        ".agent/semantic/LESSONS.md:1 credential".to_owned(),
        ".agent/working/notes.md:1 credential".to_owned(),
        "edicts.yaml:2 credential".to_owned(),
        "edicts.yaml:4 credential".to_owned(),
        "edicts.yaml:5 credential".to_owned(),
        "edicts.yaml:6 credential".to_owned(),
    ];
    let mut found = places(&said.stdout);
    expected.sort();
    found.sort();
    assert_eq!(found, expected, "{}", said.stdout);
    assert!(said.stdout.ends_with(": 9 findings\n"), "{}", said.stdout);
}

#[test]
fn private_rows_leave_the_machine_in_no_manifest() {
    let machine = Machine::new();
    let repo = machine.repository("work/ledger");
    machine.write("agent-library/agents/sample.l5.yaml", MANIFEST);
    // At home they may stand: the filter keeps them back.
    machine.ken(&repo, ["audit", "leaks", "--require-files"]).done();
    machine.write("work/ledger/memory/sample.l5.yaml", MANIFEST);
    let said = machine.ken(&repo, ["audit", "leaks", "."]);
    assert_eq!(said.code, Some(1), "{}", said.stderr);
    assert!(!said.stdout.contains("Zephyrine"), "{}", said.stdout);
    assert_eq!(
        places(&said.stdout),
        [
            "memory/sample.l5.yaml:6 private-row",
            "memory/sample.l5.yaml:8 private-name"
        ]
    );
}

#[test]
fn a_baseline_accepts_what_is_known_and_tells_of_what_is_gone() {
    let machine = Machine::new();
    let repo = machine.repository("work/ledger");
    let file = |tokens: &[String]| {
        let text = tokens
            .iter()
            .map(|token| format!("# {token}\n"))
            .collect::<String>();
        machine.write(
            "work/ledger/edicts.yaml",
            format!("version: 1\n{text}edicts: []\n"),
        );
    };
    let (one, two) = (token('1'), token('2'));
    file(std::slice::from_ref(&one));
    let leaks = |more: &[&str]| {
        let arguments = [&["audit", "leaks", ".", "--baseline", "known.json"], more].concat();
        machine.ken(&repo, arguments)
    };
    assert!(leaks(&[]).refused(1).contains("known.json"));
    assert_eq!(
        leaks(&["--write-baseline"]).done(),
        "known.json: 1 finding accepted\n"
    );
    let baseline = machine.read("work/ledger/known.json");
    assert!(
        baseline.contains("\"path\": \"edicts.yaml\"") && !baseline.contains(&one),
        "{baseline}"
    );
    // It moves, and is the same.
    file(&["a remark".to_owned(), one.clone()]);
    assert!(leaks(&[]).done().ends_with("1 file: 0 findings, 1 accepted\n"));
    file(&[one, two.clone()]);
    let said = leaks(&[]);
    assert_eq!(
        (said.code, places(&said.stdout)),
        (Some(1), vec!["edicts.yaml:3 credential".to_owned()])
    );
    file(&[two]);
    let said = leaks(&["--format", "json"]);
    let report: Value = serde_json::from_str(&said.stdout).unwrap();
    assert_eq!(report["stale"].as_array().unwrap().len(), 1, "{report}");
    machine.write("work/ledger/known.json", "{\"version\": 2, \"accepted\": []}");
    assert!(leaks(&[]).refused(1).contains("only 1 is known"));
    machine.write("work/ledger/known.json", "[]");
    assert!(leaks(&[]).refused(1).contains("it is no baseline"));
}

#[cfg(unix)]
#[test]
fn what_cannot_be_looked_at_is_a_finding_and_the_rest_is_looked_at() {
    let machine = Machine::new();
    let repo = machine.repository("work/ledger");
    machine.ken(&repo, ["init"]).done();
    let agent = repo.join(".agent");
    let pipe = std::process::Command::new("mkfifo")
        .arg(agent.join("working/pipe"))
        .status()
        .unwrap();
    assert!(pipe.success());
    machine.write("work/ledger/.agent/working/wide.md", b"\xff\xfea\0b\0");
    std::os::unix::fs::symlink("/etc/passwd", agent.join("working/link")).unwrap();
    std::os::unix::fs::symlink(&agent, agent.join("working/round")).unwrap();
    machine.write("work/ledger/.agent/working/found.md", token('1'));
    let said = machine.ken(&repo, ["audit", "leaks"]);
    assert_eq!(said.code, Some(1));
    assert_eq!(
        places(&said.stdout),
        [
            ".agent/working/found.md:1 credential",
            ".agent/working/pipe:1 unread",
            ".agent/working/wide.md:1 unread"
        ],
        "{}",
        said.stdout
    );
    let missing = machine.ken(&repo, ["audit", "leaks", "nowhere"]);
    assert_eq!(missing.code, Some(1), "{}", missing.stdout);
    let empty = machine.folder("empty");
    assert!(
        machine
            .ken(&repo, ["audit", "leaks", empty.to_str().unwrap()])
            .done()
            .ends_with("0 files: 0 findings\n")
    );
    let refused = machine
        .ken(
            &repo,
            ["audit", "leaks", empty.to_str().unwrap(), "--require-files"],
        )
        .refused(1);
    assert!(refused.contains("there is nothing to look at"), "{refused}");
}

#[test]
fn sarif_and_annotations_name_rule_place_and_fingerprint() {
    let machine = Machine::new();
    let repo = machine.repository("work/ledger");
    machine.write(
        "work/ledger/edicts.yaml",
        format!("version: 1\n# {}\nedicts: []\n", token('1')),
    );
    let sarif = machine.ken(&repo, ["audit", "leaks", ".", "--format", "sarif"]);
    let log: Value = serde_json::from_str(&sarif.stdout).unwrap();
    let result = &log["runs"][0]["results"][0];
    assert_eq!(result["ruleId"], "credential");
    assert_eq!(
        result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
        "edicts.yaml"
    );
    assert_eq!(
        result["partialFingerprints"]["kenValue/v1"]
            .as_str()
            .unwrap()
            .len(),
        12
    );
    let annotated = machine.ken(&repo, ["audit", "leaks", ".", "--format", "github"]);
    assert!(
        annotated
            .stdout
            .starts_with("::error file=edicts.yaml,line=2,col=3,title=credential::"),
        "{}",
        annotated.stdout
    );
}

/// The steps of `action.yml`, run as a runner of GitHub runs them, on this checkout.
fn run_action(machine: &Machine, checkout: &Path, inputs: &[(&str, &str)]) -> (bool, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap();
    let action: Value =
        serde_saphyr::from_str(&std::fs::read_to_string(root.join("action.yml")).unwrap()).unwrap();
    assert_eq!(action["runs"]["using"], "composite");
    let outputs = machine.write("outputs", "");
    let mut said = String::new();
    for step in action["runs"]["steps"].as_array().unwrap() {
        assert_eq!(step["shell"], "bash");
        let ken = machine.command(checkout);
        let mut bash = std::process::Command::new("bash");
        bash.args(["-e", "-o", "pipefail", "-c", step["run"].as_str().unwrap()])
            .current_dir(checkout)
            .env_clear()
            .envs(ken.get_envs().filter_map(|(name, value)| Some((name, value?))))
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("GITHUB_OUTPUT", &outputs);
        for (name, value) in step["env"].as_object().unwrap() {
            let value = value.as_str().unwrap();
            let value = match value
                .strip_prefix("${{ ")
                .and_then(|value| value.strip_suffix(" }}"))
            {
                None if value == "${{ runner.temp }}/ken" => {
                    machine.home().join("temp").display().to_string()
                }
                None => value.to_owned(),
                Some("github.action_path") => root.display().to_string(),
                Some("steps.get.outputs.program") => {
                    let given = std::fs::read_to_string(&outputs).unwrap();
                    given.trim().strip_prefix("program=").unwrap().to_owned()
                }
                Some(input) => {
                    let name = input.strip_prefix("inputs.").unwrap();
                    let default = action["inputs"][name]["default"].as_str().unwrap();
                    inputs
                        .iter()
                        .find(|(own, _)| *own == name)
                        .map_or(default, |(_, value)| value)
                        .to_owned()
                }
            };
            bash.env(name, value);
        }
        let output = bash.output().unwrap();
        said += &String::from_utf8_lossy(&output.stdout);
        said += &String::from_utf8_lossy(&output.stderr);
        if !output.status.success() {
            return (false, said);
        }
    }
    (true, said)
}

#[test]
fn the_action_runs_all_three_checks_and_fails_when_one_does() {
    let machine = Machine::new();
    let repo = machine.repository("check out");
    let with_program = [("program", crate::machine::program())];
    machine.ken(&repo, ["init"]).done();
    machine
        .ken(&repo, ["edict", "add", "the gate is open", "--category", "ops"])
        .done();
    let clean = MANIFEST
        .lines()
        .filter(|line| !line.contains("Zephyrine") && *line != "notes:");
    machine.write(
        "check out/agent-library/agents/sample.l5.yaml",
        clean.map(|line| format!("{line}\n")).collect::<String>(),
    );
    let (passed, said) = run_action(&machine, &repo, &with_program);
    assert!(passed, "{said}");
    for title in [
        "== ken edict validate ./edicts.yaml",
        "== ken library validate",
        "== ken audit leaks",
    ] {
        assert!(said.contains(title), "{said}");
    }
    // Each of the three finds something, and none keeps the others from looking.
    machine.write(
        "check out/below/edicts.json",
        "{\"edicts\": [{\"text\": 5, \"category\": \"a\"}]}",
    );
    machine.write(
        "check out/agent-library/agents/sample.l5.yaml",
        MANIFEST.replace("type: other", "type: wizard"),
    );
    machine.write("check out/.agent/semantic/LESSONS.md", token('1'));
    let (passed, said) = run_action(&machine, &repo, &with_program);
    assert!(!passed, "{said}");
    for annotation in [
        "::error file=below/edicts.json,line=1,",
        "::error file=agent-library/agents/sample.l5.yaml,line=2,",
        "::error file=agent-library/agents/sample.l5.yaml,line=6,col=10,title=private-row::",
        "::error file=.agent/semantic/LESSONS.md,line=1,col=1,title=credential::",
    ] {
        assert!(said.contains(annotation), "{annotation}: {said}");
    }
}

#[test]
fn a_release_is_used_only_with_the_checksum_that_it_was_released_with() {
    let machine = Machine::new();
    let get = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ci/get.sh");
    let script = format!(
        "set -e; mkdir -p releases/v9 pack; printf '#!/bin/sh\\necho \"ken 9\"\\n' > pack/ken; chmod +x pack/ken\n\
         target=$(case \"$(uname -s)-$(uname -m)\" in Linux-x86_64) echo x86_64-unknown-linux-gnu;; Linux-*) echo aarch64-unknown-linux-gnu;; Darwin-x86_64) echo x86_64-apple-darwin;; *) echo aarch64-apple-darwin;; esac)\n\
         archive=ken-v9-$target.tar.gz; tar -czf releases/v9/$archive -C pack ken\n\
         (cd releases/v9; if command -v sha256sum >/dev/null; then sha256sum $archive; else shasum -a 256 $archive; fi > $archive.sha256)\n\
         export KEN_RELEASES=file://$PWD/releases KEN_VERSION=v9 KEN_INTO=$PWD/into\n\
         program=$('{get}'); \"${{program#program=}}\"\n\
         echo tampered >> releases/v9/$archive\n\
         if '{get}' 2>&1; then echo used; fi",
        get = get.display()
    );
    let folder = machine.folder("runner");
    let output = std::process::Command::new("bash")
        .args(["-c", &script])
        .current_dir(&folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        said.starts_with("ken 9\n"),
        "{said}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    assert!(
        said.contains("it is not used")
            && !said.ends_with("used\n\n")
            && !said.lines().any(|line| line == "used"),
        "{said}"
    );
}
