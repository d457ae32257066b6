//! The commands that keep the facts few and right: review, stats, compact.

use std::io::{self, Write};
use std::path::Path;

use clap::Args;
use ken_edicts::{Compacted, Pair, Patch, Review, ReviewRequest, Reviewed, Stats};
use serde::Serialize;

use super::Work;
use super::change::Fields;
use super::show::load;
use crate::commands::{counted, one_line};
use crate::error::CommandError;
use crate::output::{Answer, Output};

/// Show the facts that need a look, each with what to type next
#[derive(Debug, Args)]
#[command(name = "review", after_help = "Example:\n  ken edict review --within 30")]
pub(super) struct ReviewFacts {
    /// Stale after so many days without a change or confirmation, over the file's own number
    #[arg(long, value_name = "N")]
    stale_days: Option<u32>,
    /// Also what expires within so many days
    #[arg(long, value_name = "DAYS", default_value_t = 14)]
    within: u32,
}

/// Count the facts, and what they take of their limits
#[derive(Debug, Args)]
#[command(name = "stats", after_help = "Example:\n  ken edict stats --json")]
pub(super) struct CountFacts {}

/// Make one fact of several; what they were is kept in history
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  ken edict compact e_003 e_007 --text \"deploys are frozen from Friday noon to Monday\" --dry-run"
)]
pub(super) struct Compact {
    /// The edicts
    #[arg(required = true, num_args = 1.., value_name = "ID")]
    ids: Vec<String>,
    /// The one text that stands for all
    #[arg(long, value_name = "TEXT")]
    text: String,
    /// Its category, where they do not share one
    #[arg(long, value_name = "C")]
    category: Option<String>,
    /// Show what would be done, and write nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    fields: Fields,
}

#[derive(Serialize)]
struct Looked<'e> {
    path: &'e Path,
    #[serde(flatten)]
    review: Review,
}

fn heading(out: &mut dyn Write, text: &str) -> io::Result<()> {
    let bold = anstyle::Style::new().bold();
    writeln!(out, "{bold}{text}{bold:#}")
}

fn write_one(out: &mut dyn Write, one: &Reviewed) -> io::Result<()> {
    writeln!(out, "  {} {}", one.id, one_line(&one.text, 2_000))?;
    writeln!(out, "    {}; next: {}", one.why, one.next)
}

fn write_pair(out: &mut dyn Write, pair: &Pair) -> io::Result<()> {
    for (id, text) in pair.ids.iter().zip(&pair.texts) {
        writeln!(out, "  {id} {}", one_line(text, 2_000))?;
    }
    writeln!(out, "    {}; next: {}", pair.why, pair.next)
}

impl Answer for Looked<'_> {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let review = &self.review;
        if review.is_empty() {
            return writeln!(out, "nothing needs a look");
        }
        for (title, pairs) in [
            (
                "contradictions: at most one of the two can be right",
                &review.contradictions,
            ),
            ("near-duplicates", &review.near_duplicates),
        ] {
            if !pairs.is_empty() {
                heading(out, title)?;
            }
            for pair in pairs {
                write_pair(out, pair)?;
            }
        }
        for (title, edicts) in [
            ("stale: confirm what still holds", &review.stale),
            ("expiring", &review.expiring),
        ] {
            if !edicts.is_empty() {
                heading(out, title)?;
            }
            for one in edicts {
                write_one(out, one)?;
            }
        }
        if !review.compaction.is_empty() {
            heading(out, "may be one fact")?;
        }
        for group in &review.compaction {
            let ids: Vec<&str> = group.ids.iter().map(ken_edicts::EdictId::as_str).collect();
            writeln!(
                out,
                "  {}, keys under {}: {}",
                group.category,
                group.key_prefix,
                ids.join(", ")
            )?;
            writeln!(out, "    next: {}", group.next)?;
        }
        if !review.limits.is_empty() {
            heading(out, "limits")?;
        }
        for limit in &review.limits {
            writeln!(out, "  {}; next: {}", limit.why, limit.next)?;
        }
        Ok(())
    }
}

#[derive(Serialize)]
struct Counted<'e> {
    path: &'e Path,
    #[serde(flatten)]
    stats: Stats,
}

impl Answer for Counted<'_> {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let stats = &self.stats;
        writeln!(out, "edicts      {} of {}", stats.edicts, stats.max_edicts)?;
        writeln!(out, "tokens      {} of {}", stats.tokens, stats.token_budget)?;
        for (name, number) in [
            ("stale", stats.stale),
            ("expired", stats.expired),
            ("set aside", stats.set_aside),
            ("history", stats.history),
        ] {
            writeln!(out, "{name:<11} {number}")?;
        }
        let listed = |parts: Vec<String>| match parts.is_empty() {
            true => "none".to_owned(),
            false => parts.join(", "),
        };
        let labels = |counts: &std::collections::BTreeMap<ken_edicts::Label, usize>| {
            listed(counts.iter().map(|(name, n)| format!("{name} {n}")).collect())
        };
        let words = |counts: &std::collections::BTreeMap<&str, usize>| {
            listed(counts.iter().map(|(name, n)| format!("{name} {n}")).collect())
        };
        writeln!(out, "categories  {}", labels(&stats.by_category))?;
        writeln!(out, "ttl         {}", words(&stats.by_ttl))?;
        writeln!(out, "confidence  {}", words(&stats.by_confidence))?;
        writeln!(out, "tags        {}", labels(&stats.by_tag))?;
        for warning in &stats.warnings {
            writeln!(out, "warning: {warning}")?;
        }
        Ok(())
    }
}

#[derive(Serialize)]
struct Archived {
    id: String,
    text: String,
    history_id: String,
}

#[derive(Serialize)]
struct OfSeveral {
    outcome: &'static str,
    dry_run: bool,
    edict: ken_edicts::Edict,
    merged: Vec<Archived>,
    expired: usize,
    warnings: Vec<String>,
    redacted: Vec<&'static str>,
}

impl OfSeveral {
    fn new(compacted: Compacted, dry_run: bool) -> OfSeveral {
        let merged = compacted.merged.into_iter().map(|merged| Archived {
            id: merged.id.to_string(),
            text: merged.text,
            history_id: merged.history_id,
        });
        OfSeveral {
            outcome: "compacted",
            dry_run,
            edict: compacted.edict,
            merged: merged.collect(),
            expired: compacted.expired,
            warnings: compacted.warnings,
            redacted: compacted.redactions.iter().map(|finding| finding.kind).collect(),
        }
    }
}

impl Answer for OfSeveral {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let edict = &self.edict;
        let does = if self.dry_run { "would make" } else { "made" };
        writeln!(
            out,
            "{does} {} of {}: {}",
            edict.id,
            counted(self.merged.len(), "edict", "edicts"),
            one_line(&edict.text, 2_000)
        )?;
        write!(out, "  {}, {}", edict.category, edict.ttl.as_str())?;
        if let Some(expires) = edict.expires_at {
            write!(out, " until {expires}")?;
        }
        writeln!(out, ", {}, source {}", edict.confidence.as_str(), edict.source)?;
        for merged in &self.merged {
            writeln!(out, "  {} {}", merged.id, one_line(&merged.text, 2_000))?;
            let kept = if self.dry_run { "would be kept" } else { "is kept" };
            writeln!(out, "    {kept} as {}", merged.history_id)?;
        }
        super::change::write_by_the_way(out, &self.redacted, self.expired, &self.warnings)?;
        if self.dry_run {
            writeln!(out, "nothing was written")?;
        }
        Ok(())
    }
}

impl ReviewFacts {
    pub(super) fn run(self, work: &Work<'_>, output: &mut Output) -> Result<(), CommandError> {
        let edicts = load(work, output)?;
        let request = ReviewRequest {
            stale_days: self.stale_days,
            within_days: self.within,
            limits: work.limits.clone(),
        };
        output.answer(&Looked {
            path: work.store.path(),
            review: edicts.review(&request, work.context.clock.now()),
        })
    }
}

impl CountFacts {
    pub(super) fn run(self, work: &Work<'_>, output: &mut Output) -> Result<(), CommandError> {
        let edicts = load(work, output)?;
        output.answer(&Counted {
            path: work.store.path(),
            stats: edicts.stats(&work.limits, work.context.clock.now()),
        })
    }
}

impl Compact {
    pub(super) fn run(self, work: &Work<'_>, output: &mut Output) -> Result<(), CommandError> {
        let patch = Patch {
            text: Some(self.text),
            category: self.category,
            ..self.fields.into_patch()
        };
        let clock = &work.context.clock;
        let compacted = work
            .store
            .compact(&self.ids, patch, self.dry_run, &work.limits, clock)?;
        output.answer(&OfSeveral::new(compacted, self.dry_run))
    }
}
