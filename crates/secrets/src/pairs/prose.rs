//! Credentials in sentences: "the password for the database is x", "use this token: x".

use std::ops::Range;

use super::name::{Family, Name};
use super::value::Form;
use super::{Pair, judge};
use crate::{looks, stand_ins, words};

/// How many words behind a name are read.
const WORDS: usize = 9;
/// How many bytes.
const REACH: usize = 160;

/// The credential in the words behind a name that ends before `at`.
pub(super) fn find(text: &str, name: &Name, at: usize) -> Option<Pair> {
    if matches!(name.family, Family::Pass | Family::Pair | Family::Mnemonic) {
        return None;
    }
    // `IDENTIFIED BY 'x'`, and no other identification.
    let sql = text[..at].ends_with("BY") || text[..at].ends_with("by");
    let quoted = text[at..].starts_with([' ', '\t']) && text[at..].trim_start().starts_with('\'');
    if sql && !quoted {
        return None;
    }
    let beside_login = logged_in(text, name.span.start);
    let mut lead = beside_login;
    let mut last = at;
    for (count, span) in words_behind(text, at).enumerate() {
        let word = &text[span.clone()];
        // A sentence or a line ends here.
        if count > 0 && ends_sentence(&text[last..span.start]) {
            break;
        }
        let quoted = span.start > 0 && matches!(text.as_bytes()[span.start - 1], b'"' | b'\'' | b'`');
        let first_quoted = count == 0 && quoted && name.family == Family::Password;
        if lead || first_quoted {
            let form = match (first_quoted, beside_login && count == 0) {
                (true, _) => Form::Quoted,
                (_, true) => Form::Bare,
                _ => Form::Prose,
            };
            if judge::judge(word, name.family, form) {
                return Some(Pair {
                    kind: name.family.kind(),
                    value: span,
                });
            }
        } else if word.len() >= 20 && count < 4 && by_chance(word) {
            return Some(Pair {
                kind: name.family.kind(),
                value: span,
            });
        }
        if count == 0 && (sql || words::TURNS.has(word.as_bytes())) {
            break;
        }
        if word.starts_with("[redacted") {
            break;
        }
        lead = words::LEADS.has(word.as_bytes()) || text.as_bytes().get(span.end) == Some(&b':');
        last = span.end;
    }
    None
}

/// The credential on the first line below `name:`, when nothing stands behind the colon.
pub(super) fn below(text: &str, family: Family, at: usize) -> Option<Pair> {
    let reach = text.floor_char_boundary((at + REACH).min(text.len()));
    let lines = &text[at..reach];
    let start = at + lines.len() - lines.trim_start_matches(['\n', '\r', ' ', '\t', '`', '>']).len();
    let mut line = text[start..]
        .split(['\n', '\r', ' ', '\t', '"', '\'', '`'])
        .next()
        .unwrap_or_default();
    line = line.trim_end_matches(['.', ',']);
    let alone = matches!(
        text.as_bytes().get(start + line.len()),
        None | Some(b'\n' | b'\r' | b'`')
    );
    let fits = if alone {
        judge::judge(line, family, Form::Prose)
    } else {
        line.len() >= 20 && by_chance(line)
    };
    (fits && !line.contains(':')).then(|| Pair {
        kind: family.kind(),
        value: start..start + line.len(),
    })
}

/// A value that nothing leads to must look drawn by chance, and not be a hash or an id.
fn by_chance(word: &str) -> bool {
    looks::random(word)
        && !looks::is_hex(word)
        && !looks::is_uuid(word)
        && !looks::is_ulid(word)
        && !looks::is_path(word)
        && !stand_ins::placeholder(word)
        && !stand_ins::code(word)
        && !word
            .trim_end_matches('=')
            .contains(['/', '(', '[', ':', '@', '=', '#', '"', '<', '>', ','])
}

/// Whether `login X` stands before a name, as in `.netrc`.
fn logged_in(text: &str, start: usize) -> bool {
    let mut from = start.saturating_sub(80);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    let mut words = text[from..start].split_ascii_whitespace().rev();
    words.next().is_some() && words.next().is_some_and(|word| word == "login")
}

/// Whether what stands between two words ends a sentence or a line.
fn ends_sentence(between: &str) -> bool {
    let bytes = between.as_bytes();
    bytes.iter().enumerate().any(|(at, byte)| match byte {
        b'.' | b'!' | b'?' | b'\n' | b';' => true,
        b'\\' => matches!(bytes.get(at + 1), Some(b'n' | b'r')),
        _ => false,
    })
}

/// The words behind `at`, without the signs around them.
fn words_behind(text: &str, at: usize) -> impl Iterator<Item = Range<usize>> {
    let reach = text.floor_char_boundary((at + REACH).min(text.len()));
    let bytes = text.as_bytes();
    let mut from = at;
    std::iter::from_fn(move || {
        let start = from + blank(bytes.get(from..reach)?);
        if start >= reach {
            return None;
        }
        // The reach may cut a word: it is read to its end when that is near.
        let near = &bytes[start..(start + 1024).min(bytes.len())];
        let end = start
            + near
                .iter()
                .position(|byte| byte.is_ascii_whitespace() || *byte == b'\\')
                .unwrap_or(near.len());
        let end = text.floor_char_boundary(end.max(start + 1));
        from = end;
        (start < end).then(|| trim(text, start..end))
    })
    .take(WORDS)
}

/// How many bytes at the beginning part words: spaces, line breaks, and these in escapes.
fn blank(bytes: &[u8]) -> usize {
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\\' => {
                at += bytes[at..].iter().take_while(|byte| **byte == b'\\').count();
                at += usize::from(bytes.get(at).is_some_and(|byte| b"nrt".contains(byte)));
            }
            byte if byte.is_ascii_whitespace() => at += 1,
            _ => break,
        }
    }
    at
}

fn trim(text: &str, span: Range<usize>) -> Range<usize> {
    let word = &text.as_bytes()[span.clone()];
    let lead = word.iter().take_while(|byte| b"\"'`(*_".contains(byte)).count();
    if lead == word.len() {
        return span;
    }
    let from = span.start + lead;
    let word = &word[lead..];
    // What a quote closes ends there.
    if lead > 0
        && let Some(end) = word.iter().position(|byte| matches!(byte, b'"' | b'`'))
    {
        return from..from + end;
    }
    let tail = word
        .iter()
        .rev()
        .take_while(|byte| b".,;:?\"'`)*".contains(byte))
        .count();
    from..from + word.len() - tail
}
