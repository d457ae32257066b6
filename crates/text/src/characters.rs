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
            let folded = CaseMapper::new().fold_string(c.encode_utf8(&mut folded)).into_owned();
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
