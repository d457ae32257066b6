//! Edits of lists in YAML's block style, by whole lines.

use crate::change::{FieldChange, ListChange, Record, Value};
use crate::edit::{Editing, Obstacle};
use crate::flow;
use crate::load::EDICT;
use crate::manner::{Manner, manner, new_manner};
use crate::node::{Kind, Node, Style};
use crate::place::{
    Place, after_colon, blank_lines_after, blank_lines_before, deeper_comments, next_token, places,
};

/// Edits a list that has items in block style.
pub(crate) fn list(
    editing: &mut Editing<'_>,
    key: &Node,
    node: &Node,
    name: &'static str,
    change: &ListChange,
) -> Result<(), Obstacle> {
    let items = node.items().unwrap_or_default();
    let places = places(editing, key, node, items)?;
    let Some(last) = places.last() else {
        return Ok(());
    };
    let manner = manner(editing, items, &places);
    for (item, changes) in change.by_item() {
        if let (false, Some(node)) = (change.removed.contains(&item), items.get(item)) {
            fields(editing, node, &manner, &changes)?;
        }
    }
    let kept = |item: &usize| !change.removed.contains(item);
    let last_kept = (0..items.len()).rfind(kept);
    for item in &change.removed {
        let Some(place) = places.get(*item) else { continue };
        let blank_before =
            editing.text[..place.leading].len() - blank_lines_before(editing.text, place.leading);
        let blank_after = blank_lines_after(editing.text, place.end);
        let range = match last_kept {
            Some(last) if last > *item => place.leading..place.end + blank_after,
            Some(_) => place.leading - blank_before..place.end,
            None => place.leading..place.end,
        };
        editing.splice(range, "");
    }
    if last_kept.is_none() && change.appended.is_empty() {
        // A list that lost all its items would read as null.
        let after = after_colon(editing, key)
            .ok_or(Obstacle::at(key, "the key of the list has no colon of its own"))?;
        if node.first < first_content(editing, &places) {
            return Err(Obstacle::at(node, "the list has an anchor"));
        }
        editing.splice(after..after, " []");
        return Ok(());
    }
    if !change.appended.is_empty() {
        let lines = records(editing, &manner, name, change, last_kept.is_some());
        append_lines(editing, last.end, &lines);
    }
    Ok(())
}

fn first_content(editing: &Editing<'_>, places: &[Place]) -> usize {
    places.first().map_or(editing.text.len(), |place| place.dash)
}

/// Puts lines (each with its ending) at a line's end, also where the last line of the file has no ending.
fn append_lines(editing: &mut Editing<'_>, at: usize, lines: &str) {
    let unfinished = at > 0 && !editing.text[..at].ends_with('\n');
    let text = if unfinished {
        format!("{}{}", editing.newline, lines.trim_end_matches(['\r', '\n']))
    } else {
        lines.to_owned()
    };
    editing.splice(at..at, text);
}

/// Gives its first items to a list that is written as `edicts:`, `edicts: []` or `edicts: null`.
pub(crate) fn first_items(
    editing: &mut Editing<'_>,
    key: &Node,
    node: &Node,
    edicts: Option<&Node>,
    name: &'static str,
    change: &ListChange,
) -> Result<(), Obstacle> {
    if change.appended.is_empty() {
        return Ok(());
    }
    let after =
        after_colon(editing, key).ok_or(Obstacle::at(key, "the key of the list has no colon of its own"))?;
    if node.first != node.start || node.anchored {
        return Err(Obstacle::at(node, "the list has an anchor"));
    }
    let end = node.end.max(after);
    if editing.text[after..end].contains('\n') {
        return Err(Obstacle::at(
            node,
            "the empty list does not stand on the line of its key",
        ));
    }
    editing.splice(after..end, "");
    let manner = new_manner(editing, edicts, key.column as usize - 1);
    let lines = records(editing, &manner, name, change, false);
    let line_end = editing.line_end(end);
    append_lines(editing, line_end, &lines);
    Ok(())
}

/// Adds a list that the file does not have, at the end of the root mapping.
pub(crate) fn new_section(
    editing: &mut Editing<'_>,
    root: &Node,
    edicts: Option<&Node>,
    name: &'static str,
    change: &ListChange,
) -> Result<(), Obstacle> {
    if change.appended.is_empty() {
        return Ok(());
    }
    let Some((first, _)) = root.entries().and_then(<[_]>::first) else {
        return Err(Obstacle::at(root, "the file has no keys"));
    };
    let indent = first.column as usize - 1;
    let end = deeper_comments(editing, editing.line_end(root.end), indent);
    let manner = new_manner(editing, edicts, indent);
    let keys = root.entries().unwrap_or_default();
    let spaced = keys.iter().skip(1).any(|(key, _)| {
        let line = editing.line_start(key.start);
        blank_lines_before(editing.text, line) < line
    });
    let mut lines = String::new();
    if spaced {
        lines.push_str(editing.newline);
    }
    lines.push_str(&format!("{:indent$}{name}:{}", "", editing.newline));
    lines.push_str(&records(editing, &manner, name, change, false));
    append_lines(editing, end, &lines);
    Ok(())
}

/// The lines of all appended records.
fn records(
    editing: &Editing<'_>,
    manner: &Manner<'_>,
    name: &'static str,
    change: &ListChange,
    after_others: bool,
) -> String {
    let mut lines = String::new();
    for (number, record) in change.appended.iter().enumerate() {
        if manner.spaced && (after_others || number > 0) {
            lines.push_str(editing.newline);
        }
        if name == "history" {
            for comment in record
                .archives
                .and_then(|item| editing.carried.get(&item))
                .into_iter()
                .flatten()
            {
                lines.push_str(&format!(
                    "{:width$}{comment}{}",
                    "",
                    editing.newline,
                    width = manner.dash
                ));
            }
        }
        lines.push_str(&record_lines(editing, manner, name == "history", record));
    }
    lines
}

fn record_lines(editing: &Editing<'_>, manner: &Manner<'_>, history: bool, record: &Record) -> String {
    let mut lines = String::new();
    let indent = manner.dash + manner.gap;
    for (number, (name, value)) in record.fields.iter().enumerate() {
        if number == 0 {
            lines.push_str(&format!(
                "{:dash$}-{:gap$}",
                "",
                "",
                dash = manner.dash,
                gap = manner.gap - 1
            ));
        } else {
            lines.push_str(&format!("{:indent$}", ""));
        }
        lines.push_str(&field_line(editing, manner, history, name, value, indent));
    }
    lines
}

/// `name: value` with its line ending, and the lines of a list below it.
fn field_line(
    editing: &Editing<'_>,
    manner: &Manner<'_>,
    history: bool,
    name: &'static str,
    value: &Value,
    indent: usize,
) -> String {
    let newline = editing.newline;
    match value {
        Value::List(items) if !items.is_empty() && !manner.flow_lists => {
            let mut lines = format!("{name}:{newline}");
            for item in items {
                let item = editing.inline(&Value::Text(item.clone()), Style::Plain, false);
                lines.push_str(&format!(
                    "{:width$}- {item}{newline}",
                    "",
                    width = indent + manner.list_indent
                ));
            }
            lines
        }
        _ => format!(
            "{name}: {}{newline}",
            editing.inline(value, manner.style(name, history), false)
        ),
    }
}

/// Edits the fields of one item.
fn fields(
    editing: &mut Editing<'_>,
    item: &Node,
    manner: &Manner<'_>,
    changes: &[&FieldChange],
) -> Result<(), Obstacle> {
    if item.alias || item.tag.is_some() {
        return Err(Obstacle::at(
            item,
            "the edict stands through an alias or has a tag",
        ));
    }
    if item.is_flow() {
        return flow::fields(editing, item, changes);
    }
    let Some(entries) = item.entries().filter(|entries| !entries.is_empty()) else {
        return Err(Obstacle::at(item, "the item is no mapping"));
    };
    let indent = entries[0].0.column as usize - 1;
    for change in changes {
        match (item.entry(change.field), &change.value) {
            (Some((key, node)), Some(value)) => set(editing, key, node, manner, change.field, value)?,
            (None, Some(value)) => {
                let line = field_line(editing, manner, false, change.field, value, indent);
                match predecessor(entries, change.field) {
                    Some(before) => {
                        let at = editing.line_end(before.end);
                        append_lines(editing, at, &format!("{:indent$}{line}", ""));
                    }
                    None => {
                        let first = entries[0].0.first;
                        editing.splice(first..first, format!("{line}{:indent$}", ""));
                    }
                }
            }
            (Some((key, node)), None) => take_out(editing, entries, key, node)?,
            (None, None) => {}
        }
    }
    Ok(())
}

/// The value after which a new field stands: that of the last field before it in the contract's order. None: it
/// comes first.
pub(crate) fn predecessor<'n>(entries: &'n [(Node, Node)], field: &str) -> Option<&'n Node> {
    let rank = |name: &str| EDICT.iter().position(|known| *known == name);
    let wanted = rank(field);
    entries
        .iter()
        .rfind(|(key, _)| key.text().and_then(rank).is_some_and(|rank| Some(rank) < wanted))
        .map(|(_, value)| value)
}

fn set(
    editing: &mut Editing<'_>,
    key: &Node,
    node: &Node,
    manner: &Manner<'_>,
    name: &'static str,
    value: &Value,
) -> Result<(), Obstacle> {
    let after = after_colon(editing, key).ok_or(Obstacle::at(key, "the key has no colon of its own"))?;
    if node.anchored {
        return Err(Obstacle::at(node, "the value bears an anchor"));
    }
    let (range, text) = match &node.kind {
        _ if node.is_absent() => (
            after..after,
            format!(" {}", editing.inline(value, manner.style(name, false), false)),
        ),
        Kind::Scalar(_, Style::Block) => {
            // The header (`|`, `>-`) stands between the colon and the value's first line.
            let header = next_token(editing.text, after);
            (header..node.end, editing.inline(value, Style::Double, false))
        }
        Kind::Scalar(_, style) if !node.alias => (node.first..node.end, editing.inline(value, *style, false)),
        Kind::Sequence { flow: false, .. } => {
            let indent = key.column as usize - 1;
            let lines = match value {
                Value::List(items) if !items.is_empty() => {
                    let line = field_line(
                        editing,
                        &Manner {
                            flow_lists: false,
                            samples: Vec::new(),
                            ..*manner
                        },
                        false,
                        name,
                        value,
                        indent,
                    );
                    line.trim_end()
                        .strip_prefix(name)
                        .and_then(|rest| rest.strip_prefix(':'))
                        .unwrap_or_default()
                        .to_owned()
                }
                _ => format!(" {}", editing.inline(value, Style::Plain, false)),
            };
            (after..node.end, lines)
        }
        _ => (
            node.first..node.end,
            editing.inline(value, manner.style(name, false), false),
        ),
    };
    editing.splice(range, text);
    Ok(())
}

fn take_out(
    editing: &mut Editing<'_>,
    entries: &[(Node, Node)],
    key: &Node,
    node: &Node,
) -> Result<(), Obstacle> {
    let start = editing.line_start(key.first);
    let own_line = editing.text[start..key.first].bytes().all(|b| b == b' ');
    if own_line {
        let end = editing.line_end(node.end.max(key.end));
        editing.splice(start..end, "");
        return Ok(());
    }
    let next = entries
        .iter()
        .map(|(next, _)| next.first)
        .find(|next| *next > key.first);
    let next = next.ok_or(Obstacle::at(key, "the field is the only one of its edict"))?;
    editing.splice(key.first..next, "");
    Ok(())
}
