//! Strings as YAML or JSON write them.

use std::fmt::Write;

use crate::node::Style;

/// Words that some YAML reader takes for a boolean or null.
const WORDS: &[&str] = &[
    "true", "false", "yes", "no", "on", "off", "y", "n", "null", "~", "",
];

/// Whether an unquoted scalar means something else than its text to some YAML reader (1.1 or 1.2).
pub(crate) fn is_special(text: &str) -> bool {
    if WORDS.contains(&text.to_ascii_lowercase().as_str()) {
        return true;
    }
    let body = text.trim_start_matches(['+', '-', '.']);
    body.starts_with(|c: char| c.is_ascii_digit())
        || matches!(body.to_ascii_lowercase().as_str(), "inf" | "nan")
        || text == "<<"
        || text == "="
}

/// Whether a text can stand without quotes. Stricter than YAML: what a person could take for something else is
/// quoted.
fn is_plain(text: &str, flow: bool) -> bool {
    let good_start = text.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '/' || c == '(');
    let good_end = !text.ends_with([' ', ':']);
    let good_inside = text.chars().all(|c| !c.is_control() && !is_odd(c));
    good_start
        && good_end
        && good_inside
        && !is_special(text)
        && !text.contains(": ")
        && !text.contains(" #")
        && !text.contains("  ")
        && !(flow && text.contains([',', '[', ']', '{', '}', ':']))
}

/// Characters that are not seen, or that move others about.
fn is_odd(c: char) -> bool {
    matches!(c, '\u{85}' | '\u{a0}' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff0}'..='\u{ffff}' | '\u{e000}'..='\u{f8ff}')
}

/// A string in YAML in the style of its neighbours where the text allows it, else in double quotes.
pub(crate) fn yaml(text: &str, preferred: Style, flow: bool) -> String {
    match preferred {
        Style::Plain if is_plain(text, flow) => text.to_owned(),
        Style::Single if text.chars().all(|c| !c.is_control() && !is_odd(c)) => {
            format!("'{}'", text.replace('\'', "''"))
        }
        _ => double(text),
    }
}

/// A time in YAML: its form needs no quotes, and its neighbours may have none.
pub(crate) fn yaml_time(text: &str, preferred: Style) -> String {
    match preferred {
        Style::Plain => text.to_owned(),
        other => yaml(text, other, false),
    }
}

/// A string in double quotes, on one line.
fn double(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || is_odd(c) => {
                // Writing to a string cannot fail.
                let _ = match c as u32 {
                    code @ 0..=0xff => write!(out, "\\x{code:02x}"),
                    code @ 0x100..=0xffff => write!(out, "\\u{code:04x}"),
                    code => write!(out, "\\U{code:08x}"),
                };
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// A string in JSON.
pub(crate) fn json(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
