//! `ken library`: what every agent on this machine knows, asked as one whole.

mod rows;
mod validate;

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use jiff::civil::Date;
use ken_library::questions::{
    self, AgentsQuery, EntitiesQuery, Found, Limit, NotesQuery, Period, RecentQuery, WorkstreamsQuery,
};
use ken_library::{AccessLevel, AgentId, AgentType, Caller, Library as Shelf, View, WorkStatus};

use self::rows::{Aboutness, AgentRows, Entities, Finding, Notes, Sessions, Workstreams};
use crate::context::Context;
use crate::error::CommandError;
use crate::output::{Output, raw};

/// What the agents on this machine know, in the L5 and L6 library
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ken library agents
  ken library find ledger
  ken library recent --since 7d --project ledger
  ken library validate ~/agent-library/agents/*.l5.yaml")]
pub(crate) struct Library {
    #[command(subcommand)]
    command: LibraryCommand,
}

#[derive(Debug, Subcommand)]
enum LibraryCommand {
    /// Who is here, and what they can do
    #[command(after_help = "Example:\n  ken library agents --capability image")]
    Agents {
        /// Only those with a capability that holds this word
        #[arg(long, value_name = "WORD")]
        capability: Option<String>,
        /// Only this type, such as code-assistant
        #[arg(long = "type", value_name = "T", value_parser = super::parse::<AgentType>)]
        kind: Option<AgentType>,
        #[command(flatten)]
        scope: Scope,
    },
    /// Everything of one kind
    List {
        /// The kind
        kind: Kind,
        /// Only with this tag
        #[arg(long, value_name = "T")]
        tag: Option<String>,
        #[command(flatten)]
        valid: Valid,
        #[command(flatten)]
        scope: Scope,
    },
    /// What a name stands for, and who knows it
    #[command(after_help = "Example:\n  ken library find \"Ledger importer\"")]
    Find {
        /// A name or an alias
        #[arg(value_parser = super::any_text())]
        name: String,
        #[command(flatten)]
        valid: Valid,
        #[command(flatten)]
        scope: Scope,
    },
    /// Everything about a project
    About {
        /// Its name or an alias
        #[arg(value_parser = super::any_text())]
        name: String,
        #[command(flatten)]
        valid: Valid,
        #[command(flatten)]
        scope: Scope,
    },
    /// What was done lately, newest first
    #[command(after_help = "Example:\n  ken library recent --since 7d --agent claude-code")]
    Recent {
        /// Not older: a day such as 2026-01-31, or how long ago
        #[arg(long, value_name = "DATE|14d", default_value = "14d")]
        since: String,
        /// Only what this agent did
        #[arg(long, value_name = "A", value_parser = super::parse::<AgentId>)]
        agent: Option<AgentId>,
        /// Only on this project: its name
        #[arg(long, value_name = "P")]
        project: Option<PathBuf>,
        /// Only in this folder or below
        #[arg(long, value_name = "DIR")]
        cwd: Option<String>,
        /// Only with this tag
        #[arg(long, value_name = "T")]
        tag: Option<String>,
        /// Also sessions without a date, at the end
        #[arg(long)]
        undated: bool,
        #[command(flatten)]
        scope: Scope,
    },
    /// What is in flight
    Workstreams {
        /// Only this status: active, paused, done or archived
        #[arg(long, value_name = "S", value_parser = super::parse::<WorkStatus>)]
        status: Option<WorkStatus>,
        /// Only what this agent works on
        #[arg(long, value_name = "A", value_parser = super::parse::<AgentId>)]
        agent: Option<AgentId>,
        /// Only with this tag
        #[arg(long, value_name = "T")]
        tag: Option<String>,
        #[command(flatten)]
        scope: Scope,
    },
    /// The journal
    Notes {
        /// Not older: a day, or how long ago
        #[arg(long, value_name = "DATE|14d")]
        since: Option<String>,
        /// Only what this agent wrote
        #[arg(long, value_name = "A", value_parser = super::parse::<AgentId>)]
        agent: Option<AgentId>,
        /// Only with this tag
        #[arg(long, value_name = "T")]
        tag: Option<String>,
        #[command(flatten)]
        scope: Scope,
    },
    Validate(validate::Validate),
    /// Print the JSON Schema of a manifest, for editors and other validators
    Schema,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    Entities,
    Sessions,
    Workstreams,
    Notes,
}

/// For whom, and how much.
#[derive(Debug, Clone, Args)]
struct Scope {
    /// Ask as one who may see at most: public, team or private
    #[arg(long, value_name = "LEVEL", value_parser = super::parse::<AccessLevel>)]
    access: Option<AccessLevel>,
    /// At most this many rows, 1 to 100
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = super::whole_number)]
    limit: usize,
}

/// When it must have been valid.
#[derive(Debug, Clone, Args)]
struct Valid {
    /// Only what was active on this day
    #[arg(long, value_name = "DATE", conflicts_with = "active_during", value_parser = super::day)]
    active_on: Option<Date>,
    /// Only what was active in this time: 2026-Q1, 2026-03, 2026 or 2026-01-01..2026-02-15
    #[arg(long, value_name = "PERIOD", value_parser = period)]
    active_during: Option<Period>,
}

fn period(text: &str) -> Result<Period, String> {
    Period::parse(text).map_err(|error| error.to_string())
}

impl Valid {
    fn period(self) -> Option<Period> {
        self.active_on.map(Period::day).or(self.active_during)
    }
}

/// What one question is answered from.
struct Asked {
    view: View,
    limit: Limit,
}

impl Library {
    /// Whether `--project` names a project to ask about here, and not the folder to work in.
    pub(crate) fn asks_about_a_project(&self) -> bool {
        matches!(&self.command, LibraryCommand::Recent { project: Some(_), .. })
    }

    pub(crate) fn run(self, context: &Context, output: &mut Output) -> Result<(), CommandError> {
        let ask = |scope: &Scope, output: &Output| asked(context, scope, output);
        let since = |text: &str| {
            questions::since(text, &context.clock).map_err(|e| CommandError::usage(format!("--since: {e}")))
        };
        match self.command {
            LibraryCommand::Agents {
                capability,
                kind,
                scope,
            } => {
                let asked = ask(&scope, output)?;
                let mut agents = questions::agents(&asked.view, &AgentsQuery { capability, kind });
                agents.truncate(asked.limit.get());
                output.answer(&AgentRows { agents })
            }
            LibraryCommand::List {
                kind,
                tag,
                valid,
                scope,
            } => {
                let asked = ask(&scope, output)?;
                list(kind, tag, valid, asked, output)
            }
            LibraryCommand::Find { name, valid, scope } => {
                let asked = ask(&scope, output)?;
                let mut found: Found = questions::find(&asked.view, &name, valid.period().as_ref());
                found.things.truncate(asked.limit.get());
                output.answer(&Finding(found))
            }
            LibraryCommand::About { name, valid, scope } => {
                let asked = ask(&scope, output)?;
                let about = questions::about(&asked.view, &name, valid.period().as_ref(), asked.limit)?;
                output.answer(&Aboutness(about))
            }
            LibraryCommand::Recent {
                since: from,
                agent,
                project,
                cwd,
                tag,
                undated,
                scope,
            } => {
                let from = since(&from)?;
                let asked = ask(&scope, output)?;
                let query = RecentQuery {
                    since: Some(from),
                    agent,
                    project: project.map(|name| name.to_string_lossy().into_owned()),
                    cwd,
                    tag,
                    undated,
                    limit: asked.limit,
                };
                output.answer(&Sessions(questions::recent(&asked.view, &query)?))
            }
            LibraryCommand::Workstreams {
                status,
                agent,
                tag,
                scope,
            } => {
                let asked = ask(&scope, output)?;
                let query = WorkstreamsQuery {
                    status,
                    agent,
                    tag,
                    limit: asked.limit,
                };
                output.answer(&Workstreams(questions::workstreams(&asked.view, &query)?))
            }
            LibraryCommand::Notes {
                since: from,
                agent,
                tag,
                scope,
            } => {
                let from = from.as_deref().map(since).transpose()?;
                let asked = ask(&scope, output)?;
                let query = NotesQuery {
                    since: from,
                    agent,
                    tag,
                    limit: asked.limit,
                };
                output.answer(&Notes(questions::notes(&asked.view, &query)?))
            }
            LibraryCommand::Validate(command) => command.run(context, output),
            LibraryCommand::Schema => raw(ken_library::SCHEMA.as_bytes()),
        }
    }
}

/// The library as the asking person may see it. A manifest that cannot be read is said aloud and hides no other.
fn asked(context: &Context, scope: &Scope, output: &Output) -> Result<Asked, CommandError> {
    let limit = Limit::new(scope.limit).map_err(|error| CommandError::usage(format!("--limit: {error}")))?;
    let loaded = Shelf::open(&context.paths.library).load()?;
    for failure in &loaded.failures {
        output.notice(&format!("not read: {}", failure.error));
    }
    let caller = scope.access.map_or_else(Caller::person, Caller::local_agent);
    Ok(Asked {
        view: loaded.view(&caller),
        limit,
    })
}

fn list(
    kind: Kind,
    tag: Option<String>,
    valid: Valid,
    asked: Asked,
    output: &mut Output,
) -> Result<(), CommandError> {
    let Asked { view, limit } = asked;
    match kind {
        Kind::Entities => {
            let query = EntitiesQuery {
                tag,
                valid: valid.period(),
                limit,
                ..EntitiesQuery::default()
            };
            output.answer(&Entities(questions::entities(&view, &query)?))
        }
        Kind::Sessions => {
            let query = RecentQuery {
                tag,
                undated: true,
                limit,
                ..RecentQuery::default()
            };
            output.answer(&Sessions(questions::recent(&view, &query)?))
        }
        Kind::Workstreams => {
            let query = WorkstreamsQuery {
                tag,
                limit,
                ..WorkstreamsQuery::default()
            };
            output.answer(&Workstreams(questions::workstreams(&view, &query)?))
        }
        Kind::Notes => {
            let query = NotesQuery {
                tag,
                limit,
                ..NotesQuery::default()
            };
            output.answer(&Notes(questions::notes(&view, &query)?))
        }
    }
}

/// `  label    text`, when there is a text.
fn line(out: &mut dyn Write, label: &str, text: &str) -> io::Result<()> {
    if text.is_empty() {
        Ok(())
    } else {
        writeln!(out, "  {label:<10} {text}")
    }
}
