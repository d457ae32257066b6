//! The tool that writes.

use ken_memory::LearnRequest;
use serde_json::{Value, json};

use super::{Asked, Effect, Tool, ToolError, arguments, bounded};

pub(super) fn tools() -> [Tool; 1] {
    [Tool {
        name: "learn",
        title: "Learn",
        description: "Remember an observation in this project for every agent: what went wrong and what fixed it, a \
                      decision, a trap. Durable when it answers. Credentials are replaced.",
        effect: Effect::Adds,
        idempotent: false,
        input: || {
            json!({"type": "object", "required": ["content"], "additionalProperties": false, "properties": {
                "content": {"type": "string", "description": "One thing, complete in itself"},
                "pain": {"type": "number", "minimum": 0, "maximum": 10, "description": "How much it hurt, 5 by default"},
                "importance": {"type": "number", "minimum": 0, "maximum": 10},
                "skill_action": {"type": "string", "description": "What it is about: rust::async"},
                "origin": {"enum": ["user", "agent", "tool"], "description": "Whose words"},
                "tags": {"type": "array", "items": {"type": "string"}},
                "supersedes": {"type": "string", "description": "Id of the event it replaces"},
                "dedup_key": {"type": "string"}}})
        },
        output: || json!({"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}}),
        run: learn,
    }]
}

fn learn(asked: Asked<'_>) -> Result<Value, ToolError> {
    let mut request: LearnRequest = arguments(asked.arguments)?;
    request.harness = request.harness.or(asked.writer);
    bounded(&asked.memory.learn(request)?, "redacted")
}
