//! The no-name-leaks rule on one row: its references to forbidden names are dropped, and a row whose free text mentions
//! one is withheld.

use crate::extra::Extra;
use crate::forbidden::ForbiddenNames;
use crate::model::{Entity, Note, Session, Workstream};
use crate::tree::{Entry, Node, Value};

/// What is left of a row.
#[derive(Debug)]
pub(crate) enum Screened<T> {
    /// All of it.
    Whole,
    /// The row without some references.
    Reduced(T),
    /// Nothing.
    Withheld,
}

/// A row as the rule sees it.
pub(crate) trait Screen: Clone {
    /// Calls `visit` with every free text.
    fn free_texts(&self, visit: &mut dyn FnMut(&str));
    /// Whether `hit` is true of an item of a list, or of anything under an unknown key.
    fn any_item(&self, names: &ForbiddenNames) -> bool;
    /// Drops those items and keys.
    fn drop_items(&mut self, names: &ForbiddenNames);
}

/// Applies the rule to a row.
pub(crate) fn screen<T: Screen>(row: &T, names: &ForbiddenNames) -> Screened<T> {
    if names.is_empty() {
        return Screened::Whole;
    }
    let mut mentioned = false;
    row.free_texts(&mut |text| mentioned = mentioned || names.mentioned_in(text));
    if mentioned {
        Screened::Withheld
    } else if row.any_item(names) {
        let mut reduced = row.clone();
        reduced.drop_items(names);
        Screened::Reduced(reduced)
    } else {
        Screened::Whole
    }
}

/// Unknown keys that hold references to names, item by item.
const REFERENCES: [&str; 4] = ["supersedes", "superseded_by", "skills", "related"];
/// Unknown keys that hold labels, item by item.
const LABELS: [&str; 2] = ["tags", "aliases"];

/// Whether a list of references holds a forbidden one.
fn refers(list: &[String], names: &ForbiddenNames) -> bool {
    list.iter().any(|item| names.in_reference(item))
}

/// Whether a list of labels (tags, aliases) mentions one. A label that is a common word refers to nothing.
fn labels(list: &[String], names: &ForbiddenNames) -> bool {
    list.iter().any(|item| names.mentioned_in(item))
}

fn node_hit(node: &Node, hit: &dyn Fn(&str) -> bool) -> bool {
    let mut any = false;
    node.each_scalar(&mut |text| any = any || hit(text));
    any
}

fn entry_hit(entry: &Entry, names: &ForbiddenNames) -> bool {
    let key = entry.key.text.as_str();
    if REFERENCES.contains(&key) {
        node_hit(&entry.node, &|text| names.in_reference(text))
    } else {
        names.mentioned_in(key) || node_hit(&entry.node, &|text| names.mentioned_in(text))
    }
}

fn extra_hit(extra: &Extra, names: &ForbiddenNames) -> bool {
    extra.entries().iter().any(|entry| entry_hit(entry, names))
}

/// From lists of names only the items go; any other unknown key goes whole.
pub(crate) fn reduce_extra(extra: &mut Extra, names: &ForbiddenNames) {
    for (keys, reference) in [(&REFERENCES[..], true), (&LABELS[..], false)] {
        for key in keys {
            if let Some(Value::List(items)) = extra.get_mut(key).map(|node| &mut node.value) {
                items.retain(|item| {
                    !node_hit(item, &|text| {
                        if reference {
                            names.in_reference(text)
                        } else {
                            names.mentioned_in(text)
                        }
                    })
                });
            }
        }
    }
    extra.retain(|entry| !entry_hit(entry, names));
}

impl Screen for Entity {
    fn free_texts(&self, visit: &mut dyn FnMut(&str)) {
        visit(&self.name);
        self.kind.iter().chain(&self.summary).for_each(|text| visit(text));
    }
    fn any_item(&self, names: &ForbiddenNames) -> bool {
        labels(&self.aliases, names) || labels(&self.tags, names) || extra_hit(&self.extra, names)
    }
    fn drop_items(&mut self, names: &ForbiddenNames) {
        self.aliases.retain(|alias| !names.mentioned_in(alias));
        self.tags.retain(|tag| !names.mentioned_in(tag));
        reduce_extra(&mut self.extra, names);
    }
}

impl Screen for Session {
    fn free_texts(&self, visit: &mut dyn FnMut(&str)) {
        self.cwd
            .iter()
            .chain(&self.key_actions)
            .chain(&self.files_touched)
            .for_each(|text| visit(text));
    }
    fn any_item(&self, names: &ForbiddenNames) -> bool {
        refers(&self.project_focus, names) || extra_hit(&self.extra, names)
    }
    fn drop_items(&mut self, names: &ForbiddenNames) {
        self.project_focus.retain(|focus| !names.in_reference(focus));
        reduce_extra(&mut self.extra, names);
    }
}

impl Screen for Workstream {
    fn free_texts(&self, visit: &mut dyn FnMut(&str)) {
        visit(&self.name);
        self.summary.iter().for_each(|text| visit(text));
    }
    fn any_item(&self, names: &ForbiddenNames) -> bool {
        refers(&self.related_entities, names) || labels(&self.tags, names) || extra_hit(&self.extra, names)
    }
    fn drop_items(&mut self, names: &ForbiddenNames) {
        self.related_entities.retain(|entity| !names.in_reference(entity));
        self.tags.retain(|tag| !names.mentioned_in(tag));
        reduce_extra(&mut self.extra, names);
    }
}

impl Screen for Note {
    fn free_texts(&self, visit: &mut dyn FnMut(&str)) {
        visit(&self.text);
    }
    fn any_item(&self, names: &ForbiddenNames) -> bool {
        refers(&self.related_entities, names) || labels(&self.tags, names) || extra_hit(&self.extra, names)
    }
    fn drop_items(&mut self, names: &ForbiddenNames) {
        self.related_entities.retain(|entity| !names.in_reference(entity));
        self.tags.retain(|tag| !names.mentioned_in(tag));
        reduce_extra(&mut self.extra, names);
    }
}
