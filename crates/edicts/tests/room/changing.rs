use ken_edicts::{Confidence, Edict, Error, Limits, NewEdict, Outcome, Patch, Ttl};

use crate::support::{EXAMPLE, Project, clock_at, noon};

fn update(project: &Project, id: &str, patch: Patch) -> Result<ken_edicts::Written, Error> {
    project.store.update(id, patch, &Limits::default(), &noon())
}

fn edict(project: &Project, id: &str) -> Edict {
    project.load().get(id, noon().now()).unwrap().clone()
}

#[test]
fn an_update_changes_its_fields_and_nothing_else() {
    let project = Project::yaml(EXAMPLE);
    let written = update(
        &project,
        "e_001",
        Patch {
            text: Some("Lampwick 3.0 ships on May 2.".to_owned()),
            tags: Some(vec!["launch".to_owned()]),
            expires_at: Some("2025-05-02".to_owned()),
            ..Patch::default()
        },
    )
    .unwrap();
    assert_eq!(
        (written.outcome, written.history_id.as_deref()),
        (Outcome::Updated, Some("e_001__1742472000000_1"))
    );
    insta::assert_snapshot!(difference(EXAMPLE, &project.text()), @r#"
    +    text: "Lampwick 3.0 ships on May 2."
    -    text: "Lampwick 3.0 ships on April 15, NOT earlier."
    -      - v3
    +    expiresAt: "2025-05-02T23:59:59.999Z"
    -    expiresAt: "2025-04-16T00:00:00.000Z"
    +    updated: "2025-03-20T12:00:00.000Z"
    -    updated: "2025-03-15T10:00:00.000Z"
    +  - id: "e_001__1742472000000_1"
    +    text: "Lampwick 3.0 ships on April 15, NOT earlier."
    +    supersededBy: "e_001"
    +    archivedAt: "2025-03-20T12:00:00.000Z"
    +    category: release
    +    tags:
    +      - launch
    +      - v3
    +    confidence: verified
    +    source: planning call, 2025-03-15
    +    ttl: event
    +    expiresAt: "2025-04-16T00:00:00.000Z"
    +    created: "2025-03-15T10:00:00.000Z"
    +    updated: "2025-03-15T10:00:00.000Z"
    "#);
    let unchanged = update(
        &project,
        "e_001",
        Patch {
            confidence: Some(Confidence::Verified),
            ..Patch::default()
        },
    )
    .unwrap();
    assert_eq!(unchanged.outcome, Outcome::Unchanged);
}

/// The lines that went and came, in order.
fn difference(before: &str, after: &str) -> String {
    let (before, after): (Vec<_>, Vec<_>) = (before.lines().collect(), after.lines().collect());
    let (mut old, mut new, mut out) = (0, 0, String::new());
    while old < before.len() || new < after.len() {
        match (before.get(old), after.get(new)) {
            (Some(a), Some(b)) if a == b => (old, new) = (old + 1, new + 1),
            (Some(a), other) => {
                // A line went when the next kept one comes sooner that way.
                let came = after[new..].iter().position(|line| line == a);
                let went = other.and_then(|b| before[old..].iter().position(|line| line == b));
                if came.is_some_and(|came| went.is_none_or(|went| came < went)) {
                    out.push_str(&format!("+{}\n", after[new]));
                    new += 1;
                } else {
                    out.push_str(&format!("-{a}\n"));
                    old += 1;
                }
            }
            (None, Some(b)) => {
                out.push_str(&format!("+{b}\n"));
                new += 1;
            }
            (None, None) => {}
        }
    }
    out
}

#[test]
fn ttl_and_expiry_follow_each_other() {
    let project = Project::yaml(EXAMPLE);
    let ttl = |ttl| Patch {
        ttl: Some(ttl),
        ..Patch::default()
    };
    assert_eq!(
        update(&project, "e_001", ttl(Ttl::Permanent))
            .unwrap()
            .edict
            .expires_at,
        None
    );
    let error = update(&project, "e_001", ttl(Ttl::Event))
        .unwrap_err()
        .to_string();
    assert!(error.contains("needs an expiry"), "{error}");
    let short = update(&project, "e_001", ttl(Ttl::Ephemeral)).unwrap().edict;
    assert_eq!(short.expires_at.unwrap().to_string(), "2025-03-21T12:00:00Z");
    let gone = update(
        &project,
        "e_001",
        Patch {
            no_expiry: true,
            ..Patch::default()
        },
    )
    .unwrap_err()
    .to_string();
    assert!(gone.contains("needs an expiry"), "{gone}");
    assert_eq!(
        update(&project, "e_001", ttl(Ttl::Durable))
            .unwrap()
            .edict
            .expires_at,
        None
    );
    assert!(
        !project
            .text()
            .split("- id: no_card")
            .next()
            .unwrap()
            .contains("expiresAt")
    );
}

#[test]
fn confirming_moves_updated_only() {
    let project = Project::yaml(EXAMPLE);
    let later = clock_at("2025-03-21T00:00:00Z");
    project.store.confirm("no_card_payments", &later).unwrap();
    insta::assert_snapshot!(difference(EXAMPLE, &project.text()), @r#"
    -    updated: "2025-03-10T00:00:00.000Z"
    +    updated: "2025-03-21T00:00:00.000Z"
    "#);
}

#[test]
fn removed_and_restored_is_exactly_what_was() {
    let project = Project::yaml(EXAMPLE);
    let was = edict(&project, "no_card_payments");
    let removed = project.store.remove("no_card_payments", &noon()).unwrap();
    assert_eq!(removed.edict.text, was.text);
    assert!(project.load().get("no_card_payments", noon().now()).is_none());
    let later = clock_at("2025-03-21T00:00:00Z");
    let history_id = removed.history_id.unwrap();
    let restored = project
        .store
        .restore(&history_id, Patch::default(), &Limits::default(), &later)
        .unwrap();
    assert_eq!(restored.outcome, Outcome::Restored);
    let now = edict(&project, "no_card_payments");
    assert_eq!(
        serde_json::to_value(&now).unwrap(),
        serde_json::to_value(&was).unwrap()
    );
}

#[test]
fn a_superseded_text_can_be_rolled_back() {
    let project = Project::yaml(EXAMPLE);
    let was = edict(&project, "no_card_payments");
    let new = NewEdict {
        key: Some("no_card_payments".to_owned()),
        ..NewEdict::new("We take cards now.", "legal")
    };
    let superseded = project.add(new).unwrap();
    let id = superseded.history_id.unwrap();
    let restored = project
        .store
        .restore(&id, Patch::default(), &Limits::default(), &noon())
        .unwrap();
    assert_eq!(
        restored.history_id.as_deref(),
        Some("no_card_payments__1742472000000_2")
    );
    let now = edict(&project, "no_card_payments");
    assert_eq!(
        serde_json::to_value(&now).unwrap(),
        serde_json::to_value(&was).unwrap()
    );
    assert_eq!(project.load().history.len(), 3);
}

#[test]
fn what_expired_asks_for_a_new_expiry() {
    let project = Project::yaml(EXAMPLE);
    let later = clock_at("2025-03-25T00:00:00Z");
    let swept = project.store.confirm("e_001", &later).unwrap();
    assert_eq!(swept.expired, 1);
    let id = format!("e_003__{}_1", later.now().as_millisecond());
    let restore = |patch| project.store.restore(&id, patch, &Limits::default(), &later);
    let error = restore(Patch::default()).unwrap_err().to_string();
    assert!(error.contains("has expired"), "{error}");
    let back = restore(Patch {
        expires_in: Some("2h".to_owned()),
        ..Patch::default()
    })
    .unwrap();
    assert_eq!(back.edict.expires_at.unwrap().to_string(), "2025-03-25T02:00:00Z");
}

#[test]
fn an_entry_of_another_program_needs_a_category() {
    let project = Project::yaml(EXAMPLE);
    let restore = |patch| {
        project.store.restore(
            "current_release__1710900000000_1",
            patch,
            &Limits::default(),
            &noon(),
        )
    };
    let error = restore(Patch::default()).unwrap_err().to_string();
    assert!(error.contains("no category"), "{error}");
    let back = restore(Patch {
        category: Some("release".to_owned()),
        ..Patch::default()
    })
    .unwrap();
    assert_eq!(
        (back.edict.id.as_str(), back.edict.text.as_str()),
        ("current_release", "Current release: v2.9.3")
    );
}

#[test]
fn what_is_not_there_is_named_with_the_way_to_see_what_is() {
    let project = Project::yaml(
        "version: 1\nedicts:\n  - id: broken\n    text: x\n  - {id: a, key: k, text: a, category: rule}\n  - {id: b, text: b, category: rule}\n",
    );
    let before = project.text();
    let key = |key: &str| Patch {
        key: Some(key.to_owned()),
        ..Patch::default()
    };
    let errors = [
        project.store.remove("e_999", &noon()).unwrap_err(),
        project.store.confirm("broken", &noon()).unwrap_err(),
        project
            .store
            .restore("x__1_1", Patch::default(), &Limits::default(), &noon())
            .unwrap_err(),
        update(&project, "b", key("k")).unwrap_err(),
        update(&project, "b", key("a")).unwrap_err(),
        update(&project, "b", key("broken")).unwrap_err(),
        Project::without_file("edicts.yaml")
            .store
            .remove("a", &noon())
            .map(|_| ())
            .map_err(|_| Error::Validation("no file".to_owned()))
            .unwrap_err(),
    ];
    assert_eq!(project.text(), before);
    let text: Vec<String> = errors.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(text.join("\n"), @"
    there is no edict `e_999`; see them with `ken edict list`, and what was with `ken edict history`
    the edict `broken` on line 3 cannot be read and is not in force; correct it first (see `ken edict validate`)
    there is no history entry `x__1_1`; see them with `ken edict history`
    the edict `a` has the key `k` already; choose another key, or remove that edict
    the key `a` is the id of another edict (line 5); choose another key
    the edict `broken` on line 3 cannot be read; correct it first (see `ken edict validate`)
    no file
    ");
}

#[test]
fn comments_go_with_the_edict_that_they_belong_to() {
    let project = Project::yaml(
        "\
version: 1
# All of them.
edicts:
  # Keep this list short.
  - id: a
    text: one
    category: rule

  # Agreed with legal.
  - id: b # the second
    text: two
    # not yet in force elsewhere
    category: rule

  # --- the rest ---

  - id: c
    text: three
    category: rule
  # - id: d, later

history: [] # nothing yet
# the end
",
    );
    project.store.remove("b", &noon()).unwrap();
    project.store.remove("a", &noon()).unwrap();
    insta::assert_snapshot!(project.text(), @r#"
    version: 1
    # All of them.
    edicts:
      # Keep this list short.
      # --- the rest ---

      - id: c
        text: three
        category: rule
        created: "2025-03-20T12:00:00.000Z"
        updated: "2025-03-20T12:00:00.000Z"
      # - id: d, later

    history: # nothing yet
      # Agreed with legal.
      # the second
      # not yet in force elsewhere
      - id: b__1742472000000_1
        text: two
        supersededBy: "removed"
        archivedAt: "2025-03-20T12:00:00.000Z"
        category: rule
        tags: []
        confidence: user
        source: manual
        ttl: durable
        created: "2025-03-20T12:00:00.000Z"
        updated: "2025-03-20T12:00:00.000Z"
      - id: a__1742472000000_1
        text: one
        supersededBy: "removed"
        archivedAt: "2025-03-20T12:00:00.000Z"
        category: rule
        tags: []
        confidence: user
        source: manual
        ttl: durable
        created: "2025-03-20T12:00:00.000Z"
        updated: "2025-03-20T12:00:00.000Z"
    # the end
    "#);
}

#[test]
fn what_the_file_leaves_out_is_filled_in_by_the_next_write() {
    let project = Project::yaml(
        "version: 1\nedicts:\n  - text: one\n    category: rule\n    # open\n  - category: rule\n    text: two\n    key: k\n",
    );
    project.store.confirm("k", &noon()).unwrap();
    insta::assert_snapshot!(project.text(), @r#"
    version: 1
    edicts:
      - id: e_001
        text: one
        category: rule
        created: "2025-03-20T12:00:00.000Z"
        updated: "2025-03-20T12:00:00.000Z"
        # open
      - id: k
        category: rule
        text: two
        key: k
        created: "2025-03-20T12:00:00.000Z"
        updated: "2025-03-20T12:00:00.000Z"
    "#);
}

#[test]
fn a_place_that_cannot_be_edited_is_named_and_reformat_is_offered() {
    let text = "version: 1\nconfig: {x-note: &note \"A b\"}\nedicts:\n  - id: a\n    text: &words one # why\n    category: rule\n    weight: 1.10\n  - id: b\n    text: *words\n    category: rule\n    created: 2025-01-01\n    updated: 2025-01-01\n";
    let project = Project::yaml(text);
    let patch = || Patch {
        text: Some("new".to_owned()),
        ..Patch::default()
    };
    let error = update(&project, "a", patch()).unwrap_err().to_string();
    assert!(
        error.contains("edicts.yaml:5 the value bears an anchor") && error.contains("--reformat"),
        "{error}"
    );
    assert_eq!(project.text(), text);
    let store = project.store.clone().reformat(true);
    store.update("a", patch(), &Limits::default(), &noon()).unwrap();
    insta::assert_snapshot!(project.text(), @r#"
    version: 1
    config:
      x-note: "A b"
    edicts:
      - id: a
        text: new
        category: rule
        weight: 1.10
        created: "2025-03-20T12:00:00.000Z"
        updated: "2025-03-20T12:00:00.000Z"
      - id: b
        text: one
        category: rule
        created: 2025-01-01
        updated: 2025-01-01
    history:
      - id: a__1742472000000_1
        text: one
        supersededBy: a
        archivedAt: "2025-03-20T12:00:00.000Z"
        category: rule
        tags: []
        confidence: user
        source: manual
        ttl: durable
        created: "2025-03-20T12:00:00.000Z"
        updated: "2025-03-20T12:00:00.000Z"
    "#);
    // An edit beside the anchors leaves them.
    let project = Project::yaml(text);
    update(&project, "b", patch()).unwrap();
    assert!(project.text().contains("&words one # why"));
}

#[test]
fn two_edicts_with_one_key_become_one_when_it_is_superseded() {
    let one = |text: &str| format!("  - id: {text}\n    key: k\n    text: {text}\n    category: rule\n");
    let project = Project::yaml(&format!("version: 1\nedicts:\n{}{}", one("ours"), one("theirs")));
    assert!(
        project
            .findings()
            .contains("the key `k` is also that of the edict on line 3")
    );
    let new = NewEdict {
        key: Some("k".to_owned()),
        ..NewEdict::new("both", "rule")
    };
    let written = project.add(new).unwrap();
    assert_eq!(
        (written.outcome, written.edict.id.as_str()),
        (Outcome::Superseded, "ours")
    );
    let edicts = project.load();
    assert_eq!(edicts.edicts.len(), 1);
    assert!(
        edicts
            .history
            .iter()
            .map(|entry| entry.superseded_by.as_str())
            .eq(["ours", "ours"])
    );
}

#[test]
fn an_expired_edict_says_so_and_comes_back_before_and_after_it_is_archived() {
    let text = "version: 1\nedicts:\n  - {id: e_001, text: the freeze is on, category: ops, ttl: event, expiresAt: 2025-03-19T00:00:00Z, created: 2025-03-01, updated: 2025-03-01}\n";
    let again = || Patch {
        expires_in: Some("7d".to_owned()),
        ..Patch::default()
    };
    let limits = Limits::default();
    let project = Project::yaml(text);
    let refused = [
        project.store.confirm("e_001", &noon()).unwrap_err(),
        project.store.remove("e_001", &noon()).unwrap_err(),
        project
            .store
            .update("e_001", again(), &limits, &noon())
            .unwrap_err(),
        project.load().find("e_001", noon().now()).unwrap_err(),
    ];
    for refused in refused {
        assert_eq!(
            refused.to_string(),
            "there is no edict `e_001`; it expired 2025-03-19T00:00:00.000Z; bring it back with `ken edict restore e_001 --expires-in 7d`"
        );
    }
    assert_eq!(project.text(), text);
    let restored = project.store.restore("e_001", again(), &limits, &noon()).unwrap();
    assert_eq!(restored.edict.text, "the freeze is on");
    let edicts = project.load();
    assert_eq!(edicts.edicts.len(), 1);
    assert_eq!(
        edicts.edicts[0].expires_at,
        Some("2025-03-27T12:00:00Z".parse().unwrap())
    );
    assert_eq!(edicts.history.len(), 1, "what it was is kept: {}", project.text());
    assert_eq!(edicts.history[0].superseded_by, "expired");

    let project = Project::yaml(text);
    project.add(NewEdict::new("another", "ops")).unwrap();
    let refused = project.store.confirm("e_001", &noon()).unwrap_err().to_string();
    let id = &project.load().history[0].id;
    assert!(
        refused.ends_with(&format!("bring it back with `ken edict restore {id}`")),
        "{refused}"
    );
    let refused = project
        .store
        .restore(id, Patch::default(), &limits, &noon())
        .unwrap_err();
    assert_eq!(
        refused.to_string(),
        format!("`{id}` has expired; give it a new expiry with --expires-at or --expires-in")
    );
    project.store.restore(id, again(), &limits, &noon()).unwrap();
    assert_eq!(project.load().in_force(noon().now()).count(), 2);
}

#[test]
fn three_expiries_of_one_id_in_a_day_have_three_history_ids() {
    let project = Project::without_file("edicts.yaml");
    for hour in ["08", "10", "12"] {
        let new = NewEdict {
            key: Some("freeze".to_owned()),
            expires_in: Some("1h".to_owned()),
            ttl: Some(Ttl::Ephemeral),
            ..NewEdict::new(format!("no deploys since {hour}"), "ops")
        };
        let clock = clock_at(&format!("2025-03-20T{hour}:00:00Z"));
        let written = project.store.add(new, &Limits::default(), &clock).unwrap();
        assert_eq!(written.outcome, Outcome::Created);
    }
    let clock = clock_at("2025-03-20T14:00:00Z");
    project
        .store
        .add(NewEdict::new("x", "ops"), &Limits::default(), &clock)
        .unwrap();
    let edicts = project.store.load(&clock).unwrap();
    let ids: Vec<&str> = edicts.history.iter().map(|entry| entry.id.as_str()).collect();
    assert_eq!(
        ids,
        [
            "freeze__1742464800000_1",
            "freeze__1742472000000_2",
            "freeze__1742479200000_3"
        ]
    );
    assert!(
        edicts
            .history
            .iter()
            .all(|entry| entry.superseded_by == "expired")
    );
}

#[test]
fn a_text_that_keeps_its_last_blank_lines_is_removed_whole_and_nothing_else_is() {
    let head = "version: 1\nedicts:\n  - id: a\n    text: \"stays\"\n    category: x\n    created: 2025-03-01\n    updated: 2025-03-01\n";
    for (block, blank) in [
        (">+", "\n\n"),
        ("|+", "\n"),
        ("|+", "\n\n\n"),
        (">-", "\n"),
        ("|", ""),
    ] {
        for behind in ["", "history: []\n", "# the end\n", "config:\n  maxEdicts: 9\n"] {
            let item = format!(
                "  - id: b\n    category: x\n    created: 2025-03-01\n    updated: 2025-03-01\n    text: {block}\n      goes away\n{blank}"
            );
            let project = Project::yaml(&format!("{head}{item}{behind}"));
            project
                .store
                .remove("b", &noon())
                .unwrap_or_else(|error| panic!("{block} {blank:?} {behind:?}: {error}"));
            let text = project.text();
            assert!(text.starts_with(head), "{block} {blank:?} {behind:?}: {text}");
            let archived: usize = text.find("goes away").unwrap();
            let from = text.rfind("  - id:").filter(|from| *from < archived).unwrap();
            let archive: usize = text[from..].lines().take(11).map(|line| line.len() + 1).sum();
            let rest =
                text[head.len()..from].replace("history:\n", "") + text.get(from + archive..).unwrap_or("");
            let expected = behind.replace("history: []\n", "");
            assert_eq!(
                rest.trim(),
                expected.trim(),
                "{block} {blank:?} {behind:?}: {text}"
            );
            let loaded = project.load();
            assert_eq!(loaded.history[0].text.trim(), "goes away");
        }
    }
}
