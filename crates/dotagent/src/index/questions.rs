//! What a search asks the index.

use std::borrow::Cow;

use jiff::Timestamp;
use ken_text::search::{Query, Scored, Scorer, Searchable, Statistics};

use super::columns::Column;
use super::rows::{Facet, Fields, Standing, read_list};
use super::segment::{Counts, EventSegment};
use super::tail::event_of;
use super::{EventIndex, Stale};
use crate::{EventId, Logged, Supersedes};

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

    /// How many lines are no events, as [`crate::Log::skipped_count`].
    pub fn skipped_count(&self) -> u64 {
        self.counts().skipped
    }

    /// How many lines say the same as an earlier one, as [`crate::Log::repeated_count`].
    pub fn repeated_count(&self) -> u64 {
        self.counts().repeated
    }

    /// How many lines have an earlier one's id with another content, as [`crate::Log::duplicate_ids_count`].
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

    /// The [`plain_hash`](ken_text::plain_hash) of an event's text.
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
        read_list(bytes.unwrap_or_default())
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
