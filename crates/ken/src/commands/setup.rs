use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use ken_agents::wiring::{
    Agent, Deed, FileChange, Plan, PlannedAgent, Request, Scope, WiringError, Written, agent, agents,
    plan_setup, plan_unsetup,
};
use ken_library::AccessLevel;
use serde::Serialize;

use crate::context::Context;
use crate::error::CommandError;
use crate::output::{Answer, Output};

/// Wire ken into agents: MCP server, hooks, and five lines in their instructions
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ken setup --dry-run
  ken setup claude-code codex --yes
  ken setup --user --access team
Agents: claude-code, codex; without a name, those that are installed.
Every changed file is copied under the state directory first; `ken unsetup` takes out what was put in.")]
pub(crate) struct Setup {
    #[command(flatten)]
    choice: Choice,
    /// What the agents may see at most: public, team or private; without it, what the settings say
    #[arg(long, value_name = "LEVEL", value_parser = super::parse::<AccessLevel>)]
    access: Option<AccessLevel>,
}

/// Take out again what `ken setup` put into agents' settings
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ken unsetup --dry-run
  ken unsetup codex --yes
  ken unsetup --user
A file that nobody changed since gets the bytes that it had before; in others only what setup wrote goes.")]
pub(crate) struct Unsetup {
    #[command(flatten)]
    choice: Choice,
    /// Taken for symmetry with `ken setup`
    #[arg(long, value_name = "LEVEL", value_parser = super::parse::<AccessLevel>, hide = true)]
    access: Option<AccessLevel>,
}

#[derive(Debug, Args)]
struct Choice {
    /// The agents; without any, all that are installed
    #[arg(value_name = "AGENT")]
    agents: Vec<String>,
    /// Your own settings, for every project, instead of this project's
    #[arg(long)]
    user: bool,
    /// Show the exact changes and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Write without asking
    #[arg(long)]
    yes: bool,
}

impl Setup {
    pub(crate) fn run(self, context: &Context, output: &mut Output) -> Result<(), CommandError> {
        self.choice.run(Deed::Setup, self.access, context, output)
    }
}

impl Unsetup {
    pub(crate) fn run(self, context: &Context, output: &mut Output) -> Result<(), CommandError> {
        self.choice.run(Deed::Unsetup, self.access, context, output)
    }
}

/// Asks a person on a terminal whether these agents are to be wired in this project, and does it.
pub(crate) fn offer(agents: &[&str], context: &Context, output: &mut Output) -> Result<(), CommandError> {
    if agents.is_empty() || context.project.is_none() || !can_ask(output) {
        return Ok(());
    }
    let titles: Vec<&str> = agents
        .iter()
        .filter_map(|id| Some(agent(id).ok()?.title))
        .collect();
    output.notice(&format!(
        "\nWire {} to this memory, in this project? `ken setup --dry-run` shows what would be written. [y/N]",
        titles.join(" and ")
    ));
    if !says_yes() {
        return Ok(());
    }
    let choice = Choice {
        agents: agents.iter().map(|agent| (*agent).to_owned()).collect(),
        user: false,
        dry_run: false,
        yes: true,
    };
    choice.run(Deed::Setup, None, context, output)
}

/// Whether there is a person to ask.
fn can_ask(output: &Output) -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal() && !output.is_silent()
}

fn says_yes() -> bool {
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).unwrap_or_default();
    matches!(answer.trim().to_lowercase().as_str(), "y" | "yes")
}

impl Choice {
    fn run(
        self,
        deed: Deed,
        access: Option<AccessLevel>,
        context: &Context,
        output: &mut Output,
    ) -> Result<(), CommandError> {
        let scope = if self.user { Scope::User } else { Scope::Project };
        let request = context.wiring(scope, access);
        if !request.program.is_absolute() {
            return Err(CommandError::could_not(
                "the path of this program cannot be found out; start it by its absolute path",
            ));
        }
        let chosen = self.chosen(deed, &request)?;
        let plan = match deed {
            Deed::Setup => plan_setup(&chosen, &request),
            Deed::Unsetup => plan_unsetup(&chosen, &request),
        };
        let plan = plan.map_err(refused)?;
        let shown = Shown {
            project: request.project.clone(),
        };
        let mut report = Report {
            deed,
            scope,
            agents: plan.agents.clone(),
            files: plan.files.iter().map(|change| shown.file(change)).collect(),
            written: false,
            dry_run: self.dry_run,
        };
        if self.dry_run {
            return output.answer(&report);
        }
        if !plan.is_empty() && !self.yes && !agreed(&report, output)? {
            output.notice("Nothing was written.");
            return Ok(());
        }
        report.agents = plan.agents_once_written();
        let applied = write(plan, context, output)?;
        // Nothing to write is nothing written.
        report.written = !applied.is_empty();
        for written in applied {
            if let Some(file) = report.files.iter_mut().find(|file| file.path == written.path) {
                file.backup = written.backup;
            }
        }
        output.answer(&report)
    }

    fn chosen(&self, deed: Deed, request: &Request) -> Result<Vec<&'static Agent>, CommandError> {
        if self.agents.is_empty() {
            let found: Vec<_> = agents()
                .iter()
                .copied()
                .filter(|agent| deed == Deed::Unsetup || request.installed(agent).is_some())
                .collect();
            if found.is_empty() {
                let known: Vec<&str> = agents().iter().map(|agent| agent.id).collect();
                return Err(CommandError::could_not(format!(
                    "no agent that ken can set up was found on this machine; name one of {} to set it up all the same",
                    known.join(", ")
                )));
            }
            return Ok(found);
        }
        let mut chosen: Vec<&'static Agent> = Vec::new();
        for name in &self.agents {
            let agent = agent(name).map_err(refused)?;
            if chosen.iter().all(|known| known.id != agent.id) {
                chosen.push(agent);
            }
        }
        Ok(chosen)
    }
}

fn write(plan: Plan, context: &Context, output: &Output) -> Result<Vec<Written>, CommandError> {
    let applied = plan.apply_telling(&context.clock, |waits| output.notice(waits));
    Ok(applied.map_err(refused)?.files)
}

fn refused(error: WiringError) -> CommandError {
    match error {
        WiringError::UnknownAgent { .. } => CommandError::usage(error.to_string()),
        error => CommandError::could_not(error.to_string()),
    }
}

/// Shows the changes and asks. Without a person to ask, that is a wrong use of the command.
fn agreed(report: &Report, output: &Output) -> Result<bool, CommandError> {
    if !can_ask(output) {
        return Err(CommandError::usage(
            "there is nobody to ask here, so nothing was written; add --yes to write, or --dry-run to see the changes",
        ));
    }
    for file in &report.files {
        output.notice(&file.shown());
    }
    // The changes fill more than a screen: what they come to stands beside the question.
    for file in &report.files {
        output.notice(&format!("{}: {}", file.name, report.said(file)));
    }
    for note in report.agents.iter().flat_map(|agent| &agent.notes) {
        output.notice(&format!("note: {note}"));
    }
    output.notice(match report.deed {
        Deed::Setup => "Write this? [y/N]",
        Deed::Unsetup => "Take this out? [y/N]",
    });
    Ok(says_yes())
}

/// How files are named to the person: those of the project by their place in it.
struct Shown {
    project: Option<PathBuf>,
}

impl Shown {
    fn name(&self, path: &Path) -> String {
        let inside = self
            .project
            .as_deref()
            .and_then(|root| path.strip_prefix(root).ok());
        inside.unwrap_or(path).display().to_string()
    }

    /// Whether another file is written than the one that is named: through a link of its own or of a folder in the
    /// project.
    fn leads_elsewhere(&self, change: &FileChange) -> bool {
        let inside = |root: &PathBuf| change.path.starts_with(root) && !change.real.starts_with(root);
        change.path.is_symlink() || self.project.as_ref().is_some_and(inside)
    }

    fn file(&self, change: &FileChange) -> File {
        let name = self.name(&change.path);
        File {
            diff: visible(&change.diff(&name)),
            leads_to: self.leads_elsewhere(change).then(|| change.real.clone()),
            path: change.path.clone(),
            says: change.says.clone(),
            removed: change.after.is_none(),
            backup: None,
            name,
        }
    }
}

/// A text of other people's files as a terminal may be given it: no control character acts.
fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let plain = match letter {
            '\n' | '\t' => true,
            '\r' => letters.peek() == Some(&'\n'),
            letter => !letter.is_control(),
        };
        shown.push(if plain {
            letter
        } else {
            char::REPLACEMENT_CHARACTER
        });
    }
    shown
}

#[derive(Serialize)]
struct Report {
    deed: Deed,
    scope: Scope,
    agents: Vec<PlannedAgent>,
    /// The files that change.
    files: Vec<File>,
    /// Whether anything was written.
    written: bool,
    dry_run: bool,
}

#[derive(Serialize)]
struct File {
    #[serde(skip)]
    name: String,
    path: PathBuf,
    /// The file that is written, where `path` is a link.
    #[serde(skip_serializing_if = "Option::is_none")]
    leads_to: Option<PathBuf>,
    says: Vec<String>,
    removed: bool,
    diff: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    backup: Option<PathBuf>,
}

impl File {
    /// The change as it is shown before it is agreed to.
    fn shown(&self) -> String {
        match &self.leads_to {
            Some(real) => format!("{} is a link to {}\n{}", self.name, real.display(), self.diff),
            None => self.diff.clone(),
        }
    }
}

impl Answer for Report {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let titles: Vec<&str> = self.agents.iter().map(|agent| agent.title).collect();
        let titles = titles.join(", ");
        if self.files.is_empty() {
            match self.deed {
                Deed::Setup => writeln!(out, "{titles}: set up already, nothing to write")?,
                Deed::Unsetup => writeln!(out, "{titles}: nothing of ken's was found, nothing to write")?,
            }
        }
        if self.dry_run {
            for file in &self.files {
                write!(out, "{}", file.shown())?;
            }
            if !self.files.is_empty() {
                writeln!(out, "Nothing was written.")?;
            }
        } else {
            for file in &self.files {
                let through = match &file.leads_to {
                    Some(real) => format!(" (a link to {})", real.display()),
                    None => String::new(),
                };
                let deed = if file.removed { "removed" } else { "wrote" };
                writeln!(out, "{deed} {}{through}: {}", file.name, self.said(file))?;
                if let Some(backup) = &file.backup {
                    writeln!(out, "  a copy of what it was: {}", backup.display())?;
                }
            }
        }
        let mut opened = false;
        for agent in &self.agents {
            for note in &agent.notes {
                writeln!(out, "note: {note}")?;
            }
        }
        for agent in &self.agents {
            for sentence in agent
                .remains
                .iter()
                .filter(|_| self.written && !self.files.is_empty())
            {
                if !opened {
                    writeln!(out, "Still to do by hand:")?;
                    opened = true;
                }
                writeln!(out, "  {}: {sentence}", agent.title)?;
            }
        }
        Ok(())
    }
}

impl Report {
    fn said(&self, file: &File) -> String {
        if file.says.is_empty() {
            "brings it up to date".to_owned()
        } else {
            file.says.join("; ")
        }
    }
}
