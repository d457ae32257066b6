//! YAML out: the same manifest gives the same bytes, and every reader reads back what was written.
//!
//! Fixed key order, block style, one line a scalar (a text of several lines is a literal block where that is safe).
//! A text stands without quotes only when no reader of YAML 1.1 or 1.2 could take it for anything else.

use jiff::civil::Date;

use crate::Visibility;
use crate::extra::Extra;
use crate::model::{Entity, Manifest, Note, Session, VisibilityPolicy, WorkStatus, Workstream};
use crate::scalar::{self, Meaning};
use crate::tree::{Entry, Node, Scalar, Value};

/// The manifest as YAML, with a final newline. Deterministic: it depends on nothing but the manifest.
pub fn to_yaml(manifest: &Manifest) -> String {
    let mut out = String::with_capacity(4096);
    block(&mut out, &tree(manifest), 0);
    out
}

/// Builds a mapping in the order of the calls.
struct Map<'a> {
    entries: Vec<Entry>,
    extra: &'a Extra,
}

impl<'a> Map<'a> {
    fn with(extra: &'a Extra) -> Map<'a> {
        Map {
            entries: Vec::new(),
            extra,
        }
    }

    /// A known key. When its value could not be read, the extra keys hold it, and it is written from there.
    fn put(&mut self, key: &str, node: Option<Node>) {
        if let Some(node) = node
            && !self.extra.has(key)
        {
            self.entries.push(entry(key, node));
        }
    }

    fn text(&mut self, key: &str, text: Option<&String>) {
        self.put(key, text.map(Node::text));
    }

    fn texts(&mut self, key: &str, texts: &[String]) {
        self.put(key, (!texts.is_empty()).then(|| Node::texts(texts)));
    }

    fn date(&mut self, key: &str, date: Option<Date>) {
        self.put(key, date.map(|date| Node::text(date.to_string())));
    }

    fn word(&mut self, key: &str, word: Option<&str>) {
        self.put(key, word.map(Node::text));
    }

    /// A list of rows, and behind them those that could not be read.
    fn rows<T>(&mut self, key: &str, rows: &[T], node: fn(&T) -> Node) {
        let mut items: Vec<Node> = rows.iter().map(node).collect();
        match self.extra.get(key).map(|unread| &unread.value) {
            Some(Value::List(unread)) => items.extend(unread.iter().cloned()),
            Some(_) => return,
            None => {}
        }
        if !items.is_empty() {
            self.entries.push(entry(key, Node::from(Value::List(items))));
        }
    }

    fn finish(mut self) -> Node {
        for extra in self.extra.entries() {
            if !self.entries.iter().any(|entry| entry.key.text == extra.key.text) {
                self.entries.push(extra.clone());
            }
        }
        Node::from(Value::Map(self.entries))
    }
}

fn entry(key: &str, node: Node) -> Entry {
    Entry {
        position: Default::default(),
        key: Scalar::text(key),
        node,
    }
}

/// The manifest as a tree, in the contract's order.
pub(crate) fn tree(manifest: &Manifest) -> Node {
    let mut map = Map::with(&manifest.extra);
    map.text("spec_version", Some(&manifest.spec_version));
    map.put("agent", Some(agent(manifest)));
    map.put(
        "last_updated",
        manifest.last_updated.map(|at| Node::text(at.to_string())),
    );
    map.texts("capabilities", &manifest.capabilities);
    map.rows("recent_sessions", &manifest.sessions, session);
    map.rows("known_entities", &manifest.entities, entity);
    map.rows("known_workstreams", &manifest.workstreams, workstream);
    map.rows("notes", &manifest.notes, note);
    map.put(
        "visibility_policy",
        manifest.visibility_policy.as_ref().map(policy),
    );
    map.finish()
}

/// How many bytes each row takes in the file: sessions, entities, workstreams, notes.
pub(crate) fn row_sizes(manifest: &Manifest) -> [Vec<usize>; 4] {
    fn sizes<T>(rows: &[T], node: fn(&T) -> Node) -> Vec<usize> {
        let mut out = String::new();
        rows.iter()
            .map(|row| {
                out.clear();
                out.push_str("  - ");
                block(&mut out, &node(row), 4);
                out.len()
            })
            .collect()
    }
    [
        sizes(&manifest.sessions, session),
        sizes(&manifest.entities, entity),
        sizes(&manifest.workstreams, workstream),
        sizes(&manifest.notes, note),
    ]
}

fn agent(manifest: &Manifest) -> Node {
    let agent = &manifest.agent;
    let mut map = Map::with(&agent.extra);
    map.word("id", Some(agent.id.as_str()));
    map.word("type", Some(agent.kind.as_str()));
    map.text("instance", agent.instance.as_ref());
    map.text("role_narrative", agent.role_narrative.as_ref());
    map.text("spec_version_compat", agent.spec_version_compat.as_ref());
    map.finish()
}

fn session(row: &Session) -> Node {
    let mut map = Map::with(&row.extra);
    map.put(
        "date",
        Some(Node::text(
            row.date.map(|date| date.to_string()).unwrap_or_default(),
        )),
    );
    map.text("cwd", row.cwd.as_ref());
    map.texts("project_focus", &row.project_focus);
    map.texts("key_actions", &row.key_actions);
    map.texts("files_touched", &row.files_touched);
    map.word("visibility", row.visibility.map(Visibility::as_str));
    map.finish()
}

fn entity(row: &Entity) -> Node {
    let mut map = Map::with(&row.extra);
    map.text("name", Some(&row.name));
    map.text("type", row.kind.as_ref());
    map.texts("aliases", &row.aliases);
    map.text("summary", row.summary.as_ref());
    map.date("last_touched", row.last_touched);
    map.date("valid_from", row.valid_from);
    map.date("valid_to", row.valid_to);
    map.texts("tags", &row.tags);
    map.word("visibility", row.visibility.map(Visibility::as_str));
    map.finish()
}

fn workstream(row: &Workstream) -> Node {
    let mut map = Map::with(&row.extra);
    map.text("name", Some(&row.name));
    map.word("status", row.status.map(WorkStatus::as_str));
    map.text("summary", row.summary.as_ref());
    map.date("started", row.started);
    map.date("last_touched", row.last_touched);
    map.texts("related_entities", &row.related_entities);
    map.texts("tags", &row.tags);
    map.word("visibility", row.visibility.map(Visibility::as_str));
    map.finish()
}

fn note(row: &Note) -> Node {
    let mut map = Map::with(&row.extra);
    map.date("date", row.date);
    map.text("text", Some(&row.text));
    map.texts("related_entities", &row.related_entities);
    map.texts("tags", &row.tags);
    map.word("visibility", row.visibility.map(Visibility::as_str));
    map.finish()
}

fn policy(policy: &VisibilityPolicy) -> Node {
    let mut map = Map::with(&policy.extra);
    map.word("default", policy.default.map(Visibility::as_str));
    map.put("private_tags", policy.private_tags.as_ref().map(Node::texts));
    map.texts("team_tags", &policy.team_tags);
    map.finish()
}

/// Writes a non-empty collection as a block at this indentation, each line ended.
fn block(out: &mut String, node: &Node, indent: usize) {
    match &node.value {
        Value::Map(entries) => {
            for (index, entry) in entries.iter().enumerate() {
                // The first key of a mapping in a list stands behind the list's dash.
                if index > 0 || !out.ends_with("- ") {
                    pad(out, indent);
                }
                key(out, &entry.key, indent);
                value(out, &entry.node, indent);
            }
        }
        Value::List(items) => {
            for (index, item) in items.iter().enumerate() {
                if index > 0 || !out.ends_with("- ") {
                    pad(out, indent);
                }
                out.push('-');
                value_of_item(out, item, indent);
            }
        }
        Value::Scalar(_) => value(out, node, indent),
    }
}

fn pad(out: &mut String, indent: usize) {
    out.extend(std::iter::repeat_n(' ', indent));
}

/// Readers look for the colon of a key on its own line, within 1,024 characters.
const LONGEST_KEY: usize = 1_000;

fn key(out: &mut String, key: &Scalar, indent: usize) {
    let mut text = String::new();
    inline(&mut text, key);
    if text.chars().count() > LONGEST_KEY {
        out.push_str("? ");
        out.push_str(&text);
        out.push('\n');
        pad(out, indent);
    } else {
        out.push_str(&text);
    }
    out.push(':');
}

/// The value of a key, from behind its colon to the end of its last line.
fn value(out: &mut String, node: &Node, indent: usize) {
    match &node.value {
        Value::Scalar(scalar) => scalar_value(out, scalar, indent),
        Value::List(items) if items.is_empty() => out.push_str(" []\n"),
        Value::Map(entries) if entries.is_empty() => out.push_str(" {}\n"),
        Value::List(_) | Value::Map(_) => {
            out.push('\n');
            block(out, node, indent + 2);
        }
    }
}

/// A list's item, from behind its dash to the end of its last line.
fn value_of_item(out: &mut String, node: &Node, indent: usize) {
    match &node.value {
        Value::List(items) if !items.is_empty() => {
            out.push(' ');
            block(out, node, indent + 2);
        }
        Value::Map(entries) if !entries.is_empty() => {
            out.push(' ');
            block(out, node, indent + 2);
        }
        _ => value(out, node, indent),
    }
}

fn scalar_value(out: &mut String, scalar: &Scalar, indent: usize) {
    if !scalar.plain && literal(&scalar.text) {
        out.push_str(if scalar.text.ends_with('\n') { " |" } else { " |-" });
        out.push('\n');
        for line in scalar.text.strip_suffix('\n').unwrap_or(&scalar.text).split('\n') {
            if !line.is_empty() {
                pad(out, indent + 2);
                out.push_str(line);
            }
            out.push('\n');
        }
        return;
    }
    out.push(' ');
    inline(out, scalar);
    out.push('\n');
}

/// Whether a text of several lines reads back from a literal block in every reader.
fn literal(text: &str) -> bool {
    text.contains('\n')
        && !text.starts_with([' ', '\t', '\n'])
        && !text.ends_with("\n\n")
        && text.split('\n').all(|line| !line.ends_with([' ', '\t']))
        && text.chars().all(|c| c == '\n' || c == '\t' || shown(c))
}

/// A scalar on one line: bare where that is safe, else in double quotes.
fn inline(out: &mut String, scalar: &Scalar) {
    if scalar.plain || bare(&scalar.text) {
        out.push_str(if scalar.text.is_empty() { "~" } else { &scalar.text });
        return;
    }
    out.push('"');
    for c in scalar.text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if shown(c) => out.push(c),
            c => escape(out, c as u32),
        }
    }
    out.push('"');
}

fn escape(out: &mut String, code: u32) {
    use std::fmt::Write;
    let written = match code {
        0..=0xff => write!(out, "\\x{code:02X}"),
        0x100..=0xffff => write!(out, "\\u{code:04X}"),
        _ => write!(out, "\\U{code:08X}"),
    };
    debug_assert!(written.is_ok(), "writing into a string does not fail");
}

/// Whether a character may stand as itself: every reader accepts it, and a person sees it. Control and bidirectional
/// characters, line breaks of Unicode and the byte-order mark are escaped.
fn shown(c: char) -> bool {
    !matches!(c as u32,
        0..=0x1f | 0x7f..=0xa0 | 0xad | 0x61c | 0x200b | 0x200e | 0x200f | 0x2028..=0x202e | 0x2060..=0x206f
        | 0xfe00..=0xfe0e | 0xfeff | 0xfff0..=0xfffb | 0xfffe..=0xffff | 0xe000..=0xf8ff | 0xe0000..=0x10_ffff)
        && !matches!(c as u32 & 0xffff, 0xfffe | 0xffff)
}

/// Whether a text needs no quotes in any reader.
fn bare(text: &str) -> bool {
    let mut before = ' ';
    let mut chars = text.chars().peekable();
    if !chars
        .peek()
        .is_some_and(|first| first.is_alphabetic() || matches!(first, '_' | '/'))
        || text.ends_with(' ')
    {
        return false;
    }
    while let Some(c) = chars.next() {
        let fine = match c {
            ':' => chars.peek().is_some_and(|next| *next != ' '),
            '#' => before != ' ',
            ' ' | '!'..='~' => true,
            c => c.is_alphanumeric() && shown(c),
        };
        if !fine {
            return false;
        }
        before = c;
    }
    scalar::meaning(text) == Meaning::Text
}
