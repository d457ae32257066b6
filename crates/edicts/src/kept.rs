//! Values as bytes, for the cache: the fields one after another, without names.
//!
//! Whoever reads them back must bear any bytes: what is cut off, or is no such value, is `None`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use integer_encoding::VarInt;
use jiff::Timestamp;

/// A value that can be kept in the cache.
pub(crate) trait Kept: Sized {
    /// Adds the value's bytes.
    fn put(&self, out: &mut Vec<u8>);
    /// Takes one value off the front.
    fn take(from: &mut &[u8]) -> Option<Self>;
}

/// A structure is its fields. All of them stand here, so that a new one is not forgotten.
macro_rules! kept_fields {
    ($name:ident { $($field:ident),+ $(,)? }) => {
        impl $crate::kept::Kept for $name {
            fn put(&self, out: &mut Vec<u8>) {
                $($crate::kept::Kept::put(&self.$field, out);)+
            }
            fn take(from: &mut &[u8]) -> Option<Self> {
                Some($name { $($field: $crate::kept::Kept::take(from)?),+ })
            }
        }
    };
}

/// One of a few values is its number in this list.
macro_rules! kept_choice {
    ($name:ident { $($variant:ident),+ $(,)? }) => {
        impl $crate::kept::Kept for $name {
            fn put(&self, out: &mut Vec<u8>) {
                out.push(*self as u8);
            }
            fn take(from: &mut &[u8]) -> Option<Self> {
                let number = u8::take(from)?;
                [$($name::$variant),+].into_iter().find(|choice| *choice as u8 == number)
            }
        }
    };
}

pub(crate) use {kept_choice, kept_fields};

impl Kept for u8 {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(*self);
    }
    fn take(from: &mut &[u8]) -> Option<u8> {
        let (first, rest) = from.split_first()?;
        *from = rest;
        Some(*first)
    }
}

impl Kept for bool {
    fn put(&self, out: &mut Vec<u8>) {
        u8::from(*self).put(out);
    }
    fn take(from: &mut &[u8]) -> Option<bool> {
        match u8::take(from)? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }
}

macro_rules! kept_numbers {
    ($($number:ty),+) => {
        $(impl Kept for $number {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend(self.encode_var_vec());
            }
            fn take(from: &mut &[u8]) -> Option<$number> {
                let (number, length) = <$number>::decode_var(from)?;
                *from = from.get(length..)?;
                Some(number)
            }
        })+
    };
}

kept_numbers!(u32, u64, usize, i32, i64);

impl<const N: usize> Kept for [u8; N] {
    fn put(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self);
    }
    fn take(from: &mut &[u8]) -> Option<[u8; N]> {
        let (bytes, rest) = from.split_first_chunk()?;
        *from = rest;
        Some(*bytes)
    }
}

impl Kept for String {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        out.extend_from_slice(self.as_bytes());
    }
    fn take(from: &mut &[u8]) -> Option<String> {
        let length = usize::take(from)?;
        let (bytes, rest) = from.split_at_checked(length)?;
        *from = rest;
        std::str::from_utf8(bytes).ok().map(str::to_owned)
    }
}

impl Kept for Timestamp {
    fn put(&self, out: &mut Vec<u8>) {
        self.as_second().put(out);
        self.subsec_nanosecond().put(out);
    }
    fn take(from: &mut &[u8]) -> Option<Timestamp> {
        Timestamp::new(i64::take(from)?, i32::take(from)?).ok()
    }
}

impl<T: Kept> Kept for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        if let Some(value) = self {
            value.put(out);
        }
    }
    fn take(from: &mut &[u8]) -> Option<Option<T>> {
        Some(match bool::take(from)? {
            true => Some(T::take(from)?),
            false => None,
        })
    }
}

impl<T: Kept> Kept for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        self.iter().for_each(|item| item.put(out));
    }
    fn take(from: &mut &[u8]) -> Option<Vec<T>> {
        let length = usize::take(from)?;
        // Every item takes a byte at least, whatever the length says.
        let mut items = Vec::with_capacity(length.min(from.len()));
        for _ in 0..length {
            items.push(T::take(from)?);
        }
        Some(items)
    }
}

impl<K: Kept + Ord, V: Kept> Kept for BTreeMap<K, V> {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        for (key, value) in self {
            key.put(out);
            value.put(out);
        }
    }
    fn take(from: &mut &[u8]) -> Option<BTreeMap<K, V>> {
        let length = usize::take(from)?;
        (0..length)
            .map(|_| Some((K::take(from)?, V::take(from)?)))
            .collect()
    }
}

impl<T: Kept + Ord> Kept for BTreeSet<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.len().put(out);
        self.iter().for_each(|item| item.put(out));
    }
    fn take(from: &mut &[u8]) -> Option<BTreeSet<T>> {
        Vec::take(from).map(Vec::into_iter).map(Iterator::collect)
    }
}

/// A path is not kept: whoever reads the cache says how the file was reached.
impl Kept for PathBuf {
    fn put(&self, _: &mut Vec<u8>) {}
    fn take(_: &mut &[u8]) -> Option<PathBuf> {
        Some(PathBuf::new())
    }
}
