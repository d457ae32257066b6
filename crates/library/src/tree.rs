//! A YAML document as a tree that forgets nothing a manifest needs: scalars as they were written, and where.

use std::fmt;

/// A position in a file, both numbers from 1, the column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position {
    /// Line, from 1; 0 when the value never stood in a file.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// A scalar. An unquoted one that some reader takes for a number, a date, a truth value or null is marked, and keeps
/// its spelling (`1.10` stays `1.10`); all others are text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Scalar {
    /// The text after unescaping and folding.
    pub text: String,
    /// Whether it stood without quotes and could be taken for something other than text.
    pub plain: bool,
}

impl Scalar {
    /// A scalar that is text, whatever it looks like.
    pub fn text(text: impl Into<String>) -> Scalar {
        Scalar {
            text: text.into(),
            plain: false,
        }
    }

    /// Whether YAML 1.2 core reads it as null.
    pub fn is_null(&self) -> bool {
        self.plain && matches!(self.text.as_str(), "" | "~" | "null" | "Null" | "NULL")
    }
}

/// A value of a YAML document. Equality is of content; places do not count.
#[derive(Debug, Clone)]
pub struct Node {
    /// Where it begins.
    pub position: Position,
    /// What it is.
    pub value: Value,
}

/// The content of a [`Node`].
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// A scalar.
    Scalar(Scalar),
    /// A list.
    List(Vec<Node>),
    /// A mapping, in the order of the file. Keys are unique scalars.
    Map(Vec<Entry>),
}

/// A key with its value.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Where the key begins.
    pub position: Position,
    /// The key.
    pub key: Scalar,
    /// The value.
    pub node: Node,
}

impl PartialEq for Node {
    fn eq(&self, other: &Node) -> bool {
        self.value == other.value
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Entry) -> bool {
        self.key == other.key && self.node == other.node
    }
}

impl Node {
    /// A text that never stood in a file.
    pub fn text(text: impl Into<String>) -> Node {
        Node::from(Value::Scalar(Scalar::text(text)))
    }

    /// A list of texts that never stood in a file.
    pub fn texts<T: Into<String>>(texts: impl IntoIterator<Item = T>) -> Node {
        Node::from(Value::List(texts.into_iter().map(Node::text).collect()))
    }

    /// The scalar's text, unless this is null, a list or a mapping.
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar(scalar) if !scalar.is_null() => Some(&scalar.text),
            _ => None,
        }
    }

    /// The texts of a list of scalars, or the one text of a scalar; `None` when anything else stands in it.
    pub fn as_texts(&self) -> Option<Vec<&str>> {
        match &self.value {
            Value::List(items) => items.iter().map(Node::as_text).collect(),
            _ => self.as_text().map(|text| vec![text]),
        }
    }

    /// Whether this is null.
    pub fn is_null(&self) -> bool {
        matches!(&self.value, Value::Scalar(scalar) if scalar.is_null())
    }

    /// What this is, in a word for a message.
    pub(crate) fn kind(&self) -> &'static str {
        match &self.value {
            Value::Scalar(scalar) if scalar.is_null() => "nothing",
            Value::Scalar(_) => "a single value",
            Value::List(_) => "a list",
            Value::Map(_) => "a mapping",
        }
    }

    /// Calls `visit` with every scalar, keys included, in document order.
    pub(crate) fn each_scalar<'a>(&'a self, visit: &mut dyn FnMut(&'a str)) {
        match &self.value {
            Value::Scalar(scalar) => visit(&scalar.text),
            Value::List(items) => items.iter().for_each(|item| item.each_scalar(visit)),
            Value::Map(entries) => {
                for entry in entries {
                    visit(&entry.key.text);
                    entry.node.each_scalar(visit);
                }
            }
        }
    }
}

impl From<Value> for Node {
    fn from(value: Value) -> Node {
        Node {
            position: Position::default(),
            value,
        }
    }
}

impl ken_secrets::EachString for Node {
    fn each_string(&mut self, visit: &mut dyn FnMut(&mut String)) {
        match &mut self.value {
            Value::Scalar(scalar) => scalar.each_string(visit),
            Value::List(items) => items.iter_mut().for_each(|item| item.each_string(visit)),
            Value::Map(entries) => entries.iter_mut().for_each(|entry| entry.each_string(visit)),
        }
    }
}

impl ken_secrets::EachString for Entry {
    fn each_string(&mut self, visit: &mut dyn FnMut(&mut String)) {
        self.key.each_string(visit);
        self.node.each_string(visit);
    }
}

impl ken_secrets::EachString for Scalar {
    fn each_string(&mut self, visit: &mut dyn FnMut(&mut String)) {
        // A redaction mark begins with a bracket: left plain, it would be read as a list.
        let before = self.plain.then(|| self.text.clone());
        visit(&mut self.text);
        if before.is_some_and(|before| before != self.text) {
            self.plain = false;
        }
    }
}
