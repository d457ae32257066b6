use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use ken_library::{Finding, Library, Severity, validate_files};
use serde::Serialize;

use crate::commands::counted;
use crate::commands::findings::{Findings, FindingsFormat, Level, Reported, RuleText};
use crate::context::Context;
use crate::error::CommandError;
use crate::output::{Answer, Output};

/// Check manifests: everything that is wrong, with its place
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ken library validate\n  ken library validate sample.l5.yaml --format json"
)]
pub(super) struct Validate {
    /// The manifests; without any, all of this machine's library
    files: Vec<PathBuf>,
    /// Fail on warnings too
    #[arg(long)]
    strict: bool,
    /// How to print the findings
    #[arg(long, value_enum, default_value_t)]
    format: FindingsFormat,
}

#[derive(Serialize)]
struct Checked {
    files: usize,
    errors: usize,
    warnings: usize,
    findings: Vec<Finding>,
}

impl Answer for Checked {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        for finding in &self.findings {
            writeln!(out, "{finding}")?;
        }
        let files = counted(self.files, "manifest", "manifests");
        let errors = counted(self.errors, "error", "errors");
        writeln!(
            out,
            "{files}: {errors}, {}",
            counted(self.warnings, "warning", "warnings")
        )
    }
}

/// The one rule of manifests: their contract has no codes for its parts.
const RULE: RuleText = RuleText {
    code: "manifest",
    about: "A manifest is not as its contract says, or not as its author would want.",
};

impl Checked {
    fn for_programs<'c>(&self, context: &'c Context) -> Findings<'c> {
        let findings = self.findings.iter().map(|finding| Reported {
            level: match finding.severity {
                Severity::Error => Level::Error,
                Severity::Warning => Level::Warning,
            },
            rule: RULE.code,
            path: finding.file.clone(),
            line: finding.line,
            column: finding.column,
            message: match finding.pointer.as_str() {
                "" => finding.message.clone(),
                pointer => format!("{pointer} {}", finding.message),
            },
            fingerprint: None,
        });
        Findings {
            root: context.root(),
            rules: vec![RULE],
            findings: findings.collect(),
        }
    }
}

impl Validate {
    pub(super) fn run(self, context: &Context, output: &mut Output) -> Result<(), CommandError> {
        let files = match self.files.is_empty() {
            true => Library::open(&context.paths.library).manifest_files()?,
            false => self.files,
        };
        let (mut findings, mut unread) = (Vec::new(), Vec::new());
        for report in validate_files(&files) {
            match report {
                Ok(report) => findings.extend(report.findings),
                Err(error) => unread.push(error.to_string()),
            }
        }
        let errors = findings
            .iter()
            .filter(|finding| finding.severity == Severity::Error)
            .count();
        let warnings = findings.len() - errors;
        if errors > 0 || (self.strict && warnings > 0) {
            output.found_something_wrong();
        }
        let checked = Checked {
            files: files.len() - unread.len(),
            errors,
            warnings,
            findings,
        };
        if checked.files > 0 || unread.is_empty() {
            match self.format {
                FindingsFormat::Json => output.answer_as_json(&checked)?,
                FindingsFormat::Text => output.answer(&checked)?,
                FindingsFormat::Sarif => checked.for_programs(context).print_sarif(output)?,
                FindingsFormat::Github => checked.for_programs(context).print_github()?,
            }
        }
        let mut unread = unread.into_iter();
        match unread.next() {
            None => Ok(()),
            Some(first) => Err(unread.fold(CommandError::could_not(first), CommandError::hint)),
        }
    }
}
