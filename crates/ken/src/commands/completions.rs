use clap::{Args, CommandFactory};
use clap_complete::Shell;

use crate::cli::Cli;
use crate::error::CommandError;

/// Print completions for a shell
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ken completions bash > ~/.local/share/bash-completion/completions/ken")]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self) -> Result<(), CommandError> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut Cli::command(), "ken", &mut script);
        crate::output::raw(&script)
    }
}
