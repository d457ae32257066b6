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

/// A token of GitHub's shape, put together here so that no scanner finds one in this file.
fn token(fill: char) -> String {
    let varied: String = (0..36)
        .map(|n| {
            if n % 3 == 0 {
                fill
            } else {
                char::from(b'a' + n * 7 % 26)
            }
        })
        .collect();
    format!("{}{}", ["gh", "p_"].concat(), varied)
}

#[test]
fn no_credential_reaches_the_log_in_any_field() {
    let project = Project::new();
    let secret = token('7');
    let observation = Observation {
        skill_action: Some(format!("deploy::{secret}")),
        origin: Some(Origin::Tool),
        tags: vec![format!("t {secret}"), "password".into(), "rotation".into()],
        supersedes: Some(secret.clone()),
        dedup_key: Some(secret.clone()),
        ..Observation::new(format!("push with {secret} failed"), secret.clone())
    };
    let learned = project.folder.learn(observation.clone(), &noon()).unwrap();
    assert_eq!(learned.redactions.len(), 6);
    assert!(
        learned
            .redactions
            .iter()
            .all(|finding| finding.kind == "github-token")
    );
    let text = project.log_text();
    assert!(!text.to_lowercase().contains(&secret.to_lowercase()), "{text}");
    let fingerprint = &learned.redactions[0].fingerprint;
    let shown = line(&project, 1).replace(fingerprint, "FINGERPRINT");
    insta::assert_snapshot!(shown, @r#"{"schema_version":"1.0","id":"evt_??????????????????????????","timestamp":"2026-05-13T12:00:00Z","content":"push with [redacted:github-token] failed","pain":5.0,"importance":5.0,"recurrence":0,"skill_action":"deploy::redacted_github_token","source_harness":"redacted-github-token","pinned":false,"origin":"tool","tags":["t [redacted:github-token]","password","rotation"],"supersedes":"redacted_github_token","client_dedup_key":"[redacted:github-token]~FINGERPRINT"}"#);

    // Two secrets as keys are two keys, and one is one.
    let other = Observation {
        dedup_key: Some(token('9')),
        ..observation.clone()
    };
    assert!(!project.folder.learn(other, &noon()).unwrap().deduplicated);
    let again = project.folder.learn(observation, &noon()).unwrap();
    assert!(again.deduplicated);
    assert_eq!(again.redactions.len(), 6);
}

#[test]
fn a_refusal_does_not_repeat_a_credential() {
    let project = Project::new();
    let secret = token('7');
    for observation in [
        Observation::new("x", format!("no harness {secret}")),
        Observation {
            skill_action: Some(format!("no skill! {secret}")),
            ..said("x")
        },
        Observation {
            tags: vec![format!("two\nlines {secret}")],
            ..said("x")
        },
    ] {
        let error = project
            .folder
            .learn(observation, &noon())
            .unwrap_err()
            .to_string();
        assert!(!error.contains(&secret[..12]), "{error}");
    }
}

#[test]
fn a_field_that_is_a_credential_s_name_says_nothing_of_the_next() {
    let project = Project::new();
    let observation = Observation {
        skill_action: Some("hunter2x9k".into()),
        tags: vec!["token".into(), "hunter2x9k".into()],
        dedup_key: Some("hunter2x9k".into()),
        ..said("password")
    };
    let learned = project.folder.learn(observation, &noon()).unwrap();
    assert!(learned.redactions.is_empty(), "{:?}", learned.redactions);
    assert_eq!(learned.event.skill_action.as_str(), "hunter2x9k");
}

#[test]
fn another_holder_of_the_lock_is_named() {
    let project = Project::new();
    let lock = project.folder.path().join(".dreamd/ken/log.lock");
    let held = ken_files::Lock::acquire(&lock, "ken migrate", std::time::Duration::ZERO).unwrap();
    let error = project.folder.learn(said("x"), &noon()).unwrap_err().to_string();
    assert!(
        error.contains("log.lock is locked by ken migrate (process "),
        "{error}"
    );
    assert_eq!(project.log_text(), "");
    drop(held);
    assert_eq!(project.folder.learn(said("x"), &noon()).unwrap().line, 1);
}

#[test]
fn what_two_checkouts_of_one_log_learned_is_found_after_a_merge() {
    // At one time, or behind an id from a clock that is minutes ahead: then too the next ids follow the last one.
    for (base_at, at) in [
        ("2026-05-13T12:00:00Z", "2026-05-13T12:00:00Z"),
        ("2026-05-13T12:04:00Z", "2026-05-13T12:00:00Z"),
    ] {
        let project = Project::new();
        project.learn_at(said("what both have"), base_at);
        let base = project.log_text();
        let learn = |side: &str| {
            for n in 0..20 {
                // As processes of their own.
                let folder = ken_dotagent::Folder::open(project.root()).unwrap().unwrap();
                folder.learn(said(&format!("{side} {n}")), &clock(at)).unwrap();
            }
            project.log_text()[base.len()..].to_owned()
        };
        let ours = learn("ours");
        project.write_log(&base);
        let theirs = learn("theirs");
        project.write_log(format!("{base}{ours}{theirs}"));

        let log = project.folder.read().unwrap();
        assert_eq!((log.events.len(), log.duplicate_ids_count), (41, 0));
        let index = project.folder.index().unwrap();
        assert_eq!((index.len(), index.duplicate_ids_count()), (41, 0));
    }
}
