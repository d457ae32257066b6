//! The tools that only read.

use ken_memory::{BriefRequest, FactsRequest, Kind, RecallRequest, RecentRequest, Situation};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Asked, Effect, Tool, ToolError, arguments, bounded};

pub(super) fn tools() -> [Tool; 6] {
    [
        Tool {
            name: "recall",
            title: "Recall",
            description: "Search what all agents on this machine remember: what was done, decided, learned, by whom \
                          and when. Use it when the user says \"remember\", \"what did we do\", \"last time\", \
                          \"why did we\".",
            effect: Effect::Reads,
            idempotent: true,
            input: || {
                json!({"type": "object", "required": ["query"], "additionalProperties": false, "properties": {
                    "query": {"type": "string", "description": "Plain words; \"quotes\" for a phrase"},
                    "k": {"type": "integer", "minimum": 1, "maximum": 100, "description": "Hits, 8 by default"},
                    "kinds": {"type": "array", "items": {"enum": Kind::ALL}},
                    "since": {"type": "string", "description": "2026-01-31 or 14d"},
                    "skill": {"type": "string"},
                    "harness": {"type": "string", "description": "Who wrote it"},
                    "tag": {"type": "string"},
                    "all": {"type": "boolean", "description": "Also what is expired or past"}}})
            },
            output: || list_of("hits"),
            run: recall,
        },
        Tool {
            name: "recognize",
            title: "Recognise names",
            description: "Find the projects, people, tools and other known names in a text, with what each agent \
                          knows of them.",
            effect: Effect::Reads,
            idempotent: true,
            input: || {
                json!({"type": "object", "required": ["text"], "additionalProperties": false,
                    "properties": {"text": {"type": "string"}}})
            },
            output: || list_of("recognised"),
            run: recognize,
        },
        Tool {
            name: "brief",
            title: "Brief",
            description: "The few lines of memory that matter here: facts in force, known names, lessons. With a \
                          prompt, only what it names.",
            effect: Effect::Reads,
            idempotent: false,
            input: || {
                json!({"type": "object", "additionalProperties": false, "properties": {
                    "prompt": {"type": "string"},
                    "budget": {"type": "integer", "minimum": 0, "description": "Tokens"},
                    "session": {"type": "string", "description": "So that nothing is told twice"}}})
            },
            output: || json!({"type": "object", "required": ["text"], "properties": {"text": {"type": "string"}}}),
            run: brief,
        },
        Tool {
            name: "facts",
            title: "Facts",
            description: "The facts of this project that must always win (dates, versions, limits, decisions). Look \
                          here before you state one.",
            effect: Effect::Reads,
            idempotent: true,
            input: || {
                json!({"type": "object", "additionalProperties": false, "properties": {
                    "query": {"type": "string", "description": "Without it, all"},
                    "category": {"type": "string"},
                    "tag": {"type": "string"},
                    "limit": {"type": "integer", "minimum": 1, "maximum": 100}}})
            },
            output: || list_of("facts"),
            run: facts,
        },
        Tool {
            name: "who_knows",
            title: "Who knows",
            description: "Which agents know about a thing or topic, what each says of it, and who worked on it last.",
            effect: Effect::Reads,
            idempotent: true,
            input: || {
                json!({"type": "object", "required": ["name"], "additionalProperties": false,
                    "properties": {"name": {"type": "string"}}})
            },
            output: || list_of("things"),
            run: who_knows,
        },
        Tool {
            name: "recent_work",
            title: "Recent work",
            description: "What agents did lately, newest first: sessions with project, actions and files.",
            effect: Effect::Reads,
            idempotent: true,
            input: || {
                json!({"type": "object", "additionalProperties": false, "properties": {
                    "since": {"type": "string", "description": "2026-01-31 or 14d (the default)"},
                    "agent": {"type": "string"},
                    "project": {"type": "string"},
                    "limit": {"type": "integer", "minimum": 1, "maximum": 100},
                    "cursor": {"type": "string", "description": "next_cursor of the page before"}}})
            },
            output: || list_of("sessions"),
            run: recent_work,
        },
    ]
}

/// The shape of an answer that is a list of rows.
pub(super) fn list_of(rows: &str) -> Value {
    json!({"type": "object", "required": [rows], "properties": {rows: {"type": "array"}}})
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecallArguments {
    query: String,
    k: Option<usize>,
    #[serde(default)]
    kinds: Vec<Kind>,
    since: Option<String>,
    skill: Option<String>,
    harness: Option<String>,
    tag: Option<String>,
    #[serde(default)]
    all: bool,
}

/// How much of one hit's text an agent is given; the place says where the rest stands.
const TEXT_LIMIT: usize = 2_000;

fn recall(asked: Asked<'_>) -> Result<Value, ToolError> {
    let given: RecallArguments = arguments(asked.arguments)?;
    let since = given
        .since
        .map(|since| ken_memory::since(&since, &asked.memory.setting().clock))
        .transpose()?;
    let request = RecallRequest {
        k: given.k.unwrap_or(8),
        kinds: given.kinds,
        since,
        skill: given.skill,
        harness: given.harness,
        tag: given.tag,
        all: given.all,
        text_limit: TEXT_LIMIT,
        ..RecallRequest::new(given.query)
    };
    bounded(&asked.memory.recall(&request), "hits")
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecognizeArguments {
    text: String,
}

fn recognize(asked: Asked<'_>) -> Result<Value, ToolError> {
    let given: RecognizeArguments = arguments(asked.arguments)?;
    bounded(&asked.memory.recognise(&given.text), "recognised")
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BriefArguments {
    prompt: Option<String>,
    budget: Option<usize>,
    session: Option<String>,
}

fn brief(asked: Asked<'_>) -> Result<Value, ToolError> {
    let given: BriefArguments = arguments(asked.arguments)?;
    let situation = given.prompt.map_or(Situation::SessionStart, Situation::Prompt);
    let request = BriefRequest {
        budget: given.budget,
        session: given.session,
        ..BriefRequest::new(situation)
    };
    let brief = asked.memory.brief(&request);
    asked.memory.told(&request, &brief);
    bounded(&brief, "sections")
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FactsArguments {
    query: Option<String>,
    category: Option<String>,
    tag: Option<String>,
    limit: Option<usize>,
}

fn facts(asked: Asked<'_>) -> Result<Value, ToolError> {
    let given: FactsArguments = arguments(asked.arguments)?;
    let request = FactsRequest {
        query: given.query,
        category: given.category,
        tag: given.tag,
        limit: given.limit,
    };
    bounded(&asked.memory.facts(&request), "facts")
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WhoKnowsArguments {
    name: String,
}

fn who_knows(asked: Asked<'_>) -> Result<Value, ToolError> {
    let given: WhoKnowsArguments = arguments(asked.arguments)?;
    bounded(&asked.memory.who_knows(&given.name), "sessions")
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RecentWorkArguments {
    since: Option<String>,
    agent: Option<String>,
    project: Option<String>,
    limit: Option<usize>,
    cursor: Option<String>,
}

fn recent_work(asked: Asked<'_>) -> Result<Value, ToolError> {
    let given: RecentWorkArguments = arguments(asked.arguments)?;
    let clock = &asked.memory.setting().clock;
    let since = given
        .since
        .map(|since| ken_memory::since(&since, clock))
        .transpose()?;
    let request = RecentRequest {
        since: since.map(|at| clock.local_date(at)),
        agent: given.agent,
        project: given.project,
        limit: given.limit,
        cursor: given.cursor,
        ..RecentRequest::default()
    };
    bounded(&asked.memory.recent_work(&request)?, "sessions")
}
