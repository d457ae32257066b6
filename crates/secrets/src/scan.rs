//! One pass over a text: finds candidates, asks the rules, and puts what they find in order.

use std::ops::Range;

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

pub(crate) fn credential_name(text: &str) -> Option<&'static str> {
    let _ = text;
    None
}

pub(crate) fn named_value(kind: &'static str, text: &str) -> Option<Finding> {
    let _ = (kind, text);
    None
}
