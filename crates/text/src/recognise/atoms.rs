//! A text as the smallest pieces that a name can be made of. Texts and names are taken apart here and nowhere else, so
//! that an index of names on disk and a text in memory cannot disagree.

use crate::identifiers::each_part;
use crate::lex::{self, Gap, Kind, Piece};
use crate::script::Class;
use crate::words;

/// What an atom is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sort {
    /// A word, or a part of an identifier.
    Part,
    /// The `'s` behind a word.
    Possessive,
    /// The `l'` before a word.
    Elision,
    /// A character or syllable of a script that runs on.
    Unit(Class),
    /// Any other visible character.
    Sign(char),
}

/// How an atom stands to the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Link {
    /// It touches it.
    Touch,
    /// White space, or the border between a running script or a picture and a word.
    Space,
    /// One hyphen.
    Hyphen,
    /// Underscores, between two words of an identifier.
    Underscore,
    /// Where a capital begins the next word of an identifier in camel case.
    Camel,
    /// Where capitals or digits begin inside of what reads as one word: `GitHub`, `PostgreSQL`, `cat5`.
    Inner,
    /// Inside of a word: a possessive, or what follows an elision.
    Apostrophe,
    /// No name reaches over it: an empty line, or the beginning.
    Barrier,
}

impl Link {
    /// Space, hyphen and identifier borders are one and the same to a name.
    pub(super) fn joins(self) -> bool {
        matches!(
            self,
            Link::Space | Link::Hyphen | Link::Underscore | Link::Camel | Link::Inner
        )
    }
}

/// The normalised form of a part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Token {
    start: u32,
    end: u32,
}

/// A word of several atoms as one: `GitHub`, `McDonald's`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Whole {
    pub(super) token: Token,
    /// How many atoms it is.
    pub(super) length: u32,
}

/// The smallest piece of a text that can be a part of a name.
#[derive(Debug, Clone, Copy)]
pub(super) struct Atom {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) token: Token,
    pub(super) sort: Sort,
    pub(super) link: Link,
    /// The words of several atoms that begin here, by their first in the list of them, and how many there are.
    wholes: (u32, u8),
}

/// A text taken apart. It can be used again for another one.
#[derive(Debug, Default)]
pub(super) struct Atoms {
    pieces: Vec<Piece>,
    atoms: Vec<Atom>,
    wholes: Vec<Whole>,
    /// The normalised forms, one after the other.
    folded: String,
}

impl Atoms {
    /// Takes `text` apart, which is expected in the form of [`crate::Normalised::cased`].
    pub(super) fn of(text: &str) -> Atoms {
        let mut atoms = Atoms::default();
        atoms.take(text);
        atoms
    }

    /// Forgets the text before and takes this one apart.
    pub(super) fn take(&mut self, text: &str) {
        self.atoms.clear();
        self.wholes.clear();
        self.folded.clear();
        let mut pieces = std::mem::take(&mut self.pieces);
        pieces.clear();
        lex::pieces(text, &mut pieces);
        self.atoms.reserve(pieces.len() + pieces.len() / 4);
        self.folded.reserve(text.len());
        let mut reader = Reader { text, into: self };
        let mut before: Option<Kind> = None;
        for piece in &pieces {
            let link = link(before, piece);
            before = Some(piece.kind);
            match piece.kind {
                Kind::Word => reader.word(piece, link),
                Kind::Unit(class) => reader.push(piece.start, piece.end, Sort::Unit(class), link),
                Kind::Sign(sign) => reader.push(piece.start, piece.end, Sort::Sign(sign), link),
            }
        }
        self.pieces = pieces;
    }

    pub(super) fn list(&self) -> &[Atom] {
        &self.atoms
    }

    /// The words of several atoms that begin with this one, the shortest first.
    pub(super) fn wholes(&self, atom: &Atom) -> &[Whole] {
        let (first, count) = (atom.wholes.0 as usize, usize::from(atom.wholes.1));
        &self.wholes[first..first + count]
    }

    pub(super) fn text_of(&self, token: Token) -> &str {
        &self.folded[token.start as usize..token.end as usize]
    }

    /// Leaves off the atoms from `length` on.
    pub(super) fn truncate(&mut self, length: usize) {
        self.atoms.truncate(length);
    }
}

fn link(before: Option<Kind>, piece: &Piece) -> Link {
    match piece.gap {
        Gap::Paragraph => Link::Barrier,
        Gap::Space => Link::Space,
        Gap::Hyphen => Link::Hyphen,
        Gap::Underscore => Link::Underscore,
        // People put a space between Latin and Chinese, and between a picture and a word, or none.
        Gap::None => match (before, piece.kind) {
            (Some(Kind::Unit(_)), Kind::Word) | (Some(Kind::Word), Kind::Unit(_)) => Link::Space,
            (Some(Kind::Sign(sign)), Kind::Word | Kind::Unit(_))
            | (Some(Kind::Word | Kind::Unit(_)), Kind::Sign(sign))
                if is_picture(sign) =>
            {
                Link::Space
            }
            _ => Link::Touch,
        },
    }
}

/// Whether a part of an identifier in camel case is a word of its own: no single letter (`orchardX`, `eBay`) and no digit.
fn is_word_of_camel(part: &str) -> bool {
    part.len() > 1 && part.bytes().all(|byte| byte.is_ascii_alphabetic())
}

/// Whether a sign is a picture, which is a word to itself (UAX 29) and not the punctuation of what it touches.
fn is_picture(sign: char) -> bool {
    matches!(sign as u32, 0x2300..=0x23FF | 0x25A0..=0x27BF | 0x2B00..=0x2BFF | 0x1_F000..=0x1_FAFF)
}

struct Reader<'a> {
    text: &'a str,
    into: &'a mut Atoms,
}

impl Reader<'_> {
    fn token(&mut self, start: u32, end: u32) -> Token {
        let text = &self.text[start as usize..end as usize];
        let folded = &mut self.into.folded;
        let at = folded.len();
        if text.is_ascii() {
            folded.push_str(text);
            folded[at..].make_ascii_lowercase();
        } else {
            words::push_plain(text, folded);
        }
        Token {
            start: at as u32,
            end: folded.len() as u32,
        }
    }

    fn push(&mut self, start: u32, end: u32, sort: Sort, link: Link) {
        let token = self.token(start, end);
        self.into.atoms.push(Atom {
            start,
            end,
            token,
            sort,
            link,
            wholes: (0, 0),
        });
    }

    fn word(&mut self, piece: &Piece, link: Link) {
        let word = piece.of(self.text);
        if word.bytes().all(|b| b.is_ascii_lowercase()) {
            return self.push(piece.start, piece.end, Sort::Part, link);
        }
        let base_end = piece.end - possessive(word) as u32;
        let base_start = piece.start + elision(&word[..(base_end - piece.start) as usize]) as u32;
        let first = self.into.atoms.len();
        let mut link = link;
        if base_start > piece.start {
            self.push(piece.start, base_start, Sort::Elision, link);
            link = Link::Apostrophe;
        }
        let core = self.into.atoms.len();
        self.parts(base_start, base_end, link);
        let core_length = self.into.atoms.len() - core;
        if core_length > 1 {
            self.whole(core, base_start, base_end, core_length);
        }
        if base_end < piece.end {
            self.push(base_end, piece.end, Sort::Possessive, Link::Apostrophe);
        }
        let length = self.into.atoms.len() - first;
        if length > core_length {
            self.whole(first, piece.start, piece.end, length);
        }
    }

    /// The parts of an identifier; a word that has none (marks without a letter) is its own.
    fn parts(&mut self, start: u32, end: u32, link: Link) {
        let text = self.text;
        let base = &text[start as usize..end as usize];
        // A word that begins with a capital reads as one (`GitHub`), one that does not as several (`gitClient`).
        let is_camel = base.is_ascii() && base.starts_with(|first: char| first.is_ascii_lowercase());
        let (mut link, mut before) = (link, None);
        each_part(base, |part| {
            let at = start + (part.as_ptr() as usize - base.as_ptr() as usize) as u32;
            if let Some(before) = before {
                let is_border = is_camel && is_word_of_camel(before) && is_word_of_camel(part);
                link = if is_border { Link::Camel } else { Link::Inner };
            }
            before = Some(part);
            self.push(at, at + part.len() as u32, Sort::Part, link);
        });
        if before.is_none() {
            self.push(start, end, Sort::Part, link);
        }
    }

    fn whole(&mut self, at: usize, start: u32, end: u32, length: usize) {
        let token = self.token(start, end);
        let wholes = &mut self.into.atoms[at].wholes;
        // Those of one atom are made one after the other.
        if wholes.1 == 0 {
            wholes.0 = self.into.wholes.len() as u32;
        }
        wholes.1 += 1;
        self.into.wholes.push(Whole {
            token,
            length: length as u32,
        });
    }
}

/// How many bytes at the end of a word are a possessive `'s`.
fn possessive(word: &str) -> usize {
    let Some(rest) = word.strip_suffix(['s', 'S']) else {
        return 0;
    };
    match rest.chars().next_back() {
        Some(c) if (c == '\'' || words::is_curly_apostrophe(c)) && rest.len() > c.len_utf8() => {
            1 + c.len_utf8()
        }
        _ => 0,
    }
}

/// French and Italian words that lose their vowel before another.
const ELIDED: [&str; 21] = [
    "l", "d", "j", "m", "n", "s", "t", "c", "qu", "jusqu", "lorsqu", "puisqu", "quoiqu", "dell", "all",
    "nell", "sull", "dall", "un", "quest", "quell",
];

/// How many bytes at the start of a word are an elided article (`l'`), its apostrophe included.
fn elision(word: &str) -> usize {
    let Some((at, apostrophe)) = word
        .char_indices()
        .find(|(_, c)| *c == '\'' || words::is_curly_apostrophe(*c))
    else {
        return 0;
    };
    let end = at + apostrophe.len_utf8();
    let elided = ELIDED
        .iter()
        .any(|elided| elided.eq_ignore_ascii_case(&word[..at]));
    if elided && end < word.len() { end } else { 0 }
}
