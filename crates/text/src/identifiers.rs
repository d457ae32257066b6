//! Identifiers and the words they are made of.

use unicode_normalization::char::is_combining_mark;

use crate::characters::Character;
use crate::words::is_curly_apostrophe;

/// The parts of an identifier, in the original case: `snake_case`, `camelCase`, runs of capitals (`HTTPServer2` is
/// `HTTP`, `Server`, `2`; `APIs` and `IPv4` keep their small letter), digits, `::`, `-` and `.`. A number with points
/// stays whole. One part when it does not split, none when there is no letter, digit or mark.
///
/// ```
/// use ken_text::identifier_parts;
/// assert_eq!(identifier_parts("rust::error_handling"), ["rust", "error", "handling"]);
/// assert_eq!(identifier_parts("HTTPServer2"), ["HTTP", "Server", "2"]);
/// assert_eq!(identifier_parts("python3.11"), ["python", "3.11"]);
/// ```
pub fn identifier_parts(word: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    each_part(word, |part| parts.push(part));
    parts
}

/// How a character takes part in identifiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sort {
    Upper,
    Lower,
    /// A letter without case, or an apostrophe: nothing splits after it.
    Other,
    /// Belongs to the letter before.
    Mark,
    Digit,
    Separator,
}

impl Sort {
    /// Works out the sort of a character, as [`sort`] knows it.
    pub(crate) fn of(c: char) -> Sort {
        match c {
            '\'' => Sort::Other,
            _ if c.is_uppercase() => Sort::Upper,
            _ if c.is_lowercase() => Sort::Lower,
            _ if c.is_numeric() => Sort::Digit,
            _ if is_combining_mark(c) => Sort::Mark,
            _ if c.is_alphabetic() || is_curly_apostrophe(c) => Sort::Other,
            _ => Sort::Separator,
        }
    }
}

/// The sort of a character.
pub(crate) fn sort(c: char) -> Sort {
    match c {
        'a'..='z' => Sort::Lower,
        'A'..='Z' => Sort::Upper,
        '0'..='9' => Sort::Digit,
        '\'' => Sort::Other,
        _ if c.is_ascii() => Sort::Separator,
        _ => Character::of(c).sort,
    }
}

/// Hands out the parts one by one.
pub(crate) fn each_part<'a>(word: &'a str, mut found: impl FnMut(&'a str)) {
    let mut start = None;
    let mut before = Sort::Separator;
    let mut chars = word.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let mut now = sort(c);
        let next = chars.peek().map_or(Sort::Separator, |(_, c)| sort(*c));
        if now == Sort::Separator && c == '.' && before == Sort::Digit && next == Sort::Digit {
            now = Sort::Digit;
        }
        let ends = match (before, now) {
            (Sort::Separator, _) => false,
            (_, Sort::Separator) => true,
            (Sort::Digit, Sort::Upper | Sort::Lower)
            | (Sort::Upper | Sort::Lower | Sort::Other, Sort::Digit) => true,
            (Sort::Lower, Sort::Upper) => true,
            // The last capital of a run begins the next part: `HTTP|Server`.
            (Sort::Upper, Sort::Upper) => next == Sort::Lower && !ends_acronym(&word[at + c.len_utf8()..]),
            _ => false,
        };
        if ends && let Some(from) = start.take() {
            found(&word[from..at]);
        }
        if now != Sort::Separator && start.is_none() {
            start = Some(at);
        }
        before = if now == Sort::Mark && before != Sort::Separator {
            before
        } else {
            now
        };
    }
    if let Some(from) = start {
        found(&word[from..]);
    }
}

/// Whether what follows the capitals is the small letter of `APIs` or `IPv4` and not the rest of a word.
fn ends_acronym(rest: &str) -> bool {
    let mut chars = rest.chars();
    let (first, then) = (chars.next(), chars.next().map_or(Sort::Separator, sort));
    match first {
        Some('s') => !matches!(then, Sort::Lower | Sort::Other | Sort::Mark),
        Some('v') => then == Sort::Digit,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn identifiers_split_where_a_reader_splits_them() {
        for (word, parts) in [
            ("snake_case", &["snake", "case"][..]),
            ("__init__", &["init"]),
            ("camelCase", &["camel", "Case"]),
            ("PascalCase", &["Pascal", "Case"]),
            ("kebab-case", &["kebab", "case"]),
            ("a::b::c_d", &["a", "b", "c", "d"]),
            ("foo.barBaz", &["foo", "bar", "Baz"]),
            ("HTTPServer2", &["HTTP", "Server", "2"]),
            ("parseHTTP", &["parse", "HTTP"]),
            ("APIs", &["APIs"]),
            ("userIDs", &["user", "IDs"]),
            ("IPv4", &["IPv", "4"]),
            ("MAX_TEXT", &["MAX", "TEXT"]),
            ("utf8", &["utf", "8"]),
            ("2.1.205", &["2.1.205"]),
            ("v2.1", &["v", "2.1"]),
            ("word", &["word"]),
            ("WORD", &["WORD"]),
            ("don't", &["don't"]),
            ("O’Reilly", &["O’Reilly"]),
            ("größeÄndern", &["größe", "Ändern"]),
            ("МойКласс", &["Мой", "Класс"]),
            ("e\u{301}tatMajor", &["e\u{301}tat", "Major"]),
            ("", &[]),
            ("-", &[]),
        ] {
            assert_eq!(identifier_parts(word), parts, "{word}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn parts_are_the_word_without_its_separators(word in "[a-cA-C0-2_.:'-]{0,16}") {
            let parts = identifier_parts(&word);
            let letters = |text: &str| text.chars().filter(|c| sort(*c) != Sort::Separator).collect::<String>();
            prop_assert_eq!(letters(&parts.concat()), letters(&word));
            prop_assert!(parts.iter().all(|part| !part.is_empty()));
        }
    }
}
