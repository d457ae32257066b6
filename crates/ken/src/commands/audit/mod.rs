//! `ken audit`: what must not be where it is.

mod leaks;

use clap::{Args, Subcommand};

use crate::context::Context;
use crate::error::CommandError;
use crate::output::Output;

/// Look for what must not be where it is
#[derive(Debug, Args)]
pub(crate) struct Audit {
    #[command(subcommand)]
    command: AuditCommand,
}

#[derive(Debug, Subcommand)]
enum AuditCommand {
    Leaks(leaks::Leaks),
}

impl Audit {
    pub(crate) fn run(self, context: &Context, output: &mut Output) -> Result<(), CommandError> {
        match self.command {
            AuditCommand::Leaks(command) => command.run(context, output),
        }
    }
}
