use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use ken_dotagent::Folder;
use ken_memory::Project;
use serde::Serialize;

use crate::context::Context;
use crate::error::CommandError;
use crate::output::{Answer, Output};

/// Make the .agent folder of this project, and trust the project on this machine
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ken init\n  ken init --path ~/work/ledger")]
pub(crate) struct Init {
    /// The project's folder; without it, the git work tree here, else the folder here
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
}

#[derive(Serialize)]
pub(crate) struct Made {
    pub(crate) project: String,
    pub(crate) root: PathBuf,
    /// What was made or changed, relative to the root. Empty when all was there.
    pub(crate) made: Vec<String>,
    pub(crate) trusted: bool,
}

impl Answer for Made {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.made.is_empty() {
            writeln!(out, "{} is ready: everything was there already", self.project)?;
        } else {
            writeln!(
                out,
                "{} is ready; made or changed in {}:",
                self.project,
                self.root.display()
            )?;
            for path in &self.made {
                writeln!(out, "  {path}")?;
            }
        }
        Ok(())
    }
}

impl Init {
    pub(crate) fn run(self, context: &Context, output: &mut Output) -> Result<(), CommandError> {
        let folder = match &self.path {
            Some(path) => std::path::absolute(path)
                .map_err(|e| CommandError::usage(format!("--path {}: {e}", path.display())))?,
            None => context
                .project
                .as_ref()
                .map_or_else(|| context.start.clone(), |p| p.root.clone()),
        };
        output.answer(&init(context, &folder)?)
    }
}

/// Makes `.agent/` in `folder`'s work tree (in `folder` itself outside any), and trusts it.
pub(crate) fn init(context: &Context, folder: &Path) -> Result<Made, CommandError> {
    let project = Project::at(folder, &context.paths).ok_or_else(|| {
        CommandError::could_not(format!(
            "{} cannot be a project: it is not a folder, or it is your home directory; go into the project's own folder",
            folder.display()
        ))
    })?;
    let (_, report) = Folder::init(project.agent_root())?;
    let setting = ken_memory::Setting::person(
        context.paths.clone(),
        context.clock.clone(),
        Some(project.clone()),
    );
    let trust = ken_memory::Memory::open(setting)?.trust()?;
    let made = report
        .created
        .iter()
        .chain(&report.extended)
        .map(|path| path.display().to_string())
        .collect();
    Ok(Made {
        project: project.name.clone(),
        root: project.root,
        made,
        trusted: trust.trusted,
    })
}
