//! The forms under which a name is known.

use super::atoms::{Atom, Sort, atoms};
use crate::normalize::Normalised;

/// Names are looked at up to this many atoms (words, parts of identifiers, signs): a longer one is recognised by its
/// beginning. It bounds the work for each place of a text.
pub(super) const MAX_ATOMS: usize = 64;
/// So many words of one name are tried whole and in parts, each by itself.
const MAX_SPLIT: usize = 3;

/// One step of a key: whether it is joined to the one before by a space, and the token.
pub(super) type Step = (bool, u32);

/// A name taken apart.
pub(super) struct Spelling {
    /// As it was written, in the form of [`Normalised::cased`], without what is around it.
    pub(super) cased: String,
    /// Its forms, each a sequence of steps. The first has every word whole.
    pub(super) forms: Vec<Vec<Step>>,
    /// Whether it is a single word without a sign.
    pub(super) one_word: bool,
}

/// Takes a name apart. `None` when nothing of it can be recognised: no letter, digit or symbol.
pub(super) fn spelling(name: &str, number: &mut dyn FnMut(&str) -> u32) -> Option<Spelling> {
    let normalised = Normalised::cased(name);
    let text = normalised.text.as_ref();
    let mut atoms = atoms(text, number);
    // The full stop of `Acme Inc.` belongs to how names are listed.
    while atoms.len() > 1
        && atoms
            .last()
            .is_some_and(|last| matches!(last.sort, Sort::Sign('.' | ',' | ';' | ':')))
    {
        atoms.pop();
    }
    if !atoms.iter().any(|atom| is_substance(atom.sort)) {
        return None;
    }
    atoms.truncate(MAX_ATOMS);
    let (first, last) = (atoms.first()?, atoms.last()?);
    let words = atoms
        .iter()
        .enumerate()
        .fold((0, 0), |(words, until), (at, atom)| {
            let length = atom
                .wholes
                .iter()
                .map(|whole| whole.length as usize)
                .max()
                .unwrap_or(0)
                .max(1);
            if at < until {
                (words, until)
            } else {
                (words + 1, at + length)
            }
        });
    let plain = |atom: &Atom| matches!(atom.sort, Sort::Part | Sort::Possessive | Sort::Elision);
    Some(Spelling {
        cased: text[first.start as usize..last.end as usize].to_owned(),
        one_word: words.0 == 1 && atoms.iter().all(plain),
        forms: forms(&atoms),
    })
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

/// All forms: each word of several parts whole or split, whole first.
fn forms(atoms: &[Atom]) -> Vec<Vec<Step>> {
    let splitting = atoms.iter().filter(|atom| atom.wholes[0].length > 0).count();
    let choices: Vec<u32> = if splitting <= MAX_SPLIT {
        (0..1 << splitting).collect()
    } else {
        vec![0, u32::MAX]
    };
    let mut forms: Vec<Vec<Step>> = Vec::with_capacity(choices.len());
    for choice in choices {
        let form = form(atoms, choice);
        if !forms.contains(&form) {
            forms.push(form);
        }
    }
    forms
}

fn form(atoms: &[Atom], choice: u32) -> Vec<Step> {
    let mut steps = Vec::with_capacity(atoms.len());
    let (mut at, mut splitting) = (0, 0_u32);
    while let Some(atom) = atoms.get(at) {
        let joined = at > 0 && atom.link.joins();
        let longest = atom
            .wholes
            .iter()
            .max_by_key(|whole| whole.length)
            .filter(|whole| whole.length > 0);
        let split = match longest {
            Some(_) => {
                splitting += 1;
                choice.checked_shr(splitting - 1).is_none_or(|rest| rest & 1 == 1)
            }
            None => true,
        };
        match longest {
            Some(whole) if !split && at + whole.length as usize <= atoms.len() => {
                steps.push((joined, whole.token));
                at += whole.length as usize;
            }
            _ => {
                steps.push((joined, atom.token));
                at += 1;
            }
        }
    }
    steps
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
    let mut tokens: Vec<String> = Vec::new();
    let spelling = spelling(name, &mut |token| {
        tokens.push(token.to_owned());
        tokens.len() as u32 - 1
    });
    let mut keys: Vec<String> = Vec::new();
    for form in spelling.map_or_else(Vec::new, |spelling| spelling.forms) {
        let mut key = String::new();
        for (joined, token) in form {
            if joined {
                key.push(' ');
            }
            key.push_str(&tokens[token as usize]);
        }
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    keys
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
