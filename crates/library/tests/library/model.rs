//! Types that hold what they promise.

use ken_library::tree::{Node, Value};
use ken_library::{Entity, Extra, Row, Session, VisibilityPolicy, Workstream};
use ken_secrets::EachString;

use crate::setting::{HEAD, manifest, read};

#[test]
fn every_string_of_a_manifest_is_visited() {
    let text = format!(
        "{HEAD}capabilities: [s01]
recent_sessions: [{{date: '', cwd: s02, project_focus: [s03], key_actions: [s04], files_touched: [s05], s06: {{s07: [s08]}}}}]
known_entities: [{{name: s09, type: s10, aliases: [s11], summary: s12, tags: [s13], s14: s15}}]
known_workstreams: [{{name: s16, status: active, summary: s17, related_entities: [s18], tags: [s19], s20: s21}}]
notes: [{{date: 2026-01-01, text: s22, related_entities: [s23], tags: [s24], s25: s26}}]
visibility_policy: {{default: team, private_tags: [s27], team_tags: [s28], s29: s30}}
s31: [{{s32: s33}}]
"
    )
    .replace("type: code-assistant", "type: code-assistant\n  instance: s34\n  role_narrative: s35\n  spec_version_compat: s36\n  s37: s38");
    let mut manifest = read(text).unwrap().manifest;
    let mut seen = Vec::new();
    manifest.each_string(&mut |text| seen.push(text.clone()));
    seen.retain(|text| text.starts_with('s') && text.len() == 3);
    seen.sort();
    let wanted: Vec<String> = (1..=38).map(|number| format!("s{number:02}")).collect();
    assert_eq!(seen, wanted);
}

#[test]
fn a_changed_plain_scalar_is_a_text() {
    let mut manifest = read(format!("{HEAD}build: 1.10\n")).unwrap().manifest;
    manifest.each_string(&mut |text| {
        if text == "1.10" {
            *text = "[redacted:x]".to_owned();
        }
    });
    let yaml = ken_library::to_yaml(&manifest);
    assert!(yaml.contains("build: \"[redacted:x]\""), "{yaml}");
}

#[test]
fn rows_know_their_names_and_tags() {
    let entity = Entity {
        name: "A".into(),
        aliases: vec!["B".into()],
        tags: vec!["t".into()],
        ..Entity::default()
    };
    assert_eq!(entity.names(), ["A", "B"]);
    assert_eq!(entity.tags(), ["t"]);
    let mut session = Session::default();
    assert!(session.tags().is_empty() && !session.tags_unread());
    session.extra.set("tags", Node::texts(["health"]));
    assert_eq!(session.tags(), ["health"]);
    session.extra.set("tags", Node::from(Value::Map(Vec::new())));
    assert!(session.tags_unread());
    let mut work = Workstream::new("W", ken_library::WorkStatus::Active);
    work.extra.set("origin", Node::text("committed"));
    assert!(work.is_committed());
}

#[test]
fn an_empty_manifest_is_one_without_rows() {
    let mut manifest = manifest("a");
    manifest.visibility_policy = Some(VisibilityPolicy::usual());
    manifest.extra = Extra::default();
    assert!(manifest.is_empty());
    manifest.sessions.push(Session::default());
    assert!(!manifest.is_empty());
}
