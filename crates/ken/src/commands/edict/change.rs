//! The commands that change the file.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use ken_edicts::{Confidence, NewEdict, Outcome, Patch, Ttl, Written};
use serde::Serialize;

use super::Work;
use crate::error::CommandError;
use crate::output::{Answer, Output};

/// Make an edicts.yaml without edicts
#[derive(Debug, Args)]
pub(super) struct Init {}

/// Add a fact; with a known key it replaces the earlier one
#[derive(Debug, Args)]
#[command(after_help = "Example:
  ken edict add \"the API rate limit is 500 a minute\" --category product --key api/rate-limit --tags api,limit")]
pub(super) struct Add {
    /// The fact, in one sentence
    #[arg(
        value_name = "TEXT",
        allow_hyphen_values = true,
        required_unless_present = "text_flag",
        conflicts_with = "text_flag"
    )]
    text: Option<String>,
    /// The fact, as a flag
    #[arg(long = "text", id = "text_flag", value_name = "TEXT")]
    text_flag: Option<String>,
    /// What it belongs to
    #[arg(long, value_name = "C")]
    category: String,
    #[command(flatten)]
    fields: Fields,
}

/// Change a fact
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  ken edict update e_003 --text \"the migration is done\" --no-expiry --ttl durable"
)]
pub(super) struct Update {
    /// The edict
    id: String,
    /// Its new text
    #[arg(long, value_name = "TEXT")]
    text: Option<String>,
    /// Its new category
    #[arg(long, value_name = "C")]
    category: Option<String>,
    /// It no longer expires
    #[arg(long, conflicts_with_all = ["expires_at", "expires_in"])]
    no_expiry: bool,
    #[command(flatten)]
    fields: Fields,
}

/// Move a fact to history
#[derive(Debug, Args)]
pub(super) struct Remove {
    /// The edict
    id: String,
}

/// Say that a fact still holds
#[derive(Debug, Args)]
pub(super) struct Confirm {
    /// The edict
    id: String,
}

/// Bring back what a history entry holds
#[derive(Debug, Args)]
pub(super) struct Restore {
    /// The history entry, as `ken edict history` shows it
    history_id: String,
    /// Its category, for an entry that does not keep one
    #[arg(long, value_name = "C")]
    category: Option<String>,
    /// A new expiry, for one that has expired: a date or a time
    #[arg(long, value_name = "WHEN", conflicts_with = "expires_in")]
    expires_at: Option<String>,
    /// The same as a duration: 30m, 2h, 7d, 4w
    #[arg(long, value_name = "DURATION")]
    expires_in: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct Fields {
    /// Tags, separated by commas
    #[arg(long, value_name = "a,b", value_delimiter = ',')]
    tags: Option<Vec<String>>,
    /// The key under which a later fact replaces this one; it becomes the id
    #[arg(long, value_name = "K")]
    key: Option<String>,
    /// How long it holds: permanent, durable, event or ephemeral
    #[arg(long, value_name = "TTL", value_parser = crate::commands::parse::<Ttl>)]
    ttl: Option<Ttl>,
    /// When it expires: a date (the end of that day) or a time such as 2027-01-31T12:00:00Z
    #[arg(long, value_name = "WHEN", conflicts_with = "expires_in")]
    expires_at: Option<String>,
    /// When it expires, from now: seconds, or 30m, 2h, 7d, 4w
    #[arg(long, value_name = "DURATION")]
    expires_in: Option<String>,
    /// How sure it is: verified, inferred or user
    #[arg(long, value_name = "C", value_parser = crate::commands::parse::<Confidence>)]
    confidence: Option<Confidence>,
    /// Where it comes from
    #[arg(long, value_name = "S")]
    source: Option<String>,
}

#[derive(Serialize)]
struct Made {
    path: PathBuf,
}

impl Answer for Made {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "made {}", self.path.display())
    }
}

#[derive(Serialize)]
struct Done {
    outcome: &'static str,
    edict: ken_edicts::Edict,
    #[serde(skip_serializing_if = "Option::is_none")]
    history_id: Option<String>,
    expired: usize,
    warnings: Vec<String>,
    redacted: Vec<&'static str>,
}

impl From<Written> for Done {
    fn from(written: Written) -> Done {
        let outcome = match written.outcome {
            Outcome::Created => "added",
            Outcome::Superseded => "superseded",
            Outcome::Confirmed => "confirmed",
            Outcome::Updated => "updated",
            Outcome::Unchanged => "unchanged",
            Outcome::Removed => "removed",
            Outcome::Restored => "restored",
        };
        Done {
            outcome,
            edict: written.edict,
            history_id: written.history_id,
            expired: written.expired,
            warnings: written.warnings,
            redacted: written.redactions.iter().map(|finding| finding.kind).collect(),
        }
    }
}

impl Answer for Done {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        write!(out, "{} {}", self.outcome, self.edict.id)?;
        if let Some(expires) = self.edict.expires_at.filter(|_| self.outcome != "removed") {
            write!(out, ", until {expires}")?;
        }
        writeln!(out)?;
        if let Some(history) = &self.history_id {
            writeln!(out, "  what it was is kept as {history}")?;
        }
        write_by_the_way(out, &self.redacted, self.expired, &self.warnings)
    }
}

/// What every change says beside its own answer.
pub(super) fn write_by_the_way(
    out: &mut dyn Write,
    redacted: &[&str],
    expired: usize,
    warnings: &[String],
) -> io::Result<()> {
    if !redacted.is_empty() {
        writeln!(out, "  replaced before it was written: {}", redacted.join(", "))?;
    }
    if expired > 0 {
        writeln!(
            out,
            "  {} moved to history",
            crate::commands::counted(expired, "expired edict", "expired edicts")
        )?;
    }
    for warning in warnings {
        writeln!(out, "  warning: {warning}")?;
    }
    Ok(())
}

impl Fields {
    /// As a change: what is given, with text and category left open.
    pub(super) fn into_patch(self) -> Patch {
        Patch {
            tags: self.tags,
            confidence: self.confidence,
            source: self.source,
            key: self.key,
            ttl: self.ttl,
            expires_at: self.expires_at,
            expires_in: self.expires_in,
            ..Patch::default()
        }
    }
}

impl Init {
    pub(super) fn run(self, work: &Work<'_>, output: &mut Output) -> Result<(), CommandError> {
        work.store.init()?;
        output.answer(&Made {
            path: work.store.path().to_owned(),
        })
    }
}

impl Add {
    pub(super) fn run(self, work: &Work<'_>, output: &mut Output) -> Result<(), CommandError> {
        let new = NewEdict {
            tags: self.fields.tags,
            confidence: self.fields.confidence,
            source: self.fields.source,
            key: self.fields.key,
            ttl: self.fields.ttl,
            expires_at: self.fields.expires_at,
            expires_in: self.fields.expires_in,
            ..NewEdict::new(self.text.or(self.text_flag).unwrap_or_default(), self.category)
        };
        done(work.store.add(new, &work.limits, &work.context.clock), output)
    }
}

impl Update {
    pub(super) fn run(self, work: &Work<'_>, output: &mut Output) -> Result<(), CommandError> {
        let patch = Patch {
            text: self.text,
            category: self.category,
            no_expiry: self.no_expiry,
            ..self.fields.into_patch()
        };
        done(
            work.store
                .update(&self.id, patch, &work.limits, &work.context.clock),
            output,
        )
    }
}

impl Remove {
    pub(super) fn run(self, work: &Work<'_>, output: &mut Output) -> Result<(), CommandError> {
        done(work.store.remove(&self.id, &work.context.clock), output)
    }
}

impl Confirm {
    pub(super) fn run(self, work: &Work<'_>, output: &mut Output) -> Result<(), CommandError> {
        done(work.store.confirm(&self.id, &work.context.clock), output)
    }
}

impl Restore {
    pub(super) fn run(self, work: &Work<'_>, output: &mut Output) -> Result<(), CommandError> {
        let patch = Patch {
            category: self.category,
            expires_at: self.expires_at,
            expires_in: self.expires_in,
            ..Patch::default()
        };
        done(
            work.store
                .restore(&self.history_id, patch, &work.limits, &work.context.clock),
            output,
        )
    }
}

fn done(written: Result<Written, ken_edicts::Error>, output: &mut Output) -> Result<(), CommandError> {
    output.answer(&Done::from(written?))
}
