//! Finds, in one pass, the places where a rule could match.
//!
//! Every rule names keywords, one of which stands in all that it matches. Of each keyword, the three bytes that are
//! rarest in English stand in a table of bits; the pass looks up every three bytes of the text, and compares whole
//! keywords only where a bit is set. The tables are made by the compiler, so that the first scan of a process costs
//! nothing: a command that scans one line lives for milliseconds.

use crate::scan::MARKER;
use crate::shapes::{SHAPE_COUNT, SHAPES};

/// Who looks at a place where a keyword stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rule {
    /// The token shape of this number.
    Shape(u16),
    /// A word that names a credential, in ASCII.
    Name,
    /// A word of another language that means password.
    Password,
    /// The beginning of a block in PEM.
    Pem,
    /// The beginning of a JSON object in base64.
    Jwt,
    /// The middle of a URL.
    Url,
    /// An authentication scheme with its value.
    Scheme,
    /// What stands where a credential was.
    Marker,
}

#[derive(Clone, Copy)]
struct Keyword {
    text: &'static [u8],
    cased: bool,
    rule: Rule,
    /// Where in the keyword its rarest three bytes stand.
    probe: usize,
    /// These bytes, as the pass sees them.
    three: u32,
    /// The next keyword in the same slot, plus one.
    next: u16,
}

/// The keywords that no table of shapes holds.
const OTHERS: &[(&str, bool, Rule)] = &[
    ("pass", false, Rule::Name),
    ("pwd", false, Rule::Name),
    ("pw:", false, Rule::Name),
    ("pw=", false, Rule::Name),
    ("pw ", false, Rule::Name),
    ("secret", false, Rule::Name),
    ("token", false, Rule::Name),
    ("key", false, Rule::Name),
    ("credential", false, Rule::Name),
    ("identified by", false, Rule::Name),
    ("\"auth\"", true, Rule::Name),
    ("_auth", true, Rule::Name),
    ("masterauth", true, Rule::Name),
    ("mnemonic", false, Rule::Name),
    ("seed phrase", false, Rule::Name),
    ("contraseña", false, Rule::Password),
    ("contrasena", false, Rule::Password),
    ("senha", false, Rule::Password),
    ("palavra-passe", false, Rule::Password),
    ("mot de passe", false, Rule::Password),
    ("kennwort", false, Rule::Password),
    ("wachtwoord", false, Rule::Password),
    ("lösenord", false, Rule::Password),
    ("hasło", false, Rule::Password),
    ("heslo", false, Rule::Password),
    ("jelszó", false, Rule::Password),
    ("parola", false, Rule::Password),
    ("şifre", false, Rule::Password),
    ("mật khẩu", false, Rule::Password),
    ("пароль", false, Rule::Password),
    ("Пароль", false, Rule::Password),
    ("κωδικός", false, Rule::Password),
    ("סיסמה", false, Rule::Password),
    ("كلمة المرور", false, Rule::Password),
    ("كلمة السر", false, Rule::Password),
    ("पासवर्ड", false, Rule::Password),
    ("รหัสผ่าน", false, Rule::Password),
    ("密码", false, Rule::Password),
    ("密碼", false, Rule::Password),
    ("口令", false, Rule::Password),
    ("パスワード", false, Rule::Password),
    ("비밀번호", false, Rule::Password),
    ("암호", false, Rule::Password),
    ("-----BEGIN ", true, Rule::Pem),
    ("---- BEGIN ", true, Rule::Pem),
    ("eyJ", true, Rule::Jwt),
    ("ewogIC", true, Rule::Jwt),
    ("://", true, Rule::Url),
    ("bearer", false, Rule::Scheme),
    ("basic ", false, Rule::Scheme),
    ("basic%20", false, Rule::Scheme),
    ("authorization", false, Rule::Scheme),
    ("curl ", true, Rule::Scheme),
    (MARKER, true, Rule::Marker),
];

const KEYWORD_COUNT: usize = {
    let mut count = OTHERS.len();
    let mut shape = 0;
    while shape < SHAPE_COUNT {
        count += SHAPES[shape].keywords.len();
        shape += 1;
    }
    count
};

const SLOTS: usize = 4096;

struct Tables {
    bits: [u64; 1024],
    heads: [u16; SLOTS],
    keywords: [Keyword; KEYWORD_COUNT],
}

static TABLES: Tables = tables();

/// 16 bits of a hash of three bytes whose letters are small.
const fn hash(three: u32) -> usize {
    (three.wrapping_mul(0x9e37_79b1) >> 16) as usize
}

const fn three(text: &[u8], at: usize) -> u32 {
    ((text[at] | 0x20) as u32) << 16 | ((text[at + 1] | 0x20) as u32) << 8 | (text[at + 2] | 0x20) as u32
}

/// How common a byte is in English and in code, roughly, on a scale of logarithms.
const fn commonness(byte: u8) -> u32 {
    match byte | 0x20 {
        b'e' | b't' | b' ' => 9,
        b'a' | b'o' | b'i' | b'n' | b's' | b'r' => 8,
        b'h' | b'l' | b'd' | b'c' | b'u' | b'm' => 6,
        b'p' | b'f' | b'g' | b'w' | b'y' | b'b' | b'-' | b'.' | b'/' => 5,
        b'v' | b'k' | b':' | b'"' => 4,
        b'0' | b'1' | b'2' | b'=' => 3,
        _ => 1,
    }
}

const fn rarest(text: &[u8]) -> usize {
    let mut best = 0;
    let mut least = u32::MAX;
    let mut at = 0;
    while at + 3 <= text.len() {
        let common = commonness(text[at]) + commonness(text[at + 1]) + commonness(text[at + 2]);
        if common < least {
            least = common;
            best = at;
        }
        at += 1;
    }
    best
}

const fn keyword(text: &'static str, cased: bool, rule: Rule) -> Keyword {
    let text = text.as_bytes();
    assert!(text.len() >= 3, "a keyword has three bytes or more");
    let probe = rarest(text);
    Keyword {
        text,
        cased,
        rule,
        probe,
        three: three(text, probe),
        next: 0,
    }
}

const fn tables() -> Tables {
    let mut keywords = [keyword("...", true, Rule::Marker); KEYWORD_COUNT];
    let mut count = 0;
    let mut shape = 0;
    while shape < SHAPE_COUNT {
        let mut at = 0;
        while at < SHAPES[shape].keywords.len() {
            keywords[count] = keyword(SHAPES[shape].keywords[at], true, Rule::Shape(shape as u16));
            count += 1;
            at += 1;
        }
        shape += 1;
    }
    let mut other = 0;
    while other < OTHERS.len() {
        keywords[count] = keyword(OTHERS[other].0, OTHERS[other].1, OTHERS[other].2);
        count += 1;
        other += 1;
    }
    let mut bits = [0; 1024];
    let mut heads = [0; SLOTS];
    let mut at = 0;
    while at < KEYWORD_COUNT {
        let hash = hash(keywords[at].three);
        bits[hash >> 6] |= 1 << (hash & 63);
        keywords[at].next = heads[hash % SLOTS];
        heads[hash % SLOTS] = at as u16 + 1;
        at += 1;
    }
    Tables {
        bits,
        heads,
        keywords,
    }
}

/// Calls `hit` with every place where a keyword stands, as (first byte, length of the keyword, rule).
pub(crate) fn each_hit(bytes: &[u8], mut hit: impl FnMut(usize, usize, Rule)) {
    let mut last: u32 = 0;
    for (at, byte) in bytes.iter().enumerate() {
        last = (last << 8 | u32::from(*byte | 0x20)) & 0xff_ffff;
        let hash = hash(last);
        if TABLES.bits[hash >> 6] >> (hash & 63) & 1 != 0 {
            compare(bytes, at, last, &mut hit);
        }
    }
}

#[inline(never)]
fn compare(bytes: &[u8], at: usize, last: u32, hit: &mut impl FnMut(usize, usize, Rule)) {
    let mut next = TABLES.heads[hash(last) % SLOTS];
    while next > 0 {
        let keyword = &TABLES.keywords[usize::from(next) - 1];
        next = keyword.next;
        if keyword.three != last {
            continue;
        }
        let Some(start) = (at + 1).checked_sub(3 + keyword.probe) else {
            continue;
        };
        let Some(found) = bytes.get(start..start + keyword.text.len()) else {
            continue;
        };
        let same = if keyword.cased {
            found == keyword.text
        } else {
            found.eq_ignore_ascii_case(keyword.text)
        };
        if same {
            hit(start, keyword.text.len(), keyword.rule);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_keyword_is_found_alone_at_either_end_and_in_the_middle() {
        for keyword in &TABLES.keywords {
            let text = std::str::from_utf8(keyword.text).expect("keywords are texts");
            for (before, after) in [("", ""), ("x", ""), ("", "x"), ("ab ", " cd"), ("中", "文")] {
                let text = format!("{before}{text}{after}");
                let mut found = false;
                each_hit(text.as_bytes(), |start, length, rule| {
                    found |= (start, length, rule) == (before.len(), keyword.text.len(), keyword.rule);
                });
                assert!(found, "{text:?}");
            }
        }
    }

    #[test]
    fn only_whole_keywords_are_found() {
        for text in [
            "",
            "a",
            "ab",
            "ke",
            "secre",
            "passive aggression? no: the word ends early, pas",
        ] {
            let mut hits = Vec::new();
            each_hit(text.as_bytes(), |start, length, _| {
                hits.push(text[start..start + length].to_owned());
            });
            assert!(hits.iter().all(|hit| hit == "pass"), "{text:?}: {hits:?}");
        }
    }
}
