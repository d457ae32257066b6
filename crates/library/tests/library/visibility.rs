//! The five rules, row by row, and what a caller sees of a library.

use ken_library::{AccessLevel, Caller, Place, Reason, Rules, Visibility};

use crate::setting::{HEAD, Shelf, read};

/// The visibility and reason of the one entity with these lines, under this policy, on this machine and elsewhere.
fn judged(row: &str, policy: &str) -> String {
    let text = format!("{HEAD}known_entities:\n- {{name: A{row}}}\n{policy}\n");
    let manifest = read(text).unwrap().manifest;
    [Place::Local, Place::Remote]
        .map(|place| {
            let effective = Rules::of(&manifest, place).effective(&manifest.entities[0]);
            format!("{} {:?}", effective.visibility, effective.reason)
        })
        .join(", ")
}

#[test]
fn the_rules_in_their_order() {
    let team = "visibility_policy: {default: team, private_tags: [Health, ' legal '], team_tags: [project]}";
    let table = [
        // 1. A private tag, trimmed, case-folded, whole, whatever the row says.
        (", tags: [health], visibility: public", team, "private PrivateTag"),
        (
            ", tags: [' HEALTH '], visibility: public",
            team,
            "private PrivateTag",
        ),
        (", tags: [Legal]", team, "private PrivateTag"),
        (
            ", tags: [healthy, health-care], visibility: public",
            team,
            "public Row",
        ),
        // The policy's list takes the place of the contract's families, even when it is empty.
        (", tags: [financial], visibility: public", team, "public Row"),
        (
            ", tags: [financial], visibility: public",
            "visibility_policy: {private_tags: []}",
            "public Row",
        ),
        (
            ", tags: [financial], visibility: public",
            "visibility_policy: {default: public}",
            "private PrivateTag",
        ),
        (", tags: [Secret], visibility: public", "", "private PrivateTag"),
        // 2. The row's own word.
        (", visibility: public", team, "public Row"),
        (", visibility: private", team, "private Row"),
        (", tags: [project], visibility: public", team, "public Row"),
        // 3. A team tag.
        (
            ", tags: [PROJECT]",
            "visibility_policy: {default: public, team_tags: [project]}",
            "team TeamTag",
        ),
        // 4. The default.
        ("", "visibility_policy: {default: public}", "public Default"),
        ("", team, "team Default"),
        // Nulls are absent keys.
        (
            ", tags: ~, visibility: ~",
            "visibility_policy: {default: public, private_tags: ~}",
            "public Default",
        ),
        // What cannot be read withholds.
        (", visibility: everyone", team, "private Malformed"),
        (", visibility: [public]", team, "private Malformed"),
        (", visibility: Public", team, "private Malformed"),
        (", tags: project, visibility: public", team, "private Malformed"),
        (", tags: [{a: b}], visibility: public", team, "private Malformed"),
        (
            ", visibility: public",
            "visibility_policy: public",
            "private Malformed",
        ),
        (
            ", visibility: public",
            "visibility_policy: {private_tags: health}",
            "private Malformed",
        ),
        (
            ", visibility: public",
            "visibility_policy: {team_tags: {}}",
            "private Malformed",
        ),
        (
            ", visibility: public",
            "visibility_policy: {default: all}",
            "private Malformed",
        ),
    ];
    for (row, policy, wanted) in table {
        assert_eq!(
            judged(row, policy),
            format!("{wanted}, {wanted}"),
            "{row} {policy}"
        );
    }
    // 5. Undeclared: team here, private elsewhere.
    assert_eq!(judged("", ""), "team Undeclared, private Undeclared");
    assert_eq!(
        judged(", tags: [other]", "visibility_policy: {}"),
        "team Undeclared, private Undeclared"
    );
}

#[test]
fn tags_of_a_session_count_though_the_schema_has_none() {
    let text = format!(
        "{HEAD}recent_sessions:\n- {{date: '', tags: [health], visibility: public}}\n- {{date: '', tags: {{}}, visibility: public}}\n- {{date: '', visibility: public}}\n"
    );
    let manifest = read(text).unwrap().manifest;
    let rules = Rules::of(&manifest, Place::Local);
    let seen: Vec<Reason> = manifest
        .sessions
        .iter()
        .map(|row| rules.effective(row).reason)
        .collect();
    assert_eq!(seen, [Reason::PrivateTag, Reason::Malformed, Reason::Row]);
}

#[test]
fn a_caller_sees_rows_at_and_below_its_level() {
    let shelf = Shelf::new();
    shelf.agent(
        "sample",
        "known_entities:
- {name: Pub, visibility: public}
- {name: Tea, visibility: team}
- {name: Pri, visibility: private}
- {name: Und}
",
    );
    let loaded = shelf.load();
    let seen = |caller: Caller| {
        let view = loaded.view(&caller);
        let names: Vec<String> = view.entities().iter().map(|row| row.name.clone()).collect();
        names.join(" ")
    };
    assert_eq!(seen(Caller::person()), "Pub Tea Pri Und");
    assert_eq!(seen(Caller::local_agent(AccessLevel::Team)), "Pub Tea Und");
    assert_eq!(seen(Caller::local_agent(AccessLevel::Public)), "Pub");
    assert_eq!(seen(Caller::remote(AccessLevel::Private)), "Pub Tea");
    assert_eq!(seen(Caller::remote(AccessLevel::Public)), "Pub");
}

#[test]
fn agent_blocks_are_of_level_team() {
    let shelf = Shelf::new();
    shelf.agent("sample", "capabilities: [code-read]\n");
    let loaded = shelf.load();
    assert_eq!(loaded.view(&Caller::remote(AccessLevel::Team)).agents().len(), 1);
    assert!(
        loaded
            .view(&Caller::local_agent(AccessLevel::Public))
            .agents()
            .is_empty()
    );
}

/// The library of the next tests: Zeus is private everywhere, Hera is private in one manifest and public in another.
fn olympus() -> Shelf {
    let shelf = Shelf::new();
    shelf.agent(
        "alpha",
        "known_entities:
- {name: Zeus, aliases: [Project Thunder], visibility: private}
- {name: Hera, visibility: private}
- {name: Mark, tags: [family]}
- {name: Kenning, aliases: [zeus-board, ken], tags: [zeus, rust], supersedes: [Zeus, Lampwick], visibility: public}
- {name: Plan, summary: what project thunder wants, visibility: public}
- {name: Zeus archive, visibility: public}
recent_sessions:
- {date: '2026-01-01', project_focus: [zeus, Kenning, Mark], key_actions: [mark it], visibility: public}
- {date: '2026-01-02', cwd: /projects/zeus, visibility: public}
- {date: '2026-01-03', files_touched: [src/zeus_client.rs], visibility: public}
- {date: '2026-01-04', key_actions: [asked Hera], visibility: public}
- {date: '2026-01-05', key_actions: [asked ZEUS's son], visibility: public}
known_workstreams:
- {name: W, status: active, related_entities: [Project thunder, Kenning], visibility: public}
notes:
- {date: '2026-01-01', text: 'a note on Project  Thunder', visibility: public}
- {date: '2026-01-02', text: fine, related_entities: [ZEUS], x-seen: [Zeus], x-kept: [ok], visibility: public}
",
    );
    let head = HEAD
        .replace("id: sample", "id: beta")
        .replace("  type:", "  role_narrative: keeper of Zeus\n  type:");
    shelf.put(
        "beta.l5.yaml",
        format!("{head}capabilities: [zeus-care, code-read]\nknown_entities:\n- {{name: hera, visibility: public}}\n"),
    );
    shelf
}

#[test]
fn no_name_above_the_level_is_read_anywhere() {
    let shelf = olympus();
    let loaded = shelf.load();
    for caller in [
        Caller::local_agent(AccessLevel::Team),
        Caller::remote(AccessLevel::Team),
        Caller::remote(AccessLevel::Public),
    ] {
        let view = loaded.view(&caller);
        let names: Vec<&str> = view.entities().iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["Kenning", "hera"]);
        let kenning = &view.entities()[0];
        assert_eq!(
            (kenning.aliases.join(" "), kenning.tags.join(" ")),
            ("ken".into(), "rust".into())
        );
        assert_eq!(kenning.extra.texts("supersedes"), ["Lampwick"]);
        let days: Vec<String> = view
            .sessions()
            .iter()
            .map(|row| row.date.unwrap().to_string())
            .collect();
        assert_eq!(
            days,
            ["2026-01-01", "2026-01-04"],
            "a name that is public somewhere is no secret"
        );
        assert_eq!(
            view.sessions()[0].project_focus,
            ["Kenning"],
            "a common word counts in references"
        );
        assert_eq!(view.sessions()[0].key_actions, ["mark it"], "and only there");
        assert_eq!(view.workstreams()[0].related_entities, ["Kenning"]);
        assert_eq!(view.notes().len(), 1);
        assert!(view.notes()[0].related_entities.is_empty());
        assert!(!view.notes()[0].extra.has("x-seen") && view.notes()[0].extra.has("x-kept"));
        assert!(view.forbidden().mentioned_in("tell Zeus"));
        assert!(!view.forbidden().mentioned_in("tell Hera to mark it"));
        assert_eq!(view.forbidden().common_words(), ["Mark"]);
    }
    let view = loaded.view(&Caller::remote(AccessLevel::Team));
    let beta = &view.agents()[1];
    assert_eq!(beta.role_narrative, None);
    assert_eq!(beta.capabilities, ["code-read"]);
}

#[test]
fn the_person_sees_everything() {
    let shelf = olympus();
    let loaded = shelf.load();
    let view = loaded.view(&Caller::person());
    assert_eq!(
        (view.entities().len(), view.sessions().len(), view.notes().len()),
        (7, 5, 2)
    );
    assert!(view.forbidden().is_empty());
    assert_eq!(view.agents()[1].role_narrative.as_deref(), Some("keeper of Zeus"));
}

#[test]
fn names_of_rows_that_cannot_be_read_are_guarded_too() {
    let shelf = Shelf::new();
    shelf.agent(
        "sample",
        "known_entities:
- {name: Falcon, visibility: secret}
- {name: Nest, aliases: {x: Eyrie}, visibility: private}
- {aliases: [Kestrel], summary: no name}
notes:
- {date: '2026-01-01', text: the falcon flew, visibility: public}
- {date: '2026-01-01', text: the kestrel flew, visibility: public}
- {date: '2026-01-01', text: to the eyrie, visibility: public}
- {date: '2026-01-01', text: nothing flew, visibility: public}
",
    );
    let view = shelf.load().view(&Caller::local_agent(AccessLevel::Team));
    let texts: Vec<&str> = view.notes().iter().map(|row| row.text.as_str()).collect();
    assert_eq!(texts, ["nothing flew"]);
}

#[test]
fn a_visible_row_says_whose_it_is_and_why() {
    let shelf = olympus();
    let loaded = shelf.load();
    let view = loaded.view(&Caller::person());
    let zeus = &view.entities()[0];
    assert_eq!(
        (zeus.agent().as_str(), zeus.visibility(), zeus.reason()),
        ("alpha", Visibility::Private, Reason::Row)
    );
}
