use std::fmt;
use std::ops::Deref;

use serde::Serialize;

use crate::kept::Kept;
use crate::normalise::normalise;

/// The longest id or key, in bytes.
const MAX_NAME: usize = 200;

macro_rules! string_like {
    ($name:ident) => {
        impl $name {
            /// As a string.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }
        impl Deref for $name {
            type Target = str;
            fn deref(&self) -> &str {
                &self.0
            }
        }
        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }
        impl Kept for $name {
            fn put(&self, out: &mut Vec<u8>) {
                self.0.put(out);
            }
            // It was checked before it was kept.
            fn take(from: &mut &[u8]) -> Option<$name> {
                String::take(from).map($name)
            }
        }
        impl PartialEq<str> for $name {
            fn eq(&self, other: &str) -> bool {
                self.0 == other
            }
        }
        impl PartialEq<&str> for $name {
            fn eq(&self, other: &&str) -> bool {
                self.0 == *other
            }
        }
    };
}

/// The id of an edict: its key, or `e_001`, `e_002`, ... One line, never `expired` or `removed`, which history uses.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct EdictId(String);

/// The key of an edict: adding an edict with a key that is there replaces the one that has it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Key(String);

/// A category or a tag in its one form: trimmed, NFKC, lower case, single spaces, the last word in the singular.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct Label(String);

string_like!(EdictId);
string_like!(Key);
string_like!(Label);

fn check_name(what: &str, text: &str) -> Result<String, String> {
    let name = text.trim();
    if name.is_empty() {
        return Err(format!("the {what} is empty; leave it out, or write a word"));
    }
    if name.len() > MAX_NAME {
        return Err(format!("the {what} is longer than {MAX_NAME} bytes; shorten it"));
    }
    if name.chars().any(char::is_control) {
        return Err(format!(
            "the {what} holds a line break or control character; write it on one line"
        ));
    }
    if name == "expired" || name == "removed" {
        return Err(format!(
            "`{name}` cannot be the {what}, since history uses that word; choose another"
        ));
    }
    Ok(name.to_owned())
}

impl EdictId {
    /// Trims and checks; the error is a sentence with its remedy.
    pub fn new(text: &str) -> Result<EdictId, String> {
        check_name("id", text).map(EdictId)
    }

    /// The id with a number: `e_001`.
    pub(crate) fn numbered(number: u64) -> EdictId {
        EdictId(format!("e_{number:03}"))
    }

    /// The number in an id or in the text of one (`e_017` has 17). Numbers of more than 15 digits were never given.
    pub(crate) fn number(text: &str) -> Option<u64> {
        let digits = text.strip_prefix("e_")?;
        if digits.is_empty() || digits.len() > 15 || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return None;
        }
        digits.parse().ok()
    }
}

impl Key {
    /// Trims and checks; the error is a sentence with its remedy.
    pub fn new(text: &str) -> Result<Key, String> {
        check_name("key", text).map(Key)
    }
}

impl From<&Key> for EdictId {
    fn from(key: &Key) -> EdictId {
        EdictId(key.0.clone())
    }
}

impl Label {
    /// Normalises; the error (nothing is left, or a control character) is a sentence with its remedy.
    pub fn new(text: &str) -> Result<Label, String> {
        let label = normalise(text);
        if label.is_empty() {
            return Err("it is empty; write a word".to_owned());
        }
        if label.len() > MAX_NAME {
            return Err(format!("it is longer than {MAX_NAME} bytes; shorten it"));
        }
        if label.chars().any(char::is_control) {
            return Err("it holds a control character; remove that".to_owned());
        }
        Ok(Label(label))
    }
}

/// A word as a shell takes it.
pub(crate) fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | ':' | '@' | '+');
    if !word.is_empty() && !word.starts_with('-') && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
