use ken_edicts::{Confidence, Error, Label, Limits, NewEdict, Outcome, Store, Ttl};

use crate::support::{EXAMPLE, Project, clock_at, noon};

fn keyed(text: &str, key: &str) -> NewEdict {
    NewEdict {
        key: Some(key.to_owned()),
        ..NewEdict::new(text, "release")
    }
}

#[test]
fn the_example_comes_back_byte_for_byte_but_for_history() {
    let project = Project::yaml(EXAMPLE);
    let added = project
        .add(NewEdict::new("Standups are at nine.", "operations"))
        .unwrap();
    assert_eq!(
        (added.outcome, added.edict.id.as_str()),
        (Outcome::Created, "e_004")
    );
    let (before, after) = EXAMPLE.split_once("\nhistory:").unwrap();
    insta::assert_snapshot!(project.text().strip_prefix(before).unwrap().strip_suffix(after).unwrap(), @r#"
      - id: e_004
        text: "Standups are at nine."
        category: operation
        tags: []
        confidence: user
        source: "manual"
        ttl: durable
        created: "2025-03-20T12:00:00.000Z"
        updated: "2025-03-20T12:00:00.000Z"

    history:
    "#);
    project.store.remove("e_004", &noon()).unwrap();
    insta::assert_snapshot!(project.text().strip_prefix(EXAMPLE).unwrap(), @r#"
    - id: "e_004__1742472000000_1"
      text: "Standups are at nine."
      supersededBy: "removed"
      archivedAt: "2025-03-20T12:00:00.000Z"
      category: operation
      tags: []
      confidence: user
      source: manual
      ttl: durable
      created: "2025-03-20T12:00:00.000Z"
      updated: "2025-03-20T12:00:00.000Z"
    "#);
}

#[test]
fn a_new_file() {
    let project = Project::without_file("edicts.yaml");
    for text in ["One.", "Two.", "Three."] {
        project.add(NewEdict::new(text, "Rules")).unwrap();
    }
    project
        .add(NewEdict {
            text: "Four: \"quoted\", and\nmore".to_owned(),
            category: "rule".to_owned(),
            tags: Some(vec!["A b".to_owned(), "yes".to_owned(), "a  B".to_owned()]),
            confidence: Some(Confidence::Verified),
            source: Some("ops: Anna".to_owned()),
            key: Some("rule/four".to_owned()),
            ttl: Some(Ttl::Event),
            expires_at: None,
            expires_in: Some("1d12h".to_owned()),
        })
        .unwrap();
    insta::assert_snapshot!(project.text(), @r#"
    # yaml-language-server: $schema=https://raw.githubusercontent.com/kenning-memory/kenning/main/schema/edicts-v1.schema.json
    # Edicts: what is true in this project and must win over anything else. Few and short.
    # Written by people and by `ken edict add`; comments stay where they are.
    version: 1
    config:
      maxEdicts: 200
      tokenBudget: 4000
      categories: []
      staleThresholdDays: 90

    edicts:
      - id: e_001
        text: "One."
        category: rule
        tags: []
        confidence: user
        source: manual
        ttl: durable
        created: "2025-03-20T12:00:00.000Z"
        updated: "2025-03-20T12:00:00.000Z"
      - id: e_002
        text: "Two."
        category: rule
        tags: []
        confidence: user
        source: manual
        ttl: durable
        created: "2025-03-20T12:00:00.000Z"
        updated: "2025-03-20T12:00:00.000Z"
      - id: e_003
        text: "Three."
        category: rule
        tags: []
        confidence: user
        source: manual
        ttl: durable
        created: "2025-03-20T12:00:00.000Z"
        updated: "2025-03-20T12:00:00.000Z"
      - id: rule/four
        text: "Four: \"quoted\", and\nmore"
        category: rule
        tags:
          - a b
          - "yes"
        confidence: verified
        source: "ops: Anna"
        key: rule/four
        ttl: event
        expiresAt: "2025-03-22T00:00:00.000Z"
        created: "2025-03-20T12:00:00.000Z"
        updated: "2025-03-20T12:00:00.000Z"

    history: []
    "#);
    assert_eq!(project.findings(), "");
}

#[test]
fn the_same_in_json() {
    let project = Project::without_file("edicts.json");
    project.add(keyed("One.", "k")).unwrap();
    project.add(keyed("Two.", "k")).unwrap();
    project.add(NewEdict::new("Three.", "rule")).unwrap();
    insta::assert_snapshot!(project.text(), @r#"
    {
      "$schema": "https://raw.githubusercontent.com/kenning-memory/kenning/main/schema/edicts-v1.schema.json",
      "version": 1,
      "config": {
        "maxEdicts": 200,
        "tokenBudget": 4000,
        "categories": [],
        "staleThresholdDays": 90
      },
      "edicts": [
        {
          "id": "k",
          "text": "Two.",
          "category": "release",
          "tags": [],
          "confidence": "user",
          "source": "manual",
          "key": "k",
          "ttl": "durable",
          "created": "2025-03-20T12:00:00.000Z",
          "updated": "2025-03-20T12:00:00.000Z"
        },
        {
          "id": "e_001",
          "text": "Three.",
          "category": "rule",
          "tags": [],
          "confidence": "user",
          "source": "manual",
          "ttl": "durable",
          "created": "2025-03-20T12:00:00.000Z",
          "updated": "2025-03-20T12:00:00.000Z"
        }
      ],
      "history": [
        {
          "id": "k__1742472000000_1",
          "text": "One.",
          "supersededBy": "k",
          "archivedAt": "2025-03-20T12:00:00.000Z",
          "category": "release",
          "tags": [],
          "confidence": "user",
          "source": "manual",
          "key": "k",
          "ttl": "durable",
          "created": "2025-03-20T12:00:00.000Z",
          "updated": "2025-03-20T12:00:00.000Z"
        }
      ]
    }
    "#);
    project.store.remove("k", &noon()).unwrap();
    project.store.remove("e_001", &noon()).unwrap();
    assert!(project.text().contains("\"edicts\": []"), "{}", project.text());
    assert_eq!(project.findings(), "");
}

#[test]
fn init_makes_a_file_once() {
    let project = Project::without_file("edicts.yaml");
    project.store.init().unwrap();
    let fresh = project.text();
    assert_eq!(project.findings(), "");
    insta::assert_snapshot!(fresh, @"
    # yaml-language-server: $schema=https://raw.githubusercontent.com/kenning-memory/kenning/main/schema/edicts-v1.schema.json
    # Edicts: what is true in this project and must win over anything else. Few and short.
    # Written by people and by `ken edict add`; comments stay where they are.
    version: 1
    config:
      maxEdicts: 200
      tokenBudget: 4000
      categories: []
      staleThresholdDays: 90

    edicts: []

    history: []
    ");
    assert!(matches!(project.store.init(), Err(Error::Exists { .. })));
    // What an add and a remove leave is the fresh file and history.
    project.add(NewEdict::new("One.", "rule")).unwrap();
    project.store.remove("e_001", &noon()).unwrap();
    assert_eq!(
        project.text().split_once("history:").unwrap().0,
        fresh.split_once("history:").unwrap().0
    );
}

#[test]
fn the_same_key_supersedes_in_place() {
    let project = Project::yaml(EXAMPLE);
    let first = project.add(NewEdict {
        confidence: Some(Confidence::Verified),
        source: Some("the vendor".to_owned()),
        tags: Some(vec!["api".to_owned()]),
        ..keyed("The release is 2.9.", "current_release")
    });
    assert_eq!(first.unwrap().edict.id, "current_release");
    let later = clock_at("2025-03-21T08:00:00Z");
    let second = project
        .store
        .add(
            keyed("The release is 3.0.", "current_release"),
            &Limits::default(),
            &later,
        )
        .unwrap();
    assert_eq!(second.outcome, Outcome::Superseded);
    let edict = &second.edict;
    assert_eq!(
        (edict.confidence, edict.source.as_str(), edict.ttl),
        (Confidence::Verified, "the vendor", Ttl::Durable)
    );
    assert_eq!((edict.created, edict.updated), (noon().now(), later.now()));
    // The version counts on from the one that stands in history already.
    assert_eq!(
        second.history_id.as_deref(),
        Some("current_release__1742544000000_2")
    );
    let edicts = project.load();
    let entry = edicts.history.last().unwrap();
    assert_eq!(
        (entry.text.as_str(), entry.superseded_by.as_str()),
        ("The release is 2.9.", "current_release")
    );
    assert_eq!(
        (entry.created, entry.ttl),
        (Some(noon().now()), Some(Ttl::Durable))
    );
}

#[test]
fn the_same_text_confirms() {
    let project = Project::yaml(
        "version: 1\nedicts:\n  - id: e_001\n    text: We ship on Mondays. # agreed\n    category: release\n    created: 2025-01-01\n    updated: 2025-01-01\n",
    );
    let again = project
        .add(NewEdict::new(" We ship on Mondays. ", "Releases"))
        .unwrap();
    assert_eq!(again.outcome, Outcome::Confirmed);
    insta::assert_snapshot!(project.text(), @"
    version: 1
    edicts:
      - id: e_001
        text: We ship on Mondays. # agreed
        category: release
        created: 2025-01-01
        updated: 2025-03-20T12:00:00.000Z
    ");
    let other = project.add(NewEdict::new("We ship on Mondays.", "rule")).unwrap();
    assert_eq!(
        (other.outcome, other.edict.id.as_str()),
        (Outcome::Created, "e_002")
    );
    let keyed_once = project.add(keyed("Ship it.", "ship")).unwrap();
    assert_eq!(keyed_once.outcome, Outcome::Created);
    assert_eq!(
        project.add(keyed("Ship it.", "ship")).unwrap().outcome,
        Outcome::Confirmed
    );
    // The same text with more to say is a change.
    let verified = NewEdict {
        confidence: Some(Confidence::Verified),
        ..keyed("Ship it.", "ship")
    };
    assert_eq!(project.add(verified).unwrap().outcome, Outcome::Superseded);
    assert_eq!(project.load().history.len(), 1);
}

#[test]
fn an_inherited_ephemeral_gets_a_fresh_default_expiry() {
    let project = Project::yaml("version: 1\nedicts: []\n");
    let short = NewEdict {
        ttl: Some(Ttl::Ephemeral),
        ..keyed("Deploys are frozen.", "freeze")
    };
    assert_eq!(
        project.add(short).unwrap().edict.expires_at.unwrap().to_string(),
        "2025-03-21T12:00:00Z"
    );
    let later = clock_at("2025-03-21T06:00:00Z");
    let again = project
        .store
        .add(keyed("Deploys are frozen!", "freeze"), &Limits::default(), &later)
        .unwrap();
    assert_eq!(
        (again.outcome, again.edict.ttl),
        (Outcome::Superseded, Ttl::Ephemeral)
    );
    assert_eq!(
        again.edict.expires_at.unwrap().to_string(),
        "2025-03-22T06:00:00Z"
    );
}

#[test]
fn limits_name_the_limit_and_what_there_is_and_nothing_changes() {
    let project = Project::yaml(
        "version: 1\nconfig: {maxEdicts: 2, tokenBudget: 10, categories: [Rules]}\nedicts:\n  - {id: e_001, text: twenty characters ab, category: rule, created: 2025-01-01, updated: 2025-01-01}\n",
    );
    let before = project.text();
    let refused = |new: NewEdict| {
        let error = project.add(new).unwrap_err().to_string();
        assert_eq!(project.text(), before);
        error
    };
    insta::assert_snapshot!(refused(NewEdict::new("twenty-one characters", "rule")), @"this would make 11 tokens of edict text, over the tokenBudget of 10 (now 5); shorten the text, remove an edict, or raise tokenBudget");
    insta::assert_snapshot!(refused(NewEdict::new("a", "release")), @"`release` is not one of the allowed categories (rule); use one of them, or add it to config.categories");
    let second = project
        .add(NewEdict::new("twenty characters b.", "rules"))
        .unwrap();
    insta::assert_snapshot!(second.warnings.join("\n"), @"
    100 % of maxEdicts is used: 2 of 2 edicts
    100 % of tokenBudget is used: 10 of 10 tokens
    ");
    let error = project.add(NewEdict::new("a", "rule")).unwrap_err();
    insta::assert_snapshot!(error, @"there are 2 edicts, and maxEdicts is 2; remove one, or raise maxEdicts");
    // The caller's limits win over the file's.
    let limits = Limits {
        max_edicts: Some(9),
        token_budget: Some(4000),
        categories: Some(vec![Label::new("any").unwrap()]),
        ..Limits::default()
    };
    let added = project
        .store
        .add(NewEdict::new("a", "any"), &limits, &noon())
        .unwrap();
    // A failed add burns no id.
    assert_eq!(added.edict.id, "e_003");
}

#[test]
fn a_smaller_text_into_an_over_full_file_is_accepted() {
    let text = "version: 1\nconfig: {maxEdicts: 1, tokenBudget: 2}\nedicts:\n  - {id: a, key: a, text: twenty characters ab, category: rule, created: 2025-01-01, updated: 2025-01-01}\n  - {id: b, text: twenty characters ab, category: rule, created: 2025-01-01, updated: 2025-01-01}\n";
    let project = Project::yaml(text);
    assert!(matches!(
        project.add(keyed("twenty-one characters", "a")),
        Err(Error::Budget { present: 10, .. })
    ));
    assert_eq!(project.text(), text);
    assert_eq!(
        project.add(keyed("fewer", "a")).unwrap().outcome,
        Outcome::Superseded
    );
    project.store.confirm("b", &noon()).unwrap();
    project.store.remove("b", &noon()).unwrap();
}

#[test]
fn categories_over_their_own_limit_are_warned_of() {
    let project = Project::yaml(
        "version: 1\nconfig:\n  categoryLimits: {Rules: 1}\n  defaultCategoryLimit: 0\nedicts: []\n",
    );
    assert_eq!(
        project.add(NewEdict::new("one", "rule")).unwrap().warnings,
        [""; 0]
    );
    insta::assert_snapshot!(project.add(NewEdict::new("two", "rule")).unwrap().warnings.join("\n"), @"the category `rule` has 2 edicts, over its limit of 1");
    insta::assert_snapshot!(project.add(NewEdict::new("three", "x")).unwrap().warnings.join("\n"), @"
    the category `rule` has 2 edicts, over its limit of 1
    the category `x` has 1 edict, over its limit of 0
    ");
}

#[test]
fn what_cannot_be_used_is_refused_with_its_remedy() {
    let project = Project::yaml(EXAMPLE);
    let valid = || NewEdict::new("A text.", "release");
    let refused = [
        NewEdict::new(" ", "release"),
        NewEdict::new("A text.", " "),
        NewEdict {
            tags: Some(vec![String::new()]),
            ..valid()
        },
        NewEdict {
            key: Some("e_001".to_owned()),
            ..valid()
        },
        NewEdict {
            key: Some("expired".to_owned()),
            ..valid()
        },
        NewEdict {
            key: Some("removed".to_owned()),
            ..valid()
        },
        NewEdict {
            key: Some("a\nb".to_owned()),
            ..valid()
        },
        NewEdict {
            ttl: Some(Ttl::Event),
            ..valid()
        },
        NewEdict {
            ttl: Some(Ttl::Permanent),
            expires_in: Some("1d".to_owned()),
            ..valid()
        },
        NewEdict {
            expires_at: Some("2025-04-01".to_owned()),
            expires_in: Some("1d".to_owned()),
            ..valid()
        },
        NewEdict {
            expires_at: Some("2025-03-01".to_owned()),
            ..valid()
        },
        NewEdict {
            expires_at: Some("2025-04-01T10:00:00".to_owned()),
            ..valid()
        },
        NewEdict {
            expires_in: Some("5y".to_owned()),
            ..valid()
        },
    ];
    let errors: Vec<String> = refused
        .into_iter()
        .map(|new| project.add(new).unwrap_err().to_string())
        .collect();
    assert_eq!(project.text(), EXAMPLE);
    insta::assert_snapshot!(errors.join("\n"), @"
    the text is empty; write the fact as one sentence
    the category: it is empty; write a word
    a tag: it is empty; write a word
    the key `e_001` is the id of another edict (line 12); choose another key
    `expired` cannot be the key, since history uses that word; choose another
    `removed` cannot be the key, since history uses that word; choose another
    the key holds a line break or control character; write it on one line
    an edict with ttl event needs an expiry; give --expires-at or --expires-in
    a permanent edict never expires; leave the expiry out, or choose the ttl event or ephemeral
    both expiresAt and expiresIn are given; leave out one of the two
    the expiry 2025-03-01T23:59:59.999Z is not after now (2025-03-20T12:00:00.000Z); write a later one
    the expiry: `2025-04-01T10:00:00` is not a time: it has no offset such as Z or +02:00; write 2026-01-31 or 2026-01-31T12:00:00Z
    the expiry: `5y` is not a duration: `y` is not one of its units; write seconds, or 30m, 2h, 7d, 4w, 1d12h
    ");
}

#[test]
fn an_expired_edict_frees_its_key_and_its_room() {
    let project = Project::yaml("version: 1\nconfig: {maxEdicts: 1}\nedicts: []\n");
    for (number, time) in [
        "2025-03-20T01:00:00Z",
        "2025-03-20T09:00:00Z",
        "2025-03-20T17:00:00Z",
        "2025-03-21T01:00:00Z",
    ]
    .iter()
    .enumerate()
    {
        let brief = NewEdict {
            ttl: Some(Ttl::Ephemeral),
            expires_in: Some("4h".to_owned()),
            ..keyed("The queue is down.", "queue")
        };
        let added = project
            .store
            .add(brief, &Limits::default(), &clock_at(time))
            .unwrap();
        assert_eq!(
            (added.outcome, added.expired),
            (Outcome::Created, usize::from(number > 0))
        );
    }
    let edicts = project.load();
    let ids: Vec<_> = edicts
        .history
        .iter()
        .map(|entry| (entry.id.as_str(), entry.superseded_by.as_str()))
        .collect();
    assert_eq!(
        ids,
        [
            ("queue__1742461200000_1", "expired"),
            ("queue__1742490000000_2", "expired"),
            ("queue__1742518800000_3", "expired"),
        ]
    );
}

#[test]
fn ids_are_never_given_twice() {
    let project = Project::yaml(
        "version: 1\nedicts: []\nhistory:\n  - {id: e_041__1710900000000_1, text: old, supersededBy: e_007, archivedAt: 2024-03-20}\n",
    );
    assert_eq!(
        project.add(NewEdict::new("one", "rule")).unwrap().edict.id,
        "e_042"
    );
    project.store.remove("e_042", &noon()).unwrap();
    assert_eq!(
        project.add(NewEdict::new("two", "rule")).unwrap().edict.id,
        "e_043"
    );
}

#[test]
fn credentials_are_not_written_and_that_is_said() {
    let project = Project::yaml("version: 1\nedicts: []\n");
    let token = format!("{}{}", "ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let added = project
        .add(NewEdict::new(format!("Deploy with {token} only."), "rule"))
        .unwrap();
    assert_eq!(added.redactions.len(), 1);
    assert!(!project.text().contains(&token));
    assert!(added.edict.text.contains("[redacted:"), "{}", added.edict.text);
    // One that a person wrote into the file is named by validate, and does not go into history.
    let project = Project::yaml(&format!(
        "version: 1\nedicts:\n  - {{id: a, text: use {token}, category: rule}}\n"
    ));
    let findings = project.load().validate(&Limits::default(), noon().now());
    assert!(
        findings
            .iter()
            .any(|finding| finding.message.contains("credential") && !finding.message.contains(&token))
    );
    project.store.remove("a", &noon()).unwrap();
    assert!(!project.text().contains(&token));
}

#[test]
fn without_a_state_folder_the_lock_stands_beside_the_file() {
    let project = Project::yaml("version: 1\n");
    let store = Store::new(&project.path, None);
    store
        .add(NewEdict::new("one", "rule"), &Limits::default(), &noon())
        .unwrap();
    let names: Vec<_> = std::fs::read_dir(project.path.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn reads_leave_the_folder_of_the_project_as_it_is() {
    let project = Project::yaml(EXAMPLE);
    project.store.load(&noon()).unwrap();
    project.store.standing(&noon()).unwrap();
    project.add(NewEdict::new("one", "release")).unwrap();
    let names: Vec<_> = std::fs::read_dir(project.path.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(names, ["edicts.yaml"]);
}

#[test]
fn a_name_with_a_credential_is_refused_and_nothing_is_written() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let project = Project::yaml("version: 1\nedicts: []\n");
    let given = || NewEdict::new("a fact", "rule");
    let refused = [
        NewEdict {
            key: Some(token.clone()),
            ..given()
        },
        NewEdict {
            category: token.clone(),
            ..given()
        },
        NewEdict {
            tags: Some(vec!["fine".to_owned(), token.clone()]),
            ..given()
        },
    ]
    .map(|new| project.add(new).unwrap_err().to_string());
    for (refused, name) in refused.iter().zip(["id", "category", "tag"]) {
        assert!(
            refused.starts_with(&format!("the {name} holds what looks like a credential (")),
            "{refused}"
        );
        assert!(refused.ends_with("); give it a name in plain words"), "{refused}");
        assert!(
            !refused.to_lowercase().contains(&token.to_lowercase()),
            "{refused}"
        );
    }
    assert_eq!(project.text(), "version: 1\nedicts: []\n");
}

#[test]
fn a_credential_anywhere_in_the_file_is_an_error_of_validate() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let dates = "created: 2025-03-01, updated: 2025-03-01";
    let rest = "supersededBy: removed, archivedAt: 2025-03-01";
    let project = Project::yaml(&format!(
        "version: 1\nedicts:\n  - {{id: a, text: x, category: y, key: {token}, {dates}}}\n  - {{id: b, text: x, category: y, tags: [{token}], {dates}}}\n  - {{id: c, text: x, category: y, source: {token}, {dates}}}\nhistory:\n  - {{id: d__1_1, text: x, tags: [{token}], {rest}}}\n  - {{id: e__1_1, text: x, key: {token}, {rest}}}\n"
    ));
    let report = project.store.validate(&Limits::default(), &noon()).unwrap();
    let lines: Vec<u32> = report
        .findings
        .iter()
        .filter(|finding| finding.rule == ken_edicts::Rule::Credential)
        .map(|finding| finding.line)
        .collect();
    assert_eq!(lines, [3, 4, 5, 7, 8], "{:?}", report.findings);
}

#[test]
fn a_limit_that_is_near_is_warned_of_and_one_that_is_exceeded_is_an_error() {
    let file = |config: &str, edicts: usize| {
        let mut text = format!("version: 1\nconfig: {config}\nedicts:\n");
        for number in 0..edicts {
            text += &format!(
                "  - {{id: e_{number:03}, text: fact {number}, category: a, created: 2025-03-19, updated: 2025-03-19}}\n"
            );
        }
        let report = Project::yaml(&text)
            .store
            .validate(&Limits::default(), &noon())
            .unwrap();
        let shown = report.findings.iter().map(|finding| {
            format!(
                "{:?} {} {}\n",
                finding.severity,
                finding.rule.code(),
                finding.message
            )
        });
        shown.collect::<String>()
    };
    assert_eq!(file("{maxEdicts: 5}", 3), "");
    insta::assert_snapshot!(file("{maxEdicts: 5}", 4), @"Warning near-limit 80 % of maxEdicts is used: 4 of 5 edicts; remove or merge edicts in time, or raise it");
    insta::assert_snapshot!(file("{maxEdicts: 5}", 5), @"Warning near-limit 100 % of maxEdicts is used: 5 of 5 edicts; remove or merge edicts in time, or raise it");
    insta::assert_snapshot!(file("{maxEdicts: 5, tokenBudget: 10}", 6), @"
    Error over-limit maxEdicts is 5, and 6 are used; remove or shorten edicts, or raise it
    Error over-limit tokenBudget is 10, and 12 are used; remove or shorten edicts, or raise it
    ");
    insta::assert_snapshot!(file("{categoryLimits: {a: 2}}", 3), @"Warning near-limit the category `a` has 3 edicts, over its limit of 2; remove or merge edicts in time, or raise it");
    assert_eq!(file("{categoryLimits: {a: 3}}", 3), "");
}

#[test]
fn a_proposal_stands_beside_what_is_stated_and_never_against_it() {
    let project = Project::without_file("edicts.yaml");
    let with = |confidence, key: Option<&str>, text: &str| NewEdict {
        confidence: Some(confidence),
        key: key.map(str::to_owned),
        ..NewEdict::new(text, "api")
    };
    project
        .add(with(Confidence::User, Some("limit"), "the limit is 500 a minute"))
        .unwrap();
    project
        .add(with(Confidence::Verified, None, "the database is Postgres"))
        .unwrap();
    project
        .add(with(
            Confidence::Inferred,
            Some("region"),
            "the region is Frankfurt",
        ))
        .unwrap();
    let before = project.text();
    let propose = |key: Option<&str>, text: &str| {
        // What a proposal says of its own confidence does not count.
        project
            .store
            .propose(with(Confidence::Verified, key, text), &Limits::default(), &noon())
    };
    let refused = [
        propose(Some("limit"), "there is no limit"),
        propose(None, "The limit is 900 a minute"),
        propose(None, "the database is MySQL"),
    ]
    .map(|refused| refused.unwrap_err().to_string());
    insta::assert_snapshot!(refused.join("\n"), @"
    `limit` is what a person stated; tell the person, who can change it with `ken edict update`
    it differs in a number from `limit`, which a person stated; tell the person, who can change that with `ken edict update`
    it differs in a name from `e_001`, which somebody verified; tell the person, who can change that with `ken edict update`
    ");
    let known = propose(None, "The database is Postgres.").unwrap();
    assert_eq!(
        (known.outcome, known.edict.id.as_str()),
        (Outcome::Unchanged, "e_001")
    );
    assert_eq!(project.text(), before);
    let added = propose(None, "uploads go through the gateway").unwrap();
    assert_eq!(
        (added.outcome, added.edict.confidence),
        (Outcome::Created, Confidence::Inferred)
    );
    let changed = propose(Some("region"), "the region is Dublin").unwrap();
    assert_eq!(
        (changed.outcome, changed.edict.confidence),
        (Outcome::Superseded, Confidence::Inferred)
    );
}
