//! The library's rows, to be searched: which ones hold a question's words is told by the index of words, and only the
//! rows that come first are decoded and put through the filter.

use std::fmt;

use jiff::civil::Date;
use ken_text::search::{Field, Query, Scan, Scorer, Searchable, Statistics};

use crate::AgentId;
use crate::cache::{BEFORE_ENTITIES, Kept, Lost, NO_DAY};
use crate::filter::{Left, Visible};
use crate::model::{Note, Row, Session};
use crate::named::NamedRow;
use crate::screen::Screen;
use crate::snapshot::Snapshot;
use crate::view::{Moment, View};
use crate::words::{Part, RowPlace, Searched, Words, day_of, terms_of_tag};

/// The kinds of rows, in the order in which an index holds them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RowKind {
    /// Entities.
    Entity,
    /// Workstreams.
    Workstream,
    /// Sessions.
    Session,
    /// Notes.
    Note,
}

/// A row as the caller may see it.
#[derive(Debug, Clone)]
pub enum FoundRow {
    /// An entity or a workstream.
    Named(NamedRow),
    /// A session.
    Session(Visible<Session>),
    /// A note.
    Note(Visible<Note>),
}

/// A manifest changed while its rows were read: the question is to be asked again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Changed;

/// The rows of a library by number, as they were at one moment, for one caller. Rows above the caller's level do not
/// exist: they are in no count and have no score. What the rule on names withholds is told when a row is decoded.
#[derive(Clone, Copy)]
pub struct RowSearch<'v> {
    view: &'v View,
    moment: &'v Moment,
    words: &'v Words,
}

impl fmt::Debug for RowSearch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RowSearch({} rows)", self.len())
    }
}

impl View {
    /// The rows to be searched. The index of words is read from the library's cache, and brought up to date there as
    /// far as it must be.
    pub fn searched(&self) -> RowSearch<'_> {
        let mut moment = self.newest();
        loop {
            match moment.words(self.caller()) {
                Ok(words) => {
                    return RowSearch {
                        view: self,
                        moment,
                        words,
                    };
                }
                Err(_) => match self.renew(moment) {
                    Some(next) => moment = next,
                    None => {
                        return RowSearch {
                            view: self,
                            moment,
                            words: moment.no_words(),
                        };
                    }
                },
            }
        }
    }
}

impl<'v> RowSearch<'v> {
    /// How many numbers there are; not every one is of a row that counts.
    pub fn len(&self) -> usize {
        self.words.len
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.words.len == 0
    }

    /// The counts of the rows that count.
    pub fn statistics(&self, query: &Query) -> Statistics {
        let mut all = Statistics {
            holding: vec![0; query.terms.len()],
            ..Statistics::default()
        };
        for part in &self.words.parts {
            all.add(&match &part.admitted {
                None => part.index.segment.statistics(query),
                Some(admitted) => part.index.segment.statistics_of(query, admitted),
            });
        }
        all
    }

    /// The score of each row by its number; zero for those that hold none of the words and those that do not count.
    pub fn scores(&self, query: &Query, scorer: &Scorer) -> Vec<f64> {
        let mut scores = vec![0.0; self.words.len];
        for part in &self.words.parts {
            let scores = &mut scores[part.first..part.first + part.index.len()];
            part.index.segment.add_scores(query, scorer, scores);
            if let Some(admitted) = &part.admitted {
                for (score, admitted) in scores.iter_mut().zip(admitted) {
                    if !admitted {
                        *score = 0.0;
                    }
                }
            }
        }
        scores
    }

    /// One for each row that counts, zero for the others: the scores of a question without words.
    pub fn ones(&self) -> Vec<f64> {
        let rows = self.words.parts.iter();
        rows.flat_map(|part| (0..part.index.len()).map(|row| f64::from(u8::from(part.admits(row)))))
            .collect()
    }

    /// Sets the score of every row to zero that does not hold all of these terms.
    pub fn keep_holding_all(&self, terms: &[String], scores: &mut [f64]) {
        for part in &self.words.parts {
            let scores = &mut scores[part.first..part.first + part.index.len()];
            let mut from = 0;
            for row in part.index.segment.holding_all(terms) {
                scores[from..row].fill(0.0);
                from = row + 1;
            }
            scores[from..].fill(0.0);
        }
    }

    /// Sets the score of every row to zero that cannot bear this tag, in whatever case and with whatever between its
    /// words: of those that are left most do.
    pub fn keep_tagged(&self, tag: &str, scores: &mut [f64]) {
        let terms = terms_of_tag(tag);
        let mut odd = Vec::new();
        for part in &self.words.parts {
            let rows = 0..part.index.len();
            let rows = rows.filter(|row| part.index.has_odd_tag(*row));
            odd.extend(rows.map(|row| (part.first + row, scores[part.first + row])));
        }
        self.keep_holding_all(&terms, scores);
        for (row, score) in odd {
            scores[row] = score;
        }
    }

    /// What kind of row it is.
    pub fn kind(&self, row: usize) -> RowKind {
        let kind = self.part(row).map_or(0, |(part, row)| part.index.kind(row));
        [
            RowKind::Entity,
            RowKind::Workstream,
            RowKind::Session,
            RowKind::Note,
        ][kind & 3]
    }

    /// The day that counts for how new the row is.
    pub fn day(&self, row: usize) -> Option<Date> {
        day_of(self.days(row)?)
    }

    /// The same in days since 1970, to be compared.
    pub fn days(&self, row: usize) -> Option<i32> {
        let (part, row) = self.part(row)?;
        Some(part.index.day(row)).filter(|day| *day != NO_DAY)
    }

    /// The sessions and notes that may say one of these texts, which are given by their
    /// [`plain_hash`](ken_text::plain_hash): all that do, and seldom others.
    pub fn saying(&self, texts: &[u64]) -> Vec<usize> {
        let hashes: Vec<u32> = texts.iter().map(|text| *text as u32).collect();
        let parts = self.words.parts.iter();
        parts
            .flat_map(|part| {
                let saying = part.index.saying(&hashes).into_iter();
                saying.filter(|row| part.admits(*row)).map(|row| part.first + row)
            })
            .collect()
    }

    /// Where the row stands, in an order that no cache decides; `None` when it does not count.
    pub fn place(&self, row: usize) -> Option<RowPlace> {
        let (part, row) = self.part(row)?;
        part.admits(row).then(|| part.place(row)).flatten()
    }

    /// Whether the library is still the one that is searched: a view that had to read what changed meanwhile has moved
    /// on, and so would what it says of these rows.
    pub fn is_current(&self) -> bool {
        self.view.newest().number == self.moment.number
    }

    /// The agent whose manifest holds the row; `None` when the row does not count.
    pub fn agent(&self, row: usize) -> Option<&'v AgentId> {
        let place = self.place(row)?;
        Some(&*self.snapshot().manifests.get(place.manifest)?.agent)
    }

    /// The number of a row among its agent's of its kind that count, from 1.
    pub fn number(&self, row: usize) -> usize {
        let Some((part, of_part)) = self.part(row) else {
            return 0;
        };
        part.place(of_part)
            .map_or(0, |place| part.number(of_part, &place))
    }

    /// The row as the caller may see it, and whether the filter left out a part of it, so that its score is
    /// [`FoundRow::score`]; `None` when nothing of it may be seen.
    ///
    /// # Errors
    /// [`Changed`] when its manifest is no longer what it was: then [`View::searched`] is to be asked again. A library
    /// that changes all the time answers without that row.
    pub fn row(&self, row: usize) -> Result<Option<(FoundRow, bool)>, Changed> {
        let Some(place) = self.place(row) else {
            return Ok(None);
        };
        let read = match place.kind {
            0 | 1 => self.named(&place),
            2 => self.other::<Session>(&place, FoundRow::Session),
            _ => self.other::<Note>(&place, FoundRow::Note),
        };
        match read {
            Ok(found) => Ok(found),
            Err(_) if self.view.renew(self.moment).is_some() => Err(Changed),
            Err(_) => Ok(None),
        }
    }

    fn snapshot(&self) -> &'v Snapshot {
        &self.moment.snapshot
    }

    fn part(&self, row: usize) -> Option<(&'v Part, usize)> {
        self.words.part(row)
    }

    fn named(&self, place: &RowPlace) -> Result<Option<(FoundRow, bool)>, Lost> {
        let rows = self
            .snapshot()
            .manifests
            .get(place.manifest)
            .ok_or(Lost::Changed)?
            .rows;
        let before = BEFORE_ENTITIES + if place.kind == 0 { 0 } else { rows.entities };
        let number = rows.first + before + place.at as u32;
        let id = Snapshot::id(usize::from(rows.in_delta), number);
        let judged = self.view.judge(self.moment, id)?;
        Ok(judged.row.map(|row| (FoundRow::Named(row), judged.reduced)))
    }

    fn other<T: Kept + Row + Screen>(
        &self,
        place: &RowPlace,
        found: fn(Visible<T>) -> FoundRow,
    ) -> Result<Option<(FoundRow, bool)>, Lost> {
        Ok(match self.view.left(self.moment, place.manifest, place.at)? {
            Left::Row { row, reduced, .. } => Some((found(row), reduced)),
            Left::Nothing => None,
        })
    }
}

impl FoundRow {
    /// Its texts as they are searched.
    pub fn fields(&self) -> Vec<Field<'_>> {
        match self {
            FoundRow::Named(NamedRow::Entity(row)) => row.fields(),
            FoundRow::Named(NamedRow::Workstream(row)) => row.fields(),
            FoundRow::Session(row) => row.fields(),
            FoundRow::Note(row) => row.fields(),
        }
    }

    /// Its tags.
    pub fn tags(&self) -> Vec<&str> {
        match self {
            FoundRow::Named(NamedRow::Entity(row)) => row.tags(),
            FoundRow::Named(NamedRow::Workstream(row)) => row.tags(),
            FoundRow::Session(row) => row.tags(),
            FoundRow::Note(row) => row.tags(),
        }
    }

    /// The score of what is left of the row; zero when that holds none of the words.
    pub fn score(&self, query: &Query, scorer: &Scorer) -> f64 {
        let mut scan = Scan::new();
        scan.add(&self.fields());
        let mut score = [0.0];
        scan.add_scores(query, scorer, &mut score);
        score[0]
    }
}
