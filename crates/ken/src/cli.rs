use std::path::PathBuf;

use clap::{Args, Parser};

use crate::commands::Command;

/// One memory for every coding agent on this machine, as plain files.
///
/// Kenning reads what your agents already keep, remembers what they learn, and lets each find what another knows.
#[derive(Debug, Parser)]
#[command(
    name = "ken",
    version,
    propagate_version = true,
    subcommand_required = true,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = "Start with `ken up`, then `ken setup`. The documentation stands in docs/ of the repository."
)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags that every command takes.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Everywhere")]
pub(crate) struct Global {
    /// Print one JSON object instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Print no notices
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Say more about what is done
    #[arg(short, long, global = true, conflicts_with = "quiet")]
    pub(crate) verbose: bool,
    /// Work on the project in this folder instead of the working directory's
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) project: Option<PathBuf>,
    /// Use the library in this folder instead of ~/agent-library
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) library: Option<PathBuf>,
}
