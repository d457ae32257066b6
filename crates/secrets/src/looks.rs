//! What a text looks like: chance, words, a path, a number, or a stand-in for a credential.

use crate::words;

/// The features that decide, of the first bytes of a text.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Features {
    pub(crate) lower: usize,
    pub(crate) upper: usize,
    pub(crate) digits: usize,
    /// Signs that people put into passwords and that join no words.
    pub(crate) signs: usize,
    pub(crate) spaces: usize,
    pub(crate) other: usize,
    /// How often two neighbours are of different kind.
    changes: usize,
    len: usize,
}

/// How much of a text is looked at. A credential shows what it is long before.
const ENOUGH: usize = 256;

impl Features {
    pub(crate) fn of(text: &str) -> Features {
        let mut features = Features::default();
        let mut last = 0;
        for byte in text.bytes().take(ENOUGH) {
            let kind = match byte {
                b'a'..=b'z' => {
                    features.lower += 1;
                    1
                }
                b'A'..=b'Z' => {
                    features.upper += 1;
                    2
                }
                b'0'..=b'9' => {
                    features.digits += 1;
                    3
                }
                b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'+' | b'=' | b'?' | b'~' => {
                    features.signs += 1;
                    4
                }
                b' ' | b'\t' => {
                    features.spaces += 1;
                    5
                }
                0x80.. => {
                    features.other += 1;
                    6
                }
                _ => 7,
            };
            features.changes += usize::from(last != 0 && kind != last);
            last = kind;
            features.len += 1;
        }
        features
    }

    pub(crate) fn letters(&self) -> usize {
        self.lower + self.upper
    }
}

/// Whether a text has letters and digits.
pub(crate) fn mixed(text: &str) -> bool {
    text.bytes().any(|byte| byte.is_ascii_digit()) && text.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// Whether a text looks drawn by chance: long, of several kinds of characters that take turns, few of them repeated.
pub(crate) fn random(text: &str) -> bool {
    let features = Features::of(text);
    if features.len < 16 || features.spaces > 0 || features.other > 0 {
        return false;
    }
    if is_hex(text) {
        return features.len >= 24 && features.digits >= 4 && features.letters() >= 4;
    }
    // Letters alone must be more of them, in both cases.
    let letters_alone = features.len >= 24 && features.lower >= 6 && features.upper >= 6;
    (features.digits >= 2 || letters_alone)
        && features.letters() >= 4
        && features.changes * 10 >= features.len * 3
        && entropy(text) >= 3.0
        && !wordy(text)
        && !mostly_words(text)
}

/// Bits a byte, by how often each byte occurs.
pub(crate) fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    let mut total = 0_u32;
    for byte in text.bytes().take(ENOUGH) {
        counts[usize::from(byte)] += 1;
        total += 1;
    }
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| {
            let share = f64::from(*count) / f64::from(total);
            -share * share.log2()
        })
        .sum()
}

/// Whether a text has hexadecimal digits only.
pub(crate) fn is_hex(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// Whether a text is a UUID.
pub(crate) fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Whether a text is a ULID: an id in this house, and sortable, but no secret.
pub(crate) fn is_ulid(text: &str) -> bool {
    text.len() == 26
        && text.starts_with(|first: char| ('0'..='7').contains(&first))
        && text
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
}

/// Whether a text is a file's path, or ends like a file's name.
pub(crate) fn is_path(text: &str) -> bool {
    let begins = ["/", "./", "../", "~/", "\\\\", "$HOME/"]
        .iter()
        .any(|begin| text.starts_with(begin))
        || matches!(text.as_bytes(), [drive, b':', b'\\' | b'/', ..] if drive.is_ascii_alphabetic());
    if begins {
        return !(text.len() >= 32
            && random(text)
            && !text[1..].contains('.')
            && text.matches('/').count() <= 4);
    }
    text.rsplit_once('.')
        .is_some_and(|(stem, extension)| !stem.is_empty() && words::EXTENSIONS.has(extension.as_bytes()))
}

/// Whether a text is an address of mail.
pub(crate) fn is_mail(text: &str) -> bool {
    text.split_once('@').is_some_and(|(user, host)| {
        !user.is_empty()
            && user
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"._+-".contains(&byte))
            && host.rsplit_once('.').is_some_and(|(name, top)| {
                !name.is_empty()
                    && top.len() >= 2
                    && top.bytes().all(|byte| byte.is_ascii_alphabetic())
                    && name
                        .bytes()
                        .all(|byte| byte.is_ascii_alphanumeric() || b".-".contains(&byte))
            })
    })
}

/// Whether a text is a number, a date, a time, a version, or a quantity with its unit.
pub(crate) fn is_quantity(text: &str) -> bool {
    let text = text.trim_start_matches(['v', 'V', '~', '^', '<', '>', '=', '+', '-', '$', '#']);
    if numeral(text) {
        return true;
    }
    let digits = text
        .bytes()
        .take_while(|byte| byte.is_ascii_digit() || b".,:-_/+".contains(byte))
        .count();
    let unit = &text[digits..];
    digits > 0
        && (unit.is_empty()
            || (unit.len() <= 3 && unit.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'%'))
            || matches!(unit, "days" | "hours" | "bytes" | "chars" | "bits" | "tokens" | "years" | "mins" | "secs" | "bit")
            // A time with its zone, a version with its stage.
            || (text.len() >= 5
                && (text.as_bytes()[..digits].contains(&b'.') || text.as_bytes()[..digits].contains(&b'-'))
                && unit.len() < 16
                && digits >= 3
                && unit.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".:+-".contains(&byte))
                && ["T", "Z", "alpha", "beta", "rc", "dev", "pre", "a", "b", "x"].iter().any(|stage| unit.starts_with(stage))))
}

/// Whether a text is a number as programs write it: `0x8031_0037`, `4097u32`, `10UL`.
fn numeral(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let (number, radix) = match lower.strip_prefix("0x") {
        Some(number) => (number, 16),
        None => (lower.as_str(), 10),
    };
    let types = [
        "u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize", "ul", "ull",
        "l", "u",
    ];
    let number = types
        .iter()
        .find_map(|suffix| number.strip_suffix(suffix))
        .unwrap_or(number);
    !number.is_empty()
        && number.len() <= 20
        && number.chars().all(|digit| digit.is_digit(radix) || digit == '_')
        && (radix == 16 || number.len() < lower.len())
}

/// Whether a part of a program's name: it begins with a letter, and most of it is words, though there be digits.
pub(crate) fn name_like(part: &str) -> bool {
    let words: usize = part
        .split(|character: char| !character.is_ascii_alphabetic())
        .filter(|word| word.len() >= 3 && cased(word))
        .map(str::len)
        .sum();
    part.starts_with(|first: char| first.is_ascii_alphabetic()) && words * 5 >= part.len() * 3
}

/// Whether a text is the name of something that holds a credential: `Ed25519PublicKey`, `token2string`.
pub(crate) fn names_holder(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    [
        "key",
        "token",
        "secret",
        "passw",
        "credential",
        "cipher",
        "encrypt",
    ]
    .iter()
    .any(|word| lower.contains(word))
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && text
            .split('_')
            .all(|part| part.is_empty() || reads(part) || name_like(part))
}

/// Whether a text is a pattern of regular expressions.
pub(crate) fn is_pattern(text: &str) -> bool {
    [
        "\\s", "\\d", "\\w", "\\x", "(?:", "(?i", "[a-z", "[A-Z", "[0-9", "[^", ".*", ".+", "\\.",
    ]
    .iter()
    .any(|sign| text.contains(sign))
}

/// Whether a text begins as public keys do in base64.
pub(crate) fn is_public_key(text: &str) -> bool {
    [
        "MFkwEwYHKoZI",
        "MIIBIjANBgkqhkiG",
        "MIICIjANBgkqhkiG",
        "MCowBQYDK2Vw",
        "MHYwEAYHKoZI",
        "AAAAB3NzaC1",
        "AAAAC3NzaC1",
        "AAAAE2VjZHNh",
    ]
    .iter()
    .any(|begin| text.starts_with(begin))
}

/// Whether at least half of a text is words of three letters or more, as in names and paths.
pub(crate) fn mostly_words(text: &str) -> bool {
    let words: usize = text
        .split(|character: char| !character.is_ascii_alphanumeric())
        .filter(|part| part.len() >= 3 && part.bytes().all(|byte| byte.is_ascii_alphabetic()) && reads(part))
        .map(str::len)
        .sum();
    words * 2 >= text.len()
}

/// Whether a text is made of words, numbers and names of techniques: each part that a reader would see is one.
pub(crate) fn wordy(text: &str) -> bool {
    let mut parts = 0;
    for part in text.split(|character: char| !character.is_alphanumeric()) {
        if part.is_empty() {
            continue;
        }
        parts += 1;
        if !reads(part) {
            return false;
        }
    }
    parts >= 2 || text.bytes().all(|byte| !byte.is_ascii_digit())
}

/// Whether one part of a text reads: letters in the case of words, a short number, a word with a small number, a technique.
pub(crate) fn reads(part: &str) -> bool {
    let features = Features::of(part);
    if features.other > 0 {
        return true;
    }
    if features.digits == 0 {
        return features.len <= 3 || cased(part);
    }
    if features.letters() == 0 {
        return features.digits <= 4;
    }
    let lower = part.to_ascii_lowercase();
    let word = lower.trim_end_matches(|last: char| last.is_ascii_digit());
    let small = lower.len() - word.len() <= 2
        && word.len() >= 2
        && word.bytes().all(|byte| byte.is_ascii_alphabetic());
    small && cased(&part[..word.len()]) || technique(&lower) || is_quantity(part)
}

/// Whether letters have the case of words: small, capital, or camel.
fn cased(word: &str) -> bool {
    let upper = word.bytes().filter(u8::is_ascii_uppercase).count();
    let humps = word
        .as_bytes()
        .windows(2)
        .filter(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
        .count();
    upper == word.len()
        || (upper * 20 <= word.len() * 7 && humps * 4 <= word.len())
        || (upper <= 1 && word.len() < 4)
}

/// Whether a word, in small letters, names a technique.
pub(crate) fn technique(word: &str) -> bool {
    words::TECHNIQUES.has(word.as_bytes())
}

/// Whether one word stands where a password could, and is none.
pub(crate) fn stop_word(word: &str) -> bool {
    words::STOP_WORDS.has(word.as_bytes())
}

/// Whether a text has words, and each is one that stands where a password could.
pub(crate) fn only_stop_words(text: &str) -> bool {
    let mut any = false;
    for word in text
        .split(|character: char| !character.is_ascii_alphabetic())
        .filter(|word| !word.is_empty())
        .take(12)
    {
        if !stop_word(word) {
            return false;
        }
        any = true;
    }
    any
}
