use crate::machine::Machine;

#[test]
fn those_who_describe_and_did_are_named_before_those_who_could() {
    let machine = Machine::lived_in();
    let memory = machine.agent("notes");
    let answer = memory.who_knows("orchard");
    assert_eq!(answer.things.len(), 1);
    assert_eq!(answer.things[0].agents, ["claude-code", "codex"]);
    let agents: Vec<&str> = answer.agents.iter().map(|knower| knower.agent.as_str()).collect();
    assert_eq!(agents, ["claude-code", "codex"]);
    assert_eq!(answer.agents[0].last_session.as_deref(), Some("2026-11-28"));
    assert_eq!(
        answer.agents[0].why,
        ["describes Orchard", "worked on it, last on 2026-11-28"]
    );
    assert_eq!(answer.sessions.len(), 2);
}

#[test]
fn a_topic_is_answered_by_names_in_it_sessions_roles_and_capabilities() {
    let machine = Machine::lived_in();
    let memory = machine.agent("notes");
    assert_eq!(memory.who_knows("the Orchard ledger").things[0].name, "Orchard");
    let parser = memory.who_knows("parser");
    assert_eq!(parser.agents[0].agent, "claude-code");
    assert!(
        parser.agents[0].why.iter().any(|why| why.starts_with("its role")),
        "{:?}",
        parser.agents[0].why
    );
    assert_eq!(
        memory.who_knows("migrations").agents[0].why,
        ["offers migrations"]
    );
    assert_eq!(memory.who_knows("payments").things[0].name, "Mercury");
}

#[test]
fn a_private_name_answers_as_one_that_was_never_there() {
    let machine = Machine::lived_in();
    let memory = machine.agent("notes");
    let answer = |name: &str| machine.shown(&memory.who_knows(name)).replace(name, "NAME");
    assert_eq!(answer("Zephyrine"), answer("Nobodyhere"));
    assert_eq!(machine.person().who_knows("Zephyrine").things.len(), 1);
}
