use std::collections::HashMap;

use jiff::{SignedDuration, Timestamp};
use serde_json::Map;

use super::*;
use crate::{Event, EventId, Harness, Origin, Review, SkillAction, Supersedes, Verdict};

fn now() -> Timestamp {
    "2026-05-13T12:00:00Z".parse().unwrap()
}

fn days_ago(days: f64) -> Timestamp {
    now()
        .checked_sub(SignedDuration::from_secs((days * 86_400.0) as i64))
        .unwrap()
}

fn id(number: usize) -> EventId {
    EventId::parse(&format!("evt_01JR04071200XYZA1B2C{number:06}")).unwrap()
}

/// An event with everything that does not matter here left at its usual value.
fn event(number: usize, skill: &str, age: f64, pain: f64, importance: f64, content: &str) -> Logged {
    Logged {
        event: Event {
            schema_version: "1.0".to_owned(),
            id: id(number),
            timestamp: days_ago(age),
            content: content.to_owned(),
            pain,
            importance,
            recurrence: 0,
            skill_action: SkillAction::parse(skill).unwrap(),
            source_harness: Some(Harness::parse("cli").unwrap()),
            pinned: false,
            origin: None,
            tags: Vec::new(),
            supersedes: None,
            client_dedup_key: None,
            extra: Map::new(),
        },
        line: number as u64 + 1,
    }
}

struct World {
    events: Vec<Logged>,
    reviews: Reviews,
    seen: HashMap<EventId, Timestamp>,
    facts: Vec<String>,
    now: Timestamp,
}

impl World {
    fn new(events: Vec<Logged>) -> World {
        World {
            events,
            reviews: Reviews::default(),
            seen: HashMap::new(),
            facts: Vec::new(),
            now: now(),
        }
    }

    fn dream(&self) -> Dream {
        dream(&DreamInputs {
            events: &self.events,
            reviews: &self.reviews,
            seen: &self.seen,
            facts: &self.facts,
            now: self.now,
            settings: DreamSettings::default(),
        })
    }

    /// The texts of the lessons, best first.
    fn lessons(&self) -> Vec<String> {
        let dream = self.dream();
        let lessons = dream.lessons();
        lessons
            .map(|group| self.events[group.speaker].event.content.clone())
            .collect()
    }
}

/// What was learned, the older first, each worth a lesson.
fn told(texts: &[&str]) -> World {
    let events = texts
        .iter()
        .enumerate()
        .map(|(number, text)| event(number, "general", (texts.len() - number) as f64, 8.0, 8.0, text));
    World::new(events.collect())
}

fn case() -> World {
    let errors = "rust::axum::error_handling";
    let tasks = "rust::tokio::async_patterns";
    World::new(vec![
        event(
            0,
            errors,
            1.0,
            8.0,
            9.0,
            "A handler that returns Result needs IntoResponse for its error type",
        ),
        event(
            1,
            errors,
            2.0,
            6.0,
            7.0,
            "Map database failures to a status before they leave the layer",
        ),
        event(
            2,
            errors,
            4.0,
            5.0,
            5.0,
            "Log the cause chain once at the outermost extractor",
        ),
        event(
            3,
            tasks,
            1.0,
            7.0,
            8.0,
            "Holding a mutex guard across an await deadlocks the worker",
        ),
        event(
            4,
            tasks,
            3.0,
            6.0,
            6.0,
            "Spawn blocking work on its own pool instead of the reactor",
        ),
        event(
            5,
            tasks,
            5.0,
            5.0,
            7.0,
            "Cancel safety decides which branch of select may be dropped",
        ),
        event(
            6,
            tasks,
            6.0,
            4.0,
            5.0,
            "Name the tasks so that a dump of the runtime can be read",
        ),
    ])
}

#[test]
fn the_case_of_two_skills_comes_out_as_the_formula_says() {
    let world = case();
    let shown: Vec<f64> = world
        .events
        .iter()
        .map(|logged| (Salience::of(&logged.event, now()).value * 1000.0).round() / 1000.0)
        .collect();
    assert_eq!(shown, [0.670, 0.364, 0.188, 0.521, 0.291, 0.245, 0.130]);
    let dream = world.dream();
    let mut lessons: Vec<usize> = dream.lessons().map(|group| group.speaker).collect();
    lessons.sort_unstable();
    assert_eq!(lessons, [0, 1, 3, 4, 5]);
    assert_eq!(dream.weak, 2);
    let sum = |events: &[usize], recurrence: u64| -> f64 {
        let worth = events.iter().map(|event| {
            let event = &world.events[*event].event;
            Salience::at(event.timestamp, event.pain, event.importance, recurrence, now()).value
        });
        (worth.sum::<f64>() * 1000.0).round() / 1000.0
    };
    assert_eq!((sum(&[0, 1, 2], 3), sum(&[3, 4, 5, 6], 4)), (2.917, 3.098));
}

#[test]
fn lessons_retire_when_nothing_new_comes_and_stay_when_a_person_says_so() {
    let mut world = case();
    world.now = now().checked_add(SignedDuration::from_hours(24 * 90)).unwrap();
    assert!(world.lessons().is_empty());
    let said = |verdict, id, recurrence| Review {
        id,
        verdict,
        at: world.now,
        recurrence,
    };
    world.reviews = Reviews::new(vec![
        said(Verdict::Accept, id(2), 0),
        said(Verdict::Confirm, id(3), 0),
    ]);
    let dream = world.dream();
    let mut lessons: Vec<usize> = dream.lessons().map(|group| group.speaker).collect();
    lessons.sort_unstable();
    assert_eq!(
        lessons,
        [2, 3],
        "accepted ones stay however weak, confirmed ones are as new"
    );
    world.seen.insert(id(0), world.now);
    assert_eq!(
        world.dream().lessons().count(),
        3,
        "so are those that answered a question"
    );
}

#[test]
fn what_was_rejected_comes_back_only_when_it_resurfaces() {
    let text = "Holding a mutex guard across an await deadlocks the worker";
    let mut world = World::new(vec![event(0, "tokio", 2.0, 8.0, 8.0, text)]);
    let at = now();
    world.reviews = Reviews::new(vec![Review {
        id: id(0),
        verdict: Verdict::Reject,
        at,
        recurrence: 0,
    }]);
    assert_eq!(world.dream().groups[0].decision, Decision::Rejected);
    world.events.push(event(1, "tokio", 1.0, 5.0, 5.0, text));
    assert_eq!(world.lessons(), [text]);
}

#[test]
fn what_says_one_thing_is_one_lesson_and_the_weightiest_speaks() {
    let world = World::new(vec![
        event(
            0,
            "db",
            3.0,
            5.0,
            6.0,
            "the importer needs the table lock before it truncates staging",
        ),
        event(
            1,
            "db",
            2.0,
            9.0,
            8.0,
            "The importer needs a table lock before it truncates the staging table.",
        ),
        event(
            2,
            "db",
            1.0,
            4.0,
            4.0,
            "importer needs the table lock, before it truncates staging!",
        ),
        event(
            3,
            "db",
            1.0,
            8.0,
            8.0,
            "backups run on the replica, never on the primary",
        ),
    ]);
    let dream = world.dream();
    let groups: Vec<(usize, Vec<usize>, u64)> = dream
        .lessons()
        .map(|group| (group.speaker, group.members.clone(), group.recurrence))
        .collect();
    assert!(groups.contains(&(1, vec![0, 1, 2], 2)), "{groups:?}");
    assert_eq!(groups.len(), 2);
}

#[test]
fn what_differs_in_a_value_is_never_one_thing() {
    for (one, other) in [
        (
            "retry the upload three times before giving up on the batch",
            "retry the upload 5 times before giving up on the batch",
        ),
        (
            "the gateway of the payment service listens on port 8080 in staging",
            "the gateway of the payment service listens on port 9090 in staging",
        ),
        (
            "never run the migration while the importer is active",
            "run the migration while the importer is active",
        ),
        (
            "upgrade the runner image to v2.4.1 before the release branch is cut",
            "upgrade the runner image to v2.5.0 before the release branch is cut",
        ),
        (
            "the certificate of the staging gateway expires on 2026-06-01",
            "the certificate of the staging gateway expires on 2026-09-01",
        ),
        (
            "ask Alice before you touch the billing export job",
            "ask Bob before you touch the billing export job",
        ),
    ] {
        let world = World::new(vec![
            event(0, "ops", 2.0, 8.0, 8.0, one),
            event(1, "ops", 1.0, 8.0, 8.0, other),
        ]);
        let dream = world.dream();
        assert!(
            dream.groups.iter().all(|group| group.members.len() == 1),
            "{one} / {other}"
        );
    }
}

/// Pairs of which the later says that the earlier no longer holds.
const UPDATES: &[(&str, &str)] = &[
    ("The office is in London", "The office is now in Tokyo"),
    (
        "The office is in London",
        "We moved the office from London to Tokyo",
    ),
    ("The main database is PostgreSQL", "The main database is SQLite"),
    (
        "We use PostgreSQL for the main database",
        "We switched the main database from PostgreSQL to SQLite",
    ),
    (
        "The request timeout is 30 seconds",
        "The request timeout is 60 seconds",
    ),
    (
        "The request timeout is 30 seconds",
        "Raised the request timeout to 60 seconds",
    ),
    (
        "The API rate limit is 500 a minute",
        "The API rate limit is 600 a minute",
    ),
    ("Deploys go out on Friday", "Deploys go out on Tuesday"),
    ("The release is due 2026-06-01", "The release is due 2026-07-15"),
    ("The current release is v1.9.3", "The current release is v2.0.0"),
    ("Alice owns the billing service", "Bob owns the billing service"),
    ("The build uses Webpack", "The build no longer uses Webpack"),
    (
        "Sessions are cached in Redis",
        "Sessions are cached in Valkey now",
    ),
    (
        "Sessions are cached in Redis",
        "We replaced Redis with Valkey for cached sessions",
    ),
    (
        "The queue keeps 7 days of messages",
        "The queue keeps 14 days of messages",
    ),
    ("Node 18 runs the frontend", "Node 22 runs the frontend"),
    ("Staging listens on port 8443", "Staging listens on port 9443"),
    ("Tests may touch the network", "Tests may not touch the network"),
    (
        "The worker pool has 4 threads",
        "Bumped the worker pool to 8 threads",
    ),
    (
        "Invoices are sent by Mailgun",
        "Invoices are sent by Postmark instead of Mailgun",
    ),
    (
        "The mirror lives in Frankfurt",
        "The mirror moved from Frankfurt to Dublin",
    ),
    ("Logs are kept for 30 days", "Logs are kept for 90 days"),
    (
        "Feature flags come from LaunchDarkly",
        "Feature flags come from Unleash",
    ),
    (
        "The style guide allows tabs",
        "The style guide does not allow tabs",
    ),
];

#[test]
fn the_later_of_two_values_of_one_thing_takes_the_place_of_the_earlier() {
    let mut missed = Vec::new();
    for (old, new) in UPDATES {
        let world = told(&[old, "The metrics endpoint answers on port 8080", new]);
        let lessons = world.lessons();
        assert!(lessons.contains(&(*new).to_owned()), "{old} / {new}: {lessons:?}");
        if lessons.contains(&(*old).to_owned()) {
            missed.push(format!("{old} / {new}"));
        } else {
            assert_eq!(lessons.len(), 2, "the unrelated port stays: {lessons:?}");
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn what_only_looks_like_an_update_swallows_nothing() {
    for (one, other) in [
        ("Service 1 answers on port 8001", "Service 2 answers on port 8002"),
        ("Alice owns billing", "Alice owns search"),
        ("The importer reads CSV", "The exporter writes CSV"),
        ("Retry uploads 3 times", "Retry downloads 5 times"),
        ("Redis caches sessions", "Redis queues jobs"),
        ("The London office opens at 9", "The Tokyo office opens at 10"),
        ("Moved the docs to the wiki", "The importer is in Rust"),
        ("The parser drops NUL bytes", "The printer keeps NUL bytes"),
    ] {
        let lessons = told(&[one, other]).lessons();
        assert_eq!(lessons.len(), 2, "{one} / {other}: {lessons:?}");
    }
}

#[test]
fn a_successor_stands_in_for_what_it_replaced_however_lightly_it_was_said() {
    let mut world = World::new(vec![
        event(0, "general", 2.0, 9.0, 9.0, "The request timeout is 30 seconds"),
        event(1, "general", 1.0, 5.0, 5.0, "The request timeout is 60 seconds"),
    ]);
    assert_eq!(world.lessons(), ["The request timeout is 60 seconds"]);
    // By name, whatever they say.
    world.events = vec![
        event(0, "general", 2.0, 9.0, 9.0, "The importer is single-threaded"),
        event(
            1,
            "general",
            1.0,
            2.0,
            2.0,
            "It scales over cores since the rewrite",
        ),
    ];
    world.events[1].event.supersedes = Some(Supersedes::Event(id(0)));
    assert_eq!(world.lessons(), ["It scales over cores since the rewrite"]);
    // Words out of a tool displace nobody's.
    world.events[1].event.origin = Some(Origin::Tool);
    assert_eq!(world.lessons(), ["The importer is single-threaded"]);
}

#[test]
fn facts_in_force_override_and_words_of_tools_wait_for_a_person() {
    let mut world = told(&[
        "The office is in London",
        "A page said that the cache may be cleared at will",
    ]);
    world.facts = vec!["the office is in Tokyo".to_owned()];
    world.events[1].event.origin = Some(Origin::Tool);
    assert!(world.lessons().is_empty());
    let decisions: Vec<Decision> = world
        .dream()
        .groups
        .into_iter()
        .map(|group| group.decision)
        .collect();
    assert!(
        decisions.contains(&Decision::Overridden("the office is in Tokyo".to_owned())),
        "{decisions:?}"
    );
    assert!(decisions.contains(&Decision::ToolsOnly), "{decisions:?}");
    world.reviews = Reviews::new(vec![Review {
        id: id(1),
        verdict: Verdict::Accept,
        at: now(),
        recurrence: 0,
    }]);
    assert_eq!(world.lessons().len(), 1);
}

#[test]
fn every_factor_is_finite_and_none_is_below_nothing() {
    let texts = ["!!!", "a", "never, no, not", "42", "日本語", "w"];
    let events = (0..)
        .zip(texts)
        .map(|(number, text)| event(number, "general", 9_999.0 * number as f64, 10.0, 10.0, text));
    let mut world = World::new(events.collect());
    world.events[0].event.timestamp = "9999-12-01T00:00:00Z".parse().unwrap();
    world.events[1].event.recurrence = u64::MAX;
    for group in world.dream().groups {
        for factor in [
            group.bm25,
            group.score,
            group.salience.value,
            group.salience.strength(),
        ] {
            assert!(factor.is_finite() && factor.is_sign_positive(), "{group:?}");
        }
    }
    assert!(World::new(Vec::new()).dream().groups.is_empty());
}

#[test]
fn budgets_hold_and_the_best_stay() {
    let words = [
        "amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "haven",
    ];
    let events = (0..60).map(|number| {
        let text = format!(
            "{} {} {} needs care",
            words[number % 8],
            words[number / 8],
            ["alpha", "omega"][number % 2]
        );
        event(number, "general", 1.0, 8.0, 4.0 + number as f64 / 10.0, &text)
    });
    let world = World::new(events.collect());
    let dream = world.dream();
    assert_eq!(dream.lessons().count(), 40);
    let scores: Vec<f64> = dream.lessons().map(|group| group.score).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b));
    let long = "word ".repeat(1_000);
    let world = told(&[&long, "a short one", &format!("other {long}")]);
    let lessons = world.dream();
    assert!(
        lessons.lessons().count() >= 2,
        "a long one is cut, and none keeps the others out"
    );
}
