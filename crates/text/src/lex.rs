//! A text taken apart: words, units of scripts that run on without spaces, signs, and what stands between them. The
//! recogniser and the index terms are both built on it, so that they agree on where a word ends.

use crate::script::{self, Class, class};
use crate::words::is_curly_apostrophe;

/// What a piece of text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Letters, digits, marks and inner apostrophes without a space.
    Word,
    /// One syllable or character, with what hangs on it, of a script that runs on.
    Unit(Class),
    /// Any other visible character.
    Sign(char),
}

/// What stands before a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Gap {
    /// Nothing: the piece touches the one before.
    None,
    /// White space.
    Space,
    /// One hyphen between two words.
    Hyphen,
    /// Underscores between two words.
    Underscore,
    /// An empty line, or the start of the text.
    Paragraph,
}

/// A piece of a text, by its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Piece {
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) kind: Kind,
    pub(crate) gap: Gap,
}

impl Piece {
    pub(crate) fn of<'a>(&self, text: &'a str) -> &'a str {
        &text[self.start as usize..self.end as usize]
    }

    pub(crate) fn is_sign(&self, sign: char) -> bool {
        self.kind == Kind::Sign(sign)
    }

    pub(crate) fn is_word(&self) -> bool {
        self.kind == Kind::Word
    }
}

/// Takes `text` apart. It is expected in the form of [`crate::Normalised::cased`], below 4 GiB.
pub(crate) fn pieces(text: &str, out: &mut Vec<Piece>) {
    let bytes = text.as_bytes();
    let mut gap = Gap::Paragraph;
    let mut at = 0;
    while let Some(c) = text[at..].chars().next() {
        let start = at;
        let kind = match class(c) {
            Class::Space => {
                let (end, lines) = white_space(text, at);
                at = end;
                gap = match gap {
                    Gap::Paragraph => Gap::Paragraph,
                    _ if lines > 1 => Gap::Paragraph,
                    _ => Gap::Space,
                };
                continue;
            }
            Class::Letter => {
                at = end_of_word(text, at);
                Kind::Word
            }
            running if running.runs() => {
                at = end_of_unit(text, at, running);
                Kind::Unit(running)
            }
            _ => {
                at += c.len_utf8();
                let joins =
                    touches_word(out, start, gap) && text[at..].chars().next().is_some_and(is_part_of_word);
                match c {
                    '_' => {
                        let run = at + bytes[at..].iter().take_while(|b| **b == b'_').count();
                        let joins = touches_word(out, start, gap)
                            && text[run..].chars().next().is_some_and(is_part_of_word);
                        at = run;
                        // At the edge of a word underscores are emphasis, or mark something private.
                        if joins {
                            gap = Gap::Underscore;
                        }
                        continue;
                    }
                    '-' | '\u{2010}' if joins => {
                        gap = Gap::Hyphen;
                        continue;
                    }
                    _ => Kind::Sign(c),
                }
            }
        };
        out.push(Piece {
            start: start as u32,
            end: at as u32,
            kind,
            gap,
        });
        gap = Gap::None;
    }
}

fn is_part_of_word(c: char) -> bool {
    !matches!(class(c), Class::Space | Class::Symbol)
}

/// Whether the last piece is a word or unit that ends at `at` with nothing after it yet.
fn touches_word(out: &[Piece], at: usize, gap: Gap) -> bool {
    gap == Gap::None
        && out
            .last()
            .is_some_and(|last| last.end as usize == at && !matches!(last.kind, Kind::Sign(_)))
}

fn white_space(text: &str, at: usize) -> (usize, usize) {
    let rest = &text[at..];
    let length = rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len());
    (
        at + length,
        rest[..length].bytes().filter(|b| *b == b'\n').count(),
    )
}

fn end_of_word(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut at = start;
    loop {
        // Most of most texts.
        while bytes.get(at).is_some_and(u8::is_ascii_alphanumeric) {
            at += 1;
        }
        let mut rest = text[at..].chars();
        match rest.next() {
            Some(c) if !c.is_ascii() && class(c) == Class::Letter && !is_curly_apostrophe(c) => {
                at += c.len_utf8();
            }
            Some(c)
                if (c == '\'' || is_curly_apostrophe(c))
                    && at > start
                    && rest
                        .next()
                        .is_some_and(|next| class(next) == Class::Letter && next.is_alphabetic())
                    && text[start..at].ends_with(char::is_alphanumeric) =>
            {
                at += c.len_utf8();
            }
            _ => return at.max(start + text[start..].chars().next().map_or(0, char::len_utf8)),
        }
    }
}

fn end_of_unit(text: &str, start: usize, of: Class) -> usize {
    let mut chars = text[start..].chars();
    let mut at = start;
    let mut take = |chars: &mut std::str::Chars<'_>| {
        let c = chars.next();
        at += c.map_or(0, char::len_utf8);
        c
    };
    let mut last = take(&mut chars);
    // A vowel that is written before its consonant takes it along.
    if last.is_some_and(script::leads_unit) && chars.clone().next().is_some_and(|c| class(c) == of) {
        last = take(&mut chars);
    }
    let kana = matches!(of, Class::Hiragana | Class::Katakana);
    while let Some(next) = chars.clone().next() {
        let bound = last.is_some_and(script::binds_next) && class(next) == of;
        let is_kana = matches!(class(next), Class::Hiragana | Class::Katakana);
        if !(bound || script::continues_unit(next) && (kana || !is_kana)) {
            break;
        }
        last = take(&mut chars);
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn shown(text: &str) -> String {
        let mut out = Vec::new();
        pieces(text, &mut out);
        let mut shown = String::new();
        for piece in out {
            shown.push_str(match piece.gap {
                Gap::None => "|",
                Gap::Space => " ",
                Gap::Hyphen => "-",
                Gap::Underscore => "_",
                Gap::Paragraph => "¶",
            });
            shown.push_str(piece.of(text));
        }
        shown
    }

    #[test]
    fn texts_come_apart_at_words_units_and_signs() {
        for (text, expected) in [
            ("Hello, world", "¶Hello|, world"),
            ("api-gateway api_gateway", "¶api-gateway api_gateway"),
            ("_Orchard_ (__init__)", "¶Orchard (|init|)"),
            ("a - b --c d-", "¶a - b -|-|c d|-"),
            (
                "Orchard's l'été rock'n'roll 'x'",
                "¶Orchard's l'été rock'n'roll '|x|'",
            ),
            ("C++ C# .NET Node.js", "¶C|+|+ C|# .|NET Node|.|js"),
            ("a\n\nb\nc", "¶a¶b c"),
            ("東京タワーを", "¶東|京|タ|ワー|を"),
            ("使用Orchard部署", "¶使|用|Orchard|部|署"),
            ("Orchard를 오차드", "¶Orchard|를 오|차|드"),
            ("เมืองไทย", "¶เมื|อ|ง|ไท|ย"),
            ("ខ្មែរ", "¶ខ្មែ|រ"),
            ("दिल्ली में", "¶दिल्ली में"),
            ("v2.1", "¶v2|.|1"),
            ("", ""),
            ("  \n", ""),
        ] {
            assert_eq!(shown(text), expected, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn every_letter_and_digit_is_in_one_piece(text in "\\PC{0,32}") {
            let mut out = Vec::new();
            pieces(&text, &mut out);
            let mut end = 0;
            let mut missed = String::new();
            for piece in &out {
                prop_assert!(piece.start as usize >= end && piece.end > piece.start);
                missed.push_str(&text[end..piece.start as usize]);
                end = piece.end as usize;
            }
            missed.push_str(&text[end..]);
            prop_assert!(!missed.contains(is_part_of_word), "{:?}", missed);
        }
    }
}
