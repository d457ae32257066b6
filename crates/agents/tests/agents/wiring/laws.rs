//! The laws on random files.

use proptest::prelude::*;

use super::{BOTH, Desk};

fn blank() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => Just(String::new()),
        3 => Just(" ".to_owned()),
        3 => Just("\n".to_owned()),
        2 => Just("\n    ".to_owned()),
        1 => Just("\r\n\t".to_owned()),
        1 => Just(" /* a \"b\" { */ ".to_owned()),
        1 => Just(" // c, }\n".to_owned()),
        1 => Just(" // ü\r\n  ".to_owned()),
        1 => Just(" // ends in spaces  \n".to_owned()),
        1 => Just("\n  // ends with a carriage return\r".to_owned()),
        1 => Just(" /* two\n lines */".to_owned()),
    ]
}

fn word() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("command".to_owned()),
        Just("ä\\n\\u00e9".to_owned()),
        "[a-z ,{}/]{0,6}"
    ]
}

fn scalar() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("1.10".to_owned()),
        Just("-3e7".to_owned()),
        word().prop_map(|word| format!("\"{word}\"")),
    ]
}

/// Joins items with commas, blanks everywhere, and perhaps a comma after the last.
fn joined(open: char, close: char, items: Vec<(String, String)>, inner: &str, trailing: bool) -> String {
    let mut text = format!("{open}{inner}");
    let last = items.len();
    for (index, (item, after)) in items.into_iter().enumerate() {
        text.push_str(&item);
        text.push_str(&after);
        if index + 1 < last || trailing {
            text.push(',');
            text.push_str(if after.is_empty() { "" } else { "\n" });
        }
    }
    text.push(close);
    text
}

fn value() -> impl Strategy<Value = String> {
    scalar().prop_recursive(3, 16, 4, |inner| {
        prop_oneof![
            (
                prop::collection::vec((inner.clone(), blank()), 0..4),
                blank(),
                any::<bool>()
            )
                .prop_map(|(items, blank, trailing)| joined('[', ']', items, &blank, trailing)),
            (
                prop::collection::vec((inner, blank(), blank()), 0..4),
                blank(),
                any::<bool>()
            )
                .prop_map(|(items, blank, trailing)| {
                    let items = items
                        .into_iter()
                        .enumerate()
                        .map(|(n, (value, before, after))| {
                            (format!("{before}\"k{n}\":{before}{value}"), after)
                        })
                        .collect();
                    joined('{', '}', items, &blank, trailing)
                }),
        ]
    })
}

/// An object in which `named` keys hold what the strategies give.
fn file(named: Vec<(&'static str, BoxedStrategy<String>)>) -> impl Strategy<Value = String> {
    let named: Vec<_> = named
        .into_iter()
        .map(|(key, value)| prop::option::of(value.prop_map(move |value| format!("\"{key}\": {value}"))))
        .collect();
    let others = prop::collection::vec(value(), 0..3);
    (
        named,
        others,
        prop::collection::vec(blank(), 8),
        any::<bool>(),
        prop::sample::select(vec!["", "\n", "\r\n\r\n"]),
        any::<bool>(),
    )
        .prop_map(|(named, others, blanks, trailing, end, marked)| {
            let mut items: Vec<String> = named.into_iter().flatten().collect();
            for (n, other) in others.into_iter().enumerate() {
                items.insert(n % (items.len() + 1), format!("\"o{n}\":{other}"));
            }
            let items = items
                .into_iter()
                .enumerate()
                .map(|(n, item)| (format!("{}{item}", blanks[n % 8]), blanks[(n + 3) % 8].clone()));
            let trailing = trailing && items.len() > 0;
            let object = joined('{', '}', items.collect(), &blanks[7], trailing);
            format!(
                "{}{}{object}{end}",
                if marked { "\u{feff}" } else { "" },
                blanks[6]
            )
        })
}

fn object() -> BoxedStrategy<String> {
    value()
        .prop_filter("an object", |text| text.starts_with('{'))
        .boxed()
}

fn array() -> BoxedStrategy<String> {
    value()
        .prop_filter("an array", |text| text.starts_with('['))
        .boxed()
}

fn hooks() -> BoxedStrategy<String> {
    file(vec![
        ("SessionStart", array()),
        ("Stop", array()),
        ("Mine", array()),
    ])
    .prop_map(|text| text.trim_start_matches('\u{feff}').to_owned())
    .prop_filter("an object", |text| text.trim_start().starts_with('{'))
    .boxed()
}

fn toml() -> impl Strategy<Value = String> {
    let pieces = prop::collection::vec(
        prop::sample::select(vec![
            "a = 1\n",
            "\n",
            "# a remark [x]\n",
            "b.c = \"ü\"\n",
            "d = { e = [1, 2], f = { } }\n",
            "g = '''\n[mcp_servers.ken]\n'''\n",
            "when = 2026-01-01T00:00:00Z # then\n",
        ]),
        0..5,
    );
    let servers = prop::sample::select(vec![
        "",
        "mcp_servers = {}\n",
        "mcp_servers = {  } # none\n",
        "mcp_servers = { other = { command = \"x\" } } # here\n",
        "mcp_servers = {other.command = \"x\"}\n",
        "mcp_servers.other.command = \"x\"\n",
        "mcp_servers.other = { url = \"x\" }\n",
    ]);
    let tables = prop::collection::vec(
        prop::sample::select(vec![
            "[t]\nx = 1\n",
            "[t.u] # remark\n",
            "  [v]\n  y = [\n    1, # one\n  ]\n",
            "[[list]]\nz = 1\n\n[[list]]\nz = 2\n",
            "[mcp_servers]\n",
            "[mcp_servers.second]\ncommand = \"y\"\nargs = []\n\n[mcp_servers.second.env]\nA = \"b\"\n",
            "[projects.\"/home/x\"]\ntrust_level = \"trusted\"\n",
        ]),
        0..4,
    );
    (
        pieces,
        servers,
        tables,
        any::<bool>(),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(pieces, servers, tables, windows, cut, marked)| {
            let mut text = String::new();
            let mut seen = std::collections::BTreeSet::new();
            let inline = servers.starts_with("mcp_servers");
            for piece in pieces.into_iter().chain([servers]).chain(tables) {
                let free = matches!(piece, "\n" | "# a remark [x]\n");
                let clash = inline && piece.starts_with("[mcp_servers");
                if (free || seen.insert(piece)) && !clash {
                    text.push_str(piece);
                }
            }
            // `[mcp_servers]` after one of its tables would define it twice.
            if let (Some(table), Some(second)) = (text.find("[mcp_servers]\n"), text.find("[mcp_servers.s"))
                && table > second
            {
                text = text.replace("[mcp_servers]\n", "");
            }
            if windows {
                text = text.replace('\n', "\r\n");
            }
            if cut {
                text = text.trim_end_matches(['\r', '\n']).to_owned();
            }
            format!("{}{text}", if marked { "\u{feff}" } else { "" })
        })
}

fn markdown() -> impl Strategy<Value = String> {
    prop::collection::vec(
        prop::sample::select(vec![
            "# Mine",
            "\n",
            "\r\n",
            "text ",
            "- a\n",
            "```\n",
            "<!-- x -->\n",
            "\r",
            "ü\n",
            " \n",
        ]),
        0..7,
    )
    .prop_map(|parts| parts.concat())
}

fn plain(value: jsonc_parser::JsonValue<'_>) -> serde_json::Value {
    use jsonc_parser::JsonValue;

    match value {
        JsonValue::String(text) => text.into_owned().into(),
        JsonValue::Number(number) => number.to_owned().into(),
        JsonValue::Boolean(truth) => truth.into(),
        JsonValue::Array(list) => list.into_iter().map(plain).collect(),
        JsonValue::Object(map) => {
            let pairs = map
                .into_iter()
                .map(|(key, value)| (key.to_string(), plain(value)));
            serde_json::Value::Object(pairs.collect())
        }
        JsonValue::Null => serde_json::Value::Null,
    }
}

/// Everything that is not ours, as values.
fn foreign(text: &str, toml: bool) -> serde_json::Value {
    let text = text.trim_start_matches('\u{feff}');
    let mut value: serde_json::Value = if toml {
        serde_json::to_value(toml::from_str::<toml::Value>(text).unwrap()).unwrap()
    } else {
        match jsonc_parser::parse_to_value(text, &Default::default()).unwrap() {
            Some(value) => plain(value),
            None => serde_json::json!({}),
        }
    };
    for table in ["mcpServers", "mcp_servers"] {
        if let Some(servers) = value.get_mut(table).and_then(|servers| servers.as_object_mut()) {
            servers.shift_remove("ken");
            if servers.is_empty() {
                value.as_object_mut().unwrap().shift_remove(table);
            }
        }
    }
    if let Some(events) = value.get_mut("hooks").and_then(|hooks| hooks.as_object_mut()) {
        for list in events.values_mut().filter_map(|list| list.as_array_mut()) {
            list.retain(|element| !element.to_string().contains("/bin/ken"));
        }
        events.retain(|_, list| list.as_array().is_none_or(|list| !list.is_empty()));
        if events.is_empty() {
            value.as_object_mut().unwrap().shift_remove("hooks");
        }
    }
    value
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 160, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn setup_is_once_and_its_way_back_exact(
        mcp in file(vec![("mcpServers", object())]),
        settings in file(vec![("hooks", hooks())]),
        config in toml(),
        claude in markdown(),
        ours in markdown(),
        forgotten: bool,
        moved: bool,
    ) {
        let mut desk = Desk::new();
        let files = [
            (".mcp.json", &mcp, Some(false)),
            (".claude/settings.json", &settings, Some(false)),
            (".codex/config.toml", &config, Some(true)),
            ("CLAUDE.md", &claude, None),
            ("AGENTS.md", &ours, None),
        ];
        for (file, text, _) in &files {
            desk.write(&format!("work/ledger/{file}"), text);
        }
        let before = desk.tree();
        desk.setup(&BOTH);
        let once = desk.tree();
        prop_assert!(desk.plan(&BOTH).unwrap().is_empty());
        let first = desk.request.program.clone();
        if moved {
            // The program is another one now: the old entries start it, and the way back is the same.
            desk.request.program = desk.root().join("a new place/bin/ken");
            desk.setup(&BOTH);
            prop_assert!(desk.plan(&BOTH).unwrap().is_empty());
            prop_assert!(!desk.read("work/ledger/.mcp.json").contains(first.to_str().unwrap()));
        }
        for (file, text, syntax) in &files {
            if let Some(toml) = syntax {
                let after = desk.read(&format!("work/ledger/{file}"));
                prop_assert_eq!(foreign(text, *toml), foreign(&after, *toml), "{}", after);
            }
        }
        if forgotten {
            // What the files do not show is lost with the state directory, and nothing else.
            desk.forget();
            desk.unsetup(&BOTH);
            for (file, text, syntax) in &files {
                let path = desk.project().join(file);
                let after = std::fs::read_to_string(&path).unwrap_or_default();
                match syntax {
                    Some(toml) => prop_assert_eq!(foreign(text, *toml), foreign(&after, *toml), "{}", after),
                    None => prop_assert_eq!(*text, &after),
                }
                prop_assert!(!after.contains("/bin/ken"), "{}", after);
            }
        } else {
            desk.unsetup(&BOTH);
            prop_assert_eq!(desk.tree(), before.clone());
            desk.request.program = first;
            desk.setup(&BOTH);
            prop_assert_eq!(desk.tree(), once);
        }
    }

    #[test]
    fn the_way_back_does_not_need_the_bytes_of_before(
        mcp in file(vec![("mcpServers", object())]),
        settings in file(vec![("hooks", hooks())]),
        config in toml(),
    ) {
        // Another program adds a line at the front of each: from then on only the facts help.
        let desk = Desk::new();
        let files = [(".mcp.json", &mcp), (".claude/settings.json", &settings), (".codex/config.toml", &config)];
        for (file, text) in &files {
            desk.write(&format!("work/ledger/{file}"), text);
        }
        desk.setup(&BOTH);
        for (file, _) in &files {
            let text = desk.read(&format!("work/ledger/{file}"));
            let remark = if file.ends_with("toml") { "# new\n" } else { "// new\n" };
            let (mark, body) = match text.strip_prefix('\u{feff}') {
                Some(body) => ("\u{feff}", body),
                None => ("", &text[..]),
            };
            desk.write(&format!("work/ledger/{file}"), format!("{mark}{remark}{body}"));
        }
        desk.unsetup(&BOTH);
        for (file, text) in &files {
            let after = desk.read(&format!("work/ledger/{file}"));
            let remark = if file.ends_with("toml") { "# new\n" } else { "// new\n" };
            prop_assert_eq!(after.replacen(remark, "", 1), (*text).clone(), "{}", file);
        }
    }
}
