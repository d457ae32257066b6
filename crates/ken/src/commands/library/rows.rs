//! How the library's answers read.

use std::io::{self, Write};

use ken_library::questions::{About, AskAgent, Because, Found, MergedWorkstream, Page, Thing};
use ken_library::{AgentCard, AgentId, Entity, Note, Session, Visible};
use serde::Serialize;

use super::line;
use crate::commands::one_line;
use crate::output::Answer;

#[derive(Serialize)]
pub(super) struct AgentRows {
    pub(super) agents: Vec<Visible<AgentCard>>,
}

#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct Entities(pub(super) Page<Visible<Entity>>);

#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct Sessions(pub(super) Page<Visible<Session>>);

#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct Workstreams(pub(super) Page<MergedWorkstream>);

#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct Notes(pub(super) Page<Visible<Note>>);

#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct Finding(pub(super) Found);

#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct Aboutness(pub(super) About);

impl Answer for AgentRows {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        for agent in &self.agents {
            write!(out, "{} · {}", agent.agent, agent.kind)?;
            if let Some(updated) = agent.last_updated {
                write!(out, " · {updated}")?;
            }
            writeln!(out)?;
            line(
                out,
                "role",
                &one_line(agent.role_narrative.as_deref().unwrap_or_default(), 300),
            )?;
            line(out, "can", &agent.capabilities.join(", "))?;
        }
        if self.agents.is_empty() {
            writeln!(out, "no agents; `ken sync` reads those that are installed")
        } else {
            Ok(())
        }
    }
}

/// Rows, then whether there are more.
fn page<T>(
    out: &mut dyn Write,
    page: &Page<T>,
    none: &str,
    mut row: impl FnMut(&mut dyn Write, &T) -> io::Result<()>,
) -> io::Result<()> {
    for each in &page.rows {
        row(out, each)?;
    }
    if page.rows.is_empty() {
        writeln!(out, "{none}")?;
    }
    if page.more {
        writeln!(
            out,
            "there are more; ask for them with --limit, or narrow the question"
        )
    } else {
        Ok(())
    }
}

impl Answer for Entities {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        page(out, &self.0, "no entities", |out, entity| {
            write!(out, "{}", one_line(&entity.name, 160))?;
            if let Some(kind) = &entity.kind {
                write!(out, " · {}", one_line(kind, 80))?;
            }
            writeln!(out, " · {} · {}", entity.agent(), entity.visibility())?;
            line(
                out,
                "summary",
                &one_line(entity.summary.as_deref().unwrap_or_default(), 300),
            )
        })
    }
}

fn session(out: &mut dyn Write, session: &Visible<Session>) -> io::Result<()> {
    let date = session
        .date
        .map_or_else(|| "undated".to_owned(), |date| date.to_string());
    write!(out, "{date:<10}  {}", session.agent())?;
    if !session.project_focus.is_empty() {
        write!(out, " · {}", one_line(&session.project_focus.join(", "), 160))?;
    }
    if let Some(cwd) = &session.cwd {
        write!(out, " · {}", one_line(cwd, 160))?;
    }
    writeln!(out)?;
    for action in &session.key_actions {
        writeln!(out, "            - {}", one_line(action, 256))?;
    }
    Ok(())
}

impl Answer for Sessions {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        page(out, &self.0, "no sessions in this time", session)
    }
}

fn workstream(out: &mut dyn Write, stream: &MergedWorkstream) -> io::Result<()> {
    write!(out, "{}", one_line(&stream.name, 160))?;
    if let Some(status) = stream.status {
        write!(out, " · {}", status.as_str())?;
    }
    if let Some(touched) = stream.last_touched {
        write!(out, " · {touched}")?;
    }
    writeln!(out, " · {}", agents(&stream.agents))?;
    line(
        out,
        "summary",
        &one_line(stream.summary.as_deref().unwrap_or_default(), 300),
    )
}

fn agents(ids: &[AgentId]) -> String {
    ids.iter().map(AgentId::as_str).collect::<Vec<_>>().join(", ")
}

impl Answer for Workstreams {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        page(out, &self.0, "nothing is in flight", workstream)
    }
}

fn note(out: &mut dyn Write, note: &Visible<Note>) -> io::Result<()> {
    let date = note
        .date
        .map_or_else(|| "undated".to_owned(), |date| date.to_string());
    writeln!(out, "{date:<10}  {}", note.agent())?;
    writeln!(out, "            {}", one_line(&note.text, 400))
}

impl Answer for Notes {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        page(out, &self.0, "no notes", note)
    }
}

fn thing(out: &mut dyn Write, thing: &Thing) -> io::Result<()> {
    let bold = anstyle::Style::new().bold();
    write!(out, "{bold}{}{bold:#}", one_line(&thing.name, 160))?;
    if !thing.types.is_empty() {
        write!(out, " · {}", thing.types.join(", "))?;
    }
    writeln!(out, " · {}", agents(&thing.agents))?;
    line(out, "also", &one_line(&thing.aliases.join(", "), 300))?;
    for summary in &thing.summaries {
        line(
            out,
            summary.agent.as_str(),
            &one_line(summary.summary.as_deref().unwrap_or_default(), 400),
        )?;
    }
    line(out, "tags", &thing.tags.join(", "))?;
    let valid = match (thing.valid_from, thing.valid_to) {
        (None, None) => String::new(),
        (from, to) => {
            let shown =
                |date: Option<jiff::civil::Date>| date.map(|date| date.to_string()).unwrap_or_default();
            format!("{}..{}", shown(from), shown(to))
        }
    };
    line(out, "valid", &valid)?;
    line(out, "formerly", &thing.supersedes.join(", "))?;
    line(out, "now", &thing.superseded_by.join(", "))?;
    line(
        out,
        "touched",
        &thing
            .last_touched
            .map(|date| date.to_string())
            .unwrap_or_default(),
    )
}

fn ask(out: &mut dyn Write, ask: &[AskAgent]) -> io::Result<()> {
    for agent in ask {
        let because = match &agent.because {
            Because::Capability(word) => format!("it can: {}", one_line(word, 100)),
            Because::Role(role) => format!("its role: {}", one_line(role, 200)),
        };
        writeln!(out, "ask {} ({because})", agent.agent)?;
    }
    Ok(())
}

impl Answer for Finding {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        for found in &self.0.things {
            thing(out, found)?;
        }
        ask(out, &self.0.ask)?;
        if self.0.things.is_empty() && self.0.ask.is_empty() {
            writeln!(
                out,
                "nothing is known under the name {}",
                one_line(&self.0.name, 160)
            )?;
        }
        Ok(())
    }
}

impl Answer for Aboutness {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let about = &self.0;
        for found in &about.things {
            thing(out, found)?;
        }
        for each in &about.sessions.rows {
            session(out, each)?;
        }
        for stream in &about.workstreams {
            workstream(out, stream)?;
        }
        for each in &about.notes.rows {
            note(out, each)?;
        }
        ask(out, &about.ask)?;
        let nothing =
            about.things.is_empty() && about.sessions.rows.is_empty() && about.workstreams.is_empty();
        if nothing && about.notes.rows.is_empty() && about.ask.is_empty() {
            writeln!(out, "nothing is known about {}", one_line(&about.name, 160))?;
        }
        Ok(())
    }
}
