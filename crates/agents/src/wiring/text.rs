//! Bytes of a settings file as text: byte order mark, line ends, places, and what is put at its end.

use std::ops::Range;
use std::path::Path;

use super::WiringError;

const BYTE_ORDER_MARK: &str = "\u{feff}";

/// A file's text, and whether a byte order mark stood before it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) marked: bool,
    pub(super) body: String,
}

impl Text {
    pub(super) fn read(bytes: &[u8], path: &Path) -> Result<Text, WiringError> {
        match std::str::from_utf8(bytes) {
            Ok(text) => {
                let body = text.strip_prefix(BYTE_ORDER_MARK);
                Ok(Text {
                    marked: body.is_some(),
                    body: body.unwrap_or(text).to_owned(),
                })
            }
            Err(error) => {
                let good = String::from_utf8_lossy(&bytes[..error.valid_up_to()]).into_owned();
                Err(broken(
                    path,
                    &good,
                    good.len(),
                    "this is not text in UTF-8".to_owned(),
                ))
            }
        }
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        let mark = if self.marked { BYTE_ORDER_MARK } else { "" };
        format!("{mark}{}", self.body).into_bytes()
    }
}

/// Line and column (in characters) of a byte position, both from 1.
pub(super) fn place(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..text.floor_char_boundary(at)];
    let line = before.matches('\n').count() + 1;
    let start = before.rfind('\n').map_or(0, |newline| newline + 1);
    (line, before[start..].chars().count() + 1)
}

pub(super) fn broken(path: &Path, text: &str, at: usize, what: String) -> WiringError {
    let (line, column) = place(text, at);
    WiringError::Broken {
        path: path.to_owned(),
        line,
        column,
        what,
    }
}

/// How lines end in a text: as its first one does.
pub(super) fn line_end(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        _ => "\n",
    }
}

/// The white space at the beginning of the line in which `at` stands.
pub(super) fn indent_at(text: &str, at: usize) -> &str {
    let start = line_start(text, at);
    let line = &text[start..at];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

pub(super) fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Whether nothing but white space stands before `at` in its line.
pub(super) fn opens_line(text: &str, at: usize) -> bool {
    let start = line_start(text, at);
    start > 0 && text[start..at].bytes().all(|byte| matches!(byte, b' ' | b'\t'))
}

/// Puts a block of lines (joined with `\n`, without one at the end) at the end of a text, an empty line before it. It
/// ends as the text ended: with a line end, or without.
pub(super) fn append(text: &str, block: &str) -> String {
    let end = line_end(text);
    let block = block.replace('\n', end);
    if text.is_empty() {
        format!("{block}{end}")
    } else if text.ends_with('\n') {
        format!("{text}{end}{block}{end}")
    } else {
        format!("{text}{end}{end}{block}")
    }
}

/// Takes out what [`append`] put in: the lines at `block` (from the first byte to before the last line end), and the
/// empty line before them. `end` is how lines end inside the block.
pub(super) fn cut(text: &str, block: Range<usize>, end: &str) -> String {
    let (before, after) = (&text[..block.start], &text[block.end..]);
    let without_one = before.strip_suffix(end);
    if after.is_empty() {
        let before = without_one.unwrap_or(before);
        return before.strip_suffix(end).unwrap_or(before).to_owned();
    }
    let after = after
        .strip_prefix("\r\n")
        .or_else(|| after.strip_prefix('\n'))
        .unwrap_or(after);
    let before = match without_one {
        Some(rest) if rest.is_empty() || rest.ends_with('\n') => rest,
        _ => before,
    };
    format!("{before}{after}")
}

/// The lines of a Markdown text with where they begin, without those in fenced code (CommonMark: three or more back
/// ticks or tildes, indented by three spaces at most). A fence that is never closed fences nothing.
pub(super) fn lines_outside_code(text: &str) -> Vec<(usize, &str)> {
    let mut lines = Vec::new();
    // The fence that is open, and how many lines there were before it.
    let mut open: Option<(&str, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let fence = fence(line);
        lines.push((at, line));
        at += line.len();
        match (open, fence) {
            (Some((begun, kept)), Some((marks, rest)))
                if marks.starts_with(begun) && rest.trim().is_empty() =>
            {
                lines.truncate(kept);
                open = None;
            }
            (None, Some((marks, rest))) if !(marks.starts_with('`') && rest.contains('`')) => {
                open = Some((marks, lines.len() - 1));
            }
            _ => {}
        }
    }
    lines
}

/// The marks of a line that begins or ends fenced code, and what follows them.
fn fence(line: &str) -> Option<(&str, &str)> {
    let inner = line.trim_start_matches(' ');
    let mark = inner.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let rest = inner.trim_start_matches(mark);
    let marks = &inner[..inner.len() - rest.len()];
    (line.len() - inner.len() <= 3 && marks.len() >= 3).then_some((marks, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fenced_code_is_left_out() {
        let outside = |text: &'static str| {
            let lines = lines_outside_code(text);
            assert!(lines.iter().all(|(at, line)| text[*at..].starts_with(line)));
            lines
                .iter()
                .map(|(_, line)| line.trim_end())
                .collect::<Vec<_>>()
                .join("|")
        };
        assert_eq!(outside("a\n```\nb\n```\nc\n"), "a|c");
        assert_eq!(outside("a\r\n   ~~~ text\r\nb\r\n```\r\n~~~~\r\nc"), "a|c");
        assert_eq!(outside("````\n```\nb\n````\nc"), "c");
        assert_eq!(outside("``` `a`\nb\n"), "``` `a`|b");
        assert_eq!(outside("    ```\nb\n    ```\n"), "    ```|b|    ```");
        assert_eq!(outside("``\nb\n``"), "``|b|``");
        assert_eq!(outside("```\nb\n``` no end\n"), "```|b|``` no end");
    }
}
