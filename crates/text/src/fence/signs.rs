//! The angle brackets of tags in every spelling that a reader may take for one: as they are, wide and small, and as
//! markup, JSON and addresses encode them.

/// An angle bracket at the start of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sign {
    /// Whether it opens, as `<` does.
    pub(super) opens: bool,
    /// How many bytes spell it.
    pub(super) length: usize,
    /// Whether it is written in other signs.
    pub(super) encoded: bool,
}

/// The bracket that `text` begins with.
pub(super) fn sign(text: &str) -> Option<Sign> {
    let plain = |opens, c: char| Sign {
        opens,
        length: c.len_utf8(),
        encoded: false,
    };
    match text.chars().next()? {
        c @ ('<' | '＜' | '﹤') => Some(plain(true, c)),
        c @ ('>' | '＞' | '﹥') => Some(plain(false, c)),
        '&' | '\\' | '%' => {
            let (code, length) = encoded(text)?;
            let opens = match code {
                0x3C | 0xFF1C | 0xFE64 => true,
                0x3E | 0xFF1E | 0xFE65 => false,
                _ => return None,
            };
            Some(Sign {
                opens,
                length,
                encoded: true,
            })
        }
        _ => None,
    }
}

/// What follows the slash that `text` begins with, in whatever spelling.
pub(super) fn past_slash(text: &str) -> Option<&str> {
    match text.chars().next()? {
        c @ ('/' | '／' | '⁄' | '∕') => Some(&text[c.len_utf8()..]),
        '\\' if text.starts_with("\\/") => Some(&text[2..]),
        '&' | '\\' | '%' => {
            let (code, length) = encoded(text)?;
            (code == 0x2F || code == 0xFF0F).then(|| &text[length..])
        }
        _ => None,
    }
}

/// The sign that `text` begins with in an encoded spelling, and that spelling's length.
fn encoded(text: &str) -> Option<(u32, usize)> {
    let starts = |beginning: &str| {
        text.get(..beginning.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(beginning))
    };
    if text.starts_with('&') {
        return entity(text);
    }
    for (beginning, digits) in [("\\u{", 0), ("\\u", 4), ("\\x", 2), ("%", 2)] {
        if !starts(beginning) {
            continue;
        }
        let rest = &text[beginning.len()..];
        if digits == 0 {
            let (code, length) = number(rest, 16)?;
            return rest[length..]
                .starts_with('}')
                .then_some((code, beginning.len() + length + 1));
        }
        let code = rest
            .get(..digits)
            .filter(|code| code.bytes().all(|b| b.is_ascii_hexdigit()))?;
        let code = u32::from_str_radix(code, 16).ok()?;
        return Some((code, beginning.len() + digits));
    }
    None
}

/// `&lt;`, `&#60;`, `&#x3c;`, also encoded once more (`&amp;lt;`), also without what ends it.
fn entity(text: &str) -> Option<(u32, usize)> {
    let mut at = 1;
    let starts = |at: usize, beginning: &str| {
        text.get(at..at + beginning.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(beginning))
    };
    while starts(at, "amp;") {
        at += 4;
    }
    let names = [("lt", 0x3C), ("gt", 0x3E), ("sol", 0x2F)];
    let (code, length) = if starts(at, "#x") {
        number(&text[at + 2..], 16).map(|(code, length)| (code, length + 2))?
    } else if starts(at, "#") {
        number(&text[at + 1..], 10).map(|(code, length)| (code, length + 1))?
    } else {
        let (name, code) = names.into_iter().find(|(name, _)| starts(at, name))?;
        (code, name.len())
    };
    at += length;
    if text[at..].starts_with(';') {
        return Some((code, at + 1));
    }
    // Without its end, a longer word is that word (`&ltree`), not a bracket before one.
    let word = text[at..].starts_with(|c: char| c.is_alphanumeric() || c == '_');
    (!word || begins_marker(&text[at..])).then_some((code, at))
}

fn number(text: &str, radix: u32) -> Option<(u32, usize)> {
    let length = text.bytes().take_while(|b| (*b as char).is_digit(radix)).count();
    u32::from_str_radix(&text[..length], radix)
        .ok()
        .map(|code| (code, length))
}

/// Whether `text` begins with the name that the markers around a brief and its sections have.
pub(super) fn begins_marker(text: &str) -> bool {
    let mut letters = text.chars().map(folded);
    "kenning".chars().all(|letter| letters.next() == Some(letter))
}

/// Whether `text` ends with the name of a marker.
pub(super) fn ends_marker(text: &str) -> bool {
    ["kenning-memory", "kenning"].into_iter().any(|name| {
        let mut letters = text.chars().rev().map(folded);
        name.chars().rev().all(|letter| letters.next() == Some(letter))
            && letters.next().is_none_or(|before| !before.is_alphanumeric())
    })
}

fn folded(c: char) -> char {
    let narrow = match c {
        '\u{FF01}'..='\u{FF5E}' => char::from_u32(c as u32 - 0xFEE0).unwrap_or(c),
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        _ => c,
    };
    narrow.to_ascii_lowercase()
}
