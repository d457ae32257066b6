//! One line of a log, read by rules that lose nothing of a line that can be understood.

use std::borrow::Cow;
use std::fmt;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value};

use crate::error::shown;
use crate::{Event, EventId, Harness, Origin, SCHEMA_VERSION, SkillAction, Supersedes};

/// Why a line of a log is not an event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unreadable {
    /// Longer than [`crate::MAX_LINE`] bytes.
    #[error("longer than 1 MiB")]
    TooLong,
    /// Bytes that are not UTF-8.
    #[error("not UTF-8")]
    NotUtf8,
    /// A line that git leaves in a file that it could not merge.
    #[error("a merge conflict's marker; resolve the conflict by keeping the lines of both sides")]
    ConflictMarker,
    /// The last line of the file, without its newline and not whole.
    #[error("cut off in the middle")]
    CutOff,
    /// Not JSON.
    #[error("not JSON (column {column})")]
    NotJson {
        /// Where it stops being JSON, in bytes from 1.
        column: usize,
    },
    /// JSON of another shape.
    #[error("not an event: a value of the wrong kind (column {column})")]
    Shape {
        /// Where, in bytes from 1.
        column: usize,
    },
    /// A field that every event has is missing.
    #[error("`{field}` is missing")]
    Missing {
        /// The field.
        field: &'static str,
    },
    /// A number outside its range, or an empty text.
    #[error("`{field}` is {value}, which is out of range")]
    OutOfRange {
        /// The field.
        field: &'static str,
        /// Its value.
        value: String,
    },
    /// A field whose value cannot be understood.
    #[error("`{field}` is `{value}`, which cannot be understood")]
    Malformed {
        /// The field.
        field: &'static str,
        /// Its value, shortened.
        value: String,
    },
    /// A shape that this version does not read.
    #[error("schema_version `{version}` is not known here; a newer ken may read it")]
    Version {
        /// The version that stands there, shortened.
        version: String,
    },
}

/// In the words of its message.
impl Serialize for Unreadable {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl Event {
    /// Reads one line (without its newline; a carriage return at the end is white space).
    ///
    /// Every required field must be there and in range, but `recurrence` (0 when absent, as dreamd 0.1 writes) and
    /// `skill_action` (`general`). A value of an optional field that cannot be understood does not cost the event: it
    /// is kept in [`Event::extra`]. The last of two equal keys counts.
    ///
    /// # Errors
    /// [`Unreadable`], which says why the line is none.
    pub fn parse(line: &[u8]) -> Result<Event, Unreadable> {
        let draft: Draft<'_> = serde_json::from_slice(line).map_err(|error| {
            if std::str::from_utf8(line).is_err() {
                return Unreadable::NotUtf8;
            }
            if is_conflict_marker(line) {
                return Unreadable::ConflictMarker;
            }
            let column = error.column().max(1);
            if error.is_data() {
                Unreadable::Shape { column }
            } else {
                Unreadable::NotJson { column }
            }
        })?;
        draft.check()
    }
}

fn is_conflict_marker(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    line == b"======="
        || [&b"<<<<<<<"[..], b">>>>>>>", b"|||||||"]
            .iter()
            .any(|marker| line == *marker || line.strip_prefix(*marker).is_some_and(|r| r[0] == b' '))
}

/// A line's fields before they are checked.
#[derive(Default)]
struct Draft<'a> {
    schema_version: Option<Value>,
    id: Option<Cow<'a, str>>,
    timestamp: Option<Cow<'a, str>>,
    content: Option<String>,
    pain: Option<f64>,
    importance: Option<f64>,
    recurrence: Option<Value>,
    skill_action: Option<Value>,
    source_harness: Option<Value>,
    pinned: Option<Value>,
    origin: Option<Value>,
    tags: Option<Value>,
    supersedes: Option<Value>,
    client_dedup_key: Option<Value>,
    extra: Map<String, Value>,
}

impl Draft<'_> {
    fn check(self) -> Result<Event, Unreadable> {
        let missing = |field| Unreadable::Missing { field };
        let mut extra = self.extra;
        let id = self.id.ok_or(missing("id"))?;
        let timestamp = self.timestamp.ok_or(missing("timestamp"))?;
        let content = self.content.ok_or(missing("content"))?;
        if content.trim().is_empty() {
            return Err(Unreadable::OutOfRange {
                field: "content",
                value: "empty".to_owned(),
            });
        }
        Ok(Event {
            schema_version: version(self.schema_version.ok_or(missing("schema_version"))?)?,
            id: EventId::parse(&id).map_err(|_| Unreadable::Malformed {
                field: "id",
                value: shown(&id),
            })?,
            timestamp: instant(&timestamp).ok_or_else(|| Unreadable::Malformed {
                field: "timestamp",
                value: shown(&timestamp),
            })?,
            content,
            pain: scale("pain", self.pain)?,
            importance: scale("importance", self.importance)?,
            recurrence: self.recurrence.map_or(Ok(0), |value| count(&value))?,
            skill_action: typed("skill_action", self.skill_action, &mut extra, |value| {
                SkillAction::parse(value.as_str()?).ok()
            })
            .unwrap_or_else(SkillAction::general),
            source_harness: typed("source_harness", self.source_harness, &mut extra, |value| {
                Harness::parse(value.as_str()?).ok()
            }),
            pinned: typed("pinned", self.pinned, &mut extra, Value::as_bool).unwrap_or(false),
            origin: typed("origin", self.origin, &mut extra, |value| {
                Origin::parse(value.as_str()?).ok()
            }),
            tags: typed("tags", self.tags, &mut extra, |value| {
                let tags = value.as_array()?.iter();
                tags.map(|tag| tag.as_str().map(str::to_owned)).collect()
            })
            .unwrap_or_default(),
            supersedes: typed("supersedes", self.supersedes, &mut extra, |value| {
                Supersedes::parse(value.as_str()?).ok()
            }),
            client_dedup_key: typed("client_dedup_key", self.client_dedup_key, &mut extra, |value| {
                value.as_str().map(str::to_owned)
            }),
            extra,
        })
    }
}

/// An optional field's meaning; a value without one is kept among the unknown fields.
fn typed<T>(
    name: &str,
    value: Option<Value>,
    extra: &mut Map<String, Value>,
    read: impl FnOnce(&Value) -> Option<T>,
) -> Option<T> {
    let value = value.filter(|value| !value.is_null())?;
    let meaning = read(&value);
    if meaning.is_none() {
        extra.insert(name.to_owned(), value);
    }
    meaning
}

fn version(value: Value) -> Result<String, Unreadable> {
    let version = match value {
        Value::String(version) if version == SCHEMA_VERSION || version == "1.0.0" => return Ok(version),
        Value::String(version) => version,
        other => other.to_string(),
    };
    Err(Unreadable::Version {
        version: shown(&version),
    })
}

fn scale(field: &'static str, value: Option<f64>) -> Result<f64, Unreadable> {
    let value = value.ok_or(Unreadable::Missing { field })?;
    if (0.0..=10.0).contains(&value) {
        Ok(value)
    } else {
        Err(Unreadable::OutOfRange {
            field,
            value: value.to_string(),
        })
    }
}

/// A whole number that is not negative, however it is written (`2`, `2.0`); null counts as absent.
fn count(value: &Value) -> Result<u64, Unreadable> {
    const LARGEST_EXACT: f64 = 9_007_199_254_740_992.0;
    if value.is_null() {
        return Ok(0);
    }
    value
        .as_u64()
        .or_else(|| {
            let float = value.as_f64()?;
            (float.fract() == 0.0 && (0.0..=LARGEST_EXACT).contains(&float)).then_some(float as u64)
        })
        .ok_or_else(|| Unreadable::OutOfRange {
            field: "recurrence",
            value: shown(&value.to_string()),
        })
}

/// ISO 8601 with or without an offset (UTC then); a date alone is its midnight.
fn instant(text: &str) -> Option<Timestamp> {
    if let Ok(instant) = text.parse() {
        return Some(instant);
    }
    let civil: DateTime = text.parse().ok()?;
    TimeZone::UTC.to_timestamp(civil).ok()
}

/// The names of the fields, without an allocation for the known ones.
enum Key {
    SchemaVersion,
    Id,
    Timestamp,
    Content,
    Pain,
    Importance,
    Recurrence,
    SkillAction,
    SourceHarness,
    Pinned,
    Origin,
    Tags,
    Supersedes,
    Dedup,
    Other(String),
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Key, D::Error> {
        struct Names;
        impl Visitor<'_> for Names {
            type Value = Key;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("the name of a field")
            }
            fn visit_str<E: de::Error>(self, name: &str) -> Result<Key, E> {
                Ok(match name {
                    "schema_version" => Key::SchemaVersion,
                    "id" => Key::Id,
                    "timestamp" => Key::Timestamp,
                    "content" => Key::Content,
                    "pain" => Key::Pain,
                    "importance" => Key::Importance,
                    "recurrence" => Key::Recurrence,
                    "skill_action" => Key::SkillAction,
                    "source_harness" => Key::SourceHarness,
                    "pinned" => Key::Pinned,
                    "origin" => Key::Origin,
                    "tags" => Key::Tags,
                    "supersedes" => Key::Supersedes,
                    "client_dedup_key" => Key::Dedup,
                    other => Key::Other(other.to_owned()),
                })
            }
        }
        deserializer.deserialize_identifier(Names)
    }
}

/// A string that borrows from the line where it holds no escape.
struct Text<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Text<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Strings;
        impl<'de> Visitor<'de> for Strings {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E: de::Error>(self, text: &'de str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E: de::Error>(self, text: &str) -> Result<Text<'de>, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
        }
        deserializer.deserialize_str(Strings)
    }
}

impl<'de> Deserialize<'de> for Draft<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Draft<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with the fields of an event")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Draft<'de>, A::Error> {
                let mut draft = Draft::default();
                while let Some(key) = map.next_key()? {
                    match key {
                        Key::SchemaVersion => draft.schema_version = Some(map.next_value()?),
                        Key::Id => draft.id = Some(map.next_value::<Text<'de>>()?.0),
                        Key::Timestamp => draft.timestamp = Some(map.next_value::<Text<'de>>()?.0),
                        Key::Content => draft.content = Some(map.next_value()?),
                        Key::Pain => draft.pain = Some(map.next_value()?),
                        Key::Importance => draft.importance = Some(map.next_value()?),
                        Key::Recurrence => draft.recurrence = Some(map.next_value()?),
                        Key::SkillAction => draft.skill_action = Some(map.next_value()?),
                        Key::SourceHarness => draft.source_harness = Some(map.next_value()?),
                        Key::Pinned => draft.pinned = Some(map.next_value()?),
                        Key::Origin => draft.origin = Some(map.next_value()?),
                        Key::Tags => draft.tags = Some(map.next_value()?),
                        Key::Supersedes => draft.supersedes = Some(map.next_value()?),
                        Key::Dedup => draft.client_dedup_key = Some(map.next_value()?),
                        Key::Other(name) => {
                            draft.extra.insert(name, map.next_value()?);
                        }
                    }
                }
                Ok(draft)
            }
        }
        deserializer.deserialize_map(Fields)
    }
}
