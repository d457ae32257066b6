//! Edits of lists in YAML's block style, by whole lines.

use std::collections::HashMap;

use crate::change::{FieldChange, ListChange, Record, Value};
use crate::edit::{Editing, Obstacle};
use crate::flow;
use crate::load::EDICT;
use crate::node::{Kind, Node, Style};
use crate::yaml;

/// How the file writes its items, learnt from the last ones.
struct Manner<'d> {
    /// Column of the dash, in bytes.
    dash: usize,
    /// From the dash to the fields.
    gap: usize,
    /// Lists of strings stand in brackets.
    flow_lists: bool,
    /// From a key to the dashes of its list.
    list_indent: usize,
    /// A blank line stands between items.
    spaced: bool,
    /// Items to learn quoting from, last first.
    samples: Vec<&'d Node>,
}

/// Where an item of a list stands.
struct Place {
    /// Start of the line with its dash.
    start: usize,
    /// End of its last line, comments that are indented into it included.
    end: usize,
    /// Start of the comment lines directly above it.
    leading: usize,
    /// The dash.
    dash: usize,
}

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

/// Finds every item's lines.
fn places(editing: &Editing<'_>, key: &Node, node: &Node, items: &[Node]) -> Result<Vec<Place>, Obstacle> {
    let mut places: Vec<Place> = Vec::with_capacity(items.len());
    let mut from = if node.anchored {
        editing.text[node.first..]
            .find([' ', '\n', '\r'])
            .map_or(node.first, |length| node.first + length)
    } else {
        after_colon(editing, key).ok_or(Obstacle::at(key, "the key of the list has no colon of its own"))?
    };
    let mut floor = 0;
    for item in items {
        let dash = next_token(editing.text, from);
        let start = editing.line_start(dash);
        let own_line = editing.text[start..dash].bytes().all(|b| b == b' ');
        if !editing.text[dash..].starts_with('-') || !own_line {
            return Err(Obstacle::at(item, "the item does not start on a line of its own"));
        }
        let content = item.end.max(dash + 1);
        let end = deeper_comments(editing, editing.line_end(content), dash - start);
        places.push(Place {
            start,
            end,
            leading: if places.is_empty() {
                start
            } else {
                leading(editing, floor, start, dash - start)
            },
            dash,
        });
        from = content;
        floor = end;
    }
    Ok(places)
}

/// The next byte that is neither white space nor in a comment.
fn next_token(text: &str, from: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = from;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            b'#' => at += text[at..].find('\n').unwrap_or(text.len() - at),
            _ => break,
        }
    }
    at.min(text.len())
}

/// The end of the comment lines after `at` that are indented deeper than `indent`, blank lines between them included.
fn deeper_comments(editing: &Editing<'_>, at: usize, indent: usize) -> usize {
    let mut end = at;
    let mut line = at;
    while line < editing.text.len() {
        let next = editing.line_end(line);
        let content = editing.text[line..next].trim_end();
        let blanks = content.len() - content.trim_start_matches(' ').len();
        match content.as_bytes().get(blanks) {
            None => {}
            Some(b'#') if blanks > indent => end = next,
            Some(_) => break,
        }
        line = next;
    }
    end
}

/// The start of the comment lines that belong to an item: directly above it, as far in as its dash, and not before
/// `floor`, where the item before it ends. Above the first item a comment speaks of the whole list.
fn leading(editing: &Editing<'_>, floor: usize, line: usize, dash: usize) -> usize {
    let mut start = line;
    while start > floor {
        let above = editing.line_start(start - 1);
        let content = &editing.text[above..start];
        let blanks = content.len() - content.trim_start_matches(' ').len();
        if above < floor || blanks != dash || !content[blanks..].starts_with('#') {
            break;
        }
        start = above;
    }
    start
}

/// The place before the blank lines that stand directly above a line.
fn blank_lines_before(text: &str, line: usize) -> usize {
    let mut at = line;
    while at > 0 {
        let above = text[..at - 1].rfind('\n').map_or(0, |newline| newline + 1);
        if !text[above..at].trim().is_empty() {
            break;
        }
        at = above;
    }
    at
}

/// The length of the blank lines at a place.
fn blank_lines_after(text: &str, line: usize) -> usize {
    let mut at = line;
    while let Some(newline) = text[at..].find('\n') {
        if !text[at..at + newline].trim().is_empty() {
            break;
        }
        at += newline + 1;
    }
    at - line
}

/// The place after the colon of a key, which must stand on the key's line.
fn after_colon(editing: &Editing<'_>, key: &Node) -> Option<usize> {
    let rest = &editing.text[key.end..];
    let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    rest[blank..].starts_with(':').then_some(key.end + blank + 1)
}

fn manner<'d>(editing: &Editing<'_>, items: &'d [Node], places: &[Place]) -> Manner<'d> {
    let last = places.last();
    let dash = last.map_or(2, |place| place.dash - place.start);
    let spaced = match places {
        [.., before, last] => {
            blank_lines_after(editing.text, before.end) > 0
                || blank_lines_before(editing.text, last.leading) < last.leading
        }
        _ => false,
    };
    Manner {
        dash,
        gap: items.iter().rev().find_map(|item| gap(item, dash)).unwrap_or(2),
        spaced,
        ..learnt(items)
    }
}

fn gap(item: &Node, dash: usize) -> Option<usize> {
    let (key, _) = item.entries().filter(|_| !item.is_flow())?.first()?;
    (key.column as usize - 1).checked_sub(dash).filter(|gap| *gap > 0)
}

/// What items teach about lists of strings and quoting.
fn learnt(items: &[Node]) -> Manner<'_> {
    let samples: Vec<&Node> = items
        .iter()
        .rev()
        .filter(|item| !item.alias && item.entries().is_some())
        .take(20)
        .collect();
    let list = samples.iter().find_map(|item| {
        item.entry("tags")
            .filter(|(_, tags)| tags.items().is_some_and(|t| !t.is_empty()))
    });
    let list_indent = list.and_then(|(key, tags)| {
        // The parser places a block list at its first item's content, two bytes after the dash.
        let first = tags.items()?.first()?.column as usize;
        first.checked_sub(2 + key.column as usize)
    });
    Manner {
        dash: 2,
        gap: 2,
        flow_lists: list.is_some_and(|(_, tags)| tags.is_flow()),
        list_indent: list_indent.filter(|indent| *indent <= 8).unwrap_or(2),
        spaced: false,
        samples,
    }
}

/// The manner for a list that has no items: that of `edicts` where it has some.
fn new_manner<'d>(editing: &Editing<'_>, edicts: Option<&'d Node>, indent: usize) -> Manner<'d> {
    let items = edicts
        .and_then(Node::items)
        .filter(|_| edicts.is_some_and(|node| !node.is_flow()))
        .unwrap_or_default();
    let dash = items.first().map(|item| {
        let start = editing.line_start(item.first);
        let line = &editing.text[start..];
        line.len() - line.trim_start_matches(' ').len()
    });
    let dash = dash.filter(|dash| *dash >= indent).unwrap_or(indent + 2);
    Manner {
        dash,
        gap: items.iter().rev().find_map(|item| gap(item, dash)).unwrap_or(2),
        ..learnt(items)
    }
}

impl Manner<'_> {
    /// How the file quotes a field, else how the contract's example does.
    fn style(&self, name: &'static str, history: bool) -> Style {
        let used = self.samples.iter().find_map(|item| match item.get(name)?.kind {
            Kind::Scalar(_, style @ (Style::Plain | Style::Single | Style::Double)) => Some(style),
            _ => None,
        });
        let quoted = match name {
            "text" | "expiresAt" | "created" | "updated" | "lastAccessed" | "archivedAt" => true,
            "id" | "supersededBy" => history,
            _ => false,
        };
        used.unwrap_or(if quoted { Style::Double } else { Style::Plain })
    }
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

/// The comments above and inside of the edicts that are removed, by their number.
pub(crate) fn carried(
    editing: &Editing<'_>,
    root: &Node,
    removed: &[usize],
) -> Result<HashMap<usize, Vec<String>>, Obstacle> {
    let mut carried = HashMap::new();
    let Some((key, node)) = root
        .entry("edicts")
        .filter(|(_, node)| !removed.is_empty() && !node.is_flow())
    else {
        return Ok(carried);
    };
    let places = places(editing, key, node, node.items().unwrap_or_default())?;
    let comments = yaml::comments(editing.text).unwrap_or_default();
    for item in removed {
        let Some(place) = places.get(*item) else { continue };
        let from = comments.partition_point(|comment| comment.start < place.leading);
        let own = comments[from..]
            .iter()
            .take_while(|comment| comment.start < place.end);
        let own = own
            .map(|comment| editing.text[comment.clone()].trim_end().to_owned())
            .collect();
        carried.insert(*item, own);
    }
    Ok(carried)
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
