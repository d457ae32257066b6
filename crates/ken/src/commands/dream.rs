use std::io::{self, Write};

use clap::Args;
use ken_memory::Dreamt;
use serde::Serialize;

use super::{counted, one_line};
use crate::context::Context;
use crate::error::CommandError;
use crate::output::{Answer, Output};

/// Distil what was learned here into lessons, in .agent/semantic/LESSONS.md
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ken dream\n  ken dream --explain --dry-run")]
pub(crate) struct Dream {
    /// Show every group of observations, what it is worth by factor, and why it is a lesson or none
    #[arg(long)]
    explain: bool,
    /// Decide, and write nothing
    #[arg(long)]
    dry_run: bool,
}

#[derive(Serialize)]
struct Told {
    #[serde(flatten)]
    dreamt: Dreamt,
    #[serde(skip)]
    explain: bool,
    dry_run: bool,
}

impl Answer for Told {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let dreamt = &self.dreamt;
        if self.explain {
            for group in &dreamt.groups {
                writeln!(out, "{}: {}", group.decision, one_line(&group.text, 160))?;
                writeln!(
                    out,
                    "    {} · {} · {}, recurrence {}",
                    group.id,
                    group.skill,
                    counted(group.members, "observation", "observations"),
                    group.recurrence
                )?;
                writeln!(
                    out,
                    "    pain {:.2} x importance {:.2} x recurrence {:.3} = strength {:.3}; x decay {:.3} = salience {:.3}; x bm25 {:.3} = score {:.3}",
                    group.pain,
                    group.importance,
                    group.recurred,
                    group.strength,
                    group.decay,
                    group.salience,
                    group.bm25,
                    group.score
                )?;
            }
            if dreamt.weak > 0 {
                writeln!(out, "{} too weak", counted(dreamt.weak, "group is", "groups are"))?;
            }
        }
        let lessons = counted(dreamt.lessons, "lesson", "lessons");
        let events = counted(dreamt.events, "observation", "observations");
        let would = if self.dry_run { "would be " } else { "" };
        writeln!(
            out,
            "{lessons} from {events}; {} {would}{}",
            dreamt.path, dreamt.wrote
        )?;
        if dreamt.skipped > 0 {
            writeln!(
                out,
                "{} of the log cannot be read; `ken status` says why",
                counted(dreamt.skipped as usize, "line", "lines")
            )?;
        }
        Ok(())
    }
}

impl Dream {
    pub(crate) fn run(self, context: &Context, output: &mut Output) -> Result<(), CommandError> {
        let dreamt = context.memory(None)?.dream(self.dry_run)?;
        output.answer(&Told {
            dreamt,
            explain: self.explain,
            dry_run: self.dry_run,
        })
    }
}
