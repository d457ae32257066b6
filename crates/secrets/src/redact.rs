//! The proof that a text was scanned: [`Redacted`], and how it reaches every string of a value.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Deref;

use serde::Serialize;
use serde_json::{Map, Value};

use crate::scan::{self, Finding};

/// A value whose every string was scanned, and in which every credential found was replaced by `[redacted:KIND]`.
/// Writers take this type, so that unscanned text does not compile into a file. It does not deserialise: what was
/// read from a file is not known to be clean, and goes through [`Redacted::new`] like everything else.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Redacted<T>(T);

/// A value that holds strings; visits each one, in a fixed order, keys of maps included.
///
/// A key is visited immediately before its value, and a list in its order: a string that is nothing but the name of
/// a credential (`db_password`, `--token`) is judged together with the string visited next.
pub trait EachString {
    /// Calls `visit` with every string of the value.
    fn each_string(&mut self, visit: &mut dyn FnMut(&mut String));
}

/// Replaces every credential in `text` by `[redacted:KIND]` (the span only) and says what was found. Text without
/// findings is handed back as it is. The result has no further findings: redacting twice is redacting once.
pub fn redact(text: &str) -> (Cow<'_, str>, Vec<Finding>) {
    let found = scan::scan(text);
    if found.is_empty() {
        return (Cow::Borrowed(text), found);
    }
    let mut clean = replace(text, &found);
    // A marker is never found again, so each round leaves less to find, and this ends.
    loop {
        let more = scan::scan(&clean);
        if more.is_empty() {
            return (Cow::Owned(clean), found);
        }
        clean = replace(&clean, &more);
    }
}

fn replace(text: &str, findings: &[Finding]) -> String {
    let mut clean = String::with_capacity(text.len());
    let mut at = 0;
    for finding in findings {
        clean.push_str(&text[at..finding.span.start]);
        clean.push_str(scan::MARKER);
        clean.push_str(finding.kind);
        clean.push(']');
        at = finding.span.end;
    }
    clean.push_str(&text[at..]);
    clean
}

impl<T: EachString> Redacted<T> {
    /// Scans every string of `value`, replaces what is found (the span only), and says what was found. The spans of
    /// the findings are those of the string they were found in.
    pub fn new(mut value: T) -> (Redacted<T>, Vec<Finding>) {
        let mut found = Vec::new();
        let mut name = None;
        value.each_string(&mut |text| {
            let named = name.take();
            if let Cow::Owned(clean) = {
                let (clean, findings) = redact(text);
                found.extend(findings);
                clean
            } {
                *text = clean;
            } else if let Some(family) = named
                && let Some(finding) = scan::named_value(family, text)
            {
                *text = replace(text, std::slice::from_ref(&finding));
                found.push(finding);
            } else {
                name = scan::credential_name(text);
            }
        });
        (Redacted(value), found)
    }
}

impl Redacted<String> {
    /// A text that the program itself says. It is scanned like any other, and what would be found in it replaced.
    pub fn from_static(text: &'static str) -> Redacted<String> {
        Redacted(redact(text).0.into_owned())
    }

    /// The scanned text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<T> Redacted<T> {
    /// The scanned value; what is changed afterwards must be scanned again.
    pub fn into_inner(self) -> T {
        self.0
    }

    /// The same proof for a borrowed value.
    pub fn borrowed(&self) -> Redacted<&T> {
        Redacted(&self.0)
    }
}

impl<T> Redacted<Option<T>> {
    /// The proof for the value, where there is one.
    pub fn transpose(self) -> Option<Redacted<T>> {
        self.0.map(Redacted)
    }
}

impl<T> IntoIterator for Redacted<Vec<T>> {
    type Item = Redacted<T>;
    type IntoIter = std::iter::Map<std::vec::IntoIter<T>, fn(T) -> Redacted<T>>;

    /// The proof for each value of the list.
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter().map(Redacted as fn(T) -> Redacted<T>)
    }
}

impl<T> Deref for Redacted<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T: AsRef<str>> AsRef<str> for Redacted<T> {
    fn as_ref(&self) -> &str {
        self.0.as_ref()
    }
}

impl<T: fmt::Display> fmt::Display for Redacted<T> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(out)
    }
}

impl<T: PartialEq<str>> PartialEq<str> for Redacted<T> {
    fn eq(&self, other: &str) -> bool {
        self.0 == *other
    }
}

impl<'a, T: PartialEq<&'a str>> PartialEq<&'a str> for Redacted<T> {
    fn eq(&self, other: &&'a str) -> bool {
        self.0 == *other
    }
}

impl EachString for String {
    fn each_string(&mut self, visit: &mut dyn FnMut(&mut String)) {
        visit(self);
    }
}

impl EachString for Cow<'_, str> {
    fn each_string(&mut self, visit: &mut dyn FnMut(&mut String)) {
        visit(self.to_mut());
    }
}

impl<T: EachString + ?Sized> EachString for Box<T> {
    fn each_string(&mut self, visit: &mut dyn FnMut(&mut String)) {
        (**self).each_string(visit);
    }
}

impl<T: EachString + ?Sized> EachString for &mut T {
    fn each_string(&mut self, visit: &mut dyn FnMut(&mut String)) {
        (**self).each_string(visit);
    }
}

impl<T: EachString> EachString for Option<T> {
    fn each_string(&mut self, visit: &mut dyn FnMut(&mut String)) {
        if let Some(value) = self {
            value.each_string(visit);
        }
    }
}

impl<T: EachString> EachString for Vec<T> {
    fn each_string(&mut self, visit: &mut dyn FnMut(&mut String)) {
        for value in self {
            value.each_string(visit);
        }
    }
}

impl<T: EachString, const N: usize> EachString for [T; N] {
    fn each_string(&mut self, visit: &mut dyn FnMut(&mut String)) {
        for value in self {
            value.each_string(visit);
        }
    }
}

macro_rules! tuples {
    ($($name:ident)+) => {
        impl<$($name: EachString),+> EachString for ($($name,)+) {
            fn each_string(&mut self, visit: &mut dyn FnMut(&mut String)) {
                #[allow(non_snake_case)]
                let ($($name,)+) = self;
                $($name.each_string(visit);)+
            }
        }
    };
}
tuples!(A);
tuples!(A B);
tuples!(A B C);
tuples!(A B C D);
tuples!(A B C D E);
tuples!(A B C D E F);

impl<V: EachString> EachString for BTreeMap<String, V> {
    fn each_string(&mut self, visit: &mut dyn FnMut(&mut String)) {
        let mut distinct = Distinct::default();
        for (mut key, mut value) in std::mem::take(self) {
            visit(&mut key);
            value.each_string(visit);
            let key = distinct.key(key, |key| self.contains_key(key));
            self.insert(key, value);
        }
    }
}

impl EachString for Map<String, Value> {
    fn each_string(&mut self, visit: &mut dyn FnMut(&mut String)) {
        let mut distinct = Distinct::default();
        for (mut key, mut value) in std::mem::take(self) {
            visit(&mut key);
            value.each_string(visit);
            let key = distinct.key(key, |key| self.contains_key(key));
            self.insert(key, value);
        }
    }
}

/// Keys that differ only in what was replaced would fall together, and an entry be lost: the later ones get a number.
#[derive(Default)]
struct Distinct {
    last: u64,
}

impl Distinct {
    fn key(&mut self, key: String, taken: impl Fn(&str) -> bool) -> String {
        let mut distinct = key;
        let length = distinct.len();
        while taken(&distinct) {
            self.last += 1;
            distinct.truncate(length);
            distinct.push_str(&format!("-{}", self.last + 1));
        }
        distinct
    }
}

impl EachString for Value {
    fn each_string(&mut self, visit: &mut dyn FnMut(&mut String)) {
        match self {
            Value::String(text) => visit(text),
            Value::Array(values) => values.iter_mut().for_each(|value| value.each_string(visit)),
            Value::Object(map) => map.each_string(visit),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}
