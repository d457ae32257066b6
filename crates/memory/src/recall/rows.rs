//! The library's rows under one question. Their order is told by the index of words and by their days; a row is decoded
//! when it comes to be looked at, and an entity's or workstream's row stands for the whole thing that it speaks of.

use std::cell::RefCell;
use std::cmp::{Ordering, Reverse};
use std::collections::{BinaryHeap, HashMap};
use std::rc::Rc;

use jiff::Timestamp;
use jiff::civil::Date;
use ken_dotagent::Stale;
use ken_library::{AgentId, Changed, FoundRow, Library, RowKind, RowPlace, RowSearch};
use ken_text::search::Scorer;

use super::candidate::{Candidate, Found};
use super::collect::{FADING, note_document, session_document, thing_document};
use super::plan::Plan;
use super::rank::relevance;
use super::shelf::{Document, end_of_day};
use super::{Factors, Kind};
use crate::Memory;
use crate::names::{Known, ThingId};
use crate::sources::LibraryRead;

pub(super) struct AskedRows<'a> {
    memory: &'a Memory,
    read: &'a LibraryRead,
    rows: RowSearch<'a>,
    plan: &'a Plan,
    now: Timestamp,
    scorer: Scorer,
    /// BM25 by row; zero for those that cannot be a hit.
    scores: RefCell<Vec<f64>>,
    known: Known<'a>,
    decoded: RefCell<HashMap<usize, Option<Decoded>>>,
    things: RefCell<HashMap<ThingId, Option<Rc<Document>>>>,
}

/// A row that was looked at.
#[derive(Debug, Clone)]
struct Decoded {
    document: Rc<Document>,
    /// Its BM25, by what the filter left of it.
    bm25: f64,
}

/// A row with the most that it can come to.
#[derive(Debug, Clone, Copy)]
struct Bounded(f64, usize);

impl Ord for Bounded {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then_with(|| other.1.cmp(&self.1))
    }
}

impl PartialOrd for Bounded {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Bounded {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Bounded {}

/// A row on its way to be a candidate: less is better.
#[derive(Debug, Clone, Copy)]
struct Waiting {
    score: f64,
    /// In days since 1970.
    day: Option<i32>,
    place: Option<RowPlace>,
    row: usize,
}

/// By score, then by day: of a question without words, whose scores are told by the days, the newest come first.
impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_score = other.score.total_cmp(&self.score);
        let by_day = || other.day.cmp(&self.day);
        by_score
            .then_with(by_day)
            .then_with(|| self.place.cmp(&other.place))
    }
}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Waiting {}

impl<'a> AskedRows<'a> {
    pub(super) fn new(
        (memory, read): (&'a Memory, &'a LibraryRead),
        rows: RowSearch<'a>,
        scorer: &Scorer,
        plan: &'a Plan,
        now: Timestamp,
    ) -> AskedRows<'a> {
        let asked = AskedRows {
            memory,
            read,
            rows,
            plan,
            now,
            scorer: scorer.clone(),
            scores: RefCell::default(),
            known: Known::new(&read.view),
            decoded: RefCell::default(),
            things: RefCell::default(),
        };
        let mut scores = asked.sifted();
        for tag in plan.filter.tags() {
            rows.keep_tagged(tag, &mut scores);
        }
        asked.scores.replace(scores);
        asked
    }

    /// The scores without those of rows of which it is known without looking at them that they are no hits.
    fn sifted(&self) -> Vec<f64> {
        let mut scores = match self.plan.newest_first {
            true => self.rows.ones(),
            false => self.rows.scores(&self.plan.query, &self.scorer),
        };
        for phrase in &self.plan.query.phrases {
            let terms = ken_text::terms_of_question(phrase);
            self.rows.keep_holding_all(&terms, &mut scores);
        }
        let filter = &self.plan.filter;
        if filter.is_empty() && ROW_KINDS.iter().all(|kind| self.plan.wants(*kind)) {
            return scores;
        }
        let mut agents: HashMap<&AgentId, bool> = HashMap::new();
        for (row, score) in scores.iter_mut().enumerate() {
            if *score <= 0.0 {
                continue;
            }
            let mut passes = self.plan.wants(kind_of(self.rows.kind(row)));
            if passes && !filter.is_empty() {
                let when = self.memory.start_of(self.rows.day(row));
                passes = filter.passes_skill(None)
                    && filter.passes_when(when.and_then(end_of_day))
                    && self.rows.agent(row).is_some_and(|agent| {
                        *agents
                            .entry(agent)
                            .or_insert_with(|| filter.passes_who(&[agent.to_string()]))
                    });
            }
            if !passes {
                *score = 0.0;
            }
        }
        scores
    }

    /// Whether the library is still what it was when the question was put.
    pub(super) fn is_current(&self) -> bool {
        self.rows.is_current()
    }

    /// Gives the rows that may be hits to `take`, the best first, until it wants no more.
    pub(super) fn each_best(
        &self,
        mut take: impl FnMut(Candidate<'a>) -> Result<bool, Stale>,
    ) -> Result<(), Stale> {
        // By the most that they can come to, since no prior of a row is above one; then by what they come to.
        let mut bounded: BinaryHeap<Bounded> = (0..)
            .zip(self.scores.borrow().iter())
            .filter(|(_, bm25)| **bm25 > 0.0)
            .map(|(row, bm25)| Bounded(self.bound(row, *bm25), row))
            .collect();
        let mut exact: BinaryHeap<Reverse<Waiting>> = BinaryHeap::new();
        loop {
            while let Some(Bounded(most, row)) = bounded.peek()
                && exact
                    .peek()
                    .is_none_or(|Reverse(best)| *most >= self.bound(best.row, best.score))
            {
                exact.push(Reverse(self.waiting(*row)));
                bounded.pop();
            }
            let Some(Reverse(best)) = exact.pop() else {
                return Ok(());
            };
            let row = best.row;
            let Some(decoded) = self.decode(row)? else {
                continue;
            };
            if decoded.bm25 != self.scores.borrow()[row] {
                // The filter left less of it than the index knows.
                self.scores.borrow_mut()[row] = decoded.bm25;
                if decoded.bm25 > 0.0 {
                    exact.push(Reverse(self.waiting(row)));
                }
                continue;
            }
            if !take(self.candidate(row, decoded))? {
                return Ok(());
            }
        }
    }

    fn candidate(&self, row: usize, decoded: Decoded) -> Candidate<'a> {
        Candidate {
            found: Found::Row(self.rows.place(row), decoded.document),
            score: self.score(row),
            factors: self.factors(row),
            when: self.memory.start_of(self.rows.day(row)),
            superseded_by: None,
            newest_first: self.plan.newest_first,
        }
    }

    /// The candidates by their definition: every row that passes the filters by itself, decoded, whatever the index says
    /// of tags; of the rows of one thing the best.
    #[cfg(test)]
    pub(super) fn plainly(&self) -> Result<Vec<Candidate<'a>>, Stale> {
        let mut candidates: Vec<Candidate<'a>> = Vec::new();
        self.scores.replace(self.sifted());
        self.decoded.borrow_mut().clear();
        for row in 0..self.rows.len() {
            let bm25 = self.scores.borrow()[row];
            if bm25 <= 0.0 {
                continue;
            }
            let Some(decoded) = self.decode(row)?.filter(|decoded| decoded.bm25 > 0.0) else {
                continue;
            };
            self.scores.borrow_mut()[row] = decoded.bm25;
            candidates.push(self.candidate(row, decoded));
        }
        candidates.sort();
        let mut shown: Vec<String> = Vec::new();
        candidates.retain(|candidate| {
            let id = candidate.id().into_owned();
            let is_new = !shown.contains(&id);
            shown.push(id);
            is_new
        });
        Ok(candidates)
    }

    /// The hits that say what one of these texts says, each text by its hash, with that hash.
    pub(super) fn saying(&self, texts: &HashMap<u64, usize>) -> Result<Vec<(u64, Rc<Document>)>, Stale> {
        let mut same = Vec::new();
        let wanted: Vec<u64> = texts.keys().copied().collect();
        for row in self.rows.saying(&wanted) {
            if self.scores.borrow()[row] > 0.0
                && let Some(decoded) = self.decode(row)?
                && decoded.bm25 > 0.0
                && texts.contains_key(&decoded.document.text_hash())
            {
                same.push((decoded.document.text_hash(), decoded.document));
            }
        }
        // Of things only those that were looked at: no other one bears the same name.
        for document in self.things.borrow().values().flatten() {
            if texts.contains_key(&document.text_hash()) {
                same.push((document.text_hash(), Rc::clone(document)));
            }
        }
        Ok(same)
    }

    /// What a row of this score is told by before others: its score, or its day.
    fn bound(&self, row: usize, score: f64) -> f64 {
        match self.plan.newest_first {
            true => self.rows.days(row).map_or(f64::NEG_INFINITY, f64::from),
            false => score,
        }
    }

    fn waiting(&self, row: usize) -> Waiting {
        Waiting {
            score: self.score(row),
            day: self.rows.days(row),
            place: self.rows.place(row),
            row,
        }
    }

    fn factors(&self, row: usize) -> Factors {
        let when = self.memory.start_of(self.rows.day(row));
        relevance(self.scores.borrow()[row], &FADING, when, self.now)
    }

    fn score(&self, row: usize) -> f64 {
        self.factors(row).product()
    }

    fn decode(&self, row: usize) -> Result<Option<Decoded>, Stale> {
        if let Some(known) = self.decoded.borrow().get(&row) {
            return Ok(known.clone());
        }
        let found = self.rows.row(row).map_err(|Changed| Stale)?;
        let decoded = found.and_then(|(found, reduced)| {
            let tags: Vec<String> = found.tags().into_iter().map(str::to_owned).collect();
            if !self.plan.filter.passes_tags(&tags) {
                return None;
            }
            let bm25 = match reduced && !self.plan.newest_first {
                true => found.score(&self.plan.query, &self.scorer),
                false => self.scores.borrow()[row],
            };
            let document = match &found {
                FoundRow::Named(named) => self.thing(&self.known.of(named))?,
                FoundRow::Session(session) => {
                    let document = session_document(session, self.rows.number(row))?;
                    Rc::new(self.dated(document, session.agent(), session.date))
                }
                FoundRow::Note(note) => {
                    let document = note_document(note, self.rows.number(row));
                    Rc::new(self.dated(document, note.agent(), note.date))
                }
            };
            Some(Decoded { document, bm25 })
        });
        let mut remembered = self.decoded.borrow_mut();
        if remembered.len() >= MOST_REMEMBERED {
            remembered.clear();
        }
        remembered.insert(row, decoded.clone());
        Ok(decoded)
    }

    fn thing(&self, id: &ThingId) -> Option<Rc<Document>> {
        if let Some(known) = self.things.borrow().get(id) {
            return known.clone();
        }
        let document = self.known.thing(id).map(|thing| {
            let mut document = thing_document(&thing);
            document.place = thing.speaker().and_then(|agent| self.place(&agent));
            self.memory.date(&mut document, thing.last_touched);
            Rc::new(document)
        });
        let mut things = self.things.borrow_mut();
        if things.len() >= MOST_REMEMBERED {
            things.clear();
        }
        things.insert(id.clone(), document.clone());
        document
    }

    fn dated(&self, mut document: Document, agent: &AgentId, day: Option<Date>) -> Document {
        document.place = self.place(agent);
        self.memory.date(&mut document, day);
        document
    }

    fn place(&self, agent: &AgentId) -> Option<String> {
        let path = Library::open(&self.memory.setting.paths.library).manifest_path(agent);
        Some(self.memory.place_of(&path, self.read.screen()))
    }
}

/// Rows that are held at once: a question that looks at all of a library does not hold all of it.
const MOST_REMEMBERED: usize = 4096;

/// The kinds of hits that rows are.
pub(super) const ROW_KINDS: [Kind; 4] = [Kind::Entity, Kind::Session, Kind::Workstream, Kind::Note];

fn kind_of(kind: RowKind) -> Kind {
    match kind {
        RowKind::Entity => Kind::Entity,
        RowKind::Workstream => Kind::Workstream,
        RowKind::Session => Kind::Session,
        RowKind::Note => Kind::Note,
    }
}
