use ken_dotagent::{Error, Observation, Origin, Refusal};

use super::{Project, clock, noon, said};

/// The line with its id masked.
fn line(project: &Project, number: usize) -> String {
    let text = project.log_text();
    let line = text.lines().nth(number - 1).unwrap();
    let at = line.find("evt_").unwrap();
    format!("{}evt_{}{}", &line[..at], "?".repeat(26), &line[at + 30..])
}

#[test]
fn the_least_and_the_most_that_a_line_holds() {
    let project = Project::new();
    let learned = project
        .folder
        .learn(said("  tests need --locked\n"), &noon())
        .unwrap();
    assert_eq!((learned.line, learned.deduplicated), (1, false));
    insta::assert_snapshot!(line(&project, 1), @r#"{"schema_version":"1.0","id":"evt_??????????????????????????","timestamp":"2026-05-13T12:00:00Z","content":"tests need --locked","pain":5.0,"importance":5.0,"recurrence":0,"skill_action":"general","source_harness":"cli","pinned":false}"#);

    let learned = project
        .folder
        .learn(
            Observation {
                pain: 7.25,
                importance: 9.0,
                skill_action: Some(" Rust::Error-Handling ".into()),
                origin: Some(Origin::User),
                tags: vec!["CI".into(), "a b".into(), "CI".into()],
                supersedes: Some(learned.event.id.to_string()),
                dedup_key: Some("k-1".into()),
                ..Observation::new("„quoted“ \"text\"\nsecond line \u{1}", "claude-code")
            },
            &clock("2026-05-13T12:00:00.123456Z"),
        )
        .unwrap();
    assert_eq!(learned.line, 2);
    let shown = line(&project, 2).replace(&learned.event.supersedes.unwrap().to_string(), "FIRST");
    insta::assert_snapshot!(shown, @r#"{"schema_version":"1.0","id":"evt_??????????????????????????","timestamp":"2026-05-13T12:00:00.123Z","content":"„quoted“ \"text\"\nsecond line \u0001","pain":7.25,"importance":9.0,"recurrence":0,"skill_action":"rust::error_handling","source_harness":"claude-code","pinned":false,"origin":"user","tags":["CI","a b"],"supersedes":"FIRST","client_dedup_key":"k-1"}"#);
    let log = project.folder.read().unwrap();
    assert_eq!(log.events.len(), 2);
    assert_eq!(log.events[1].event.id, learned.event.id);
}

#[test]
fn every_rule_is_one_sentence_and_nothing_is_written() {
    let project = Project::new();
    let broken = |change: fn(&mut Observation)| {
        let mut observation = said("something");
        change(&mut observation);
        match project.folder.learn(observation, &noon()) {
            Err(Error::Refused(refusal)) => refusal.to_string(),
            other => panic!("{other:?}"),
        }
    };
    let sentences = [
        broken(|o| o.pain = 11.0),
        broken(|o| o.importance = -0.5),
        broken(|o| o.pain = f64::NAN),
        broken(|o| o.importance = f64::INFINITY),
        broken(|o| o.content = " \n\t".into()),
        broken(|o| o.content = "x".repeat(64 * 1024 + 1)),
        broken(|o| o.skill_action = Some("c++".into())),
        broken(|o| o.skill_action = Some("a:b".into())),
        broken(|o| o.harness = "Claude Code".into()),
        broken(|o| o.harness = String::new()),
        broken(|o| o.supersedes = Some("evt_123".into())),
        broken(|o| o.tags = vec!["fine".into(), " ".into()]),
        broken(|o| o.tags = vec!["two\nlines".into()]),
        broken(|o| o.tags = (0..33).map(|n| n.to_string()).collect()),
        broken(|o| o.dedup_key = Some(String::new())),
        broken(|o| o.dedup_key = Some("k".repeat(257))),
    ]
    .join("\n");
    insta::assert_snapshot!(sentences, @r"
    pain is 11; give a number from 0 to 10
    importance is -0.5; give a number from 0 to 10
    pain is NaN; give a number from 0 to 10
    importance is inf; give a number from 0 to 10
    the text is empty; say in a sentence what was learned
    the text has 65537 bytes, and an observation holds at most 65536; shorten it or split it
    `c++` is not a skill; write words of a-z, 0-9 and _ joined by `::`, such as `rust::error_handling`, in at most 256 bytes
    `a:b` is not a skill; write words of a-z, 0-9 and _ joined by `::`, such as `rust::error_handling`, in at most 256 bytes
    `Claude Code` is not the name of a harness; write it with a-z, 0-9, _ and -, such as `claude-code`
    `` is not the name of a harness; write it with a-z, 0-9, _ and -, such as `claude-code`
    `evt_123` is nothing that an observation can supersede; give an event's id (`evt_` and 26 letters and digits) or a skill such as `rust::error_handling`
    `` is not a tag; give 1 to 128 bytes on one line
    `two\nlines` is not a tag; give 1 to 128 bytes on one line
    33 tags were given, and an observation holds at most 32; leave some out
    `` is not a dedup key; give 1 to 256 bytes
    `kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk…` is not a dedup key; give 1 to 256 bytes
    ");
    assert_eq!(project.log_text(), "");
    let most = project
        .folder
        .learn(said(&"x".repeat(64 * 1024)), &noon())
        .unwrap();
    assert_eq!(most.event.content.len(), 64 * 1024);
    assert!(matches!(
        project.folder.learn(said(""), &noon()),
        Err(Error::Refused(Refusal::Empty))
    ));
}
