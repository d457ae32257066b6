use std::io::{self, Read};

use crate::checksum::Checksum;

/// Longest line of a log that is read, in bytes without its newline.
pub const MAX_LINE: usize = 1024 * 1024;

/// Bytes asked for at first: most readers want a line or a few.
const FIRST_BLOCK: usize = 8 * 1024;
/// Bytes asked for at once later.
const BLOCK: usize = 256 * 1024;

/// A line of a file, as it stands there.
pub(crate) struct Line<'a> {
    /// Where it starts, in bytes of the file.
    pub(crate) offset: u64,
    /// Where the next one starts.
    pub(crate) next: u64,
    /// Its bytes without the newline; none of a line that is too long.
    pub(crate) bytes: &'a [u8],
    /// Whether it is longer than [`MAX_LINE`].
    pub(crate) too_long: bool,
    /// Whether a newline ends it; only the last line may lack one.
    pub(crate) ended: bool,
}

/// Reads a file line by line in bounded memory, however long a line is, and keeps a checksum of what it has passed.
pub(crate) struct LineReader<R> {
    source: R,
    buffer: Vec<u8>,
    /// Where the first byte of the buffer stands in the file.
    base: u64,
    /// Start of what has not been given out, in the buffer.
    start: usize,
    /// How far the buffer has been searched for a newline.
    searched: usize,
    /// Where the line began whose first part was dropped because it is too long.
    dropping: Option<u64>,
    at_end: bool,
    block: usize,
    hasher: Checksum,
    hashed: usize,
    /// Where the last line began that does not end.
    unended: Option<usize>,
}

impl<R: Read> LineReader<R> {
    /// Reads `source`, whose next byte stands at `offset` of the file; `hasher` has seen what was before it.
    pub(crate) fn new(source: R, offset: u64, hasher: Checksum) -> Self {
        LineReader {
            source,
            buffer: Vec::new(),
            base: offset,
            start: 0,
            searched: 0,
            dropping: None,
            at_end: false,
            block: FIRST_BLOCK,
            hasher,
            hashed: 0,
            unended: None,
        }
    }

    /// The next line, or `None` at the end.
    pub(crate) fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        loop {
            if let Some(length) = memchr::memchr(b'\n', &self.buffer[self.searched..]) {
                let end = self.searched + length;
                return Ok(Some(self.give(end, true)));
            }
            self.searched = self.buffer.len();
            if self.at_end {
                let end = self.buffer.len();
                let anything = end > self.start || self.dropping.is_some();
                return Ok(anything.then(|| self.give(end, false)));
            }
            if self.buffer.len() - self.start > MAX_LINE {
                self.dropping.get_or_insert(self.base + self.start as u64);
                self.start = self.buffer.len();
            }
            self.fill()?;
        }
    }

    fn give(&mut self, end: usize, ended: bool) -> Line<'_> {
        let begin = self.start;
        let dropped = self.dropping.take();
        let offset = dropped.unwrap_or(self.base + begin as u64);
        let too_long = dropped.is_some() || end - begin > MAX_LINE;
        self.start = if ended { end + 1 } else { end };
        self.searched = self.start;
        if ended {
            self.hash();
        } else {
            self.unended = Some(begin);
        }
        let bytes = if too_long {
            &[][..]
        } else {
            &self.buffer[begin..end]
        };
        Line {
            offset,
            next: self.base + self.start as u64,
            bytes,
            too_long,
            ended,
        }
    }

    /// Hashes in large pieces what has been passed, since small ones cost several times as much.
    fn hash(&mut self) {
        if self.start - self.hashed >= BLOCK / 4 {
            self.hasher.add(&self.buffer[self.hashed..self.start]);
            self.hashed = self.start;
        }
    }

    fn fill(&mut self) -> io::Result<()> {
        self.hasher.add(&self.buffer[self.hashed..self.start]);
        self.buffer.drain(..self.start);
        self.base += self.start as u64;
        self.searched -= self.start;
        (self.start, self.hashed) = (0, 0);
        let length = self.buffer.len();
        self.buffer.resize(length + self.block, 0);
        let read = loop {
            match self.source.read(&mut self.buffer[length..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        self.buffer.truncate(length + *read.as_ref().unwrap_or(&0));
        let read = read?;
        self.at_end = read == 0;
        if read == self.block {
            self.block = BLOCK;
        }
        Ok(())
    }

    /// The checksum of every byte of every line that was given out and ends; of no use when one that does not is too long.
    pub(crate) fn into_hasher(mut self) -> Checksum {
        let end = self.unended.unwrap_or(self.start);
        self.hasher
            .add(self.buffer.get(self.hashed..end).unwrap_or_default());
        self.hasher
    }
}
