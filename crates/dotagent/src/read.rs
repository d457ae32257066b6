use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::File;
use std::io::{Seek, SeekFrom};
use std::path::Path;

use jiff::Timestamp;
use ken_files::FileLook;
use serde::Serialize;

use crate::checksum::Checksum;
use crate::decode::Unreadable;
use crate::layout::{Kind, LOG};
use crate::lines::{Line, LineReader};
use crate::{Error, Event, EventId, Folder};

/// An event and where it stands.
#[derive(Debug, Clone, PartialEq)]
pub struct Logged {
    /// The event.
    pub event: Event,
    /// Its line in the log, from 1.
    pub line: u64,
}

/// A line that is not an event. It stays where it is: nothing is ever deleted from a log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// The line, from 1.
    pub line: u64,
    /// Why.
    pub why: Unreadable,
}

/// A line whose id an earlier line has, with another content. The earlier one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct DuplicateId {
    /// The id.
    pub id: EventId,
    /// The line that does not count, from 1.
    pub line: u64,
    /// The line that does.
    pub first: u64,
}

/// Most details of lines that do not count that a [`Log`] keeps; all are counted.
const MOST_DETAILS: usize = 10_000;

/// A log as it was when it was read.
#[derive(Debug, Default)]
pub struct Log {
    /// The events in the order of the file, each id once.
    pub events: Vec<Logged>,
    /// The lines that are none, the first ten thousand of them. Empty lines are not counted among them.
    pub skipped: Vec<Skipped>,
    /// How many lines are none.
    pub skipped_count: u64,
    /// Lines that repeat another one's id with another content, the first ten thousand of them.
    pub duplicate_ids: Vec<DuplicateId>,
    /// How many do.
    pub duplicate_ids_count: u64,
    /// How many lines say the same as an earlier one, as a merge of two branches leaves them.
    pub repeated_count: u64,
    /// How many lines there are.
    pub lines: u64,
    first: HashMap<EventId, usize>,
    mark: Mark,
}

/// How far a log was read, and how to see that nothing before has changed.
#[derive(Debug, Default)]
struct Mark {
    look: Option<FileLook>,
    /// Bytes of whole lines that were read.
    offset: u64,
    hasher: Checksum,
    /// Whether a last line without a newline was read too: what it is may change.
    open_end: bool,
}

/// What [`Folder::refresh`] found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refreshed {
    /// Nothing new.
    Unchanged,
    /// Lines were appended; the events from this index on are new.
    Grown(usize),
    /// The file was edited, merged or replaced, and was read again from its start.
    Anew,
}

impl Folder {
    /// Reads the whole log, without a lock. Lines that are no events are skipped and counted; an absent log is empty.
    ///
    /// # Errors
    /// When the log cannot be read, or is reached through a link that leads out.
    pub fn read(&self) -> Result<Log, Error> {
        let mut log = Log::default();
        if let Some(file) = self.open_log()? {
            log.read_on(file, &self.log_path())?;
        }
        Ok(log)
    }

    /// Brings a log that was read before up to date, reading only what is new where it can. What another process has
    /// been told is written is found.
    ///
    /// # Errors
    /// As [`Folder::read`]; `log` is then empty, not half of two states.
    pub fn refresh(&self, log: &mut Log) -> Result<Refreshed, Error> {
        let before = std::mem::take(log);
        let Some(file) = self.open_log()? else {
            return Ok(if before.lines == 0 {
                Refreshed::Unchanged
            } else {
                Refreshed::Anew
            });
        };
        let path = self.log_path();
        let metadata = file.metadata().map_err(|error| Error::reading(&path, error))?;
        if before.mark.look == Some(FileLook::of(&metadata)) {
            *log = before;
            return Ok(Refreshed::Unchanged);
        }
        let result = if before.mark.still_holds(&file, &path)? {
            *log = before;
            Refreshed::Grown(log.events.len())
        } else {
            Refreshed::Anew
        };
        log.read_on(file, &path)?;
        Ok(match result {
            Refreshed::Grown(from) if from == log.events.len() => Refreshed::Unchanged,
            other => other,
        })
    }

    /// The log, opened for reading; `None` when there is none.
    pub(crate) fn open_log(&self) -> Result<Option<File>, Error> {
        if !self.layout.expect(LOG, Kind::File)? {
            return Ok(None);
        }
        let path = self.log_path();
        match File::open(&path) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(Error::reading(path, error)),
        }
    }
}

impl Mark {
    /// Whether every byte that was read still stands, so that reading can go on behind them.
    fn still_holds(&self, file: &File, path: &Path) -> Result<bool, Error> {
        if self.look.is_none() || self.open_end {
            return Ok(false);
        }
        let length = file
            .metadata()
            .map_err(|error| Error::reading(path, error))?
            .len();
        if length < self.offset {
            return Ok(false);
        }
        let sum = Checksum::of(file, 0, self.offset).map_err(|error| Error::reading(path, error))?;
        Ok(sum == self.hasher.value())
    }
}

impl Log {
    /// The events whose time is more than five minutes in the future; they count as now.
    pub fn ahead_of(&self, now: Timestamp) -> impl Iterator<Item = &Logged> {
        self.events
            .iter()
            .filter(move |logged| logged.event.is_ahead_of(now))
    }

    /// The event with this id.
    pub fn get(&self, id: EventId) -> Option<&Logged> {
        self.first.get(&id).map(|at| &self.events[*at])
    }

    /// Reads from the mark to the end.
    fn read_on(&mut self, mut file: File, path: &Path) -> Result<(), Error> {
        let read = |error| Error::reading(path, error);
        let mark = std::mem::take(&mut self.mark);
        let look = FileLook::of(&file.metadata().map_err(read)?);
        // Events of the usual length; a guess that is wrong costs a little memory or a few moves.
        let expected = look.length().saturating_sub(mark.offset) / 512;
        self.events.reserve(expected.min(1 << 16) as usize);
        file.seek(SeekFrom::Start(mark.offset)).map_err(read)?;
        let mut reader = LineReader::new(file, mark.offset, mark.hasher);
        let (mut offset, mut open_end) = (mark.offset, false);
        while let Some(line) = reader.next().map_err(read)? {
            self.lines += 1;
            if line.ended {
                offset = line.next;
            } else {
                open_end = true;
            }
            self.take(&line);
        }
        self.mark = Mark {
            look: Some(look),
            offset,
            hasher: reader.into_hasher(),
            open_end,
        };
        Ok(())
    }

    fn take(&mut self, line: &Line<'_>) {
        let number = self.lines;
        let bytes = text_of(line);
        if bytes.is_empty() && !line.too_long {
            return;
        }
        let parsed = if line.too_long {
            Err(Unreadable::TooLong)
        } else {
            Event::parse(bytes)
        };
        match parsed {
            Ok(event) => self.add(event, number),
            Err(why) => {
                let why = match why {
                    Unreadable::NotJson { .. } | Unreadable::NotUtf8 if !line.ended => Unreadable::CutOff,
                    other => other,
                };
                self.skipped_count += 1;
                if self.skipped.len() < MOST_DETAILS {
                    self.skipped.push(Skipped { line: number, why });
                }
            }
        }
    }

    fn add(&mut self, event: Event, line: u64) {
        match self.first.entry(event.id) {
            Entry::Vacant(place) => {
                place.insert(self.events.len());
                self.events.push(Logged { event, line });
            }
            Entry::Occupied(first) => {
                let first = &self.events[*first.get()];
                if first.event == event {
                    self.repeated_count += 1;
                    return;
                }
                self.duplicate_ids_count += 1;
                if self.duplicate_ids.len() < MOST_DETAILS {
                    self.duplicate_ids.push(DuplicateId {
                        id: event.id,
                        line,
                        first: first.line,
                    });
                }
            }
        }
    }
}

/// What a line says: without a byte-order mark at the file's start, and without white space around it.
pub(crate) fn text_of<'a>(line: &Line<'a>) -> &'a [u8] {
    let bytes = line.bytes;
    let bytes = match bytes.strip_prefix("\u{feff}".as_bytes()) {
        Some(rest) if line.offset == 0 => rest,
        _ => bytes,
    };
    bytes.trim_ascii()
}
