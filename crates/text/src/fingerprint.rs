//! The plain form of a text, for "the same but for how it is written" and for phrases.

use std::ops::Range;

use twox_hash::XxHash3_64;

use crate::{identifiers, words};

/// The plain form of a text for "the same text but for how it is written": its normalised words, joined by single
/// spaces. Case, white space, punctuation and Markdown do not count. Signs that carry meaning do: those of a name
/// (`C++`, `C#`, `.NET`), comparisons, money and per cent, a minus or a `!` before a word.
///
/// ```
/// use ken_text::fingerprint_text;
/// assert_eq!(fingerprint_text("Use **pnpm**, not npm!"), fingerprint_text("use pnpm not NPM."));
/// assert_ne!(fingerprint_text("Write it in C++"), fingerprint_text("Write it in C"));
/// assert_ne!(fingerprint_text("retries < 5"), fingerprint_text("retries > 5"));
/// ```
pub fn fingerprint_text(text: &str) -> String {
    plain_form(text, |word, out| out.push_str(&words::plain(word)))
}

/// The hash by which equal texts are known: of their plain form ([`fingerprint_text`]). Texts that differ may have one
/// hash, about once in 2^64.
pub fn plain_hash(text: &str) -> u64 {
    XxHash3_64::oneshot(fingerprint_text(text).as_bytes())
}

/// Whether the normalised words of `phrase` stand one after the other in `text`. Identifiers count whole and split:
/// `api gateway` stands in `the apiGateway`, and so does `apiGateway`. A phrase without words stands nowhere.
///
/// ```
/// use ken_text::phrase_in;
/// assert!(phrase_in("Set the API-Gateway's time-out", "gateway's time out"));
/// assert!(!phrase_in("a gate way", "gateway"));
/// ```
pub fn phrase_in(text: &str, phrase: &str) -> bool {
    let phrase = fingerprint_text(phrase);
    if phrase.is_empty() {
        return false;
    }
    stands_in(&fingerprint_text(text), &phrase) || stands_in(&split_form(text), &phrase)
}

/// The plain form with identifiers in their parts.
fn split_form(text: &str) -> String {
    plain_form(text, |word, out| {
        for (number, part) in identifiers::identifier_parts(word).into_iter().enumerate() {
            if number > 0 {
                out.push(' ');
            }
            out.push_str(&words::plain(part));
        }
    })
}

fn stands_in(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let end = at + phrase.len();
        (at == 0 || text.as_bytes()[at - 1] == b' ') && (end == text.len() || text.as_bytes()[end] == b' ')
    })
}

fn plain_form(text: &str, write_word: impl Fn(&str, &mut String)) -> String {
    let mut out = String::with_capacity(text.len());
    let mut end = 0;
    for span in words::spans(text) {
        let prefix = push_signs(text, end..span.start, &mut out);
        separate(&mut out);
        out.extend(prefix);
        write_word(&text[span.clone()], &mut out);
        end = span.end;
    }
    push_signs(text, end..text.len(), &mut out);
    out
}

fn separate(out: &mut String) {
    if !out.is_empty() {
        out.push(' ');
    }
}

/// Adds what is between two words as far as it carries meaning, and returns the sign that belongs to the word after.
fn push_signs(text: &str, between: Range<usize>, out: &mut String) -> Option<char> {
    let before = &text[..between.start];
    let more = between.end < text.len();
    // A sign right after the word before belongs to it; signs that follow each other are one.
    let (mut suffix, mut one) = (!before.is_empty(), false);
    let mut line_start = before.is_empty();
    let mut last = before.chars().next_back();
    let mut signs = text[between].chars().peekable();
    while let Some(sign) = signs.next() {
        let next = signs.peek().copied();
        let to_next_word = next.is_none() && more;
        let opens = to_next_word && !last.is_some_and(char::is_alphanumeric);
        match sign {
            // `C++` and `C#`; but in `a+b` it stands between two.
            '+' | '#' if suffix && !(to_next_word && last != Some(sign)) => out.push(sign),
            '%' if suffix => out.push(sign),
            '-' | '!' | '.' | '$' | '~' | '^' if opens => return Some(sign),
            '<' | '=' | '&' | '+' | '%' | '≤' | '≥' | '≠' | '±' | '→' | '€' | '£' | '¥' => {
                push_operator(sign, one, out);
                one = true;
                (suffix, line_start, last) = (false, false, Some(sign));
                continue;
            }
            // At the start of a line it is a quotation.
            '>' if !line_start => {
                push_operator(sign, one, out);
                one = true;
                (suffix, last) = (false, Some(sign));
                continue;
            }
            '-' | '!' if matches!(next, Some('>' | '=')) => {
                push_operator(sign, one, out);
                one = true;
                (suffix, line_start, last) = (false, false, Some(sign));
                continue;
            }
            _ => suffix = false,
        }
        one = false;
        line_start = sign == '\n' || line_start && (sign.is_whitespace() || sign == '>');
        last = Some(sign);
    }
    None
}

fn push_operator(sign: char, joined: bool, out: &mut String) {
    if !joined {
        separate(out);
    }
    out.push(sign);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn how_it_is_written_does_not_count() {
        for (one, other) in [
            ("Use pnpm.", "use  PNPM"),
            ("- **Use** `pnpm`!", "Use pnpm"),
            ("## Use pnpm\n", "Use pnpm"),
            ("> Use pnpm", "Use pnpm"),
            ("Use “pnpm”, please…", "use \"pnpm\" please"),
            ("don’t", "don't"),
            ("Cafe\u{301}", "café"),
            ("(see #hashtag)", "see hashtag"),
            ("a — b", "a b"),
        ] {
            assert_eq!(
                fingerprint_text(one),
                fingerprint_text(other),
                "{one} and {other}"
            );
        }
    }

    #[test]
    fn what_carries_meaning_counts() {
        for (one, other) in [
            ("C", "C++"),
            ("C", "C#"),
            ("C++", "C#"),
            ("NET", ".NET"),
            ("a < b", "a > b"),
            ("a == b", "a != b"),
            ("a <= b", "a < b"),
            ("5%", "5"),
            ("$5", "5"),
            ("-5", "5"),
            ("!important", "important"),
            ("1.5", "15"),
            ("^1.2", "~1.2"),
            ("use it", "never use it"),
            ("a -> b", "a b"),
        ] {
            assert_ne!(
                fingerprint_text(one),
                fingerprint_text(other),
                "{one} and {other}"
            );
        }
    }

    #[test]
    fn the_form_itself() {
        assert_eq!(
            fingerprint_text("Prefer C++17 / C# over .NET: x+y >= 5%, foo->bar!"),
            "prefer c++ 17 c# over .net x + y >= 5% foo -> bar"
        );
        assert_eq!(fingerprint_text("!?…"), "");
        assert_eq!(fingerprint_text("東京タワー"), "東 京 タワー");
    }

    #[test]
    fn phrases_are_whole_words_in_order() {
        for (text, phrase, expected) in [
            ("the connection pool is full", "connection pool", true),
            ("the connection-pool is full", "Connection Pool", true),
            ("the connectionPool is full", "connection pool", true),
            ("the connection_pool is full", "connection pool", true),
            ("the connection_pool is full", "connection_pool", true),
            ("the connectionPool is full", "connectionpool", true),
            ("the connections pool", "connection pool", false),
            ("pool connection", "connection pool", false),
            ("written in C++", "C++", true),
            ("written in C++", "C", false),
            ("anything", "", false),
            ("anything", "!", false),
            ("東京タワーの近く", "東京タワー", true),
            ("オンライン", "ライン", false),
        ] {
            assert_eq!(phrase_in(text, phrase), expected, "{phrase:?} in {text:?}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        #[test]
        fn case_and_white_space_never_count(text in "[a-zéß0-9 .,+#<>=!-]{0,24}") {
            let spread = text.replace(' ', " \n ");
            // A `>` that comes to stand at the start of a line turns into a quotation.
            prop_assume!(!text.contains('>'));
            prop_assert_eq!(fingerprint_text(&spread), fingerprint_text(&text));
            prop_assert_eq!(fingerprint_text(&text.to_uppercase()), fingerprint_text(&text));
        }

        #[test]
        fn a_text_holds_its_own_words_as_a_phrase(text in "\\PC{0,24}") {
            prop_assert_eq!(phrase_in(&text, &text), !fingerprint_text(&text).is_empty());
        }
    }
}
