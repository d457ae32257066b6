//! Random manifests.

use jiff::civil::Date;
use ken_library::tree::{Entry, Node, Position, Scalar, Value};
use ken_library::{
    AgentId, AgentType, Entity, Extra, Manifest, Note, Session, Visibility, VisibilityPolicy, WorkStatus,
    Workstream,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

/// Texts that YAML readers like to misread.
pub(crate) const WEIRD: &[&str] = &[
    "no",
    "NO",
    "y",
    "on",
    "true",
    "null",
    "~",
    "",
    " ",
    "1e3",
    "0x1F",
    "0o7",
    "0755",
    "1_000",
    "12:30:45",
    ".5",
    "1.",
    ".inf",
    "-.INF",
    ".nan",
    "2026-06-24",
    "2026-06-24T10:00:00Z",
    "<<",
    "=",
    "-",
    "- x",
    "-x",
    "--",
    "---",
    "...",
    "--- a",
    "? x",
    "?",
    ": x",
    ":",
    "a: b",
    "a:",
    "a #b",
    "a#b",
    "# c",
    "#",
    "&a",
    "*a",
    "!a",
    "!!int 3",
    "|",
    ">",
    "|-",
    "@a",
    "`a",
    "%a",
    "%YAML 1.2",
    "{a}",
    "[a]",
    "{",
    "]",
    ",",
    ", a",
    "\"",
    "'",
    "\"a\"",
    "'a'",
    "a'b",
    "a\"b",
    "\\",
    "\\n",
    " lead",
    "trail ",
    "\ttab",
    "tab\t",
    "a\tb",
    "\n",
    "\n\n",
    "a\n",
    "a\n\n",
    "\na",
    "a\nb",
    "a\n\nb",
    "a\n b",
    " a\nb",
    "a \nb",
    "a\nb ",
    "a\n\tb",
    "a\r\nb",
    "a\rb",
    "\r",
    "a\n# b",
    "a\n- b\n",
    "a\n...\nb",
    "a\n---\n",
    "\u{0}",
    "a\u{1}b",
    "\u{7f}",
    "\u{85}",
    "a\u{85}b",
    "\u{a0}",
    "a\u{a0}",
    "\u{2028}",
    "a\u{2028}b",
    "\u{2029}\n",
    "\u{feff}",
    "\u{feff}a",
    "a\u{fffe}",
    "\u{ffff}",
    "\u{1fffe}",
    "\u{200b}",
    "\u{202e}abc",
    "😀",
    "a 😀",
    "👩‍👩‍👧",
    "é",
    "e\u{301}",
    "日本語",
    "ไทย",
    "اسم",
    "\u{e000}",
    "\u{10ffff}",
    "ok",
    "a, b",
    "x [y]",
    "C++",
    "C#",
    ".NET",
    "/usr/bin",
    "~/x",
    "a/b:c",
    "http://x:80/#y",
    "[redacted:github-token]",
];

pub(crate) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => select(WEIRD).prop_map(str::to_owned),
        3 => "[a-zA-Z][a-zA-Z0-9 .,:;#'-]{0,20}",
        2 => any::<String>(),
        2 => "[ \t\na:#-]{0,8}",
        1 => (select(WEIRD), select(WEIRD)).prop_map(|(a, b)| format!("{a}\n{b}")),
        1 => (select(WEIRD), select(WEIRD)).prop_map(|(a, b)| format!("{a}{b}")),
    ]
}

fn name() -> impl Strategy<Value = String> {
    text().prop_map(|text| if text.is_empty() { "A".to_owned() } else { text })
}

fn date() -> impl Strategy<Value = Date> {
    (1i16..=9999, 1i8..=12, 1i8..=28).prop_map(|(y, m, d)| jiff::civil::date(y, m, d))
}

fn level() -> impl Strategy<Value = Visibility> {
    select(&Visibility::ALL[..])
}

/// Unquoted scalars whose spelling must survive.
const PLAIN: &[&str] = &[
    "1.10",
    "~",
    "null",
    "True",
    "no",
    "0o17",
    "1_0",
    "2026-06-24",
    "1e3",
    ".inf",
    "+.5",
    "12:30:45",
];

fn node() -> impl Strategy<Value = Node> {
    let scalar = prop_oneof![
        text().prop_map(Node::text),
        select(PLAIN).prop_map(|text| Node::from(Value::Scalar(Scalar {
            text: text.to_owned(),
            plain: true
        }))),
    ];
    scalar.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(|items| Node::from(Value::List(items))),
            vec((key(), inner), 0..4).prop_map(|entries| Node::from(Value::Map(entries_of(entries)))),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof![
        5 => text(),
        1 => "[a-z]{1,4}".prop_map(|key| key.repeat(300)),
    ]
}

fn entries_of(entries: Vec<(String, Node)>) -> Vec<Entry> {
    let mut seen = std::collections::HashSet::new();
    entries
        .into_iter()
        .filter(|(key, _)| key != "<<" && seen.insert(key.clone()))
        .map(|(key, node)| Entry {
            position: Position::default(),
            key: Scalar::text(key),
            node,
        })
        .collect()
}

fn extra() -> impl Strategy<Value = Extra> {
    vec((key(), node()), 0..3).prop_map(|entries| {
        let mut extra = Extra::default();
        for entry in entries_of(entries) {
            // Keys with a meaning of their own are told apart by their prefix.
            extra.set(&format!("x{}", entry.key.text), entry.node);
        }
        extra
    })
}

prop_compose! {
    fn entity()(
        name in name(), kind in option::of(text()), aliases in vec(text(), 0..4), summary in option::of(text()),
        last_touched in option::of(date()), valid_from in option::of(date()), valid_to in option::of(date()),
        tags in vec(text(), 0..3), visibility in option::of(level()), extra in extra(),
    ) -> Entity {
        Entity { name, kind, aliases, summary, last_touched, valid_from, valid_to, tags, visibility, extra }
    }
}

prop_compose! {
    fn session()(
        date in option::of(date()), cwd in option::of(text()), project_focus in vec(text(), 0..3),
        key_actions in vec(text(), 0..4), files_touched in vec(text(), 0..3), visibility in option::of(level()),
        extra in extra(),
    ) -> Session {
        Session { date, cwd, project_focus, key_actions, files_touched, visibility, extra }
    }
}

prop_compose! {
    fn workstream()(
        name in name(),
        status in select(&[WorkStatus::Active, WorkStatus::Paused, WorkStatus::Done, WorkStatus::Archived][..]),
        summary in option::of(text()), started in option::of(date()), last_touched in option::of(date()),
        related_entities in vec(text(), 0..3), tags in vec(text(), 0..3), visibility in option::of(level()),
        extra in extra(),
    ) -> Workstream {
        Workstream {
            name, status: Some(status), summary, started, last_touched, related_entities, tags, visibility, extra,
        }
    }
}

prop_compose! {
    fn note()(
        date in date(), text in text(), related_entities in vec(text(), 0..3), tags in vec(text(), 0..3),
        visibility in option::of(level()), extra in extra(),
    ) -> Note {
        Note { date: Some(date), text, related_entities, tags, visibility, extra }
    }
}

prop_compose! {
    fn policy()(
        default in option::of(level()), private_tags in option::of(vec(text(), 0..3)), team_tags in vec(text(), 0..3),
        extra in extra(),
    ) -> VisibilityPolicy {
        VisibilityPolicy { default, private_tags, team_tags, extra }
    }
}

prop_compose! {
    /// A manifest of the agent `sample` that may hold anything the types allow.
    pub(crate) fn manifest()(
        kind in select(&AgentType::ALL[..]), instance in option::of(text()), role in option::of(text()),
        seconds in option::of(0i64..4_000_000_000), capabilities in vec(text(), 0..4),
        sessions in vec(session(), 0..3), entities in vec(entity(), 0..3), workstreams in vec(workstream(), 0..3),
        notes in vec(note(), 0..3), policy in option::of(policy()), extra in extra(), agent_extra in extra(),
    ) -> Manifest {
        let mut manifest = Manifest::new(AgentId::new("sample").unwrap(), kind);
        manifest.agent.instance = instance;
        manifest.agent.role_narrative = role;
        manifest.agent.extra = agent_extra;
        manifest.last_updated = seconds.map(|seconds| jiff::Timestamp::from_second(seconds).unwrap());
        manifest.capabilities = capabilities;
        manifest.sessions = sessions;
        manifest.entities = entities;
        manifest.workstreams = workstreams;
        manifest.notes = notes;
        manifest.visibility_policy = policy;
        manifest.extra = extra;
        manifest
    }
}
