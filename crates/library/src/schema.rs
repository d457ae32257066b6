//! The contract's JSON Schema, compiled in. Only validation and writing consult it; reading never does.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{ValidationError, Validator};
use serde_json::{Map, Value as Json};

use crate::finding::{Findings, Severity};
use crate::tree::{Node, Position, Value};

/// The published schema, byte for byte.
pub const SCHEMA: &str = include_str!("../schema/l5-manifest-v0.1.schema.json");

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
        let schema: Json = serde_json::from_str(SCHEMA).expect("the compiled-in schema is JSON");
        jsonschema::draft202012::options()
            .should_validate_formats(true)
            .build(&schema)
            .expect("the compiled-in schema is a JSON Schema")
    })
}

/// Checks a document against the schema; findings come in the order of the file.
pub(crate) fn check(tree: &Node, findings: &mut Findings<'_>) {
    let json = shape(tree, known(Block::Manifest));
    let mut found: Vec<(Position, String, String)> = validator()
        .iter_errors(&json)
        .filter(|error| !is_unknown_session_date(error))
        .map(|error| {
            let pointer = error.instance_path().as_str().to_owned();
            (position(tree, &pointer), pointer, message(&error))
        })
        .collect();
    found.sort();
    for (at, pointer, message) in found {
        findings.add(Severity::Error, at, pointer, message);
    }
}

/// The one listed exception: a session's date may be the empty text.
fn is_unknown_session_date(error: &ValidationError<'_>) -> bool {
    let pointer = error.instance_path().as_str();
    matches!(error.kind(), ValidationErrorKind::Format { .. })
        && error.instance().as_str() == Some("")
        && pointer.starts_with("/recent_sessions/")
        && pointer.ends_with("/date")
}

/// The mappings that the schema describes.
#[derive(Clone, Copy)]
enum Block {
    Manifest,
    Agent,
    Session,
    Entity,
    Workstream,
    Note,
    Policy,
    /// A value that the schema knows as a scalar or a list of them.
    Leaf,
}

type Known = &'static [(&'static str, Block)];

fn known(block: Block) -> Known {
    use Block::Leaf;
    match block {
        Block::Manifest => &[
            ("spec_version", Leaf),
            ("agent", Block::Agent),
            ("last_updated", Leaf),
            ("capabilities", Leaf),
            ("recent_sessions", Block::Session),
            ("known_entities", Block::Entity),
            ("known_workstreams", Block::Workstream),
            ("notes", Block::Note),
            ("visibility_policy", Block::Policy),
        ],
        Block::Agent => &[
            ("id", Leaf),
            ("type", Leaf),
            ("instance", Leaf),
            ("spec_version_compat", Leaf),
            ("role_narrative", Leaf),
        ],
        Block::Session => &[
            ("date", Leaf),
            ("cwd", Leaf),
            ("project_focus", Leaf),
            ("key_actions", Leaf),
            ("files_touched", Leaf),
            ("visibility", Leaf),
        ],
        Block::Entity => &[
            ("name", Leaf),
            ("type", Leaf),
            ("aliases", Leaf),
            ("summary", Leaf),
            ("last_touched", Leaf),
            ("valid_from", Leaf),
            ("valid_to", Leaf),
            ("tags", Leaf),
            ("visibility", Leaf),
        ],
        Block::Workstream => &[
            ("name", Leaf),
            ("summary", Leaf),
            ("status", Leaf),
            ("started", Leaf),
            ("last_touched", Leaf),
            ("related_entities", Leaf),
            ("tags", Leaf),
            ("visibility", Leaf),
        ],
        Block::Note => &[
            ("date", Leaf),
            ("text", Leaf),
            ("related_entities", Leaf),
            ("tags", Leaf),
            ("visibility", Leaf),
        ],
        Block::Policy => &[("default", Leaf), ("private_tags", Leaf), ("team_tags", Leaf)],
        Leaf => &[],
    }
}

/// The document as the schema is asked about it. Wherever the schema wants a scalar it wants a text, so every scalar
/// is the text it is; null keys are absent; unknown keys, of which the schema says nothing, are left out.
fn shape(node: &Node, keys: Known) -> Json {
    match &node.value {
        Value::Scalar(scalar) if scalar.is_null() => Json::Null,
        Value::Scalar(scalar) => Json::String(scalar.text.clone()),
        Value::List(items) => Json::Array(items.iter().map(|item| shape(item, keys)).collect()),
        Value::Map(entries) => {
            let mut map = Map::new();
            for entry in entries {
                let key = entry.key.text.as_str();
                if let Some((_, block)) = keys.iter().find(|(name, _)| *name == key)
                    && !entry.node.is_null()
                {
                    map.insert(key.to_owned(), shape(&entry.node, known(*block)));
                }
            }
            Json::Object(map)
        }
    }
}

/// Where the value of a JSON pointer stands.
pub(crate) fn position(tree: &Node, pointer: &str) -> Position {
    let mut node = tree;
    for step in pointer.split('/').skip(1) {
        let step = step.replace("~1", "/").replace("~0", "~");
        let next = match &node.value {
            Value::Map(entries) => entries
                .iter()
                .find(|entry| entry.key.text == step)
                .map(|entry| &entry.node),
            Value::List(items) => step.parse().ok().and_then(|index: usize| items.get(index)),
            Value::Scalar(_) => None,
        };
        match next {
            Some(next) => node = next,
            None => break,
        }
    }
    node.position
}

/// What a violation means and what to do about it. The value itself is never shown: it may be anything.
fn message(error: &ValidationError<'_>) -> String {
    let length = || match error.instance().as_ref() {
        Json::String(text) => text.chars().count(),
        Json::Array(items) => items.len(),
        _ => 0,
    };
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            format!("`{name}` is missing; add it")
        }
        ValidationErrorKind::MaxLength { limit } => {
            format!(
                "{} characters stand here, and at most {limit} are allowed; shorten the text",
                length()
            )
        }
        ValidationErrorKind::MinLength { limit } => {
            format!("at least {limit} character is wanted here; write a text")
        }
        ValidationErrorKind::MaxItems { limit } => {
            format!(
                "{} items stand here, and at most {limit} are allowed; remove some",
                length()
            )
        }
        ValidationErrorKind::UniqueItems => {
            "an item stands twice in this list; remove one of them".to_owned()
        }
        ValidationErrorKind::Enum { options } => {
            let words: Vec<&str> = options
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Json::as_str)
                .collect();
            format!(
                "this is none of the words that are allowed here; use one of {}",
                words.join(", ")
            )
        }
        ValidationErrorKind::Pattern { pattern } => {
            format!("this does not have the form that is wanted here; write it so that it matches {pattern}")
        }
        ValidationErrorKind::Format { format } if format == "date" => {
            "this is not a day of the calendar; write it like \"2026-01-31\"".to_owned()
        }
        ValidationErrorKind::Format { format } if format == "date-time" => {
            "this is not a time with its offset; write it like \"2026-01-31T12:00:00Z\"".to_owned()
        }
        ValidationErrorKind::Type { kind } => {
            let wanted = match kind {
                TypeKind::Single(wanted) => match wanted.as_str() {
                    "string" => "one text",
                    "array" => "a list",
                    "object" => "a mapping",
                    other => other,
                },
                TypeKind::Multiple(_) => "another type",
            };
            format!("{wanted} is wanted here; write one")
        }
        other => format!(
            "this breaks the schema's rule `{}`; see the schema",
            other.keyword()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::{Digest, Sha256};

    #[test]
    fn it_is_the_published_schema() {
        let digest: String = Sha256::digest(SCHEMA.as_bytes())
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect();
        assert!(
            digest.starts_with("96892aef") && digest.ends_with("f846d57"),
            "{digest}"
        );
    }

    #[test]
    fn every_key_of_the_schema_is_known_and_no_other() {
        let schema: Json = serde_json::from_str(SCHEMA).unwrap();
        let keys = |pointer: &str| -> Vec<String> {
            let mut keys: Vec<String> = schema
                .pointer(pointer)
                .unwrap()
                .as_object()
                .unwrap()
                .keys()
                .cloned()
                .collect();
            keys.sort();
            keys
        };
        for (pointer, block) in [
            ("/properties", Block::Manifest),
            ("/properties/agent/properties", Block::Agent),
            ("/$defs/Session/properties", Block::Session),
            ("/$defs/Entity/properties", Block::Entity),
            ("/$defs/Workstream/properties", Block::Workstream),
            ("/$defs/Note/properties", Block::Note),
            ("/properties/visibility_policy/properties", Block::Policy),
        ] {
            let mut ours: Vec<&str> = known(block).iter().map(|(key, _)| *key).collect();
            ours.sort_unstable();
            assert_eq!(keys(pointer), ours, "{pointer}");
        }
    }
}
