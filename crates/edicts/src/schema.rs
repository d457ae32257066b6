//! The published JSON Schema of the file. Only validation consults it, and only where reading found no error: what is
//! wrong then is wrong for every other program that goes by the schema.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use jsonschema::error::ValidationErrorKind;
use jsonschema::{ValidationError, Validator};
use serde_json::{Map, Value};

use crate::node::{Kind, Node};

/// The published schema, byte for byte: `schema/edicts-v1.schema.json`, JSON Schema 2020-12.
pub const SCHEMA: &str = include_str!("../../../schema/edicts-v1.schema.json");

/// Where the schema is published: its `$id`. New files name it, so that editors check and complete them.
pub const SCHEMA_ADDRESS: &str =
    "https://raw.githubusercontent.com/kenning-memory/kenning/main/schema/edicts-v1.schema.json";

/// Something that the schema does not allow.
pub(crate) struct Violation {
    /// Line, counted from 1.
    pub(crate) line: u32,
    /// Column in characters, counted from 1.
    pub(crate) column: u32,
    /// What is wrong and what to do, one sentence.
    pub(crate) message: String,
}

static COMPILED: AtomicU64 = AtomicU64::new(0);

/// How often this process has compiled the schema: the tests' proof that the hot path does not.
#[doc(hidden)]
pub fn compiled_schemas() -> u64 {
    COMPILED.load(Ordering::Relaxed)
}

fn validator() -> &'static Validator {
    static VALIDATOR: OnceLock<Validator> = OnceLock::new();
    VALIDATOR.get_or_init(|| {
        COMPILED.fetch_add(1, Ordering::Relaxed);
        let schema: Value = serde_json::from_str(SCHEMA).expect("the compiled-in schema is JSON");
        jsonschema::draft202012::options()
            .build(&schema)
            .expect("the compiled-in schema is a JSON Schema")
    })
}

/// Holds a document against the schema.
pub(crate) fn check(root: &Node) -> Vec<Violation> {
    let shape = shape(root);
    let found = validator().iter_errors(&shape);
    let found = found.map(|error| {
        let pointer = error.instance_path().as_str();
        let at = at(root, pointer);
        Violation {
            line: at.line,
            column: at.column,
            message: message(pointer, &error),
        }
    });
    found.collect()
}

/// The document as the schema is asked about it: an unquoted scalar is the text that stands there, or null.
fn shape(node: &Node) -> Value {
    match &node.kind {
        Kind::Scalar(..) if node.is_null() => Value::Null,
        Kind::Scalar(text, _) => Value::from(&**text),
        Kind::Sequence { items, .. } => items.iter().map(shape).collect(),
        Kind::Mapping { entries, .. } => {
            let entries = entries.iter();
            let named = entries.filter_map(|(key, value)| Some((key.text()?.to_owned(), shape(value))));
            Value::Object(named.collect::<Map<_, _>>())
        }
    }
}

/// The value at a JSON pointer, or the last one on the way to it.
fn at<'n>(root: &'n Node, pointer: &str) -> &'n Node {
    let mut node = root;
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        let next = match &node.kind {
            Kind::Mapping { .. } => node.get(&step),
            Kind::Sequence { items, .. } => step.parse().ok().and_then(|place: usize| items.get(place)),
            Kind::Scalar(..) => None,
        };
        let Some(next) = next else { break };
        node = next;
    }
    node
}

/// What a violation means. The value itself is never shown: it may be anything.
fn message(pointer: &str, error: &ValidationError<'_>) -> String {
    let field = pointer.rsplit('/').next().filter(|field| !field.is_empty());
    let field = field.map_or_else(|| "the file".to_owned(), |field| format!("`{field}`"));
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            format!("`{}` is missing; write it", property.as_str().unwrap_or_default())
        }
        other => format!(
            "{field} is not as the schema wants it (`{}`); see `ken edict schema`",
            other.keyword()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_violation_has_its_place_and_says_what_to_do() {
        let text = "version: 3\nconfig:\n  maxEdicts: many\nedicts:\n  - text: a\n    category: b\n    ttl: forever\n  - category: b\n";
        let root = crate::yaml::read(text).unwrap().unwrap();
        let mut said: Vec<String> = check(&root)
            .into_iter()
            .map(|violation| format!("{}:{} {}", violation.line, violation.column, violation.message))
            .collect();
        said.sort();
        insta::assert_snapshot!(said.join("\n"), @"
        1:10 `version` is not as the schema wants it (`enum`); see `ken edict schema`
        3:14 `maxEdicts` is not as the schema wants it (`anyOf`); see `ken edict schema`
        7:10 `ttl` is not as the schema wants it (`enum`); see `ken edict schema`
        8:5 `text` is missing; write it
        ");
        let good = crate::yaml::read("edicts:\n- {text: a, category: b}\n")
            .unwrap()
            .unwrap();
        assert!(check(&good).is_empty());
    }
}
