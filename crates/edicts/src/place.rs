//! Where the items of a list in YAML's block style stand: whole lines, and the comments that belong to them.

use std::collections::HashMap;

use crate::edit::{Editing, Obstacle};
use crate::node::Node;
use crate::yaml;

/// Where an item of a list stands.
pub(crate) struct Place {
    /// Start of the line with its dash.
    pub(crate) start: usize,
    /// End of its last line, comments that are indented into it included.
    pub(crate) end: usize,
    /// Start of the comment lines directly above it.
    pub(crate) leading: usize,
    /// The dash.
    pub(crate) dash: usize,
}

/// Finds every item's lines.
pub(crate) fn places(
    editing: &Editing<'_>,
    key: &Node,
    node: &Node,
    items: &[Node],
) -> Result<Vec<Place>, Obstacle> {
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
pub(crate) fn next_token(text: &str, from: usize) -> usize {
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
pub(crate) fn deeper_comments(editing: &Editing<'_>, at: usize, indent: usize) -> usize {
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
pub(crate) fn leading(editing: &Editing<'_>, floor: usize, line: usize, dash: usize) -> usize {
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
pub(crate) fn blank_lines_before(text: &str, line: usize) -> usize {
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
pub(crate) fn blank_lines_after(text: &str, line: usize) -> usize {
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
pub(crate) fn after_colon(editing: &Editing<'_>, key: &Node) -> Option<usize> {
    let rest = &editing.text[key.end..];
    let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
    rest[blank..].starts_with(':').then_some(key.end + blank + 1)
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
