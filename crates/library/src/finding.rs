//! What was found in a manifest: errors that make it invalid, and warnings.

use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::tree::Position;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The manifest does not conform.
    Error,
    /// It conforms, and something about it is not what its author would want.
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        })
    }
}

/// One finding. It displays as `file:line:column path message`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// The file, as it was given.
    pub file: PathBuf,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The JSON pointer of the value (RFC 6901); empty for the whole document.
    pub pointer: String,
    /// What it is and what to do: one sentence, lower case.
    pub message: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pointer = if self.pointer.is_empty() {
            "/"
        } else {
            &self.pointer
        };
        write!(
            f,
            "{}:{}:{} {pointer} {}: {}",
            self.file.display(),
            self.line,
            self.column,
            self.severity,
            self.message
        )
    }
}

/// A step in a path through a document.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

/// A path through a document, on the stack: it becomes a pointer only when there is something to say.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Trail<'a> {
    pub(crate) before: Option<&'a Trail<'a>>,
    pub(crate) step: Option<Step<'a>>,
}

impl<'a> Trail<'a> {
    pub(crate) const ROOT: Trail<'static> = Trail {
        before: None,
        step: None,
    };

    pub(crate) fn key(&'a self, key: &'a str) -> Trail<'a> {
        Trail {
            before: Some(self),
            step: Some(Step::Key(key)),
        }
    }

    pub(crate) fn index(&'a self, index: usize) -> Trail<'a> {
        Trail {
            before: Some(self),
            step: Some(Step::Index(index)),
        }
    }

    pub(crate) fn pointer(&self) -> String {
        let mut pointer = self.before.map(Trail::pointer).unwrap_or_default();
        match self.step {
            Some(Step::Key(key)) => {
                pointer.push('/');
                pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
            }
            Some(Step::Index(index)) => {
                pointer.push('/');
                pointer.push_str(&index.to_string());
            }
            None => {}
        }
        pointer
    }
}

/// Collects the findings of one file.
#[derive(Debug)]
pub(crate) struct Findings<'a> {
    file: &'a Path,
    pub(crate) all: Vec<Finding>,
}

impl<'a> Findings<'a> {
    pub(crate) fn of(file: &'a Path) -> Findings<'a> {
        Findings {
            file,
            all: Vec::new(),
        }
    }

    pub(crate) fn error(&mut self, at: Position, trail: &Trail<'_>, message: impl Into<String>) {
        self.add(Severity::Error, at, trail.pointer(), message.into());
    }

    pub(crate) fn warning(&mut self, at: Position, trail: &Trail<'_>, message: impl Into<String>) {
        self.add(Severity::Warning, at, trail.pointer(), message.into());
    }

    pub(crate) fn add(&mut self, severity: Severity, at: Position, pointer: String, message: String) {
        self.all.push(Finding {
            severity,
            file: self.file.to_owned(),
            line: at.line,
            column: at.column,
            pointer,
            message,
        });
    }
}
