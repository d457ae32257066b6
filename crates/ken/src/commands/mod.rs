//! One file a command: its arguments, its help with an example, and what it prints.

mod completions;
mod man;

use clap::Subcommand;

use crate::context::Context;
use crate::error::CommandError;
use crate::output::Output;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Completions(completions::Completions),
    Man(man::Man),
}

/// Runs a command in its world.
pub(crate) fn run(command: Command, context: &Context, output: &mut Output) -> Result<(), CommandError> {
    match command {
        Command::Completions(command) => command.run(),
        Command::Man(command) => command.run(context, output),
    }
}
