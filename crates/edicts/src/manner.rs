//! How a file writes its items, learnt from those that are there, so that a new one looks like its neighbours.

use crate::edit::Editing;
use crate::node::{Kind, Node, Style};
use crate::place::{Place, blank_lines_after, blank_lines_before};

/// How the file writes its items, learnt from the last ones.
pub(crate) struct Manner<'d> {
    /// Column of the dash, in bytes.
    pub(crate) dash: usize,
    /// From the dash to the fields.
    pub(crate) gap: usize,
    /// Lists of strings stand in brackets.
    pub(crate) flow_lists: bool,
    /// From a key to the dashes of its list.
    pub(crate) list_indent: usize,
    /// A blank line stands between items.
    pub(crate) spaced: bool,
    /// Items to learn quoting from, last first.
    pub(crate) samples: Vec<&'d Node>,
}

pub(crate) fn manner<'d>(editing: &Editing<'_>, items: &'d [Node], places: &[Place]) -> Manner<'d> {
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

pub(crate) fn gap(item: &Node, dash: usize) -> Option<usize> {
    let (key, _) = item.entries().filter(|_| !item.is_flow())?.first()?;
    (key.column as usize - 1).checked_sub(dash).filter(|gap| *gap > 0)
}

/// What items teach about lists of strings and quoting.
pub(crate) fn learnt(items: &[Node]) -> Manner<'_> {
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
pub(crate) fn new_manner<'d>(editing: &Editing<'_>, edicts: Option<&'d Node>, indent: usize) -> Manner<'d> {
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
    pub(crate) fn style(&self, name: &'static str, history: bool) -> Style {
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
