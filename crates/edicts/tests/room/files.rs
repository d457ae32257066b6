//! Files as people write them: made from a row of bytes, each a choice, so that a failing one shrinks.

/// A source of choices; after its end the first choice is taken.
pub(crate) struct Choices<'c> {
    bytes: std::slice::Iter<'c, u8>,
}

impl<'c> Choices<'c> {
    pub(crate) fn new(bytes: &'c [u8]) -> Choices<'c> {
        Choices { bytes: bytes.iter() }
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        usize::from(*self.bytes.next().unwrap_or(&0)) % count
    }

    fn one<'t>(&mut self, of: &[&'t str]) -> &'t str {
        of[self.below(of.len())]
    }

    fn seldom(&mut self) -> bool {
        self.below(6) == 5
    }
}

/// What was made.
#[derive(Debug, Clone)]
pub(crate) struct Made {
    pub(crate) text: String,
    pub(crate) ids: Vec<String>,
}

const TEXTS: &[&str] = &[
    "plain words that stand alone",
    "\"quoted: with a colon # and a hash\"",
    "'single ''quoted'' text'",
    "\"two\n      lines\"",
    "plain words\n      on two lines",
    "|\n      a literal\n\n        block",
    "|-\n      stripped # no comment\n",
    ">\n      folded\n      lines",
    "|+\n      kept\n\n",
    "2 apples",
    "\"\\u00fcber \\\"x\\\"\"",
    "Größe — 漢字",
    "! \"tagged\"",
    "|2-\n      indented by hand",
];

const COMMENTS: &[&str] = &[
    "# a remark",
    "#",
    "# - id: e_900",
    "# text: \"not a value\"",
    "#no space: [a, b",
    "# 'quote",
];

/// A valid file.
pub(crate) fn valid_yaml(choices: &mut Choices<'_>) -> Made {
    let mut out = String::new();
    let mut ids = Vec::new();
    for _ in 0..choices.below(3) {
        comment(&mut out, choices, 0);
    }
    if choices.seldom() {
        out.push_str("---\n");
    }
    let sections = match choices.below(4) {
        0 => ["config", "edicts", "history"],
        1 => ["edicts", "config", "history"],
        2 => ["history", "config", "edicts"],
        _ => ["other", "edicts", "history"],
    };
    out.push_str(choices.one(&["version: 1\n", "version: 1 # the form\n", "\"version\": 1\n"]));
    for section in sections {
        if choices.below(3) == 2 {
            out.push('\n');
        }
        if choices.seldom() {
            comment(&mut out, choices, 0);
        }
        match section {
            "config" => out.push_str(choices.one(&[
                "config:\n  maxEdicts: 200\n  # a remark inside\n  unknown: [1.10, no]\n",
                "config: {tokenBudget: 4000}\n",
                "config:\n",
            ])),
            "other" => out.push_str("other:\n  - 1.10\n  - {a: b} # remark\nmore: |\n  text\n"),
            "edicts" => list(&mut out, choices, "edicts", &mut ids),
            _ => list(&mut out, choices, "history", &mut Vec::new()),
        }
    }
    if choices.seldom() {
        comment(&mut out, choices, 0);
    }
    match choices.below(8) {
        5 if !out.ends_with("\n\n") => {
            out.truncate(out.trim_end().len());
        }
        6 => out.push_str("...\n"),
        _ => {}
    }
    if choices.seldom() {
        out = out.replace('\n', "\r\n");
    }
    if choices.seldom() {
        out.insert(0, '\u{feff}');
    }
    Made { text: out, ids }
}

fn comment(out: &mut String, choices: &mut Choices<'_>, indent: usize) {
    let remark = choices.one(COMMENTS);
    out.push_str(&format!("{:indent$}{remark}\n", ""));
}

fn list(out: &mut String, choices: &mut Choices<'_>, name: &str, ids: &mut Vec<String>) {
    let count = choices.below(4);
    out.push_str(name);
    if count == 0 {
        match choices.below(5) {
            0 => out.push_str(": []\n"),
            1 => out.push_str(":\n"),
            2 => out.push_str(": [] # none yet\n"),
            3 => out.push_str(": # none yet\n"),
            _ => out.push_str(": [ ]\n\n"),
        }
        return;
    }
    if choices.seldom() {
        flow_list(out, choices, name, count, ids);
        return;
    }
    out.push_str(choices.one(&[":\n", ": # the list\n", ":\n  # the list\n", ":\n\n"]));
    let dash = [2, 0, 4][choices.below(3)];
    let gap = [2, 4][choices.below(2)];
    let spaced = choices.below(2) == 1;
    for number in 0..count {
        if spaced && number > 0 {
            out.push('\n');
        }
        if choices.seldom() {
            let indent = choices.below(7);
            comment(out, choices, indent.max(dash));
        }
        item(out, choices, name, dash, gap, ids);
        if choices.seldom() {
            comment(out, choices, dash + gap);
        }
    }
}

/// A list in brackets on one line or several, with comments between its items.
fn flow_list(out: &mut String, choices: &mut Choices<'_>, name: &str, count: usize, ids: &mut Vec<String>) {
    let lines = choices.below(3) > 0;
    let closing_comma = choices.below(2) == 1;
    out.push_str(if lines { ": [\n" } else { ": [" });
    for number in 0..count {
        if lines && choices.below(3) == 2 {
            comment(out, choices, 2);
        }
        let item = if name == "history" {
            format!(
                "{{id: e_0{:02}__1710900000000_1, text: was, supersededBy: expired, archivedAt: \"2025-03-01\"}}",
                choices.below(90)
            )
        } else {
            let id = format!("e_{:03}", ids.len() + 1);
            let text = choices.one(&["\"in, brackets\"", "'it''s'", "plain words # no", "words"]);
            let text = text.replace(" # no", "");
            ids.push(id.clone());
            format!("{{id: {id}, text: {text}, category: flow, created: 2025-03-01, updated: 2025-03-02}}")
        };
        if lines {
            out.push_str("  ");
        }
        out.push_str(&item);
        if number + 1 < count || closing_comma {
            out.push(',');
            if !lines {
                out.push(' ');
            }
        }
        if lines {
            let note = choices.one(&["", "", " # beside it", " #"]);
            out.push_str(note);
            out.push('\n');
        }
    }
    if lines && choices.seldom() {
        comment(out, choices, 2);
    }
    out.push_str(choices.one(&["]\n", "] # the end\n"]));
}

fn item(
    out: &mut String,
    choices: &mut Choices<'_>,
    list: &str,
    dash: usize,
    gap: usize,
    ids: &mut Vec<String>,
) {
    let history = list == "history";
    let id = if history {
        format!("e_0{:02}__1710900000000_1", choices.below(90))
    } else {
        let key = choices.seldom();
        let number = ids.len() + 1;
        if key {
            format!("key/{number}")
        } else {
            format!("e_{number:03}")
        }
    };
    if !history {
        ids.push(id.clone());
    }
    let style = choices.below(8);
    if style == 7 {
        let note = choices.one(&["", " # flow"]);
        let key = if id.starts_with("key/") {
            format!(", key: {id}")
        } else {
            String::new()
        };
        out.push_str(&format!(
            "{:dash$}- {{id: {id}, text: \"flow, {{text}}\", category: flow{key}, created: 2025-03-01, updated: \"2025-03-02\"}}{note}\n",
            ""
        ));
        return;
    }
    let inner = dash + gap;
    let start = match style {
        5 => format!("{:dash$}-\n{:inner$}", "", ""),
        6 => format!("{:dash$}- # a remark at the dash\n{:inner$}", "", ""),
        _ => format!("{:dash$}-{:width$}", "", "", width = gap - 1),
    };
    out.push_str(&start);
    let mut lines: Vec<String> = Vec::new();
    let tail = |choices: &mut Choices<'_>| if choices.seldom() { " # why" } else { "" };
    lines.push(format!(
        "id: {}{}",
        choices.one(&["X", "\"X\"", "'X'"]).replace('X', &id),
        tail(choices)
    ));
    let text = choices.one(TEXTS);
    let shift = " ".repeat(inner);
    let text = text.replace("\n      ", &format!("\n{shift}  "));
    let text_line = format!("text: {text}");
    lines.push(text_line);
    if history {
        lines.push("supersededBy: expired".to_owned());
        lines.push(
            choices
                .one(&[
                    "archivedAt: 2025-03-01T00:00:00.000Z",
                    "archivedAt: \"2025-03-01\"",
                ])
                .to_owned(),
        );
    } else {
        lines.push(
            choices
                .one(&[
                    "category: release",
                    "category: 'Releases'",
                    "category: legal # the law",
                ])
                .to_owned(),
        );
        if id.starts_with("key/") {
            lines.push(format!("key: {id}"));
        }
        match choices.below(6) {
            1 => lines.push("tags: [a, b]".to_owned()),
            2 => lines.push(format!(
                "tags:\n{shift}  - a\n{shift}  # between\n{shift}  - b # last"
            )),
            3 => lines.push("tags: []".to_owned()),
            4 => lines.push(format!("tags:\n{shift}- a")),
            5 => lines.push("tags:".to_owned()),
            _ => {}
        }
        for extra in [
            "source: &who 'somebody'",
            "confidence: verified",
            "created: \"2025-03-01T00:00:00.000Z\"",
            "updated: 2025-03-02",
            "unknown: {nested: [1.10, no], \"k\": ~}",
        ] {
            if choices.below(3) == 1 {
                lines.push(format!("{extra}{}", tail(choices)));
            }
        }
    }
    let between = format!("\n{shift}");
    let mut first = true;
    for line in lines {
        if !first {
            if !out.ends_with('\n') {
                out.push('\n');
            }
            out.push_str(&between[1..]);
            if choices.seldom() && !out.ends_with("\n\n") {
                out.push_str("# inside\n");
                out.push_str(&between[1..]);
            }
        }
        first = false;
        out.push_str(&line);
    }
    if !out.ends_with('\n') {
        out.push('\n');
    }
}
