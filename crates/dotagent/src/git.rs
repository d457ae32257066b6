//! Lines in `.gitignore` and `.gitattributes`: added once, and everything else left as people wrote it.

use std::path::{Path, PathBuf};

use crate::Error;
use crate::layout::{Kind, at_root};

/// Most bytes of such a file that are read.
const LARGEST: u64 = 4 * 1024 * 1024;

/// A file of git's, with the lines that should stand in it.
pub(crate) struct GitFile<'a> {
    root: &'a Path,
    name: &'static str,
    paths: &'a [String],
    /// What is written behind a path.
    attribute: &'static str,
    /// Whether a line of the file says it of a path already, or says otherwise on purpose.
    says: fn(line: &[u8], path: &[u8]) -> bool,
}

/// A file to be written.
pub(crate) struct Planned {
    pub(crate) name: &'static str,
    pub(crate) path: PathBuf,
    pub(crate) bytes: Vec<u8>,
    pub(crate) new: bool,
}

impl<'a> GitFile<'a> {
    /// Paths to ignore.
    pub(crate) fn ignore(root: &'a Path, paths: &'a [String]) -> GitFile<'a> {
        GitFile {
            root,
            name: ".gitignore",
            paths,
            attribute: "",
            says: |line, path| bare(line) == bare(path),
        }
    }

    /// Paths to merge by union. A line in which somebody gave the path another way of merging stands.
    pub(crate) fn attributes(root: &'a Path, paths: &'a [String]) -> GitFile<'a> {
        GitFile {
            root,
            name: ".gitattributes",
            paths,
            attribute: " merge=union",
            says: |line, path| {
                let mut words = line
                    .split(u8::is_ascii_whitespace)
                    .filter(|word| !word.is_empty());
                words.next().is_some_and(|first| bare(first) == bare(path)) && words.any(sets_merge)
            },
        }
    }

    /// What has to be written, if anything.
    pub(crate) fn plan(self) -> Result<Option<Planned>, Error> {
        let path = self.root.join(self.name);
        let exists = at_root(self.root, self.name, Kind::File)?;
        let before = if exists {
            ken_files::read_bounded(&path, LARGEST)?
        } else {
            Vec::new()
        };
        let lines = || before.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
        let said = |path: &str| lines().any(|line| (self.says)(line, path.as_bytes()));
        let missing: Vec<&String> = self.paths.iter().filter(|path| !said(path)).collect();
        if missing.is_empty() {
            return Ok(None);
        }
        let ending: &[u8] = match memchr::memchr(b'\n', &before) {
            Some(at) if at > 0 && before[at - 1] == b'\r' => b"\r\n",
            _ => b"\n",
        };
        let mut bytes = before;
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            bytes.extend_from_slice(ending);
        }
        for path in missing {
            bytes.extend_from_slice(path.as_bytes());
            bytes.extend_from_slice(self.attribute.as_bytes());
            bytes.extend_from_slice(ending);
        }
        Ok(Some(Planned {
            name: self.name,
            path,
            bytes,
            new: !exists,
        }))
    }
}

/// Whether a word of a line of attributes is about merging: `merge`, `-merge`, `!merge`, `merge=driver`.
fn sets_merge(word: &[u8]) -> bool {
    let word = word
        .strip_prefix(b"-")
        .or(word.strip_prefix(b"!"))
        .unwrap_or(word);
    word == b"merge" || word.starts_with(b"merge=")
}

/// A pattern without what makes no difference for a path with a slash in its middle.
fn bare(pattern: &[u8]) -> &[u8] {
    let pattern = pattern.strip_prefix("\u{feff}".as_bytes()).unwrap_or(pattern);
    let pattern = pattern.strip_prefix(b"/").unwrap_or(pattern);
    pattern.strip_suffix(b"/").unwrap_or(pattern)
}
