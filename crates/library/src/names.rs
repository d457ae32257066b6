//! How names are compared.

/// The form in which two names are the same: NFKC, case-folded, trimmed, one space between words.
pub(crate) fn key(name: &str) -> String {
    let folded = ken_text::normalize(name);
    let mut key = String::with_capacity(folded.len());
    for word in folded.split_whitespace() {
        if !key.is_empty() {
            key.push(' ');
        }
        key.push_str(word);
    }
    key
}

/// Whether a name is one common word, which everybody writes without meaning the thing.
pub(crate) fn is_common_word(key: &str) -> bool {
    matches!(key, "test" | "mark" | "go" | "make")
}
