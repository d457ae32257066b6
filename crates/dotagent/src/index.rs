//! The events of a log, ready to be searched, without reading the log.
//!
//! What a search needs of the log stands in segments on the disk (`chain`): the words of each event, and beside them
//! what a ranking weighs (`rows`, `stored`). They cover the log up to a place; what follows (`tail`) is read and taken
//! in, in memory, under the same statistics. Everything here follows from the bytes of the log alone: an index out of
//! segments answers as one that was made in memory, to the last bit.

mod chain;
mod columns;
mod rows;
mod segment;
mod stored;
mod tail;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fs::File;
use std::time::SystemTime;

use jiff::Timestamp;
use ken_files::FileLook;
use ken_text::search::{Query, Scored, Scorer, Searchable, Statistics};

use self::columns::Column;
use self::rows::Fields;
pub use self::rows::{Facet, Standing, plain_hash};
use self::segment::{Counts, EventSegment, Made};
use self::tail::{Tail, event_of};
use crate::lines::LineReader;
use crate::place::From;
use crate::{Error, EventId, Folder, Log, Logged, Refreshed, Supersedes};

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

/// A segment takes its neighbour in when that one is less than so many times as long: then they stay few, and each
/// event is written anew a few times only.
const NEAR: u64 = 2;
/// No segment covers more of the log than this.
const LONGEST: u64 = 1 << 30;

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
/// [`Searchable`], so that it is ranked with the statistics of all collections that a question goes to.
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
        if before.look == Some(look) && before.settled {
            *self = before;
            return Ok(Refreshed::Unchanged);
        }
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

    /// Puts segments that are in memory only on the disk, if that can be done now; else there are at least few of them.
    fn keep(&mut self, folder: &Folder, seen: Seen) {
        let in_memory = |segment: &EventSegment| segment.path.is_none();
        if !self.segments.iter().any(in_memory) {
            return;
        }
        if let Some(writer) = chain::Writer::try_new(&folder.layout) {
            if !writer.finds_only(&self.segments) && self.adopt(folder, seen.look) {
                return;
            }
            let first = self.segments.iter().position(in_memory).unwrap_or_default();
            let look =
                (seen.settled && self.tail.len() == 0 && !self.tail.covers.open_end).then_some(seen.look);
            let written = self
                .merged(first)
                .and_then(|(from, made)| Some((from, writer.write(made, look)?)));
            if let Some((from, segment)) = written {
                self.segments.truncate(from);
                self.segments.push(segment);
                writer.sweep(&self.segments);
                return;
            }
        }
        let last = self.segments.len().saturating_sub(1);
        if let Some((from, made)) = self.merged(last)
            && from < last
            && let Some(segment) = made.in_memory()
        {
            self.segments.truncate(from);
            self.segments.push(segment);
        }
    }

    /// The segments from number `first` on as one, with those before them that are not much longer; and its place.
    fn merged(&self, first: usize) -> Option<(usize, Made)> {
        let length = |segments: &[EventSegment]| segments.iter().map(EventSegment::stretch).sum::<u64>();
        let mut from = first;
        while let Some(before) = from.checked_sub(1) {
            let (one, others) = (self.segments[before].stretch(), length(&self.segments[from..]));
            if one >= NEAR * others || one + others > LONGEST {
                break;
            }
            from = before;
        }
        let parts: Vec<&EventSegment> = self.segments[from..].iter().collect();
        Some((from, Made::merged(&parts)?))
    }

    /// Takes segments that another process has written meanwhile, when they reach farther than what is on the disk here.
    fn adopt(&mut self, folder: &Folder, look: FileLook) -> bool {
        let Some(file) = &self.file else { return false };
        let reach = |segments: &[EventSegment]| {
            let on_disk = segments.iter().take_while(|segment| segment.path.is_some());
            on_disk.last().map_or(0, |last| last.covers.to.offset)
        };
        let segments = chain::open(&folder.layout, file, look);
        if reach(&segments) <= reach(&self.segments) {
            return false;
        }
        let mut index = EventIndex {
            tail: Tail::behind(segments.last()),
            segments,
            ..EventIndex::empty(self.limits)
        };
        // The log may have grown by a line since it was looked at; what is shown is what was read.
        if !index.read_on(file).is_ok_and(|sound| sound) || index.len() < self.len() {
            return false;
        }
        (self.segments, self.tail) = (index.segments, index.tail);
        !self.segments.iter().any(|segment| segment.path.is_none())
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

/// Questions to the index. Documents are numbers below [`EventIndex::len`]; others are a mistake, and may panic.
impl EventIndex {
    /// How many events there are.
    pub fn len(&self) -> usize {
        self.first_of_tail() + self.tail.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many lines the log has.
    pub fn lines(&self) -> u64 {
        self.tail.covers.to.lines + u64::from(self.tail.covers.open_end)
    }

    /// How many lines are no events, as [`Log::skipped_count`].
    pub fn skipped_count(&self) -> u64 {
        self.counts().skipped
    }

    /// How many lines say the same as an earlier one, as [`Log::repeated_count`].
    pub fn repeated_count(&self) -> u64 {
        self.counts().repeated
    }

    /// How many lines have an earlier one's id with another content, as [`Log::duplicate_ids_count`].
    pub fn duplicate_ids_count(&self) -> u64 {
        self.counts().duplicate_ids
    }

    fn counts(&self) -> Counts {
        let mut counts = self.tail.covers.counts;
        for segment in &self.segments {
            counts.add(segment.covers.counts);
        }
        counts
    }

    /// The event that is this document, read from its line.
    ///
    /// # Errors
    /// When the line is no longer what it was when the index was brought up to date.
    pub fn event(&self, document: usize) -> Result<Cow<'_, Logged>, Stale> {
        match self.place(document) {
            (Some(segment), row) => {
                let file = self.file.as_ref().ok_or(Stale)?;
                event_of(segment, row, file).map(Cow::Owned)
            }
            (None, row) => self.tail.events.get(row).map(Cow::Borrowed).ok_or(Stale),
        }
    }

    /// An event's id.
    pub fn id(&self, document: usize) -> EventId {
        let (fields, row) = self.fields(document);
        fields.id(row)
    }

    /// An event's time.
    pub fn timestamp(&self, document: usize) -> Timestamp {
        let (fields, row) = self.fields(document);
        fields.time(row)
    }

    /// An event's line in the log, from 1.
    pub fn line(&self, document: usize) -> u64 {
        let (fields, row) = self.fields(document);
        fields.line(row)
    }

    /// The [`plain_hash`] of an event's text.
    pub fn text_hash(&self, document: usize) -> u64 {
        let (fields, row) = self.fields(document);
        fields.text(row)
    }

    /// The documents whose text has this hash, in their order.
    pub fn with_text(&self, hash: u64) -> Vec<usize> {
        let mut found = Vec::new();
        let mut first = 0;
        for segment in &self.segments {
            found.extend(segment.rows.rows_with(hash).into_iter().map(|row| first + row));
            first += segment.len();
        }
        let rows = self.tail.rows_with(hash).iter();
        found.extend(rows.map(|row| first + *row as usize));
        found
    }

    /// The document with this id.
    pub fn with_id(&self, id: EventId) -> Option<usize> {
        let mut first = 0;
        for segment in &self.segments {
            if let Some(row) = segment.rows.row_of(id) {
                return Some(first + row);
            }
            first += segment.len();
        }
        self.tail.row_of(id).map(|row| first + row)
    }

    /// The documents that take something's place, and what they take the place of, in their order.
    pub fn superseding(&self) -> Vec<(usize, Supersedes)> {
        let mut found = Vec::new();
        for (first, fields, _) in self.parts() {
            let here = fields.superseding().into_iter();
            found.extend(here.map(|(row, what)| (first + row as usize, what)));
        }
        found
    }

    /// How many numbers there are for what events have in common: each [`EventIndex::numbers`] gives is below this.
    pub fn count(&self, facet: Facet) -> usize {
        self.parts().map(|(_, fields, _)| fields.count(facet)).sum()
    }

    /// The numbers by which documents have something in common. Equal numbers mean equal values; one value may have
    /// several numbers.
    pub fn numbers(&self, facet: Facet) -> Numbers<'_> {
        let mut base = 0;
        let parts = self.parts().map(|(first, fields, length)| {
            let count = fields.count(facet);
            let part = NumbersPart {
                documents: first..first + length,
                column: fields.column(facet),
                base,
                most: count.saturating_sub(1),
            };
            base += count;
            part
        });
        Numbers {
            parts: parts.filter(|part| !part.documents.is_empty()).collect(),
            current: 0,
        }
    }

    /// The value that a number of [`Facet::Standing`] stands for.
    pub fn standing(&self, number: usize) -> Standing {
        let found = self.value(Facet::Standing, number);
        found
            .map(|(fields, number)| fields.standing(number))
            .unwrap_or_default()
    }

    /// The skill that a number of [`Facet::Skill`] stands for.
    pub fn skill(&self, number: usize) -> &str {
        self.word(Facet::Skill, number)
    }

    /// The harness that a number of [`Facet::Harness`] stands for, when one is known.
    pub fn harness(&self, number: usize) -> Option<&str> {
        Some(self.word(Facet::Harness, number)).filter(|harness| !harness.is_empty())
    }

    /// The tags that a number of [`Facet::Tags`] stands for.
    pub fn tags(&self, number: usize) -> Vec<String> {
        let found = self.value(Facet::Tags, number);
        let bytes = found.map(|(fields, number)| fields.word(Facet::Tags, number));
        rows::read_list(bytes.unwrap_or_default())
    }

    /// Adds to `scores`, by document, what each event holds of the query's terms. Where `scores` was zero it is then the
    /// event's score, and above zero when it holds any.
    ///
    /// # Panics
    /// When `scores` has fewer places than there are events.
    pub fn add_scores(&self, query: &Query, scorer: &Scorer, scores: &mut [f64]) {
        let mut rest = scores;
        for segment in &self.segments {
            let (here, behind) = rest.split_at_mut(segment.len());
            segment.words.add_scores(query, scorer, here);
            rest = behind;
        }
        self.tail.scan.add_scores(query, scorer, rest);
    }

    fn first_of_tail(&self) -> usize {
        self.segments.iter().map(EventSegment::len).sum()
    }

    /// Each part with its first document and how many it has.
    fn parts(&self) -> impl Iterator<Item = (usize, &dyn Fields, usize)> {
        let segments = self
            .segments
            .iter()
            .map(|segment| (segment.fields(), segment.len()));
        let tail: (&dyn Fields, usize) = (&self.tail.rows, self.tail.len());
        let mut first = 0;
        segments.chain([tail]).map(move |(fields, length)| {
            first += length;
            (first - length, fields, length)
        })
    }

    /// The segment of a document, or none for the tail, and its row there.
    fn place(&self, document: usize) -> (Option<&EventSegment>, usize) {
        let mut row = document;
        for segment in &self.segments {
            if row < segment.len() {
                return (Some(segment), row);
            }
            row -= segment.len();
        }
        (None, row)
    }

    fn fields(&self, document: usize) -> (&dyn Fields, usize) {
        match self.place(document) {
            (Some(segment), row) => (segment.fields(), row),
            (None, row) => (&self.tail.rows, row),
        }
    }

    fn value(&self, facet: Facet, number: usize) -> Option<(&dyn Fields, usize)> {
        let mut number = number;
        for (_, fields, _) in self.parts() {
            if number < fields.count(facet) {
                return Some((fields, number));
            }
            number -= fields.count(facet);
        }
        None
    }

    fn word(&self, facet: Facet, number: usize) -> &str {
        let found = self.value(facet, number);
        let bytes = found.map_or(&[][..], |(fields, number)| fields.word(facet, number));
        std::str::from_utf8(bytes).unwrap_or_default()
    }
}

/// The numbers by which documents have something in common. Quickest when asked in the documents' order.
#[derive(Debug)]
pub struct Numbers<'a> {
    parts: Vec<NumbersPart<'a>>,
    current: usize,
}

#[derive(Debug)]
struct NumbersPart<'a> {
    documents: std::ops::Range<usize>,
    column: Column<'a>,
    /// What comes before this part's first number.
    base: usize,
    most: usize,
}

impl Numbers<'_> {
    /// The number of a document, below [`EventIndex::count`].
    #[inline]
    pub fn of(&mut self, document: usize) -> usize {
        let holds = |part: &NumbersPart<'_>| part.documents.contains(&document);
        if !self.parts.get(self.current).is_some_and(holds) {
            self.current = self.parts.iter().position(holds).unwrap_or_default();
        }
        self.parts.get(self.current).map_or(0, |part| {
            let number = part.column.get(document.wrapping_sub(part.documents.start));
            part.base + (number as usize).min(part.most)
        })
    }
}

impl Searchable for EventIndex {
    fn statistics(&self, query: &Query) -> Statistics {
        let mut all = self.tail.scan.statistics(query);
        for segment in &self.segments {
            all.add(&segment.words.statistics(query));
        }
        all
    }

    fn score(&self, query: &Query, all: &Statistics) -> Vec<Scored> {
        let mut scores = vec![0.0; self.len()];
        self.add_scores(query, &Scorer::new(query, all), &mut scores);
        let found = scores.into_iter().enumerate().filter(|(_, bm25)| *bm25 > 0.0);
        found.map(|(document, bm25)| Scored { document, bm25 }).collect()
    }
}
