//! The facts that always win in the story's payments project.

use std::path::Path;

use ken_edicts::{Confidence, FILE_NAMES, Limits, NewEdict, Store, Ttl};

use super::Error;
use super::story::Calendar;

struct Fact {
    ago: i32,
    text: &'static str,
    category: &'static str,
    key: &'static str,
    tags: &'static [&'static str],
    ttl: Ttl,
    confidence: Confidence,
    expires_in_days: Option<i32>,
}

const FACTS: &[Fact] = &[
    Fact {
        ago: 28,
        text: "Amounts are integers of cents everywhere; floating point never touches money.",
        category: "architecture",
        key: "money/cents",
        tags: &["money"],
        ttl: Ttl::Permanent,
        confidence: Confidence::Verified,
        expires_in_days: None,
    },
    Fact {
        ago: 28,
        text: "Northquay's statement files are Latin-1 with a decimal comma; Vellum's are UTF-16.",
        category: "integration",
        key: "banks/encoding",
        tags: &["parser", "bank"],
        ttl: Ttl::Durable,
        confidence: Confidence::Verified,
        expires_in_days: None,
    },
    Fact {
        ago: 22,
        text: "Migrations expand, backfill, switch and contract; no maintenance windows.",
        category: "process",
        key: "database/migrations",
        tags: &["migration"],
        ttl: Ttl::Durable,
        confidence: Confidence::User,
        expires_in_days: None,
    },
    Fact {
        ago: 17,
        text: "Tests take the clock as an argument; a retried flaky test is a failed one.",
        category: "process",
        key: "tests/clock",
        tags: &["test"],
        ttl: Ttl::Durable,
        confidence: Confidence::User,
        expires_in_days: None,
    },
    Fact {
        ago: 12,
        text: "A release soaks twenty minutes on pay-1 before the other servers get it.",
        category: "deployment",
        key: "deploy/canary",
        tags: &["deploy"],
        ttl: Ttl::Durable,
        confidence: Confidence::Verified,
        expires_in_days: None,
    },
    Fact {
        ago: 8,
        text: "The card gateway times out after 60 seconds and may then have booked: retry only with the order's idempotency key.",
        category: "integration",
        key: "gateway/timeout",
        tags: &["gateway"],
        ttl: Ttl::Durable,
        confidence: Confidence::Verified,
        expires_in_days: None,
    },
    Fact {
        ago: 6,
        text: "orders.settled_cents must not be dropped before the tax export reads the settlement table.",
        category: "architecture",
        key: "database/settled-cents",
        tags: &["migration"],
        ttl: Ttl::Event,
        confidence: Confidence::User,
        expires_in_days: Some(45),
    },
    Fact {
        ago: 2,
        text: "The auditors visit: the schema of the ledger is frozen.",
        category: "process",
        key: "ledger/freeze",
        tags: &["ledger"],
        ttl: Ttl::Event,
        confidence: Confidence::User,
        expires_in_days: Some(12),
    },
];

/// Adds the facts on their days; answers how many there are.
pub(super) fn write(project: &Path, state: &Path, calendar: &Calendar) -> Result<usize, Error> {
    let store = Store::new(project.join(FILE_NAMES[0]), Some(state.to_owned()));
    store.init()?;
    for fact in FACTS {
        let mut edict = NewEdict::new(fact.text, fact.category);
        edict.tags = Some(fact.tags.iter().map(|tag| (*tag).to_owned()).collect());
        edict.key = Some(fact.key.to_owned());
        edict.ttl = Some(fact.ttl);
        edict.confidence = Some(fact.confidence);
        edict.source = Some("the team".to_owned());
        edict.expires_at = fact.expires_in_days.map(|days| calendar.day(-days).to_string());
        store.add(edict, &Limits::default(), &calendar.clock_at(fact.ago, 18, 0))?;
    }
    Ok(FACTS.len())
}
