//! The tools over the project's edicts: the proposal, which the person allows, and the whole set of `--tools all`.

use ken_memory::{FactChange, FactFields, FactsRequest, Memory};
use rmcp::model::JsonObject;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::ask::list_of;
use super::{Asked, Effect, Tool, ToolError, arguments, bounded};

pub(super) const PROPOSE: &str = "propose_fact";

/// The fields of a fact, as every tool that takes some describes them.
fn fields(required: &[&str], more: Value) -> Value {
    let mut properties = json!({
        "text": {"type": "string", "description": "The fact, in one sentence"},
        "category": {"type": "string"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "key": {"type": "string", "description": "Under which a later fact replaces it: api/rate-limit"},
        "ttl": {"enum": ["permanent", "durable", "event", "ephemeral"]},
        "expires_at": {"type": "string", "description": "A date, or RFC 3339"},
        "expires_in": {"type": "string", "description": "30m, 2h, 7d, 4w"}});
    if let (Some(properties), Value::Object(more)) = (properties.as_object_mut(), more) {
        properties.extend(more);
    }
    json!({"type": "object", "required": required, "additionalProperties": false, "properties": properties})
}

fn id_only(name: &str, description: &str) -> Value {
    json!({"type": "object", "required": [name], "additionalProperties": false,
        "properties": {name: {"type": "string", "description": description}}})
}

fn object() -> Value {
    json!({"type": "object"})
}

fn changed() -> Value {
    json!({"type": "object", "required": ["outcome", "fact"]})
}

/// The proposal: among the default tools where the person allows it.
pub(super) fn proposal() -> Tool {
    Tool {
        name: PROPOSE,
        title: "Propose fact",
        description: "Add a fact of this project that you concluded, for every agent to go by; marked as inferred. What \
                      a person stated or verified it never changes.",
        effect: Effect::Adds,
        idempotent: true,
        input: || fields(&["text", "category"], json!({})),
        output: changed,
        run: |asked| change(asked, FactChange::Propose),
    }
}

/// Everything else that `ken edict` does.
pub(super) fn rest() -> [Tool; 14] {
    [
        Tool {
            name: "fact",
            title: "Fact",
            description: "One fact by its id.",
            effect: Effect::Reads,
            idempotent: true,
            input: || id_only("id", "As `facts` lists it"),
            output: object,
            run: |asked| {
                let Id { id } = arguments(asked.arguments)?;
                bounded(&asked.memory.fact(&id)?, "")
            },
        },
        Tool {
            name: "add_fact",
            title: "Add fact",
            description: "State a fact of this project that must always win. With a known key it replaces the earlier \
                          one; the same text again confirms it.",
            effect: Effect::Adds,
            idempotent: true,
            input: || fields(&["text", "category"], stated()),
            output: changed,
            run: |asked| change(asked, FactChange::Add),
        },
        Tool {
            name: "update_fact",
            title: "Update fact",
            description: "Change fields of a fact; what it was is kept in history.",
            effect: Effect::Changes,
            idempotent: true,
            input: || {
                let mut more = stated();
                more["id"] = json!({"type": "string"});
                more["no_expiry"] = json!({"type": "boolean"});
                fields(&["id"], more)
            },
            output: changed,
            run: update,
        },
        Tool {
            name: "remove_fact",
            title: "Remove fact",
            description: "Move a fact to history, from where `restore_fact` brings it back.",
            effect: Effect::Changes,
            idempotent: false,
            input: || id_only("id", "As `facts` lists it"),
            output: changed,
            run: |asked| change(asked, |Id { id }| FactChange::Remove(id)),
        },
        Tool {
            name: "confirm_fact",
            title: "Confirm fact",
            description: "Say that a fact still holds.",
            effect: Effect::Adds,
            idempotent: true,
            input: || id_only("id", "As `facts` lists it"),
            output: changed,
            run: |asked| change(asked, |Id { id }| FactChange::Confirm(id)),
        },
        Tool {
            name: "restore_fact",
            title: "Restore fact",
            description: "Bring back what a history entry holds; one that has expired needs a new expiry.",
            effect: Effect::Changes,
            idempotent: false,
            input: || {
                json!({"type": "object", "required": ["history_id"], "additionalProperties": false, "properties": {
                    "history_id": {"type": "string", "description": "As `fact_history` lists it"},
                    "category": {"type": "string"},
                    "expires_at": {"type": "string"},
                    "expires_in": {"type": "string"}}})
            },
            output: changed,
            run: |asked| {
                change(asked, |restore: Restore| {
                    let fields = FactFields {
                        category: restore.category,
                        expires_at: restore.expires_at,
                        expires_in: restore.expires_in,
                        ..FactFields::default()
                    };
                    FactChange::Restore(restore.history_id, fields)
                })
            },
        },
        Tool {
            name: "fact_history",
            title: "Fact history",
            description: "What was superseded, expired or removed, whole; of one id or of all.",
            effect: Effect::Reads,
            idempotent: true,
            input: || json!({"type": "object", "additionalProperties": false, "properties": {"id": {"type": "string"}}}),
            output: || list_of("history"),
            run: |asked| {
                let History { id } = arguments(asked.arguments)?;
                bounded(&asked.memory.fact_history(id.as_deref())?, "history")
            },
        },
        Tool {
            name: "review_facts",
            title: "Review facts",
            description: "Facts that need a look: stale, expiring, near limits, nearly the same, contradicting each \
                          other; each with what to do next.",
            effect: Effect::Reads,
            idempotent: true,
            input: || {
                json!({"type": "object", "additionalProperties": false, "properties": {
                    "stale_days": {"type": "integer", "minimum": 0},
                    "within_days": {"type": "integer", "minimum": 0, "description": "Expiring within so many; 7"}}})
            },
            output: object,
            run: |asked| {
                let review: Review = arguments(asked.arguments)?;
                let within = review.within_days.unwrap_or(7);
                bounded(&asked.memory.review_facts(review.stale_days, within)?, "stale")
            },
        },
        Tool {
            name: "compact_facts",
            title: "Compact facts",
            description: "Merge facts into one text; what they were is kept in history. Without `write` it only shows \
                          what would be done.",
            effect: Effect::Changes,
            idempotent: false,
            input: || {
                let mut more = stated();
                more["ids"] = json!({"type": "array", "items": {"type": "string"}, "minItems": 2});
                more["write"] = json!({"type": "boolean"});
                fields(&["ids", "text"], more)
            },
            output: || json!({"type": "object", "required": ["fact", "merged", "dry_run"]}),
            run: compact,
        },
        Tool {
            name: "fact_stats",
            title: "Fact statistics",
            description: "The facts in numbers, and what they take of their limits.",
            effect: Effect::Reads,
            idempotent: true,
            input: nothing,
            output: object,
            run: |asked| {
                let Nothing {} = arguments(asked.arguments)?;
                bounded(&asked.memory.fact_stats()?, "")
            },
        },
        Tool {
            name: "validate_facts",
            title: "Validate facts",
            description: "Everything that is wrong with the edicts file, with place and remedy.",
            effect: Effect::Reads,
            idempotent: true,
            input: nothing,
            output: || list_of("findings"),
            run: |asked| {
                let Nothing {} = arguments(asked.arguments)?;
                bounded(&asked.memory.validate_facts()?, "findings")
            },
        },
        Tool {
            name: "render_facts",
            title: "Render facts",
            description: "The facts in force as one text.",
            effect: Effect::Reads,
            idempotent: true,
            input: || {
                json!({"type": "object", "additionalProperties": false, "properties": {
                    "format": {"enum": ["plain", "markdown", "json", "brief"]},
                    "budget": {"type": "integer", "minimum": 0, "description": "Tokens"},
                    "category": {"type": "string"},
                    "tag": {"type": "string"}}})
            },
            output: || json!({"type": "object", "required": ["text", "shown", "left_out"]}),
            run: |asked| {
                let render: Render = arguments(asked.arguments)?;
                let request = FactsRequest {
                    category: render.category,
                    tag: render.tag,
                    ..FactsRequest::default()
                };
                let format = render.format.as_deref().unwrap_or("plain");
                bounded(&asked.memory.render_facts(format, render.budget, &request)?, "")
            },
        },
        Tool {
            name: "import_facts",
            title: "Import facts",
            description: "Take the facts of another edicts document over, by key and by equal text: all or nothing. \
                          Without `write` it only shows what would be done.",
            effect: Effect::Changes,
            idempotent: true,
            input: || {
                json!({"type": "object", "required": ["document"], "additionalProperties": false, "properties": {
                    "document": {"type": "string", "description": "As an edicts.yaml or edicts.json"},
                    "replace": {"type": "boolean", "description": "Move what it does not have to history"},
                    "write": {"type": "boolean"}}})
            },
            output: || json!({"type": "object", "required": ["added", "changed", "dry_run"]}),
            run: |asked| {
                let import: Import = arguments(asked.arguments)?;
                bounded(
                    &asked
                        .memory
                        .import_facts(&import.document, import.replace, !import.write)?,
                    "added",
                )
            },
        },
        Tool {
            name: "export_facts",
            title: "Export facts",
            description: "The whole edicts file as a document that can be imported.",
            effect: Effect::Reads,
            idempotent: true,
            input: || {
                json!({"type": "object", "additionalProperties": false,
                    "properties": {"format": {"enum": ["yaml", "json"]}}})
            },
            output: || json!({"type": "object", "required": ["content"]}),
            run: |asked| {
                let Export { format } = arguments(asked.arguments)?;
                bounded(
                    &asked.memory.export_facts(format.as_deref().unwrap_or("yaml"))?,
                    "",
                )
            },
        },
    ]
}

/// What only a fact that is stated says of itself.
fn stated() -> Value {
    json!({
        "confidence": {"enum": ["verified", "user", "inferred"], "description": "user, the default: a person said it"},
        "source": {"type": "string", "description": "Who established it; you, by default"}})
}

fn nothing() -> Value {
    json!({"type": "object", "additionalProperties": false})
}

fn change<T: DeserializeOwned>(asked: Asked<'_>, of: impl Fn(T) -> FactChange) -> Result<Value, ToolError> {
    let change = of(arguments(asked.arguments)?);
    done(asked.memory, change, asked.writer)
}

fn update(mut asked: Asked<'_>) -> Result<Value, ToolError> {
    let Id { id } = arguments(apart(&mut asked.arguments, &["id"]))?;
    let change = FactChange::Update(id, arguments(asked.arguments)?);
    done(asked.memory, change, None)
}

fn compact(mut asked: Asked<'_>) -> Result<Value, ToolError> {
    let which: Which = arguments(apart(&mut asked.arguments, &["ids", "write"]))?;
    let answer = asked
        .memory
        .compact_facts(&which.ids, arguments(asked.arguments)?, !which.write);
    bounded(&answer?, "merged")
}

/// These arguments, taken out of the others.
fn apart(arguments: &mut JsonObject, names: &[&str]) -> JsonObject {
    let taken = names.iter().filter_map(|name| arguments.remove_entry(*name));
    taken.collect()
}

fn done(memory: &Memory, mut change: FactChange, writer: Option<String>) -> Result<Value, ToolError> {
    if let FactChange::Add(fields) | FactChange::Propose(fields) = &mut change
        && fields.source.is_none()
    {
        fields.source = writer;
    }
    bounded(&memory.change_fact(change)?, "warnings")
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Which {
    ids: Vec<String>,
    #[serde(default)]
    write: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Id {
    id: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct History {
    id: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Review {
    stale_days: Option<u32>,
    within_days: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Restore {
    history_id: String,
    category: Option<String>,
    expires_at: Option<String>,
    expires_in: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Render {
    format: Option<String>,
    budget: Option<usize>,
    category: Option<String>,
    tag: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Import {
    document: String,
    #[serde(default)]
    replace: bool,
    #[serde(default)]
    write: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Export {
    format: Option<String>,
}
