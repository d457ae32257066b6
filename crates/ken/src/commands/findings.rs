//! The forms in which other programs read findings: SARIF 2.1.0 (OASIS), and the annotations of GitHub's workflows.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use clap::ValueEnum;
use serde::Serialize;
use serde_json::{Value, json};

use super::counted;
use crate::error::CommandError;
use crate::output::{Answer, Output, fit_to_show, raw};

/// How a validator prints what it found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum FindingsFormat {
    /// For people
    #[default]
    Text,
    /// One JSON object
    Json,
    /// SARIF 2.1.0, for code scanning and editors
    Sarif,
    /// Annotations of a GitHub workflow
    Github,
}

/// How bad a finding is, in the words of both forms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Level {
    Error,
    Warning,
}

impl Level {
    fn word(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warning => "warning",
        }
    }
}

/// A rule that findings belong to. Its code stays the same over versions, so that people can filter by it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RuleText {
    pub(crate) code: &'static str,
    /// What breaks it, in one sentence.
    pub(crate) about: &'static str,
}

/// One finding, whichever validator it comes from.
#[derive(Debug)]
pub(crate) struct Reported {
    pub(crate) level: Level,
    pub(crate) rule: &'static str,
    /// The file, from the root or from the folder that the program was started in.
    pub(crate) path: PathBuf,
    /// Line, from 1.
    pub(crate) line: u32,
    /// Column in characters, from 1.
    pub(crate) column: u32,
    pub(crate) message: String,
    /// By which the same finding is known when it moves.
    pub(crate) fingerprint: Option<String>,
}

/// The findings of one run, as other programs read them.
#[derive(Debug)]
pub(crate) struct Findings<'f> {
    /// Paths below this folder are printed from there: the root of the repository.
    pub(crate) root: &'f Path,
    /// Every rule that the validator knows.
    pub(crate) rules: Vec<RuleText>,
    pub(crate) findings: Vec<Reported>,
}

impl Findings<'_> {
    /// Prints them as SARIF.
    pub(crate) fn print_sarif(&self, output: &mut Output) -> Result<(), CommandError> {
        output.answer_as_json(&Sarif(self.sarif()))
    }

    /// Prints them as annotations.
    pub(crate) fn print_github(&self) -> Result<(), CommandError> {
        raw(fit_to_show(&self.annotations()).as_bytes())
    }

    fn annotations(&self) -> String {
        let (mut text, mut errors, mut warnings) = (String::new(), 0, 0);
        for finding in &self.findings {
            match finding.level {
                Level::Error => errors += 1,
                Level::Warning => warnings += 1,
            }
            let (path, _) = self.shown(&finding.path);
            let _ = writeln!(
                text,
                "::{} file={},line={},col={},title={}::{}",
                finding.level.word(),
                property(&path.to_string_lossy()),
                finding.line,
                finding.column,
                property(finding.rule),
                data(&finding.message)
            );
        }
        let (errors, warnings) = (
            counted(errors, "error", "errors"),
            counted(warnings, "warning", "warnings"),
        );
        let _ = writeln!(text, "{errors}, {warnings}");
        text
    }

    fn sarif(&self) -> Value {
        let rules: Vec<Value> = self
            .rules
            .iter()
            .map(|rule| json!({"id": rule.code, "shortDescription": {"text": rule.about}}))
            .collect();
        let results: Vec<Value> = self
            .findings
            .iter()
            .map(|finding| {
                let mut result = json!({
                    "ruleId": finding.rule,
                    "level": finding.level.word(),
                    "message": {"text": finding.message},
                    "locations": [{"physicalLocation": {
                        "artifactLocation": self.location(&finding.path),
                        "region": {"startLine": finding.line, "startColumn": finding.column},
                    }}],
                });
                if let Some(fingerprint) = &finding.fingerprint {
                    result["partialFingerprints"] = json!({"kenValue/v1": fingerprint});
                }
                if let Some(index) = self.rules.iter().position(|rule| rule.code == finding.rule) {
                    result["ruleIndex"] = index.into();
                }
                result
            })
            .collect();
        json!({
            "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
            "version": "2.1.0",
            "runs": [{
                "tool": {"driver": {
                    "name": "ken",
                    "semanticVersion": env!("CARGO_PKG_VERSION"),
                    "rules": rules,
                }},
                "columnKind": "unicodeCodePoints",
                "results": results,
            }],
        })
    }

    /// The file from the root of the repository; one outside of it by its whole path.
    fn shown(&self, path: &Path) -> (PathBuf, bool) {
        let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        match whole.strip_prefix(self.root) {
            Ok(below) => (below.to_owned(), true),
            Err(_) => (whole, false),
        }
    }

    fn location(&self, path: &Path) -> Value {
        match self.shown(path) {
            (below, true) => json!({"uri": uri_path(&below), "uriBaseId": "%SRCROOT%"}),
            (whole, false) => json!({"uri": format!("file:///{}", uri_path(&whole))}),
        }
    }
}

/// A path as the path of a URI (RFC 3986): steps parted by `/`, everything but unreserved characters escaped.
fn uri_path(path: &Path) -> String {
    let mut uri = String::new();
    let steps = path.components().filter_map(|step| match step {
        Component::RootDir => None,
        step => Some(step.as_os_str().to_string_lossy().into_owned()),
    });
    for (number, step) in steps.enumerate() {
        if number > 0 {
            uri.push('/');
        }
        for byte in step.bytes() {
            if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                uri.push(char::from(byte));
            } else {
                let _ = write!(uri, "%{byte:02X}");
            }
        }
    }
    uri
}

#[derive(Serialize)]
#[serde(transparent)]
struct Sarif(Value);

impl Answer for Sarif {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{}", self.0)
    }
}

/// A message of a workflow command: nothing in it begins another line, and so another command.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property of a workflow command.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
