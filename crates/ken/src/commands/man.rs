use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, CommandFactory};
use ken_files::NewFile;
use serde::Serialize;

use crate::cli::Cli;
use crate::error::CommandError;
use crate::output::{Answer, Output};

/// Write the manual pages into a folder
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ken man ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// The folder; made when it is not there
    dir: PathBuf,
}

#[derive(Serialize)]
struct Written {
    folder: PathBuf,
    pages: usize,
}

impl Answer for Written {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "{} manual pages written to {}",
            self.pages,
            self.folder.display()
        )
    }
}

impl Man {
    pub(crate) fn run(self, output: &mut Output) -> Result<(), CommandError> {
        ken_files::create_folder(&self.dir, NewFile::Shared)?;
        let mut pages = 0;
        let mut root = Cli::command();
        root.build();
        write_pages(&root, &self.dir, &mut pages)?;
        output.answer(&Written {
            folder: self.dir,
            pages,
        })
    }
}

/// A page for the command and one for each of its subcommands, `ken-edict-add.1` and so on.
fn write_pages(
    command: &clap::Command,
    folder: &std::path::Path,
    pages: &mut usize,
) -> Result<(), CommandError> {
    let name = command.get_bin_name().unwrap_or("ken").replace(' ', "-");
    let mut page = Vec::new();
    clap_mangen::Man::new(command.clone().name(name.clone()))
        .render(&mut page)
        .map_err(|e| CommandError::could_not(format!("cannot render the page {name}: {e}")))?;
    ken_files::replace(&folder.join(format!("{name}.1")), &page, NewFile::Shared)?;
    *pages += 1;
    for below in command.get_subcommands().filter(|c| c.get_name() != "help") {
        write_pages(below, folder, pages)?;
    }
    Ok(())
}
