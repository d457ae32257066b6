//! YAML in: a text becomes a [`Node`], or one clear refusal with line and column.
//!
//! It is built from the parser's events, not through serde, so that one pass gives what a manifest needs: plain
//! scalars as they were written, a position for every value, and a bounded cost for hostile input.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicU64, Ordering};

use serde_saphyr::granit_parser::{self as parser, Event, Parser, ScalarStyle, Tag};

use crate::scalar::{self, Meaning};
use crate::tree::{Entry, Node, Position, Scalar, Value};

/// Collections may stand this deep in each other. A manifest needs five.
pub const MAX_DEPTH: usize = 64;
/// Anchors that one document may define.
pub const MAX_ANCHORS: usize = 1_000;
/// Values that aliases may repeat in one document, counted after expansion.
pub const MAX_REPEATED: usize = 100_000;

/// Why a text is not a document that the library reads, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct YamlError {
    /// Where.
    pub(crate) position: Position,
    /// What is wrong and what to do, one sentence, lower case.
    pub(crate) message: String,
}

fn refuse<T>(position: Position, message: impl Into<String>) -> Result<T, YamlError> {
    Err(YamlError {
        position,
        message: message.into(),
    })
}

/// Decodes the bytes of a file: UTF-8, with or without a byte-order mark.
pub(crate) fn decode(bytes: &[u8]) -> Result<&str, YamlError> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    std::str::from_utf8(bytes).or_else(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line_start = before.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let position = Position {
            line: 1 + before.iter().filter(|b| **b == b'\n').count() as u32,
            column: 1 + String::from_utf8_lossy(&before[line_start..]).chars().count() as u32,
        };
        refuse(position, "this byte is not UTF-8; save the file as UTF-8")
    })
}

static PARSED: AtomicU64 = AtomicU64::new(0);

/// How many documents this process has parsed: the tests' proof that fresh caches spare it.
#[doc(hidden)]
pub fn parsed_documents() -> u64 {
    PARSED.load(Ordering::Relaxed)
}

/// Reads exactly one document.
pub(crate) fn parse(text: &str) -> Result<Node, YamlError> {
    PARSED.fetch_add(1, Ordering::Relaxed);
    let mut options = parser::options! {
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
        block_scalar_eof_without_line_feed: true,
    };
    options.set_emit_comments(false);
    let mut builder = Builder::default();
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|error| scan_error(&error))?;
        builder.take(event, position(&span.start))?;
    }
    match builder.root {
        Some(root) => Ok(root),
        None => refuse(
            Position { line: 1, column: 1 },
            "the file holds no document; a manifest begins with spec_version, agent and last_updated",
        ),
    }
}

fn position(marker: &parser::Marker) -> Position {
    Position {
        line: u32::try_from(marker.line()).unwrap_or(u32::MAX),
        column: u32::try_from(marker.col() + 1).unwrap_or(u32::MAX),
    }
}

fn scan_error(error: &parser::ScanError) -> YamlError {
    use parser::ErrorKind;
    let message = match error.kind() {
        ErrorKind::RecursionLimitExceeded => {
            format!("collections stand more than {MAX_DEPTH} deep in each other; flatten them")
        }
        ErrorKind::UnknownAnchor => "this alias has no anchor before it; write the value out".to_owned(),
        _ => format!(
            "not YAML: {}; quote the text or fix the indentation",
            error.info()
        ),
    };
    YamlError {
        position: position(error.marker()),
        message,
    }
}

/// A collection whose end has not come yet.
struct Open {
    position: Position,
    anchor: usize,
    size: usize,
    content: Content,
}

enum Content {
    List(Vec<Node>),
    Map {
        entries: Vec<Entry>,
        key: Option<(Position, Scalar)>,
        /// Filled only for large mappings; small ones are compared one by one.
        seen: HashSet<String>,
    },
}

/// From here on a mapping's keys are also kept in a set.
const LARGE_MAP: usize = 16;

/// As many keys as a row has.
const USUAL_MAP: usize = 8;

#[derive(Default)]
struct Builder {
    open: Vec<Open>,
    root: Option<Node>,
    anchored: HashMap<usize, (Node, usize)>,
    repeated: usize,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, at: Position) -> Result<(), YamlError> {
        match event {
            Event::DocumentStart(..) if self.root.is_some() => refuse(
                at,
                "a second document begins here; a manifest is one document, so move this one into a file of its own",
            ),
            Event::Scalar(text, style, anchor, tag) => {
                let scalar = tagged_scalar(text.into_owned(), style, tag.as_deref(), at)?;
                let node = Node {
                    position: at,
                    value: Value::Scalar(scalar),
                };
                self.place(node, anchor, 1)
            }
            Event::SequenceStart(_, anchor, tag) => {
                check_tag(tag.as_deref(), "seq", at)?;
                self.begin(at, anchor, Content::List(Vec::new()))
            }
            Event::MappingStart(_, anchor, tag) => {
                check_tag(tag.as_deref(), "map", at)?;
                let content = Content::Map {
                    entries: Vec::with_capacity(USUAL_MAP),
                    key: None,
                    seen: HashSet::new(),
                };
                self.begin(at, anchor, content)
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            Event::Alias(anchor) => self.repeat(anchor, at),
            _ => Ok(()),
        }
    }

    fn begin(&mut self, position: Position, anchor: usize, content: Content) -> Result<(), YamlError> {
        if self.awaits_key() {
            return refuse(
                position,
                "a key must be a single text, not a list or mapping; write it as text",
            );
        }
        if self.open.len() >= MAX_DEPTH {
            return refuse(
                position,
                format!("collections stand more than {MAX_DEPTH} deep in each other; flatten them"),
            );
        }
        self.open.push(Open {
            position,
            anchor,
            size: 1,
            content,
        });
        Ok(())
    }

    fn end(&mut self) -> Result<(), YamlError> {
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        let value = match open.content {
            Content::List(items) => Value::List(items),
            Content::Map { entries, .. } => Value::Map(entries),
        };
        let node = Node {
            position: open.position,
            value,
        };
        self.place(node, open.anchor, open.size)
    }

    fn awaits_key(&self) -> bool {
        matches!(
            self.open.last(),
            Some(Open {
                content: Content::Map { key: None, .. },
                ..
            })
        )
    }

    fn repeat(&mut self, anchor: usize, at: Position) -> Result<(), YamlError> {
        let Some((node, size)) = self.anchored.get(&anchor) else {
            return refuse(
                at,
                "this alias stands inside what it repeats; write the value out",
            );
        };
        self.repeated += size;
        if self.repeated > MAX_REPEATED {
            return refuse(
                at,
                format!("aliases repeat more than {MAX_REPEATED} values; write out the ones that are needed"),
            );
        }
        let (mut node, size) = (node.clone(), *size);
        node.position = at;
        self.place(node, 0, size)
    }

    fn place(&mut self, node: Node, anchor: usize, size: usize) -> Result<(), YamlError> {
        if anchor != 0 {
            if self.anchored.len() >= MAX_ANCHORS {
                return refuse(
                    node.position,
                    format!("more than {MAX_ANCHORS} anchors; write the values out"),
                );
            }
            // What an anchor keeps is a copy, so it counts as much as an alias that repeats it.
            self.repeated += size;
            if self.repeated > MAX_REPEATED {
                return refuse(
                    node.position,
                    format!(
                        "anchors and aliases hold more than {MAX_REPEATED} values; write out the ones that are needed"
                    ),
                );
            }
            self.anchored.insert(anchor, (node.clone(), size));
        }
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        open.size += size;
        match &mut open.content {
            Content::List(items) => items.push(node),
            Content::Map { entries, key, seen } => match key.take() {
                Some((position, key)) => entries.push(Entry { position, key, node }),
                None => *key = Some(checked_key(node, entries, seen)?),
            },
        }
        Ok(())
    }
}

fn checked_key(
    node: Node,
    entries: &[Entry],
    seen: &mut HashSet<String>,
) -> Result<(Position, Scalar), YamlError> {
    let Node {
        position,
        value: Value::Scalar(key),
    } = node
    else {
        return refuse(
            node.position,
            "a key must be a single text, not a list or mapping; write it as text",
        );
    };
    if key.text == "<<" {
        return refuse(position, "merge keys (`<<`) are not read; write the keys out");
    }
    if key.is_null() {
        return refuse(position, "a key is missing here; write one before the colon");
    }
    let twice = if entries.len() < LARGE_MAP {
        entries.iter().any(|entry| entry.key.text == key.text)
    } else {
        if seen.is_empty() {
            seen.extend(entries.iter().map(|entry| entry.key.text.clone()));
        }
        !seen.insert(key.text.clone())
    };
    if twice {
        let first = entries.iter().find(|entry| entry.key.text == key.text);
        let line = first.map_or(position.line, |entry| entry.position.line);
        let message = format!(
            "the key {:?} stands here and on line {line} in one mapping; remove one of them",
            shortened(&key.text)
        );
        return refuse(position, message);
    }
    Ok((position, key))
}

/// A scalar under its tag. Only the core schema's tags are read: others may name code.
fn tagged_scalar(
    text: String,
    style: ScalarStyle,
    tag: Option<&Tag>,
    at: Position,
) -> Result<Scalar, YamlError> {
    // A plain scalar that every reader takes for text is text; only the others keep their spelling.
    let plain = style == ScalarStyle::Plain && scalar::meaning(&text) != Meaning::Text;
    let Some(tag) = tag else {
        return Ok(Scalar { text, plain });
    };
    if tag.handle().is_empty() && tag.suffix() == "!" || tag.handle() == "!" && tag.suffix().is_empty() {
        return Ok(Scalar::text(text));
    }
    let wanted = tag.core_suffix();
    match wanted {
        Some("str") => Ok(Scalar::text(text)),
        Some("null" | "bool" | "int" | "float") if scalar::meaning(&text).fits(wanted) => {
            Ok(Scalar { text, plain: true })
        }
        Some(_) => refuse(
            at,
            format!(
                "the tag {:?} does not fit its value; remove it",
                shortened(&tag.original())
            ),
        ),
        None => refuse(at, unread_tag(tag)),
    }
}

fn check_tag(tag: Option<&Tag>, own: &str, at: Position) -> Result<(), YamlError> {
    match tag {
        Some(tag) if tag.core_suffix() != Some(own) && tag.original() != "!" => refuse(at, unread_tag(tag)),
        _ => Ok(()),
    }
}

fn unread_tag(tag: &Tag) -> String {
    format!(
        "the tag {:?} is not read here; remove it",
        shortened(&tag.original())
    )
}

/// A text cut to a length that fits a message.
pub(crate) fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    if text.chars().nth(MOST).is_none() {
        return text.to_owned();
    }
    text.chars().take(MOST).chain(['…']).collect()
}
