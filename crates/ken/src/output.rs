use std::io::{self, Write};
use std::process::ExitCode;

use serde::Serialize;

use crate::error::{CommandError, Kind};

/// Where answers go: text for people or one JSON object, never both; notices on standard error.
pub(crate) struct Output {
    json: bool,
    quiet: bool,
    wrong_found: bool,
}

/// An answer that people can read; its [`Serialize`] form is what `--json` prints.
pub(crate) trait Answer: Serialize {
    /// Writes the text form, with a final newline.
    fn text(&self, out: &mut dyn Write) -> io::Result<()>;
}

impl Output {
    pub(crate) fn new(json: bool, quiet: bool) -> Output {
        Output {
            json,
            quiet,
            wrong_found: false,
        }
    }

    /// Prints an answer.
    pub(crate) fn answer(&mut self, answer: &dyn ErasedAnswer) -> Result<(), CommandError> {
        if self.json {
            return self.answer_as_json(answer);
        }
        let mut out = anstream::stdout().lock();
        finish(answer.write_text(&mut out).and_then(|()| out.flush()))
    }

    /// Prints an answer as JSON whatever `--json` says: for commands with a `--format json` of their own.
    pub(crate) fn answer_as_json(&mut self, answer: &dyn ErasedAnswer) -> Result<(), CommandError> {
        let mut out = io::stdout().lock();
        finish(answer.write_json(&mut out).and_then(|()| out.flush()))
    }

    /// Whether notices and progress are unwanted.
    pub(crate) fn is_silent(&self) -> bool {
        self.quiet || self.json
    }

    /// A notice for the person, on standard error; silent with `--quiet`.
    pub(crate) fn notice(&self, text: &str) {
        if !self.quiet {
            let _ = writeln!(anstream::stderr(), "{text}");
        }
    }

    /// The command did its work and found something wrong (validate, audit): exit code 1.
    pub(crate) fn found_something_wrong(&mut self) {
        self.wrong_found = true;
    }

    pub(crate) fn exit_code(&self) -> ExitCode {
        if self.wrong_found {
            ExitCode::from(1)
        } else {
            ExitCode::SUCCESS
        }
    }

    /// Renders an error and gives its exit code.
    pub(crate) fn fail(&self, error: &CommandError) -> ExitCode {
        let mut err = anstream::stderr().lock();
        let _ = if self.json {
            let object = serde_json::json!({"error": {"message": error.message, "hints": error.hints}});
            writeln!(err, "{object}")
        } else {
            let bold = anstyle::AnsiColor::Red.on_default().bold();
            let mut done = writeln!(err, "{bold}error{bold:#}: {}", error.message);
            for hint in &error.hints {
                done = done.and_then(|()| writeln!(err, "  {hint}"));
            }
            done
        };
        ExitCode::from(match error.kind {
            Kind::CouldNot => 1,
            Kind::Usage => 2,
        })
    }
}

/// A reader that went away (`| head`) is no error.
fn finish(written: io::Result<()>) -> Result<(), CommandError> {
    match written {
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(e) => Err(CommandError::could_not(format!(
            "cannot write the answer: {e}; check where the output goes"
        ))),
        Ok(()) => Ok(()),
    }
}

/// [`Answer`] behind a reference.
pub(crate) trait ErasedAnswer {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()>;
    fn write_json(&self, out: &mut dyn Write) -> io::Result<()>;
}

impl<A: Answer> ErasedAnswer for A {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        self.text(out)
    }

    fn write_json(&self, out: &mut dyn Write) -> io::Result<()> {
        serde_json::to_writer_pretty(&mut *out, self).map_err(io::Error::from)?;
        writeln!(out)
    }
}

/// Prints bytes as they are: for scripts and renderings that other programs read.
pub(crate) fn raw(bytes: &[u8]) -> Result<(), CommandError> {
    let mut out = io::stdout().lock();
    finish(out.write_all(bytes).and_then(|()| out.flush()))
}
