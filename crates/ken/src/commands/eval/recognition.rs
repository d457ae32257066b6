use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use ken_text::recognise::evaluation::{BadLine, Evaluation, Failure, Place, Report, Score};
use serde::Serialize;

use crate::commands::{counted, one_line};
use crate::error::CommandError;
use crate::output::{Answer, Output};

/// Measure how well names are recognised
#[derive(Debug, Args)]
#[command(
    long_about = "Measure how well names are recognised: precision, recall and F1, overall and by kind, and the cases that \
                  came out otherwise than expected, with which the command fails.\n\n\
                  A line of the file is a case: `kind`, `names` (what is known), `text`, and `expected` (what a reader \
                  recognises in it, in order).",
    after_help = "Examples:
  ken eval recognition cases.jsonl
  ken eval recognition cases.jsonl --json
  ken eval recognition - < cases.jsonl

A line of the file:
  {\"kind\": \"longest\", \"names\": [\"Mercury\", \"Mercury Bank\"], \"text\": \"the Mercury Bank account\", \"expected\": [\"Mercury Bank\"]}"
)]
pub(super) struct Recognition {
    /// The cases, one JSON object a line; `-` reads standard input
    file: PathBuf,
}

#[derive(Serialize)]
#[serde(transparent)]
struct Measured(Report);

impl Answer for Measured {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let report = &self.0;
        for bad in &report.bad_lines {
            writeln!(out, "line {}: {}", bad.line, one_line(&bad.why, 300))?;
        }
        for failure in &report.failures {
            let text = one_line(&failure.text, 160);
            writeln!(
                out,
                "line {} ({}): {text}",
                failure.line,
                one_line(&failure.kind, 60)
            )?;
            places(out, "missed", &failure.missed)?;
            places(out, "wrong", &failure.wrong)?;
        }
        if !(report.bad_lines.is_empty() && report.failures.is_empty()) {
            writeln!(out)?;
        }
        let width = report.kinds.iter().map(|kind| kind.kind.chars().count()).max();
        let width = width.unwrap_or(0).clamp(7, 40);
        writeln!(out, "{:width$}  cases  precision  recall      F1", "")?;
        for kind in &report.kinds {
            row(out, &one_line(&kind.kind, 40), width, kind.cases, &kind.score)?;
        }
        row(out, "overall", width, report.cases, &report.overall)?;
        let failed = counted(report.failures.len(), "case", "cases");
        let bad = counted(report.bad_lines.len(), "bad line", "bad lines");
        writeln!(
            out,
            "{}: {failed} otherwise than expected, {bad}",
            counted(report.cases, "case", "cases")
        )
    }
}

fn places(out: &mut dyn Write, what: &str, places: &[Place]) -> io::Result<()> {
    for place in places {
        writeln!(out, "    {what}: {}", one_line(&place.to_string(), 160))?;
    }
    Ok(())
}

fn row(out: &mut dyn Write, kind: &str, width: usize, cases: usize, score: &Score) -> io::Result<()> {
    writeln!(
        out,
        "{kind:width$}  {cases:>5}     {:.4}  {:.4}  {:.4}",
        score.precision(),
        score.recall(),
        score.f1()
    )
}

impl Recognition {
    pub(super) fn run(self, output: &mut Output) -> Result<(), CommandError> {
        let report = match self.file.to_str() {
            Some("-") => measured(Path::new("standard input"), io::stdin().lock())?,
            _ => {
                let file = File::open(&self.file).map_err(|error| unreadable(&self.file, &error))?;
                measured(&self.file, BufReader::new(file))?
            }
        };
        if report.cases == 0 && report.bad_lines.is_empty() {
            return Err(CommandError::could_not(format!(
                "{}: there is no case in it; write one JSON object a line, as `ken eval recognition --help` shows",
                self.file.display()
            )));
        }
        if !(report.failures.is_empty() && report.bad_lines.is_empty()) {
            output.found_something_wrong();
        }
        output.answer(&Measured(report))
    }
}

/// A line that is longer than this is none that a person wrote, and is not read into memory.
const LONGEST_LINE: u64 = 16 * 1024 * 1024;

fn unreadable(path: &Path, error: &io::Error) -> CommandError {
    CommandError::could_not(format!(
        "{} cannot be read: {error}; name a file of cases, one JSON object a line",
        path.display()
    ))
}

/// Takes in the cases of `input`, which is called `path` in what is said of it.
fn measured(path: &Path, mut input: impl BufRead) -> Result<Report, CommandError> {
    let mut evaluation = Evaluation::new();
    let mut bad_lines: Vec<BadLine> = Vec::new();
    let mut line = Vec::new();
    for number in 1.. {
        line.clear();
        let read = io::Read::take(&mut input, LONGEST_LINE)
            .read_until(b'\n', &mut line)
            .map_err(|error| unreadable(path, &error))?;
        if read == 0 {
            break;
        }
        if read as u64 == LONGEST_LINE && !line.ends_with(b"\n") {
            return Err(CommandError::could_not(format!(
                "{}:{number}: the line is longer than 16 MiB; write one case a line",
                path.display()
            )));
        }
        // A mark of byte order is no part of the first line.
        match std::str::from_utf8(&line) {
            Ok(text) => evaluation.take(number, text.strip_prefix('\u{feff}').unwrap_or(text)),
            Err(error) => bad_lines.push(BadLine {
                line: number,
                why: format!("it is not UTF-8 at byte {}", error.valid_up_to()),
            }),
        }
    }
    let mut report = evaluation.finish();
    report.bad_lines.extend(bad_lines);
    report.bad_lines.sort_by_key(|bad| bad.line);
    report.failures.sort_by_key(|failure: &Failure| failure.line);
    Ok(report)
}
