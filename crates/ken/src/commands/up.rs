use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use jiff::civil::Date;
use ken_agents::wiring::Scope;
use ken_agents::{SyncLine, demo};
use ken_memory::{Project, RecentRequest, RecentWork};
use serde::Serialize;

use crate::commands::{edict, init, setup, status, sync};
use crate::context::{self, Context};
use crate::error::CommandError;
use crate::output::{Answer, Output};

/// Prepare this repository, read the agents that are installed, and say what is known
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ken up
  ken up --demo
In a repository it makes .agent/ and edicts.yaml where they are missing, and trusts it. Outside one it makes neither.")]
pub(crate) struct Up {
    /// On a made-up machine in a temporary folder: nothing of yours is read or touched
    #[arg(long)]
    demo: bool,
    /// Put the made-up machine into this new or empty folder
    #[arg(long, value_name = "DIR", requires = "demo")]
    into: Option<PathBuf>,
    /// Start nothing that stays
    #[arg(long)]
    no_serve: bool,
    /// Ask nothing, and wire nothing: that is `ken setup`
    #[arg(long)]
    yes: bool,
}

#[derive(Serialize)]
struct Report {
    #[serde(skip_serializing_if = "Option::is_none")]
    demo: Option<MadeUp>,
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<init::Made>,
    agents: Vec<SyncLine>,
    known: status::Known,
    /// A question that this memory can answer, or the first thing to tell it.
    #[serde(skip_serializing_if = "Option::is_none")]
    question: Option<String>,
    /// The command that wires the agents to this memory, when some are not.
    #[serde(skip_serializing_if = "Option::is_none")]
    connect: Option<String>,
    #[serde(skip)]
    detailed: bool,
}

#[derive(Serialize)]
struct MadeUp {
    home: PathBuf,
    project: PathBuf,
}

impl Answer for Report {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let bold = anstyle::Style::new().bold();
        if let Some(demo) = &self.demo {
            writeln!(
                out,
                "A made-up machine in {}: three agents, a month of work.\n",
                demo.home.display()
            )?;
        }
        writeln!(out, "{bold}Agents{bold:#}")?;
        sync::write_lines(out, &self.agents, self.detailed)?;
        if let Some(made) = &self.project {
            writeln!(out, "\n{bold}This repository{bold:#}")?;
            made.text(out)?;
        }
        writeln!(out, "\n{bold}Known now{bold:#}")?;
        self.known.text(out)?;
        if self.question.is_some() || self.connect.is_some() {
            writeln!(out, "\n{bold}Try{bold:#}")?;
        }
        if let Some(demo) = &self.demo {
            writeln!(
                out,
                "export HOME={} && cd {}",
                quoted(&demo.home.to_string_lossy()),
                quoted(&demo.project.to_string_lossy())
            )?;
        }
        for command in self.question.iter().chain(&self.connect) {
            writeln!(out, "{command}")?;
        }
        if self.project.is_none() && self.demo.is_none() {
            writeln!(
                out,
                "Say `ken up` in a repository, too: what is learned there is kept there."
            )?;
        }
        Ok(())
    }
}

/// A text as a shell takes it.
fn quoted(text: &str) -> String {
    let plain = text
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || "/._-+@".contains(c));
    if plain {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

impl Up {
    pub(crate) fn run(self, context: &Context, output: &mut Output) -> Result<(), CommandError> {
        let (made_up, world);
        let context = if self.demo {
            made_up = Some(furnish(self.into.as_deref(), context)?);
            let demo = made_up.as_ref().map(|(_, demo)| demo);
            world = demo
                .map(|demo| context.moved(demo.paths.clone(), demo.project.clone()))
                .transpose()?;
            world.as_ref().unwrap_or(context)
        } else {
            made_up = None;
            context
        };
        let project = context
            .project
            .as_ref()
            .map(|project| prepare(context, project))
            .transpose()?;
        let agents = sync::sync(context, &[], false, output);
        let known = status::known(context, true)?;
        let unwired = status::unwired(context);
        let program = typed(context);
        output.answer(&Report {
            demo: made_up.map(|(home, demo)| MadeUp {
                home,
                project: demo.project,
            }),
            project,
            agents,
            known,
            question: question(context, &program, self.demo)?,
            connect: (!unwired.is_empty() && context.project.is_some()).then(|| format!("{program} setup")),
            detailed: context.verbose,
        })?;
        if self.demo || self.yes {
            return Ok(());
        }
        setup::offer(&unwired, context, output)
    }
}

/// What to ask first: about the project one stands in when anything is known of it, else about the one that was worked
/// on last, by the program that was started. `None` when nothing is known and there is nowhere to write to.
fn question(context: &Context, program: &str, demo: bool) -> Result<Option<String>, CommandError> {
    let memory = context.memory(None)?;
    let last = |project: Option<String>| {
        let request = RecentRequest {
            since: Some(Date::constant(1970, 1, 1)),
            limit: Some(1),
            project,
            ..RecentRequest::default()
        };
        let focus = |recent: RecentWork| {
            recent
                .sessions
                .into_iter()
                .next()?
                .project_focus
                .into_iter()
                .next()
        };
        memory.recent_work(&request).map(focus)
    };
    let here = context.project.as_ref().map(|project| project.name.clone());
    let topic = match (demo, here) {
        (true, _) => Some("the parser".to_owned()),
        (false, Some(here)) if last(Some(here.clone()))?.is_some() => Some(here),
        _ => last(None)?,
    };
    Ok(match topic {
        Some(topic) => Some(format!(
            "{program} recall {}",
            quoted(&format!("what did we do on {topic}"))
        )),
        None if context.project.is_some() => Some(format!(
            "{program} learn \"the first thing that every agent should know\""
        )),
        None => None,
    })
}

/// This program as a person types it: `ken` where that is what their shell would find, else its path.
fn typed(context: &Context) -> String {
    let program = context::program();
    let found = context
        .wiring(Scope::User, None)
        .search
        .into_iter()
        .map(|folder| folder.join("ken"))
        .find(|path| path.is_file());
    let same = |found: &PathBuf| found.canonicalize().ok() == program.canonicalize().ok();
    match found {
        Some(found) if same(&found) => "ken".to_owned(),
        _ => quoted(&program.to_string_lossy()),
    }
}

/// The repository's own files, made where they are missing, and trust in them.
fn prepare(context: &Context, project: &Project) -> Result<init::Made, CommandError> {
    let mut made = init::init(context, &project.root)?;
    let store = edict::store(context)?;
    let file = store.path();
    if !file.exists() {
        store.init()?;
        made.made.push(
            file.strip_prefix(&made.root)
                .unwrap_or(file)
                .display()
                .to_string(),
        );
    }
    Ok(made)
}

/// Builds the made-up machine in a folder of its own.
fn furnish(into: Option<&Path>, context: &Context) -> Result<(PathBuf, demo::Demo), CommandError> {
    let home = match into {
        Some(folder) => {
            let folder = std::path::absolute(folder)
                .map_err(|e| CommandError::usage(format!("--into {}: {e}", folder.display())))?;
            let empty = std::fs::read_dir(&folder).map_or(true, |mut entries| entries.next().is_none());
            if !empty {
                return Err(CommandError::could_not(format!(
                    "{} is not empty; name a new folder for the made-up machine",
                    folder.display()
                )));
            }
            folder
        }
        None => {
            let stamp = context.clock.now().as_millisecond();
            std::env::temp_dir().join(format!("ken-demo-{stamp}-{}", std::process::id()))
        }
    };
    ken_files::create_folder(&home, ken_files::NewFile::Private)?;
    let demo =
        demo::furnish(&home, &context.clock).map_err(|error| CommandError::could_not(error.to_string()))?;
    Ok((home, demo))
}
