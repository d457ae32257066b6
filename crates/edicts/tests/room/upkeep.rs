//! Review, compaction, import, export, numbers, and when edicts were read.

use ken_edicts::{
    Confidence, Error, ExportFormat, Limits, NewEdict, Patch, Review, ReviewRequest, Store, Ttl, export,
};

use crate::support::{EXAMPLE, Project, clock_at, noon};

fn new(text: &str, category: &str, key: Option<&str>) -> NewEdict {
    NewEdict {
        key: key.map(str::to_owned),
        ..NewEdict::new(text, category)
    }
}

fn project(edicts: &[(&str, &str, Option<&str>)]) -> Project {
    let project = Project::without_file("edicts.yaml");
    for (text, category, key) in edicts {
        project.add(new(text, category, *key)).unwrap();
    }
    project
}

fn review(project: &Project, within_days: u32) -> Review {
    let request = ReviewRequest {
        within_days,
        ..ReviewRequest::default()
    };
    project.load().review(&request, noon().now())
}

fn text(text: &str) -> Patch {
    Patch {
        text: Some(text.to_owned()),
        ..Patch::default()
    }
}

fn ids(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn texts(project: &Project) -> Vec<(String, String)> {
    let edicts = project.load().edicts.into_iter();
    edicts.map(|edict| (edict.id.to_string(), edict.text)).collect()
}

#[test]
fn a_review_says_what_needs_a_look_and_what_to_type_next() {
    let project = project(&[
        ("The API allows 500 calls a minute.", "api", Some("api/limit")),
        ("API calls time out after 30 s.", "api", Some("api/timeout")),
        ("The API allows 300 calls a minute.", "api", None),
        (
            "Every change needs one review by a person of the team.",
            "process",
            None,
        ),
        (
            "every change needs one review by a person of the team",
            "rule",
            None,
        ),
    ]);
    let old = clock_at("2024-10-01T00:00:00Z");
    let add = |new| project.store.add(new, &Limits::default(), &old).unwrap();
    add(new(
        "We ship from the branch `stable`.",
        "release",
        Some("it's old"),
    ));
    add(NewEdict {
        ttl: Some(Ttl::Event),
        expires_at: Some("2025-03-25T00:00:00Z".to_owned()),
        ..NewEdict::new("The freeze lasts until the fair.", "release")
    });
    let limited = project
        .text()
        .replace("tokenBudget: 4000", "tokenBudget: 80\n  categoryLimits: {api: 3}");
    std::fs::write(&project.path, limited).unwrap();
    let review = review(&project, 7);
    let mut said = String::new();
    for pair in review.contradictions.iter().chain(&review.near_duplicates) {
        said += &format!("{} / {}: {}; {}\n", pair.ids[0], pair.ids[1], pair.why, pair.next);
    }
    for one in review.stale.iter().chain(&review.expiring) {
        said += &format!("{}: {}; {}\n", one.id, one.why, one.next);
    }
    for group in &review.compaction {
        said += &format!("{} {}: {}\n", group.category, group.key_prefix, group.next);
    }
    for limit in &review.limits {
        said += &format!("{}; {}\n", limit.why, limit.next);
    }
    insta::assert_snapshot!(said, @r"
    api/limit / e_001: they differ in a number; ken edict remove api/limit
    e_002 / e_003: they say nearly the same; ken edict compact e_002 e_003 --text TEXT
    it's old: nobody confirmed it since 2024-10-01T00:00:00.000Z; ken edict confirm 'it'\''s old'
    e_004: it expires 2025-03-25T00:00:00.000Z; ken edict update e_004 --expires-in 7d
    api api: ken edict compact api/limit api/timeout --text TEXT --dry-run
    88 % of tokenBudget is used: 71 of 80 tokens; ken edict stats
    the category `api` has 3 of at most 3 edicts; ken edict list --category api
    ");
    let fine = self::project(&[("One thing.", "a", None), ("Something else entirely.", "b", None)]);
    assert!(self::review(&fine, 30).is_empty());
}

#[test]
fn facts_under_one_key_prefix_are_held_against_each_other() {
    let project = project(&[
        ("The service keeps logs for 30 days.", "ops", Some("logs.keep")),
        (
            "The logs of the service stay for 90 days.",
            "ops",
            Some("logs.days"),
        ),
        ("Logs of the service are kept for 90 days.", "legal", None),
        ("The service writes logs to disk.", "ops", Some("logs.place")),
    ]);
    let found: Vec<_> = review(&project, 0)
        .contradictions
        .into_iter()
        .map(|pair| pair.ids)
        .collect();
    assert_eq!(found, [["logs.keep", "logs.days"]]);
}

#[test]
fn many_alike_are_reviewed_in_no_time() {
    let mut text = String::from("version: 1\nedicts:\n");
    for number in 0..3_000 {
        text += &format!(
            "  - {{id: e_{number}, text: \"Service {number} answers on port {number} of the host for team {}.\", category: a, key: \"s/{number}\", created: 2025-03-01, updated: 2025-03-01}}\n",
            number % 7
        );
    }
    let edicts = Project::yaml(&text).load();
    let start = std::time::Instant::now();
    let review = edicts.review(&ReviewRequest::default(), noon().now());
    assert!(start.elapsed().as_secs() < 20, "{:?}", start.elapsed());
    assert_eq!(
        (review.contradictions.len(), review.near_duplicates.len()),
        (0, 0)
    );
}

#[test]
fn compacted_edicts_become_one_and_can_be_restored() {
    let project = project(&[
        ("Deploys stop on Friday noon.", "ops", None),
        ("Deploys start on Monday.", "ops", None),
        ("Something else.", "ops", None),
    ]);
    project
        .store
        .update(
            "e_002",
            Patch {
                confidence: Some(Confidence::Inferred),
                tags: Some(vec!["Deploys".to_owned()]),
                source: Some("ops".to_owned()),
                ..Patch::default()
            },
            &Limits::default(),
            &noon(),
        )
        .unwrap();
    let before = project.text();
    let compact = |names: &[&str], patch: Patch, dry| {
        project
            .store
            .compact(&ids(names), patch, dry, &Limits::default(), &noon())
    };
    let merged = text("No deploys from Friday noon to Monday.");
    let would = compact(&["e_001", "e_002", "e_001"], merged.clone(), true).unwrap();
    assert_eq!(project.text(), before);
    let done = compact(&["e_001", "e_002", "e_001"], merged, false).unwrap();
    assert_eq!(would.merged, done.merged);
    let edict = &done.edict;
    assert_eq!(
        (edict.id.as_str(), edict.confidence),
        ("e_004", Confidence::Inferred)
    );
    assert_eq!(
        (edict.source.as_str(), edict.tags.len()),
        ("compacted from e_001, e_002", 1)
    );
    assert_eq!(
        texts(&project),
        [
            ("e_003".to_owned(), "Something else.".to_owned()),
            (
                "e_004".to_owned(),
                "No deploys from Friday noon to Monday.".to_owned()
            )
        ]
    );
    let history = project.load().history;
    let last: Vec<_> = history[1..]
        .iter()
        .map(|entry| (entry.id.as_str(), entry.superseded_by.as_str()))
        .collect();
    assert_eq!(
        last,
        [
            ("e_001__1742472000000_1", "e_004"),
            ("e_002__1742472000000_2", "e_004")
        ]
    );
    for merged in &done.merged {
        project
            .store
            .restore(&merged.history_id, Patch::default(), &Limits::default(), &noon())
            .unwrap();
    }
    let restored = project.load();
    let restored = restored.edicts.iter().find(|edict| edict.id == "e_002").unwrap();
    assert_eq!(
        (restored.confidence, restored.source.as_str()),
        (Confidence::Inferred, "ops")
    );
}

#[test]
fn a_compaction_under_a_key_of_theirs_stays_in_place_and_what_cannot_be_is_refused() {
    let project = project(&[
        ("Limit 500.", "api", Some("limit")),
        ("Limit 300.", "api", None),
        ("Other.", "ops", Some("other")),
    ]);
    let before = project.text();
    let compact = |names: &[&str], patch: Patch, limits: &Limits| {
        project.store.compact(&ids(names), patch, false, limits, &noon())
    };
    let refused = |names: &[&str], patch: Patch| {
        let error = compact(names, patch, &Limits::default()).unwrap_err();
        assert_eq!(project.text(), before);
        error.to_string()
    };
    let with_key = |key: &str| Patch {
        key: Some(key.to_owned()),
        ..text("Limit 400.")
    };
    assert!(refused(&["limit"], text("x")).contains("two edicts or more"));
    assert!(refused(&["limit", "e_009"], text("x")).contains("no edict `e_009`"));
    assert!(refused(&["limit", "other"], text("x")).contains("categories api, ops"));
    assert!(refused(&["limit", "e_001"], with_key("other")).contains("has the key `other`"));
    let small = Limits {
        token_budget: Some(3),
        ..Limits::default()
    };
    let error = compact(&["limit", "e_001"], text(&"long ".repeat(20)), &small).unwrap_err();
    assert!(matches!(error, Error::Budget { limit: 3, .. }), "{error}");
    let done = compact(&["e_001", "limit"], with_key("limit"), &Limits::default()).unwrap();
    assert_eq!(done.edict.id, "limit");
    assert_eq!(
        texts(&project)
            .iter()
            .map(|(id, _)| id.as_str())
            .collect::<Vec<_>>(),
        ["limit", "other"]
    );
}

#[test]
fn an_export_is_imported_whole_in_either_form() {
    let source = Project::yaml(EXAMPLE);
    source.store.remove("e_003", &noon()).unwrap();
    let edicts = source.load();
    for (format, name) in [
        (ExportFormat::Yaml, "other.yaml"),
        (ExportFormat::Json, "other.json"),
    ] {
        let other = Project::named(name, &export(&edicts, format));
        let read = other.load();
        assert_eq!(read.findings, [], "{name}");
        let fields = |edicts: &ken_edicts::Edicts| {
            serde_json::to_value((&edicts.config, &edicts.edicts, &edicts.history)).unwrap()
        };
        assert_eq!(fields(&read), fields(&edicts), "{name}");
        let target = Project::without_file("edicts.yaml");
        let limits = Limits::default();
        let done = target
            .store
            .import(&read, false, false, &limits, &noon())
            .unwrap();
        assert_eq!(
            (done.added.len(), done.history),
            (edicts.edicts.len(), edicts.history.len())
        );
        let taken = target.load();
        assert_eq!(
            serde_json::to_value((&taken.edicts, &taken.history)).unwrap(),
            serde_json::to_value((&edicts.edicts, &edicts.history)).unwrap()
        );
        let bytes = target.text();
        let again = target
            .store
            .import(&read, false, false, &limits, &noon())
            .unwrap();
        assert_eq!((again.unchanged, again.history), (edicts.edicts.len(), 0));
        assert_eq!(target.text(), bytes);
    }
}

#[test]
fn an_import_merges_by_key_and_text_and_renames_what_collides() {
    let project = project(&[
        ("Ours.", "a", None),
        ("Limit 500.", "api", Some("limit")),
        ("Both say it.", "a", None),
    ]);
    let incoming = Project::yaml(
        "version: 1\nedicts:\n  - {id: e_001, text: Theirs., category: a, created: 2025-03-01, updated: 2025-03-01}\n  - {id: limit, key: limit, text: Limit 300., category: api, created: 2025-03-01, updated: 2025-03-01}\n  - {id: e_007, text: Both say it., category: a, tags: [more], created: 2025-03-01, updated: 2025-03-01}\n  - {id: e_008, text: Gone., category: a, ttl: event, expiresAt: 2025-03-02, created: 2025-03-01, updated: 2025-03-01}\n  - {id: e_009, text: [bad], category: a}\nhistory:\n  - {id: e_001__1700000000000_1, text: Theirs before., supersededBy: e_001, archivedAt: 2025-03-01}\n",
    );
    let limits = Limits::default();
    let before = project.text();
    let would = project
        .store
        .import(&incoming.load(), false, true, &limits, &noon())
        .unwrap();
    assert_eq!(project.text(), before);
    let done = project
        .store
        .import(&incoming.load(), false, false, &limits, &noon())
        .unwrap();
    assert_eq!(would, done);
    assert_eq!(done.added, ["e_010"]);
    assert_eq!(
        (done.renamed[0].from.as_str(), done.renamed[0].to.as_str()),
        ("e_001", "e_010")
    );
    assert_eq!(done.changed, ["limit", "e_002"]);
    insta::assert_snapshot!(done.skipped.join("\n"), @r"
    e_008: it expired 2025-03-02T23:59:59.999Z
    e_009 on line 7 cannot be read; correct it in the file it comes from
    ");
    assert_eq!(
        texts(&project)
            .iter()
            .map(|(id, text)| format!("{id} {text}"))
            .collect::<Vec<_>>(),
        [
            "e_001 Ours.",
            "limit Limit 300.",
            "e_002 Both say it.",
            "e_010 Theirs."
        ]
    );
    let history: Vec<String> = project.load().history.into_iter().map(|entry| entry.id).collect();
    assert_eq!(
        history,
        [
            "limit__1742472000000_1",
            "e_002__1742472000000_1",
            "e_010__1700000000000_1"
        ]
    );
}

#[test]
fn a_replacing_import_archives_what_it_removes_and_limits_hold() {
    let project = project(&[("Ours.", "a", None), ("Both.", "a", None)]);
    let incoming = Project::yaml(
        "version: 1\nedicts:\n  - {id: e_005, text: Both., category: a, created: 2025-03-01, updated: 2025-03-01}\n  - {id: e_006, text: New., category: a, created: 2025-03-01, updated: 2025-03-01}\n  - {id: e_007, text: Newer., category: a, created: 2025-03-01, updated: 2025-03-01}\n",
    )
    .load();
    let before = project.text();
    let two = Limits {
        max_edicts: Some(2),
        ..Limits::default()
    };
    let error = project
        .store
        .import(&incoming, true, false, &two, &noon())
        .unwrap_err();
    assert!(matches!(error, Error::Count { limit: 2, .. }), "{error}");
    let others = Limits {
        categories: Some(vec![ken_edicts::Label::new("b").unwrap()]),
        ..Limits::default()
    };
    let error = project
        .store
        .import(&incoming, false, false, &others, &noon())
        .unwrap_err();
    assert!(matches!(error, Error::Category { .. }), "{error}");
    assert_eq!(project.text(), before);
    let done = project
        .store
        .import(&incoming, true, false, &Limits::default(), &noon())
        .unwrap();
    assert_eq!(done.removed, ["e_001__1742472000000_1"]);
    let history = project.load().history;
    assert_eq!(
        (history[0].text.as_str(), history[0].superseded_by.as_str()),
        ("Ours.", "removed")
    );
    project
        .store
        .restore(&done.removed[0], Patch::default(), &Limits::default(), &noon())
        .unwrap();
}

#[test]
fn reading_is_noted_outside_of_the_file_and_goes_along_with_a_change() {
    let project = project(&[("One.", "a", None), ("Two.", "a", None)]);
    let before = project.text();
    let later = clock_at("2025-03-21T08:00:00Z");
    let edicts = project.load();
    project.store.note_access(&edicts, ["e_001", "e_404"], &later);
    assert_eq!(project.text(), before);
    let seen = || {
        let mut edicts = project.load();
        project.store.with_access(&mut edicts);
        edicts
            .edicts
            .into_iter()
            .map(|edict| edict.last_accessed)
            .collect::<Vec<_>>()
    };
    assert_eq!(seen(), [Some(later.now()), None]);
    project.store.confirm("e_002", &later).unwrap();
    assert!(!project.text().contains("lastAccessed"));
    project
        .store
        .confirm("e_001", &clock_at("2025-03-22T08:00:00Z"))
        .unwrap();
    assert!(
        project
            .text()
            .contains("lastAccessed: \"2025-03-21T08:00:00.000Z\""),
        "{}",
        project.text()
    );
    // Without a folder of its own nothing is kept, and nothing fails.
    let bare = Store::new(&project.path, None);
    bare.note_access(&project.load(), ["e_002"], &later);
    assert_eq!(seen(), [Some(later.now()), None]);
}

#[test]
fn numbers_of_a_file() {
    let project = Project::yaml(EXAMPLE);
    let stats = project.load().stats(&Limits::default(), noon().now());
    assert_eq!(
        (stats.edicts, stats.max_edicts, stats.expired, stats.set_aside),
        (3, 200, 0, 0)
    );
    assert_eq!(stats.by_ttl.values().sum::<usize>(), 3);
    let late = project
        .load()
        .stats(&Limits::default(), clock_at("2026-01-01T00:00:00Z").now());
    assert_eq!((late.edicts, late.expired), (1, 2));
}

#[test]
fn comments_in_brackets_stay_when_an_edict_is_removed() {
    let file = "version: 1\nedicts: [\n  # of the first\n  {id: e_001, text: one, category: a, created: 2025-03-01, updated: 2025-03-01}, # beside the first\n  # of the second\n  {id: e_002, text: two, category: a, created: 2025-03-01, updated: 2025-03-01}, # beside the second\n  # at the end\n]\nhistory: []\n";
    for gone in [vec!["e_001"], vec!["e_002"], vec!["e_001", "e_002"]] {
        let project = Project::yaml(file);
        for id in &gone {
            project.store.remove(id, &noon()).unwrap();
        }
        let after = project.text();
        for remark in [
            "# of the first",
            "# beside the first",
            "# of the second",
            "# beside the second",
            "# at the end",
        ] {
            assert_eq!(after.matches(remark).count(), 1, "{gone:?} {remark}\n{after}");
        }
        assert_eq!(project.load().edicts.len(), 2 - gone.len());
    }
}

#[test]
fn a_clock_that_jumps_loses_nothing() {
    let project = project(&[("One.", "a", None)]);
    let back = clock_at("2020-01-01T00:00:00Z");
    let ahead = clock_at("2099-01-01T00:00:00Z");
    for (clock, text) in [(&back, "Two."), (&ahead, "Three."), (&back, "Four.")] {
        let patch = Patch {
            text: Some(text.to_owned()),
            ..Patch::default()
        };
        project
            .store
            .update("e_001", patch, &Limits::default(), clock)
            .unwrap();
    }
    let edicts = project.load();
    let mut history: Vec<_> = edicts.history.iter().map(|entry| entry.id.clone()).collect();
    assert_eq!(edicts.edicts[0].text, "Four.");
    assert_eq!(history.len(), 3);
    history.sort();
    history.dedup();
    assert_eq!(history.len(), 3);
    assert_eq!(edicts.validate(&Limits::default(), back.now()), []);
}
