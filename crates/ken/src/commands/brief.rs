use std::io::{self, Write};

use clap::Args;
use ken_library::AccessLevel;
use ken_memory::{Brief as Made, BriefRequest, Situation, Told};
use serde::Serialize;

use crate::context::Context;
use crate::error::CommandError;
use crate::output::{Answer, Output};

/// Print what would reach a prompt
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ken brief
  ken brief --prompt \"continue with the ledger importer\"
  ken brief --last
  ken brief --last -n 5 --session 0198-c2
Without --session it is a look, and is not kept: --last shows what agents were told.")]
pub(crate) struct Brief {
    /// The prompt; without it, the brief of a session's start
    #[arg(long, value_name = "TEXT", conflicts_with = "last", value_parser = crate::commands::any_text())]
    prompt: Option<String>,
    /// At most this many tokens in all
    #[arg(long, value_name = "TOKENS", value_parser = crate::commands::whole_number)]
    budget: Option<usize>,
    /// The session that is told, so that nothing is told twice
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Ask as one who may see at most: public, team or private
    #[arg(long, value_name = "LEVEL", value_parser = super::parse::<AccessLevel>)]
    access: Option<AccessLevel>,
    /// What was told last, to whom and when
    #[arg(long, conflicts_with_all = ["budget", "access"])]
    last: bool,
    /// So many of the last ones, the newest first
    #[arg(short = 'n', long, value_name = "N", requires = "last", value_parser = crate::commands::whole_number)]
    number: Option<usize>,
}

#[derive(Serialize)]
#[serde(transparent)]
struct Answered(Made);

impl Answer for Answered {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        if !self.0.text.is_empty() {
            writeln!(out, "{}", self.0.text.trim_end())?;
        }
        Ok(())
    }
}

#[derive(Serialize)]
struct Last {
    last: Option<Told>,
}

impl Answer for Last {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        write_told(out, self.last.as_slice())
    }
}

#[derive(Serialize)]
struct LastOnes {
    told: Vec<Told>,
}

impl Answer for LastOnes {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        write_told(out, &self.told)
    }
}

/// What was told, and above it when, to whom, in which session and project.
fn write_told(out: &mut dyn Write, all: &[Told]) -> io::Result<()> {
    if all.is_empty() {
        return writeln!(out, "nothing was told yet");
    }
    for (number, told) in all.iter().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        let whom = told.agent.as_deref().unwrap_or("the command line");
        write!(
            out,
            "{} to {whom}, {} ({} tokens)",
            told.at.strftime("%Y-%m-%dT%H:%M:%SZ"),
            told.situation,
            told.tokens
        )?;
        if let Some(session) = &told.session {
            write!(out, ", session {}", super::one_line(session, 80))?;
        }
        if let Some(project) = &told.project {
            write!(out, ", in {}", super::one_line(project, 200))?;
        }
        writeln!(out, "\n{}", told.text.trim_end())?;
    }
    Ok(())
}

impl Brief {
    pub(crate) fn run(self, context: &Context, output: &mut Output) -> Result<(), CommandError> {
        let memory = context.memory(self.access)?;
        if self.last {
            let session = self.session.as_deref();
            return match self.number {
                Some(number) => output.answer(&LastOnes {
                    told: memory.told_briefs(session, number),
                }),
                None => output.answer(&Last {
                    last: memory.last_brief(session),
                }),
            };
        }
        let situation = self.prompt.map_or(Situation::SessionStart, Situation::Prompt);
        let request = BriefRequest {
            budget: self.budget,
            session: self.session,
            ..BriefRequest::new(situation)
        };
        let brief = memory.brief(&request);
        if let Some(untrusted) = &brief.untrusted {
            output.notice(untrusted);
        }
        for note in &brief.notes {
            output.notice(note);
        }
        let answered = Answered(brief);
        output.answer(&answered)?;
        // Without a session nobody was told: a person looked at what would be.
        if request.session.is_some() {
            memory.told(&request, &answered.0);
        }
        Ok(())
    }
}
