//! A credential that stands in any string of a hand-written or foreign file leaves in no answer.

use ken_library::{AccessLevel, Caller};
use ken_memory::{BriefRequest, FactsRequest, LearnRequest, RecallRequest, RecentRequest, Situation};

use crate::machine::Machine;

const MANIFEST: &str = r#"spec_version: "0.1"
agent:
  id: scribe
  type: other
  instance: <@>
  role_narrative: keeps the vault <@>
last_updated: "2026-11-29T00:00:00Z"
capabilities: [vault, <@>]
known_entities:
  - name: Vault
    type: <@>
    aliases: [strongroom, <@>]
    tags: [vault, <@>]
    summary: the vault <@>
    last_touched: "2026-11-28"
    visibility: team
  - name: vault <@>
    summary: the vault
    visibility: team
  - name: Old vault
    superseded_by: vault <@> two
    visibility: team
  - name: orchard
    type: <@>
    summary: here is <@>
    visibility: team
recent_sessions:
  - date: "2026-11-28"
    cwd: /code/<@>
    project_focus: [orchard, <@>]
    key_actions: [opened the vault, <@>]
    files_touched: [vault, <@>]
    visibility: team
  - date: "2026-11-27"
    project_focus: [<@>]
    key_actions: [closed the vault]
    tags: [<@>]
    visibility: team
known_workstreams:
  - name: vault work <@>
    status: active
    tags: [<@>]
    aliases: [<@>]
    summary: moves the vault <@>
    related_entities: [orchard, <@>]
    visibility: team
notes:
  - date: "2026-11-28"
    text: a note on the vault <@>
    tags: [<@>]
    related_entities: [<@>]
    visibility: team
visibility_policy:
  default: team
"#;

const EDICTS: &str = r#"version: 1
edicts:
  - {id: e_001, category: <@>, text: the vault <@>, source: <@>, tags: [<@>]}
  - {id: e_002, category: vault, key: <@>, text: the vault two}
  - {id: <@>, category: vault, text: the vault three}
"#;

const LESSONS: &str = r#"## vault::<@>
<!-- dreamd:lesson id="evt_01JR04071200XYZA1B2C3D4E5F" cluster="<@>" -->
The vault <@>
recurrence 4 · pain 7 · last seen 2026-11-02 · claude-code, <@>
<!-- /dreamd:lesson -->
"#;

const EVENTS: &str = r#"{"schema_version":"1.0","id":"evt_01KB3PYV0000000000000000AA","timestamp":"2026-11-30T10:00:00Z","content":"vault event <@>","pain":5,"importance":5,"recurrence":0,"skill_action":"vault::<@>","source_harness":"<@>","pinned":false,"tags":["<@>"],"supersedes":"<@>","client_dedup_key":"same"}
"#;

#[test]
fn a_credential_in_any_string_of_any_file_leaves_in_no_answer() {
    // A shape in small letters, which skills and harnesses keep as it is.
    let secret = ["ghp", "_", "a7b3d9e2g6", "h1k8m4p5q0", "r2s6t9v3w7", "x1y5z8"].concat();
    let filled = |text: &str| text.replace("<@>", &secret);
    let machine = Machine::empty();
    ken_dotagent::Folder::init(&machine.repo).unwrap();
    machine.manifest("scribe", &filled(MANIFEST));
    machine.write("edicts.yaml", &filled(EDICTS));
    machine.write(".agent/semantic/LESSONS.md", &filled(LESSONS));
    machine.write(".agent/episodic/AGENT_LEARNINGS.jsonl", &filled(EVENTS));
    machine.person().trust().unwrap();
    let agent = machine.caller(Caller::local_agent(AccessLevel::Team), Some("codex"));
    for memory in [machine.person(), agent] {
        let recall = memory.recall(&RecallRequest {
            k: 100,
            all: true,
            explain: true,
            ..RecallRequest::new("vault")
        });
        let kinds: std::collections::BTreeSet<&str> =
            recall.hits.iter().map(|hit| hit.kind.as_str()).collect();
        assert_eq!(kinds.len(), 7, "{kinds:?}");
        let prompt = |text: &str| BriefRequest::new(Situation::Prompt(text.to_owned()));
        let same = LearnRequest {
            dedup_key: Some("same".to_owned()),
            ..LearnRequest::new("again")
        };
        let recognised = format!("the vault, the old vault, vault {secret}, vault work {secret}, {secret}");
        let answers = [
            ("recall", machine.shown(&recall)),
            (
                "recall by name",
                machine.shown(&memory.recall(&RecallRequest::new(secret.as_str()))),
            ),
            ("recognise", machine.shown(&memory.recognise(&recognised))),
            ("facts", machine.shown(&memory.facts(&FactsRequest::default()))),
            ("who knows", machine.shown(&memory.who_knows("vault"))),
            ("who knows by name", machine.shown(&memory.who_knows(&secret))),
            (
                "recent",
                machine.shown(&memory.recent_work(&RecentRequest::default()).unwrap()),
            ),
            ("agents", machine.shown(&memory.agents(None, None))),
            ("status", machine.shown(&memory.status())),
            (
                "session",
                machine.shown(&memory.brief(&BriefRequest::new(Situation::SessionStart))),
            ),
            ("prompt", machine.shown(&memory.brief(&prompt(&recognised)))),
            ("told", {
                let request = prompt(&recognised);
                memory.told(&request, &memory.brief(&request));
                machine.shown(&memory.last_brief(None))
            }),
            ("learn", machine.shown(&memory.learn(same).unwrap())),
        ];
        for (question, answer) in answers {
            assert!(
                answer.contains("[redacted:"),
                "{question} says nothing of it: {answer}"
            );
            assert!(!answer.contains(&secret), "{question}: {answer}");
        }
    }
}
