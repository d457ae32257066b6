//! Look-alike characters: a text as the rules read it, and the way back to the text as it is.
//!
//! Covered: zero-width and directional marks (dropped), every kind of space, dash, quote, colon, equals sign and arrow,
//! and full-width ASCII (read as the plain character). Not covered: letters of other alphabets that look Latin.

use std::borrow::Cow;
use std::ops::Range;

/// A text in which look-alikes are plain.
pub(crate) struct Folded<'t> {
    /// What the rules read.
    pub(crate) text: Cow<'t, str>,
    steps: Vec<Step>,
}

/// One character that reads differently.
struct Step {
    folded: usize,
    folded_len: usize,
    original: usize,
    original_len: usize,
}

/// Reads `text` with look-alikes made plain; borrows when there are none.
pub(crate) fn fold(text: &str) -> Folded<'_> {
    let mut steps: Vec<Step> = Vec::new();
    let mut plain = String::new();
    let mut copied = 0;
    let mut at = 0;
    while let Some(byte) = text.as_bytes().get(at) {
        let length = match byte {
            0..0x80 => {
                at += before_wide(&text.as_bytes()[at..]);
                continue;
            }
            // The beginnings of characters that may read differently.
            0xc2 | 0xcd | 0xd6 | 0xe1 | 0xe2 | 0xe3 | 0xea | 0xef => {
                let Some(character) = text[at..].chars().next() else {
                    break;
                };
                let length = character.len_utf8();
                if let Some(reading) = reading(character) {
                    plain.push_str(&text[copied..at]);
                    steps.push(Step {
                        folded: plain.len(),
                        folded_len: reading.len(),
                        original: at,
                        original_len: length,
                    });
                    plain.push_str(reading);
                    copied = at + length;
                }
                length
            }
            0x80..0xe0 => 2,
            0xe0..0xf0 => 3,
            0xf0.. => 4,
        };
        at += length;
    }
    if steps.is_empty() {
        return Folded {
            text: Cow::Borrowed(text),
            steps,
        };
    }
    plain.push_str(&text[copied..]);
    Folded {
        text: Cow::Owned(plain),
        steps,
    }
}

/// How many bytes are ASCII, one or more of them; skips whole blocks, for most texts have few other bytes.
fn before_wide(bytes: &[u8]) -> usize {
    const BLOCK: usize = 64;
    let blocks = bytes
        .chunks_exact(BLOCK)
        .take_while(|block| block.is_ascii())
        .count();
    let from = blocks * BLOCK;
    from + bytes[from..].iter().take_while(|byte| byte.is_ascii()).count()
}

impl Folded<'_> {
    /// Where `span` of the folded text stands in the original.
    pub(crate) fn original(&self, span: &Range<usize>) -> Range<usize> {
        self.start(span.start)..self.end(span.end)
    }

    fn start(&self, at: usize) -> usize {
        match self.steps[..self.steps.partition_point(|step| step.folded <= at)].last() {
            None => at,
            Some(step) if at < step.folded + step.folded_len => step.original,
            Some(step) => step.original + step.original_len + (at - step.folded - step.folded_len),
        }
    }

    fn end(&self, at: usize) -> usize {
        match self.steps[..self.steps.partition_point(|step| step.folded < at)].last() {
            None => at,
            Some(step) if at <= step.folded + step.folded_len => step.original + step.original_len,
            Some(step) => step.original + step.original_len + (at - step.folded - step.folded_len),
        }
    }
}

/// The printable ASCII characters in order, each as a text.
const ASCII: &str =
    "!\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~";

/// How a character reads, where that is not as itself.
fn reading(character: char) -> Option<&'static str> {
    Some(match character {
        '\u{ad}' | '\u{34f}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' => "",
        '\u{2060}'..='\u{2064}' | '\u{2066}'..='\u{2069}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' => "",
        '\u{85}' | '\u{2028}' | '\u{2029}' => "\n",
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' => " ",
        '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' => "-",
        '\u{2018}'..='\u{201b}' | '\u{2032}' | '\u{2035}' => "'",
        '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{ab}' | '\u{bb}' | '\u{300c}'..='\u{300f}' => "\"",
        '\u{2236}' | '\u{a789}' | '\u{fe13}' | '\u{fe55}' | '\u{589}' => ":",
        '\u{a78a}' | '\u{fe66}' | '\u{2192}' | '\u{21d2}' | '\u{27a1}' => "=",
        '\u{3001}' => ",",
        '\u{3002}' => ".",
        '\u{2026}' => "...",
        '\u{ff01}'..='\u{ff5e}' => {
            let at = (character as usize) - 0xff01;
            &ASCII[at..=at]
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_text_is_borrowed() {
        for text in ["", "plain", "naïve 中文 текст"] {
            assert!(matches!(fold(text).text, Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn spans_lead_back_to_whole_characters() {
        let text = "a\u{200b}b：“ｃd”…\u{200b}";
        let folded = fold(text);
        assert_eq!(folded.text, "ab:\"cd\"...");
        let place = |part: &str| {
            let at = folded.text.find(part).expect("the part stands in the text");
            &text[folded.original(&(at..at + part.len()))]
        };
        assert_eq!(place("ab"), "a\u{200b}b");
        assert_eq!(place("b"), "b");
        assert_eq!(place("a"), "a");
        assert_eq!(place("cd"), "ｃd");
        assert_eq!(place("\"cd"), "“ｃd");
        assert_eq!(place(".."), "…");
    }

    #[test]
    fn every_reading_is_reached() {
        for character in ('\u{80}'..=char::MAX).filter(|character| reading(*character).is_some()) {
            assert_eq!(
                Some(&*fold(&format!("a{character}b")).text),
                reading(character).map(|r| format!("a{r}b")).as_deref()
            );
        }
    }

    #[test]
    fn full_width_reads_as_ascii() {
        assert_eq!(fold("ｐａｓｓ＝～！").text, "pass=~!");
    }
}
