//! Silence is the default, and what is known is heard: measured on prompts as people type them, against a rich memory.
//! The figures stand in the decision on what reaches a prompt.

use ken_memory::{BriefRequest, Memory, Situation};

use crate::machine::Machine;
use crate::rich::{self, ORDINARY, OTHER, PROPER, TOUCHING, TWO_WORDS, dressed, prompts, things};

/// Facts of another project than the rich one.
const FACTS: &[&str] = &[
    "Use pnpm, never npm or yarn, in this repository.",
    "The production database is PostgreSQL 16; migrations must be reversible.",
    "Product v2.0 launches April 15, NOT before.",
    "Database migration in progress, no writes to users table.",
    "All API errors return RFC 9457 problem+json.",
    "Never log customer email addresses.",
    "Feature flags live in config/flags.toml.",
    "The main branch is protected; every change needs two reviews.",
    "Prices are stored in cents as integers.",
    "CI runs on self-hosted ARM runners.",
    "Tests must not call the network.",
    "Secrets come from Vault, never from environment files.",
    "The retry limit for webhooks is 5 with exponential backoff.",
    "Kubernetes liveness probes must not touch the database.",
];

/// Everyday prompts that no fact answers.
const EVERYDAY: &[&str] = &[
    "fix the failing test in the auth module",
    "write a regex that validates an email address",
    "explain what this function does",
    "add a dark mode toggle to the settings page",
    "how do I undo the last git commit",
    "add unit tests for the date helpers",
    "what is the difference between a mutex and a semaphore",
    "make the button blue",
    "update the README with installation steps",
    "convert this script from python to rust",
    "add pagination to the list endpoint",
    "the build fails with error TS2322, can you fix it",
    "review my pull request",
    "create a new react component for the user profile",
    "optimise this SQL query",
    "how can I read a file line by line in go",
    "add logging to the payment service",
    "please continue",
    "yes",
    "no, do it the other way",
    "run the tests",
    "implement a rate limiter",
    "why does the test time out",
    "add a health check endpoint",
    "make the api return 404 instead of 500",
    "the login page is broken on mobile",
    "can you split this file into smaller modules",
    "add types to this javascript file",
    "remove unused imports",
    "how do environment variables work in vite",
    "design a schema for a blog",
    "format timestamps in the user's timezone",
    "merge main into my branch",
    "the memory usage grows over time, find the leak",
    "translate the labels to German",
    "plan the work for next week",
    "book a table for two and tell the users of the app",
];

fn told(memory: &Memory, prompt: &str) -> String {
    memory
        .brief(&BriefRequest::new(Situation::Prompt(prompt.to_owned())))
        .text
}

/// The lines of a brief that say something of the memory.
fn lines(brief: &str) -> Vec<&str> {
    brief.lines().filter(|line| line.starts_with("- ")).collect()
}

#[test]
fn prompts_about_other_things_get_nothing() {
    let (_machine, memory) = rich::memory();
    let plain = prompts(OTHER);
    let mut asked = plain.clone();
    asked.extend(dressed(&plain));
    asked.extend(dressed(&dressed(&plain)).into_iter().step_by(6));
    assert!(asked.len() >= 500, "{}", asked.len());
    let spoken: Vec<String> = asked
        .iter()
        .filter_map(|prompt| {
            let brief = told(&memory, prompt);
            (!brief.is_empty()).then(|| format!("{prompt:?}\n    {}", lines(&brief).join("\n    ")))
        })
        .collect();
    // The bar is 2 in 100; it is 10 of 720 now.
    assert!(
        spoken.len() * 100 <= asked.len() * 2,
        "{} of {}:\n{}",
        spoken.len(),
        asked.len(),
        spoken.join("\n")
    );
}

#[test]
fn long_prompts_about_many_other_things_get_next_to_nothing() {
    let (_machine, memory) = rich::memory();
    let plain = prompts(OTHER);
    let long: Vec<String> = plain.chunks(16).map(|prompts| prompts.join("\n\n")).collect();
    let told: Vec<String> = long.iter().map(|prompt| told(&memory, prompt)).collect();
    let all: Vec<&str> = told.iter().flat_map(|brief| lines(brief)).collect();
    // Three in 21 prompts now, each of them named: the more words there are, the more of them must be shared.
    assert!(long.len() >= 20 && all.len() <= 4, "{}", all.join("\n"));
}

#[test]
fn prompts_that_a_fact_or_lesson_answers_get_it() {
    let (_machine, memory) = rich::memory();
    let asked: Vec<(&str, &str)> = TOUCHING
        .lines()
        .map(|line| line.split_once(" | ").unwrap())
        .collect();
    let mut others = 0;
    let missed: Vec<String> = asked
        .iter()
        .filter_map(|(line, prompt)| {
            let brief = told(&memory, prompt);
            let told = lines(&brief);
            others += told.iter().filter(|told| !told.contains(line)).count();
            (!told.iter().any(|told| told.contains(line)))
                .then(|| format!("{prompt:?} wants {line}\n    {}", told.join("\n    ")))
        })
        .collect();
    assert!(
        others * 5 <= asked.len(),
        "{others} lines beside those that answer"
    );
    // The bar is 20 in 100; it is 17 of 200 now.
    assert!(
        missed.len() * 100 <= asked.len() * 10,
        "{} of {}:\n{}",
        missed.len(),
        asked.len(),
        missed.join("\n")
    );
}

#[test]
fn prompts_that_name_a_known_thing_get_it() {
    let (_machine, memory) = rich::memory();
    let things = things();
    let mut asked: Vec<(String, String)> = Vec::new();
    let frames = [
        "what do we know about @?",
        "continue with @ where we stopped",
        "@: why is it slow",
        "Is @'s owner still the same",
        "move the helper from @ over here, then run the tests",
        "bitte schau dir @ an",
    ];
    let mut ask = |name: &str, written: &str| {
        let frame = frames[asked.len() % frames.len()];
        asked.push((name.to_owned(), frame.replace('@', written)));
    };
    for name in PROPER {
        ask(name, name);
        ask(name, &name.to_lowercase());
    }
    for name in TWO_WORDS {
        ask(name, name);
    }
    let middle = ["what is ", "look at ", "I mean "];
    for thing in things
        .iter()
        .skip(PROPER.len() + ORDINARY.len() + TWO_WORDS.len())
        .step_by(97)
    {
        ask(&thing.name, &thing.name);
        ask(&thing.name, &thing.name.to_lowercase());
        if let Some(alias) = &thing.alias {
            ask(&thing.name, alias);
            ask(&thing.name, &thing.name.replace(' ', "_"));
        }
    }
    // In its own case, within a sentence.
    for (number, name) in ORDINARY.iter().enumerate() {
        asked.push((
            (*name).to_owned(),
            format!("{}{name} again", middle[number % middle.len()]),
        ));
    }
    assert!(asked.len() >= 300, "{}", asked.len());
    let missed: Vec<&(String, String)> = asked
        .iter()
        .filter(|(name, prompt)| !told(&memory, prompt).contains(&format!("- {name} [")))
        .collect();
    // The bar is 2 in 100; it is 1 of 378 now.
    assert!(
        missed.len() * 100 <= asked.len() * 2,
        "{} of {}: {missed:#?}",
        missed.len(),
        asked.len()
    );
}

#[test]
fn everyday_prompts_in_an_ordinary_repository_get_next_to_nothing() {
    let machine = Machine::lived_in();
    let facts: String = FACTS
        .iter()
        .map(|fact| format!("  - {{category: c, text: {}}}\n", serde_json::json!(fact)))
        .collect();
    machine.write("edicts.yaml", &format!("version: 1\nedicts:\n{facts}"));
    let memory = machine.agent("codex");
    let spoken: Vec<String> = EVERYDAY
        .iter()
        .filter_map(|prompt| {
            let brief = told(&memory, prompt);
            (!brief.is_empty()).then(|| format!("{prompt:?}\n    {}", lines(&brief).join("\n    ")))
        })
        .collect();
    // `write a regex that validates an email address` shares both words with a fact.
    assert!(spoken.len() <= 1, "{}", spoken.join("\n"));
    for (prompt, fact) in [
        ("explain kubernetes probes", "Kubernetes liveness"),
        ("is postgresql our production database?", "PostgreSQL 16"),
        (
            "how often do webhooks retry, and with which backoff",
            "The retry limit",
        ),
    ] {
        assert!(told(&memory, prompt).contains(fact), "{prompt}");
    }
}
