//! The tools: a table with the words, schemas and bounds of each, and the function that answers a call.

mod ask;
mod edicts;
mod tell;

use std::str::FromStr;
use std::sync::{Arc, OnceLock};

use ken_memory::Memory;
use ken_text::fence::misleads;
use rmcp::model::{JsonObject, ToolAnnotations};
use serde::de::DeserializeOwned;
use serde_json::Value;

/// One tool.
pub(crate) struct Tool {
    name: &'static str,
    title: &'static str,
    description: &'static str,
    effect: Effect,
    idempotent: bool,
    input: fn() -> Value,
    output: fn() -> Value,
    pub(crate) run: fn(Asked<'_>) -> Result<Value, ToolError>,
}

/// What a tool does to what is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    Reads,
    /// It only adds.
    Adds,
    /// It changes or removes what stands; what that was is kept in history.
    Changes,
}

/// Which tools are offered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ToolSet {
    /// The few that every agent needs.
    #[default]
    Default,
    /// All there are.
    All,
}

impl FromStr for ToolSet {
    type Err = String;

    fn from_str(text: &str) -> Result<ToolSet, String> {
        match text {
            "default" => Ok(ToolSet::Default),
            "all" => Ok(ToolSet::All),
            _ => Err(format!("`{text}` is not a set of tools; use default or all")),
        }
    }
}

/// A call: what to ask, with which arguments, and on whose behalf something is written.
pub(crate) struct Asked<'m> {
    pub(crate) memory: &'m Memory,
    pub(crate) arguments: JsonObject,
    pub(crate) writer: Option<String>,
}

/// Why a call could not be answered: one sentence with the remedy, for the agent to read.
pub(crate) struct ToolError(pub(crate) String);

impl From<ken_memory::Error> for ToolError {
    fn from(error: ken_memory::Error) -> Self {
        ToolError(error.to_string())
    }
}

/// The tools of a set, in the order in which they are listed.
fn of(set: ToolSet) -> impl Iterator<Item = &'static Tool> {
    static DEFAULT: OnceLock<Vec<Tool>> = OnceLock::new();
    static REST: OnceLock<Vec<Tool>> = OnceLock::new();
    let default = DEFAULT.get_or_init(|| {
        let tools = ask::tools().into_iter().chain(tell::tools());
        tools.chain([edicts::proposal()]).collect()
    });
    let rest = match set {
        ToolSet::Default => &[],
        ToolSet::All => REST.get_or_init(|| edicts::rest().into()).as_slice(),
    };
    default.iter().chain(rest)
}

/// The tools that are offered: the proposal of facts only where the person allows it.
pub(crate) fn offered(set: ToolSet, proposals: bool) -> impl Iterator<Item = &'static Tool> {
    of(set).filter(move |tool| proposals || tool.name != edicts::PROPOSE)
}

/// A tool of a set by its name, offered or not: one that is not allowed says how it would be.
pub(crate) fn named(set: ToolSet, name: &str) -> Option<&'static Tool> {
    of(set).find(|tool| tool.name == name)
}

impl Tool {
    /// The tool as the protocol describes it.
    pub(crate) fn described(&self) -> rmcp::model::Tool {
        let mut tool = rmcp::model::Tool::new(self.name, self.description, object(self.input));
        tool.title = Some(self.title.to_owned());
        tool.output_schema = Some(object(self.output));
        tool.annotations = Some(
            ToolAnnotations::with_title(self.title)
                .read_only(self.effect == Effect::Reads)
                .destructive(self.effect == Effect::Changes)
                .idempotent(self.idempotent)
                .open_world(false),
        );
        tool
    }
}

fn object(schema: fn() -> Value) -> Arc<JsonObject> {
    match schema() {
        Value::Object(object) => Arc::new(object),
        _ => unreachable!("every schema of the table is an object"),
    }
}

/// The most that one text among the arguments may hold, in bytes: more is a file, not a question.
const MOST_ASKED: usize = 1024 * 1024;

/// Reads the arguments into the tool's own type. An unknown or wrong one is named, and what there is is said.
fn arguments<T: DeserializeOwned>(arguments: JsonObject) -> Result<T, ToolError> {
    for (name, value) in &arguments {
        let bytes = text_in(value);
        if bytes > MOST_ASKED {
            return Err(ToolError(format!(
                "`{name}` has {bytes} bytes and may have {MOST_ASKED} (1 MiB); send the part that matters"
            )));
        }
    }
    serde_json::from_value(Value::Object(arguments)).map_err(|error| {
        ToolError(format!(
            "the arguments do not fit: {error}; see the tool's input schema"
        ))
    })
}

/// The bytes of text in an argument: a string's own, or those of a list together.
fn text_in(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => items.iter().map(text_in).sum(),
        _ => 0,
    }
}

/// The most that one answer may hold, in bytes of JSON.
const MOST: usize = 48 * 1024;

/// What a model reads and a person does not see must not stand in an answer.
fn without_misleading(value: &mut Value) {
    match value {
        Value::String(text) => text.retain(|character| !misleads(character)),
        Value::Array(values) => values.iter_mut().for_each(without_misleading),
        Value::Object(fields) => fields.values_mut().for_each(without_misleading),
        _ => {}
    }
}

/// An answer as JSON, bounded: rows are taken from the end of `list` until it fits, and `cut` says how many. One that
/// is too large for another reason is refused.
fn bounded(answer: &impl serde::Serialize, list: &str) -> Result<Value, ToolError> {
    let mut value =
        serde_json::to_value(answer).map_err(|e| ToolError(format!("the answer cannot be written: {e}")))?;
    without_misleading(&mut value);
    let mut cut = 0;
    while value.to_string().len() > MOST {
        let Some(rows) = value.get_mut(list).and_then(Value::as_array_mut) else {
            break;
        };
        let drop = (rows.len() / 4).max(1).min(rows.len());
        if drop == 0 {
            break;
        }
        rows.truncate(rows.len() - drop);
        cut += drop;
    }
    let bytes = value.to_string().len();
    if bytes > MOST {
        return Err(ToolError(format!(
            "the answer has {bytes} bytes and may have {MOST}; ask for less, or let the person ask on the command line"
        )));
    }
    if cut > 0
        && let Some(object) = value.as_object_mut()
    {
        object.insert("cut".to_owned(), Value::from(cut));
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn the_list_is_small_and_complete() {
        let described: Vec<_> = offered(ToolSet::Default, true).map(Tool::described).collect();
        let listed = serde_json::to_string(&described).unwrap();
        assert!(listed.len() < 6 * 1024, "tools/list has {} bytes", listed.len());
        assert!(described.len() <= 9);
        let all: Vec<_> = offered(ToolSet::All, true).map(Tool::described).collect();
        let names: HashSet<_> = all.iter().map(|tool| tool.name.clone()).collect();
        assert_eq!(names.len(), all.len());
        assert_eq!(offered(ToolSet::All, false).count(), all.len() - 1);
        for tool in all {
            let annotations = tool.annotations.unwrap();
            assert!(annotations.read_only_hint.is_some() && annotations.destructive_hint.is_some());
            assert!(annotations.idempotent_hint.is_some() && annotations.open_world_hint.is_some());
            for schema in [&tool.input_schema, &tool.output_schema.unwrap()] {
                assert_eq!(schema["type"], "object", "{}", tool.name);
                assert!(
                    ["anyOf", "oneOf", "allOf"]
                        .iter()
                        .all(|key| !schema.contains_key(*key)),
                    "{}",
                    tool.name
                );
            }
        }
    }

    #[test]
    fn texts_among_the_arguments_are_bounded() {
        let said = |value: Value| {
            let given = serde_json::json!({ "query": value })
                .as_object()
                .cloned()
                .unwrap();
            arguments::<Value>(given).err().map(|error| error.0)
        };
        assert_eq!(said(Value::from("x".repeat(MOST_ASKED))), None);
        for value in [
            Value::from("x".repeat(MOST_ASKED + 1)),
            Value::from(vec!["x"; MOST_ASKED + 1]),
        ] {
            let said = said(value).unwrap();
            assert_eq!(
                said,
                "`query` has 1048577 bytes and may have 1048576 (1 MiB); send the part that matters"
            );
        }
    }

    #[test]
    fn answers_are_bounded_and_say_so() {
        let rows: Vec<String> = (0..100).map(|n| format!("{n} {}", "x".repeat(2_000))).collect();
        let value = bounded(&serde_json::json!({ "rows": rows }), "rows")
            .ok()
            .unwrap();
        let left = value["rows"].as_array().unwrap().len();
        assert!(value.to_string().len() <= MOST + 64);
        assert_eq!(value["cut"], 100 - left);
    }
}
