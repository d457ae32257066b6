//! `ken eval`: how good the answers are, measured on cases that people wrote.

mod recognition;

use clap::{Args, Subcommand};

use crate::error::CommandError;
use crate::output::Output;

/// Measure how good the answers are, on cases in a file
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ken eval recognition cases.jsonl")]
pub(crate) struct Eval {
    #[command(subcommand)]
    command: EvalCommand,
}

#[derive(Debug, Subcommand)]
enum EvalCommand {
    Recognition(recognition::Recognition),
}

impl Eval {
    pub(crate) fn run(self, output: &mut Output) -> Result<(), CommandError> {
        match self.command {
            EvalCommand::Recognition(command) => command.run(output),
        }
    }
}
