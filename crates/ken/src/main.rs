//! `ken`: one memory for every coding agent on a machine.
//!
//! **Owns** the command line: arguments in, text or JSON out, exit codes (0 done, 1 could not or something wrong was
//! found, 2 wrong usage). It alone reads the environment, the home directory and the real clock.
//!
//! **May know** every room below it.
//!
//! **Must never know** a rule of a contract: what a test would need a process for stands in a room below.
#![forbid(unsafe_code)]

mod cli;
mod commands;
mod config;
mod context;
mod error;
mod output;

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;

fn main() -> ExitCode {
    let started = Instant::now();
    let cli = match cli::Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) if error.use_stderr() && is_hook() => {
            commands::hook::refused(&error.to_string(), started);
            return ExitCode::SUCCESS;
        }
        Err(error) if error.use_stderr() && std::env::args_os().any(|argument| argument == "--json") => {
            let message = error.render().to_string();
            let message = message.trim_start_matches("error: ").trim_end();
            return output::Output::new(true, false).fail(&error::CommandError::usage(message));
        }
        Err(error) => error.exit(),
    };
    let mut output = output::Output::new(cli.global.json, cli.global.quiet);
    let done = commands::run(cli.command, cli.global, &mut output, started);
    match done {
        Ok(()) => output.exit_code(),
        Err(error) => output.fail(&error),
    }
}

/// Whether an agent runs this as its hook: then it must not hear of arguments that this version does not know.
fn is_hook() -> bool {
    let mut arguments = std::env::args_os().skip(1);
    while let Some(argument) = arguments.next() {
        if argument == "--project" || argument == "--library" {
            arguments.next();
        } else if !argument.as_encoded_bytes().starts_with(b"-") {
            return argument == "hook";
        }
    }
    false
}
