use std::hash::{Hash, Hasher};
use std::io::{IsTerminal, Read, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Stdio};
use std::str::FromStr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use clap::Args;
use ken_agents::HookEvent;
use ken_agents::hook::{
    HookCall, HookLog, HookOutcome, HookReply, HookRun, MAX_INPUT, StartSource, hook_reply,
};
use ken_files::{Lock, NewFile};
use ken_library::{AccessLevel, AgentId, Caller};
use ken_memory::{Brief, BriefRequest, Memory, Situation};

use crate::cli::Global;
use crate::commands::after_hook;
use crate::context::{self, Context};
use crate::output::fit_to_show;

/// Answer an agent's hook: what should reach the prompt, or nothing
#[derive(Debug, Args)]
#[command(
    after_help = "Agents run this; `ken setup` tells them to. Its input is the JSON object that the agent sends.
It prints the agent's reply or nothing, always exits with 0, and gives up after 0.3 seconds.
Events: session-start, prompt, stop, session-end, pre-compact.
`ken doctor` shows why a hook was silent, and `ken brief --last` what was told.

Example:
  ken hook prompt --agent claude-code < prompt.json"
)]
pub(crate) struct Hook {
    /// What happened
    event: String,
    /// The agent that asks
    #[arg(long, value_name = "A", default_value = "claude-code")]
    agent: String,
    /// What the agent may see at most: public, team or private; without it, what the settings say
    #[arg(long, value_name = "LEVEL")]
    access: Option<String>,
}

/// A prompt waits for its hook: after 0.3 seconds, silence is the better answer. Leaving word and ending take the rest.
const DEADLINE: Duration = Duration::from_millis(280);

/// What was found out.
struct Answer {
    reply: Option<String>,
    run: HookRun,
    given: Option<Given>,
}

/// A brief on its way out.
struct Given {
    memory: Memory,
    request: BriefRequest,
    brief: Brief,
    /// Held until it is told, where there is a session: see [`turn`].
    _turn: Option<Lock>,
}

impl Hook {
    /// Never fails and never blocks: a second thread ends the program when the time is up, and what is not there by
    /// then is not said.
    pub(crate) fn run(self, global: Global, started: Instant) -> ! {
        std::panic::set_hook(Box::new(|_| {}));
        let over = Arc::new(Mutex::new(()));
        let watch = watch(&over, started, self.agent.clone(), self.event.clone());
        let (agent, event) = (self.agent.clone(), self.event.clone());
        let answered = match watch {
            Ok(()) => catch_unwind(AssertUnwindSafe(|| self.answer(global)))
                .unwrap_or_else(|_| Err("ken stopped at a fault of its own; please report it".to_owned())),
            Err(error) => Err(format!("no thread could be started: {error}")),
        };
        // From here on the time is not up any more: half a reply is worse than a late one.
        let _over = over.lock();
        match answered {
            Ok(answer) => finish(answer, elapsed(started)),
            Err(reason) => note_failure(&agent, &event, reason, elapsed(started)),
        }
        // Without taking apart what was read: that takes as long as a good part of the reading.
        std::process::exit(0)
    }

    fn answer(self, mut global: Global) -> Result<Answer, String> {
        let event = HookEvent::from_str(&self.event).map_err(|error| error.to_string())?;
        let agent = AgentId::new(&self.agent).map_err(|error| error.to_string())?;
        let call = HookCall::parse(event, &input()?).map_err(|error| error.to_string())?;
        if let Some(folder) = call.folder.as_ref().filter(|folder| folder.is_dir()) {
            global.project = Some(folder.clone());
        }
        let context = Context::from_environment(&global).map_err(|error| error.to_string())?;
        if !context.paths.home.is_dir() {
            return Err(format!(
                "the home directory {} does not exist",
                context.paths.home.display()
            ));
        }
        let mut answer = Answer {
            reply: None,
            run: HookRun {
                at: context.clock.now(),
                agent: agent.to_string(),
                event: event.to_string(),
                outcome: HookOutcome::Silent,
                milliseconds: 0,
                tokens: 0,
                reasons: Vec::new(),
            },
            given: None,
        };
        match event {
            HookEvent::SessionStart | HookEvent::Prompt => {
                let level = match self.access {
                    Some(level) => AccessLevel::from_str(&level).map_err(|error| error.to_string())?,
                    None => context.settings.access(Some(agent.as_str())),
                };
                say(&mut answer, event, &agent, level, call, &context)?;
            }
            HookEvent::Stop | HookEvent::SessionEnd | HookEvent::PreCompact => {
                start_in_background(event, &agent, &call)
                    .map_err(|error| format!("the export could not be started in the background: {error}"))?;
            }
        }
        Ok(answer)
    }
}

/// Ends the program in silence when the time is up, unless the answer is being given (`over` is held).
fn watch(over: &Arc<Mutex<()>>, started: Instant, agent: String, event: String) -> std::io::Result<()> {
    let deadline = context::hook_deadline().unwrap_or(DEADLINE);
    let over = Arc::clone(over);
    let watching = move || {
        std::thread::sleep(deadline.saturating_sub(started.elapsed()));
        let free = (0..20).find_map(|_| {
            let free = over.try_lock().ok();
            if free.is_none() {
                std::thread::sleep(Duration::from_millis(10));
            }
            free
        });
        if free.is_none() {
            // The reply stands in a pipe that nobody reads.
            std::process::exit(0);
        }
        let reason = format!(
            "nothing was found within {} milliseconds, and the prompt did not wait",
            deadline.as_millis()
        );
        note_failure(&agent, &event, reason, elapsed(started));
        // What takes longer than a prompt waits is done by somebody who has the time; else no later hook had a chance.
        let _ = in_background(&event, &agent).and_then(|mut command| command.spawn());
        std::process::exit(0);
    };
    std::thread::Builder::new().spawn(watching).map(drop)
}

fn elapsed(started: Instant) -> u64 {
    u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// What should reach the model, or the person.
fn say(
    answer: &mut Answer,
    event: HookEvent,
    agent: &AgentId,
    level: AccessLevel,
    call: HookCall,
    context: &Context,
) -> Result<(), String> {
    let memory = context
        .memory_for(Caller::local_agent(level), Some(agent.clone()))
        .map_err(|error| error.to_string())?;
    let situation = match (call.prompt, call.source) {
        (Some(prompt), _) => Situation::Prompt(prompt),
        (None, StartSource::Compacted) => Situation::AfterCompaction,
        (None, StartSource::Cleared) => Situation::Cleared,
        (None, StartSource::New | StartSource::Resumed) => Situation::SessionStart,
    };
    let turn = match &call.session {
        Some(session) => match turn(context, session, event) {
            Turn::Ours(lock) => lock,
            Turn::Anothers => return Ok(()),
        },
        None => None,
    };
    let request = BriefRequest {
        session: call.session,
        ..BriefRequest::new(situation)
    };
    let brief = memory.brief(&request);
    answer.run.reasons.clone_from(&brief.notes);
    answer.reply = hook_reply(
        agent.as_str(),
        event,
        HookReply {
            context: &fit_to_show(&brief.text),
            notice: &fit_to_show(brief.untrusted.as_deref().unwrap_or_default()),
        },
    );
    if answer.reply.is_some() {
        answer.run.outcome = HookOutcome::Told;
        answer.run.tokens = brief.tokens;
        answer.given = Some(Given {
            memory,
            request,
            brief,
            _turn: turn,
        });
    }
    Ok(())
}

/// Whose turn it is to speak in a session at an event.
enum Turn {
    /// This process's; without a lock where none can be had.
    Ours(Option<Lock>),
    /// That of another process, which answers the same call.
    Anothers,
}

/// An agent that is wired in two scopes runs two hooks for one prompt, side by side: one of them speaks. Nobody waits.
fn turn(context: &Context, session: &str, event: HookEvent) -> Turn {
    let folder = context.paths.state.join("hooks/turns");
    if ken_files::create_folder(&folder, NewFile::Private).is_err() {
        return Turn::Ours(None);
    }
    // Few files for any number of sessions: lock files are never deleted.
    let mut hasher = std::hash::DefaultHasher::new();
    (session, event).hash(&mut hasher);
    let number = hasher.finish() % TURNS;
    match Lock::try_acquire(&folder.join(format!("{number:03x}.lock")), "ken hook") {
        Ok(Some(lock)) => Turn::Ours(Some(lock)),
        Ok(None) => Turn::Anothers,
        Err(_) => Turn::Ours(None),
    }
}

/// Lock files for turns.
const TURNS: u64 = 1024;

/// Prints the reply, and only then remembers that it was given.
fn finish(mut answer: Answer, milliseconds: u64) {
    if let Some(given) = &answer.given
        && let Err(error) = given.memory.can_note(&given.request, &given.brief)
    {
        // It would come again at every prompt.
        answer.reply = None;
        answer.given = None;
        answer.run.tokens = 0;
        answer.run.outcome = HookOutcome::Failed;
        answer.run.reasons.push(format!(
            "what is told could not be noted, so nothing was told: {error}"
        ));
    }
    if let Some(reply) = &answer.reply {
        let mut out = std::io::stdout().lock();
        if let Err(error) = writeln!(out, "{reply}").and_then(|()| out.flush()) {
            answer.run.outcome = HookOutcome::Failed;
            answer
                .run
                .reasons
                .push(format!("the reply could not be written: {error}"));
            answer.given = None;
        }
    }
    if let Some(given) = &answer.given {
        given.memory.told(&given.request, &given.brief);
    }
    answer.run.milliseconds = milliseconds;
    log(&answer.run);
}

/// Nothing is said to the agent; the person finds the reason in `ken doctor`.
fn note_failure(agent: &str, event: &str, reason: String, milliseconds: u64) {
    if std::io::stderr().is_terminal() {
        let _ = writeln!(std::io::stderr(), "ken hook: {reason}");
    }
    let Some((_, clock)) = context::place_for_word() else {
        return;
    };
    log(&HookRun {
        at: clock.now(),
        agent: agent.chars().take(64).collect(),
        event: event.chars().take(64).collect(),
        outcome: HookOutcome::Failed,
        milliseconds,
        tokens: 0,
        reasons: vec![reason],
    });
}

/// Best effort: a hook that cannot write its log must not fail for it, and doctor tries the folder by itself.
fn log(run: &HookRun) {
    if let Some((paths, _)) = context::place_for_word() {
        let _ = HookLog::new(&paths.state).add(run);
    }
}

/// A hook whose arguments cannot be read: an agent may have been told of an event that this version does not know. It
/// must not hear of it, because some agents take a code of 2 for an order to stop.
pub(crate) fn refused(message: &str, started: Instant) {
    let said = message.split("\n\n").next().unwrap_or_default();
    let reason = said
        .trim_start_matches("error: ")
        .split_whitespace()
        .collect::<Vec<_>>();
    note_failure("unknown", "unknown", reason.join(" "), elapsed(started));
}

fn input() -> Result<Vec<u8>, String> {
    let mut input = Vec::new();
    std::io::stdin()
        .lock()
        .take(MAX_INPUT + 1)
        .read_to_end(&mut input)
        .map_err(|error| format!("standard input cannot be read: {error}"))?;
    Ok(input)
}

/// Reads the agent's store afterwards, in a process that nobody waits for.
fn start_in_background(event: HookEvent, agent: &AgentId, call: &HookCall) -> std::io::Result<()> {
    let mut command = in_background(event.as_str(), agent.as_str())?;
    if let (HookEvent::PreCompact, Some(session), Some(transcript)) = (event, &call.session, &call.transcript)
    {
        command
            .arg("--session")
            .arg(session)
            .arg("--transcript")
            .arg(transcript);
    }
    if let Some(folder) = call.folder.as_ref().filter(|folder| folder.is_dir()) {
        command.arg("--project").arg(folder);
    }
    command.spawn().map(drop)
}

/// The process that does what a hook leaves undone.
fn in_background(event: &str, agent: &str) -> std::io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command
        .args([after_hook::NAME, "--agent", agent, "--event", event])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    // In a group of its own: what ends the agent does not end it.
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        command.process_group(0);
    }
    Ok(command)
}
