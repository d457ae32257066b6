//! The form in which texts and names are compared, and where each part of it stands in the original.

use std::borrow::Cow;
use std::ops::Range;

use icu_casemap::CaseMapper;
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::{IsNormalized, is_nfkc_quick};

use crate::characters::Character;
use crate::script::is_ignorable;

/// NFKC and full case folding (Unicode), without the characters that are not seen (zero width, soft hyphen, direction
/// marks, variation selectors): the form in which texts and names are compared. Normalising twice changes nothing.
///
/// ```
/// use ken_text::normalize;
/// assert_eq!(normalize("Straße"), "strasse");
/// assert_eq!(normalize("Cafe\u{301}"), normalize("CAFÉ"));
/// assert_eq!(normalize("ＡＰＩ"), "api");
/// ```
pub fn normalize(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    let mut out = String::with_capacity(text.len());
    push_folded(text, &mut out);
    out
}

/// The same onto the end of `out`.
pub(crate) fn push_folded(text: &str, out: &mut String) {
    for chunk in Chunks::of(text) {
        push_chunk(chunk, Case::Folded, out);
    }
}

/// A text in another form, with the place of each part in the original.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Normalised<'a> {
    /// The text in its new form.
    pub text: Cow<'a, str>,
    /// The way back.
    pub offsets: Offsets,
}

/// Where the parts of a normalised text stand in the original.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offsets {
    /// (start in the new text, start in the original) of stretches that map byte for byte until the next entry, or
    /// as a whole when `solid`. Empty: the two texts have the same offsets.
    stretches: Vec<Stretch>,
    original_length: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stretch {
    new: u32,
    original: u32,
    /// The stretch was changed as a whole: a place inside of it is a place inside of the whole.
    solid: bool,
}

impl<'a> Normalised<'a> {
    /// [`normalize`] with the way back to the original. Texts of 4 GiB and more are cut there.
    pub fn folded(text: &'a str) -> Normalised<'a> {
        Normalised::with(text, Case::Folded)
    }

    /// NFKC without the characters that are not seen, in the case in which it was written: what identifiers are split
    /// in.
    pub fn cased(text: &'a str) -> Normalised<'a> {
        Normalised::with(text, Case::Kept)
    }

    fn with(text: &'a str, case: Case) -> Normalised<'a> {
        let text = cut(text, u32::MAX as usize);
        let same = Offsets {
            stretches: Vec::new(),
            original_length: text.len(),
        };
        if text.is_ascii() {
            let text = match case {
                Case::Kept => Cow::Borrowed(text),
                Case::Folded => Cow::Owned(text.to_ascii_lowercase()),
            };
            return Normalised { text, offsets: same };
        }
        let mut out = String::with_capacity(text.len());
        let mut stretches = Vec::new();
        let mut original = 0;
        let mut straight = false;
        let mut chunks = Chunks::of(text);
        loop {
            let run = match case {
                Case::Kept => settled_run(chunks.rest),
                Case::Folded => 0,
            };
            if run > 0 {
                if !straight {
                    stretches.push(Stretch {
                        new: out.len() as u32,
                        original: original as u32,
                        solid: false,
                    });
                }
                straight = true;
                out.push_str(&chunks.rest[..run]);
                original += run;
                chunks.rest = &chunks.rest[run..];
            }
            let Some(chunk) = chunks.next() else { break };
            let new = out.len();
            push_chunk(chunk, case, &mut out);
            // A chunk that kept its bytes, or a single ASCII one, runs on from the stretch before it.
            let kept = chunk.len() == 1 || out.as_bytes()[new..] == *chunk.as_bytes();
            if !(kept && straight) {
                stretches.push(Stretch {
                    new: new as u32,
                    original: original as u32,
                    solid: !kept,
                });
            }
            straight = kept;
            original += chunk.len();
        }
        if stretches.len() == 1 && !stretches[0].solid {
            stretches.clear();
        }
        Normalised {
            text: Cow::Owned(out),
            offsets: Offsets {
                stretches,
                original_length: text.len(),
            },
        }
    }
}

impl Offsets {
    /// The bytes of the original from which the bytes `span` of the new text came. What was changed as a whole (a base
    /// letter with its marks, a ligature) comes back as a whole.
    pub fn original(&self, span: Range<usize>) -> Range<usize> {
        if self.stretches.is_empty() {
            return span;
        }
        let start = self.start_of(span.start);
        if span.end <= span.start {
            return start..start;
        }
        start..self.end_of(span.end).max(start)
    }

    fn start_of(&self, at: usize) -> usize {
        match self.holding(at) {
            None => at,
            Some((_, stretch)) if stretch.solid => stretch.original as usize,
            Some((_, stretch)) => stretch.original as usize + (at - stretch.new as usize),
        }
    }

    fn end_of(&self, at: usize) -> usize {
        // The end is exclusive: the stretch that holds the last byte decides.
        match self.holding(at - 1) {
            None => at,
            Some((next, stretch)) if stretch.solid => self
                .stretches
                .get(next)
                .map_or(self.original_length, |s| s.original as usize),
            Some((_, stretch)) => stretch.original as usize + (at - stretch.new as usize),
        }
    }

    /// The stretch that holds a byte of the new text, and the number of the one after it.
    fn holding(&self, at: usize) -> Option<(usize, Stretch)> {
        let next = self.stretches.partition_point(|s| s.new as usize <= at);
        // Chunks that vanished share their start with the one after them; the last of them is the one that is there.
        Some((next, *self.stretches.get(next.checked_sub(1)?)?))
    }
}

/// The longest beginning of `text` of at most `bytes` bytes that ends between characters.
pub(crate) fn cut(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    Folded,
    Kept,
}

/// Normalises one chunk onto the end of `out`.
fn push_chunk(chunk: &str, case: Case, out: &mut String) {
    if let [byte] = chunk.as_bytes() {
        out.push(char::from(match case {
            Case::Folded => byte.to_ascii_lowercase(),
            Case::Kept => *byte,
        }));
        return;
    }
    if let Some(single) = single(chunk, case) {
        out.push(single);
        return;
    }
    if case == Case::Folded && chunk.chars().all(|c| Character::of(c).is_inert) {
        return out.extend(chunk.nfkc());
    }
    if !chunk.contains(is_ignorable) && case == Case::Kept {
        return match is_nfkc_quick(chunk.chars()) {
            IsNormalized::Yes => out.push_str(chunk),
            _ => out.extend(chunk.nfkc().filter(|c| !is_ignorable(*c))),
        };
    }
    let seen: String = chunk.chars().filter(|c| !is_ignorable(*c)).collect();
    match case {
        Case::Kept if is_nfkc_quick(seen.chars()) == IsNormalized::Yes => out.push_str(&seen),
        Case::Kept => out.extend(seen.nfkc().filter(|c| !is_ignorable(*c))),
        Case::Folded => {
            // Folding can undo the normal form and the normal form can undo the folding, for a handful of letters: it
            // settles after two rounds, and the third is never needed but guards against a future Unicode.
            let mut current = fold(&seen);
            for _ in 0..3 {
                let next = fold(&current);
                if next == current {
                    break;
                }
                current = next;
            }
            out.push_str(&current);
        }
    }
}

fn fold(text: &str) -> String {
    // Canonical decomposition first, so that a mark that folds to a letter (the Greek iota below) stands in its order.
    let decomposed: String = text.nfd().collect();
    CaseMapper::new()
        .fold_string(&decomposed)
        .nfkc()
        .filter(|c| !is_ignorable(*c))
        .collect()
}

/// The form of a chunk of one character, where it is one character too: nearly always.
fn single(chunk: &str, case: Case) -> Option<char> {
    let mut chars = chunk.chars();
    let (Some(first), None) = (chars.next(), chars.next()) else {
        return None;
    };
    let known = Character::of(first);
    match case {
        Case::Kept => known.is_settled.then_some(first),
        Case::Folded => known.folded,
    }
}

/// The length of the beginning of a text of characters that are chunks by themselves and keep their form.
fn settled_run(text: &str) -> usize {
    let mut end = 0;
    for (at, c) in text.char_indices() {
        if at > 0 && !begins_chunk(c) {
            // The one before is not by itself.
            return end;
        }
        if !is_settled(c) {
            return at;
        }
        // If the next one begins a chunk.
        end = at;
    }
    text.len()
}

fn is_settled(c: char) -> bool {
    c.is_ascii() || Character::of(c).is_settled
}

/// Pieces of a text that can be normalised one by one: a character that nothing before it can combine with, and all
/// that may combine with it.
struct Chunks<'a> {
    rest: &'a str,
}

impl<'a> Chunks<'a> {
    fn of(text: &'a str) -> Chunks<'a> {
        Chunks { rest: text }
    }
}

impl<'a> Iterator for Chunks<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        let mut chars = self.rest.char_indices();
        chars.next()?;
        let end = chars
            .find(|(_, c)| begins_chunk(*c))
            .map_or(self.rest.len(), |(at, _)| at);
        let (chunk, rest) = self.rest.split_at(end);
        self.rest = rest;
        Some(chunk)
    }
}

fn begins_chunk(c: char) -> bool {
    c.is_ascii() || Character::of(c).begins
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn forms_that_are_the_same_to_a_reader_compare_equal() {
        for (one, other) in [
            ("Straße", "STRASSE"),
            ("Cafe\u{301}", "CAFÉ"),
            ("ＡＰＩ　Gateway", "api gateway"),
            ("ﬁle", "FILE"),
            ("Σίσυφος", "ΣΊΣΥΦΟΣ"),
            ("МОСКВА", "москва"),
            ("ｵｰﾁｬｰﾄﾞ", "オーチャード"),
            ("한글", "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}"),
            ("Or\u{ad}chard", "orchard"),
            ("Orch\u{200b}ard", "orchard"),
            ("❤\u{fe0f}", "❤"),
            ("x²", "X2"),
        ] {
            assert_eq!(normalize(one), normalize(other), "{one} and {other}");
        }
    }

    #[test]
    fn accents_and_the_dotless_i_are_letters_of_their_own() {
        assert_ne!(normalize("café"), normalize("cafe"));
        assert_ne!(normalize("ısı"), normalize("isi"));
    }

    #[test]
    fn the_letters_that_settle_late_do_settle() {
        // Iota below, dotted capital I, sharp s in capitals, and Cherokee, whose folding goes upwards.
        for text in [
            "\u{1fb7}",
            "\u{345}\u{301}",
            "a\u{345}\u{301}",
            "İ",
            "ẞ",
            "\u{ab70}",
            "ŉ",
            "ΐ",
            "\u{3d2}\u{301}",
        ] {
            let once = normalize(text);
            assert_eq!(normalize(&once), once, "{text:?}");
        }
    }

    #[test]
    fn offsets_lead_back_to_what_was_written() {
        let text = "Ein Café, ﬁle und ＡＰＩ";
        let normalised = Normalised::folded(text);
        for (new, old) in [
            ("café", "Café"),
            ("file", "ﬁle"),
            ("api", "ＡＰＩ"),
            ("und", "und"),
        ] {
            let at = normalised.text.find(new).unwrap();
            assert_eq!(&text[normalised.offsets.original(at..at + new.len())], old);
        }
        // A part of a ligature is the ligature.
        let at = normalised.text.find("file").unwrap();
        assert_eq!(&text[normalised.offsets.original(at..at + 1)], "ﬁ");
    }

    #[test]
    fn what_is_not_seen_takes_no_place() {
        let text = "\u{feff}Or\u{ad}chard\u{200b}!";
        let normalised = Normalised::cased(text);
        assert_eq!(normalised.text, "Orchard!");
        assert_eq!(&text[normalised.offsets.original(0..7)], "Or\u{ad}chard\u{200b}");
    }

    #[test]
    fn an_ascii_text_is_borrowed_and_keeps_its_offsets() {
        let normalised = Normalised::cased("apiGateway");
        assert!(matches!(normalised.text, Cow::Borrowed(_)));
        assert_eq!(normalised.offsets.original(3..10), 3..10);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn normalising_twice_changes_nothing(text in "\\PC{0,24}") {
            let once = normalize(&text);
            prop_assert_eq!(normalize(&once), once);
        }

        #[test]
        fn normalising_any_characters_twice_changes_nothing(text in proptest::collection::vec(any::<char>(), 0..24)) {
            let text: String = text.into_iter().collect();
            let once = normalize(&text);
            prop_assert_eq!(normalize(&once), once);
        }

        #[test]
        fn marks_pile_up_in_any_order(text in "[aàοΩᾳ한한k가か\u{301}\u{345}\u{34f}\u{3099}\u{328}\u{200d}ﾞİß]{0,12}") {
            let once = normalize(&text);
            prop_assert_eq!(normalize(&once), once);
        }

        #[test]
        fn chunks_are_normalised_as_the_whole_is(text in "[a-zA-Zàéüßﬁ①Σςᾳか\u{3099}ｶﾞ한\u{301}\u{323} ]{0,16}") {
            let seen: String = text.chars().filter(|c| !is_ignorable(*c)).collect();
            prop_assert_eq!(normalize(&text), fold(&fold(&seen)));
        }

        #[test]
        fn offsets_of_any_part_lie_inside_and_are_in_order(text in "\\PC{0,24}") {
            for normalised in [Normalised::folded(&text), Normalised::cased(&text)] {
                let places: Vec<usize> = normalised.text.char_indices().map(|(at, _)| at).collect();
                let mut before = 0;
                for (at, c) in normalised.text.char_indices() {
                    let span = normalised.offsets.original(at..at + c.len_utf8());
                    prop_assert!(text.get(span.clone()).is_some_and(|part| !part.is_empty()), "{:?}", span);
                    prop_assert!(span.start >= before);
                    before = span.start;
                }
                if let (Some(first), Some(last)) = (places.first(), places.last()) {
                    let whole = normalised.offsets.original(*first..normalised.text.len());
                    prop_assert!(whole.start <= whole.end && whole.end <= text.len() && last >= first);
                }
            }
        }

        #[test]
        fn the_text_with_offsets_is_the_text_without(text in "\\PC{0,24}") {
            prop_assert_eq!(Normalised::folded(&text).text.into_owned(), normalize(&text));
        }
    }
}
