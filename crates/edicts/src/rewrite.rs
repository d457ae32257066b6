//! Whole texts: a new file, one that was empty, and one that is written anew because nothing else is possible.

use crate::change::{Change, FieldChange, ListChange, Record, Value};
use crate::edit::Editing;
use crate::node::{Kind, Node, Style};
use crate::scalar;
use crate::schema::SCHEMA_ADDRESS;
use crate::source::{Document, Format};

/// The text of a new file without edicts.
pub(crate) fn fresh(format: Format) -> String {
    match format {
        Format::Json => format!(
            r#"{{
  "$schema": "{SCHEMA_ADDRESS}",
  "version": 1,
  "config": {{
    "maxEdicts": 200,
    "tokenBudget": 4000,
    "categories": [],
    "staleThresholdDays": 90
  }},
  "edicts": [],
  "history": []
}}
"#
        ),
        Format::Yaml => format!(
            "\
# yaml-language-server: $schema={SCHEMA_ADDRESS}
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
"
        ),
    }
}

/// Fills a file that holds nothing but comments, which stay at its top.
pub(crate) fn into_empty(editing: &mut Editing<'_>, change: &Change) {
    let text = whole_text(editing.format, None, change).replace('\n', editing.newline);
    let end = editing.text.len();
    let is_remark = |line: &str| line.trim().is_empty() || line.trim_start().starts_with('#');
    if editing.text.trim().is_empty() {
        editing.splice(0..end, text);
    } else if editing.text.lines().all(is_remark) {
        let between = if editing.text.ends_with('\n') {
            ""
        } else {
            editing.newline
        };
        editing.splice(end..end, format!("{between}{text}"));
    } else {
        // A null, or the marks of a document without content.
        let remarks = editing.text.split_inclusive('\n').filter(|line| is_remark(line));
        let remarks: String = remarks.collect();
        editing.splice(0..end, remarks + &text);
    }
}

/// The whole document after a change, without its comments.
pub(crate) fn whole(document: &Document, change: &Change) -> String {
    whole_text(document.format, document.root.as_ref(), change)
}

/// A value of the new text: one of the old file, or a new one.
enum Tree<'n> {
    Node(&'n Node),
    Value(&'n Value),
    Map(Vec<(String, Tree<'n>)>),
    List(Vec<Tree<'n>>),
    One,
}

/// What a [`Tree`] is when it is looked into.
enum Shape<'n> {
    Map(Vec<(String, Tree<'n>)>),
    List(Vec<Tree<'n>>),
    Scalar(String),
}

/// The text of a document after a change; without a root, of a new one.
pub(crate) fn whole_text(format: Format, root: Option<&Node>, change: &Change) -> String {
    let tree = tree(format, root, change);
    let mut out = String::new();
    match format {
        Format::Json => {
            json(&mut out, &tree, 0);
            out.push('\n');
        }
        Format::Yaml => yaml(&mut out, &tree, 0, false),
    }
    out
}

fn tree<'n>(format: Format, root: Option<&'n Node>, change: &'n Change) -> Tree<'n> {
    let mut entries: Vec<(String, Tree<'n>)> = Vec::new();
    if root.is_none() {
        entries.push((key_text(format, "version"), Tree::One));
    }
    let lists = change.lists();
    for (key, value) in root.and_then(Node::entries).unwrap_or_default() {
        let list = lists
            .iter()
            .find(|(name, list)| key.text() == Some(name) && !list.is_empty());
        let tree = match list {
            Some((_, list)) => items(format, Some(value), list),
            None => Tree::Node(value),
        };
        entries.push((node_key(format, key), tree));
    }
    for (name, list) in lists {
        let there = root.is_some_and(|root| root.get(name).is_some());
        if !there && (root.is_none() || !list.is_empty()) {
            entries.push((key_text(format, name), items(format, None, list)));
        }
    }
    Tree::Map(entries)
}

fn key_text(format: Format, name: &str) -> String {
    match format {
        Format::Json => scalar::json(name),
        Format::Yaml => name.to_owned(),
    }
}

/// A key as it is written; one that is no scalar comes out wrong, which the comparison with the old file refuses.
fn node_key(format: Format, key: &Node) -> String {
    match &key.kind {
        Kind::Scalar(text, _) if format == Format::Json => scalar::json(text),
        Kind::Scalar(text, Style::Plain) => text.to_string(),
        Kind::Scalar(text, _) => scalar::yaml(text, Style::Double, false),
        _ => "?".to_owned(),
    }
}

fn items<'n>(format: Format, old: Option<&'n Node>, change: &'n ListChange) -> Tree<'n> {
    let mut list = Vec::new();
    let changes = change.by_item();
    for (at, node) in old.and_then(Node::items).unwrap_or_default().iter().enumerate() {
        if change.removed.contains(&at) {
            continue;
        }
        list.push(match changes.get(&at) {
            Some(changes) => changed(format, node, changes),
            None => Tree::Node(node),
        });
    }
    list.extend(change.appended.iter().map(|new| record(format, new)));
    Tree::List(list)
}

fn record(format: Format, record: &Record) -> Tree<'_> {
    let fields = record.fields.iter();
    Tree::Map(
        fields
            .map(|(name, value)| (key_text(format, name), Tree::Value(value)))
            .collect(),
    )
}

fn changed<'n>(format: Format, node: &'n Node, changes: &[&'n FieldChange]) -> Tree<'n> {
    let mut entries: Vec<(String, Tree<'n>)> = Vec::new();
    let mut used = Vec::new();
    for (key, value) in node.entries().unwrap_or_default() {
        match changes.iter().find(|change| key.text() == Some(change.field)) {
            None => entries.push((node_key(format, key), Tree::Node(value))),
            Some(change) => {
                used.push(change.field);
                if let Some(value) = &change.value {
                    entries.push((node_key(format, key), Tree::Value(value)));
                }
            }
        }
    }
    for change in changes.iter().filter(|change| !used.contains(&change.field)) {
        if let Some(value) = &change.value {
            entries.push((key_text(format, change.field), Tree::Value(value)));
        }
    }
    Tree::Map(entries)
}

fn shape<'n>(format: Format, tree: &'n Tree<'n>) -> Shape<'n> {
    let string = |text: &str, style| match format {
        Format::Json => scalar::json(text),
        Format::Yaml => scalar::yaml(text, style, false),
    };
    match tree {
        Tree::One => Shape::Scalar("1".to_owned()),
        Tree::Map(entries) => Shape::Map(
            entries
                .iter()
                .map(|(key, value)| (key.clone(), value.again()))
                .collect(),
        ),
        Tree::List(items) => Shape::List(items.iter().map(Tree::again).collect()),
        Tree::Value(Value::Text(text)) => Shape::Scalar(string(text, Style::Plain)),
        Tree::Value(Value::Time(text)) => Shape::Scalar(string(text, Style::Double)),
        Tree::Value(Value::List(items)) => {
            let items: Vec<String> = items.iter().map(|text| flow_string(format, text)).collect();
            Shape::Scalar(format!("[{}]", items.join(", ")))
        }
        Tree::Node(node) => match &node.kind {
            Kind::Scalar(_, Style::Plain) if node.is_absent() => Shape::Scalar("null".to_owned()),
            // A number keeps its digits; a plain text that could break a line is quoted.
            Kind::Scalar(text, Style::Plain) if format == Format::Json || scalar::is_special(text) => {
                Shape::Scalar(text.to_string())
            }
            Kind::Scalar(text, style) => Shape::Scalar(string(text, *style)),
            Kind::Sequence { items, .. } => Shape::List(items.iter().map(Tree::Node).collect()),
            Kind::Mapping { entries, .. } => Shape::Map(
                entries
                    .iter()
                    .map(|(key, value)| (node_key(format, key), Tree::Node(value)))
                    .collect(),
            ),
        },
    }
}

fn flow_string(format: Format, text: &str) -> String {
    match format {
        Format::Json => scalar::json(text),
        Format::Yaml => scalar::yaml(text, Style::Plain, true),
    }
}

impl<'n> Tree<'n> {
    /// The same tree again; only new values are copied, and those are few.
    fn again(&self) -> Tree<'n> {
        match self {
            Tree::Node(node) => Tree::Node(node),
            Tree::Value(value) => Tree::Value(value),
            Tree::Map(entries) => Tree::Map(
                entries
                    .iter()
                    .map(|(key, value)| (key.clone(), value.again()))
                    .collect(),
            ),
            Tree::List(items) => Tree::List(items.iter().map(Tree::again).collect()),
            Tree::One => Tree::One,
        }
    }
}

/// Writes a value in block style at an indentation. Right after a dash the first line is begun already.
fn yaml(out: &mut String, tree: &Tree<'_>, indent: usize, after_dash: bool) {
    let mut begun = after_dash;
    let mut begin = |out: &mut String| {
        if !std::mem::take(&mut begun) {
            out.push_str(&" ".repeat(indent));
        }
    };
    match shape(Format::Yaml, tree) {
        Shape::Scalar(text) => {
            begin(out);
            out.push_str(&text);
            out.push('\n');
        }
        Shape::Map(entries) if entries.is_empty() => {
            begin(out);
            out.push_str("{}\n");
        }
        Shape::List(items) if items.is_empty() => {
            begin(out);
            out.push_str("[]\n");
        }
        Shape::Map(entries) => {
            for (key, value) in &entries {
                begin(out);
                out.push_str(key);
                out.push(':');
                match shape(Format::Yaml, value) {
                    Shape::Map(entries) if !entries.is_empty() => {
                        out.push('\n');
                        yaml(out, value, indent + 2, false);
                    }
                    Shape::List(items) if !items.is_empty() => {
                        out.push('\n');
                        yaml(out, value, indent + 2, false);
                    }
                    _ => {
                        out.push(' ');
                        yaml(out, value, indent, true);
                    }
                }
            }
        }
        Shape::List(items) => {
            for item in &items {
                begin(out);
                out.push_str("- ");
                yaml(out, item, indent + 2, true);
            }
        }
    }
}

/// Writes a value with two spaces a level.
fn json(out: &mut String, tree: &Tree<'_>, indent: usize) {
    match shape(Format::Json, tree) {
        Shape::Scalar(text) => out.push_str(&text),
        Shape::List(items) => between(out, ['[', ']'], items.len(), indent, |out, at| {
            json(out, &items[at], indent + 2);
        }),
        Shape::Map(entries) => between(out, ['{', '}'], entries.len(), indent, |out, at| {
            let (key, value) = &entries[at];
            out.push_str(key);
            out.push_str(": ");
            json(out, value, indent + 2);
        }),
    }
}

fn between(
    out: &mut String,
    [open, close]: [char; 2],
    count: usize,
    indent: usize,
    each: impl Fn(&mut String, usize),
) {
    out.push(open);
    for at in 0..count {
        out.push_str(if at == 0 { "\n" } else { ",\n" });
        out.push_str(&" ".repeat(indent + 2));
        each(out, at);
    }
    if count > 0 {
        out.push('\n');
        out.push_str(&" ".repeat(indent));
    }
    out.push(close);
}
