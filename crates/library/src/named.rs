//! Names in a text, and the rows that bear them, by the index: what no text names is not decoded.

use std::collections::HashSet;
use std::ops::Range;
use std::sync::PoisonError;

use ken_text::recognise::{AnyNames, Match, NamesBuilder, Part as Names, Reading, find, keys};

use crate::cache::{Kept, Lost};
use crate::filter::{Filter, Left, Visible};
use crate::model::{Entity, Row, Workstream};
use crate::names::key;
use crate::screen::Screen;
use crate::snapshot::{Id, Part, Snapshot};
use crate::view::{Moment, View};

/// The number of a row within one view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RowId {
    moment: u32,
    id: Id,
}

/// A row that bears names.
#[derive(Debug, Clone)]
pub enum NamedRow {
    /// An entity.
    Entity(Visible<Entity>),
    /// A workstream.
    Workstream(Visible<Workstream>),
}

impl NamedRow {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            NamedRow::Entity(row) => &row.name,
            NamedRow::Workstream(row) => &row.name,
        }
    }

    /// The names that it says took its place.
    pub fn superseded_by(&self) -> Vec<&str> {
        match self {
            NamedRow::Entity(row) => row.extra.texts("superseded_by"),
            NamedRow::Workstream(row) => row.extra.texts("superseded_by"),
        }
    }

    /// Whether it bears a name that is written so, as its own or as another one.
    pub fn bears(&self, written: &str) -> bool {
        is_one(&self.names(), written).is_some()
    }

    /// The name that is written so, of those that it says it took the place of.
    pub fn took_over(&self, written: &str) -> Option<&str> {
        is_one(&self.supersedes(), written)
    }

    pub(crate) fn names(&self) -> Vec<&str> {
        match self {
            NamedRow::Entity(row) => row.names(),
            NamedRow::Workstream(row) => row.names(),
        }
    }

    /// The names that it says it took the place of.
    pub fn supersedes(&self) -> Vec<&str> {
        match self {
            NamedRow::Entity(row) => row.extra.texts("supersedes"),
            NamedRow::Workstream(row) => row.extra.texts("supersedes"),
        }
    }
}

/// The one of these names that is recognised where this is written.
fn is_one<'n>(names: &[&'n str], written: &str) -> Option<&'n str> {
    let forms = keys(written);
    let is_written = |name: &&&str| keys(name).iter().any(|form| forms.contains(form));
    names.iter().find(is_written).copied()
}

/// Who bears a name that stands in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Bearer {
    /// A row of the library, for [`View::row`].
    Row(RowId),
    /// One of the asker's own, by the number that it gave.
    Other(u32),
}

/// A name in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// Where it stands, in bytes.
    pub span: Range<usize>,
    /// Who bears it, or took its place ([`NamedRow::took_over`]): rows in the order of the library, then the asker's own.
    pub bearers: Vec<Bearer>,
}

/// What the filter says of a row that the index knows.
#[derive(Debug, Clone)]
pub(crate) struct Judged {
    /// What is left of it.
    pub(crate) row: Option<NamedRow>,
    /// Whether some of it went.
    pub(crate) reduced: bool,
    /// Whether some of its names went.
    renamed: bool,
}

/// How many rows are remembered.
const REMEMBERED: usize = 4_096;

impl View {
    /// The names that stand in `text`, read as `reading` says, of rows that this caller may see (also those that they say
    /// they took the place of) and of `others`, the asker's own; the longest over all wins. What the caller may not see does not exist: neither the name of a row
    /// that is withheld nor an alias that was dropped hides a shorter name.
    pub fn names_in(&self, text: &str, reading: Reading, others: &dyn AnyNames) -> Vec<Named> {
        let mut moment = self.newest();
        loop {
            match self.names_at(moment, text, reading, others) {
                Ok(named) => return named,
                Err(_) => match self.renew(moment) {
                    Some(next) => moment = next,
                    None => return Vec::new(),
                },
            }
        }
    }

    /// A row that [`View::names_in`] gave. `None` for one that was not given, and for one whose manifest was replaced
    /// meanwhile.
    pub fn row(&self, id: RowId) -> Option<NamedRow> {
        self.judge(self.moment(id.moment)?, id.id).ok()?.row
    }

    /// The rows whose name (no alias) has this [`key`](ken_text::recognise::key): entities, then workstreams, each in the
    /// order of the library.
    pub fn rows_called(&self, key: &str) -> Vec<NamedRow> {
        let mut rows = self.rows_bearing(key);
        rows.retain(|row| crate::names::key(row.name()) == key);
        rows
    }

    /// The rows that say that they take the place of the one whose name has this key: entities, then workstreams.
    pub fn rows_superseding(&self, key: &str) -> Vec<NamedRow> {
        let mut rows = self.rows_of(|snapshot| snapshot.superseding(key));
        rows.retain(|row| row.supersedes().iter().any(|name| crate::names::key(name) == key));
        rows
    }

    /// The rows that bear a name or alias of this key.
    pub(crate) fn rows_bearing(&self, wanted: &str) -> Vec<NamedRow> {
        let mut rows = self.rows_of(|snapshot| snapshot.called(wanted));
        rows.retain(|row| row.names().iter().any(|name| key(name) == wanted));
        rows
    }

    fn rows_of(&self, ids: impl Fn(&Snapshot) -> Vec<Id>) -> Vec<NamedRow> {
        let mut moment = self.newest();
        loop {
            let mut rows = Vec::new();
            let ids: HashSet<Id> = ids(&moment.snapshot).into_iter().collect();
            let mut changed = false;
            for id in ids {
                let Some((_, manifest, row)) = moment.snapshot.locate(id) else {
                    continue;
                };
                match self.judge(moment, id) {
                    Ok(judged) => rows.extend(judged.row.map(|named| (manifest, row, named))),
                    Err(_) => changed = true,
                }
            }
            match self.renew_if(changed, moment) {
                Some(next) => moment = next,
                None => {
                    let is_workstream = |row: &NamedRow| matches!(row, NamedRow::Workstream(_));
                    rows.sort_by_key(|(manifest, row, named)| (is_workstream(named), *manifest, *row));
                    return rows.into_iter().map(|(_, _, row)| row).collect();
                }
            }
        }
    }

    fn renew_if<'v>(&'v self, changed: bool, moment: &'v Moment) -> Option<&'v Moment> {
        changed.then(|| self.renew(moment)).flatten()
    }

    fn names_at(
        &self,
        moment: &Moment,
        text: &str,
        reading: Reading,
        others: &dyn AnyNames,
    ) -> Result<Vec<Named>, Lost> {
        let snapshot = &moment.snapshot;
        // Rows that do not count as the index knows them, and the names that are left of some of them.
        let mut set_aside: HashSet<Id> = HashSet::new();
        let mut left: Vec<(String, Id)> = Vec::new();
        loop {
            let is_named = |id: Id| {
                let located = snapshot.locate(id);
                located.is_some_and(|(row, _, _)| row.is_thing(self.caller())) && !set_aside.contains(&id)
            };
            let admits: Vec<Box<dyn Fn(u32) -> bool + '_>> = (0..snapshot.indexes.len())
                .map(|index| -> Box<dyn Fn(u32) -> bool> {
                    let is_named = &is_named;
                    Box::new(move |row| is_named(Snapshot::id(index, row)))
                })
                .collect();
            let mut parts: Vec<Names<'_>> = snapshot
                .names()
                .zip(&admits)
                .map(|(names, admits)| Names::new(names, admits))
                .collect();
            let indexes = parts.len();
            parts.push(Names::new(others, &|_| true));
            let renamed = (!left.is_empty()).then(|| {
                let mut names = NamesBuilder::new();
                left.iter().for_each(|(name, id)| names.add_former(name, *id));
                names.finish().open()
            });
            parts.extend(renamed.iter().map(|names| Names::new(names, &|_| true)));
            let found = find(&parts, text, reading);
            drop(parts);

            let mut new = Vec::new();
            if !moment.forbidden.is_empty() {
                let mut seen = HashSet::new();
                for (index, row) in found.iter().flat_map(|found| found.bearers.iter()) {
                    let id = Snapshot::id(*index, *row);
                    if *index >= indexes || !seen.insert(id) {
                        continue;
                    }
                    let judged = self.judge(moment, id)?;
                    if judged.renamed || judged.row.is_none() {
                        new.push((id, judged));
                    }
                }
            }
            drop(admits);
            if new.is_empty() {
                return Ok(found.iter().map(|found| named(moment, indexes, found)).collect());
            }
            for (id, judged) in new {
                set_aside.insert(id);
                if let Some(row) = judged.row {
                    let names = row.names().into_iter().chain(row.supersedes());
                    left.extend(names.map(|name| (name.to_owned(), id)));
                }
            }
        }
    }

    /// What the filter says of a row.
    pub(crate) fn judge(&self, moment: &Moment, id: Id) -> Result<Judged, Lost> {
        let remembered = || moment.judged.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(judged) = remembered().get(&id) {
            return Ok(judged.clone());
        }
        let judged = self.judge_anew(moment, id)?;
        let mut remembered = remembered();
        if remembered.len() >= REMEMBERED {
            remembered.clear();
        }
        remembered.insert(id, judged.clone());
        Ok(judged)
    }

    fn judge_anew(&self, moment: &Moment, id: Id) -> Result<Judged, Lost> {
        let nothing = Judged {
            row: None,
            reduced: false,
            renamed: false,
        };
        let Some((byte, manifest, row)) = moment.snapshot.locate(id) else {
            return Ok(nothing);
        };
        if !byte.is_thing(self.caller()) {
            return Ok(nothing);
        }
        match moment.snapshot.part(manifest, row) {
            Some(Part::Entity(at)) => self.filtered(moment, manifest, at, NamedRow::Entity),
            Some(Part::Workstream(at)) => self.filtered(moment, manifest, at, NamedRow::Workstream),
            _ => Ok(nothing),
        }
    }

    fn filtered<T: Kept + Row + Screen>(
        &self,
        moment: &Moment,
        manifest: usize,
        at: usize,
        named: fn(Visible<T>) -> NamedRow,
    ) -> Result<Judged, Lost> {
        Ok(match self.left(moment, manifest, at)? {
            Left::Row {
                row,
                reduced,
                renamed,
            } => Judged {
                row: Some(named(row)),
                reduced,
                renamed,
            },
            Left::Nothing => Judged {
                row: None,
                reduced: false,
                renamed: false,
            },
        })
    }

    /// What the filter leaves of one row of a manifest, which is decoded for it.
    pub(crate) fn left<T: Kept + Row + Screen>(
        &self,
        moment: &Moment,
        manifest: usize,
        at: usize,
    ) -> Result<Left<T>, Lost> {
        let shelved = moment.snapshot.manifests.get(manifest).ok_or(Lost::Changed)?;
        let (frame, row) = moment
            .snapshot
            .ask(manifest, |cache| Ok((cache.frame()?, cache.row::<T>(at)?)))?;
        Ok(Filter::new(&shelved.agent, &frame, self.caller(), &moment.forbidden).row(row))
    }
}

/// A match with its bearers: those of the first `indexes` parts are rows, then come the asker's own, then rows again.
fn named(moment: &Moment, indexes: usize, found: &Match) -> Named {
    let row = |id| RowId {
        moment: moment.number,
        id,
    };
    let mut rows: Vec<(Option<(usize, u32)>, Bearer)> = found
        .bearers
        .iter()
        .map(|(part, id)| {
            let id = match *part {
                part if part < indexes => Snapshot::id(part, *id),
                part if part == indexes => return (None, Bearer::Other(*id)),
                _ => *id,
            };
            let place = moment
                .snapshot
                .locate(id)
                .map(|(_, manifest, row)| (manifest, row));
            (place, Bearer::Row(row(id)))
        })
        .collect();
    rows.sort_by_key(|(place, _)| (place.is_none(), *place));
    Named {
        span: found.span.clone(),
        bearers: rows.into_iter().map(|(_, bearer)| bearer).collect(),
    }
}
