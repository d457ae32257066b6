//! How a cache spells numbers, texts, days and trees. Texts that stand in the manifest's own file are not spelled a
//! second time: the cache says where they are.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use integer_encoding::VarInt;
use jiff::Timestamp;
use jiff::civil::Date;

use super::Lost;
use super::source::Source;
use crate::Visibility;
use crate::extra::Extra;
use crate::tree::{Entry, Node, Position, Scalar, Value};

/// Texts shorter than this are spelled out: saying where they are takes as much room and needs the other file.
const REFERENCE: usize = 16;
/// Names up to this length are always spelled out, so that a row's names are known without the other file.
const NAME: usize = 64;
/// How far ahead the next text of a row is looked for in the file.
const WINDOW: usize = 8 * 1024;
/// How far ahead a row is looked for.
const ROW_WINDOW: usize = 64 * 1024;
/// Trees are nested less deeply than this, because the reader of manifests refuses more.
const DEPTH: usize = 80;
/// The day from which days are counted, so that those of our time are short.
const FIRST_DAY: Date = jiff::civil::date(2020, 1, 1);

const SPELLED: u64 = 0;
const WORD: u64 = 1;
const PLACE: u64 = 2;

/// Spells values.
pub(crate) struct Writer<'a> {
    pub(super) out: Vec<u8>,
    texts: Texts<'a>,
    file: &'a [u8],
    /// Where the last text was found.
    at: usize,
    /// Where this row began.
    row: usize,
    /// Where the last text that is told by its place ended; zero at the beginning of a row.
    told: usize,
}

/// What is done with texts.
enum Texts<'a> {
    /// They are counted, to find out which are worth a number.
    Counted(HashMap<&'a str, u32, RandomState>),
    /// They are spelled; those in the map by their number.
    Spelled(HashMap<&'a str, u32, RandomState>),
}

impl<'a> Writer<'a> {
    /// A writer that spells nothing and counts texts.
    pub(super) fn counting() -> Writer<'a> {
        Writer::with(Texts::Counted(HashMap::default()), &[])
    }

    /// A writer that tells texts of `words` by their place in it, and others by their place in `file`.
    pub(super) fn new(words: &[&'a str], file: &'a [u8]) -> Writer<'a> {
        let numbered = words.iter().zip(0..).map(|(word, number)| (*word, number));
        Writer::with(Texts::Spelled(numbered.collect()), file)
    }

    fn with(texts: Texts<'a>, file: &'a [u8]) -> Writer<'a> {
        Writer {
            out: Vec::new(),
            texts,
            file,
            at: 0,
            row: 0,
            told: 0,
        }
    }

    /// The texts that come more than once, the most frequent first.
    pub(super) fn repeated(self) -> Vec<&'a str> {
        let Texts::Counted(counts) = self.texts else {
            return Vec::new();
        };
        let mut words: Vec<(&str, u32)> = counts
            .into_iter()
            .filter(|(text, count)| *count > 1 && (1..=NAME).contains(&text.len()))
            .collect();
        words.sort_unstable_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(b.0)));
        words.into_iter().map(|(text, _)| text).collect()
    }

    /// Looks for texts behind the first place where `mark` stands.
    pub(super) fn seek(&mut self, mark: &str) {
        self.at = memchr::memmem::find(self.file, mark.as_bytes()).map_or(0, |found| found + mark.len());
    }

    /// Begins a row, which can be read without what was written before it.
    pub(super) fn row(&mut self) {
        self.row = self.at;
        self.told = 0;
    }

    pub(super) fn number(&mut self, number: u64) {
        let mut spelled = [0; 10];
        let length = number.encode_var(&mut spelled);
        self.out.extend_from_slice(&spelled[..length]);
    }

    pub(super) fn signed(&mut self, number: i64) {
        let mut spelled = [0; 10];
        let length = number.encode_var(&mut spelled);
        self.out.extend_from_slice(&spelled[..length]);
    }

    pub(super) fn text(&mut self, text: &'a str) {
        self.spell(text, REFERENCE);
    }

    pub(super) fn name(&mut self, text: &'a str) {
        self.spell(text, NAME + 1);
    }

    fn spell(&mut self, text: &'a str, reference: usize) {
        match &mut self.texts {
            Texts::Counted(counts) => {
                *counts.entry(text).or_default() += 1;
                return;
            }
            Texts::Spelled(words) => {
                if let Some(word) = words.get(text) {
                    let word = u64::from(*word) << 2 | WORD;
                    return self.number(word);
                }
            }
        }
        let length = (text.len() as u64) << 2;
        // A row's first text says where the row stands; of the others only those are looked for that are told by it.
        let is_told = text.len() >= reference;
        let found = (is_told || self.at == self.row)
            .then(|| self.find(text))
            .flatten();
        match found {
            Some(start) if is_told => {
                self.number(length | PLACE);
                self.signed(start as i64 - self.told as i64);
                self.told = start + text.len();
            }
            _ => {
                self.number(length | SPELLED);
                self.out.extend_from_slice(text.as_bytes());
            }
        }
    }

    /// Where a text stands in the file: behind the last one, or, for keys in another order, behind the row's beginning.
    fn find(&mut self, text: &str) -> Option<usize> {
        if text.len() < 3 {
            return None;
        }
        let window = if self.at == self.row { ROW_WINDOW } else { WINDOW };
        let within = |from: usize, window: usize| {
            let end = (from + window + text.len()).min(self.file.len());
            let found = memchr::memmem::find(self.file.get(from..end)?, text.as_bytes())?;
            Some(from + found)
        };
        let found = self
            .find_near(text)
            .or_else(|| within(self.at, window))
            .or_else(|| within(self.row, WINDOW))?;
        self.at = self.at.max(found + text.len());
        Some(found)
    }

    /// As [`Writer::find`] for a text of usual length a few lines ahead, where nearly all are: there the preparations of
    /// a general search would take longer than the search.
    fn find_near(&self, text: &str) -> Option<usize> {
        const NEAR: usize = 512;
        let text = text.as_bytes();
        let (first, ahead) = (*text.first()?, self.file.get(self.at..)?);
        let starts = ahead.len().saturating_sub(text.len() - 1).min(NEAR);
        let mut places = memchr::memchr_iter(first, &ahead[..starts]);
        (text.len() <= NEAR)
            .then(|| places.find(|place| ahead[*place..].starts_with(text)))
            .flatten()
            .map(|place| self.at + place)
    }

    pub(super) fn texts(&mut self, texts: &'a [String]) {
        self.number(texts.len() as u64);
        texts.iter().for_each(|text| self.text(text));
    }

    pub(super) fn names(&mut self, names: &'a [String]) {
        self.number(names.len() as u64);
        names.iter().for_each(|name| self.name(name));
    }

    pub(super) fn optional(&mut self, text: Option<&'a String>) {
        self.out.push(u8::from(text.is_some()));
        if let Some(text) = text {
            self.text(text);
        }
    }

    pub(super) fn day(&mut self, day: Date) {
        self.signed(day.duration_since(FIRST_DAY).as_hours() / 24);
    }

    pub(super) fn instant(&mut self, instant: Timestamp) {
        self.signed(instant.as_second());
        self.signed(i64::from(instant.subsec_nanosecond()));
    }

    pub(super) fn extra(&mut self, extra: &'a Extra) {
        self.entries(extra.entries());
    }

    fn entries(&mut self, entries: &'a [Entry]) {
        self.number(entries.len() as u64);
        for entry in entries {
            self.out.push(u8::from(entry.key.plain));
            self.text(&entry.key.text);
            self.node(&entry.node);
        }
    }

    fn node(&mut self, node: &'a Node) {
        match &node.value {
            Value::Scalar(scalar) => {
                self.out.push(u8::from(scalar.plain));
                self.text(&scalar.text);
            }
            Value::List(items) => {
                self.out.push(2);
                self.number(items.len() as u64);
                items.iter().for_each(|item| self.node(item));
            }
            Value::Map(entries) => {
                self.out.push(3);
                self.entries(entries);
            }
        }
    }
}

/// Reads what a [`Writer`] spelled. Bytes that nobody spelled are an error, never a panic or a large allocation.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    words: &'a [&'a str],
    source: &'a Source,
    told: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8], words: &'a [&'a str], source: &'a Source) -> Reader<'a> {
        Reader {
            bytes,
            words,
            source,
            told: 0,
        }
    }

    /// Everything was read.
    pub(super) fn end(&self) -> Result<(), Lost> {
        self.bytes.is_empty().then_some(()).ok_or(Lost::Damaged)
    }

    pub(super) fn number(&mut self) -> Result<u64, Lost> {
        let (number, length) = u64::decode_var(self.bytes).ok_or(Lost::Damaged)?;
        self.bytes = &self.bytes[length..];
        Ok(number)
    }

    pub(super) fn signed(&mut self) -> Result<i64, Lost> {
        let (number, length) = i64::decode_var(self.bytes).ok_or(Lost::Damaged)?;
        self.bytes = &self.bytes[length..];
        Ok(number)
    }

    /// A number of things, each of which takes a byte at least.
    pub(super) fn count(&mut self) -> Result<usize, Lost> {
        let count = usize::try_from(self.number()?).map_err(|_| Lost::Damaged)?;
        (count <= self.bytes.len()).then_some(count).ok_or(Lost::Damaged)
    }

    pub(super) fn byte(&mut self) -> Result<u8, Lost> {
        self.take(1).map(|bytes| bytes[0])
    }

    pub(super) fn flag(&mut self) -> Result<bool, Lost> {
        Ok(self.byte()? != 0)
    }

    pub(super) fn take(&mut self, length: usize) -> Result<&'a [u8], Lost> {
        let (taken, rest) = self.bytes.split_at_checked(length).ok_or(Lost::Damaged)?;
        self.bytes = rest;
        Ok(taken)
    }

    pub(super) fn str(&mut self) -> Result<&'a str, Lost> {
        let head = self.number()?;
        let rest = usize::try_from(head >> 2).map_err(|_| Lost::Damaged)?;
        match head & 3 {
            SPELLED => std::str::from_utf8(self.take(rest)?).map_err(|_| Lost::Damaged),
            WORD => self.words.get(rest).copied().ok_or(Lost::Damaged),
            PLACE => {
                let ahead = isize::try_from(self.signed()?).map_err(|_| Lost::Damaged)?;
                let start = self.told.checked_add_signed(ahead).ok_or(Lost::Damaged)?;
                let end = start.checked_add(rest).ok_or(Lost::Damaged)?;
                self.told = end;
                let bytes = self.source.bytes()?.get(start..end).ok_or(Lost::Damaged)?;
                std::str::from_utf8(bytes).map_err(|_| Lost::Damaged)
            }
            _ => Err(Lost::Damaged),
        }
    }

    pub(super) fn text(&mut self) -> Result<String, Lost> {
        self.str().map(str::to_owned)
    }

    pub(super) fn texts(&mut self) -> Result<Vec<String>, Lost> {
        (0..self.count()?).map(|_| self.text()).collect()
    }

    pub(super) fn optional(&mut self) -> Result<Option<String>, Lost> {
        self.flag()?.then(|| self.text()).transpose()
    }

    pub(super) fn day(&mut self) -> Result<Date, Lost> {
        let days = self.signed()?;
        let hours = days.checked_mul(24).ok_or(Lost::Damaged)?;
        FIRST_DAY
            .checked_add(jiff::SignedDuration::from_secs(
                hours.checked_mul(3600).ok_or(Lost::Damaged)?,
            ))
            .map_err(|_| Lost::Damaged)
    }

    pub(super) fn instant(&mut self) -> Result<Timestamp, Lost> {
        let second = self.signed()?;
        let nanosecond = i32::try_from(self.signed()?).map_err(|_| Lost::Damaged)?;
        Timestamp::new(second, nanosecond).map_err(|_| Lost::Damaged)
    }

    pub(super) fn extra(&mut self) -> Result<Extra, Lost> {
        let mut extra = Extra::default();
        self.entries(0)?.into_iter().for_each(|entry| extra.push(entry));
        Ok(extra)
    }

    fn entries(&mut self, depth: usize) -> Result<Vec<Entry>, Lost> {
        (0..self.count()?)
            .map(|_| {
                let plain = self.flag()?;
                let text = self.text()?;
                Ok(Entry {
                    position: Position::default(),
                    key: Scalar { text, plain },
                    node: self.node(depth + 1)?,
                })
            })
            .collect()
    }

    fn node(&mut self, depth: usize) -> Result<Node, Lost> {
        if depth > DEPTH {
            return Err(Lost::Damaged);
        }
        let value = match self.byte()? {
            plain @ (0 | 1) => Value::Scalar(Scalar {
                text: self.text()?,
                plain: plain == 1,
            }),
            2 => Value::List(
                (0..self.count()?)
                    .map(|_| self.node(depth + 1))
                    .collect::<Result<_, Lost>>()?,
            ),
            3 => Value::Map(self.entries(depth + 1)?),
            _ => return Err(Lost::Damaged),
        };
        Ok(Node::from(value))
    }
}

/// A declared level as a number, zero for none.
pub(super) fn level_number(level: Option<Visibility>) -> u64 {
    level.map_or(0, |level| level as u64 + 1)
}

/// The level of a number that [`level_number`] gives.
pub(super) fn level_of(number: u64) -> Result<Option<Visibility>, Lost> {
    match number {
        0 => Ok(None),
        1..=3 => Ok(Some(Visibility::ALL[number as usize - 1])),
        _ => Err(Lost::Damaged),
    }
}
