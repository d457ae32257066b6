//! The limits of `config` and of the caller, and what they say about a change.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::Error;
use crate::model::{Config, Edict, Edicts};
use crate::name::Label;

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

/// What to warn of: four fifths of a hard limit, and more edicts of a category than its limit.
pub(crate) fn warnings(config: &Config, usage: &Usage) -> Vec<String> {
    let mut warnings = Vec::new();
    let mut near = |name: &str, used: usize, limit: usize, unit: &str| {
        if limit > 0 && used * 5 >= limit * 4 {
            let percent = used * 100 / limit;
            warnings.push(format!("{percent} % of {name} is used: {used} of {limit} {unit}"));
        }
    };
    near("maxEdicts", usage.count, config.max_edicts, "edicts");
    near("tokenBudget", usage.tokens, config.token_budget, "tokens");
    for (category, count) in &usage.by_category {
        if let Some(limit) = category_limit(config, category).filter(|limit| count > limit) {
            let edicts = if *count == 1 { "edict" } else { "edicts" };
            warnings.push(format!(
                "the category `{category}` has {count} {edicts}, over its limit of {limit}"
            ));
        }
    }
    warnings
}

/// How many edicts of a category there should be at most.
pub(crate) fn category_limit(config: &Config, category: &Label) -> Option<usize> {
    let own = config.category_limits.get(category).copied();
    own.or(config.default_category_limit)
}
