use jiff::{SignedDuration, Timestamp};
use ken_secrets::EachString;
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

use crate::check::alone;
use crate::{EventId, Harness, Origin, SkillAction, Supersedes};

/// The `schema_version` of every line that this room writes. dreamd 0.1 writes `1.0.0`; both are read.
pub const SCHEMA_VERSION: &str = "1.0";

/// One observation of the log (contract, section 2, and the rulings on events).
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// `1.0`, or `1.0.0` where dreamd 0.1 wrote the line.
    pub schema_version: String,
    /// The event's id.
    pub id: EventId,
    /// When it was written.
    pub timestamp: Timestamp,
    /// What was learned.
    pub content: String,
    /// How much it hurt, 0 to 10.
    pub pain: f64,
    /// How much it matters, 0 to 10.
    pub importance: f64,
    /// How many times it had resurfaced when it was written.
    pub recurrence: u64,
    /// What it is about.
    pub skill_action: SkillAction,
    /// The program it was written through, when known.
    pub source_harness: Option<Harness>,
    /// Whether a person pinned it.
    pub pinned: bool,
    /// Where its words came from, when known.
    pub origin: Option<Origin>,
    /// Free labels.
    pub tags: Vec<String>,
    /// What it takes the place of.
    pub supersedes: Option<Supersedes>,
    /// The key under which the same event is not written twice within 24 hours.
    pub client_dedup_key: Option<String>,
    /// Fields that are not known here, or whose value cannot be understood, as they were.
    pub extra: Map<String, Value>,
}

impl Event {
    /// The line of the log, without its newline: the contract's fields in the contract's order, those that dreamd
    /// 0.1 needs, those that apply, and the unknown ones. Numbers in their shortest digits.
    pub fn to_line(&self) -> String {
        serde_json::to_string(self).expect("strings and finite numbers are JSON")
    }

    /// The event's time as of `now`: [`time_as_of`].
    pub fn time_as_of(&self, now: Timestamp) -> Timestamp {
        time_as_of(self.timestamp, now)
    }

    /// Whether the event's time is more than five minutes in the future.
    pub fn is_ahead_of(&self, now: Timestamp) -> bool {
        is_ahead(self.timestamp, now)
    }
}

/// When an event was, as of `now`: a time more than five minutes in the future counts as now.
pub fn time_as_of(written: Timestamp, now: Timestamp) -> Timestamp {
    if is_ahead(written, now) { now } else { written }
}

fn is_ahead(written: Timestamp, now: Timestamp) -> bool {
    written.duration_since(now) > SignedDuration::from_mins(5)
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        // A field whose value could not be understood stands in `extra`; that value is the one to keep.
        macro_rules! field {
            ($name:literal, $value:expr) => {
                if !self.extra.contains_key($name) {
                    map.serialize_entry($name, $value)?;
                }
            };
        }
        field!("schema_version", &self.schema_version);
        field!("id", &self.id);
        field!("timestamp", &self.timestamp);
        field!("content", &self.content);
        field!("pain", &self.pain);
        field!("importance", &self.importance);
        field!("recurrence", &self.recurrence);
        field!("skill_action", &self.skill_action);
        if let Some(harness) = &self.source_harness {
            field!("source_harness", harness);
        }
        field!("pinned", &self.pinned);
        if let Some(origin) = &self.origin {
            field!("origin", origin);
        }
        if !self.tags.is_empty() {
            field!("tags", &self.tags);
        }
        if let Some(supersedes) = &self.supersedes {
            field!("supersedes", supersedes);
        }
        if let Some(key) = &self.client_dedup_key {
            field!("client_dedup_key", key);
        }
        for (name, value) in &self.extra {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// What a person or a program wrote. Ids, names and times have no room for free text.
impl EachString for Event {
    fn each_string(&mut self, visit: &mut dyn FnMut(&mut String)) {
        alone(&mut self.content, visit);
        self.tags.iter_mut().for_each(|tag| alone(tag, visit));
        self.client_dedup_key.iter_mut().for_each(|key| alone(key, visit));
        let mut extra = Value::Object(std::mem::take(&mut self.extra));
        extra.each_string(visit);
        if let Value::Object(map) = extra {
            self.extra = map;
        }
    }
}
