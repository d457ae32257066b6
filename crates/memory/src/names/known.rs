//! The library's things, put together from their rows when somebody asks for them.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::rc::Rc;

use ken_library::{Bearer, NamedRow, Succession, View};
use ken_text::recognise::{NamesBuilder, Reading};

use super::key;
use super::thing::{Grouped, Thing, Told, of_one_name};
use crate::ThingKind;

/// Which thing of the library: its kind, the key of its name and that of its type.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct ThingId {
    kind: ThingKind,
    name: String,
    own: String,
}

/// One on the way from a thing to what is there now.
#[derive(Debug, Clone)]
pub(crate) struct Successor {
    pub(crate) id: ThingId,
    /// As most rows spell it; of one that nobody describes as it was met first.
    pub(crate) name: String,
    /// What it is. `None` for a name that nobody describes.
    pub(crate) thing: Option<Thing>,
}

/// The things of one kind and name, in the order in which rows speak of them first.
type OneName = Rc<Vec<Grouped>>;

/// The things that a question has asked for. Each is put together once.
pub(crate) struct Known<'v> {
    view: &'v View,
    names: RefCell<HashMap<(ThingKind, String), OneName>>,
    /// How names are spelt that nobody describes.
    written: RefCell<HashMap<ThingId, String>>,
}

impl<'v> Known<'v> {
    pub(crate) fn new(view: &'v View) -> Known<'v> {
        Known {
            view,
            names: RefCell::default(),
            written: RefCell::default(),
        }
    }

    /// The thing that a row speaks of.
    pub(crate) fn of(&self, row: &NamedRow) -> ThingId {
        let (kind, told) = told(row);
        let name = key(told.name);
        let things = self.called(kind, &name);
        // A row without a type is of the only type there is.
        let own = match things.as_slice() {
            [only] => only.own.clone(),
            _ => told.own,
        };
        ThingId { kind, name, own }
    }

    /// The things that are named where `written` stands, by the rows that the library gave for it: those that bear the
    /// name; when none does, what these rows say they took the place of.
    pub(crate) fn named<'r>(
        &self,
        rows: impl Iterator<Item = &'r NamedRow> + Clone,
        written: &str,
    ) -> Vec<ThingId> {
        let bears = |row: &&NamedRow| row.supersedes().is_empty() || row.bears(written);
        let bearing: Vec<ThingId> = rows.clone().filter(bears).map(|row| self.of(row)).collect();
        let named = match bearing.is_empty() {
            true => rows
                .filter_map(|row| Some(self.meant(told(row).0, row.took_over(written)?)))
                .collect(),
            false => bearing,
        };
        // Several rows can speak of one thing.
        let mut ids: Vec<ThingId> = Vec::new();
        for id in named {
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        ids
    }

    /// The things that bear a name, as their own or as another one, and as nothing longer.
    pub(crate) fn bearing(&self, name: &str) -> Vec<Thing> {
        let nothing = NamesBuilder::new().finish().open();
        let mut ids: Vec<ThingId> = Vec::new();
        for found in self.view.names_in(name, Reading::Names, &nothing) {
            let rows = found.bearers.iter().filter_map(|bearer| match bearer {
                Bearer::Row(row) => self.view.row(*row),
                Bearer::Other(_) => None,
            });
            let rows: Vec<NamedRow> = rows.collect();
            let named = self.named(rows.iter(), &name[found.span.clone()]);
            ids.extend(
                named
                    .into_iter()
                    .filter(|id| !ids.contains(id))
                    .collect::<Vec<_>>(),
            );
        }
        ids.iter().filter_map(|id| self.thing(id)).collect()
    }

    /// What a thing is. `None` for one that no row speaks of.
    pub(crate) fn thing(&self, id: &ThingId) -> Option<Thing> {
        let things = self.called(id.kind, &id.name);
        let found = things.iter().find(|grouped| grouped.own == id.own);
        found.map(|grouped| grouped.thing.clone())
    }

    /// The thing itself, what took its place, and so on. What its own rows say comes first, the newest first; then what
    /// others say, whose rows name it as the one whose place they took, the newest first. Of several things of one name the
    /// last is meant, as these names stand without types.
    pub(crate) fn way_from(&self, id: &ThingId) -> Vec<Successor> {
        let succession = Succession::of([id.clone()], |id| self.said_to_follow(id));
        std::iter::successors(Some(id), |at| succession.after(at).next())
            .filter_map(|id| {
                let thing = self.thing(id);
                let name = match &thing {
                    Some(thing) => thing.name.clone(),
                    None => self.written.borrow().get(id).cloned()?,
                };
                Some(Successor {
                    id: id.clone(),
                    name,
                    thing,
                })
            })
            .collect()
    }

    fn said_to_follow(&self, id: &ThingId) -> Vec<ThingId> {
        let things = self.called(id.kind, &id.name);
        let grouped = things.iter().find(|grouped| grouped.own == id.own);
        let named = grouped.iter().flat_map(|grouped| &grouped.superseded_by);
        let mut after: Vec<ThingId> = named.map(|name| self.meant(id.kind, name)).collect();
        if things.last().is_some_and(|last| last.own != id.own) {
            return after;
        }
        let mut newer = self.view.rows_superseding(&id.name);
        newer.retain(|row| told(row).0 == id.kind);
        newer.sort_by_cached_key(|row| {
            let (_, told) = told(row);
            (
                Reverse(told.last_touched),
                told.agent.to_owned(),
                told.name.to_owned(),
            )
        });
        after.extend(newer.iter().map(|row| self.of(row)));
        after
    }

    /// The thing that a name without a type means, which nobody may describe.
    fn meant(&self, kind: ThingKind, written: &str) -> ThingId {
        let name = key(written);
        let things = self.called(kind, &name);
        let id = ThingId {
            kind,
            name,
            own: things.last().map(|last| last.own.clone()).unwrap_or_default(),
        };
        if things.is_empty() {
            let mut written_so = self.written.borrow_mut();
            written_so.entry(id.clone()).or_insert_with(|| written.to_owned());
        }
        id
    }

    fn called(&self, kind: ThingKind, name: &str) -> OneName {
        let asked = (kind, name.to_owned());
        if let Some(known) = self.names.borrow().get(&asked) {
            return Rc::clone(known);
        }
        let rows = self.view.rows_called(name);
        let rows = rows.iter().map(told).filter(|(of, _)| *of == kind);
        let things = Rc::new(of_one_name(kind, rows.map(|(_, told)| told).collect()));
        self.names.borrow_mut().insert(asked, Rc::clone(&things));
        things
    }
}

fn told(row: &NamedRow) -> (ThingKind, Told<'_>) {
    match row {
        NamedRow::Entity(row) => (ThingKind::Entity, Told::entity(row)),
        NamedRow::Workstream(row) => (ThingKind::Workstream, Told::workstream(row)),
    }
}
