use std::io::{self, Write};
use std::process::ExitCode;

use ken_secrets::Redacted;
use ken_text::fence::misleads;
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
        let mut text = Vec::new();
        finish(answer.write_text(&mut text))?;
        let text = fit_to_show(&String::from_utf8_lossy(&text));
        if anstream::AutoStream::choice(&io::stdout()) == anstream::ColorChoice::Never {
            // All at once: between the colours that it takes out, a stream would write each line by itself.
            return raw(anstream::adapter::strip_str(&text).to_string().as_bytes());
        }
        let mut out = anstream::stdout().lock();
        finish(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
    }

    /// Prints an answer as JSON whatever `--json` says: for commands with a `--format json` of their own.
    pub(crate) fn answer_as_json(&mut self, answer: &dyn ErasedAnswer) -> Result<(), CommandError> {
        let value = answer
            .json()
            .map_err(|e| CommandError::could_not(format!("the answer cannot be written: {e}")))?;
        let (value, _) = Redacted::new(value);
        let mut text = serde_json::to_vec_pretty(&*value).unwrap_or_default();
        text.push(b'\n');
        raw(&text)
    }

    /// Whether answers are printed as JSON.
    pub(crate) fn is_json(&self) -> bool {
        self.json
    }

    /// Whether `--quiet` was said.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Whether notices and progress are unwanted.
    pub(crate) fn is_silent(&self) -> bool {
        self.quiet || self.json
    }

    /// A notice for the person, on standard error; silent with `--quiet`.
    pub(crate) fn notice(&self, text: &str) {
        if !self.quiet {
            let _ = writeln!(anstream::stderr(), "{}", fit_to_show(text));
        }
    }

    /// What a person must not miss, on standard error whatever `--quiet` says: the answer is not all there is.
    pub(crate) fn warning(&self, text: &str) {
        let _ = writeln!(anstream::stderr(), "{}", fit_to_show(text));
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
        let message = fit_to_show(&error.message);
        let _ = if self.json {
            let object = serde_json::json!({"error": {"message": message, "hints": error.hints}});
            writeln!(err, "{object}")
        } else {
            let bold = anstyle::AnsiColor::Red.on_default().bold();
            let mut done = writeln!(err, "{bold}error{bold:#}: {message}");
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
    fn json(&self) -> serde_json::Result<serde_json::Value>;
}

impl<A: Answer> ErasedAnswer for A {
    fn write_text(&self, out: &mut dyn Write) -> io::Result<()> {
        self.text(out)
    }

    fn json(&self) -> serde_json::Result<serde_json::Value> {
        serde_json::to_value(self)
    }
}

/// A text as it may be shown: without credentials, which files that people wrote by hand can hold, and without
/// characters that are not seen or that turn the reading direction round.
pub(crate) fn fit_to_show(text: &str) -> String {
    let (text, _) = ken_secrets::redact(text);
    text.chars().filter(|character| !misleads(*character)).collect()
}

/// Prints bytes as they are: for scripts and renderings that other programs read.
pub(crate) fn raw(bytes: &[u8]) -> Result<(), CommandError> {
    let mut out = io::stdout().lock();
    finish(out.write_all(bytes).and_then(|()| out.flush()))
}
