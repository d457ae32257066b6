//! The events of a log, ready to be searched, without reading the log.
//!
//! What a search needs of the log stands in segments on the disk (`chain`): the words of each event, and beside them
//! what a ranking weighs (`rows`, `stored`). They cover the log up to a place; what follows (`tail`) is read and taken
//! in, in memory, under the same statistics. Everything here follows from the bytes of the log alone: an index out of
//! segments answers as one that was made in memory, to the last bit.

mod chain;
mod columns;
mod keep;
mod questions;
mod rows;
mod segment;
mod stored;
mod tail;
#[cfg(test)]
mod tests;

use std::fs::File;
use std::time::SystemTime;

use ken_files::FileLook;

pub use self::questions::Numbers;
pub use self::rows::{Facet, Standing};
use self::segment::{EventSegment, Made};
use self::tail::Tail;
use crate::layout::{Kind, LOG};
use crate::lines::LineReader;
use crate::place::From;
use crate::{Error, Folder, Log, Refreshed};

/// How much a word of an event's skill counts, beside 1.0 for one of its text.
pub const SKILL_WEIGHT: f64 = 0.5;
/// How much a word of an event's tags counts.
pub const TAG_WEIGHT: f64 = 0.5;

/// How large the parts of an index become.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// So many events, or so many bytes of the log, behind the last segment become the next one.
    tail: (usize, u64),
    /// A log without segments is read in parts of this size, so that few of its events are in memory at once.
    part: (usize, u64),
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            tail: (512, 512 * 1024),
            part: (8 * 1024, 8 * 1024 * 1024),
        }
    }
}

/// How often a log that is edited while it is read is read again before it is taken as it comes.
const ATTEMPTS: usize = 3;

/// A line of the log is no longer what the index says: the log was edited since [`EventIndex::refresh`]. Refreshing
/// again mends it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the log was edited while it was searched; ask again")]
pub struct Stale;

/// The events of a log, to be searched: what recall and the dream cycle ask.
///
/// Documents are numbered as [`Log::events`] are: in the order of the log, each id once, the earliest line of it. What
/// a ranking needs of an event is at hand; the event itself is read from its line when it is asked for. Asked through
/// [`Searchable`](ken_text::search::Searchable), so that it is ranked with the statistics of all collections that a question goes to.
#[derive(Debug, Default)]
pub struct EventIndex {
    segments: Vec<EventSegment>,
    tail: Tail,
    /// The log as it was opened: lines are read from it.
    file: Option<File>,
    look: Option<FileLook>,
    /// Whether a change since then must show in its look.
    settled: bool,
    limits: Limits,
}

impl Folder {
    /// Opens the log to be searched, by its segments where there are such. Without any, or on a disk that cannot be
    /// written to, it is read whole. [`EventIndex::refresh`] brings it up to date later.
    ///
    /// # Errors
    /// As [`Folder::read`].
    pub fn index(&self) -> Result<EventIndex, Error> {
        let mut index = EventIndex::default();
        index.refresh(self)?;
        Ok(index)
    }
}

impl EventIndex {
    /// Makes a log searchable that is in memory, and keeps it there: nothing of it is read again.
    pub fn of(log: Log) -> EventIndex {
        EventIndex {
            tail: Tail::of(log),
            ..EventIndex::default()
        }
    }

    /// Adds what was appended since, by any process; a log that was edited is opened anew. Cheap when nothing changed.
    ///
    /// When much has been appended, whoever comes first writes the next segment; nobody waits for it.
    ///
    /// # Errors
    /// As [`Folder::read`]; the index is empty then.
    pub fn refresh(&mut self, folder: &Folder) -> Result<Refreshed, Error> {
        let limits = self.limits;
        self.bring_up_to_date(folder)
            .inspect_err(|_| *self = EventIndex::empty(limits))
    }

    fn bring_up_to_date(&mut self, folder: &Folder) -> Result<Refreshed, Error> {
        let limits = self.limits;
        if self.settled && self.look.is_some() {
            let there = folder.layout.expect(LOG, Kind::File)?;
            if there && FileLook::at(&folder.log_path()) == self.look {
                return Ok(Refreshed::Unchanged);
            }
        }
        let before = std::mem::replace(self, EventIndex::empty(limits));
        let Some(file) = folder.open_log()? else {
            return Ok(if before.lines() == 0 {
                Refreshed::Unchanged
            } else {
                Refreshed::Anew
            });
        };
        let path = folder.log_path();
        let reading = |error| Error::reading(&path, error);
        // The time first: a look is settled as of a moment before it was taken.
        let now = SystemTime::now();
        let look = FileLook::of(&file.metadata().map_err(reading)?);
        let seen = Seen {
            look,
            settled: look.is_settled(now),
        };
        let grows = before.still_holds(&file, look);
        let from = before.len();
        if grows {
            *self = before;
            if !self.read_on(&file).map_err(reading)? {
                *self = EventIndex::empty(limits);
            }
        }
        let grown = self.look.is_some();
        if grown || self.open(folder, &file, look)? {
            self.look = Some(look);
            self.settled = seen.settled;
            self.file = Some(file);
            self.keep(folder, seen);
        }
        Ok(match grown {
            true if from == self.len() => Refreshed::Unchanged,
            true => Refreshed::Grown(from),
            false => Refreshed::Anew,
        })
    }

    /// Whether every byte that was read still stands, so that reading can go on behind them.
    fn still_holds(&self, file: &File, look: FileLook) -> bool {
        let read = self.tail.covers();
        self.look.is_some()
            && !self.tail.covers.open_end
            && look.length() >= read.to.offset
            && self
                .segments
                .iter()
                .all(|segment| chain::holds(&segment.covers, file))
            && chain::holds(&read, file)
    }

    fn empty(limits: Limits) -> EventIndex {
        EventIndex {
            limits,
            ..EventIndex::default()
        }
    }

    /// Opens the log anew; false when it is edited all the time: then it is read as it comes, and anew the next time.
    fn open(&mut self, folder: &Folder, file: &File, look: FileLook) -> Result<bool, Error> {
        let path = folder.log_path();
        let reading = |error| Error::reading(&path, error);
        for attempt in 0..ATTEMPTS {
            let look = match attempt {
                0 => look,
                _ => FileLook::of(&file.metadata().map_err(reading)?),
            };
            let segments = chain::open(&folder.layout, file, look);
            *self = EventIndex {
                tail: Tail::behind(segments.last()),
                segments,
                ..EventIndex::empty(self.limits)
            };
            if self.read_on(file).map_err(reading)? {
                return Ok(true);
            }
        }
        *self = EventIndex {
            limits: self.limits,
            ..EventIndex::of(folder.read()?)
        };
        Ok(false)
    }

    /// Reads from where reading ended to the log's end; false when a line was not what a segment says.
    fn read_on(&mut self, file: &File) -> std::io::Result<bool> {
        loop {
            match self.read_part(file)? {
                Part::Last => return Ok(true),
                Part::Full if self.fold() => {}
                Part::Full | Part::Stale => return Ok(false),
            }
        }
    }

    fn read_part(&mut self, file: &File) -> std::io::Result<Part> {
        let offset = self.tail.covers.to.offset;
        let sum = std::mem::take(&mut self.tail.covers.sum);
        let mut reader = LineReader::new(From { file, offset }, offset, sum);
        let mut full = false;
        while let Some(line) = reader.next()? {
            // A last line that does not end stays out of segments: what it is may change.
            if !line.ended && !line.too_long && self.tail_is_long() {
                full = true;
                break;
            }
            if self.tail.take(&line, &self.segments, file).is_err() {
                return Ok(Part::Stale);
            }
            if self.tail.reaches(self.limits.part) {
                full = true;
                break;
            }
        }
        self.tail.covers.sum = reader.into_hasher();
        full |= self.tail_is_long();
        Ok(if full && !self.tail.covers.open_end {
            Part::Full
        } else {
            Part::Last
        })
    }

    fn tail_is_long(&self) -> bool {
        self.tail.reaches(self.limits.tail)
    }

    /// Makes the tail the next segment, in memory; false when that cannot be.
    fn fold(&mut self) -> bool {
        let Some(segment) = Made::of(&self.tail).in_memory() else {
            return false;
        };
        self.segments.push(segment);
        self.tail = Tail::behind(self.segments.last());
        true
    }
}

/// How the log looked before it was read.
#[derive(Clone, Copy)]
struct Seen {
    look: FileLook,
    settled: bool,
}

/// How the reading of a part of a log ended.
enum Part {
    /// At the log's end.
    Last,
    /// What was read is enough for a segment.
    Full,
    /// At a line that is not what a segment says.
    Stale,
}
