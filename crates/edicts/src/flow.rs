//! Edits of lists and mappings in brackets and braces: JSON, and YAML's flow style.

use std::ops::Range;

use crate::block::predecessor;
use crate::change::{FieldChange, ListChange, Record};
use crate::edit::{Editing, Obstacle};
use crate::node::{Kind, Node, Style};
use crate::source::Format;
use crate::yaml;

/// Edits a list in brackets below `root`, which is a mapping in either style.
pub(crate) fn list(
    editing: &mut Editing<'_>,
    root: &Node,
    name: &'static str,
    change: &ListChange,
) -> Result<(), Obstacle> {
    if change.is_empty() {
        return Ok(());
    }
    let Some((key, node)) = root.entry(name) else {
        return new_section(editing, root, name, change);
    };
    if node.alias || node.tag.is_some() || node.anchored {
        return Err(Obstacle::at(
            node,
            "the list stands through an alias, or has a tag or an anchor",
        ));
    }
    let outer = indent_of_line(editing, key.start);
    let items = node.items().unwrap_or_default();
    if items.is_empty() {
        if !change.appended.is_empty() {
            let range = if node.is_absent() {
                node.end..node.end
            } else {
                node.first..node.end
            };
            let space = if node.is_absent() { " " } else { "" };
            let text = whole_list(editing, change, outer, spread(editing, root));
            editing.splice(range, format!("{space}{text}"));
        }
        return Ok(());
    }
    for (item, changes) in change.by_item() {
        let Some(node) = items.get(item).filter(|_| !change.removed.contains(&item)) else {
            continue;
        };
        if node.alias || node.tag.is_some() {
            return Err(Obstacle::at(
                node,
                "the edict stands through an alias or has a tag",
            ));
        }
        fields(editing, node, &changes)?;
    }
    let kept = |item: &usize| !change.removed.contains(item);
    let comments = match change.removed.is_empty() {
        true => Vec::new(),
        false => comments(editing),
    };
    if !(0..items.len()).any(|item| kept(&item)) {
        let text = if change.appended.is_empty() {
            "[]".to_owned()
        } else {
            whole_list(editing, change, outer, spread(editing, node))
        };
        // The list goes on after its bracket, behind the comments that stood in it.
        let inside = within(&comments, &(node.start..node.end));
        let text = match inside.is_empty() {
            true => text,
            false => {
                let (newline, inner) = (editing.newline, outer + 2);
                let lines: String = inside
                    .iter()
                    .map(|comment| format!("{newline}{:inner$}{}", "", remark(editing, comment)))
                    .collect();
                let rest = text.trim_start_matches('[').trim_start();
                let indent = if rest == "]" { outer } else { inner };
                format!("[{lines}{newline}{:indent$}{rest}", "")
            }
        };
        editing.splice(node.start..node.end, text);
        return Ok(());
    }
    let first_kept = (0..items.len()).find(kept).unwrap_or_default();
    for item in &change.removed {
        let Some(node) = items.get(*item) else { continue };
        // Up to the first one that stays, the comma after the item goes with it; from there on, the one before.
        let range = if *item < first_kept {
            node.first..items[item + 1].first
        } else {
            items[item - 1].end..node.end
        };
        take_out(editing, &comments, range, outer + 2);
    }
    if let (false, Some(last)) = (change.appended.is_empty(), items.last()) {
        append(editing, node, last, change, outer);
    }
    Ok(())
}

/// The comments of the file; JSON has none.
fn comments(editing: &Editing<'_>) -> Vec<Range<usize>> {
    match editing.format {
        Format::Json => Vec::new(),
        Format::Yaml => yaml::comments(editing.text).unwrap_or_default(),
    }
}

fn within<'c>(comments: &'c [Range<usize>], range: &Range<usize>) -> Vec<&'c Range<usize>> {
    comments
        .iter()
        .filter(|comment| range.contains(&comment.start))
        .collect()
}

fn remark<'t>(editing: &Editing<'t>, comment: &Range<usize>) -> &'t str {
    editing.text[comment.clone()].trim_end()
}

/// Takes a range out but for its comments. One stays at the end of the line that it stands on when the range begins
/// there, the others have lines of their own, at least so far in.
fn take_out(editing: &mut Editing<'_>, comments: &[Range<usize>], range: Range<usize>, least: usize) {
    let text = editing.text;
    let newline = editing.newline;
    let inside = within(comments, &range);
    if inside.is_empty() {
        editing.splice(range, "");
        return;
    }
    let indent = indent_of_line(editing, range.start).max(least);
    let begun = text[editing.line_start(range.start)..range.start]
        .trim()
        .is_empty();
    let mut out = String::new();
    for (number, comment) in inside.iter().enumerate() {
        let remark = remark(editing, comment);
        if number == 0 && begun {
            out.push_str(remark);
        } else if number == 0 && !text[range.start..comment.start].contains('\n') {
            out.push(' ');
            out.push_str(remark);
        } else {
            out.push_str(&format!("{newline}{:indent$}{remark}", ""));
        }
    }
    let rest = &text[range.end..];
    let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    if !rest[blank..].starts_with(['\n', '\r']) {
        out.push_str(&format!("{newline}{:indent$}", ""));
    }
    editing.splice(range, out);
}

fn append(editing: &mut Editing<'_>, list: &Node, last: &Node, change: &ListChange, outer: usize) {
    let spread_list = spread(editing, list);
    let indent = indent_of_line(editing, last.first);
    let spread_item =
        editing.text[last.start..last.end].contains('\n') || last.entries().is_none() && spread_list;
    let step = step(editing, last, indent, outer);
    // A comma may stand there already.
    let rest = &editing.text[last.end..list.end];
    let blank = rest.len() - rest.trim_start().len();
    let (at, mut text) = if rest[blank..].starts_with(',') {
        (last.end + blank + 1, String::new())
    } else {
        (last.end, ",".to_owned())
    };
    for (number, record) in change.appended.iter().enumerate() {
        if number > 0 {
            text.push(',');
        }
        if spread_list {
            text.push_str(&format!("{}{:indent$}", editing.newline, ""));
        } else {
            text.push(' ');
        }
        let lines = spread_item.then_some((indent, step));
        let item = record_text(editing, record, lines);
        text.push_str(&remarked(editing, record, &item, indent.max(outer + 2)));
    }
    editing.splice(at..at, text);
}

/// Whether a list or mapping stands on more than one line.
fn spread(editing: &Editing<'_>, node: &Node) -> bool {
    editing.text[node.start..node.end].contains('\n')
}

fn indent_of_line(editing: &Editing<'_>, at: usize) -> usize {
    let line = &editing.text[editing.line_start(at)..];
    line.bytes().take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// From an item's indentation to that of its fields.
fn step(editing: &Editing<'_>, item: &Node, indent: usize, outer: usize) -> usize {
    let field = item
        .entries()
        .and_then(|entries| entries.first())
        .map(|(key, _)| indent_of_line(editing, key.start));
    field
        .and_then(|field| field.checked_sub(indent))
        .or(indent.checked_sub(outer))
        .filter(|step| *step > 0)
        .unwrap_or(2)
}

fn key_text(editing: &Editing<'_>, name: &str) -> String {
    match editing.format {
        Format::Json => format!("\"{name}\""),
        Format::Yaml => name.to_owned(),
    }
}

/// A record on one line, or on one line a field with the given indentation and step.
fn record_text(editing: &Editing<'_>, record: &Record, lines: Option<(usize, usize)>) -> String {
    let fields: Vec<String> = record
        .fields
        .iter()
        .map(|(name, value)| {
            format!(
                "{}: {}",
                key_text(editing, name),
                editing.inline(value, Style::Double, true)
            )
        })
        .collect();
    match lines {
        None => format!("{{ {} }}", fields.join(", ")),
        Some((indent, step)) => {
            let newline = editing.newline;
            let between = format!(",{newline}{:width$}", "", width = indent + step);
            format!(
                "{{{newline}{:inner$}{}{newline}{:indent$}}}",
                "",
                fields.join(&between),
                "",
                inner = indent + step
            )
        }
    }
}

/// A list with nothing but the appended records.
fn whole_list(editing: &Editing<'_>, change: &ListChange, outer: usize, lines: bool) -> String {
    let newline = editing.newline;
    let inner = outer + 2;
    let records: Vec<String> = change
        .appended
        .iter()
        .map(|record| {
            let text = record_text(editing, record, lines.then_some((inner, 2)));
            remarked(editing, record, &text, inner)
        })
        .collect();
    let begin = if records.first().is_some_and(|first| first.starts_with('#')) {
        " "
    } else {
        ""
    };
    if lines {
        let between = format!(",{newline}{:inner$}", "");
        format!(
            "[{newline}{:inner$}{}{newline}{:outer$}]",
            "",
            records.join(&between),
            ""
        )
    } else {
        format!("[{begin}{}]", records.join(", "))
    }
}

/// A record behind the comments of the edict that it archives, which go along into history.
fn remarked(editing: &Editing<'_>, record: &Record, text: &str, indent: usize) -> String {
    let remarks = record
        .archives
        .and_then(|item| editing.carried.get(&item))
        .into_iter()
        .flatten();
    let newline = editing.newline;
    let remarks: String = remarks
        .map(|remark| format!("{remark}{newline}{:indent$}", ""))
        .collect();
    remarks + text
}

fn new_section(
    editing: &mut Editing<'_>,
    root: &Node,
    name: &'static str,
    change: &ListChange,
) -> Result<(), Obstacle> {
    if change.appended.is_empty() {
        return Ok(());
    }
    let lines = spread(editing, root);
    let key = key_text(editing, name);
    let entries = root.entries().unwrap_or_default();
    let Some((first, last)) = entries.first().zip(entries.last()) else {
        let text = whole_list(editing, change, 2, true);
        let newline = editing.newline;
        editing.splice(
            root.start..root.end,
            format!("{{{newline}  {key}: {text}{newline}}}"),
        );
        return Ok(());
    };
    let indent = indent_of_line(editing, first.0.start);
    let text = whole_list(editing, change, indent, lines);
    let between = if lines {
        format!(",{}{:indent$}", editing.newline, "")
    } else {
        ", ".to_owned()
    };
    let end = last.1.end.max(last.0.end);
    editing.splice(end..end, format!("{between}{key}: {text}"));
    Ok(())
}

/// Edits the fields of one mapping in braces.
pub(crate) fn fields(
    editing: &mut Editing<'_>,
    item: &Node,
    changes: &[&FieldChange],
) -> Result<(), Obstacle> {
    let Some(entries) = item.entries().filter(|entries| !entries.is_empty()) else {
        return Err(Obstacle::at(item, "the item is no mapping"));
    };
    let lines = entries.len() > 1 && entries[0].0.line != entries[entries.len() - 1].0.line;
    let comments = match changes.iter().any(|change| change.value.is_none()) {
        true => comments(editing),
        false => Vec::new(),
    };
    for change in changes {
        match (item.entry(change.field), &change.value) {
            (Some((_, node)), Some(value)) => {
                if node.anchored {
                    return Err(Obstacle::at(node, "the value bears an anchor"));
                }
                let style = match &node.kind {
                    Kind::Scalar(_, style) => *style,
                    _ => Style::Double,
                };
                let space = if node.is_absent() { " " } else { "" };
                let text = editing.inline(value, style, true);
                editing.splice(node.first..node.end, format!("{space}{text}"));
            }
            (None, Some(value)) => {
                let indent = indent_of_line(editing, entries[entries.len() - 1].0.start);
                let between = if lines {
                    format!(",{}{:indent$}", editing.newline, "")
                } else {
                    ", ".to_owned()
                };
                let name = key_text(editing, change.field);
                let field = format!("{name}: {}", editing.inline(value, Style::Double, true));
                match predecessor(entries, change.field) {
                    Some(before) => editing.splice(before.end..before.end, format!("{between}{field}")),
                    None => {
                        let first = entries[0].0.first;
                        editing.splice(first..first, format!("{field}{between}"));
                    }
                }
            }
            (Some((key, node)), None) => {
                let at = entries
                    .iter()
                    .position(|(k, _)| k.start == key.start)
                    .unwrap_or_default();
                let range = match (
                    at.checked_sub(1).map(|before| &entries[before]),
                    entries.get(at + 1),
                ) {
                    (Some((_, before)), _) => before.end..node.end,
                    (None, Some((next, _))) => key.first..next.first,
                    (None, None) => return Err(Obstacle::at(key, "the field is the only one of its edict")),
                };
                let indent = indent_of_line(editing, key.start);
                take_out(editing, &comments, range, indent);
            }
            (None, None) => {}
        }
    }
    Ok(())
}
