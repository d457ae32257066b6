//! What is kept of each event beside its words, so that a ranking reads no line: in memory while it is gathered.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

use integer_encoding::VarInt;
use jiff::Timestamp;

use super::columns::{Column, write_columns, write_table};
use super::stored::Stored;
use crate::{Event, EventId, Origin, Supersedes};

/// What an event weighs besides its words and its age. Few are distinct in a log.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Standing {
    /// How much it hurt, 0 to 10.
    pub pain: f64,
    /// How much it matters, 0 to 10.
    pub importance: f64,
    /// How many times it had resurfaced when it was written.
    pub recurrence: u64,
    /// Where its words came from, when known.
    pub origin: Option<Origin>,
    /// Whether a person pinned it.
    pub pinned: bool,
}

impl Standing {
    pub(super) const BYTES: usize = 8 + 8 + 8 + 1;

    fn of(event: &Event) -> Standing {
        Standing {
            pain: event.pain,
            importance: event.importance,
            recurrence: event.recurrence,
            origin: event.origin,
            pinned: event.pinned,
        }
    }

    fn to_bytes(self) -> [u8; Standing::BYTES] {
        let mut bytes = [0; Standing::BYTES];
        bytes[..8].copy_from_slice(&self.pain.to_bits().to_le_bytes());
        bytes[8..16].copy_from_slice(&self.importance.to_bits().to_le_bytes());
        bytes[16..24].copy_from_slice(&self.recurrence.to_le_bytes());
        let origin = match self.origin {
            None => 0,
            Some(Origin::User) => 1,
            Some(Origin::Agent) => 2,
            Some(Origin::Tool) => 3,
        };
        bytes[24] = origin << 1 | u8::from(self.pinned);
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8; Standing::BYTES]) -> Standing {
        let number = |at: usize| {
            let bytes = bytes[at..].first_chunk().copied().unwrap_or_default();
            u64::from_le_bytes(bytes)
        };
        Standing {
            pain: f64::from_bits(number(0)),
            importance: f64::from_bits(number(8)),
            recurrence: number(16),
            origin: match bytes[24] >> 1 {
                1 => Some(Origin::User),
                2 => Some(Origin::Agent),
                3 => Some(Origin::Tool),
                _ => None,
            },
            pinned: bytes[24] & 1 == 1,
        }
    }
}

/// What many events have in common, kept once and known by a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Facet {
    /// [`Standing`].
    Standing,
    /// The skill.
    Skill,
    /// The harness.
    Harness,
    /// The tags.
    Tags,
}

impl Facet {
    pub(super) const ALL: [Facet; 4] = [Facet::Standing, Facet::Skill, Facet::Harness, Facet::Tags];
}

/// Distinct values with their numbers.
#[derive(Debug)]
struct Distinct<T> {
    values: Vec<T>,
    numbers: HashMap<T, u32>,
}

impl<T> Default for Distinct<T> {
    fn default() -> Self {
        Distinct {
            values: Vec::new(),
            numbers: HashMap::new(),
        }
    }
}

impl<T: Hash + Eq + Clone> Distinct<T> {
    fn number<Q>(&mut self, value: &Q) -> u32
    where
        T: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
        for<'a> &'a Q: Into<T>,
    {
        if let Some(number) = self.numbers.get(value) {
            return *number;
        }
        let number = self.values.len() as u32;
        self.values.push(value.into());
        self.numbers.insert(value.into(), number);
        number
    }
}

/// The rows of some events, in the order of the log.
#[derive(Debug, Default)]
pub(super) struct Rows {
    ids: Vec<EventId>,
    times: Vec<Timestamp>,
    /// Hashes of texts.
    texts: Vec<u64>,
    /// Where the lines begin, in bytes of the log.
    offsets: Vec<u64>,
    lines: Vec<u64>,
    numbers: [Vec<u32>; 4],
    standings: Distinct<Box<[u8]>>,
    /// Skills, harnesses and lists of tags.
    words: [Distinct<Box<[u8]>>; 3],
    /// The rows that take something's place.
    superseding: Vec<(u32, Supersedes)>,
}

/// Columns of [`Stored`], behind the four facets.
pub(super) const OFFSETS: usize = 4;
pub(super) const SECONDS: usize = 5;
pub(super) const NANOSECONDS: usize = 6;
pub(super) const TEXTS: usize = 7;
/// Rows in ascending order of their texts' hashes.
pub(super) const BY_TEXT: usize = 8;
/// Rows in ascending order of their ids.
pub(super) const BY_ID: usize = 9;
/// What is left of the nanoseconds when they are divided by the number in this column, which is one for all.
pub(super) const UNIT: usize = 10;
pub(super) const COLUMNS: usize = 11;

impl Rows {
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Adds the event of a line.
    pub(super) fn add(&mut self, event: &Event, offset: u64, line: u64) {
        let row = self.ids.len() as u32;
        self.ids.push(event.id);
        self.times.push(event.timestamp);
        self.texts.push(ken_text::plain_hash(&event.content));
        self.offsets.push(offset);
        self.lines.push(line);
        let standing = self.standings.number(&Standing::of(event).to_bytes()[..]);
        let harness = event
            .source_harness
            .as_ref()
            .map_or("", |harness| harness.as_str());
        let [skills, harnesses, tags] = &mut self.words;
        let numbers = [
            standing,
            skills.number(event.skill_action.as_str().as_bytes()),
            harnesses.number(harness.as_bytes()),
            tags.number(&write_list(&event.tags)[..]),
        ];
        for (column, number) in self.numbers.iter_mut().zip(numbers) {
            column.push(number);
        }
        if let Some(supersedes) = &event.supersedes {
            self.superseding.push((row, supersedes.clone()));
        }
    }

    /// Adds rows that were kept.
    pub(super) fn append(&mut self, stored: &Stored) {
        let first = self.ids.len() as u32;
        let standings: Vec<u32> = (0..stored.count(Facet::Standing))
            .map(|number| self.standings.number(&stored.standing(number).to_bytes()[..]))
            .collect();
        let mut words = [Facet::Skill, Facet::Harness, Facet::Tags]
            .iter()
            .zip(&mut self.words);
        let words: [Vec<u32>; 3] = std::array::from_fn(|_| {
            let (facet, distinct) = words.next().expect("there are three");
            (0..stored.count(*facet))
                .map(|number| distinct.number(stored.word(*facet, number)))
                .collect()
        });
        for row in 0..stored.len() {
            self.ids.push(stored.id(row));
            self.times.push(stored.time(row));
            self.texts.push(stored.text(row));
            self.offsets.push(stored.offset(row));
            self.lines.push(stored.line(row));
            for (facet, column) in Facet::ALL.into_iter().zip(&mut self.numbers) {
                let renumbered = match facet {
                    Facet::Standing => &standings,
                    other => &words[other as usize - 1],
                };
                let number = stored.number(facet, row);
                column.push(renumbered.get(number).copied().unwrap_or_default());
            }
        }
        let superseding = stored.superseding();
        self.superseding
            .extend(superseding.into_iter().map(|(row, what)| (first + row, what)));
    }

    /// The sections of a cache: ids, columns, standings, skills, harnesses, tags, what is superseded, and where line
    /// numbers run ahead of rows. `before` is how many lines the log has before the first.
    pub(super) fn write(&self, before: u64) -> Vec<Vec<u8>> {
        let rows = self.len();
        let ids: Vec<[u8; EventId::BYTES]> = self.ids.iter().map(|id| id.to_bytes()).collect();
        let mut by_id: Vec<u32> = (0..rows as u32).collect();
        // In a log that nobody merged they ascend, and the column takes no room.
        if ids.is_sorted() {
            by_id.clear();
        } else {
            by_id.sort_by_key(|row| ids[*row as usize]);
        }
        let mut by_text: Vec<u32> = (0..rows as u32).collect();
        by_text.sort_by_key(|row| self.texts[*row as usize]);

        let nanoseconds = self.times.iter().map(|time| time.as_nanosecond());
        let parts: Vec<(i128, u64)> = nanoseconds
            .map(|all| (all.div_euclid(SECOND), all.rem_euclid(SECOND) as u64))
            .collect();
        let whole = |unit: &u64| parts.iter().all(|(_, rest)| rest.is_multiple_of(*unit));
        let unit = [1_000_000, 1_000].into_iter().find(whole).unwrap_or(1);
        let wide = |numbers: &[u32]| numbers.iter().copied().map(u64::from).collect::<Vec<u64>>();
        let mut columns: Vec<Vec<u64>> = self.numbers.iter().map(|numbers| wide(numbers)).collect();
        columns.push(self.offsets.clone());
        columns.push(
            parts
                .iter()
                .map(|(seconds, _)| seconds_to_number(*seconds))
                .collect(),
        );
        columns.push(parts.iter().map(|(_, rest)| rest / unit).collect());
        columns.push(self.texts.clone());
        columns.push(wide(&by_text));
        columns.push(if by_id.is_empty() {
            vec![SORTED; rows]
        } else {
            wide(&by_id)
        });
        columns.push(vec![unit; rows]);

        let mut superseding = Vec::new();
        for (row, what) in &self.superseding {
            let what = what.to_string();
            put(&mut superseding, u64::from(*row));
            put(&mut superseding, what.len() as u64);
            superseding.extend_from_slice(what.as_bytes());
        }
        let mut ahead = Vec::new();
        let mut last = 0;
        for (row, line) in (0_u64..).zip(&self.lines) {
            let now = line.saturating_sub(before + 1 + row);
            if now != last {
                ahead.extend_from_slice(&(row as u32).to_le_bytes());
                ahead.extend_from_slice(&(now as u32).to_le_bytes());
                last = now;
            }
        }
        let mut sections = vec![ids.concat(), write_columns(rows, &columns)];
        sections.push(self.standings.values.concat());
        sections.extend(
            self.words
                .iter()
                .map(|words| write_table(words.values.iter().map(|piece| &piece[..]))),
        );
        sections.push(superseding);
        sections.push(ahead);
        sections
    }
}

/// In the column of rows by id: that they stand in that order.
pub(super) const SORTED: u64 = u64::MAX;
pub(super) const SECOND: i128 = 1_000_000_000;

/// Seconds since 1970 as a number that is not negative.
fn seconds_to_number(seconds: i128) -> u64 {
    (seconds + (1 << 62)).clamp(0, i128::from(u64::MAX)) as u64
}

pub(super) fn number_to_seconds(number: u64) -> i128 {
    i128::from(number) - (1 << 62)
}

/// Texts of any content in one piece.
fn write_list(texts: &[String]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for text in texts {
        put(&mut bytes, text.len() as u64);
        bytes.extend_from_slice(text.as_bytes());
    }
    bytes
}

pub(super) fn read_list(mut bytes: &[u8]) -> Vec<String> {
    let mut texts = Vec::new();
    while let Some(text) = take_text(&mut bytes) {
        texts.push(text.to_owned());
    }
    texts
}

fn put(bytes: &mut Vec<u8>, number: u64) {
    bytes.extend_from_slice(&number.encode_var_vec());
}

pub(super) fn take_number(bytes: &mut &[u8]) -> Option<u64> {
    let (number, length) = u64::decode_var(bytes)?;
    *bytes = bytes.get(length..)?;
    Some(number)
}

/// A text with its length before it.
pub(super) fn take_text<'a>(bytes: &mut &'a [u8]) -> Option<&'a str> {
    let length = usize::try_from(take_number(bytes)?).ok()?;
    let (text, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    std::str::from_utf8(text).ok()
}

/// What an event's row says, wherever it is kept.
pub(super) trait Fields {
    fn id(&self, row: usize) -> EventId;
    fn time(&self, row: usize) -> Timestamp;
    fn text(&self, row: usize) -> u64;
    fn offset(&self, row: usize) -> u64;
    fn line(&self, row: usize) -> u64;
    /// How many distinct values there are; at least one when there is a row.
    fn count(&self, facet: Facet) -> usize;
    /// The numbers of all rows.
    fn column(&self, facet: Facet) -> Column<'_>;
    fn standing(&self, number: usize) -> Standing;
    /// A skill, a harness or a list of tags, as bytes.
    fn word(&self, facet: Facet, number: usize) -> &[u8];
    fn superseding(&self) -> Vec<(u32, Supersedes)>;
}

impl Fields for Rows {
    fn id(&self, row: usize) -> EventId {
        self.ids[row]
    }

    fn time(&self, row: usize) -> Timestamp {
        self.times[row]
    }

    fn text(&self, row: usize) -> u64 {
        self.texts[row]
    }

    fn offset(&self, row: usize) -> u64 {
        self.offsets[row]
    }

    fn line(&self, row: usize) -> u64 {
        self.lines[row]
    }

    fn count(&self, facet: Facet) -> usize {
        match facet {
            Facet::Standing => self.standings.values.len(),
            other => self.words[other as usize - 1].values.len(),
        }
    }

    fn column(&self, facet: Facet) -> Column<'_> {
        Column::Memory(&self.numbers[facet as usize])
    }

    fn standing(&self, number: usize) -> Standing {
        self.standings.values[number]
            .first_chunk()
            .map(Standing::from_bytes)
            .unwrap_or_default()
    }

    fn word(&self, facet: Facet, number: usize) -> &[u8] {
        match facet {
            Facet::Standing => &[],
            other => &self.words[other as usize - 1].values[number],
        }
    }

    fn superseding(&self) -> Vec<(u32, Supersedes)> {
        self.superseding.clone()
    }
}
