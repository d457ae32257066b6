//! What came before in a log: texts, for the recurrence of the next event, and dedup keys, for the event that is not
//! written twice. A table on the disk covers the log up to a watermark; what follows is read into memory, so that one
//! more line costs the reading of a few.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use ken_files::Lock;

use crate::checksum::Checksum;
use crate::layout::{Kind, Layout, REPEATS, REPEATS_BEFORE, REPEATS_LOCK};
use crate::lines::{Line, LineReader};
use crate::place::{From, read_at};
use crate::read::text_of;
use crate::table::{Covered, Row, Table, checksum, kept_of, write_new};
use crate::{Event, EventId};

/// The same dedup key within this time is the same event.
pub const DEDUP_WINDOW: Duration = Duration::from_secs(24 * 60 * 60);

/// Most bytes of the log that one call reads to catch up, a few milliseconds' worth. A long log of a fresh clone is
/// caught up over many calls.
const MOST_AT_ONCE: u64 = 64 * 1024;

/// How many bytes may follow the watermark before they are put into the table.
const FOLD: u64 = 16 * 1024;

/// Bytes before a place in the log by which it is recognised.
const CHECKED: u64 = 64;

/// The field that makes a line worth parsing when only dedup keys are looked for.
const KEY_FIELD: &[u8] = b"client_dedup_key";

/// What is known of the log: the table up to `from`, the maps from there to `to`.
#[derive(Debug, Default)]
pub(crate) struct Repeats {
    table: Option<Table>,
    from: Covered,
    to: Covered,
    /// By hash of the plain form of a text: the recurrence that the next event of this text has, and where the event
    /// begins that says so.
    texts: HashMap<u64, (u64, u64)>,
    /// By hash of a dedup key: where the events with it begin, and their times.
    keys: HashMap<u64, Vec<(u64, Timestamp)>>,
    /// Whether the log ended at `to` when it was last looked at.
    at_end: bool,
    /// The id of the event on the line that ends at `to`; `None` when that was not read, or is no event.
    last: Option<EventId>,
}

/// By what a text is known: equal for texts that differ in case, white space and punctuation alone.
pub(crate) fn text_hash(content: &str) -> u64 {
    let plain = ken_text::fingerprint_text(content);
    // A text of nothing but punctuation is known by that.
    let plain = if plain.is_empty() { content.trim() } else { &plain };
    checksum(format!("text\0{plain}").as_bytes())
}

fn key_hash(key: &str) -> u64 {
    checksum(format!("key\0{key}").as_bytes())
}

impl Repeats {
    /// Reads what is new in the log, at most [`MOST_AT_ONCE`] bytes of it.
    pub(crate) fn catch_up(&mut self, layout: &Layout, log: &File) -> io::Result<()> {
        self.read_on(layout, log, MOST_AT_ONCE)
    }

    /// As [`Repeats::catch_up`], for who has the log's lock: where the log was not caught up before, others do not wait
    /// for more of it now.
    pub(crate) fn catch_up_locked(&mut self, layout: &Layout, log: &File) -> io::Result<()> {
        let most = if self.at_end { MOST_AT_ONCE } else { 0 };
        self.read_on(layout, log, most)
    }

    fn read_on(&mut self, layout: &Layout, log: &File, most: u64) -> io::Result<()> {
        self.at_end = false;
        let length = log.metadata()?.len();
        let table = self.table.take().and_then(Table::again);
        let mut table = table.or_else(|| open_table(layout));
        let goes_on = covered_by(table.as_ref()) == self.from && holds(log, length, self.to);
        if !goes_on {
            table = table.filter(|table| holds(log, length, table.covered));
            self.restart(covered_by(table.as_ref()));
        }
        self.table = table;
        let begin = self.to.offset;
        self.at_end = begin == length;
        if self.at_end || most == 0 {
            return Ok(());
        }
        let mut reader = reader_at(log, begin);
        while let Some(line) = reader.next()? {
            // A last line without its newline may still be under way.
            if !line.ended {
                break;
            }
            self.take(&line);
            if line.next - begin >= most {
                break;
            }
        }
        self.to.check = check_at(log, self.to.offset)?;
        self.at_end = self.to.offset >= length;
        Ok(())
    }

    /// Whether the last look at the log went to its end: then the next one finds little that is new.
    pub(crate) fn reached_the_end(&self) -> bool {
        self.at_end
    }

    /// The id of the log's last event, if it is known without looking.
    pub(crate) fn last(&self) -> Option<EventId> {
        self.last.filter(|_| self.at_end)
    }

    fn restart(&mut self, base: Covered) {
        if base != self.to {
            self.at_end = false;
            self.last = None;
        }
        self.from = base;
        self.to = base;
        self.texts.clear();
        self.keys.clear();
    }

    fn take(&mut self, line: &Line<'_>) {
        self.to.offset = line.next;
        self.to.lines += 1;
        self.last = None;
        if let Ok(event) = Event::parse(text_of(line)) {
            self.add(&event, text_hash(&event.content), line.offset);
            self.last = Some(event.id);
        }
    }

    fn add(&mut self, event: &Event, text: u64, offset: u64) {
        let next = event.recurrence.saturating_add(1);
        let known = self.texts.entry(text).or_insert((next, offset));
        if known.0 < next {
            *known = (next, offset);
        }
        if let Some(key) = &event.client_dedup_key {
            let found = self.keys.entry(key_hash(key)).or_default();
            found.push((offset, event.timestamp));
        }
    }

    /// Takes in an event that this process has just appended at `offset`, so that it need not be read back, and gives
    /// the number of its line. `None`, and nothing taken in, when others have appended in between.
    pub(crate) fn note(&mut self, event: &Event, text: u64, line: &str, offset: u64) -> Option<u64> {
        if offset != self.to.offset || line.len() < CHECKED as usize {
            return None;
        }
        let end = [&line.as_bytes()[line.len() + 1 - CHECKED as usize..], b"\n"].concat();
        self.to = Covered {
            offset: offset + line.len() as u64 + 1,
            lines: self.to.lines + 1,
            check: checksum(&end),
        };
        self.add(event, text, offset);
        self.last = Some(event.id);
        Some(self.to.lines)
    }

    /// The recurrence of the next event of this text: one more than the highest of those that are known, else 0.
    pub(crate) fn next_recurrence(&self, log: &File, text: u64) -> u64 {
        let in_table = self.table.as_ref().and_then(|table| {
            let found = in_table(table, log, text, |event| text_hash(&event.content) == text);
            Some(found.ok()??.0.recurrence.saturating_add(1))
        });
        in_table
            .max(self.texts.get(&text).map(|(next, _)| *next))
            .unwrap_or(0)
    }

    /// The event with this dedup key of the last 24 hours, and where it begins. The log must not change meanwhile.
    ///
    /// However far the table lags: what it names is looked at, and every line that it does not cover is searched for the
    /// key. So a key holds across processes and restarts from its first acknowledged line on. Asked for what was caught
    /// up.
    pub(crate) fn find_key(&self, log: &File, key: &str, now: Timestamp) -> io::Result<Option<(Event, u64)>> {
        let hash = key_hash(key);
        let in_table = self.table.as_ref().map(|table| table.numbers(hash)).transpose();
        let Ok(in_table) = in_table else {
            return scan_for_key(log, 0, key, now);
        };
        let in_table = in_table.into_iter().flatten().map(|number| number - 1);
        let in_tail = self.keys.get(&hash).into_iter().flatten();
        for offset in in_table.chain(in_tail.map(|(offset, _)| *offset)) {
            match event_at(log, offset)? {
                Some(event) if event.client_dedup_key.as_deref() == Some(key) => {
                    if is_recent(&event, now) {
                        return Ok(Some((event, offset)));
                    }
                }
                // Another key or text whose hash begins alike.
                Some(event) if is_known_by(&event, hash) => {}
                // A table of another log.
                _ => return scan_for_key(log, 0, key, now),
            }
        }
        if self.at_end {
            return Ok(None);
        }
        scan_for_key(log, self.to.offset, key, now)
    }

    /// Whether enough follows the watermark to be put into the table.
    pub(crate) fn wants_folding(&self) -> bool {
        self.to.offset - self.from.offset >= FOLD
    }

    /// Puts what follows the watermark into the table. Whoever gets the table's lock does it; nobody waits, and where it
    /// fails the next one will.
    pub(crate) fn fold(&mut self, layout: &Layout, log: &File) {
        let folded = self.try_fold(layout, log).is_ok_and(|folded| folded);
        // The table at the path may be another one now.
        self.table = None;
        if folded {
            self.restart(self.to);
        }
    }

    fn try_fold(&self, layout: &Layout, log: &File) -> io::Result<bool> {
        let refused = |_| io::Error::other("the table's place is not its own");
        layout.check(REPEATS, Kind::File).map_err(refused)?;
        layout.check(REPEATS_LOCK, Kind::File).map_err(refused)?;
        let lock = Lock::try_acquire(&layout.path(REPEATS_LOCK), "ken learn").map_err(io::Error::other)?;
        let Some(_lock) = lock else { return Ok(false) };
        let path = layout.path(REPEATS);
        let length = log.metadata()?.len();
        let mut table = Table::open(&path).filter(|table| holds(log, length, table.covered));
        if covered_by(table.as_ref()) != self.from || !holds(log, length, self.to) {
            return Ok(false);
        }
        let rows = self.rows(table.as_ref(), log)?;
        let added = match &mut table {
            // One that crashes left without a free slot is written anew.
            Some(table) => table.add(&rows, self.to).unwrap_or(false),
            None => false,
        };
        if !added {
            write_new(&path, table.as_ref(), &rows, self.to)?;
            remove_table_before(layout);
        }
        Ok(true)
    }

    /// What the table does not say yet: the texts whose recurrence is higher, and the keys whose event is newer (after a
    /// merge the later line is not always the one), than those that it has.
    fn rows(&self, table: Option<&Table>, log: &File) -> io::Result<Vec<Row>> {
        let mut rows = Vec::new();
        for (hash, (next, offset)) in &self.texts {
            let is_it = |event: &Event| text_hash(&event.content) == *hash;
            let known = table
                .map(|table| in_table(table, log, *hash, is_it))
                .transpose()?;
            let known = known.flatten();
            if known
                .as_ref()
                .is_none_or(|(event, _)| event.recurrence.saturating_add(1) < *next)
            {
                rows.push(row(*hash, *offset, known));
            }
        }
        for (hash, found) in &self.keys {
            let Some((offset, at)) = found.iter().max_by_key(|(_, at)| *at) else {
                continue;
            };
            let is_it = |event: &Event| {
                event
                    .client_dedup_key
                    .as_deref()
                    .is_some_and(|key| key_hash(key) == *hash)
            };
            let known = table
                .map(|table| in_table(table, log, *hash, is_it))
                .transpose()?;
            let known = known.flatten();
            if known.as_ref().is_none_or(|(event, _)| event.timestamp < *at) {
                rows.push(row(*hash, *offset, known));
            }
        }
        Ok(rows)
    }

    /// The number of the line that begins at `offset`, from 1.
    pub(crate) fn line_at(&self, log: &File, offset: u64) -> io::Result<u64> {
        let known = if offset >= self.to.offset && holds(log, log.metadata()?.len(), self.to) {
            self.to
        } else {
            Covered::default()
        };
        let mut reader = reader_at(log, known.offset);
        let mut line = known.lines + 1;
        while let Some(passed) = reader.next()? {
            if passed.offset >= offset {
                break;
            }
            line += 1;
        }
        Ok(line)
    }
}

/// The event that a table knows by this hash and that is the one meant, and its number.
fn in_table(
    table: &Table,
    log: &File,
    hash: u64,
    is_it: impl Fn(&Event) -> bool,
) -> io::Result<Option<(Event, u64)>> {
    for number in table.numbers(hash)? {
        // What it names may be gone from the log.
        let event = event_at(log, number - 1).ok().flatten();
        if let Some(event) = event.filter(&is_it) {
            return Ok(Some((event, number)));
        }
    }
    Ok(None)
}

fn row(hash: u64, offset: u64, known: Option<(Event, u64)>) -> Row {
    Row {
        hash,
        number: offset + 1,
        replaces: known.map(|(_, number)| number),
    }
}

/// Whether an event is what a table may rightly name under a hash: its text's or its key's begins as that one.
fn is_known_by(event: &Event, hash: u64) -> bool {
    let key = event.client_dedup_key.as_deref().map(key_hash);
    let mut hashes = key.into_iter().chain([text_hash(&event.content)]);
    hashes.any(|known| kept_of(known) == kept_of(hash))
}

/// How long a table of the format before may lie there untouched: longer, and no version that is used has made it.
const BEFORE_KEPT: Duration = Duration::from_secs(24 * 60 * 60);

/// Removes the table of the format before, unless another version still writes it. Best effort.
fn remove_table_before(layout: &Layout) {
    let path = layout.path(REPEATS_BEFORE);
    let untouched = std::fs::symlink_metadata(&path)
        .and_then(|seen| seen.modified())
        .is_ok_and(|at| at.elapsed().is_ok_and(|age| age > BEFORE_KEPT));
    if untouched && layout.check(REPEATS_BEFORE, Kind::File).is_ok_and(|there| there) {
        let _ = std::fs::remove_file(path);
    }
}

fn open_table(layout: &Layout) -> Option<Table> {
    let there = layout.check(REPEATS, Kind::File).is_ok_and(|there| there);
    there.then(|| Table::open(&layout.path(REPEATS))).flatten()
}

fn covered_by(table: Option<&Table>) -> Covered {
    table.map(|table| table.covered).unwrap_or_default()
}

fn is_recent(event: &Event, now: Timestamp) -> bool {
    now.duration_since(event.time_as_of(now)) < SignedDuration::try_from(DEDUP_WINDOW).unwrap_or_default()
}

/// Reads the lines from `from` on that have a dedup key, until one has this one and is recent.
fn scan_for_key(log: &File, from: u64, key: &str, now: Timestamp) -> io::Result<Option<(Event, u64)>> {
    let field = memchr::memmem::Finder::new(KEY_FIELD);
    let mut reader = reader_at(log, from);
    while let Some(line) = reader.next()? {
        if field.find(line.bytes).is_none() {
            continue;
        }
        if let Ok(event) = Event::parse(text_of(&line))
            && event.client_dedup_key.as_deref() == Some(key)
            && is_recent(&event, now)
        {
            return Ok(Some((event, line.offset)));
        }
    }
    Ok(None)
}

pub(crate) fn event_at(log: &File, offset: u64) -> io::Result<Option<Event>> {
    let mut reader = reader_at(log, offset);
    let line = reader.next()?;
    Ok(line.and_then(|line| Event::parse(text_of(&line)).ok()))
}

pub(crate) fn reader_at(file: &File, offset: u64) -> LineReader<From<'_>> {
    LineReader::new(From { file, offset }, offset, Checksum::default())
}

/// Whether the log, which has `length` bytes, still looks as it did where something ended.
fn holds(log: &File, length: u64, covered: Covered) -> bool {
    length >= covered.offset && check_at(log, covered.offset).is_ok_and(|check| check == covered.check)
}

fn check_at(log: &File, offset: u64) -> io::Result<u64> {
    let length = offset.min(CHECKED);
    if length == 0 {
        return Ok(0);
    }
    let mut bytes = [0; CHECKED as usize];
    let bytes = &mut bytes[..length as usize];
    read_at(log, offset - length, bytes)?;
    Ok(checksum(bytes))
}
