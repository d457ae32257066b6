//! Applies a change to the text in place: every byte outside of what changes stays.

use std::collections::HashMap;
use std::ops::Range;

use ken_secrets::Redacted;

use crate::change::{Change, ListChange, Value, came_true};
use crate::node::{Node, Style};
use crate::source::{Document, Format};
use crate::{Error, block, flow, json, place, rewrite, scalar, yaml};

/// Why a change cannot be made in place, and the line where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Obstacle {
    pub(crate) line: u32,
    pub(crate) why: &'static str,
}

impl Obstacle {
    pub(crate) fn at(node: &Node, why: &'static str) -> Obstacle {
        Obstacle { line: node.line, why }
    }
}

/// A replacement of a range of the text.
pub(crate) type Splice = (Range<usize>, String);

/// What the edits of one file share.
pub(crate) struct Editing<'d> {
    pub(crate) text: &'d str,
    pub(crate) format: Format,
    /// The file's line ending.
    pub(crate) newline: &'static str,
    /// The comments of edicts that are archived, by their number in the list: they go along into history.
    pub(crate) carried: HashMap<usize, Vec<String>>,
    pub(crate) splices: Vec<Splice>,
}

impl Editing<'_> {
    /// The start of the line that holds a place.
    pub(crate) fn line_start(&self, at: usize) -> usize {
        self.text[..at].rfind('\n').map_or(0, |newline| newline + 1)
    }

    /// The end of the line that holds a place, its line ending included.
    pub(crate) fn line_end(&self, at: usize) -> usize {
        self.text[at..]
            .find('\n')
            .map_or(self.text.len(), |newline| at + newline + 1)
    }

    pub(crate) fn splice(&mut self, range: Range<usize>, text: impl Into<String>) {
        self.splices.push((range, text.into()));
    }

    /// A string or list on one line.
    pub(crate) fn inline(&self, value: &Value, style: Style, flow: bool) -> String {
        let string = |text: &str| match self.format {
            Format::Json => scalar::json(text),
            Format::Yaml => scalar::yaml(text, style, flow),
        };
        match value {
            Value::Text(text) => string(text),
            Value::Time(text) if self.format == Format::Yaml && !flow => scalar::yaml_time(text, style),
            Value::Time(text) => string(text),
            Value::List(items) => {
                let items: Vec<String> = items
                    .iter()
                    .map(|text| match self.format {
                        Format::Json => scalar::json(text),
                        Format::Yaml => scalar::yaml(text, Style::Plain, true),
                    })
                    .collect();
                format!("[{}]", items.join(", "))
            }
        }
    }
}

/// The document after a change: edited in place, or, when `rewritten` allows it and nothing else helps, written anew
/// without its comments. The result was read again and is exactly what was wanted.
pub(crate) fn apply(
    document: &Document,
    change: &Redacted<Change>,
    rewritten: bool,
    path: &std::path::Path,
) -> Result<Document, Error> {
    let refused = |obstacle: Obstacle| Error::NotInPlace {
        path: path.to_owned(),
        line: obstacle.line,
        why: obstacle.why.to_owned(),
    };
    let read = |text: String| {
        let root = match document.format {
            Format::Yaml => yaml::read(&text),
            Format::Json => json::read(&text),
        };
        let root = root.ok()?.filter(|root| !root.is_null());
        came_true(change, document.root.as_ref(), root.as_ref()).then_some(Document {
            format: document.format,
            bom: document.bom,
            text,
            root,
        })
    };
    let mut obstacle = Obstacle {
        line: document.root.as_ref().map_or(1, |root| root.line),
        why: "the file is written in a way that an edit in place would change",
    };
    match in_place(document, change) {
        Ok(text) => {
            if let Some(document) = read(text) {
                return Ok(document);
            }
        }
        Err(found) => obstacle = found,
    }
    if !rewritten {
        return Err(refused(obstacle));
    }
    read(rewrite::whole(document, change)).ok_or_else(|| refused(obstacle))
}

fn in_place(document: &Document, change: &Change) -> Result<String, Obstacle> {
    let text = &document.text;
    let mut editing = Editing {
        text,
        format: document.format,
        newline: if text
            .split_once('\n')
            .is_some_and(|(line, _)| line.ends_with('\r'))
        {
            "\r\n"
        } else {
            "\n"
        },
        carried: HashMap::new(),
        splices: Vec::new(),
    };
    match &document.root {
        None => rewrite::into_empty(&mut editing, change),
        Some(root) if root.is_flow() => {
            for (name, list) in change.lists() {
                flow::list(&mut editing, root, name, list)?;
            }
        }
        Some(root) => {
            let edicts = root.get("edicts");
            editing.carried = place::carried(&editing, root, &change.edicts.removed)?;
            for (name, list) in change.lists() {
                block_root(&mut editing, root, edicts, name, list)?;
            }
        }
    }
    spliced(text, editing.splices).ok_or(Obstacle {
        line: 1,
        why: "two parts of the change touch the same place",
    })
}

/// A list of a root in block style, which may itself be in either style, empty, or absent.
fn block_root(
    editing: &mut Editing<'_>,
    root: &Node,
    edicts: Option<&Node>,
    name: &'static str,
    list: &ListChange,
) -> Result<(), Obstacle> {
    if list.is_empty() {
        return Ok(());
    }
    let Some((key, node)) = root.entry(name) else {
        return block::new_section(editing, root, edicts, name, list);
    };
    if node.alias || node.tag.is_some() {
        return Err(Obstacle::at(
            node,
            "the list stands through an alias or has a tag",
        ));
    }
    if node.is_null() || node.items().is_some_and(<[Node]>::is_empty) {
        return block::first_items(editing, key, node, edicts, name, list);
    }
    if node.is_flow() {
        return flow::list(editing, root, name, list);
    }
    block::list(editing, key, node, name, list)
}

fn spliced(text: &str, mut splices: Vec<Splice>) -> Option<String> {
    splices.sort_by_key(|(range, _)| range.start);
    let mut out = String::with_capacity(text.len() + splices.iter().map(|(_, new)| new.len()).sum::<usize>());
    let mut at = 0;
    for (range, new) in splices {
        out.push_str(text.get(at..range.start)?);
        out.push_str(&new);
        at = range.end;
    }
    out.push_str(text.get(at..)?);
    Some(out)
}
