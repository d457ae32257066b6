//! Fields of other tools' JSON: a value of another type than expected counts as absent, so that a line of a later
//! version neither fails nor is misread. What no field names is passed over by the parser without being copied.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// More items of a list than this are passed over: a line of millions of empty ones must not be held.
pub(crate) const MAX_ITEMS: usize = 4_096;

/// A string that may be absent.
pub(crate) type Text<'a> = Option<Cow<'a, str>>;

/// A string, or nothing when the value is of another type.
pub(crate) fn text<'de, D: Deserializer<'de>>(from: D) -> Result<Text<'de>, D::Error> {
    shaped::<TextShape, D>(from)
}

/// `true`, or `false` when the value is anything else.
pub(crate) fn flag<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
    Ok(shaped::<FlagShape, D>(from)?.unwrap_or(false))
}

/// An object, or nothing when the value is of another type.
pub(crate) fn object<'de, D, T>(from: D) -> Result<Option<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    shaped::<ObjectShape<T>, D>(from)
}

/// The objects of an array, or nothing when the value is of another type.
pub(crate) fn objects<'de, D, T>(from: D) -> Result<Option<Vec<T>>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    shaped::<ArrayShape<T>, D>(from)
}

/// A string as a list of one, the strings of an array, or nothing when the value is of another type.
pub(crate) fn strings<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<Cow<'de, str>>, D::Error> {
    Ok(shaped::<StringsShape, D>(from)?.unwrap_or_default())
}

/// A value of this shape, or nothing when it is of another type.
pub(crate) fn shaped<'de, S: Shape<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<S::Value>, D::Error> {
    from.deserialize_any(Lenient(PhantomData::<S>))
}

/// The one shape that a lenient field accepts.
pub(crate) trait Shape<'de>: Sized {
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
struct StringsShape;
struct ObjectShape<T>(PhantomData<T>);
pub(crate) struct ArrayShape<T>(PhantomData<T>);

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

impl<'de> Shape<'de> for StringsShape {
    type Value = Vec<Cow<'de, str>>;
    fn string(value: Cow<'de, str>) -> Option<Self::Value> {
        Some(vec![value])
    }
    fn seq<A: SeqAccess<'de>>(mut seq: A) -> Result<Option<Self::Value>, A::Error> {
        let mut found = Vec::new();
        while found.len() < MAX_ITEMS {
            match seq.next_element::<MaybeText<'de>>()? {
                Some(item) => found.extend(item.0),
                None => return Ok(Some(found)),
            }
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Some(found))
    }
}

struct MaybeText<'a>(Text<'a>);

impl<'de: 'a, 'a> Deserialize<'de> for MaybeText<'a> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        text(from).map(MaybeText)
    }
}

struct MaybeObject<T>(Option<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for MaybeObject<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        object(from).map(MaybeObject)
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
