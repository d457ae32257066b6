use ken_library::{AccessLevel, Caller};
use ken_memory::{Recognised, ThingKind};

use crate::machine::Machine;

fn named(machine: &Machine, text: &str) -> Vec<Recognised> {
    machine.agent("codex").recognise(text).recognised
}

fn names(machine: &Machine, text: &str) -> Vec<String> {
    named(machine, text).into_iter().map(|thing| thing.name).collect()
}

#[test]
fn names_are_recognised_where_they_stand() {
    let machine = Machine::lived_in();
    let text = "What did we do on Orchard yesterday?";
    let found = named(&machine, text);
    assert_eq!(found.len(), 1);
    let orchard = &found[0];
    assert_eq!(&text[orchard.span.start..orchard.span.end], "Orchard");
    assert_eq!(
        (orchard.kind, orchard.text.as_str(), orchard.times),
        (ThingKind::Entity, "Orchard", 1)
    );
    assert_eq!(orchard.sources, ["claude-code", "codex"]);
    assert_eq!(orchard.also_known_as, ["orchard-core"]);
    let said: Vec<&str> = orchard
        .summaries
        .iter()
        .map(|summary| summary.agent.as_str())
        .collect();
    assert_eq!(said, ["claude-code", "codex"], "the newest first");
    assert!(names(&machine, "nothing of the kind").is_empty());
    assert!(names(&machine, "").is_empty());
}

#[test]
fn the_longest_name_wins_and_two_of_one_name_are_both_shown() {
    let machine = Machine::lived_in();
    assert_eq!(names(&machine, "call Mercury Bank today"), ["Mercury Bank"]);
    let both = named(&machine, "how is Mercury doing");
    assert_eq!(both.len(), 2);
    let told_apart: Vec<(&str, &str)> = both
        .iter()
        .map(|thing| (thing.sources[0].as_str(), thing.types[0].as_str()))
        .collect();
    assert_eq!(told_apart, [("codex", "planet"), ("claude-code", "project")]);
    assert_eq!(both[0].span, both[1].span);
}

#[test]
fn an_old_name_answers_with_its_successor_and_what_is_past_says_so() {
    let machine = Machine::lived_in();
    let found = named(&machine, "where is Lampwick documented");
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].name.as_str(), found[0].text.as_str()),
        ("Orchard", "Lampwick")
    );
    assert_eq!(found[0].formerly, ["Lampwick"]);
    let fair = &named(&machine, "the Winterfair booth")[0];
    assert!(fair.past);
    assert_eq!(fair.valid_to.as_deref(), Some("2025-12-31"));
}

/// What is recognised, with the names that it bore before.
fn now(machine: &Machine, text: &str) -> Vec<String> {
    let shown = |one: Recognised| format!("{}<{}x{}", one.name, one.formerly.join(","), one.times);
    named(machine, text).into_iter().map(shown).collect()
}

fn library(rows: &str) -> Machine {
    let machine = Machine::empty();
    machine.manifest(
        "codex",
        &format!(
            "spec_version: '0.1'\nagent: {{id: codex, type: code-assistant}}\nlast_updated: '2026-11-01T10:00:00Z'\n\
             visibility_policy: {{default: team}}\nknown_entities:\n{rows}"
        ),
    );
    machine
}

#[test]
fn in_a_ring_nobody_is_the_successor_of_another() {
    let ring = "- {name: Circa, superseded_by: Circb}\n- {name: Circb, superseded_by: Circc}\n\
                - {name: Circc, superseded_by: Circa}\n- {name: Selve, superseded_by: Selve, supersedes: [Selve]}\n\
                - {name: Lampwick, superseded_by: Circa}\n";
    let machine = library(ring);
    assert_eq!(now(&machine, "Circb, then Circa"), ["Circb<x1", "Circa<x1"]);
    assert_eq!(now(&machine, "Selve"), ["Selve<x1"]);
    // What leads into a ring, and what leads out of it, counts.
    assert_eq!(now(&machine, "Lampwick"), ["Circa<Lampwickx1"]);
    let out = format!("{ring}- {{name: Orchard, supersedes: [Circb]}}\n");
    let machine = library(&out);
    assert_eq!(now(&machine, "Circb"), ["Orchard<Circbx1"]);
    assert_eq!(now(&machine, "Circc"), ["Circc<x1"]);
}

#[test]
fn a_thing_that_a_text_names_by_its_old_name_and_its_new_one_is_one() {
    let machine = library(
        "- {name: Lampwick, superseded_by: Orchard}\n- {name: Orchard, aliases: [Tree]}\n\
         - {name: Wickford, superseded_by: Lampwick}\n",
    );
    assert_eq!(now(&machine, "Lampwick and Orchard"), ["Orchard<Lampwickx2"]);
    assert_eq!(
        now(&machine, "the Tree, once Wickford"),
        ["Orchard<Wickford,Lampwickx2"]
    );
    let text = "Lampwick and Orchard";
    let one = &named(&machine, text)[0];
    assert_eq!(&text[one.span.start..one.span.end], "Lampwick");
}

#[test]
fn a_name_that_only_its_successor_mentions_answers_with_it() {
    let machine = library(
        "- {name: Orchard, supersedes: [Lampwick, 'Blue Harbor']}\n- {name: Harborside, aliases: [Blue Harbor]}\n\
         - {name: Secret, supersedes: [Bygone], visibility: private}\n- {name: Old, superseded_by: Bygone}\n",
    );
    assert_eq!(now(&machine, "where is LAMPWICK"), ["Orchard<Lampwickx1"]);
    // Whoever bears the name comes before who took it over.
    assert_eq!(now(&machine, "the Blue Harbor"), ["Harborside<x1"]);
    // What is above the caller's level says nothing, and what it says does not hide what others say.
    assert!(now(&machine, "Bygone").is_empty());
    assert_eq!(now(&machine, "Old things"), Vec::<String>::new());
    assert_eq!(now(&machine, "the Old"), ["Bygone<Oldx1"]);
    let person = machine.person().recognise("Bygone").recognised;
    assert_eq!(
        (person[0].name.as_str(), &person[0].formerly[..]),
        ("Secret", &["Bygone".to_owned()][..])
    );
}

#[test]
fn keys_of_facts_and_skills_of_lessons_are_names_too() {
    let machine = Machine::lived_in();
    let fact = &named(&machine, "check db_version first")[0];
    assert_eq!((fact.kind, fact.name.as_str()), (ThingKind::Edict, "db_version"));
    assert!(fact.summaries[0].text.contains("PostgreSQL 17"));
    let skill = &named(&machine, "help me with git rebase")[0];
    assert_eq!(
        (skill.kind, skill.name.as_str()),
        (ThingKind::Skill, "git::rebase")
    );
    assert_eq!(skill.sources, ["lessons"]);
    let public = machine.caller(Caller::local_agent(AccessLevel::Public), None);
    assert!(
        public
            .recognise("check db_version and git rebase")
            .recognised
            .is_empty()
    );
}

#[test]
fn what_is_above_the_callers_level_has_no_name() {
    let machine = Machine::lived_in();
    assert!(names(&machine, "ask Zephyrine").is_empty());
    let person = machine.person().recognise("ask Zephyrine");
    assert_eq!(person.recognised[0].name, "Zephyrine");
}

#[test]
fn a_text_past_the_limit_is_not_looked_at_and_that_is_said() {
    let machine = Machine::lived_in();
    let filler = "é".repeat(600 * 1024);
    let text = format!("Orchard {filler} Lampwick");
    let recognition = machine.agent("codex").recognise(&text);
    assert_eq!(recognition.recognised.len(), 1);
    assert!(recognition.looked_at < recognition.text_bytes);
    assert_eq!(recognition.text_bytes, text.len());
    assert!(
        recognition.notes[0].contains("not looked at"),
        "{:?}",
        recognition.notes
    );
}

#[test]
fn one_bad_manifest_hides_no_other() {
    let machine = Machine::lived_in();
    machine.manifest("broken", "agent: {id: broken\n  secret-name: Hush");
    let found = machine.agent("codex").recognise("Orchard");
    assert_eq!(found.recognised.len(), 1);
    assert_eq!(found.notes.len(), 1);
    assert!(!found.notes[0].contains("Hush"));
    assert!(machine.person().recognise("Orchard").notes[0].contains("broken.l5.yaml"));
}

/// A hundred thousand names of one thing are odd, and nobody else waits for them.
#[test]
fn one_thing_of_very_many_names_costs_what_many_things_cost() {
    let machine = Machine::lived_in();
    let mut manifest = String::from(
        "spec_version: \"0.1\"\nagent: {id: many, type: other}\nlast_updated: \"2026-11-29T00:00:00Z\"\n\
         known_entities:\n- name: Hydrangea\n  visibility: team\n  aliases:\n",
    );
    for number in 0..30_000 {
        manifest.push_str(&format!("  - \"Sprout{number} of it\"\n"));
    }
    manifest.push_str("  tags:\n");
    for number in 0..5_000 {
        manifest.push_str(&format!("  - \"leaf{number}\"\n"));
    }
    machine.manifest("many", &manifest);
    let found = named(&machine, "is sprout4711 of it in bloom?");
    assert_eq!(found.len(), 1);
    assert_eq!(
        (found[0].name.as_str(), found[0].also_known_as.len()),
        ("Hydrangea", 30_000)
    );
    assert_eq!(names(&machine, "what about Orchard"), ["Orchard"]);
    let request = ken_memory::RecallRequest::new("hydrangea");
    assert_eq!(machine.agent("codex").recall(&request).hits.len(), 1);
}
