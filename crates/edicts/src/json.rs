//! JSON text to the same [`Node`] tree, with exact places.
//!
//! `serde_json` decides what is JSON (strictly: no comments, no trailing commas); the walk here only finds places in
//! a text that is known to be right.

use serde::de::IgnoredAny;

use crate::node::{Kind, MAX_NODES, Node, Style, Unreadable, refuse_duplicates};

/// Reads one JSON value. `None` for a text without any.
pub(crate) fn read(text: &str) -> Result<Option<Node>, Unreadable> {
    if text.trim().is_empty() {
        return Ok(None);
    }
    serde_json::from_str::<IgnoredAny>(text).map_err(|error| {
        let message = error.to_string();
        let why = message.split(" at line ").next().unwrap_or_default();
        Unreadable::new(
            error.line() as u32,
            error.column().max(1) as u32,
            why,
            "correct it there or just before (JSON has no comments and no trailing commas)",
        )
    })?;
    let mut walk = Walk {
        text,
        at: 0,
        line: 1,
        line_start: 0,
        nodes: 0,
    };
    walk.value().map(Some)
}

struct Walk<'t> {
    text: &'t str,
    at: usize,
    line: u32,
    line_start: usize,
    nodes: usize,
}

impl Walk<'_> {
    fn peek(&mut self) -> u8 {
        let bytes = self.text.as_bytes();
        while let Some(byte) = bytes.get(self.at) {
            match byte {
                b'\n' => {
                    self.line += 1;
                    self.line_start = self.at + 1;
                }
                b' ' | b'\t' | b'\r' => {}
                other => return *other,
            }
            self.at += 1;
        }
        0
    }

    fn value(&mut self) -> Result<Node, Unreadable> {
        let opening = self.peek();
        let start = self.at;
        let (line, column) = (
            self.line,
            self.text[self.line_start..start].chars().count() as u32 + 1,
        );
        self.nodes += 1;
        if self.nodes > MAX_NODES {
            return Err(Unreadable::new(
                line,
                column,
                format!("the file holds more than {MAX_NODES} values"),
                "remove what is not needed",
            ));
        }
        let kind = match opening {
            b'"' => Kind::Scalar(self.string(line, column)?.into(), Style::Double),
            b'[' => {
                self.at += 1;
                let mut items = Vec::new();
                while self.peek() != b']' && self.at < self.text.len() {
                    items.push(self.value()?);
                    self.skip(b',');
                }
                self.at += 1;
                Kind::Sequence { items, flow: true }
            }
            b'{' => {
                self.at += 1;
                let mut entries = Vec::new();
                while self.peek() != b'}' && self.at < self.text.len() {
                    let key = self.value()?;
                    self.skip(b':');
                    entries.push((key, self.value()?));
                    self.skip(b',');
                }
                self.at += 1;
                refuse_duplicates(&entries)?;
                Kind::Mapping { entries, flow: true }
            }
            _ => {
                let rest = &self.text[start..];
                let length = rest
                    .find([',', ']', '}', ' ', '\t', '\r', '\n'])
                    .unwrap_or(rest.len());
                self.at += length;
                Kind::Scalar(rest[..length].into(), Style::Plain)
            }
        };
        Ok(Node {
            start,
            end: self.at,
            first: start,
            line,
            column,
            kind,
            anchored: false,
            alias: false,
            tag: None,
        })
    }

    fn skip(&mut self, byte: u8) {
        if self.peek() == byte {
            self.at += 1;
        }
    }

    fn string(&mut self, line: u32, column: u32) -> Result<String, Unreadable> {
        let bytes = self.text.as_bytes();
        let start = self.at;
        self.at += 1;
        while let Some(byte) = bytes.get(self.at) {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                b'"' => break,
                _ => {}
            }
        }
        serde_json::from_str(&self.text[start..self.at]).map_err(|_| {
            Unreadable::new(
                line,
                column,
                "the string holds half of a surrogate pair",
                "write the character itself",
            )
        })
    }
}
