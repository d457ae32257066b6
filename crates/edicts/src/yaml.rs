//! YAML text to a [`Node`] tree with exact places.
//!
//! It stands on the event parser below `serde-saphyr`, because an edit in place needs what a deserialiser does not
//! give: the byte range, the style and the comments of everything. Bombs are bounded: nesting, number of values, and
//! values that aliases repeat.

use std::collections::HashMap;
use std::ops::Range;

use granit_parser::{ErrorKind, Event, Options, Parser, ScalarStyle, ScanError, Span, StructureStyle};

use crate::node::{Kind, MAX_NODES, Node, Style, Unreadable, refuse_duplicates};

/// Lists and mappings inside each other, at most.
const MAX_DEPTH: usize = 64;
/// Values that aliases may repeat, at most.
const MAX_REPEATED: usize = 20_000;

/// A collection that is not finished yet.
struct Open {
    node: Node,
    anchor: usize,
    key: Option<Node>,
    entries: Vec<(Node, Node)>,
    items: Vec<Node>,
    mapping: bool,
    flow: bool,
    size: usize,
}

struct Builder<'t> {
    text: &'t str,
    open: Vec<Open>,
    anchors: HashMap<usize, (Node, usize)>,
    nodes: usize,
    repeated: usize,
    root: Option<Node>,
    documents: usize,
    comments: Vec<Range<usize>>,
}

fn options(comments: bool) -> Options {
    let mut options = granit_parser::options! {
        emit_anchor_events: true,
        flow_nesting_limit: MAX_DEPTH,
        block_nesting_limit: MAX_DEPTH,
        max_buffered_comment_events: usize::MAX,
    };
    options.set_emit_comments(comments);
    options
}

/// Reads one YAML document. `None` for a text without any (empty, or comments only).
pub(crate) fn read(text: &str) -> Result<Option<Node>, Unreadable> {
    build(text, false).map(|builder| builder.root)
}

/// The places of all comments, each from its `#` to the end of its line, in order.
pub(crate) fn comments(text: &str) -> Result<Vec<Range<usize>>, Unreadable> {
    build(text, true).map(|builder| builder.comments)
}

fn build(text: &str, comments: bool) -> Result<Builder<'_>, Unreadable> {
    let mut builder = Builder {
        text,
        open: Vec::new(),
        anchors: HashMap::new(),
        nodes: 0,
        repeated: 0,
        root: None,
        documents: 0,
        comments: Vec::new(),
    };
    for event in Parser::new_from_str_with_options(text, options(comments)) {
        let (event, span) = event.map_err(|error| explain(text, &error))?;
        builder.take(event, &span)?;
    }
    Ok(builder)
}

fn place(span: &Span) -> (u32, u32) {
    (span.start.line() as u32, span.start.col() as u32 + 1)
}

impl<'t> Builder<'t> {
    fn take(&mut self, event: Event<'t>, span: &Span) -> Result<(), Unreadable> {
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    let (line, column) = place(span);
                    return Err(Unreadable::new(
                        line,
                        column,
                        "a second document starts here",
                        "keep one document and remove the `---` between",
                    ));
                }
            }
            Event::Comment(..) => self.comments.extend(span.byte_range()),
            Event::Scalar(text, style, anchor, tag) => {
                let mut node = self.node(span)?;
                let range = span.byte_range().unwrap_or(node.start..node.start);
                let style = match style {
                    ScalarStyle::Plain => Style::Plain,
                    ScalarStyle::SingleQuoted => Style::Single,
                    ScalarStyle::DoubleQuoted => Style::Double,
                    ScalarStyle::Literal | ScalarStyle::Folded => Style::Block,
                };
                let absent = style == Style::Plain && range.is_empty();
                node.end = match style {
                    Style::Block => block_end(self.text, &range, &text),
                    _ => range.end,
                };
                let text = if absent { "".into() } else { text };
                // A core tag, or a bare `!`, only says what every field here is read as anyway: its text.
                let is = |name| tag.as_ref().is_some_and(|tag| tag.is_yaml_core_schema_tag(name));
                let bare = tag.as_ref().is_some_and(|tag| tag.original() == "!");
                let style = if style == Style::Plain && !absent && (bare || is("str")) {
                    Style::Double
                } else {
                    style
                };
                let known = bare
                    || ["str", "int", "float", "bool", "null", "timestamp"]
                        .into_iter()
                        .any(is);
                node.tag = tag.as_ref().filter(|_| !known).map(|tag| tag.original().into());
                node.kind = Kind::Scalar(text.into(), style);
                self.finish(node, anchor, 1)?;
            }
            Event::SequenceStart(style, anchor, tag) => {
                self.start(span, style, anchor, tag.as_deref(), false)?;
            }
            Event::MappingStart(style, anchor, tag) => {
                self.start(span, style, anchor, tag.as_deref(), true)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(span)?,
            Event::Anchor(id, _) => self.announce(id, span),
            Event::Alias(id) => self.alias(id, span)?,
            _ => {}
        }
        Ok(())
    }

    fn node(&mut self, span: &Span) -> Result<Node, Unreadable> {
        let (line, column) = place(span);
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(Unreadable::new(
                line,
                column,
                format!("the file holds more than {MAX_NODES} values"),
                "remove what is not needed",
            ));
        }
        let start = span.byte_range().map_or(0, |range| range.start);
        let first = span
            .tag_start()
            .and_then(|tag| tag.byte_offset())
            .unwrap_or(start);
        Ok(Node {
            start,
            end: start,
            first: first.min(start),
            line,
            column,
            kind: Kind::Scalar("".into(), Style::Plain),
            anchored: false,
            alias: false,
            tag: None,
        })
    }

    fn start(
        &mut self,
        span: &Span,
        style: StructureStyle,
        anchor: usize,
        tag: Option<&granit_parser::Tag>,
        mapping: bool,
    ) -> Result<(), Unreadable> {
        let mut node = self.node(span)?;
        if self.open.len() >= MAX_DEPTH {
            return Err(Unreadable::new(
                node.line,
                node.column,
                format!("lists and mappings are nested more than {MAX_DEPTH} deep"),
                "flatten what stands there",
            ));
        }
        let meant = if mapping { "map" } else { "seq" };
        node.tag = tag
            .filter(|tag| !tag.is_yaml_core_schema_tag(meant))
            .map(|tag| tag.original().into());
        self.open.push(Open {
            node,
            anchor,
            key: None,
            entries: Vec::new(),
            items: Vec::new(),
            mapping,
            flow: style == StructureStyle::Flow,
            size: 1,
        });
        Ok(())
    }

    fn end(&mut self, span: &Span) -> Result<(), Unreadable> {
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        let Open {
            mut node,
            anchor,
            entries,
            items,
            mapping,
            flow,
            size,
            ..
        } = open;
        let last = if mapping {
            entries.last().map(|(key, value)| key.end.max(value.end))
        } else {
            items.last().map(|item| item.end)
        };
        node.end = match span.byte_range() {
            Some(range) if flow => range.end,
            _ => last.unwrap_or(node.start),
        };
        if mapping {
            refuse_duplicates(&entries)?;
            node.kind = Kind::Mapping { entries, flow };
        } else {
            node.kind = Kind::Sequence { items, flow };
        }
        self.finish(node, anchor, size)
    }

    /// Puts a finished node where it belongs.
    fn finish(&mut self, mut node: Node, anchor: usize, size: usize) -> Result<(), Unreadable> {
        if anchor != 0 {
            node.anchored = true;
            self.repeated += size;
            self.bounded(&node)?;
            self.anchors.insert(anchor, (node.clone(), size));
        }
        let text = self.text;
        let Some(open) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        open.size += size;
        if !open.mapping {
            open.items.push(node);
        } else if let Some(key) = open.key.take() {
            if node.is_absent() {
                // The parser puts a left-out value before its colon; what follows it must not start there.
                let rest = &text[key.end..];
                let blank = rest.len() - rest.trim_start_matches([' ', '\t']).len();
                if rest[blank..].starts_with(':') {
                    node.start = key.end + blank + 1;
                    node.end = node.start;
                    if !node.anchored && node.tag.is_none() {
                        node.first = node.start;
                    }
                }
            }
            open.entries.push((key, node));
        } else {
            open.key = Some(node);
        }
        Ok(())
    }

    /// An anchor's place comes right after its node: a scalar is filed already, a collection is still open.
    fn announce(&mut self, id: usize, span: &Span) {
        let Some(range) = span.byte_range() else { return };
        if let Some(open) = self.open.last_mut() {
            if open.anchor == id && open.items.is_empty() && open.entries.is_empty() && open.key.is_none() {
                open.node.first = open.node.first.min(range.start);
                return;
            }
            let filed = open
                .key
                .as_mut()
                .or(open.entries.last_mut().map(|(_, value)| value))
                .or(open.items.last_mut());
            if let Some(node) = filed
                && node.anchored
            {
                node.first = node.first.min(range.start);
            }
        }
    }

    fn alias(&mut self, id: usize, span: &Span) -> Result<(), Unreadable> {
        let mut here = self.node(span)?;
        here.end = span.byte_range().map_or(here.start, |range| range.end);
        let Some((node, size)) = self.anchors.get(&id) else {
            return Err(Unreadable::new(
                here.line,
                here.column,
                "an alias stands inside the value that it names",
                "write the value out",
            ));
        };
        here.kind = node.kind.clone();
        here.tag = node.tag.clone();
        here.alias = true;
        let size = *size;
        self.repeated += size;
        self.bounded(&here)?;
        self.finish(here, 0, size)
    }

    fn bounded(&self, node: &Node) -> Result<(), Unreadable> {
        if self.repeated <= MAX_REPEATED {
            return Ok(());
        }
        Err(Unreadable::new(
            node.line,
            node.column,
            format!("anchors and aliases repeat more than {MAX_REPEATED} values"),
            "write the values out",
        ))
    }
}

/// The end of a block scalar's content: its span runs on to the next token. Blank lines after it are content only
/// where the value has them.
fn block_end(text: &str, range: &Range<usize>, value: &str) -> usize {
    let slice = &text[range.clone()];
    let content = if value.ends_with("\n\n") {
        slice
            .rfind('\n')
            .map_or(slice.len(), |end| slice[..end].trim_end_matches('\r').len())
    } else {
        slice.trim_end().len()
    };
    range.start + content
}

/// A parser's error with our words where a person meets it often, and the parser's own elsewhere.
fn explain(text: &str, error: &ScanError) -> Unreadable {
    let mark = error.marker();
    let (line, column) = (mark.line() as u32, mark.col() as u32 + 1);
    let line_text = text
        .lines()
        .nth(line.saturating_sub(1) as usize)
        .unwrap_or_default();
    let indented_by_tab = line_text.trim_start_matches(' ').starts_with('\t');
    let (why, remedy) = match error.kind() {
        _ if indented_by_tab => ("the line is indented with a tab".to_owned(), "indent with spaces"),
        ErrorKind::TabInBlockIndentation | ErrorKind::TabInIndentation => {
            ("the line is indented with a tab".to_owned(), "indent with spaces")
        }
        ErrorKind::UnknownAnchor => (
            "an alias names an anchor that is not there".to_owned(),
            "write the value out",
        ),
        ErrorKind::RecursionLimitExceeded => (
            format!("lists and mappings are nested more than {MAX_DEPTH} deep"),
            "flatten what stands there",
        ),
        ErrorKind::UnclosedQuotedScalar => (
            "a quote is not closed".to_owned(),
            "close it, or check the quotes before it",
        ),
        ErrorKind::MappingValueNotAllowed => (
            "a `: ` stands where no key can be".to_owned(),
            "put the text in double quotes, or correct the indentation",
        ),
        ErrorKind::UnclosedFlowCollection { open } => (
            format!("`{open}` is not closed"),
            "close it, or check the lines before",
        ),
        _ => (
            error.info(),
            "check the quotes and the indentation there and on the line before",
        ),
    };
    Unreadable::new(line, column, why, remedy)
}
