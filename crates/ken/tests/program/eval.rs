//! `ken eval`: what it prints, when it fails, and the golden set of this repository.

use crate::machine::Machine;

const CASES: &str = r#"{"list": "onyx", "names": [{"name": "Omega Onyx {n}", "from": 1, "to": 1000}]}
{"kind": "longest", "names": ["Mercury", "Mercury Bank"], "text": "the Mercury Bank account", "expected": ["Mercury Bank"]}
{"kind": "siblings", "names": [{"list": "onyx"}], "text": "is omega-onyx-31 done?", "expected": [{"text": "omega-onyx-31", "name": "Omega Onyx 31"}]}
"#;

#[test]
fn the_score_is_printed_overall_and_by_kind() {
    let machine = Machine::new();
    machine.write("cases.jsonl", CASES);
    let printed = machine
        .ken(&machine.home(), ["eval", "recognition", "cases.jsonl"])
        .done();
    insta::assert_snapshot!(printed, @r"
              cases  precision  recall      F1
    longest       1     1.0000  1.0000  1.0000
    siblings      1     1.0000  1.0000  1.0000
    overall       2     1.0000  1.0000  1.0000
    2 cases: 0 cases otherwise than expected, 0 bad lines
    ");
}

#[test]
fn what_came_out_otherwise_and_what_is_no_case_is_told_and_the_command_fails() {
    let machine = Machine::new();
    let mut cases = CASES.as_bytes().to_vec();
    cases.extend_from_slice(
        br#"{"kind": "longest", "names": ["Mercury", "Bank"], "text": "Mercury bank", "expected": ["Mercury bank"]}
not a case

{"kind": "longest", "names": [{"list": "gone"}], "text": "Mercury", "expected": []}
"#,
    );
    cases.extend_from_slice(b"{\"kind\": \"\xff\"}\n");
    machine.write("cases.jsonl", cases);
    let run = machine.ken(&machine.home(), ["eval", "recognition", "cases.jsonl"]);
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    insta::assert_snapshot!(run.stdout, @r#"
    line 5: it is no JSON object: expected ident at line 1 column 2
    line 7: no line above gives the list `gone`
    line 8: it is not UTF-8 at byte 10
    line 4 (longest): Mercury bank
        missed: "Mercury bank" at 0
        wrong: "Mercury" at 0 as Mercury

              cases  precision  recall      F1
    longest       2     0.5000  0.5000  0.5000
    siblings      1     1.0000  1.0000  1.0000
    overall       3     0.6667  0.6667  0.6667
    3 cases: 1 case otherwise than expected, 3 bad lines
    "#);

    let run = machine.ken(&machine.home(), ["eval", "recognition", "cases.jsonl", "--json"]);
    assert_eq!(run.code, Some(1));
    let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(report["overall"]["f1"], 2.0 / 3.0);
    assert_eq!(report["kinds"][1]["kind"], "siblings");
    assert_eq!(report["kinds"][1]["recall"], 1.0);
    assert_eq!(report["failures"][0]["wrong"][0]["names"][0], "Mercury");
    assert_eq!(report["bad_lines"][2]["line"], 8);
}

#[test]
fn a_file_that_holds_no_case_is_refused_with_a_sentence() {
    let machine = Machine::new();
    machine.write("empty.jsonl", "\n\n");
    machine.folder("folder");
    for (file, says) in [
        ("empty.jsonl", "there is no case in it"),
        ("gone.jsonl", "cannot be read"),
        ("folder", "cannot be read"),
    ] {
        let run = machine.ken(&machine.home(), ["eval", "recognition", file]);
        assert_eq!((run.code, run.stdout.as_str()), (Some(1), ""), "{file}");
        assert!(
            run.stderr.contains(file) && run.stderr.contains(says),
            "{}",
            run.stderr
        );
    }
    let run = machine.ken(&machine.home(), ["eval", "recognition"]);
    assert_eq!(run.code, Some(2));
}

#[test]
fn the_golden_set_of_the_repository_passes() {
    let machine = Machine::new();
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../text/tests/golden/recognition.jsonl"
    );
    let printed = machine.ken(&machine.home(), ["eval", "recognition", file]).done();
    assert!(
        printed.contains(" 0 cases otherwise than expected, 0 bad lines"),
        "{printed}"
    );
}

#[test]
fn cases_come_from_standard_input_and_a_name_that_is_none_is_told_in_words() {
    let machine = Machine::new();
    let cases = format!(
        "{CASES}{}\n",
        r#"{"kind": "k", "names": [{"name": "Onyx {n}", "from": -1, "to": 3}], "text": "", "expected": []}"#
    );
    let run = machine.ken_with_input(&machine.home(), ["eval", "recognition", "-"], cases.as_bytes());
    assert_eq!((run.code, run.stderr.as_str()), (Some(1), ""));
    insta::assert_snapshot!(run.stdout, @r#"
    line 4: a name is a text, {"list": "LIST"}, or {"name": "NAME {n}", "from": 1, "to": 9} with whole numbers from 0 on; a case has `kind`, `names`, `text` and `expected`, a list has `list` and `names`
    
              cases  precision  recall      F1
    longest       1     1.0000  1.0000  1.0000
    siblings      1     1.0000  1.0000  1.0000
    overall       2     1.0000  1.0000  1.0000
    2 cases: 0 cases otherwise than expected, 1 bad line
    "#);
}
