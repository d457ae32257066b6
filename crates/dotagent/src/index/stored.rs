//! What is kept of each event beside its words, out of a cache.

use jiff::Timestamp;
use ken_files::{CacheFile, Section};

use super::columns::{Column, Columns, Table};
use super::rows::{
    BY_ID, BY_TEXT, COLUMNS, Facet, Fields, NANOSECONDS, OFFSETS, SECOND, SECONDS, SORTED, Standing, TEXTS,
    UNIT, number_to_seconds, take_number, take_text,
};
use crate::{EventId, Supersedes};

/// The rows of a segment.
#[derive(Debug)]
pub(super) struct Stored {
    ids: Section,
    columns: Columns<COLUMNS>,
    standings: Section,
    words: [Table; 3],
    superseding: Section,
    ahead: Section,
    /// Lines of the log before the first one that it covers.
    before: u64,
    /// The least and the greatest id.
    bounds: Option<(EventId, EventId)>,
}

/// Bytes of a place from which on line numbers run further ahead.
const AHEAD: usize = 8;

impl Stored {
    /// How many sections it takes.
    pub(super) const SECTIONS: usize = 8;

    /// The rows in a cache, whose sections begin at number `first`; `None` when they are damaged.
    pub(super) fn open(cache: &CacheFile, first: usize, before: u64) -> Option<Stored> {
        let columns: Columns<COLUMNS> = Columns::open(cache.section(first + 1)?)?;
        let mut stored = Stored {
            ids: cache.section(first)?,
            columns,
            standings: cache.section(first + 2)?,
            words: [
                Table::open(cache.section(first + 3)?)?,
                Table::open(cache.section(first + 4)?)?,
                Table::open(cache.section(first + 5)?)?,
            ],
            superseding: cache.section(first + 6)?,
            ahead: cache.section(first + 7)?,
            before,
            bounds: None,
        };
        let rows = stored.columns.rows();
        let whole = stored.ids.len() == rows.checked_mul(EventId::BYTES)?
            && stored.standings.len().is_multiple_of(Standing::BYTES)
            && stored.ahead.len().is_multiple_of(AHEAD)
            && (rows == 0 || Facet::ALL.iter().all(|facet| stored.count(*facet) > 0));
        if rows > 0 {
            let of = |place: usize| stored.id(stored.row_by_id(place));
            stored.bounds = Some((of(0), of(rows - 1)));
        }
        whole.then_some(stored)
    }

    pub(super) fn len(&self) -> usize {
        self.columns.rows()
    }

    /// The number of a row's value, below [`Fields::count`].
    pub(super) fn number(&self, facet: Facet, row: usize) -> usize {
        self.columns.get(facet as usize, row) as usize
    }

    fn row_by_id(&self, place: usize) -> usize {
        match self.columns.get(BY_ID, place) {
            SORTED => place,
            row => (row as usize).min(self.len().saturating_sub(1)),
        }
    }

    /// The row of an event.
    pub(super) fn row_of(&self, id: EventId) -> Option<usize> {
        let (least, greatest) = self.bounds?;
        if id < least || id > greatest {
            return None;
        }
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if self.id(self.row_by_id(middle)) < id {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let row = (low < self.len()).then(|| self.row_by_id(low))?;
        (self.id(row) == id).then_some(row)
    }

    /// The rows whose text has this hash, in ascending order.
    pub(super) fn rows_with(&self, text: u64) -> Vec<usize> {
        let (by_text, texts) = (self.columns.column(BY_TEXT), self.columns.column(TEXTS));
        let row = |place: usize| by_text.get(place) as usize;
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low + (high - low) / 2;
            if texts.get(row(middle)) < text {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let rows = (low..self.len()).map(row);
        rows.take_while(|row| *row < self.len() && texts.get(*row) == text)
            .collect()
    }
}

impl Fields for Stored {
    fn id(&self, row: usize) -> EventId {
        let bytes = self.ids.get(row * EventId::BYTES..).and_then(<[u8]>::first_chunk);
        EventId::from_bytes(bytes.unwrap_or(&[0; EventId::BYTES]))
    }

    fn time(&self, row: usize) -> Timestamp {
        let seconds = number_to_seconds(self.columns.get(SECONDS, row));
        let rest = i128::from(self.columns.get(NANOSECONDS, row)) * i128::from(self.columns.get(UNIT, row));
        Timestamp::from_nanosecond(seconds * SECOND + rest.min(SECOND - 1)).unwrap_or_default()
    }

    fn text(&self, row: usize) -> u64 {
        self.columns.get(TEXTS, row)
    }

    fn offset(&self, row: usize) -> u64 {
        self.columns.get(OFFSETS, row)
    }

    fn line(&self, row: usize) -> u64 {
        let number = |place: usize, at: usize| {
            let bytes = self.ahead.get(place * AHEAD + at..).and_then(<[u8]>::first_chunk);
            u32::from_le_bytes(bytes.copied().unwrap_or_default())
        };
        let (mut low, mut high) = (0, self.ahead.len() / AHEAD);
        while low < high {
            let middle = low + (high - low) / 2;
            if number(middle, 0) as usize <= row {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let ahead = low.checked_sub(1).map_or(0, |place| number(place, 4));
        self.before.saturating_add(1 + row as u64 + u64::from(ahead))
    }

    fn count(&self, facet: Facet) -> usize {
        match facet {
            Facet::Standing => self.standings.len() / Standing::BYTES,
            other => self.words[other as usize - 1].len(),
        }
    }

    fn column(&self, facet: Facet) -> Column<'_> {
        self.columns.column(facet as usize)
    }

    fn standing(&self, number: usize) -> Standing {
        let bytes = self
            .standings
            .get(number * Standing::BYTES..)
            .and_then(<[u8]>::first_chunk);
        bytes.map(Standing::from_bytes).unwrap_or_default()
    }

    fn word(&self, facet: Facet, number: usize) -> &[u8] {
        match facet {
            Facet::Standing => &[],
            other => self.words[other as usize - 1].get(number),
        }
    }

    fn superseding(&self) -> Vec<(u32, Supersedes)> {
        let mut bytes: &[u8] = &self.superseding;
        let mut found = Vec::new();
        while let Some(row) = take_number(&mut bytes) {
            let what = take_text(&mut bytes).and_then(|text| Supersedes::parse(text).ok());
            let (Some(what), Ok(row)) = (what, u32::try_from(row)) else {
                break;
            };
            if row as usize >= self.len() {
                break;
            }
            found.push((row, what));
        }
        found
    }
}
