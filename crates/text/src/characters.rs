//! What normalisation does with a single character, worked out once for each page of 256 of them: texts use few pages,
//! and asking the tables of Unicode for every character of a text costs more than all else.

use std::sync::OnceLock;

use icu_casemap::CaseMapper;
use unicode_normalization::char::{canonical_combining_class, decompose_compatible};
use unicode_normalization::{IsNormalized, is_nfkc_quick};

use crate::script::is_ignorable;

/// What is known of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Character(u32);

const BEGINS: u32 = 1 << 21;
const SETTLED: u32 = 1 << 22;
const INERT: u32 = 1 << 23;
const FOLDED: u32 = BEGINS - 1;

impl Character {
    /// Looks a character up.
    pub(crate) fn of(c: char) -> Character {
        static PAGES: [OnceLock<Box<[Character]>>; 0x1100] = [const { OnceLock::new() }; 0x1100];
        let page = PAGES[c as usize >> 8].get_or_init(|| {
            let first = c as u32 & !0xFF;
            let of = |code| char::from_u32(code).map_or(Character(0), Character::worked_out);
            (first..first + 0x100).map(of).collect()
        });
        page[c as usize & 0xFF]
    }

    fn worked_out(c: char) -> Character {
        let mut known = 0;
        if begins_chunk(c) {
            known |= BEGINS;
        }
        if is_settled(c) && canonical_combining_class(c) == 0 {
            known |= SETTLED;
            let mut folded = [0; 4];
            let folded = CaseMapper::new()
                .fold_string(c.encode_utf8(&mut folded))
                .into_owned();
            let mut folded = folded.chars();
            if let (Some(folded), None) = (folded.next(), folded.next())
                && is_settled(folded)
            {
                known |= folded as u32;
            }
        }
        let mut inert = true;
        decompose_compatible(c, |part| {
            let mut bytes = [0; 4];
            let text = &*part.encode_utf8(&mut bytes);
            inert = inert && !is_ignorable(part) && CaseMapper::new().fold_string(text) == text;
        });
        if inert {
            known |= INERT;
        }
        Character(known)
    }

    /// Whether nothing before it can combine with it, so that a chunk begins here.
    pub(crate) fn begins(self) -> bool {
        self.0 & BEGINS != 0
    }

    /// Whether it is its own NFKC where it stands alone.
    pub(crate) fn is_settled(self) -> bool {
        self.0 & SETTLED != 0
    }

    /// What it is folded to where it stands alone, if that is one character.
    pub(crate) fn folded(self) -> Option<char> {
        char::from_u32(self.0 & FOLDED).filter(|c| *c != '\0')
    }

    /// Whether neither it nor anything that it is made of is changed by case folding or left out, so that a chunk of such
    /// characters is folded to its NFKC.
    pub(crate) fn is_inert(self) -> bool {
        self.0 & INERT != 0
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
    use crate::normalize::{Normalised, normalize};

    /// NFKC without what is not seen, by the library alone.
    fn cased(text: &str) -> String {
        let seen: String = text.chars().filter(|c| !is_ignorable(*c)).collect();
        seen.nfkc().filter(|c| !is_ignorable(*c)).collect()
    }

    /// toNFKC_Casefold of the Unicode standard (D146 and section 5.18), by the libraries alone.
    fn folded(text: &str) -> String {
        let mut text: String = text.chars().filter(|c| !is_ignorable(*c)).collect();
        for _ in 0..2 {
            let decomposed: String = text.nfd().collect();
            text = cased(&CaseMapper::new().fold_string(&decomposed));
        }
        text
    }

    fn check(text: &str) {
        assert_eq!(normalize(text), folded(text), "{text:?}");
        assert_eq!(Normalised::cased(text).text, cased(text), "{text:?}");
    }

    fn all() -> impl Iterator<Item = char> {
        '\0'..=char::MAX
    }

    #[test]
    fn the_pages_hold_what_is_worked_out_of_each_character() {
        for c in all() {
            assert_eq!(Character::of(c), Character::worked_out(c), "{c:?}");
        }
    }

    #[test]
    fn every_character_alone_takes_the_form_that_unicode_gives_it() {
        let mut bytes = [0; 4];
        all().for_each(|c| check(c.encode_utf8(&mut bytes)));
    }

    #[test]
    fn characters_that_combine_do_so_behind_any_other() {
        // All that a chunk does not begin with, behind letters of many scripts, jamo, digits, signs, marks and what is
        // not seen, and before the same.
        let others = "aKſΩΐᾳäﬁかｶ가하\u{1100}\u{1161}\u{11a8}كﷺकুெৱ1①+ 😀\u{301}\u{323}\u{345}\u{3099}\u{94d}\u{ad}\u{200d}\u{fe0f}\u{ffff}";
        for combining in all().filter(|c| !Character::of(*c).begins()) {
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
