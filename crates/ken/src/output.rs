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

    /// True when the answer must be one JSON object.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Prints an answer.
    pub(crate) fn answer(&mut self, answer: &dyn ErasedAnswer) -> Result<(), CommandError> {
        let mut out = anstream::stdout().lock();
        let written = if self.json {
            answer.write_json(&mut out)
        } else {
            answer.write_text(&mut out)
        };
        finish(written.and_then(|()| out.flush()))
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
