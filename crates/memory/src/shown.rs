//! The last step of every text on its way out: credentials that stand in a file are replaced before anybody sees them.

use std::borrow::Cow;

use ken_secrets::EachString;

/// The answer as it leaves: every string of it as it may be shown. Each question ends here. Strings are looked at one
/// by one: those that stand side by side in an answer stand side by side nowhere else.
pub(crate) fn shown_whole<T: EachString>(mut answer: T) -> T {
    answer.each_string(&mut |text| {
        if let (Cow::Owned(clean), _) = ken_secrets::redact(text) {
            *text = clean;
        }
    });
    answer
}

/// The text as it may be shown.
pub(crate) fn shown(text: &str) -> String {
    ken_secrets::Redacted::new(text.to_owned()).0.into_inner()
}

/// At most `limit` characters of a text, and whether that cut it; 0 cuts nothing.
pub(crate) fn cut(text: String, limit: usize) -> (String, bool) {
    if limit == 0 {
        return (text, false);
    }
    match text.char_indices().nth(limit) {
        None => (text, false),
        Some((end, _)) => (format!("{}…", text[..end].trim_end()), true),
    }
}
