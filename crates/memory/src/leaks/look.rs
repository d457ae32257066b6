//! Looks at one file: at its text as it stands, comments and keys included, and at what its strings say.

use std::collections::HashSet;

use ken_files::{Clock, read_bounded};
use ken_secrets::Redacted;
use serde::Serialize;
use serde_json::Value;

use super::files::{FileKind, KeptFile, unread};
use super::{Leak, LeakRule};

/// The largest file that is looked at, in bytes.
const LARGEST: u64 = 512 * 1024 * 1024;

pub(super) fn at(file: &KeptFile, clock: &Clock, found: &mut Vec<Leak>) {
    let bytes = match read_bounded(&file.path, LARGEST) {
        Ok(bytes) => bytes,
        Err(error) => return found.push(unread(&file.path, &error.to_string())),
    };
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return found.push(unread(&file.path, "it is UTF-16; save it as UTF-8"));
    }
    let text = String::from_utf8_lossy(&bytes);
    let mut looked = Looked {
        file,
        lines: Lines::of(&text),
        seen: HashSet::new(),
        found,
    };
    for finding in ken_secrets::scan(&text) {
        let (line, column) = looked.lines.place(finding.span.start);
        looked.credential(line, column, finding.kind, finding.fingerprint);
    }
    match file.kind {
        FileKind::Edicts => looked.edicts(clock),
        FileKind::Lines => looked.json_lines(&text),
        FileKind::OwnManifest => looked.manifest(&text, false),
        FileKind::Manifest => looked.manifest(&text, true),
        FileKind::Text => {}
    }
}

struct Looked<'l, 't> {
    file: &'l KeptFile,
    lines: Lines<'t>,
    /// Fingerprints of what was found in the text as it stands.
    seen: HashSet<String>,
    found: &'l mut Vec<Leak>,
}

impl Looked<'_, '_> {
    fn credential(&mut self, line: u32, column: u32, kind: &'static str, fingerprint: String) {
        self.seen.insert(fingerprint.clone());
        self.found.push(Leak {
            path: self.file.path.clone(),
            line,
            column,
            rule: LeakRule::Credential,
            kind: kind.to_owned(),
            message: format!(
                "this looks like a credential ({kind}, {fingerprint}); take it out, and change the credential: what was \
                 committed stays in the history"
            ),
            fingerprint,
        });
    }

    /// What only the decoded strings say: the text hides it behind escapes or line breaks.
    fn hidden(&mut self, line: u32, findings: Vec<ken_secrets::Finding>) {
        for finding in findings {
            if !self.seen.contains(&finding.fingerprint) {
                self.credential(line, 1, finding.kind, finding.fingerprint);
            }
        }
    }

    fn edicts(&mut self, clock: &Clock) {
        // One that cannot be read is looked at as a text; `ken edict validate` says what is wrong with it.
        let Ok(edicts) = ken_edicts::Store::new(&self.file.path, None).load(clock) else {
            return;
        };
        for edict in &edicts.edicts {
            self.hidden(edict.line, found_in(edict));
        }
        for entry in &edicts.history {
            self.hidden(entry.line, found_in(entry));
        }
    }

    fn json_lines(&mut self, text: &str) {
        for (number, line) in (1..).zip(text.lines()) {
            // Without an escape the text says what the strings say.
            if line.contains('\\')
                && let Ok(value) = serde_json::from_str::<Value>(line)
            {
                self.hidden(number, Redacted::new(value).1);
            }
        }
    }

    fn manifest(&mut self, text: &str, leaves: bool) {
        let Ok(read) = ken_library::read_manifest(&self.file.path) else {
            return;
        };
        if leaves {
            for row in ken_library::revealing(&read.manifest) {
                self.revealing(&row, text);
            }
        }
        self.hidden(1, Redacted::new(read.manifest).1);
    }

    fn revealing(&mut self, row: &ken_library::Revealing, text: &str) {
        let (line, column) = self.lines.place(first_place(text, &row.beginning));
        let (rule, kind) = match row.private {
            true => (LeakRule::PrivateRow, row.kind),
            false => (LeakRule::PrivateName, row.kind),
        };
        let message = match rule {
            LeakRule::PrivateRow => format!(
                "a private {kind} stands in a manifest that leaves the machine; take it out, or keep the manifest out of the repository"
            ),
            _ => format!(
                "this {kind} names something private, in a manifest that leaves the machine; take the name out, or the row"
            ),
        };
        let value = format!("{kind}\0{}", row.beginning);
        self.found.push(Leak {
            path: self.file.path.clone(),
            line,
            column,
            rule,
            kind: kind.to_owned(),
            fingerprint: blake3::hash(value.as_bytes()).to_hex()[..12].to_owned(),
            message,
        });
    }
}

/// The credentials in the strings of a value.
fn found_in(value: &impl Serialize) -> Vec<ken_secrets::Finding> {
    Redacted::new(serde_json::to_value(value).unwrap_or_default()).1
}

/// Where a row begins: where its first words are first met.
fn first_place(text: &str, beginning: &str) -> usize {
    let line = beginning.lines().next().unwrap_or_default().trim();
    let words: String = line.chars().take(40).collect();
    if words.is_empty() {
        return 0;
    }
    text.find(&words).unwrap_or(0)
}

/// The lines of a text.
struct Lines<'t> {
    text: &'t str,
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Lines<'t> {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(breaks.map(|(at, _)| at + 1));
        Lines {
            text,
            starts: starts.collect(),
        }
    }

    /// Line and column of a byte, both from 1.
    fn place(&self, at: usize) -> (u32, u32) {
        let line = self.starts.partition_point(|start| *start <= at);
        let start = self.starts[line - 1];
        let column = self.text[start..at].chars().count() + 1;
        (line as u32, column as u32)
    }
}
