//! The value that stands behind a name, in the many ways that people and programs write it.

use std::ops::Range;

use crate::scan::MARKER;

/// How a value is written; the plainer, the more it must look like a credential.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// In quotes, or between tags.
    Quoted,
    /// Behind the equals sign of an environment variable, a connection string, a query.
    Assigned,
    /// Behind a colon or an equals sign, without quotes.
    Bare,
    /// In a sentence.
    Prose,
}

/// What follows a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum After {
    /// A value is said to begin here.
    Value {
        /// The first byte behind the sign.
        at: usize,
        /// The value stands in a cell, and ends with it.
        cell: bool,
        /// The value stands between tags.
        tag: bool,
        /// Nothing stands between the name and an equals sign.
        tight: bool,
        /// Only a value in quotes is one.
        quotes: bool,
    },
    /// Words follow.
    Words(usize),
    /// Nothing that leads to a value.
    Nothing,
}

/// A value in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Value {
    pub(crate) span: Range<usize>,
    pub(crate) quoted: bool,
}

/// How far the end of a value is looked for before it counts as long.
const NEAR: usize = 512;

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

fn skip(bytes: &[u8], mut at: usize, most: usize, of: &[u8]) -> usize {
    let end = at + most;
    while at < end && bytes.get(at).is_some_and(|byte| of.contains(byte)) {
        at += 1;
    }
    at
}

/// What follows the name that ends at `end`; `tagged` when `<` stands before it.
pub(crate) fn after(text: &str, end: usize, tagged: bool) -> After {
    let bytes = text.as_bytes();
    let value = |at| After::Value {
        at,
        cell: false,
        tag: false,
        tight: false,
        quotes: false,
    };
    if tagged && bytes.get(end) == Some(&b'>') {
        return After::Value {
            at: end + 1,
            cell: false,
            tag: true,
            tight: false,
            quotes: false,
        };
    }
    let mut at = end;
    let mut quote = false;
    let mut space = false;
    for _ in 0..10 {
        let Some(byte) = bytes.get(at) else { break };
        match byte {
            // `PASSWORD 'x'`: the quote opens the value.
            b'"' | b'\'' | b'`' if space && !quote => return After::Words(end),
            b'"' | b'\'' | b'`' => quote = true,
            b' ' | b'\t' => space = true,
            b']' | b')' | b'*' => {}
            b'\\'
                if bytes
                    .get(at + 1)
                    .is_some_and(|next| is_quote(*next) || *next == b'\\') => {}
            b'[' if bytes[at..].iter().take(6).any(|byte| *byte == b']') && !quote => {
                at += bytes[at..]
                    .iter()
                    .take(6)
                    .position(|byte| *byte == b']')
                    .unwrap_or(0);
            }
            b'(' if space => {
                // `password (staging): x`
                match bytes[at..]
                    .iter()
                    .take(32)
                    .position(|byte| matches!(byte, b')' | b'\n'))
                {
                    Some(close) if bytes[at + close] == b')' => at += close,
                    _ => break,
                }
            }
            _ => break,
        }
        at += 1;
    }
    let rest = &text.as_bytes()[at.min(bytes.len())..];
    let encoded = |sign: &[u8]| rest.len() >= sign.len() && rest[..sign.len()].eq_ignore_ascii_case(sign);
    match rest {
        [b':', b':', ..] => After::Nothing,
        [b'=', b'=', b'=', ..] | [b'!', b'=', b'=', ..] => value(at + 3),
        [b'=' | b'!' | b':' | b'?' | b'+' | b'|', b'=', ..] | [b'=' | b'-', b'>', ..] | [b':', b'-', ..] => {
            value(at + 2)
        }
        [b'=', ..] => After::Value {
            at: at + 1,
            cell: false,
            tag: false,
            tight: at == end,
            quotes: false,
        },
        [b':', ..] => value(at + 1),
        [b'|', b' ' | b'\t', ..] => After::Value {
            at: at + 1,
            cell: true,
            tag: false,
            tight: false,
            quotes: false,
        },
        [b'%', ..] if encoded(b"%3d") || encoded(b"%3a") => value(at + 3),
        [b'\\', ..] if encoded(b"\\u003d") || encoded(b"\\u003a") => value(at + 6),
        [b'&', ..] if encoded(b"&quot;:") => value(at + 7),
        [b',', ..] if quote => match field(bytes, end, at) {
            Some(at) => value(at),
            None => After::Value {
                at: at + 1,
                cell: false,
                tag: false,
                tight: false,
                quotes: true,
            },
        },
        _ => match field(bytes, end, at) {
            Some(at) => value(at),
            None if space && !quote => After::Words(end),
            None => wide(text, end).unwrap_or(After::Nothing),
        },
    }
}

/// `name: DB_PASSWORD` with `value: x` beside it or on the next line; `key="password" value="x"`.
fn field(bytes: &[u8], end: usize, at: usize) -> Option<usize> {
    let word = skip(bytes, at, 48, b", \t\r\n\"'");
    if !bytes.get(word..word + 5)?.eq_ignore_ascii_case(b"value") || word == end {
        return None;
    }
    let sign = skip(bytes, word + 5, 4, b"\"' \t");
    matches!(bytes.get(sign)?, b':' | b'=').then_some(sign + 1)
}

/// The words that stand for "is" where no spaces are written.
fn wide(text: &str, end: usize) -> Option<After> {
    ["是", "为", "為", "は", "이", "은", "가"].iter().find_map(|is| {
        text[end..].strip_prefix(is).map(|_| After::Value {
            at: end + is.len(),
            cell: false,
            tag: false,
            tight: false,
            quotes: false,
        })
    })
}

/// Calls whose argument is the value itself.
const WRAPPERS: &[&str] = &[
    "String::from(",
    "Some(",
    "str(",
    "bytes(",
    "SecretString::from(",
    "SecretString::new(",
    "Secret::new(",
    "SecretStr(",
    "new String(",
    "Buffer.from(",
    "SecretString(",
    "Secret(",
    "to_string(",
    "Value::from(",
    "json!(",
];

/// The value that begins at `at` or behind the spaces there.
pub(crate) fn value(text: &str, at: usize, cell: bool, tag: bool) -> Option<Value> {
    let bytes = text.as_bytes();
    if tag {
        let end = at + bytes[at..].iter().take(NEAR).position(|byte| *byte == b'<')?;
        if bytes.get(end + 1) != Some(&b'/') {
            return None;
        }
        return Some(Value {
            span: trim(text, at..end),
            quoted: true,
        });
    }
    let mut at = skip(bytes, at, 64, b" \t*");
    let untyped = at;
    at = typed(bytes, at);
    let declared = at > untyped;
    if let Some(call) = WRAPPERS
        .iter()
        .find(|call| bytes[at..].starts_with(call.as_bytes()))
        && bytes
            .get(at + call.len())
            .is_some_and(|byte| is_quote(*byte) || b"&br".contains(byte))
    {
        at += call.len();
    }
    if bytes.get(at) == Some(&b'&') && bytes.get(at + 1).is_some_and(|byte| is_quote(*byte)) {
        at += 1;
    }
    if bytes[at..].starts_with(b"&quot;") {
        let start = at + 6;
        let end = start + text[start..].find('&')?;
        return Some(Value {
            span: start..end,
            quoted: true,
        });
    }
    if bytes[at..].starts_with(b"%22") {
        let start = at + 3;
        let end = start + text[start..].find('%')?;
        return Some(Value {
            span: start..end,
            quoted: true,
        });
    }
    // `b"..."`, `r'...'`, `@"..."`
    for prefix in 1..=2 {
        let letters = bytes.get(at..at + prefix)?;
        if letters.iter().all(|byte| b"bruBRUL@".contains(byte))
            && bytes.get(at + prefix).is_some_and(|byte| is_quote(*byte))
        {
            at += prefix;
            break;
        }
    }
    let backslashes = skip(bytes, at, 8, b"\\") - at;
    match bytes.get(at + backslashes) {
        Some(quote) if is_quote(*quote) => in_quotes(text, at, backslashes, *quote),
        // What a declaration with a type assigns without quotes is code.
        _ if declared => None,
        _ => bare(text, at, cell),
    }
}

/// Behind `password: &str = `, where the value begins.
fn typed(bytes: &[u8], at: usize) -> usize {
    for (offset, byte) in bytes[at..].iter().take(48).enumerate() {
        match byte {
            b'=' => {
                let assigns = offset > 1
                    && matches!(bytes[at + offset - 1], b' ' | b'>')
                    && bytes.get(at + offset + 1) == Some(&b' ');
                return if assigns { at + offset + 2 } else { at };
            }
            b'&' | b'<' | b'>' | b'[' | b']' | b'\'' | b' ' | b'|' | b'.' | b',' | b':' | b'_' => {}
            byte if byte.is_ascii_alphanumeric() => {}
            _ => break,
        }
    }
    at
}

fn in_quotes(text: &str, at: usize, backslashes: usize, quote: u8) -> Option<Value> {
    let bytes = text.as_bytes();
    let mut start = at + backslashes + 1;
    if backslashes == 0 && bytes[start..].starts_with(&[quote, quote]) {
        start += 2;
    }
    let mut end = start;
    while end < bytes.len() && end - start < NEAR {
        match bytes[end] {
            b'\n' | b'\r' => break,
            byte if byte == quote => {
                let escaped = bytes[start..end]
                    .iter()
                    .rev()
                    .take_while(|byte| **byte == b'\\')
                    .count();
                // As many backslashes as before the first quote; fewer end the text that all this is quoted in.
                if backslashes == 0 && escaped % 2 == 1 {
                    end += 1;
                    continue;
                }
                let closed = end - escaped.min(backslashes);
                return Some(Value {
                    span: start..closed,
                    quoted: true,
                });
            }
            _ => end += 1,
        }
    }
    // No end in sight: what stands up to the next space.
    bare(text, start, false).map(|value| Value {
        quoted: true,
        ..value
    })
}

/// Whether a separator ends a value: at the end, before a space, before the next name and its sign.
fn separates(bytes: &[u8], at: usize) -> bool {
    let rest = &bytes[at + 1..];
    let name = rest
        .iter()
        .take(40)
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"_-. ".contains(byte))
        .count();
    rest.first().is_none_or(u8::is_ascii_whitespace)
        || (name > 0 && matches!(rest.get(name), Some(b'=' | b':')))
        || (bytes[at] == b'&' && rest.starts_with(b"amp;"))
}

fn bare(text: &str, at: usize, cell: bool) -> Option<Value> {
    let end = bare_end(text, at, cell, NEAR);
    let span = trim(text, at..end);
    (!span.is_empty()).then_some(Value { span, quoted: false })
}

/// The end of a value that was cut for its length: a credential goes as a whole.
pub(crate) fn whole(text: &str, span: Range<usize>) -> Range<usize> {
    if span.len() + 8 < NEAR {
        return span;
    }
    let end = bare_end(text, span.start, false, usize::MAX);
    if end > span.end {
        trim(text, span.start..end)
    } else {
        span
    }
}

/// The end of a value without quotes that begins at `at`, `most` bytes behind it or nearer.
fn bare_end(text: &str, at: usize, cell: bool, most: usize) -> usize {
    let bytes = text.as_bytes();
    let mut end = at;
    while let Some(byte) = bytes.get(end).filter(|_| end - at < most) {
        match byte {
            b'"' | b'\'' | b'`' | b'<' | b'>' => break,
            byte if byte.is_ascii_whitespace() || byte.is_ascii_control() => break,
            b'\\' if bytes.get(end + 1).is_none_or(|next| b"nrt\\\"'`/".contains(next)) => break,
            b'|' if cell => break,
            b',' | b';' | b'&' if separates(bytes, end) => break,
            // The letters of scripts that are written without spaces.
            0xd6.. if end > at => break,
            b'[' if bytes[end..].starts_with(MARKER.as_bytes()) => break,
            _ => end += 1,
        }
    }
    text.floor_char_boundary(end)
}

fn trim(text: &str, span: Range<usize>) -> Range<usize> {
    let value = &text[span.clone()];
    let start = span.start + value.len() - value.trim_start().len();
    let mut value = value.trim();
    loop {
        let shorter = value.trim_end_matches(['.', ',', ';', ':', '*']);
        let shorter = match shorter.strip_suffix([')', ']', '}']) {
            Some(open) if !open.contains(['(', '[', '{']) => open,
            _ => shorter,
        };
        if shorter.len() == value.len() {
            return start..start + value.len();
        }
        value = shorter;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn behind(text: &str) -> Option<&str> {
        let end = text.find("NAME").expect("the text has a name") + 4;
        let tagged = text.contains("<NAME");
        match after(text, end, tagged) {
            After::Value { at, cell, tag, .. } => value(text, at, cell, tag).map(|value| &text[value.span]),
            _ => None,
        }
    }

    #[test]
    fn values_in_every_form() {
        for text in [
            "NAME=x1y",
            "NAME = x1y",
            "NAME: x1y",
            "\"NAME\": \"x1y\"",
            "'NAME' => 'x1y'",
            "NAME := `x1y`",
            "NAME==\"x1y\"",
            "\\\"NAME\\\":\\\"x1y\\\"",
            "\\\\\\\"NAME\\\\\\\":\\\\\\\"x1y\\\\\\\"",
            "<NAME>x1y</NAME>",
            "| NAME | x1y |",
            "**NAME:** x1y",
            "**NAME**: x1y",
            "config[\"NAME\"] = \"x1y\"",
            "set(\"NAME\", \"x1y\")",
            "NAME=x1y;User=sa",
            "?NAME=x1y&user=z",
            "NAME=x1y,",
            "{NAME: x1y}",
            "NAME: &str = \"x1y\"",
            "NAME: Option<String> = Some(\"x1y\")",
            "NAME = String::from(\"x1y\")",
            "NAME = b'x1y'",
            "name: NAME\n  value: x1y",
            "\"name\": \"NAME\", \"value\": \"x1y\"",
            "key=\"NAME\" value=\"x1y\"",
            "NAME%3Dx1y",
            "NAME (prod): x1y",
            "NAME=x1y\\nOTHER=z",
            "${NAME:-x1y}",
            "NAME[] = \"x1y\"",
            "&quot;NAME&quot;:&quot;x1y&quot;",
            "NAME=\"\"\"x1y\"\"\"",
            "NAME=\"x1y",
        ] {
            assert_eq!(behind(text), Some("x1y"), "{text}");
        }
    }

    #[test]
    fn no_values() {
        for text in [
            "NAME",
            "NAME::from(x)",
            "NAME.",
            "NAME\n",
            "NAME, x",
            "NAME=",
            "NAME: ",
            "NAME=\"\"",
        ] {
            assert_eq!(behind(text).unwrap_or_default(), "", "{text}");
        }
    }
}
