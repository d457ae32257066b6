//! One file a command: its arguments, its help with an example, and what it prints.

mod after_hook;
mod audit;
mod brief;
mod completions;
mod config;
mod doctor;
mod dream;
mod edict;
mod eval;
mod findings;
pub(crate) mod hook;
mod init;
mod learn;
mod library;
mod man;
mod mcp;
mod recall;
mod recognize;
mod setup;
mod status;
mod sync;
mod trust;
mod up;

use std::fmt::Display;
use std::str::FromStr;
use std::time::Instant;

use clap::Subcommand;

use crate::cli::Global;
use crate::context::Context;
use crate::error::CommandError;
use crate::output::Output;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Up(up::Up),
    Init(init::Init),
    Status(status::Status),
    Doctor(doctor::Doctor),
    Learn(learn::Learn),
    Recall(recall::Recall),
    #[command(visible_alias = "recognise")]
    Recognize(recognize::Recognize),
    Brief(brief::Brief),
    Dream(dream::Dream),
    Trust(trust::Trust),
    Edict(edict::Edict),
    Library(library::Library),
    Audit(audit::Audit),
    Sync(sync::Sync),
    Setup(setup::Setup),
    Unsetup(setup::Unsetup),
    Mcp(mcp::Mcp),
    Hook(hook::Hook),
    #[command(name = after_hook::NAME, hide = true)]
    AfterHook(after_hook::AfterHook),
    Config(config::Config),
    Eval(eval::Eval),
    Completions(completions::Completions),
    Man(man::Man),
}

/// Runs a command. Those that need no world are not made to wait for one.
pub(crate) fn run(
    command: Command,
    mut global: Global,
    output: &mut Output,
    started: Instant,
) -> Result<(), CommandError> {
    if matches!(&command, Command::Library(library) if library.asks_about_a_project()) {
        global.project = None;
    }
    let world = || Context::from_environment(&global);
    match command {
        Command::Up(command) => command.run(&world()?, output),
        Command::Init(command) => command.run(&world()?, output),
        Command::Status(command) => command.run(&world()?, output),
        Command::Doctor(command) => command.run(&world()?, output),
        Command::Learn(command) => command.run(&world()?, output),
        Command::Recall(command) => command.run(&world()?, output),
        Command::Recognize(command) => command.run(&world()?, output),
        Command::Brief(command) => command.run(&world()?, output),
        Command::Dream(command) => command.run(&world()?, output),
        Command::Trust(command) => command.run(&world()?, output),
        Command::Edict(command) => command.run(&world()?, output),
        Command::Library(command) => command.run(&world()?, output),
        Command::Audit(command) => command.run(&world()?, output),
        Command::Sync(command) => command.run(&world()?, output),
        Command::Setup(command) => command.run(&world()?, output),
        Command::Unsetup(command) => command.run(&world()?, output),
        Command::Config(command) => command.run(&world()?, output),
        Command::Eval(command) => command.run(output),
        Command::Mcp(command) => command.run(global),
        Command::Hook(command) => command.run(global, started),
        Command::AfterHook(command) => command.run(&world()?, output),
        Command::Completions(command) => command.run(),
        Command::Man(command) => command.run(output),
    }
}

/// Reads a flag's value with the type's own parser, whose error is the sentence that the person sees.
fn parse<T: FromStr<Err: Display>>(value: &str) -> Result<T, String> {
    value.parse().map_err(|e: T::Err| e.to_string())
}

/// Reads a text that is asked about, in which bytes that are no UTF-8 are shown as such: no question is an error.
fn any_text() -> impl clap::builder::TypedValueParser<Value = String> {
    use clap::builder::{OsStringValueParser, TypedValueParser};
    OsStringValueParser::new().map(|text| text.to_string_lossy().into_owned())
}

/// Reads a number, with a sentence for what is none.
fn number(value: &str) -> Result<f64, String> {
    value
        .parse()
        .map_err(|_| format!("`{value}` is not a number; write one such as 7 or 7.5"))
}

/// Reads a whole number that is not negative, with a sentence for what is none.
fn whole_number(value: &str) -> Result<usize, String> {
    value
        .parse()
        .map_err(|_| format!("`{value}` is not a whole number; write one such as 20"))
}

/// Reads a day, with a sentence for what is none.
fn day(value: &str) -> Result<jiff::civil::Date, String> {
    value
        .parse()
        .map_err(|_| format!("`{value}` is not a day; write one such as 2026-01-31"))
}

/// A text as one line of at most `limit` characters, safe to print on a terminal.
fn one_line(text: &str, limit: usize) -> String {
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.extend(word.chars().filter(|c| !c.is_control()));
    }
    match line.char_indices().nth(limit) {
        Some((at, _)) => format!("{}…", line[..at].trim_end()),
        None => line,
    }
}

/// `1 agent`, `2 agents`.
fn counted(number: usize, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}
