use ken_library::{AccessLevel, AgentType, Caller};
use ken_memory::{BriefRequest, Error, Memory, Project, RecentRequest, Setting, Situation};

use crate::machine::Machine;

#[test]
fn recent_work_is_newest_first_within_two_weeks() {
    let machine = Machine::lived_in();
    let memory = machine.agent("codex");
    let work = memory.recent_work(&RecentRequest::default()).unwrap();
    let seen: Vec<(&str, &str)> = work
        .sessions
        .iter()
        .map(|session| (session.date.as_str(), session.agent.as_str()))
        .collect();
    // The session that names a private person is not among them.
    assert_eq!(seen, [("2026-11-28", "claude-code"), ("2026-11-25", "codex")]);
    assert_eq!((work.since.as_str(), work.has_more), ("2026-11-16", false));
    let request = |change: &dyn Fn(&mut RecentRequest)| {
        let mut request = RecentRequest::default();
        change(&mut request);
        memory.recent_work(&request).map(|work| work.sessions.len())
    };
    assert_eq!(
        request(&|request| request.agent = Some("codex".to_owned())).unwrap(),
        1
    );
    assert_eq!(
        request(&|request| request.project = Some("ORCHARD".to_owned())).unwrap(),
        2
    );
    assert_eq!(
        request(&|request| request.cwd = Some("/home/code".into())).unwrap(),
        2
    );
    assert_eq!(request(&|request| request.undated = true).unwrap(), 3);
    assert_eq!(
        request(&|request| request.since = "2026-11-26".parse().ok()).unwrap(),
        1
    );
    assert!(request(&|request| request.agent = Some("nobody".to_owned())).is_err());
    assert!(request(&|request| request.agent = Some("../x".to_owned())).is_err());
    assert!(request(&|request| request.limit = Some(0)).is_err());
}

#[test]
fn pages_go_on_where_they_ended_even_when_work_goes_on() {
    let machine = Machine::lived_in();
    let rows: String = (0..25)
        .map(|number| {
            format!(
                "  - {{date: \"2026-11-{:02}\", key_actions: [deed {number}]}}\n",
                28 - number / 5
            )
        })
        .collect();
    let manifest = |more: &str| {
        format!(
            "spec_version: \"0.1\"\nagent: {{id: busy, type: other}}\nlast_updated: \"2026-11-30T00:00:00Z\"\nrecent_sessions:\n{more}{rows}"
        )
    };
    machine.manifest("busy", &manifest(""));
    let mut seen = Vec::new();
    let mut request = RecentRequest {
        agent: Some("busy".to_owned()),
        limit: Some(7),
        ..RecentRequest::default()
    };
    loop {
        let memory = machine.agent("codex");
        let page = memory.recent_work(&request).unwrap();
        seen.extend(
            page.sessions
                .into_iter()
                .map(|session| session.key_actions[0].clone()),
        );
        let Some(cursor) = page.next_cursor else { break };
        request = RecentRequest {
            cursor: Some(cursor),
            ..RecentRequest::default()
        };
        machine.manifest(
            "busy",
            &manifest("  - {date: \"2026-11-30\", key_actions: [a new deed]}\n"),
        );
    }
    let expected: Vec<String> = (0..25).map(|number| format!("deed {number}")).collect();
    assert_eq!(seen, expected);
    let bad = RecentRequest {
        cursor: Some("page two".to_owned()),
        ..RecentRequest::default()
    };
    assert!(matches!(
        machine.person().recent_work(&bad),
        Err(Error::BadCursor)
    ));
}

#[test]
fn agents_are_found_by_what_they_can_do() {
    let machine = Machine::lived_in();
    let memory = machine.agent("codex");
    let ids = |capability: Option<&str>, kind: Option<AgentType>| -> Vec<String> {
        memory
            .agents(capability, kind)
            .agents
            .into_iter()
            .map(|agent| agent.id)
            .collect()
    };
    assert_eq!(ids(None, None), ["claude-code", "codex", "notes"]);
    assert_eq!(ids(Some("image analysis"), None), ["claude-code"]);
    assert_eq!(ids(None, Some(AgentType::NoteCapture)), ["notes"]);
    let public = machine.caller(Caller::local_agent(AccessLevel::Public), None);
    assert!(public.agents(None, None).agents.is_empty());
}

#[test]
fn a_repository_of_a_common_name_is_found_by_its_owner_s_too() {
    let machine = Machine::empty();
    let repo = machine.paths.home.join("code/two");
    std::fs::rename(&machine.repo, &repo).unwrap();
    let config = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@forge.example:coast/two.git\n";
    std::fs::write(repo.join(".git/config"), config).unwrap();
    machine.manifest(
        "codex",
        r#"spec_version: "0.1"
agent: {id: codex, type: code-assistant}
last_updated: "2026-11-01T10:00:00Z"
known_entities:
  - {name: coast/two, type: project, summary: Counts to two.}
recent_sessions:
  - {date: "2026-11-28", cwd: /trees/feature, project_focus: [coast/two], key_actions: [Counted backwards]}
  - {date: "2026-11-27", cwd: /trees/other, project_focus: [inland/two], key_actions: [Dug a canal]}
known_workstreams:
  - {name: Counting faster, status: active, related_entities: [coast/two], last_touched: "2026-11-28"}
visibility_policy: {default: team}
"#,
    );
    let memory = Memory::open(Setting {
        project: Project::find(&repo, &machine.paths),
        ..machine.setting()
    })
    .unwrap();
    memory.trust().unwrap();
    let brief = memory.brief(&BriefRequest::new(Situation::SessionStart)).text;
    for told in ["Counts to two.", "Counted backwards", "Counting faster"] {
        assert!(brief.contains(told), "{told}: {brief}");
    }
    // Another owner's repository is another one, in the brief of this one.
    assert!(!brief.contains("canal"), "{brief}");
    // Who asks for `two` means either.
    let on = |project: &str| {
        let request = RecentRequest {
            project: Some(project.to_owned()),
            ..RecentRequest::default()
        };
        memory.recent_work(&request).unwrap().sessions.len()
    };
    assert_eq!(
        (on("two"), on("coast/two"), on("inland/two"), on("one")),
        (2, 1, 1, 0)
    );
}
