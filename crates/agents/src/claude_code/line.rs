//! One line of a transcript, as far as it is of interest.
//!
//! Every field is lenient: a value of another type than expected counts as absent, so that a line type of a later
//! version neither fails nor is misread. What is not named here (thinking, images, tool results, token counts) is
//! passed over by the parser without being copied.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// More blocks, or items of a list, than this are passed over: a line of millions of empty ones must not be held.
const MAX_ITEMS: usize = 4_096;

/// A string that may be absent.
pub(crate) type Text<'a> = Option<Cow<'a, str>>;

/// A line of a transcript.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct Record<'a> {
    #[serde(rename = "type", borrow, deserialize_with = "text")]
    pub(crate) kind: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) timestamp: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) cwd: Text<'a>,
    #[serde(rename = "sessionId", borrow, deserialize_with = "text")]
    pub(crate) session: Text<'a>,
    #[serde(rename = "gitBranch", borrow, deserialize_with = "text")]
    pub(crate) branch: Text<'a>,
    #[serde(rename = "isMeta", deserialize_with = "flag")]
    pub(crate) is_meta: bool,
    #[serde(rename = "isCompactSummary", deserialize_with = "flag")]
    pub(crate) is_compact_summary: bool,
    #[serde(rename = "isSidechain", deserialize_with = "flag")]
    pub(crate) is_sidechain: bool,
    #[serde(borrow, deserialize_with = "object")]
    pub(crate) message: Option<Message<'a>>,
}

/// What was said or done.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct Message<'a> {
    #[serde(borrow)]
    pub(crate) content: Content<'a>,
}

/// A message's content: plain text, or blocks.
#[derive(Debug, Default)]
pub(crate) enum Content<'a> {
    #[default]
    Nothing,
    Text(Cow<'a, str>),
    Blocks(Vec<Block<'a>>),
}

/// A block of a message: a text, or the use of a tool.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct Block<'a> {
    #[serde(rename = "type", borrow, deserialize_with = "text")]
    pub(crate) kind: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) text: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) name: Text<'a>,
    #[serde(borrow, deserialize_with = "object")]
    pub(crate) input: Option<Input<'a>>,
}

/// What a tool was called with, over all tools that matter here.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct Input<'a> {
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) file_path: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) notebook_path: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) command: Text<'a>,
    #[serde(borrow, deserialize_with = "objects")]
    pub(crate) todos: Option<Vec<Todo<'a>>>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) subject: Text<'a>,
    #[serde(rename = "taskId", borrow, deserialize_with = "text")]
    pub(crate) task: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) status: Text<'a>,
}

/// An item of an agent's task list.
#[derive(Debug, Default, serde::Deserialize)]
#[serde(default)]
pub(crate) struct Todo<'a> {
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) content: Text<'a>,
    #[serde(borrow, deserialize_with = "text")]
    pub(crate) status: Text<'a>,
}

/// A string, or nothing when the value is of another type.
pub(crate) fn text<'de, D: Deserializer<'de>>(from: D) -> Result<Text<'de>, D::Error> {
    from.deserialize_any(Lenient(PhantomData::<TextShape>))
}

/// `true`, or `false` when the value is anything else.
fn flag<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    from.deserialize_any(Lenient(PhantomData::<FlagShape>))
        .map(|value| value.unwrap_or(false))
}

/// An object, or nothing when the value is of another type.
fn object<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    from.deserialize_any(Lenient(PhantomData::<ObjectShape<T>>))
}

/// The objects of an array, or nothing when the value is of another type.
fn objects<'de, D, T>(from: D) -> Result<Option<Vec<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    from.deserialize_any(Lenient(PhantomData::<ArrayShape<T>>))
}

/// The one shape that a lenient field accepts.
trait Shape<'de>: Sized {
    type Value;
    fn boolean(_: bool) -> Option<Self::Value> {
        None
    }
    fn string(_: Cow<'de, str>) -> Option<Self::Value> {
        None
    }
    fn map<A: MapAccess<'de>>(mut map: A) -> Result<Option<Self::Value>, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(None)
    }
    fn seq<A: SeqAccess<'de>>(mut seq: A) -> Result<Option<Self::Value>, A::Error> {
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(None)
    }
}

struct TextShape;
struct FlagShape;
struct ObjectShape<T>(PhantomData<T>);
struct ArrayShape<T>(PhantomData<T>);
struct ContentShape;

impl<'de> Shape<'de> for TextShape {
    type Value = Cow<'de, str>;
    fn string(value: Cow<'de, str>) -> Option<Self::Value> {
        Some(value)
    }
}

impl Shape<'_> for FlagShape {
    type Value = bool;
    fn boolean(value: bool) -> Option<bool> {
        Some(value)
    }
}

impl<'de, T: Deserialize<'de>> Shape<'de> for ObjectShape<T> {
    type Value = T;
    fn map<A: MapAccess<'de>>(map: A) -> Result<Option<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(map)).map(Some)
    }
}

impl<'de, T: Deserialize<'de>> Shape<'de> for ArrayShape<T> {
    type Value = Vec<T>;
    fn seq<A: SeqAccess<'de>>(mut seq: A) -> Result<Option<Vec<T>>, A::Error> {
        let mut found = Vec::new();
        while found.len() < MAX_ITEMS {
            match seq.next_element::<MaybeObject<T>>()? {
                Some(item) => found.extend(item.0),
                None => return Ok(Some(found)),
            }
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Some(found))
    }
}

impl<'de> Shape<'de> for ContentShape {
    type Value = Content<'de>;
    fn string(value: Cow<'de, str>) -> Option<Content<'de>> {
        Some(Content::Text(value))
    }
    fn seq<A: SeqAccess<'de>>(seq: A) -> Result<Option<Content<'de>>, A::Error> {
        Ok(ArrayShape::<Block<'de>>::seq(seq)?.map(Content::Blocks))
    }
}

struct MaybeObject<T>(Option<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for MaybeObject<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        object(from).map(MaybeObject)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Content<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Lenient(PhantomData::<ContentShape>))
            .map(Option::unwrap_or_default)
    }
}

struct Lenient<S>(PhantomData<S>);

impl<'de, S: Shape<'de>> Visitor<'de> for Lenient<S> {
    type Value = Option<S::Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }
    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(S::boolean(value))
    }
    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(None)
    }
    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(None)
    }
    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(None)
    }
    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(None)
    }
    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(S::string(Cow::Borrowed(value)))
    }
    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(S::string(Cow::Owned(value.to_owned())))
    }
    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
        S::map(map)
    }
    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<Self::Value, A::Error> {
        S::seq(seq)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Record<'_> {
        serde_json::from_str(line).unwrap()
    }

    #[test]
    fn text_and_blocks_are_read_and_the_rest_is_passed_over() {
        let record = read(r#"{"type":"user","message":{"role":"user","content":"hello"}}"#);
        assert!(matches!(
            &record.message.unwrap().content,
            Content::Text(Cow::Borrowed("hello"))
        ));
        let record = read(
            r#"{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"hm"},7,
               {"type":"tool_use","name":"Bash","input":{"command":"ls","timeout":5}}]}}"#,
        );
        let Content::Blocks(blocks) = record.message.unwrap().content else {
            panic!("blocks were written");
        };
        assert_eq!(blocks.len(), 2);
        assert_eq!(blocks[1].input.as_ref().unwrap().command.as_deref(), Some("ls"));
    }

    #[test]
    fn of_a_line_of_millions_of_blocks_only_some_are_held() {
        let line = format!(
            "{{\"message\":{{\"content\":[{}{{}}]}},\"type\":\"user\"}}",
            "{},".repeat(100_000)
        );
        let record = read(&line);
        assert!(
            matches!(record.message.unwrap().content, Content::Blocks(blocks) if blocks.len() == MAX_ITEMS)
        );
        assert_eq!(record.kind.as_deref(), Some("user"));
    }

    #[test]
    fn a_value_of_another_type_counts_as_absent() {
        let record = read(
            r#"{"type":"x","timestamp":7,"cwd":{"a":[1]},"isMeta":"yes","isSidechain":true,"gitBranch":null,"message":"text"}"#,
        );
        assert_eq!(record.kind.as_deref(), Some("x"));
        assert!(record.timestamp.is_none() && record.cwd.is_none() && record.message.is_none());
        assert!(!record.is_meta && record.is_sidechain);
    }
}
