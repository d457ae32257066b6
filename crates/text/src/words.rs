//! Words by Unicode's rules (UAX 29).

use std::borrow::Cow;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The word, normalised, with a straight apostrophe.
    pub text: String,
    /// Where it stands in the original text, in bytes.
    pub span: Range<usize>,
}

/// Splits a text into normalised words by UAX 29; runs of CJK, Thai and the like come as they are split there.
/// What has no letter and no digit is not a word.
///
/// ```
/// let words: Vec<String> = ken_text::words("Don’t rename api_gateway to v2.1!").into_iter().map(|w| w.text).collect();
/// assert_eq!(words, ["don't", "rename", "api_gateway", "to", "v2.1"]);
/// ```
pub fn words(text: &str) -> Vec<Word> {
    spans(text)
        .map(|span| Word {
            text: plain(&text[span.clone()]).into_owned(),
            span,
        })
        .collect()
}

/// The normalised form of one word, with a straight apostrophe.
pub(crate) fn plain(word: &str) -> Cow<'_, str> {
    if word.is_ascii() {
        return if word.bytes().any(|b| b.is_ascii_uppercase()) {
            Cow::Owned(word.to_ascii_lowercase())
        } else {
            Cow::Borrowed(word)
        };
    }
    let mut plain = String::with_capacity(word.len());
    push_plain(word, &mut plain);
    Cow::Owned(plain)
}

/// The same onto the end of `out`.
pub(crate) fn push_plain(word: &str, out: &mut String) {
    let at = out.len();
    crate::normalize::push_folded(word, out);
    if out[at..].contains(is_curly_apostrophe) {
        let straight = out[at..].replace(is_curly_apostrophe, "'");
        out.replace_range(at.., &straight);
    }
}

/// Signs that people type, or that programs put, for an apostrophe.
pub(crate) fn is_curly_apostrophe(c: char) -> bool {
    matches!(c, '\u{2019}' | '\u{02BC}' | '\u{2018}' | '\u{201B}')
}

/// The places of the words of a text.
pub(crate) fn spans(text: &str) -> impl Iterator<Item = Range<usize>> {
    // Words never reach over white space, so that the ASCII stretches of any text take the quick way.
    Chunks { text, at: 0 }.flat_map(move |chunk| {
        let part = &text[chunk.clone()];
        let (ascii, other) = if part.is_ascii() {
            (
                Some(AsciiWords {
                    bytes: part.as_bytes(),
                    at: 0,
                }),
                None,
            )
        } else {
            (
                None,
                Some(
                    part.split_word_bound_indices()
                        .filter(|(_, word)| has_letter_or_digit(word)),
                ),
            )
        };
        ascii
            .into_iter()
            .flatten()
            .chain(other.into_iter().flatten().map(|(at, word)| at..at + word.len()))
            .map(move |span| chunk.start + span.start..chunk.start + span.end)
    })
}

fn has_letter_or_digit(word: &str) -> bool {
    word.chars().any(char::is_alphanumeric)
}

/// The stretches between ASCII white space.
struct Chunks<'a> {
    text: &'a str,
    at: usize,
}

impl Iterator for Chunks<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let bytes = self.text.as_bytes();
        let start = self.at + bytes[self.at..].iter().position(|b| !b.is_ascii_whitespace())?;
        let end = bytes[start..]
            .iter()
            .position(u8::is_ascii_whitespace)
            .map_or(bytes.len(), |n| start + n);
        self.at = end;
        Some(start..end)
    }
}

/// UAX 29 for ASCII: letters, digits and underscores stay together; `.`, `'` and `:` join letters; `.`, `'`, `,` and
/// `;` join digits.
struct AsciiWords<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Iterator for AsciiWords<'_> {
    type Item = Range<usize>;

    fn next(&mut self) -> Option<Range<usize>> {
        let is_part = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
        loop {
            let start = self.at + self.bytes.get(self.at..)?.iter().position(is_part)?;
            let mut end = start + 1;
            let mut real = self.bytes[start] != b'_';
            loop {
                match self.bytes.get(end) {
                    Some(b) if is_part(b) => {
                        real |= *b != b'_';
                        end += 1;
                    }
                    Some(joint) if self.joins(end, *joint) => end += 2,
                    _ => break,
                }
            }
            self.at = end;
            if real {
                return Some(start..end);
            }
        }
    }
}

impl AsciiWords<'_> {
    fn joins(&self, at: usize, joint: u8) -> bool {
        let (before, Some(after)) = (self.bytes[at - 1], self.bytes.get(at + 1)) else {
            return false;
        };
        match joint {
            b'.' | b'\'' => {
                before.is_ascii_alphabetic() && after.is_ascii_alphabetic()
                    || before.is_ascii_digit() && after.is_ascii_digit()
            }
            b':' => before.is_ascii_alphabetic() && after.is_ascii_alphabetic(),
            b',' | b';' => before.is_ascii_digit() && after.is_ascii_digit(),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn texts(text: &str) -> Vec<String> {
        words(text).into_iter().map(|word| word.text).collect()
    }

    #[test]
    fn words_are_whole_and_normalised() {
        for (text, expected) in [
            (
                "Don’t panic, can't stop",
                &["don't", "panic", "can't", "stop"][..],
            ),
            (
                "snake_case camelCase kebab-case a.b.c",
                &["snake_case", "camelcase", "kebab", "case", "a.b.c"],
            ),
            (
                "2.1.205 and 1,000; 10:30",
                &["2.1.205", "and", "1,000", "10", "30"],
            ),
            ("__init__ __ _", &["__init__"]),
            ("Größe: 5 MB", &["grösse", "5", "mb"]),
            ("Привет, мир!", &["привет", "мир"]),
            ("दिल्ली में", &["दिल्ली", "में"]),
            ("東京タワー", &["東", "京", "タワー"]),
            ("", &[]),
            (" \n\t ", &[]),
            ("🚀", &[]),
        ] {
            assert_eq!(texts(text), expected, "{text}");
        }
    }

    #[test]
    fn spans_are_places_in_what_was_given() {
        let text = "Ein Café — ＡＰＩ!";
        let spans: Vec<&str> = words(text).into_iter().map(|word| &text[word.span]).collect();
        assert_eq!(spans, ["Ein", "Café", "ＡＰＩ"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn the_quick_way_splits_as_unicode_does(text in "[a-cA-C0-2_.,;:'+ \\-\n]{0,24}") {
            let quick: Vec<Range<usize>> = spans(&text).collect();
            let slow: Vec<Range<usize>> = text
                .split_word_bound_indices()
                .filter(|(_, word)| has_letter_or_digit(word))
                .map(|(at, word)| at..at + word.len())
                .collect();
            prop_assert_eq!(quick, slow);
        }

        #[test]
        fn words_of_any_text_stand_where_they_say(text in "\\PC{0,32}") {
            let mut end = 0;
            for word in words(&text) {
                prop_assert!(word.span.start >= end && word.span.end > word.span.start);
                prop_assert!(text.is_char_boundary(word.span.start) && text.is_char_boundary(word.span.end));
                end = word.span.end;
            }
        }
    }
}
