//! From bytes to one readable document, or the one reason why not.

use std::cell::Cell;
use std::path::Path;

use crate::node::{Kind, Node, Unreadable};
use crate::{Error, json, yaml};

/// The two forms of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Format {
    /// `edicts.yaml`, `edicts.yml`, and any other name.
    Yaml,
    /// `edicts.json`.
    Json,
}

impl Format {
    /// By the file's name.
    pub(crate) fn of(path: &Path) -> Format {
        match path.extension() {
            Some(extension) if extension.eq_ignore_ascii_case("json") => Format::Json,
            _ => Format::Yaml,
        }
    }
}

thread_local! {
    static PARSED: Cell<u64> = const { Cell::new(0) };
}

/// How many files this thread has parsed: the tests' proof that a fresh cache spares it.
#[doc(hidden)]
pub fn parsed_files() -> u64 {
    PARSED.get()
}

/// A file's text without its byte order mark, and the tree of it.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    pub(crate) format: Format,
    pub(crate) bom: bool,
    pub(crate) text: String,
    /// A mapping; absent for a text without any value.
    pub(crate) root: Option<Node>,
}

impl Document {
    /// Reads the bytes of a file. Every error puts the whole file aside.
    pub(crate) fn read(path: &Path, bytes: Vec<u8>) -> Result<Document, Error> {
        let format = Format::of(path);
        read(format, bytes).map_err(
            |Unreadable {
                 line,
                 column,
                 why,
                 remedy,
             }| Error::Parse {
                path: path.to_owned(),
                line,
                column,
                why,
                remedy,
            },
        )
    }

    /// The bytes of the file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.text.len() + 3);
        if self.bom {
            bytes.extend_from_slice(b"\xef\xbb\xbf");
        }
        bytes.extend_from_slice(self.text.as_bytes());
        bytes
    }
}

fn read(format: Format, bytes: Vec<u8>) -> Result<Document, Unreadable> {
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        return Err(Unreadable::new(1, 1, "the file is UTF-16", "save it as UTF-8"));
    }
    let mut text = String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&error.as_bytes()[..good]).into_owned();
        let (line, column) = end_of(&before);
        Unreadable::new(
            line,
            column,
            "the bytes there are not UTF-8",
            "save the file as UTF-8",
        )
    })?;
    let bom = text.starts_with('\u{feff}');
    if bom {
        text.drain(..'\u{feff}'.len_utf8());
    }
    PARSED.set(PARSED.get() + 1);
    refuse_conflict(&text)?;
    let root = match format {
        Format::Yaml => yaml::read(&text)?,
        Format::Json => json::read(&text)?,
    };
    let root = root.filter(|root| !root.is_null());
    if let Some(root) = &root {
        if !matches!(root.kind, Kind::Mapping { .. }) {
            return Err(Unreadable::new(
                root.line,
                root.column,
                format!(
                    "the file is {} and not a mapping with `version` and `edicts`",
                    root.described()
                ),
                "put the list under `edicts:`, with `version: 1` above it",
            ));
        }
        if let Some(version) = root.get("version")
            && !version.is_null()
            && !matches!(version.text(), Some("1" | "1.0"))
        {
            return Err(Unreadable::new(
                version.line,
                version.column,
                format!(
                    "the file says version {}, and only version 1 is known",
                    version.text().unwrap_or("of no kind")
                ),
                "correct it to `version: 1`, or use a newer program",
            ));
        }
        // Read as no edicts at all, it would put every fact out of force in silence.
        if let Some(edicts) = root.get("edicts")
            && !edicts.is_null()
            && edicts.items().is_none()
        {
            return Err(Unreadable::new(
                edicts.line,
                edicts.column,
                format!("`edicts` is {} and not a list", edicts.described()),
                "write one item per `-`",
            ));
        }
    }
    Ok(Document {
        format,
        bom,
        text,
        root,
    })
}

/// Line and column just after a text.
fn end_of(text: &str) -> (u32, u32) {
    let line = text.bytes().filter(|b| *b == b'\n').count() as u32 + 1;
    let last = text.rsplit('\n').next().unwrap_or_default();
    (line, last.chars().count() as u32 + 1)
}

/// A marker of git's can only stand at the start of a line where no value can.
fn refuse_conflict(text: &str) -> Result<(), Unreadable> {
    for (at, line) in text.lines().enumerate() {
        let marker = ["<<<<<<<", ">>>>>>>", "|||||||", "======="]
            .into_iter()
            .find(|marker| {
                line.strip_prefix(marker)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
            });
        if let Some(marker) = marker {
            return Err(Unreadable::new(
                at as u32 + 1,
                1,
                format!("a conflict marker of git (`{marker}`) stands in the file"),
                "keep the edicts of both sides and remove the marker lines",
            ));
        }
    }
    Ok(())
}
