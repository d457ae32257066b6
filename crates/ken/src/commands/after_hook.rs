use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::Args;
use ken_agents::{HookLog, HookOutcome, HookRun, SyncOutcome};
use ken_files::{Lock, NewFile};
use ken_library::AgentId;

use crate::commands::sync;
use crate::context::Context;
use crate::error::CommandError;
use crate::output::Output;

/// The name under which a hook starts this.
pub(crate) const NAME: &str = "after-hook";

/// The work that a hook leaves to a process that nobody waits for: the agent's store is read into the library
#[derive(Debug, Args)]
pub(crate) struct AfterHook {
    /// The agent whose hook ran
    #[arg(long, value_name = "A", value_parser = super::parse::<AgentId>)]
    agent: AgentId,
    /// The hook's event
    #[arg(long)]
    event: String,
    /// The session that is about to be compacted
    #[arg(long, requires = "transcript")]
    session: Option<String>,
    /// Its transcript
    #[arg(long)]
    transcript: Option<PathBuf>,
}

impl AfterHook {
    pub(crate) fn run(self, context: &Context, output: &mut Output) -> Result<(), CommandError> {
        let turns = Turns::new(&context.paths.state.join("hooks"), &self.agent);
        turns.ask(context)?;
        loop {
            let Some(lock) = turns.take()? else {
                // Whoever holds it sees that it was asked for once more.
                return Ok(());
            };
            let asked = turns.asked();
            self.export(context, output)?;
            drop(lock);
            if turns.asked() == asked {
                return Ok(());
            }
        }
    }

    fn export(&self, context: &Context, output: &Output) -> Result<(), CommandError> {
        let started = Instant::now();
        let lines = sync::sync(context, std::slice::from_ref(&self.agent), false, output);
        let reasons: Vec<String> = lines
            .iter()
            .filter(|line| line.outcome == SyncOutcome::Failed)
            .filter_map(|line| line.why.clone())
            .collect();
        let run = HookRun {
            at: context.clock.now(),
            agent: self.agent.to_string(),
            event: self.event.clone(),
            outcome: if reasons.is_empty() {
                HookOutcome::Exported
            } else {
                HookOutcome::Failed
            },
            milliseconds: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            tokens: 0,
            reasons,
        };
        HookLog::new(&context.paths.state).add(&run)?;
        Ok(())
    }
}

/// Exports of one agent's store, one at a time. Turns that end while one is running are served by one more after it,
/// not by one each.
struct Turns {
    folder: PathBuf,
    lock: PathBuf,
    asked: PathBuf,
}

impl Turns {
    fn new(folder: &Path, agent: &AgentId) -> Turns {
        Turns {
            folder: folder.to_owned(),
            lock: folder.join(format!("{agent}.lock")),
            asked: folder.join(format!("{agent}.asked")),
        }
    }

    /// Leaves word that an export is wanted. Before the lock is tried: so that either this process gets it, or its
    /// holder, who looks after letting go of it, sees the word.
    fn ask(&self, context: &Context) -> Result<(), CommandError> {
        ken_files::create_folder(&self.folder, NewFile::Private)?;
        let word = format!("{} {}", std::process::id(), context.clock.now());
        Ok(ken_files::replace(
            &self.asked,
            word.as_bytes(),
            NewFile::Private,
        )?)
    }

    fn asked(&self) -> Option<Vec<u8>> {
        fs::read(&self.asked).ok()
    }

    fn take(&self) -> Result<Option<Lock>, CommandError> {
        Ok(Lock::try_acquire(&self.lock, "ken after-hook")?)
    }
}
