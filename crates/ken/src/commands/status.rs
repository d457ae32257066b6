use std::io::{self, Write};

use clap::Args;
use jiff::Timestamp;
use ken_agents::hook::{HookLog, REPORTED, hook_reports};
use ken_agents::wiring::{self, Scope, ScopeInspection};
use ken_agents::{Discovery, participants};
use ken_memory::{Surroundings, Trouble};
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
                "due       {} {}: {}",
                due.id,
                due.why,
                super::one_line(&due.text, 100)
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
    let here = participants()
        .iter()
        .filter(|participant| !matches!(participant.discover(&context.paths), Discovery::Absent))
        .map(|participant| participant.id().to_string())
        .collect();
    let since = context
        .clock
        .now()
        .checked_sub(REPORTED)
        .unwrap_or(Timestamp::MIN);
    let reports = hook_reports(&HookLog::new(&context.paths.state).runs(), since);
    let around = Surroundings {
        agents_here: Some(here),
        hook_failures: reports.iter().map(|report| report.open_failures().count()).sum(),
        just_synced,
        unwired: unwired(context).into_iter().map(str::to_owned).collect(),
    };
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

/// The agents on this machine that are wired in no scope, by their ids.
pub(crate) fn unwired(context: &Context) -> Vec<&'static str> {
    let request = context.wiring(Scope::Project, None);
    wiring::agents()
        .iter()
        .map(|agent| wiring::inspect(agent, &request))
        .filter(|found| found.installed.is_some() && found.scopes.iter().all(ScopeInspection::is_absent))
        .map(|found| found.agent)
        .collect()
}
