//! Every bound of the schema, on both sides of its edge.

use crate::setting::{HEAD, validate};

/// Whether this addition to a valid manifest leaves it valid.
fn holds(addition: &str) -> bool {
    validate(format!("{HEAD}{addition}\n")).is_valid()
}

fn row(section: &str, row: &str) -> String {
    format!("{section}: [{{{row}}}]")
}

fn list(n: usize) -> String {
    let items: Vec<String> = (0..n).map(|n| format!("i{n}")).collect();
    format!("[{}]", items.join(", "))
}

fn rows(section: &str, row: &str, n: usize) -> String {
    format!("{section}:\n{}", format!("- {{{row}}}\n").repeat(n))
}

#[test]
fn lengths() {
    let entity = |key: &str, n: usize| row("known_entities", &format!("name: A, {key}: {}", "x".repeat(n)));
    let name = |section: &str, more: &str, n: usize| row(section, &format!("name: {}{more}", "é".repeat(n)));
    let edges: [(&dyn Fn(usize) -> String, usize); 10] = [
        (&|n| format!("capabilities: [{}]", "x".repeat(n)), 64),
        (&|n| name("known_entities", "", n), 128),
        (&|n| name("known_workstreams", ", status: done", n), 128),
        (&|n| entity("type", n), 64),
        (&|n| entity("summary", n), 2_000),
        (
            &|n| {
                row(
                    "known_workstreams",
                    &format!("name: A, status: done, summary: {}", "x".repeat(n)),
                )
            },
            2_000,
        ),
        (
            &|n| row("recent_sessions", &format!("date: '', cwd: {}", "x".repeat(n))),
            512,
        ),
        (
            &|n| {
                row(
                    "recent_sessions",
                    &format!("date: '', key_actions: [{}]", "x".repeat(n)),
                )
            },
            256,
        ),
        (
            &|n| row("notes", &format!("date: '2026-01-01', text: {}", "x".repeat(n))),
            4_000,
        ),
        (
            &|n| row("notes", &format!("date: '2026-01-01', text: {}", "😀".repeat(n))),
            4_000,
        ),
    ];
    for (edge, (text, most)) in edges.iter().enumerate() {
        assert!(holds(&text(*most)), "{edge}: {most}");
        assert!(!holds(&text(most + 1)), "{edge}: {most} and one more");
    }
    assert!(!holds(&name("known_entities", "", 0)), "a name of no length");
    for (key, most) in [("role_narrative", 500), ("instance", 128)] {
        let agent = |n: usize| {
            validate(HEAD.replace("  type:", &format!("  {key}: {}\n  type:", "x".repeat(n)))).is_valid()
        };
        assert!(agent(most) && !agent(most + 1), "{key}");
    }
}

#[test]
fn counts() {
    let edges: [(&dyn Fn(usize) -> String, usize); 11] = [
        (&|n| format!("capabilities: {}", list(n)), 64),
        (
            &|n| row("known_entities", &format!("name: A, aliases: {}", list(n))),
            16,
        ),
        (
            &|n| row("recent_sessions", &format!("date: '', key_actions: {}", list(n))),
            10,
        ),
        (
            &|n| {
                row(
                    "recent_sessions",
                    &format!("date: '', files_touched: {}", list(n)),
                )
            },
            50,
        ),
        (
            &|n| {
                row(
                    "known_workstreams",
                    &format!("name: A, status: done, related_entities: {}", list(n)),
                )
            },
            32,
        ),
        (
            &|n| {
                row(
                    "notes",
                    &format!("date: '2026-01-01', text: x, related_entities: {}", list(n)),
                )
            },
            16,
        ),
        (&|n| rows("recent_sessions", "date: ''", n), 500),
        (&|n| rows("known_entities", "name: A", n), 1_000),
        (&|n| rows("known_workstreams", "name: A, status: done", n), 200),
        (&|n| rows("notes", "date: '2026-01-01', text: x", n), 1_000),
        // Tags and project focus have no bound.
        (
            &|n| {
                row(
                    "known_entities",
                    &format!("name: A, tags: {}", list(if n == 2_000 { n } else { 0 })),
                )
            },
            2_000,
        ),
    ];
    for (edge, (text, most)) in edges.iter().enumerate() {
        assert!(holds(&text(*most)), "{edge}: {most}");
        assert!(
            *most == 2_000 || !holds(&text(most + 1)),
            "{edge}: {most} and one more"
        );
    }
    assert!(!holds("capabilities: [a, a]"), "each capability once");
}

#[test]
fn words_that_are_listed() {
    let agent = |kind: &str| validate(HEAD.replace("code-assistant", kind)).is_valid();
    for kind in ken_library::AgentType::ALL {
        assert!(agent(kind.as_str()), "{kind}");
    }
    for kind in ["Other", "robot", "code_assistant", "[]", "''"] {
        assert!(!agent(kind), "{kind}");
    }
    let status = |word: &str| holds(&row("known_workstreams", &format!("name: A, status: {word}")));
    for word in ["active", "paused", "done", "archived"] {
        assert!(status(word), "{word}");
    }
    assert!(!status("open") && !status("Active"));
    for section in ["recent_sessions", "known_entities", "known_workstreams", "notes"] {
        let level = |word: &str| {
            holds(&row(
                section,
                &format!("date: '2026-01-01', name: A, text: x, status: done, visibility: {word}"),
            ))
        };
        assert!(level("public") && level("team") && level("private"), "{section}");
        assert!(
            !level("secret") && !level("Team") && !level("''") && !level("[team]"),
            "{section}"
        );
    }
    assert!(holds(
        "visibility_policy: {default: team, private_tags: [], team_tags: [a]}"
    ));
    assert!(!holds("visibility_policy: {default: all}"));
    assert!(!holds("visibility_policy: {private_tags: a}"));
    assert!(!holds("visibility_policy: {team_tags: [[a]]}"));
    assert!(!holds("visibility_policy: [team]"));
}

#[test]
fn forms_and_what_is_required() {
    for missing in ["spec_version", "last_updated"] {
        let without: String = HEAD
            .lines()
            .filter(|line| !line.starts_with(missing))
            .fold(String::new(), |all, line| all + line + "\n");
        assert!(!validate(without).is_valid(), "{missing}");
    }
    assert!(!validate(HEAD.replace("  type: code-assistant\n", "")).is_valid());
    for (version, good) in [
        ("0.1", true),
        ("1.10", true),
        ("12.0", true),
        ("0", false),
        ("0.1.0", false),
        ("v0.1", false),
        ("", false),
    ] {
        assert_eq!(
            validate(HEAD.replace("\"0.1\"", &format!("\"{version}\""))).is_valid(),
            good,
            "{version:?}"
        );
    }
    assert!(
        validate(HEAD.replace("\"0.1\"", "0.1")).is_valid(),
        "unquoted, with a warning"
    );
    for (time, good) in [
        ("2026-06-26T00:00:00Z", true),
        ("2026-06-26T00:00:00.123Z", true),
        ("2026-06-26T00:00:00.1234567890123Z", true),
        ("2026-06-30T23:59:60Z", false),
        ("2026-06-26T00:00:00+02:00", true),
        ("2026-06-26T00:00:00", false),
        ("2026-06-26", false),
        ("2026-02-30T00:00:00Z", false),
        ("2026-06-26T24:00:00Z", false),
        ("now", false),
        ("", false),
    ] {
        assert_eq!(
            validate(HEAD.replace("2026-06-26T00:00:00Z", time)).is_valid(),
            good,
            "{time:?}"
        );
    }
    let date = |date: &str| holds(&row("notes", &format!("date: {date}, text: x")));
    assert!(date("'2026-02-28'") && date("'2024-02-29'") && date("2026-06-24"));
    for bad in [
        "'2026-02-29'",
        "'0000-01-01'",
        "'2026-13-01'",
        "'2026-1-1'",
        "'20260101'",
        "'2026-01-01T00:00:00Z'",
        "''",
        "soon",
    ] {
        assert!(!date(bad), "{bad}");
    }
    assert!(
        holds(&row("recent_sessions", "date: ''")),
        "the day of a session may be unknown"
    );
    assert!(!holds(&row("recent_sessions", "cwd: /x")), "but not silent");
    for key in ["last_touched", "valid_from", "valid_to"] {
        assert!(
            !holds(&row("known_entities", &format!("name: A, {key}: ''"))),
            "{key}"
        );
        assert!(
            holds(&row("known_entities", &format!("name: A, {key}: ~"))),
            "{key}"
        );
    }
    assert!(!holds(&row("known_workstreams", "name: A")));
    assert!(!holds(&row("notes", "date: '2026-01-01'")));
    assert!(!holds(&row("known_entities", "type: project")));
    for id in ["a", "a-b_c", "0"] {
        let text = HEAD.replace("id: sample", &format!("id: {id}"));
        assert!(
            !validate(text)
                .findings
                .iter()
                .any(|finding| finding.message.contains("form")),
            "{id}"
        );
    }
}
