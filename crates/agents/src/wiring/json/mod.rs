//! JSON and JSONC, read into a tree that knows where everything stands, and edited at those places: no byte that is
//! not ours is written anew.

mod edit;
mod render;

pub(super) use edit::Container;

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use jsonc_parser::ast::Value as Ast;
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use super::WiringError;
use super::text::{self, Text};

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    pub(super) range: Range<usize>,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum Kind {
    Object(Vec<Property>),
    Array(Vec<Node>),
    String(String),
    /// A number, `true`, `false` or `null`, as it is written.
    Other(String),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Property {
    pub(super) key: String,
    pub(super) key_range: Range<usize>,
    pub(super) value: Node,
}

impl Node {
    pub(super) fn get(&self, key: &str) -> Option<&Node> {
        match &self.kind {
            Kind::Object(properties) => properties
                .iter()
                .find(|property| property.key == key)
                .map(|property| &property.value),
            _ => None,
        }
    }

    pub(super) fn at(&self, path: &[impl AsRef<str>]) -> Option<&Node> {
        path.iter().try_fold(self, |node, key| node.get(key.as_ref()))
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.kind {
            Kind::String(text) => Some(text),
            _ => None,
        }
    }

    pub(super) fn elements(&self) -> &[Node] {
        match &self.kind {
            Kind::Array(elements) => elements,
            _ => &[],
        }
    }

    /// Whether it is a container that holds nothing.
    pub(super) fn is_empty(&self) -> bool {
        match &self.kind {
            Kind::Object(properties) => properties.is_empty(),
            Kind::Array(elements) => elements.is_empty(),
            _ => false,
        }
    }

    /// Where its items begin and end: a property from its key on.
    fn items(&self) -> Vec<Range<usize>> {
        match &self.kind {
            Kind::Object(properties) => properties
                .iter()
                .map(|property| property.key_range.start..property.value.range.end)
                .collect(),
            Kind::Array(elements) => elements.iter().map(|element| element.range.clone()).collect(),
            _ => Vec::new(),
        }
    }

    /// The word for what it is, with its article.
    pub(super) fn what(&self) -> &'static str {
        match &self.kind {
            Kind::Object(_) => "a table",
            Kind::Array(_) => "a list",
            Kind::String(_) => "a text",
            Kind::Other(raw) if raw == "null" => "null",
            Kind::Other(raw) if raw == "true" || raw == "false" => "a truth value",
            Kind::Other(_) => "a number",
        }
    }

    /// The value without places and formatting, for comparing.
    pub(super) fn plain(&self) -> serde_json::Value {
        match &self.kind {
            Kind::Object(properties) => properties
                .iter()
                .map(|property| (property.key.clone(), property.value.plain()))
                .collect::<serde_json::Map<_, _>>()
                .into(),
            Kind::Array(elements) => elements.iter().map(Node::plain).collect(),
            Kind::String(text) => text.as_str().into(),
            // As written: 1.10 and 1.1 are two spellings, and only one of them was there.
            Kind::Other(raw) => serde_json::from_str(raw).unwrap_or_else(|_| raw.as_str().into()),
        }
    }
}

/// What stands in a file that JSON itself does not have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Looser {
    Comment,
    TrailingComma,
}

/// A JSON file that parsed, as text and tree. A blank file has no root.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Json {
    path: PathBuf,
    pub(super) marked: bool,
    pub(super) text: String,
    pub(super) root: Option<Node>,
    comments: Vec<Range<usize>>,
}

impl Json {
    /// Reads a file's bytes.
    ///
    /// Comments and trailing commas are read whatever the file's name: agents differ in what they take, and what
    /// stands there stays. A key that stands twice in one table is refused: no two programs agree which one counts.
    pub(super) fn read(bytes: &[u8], path: &Path) -> Result<Json, WiringError> {
        let Text { marked, body } = Text::read(bytes, path)?;
        let mut json = Json {
            path: path.to_owned(),
            marked,
            text: body,
            root: None,
            comments: Vec::new(),
        };
        json.parse()?;
        Ok(json)
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        Text {
            marked: self.marked,
            body: self.text.clone(),
        }
        .bytes()
    }

    /// What stands at `table`.`key`, and where. Everything on the way must be a table.
    pub(super) fn entry(
        &self,
        table: &[&str],
        key: &str,
    ) -> Result<Option<(serde_json::Value, usize)>, WiringError> {
        if self.deepest(table, Container::Object)? < table.len() {
            return Ok(None);
        }
        let Some(node) = self.root.as_ref().and_then(|root| root.at(table)) else {
            return Ok(None);
        };
        let Kind::Object(properties) = &node.kind else {
            return Ok(None);
        };
        let found = properties.iter().find(|property| property.key == key);
        Ok(found.map(|property| (property.value.plain(), property.key_range.start)))
    }

    /// What stands in the file that JSON itself does not have, in the order of the text.
    pub(super) fn looser(&self) -> Vec<(usize, Looser)> {
        let mut found: Vec<_> = self
            .comments
            .iter()
            .map(|comment| (comment.start, Looser::Comment))
            .collect();
        let mut left: Vec<&Node> = self.root.iter().collect();
        while let Some(node) = left.pop() {
            let last = node.items().last().map(|item| item.end);
            found.extend(
                last.and_then(|end| self.comma_after(end))
                    .map(|comma| (comma, Looser::TrailingComma)),
            );
            match &node.kind {
                Kind::Object(properties) => left.extend(properties.iter().map(|property| &property.value)),
                Kind::Array(elements) => left.extend(elements),
                _ => {}
            }
        }
        found.sort_by_key(|(at, _)| *at);
        found
    }

    /// The error for what stands at a place.
    pub(super) fn broken(&self, at: usize, what: String) -> WiringError {
        text::broken(&self.path, &self.text, at, what)
    }

    fn parse(&mut self) -> Result<(), WiringError> {
        let collect = CollectOptions {
            comments: CommentCollectionStrategy::Separate,
            tokens: false,
        };
        let parsed = match parse_to_ast(&self.text, &collect, &options()) {
            Ok(parsed) => parsed,
            Err(error) => {
                let said = error.kind().to_string();
                let what = format!("this is not JSON ({})", lower_first(&said));
                return Err(self.broken(error.range().start, what));
            }
        };
        let mut comments = BTreeMap::new();
        for comment in parsed.comments.iter().flatten().flat_map(|(_, list)| list.iter()) {
            let range = match comment {
                jsonc_parser::ast::Comment::Line(line) => line.range,
                jsonc_parser::ast::Comment::Block(block) => block.range,
            };
            let end = range.start
                + self.text[range.start..range.end]
                    .trim_end_matches(['\r', '\n'])
                    .len();
            comments.insert(range.start, range.start..end);
        }
        let root = match &parsed.value {
            Some(value) => Some(self.node(value)?),
            None => None,
        };
        self.comments = comments.into_values().collect();
        self.root = root;
        Ok(())
    }

    fn node(&self, value: &Ast<'_>) -> Result<Node, WiringError> {
        let (range, kind) = match value {
            Ast::StringLit(literal) => (literal.range, Kind::String(literal.value.clone().into_owned())),
            Ast::NumberLit(literal) => (literal.range, Kind::Other(literal.value.to_owned())),
            Ast::BooleanLit(literal) => (literal.range, Kind::Other(literal.value.to_string())),
            Ast::NullKeyword(literal) => (literal.range, Kind::Other("null".to_owned())),
            Ast::Array(array) => {
                let elements = array.elements.iter().map(|element| self.node(element));
                (array.range, Kind::Array(elements.collect::<Result<_, _>>()?))
            }
            Ast::Object(object) => {
                let mut properties: Vec<Property> = Vec::with_capacity(object.properties.len());
                let mut seen = std::collections::HashSet::new();
                for property in &object.properties {
                    let key = property.name.as_str().to_owned();
                    let start = property.range.start;
                    if !seen.insert(key.clone()) {
                        let what = format!("the key `{key}` stands here for the second time");
                        return Err(self.broken(start, what));
                    }
                    let end = match &property.name {
                        jsonc_parser::ast::ObjectPropName::String(name) => name.range.end,
                        jsonc_parser::ast::ObjectPropName::Word(name) => name.range.end,
                    };
                    properties.push(Property {
                        key,
                        key_range: start..end,
                        value: self.node(&property.value)?,
                    });
                }
                (object.range, Kind::Object(properties))
            }
        };
        Ok(Node {
            range: range.start..range.end,
            kind,
        })
    }
}

/// JSON with comments and trailing commas, and nothing of the looser kinds: an agent that takes less would stop
/// reading its settings, and one that takes more is rare.
fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_lowercase().chain(letters).collect(),
        None => String::new(),
    }
}
