use ken_edicts::{Confidence, Error, Severity, Ttl};

use crate::support::{EXAMPLE, Project, clock_at, noon};

/// Why a whole file is put aside.
fn refusal(name: &str, text: impl AsRef<[u8]>) -> String {
    let project = Project::without_file(name);
    std::fs::write(&project.path, text).unwrap();
    let error = project.store.load(&noon()).unwrap_err();
    assert!(matches!(error, Error::Parse { .. }), "{error}");
    let folder = format!("{}/", project.path.parent().unwrap().display());
    error.to_string().replace(&folder, "")
}

#[test]
fn the_example_of_the_contract_at_its_own_time_and_later() {
    let project = Project::yaml(EXAMPLE);
    let edicts = project.load();
    assert_eq!(edicts.findings, []);
    let first = &edicts.edicts[0];
    assert_eq!(first.category, "release");
    assert_eq!(first.confidence, Confidence::Verified);
    assert_eq!(first.ttl, Ttl::Event);
    assert_eq!(
        first.tags.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["launch", "v3"]
    );
    assert_eq!(first.line, 12);
    assert_eq!(edicts.history[0].origin(), ("current_release", 1));
    assert_eq!(edicts.config.categories.len(), 3);
    let ids = |time: &str| {
        let clock = clock_at(time);
        let edicts = project.store.load(&clock).unwrap();
        edicts
            .in_force(clock.now())
            .map(|edict| edict.id.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        ids("2025-03-20T12:00:00Z"),
        ["e_001", "no_card_payments", "e_003"]
    );
    // From the instant of its expiry on, an edict is invisible.
    assert_eq!(
        ids("2025-03-22T09:59:59.999Z"),
        ["e_001", "no_card_payments", "e_003"]
    );
    assert_eq!(ids("2025-03-22T10:00:00Z"), ["e_001", "no_card_payments"]);
    assert_eq!(ids("2026-11-30T00:00:00Z"), ["no_card_payments"]);
    assert_eq!(project.text(), EXAMPLE);
    let validated = edicts.validate(&Default::default(), noon().now());
    assert_eq!(validated, []);
    let later = clock_at("2026-11-30T00:00:00Z");
    let validated = project
        .store
        .load(&later)
        .unwrap()
        .validate(&Default::default(), later.now());
    assert!(
        validated
            .iter()
            .all(|finding| finding.severity == Severity::Warning)
    );
    assert_eq!(validated.len(), 2);
}

#[test]
fn text_and_category_are_enough() {
    let project =
        Project::yaml("edicts:\n  - text: Deploys are frozen on Fridays.\n    category: Releases\n");
    let edicts = project.load();
    let edict = &edicts.edicts[0];
    assert_eq!(
        (edict.id.as_str(), edict.category.as_str(), edict.source.as_str()),
        ("e_001", "release", "manual")
    );
    assert_eq!(
        (edict.confidence, edict.ttl, edict.created),
        (Confidence::User, Ttl::Durable, noon().now())
    );
    insta::assert_snapshot!(project.findings(), @"
    edicts.yaml:1:1 `version` is missing and taken as 1; write `version: 1` at the top
    edicts.yaml:2:1 e_001: the id is missing; it is read as `e_001`, and the next write puts that down
    edicts.yaml:2:5 `created` or `updated` is missing; the next write fills it
    ");
}

#[test]
fn unquoted_values_are_the_strings_that_stand_there() {
    let project = Project::yaml(
        "version: 1\nedicts:\n  - {id: 007, text: no, category: 2025, tags: [on, 1.10, ~x], source: 2025-04-16, key: 1e3,\n     created: 2025-01-01, updated: 2025-01-02, ttl: event, expiresAt: 2025-04-16}\n",
    );
    let edicts = project.load();
    assert_eq!(edicts.findings, []);
    let edict = &edicts.edicts[0];
    assert_eq!(
        (
            edict.id.as_str(),
            edict.text.as_str(),
            edict.category.as_str(),
            edict.source.as_str()
        ),
        ("007", "no", "2025", "2025-04-16")
    );
    assert_eq!(edict.key.as_deref(), Some("1e3"));
    assert_eq!(
        edict.tags.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["on", "1.10", "~x"]
    );
    assert_eq!(edict.expires_at.unwrap().to_string(), "2025-04-16T23:59:59.999Z");
}

#[test]
fn bad_edicts_are_set_aside_and_everything_is_reported_at_once() {
    let project = Project::yaml(
        "\
version: 1
confg: {}
config:
  maxEdicts: many
  tokenBudget: -1
  max_edicts: 3
  categories: release
edicts:
  - id: good
    text: This one is in force.
    category: release
    created: 2025-03-01
    updated: 2025-03-01
  - id: no_category
    text: Something.
  - id: wrong
    text: [a, list]
    category: ''
    tags: launch
    confidence: Verified
    ttl: forever
    expiresAt: 2025-04-01T12:00:00
    expires_at: 2025-04-01
    created: 2025-02-30
  - just words
  - id: tagged
    text: !!python/object:os.system x
    category: release
  - <<: {category: release}
    text: merged
  - id: removed
    text: Reserved.
    category: release
history:
  - text: no id
  - id: good__1710900000000_3
    text: earlier
    archivedAt: soon
",
    );
    let edicts = project.load();
    assert_eq!(
        edicts
            .edicts
            .iter()
            .map(|edict| edict.id.as_str())
            .collect::<Vec<_>>(),
        ["good"]
    );
    assert_eq!(edicts.set_aside.len(), 6);
    insta::assert_snapshot!(project.findings(), @"
    edicts.yaml:2:1 `confg` is not a field of the contract and is ignored; if `config` is meant, write that
    edicts.yaml:4:14 `maxEdicts` is `many` and must be a whole number of 0 or more; correct it
    edicts.yaml:5:16 `tokenBudget` is `-1` and must be a whole number of 0 or more; correct it
    edicts.yaml:6:3 `max_edicts` is not a field of the contract and is ignored; if `maxEdicts` is meant, write that
    edicts.yaml:7:15 `categories` is a plain value and must be a list; write categories: [a, b]
    edicts.yaml:14:5 no_category: `category` is missing; write it, or remove the edict
    edicts.yaml:17:11 wrong: `text` is a list and must be a string; put it in double quotes
    edicts.yaml:18:15 wrong: `category`: it is empty; write a word
    edicts.yaml:19:11 wrong: `tags` is a plain value and must be a list; write tags: [a, b]
    edicts.yaml:20:17 wrong: `confidence`: `Verified` is not a confidence; write verified, inferred or user
    edicts.yaml:21:10 wrong: `ttl`: `forever` is not a ttl; write permanent, durable, event or ephemeral
    edicts.yaml:22:16 wrong: `expiresAt`: `2025-04-01T12:00:00` is not a time: it has no offset such as Z or +02:00; write 2026-01-31 or 2026-01-31T12:00:00Z
    edicts.yaml:23:5 wrong: `expires_at` is not a field of the contract and is ignored; if `expiresAt` is meant, write that
    edicts.yaml:24:14 wrong: `created`: `2025-02-30` is not a time: there is no such day; write 2026-01-31 or 2026-01-31T12:00:00Z
    edicts.yaml:25:5 an item of `edicts` is a plain value and must be a mapping with `text` and `category`
    edicts.yaml:27:37 tagged: `text` has the tag !!python/object:os.system, which means nothing here; remove the tag
    edicts.yaml:29:5 merge keys (`<<`) are not read; write the fields out
    edicts.yaml:29:5 `category` is missing; write it, or remove the edict
    edicts.yaml:31:9 removed: `id`: `removed` cannot be the id, since history uses that word; choose another
    edicts.yaml:35:5 `id` is missing; write it, or remove the entry
    edicts.yaml:38:17 good__1710900000000_3: `archivedAt`: `soon` is not a time: it is neither a date nor RFC 3339; write 2026-01-31 or 2026-01-31T12:00:00Z
    ");
}

#[test]
fn a_file_that_is_not_one_document_is_put_aside_with_one_error() {
    let yaml = |text: &str| refusal("edicts.yaml", text);
    let all = [
        yaml("edicts:\n  - text: \"open\n    category: x\n"),
        yaml("edicts:\n\t- text: x\n"),
        yaml("edicts:\n  - text: one: two\n    category: x\n"),
        yaml("version: 1\nedicts: []\nedicts: []\n"),
        yaml("edicts:\n  - text: a\n    category: b\n    text: c\n"),
        yaml("version: 2\nedicts: []\n"),
        yaml("- text: a\n  category: b\n"),
        yaml("just words\n"),
        yaml("version: 1\n---\nversion: 1\n"),
        yaml("edicts:\n<<<<<<< HEAD\n  - text: a\n=======\n  - text: b\n>>>>>>> theirs\n"),
        yaml("edicts: [*nowhere]\n"),
        refusal("edicts.yaml", b"version: 1\nedicts: [\"\xff\"]\n"),
        refusal("edicts.yaml", b"\xff\xfev\x00"),
        refusal("edicts.json", "{\"version\": 1,\n \"edicts\": [],}"),
        refusal("edicts.json", "{\"version\": 1, // why\n \"edicts\": []}"),
        refusal("edicts.json", "{\"version\": 1, \"version\": 1}"),
    ];
    insta::assert_snapshot!(all.join("\n"), @"
    edicts.yaml:2:11 a quote is not closed; close it, or check the quotes before it
    edicts.yaml:2:2 the line is indented with a tab; indent with spaces
    edicts.yaml:2:14 a `: ` stands where no key can be; put the text in double quotes, or correct the indentation
    edicts.yaml:3:1 the key `edicts` stands twice, first on line 2; keep one of the two
    edicts.yaml:4:5 the key `text` stands twice, first on line 2; keep one of the two, or begin the second with `- ` where a merge has folded two edicts into one
    edicts.yaml:1:10 the file says version 2, and only version 1 is known; correct it to `version: 1`, or use a newer program
    edicts.yaml:1:1 the file is a list and not a mapping with `version` and `edicts`; put the list under `edicts:`, with `version: 1` above it
    edicts.yaml:1:1 the file is a plain value and not a mapping with `version` and `edicts`; put the list under `edicts:`, with `version: 1` above it
    edicts.yaml:2:1 a second document starts here; keep one document and remove the `---` between
    edicts.yaml:2:1 a conflict marker of git (`<<<<<<<`) stands in the file; keep the edicts of both sides and remove the marker lines
    edicts.yaml:1:10 an alias names an anchor that is not there; write the value out
    edicts.yaml:2:11 the bytes there are not UTF-8; save the file as UTF-8
    edicts.yaml:1:1 the file is UTF-16; save it as UTF-8
    edicts.json:2:15 key must be a string; correct it there or just before (JSON has no comments and no trailing commas)
    edicts.json:1:16 key must be a string; correct it there or just before (JSON has no comments and no trailing commas)
    edicts.json:1:16 the key `version` stands twice, first on line 1; keep one of the two
    ");
}

#[test]
fn bombs_are_refused_in_no_time() {
    let mut aliases = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..20 {
        let inside = vec![format!("*a{}", level - 1); 10].join(", ");
        aliases.push_str(&format!("a{level}: &a{level} [{inside}]\n"));
    }
    let deep = format!("edicts: {}", "[".repeat(100_000));
    let deep_block: String = (0..2_000).map(|level| format!("{:level$}a:\n", "")).collect();
    let started = std::time::Instant::now();
    insta::assert_snapshot!(refusal("edicts.yaml", aliases), @"edicts.yaml:4:9 anchors and aliases repeat more than 20000 values; write the values out");
    insta::assert_snapshot!(refusal("edicts.yaml", deep), @"edicts.yaml:1:73 lists and mappings are nested more than 64 deep; flatten what stands there");
    insta::assert_snapshot!(refusal("edicts.yaml", deep_block), @"edicts.yaml:65:65 lists and mappings are nested more than 64 deep; flatten what stands there");
    refusal("edicts.json", "[".repeat(100_000));
    assert!(started.elapsed().as_secs() < 5);
}

#[test]
fn a_file_over_the_bound_is_not_read() {
    let project = Project::yaml("");
    let file = std::fs::File::options().write(true).open(&project.path).unwrap();
    file.set_len(ken_edicts::MAX_FILE + 1).unwrap();
    let error = project.store.load(&noon()).unwrap_err().to_string();
    assert!(error.contains("larger than"), "{error}");
}

#[test]
fn line_endings_byte_order_mark_and_anchors_are_fine() {
    let text = "\u{feff}version: 1\r\nedicts:\r\n  - id: a\r\n    text: &words one\r\n    category: &c rule\r\n    created: 2025-01-01\r\n    updated: 2025-01-01\r\n  - id: b\r\n    text: >-\r\n      two\r\n      lines\r\n    category: *c\r\n    created: 2025-01-01\r\n    updated: 2025-01-01\r\n";
    let project = Project::yaml(text);
    let edicts = project.load();
    assert_eq!(edicts.findings, []);
    assert_eq!(edicts.edicts[1].text, "two lines");
    assert_eq!(edicts.edicts[1].category, "rule");
    assert_eq!(edicts.edicts[1].line, 8);
}

#[test]
fn two_edicts_with_one_id_both_load_and_the_next_write_renumbers_the_later() {
    let one = |text: &str| {
        format!(
            "  - id: e_004\n    text: {text}\n    category: rule\n    created: 2025-01-01\n    updated: 2025-01-01\n"
        )
    };
    let project = Project::yaml(&format!("version: 1\nedicts:\n{}{}", one("ours"), one("theirs")));
    let ids = || {
        project
            .load()
            .edicts
            .iter()
            .map(|edict| edict.id.to_string())
            .collect::<Vec<_>>()
    };
    assert_eq!(ids(), ["e_004", "e_005"]);
    insta::assert_snapshot!(project.findings(), @"edicts.yaml:8:1 e_005: the id `e_004` is also that of the edict on line 3; this one is read as `e_005`, and the next write puts that down");
    project.add(ken_edicts::NewEdict::new("a third", "rule")).unwrap();
    assert_eq!(ids(), ["e_004", "e_005", "e_006"]);
    assert_eq!(project.findings(), "");
    assert!(
        project
            .text()
            .starts_with(&format!("version: 1\nedicts:\n{}  - id: e_005\n", one("ours")))
    );
}

#[test]
fn ttl_and_expiry_that_do_not_fit_are_warned_of() {
    let edict = |id: &str, rest: &str| {
        format!(
            "  - id: {id}\n    text: {id}\n    category: rule\n    created: 2025-03-20\n    updated: 2025-03-20\n{rest}"
        )
    };
    let project = Project::yaml(&format!(
        "version: 1\nconfig: {{defaultEphemeralTtlSeconds: 43201}}\nedicts:\n{}{}{}",
        edict("forever", "    ttl: permanent\n    expiresAt: 2025-03-01\n"),
        edict("open", "    ttl: event\n"),
        edict("short", "    ttl: ephemeral\n"),
    ));
    insta::assert_snapshot!(project.findings(), @"
    edicts.yaml:10:16 forever: a permanent edict never expires, so its `expiresAt` is ignored; remove it, or change `ttl`
    edicts.yaml:11:5 open: an edict with `ttl: event` has no `expiresAt` and never expires; write one
    edicts.yaml:17:5 short: an ephemeral edict has no `expiresAt` and is taken to expire 2025-03-20T12:00:01.000Z; write one
    ");
    let edicts = project.load();
    let now = noon().now();
    assert_eq!(edicts.in_force(now).count(), 3);
    assert_eq!(
        edicts.in_force(now + std::time::Duration::from_secs(1)).count(),
        2
    );
}

#[test]
fn the_same_in_json() {
    let project = Project::named(
        "edicts.json",
        "{\"version\": 1, \"edicts\": [\n  {\"id\": \"e_001\", \"text\": \"tab\\tand \\u00fc\", \"category\": \"rules\",\n   \"created\": \"2025-01-01\", \"updated\": \"2025-01-01\"},\n  {\"text\": 7}]}",
    );
    let edicts = project.load();
    assert_eq!(edicts.edicts[0].text, "tab\tand ü");
    insta::assert_snapshot!(project.findings(), @"
    edicts.json:4:3 `category` is missing; write it, or remove the edict
    edicts.json:4:12 `text` is 7 and must be a string; put it in double quotes
    ");
}

#[test]
fn an_empty_file_says_so_and_a_missing_one_is_an_error() {
    for text in ["", "\n", "# only a remark\n", "---\n...\n", "null\n"] {
        let project = Project::yaml(text);
        let findings = project.findings();
        assert!(findings.contains("the file is empty"), "{text:?}: {findings}");
        project.add(ken_edicts::NewEdict::new("first", "rule")).unwrap();
        assert_eq!(project.load().edicts.len(), 1, "{}", project.text());
        assert_eq!(project.findings(), "");
    }
    let error = Project::without_file("edicts.yaml")
        .store
        .load(&noon())
        .unwrap_err();
    assert!(matches!(error, Error::NoFile { .. }));
}

#[test]
fn a_text_that_other_programs_take_for_a_number_is_warned_of_and_holds() {
    let project = Project::yaml(
        "version: 1\nedicts:\n  - {id: e_001, text: 5, category: a, created: 2025-01-01, updated: 2025-01-01}\n  - {id: e_002, text: \"5\", category: a, created: 2025-01-01, updated: 2025-01-01}\n  - {id: e_003, text: [5], category: a, created: 2025-01-01, updated: 2025-01-01}\n",
    );
    insta::assert_snapshot!(project.findings(), @r"
    edicts.yaml:3:23 e_001: `text` is 5 without quotes, which other programs take for no string; put it in double quotes
    edicts.yaml:5:23 e_003: `text` is a list and must be a string; put it in double quotes
    ");
    let texts: Vec<String> = project
        .load()
        .edicts
        .into_iter()
        .map(|edict| edict.text)
        .collect();
    assert_eq!(texts, ["5", "5"]);
}
