use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Instant;

use clap::Args;
use ken_agents::hook::{HookLog, HookOutcome, HookRun};
use ken_agents::{HookEvent, SyncOutcome, participants};
use ken_files::{Lock, NewFile};
use ken_library::{AgentId, Caller, Library};
use ken_memory::InFlight;

use crate::commands::sync;
use crate::context::Context;
use crate::error::CommandError;
use crate::output::Output;

/// The name under which a hook starts this.
pub(crate) const NAME: &str = "after-hook";

/// The work that a hook leaves to a process that nobody waits for: the agent's store is read into the library, or the
/// library is indexed when a hook that should have spoken had no time for it
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

/// Loads the library once, so that its caches are there for the next hook. One process at a time does it.
fn index(context: &Context) -> Result<(), CommandError> {
    let folder = context.paths.state.join("hooks");
    ken_files::create_folder(&folder, NewFile::Private)?;
    let Some(_lock) = Lock::try_acquire(&folder.join("index.lock"), "ken after-hook")? else {
        return Ok(());
    };
    // What cannot be read is said by those who are asked.
    let _ = Library::open(&context.paths.library).load();
    Ok(())
}

impl AfterHook {
    pub(crate) fn run(self, context: &Context, output: &mut Output) -> Result<(), CommandError> {
        if let Ok(HookEvent::Prompt | HookEvent::SessionStart) = HookEvent::from_str(&self.event) {
            return index(context);
        }
        if let (Some(session), Some(transcript)) = (&self.session, &self.transcript) {
            self.note_in_flight(context, session, transcript)?;
        }
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

    /// Keeps what the session has in hand, before its conversation is compacted.
    fn note_in_flight(
        &self,
        context: &Context,
        session: &str,
        transcript: &Path,
    ) -> Result<(), CommandError> {
        let participants = participants();
        let Some(participant) = participants
            .iter()
            .find(|participant| participant.id() == self.agent)
        else {
            return Ok(());
        };
        let started = Instant::now();
        let unfinished = match participant.unfinished(transcript, &context.clock) {
            Ok(unfinished) => unfinished,
            Err(error) => {
                let reason = format!("the transcript {} cannot be read: {error}", transcript.display());
                return self.log(context, started, HookOutcome::Failed, vec![reason]);
            }
        };
        let root = context.project.as_ref().map(|project| &project.root);
        let below = |file: &Path| {
            let file = root.and_then(|root| file.strip_prefix(root).ok()).unwrap_or(file);
            file.to_string_lossy().into_owned()
        };
        let memory = context.memory_for(Caller::person(), Some(self.agent.clone()))?;
        memory.note_in_flight(
            session,
            InFlight {
                request: unfinished.request,
                files: unfinished.files.iter().map(|file| below(file)).collect(),
            },
        )?;
        Ok(())
    }

    fn export(&self, context: &Context, output: &Output) -> Result<(), CommandError> {
        let started = Instant::now();
        let lines = sync::sync(context, std::slice::from_ref(&self.agent), false, output);
        let reasons: Vec<String> = lines
            .iter()
            .filter(|line| line.outcome == SyncOutcome::Failed)
            .filter_map(|line| line.why.clone())
            .collect();
        let outcome = if reasons.is_empty() {
            HookOutcome::Exported
        } else {
            HookOutcome::Failed
        };
        self.log(context, started, outcome, reasons)
    }

    fn log(
        &self,
        context: &Context,
        started: Instant,
        outcome: HookOutcome,
        reasons: Vec<String>,
    ) -> Result<(), CommandError> {
        Ok(HookLog::new(&context.paths.state).add(&HookRun {
            at: context.clock.now(),
            agent: self.agent.to_string(),
            event: self.event.clone(),
            outcome,
            milliseconds: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
            tokens: 0,
            reasons,
        })?)
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
