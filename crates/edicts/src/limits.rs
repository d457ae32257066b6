//! The limits of `config` and of the caller, and what they say about a change.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::Serialize;

use crate::Error;
use crate::model::{Config, Edict, Edicts};
use crate::name::{Label, quoted};

/// What the caller lays down over the file's `config`. Absent: as the file says.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Limits {
    /// At most this many edicts in force.
    pub max_edicts: Option<usize>,
    /// At most this many tokens of edict text in force.
    pub token_budget: Option<usize>,
    /// Allowed categories; empty allows any.
    pub categories: Option<Vec<Label>>,
    /// How long an ephemeral edict holds that does not say it, in seconds.
    pub default_ephemeral_ttl_seconds: Option<u64>,
}

impl Config {
    /// This configuration under a caller's limits.
    pub fn under(&self, limits: &Limits) -> Config {
        let mut config = self.clone();
        if let Some(limit) = limits.max_edicts {
            config.max_edicts = limit;
        }
        if let Some(limit) = limits.token_budget {
            config.token_budget = limit;
        }
        if let Some(categories) = &limits.categories {
            config.categories.clone_from(categories);
        }
        if let Some(seconds) = limits.default_ephemeral_ttl_seconds {
            config.default_ephemeral_ttl_seconds = seconds;
        }
        config
    }

    /// Refuses a category that is not allowed.
    pub(crate) fn admit(&self, category: &Label) -> Result<(), Error> {
        if self.categories.is_empty() || self.categories.contains(category) {
            return Ok(());
        }
        Err(Error::Category {
            category: category.to_string(),
            allowed: self.categories.iter().map(Label::to_string).collect(),
        })
    }
}

/// What the edicts in force take.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Usage {
    /// Edicts in force.
    pub count: usize,
    /// Tokens of their texts.
    pub tokens: usize,
    /// Edicts in force by category.
    pub by_category: BTreeMap<Label, usize>,
}

impl Edicts {
    /// What the edicts in force take at `now`.
    pub fn usage(&self, now: Timestamp) -> Usage {
        usage_of(self.in_force(now))
    }
}

pub(crate) fn usage_of<'e>(edicts: impl Iterator<Item = &'e Edict>) -> Usage {
    let mut usage = Usage {
        count: 0,
        tokens: 0,
        by_category: BTreeMap::new(),
    };
    for edict in edicts {
        usage.count += 1;
        usage.tokens += edict.tokens();
        *usage.by_category.entry(edict.category.clone()).or_default() += 1;
    }
    usage
}

/// Refuses a change that exceeds a hard limit, unless it does not make the excess larger.
pub(crate) fn enforce(config: &Config, before: &Usage, after: &Usage) -> Result<(), Error> {
    if after.count > config.max_edicts && after.count > before.count {
        return Err(Error::Count {
            limit: config.max_edicts,
            present: before.count,
        });
    }
    if after.tokens > config.token_budget && after.tokens > before.tokens {
        return Err(Error::Budget {
            limit: config.token_budget,
            present: before.tokens,
            needed: after.tokens,
        });
    }
    Ok(())
}

/// A limit that is near or exceeded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct NearLimit {
    /// The name of the limit in `config`: `maxEdicts`, `tokenBudget`, or `categoryLimits` (also where
    /// `defaultCategoryLimit` sets it).
    pub limit: &'static str,
    /// The category, for a limit of one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<Label>,
    /// How much is used: edicts, or tokens.
    pub used: usize,
    /// How much may be used.
    pub allowed: usize,
    /// Which, and how much of it is used.
    pub why: String,
    /// What to type next.
    pub next: String,
}

impl NearLimit {
    /// Whether more is used than may be.
    pub fn is_over(&self) -> bool {
        self.used > self.allowed
    }

    /// Whether changes that would exceed it are refused: all limits but those of categories.
    pub fn is_hard(&self) -> bool {
        self.category.is_none()
    }
}

impl Edicts {
    /// The limits of which the edicts in force at `now` use four fifths or more: the file's, under the caller's.
    pub fn near_limits(&self, limits: &Limits, now: Timestamp) -> Vec<NearLimit> {
        near(&self.config.under(limits), &self.usage(now))
    }
}

fn near(config: &Config, usage: &Usage) -> Vec<NearLimit> {
    let is_near = |used: usize, allowed: usize| used > allowed || allowed > 0 && used * 5 >= allowed * 4;
    let hard = [
        ("maxEdicts", usage.count, config.max_edicts, "edicts"),
        ("tokenBudget", usage.tokens, config.token_budget, "tokens"),
    ];
    let hard = hard
        .into_iter()
        .filter(|(_, used, allowed, _)| is_near(*used, *allowed));
    let hard = hard.map(|(limit, used, allowed, unit)| NearLimit {
        limit,
        category: None,
        used,
        allowed,
        why: match (used * 100).checked_div(allowed) {
            Some(percent) => format!("{percent} % of {limit} is used: {used} of {allowed} {unit}"),
            None => format!("{limit} is 0, and {used} {unit} are used"),
        },
        next: "ken edict stats".to_owned(),
    });
    let soft = usage.by_category.iter().filter_map(|(category, used)| {
        let allowed = category_limit(config, category).filter(|allowed| is_near(*used, *allowed))?;
        let edicts = if *used == 1 { "edict" } else { "edicts" };
        let why = if *used > allowed {
            format!("the category `{category}` has {used} {edicts}, over its limit of {allowed}")
        } else {
            format!("the category `{category}` has {used} of at most {allowed} edicts")
        };
        Some(NearLimit {
            limit: "categoryLimits",
            category: Some(category.clone()),
            used: *used,
            allowed,
            why,
            next: format!("ken edict list --category {}", quoted(category)),
        })
    });
    hard.chain(soft).collect()
}

/// What to warn of after a write: four fifths of a hard limit, and more edicts of a category than its limit.
pub(crate) fn warnings(config: &Config, usage: &Usage) -> Vec<String> {
    let near = near(config, usage).into_iter();
    let told = near.filter(|near| near.is_hard() || near.is_over());
    told.map(|near| near.why).collect()
}

/// How many edicts of a category there should be at most.
fn category_limit(config: &Config, category: &Label) -> Option<usize> {
    let own = config.category_limits.get(category).copied();
    own.or(config.default_category_limit)
}
