//! `ken edict`: the facts that must always win, in the project's `edicts.yaml`.

mod change;
mod exchange;
mod show;
mod upkeep;

use std::path::PathBuf;

use clap::{Args, Subcommand};
use ken_edicts::{Confidence, Filter, Label, Limits, Store, Ttl};

use crate::context::Context;
use crate::error::CommandError;
use crate::output::Output;

/// Facts that must always win, in edicts.yaml
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ken edict add \"v2.0 launches on 15 April, not before\" --category product --ttl event --expires-at 2027-04-16
  ken edict list --category product
  ken edict render --format markdown")]
pub(crate) struct Edict {
    /// The file; without it, the project's edicts.yaml, .yml or .json
    #[arg(long, global = true, value_name = "FILE")]
    path: Option<PathBuf>,
    /// At most this many edicts, over the file's own limit
    #[arg(long, global = true, value_name = "N")]
    max_edicts: Option<usize>,
    /// At most this many tokens of text, over the file's own budget
    #[arg(long, global = true, value_name = "N")]
    token_budget: Option<usize>,
    /// Allow the file to be rewritten, losing comments, where a change cannot be made in place
    #[arg(long, global = true)]
    reformat: bool,
    #[command(subcommand)]
    command: EdictCommand,
}

#[derive(Debug, Subcommand)]
enum EdictCommand {
    Init(change::Init),
    Add(change::Add),
    Update(change::Update),
    Remove(change::Remove),
    Confirm(change::Confirm),
    Restore(change::Restore),
    List(show::List),
    Get(show::Get),
    Search(show::Search),
    Render(show::Render),
    Review(upkeep::ReviewFacts),
    Stats(upkeep::CountFacts),
    History(show::History),
    Validate(show::Validate),
    Compact(upkeep::Compact),
    Import(exchange::Import),
    Export(exchange::Export),
    Schema(exchange::Schema),
}

/// The file that a command works on, and the limits laid over it.
struct Work<'c> {
    context: &'c Context,
    store: Store,
    limits: Limits,
}

/// Which edicts are meant.
#[derive(Debug, Clone, Default, Args)]
struct Filters {
    /// Only this category
    #[arg(long, value_name = "C", value_parser = label)]
    category: Option<Label>,
    /// Only with this tag; may be given several times
    #[arg(long = "tag", value_name = "T", value_parser = label)]
    tags: Vec<Label>,
    /// Only this ttl
    #[arg(long, value_name = "TTL", value_parser = super::parse::<Ttl>)]
    ttl: Option<Ttl>,
    /// Only this confidence
    #[arg(long, value_name = "C", value_parser = super::parse::<Confidence>)]
    confidence: Option<Confidence>,
    /// Only keys that begin so
    #[arg(long, value_name = "P")]
    key_prefix: Option<String>,
}

fn label(text: &str) -> Result<Label, String> {
    Label::new(text)
}

impl From<Filters> for Filter {
    fn from(filters: Filters) -> Filter {
        Filter {
            category: filters.category,
            tags: filters.tags,
            ttl: filters.ttl,
            confidence: filters.confidence,
            key_prefix: filters.key_prefix,
        }
    }
}

impl Edict {
    pub(crate) fn run(self, context: &Context, output: &mut Output) -> Result<(), CommandError> {
        let state = Some(context.paths.state.clone());
        let speaks = self.path.is_none();
        let store = match self.path {
            Some(path) => Store::new(path, state),
            None => store(context)?,
        };
        let limits = Limits {
            max_edicts: self.max_edicts,
            token_budget: self.token_budget,
            ..Limits::default()
        };
        let work = Work {
            context,
            store: store.reformat(self.reformat),
            limits,
        };
        match self.command {
            EdictCommand::Init(command) => command.run(&work, output),
            EdictCommand::Add(command) => {
                command.run(&work, output)?;
                if speaks {
                    say_who_hears(context, output)?;
                }
                Ok(())
            }
            EdictCommand::Update(command) => command.run(&work, output),
            EdictCommand::Remove(command) => command.run(&work, output),
            EdictCommand::Confirm(command) => command.run(&work, output),
            EdictCommand::Restore(command) => command.run(&work, output),
            EdictCommand::List(command) => command.run(&work, output),
            EdictCommand::Get(command) => command.run(&work, output),
            EdictCommand::Search(command) => command.run(&work, output),
            EdictCommand::Render(command) => command.run(&work, output),
            EdictCommand::History(command) => command.run(&work, output),
            EdictCommand::Validate(command) => command.run(&work, output),
            EdictCommand::Review(command) => command.run(&work, output),
            EdictCommand::Stats(command) => command.run(&work, output),
            EdictCommand::Compact(command) => command.run(&work, output),
            EdictCommand::Import(command) => command.run(&work, output),
            EdictCommand::Export(command) => command.run(&work, output),
            EdictCommand::Schema(command) => command.run(),
        }
    }
}

/// A fact that was just added reaches no prompt when it stands in no project, or in one that is not trusted.
fn say_who_hears(context: &Context, output: &Output) -> Result<(), CommandError> {
    match context.memory(None)?.is_trusted() {
        Some(true) => {}
        Some(false) => {
            output.notice("no prompt hears of it yet: this repository is not trusted; say `ken trust`");
        }
        None => {
            output.notice("no prompt hears of it: this folder is no project; facts belong into a repository");
        }
    }
    Ok(())
}

/// The project's file of edicts: the one that is found from here up to the project's root, else where a new one
/// would be made.
pub(crate) fn store(context: &Context) -> Result<Store, CommandError> {
    let root = context.project.as_ref().map(|project| project.root.as_path());
    let found = ken_edicts::locate(&context.start, root)?;
    let path = found.unwrap_or_else(|| root.unwrap_or(&context.start).join(ken_edicts::FILE_NAMES[0]));
    let store = Store::new(path, Some(context.paths.state.clone()));
    // No link in a repository takes it out of there; only the person does, with --path.
    Ok(match root {
        Some(root) => store.within(root),
        None => store,
    })
}
