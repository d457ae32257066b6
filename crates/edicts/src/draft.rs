//! A change while it is being decided: which edicts are archived, set and appended.

use std::collections::HashMap;

use jiff::Timestamp;

use crate::change::{Change, FieldChange, ListChange, Record, Value};
use crate::load::next_version;
use crate::model::{Edict, Edicts, HistoryEntry, Ttl, split_history_id};
use crate::name::{EdictId, Label};
use crate::when::written;

/// What `supersededBy` says of an edict that expired.
pub(crate) const EXPIRED: &str = "expired";
/// What it says of one that a person removed.
pub(crate) const REMOVED: &str = "removed";

/// A change of one state of the file.
pub(crate) struct Draft<'e> {
    pub(crate) edicts: &'e Edicts,
    pub(crate) now: Timestamp,
    pub(crate) change: Change,
    /// When edicts were read last, by id: written only into an edict that is being changed anyway.
    pub(crate) accessed: HashMap<String, Timestamp>,
    /// The last version that history has of an id, counting what this change adds.
    versions: HashMap<String, u64>,
    highest: u64,
}

/// The value of a field of an edict, as it is written; nothing for one that is left out.
fn value(edict: &Edict, field: &str) -> Option<Value> {
    let text = |text: &str| Some(Value::Text(text.to_owned()));
    let time = |at: Option<Timestamp>| at.map(|at| Value::Time(written(at)));
    match field {
        "id" => text(&edict.id),
        "text" => text(&edict.text),
        "category" => text(&edict.category),
        "tags" => Some(Value::List(edict.tags.iter().map(Label::to_string).collect())),
        "confidence" => text(edict.confidence.as_str()),
        "source" => text(&edict.source),
        "key" => edict.key.as_deref().and_then(text),
        "ttl" => text(edict.ttl.as_str()),
        "expiresAt" => time(edict.expires_at),
        "created" => time(Some(edict.created)),
        "updated" => time(Some(edict.updated)),
        "lastAccessed" => time(edict.last_accessed),
        _ => None,
    }
}

const NEW: [&str; 11] = [
    "id",
    "text",
    "category",
    "tags",
    "confidence",
    "source",
    "key",
    "ttl",
    "expiresAt",
    "created",
    "updated",
];
const ARCHIVED: [&str; 9] = [
    "category",
    "tags",
    "confidence",
    "source",
    "key",
    "ttl",
    "expiresAt",
    "created",
    "updated",
];

/// An edict as a new item of the file.
pub(crate) fn record(edict: &Edict) -> Record {
    let fields = NEW.iter();
    Record {
        fields: fields
            .filter_map(|field| Some((*field, value(edict, field)?)))
            .collect(),
        archives: None,
    }
}

/// A history entry as a new item of the file.
pub(crate) fn history_record(entry: &HistoryEntry) -> Record {
    let text = |text: &str| Value::Text(text.to_owned());
    let mut fields = vec![
        ("id", text(&entry.id)),
        ("text", text(&entry.text)),
        ("supersededBy", text(&entry.superseded_by)),
        ("archivedAt", Value::Time(written(entry.archived_at))),
    ];
    let tags: Vec<String> = entry.tags.iter().map(Label::to_string).collect();
    let time = |at: Option<Timestamp>| at.map(|at| Value::Time(written(at)));
    let kept = [
        ("category", entry.category.as_deref().map(text)),
        ("tags", (!tags.is_empty()).then_some(Value::List(tags))),
        ("confidence", entry.confidence.map(|c| text(c.as_str()))),
        ("source", entry.source.as_deref().map(text)),
        ("key", entry.key.as_deref().map(text)),
        ("ttl", entry.ttl.map(|ttl| text(ttl.as_str()))),
        ("expiresAt", time(entry.expires_at)),
        ("created", time(entry.created)),
        ("updated", time(entry.updated)),
    ];
    fields.extend(kept.into_iter().filter_map(|(name, value)| Some((name, value?))));
    Record {
        fields,
        archives: None,
    }
}

impl<'e> Draft<'e> {
    pub(crate) fn new(edicts: &'e Edicts, now: Timestamp) -> Draft<'e> {
        // What is written has milliseconds; what is answered must be the same.
        let now = Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now);
        Draft {
            edicts,
            now,
            change: Change::default(),
            accessed: HashMap::new(),
            versions: HashMap::new(),
            highest: edicts.highest,
        }
    }

    /// An id that was never given.
    pub(crate) fn next_id(&mut self) -> EdictId {
        self.highest += 1;
        EdictId::numbered(self.highest)
    }

    /// Counts on from here, where it is further than what the file has: another file's ids stay free.
    pub(crate) fn count_from(&mut self, highest: u64) {
        self.highest = self.highest.max(highest);
    }

    /// Takes an entry of another file's history over.
    pub(crate) fn adopt(&mut self, entry: &HistoryEntry) {
        let (id, version) = split_history_id(&entry.id);
        let history = &self.edicts.history;
        let last = self
            .versions
            .entry(id.to_owned())
            .or_insert_with(|| next_version(history, id) - 1);
        *last = version.max(*last);
        self.change.history.appended.push(history_record(entry));
    }

    /// Puts what an edict was into history, and says under which id.
    pub(crate) fn archive(&mut self, edict: &Edict, superseded_by: &str, archives: Option<usize>) -> String {
        let version = self
            .versions
            .entry(edict.id.to_string())
            .and_modify(|version| *version += 1)
            .or_insert_with(|| next_version(&self.edicts.history, &edict.id));
        let id = format!("{}__{}_{version}", edict.id, self.now.as_millisecond().max(0));
        let mut fields = vec![
            ("id", Value::Text(id.clone())),
            ("text", Value::Text(edict.text.clone())),
            ("supersededBy", Value::Text(superseded_by.to_owned())),
            ("archivedAt", Value::Time(written(self.now))),
        ];
        fields.extend(
            ARCHIVED
                .iter()
                .filter_map(|field| Some((*field, value(edict, field)?))),
        );
        self.change.history.appended.push(Record { fields, archives });
        id
    }

    /// Takes an edict out of the file and puts it into history.
    pub(crate) fn retire(&mut self, edict: &Edict, superseded_by: &str) -> String {
        self.change.edicts.removed.push(edict.position);
        self.archive(edict, superseded_by, Some(edict.position))
    }

    /// Appends a new edict.
    pub(crate) fn append(&mut self, edict: &Edict) {
        self.change.edicts.appended.push(record(edict));
    }

    /// Sets every field in which `new` differs from `old`, an edict of the file. Says whether any does.
    pub(crate) fn set(&mut self, old: &Edict, new: &Edict) -> bool {
        let mut any = false;
        for field in crate::load::EDICT {
            let (before, after) = (value(old, field), value(new, field));
            if before != after {
                any = true;
                put(&mut self.change.edicts, old.position, field, after);
            }
        }
        let read = self.accessed.get(old.id.as_str()).copied();
        if any && read > old.last_accessed && new.last_accessed == old.last_accessed {
            let at = read.map(|at| Value::Time(written(at)));
            put(&mut self.change.edicts, old.position, "lastAccessed", at);
        }
        any
    }

    /// What every write does beside its own change: moves the expired to history, and fills in what the file leaves
    /// out. Says how many expired.
    pub(crate) fn tidy(&mut self) -> usize {
        let mut expired = 0;
        let decided = self.change.edicts.set.len();
        for edict in &self.edicts.edicts {
            if self.change.edicts.removed.contains(&edict.position) {
                continue;
            }
            if edict.expired(self.now) {
                expired += 1;
                self.retire(edict, EXPIRED);
                continue;
            }
            let pending = edict.pending;
            let fill = [
                (pending.id, "id"),
                (pending.created, "created"),
                (pending.updated, "updated"),
                (pending.expires_at && edict.ttl == Ttl::Ephemeral, "expiresAt"),
            ];
            for (_, field) in fill.into_iter().filter(|(missing, _)| *missing) {
                let list = &mut self.change.edicts;
                let set = &list.set[..decided];
                if !set
                    .iter()
                    .any(|change| change.item == edict.position && change.field == field)
                {
                    put(list, edict.position, field, value(edict, field));
                }
            }
        }
        expired
    }
}

fn put(list: &mut ListChange, item: usize, field: &'static str, value: Option<Value>) {
    list.set.push(FieldChange { item, field, value });
}
