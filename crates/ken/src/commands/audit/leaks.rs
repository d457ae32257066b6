use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use ken_files::{NewFile, replace};
use ken_memory::{Baseline, Leak, LeakRule, LeaksRequest};
use serde::Serialize;

use crate::commands::counted;
use crate::commands::findings::{Findings, FindingsFormat, Level, Reported, RuleText};
use crate::context::Context;
use crate::error::CommandError;
use crate::output::{Answer, Output};

/// The most that a baseline may hold, in bytes.
const LARGEST_BASELINE: u64 = 16 * 1024 * 1024;

/// Find credentials in what is kept, and private rows in manifests that leave the machine; exit 1 when there are any
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ken audit leaks                     the project's edicts and .agent folder, and this machine's library
  ken audit leaks . --require-files   a checkout: edicts, .agent folders and manifests in it
  ken audit leaks . --baseline leaks.json --write-baseline")]
pub(super) struct Leaks {
    /// Files, or folders in which files of the contracts are looked for
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Fail when there is nothing to look at
    #[arg(long)]
    require_files: bool,
    /// A file of findings that are known and accepted
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Accept what there is now: write it into the baseline
    #[arg(long, requires = "baseline")]
    write_baseline: bool,
    /// How to print the findings
    #[arg(long, value_enum, default_value_t)]
    format: FindingsFormat,
}

#[derive(Serialize)]
#[serde(transparent)]
struct Found(ken_memory::Leaks);

impl Answer for Found {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        for leak in &self.0.findings {
            let Leak {
                path,
                line,
                column,
                message,
                ..
            } = leak;
            writeln!(
                out,
                "{}:{line}:{column} {}: {message}",
                path.display(),
                leak.rule.code()
            )?;
        }
        for entry in &self.0.stale {
            writeln!(out, "the baseline accepts what is not there any more: {entry}")?;
        }
        let files = counted(self.0.files, "file", "files");
        write!(
            out,
            "{files}: {}",
            counted(self.0.findings.len(), "finding", "findings")
        )?;
        match self.0.accepted {
            0 => writeln!(out),
            accepted => writeln!(out, ", {accepted} accepted"),
        }
    }
}

impl Found {
    fn for_programs<'c>(&self, context: &'c Context) -> Findings<'c> {
        let rules = LeakRule::ALL.iter().map(|rule| RuleText {
            code: rule.code(),
            about: rule.about(),
        });
        let findings = self.0.findings.iter().map(|leak| Reported {
            level: Level::Error,
            rule: leak.rule.code(),
            path: leak.path.clone(),
            line: leak.line,
            column: leak.column,
            message: leak.message.clone(),
            fingerprint: Some(leak.fingerprint.clone()).filter(|value| !value.is_empty()),
        });
        Findings {
            root: context.root(),
            rules: rules.collect(),
            findings: findings.collect(),
        }
    }
}

#[derive(Serialize)]
struct Accepting {
    baseline: PathBuf,
    accepted: usize,
}

impl Answer for Accepting {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let findings = counted(self.accepted, "finding", "findings");
        writeln!(out, "{}: {findings} accepted", self.baseline.display())
    }
}

fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

impl Leaks {
    pub(super) fn run(self, context: &Context, output: &mut Output) -> Result<(), CommandError> {
        let memory = context.memory(None)?;
        let mut request = LeaksRequest {
            paths: self.paths.iter().map(|path| absolute(path)).collect(),
            ..LeaksRequest::default()
        };
        if let Some(file) = self.baseline.as_ref().filter(|_| !self.write_baseline) {
            let bytes = ken_files::read_bounded(file, LARGEST_BASELINE)?;
            request.baseline = Baseline::parse(&String::from_utf8_lossy(&bytes))
                .map_err(|why| CommandError::could_not(format!("{}: {why}", file.display())))?;
        }
        let mut leaks = memory.leaks(&request)?;
        if self.require_files && leaks.files == 0 {
            return Err(CommandError::could_not(
                "there is nothing to look at: no edicts, no .agent folder and no manifest; check the path",
            ));
        }
        if let Some(file) = self.baseline.filter(|_| self.write_baseline) {
            let root = memory.leaks_root();
            let baseline = Baseline::accepting(&leaks.findings, &root);
            replace(&file, baseline.text().as_bytes(), NewFile::Shared)?;
            let unread = leaks.findings.iter().filter(|leak| leak.rule == LeakRule::Unread);
            for leak in unread {
                output.warning(&format!("{}: {}", leak.path.display(), leak.message));
                output.found_something_wrong();
            }
            let accepted = leaks.findings.iter().filter(|leak| leak.rule != LeakRule::Unread);
            return output.answer(&Accepting {
                baseline: file,
                accepted: accepted.count(),
            });
        }
        if !leaks.findings.is_empty() {
            output.found_something_wrong();
        }
        if self.format == FindingsFormat::Text {
            for leak in &mut leaks.findings {
                if let Ok(below) = leak.path.strip_prefix(&context.start) {
                    leak.path = below.to_owned();
                }
            }
        }
        let found = Found(leaks);
        match self.format {
            FindingsFormat::Text => output.answer(&found),
            FindingsFormat::Json => output.answer_as_json(&found),
            FindingsFormat::Sarif => found.for_programs(context).print_sarif(output),
            FindingsFormat::Github => found.for_programs(context).print_github(),
        }
    }
}
