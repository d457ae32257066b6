use std::io::{self, Write};

use clap::Args;
use jiff::{SignedDuration, Timestamp};
use ken_agents::hook::{HookLog, REPORTED, hook_reports};
use ken_agents::wiring::{self, Inspection, Scope, ScopeInspection, State};
use ken_agents::{Discovery, participants};
use ken_memory::{IllWired, Surroundings, Trouble};
use serde::Serialize;

use crate::context::Context;
use crate::error::CommandError;
use crate::output::{Answer, Output};

/// Say what is known, what is stale or wrong, and the next thing to do
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  ken status\n  ken status --json")]
pub(crate) struct Status {}

#[derive(Serialize)]
#[serde(transparent)]
pub(crate) struct Known(pub(crate) ken_memory::Status);

impl Answer for Known {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let status = &self.0;
        let counts = &status.counts;
        match &status.project {
            Some(project) => {
                let trust = if project.trusted {
                    ""
                } else {
                    " (not trusted: its edicts and lessons reach no prompt)"
                };
                writeln!(out, "project   {}{trust}", project.name)?;
                writeln!(
                    out,
                    "edicts    {}",
                    super::counted(counts.edicts, "fact in force", "facts in force")
                )?;
                writeln!(
                    out,
                    "memory    {}, {}",
                    super::counted(counts.events, "observation", "observations"),
                    super::counted(counts.lessons, "lesson", "lessons")
                )?;
            }
            None => writeln!(out, "project   none here")?,
        }
        writeln!(
            out,
            "library   {}: {}, {}, {}, {}",
            super::counted(counts.agents, "agent", "agents"),
            super::counted(counts.entities, "entity", "entities"),
            super::counted(counts.sessions, "session", "sessions"),
            super::counted(counts.workstreams, "workstream", "workstreams"),
            super::counted(counts.notes, "note", "notes"),
        )?;
        for write in &status.last_writes {
            let text = write
                .text
                .as_deref()
                .map(|t| format!(": {}", super::one_line(t, 100)))
                .unwrap_or_default();
            writeln!(
                out,
                "last      {} {} ({}){text}",
                write.when, write.who, write.what
            )?;
        }
        if !status.stale_agents.is_empty() {
            writeln!(out, "stale     {}", status.stale_agents.join(", "))?;
        }
        for due in &status.edicts_due {
            writeln!(
                out,
                "due       {} {}: {}  ({})",
                due.id,
                due.why,
                super::one_line(&due.text, 100),
                due.next
            )?;
        }
        for trouble in &status.troubles {
            writeln!(
                out,
                "{:<9} {}: {}",
                trouble.severity, trouble.place, trouble.message
            )?;
        }
        if let Some(next) = &status.next {
            writeln!(out, "next      {}  ({})", next.command, next.why)?;
        }
        Ok(())
    }
}

impl Status {
    pub(crate) fn run(self, context: &Context, output: &mut Output) -> Result<(), CommandError> {
        output.answer(&known(context, false)?)
    }
}

/// How things stand, with what a memory cannot know: which agents are here and what their hooks did.
pub(crate) fn known(context: &Context, just_synced: bool) -> Result<Known, CommandError> {
    let now = context.clock.now();
    let mut around = Surroundings {
        agents_here: Some(Vec::new()),
        just_synced,
        ..Surroundings::default()
    };
    for participant in participants() {
        let agent = participant.id().to_string();
        match participant.discover(&context.paths) {
            Discovery::Store(_) => {
                if last_read(context, &agent).is_some_and(|at| now.duration_since(at) < READ_LATELY) {
                    around.read_lately.push(agent.clone());
                }
                around.agents_here.get_or_insert_default().push(agent);
            }
            Discovery::Unreadable(why) => around.unreadable.push(why),
            Discovery::Absent => {}
        }
    }
    let since = now.checked_sub(REPORTED).unwrap_or(Timestamp::MIN);
    let reports = hook_reports(&HookLog::new(&context.paths.state).runs(), since);
    around.hook_failures = reports.iter().map(|report| report.open_failures().count()).sum();
    for found in wirings(context) {
        if is_unwired(&found) {
            around.unwired.push(found.agent.to_owned());
        } else {
            around.ill_wired.extend(ill_wired(&found));
        }
    }
    let mut status = context.memory(None)?.status();
    status
        .troubles
        .extend(context.settings.warnings.iter().map(|warning| Trouble {
            place: "settings".to_owned(),
            severity: "warning".to_owned(),
            message: warning.clone(),
        }));
    Ok(Known(status.with_surroundings(&around)))
}

/// A store that was read within this time is not worth reading again for its age alone.
const READ_LATELY: SignedDuration = SignedDuration::from_hours(14 * 24);

/// When an agent's store was read last: each reading leaves its name in the lock that it takes.
fn last_read(context: &Context, agent: &str) -> Option<Timestamp> {
    let lock = context.paths.state.join("harvest").join(agent).join("sync.lock");
    let modified = std::fs::metadata(lock).and_then(|seen| seen.modified()).ok()?;
    Timestamp::try_from(modified).ok()
}

/// The agents on this machine that are wired in no scope, by their ids.
pub(crate) fn unwired(context: &Context) -> Vec<&'static str> {
    wirings(context)
        .filter(is_unwired)
        .map(|found| found.agent)
        .collect()
}

/// How the agents on this machine are wired.
fn wirings(context: &Context) -> impl Iterator<Item = Inspection> {
    let request = context.wiring(Scope::Project, None);
    wiring::agents()
        .iter()
        .map(move |agent| wiring::inspect(agent, &request))
        .filter(|found| found.installed.is_some())
}

fn is_unwired(found: &Inspection) -> bool {
    found.scopes.iter().all(ScopeInspection::is_absent)
}

/// What is wrong with an agent's wiring, if anything is. It is enough to be wired in one scope: what is missing in the
/// other is not wrong then, but what stands there must work.
fn ill_wired(found: &Inspection) -> Option<IllWired> {
    let enough = found.scopes.iter().any(ScopeInspection::is_complete);
    let title = found.title;
    let mut parts = found
        .scopes
        .iter()
        .filter(|scope| !scope.is_absent())
        .flat_map(|scope| &scope.parts)
        .filter(|part| part.state != State::Present && !(enough && part.state == State::Missing));
    let worst = parts.clone().find(|part| part.remedy.is_none());
    let part = worst.or_else(|| parts.next())?;
    let file = part.file.display();
    Some(IllWired {
        why: match &part.state {
            State::Stale(why) => format!("{title}: {} in {file}: {why}", part.part),
            State::Unread(why) | State::Broken(why) => format!("{title}: {why}"),
            State::Missing | State::Present => format!("{title}: {file} lacks {}", part.part),
        },
        remedy: part.remedy.clone(),
    })
}
