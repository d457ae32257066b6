use std::io::{self, IsTerminal, Write};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use ken_agents::{Progress, SyncLine, SyncOptions, SyncOutcome};
use ken_library::{AgentId, Library};
use serde::Serialize;

use crate::commands::counted;
use crate::context::Context;
use crate::error::CommandError;
use crate::output::{Answer, Output};

/// Read what the installed agents keep on disk into the library
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ken sync\n  ken sync claude-code --json")]
pub(crate) struct Sync {
    /// Only these agents
    #[arg(value_name = "AGENT", value_parser = super::parse::<AgentId>)]
    agents: Vec<AgentId>,
    /// Also write private rows, for this machine only
    #[arg(long)]
    keep_private: bool,
}

#[derive(Serialize)]
struct Synced {
    agents: Vec<SyncLine>,
}

impl Answer for Synced {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        write_lines(out, &self.agents, true)
    }
}

/// One line an agent; in detail also what was left out.
pub(crate) fn write_lines(out: &mut dyn Write, lines: &[SyncLine], detailed: bool) -> io::Result<()> {
    let width = lines.iter().map(|line| line.title.len()).max().unwrap_or(0);
    for line in lines {
        let rows = &line.written;
        let said = match line.outcome {
            SyncOutcome::Created | SyncOutcome::Replaced | SyncOutcome::Unchanged => format!(
                "{} read ({}), {}, {}, {}, {}{}",
                counted(line.sessions_read, "session", "sessions"),
                indicatif::HumanBytes(line.bytes_read),
                counted(rows.entities, "entity", "entities"),
                counted(rows.sessions, "recent session", "recent sessions"),
                counted(rows.workstreams, "workstream", "workstreams"),
                counted(rows.notes, "note", "notes"),
                if line.outcome == SyncOutcome::Unchanged {
                    ", unchanged"
                } else {
                    ""
                },
            ),
            SyncOutcome::Absent => "not on this machine".to_owned(),
            SyncOutcome::Empty => "nothing to read".to_owned(),
            SyncOutcome::Kept => "its library entry was kept as it is".to_owned(),
            SyncOutcome::Failed => "could not be brought into the library".to_owned(),
        };
        writeln!(out, "{:<width$}  {said}", line.title)?;
        if let Some(why) = &line.why {
            writeln!(out, "{:<width$}  {why}", "")?;
        }
        for skipped in line.skipped.iter().filter(|_| detailed) {
            writeln!(
                out,
                "{:<width$}  left out: {} {}",
                "", skipped.count, skipped.what
            )?;
        }
        if line.credentials_found > 0 {
            let one = line.credentials_found == 1;
            let found = counted(line.credentials_found, "credential was", "credentials were");
            let (it, is) = if one {
                ("it", "it is")
            } else {
                ("them", "they are")
            };
            writeln!(
                out,
                "{:<width$}  {found} found in its store and taken out of what is kept; change {it} where {is} in use",
                ""
            )?;
        }
    }
    Ok(())
}

impl Sync {
    pub(crate) fn run(self, context: &Context, output: &mut Output) -> Result<(), CommandError> {
        let known: Vec<AgentId> = ken_agents::participants()
            .iter()
            .map(|participant| participant.id())
            .collect();
        if let Some(unknown) = self.agents.iter().find(|agent| !known.contains(agent)) {
            let known: Vec<&str> = known.iter().map(AgentId::as_str).collect();
            return Err(CommandError::usage(format!(
                "`{unknown}` is not an agent whose store can be read; those are: {}",
                known.join(", ")
            )));
        }
        let agents = sync(context, &self.agents, self.keep_private, output);
        if agents.iter().any(|line| line.outcome == SyncOutcome::Failed) {
            output.found_something_wrong();
        }
        output.answer(&Synced { agents })
    }
}

/// Reads the agents' stores, with a progress bar where a person looks on.
pub(crate) fn sync(
    context: &Context,
    only: &[AgentId],
    keep_private: bool,
    output: &Output,
) -> Vec<SyncLine> {
    let options = SyncOptions {
        keep_private: keep_private || context.settings.allowed("keep_private"),
    };
    let library = Library::open(&context.paths.library);
    let mut progress = Bar {
        shown: io::stderr().is_terminal() && !output.is_silent(),
        bar: None,
    };
    ken_agents::sync(
        &context.paths,
        &context.clock,
        &library,
        only,
        options,
        &mut progress,
    )
}

/// A progress bar on standard error; nothing on a pipe.
struct Bar {
    shown: bool,
    bar: Option<ProgressBar>,
}

impl Progress for Bar {
    fn begin(&mut self, agent: &AgentId, bytes: u64) {
        if !self.shown {
            return;
        }
        let style =
            ProgressStyle::with_template("{prefix} {bar:30} {bytes}/{total_bytes} {binary_bytes_per_sec}")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
        self.bar = Some(
            ProgressBar::new(bytes)
                .with_style(style)
                .with_prefix(agent.to_string()),
        );
    }

    fn advance(&mut self, bytes: u64) {
        if let Some(bar) = &self.bar {
            bar.inc(bytes);
        }
    }

    fn finish(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}
