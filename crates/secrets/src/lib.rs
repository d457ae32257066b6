//! Credential shapes, and the redaction that every writer requires.
//!
//! **Owns** what a credential looks like (token shapes of known issuers, keys in PEM, keyword and value pairs) and
//! [`Redacted`], the type that proves that a text was scanned.
//!
//! **May know** nothing of this workspace: it is ground floor.
//!
//! **Must never know** where a text comes from or goes to, and never shows a value that it found: a [`Finding`] has a
//! kind, a place and a fingerprint.
#![forbid(unsafe_code)]

mod base64;
mod edges;
mod fold;
mod jwt;
mod looks;
mod pairs;
mod pem;
mod prefilter;
mod redact;
mod scan;
mod scheme;
mod shapes;
mod stand_ins;
mod url;
mod words;

pub use redact::{EachString, Redacted, redact};
pub use scan::{Finding, scan};
