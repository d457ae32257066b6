use std::io::Write;

use ken_dotagent::{Log, MAX_LINE, Refreshed};

use super::{Project, line, noon, said, time};

const DREAMD: &str = include_str!("../fixtures/dreamd-0.1.jsonl");

fn skipped(log: &Log) -> String {
    log.skipped
        .iter()
        .map(|s| format!("{}: {}\n", s.line, s.why))
        .collect()
}

#[test]
fn bad_lines_are_counted_and_good_ones_beside_them_are_read() {
    let good = line(1, "2026-05-13T12:00:00Z", "good");
    let change = |from: &str, to: &str| line(9, "2026-05-13T12:00:00Z", "bad").replace(from, to);
    let mut log: Vec<u8> = Vec::new();
    for bytes in [
        good.clone().into_bytes(),
        b"caf\xe9".to_vec(),
        b"not json at all".to_vec(),
        b"{\"a\":".to_vec(),
        b"[1,2]".to_vec(),
        b"null".to_vec(),
        vec![0; 40],
        b"<<<<<<< HEAD".to_vec(),
        b"=======".to_vec(),
        b">>>>>>> branch".to_vec(),
        b"".to_vec(),
        b"  \r".to_vec(),
        change("\"pain\":5.0", "\"pain\":11").into_bytes(),
        change("\"importance\":5.0", "\"importance\":-0.1").into_bytes(),
        change("\"recurrence\":0", "\"recurrence\":-1").into_bytes(),
        change("\"recurrence\":0", "\"recurrence\":1.5").into_bytes(),
        change("\"1.0\"", "\"2.0\"").into_bytes(),
        change("\"1.0\"", "1.0").into_bytes(),
        change("evt_", "event_").into_bytes(),
        change("2026-05-13T12:00:00Z", "yesterday").into_bytes(),
        change("\"bad\"", "\"  \"").into_bytes(),
        change("\"bad\"", "17").into_bytes(),
        change("\"pain\":5.0,", "").into_bytes(),
        change("\"schema_version\":\"1.0\",", "").into_bytes(),
        change("\"pain\":5.0", "\"pain\":\"5\"").into_bytes(),
        change("bad", &"x".repeat(MAX_LINE)).into_bytes(),
        change("bad", &"x".repeat(3 * MAX_LINE)).into_bytes(),
        line(2, "2026-05-13T12:00:00Z", "good too").into_bytes(),
        good.as_bytes()[..100].to_vec(),
    ] {
        log.extend_from_slice(&bytes);
        log.push(b'\n');
    }
    log.pop();
    let project = Project::with_log(log);
    let log = project.folder.read().unwrap();
    insta::assert_snapshot!(skipped(&log), @r"
    2: not UTF-8
    3: not JSON (column 2)
    4: not JSON (column 5)
    5: not an event: a value of the wrong kind (column 1)
    6: not an event: a value of the wrong kind (column 4)
    7: not JSON (column 1)
    8: a merge conflict's marker; resolve the conflict by keeping the lines of both sides
    9: a merge conflict's marker; resolve the conflict by keeping the lines of both sides
    10: a merge conflict's marker; resolve the conflict by keeping the lines of both sides
    13: `pain` is 11, which is out of range
    14: `importance` is -0.1, which is out of range
    15: `recurrence` is -1, which is out of range
    16: `recurrence` is 1.5, which is out of range
    17: schema_version `2.0` is not known here; a newer ken may read it
    18: schema_version `1.0` is not known here; a newer ken may read it
    19: `id` is `event_01KRGZ00000000000000000009`, which cannot be understood
    20: `timestamp` is `yesterday`, which cannot be understood
    21: `content` is empty, which is out of range
    22: not an event: a value of the wrong kind (column 109)
    23: `pain` is missing
    24: `schema_version` is missing
    25: not an event: a value of the wrong kind (column 123)
    26: longer than 1 MiB
    27: longer than 1 MiB
    29: cut off in the middle
    ");
    assert_eq!((log.skipped_count, log.lines), (25, 29));
    let read: Vec<(u64, &str)> = log
        .events
        .iter()
        .map(|l| (l.line, l.event.content.as_str()))
        .collect();
    assert_eq!(read, [(1, "good"), (28, "good too")]);

    // The next line starts on a line of its own.
    let learned = project.folder.learn(said("after the cut"), &noon()).unwrap();
    assert_eq!(learned.line, 30);
    let log = project.folder.read().unwrap();
    assert_eq!(log.events.last().unwrap().line, 30);
    assert_eq!(
        log.skipped.last().unwrap().why.to_string(),
        "not JSON (column 100)"
    );
}

#[test]
fn both_shapes_stand_side_by_side() {
    let project = Project::with_log(DREAMD);
    let log = project.folder.read().unwrap();
    assert_eq!((log.events.len(), log.skipped_count), (12, 0));
    let first = &log.events[0].event;
    assert_eq!(first.schema_version, "1.0.0");
    assert_eq!(first.recurrence, 0);
    assert_eq!(first.source_harness.as_ref().unwrap().as_str(), "claude-code");
    assert_eq!(first.skill_action.as_str(), "cargo::build::locked");

    let learned = project.folder.learn(said("beside them"), &noon()).unwrap();
    assert_eq!((learned.line, learned.event.schema_version.as_str()), (13, "1.0"));
    let added = project.log_text().strip_prefix(DREAMD).unwrap().to_owned();
    for needed in ["\"source_harness\":", "\"pinned\":false", "\"recurrence\":0"] {
        assert!(added.contains(needed), "{added}");
    }
    assert_eq!(project.folder.read().unwrap().events.len(), 13);
}

#[test]
fn a_line_is_read_for_what_it_says() {
    let odd = [
        // Whole numbers, other orders, white space, an offset, unknown fields, nulls.
        r#" { "importance" : 9, "pain":0, "id":"evt_01krgz00000000000000000001", "timestamp":"2026-05-13T14:00:00+02:00", "content":"a", "schema_version":"1.0", "recurrence": 3.0, "skill_action":"Git::Re-Base", "mood":{"deep":[1,2.50]}, "origin":null, "tags":null } "#,
        // Values that make no sense in optional fields stay what they are.
        r#"{"schema_version":"1.0.0","id":"evt_01KRGZ00000000000000000002","timestamp":"2026-05-13 12:00:00","content":"b","pain":1,"importance":1,"skill_action":"c++ / templates","origin":"assistant","tags":["x",1],"pinned":"yes","source_harness":"My Tool","supersedes":"?!","client_dedup_key":7}"#,
        // No time of day, and everything that applies.
        r#"{"schema_version":"1.0","id":"evt_01KRGZ00000000000000000003","timestamp":"2026-05-13","content":"c","pain":10,"importance":10.0,"recurrence":18446744073709551615,"skill_action":"x","pinned":true,"origin":"tool","tags":["x","y"],"supersedes":"evt_01KRGZ00000000000000000001","client_dedup_key":"k"}"#,
    ];
    let project = Project::with_log(format!(
        "\u{feff}{}\r\n{}\r\n{}",
        odd[0].trim_start(),
        odd[1],
        odd[2]
    ));
    let log = project.folder.read().unwrap();
    assert_eq!(skipped(&log), "");
    let lines: String = log.events.iter().map(|l| l.event.to_line() + "\n").collect();
    insta::assert_snapshot!(lines, @r#"
    {"schema_version":"1.0","id":"evt_01KRGZ00000000000000000001","timestamp":"2026-05-13T12:00:00Z","content":"a","pain":0.0,"importance":9.0,"recurrence":3,"skill_action":"git::re_base","pinned":false,"mood":{"deep":[1,2.5]}}
    {"schema_version":"1.0.0","id":"evt_01KRGZ00000000000000000002","timestamp":"2026-05-13T12:00:00Z","content":"b","pain":1.0,"importance":1.0,"recurrence":0,"skill_action":"c++ / templates","source_harness":"My Tool","pinned":"yes","origin":"assistant","tags":["x",1],"supersedes":"?!","client_dedup_key":7}
    {"schema_version":"1.0","id":"evt_01KRGZ00000000000000000003","timestamp":"2026-05-13T00:00:00Z","content":"c","pain":10.0,"importance":10.0,"recurrence":18446744073709551615,"skill_action":"x","pinned":true,"origin":"tool","tags":["x","y"],"supersedes":"evt_01KRGZ00000000000000000001","client_dedup_key":"k"}
    "#);
    assert!(log.events[1].event.skill_action.is_general());
    assert!(!log.events[1].event.pinned);
}

#[test]
fn what_a_merge_of_two_branches_leaves() {
    let at = "2026-05-13T12:00:00Z";
    let (a, b) = (line(1, at, "a"), line(2, at, "b"));
    let other_b = line(2, at, "another b");
    let project = Project::with_log(format!("{a}\n{b}\n{a}\n{other_b}\n{b}\n"));
    let log = project.folder.read().unwrap();
    assert_eq!(
        (log.events.len(), log.repeated_count, log.duplicate_ids_count),
        (2, 2, 1)
    );
    assert_eq!((log.duplicate_ids[0].line, log.duplicate_ids[0].first), (4, 2));
    assert_eq!(log.events[1].event.content, "b", "the first one counts");
    assert_eq!(log.get(log.events[1].event.id).unwrap().line, 2);
}

#[test]
fn times_ahead_are_told_and_count_as_now() {
    let now = time("2026-05-13T12:00:00Z");
    let project = Project::with_log(format!(
        "{}\n{}\n{}\n",
        line(1, "2026-05-13T12:05:00Z", "a slow clock"),
        line(2, "2026-05-13T12:05:00.001Z", "a wrong clock"),
        line(3, "9999-12-30T00:00:00Z", "a very wrong clock"),
    ));
    let log = project.folder.read().unwrap();
    let ahead: Vec<u64> = log.ahead_of(now).map(|logged| logged.line).collect();
    assert_eq!(ahead, [2, 3]);
    for logged in &log.events {
        assert_eq!(ken_dotagent::salience(&logged.event, now), 0.25);
    }
    assert_eq!(log.events[2].event.time_as_of(now), now);
}

#[test]
fn a_log_that_is_read_again_is_read_from_where_it_ended() {
    let project = Project::new();
    let mut log = project.folder.read().unwrap();
    let refreshed = |log: &mut Log| project.folder.refresh(log).unwrap();
    assert_eq!(refreshed(&mut log), Refreshed::Unchanged);
    project.folder.learn(said("one"), &noon()).unwrap();
    assert_eq!(refreshed(&mut log), Refreshed::Grown(0));
    assert_eq!(refreshed(&mut log), Refreshed::Unchanged);
    project.folder.learn(said("two"), &noon()).unwrap();
    project.folder.learn(said("three"), &noon()).unwrap();
    assert_eq!(refreshed(&mut log), Refreshed::Grown(1));
    assert_eq!(log.events[2].line, 3);

    // A line under way is looked at again when it is whole.
    let mut file = std::fs::OpenOptions::new()
        .append(true)
        .open(project.folder.log_path())
        .unwrap();
    let half = line(7, "2026-05-13T12:00:00Z", "half");
    file.write_all(&half.as_bytes()[..50]).unwrap();
    assert_eq!(refreshed(&mut log), Refreshed::Unchanged);
    assert_eq!(log.skipped_count, 1);
    file.write_all(&half.as_bytes()[50..]).unwrap();
    assert_eq!(refreshed(&mut log), Refreshed::Anew);
    assert_eq!((log.events.len(), log.skipped_count), (4, 0));
    drop(file);

    // One byte changed in the middle, and the length kept.
    let text = project.log_text();
    project.write_log(text.replace("\"two\"", "\"TWO\"") + "\n");
    assert_eq!(refreshed(&mut log), Refreshed::Anew);
    assert_eq!(log.events[1].event.content, "TWO");
    // Another file of the same beginning, as git puts one there.
    let copy = project.root().join("copy");
    std::fs::write(
        &copy,
        project.log_text() + &line(8, "2026-05-13T12:00:00Z", "pulled") + "\n",
    )
    .unwrap();
    std::fs::rename(copy, project.folder.log_path()).unwrap();
    assert_eq!(refreshed(&mut log), Refreshed::Grown(4));
    std::fs::remove_file(project.folder.log_path()).unwrap();
    assert_eq!(refreshed(&mut log), Refreshed::Anew);
    assert!(log.events.is_empty());
    assert_eq!(refreshed(&mut log), Refreshed::Unchanged);
}
