//! Lines of a file of any length, in bounded memory.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::participant::{Progress, Skipped};
use crate::tree;

/// Lines longer than this are passed over without being held. A pasted screenshot fits; a dump of a disk does not.
pub(crate) const MAX_LINE: usize = 16 * 1024 * 1024;

/// Longer lines with bytes that are not UTF-8 are not mended: that takes three times their length.
const MAX_REPAIRED: usize = 4 * 1024 * 1024;

const CHUNK: usize = 256 * 1024;

/// One line of a file, or what stands for one.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line<'a> {
    /// A line that ended in a newline (which is not part of it).
    Whole(&'a [u8]),
    /// What follows the last newline: a line that is perhaps still being written.
    Unended(&'a [u8]),
    /// A line of more than [`MAX_LINE`] bytes, passed over; the length is the whole line's.
    TooLong(u64),
}

/// Reads a file line by line through one buffer that grows to at most [`MAX_LINE`].
///
/// At most as many bytes are read as the file had when it was opened, so that a file which grows as fast as it is
/// read still ends.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    source: R,
    buffer: Vec<u8>,
    start: usize,
    end: usize,
    limit: usize,
    read: u64,
    at_end: bool,
}

impl Lines<io::Take<File>> {
    /// Opens a regular file; anything else (a pipe, a device) is refused rather than waited for.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let file = tree::open(path)?;
        let length = file.metadata()?.len();
        Ok(Lines::new(file.take(length)))
    }
}

impl<R: Read> Lines<R> {
    /// Lines of any source.
    pub(crate) fn new(source: R) -> Self {
        Lines::with_limit(source, MAX_LINE)
    }

    fn with_limit(source: R, limit: usize) -> Self {
        Lines {
            source,
            buffer: Vec::new(),
            start: 0,
            end: 0,
            limit,
            read: 0,
            at_end: false,
        }
    }

    /// Bytes taken from the source so far.
    pub(crate) fn bytes_read(&self) -> u64 {
        self.read
    }

    /// The next line; `None` at the end.
    pub(crate) fn next_line(&mut self) -> io::Result<Option<Line<'_>>> {
        let mut searched = 0;
        loop {
            let held = &self.buffer[self.start..self.end];
            if let Some(at) = memchr::memchr(b'\n', &held[searched..]) {
                let from = self.start;
                let to = from + searched + at;
                self.start = to + 1;
                return Ok(Some(Line::Whole(&self.buffer[from..to])));
            }
            searched = held.len();
            if self.at_end {
                let from = self.start;
                self.start = self.end;
                return Ok((searched > 0).then(|| Line::Unended(&self.buffer[from..self.end])));
            }
            if searched >= self.limit {
                return self.pass_over().map(|length| Some(Line::TooLong(length)));
            }
            self.fill()?;
        }
    }

    /// Makes room (moving what is held to the front, growing when it fills the buffer) and reads once.
    fn fill(&mut self) -> io::Result<()> {
        if self.start > 0 {
            self.buffer.copy_within(self.start..self.end, 0);
            self.end -= self.start;
            self.start = 0;
        }
        if self.end == self.buffer.len() {
            let size = (self.buffer.len() * 2).clamp(CHUNK, self.limit.max(CHUNK) + CHUNK);
            self.buffer.resize(size, 0);
        }
        let got = self.read_into(self.end)?;
        self.end += got;
        Ok(())
    }

    fn read_into(&mut self, from: usize) -> io::Result<usize> {
        loop {
            match self.source.read(&mut self.buffer[from..]) {
                Ok(got) => {
                    self.at_end = got == 0;
                    self.read += got as u64;
                    return Ok(got);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads to the end of a line without keeping it, then gives the memory back. Answers the line's length.
    fn pass_over(&mut self) -> io::Result<u64> {
        let mut length = (self.end - self.start) as u64;
        (self.start, self.end) = (0, 0);
        self.buffer = vec![0; CHUNK];
        loop {
            let got = self.read_into(0)?;
            if got == 0 {
                return Ok(length);
            }
            if let Some(at) = memchr::memchr(b'\n', &self.buffer[..got]) {
                (self.start, self.end) = (at + 1, got);
                return Ok(length + at as u64);
            }
            length += got as u64;
        }
    }
}

/// Lines that were read, and those that gave nothing although they should have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LineCounts {
    pub(crate) read: u64,
    pub(crate) bad: u64,
    pub(crate) too_long: u64,
    pub(crate) unfinished: u64,
}

impl LineCounts {
    pub(crate) fn add(&mut self, other: LineCounts) {
        self.read += other.read;
        self.bad += other.bad;
        self.too_long += other.too_long;
        self.unfinished += other.unfinished;
    }

    /// What was left out on account of these lines.
    pub(crate) fn skipped(self) -> impl Iterator<Item = Skipped> {
        [
            (self.bad, "lines that are not JSON"),
            (self.too_long, "lines longer than 16 MiB"),
            (self.unfinished, "last lines that were not written to their end"),
        ]
        .into_iter()
        .filter_map(|(count, what)| Skipped::some(count, what))
    }
}

/// Gives every line that may be an object of JSON to `take`, which answers whether it was one.
///
/// A byte that is not UTF-8, or half of a character, spoils a word, not the line: such a line is given once more,
/// mended.
pub(crate) fn read_records<R: Read>(
    mut lines: Lines<R>,
    progress: &mut dyn Progress,
    mut take: impl FnMut(&[u8]) -> bool,
) -> io::Result<LineCounts> {
    let mut counts = LineCounts::default();
    let mut reported = 0;
    loop {
        let taken = lines.bytes_read();
        if taken > reported {
            progress.advance(taken - reported);
            reported = taken;
        }
        let missed = match lines.next_line()? {
            None => return Ok(counts),
            Some(Line::TooLong(_)) => {
                counts.too_long += 1;
                continue;
            }
            Some(Line::Whole(line)) => (line, &mut counts.bad),
            Some(Line::Unended(line)) => (line, &mut counts.unfinished),
        };
        match missed {
            (line, _) if trimmed(line).is_empty() => {}
            (line, _) if taken_as_it_is_or_mended(trimmed(line), &mut take) => counts.read += 1,
            (_, count) => *count += 1,
        }
    }
}

fn taken_as_it_is_or_mended(line: &[u8], take: &mut impl FnMut(&[u8]) -> bool) -> bool {
    if line[0] != b'{' {
        return false;
    }
    if take(line) {
        return true;
    }
    let readable = match std::str::from_utf8(line) {
        Ok(_) => Cow::Borrowed(line),
        Err(_) if line.len() > MAX_REPAIRED => return false,
        Err(_) => Cow::Owned(String::from_utf8_lossy(line).into_owned().into_bytes()),
    };
    match without_half_characters(&readable) {
        Some(mended) => take(&mended),
        None => matches!(&readable, Cow::Owned(mended) if take(mended)),
    }
}

/// A line without what editors, crashes and other systems leave at its ends: white space, carriage returns, NULs, a
/// byte order mark.
fn trimmed(line: &[u8]) -> &[u8] {
    let noise = |b: &u8| b.is_ascii_whitespace() || *b == 0;
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let from = line.iter().position(|b| !noise(b)).unwrap_or(line.len());
    let to = line.iter().rposition(|b| !noise(b)).map_or(from, |at| at + 1);
    &line[from..to]
}

/// JSON in which every escape that is only half of a character (`\ud83d` without its second half, as text is left when
/// it is cut in the middle of one) stands for a replacement character; `None` when there is none.
pub(crate) fn without_half_characters(json: &[u8]) -> Option<Vec<u8>> {
    let unit = |at: usize| {
        let digits = json.get(at..at + 6)?.strip_prefix(b"\\u")?;
        let digits = std::str::from_utf8(digits)
            .ok()
            .filter(|digits| digits.bytes().all(|b| b.is_ascii_hexdigit()))?;
        u16::from_str_radix(digits, 16).ok()
    };
    let mut mended: Option<Vec<u8>> = None;
    let mut at = 0;
    while let Some(ahead) = memchr::memchr(b'\\', json.get(at..).unwrap_or_default()) {
        at += ahead;
        let halves = (unit(at), unit(at + 6));
        at += match halves {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 12,
            (Some(0xD800..=0xDFFF), _) => {
                let mended = mended.get_or_insert_with(|| json.to_vec());
                mended[at..at + 6].copy_from_slice(b"\\ufffd");
                6
            }
            // A backslash and what it escapes, which may be another one.
            _ => 2,
        };
    }
    mended
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Gives at most `step` bytes a read, as a pipe or a slow disk may.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            let step = self.1.min(into.len()).min(self.0.len());
            into[..step].copy_from_slice(&self.0[..step]);
            self.0 = &self.0[step..];
            Ok(step)
        }
    }

    fn all(bytes: &[u8], step: usize, limit: usize) -> Vec<Result<Vec<u8>, u64>> {
        let mut lines = Lines::with_limit(Slow(bytes, step), limit);
        let mut found = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            found.push(match line {
                Line::Whole(l) => Ok([l, b"\n"].concat()),
                Line::Unended(l) => Ok(l.to_vec()),
                Line::TooLong(length) => Err(length),
            });
        }
        assert_eq!(lines.bytes_read(), bytes.len() as u64);
        found
    }

    #[test]
    fn a_line_over_the_limit_is_passed_over_and_its_neighbours_stay() {
        let long = vec![b'x'; 3 * CHUNK];
        let bytes = [b"one\n".as_slice(), &long, b"\ntwo\nthr"].concat();
        let found = all(&bytes, 70_000, CHUNK);
        assert_eq!(
            found,
            [
                Ok(b"one\n".to_vec()),
                Err(3 * CHUNK as u64),
                Ok(b"two\n".to_vec()),
                Ok(b"thr".to_vec())
            ]
        );
    }

    #[test]
    fn the_buffer_never_outgrows_the_limit() {
        let bytes = vec![b'x'; 5 * MAX_LINE];
        let mut lines = Lines::new(bytes.as_slice());
        assert_eq!(
            lines.next_line().unwrap(),
            Some(Line::TooLong(bytes.len() as u64))
        );
        assert!(lines.buffer.capacity() <= CHUNK, "the memory is given back");
    }

    #[test]
    fn ends_are_trimmed() {
        assert_eq!(trimmed(b"\0\0 {\"a\":\"\0\"}\r\0"), b"{\"a\":\"\0\"}");
        assert_eq!(trimmed(b"\xef\xbb\xbf{}"), b"{}");
        assert_eq!(trimmed(b" \0\r"), b"");
    }

    #[test]
    fn half_characters_are_replaced_and_whole_ones_stay() {
        let mended =
            |json: &str| without_half_characters(json.as_bytes()).map(|m| String::from_utf8(m).unwrap());
        for whole in [
            r#""\ud83d\ude00""#,
            r#""\\ud83d""#,
            r#""\n\u00e9 \u12""#,
            "\\",
            "",
        ] {
            assert_eq!(mended(whole), None, "{whole}");
        }
        for (half, expected) in [
            (r#""\ud83d""#, r#""\ufffd""#),
            (r#""\uDE00\uD83D x""#, r#""\ufffd\ufffd x""#),
            (r#""\ud83d\ud83d\ude00""#, r#""\ufffd\ud83d\ude00""#),
            (r#""\\\ud83d\n""#, r#""\\\ufffd\n""#),
        ] {
            assert_eq!(mended(half).as_deref(), Some(expected), "{half}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn what_is_read_is_what_was_written(lines in prop::collection::vec("[a-z]{0,40}", 0..20), tail in "[a-z]{0,9}", step in 1usize..64) {
            let mut bytes = Vec::new();
            for line in &lines {
                bytes.extend_from_slice(line.as_bytes());
                bytes.push(b'\n');
            }
            bytes.extend_from_slice(tail.as_bytes());
            let found: Vec<u8> = all(&bytes, step, MAX_LINE).into_iter().flat_map(Result::unwrap).collect();
            prop_assert_eq!(found, bytes);
        }
    }
}
