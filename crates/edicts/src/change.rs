//! A change of the file as data: what is set, taken out, removed and appended. It is applied to the text in place,
//! and the text that results is read again and held against it.

use std::collections::{BTreeMap, HashSet};

use ken_secrets::EachString;

use crate::node::{Kind, Node, Style};
use crate::scalar::is_special;

/// A value that is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    /// A string.
    Text(String),
    /// A time, in the form of [`crate::when::written`].
    Time(String),
    /// A list of strings.
    List(Vec<String>),
}

/// An item to append: its fields in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) fields: Vec<(&'static str, Value)>,
    /// The item of `edicts` that is archived by it, and whose comments go with it.
    pub(crate) archives: Option<usize>,
}

/// A field of an item that is set, or taken out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FieldChange {
    pub(crate) item: usize,
    pub(crate) field: &'static str,
    pub(crate) value: Option<Value>,
}

/// What happens to one of the two lists.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct ListChange {
    pub(crate) set: Vec<FieldChange>,
    pub(crate) removed: Vec<usize>,
    pub(crate) appended: Vec<Record>,
}

/// What happens to the file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) edicts: ListChange,
    pub(crate) history: ListChange,
}

impl Change {
    /// Whether there is nothing to do.
    pub(crate) fn is_empty(&self) -> bool {
        self.edicts.is_empty() && self.history.is_empty()
    }

    /// A name (id, key, category or tag) of a new or changed edict that holds what looks like a credential, with its
    /// kind. A text without it still says something; a name without it names nothing.
    pub(crate) fn credential_in_a_name(&self) -> Option<(&'static str, &'static str)> {
        let set = self.edicts.set.iter();
        let set = set.filter_map(|change| Some((change.field, change.value.as_ref()?)));
        let appended = self.edicts.appended.iter().flat_map(|record| &record.fields);
        let appended = appended.map(|(field, value)| (*field, value));
        set.chain(appended).find_map(|(field, value)| {
            let name = match field {
                "id" | "key" | "category" => field,
                "tags" => "tag",
                _ => return None,
            };
            let texts = match value {
                Value::Text(text) => std::slice::from_ref(text),
                Value::List(texts) => texts,
                Value::Time(_) => return None,
            };
            let found = texts
                .iter()
                .find_map(|text| ken_secrets::scan(text).into_iter().next())?;
            Some((name, found.kind))
        })
    }

    /// The two lists by name, in the order of the contract.
    pub(crate) fn lists(&self) -> [(&'static str, &ListChange); 2] {
        [("edicts", &self.edicts), ("history", &self.history)]
    }
}

impl ListChange {
    pub(crate) fn is_empty(&self) -> bool {
        self.set.is_empty() && self.removed.is_empty() && self.appended.is_empty()
    }

    /// The field changes by item.
    pub(crate) fn by_item(&self) -> BTreeMap<usize, Vec<&FieldChange>> {
        let mut items: BTreeMap<usize, Vec<&FieldChange>> = BTreeMap::new();
        for change in &self.set {
            items.entry(change.item).or_default().push(change);
        }
        items
    }
}

impl EachString for Value {
    fn each_string(&mut self, visit: &mut dyn FnMut(&mut String)) {
        match self {
            Value::Text(text) => visit(text),
            Value::List(items) => items.iter_mut().for_each(visit),
            Value::Time(_) => {}
        }
    }
}

impl EachString for Change {
    fn each_string(&mut self, visit: &mut dyn FnMut(&mut String)) {
        for list in [&mut self.edicts, &mut self.history] {
            for change in &mut list.set {
                if let Some(value) = &mut change.value {
                    value.each_string(visit);
                }
            }
            for record in &mut list.appended {
                for (_, value) in &mut record.fields {
                    value.each_string(visit);
                }
            }
        }
    }
}

/// Whether a file that was read again is the old one with exactly this change.
pub(crate) fn came_true(change: &Change, old: Option<&Node>, new: Option<&Node>) -> bool {
    let none: &[(Node, Node)] = &[];
    let old_entries = old.map_or(none, |root| root.entries().unwrap_or(none));
    let Some(new_entries) = new.and_then(Node::entries) else {
        return change.is_empty() && old_entries.is_empty();
    };
    let is_list = |key: &Node| matches!(key.text(), Some("edicts" | "history"));
    let mut others = new_entries.iter().filter(|(key, _)| !is_list(key));
    let kept = old_entries
        .iter()
        .filter(|(key, _)| !is_list(key))
        .all(|(key, value)| others.next().is_some_and(|(k, v)| same(key, k) && same(value, v)));
    // A file that was empty gets its version.
    let added = others
        .all(|(key, value)| old.is_none() && key.text() == Some("version") && value.text() == Some("1"));
    kept && added
        && change.lists().into_iter().all(|(name, list)| {
            let old = old.and_then(|root| root.get(name));
            let new = new.and_then(|root| root.get(name));
            list_came_true(list, old, new)
        })
}

fn items(node: Option<&Node>) -> std::slice::Iter<'_, Node> {
    node.and_then(Node::items).unwrap_or_default().iter()
}

fn list_came_true(change: &ListChange, old: Option<&Node>, new: Option<&Node>) -> bool {
    if change.is_empty() {
        return match (old, new) {
            (Some(old), Some(new)) => same(old, new),
            (None, None) => true,
            // A new file is given both lists.
            (old, new) => items(old).next().is_none() && items(new).next().is_none(),
        };
    }
    let mut new_items = items(new);
    let removed: HashSet<usize> = change.removed.iter().copied().collect();
    let changed = change.by_item();
    for (at, item) in items(old).enumerate() {
        if removed.contains(&at) {
            continue;
        }
        let Some(now) = new_items.next() else { return false };
        let right = match changed.get(&at) {
            Some(changes) => item_came_true(changes, item, now),
            None => same(item, now),
        };
        if !right {
            return false;
        }
    }
    change
        .appended
        .iter()
        .all(|record| new_items.next().is_some_and(|node| is_record(record, node)))
        && new_items.next().is_none()
}

fn item_came_true(changes: &[&FieldChange], old: &Node, new: &Node) -> bool {
    let changed = |key: &Node| changes.iter().any(|change| Some(change.field) == key.text());
    let (Some(old), Some(entries)) = (old.entries(), new.entries()) else {
        return false;
    };
    let mut others = entries.iter().filter(|(key, _)| !changed(key));
    old.iter()
        .filter(|(key, _)| !changed(key))
        .all(|(key, value)| others.next().is_some_and(|(k, v)| same(key, k) && same(value, v)))
        && others.next().is_none()
        && changes
            .iter()
            .all(|change| match (&change.value, new.get(change.field)) {
                (Some(value), Some(node)) => is_value(value, node),
                (None, None) => true,
                _ => false,
            })
}

fn is_record(record: &Record, node: &Node) -> bool {
    let entries = node.entries().unwrap_or_default();
    entries.len() == record.fields.len()
        && record
            .fields
            .iter()
            .zip(entries)
            .all(|((name, value), (key, node))| key.text() == Some(name) && is_value(value, node))
}

fn is_value(value: &Value, node: &Node) -> bool {
    let is_string =
        |text: &str, node: &Node| node.text() == Some(text) && !special(node) && node.tag.is_none();
    match value {
        Value::Text(text) => is_string(text, node),
        Value::Time(text) => node.text() == Some(text),
        Value::List(texts) => node.items().is_some_and(|items| {
            items.len() == texts.len() && texts.iter().zip(items).all(|(t, n)| is_string(t, n))
        }),
    }
}

/// A plain scalar that is no string to some reader.
fn special(node: &Node) -> bool {
    matches!(&node.kind, Kind::Scalar(text, Style::Plain) if is_special(text))
}

/// Whether two values mean the same, however they are written.
pub(crate) fn same(a: &Node, b: &Node) -> bool {
    if a.tag != b.tag {
        return false;
    }
    match (&a.kind, &b.kind) {
        // Of equal texts only one that is plain here and quoted there can mean something else.
        (Kind::Scalar(x, one), Kind::Scalar(y, other)) => {
            x == y && ((*one == Style::Plain) == (*other == Style::Plain) || !is_special(x))
        }
        (Kind::Sequence { items: x, .. }, Kind::Sequence { items: y, .. }) => {
            x.len() == y.len() && x.iter().zip(y).all(|(x, y)| same(x, y))
        }
        (Kind::Mapping { entries: x, .. }, Kind::Mapping { entries: y, .. }) => {
            x.len() == y.len() && x.iter().zip(y).all(|((k, v), (l, w))| same(k, l) && same(v, w))
        }
        _ => false,
    }
}
