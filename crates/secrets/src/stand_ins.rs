//! What people and programs write instead of a credential: variables, templates, calls, dots and stars, `changeme`.

use crate::looks::{name_like, reads};
use crate::words;

/// Which ASCII characters a text has: most signs that are looked for are not there.
#[derive(Clone, Copy)]
struct Seen(u128);

impl Seen {
    fn of(text: &str) -> Seen {
        Seen(
            text.bytes()
                .filter(u8::is_ascii)
                .fold(0, |seen, byte| seen | 1 << byte),
        )
    }

    /// Whether one of the signs, of which each holds `mark`, stands in `text`.
    fn any(self, mark: u8, text: &str, signs: &[&str]) -> bool {
        self.0 >> mark & 1 != 0 && signs.iter().any(|sign| text.contains(sign))
    }
}

/// Whether a token is a stand-in that somebody wrote for a real one.
pub(crate) fn filler(token: &str) -> bool {
    if token.len() > 200 {
        return false;
    }
    let lower = token.to_ascii_lowercase();
    let signs = [
        "xxxx",
        "****",
        "...",
        "your",
        "placeholder",
        "example",
        "redacted",
        "-here",
        "_here",
        "changeme",
        "dummy",
        "<",
        "{",
    ];
    signs.iter().any(|sign| lower.contains(sign))
}

/// Whether a value stands for one: a variable, a template, a reference, dots and stars, or words such as `changeme`.
pub(crate) fn placeholder(value: &str) -> bool {
    value.is_empty()
        || bracketed(value)
        || template(value)
        || reference(value)
        || hidden(value)
        || stand_in(value)
}

/// `<password>`, `[hidden]`, `%DB_PASS%`, `__PASSWORD__`.
fn bracketed(value: &str) -> bool {
    let (Some(first), Some(last)) = (value.bytes().next(), value.bytes().last()) else {
        return true;
    };
    match (first, last) {
        (b'<', b'>') | (b'[', b']') | (b'{', b'}') | (b'(', b')') => true,
        (b'%', b'%') => value.len() > 1,
        (b'_', b'_') | (b'@', b'@') | (b'#', b'#') => value.len() > 4,
        _ => value.starts_with("&lt;") || value.starts_with("&#"),
    }
}

/// `${DB_PASS}`, `{{ password }}`, `%s`, `$password`.
fn template(value: &str) -> bool {
    let seen = Seen::of(value);
    if seen.any(b'{', value, &["${", "#{", "{{", "{%", "{}", "{0}"])
        || seen.any(b'$', value, &["$(", "$env:", "$ENV"])
        || seen.any(b'%', value, &["%(", "%s", "%d"])
        || seen.any(b'<', value, &["<%", "<<"])
        || seen.any(b'[', value, &["[["])
    {
        return true;
    }
    value.strip_prefix('$').is_some_and(|name| {
        let upper = name
            .bytes()
            .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
        let word = name
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || b"_->.[]'\"".contains(&byte));
        name.starts_with(|first: char| !first.is_ascii_digit()) && (upper || word)
    })
}

/// A tag of YAML, or a place where secrets are kept.
fn reference(value: &str) -> bool {
    if value.starts_with('!') && value[1..].bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return true;
    }
    let places = [
        "op://",
        "vault:",
        "arn:",
        "ssm:",
        "secretsmanager:",
        "keychain:",
        "keyring:",
        "env:",
        "env(",
        "file:",
        "enc[",
        "kms:",
        "sops:",
        "ref+",
        "process.env",
        "os.environ",
        "secret:",
        "projects/",
    ];
    places.iter().any(|place| {
        value.len() >= place.len() && value.as_bytes()[..place.len()].eq_ignore_ascii_case(place.as_bytes())
    })
}

/// Nothing but signs that hide, one sign again and again, or a middle that was left out.
fn hidden(value: &str) -> bool {
    let mut characters = value.chars();
    let first = characters.next();
    if characters.all(|character| Some(character) == first)
        || value
            .chars()
            .all(|character| "xX*.•●·-_#?0█▇∎ ".contains(character))
    {
        return true;
    }
    let seen = Seen::of(value);
    seen.any(b'x', value, &["xxxx"])
        || seen.any(b'X', value, &["XXXX"])
        || seen.any(b'*', value, &["***"])
        || seen.any(b'.', value, &["..."])
        || seen.any(b'_', value, &["___"])
        || (!value.is_ascii() && ["•••", "●●●"].iter().any(|dots| value.contains(dots)))
}

/// Words that ask for a credential, or say that this is none.
fn stand_in(value: &str) -> bool {
    let mut words = value.split(|character: char| !character.is_ascii_alphabetic());
    if words.any(|word| words::STAND_INS.has(word.as_bytes())) {
        return true;
    }
    let mut start = [0; 12];
    let letters = value.bytes().filter(u8::is_ascii_alphanumeric);
    start
        .iter_mut()
        .zip(letters)
        .for_each(|(place, letter)| *place = letter.to_ascii_lowercase());
    ["changeme", "your", "replacewith"]
        .iter()
        .any(|begin| start.starts_with(begin.as_bytes()))
}

/// Whether a text that stands without quotes is code: a call, a field, an index, a path in a program.
pub(crate) fn code(text: &str) -> bool {
    let bytes = text.as_bytes();
    if matches!(
        bytes.first(),
        Some(b'(' | b'[' | b'{' | b'|' | b')' | b']' | b'}')
    ) {
        return true;
    }
    if ["::", "->", "=>", "&&", "||", "!=", "({", "[\"", "['", "()"]
        .iter()
        .any(|sign| text.contains(sign))
    {
        return true;
    }
    let name =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b']' | b')' | b'!' | b'?');
    if let Some(open) = text.find(['(', '[', '{'])
        && open > 0
        && name(bytes[open - 1])
        && bytes[..open]
            .iter()
            .all(|byte| name(*byte) || matches!(byte, b'.' | b'&' | b'*'))
        && (bytes[open] == b'(' || text[open..].contains([']', '}']))
    {
        return true;
    }
    // `settings.db_password`, `self.token2`
    let plain = text
        .trim_start_matches(['&', '*', '@', '$', '!', '-'])
        .trim_end_matches([';', ',', '?']);
    plain.contains('.')
        && plain.split(['.', '?']).all(|part| {
            part.is_empty()
                || (!part.starts_with(|first: char| first.is_ascii_digit())
                    && part
                        .bytes()
                        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
                    && part
                        .split('_')
                        .all(|word| word.is_empty() || reads(word) || name_like(word)))
        })
}
