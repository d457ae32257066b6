//! Silence is the default: everyday prompts in a repository with ordinary facts.

use ken_memory::{BriefRequest, Situation};

use crate::machine::Machine;

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
const OTHER: &[&str] = &[
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
    "store prices with two decimals",
    "format timestamps in the user's timezone",
    "merge main into my branch",
    "the memory usage grows over time, find the leak",
    "translate the labels to German",
    "plan the work for next week",
    "book a table for two and tell the users of the app",
];

fn machine() -> Machine {
    let machine = Machine::lived_in();
    let facts: String = FACTS
        .iter()
        .map(|fact| format!("  - {{category: c, text: {}}}\n", serde_json::json!(fact)))
        .collect();
    machine.write("edicts.yaml", &format!("version: 1\nedicts:\n{facts}"));
    machine
}

#[test]
fn prompts_about_other_things_get_nothing() {
    let machine = machine();
    let memory = machine.agent("codex");
    let spoken: Vec<&str> = OTHER
        .iter()
        .copied()
        .filter(|prompt| {
            let request = BriefRequest::new(Situation::Prompt((*prompt).to_owned()));
            !memory.brief(&request).text.is_empty()
        })
        .collect();
    assert!(spoken.is_empty(), "{spoken:?}");
}

#[test]
fn prompts_that_a_fact_answers_get_it() {
    let machine = machine();
    let memory = machine.agent("codex");
    for (prompt, fact) in [
        ("explain kubernetes probes", "Kubernetes liveness"),
        ("is postgresql our production database?", "PostgreSQL 16"),
        (
            "how often do webhooks retry, and with which backoff",
            "The retry limit",
        ),
    ] {
        let brief = memory.brief(&BriefRequest::new(Situation::Prompt(prompt.to_owned())));
        assert!(brief.text.contains(fact), "{prompt}: {}", brief.text);
    }
}
