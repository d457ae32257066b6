//! The library's things, put together from their rows when somebody asks for them.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::rc::Rc;

use ken_library::{Bearer, NamedRow, View};
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

/// What took a thing's place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Successor {
    /// Another thing that is known.
    Known(ThingId),
    /// A name that nobody describes.
    Named(String),
}

/// The things of one kind and name, in the order in which rows speak of them first.
type OneName = Rc<Vec<Grouped>>;

/// The things that a question has asked for. Each is put together once.
pub(crate) struct Known<'v> {
    view: &'v View,
    names: RefCell<HashMap<(ThingKind, String), OneName>>,
}

impl<'v> Known<'v> {
    pub(crate) fn new(view: &'v View) -> Known<'v> {
        Known {
            view,
            names: RefCell::default(),
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

    /// The things that bear a name, as their own or as another one, and as nothing longer.
    pub(crate) fn bearing(&self, name: &str) -> Vec<Thing> {
        let nothing = NamesBuilder::new().finish().open();
        let mut ids: Vec<ThingId> = Vec::new();
        for found in self.view.names_in(name, Reading::Names, &nothing) {
            for bearer in found.bearers {
                let row = match bearer {
                    Bearer::Row(row) => self.view.row(row),
                    Bearer::Other(_) => None,
                };
                let id = row.map(|row| self.of(&row));
                ids.extend(id.filter(|id| !ids.contains(id)));
            }
        }
        ids.iter().filter_map(|id| self.thing(id)).collect()
    }

    /// What a thing is. `None` for one that no row speaks of.
    pub(crate) fn thing(&self, id: &ThingId) -> Option<Thing> {
        let things = self.called(id.kind, &id.name);
        let found = things.iter().find(|grouped| grouped.own == id.own);
        found.map(|grouped| grouped.thing.clone())
    }

    /// What took its place. What its own rows say comes first, the newest first; then what others say, whose rows name
    /// it as the one whose place they took, the newest first. Of several things of one name the last is meant, as these
    /// names stand without types.
    pub(crate) fn successor(&self, id: &ThingId) -> Option<Successor> {
        let things = self.called(id.kind, &id.name);
        let grouped = things.iter().find(|grouped| grouped.own == id.own)?;
        for named in &grouped.superseded_by {
            let name = key(named);
            let own = self.called(id.kind, &name).last().map(|last| last.own.clone());
            let Some(own) = own else {
                return Some(Successor::Named(named.clone()));
            };
            let known = ThingId {
                kind: id.kind,
                name,
                own,
            };
            if known != *id {
                return Some(Successor::Known(known));
            }
        }
        if things.last().is_some_and(|last| last.own != id.own) {
            return None;
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
        newer
            .iter()
            .map(|row| self.of(row))
            .find(|newer| newer != id)
            .map(Successor::Known)
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
