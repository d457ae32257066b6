//! What is known of a single character, worked out once for each page of 256 of them: texts use few pages, and asking the
//! tables of Unicode for every character of a text costs more than all else.

use std::sync::OnceLock;

use icu_casemap::CaseMapper;
use unicode_normalization::char::{canonical_combining_class, decompose_compatible};
use unicode_normalization::{IsNormalized, is_nfkc_quick};

use crate::identifiers::Sort;
use crate::script::{Class, is_ignorable};

/// What is known of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Character {
    /// Whether nothing before it can combine with it, so that a chunk begins here.
    pub(crate) begins: bool,
    /// Whether it is its own NFKC where it stands alone.
    pub(crate) is_settled: bool,
    /// Whether neither it nor anything that it is made of is changed by case folding or left out, so that a chunk of such
    /// characters is folded to its NFKC.
    pub(crate) is_inert: bool,
    /// How it takes part in words.
    pub(crate) class: Class,
    /// How it takes part in identifiers.
    pub(crate) sort: Sort,
    /// What it is folded to where it stands alone, if that is one character.
    pub(crate) folded: Option<char>,
}

impl Character {
    /// Looks a character up.
    pub(crate) fn of(c: char) -> Character {
        static PAGES: [OnceLock<Box<[Character]>>; 0x1100] = [const { OnceLock::new() }; 0x1100];
        let page = PAGES[c as usize >> 8].get_or_init(|| {
            let first = c as u32 & !0xFF;
            // The half-pairs of UTF-16 are no characters and are never looked up.
            let of = |code| Character::worked_out(char::from_u32(code).unwrap_or_default());
            (first..first + 0x100).map(of).collect()
        });
        page[c as usize & 0xFF]
    }

    fn worked_out(c: char) -> Character {
        let is_settled = is_settled(c) && canonical_combining_class(c) == 0;
        let mut is_inert = true;
        decompose_compatible(c, |part| {
            let mut bytes = [0; 4];
            let text = &*part.encode_utf8(&mut bytes);
            is_inert = is_inert && !is_ignorable(part) && CaseMapper::new().fold_string(text) == text;
        });
        Character {
            begins: begins_chunk(c),
            is_settled,
            is_inert,
            class: Class::of(c),
            sort: Sort::of(c),
            folded: folded(c).filter(|_| is_settled),
        }
    }
}

/// What a character is folded to, if that is one character which is its own NFKC.
fn folded(c: char) -> Option<char> {
    let mut bytes = [0; 4];
    let folded = CaseMapper::new().fold_string(c.encode_utf8(&mut bytes));
    let mut folded = folded.chars();
    match (folded.next(), folded.next()) {
        (Some(folded), None) if is_settled(folded) => Some(folded),
        _ => None,
    }
}

fn is_settled(c: char) -> bool {
    !is_ignorable(c) && is_nfkc_quick(std::iter::once(c)) == IsNormalized::Yes
}

fn begins_chunk(c: char) -> bool {
    if is_ignorable(c) {
        return false;
    }
    // What it is made of decides: a full-width letter begins a chunk, a half-width voicing mark does not.
    let mut first = None;
    decompose_compatible(c, |part| {
        first.get_or_insert(part);
    });
    let first = first.unwrap_or(c);
    canonical_combining_class(first) == 0
        && canonical_combining_class(c) == 0
        && is_nfkc_quick(std::iter::once(first)) != IsNormalized::Maybe
}

#[cfg(test)]
mod tests {
    use unicode_normalization::UnicodeNormalization;

    use super::*;
    use crate::identifiers::sort;
    use crate::normalize::{Normalised, normalize};
    use crate::script::class;

    /// NFKC without what is not seen, by the library alone.
    fn cased(text: &str) -> String {
        let seen: String = text.chars().filter(|c| !is_ignorable(*c)).collect();
        seen.nfkc().filter(|c| !is_ignorable(*c)).collect()
    }

    /// toNFKC_Casefold of the Unicode standard (D146 and section 5.18), by the libraries alone.
    fn case_folded(text: &str) -> String {
        let mut text: String = text.chars().filter(|c| !is_ignorable(*c)).collect();
        for _ in 0..2 {
            let decomposed: String = text.nfd().collect();
            text = cased(&CaseMapper::new().fold_string(&decomposed));
        }
        text
    }

    fn check(text: &str) {
        assert_eq!(normalize(text), case_folded(text), "{text:?}");
        assert_eq!(Normalised::cased(text).text, cased(text), "{text:?}");
    }

    fn all() -> impl Iterator<Item = char> {
        '\0'..=char::MAX
    }

    #[test]
    fn every_character_alone_takes_the_form_that_unicode_gives_it() {
        let mut bytes = [0; 4];
        for c in all() {
            check(c.encode_utf8(&mut bytes));
            assert_eq!(class(c), Class::of(c), "{c:?}");
            assert_eq!(sort(c), Sort::of(c), "{c:?}");
        }
    }

    #[test]
    fn characters_that_combine_do_so_behind_any_other() {
        // All that a chunk does not begin with, behind letters of many scripts, jamo, digits, signs, marks and what is
        // not seen, and before the same.
        let others = "aKſΩΐᾳäﬁかｶ가하\u{1100}\u{1161}\u{11a8}كﷺकুெৱ1①+ 😀\u{301}\u{323}\u{345}\u{3099}\u{94d}\u{ad}\u{200d}\u{fe0f}\u{ffff}";
        for combining in all().filter(|c| !Character::of(*c).begins) {
            for other in others.chars() {
                check(&String::from_iter([other, combining]));
                check(&String::from_iter([combining, other]));
            }
        }
    }

    #[test]
    fn a_sample_of_characters_side_by_side_takes_the_form_that_unicode_gives_it() {
        let one: Vec<char> = all().take(0x3_0000).step_by(211).collect();
        let other: Vec<char> = all().take(0x2_0000).step_by(467).collect();
        for first in &one {
            for second in &other {
                check(&String::from_iter([*first, *second]));
            }
        }
    }
}
