//! The forms under which a name is known.

use super::atoms::{Atom, Atoms, Sort, Whole};
use super::looked_at;
use crate::normalize::Normalised;

/// Names are looked at up to this many atoms (words, parts of identifiers, signs): a longer one is recognised by its
/// beginning. It bounds the work for each place of a text.
pub(super) const MAX_ATOMS: usize = 64;
/// So many words of one name are tried whole and in parts, each by itself.
const MAX_SPLIT: usize = 3;

/// Between two tokens of a form: a space, a hyphen, an underscore or the border inside an identifier may stand there.
/// Capitals stand in no normalised token.
pub(super) const JOINED: u8 = b'S';
/// Between two tokens of a form: they touch.
pub(super) const TOUCHING: u8 = b'T';

/// A name taken apart.
pub(super) struct Spelling<'a> {
    atoms: &'a Atoms,
    /// As it was written, in the form of [`Normalised::cased`], without what is around it.
    pub(super) cased: &'a str,
    /// Whether it is a single word without a sign.
    pub(super) one_word: bool,
}

/// Takes a name apart, which is expected in the form of [`Normalised::cased`]; `atoms` is where that is done. `None`
/// when nothing of it can be recognised: no letter, digit or symbol.
pub(super) fn spelling<'a>(text: &'a str, atoms: &'a mut Atoms) -> Option<Spelling<'a>> {
    atoms.take(text);
    // The full stop of `Acme Inc.` belongs to how names are listed.
    let list = atoms.list();
    let listed = |atom: &Atom| matches!(atom.sort, Sort::Sign('.' | ',' | ';' | ':'));
    let length = list
        .iter()
        .rposition(|atom| !listed(atom))
        .map_or(1, |last| last + 1);
    let whole = &list[..length.min(list.len())];
    if !whole.iter().any(|atom| is_substance(atom.sort)) {
        return None;
    }
    let length = whole.len().min(MAX_ATOMS);
    atoms.truncate(length);
    let atoms = &*atoms;
    let list = atoms.list();
    let (first, last) = (list.first()?, list.last()?);
    let (mut words, mut at) = (0, 0);
    while let Some(atom) = list.get(at) {
        words += 1;
        at += longest(atoms, atom).map_or(1, |whole| whole.length as usize);
    }
    let plain = |atom: &Atom| matches!(atom.sort, Sort::Part | Sort::Possessive | Sort::Elision);
    Some(Spelling {
        atoms,
        cased: &text[first.start as usize..last.end as usize],
        one_word: words == 1 && list.iter().all(plain),
    })
}

fn longest<'a>(atoms: &'a Atoms, atom: &Atom) -> Option<&'a Whole> {
    atoms.wholes(atom).iter().max_by_key(|whole| whole.length)
}

/// Letters, digits and symbols; not the punctuation of sentences.
fn is_substance(sort: Sort) -> bool {
    match sort {
        Sort::Sign(sign) => {
            !matches!(
                sign,
                '.' | ','
                    | ';'
                    | ':'
                    | '!'
                    | '?'
                    | '\''
                    | '"'
                    | '('
                    | ')'
                    | '['
                    | ']'
                    | '{'
                    | '}'
                    | '-'
                    | '/'
                    | '\\'
                    | '`'
                    | '*'
                    | '_'
                    | '‘'
                    | '’'
                    | '“'
                    | '”'
                    | '«'
                    | '»'
                    | '–'
                    | '—'
                    | '…'
                    | '·'
                    | '、'
                    | '。'
                    | '・'
                    | '「'
                    | '」'
                    | '，'
                    | '！'
                    | '？'
                    | '：'
            ) && !sign.is_control()
        }
        _ => true,
    }
}

impl Spelling<'_> {
    /// Hands out all forms: each word of several parts whole or split, whole first. A form is its tokens with
    /// [`JOINED`] or [`TOUCHING`] between two.
    pub(super) fn forms(&self, mut found: impl FnMut(&[u8])) {
        let list = self.atoms.list();
        let splitting = list
            .iter()
            .filter(|atom| !self.atoms.wholes(atom).is_empty())
            .count();
        let mut form = Vec::new();
        if splitting == 0 {
            self.form(u32::MAX, &mut form);
            return found(&form);
        }
        let mut known: Vec<Vec<u8>> = Vec::new();
        let every = (0..1 << splitting.min(MAX_SPLIT)).filter(|_| splitting <= MAX_SPLIT);
        let ends = [0, u32::MAX].into_iter().filter(|_| splitting > MAX_SPLIT);
        for choice in every.chain(ends) {
            self.form(choice, &mut form);
            if !known.contains(&form) {
                found(&form);
                known.push(std::mem::take(&mut form));
            }
        }
    }

    /// One form: of the words of several parts those are split whose bit is set, and all from the thirty-second on.
    fn form(&self, choice: u32, form: &mut Vec<u8>) {
        form.clear();
        let list = self.atoms.list();
        let (mut at, mut splitting) = (0, 0_u32);
        while let Some(atom) = list.get(at) {
            if at > 0 {
                form.push(if atom.link.joins() { JOINED } else { TOUCHING });
            }
            let whole = longest(self.atoms, atom).filter(|whole| {
                splitting += 1;
                let split = choice.checked_shr(splitting - 1).is_none_or(|rest| rest & 1 == 1);
                !split && at + whole.length as usize <= list.len()
            });
            let (token, length) = whole.map_or((atom.token, 1), |whole| (whole.token, whole.length as usize));
            form.extend_from_slice(self.atoms.text_of(token).as_bytes());
            at += length;
        }
    }
}

/// The forms under which a name is known, as texts: words in full case folding, joined by a space where a space, a
/// hyphen, an underscore or a capital may stand, and by nothing where they must touch. Two names are recognised in each
/// other's places when they share one. Empty when nothing of the name can be recognised.
///
/// ```
/// use ken_text::recognise::keys;
/// assert_eq!(keys("API-Gateway"), ["api gateway"]);
/// assert_eq!(keys("apiGateway"), ["apigateway", "api gateway"]);
/// assert_eq!(keys("Node.js"), ["node.js"]);
/// ```
pub fn keys(name: &str) -> Vec<String> {
    let normalised = Normalised::cased(looked_at(name));
    let mut keys: Vec<String> = Vec::new();
    if let Some(spelling) = spelling(&normalised.text, &mut Atoms::default()) {
        spelling.forms(|form| {
            let key = shown(form);
            if !keys.contains(&key) {
                keys.push(key);
            }
        });
    }
    keys
}

/// A form as a text.
fn shown(form: &[u8]) -> String {
    let shown = form.iter().filter(|byte| **byte != TOUCHING);
    let shown = shown
        .map(|byte| if *byte == JOINED { b' ' } else { *byte })
        .collect();
    String::from_utf8(shown).expect("tokens are texts")
}

/// The first of [`keys`]: the name with each of its words whole. Names with one key are one name.
///
/// ```
/// use ken_text::recognise::key;
/// assert_eq!(key("GitHub"), key("github"));
/// assert_eq!(key("api_gateway"), key("API  Gateway"));
/// assert_ne!(key("C"), key("C++"));
/// ```
pub fn key(name: &str) -> String {
    keys(name).into_iter().next().unwrap_or_default()
}
