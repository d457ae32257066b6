use std::io::{self, Write};

use clap::Args;
use serde::Serialize;

use crate::context::Context;
use crate::error::CommandError;
use crate::output::{Answer, Output};

/// Let what this repository carries (edicts, lessons) reach prompts on this machine
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ken trust\n  ken trust --remove")]
pub(crate) struct Trust {
    /// Take the trust back
    #[arg(long)]
    remove: bool,
}

#[derive(Serialize)]
#[serde(transparent)]
struct Answered(ken_memory::Trust);

impl Answer for Answered {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let trust = &self.0;
        let said = match (trust.trusted, trust.changed) {
            (true, true) => "is trusted now: its edicts and lessons reach prompts on this machine",
            (true, false) => "was trusted already",
            (false, true) => "is no longer trusted: its edicts and lessons reach no prompt on this machine",
            (false, false) => "was not trusted",
        };
        writeln!(out, "{} {said}", trust.project)
    }
}

impl Trust {
    pub(crate) fn run(self, context: &Context, output: &mut Output) -> Result<(), CommandError> {
        context.require_project()?;
        let memory = context.memory(None)?;
        let trust = if self.remove {
            memory.untrust()?
        } else {
            memory.trust()?
        };
        output.answer(&Answered(trust))
    }
}
