//! Where a name may begin and end: never inside another word, and not next to a sign that makes another name of it.

use unicode_normalization::char::is_combining_mark;

use super::Reading;
use super::atoms::{Atom, Link, Sort};
use crate::script::Class;
use crate::words;

/// A text taken apart, with what edges depend on.
pub(super) struct Context<'a> {
    pub(super) text: &'a str,
    pub(super) atoms: &'a [Atom],
    /// How many of the atoms are not signs.
    pub(super) words: usize,
    pub(super) reading: Reading,
}

impl Context<'_> {
    pub(super) fn text_of(&self, atom: &Atom) -> &str {
        &self.text[atom.start as usize..atom.end as usize]
    }

    /// The atom before `at`, when it touches.
    fn touching_before(&self, at: usize) -> Option<&Atom> {
        let atom = self.atoms.get(at)?;
        let before = self.atoms.get(at.checked_sub(1)?)?;
        (before.end == atom.start).then_some(before)
    }

    /// The atom at `at`, when it touches the one before.
    fn touching(&self, at: usize) -> Option<&Atom> {
        self.touching_before(at).and_then(|_| self.atoms.get(at))
    }

    fn sign_before(&self, at: usize) -> Option<char> {
        match self.touching_before(at)?.sort {
            Sort::Sign(sign) => Some(sign),
            _ => None,
        }
    }

    fn sign_at(&self, at: usize) -> Option<char> {
        match self.touching(at)?.sort {
            Sort::Sign(sign) => Some(sign),
            _ => None,
        }
    }

    fn mentions(&self) -> bool {
        self.reading == Reading::Mentions
    }

    /// Whether a name may begin with the atom at `at`.
    pub(super) fn may_begin(&self, at: usize) -> bool {
        let atom = &self.atoms[at];
        match atom.sort {
            Sort::Possessive => false,
            Sort::Elision => true,
            Sort::Part => {
                let inside = match atom.link {
                    Link::Inner => !self.mentions(),
                    Link::Apostrophe => !matches!(self.atoms[at - 1].sort, Sort::Elision),
                    _ => false,
                };
                !inside && !self.is_held_from_before(at)
            }
            Sort::Unit(class) => {
                let inside = atom.link == Link::Inner && !self.mentions();
                !inside && !self.hangs_on(at) && self.unit_may_begin(at, class)
            }
            Sort::Sign(sign) => match self.touching_before(at) {
                Some(before) if sign.is_ascii() => {
                    !matches!(before.sort, Sort::Part | Sort::Unit(_) | Sort::Possessive)
                        && before.sort != atom.sort
                }
                _ => true,
            },
        }
    }

    /// Whether a name may end before the atom at `end`.
    pub(super) fn may_end(&self, start: usize, end: usize) -> bool {
        let last = &self.atoms[end - 1];
        let Some(next) = self.atoms.get(end) else {
            return match last.sort {
                Sort::Unit(class) => self.unit_may_end(start, end, class),
                _ => true,
            };
        };
        match next.link {
            Link::Inner if !self.mentions() => return false,
            Link::Inner | Link::Camel => return true,
            Link::Apostrophe => return next.sort == Sort::Possessive,
            _ if self.hangs_on(end) => return false,
            _ => {}
        }
        match last.sort {
            Sort::Elision => false,
            Sort::Unit(class) => self.unit_may_end(start, end, class),
            Sort::Sign(sign) => match self.touching(end).map(|next| next.sort) {
                // `C++17` is a version of `C++`; in `C+++` and `x.y` it is not the name.
                Some(Sort::Part) if sign.is_ascii() => {
                    self.text_of(next).starts_with(|c: char| c.is_ascii_digit())
                }
                Some(Sort::Sign(other)) => other != sign || !sign.is_ascii(),
                _ => true,
            },
            Sort::Part | Sort::Possessive => !self.is_held_by_what_follows(end),
        }
    }

    /// Whether the atom at `at` begins with a mark of a running script on a letter of another writing before it.
    fn hangs_on(&self, at: usize) -> bool {
        matches!(self.atoms[at].sort, Sort::Unit(_))
            && self.text_of(&self.atoms[at]).starts_with(is_combining_mark)
            && self
                .touching_before(at)
                .is_some_and(|before| !matches!(before.sort, Sort::Sign(_)))
    }

    /// Whether what stands before a word makes it a part of something else: `.NET`, `3.14`, `צה"ל`.
    fn is_held_from_before(&self, at: usize) -> bool {
        let Some(sign) = self.sign_before(at) else {
            return false;
        };
        let before_sign = at.checked_sub(2).and_then(|_| self.touching_before(at - 1));
        match (sign, before_sign.map(|atom| atom.sort)) {
            ('.' | ',' | ':', Some(Sort::Part)) if self.between_digits(at - 1) => true,
            ('"' | '\u{05F4}' | '·', Some(Sort::Part)) => self.binds_letters(at - 1, sign),
            // A point that nothing stands before begins a name, or a hidden file whose folder follows or goes before.
            ('.', before)
                if !self.mentions()
                    && !matches!(before, Some(Sort::Part | Sort::Unit(_) | Sort::Possessive)) =>
            {
                let in_path = before == Some(Sort::Sign('/')) || self.sign_at(at + 1) == Some('/');
                let closes = matches!(
                    before,
                    Some(Sort::Sign(
                        ')' | ']' | '}' | '"' | '\'' | '`' | '.' | '’' | '”' | '»'
                    ))
                );
                !in_path && !closes
            }
            _ => false,
        }
    }

    /// Whether what follows a word makes it a part of something else: `C++`, `C#`, `3.14`, `Node.js`.
    fn is_held_by_what_follows(&self, end: usize) -> bool {
        let Some(sign) = self.sign_at(end) else {
            return false;
        };
        match sign {
            '+' | '#' => {
                let length = (end..).take_while(|at| self.sign_at(*at) == Some(sign)).count();
                let after = self.touching(end + length).filter(|atom| atom.sort == Sort::Part);
                match after {
                    // `a+b` and `page#part` hold two names; `C#12` holds one, which is not `C`.
                    Some(after) if length == 1 => {
                        sign == '#'
                            && self.text_of(after).starts_with(|c: char| c.is_ascii_digit())
                            && self.text_of(&self.atoms[end - 1]).len() == 1
                    }
                    _ => true,
                }
            }
            '.' | ',' | ':' if self.between_digits(end) => true,
            '.' if !self.mentions() => {
                // `Node.js` is a name of its own, and `Node` is not in it.
                let next = self.touching(end + 1).filter(|atom| atom.sort == Sort::Part);
                next.is_some_and(|next| self.text_of(next).eq_ignore_ascii_case("js"))
            }
            '"' | '\u{05F4}' | '·' => self.binds_letters(end, sign),
            _ => false,
        }
    }

    /// Whether the sign at `at` stands between two digits that it touches.
    fn between_digits(&self, at: usize) -> bool {
        let digit = |c: char| c.is_ascii_digit();
        self.touching_before(at)
            .is_some_and(|before| self.text_of(before).ends_with(digit))
            && self
                .touching(at + 1)
                .is_some_and(|after| self.text_of(after).starts_with(digit))
    }

    /// Whether a sign between two words that it touches makes one word of them: the quotation mark of Hebrew
    /// abbreviations, the middle dot of Catalan.
    fn binds_letters(&self, at: usize, sign: char) -> bool {
        let binds = |c: char| {
            if sign == '·' {
                c.is_alphabetic()
            } else {
                matches!(c, '\u{05D0}'..='\u{05EA}')
            }
        };
        self.touching_before(at)
            .is_some_and(|before| self.text_of(before).ends_with(binds))
            && self
                .touching(at + 1)
                .is_some_and(|after| self.text_of(after).starts_with(binds))
    }

    fn unit_before(&self, at: usize, class: Class) -> Option<&Atom> {
        self.touching_before(at)
            .filter(|before| before.sort == Sort::Unit(class))
    }

    fn unit_at(&self, at: usize, class: Class) -> Option<&Atom> {
        self.touching(at).filter(|atom| atom.sort == Sort::Unit(class))
    }

    fn unit_may_begin(&self, at: usize, class: Class) -> bool {
        let Some(before) = self.unit_before(at, class) else {
            return true;
        };
        match class {
            // Written with spaces, or a word to itself.
            Class::Hangul | Class::Katakana => false,
            Class::Hiragana => PARTICLES_OF_KANA.contains(&self.text_of(before)),
            _ => true,
        }
    }

    fn unit_may_end(&self, start: usize, end: usize, class: Class) -> bool {
        let alone = end - start == 1;
        if alone && self.unit_before(start, class).is_some() {
            return false;
        }
        let Some(next) = self.unit_at(end, class) else {
            return true;
        };
        match class {
            Class::Hangul => {
                let last = (end..)
                    .take_while(|at| self.unit_at(*at, class).is_some())
                    .last()
                    .unwrap_or(end);
                is_particles(&self.text[next.start as usize..self.atoms[last].end as usize])
            }
            Class::Hiragana => AFTER_KANA.contains(&self.text_of(next)),
            _ => !alone,
        }
    }

    /// Whether a name of one ASCII letter stands by itself: not an initial of something (`C-3PO`, `C:\`, `-C`, `(R)`).
    pub(super) fn letter_stands_alone(&self, at: usize) -> bool {
        let next = self.atoms.get(at + 1);
        let hyphen =
            self.atoms[at].link == Link::Hyphen || next.is_some_and(|next| next.link == Link::Hyphen);
        let (before, after) = (self.sign_before(at), self.sign_at(at + 1));
        let opens = before.is_none_or(|sign| "([{\"'“‘«/,;`*|".contains(sign) || !sign.is_ascii());
        let closes = after.is_none_or(|sign| ")]}\"'”’»/,;`*|.!?:".contains(sign) || !sign.is_ascii());
        let drive = after == Some(':') && matches!(self.sign_at(at + 2), Some('/' | '\\'));
        let mark = before == Some('(') && after == Some(')');
        // `B. The second` and `B) the second` are items of a list.
        let item = matches!(after, Some('.' | ')'))
            && before.is_none()
            && self.begins_line(at)
            && self.atoms.len() > at + 2;
        !hyphen && opens && closes && !drive && !mark && !item
    }

    /// Whether nothing but white space stands between the atom at `at` and the start of its line.
    pub(super) fn begins_line(&self, at: usize) -> bool {
        let start = at
            .checked_sub(1)
            .map_or(0, |before| self.atoms[before].end as usize);
        at == 0 || self.text[start..self.atoms[at].start as usize].contains('\n')
    }

    /// Whether nothing but white space stands between the atom before `end` and the end of its line.
    pub(super) fn ends_line(&self, end: usize) -> bool {
        self.atoms.get(end).is_none_or(|next| {
            self.text[self.atoms[end - 1].end as usize..next.start as usize].contains('\n')
        })
    }

    /// Whether the atoms stand between quotation marks or back-ticks that touch them.
    pub(super) fn is_quoted(&self, start: usize, end: usize) -> bool {
        matches!(
            (self.sign_before(start), self.sign_at(end)),
            (Some('"'), Some('"'))
                | (Some('\''), Some('\''))
                | (Some('`'), Some('`'))
                | (Some('“'), Some('”'))
                | (Some('‘'), Some('’'))
                | (Some('«'), Some('»'))
                | (Some('„'), Some('“' | '”'))
                | (Some('「'), Some('」'))
        )
    }

    /// Whether a sentence, a heading, an item or a line begins with the atom at `at`.
    pub(super) fn begins_sentence(&self, at: usize) -> bool {
        let mut at = at;
        // What opens before a first word: quotation marks, brackets, emphasis.
        while self
            .sign_before(at)
            .is_some_and(|sign| "([{\"'“‘«„*`¿¡".contains(sign))
        {
            at -= 1;
        }
        if self.begins_line(at) {
            return true;
        }
        let mut last = at - 1;
        while let Sort::Sign(sign) = self.atoms[last].sort {
            match sign {
                ')' | ']' | '"' | '”' | '’' | '\'' | '*' | '»' if last > 0 && !self.begins_line(last) => {
                    last -= 1;
                }
                '!' | '?' | '…' | '。' | '！' | '？' | ':' | '：' => return true,
                '.' => return !self.is_abbreviation(last),
                '-' | '*' | '+' | '>' | '#' | '•' | '|' | '–' | '—' if self.begins_line(last) => {
                    return true;
                }
                '#' | '>' if last > 0 => last -= 1,
                _ => return false,
            }
        }
        // `1) Next`
        let numbered = self
            .text_of(&self.atoms[last])
            .bytes()
            .all(|b| b.is_ascii_digit());
        numbered && last + 1 < at && self.begins_line(last)
    }

    /// Whether the point at `at` ends an abbreviation and not a sentence.
    fn is_abbreviation(&self, at: usize) -> bool {
        let Some(before) = self.touching_before(at) else {
            return false;
        };
        let word = words::plain(self.text_of(before)).into_owned();
        let initials = word.len() == 1 && at >= 2 && self.sign_before(at - 1) == Some('.');
        initials
            || [
                "vs", "cf", "ca", "approx", "incl", "esp", "mr", "mrs", "ms", "dr", "prof", "st", "eg", "ie",
            ]
            .contains(&word.as_str())
    }

    /// Whether the atoms are what is said after a colon (`Language: Go`), as a whole or at the head of a list.
    pub(super) fn is_value(&self, start: usize, end: usize) -> bool {
        let after_colon = start > 0
            && !self.begins_line(start)
            && matches!(self.atoms[start - 1].sort, Sort::Sign(':' | '：' | '='));
        after_colon && (self.ends_line(end) || matches!(self.sign_at(end), Some(',' | '/' | '|')))
    }
}

/// Particles that stand before a word in hiragana.
const PARTICLES_OF_KANA: [&str; 11] = ["は", "が", "を", "に", "へ", "で", "と", "も", "の", "や", "か"];
/// What may follow a name in hiragana: particles, the copula, and what people are called by.
const AFTER_KANA: [&str; 20] = [
    "は", "が", "を", "に", "へ", "で", "と", "も", "の", "や", "か", "よ", "ね", "だ", "な", "さ", "っ",
    "ま", "く", "ちゃ",
];

/// Particles and forms of the copula that are written onto a Korean noun.
const PARTICLES_OF_HANGUL: [&str; 68] = [
    "은",
    "는",
    "이",
    "가",
    "을",
    "를",
    "의",
    "에",
    "도",
    "만",
    "와",
    "과",
    "로",
    "으로",
    "에서",
    "에게",
    "에게서",
    "한테",
    "께",
    "께서",
    "까지",
    "부터",
    "처럼",
    "보다",
    "마다",
    "조차",
    "마저",
    "밖에",
    "뿐",
    "이나",
    "랑",
    "이랑",
    "하고",
    "이라",
    "라고",
    "이라고",
    "라는",
    "이라는",
    "란",
    "이란",
    "며",
    "이며",
    "야",
    "이야",
    "님",
    "씨",
    "이다",
    "입니다",
    "이에요",
    "예요",
    "였다",
    "이었다",
    "이고",
    "고",
    "인",
    "일",
    "요",
    "로써",
    "로서",
    "으로써",
    "으로서",
    "대로",
    "만큼",
    "이든",
    "든지",
    "이든지",
    "에는",
    "에도",
];

/// Whether a text is nothing but particles, at most three.
fn is_particles(text: &str) -> bool {
    fn within(text: &str, left: usize) -> bool {
        text.is_empty()
            || left > 0
                && PARTICLES_OF_HANGUL.iter().any(|particle| {
                    text.strip_prefix(particle)
                        .is_some_and(|rest| within(rest, left - 1))
                })
    }
    // The longest is four syllables.
    text.chars().count() <= 12 && within(text, 3)
}
