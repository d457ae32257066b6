use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use crate::limits::{Limits, warnings};
use crate::model::Edicts;
use crate::name::Label;
use crate::validate::is_stale;

/// What a file holds, in numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Stats {
    /// Edicts in force.
    pub edicts: usize,
    /// The limit on them.
    pub max_edicts: usize,
    /// Tokens of their texts.
    pub tokens: usize,
    /// The limit on these.
    pub token_budget: usize,
    /// Edicts that have expired and still stand in the file.
    pub expired: usize,
    /// Edicts that cannot be read.
    pub set_aside: usize,
    /// Durable edicts that nobody confirmed for longer than `staleThresholdDays`.
    pub stale: usize,
    /// Entries of history.
    pub history: usize,
    /// Edicts in force by category.
    pub by_category: BTreeMap<Label, usize>,
    /// By ttl.
    pub by_ttl: BTreeMap<&'static str, usize>,
    /// By confidence.
    pub by_confidence: BTreeMap<&'static str, usize>,
    /// By tag.
    pub by_tag: BTreeMap<Label, usize>,
    /// Limits that are near or exceeded.
    pub warnings: Vec<String>,
}

impl Edicts {
    /// Counts what stands at `now`, under a caller's limits.
    pub fn stats(&self, limits: &Limits, now: Timestamp) -> Stats {
        let config = self.config.under(limits);
        let usage = self.usage(now);
        let warnings = warnings(&config, &usage);
        let mut stats = Stats {
            edicts: usage.count,
            max_edicts: config.max_edicts,
            tokens: usage.tokens,
            token_budget: config.token_budget,
            expired: self.edicts.len() - usage.count,
            set_aside: self.set_aside.len(),
            stale: 0,
            history: self.history.len(),
            by_category: usage.by_category,
            by_ttl: BTreeMap::new(),
            by_confidence: BTreeMap::new(),
            by_tag: BTreeMap::new(),
            warnings,
        };
        for edict in self.in_force(now) {
            stats.stale += usize::from(is_stale(edict, config.stale_threshold_days, now));
            *stats.by_ttl.entry(edict.ttl.as_str()).or_default() += 1;
            *stats.by_confidence.entry(edict.confidence.as_str()).or_default() += 1;
            for tag in &edict.tags {
                *stats.by_tag.entry(tag.clone()).or_default() += 1;
            }
        }
        stats
    }
}
