//! Documents on both sides of every edge of the form of edicts, for those that hold the published schema against the
//! reader.

use ken_edicts::SCHEMA_ADDRESS;
use serde_json::{Map, Value, json};

/// What every edict of the documents has.
fn edict() -> Map<String, Value> {
    let edict = json!({"id": "e_001", "text": "a fact", "category": "rule", "created": "2025-01-01", "updated": "2025-01-01"});
    edict.as_object().unwrap().clone()
}

fn with(field: &str, value: &Value) -> Value {
    let mut edict = edict();
    edict.insert(field.to_owned(), value.clone());
    json!({"version": 1, "edicts": [edict]})
}

fn names() -> Vec<Value> {
    let long = |n| "x".repeat(n);
    vec![
        json!(null),
        json!(""),
        json!("  "),
        json!("a"),
        json!("api/limit"),
        json!(" padded "),
        json!("two words"),
        json!("a\nb"),
        json!("\na\n"),
        json!("a\u{1}b"),
        json!("a\u{7f}"),
        json!("tab\tin it"),
        json!(7),
        json!(1.5),
        json!(true),
        json!([]),
        json!(["a"]),
        json!({}),
        json!({"a": 1}),
        json!("expired"),
        json!(" removed "),
        json!("expired_soon"),
        json!(long(200)),
        json!(long(201)),
        json!(format!(" {} ", long(200))),
        json!("é"),
        json!("日本"),
        json!("\u{200b}"),
    ]
}

fn labels() -> Vec<Value> {
    vec![
        json!(null),
        json!(""),
        json!(" \t "),
        json!("a"),
        json!("Products"),
        json!("two  words"),
        json!("a\nb"),
        json!("a\u{1}b"),
        json!("a\u{1b}[0m"),
        json!(7),
        json!(false),
        json!([]),
        json!({}),
        json!("日本"),
        json!("a/b"),
    ]
}

fn instants() -> Vec<Value> {
    [
        "2025-01-31",
        "2025-12-31",
        " 2025-01-31 ",
        "2025-01-31T12:00:00Z",
        "2025-01-31t12:00:00z",
        "2025-01-31 12:00:00Z",
        "2025-01-31T12:00:00.123456Z",
        "2025-01-31T12:00:00+02:00",
        "2025-01-31T12:00:00-0230",
        "2025-01-31T12:00Z",
        "2025-01-31T12Z",
        "2025-01-31T12:00:00+02:00[Europe/Berlin]",
        "20250131T120000Z",
        "2025-01-31T12:00:00",
        "2025-01-31T12:00",
        "2025-13-01",
        "2025-00-10",
        "2025-01-32",
        "2025-01-00",
        "2025-1-1",
        "20250131",
        "2025/01/31",
        "31.01.2025",
        "tomorrow",
        "",
        " ",
        "2025-01-31Z",
        "12:00:00Z",
        "2025-01",
        "2025-W05",
        "1738324800",
    ]
    .into_iter()
    .map(Value::from)
    .chain([json!(null), json!(2025), json!(true), json!([]), json!({})])
    .collect()
}

fn counts() -> Vec<Value> {
    vec![
        json!(null),
        json!(0),
        json!(1),
        json!(200),
        json!(-1),
        json!(1.5),
        json!(2.0),
        json!("7"),
        json!("7.0"),
        json!("7.5"),
        json!("-7"),
        json!("x"),
        json!(""),
        json!(" 7"),
        json!(true),
        json!([]),
        json!({}),
        json!(4_294_967_295_u64),
        json!("00007"),
        json!("99999999999999999999999"),
        json!(99_999_999_999_999_999_999_f64),
    ]
}

/// Documents on both sides of every edge.
pub(crate) fn documents() -> Vec<Value> {
    let mut documents = vec![
        json!({}),
        json!(null),
        json!([]),
        json!("edicts"),
        json!({"version": 1}),
        json!({"edicts": [[]]}),
        json!({"edicts": ["text"]}),
        json!({"edicts": [null]}),
        json!({"edicts": [{}]}),
        json!({"edicts": [{"text": "a"}]}),
        json!({"edicts": [{"category": "a"}]}),
        json!({"edicts": [{"text": "a", "category": "b"}]}),
        json!({"edicts": [{"text": "a", "category": "b", "colour": ["any"]}], "more": {"of": "it"}}),
        json!({"edicts": [edict(), {"text": " ", "category": "b"}]}),
        json!({"$schema": SCHEMA_ADDRESS, "version": 1, "edicts": []}),
    ];
    for version in [
        json!(1),
        json!(1.0),
        json!("1"),
        json!("1.0"),
        json!(null),
        json!(2),
        json!(0),
        json!("2"),
        json!("one"),
        json!([]),
        json!({}),
        json!(true),
    ] {
        documents.push(json!({"version": version, "edicts": []}));
    }
    for list in ["edicts", "history"] {
        for value in [json!(null), json!([]), json!({}), json!("x"), json!(1)] {
            documents.push(json!({"version": 1, list: value}));
        }
    }
    for field in ["id", "key"] {
        documents.extend(names().iter().map(|value| with(field, value)));
    }
    documents.extend(labels().iter().map(|value| with("category", value)));
    for value in [
        json!(null),
        json!(""),
        json!(" \n"),
        json!("a"),
        json!("a\nb"),
        json!(5),
        json!(true),
        json!([]),
        json!({}),
        json!("x".repeat(9_000)),
    ] {
        documents.push(with("text", &value));
        documents.push(with("source", &value));
    }
    for value in labels() {
        documents.push(with("tags", &json!([value])));
        documents.push(with("tags", &json!(["fine", value])));
        documents.push(json!({"config": {"categories": [value]}}));
    }
    for value in [json!(null), json!([]), json!("a"), json!({}), json!(1)] {
        documents.push(with("tags", &value));
        documents.push(json!({"config": {"categories": value}}));
        documents.push(json!({"config": value}));
    }
    for value in [
        "verified",
        "inferred",
        "user",
        "User",
        " user",
        "sure",
        "",
        "permanent",
        "durable",
        "event",
        "ephemeral",
        "for ever",
    ] {
        documents.push(with("confidence", &json!(value)));
        documents.push(with("ttl", &json!(value)));
    }
    for value in [json!(null), json!(1), json!([]), json!({}), json!(true)] {
        documents.push(with("confidence", &value));
        documents.push(with("ttl", &value));
    }
    for field in ["expiresAt", "created", "updated", "lastAccessed"] {
        documents.extend(instants().iter().map(|value| with(field, value)));
    }
    for field in [
        "maxEdicts",
        "tokenBudget",
        "staleThresholdDays",
        "defaultCategoryLimit",
        "defaultEphemeralTtlSeconds",
    ] {
        documents.extend(counts().iter().map(|value| json!({"config": {field: value}})));
    }
    documents.push(json!({"config": {"staleThresholdDays": 4_294_967_296_u64}}));
    for value in counts() {
        documents.push(json!({"config": {"categoryLimits": {"product": value}}}));
        documents.push(json!({"config": {"categoryLimits": value}}));
    }
    for name in ["", " ", "a", "a\u{1}b", "two words"] {
        documents.push(json!({"config": {"categoryLimits": {name: 3}}}));
    }
    for entry in [
        json!({}),
        json!("x"),
        json!({"id": "a__1_1", "text": "b", "supersededBy": "c", "archivedAt": "yesterday"}),
    ] {
        documents.push(json!({"history": [entry]}));
    }
    documents
}
