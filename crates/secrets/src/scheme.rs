//! Authentication schemes that stand directly before their credential: `Bearer X`, `Basic X`, `curl -u user:X`.

use std::ops::Range;

use crate::{base64, edges, looks, stand_ins};

/// How far a command line is read.
const LINE: usize = 256;

/// The credential behind the scheme whose name stands at `start`, `length` bytes long.
pub(crate) fn find(text: &str, start: usize, length: usize) -> Option<(&'static str, Range<usize>)> {
    if !edges::begins(text.as_bytes(), start) {
        return None;
    }
    match text.as_bytes()[start] | 0x20 {
        b'c' => curl(text, start + length),
        b'a' => header(text, start + length),
        b'b' if text.as_bytes()[start + 1] | 0x20 == b'a' => {
            basic(text, start + length, in_header(text, start))
        }
        _ => bearer(text, start + length, in_header(text, start)),
    }
}

/// The run of characters that credentials in headers have.
fn run(text: &str, from: usize) -> Range<usize> {
    let length = text.as_bytes()[from..]
        .iter()
        .take(8192)
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"._~+/=-:|".contains(byte))
        .count();
    let end = from + text[from..from + length].trim_end_matches(['.', ':', ',']).len();
    from..end
}

/// Spaces, as they are or encoded.
fn spaces(text: &str, from: usize) -> usize {
    let rest = &text[from..];
    let trimmed = rest
        .trim_start_matches("%20")
        .trim_start_matches(['+', ' ', '\t', ':', '=']);
    from + rest.len().min(8).min(rest.len() - trimmed.len())
}

/// Whether the word at `start` is the value of an `Authorization` header.
fn in_header(text: &str, start: usize) -> bool {
    let before = text[..start]
        .trim_end_matches([' ', '"', '\'', '`', ':', '=', '\\', ',', '>'])
        .as_bytes();
    before.len() >= 13 && before[before.len() - 13..].eq_ignore_ascii_case(b"authorization")
}

fn bearer(text: &str, after: usize, in_header: bool) -> Option<(&'static str, Range<usize>)> {
    let from = spaces(text, after);
    if from == after {
        return None;
    }
    let span = run(text, from);
    let value = &text[span.clone()];
    token(value, if in_header { 6 } else { 12 }).then_some(("bearer-token", span))
}

fn token(value: &str, least: usize) -> bool {
    value.len() >= least
        && looks::mixed(value)
        && !looks::wordy(value)
        && !looks::mostly_words(value)
        && !stand_ins::placeholder(value)
        && !looks::is_quantity(value)
        && !value.contains("::")
}

fn basic(text: &str, after: usize, in_header: bool) -> Option<(&'static str, Range<usize>)> {
    let span = run(text, spaces(text, after));
    let value = &text[span.clone()];
    if value.len() < 6 || value.len() > 1024 {
        return None;
    }
    let pair = user_and_password(value) || (in_header && value.len() >= 12 && token(value, 12));
    pair.then_some(("basic-auth", span))
}

/// Whether a text in base64 says `user:password`.
pub(crate) fn user_and_password(text: &str) -> bool {
    base64::decode(text)
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .is_some_and(|pair| {
            pair.chars().all(|character| !character.is_control())
                && pair
                    .split_once(':')
                    .is_some_and(|(_, password)| !password.is_empty())
        })
}

/// `Authorization: X` and `Authorization: Scheme X` with schemes that are not handled on their own.
fn header(text: &str, after: usize) -> Option<(&'static str, Range<usize>)> {
    let rest = &text[after..];
    let value = rest.trim_start_matches([' ', '"', '\'', '`', '\\', ']', ')']);
    let value = value
        .strip_prefix([':', '=', ','])?
        .trim_start_matches([' ', '"', '\'', '`', '\\', '=', '>']);
    if rest.len() - value.len() > 16 {
        return None;
    }
    let mut from = text.len() - value.len();
    for _ in 0..3 {
        let span = run(text, from);
        let word = &text[span.clone()];
        let lower = word.to_ascii_lowercase();
        if matches!(
            lower.as_str(),
            "bearer" | "basic" | "digest" | "aws4-hmac-sha256" | "negotiate"
        ) || word.is_empty()
        {
            return None;
        }
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        if digits >= 3 && token(word.split_once("token=").map_or(word, |(_, token)| token), 12) {
            return Some(("authorization", span));
        }
        from = span.end
            + text[span.end..]
                .bytes()
                .take(2)
                .take_while(|byte| *byte == b' ')
                .count();
        if from == span.end {
            return None;
        }
    }
    None
}

/// `curl -u user:PASSWORD`.
fn curl(text: &str, after: usize) -> Option<(&'static str, Range<usize>)> {
    let reach = text.floor_char_boundary((after + LINE).min(text.len()));
    let line = &text[after - 1..reach];
    let line = &line[..line.find('\n').unwrap_or(line.len())];
    let option = line.match_indices(" -").find_map(|(at, _)| {
        let rest = &line[at + 2..];
        let names = ["u ", "-user ", "-proxy-user ", "u=", "-user="];
        names
            .iter()
            .find(|name| rest.starts_with(**name))
            .map(|name| at + 2 + name.len())
    })?;
    let value = &line[option..];
    let quoted = value.starts_with(['"', '\'']);
    let from = after - 1 + option + usize::from(quoted);
    let value = &text[from..reach];
    let end = if quoted {
        value.find(['"', '\'', '\n'])
    } else {
        value.find([' ', '\n', '\t', '"', '\'', '\\', '`'])
    };
    let value = &value[..end.unwrap_or(value.len())];
    let colon = value.find(':')?;
    let password = &value[colon + 1..];
    let real = password.len() >= 3 && !stand_ins::placeholder(password) && !looks::stop_word(password);
    real.then_some(("password", from + colon + 1..from + value.len()))
}
