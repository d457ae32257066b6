//! What an unquoted scalar means, and to whom: YAML 1.2 core reads `no` and `2026-06-24` as text, YAML 1.1 does not.
//!
//! The schema wants a text wherever it wants a scalar, so a manifest takes every scalar as the text it is; this tells
//! which of them another reader would misread, so that validation warns and the writer quotes.

/// What an unquoted scalar is to a reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Meaning {
    /// Null, to every reader.
    Null,
    /// A truth value, to every reader.
    Bool,
    /// A whole number, to every reader.
    Int,
    /// Another number, to every reader.
    Float,
    /// `yes`, `no`, `on`, `off`: a truth value to readers of YAML 1.1.
    OldBool,
    /// Underscores, base 60, old octals: a number to readers of YAML 1.1.
    OldNumber,
    /// A date or time to readers of YAML 1.1.
    Date,
    /// Text, to every reader.
    Text,
}

impl Meaning {
    /// Whether a scalar of this meaning may stand under the core schema's tag of that name.
    pub(crate) fn fits(self, tag: Option<&str>) -> bool {
        match tag {
            Some("null") => self == Meaning::Null,
            Some("bool") => self == Meaning::Bool,
            Some("int") => self == Meaning::Int,
            Some("float") => matches!(self, Meaning::Int | Meaning::Float),
            _ => false,
        }
    }

    /// How a message names it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Meaning::Null => "nothing",
            Meaning::Bool | Meaning::OldBool => "a truth value",
            Meaning::Int | Meaning::Float | Meaning::OldNumber => "a number",
            Meaning::Date => "a date",
            Meaning::Text => "text",
        }
    }
}

/// What the unquoted scalar `text` means.
pub(crate) fn meaning(text: &str) -> Meaning {
    match text.as_bytes() {
        [] => Meaning::Null,
        [first, ..] if first.is_ascii_alphabetic() => word(text),
        [b'0'..=b'9' | b'+' | b'-' | b'.' | b'~', ..] => number(text),
        _ => Meaning::Text,
    }
}

fn word(text: &str) -> Meaning {
    match text {
        "null" | "Null" | "NULL" => Meaning::Null,
        "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => Meaning::Bool,
        _ if text.len() <= 3
            && ["y", "n", "yes", "no", "on", "off"]
                .iter()
                .any(|old| text.eq_ignore_ascii_case(old)) =>
        {
            Meaning::OldBool
        }
        _ => Meaning::Text,
    }
}

fn number(text: &str) -> Meaning {
    if text == "~" {
        return Meaning::Null;
    }
    let signed = text.strip_prefix(['+', '-']);
    let unsigned = signed.unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF")
        || signed.is_none() && matches!(unsigned, ".nan" | ".NaN" | ".NAN")
    {
        return Meaning::Float;
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = unsigned.strip_prefix(prefix) {
            let clean = !digits.is_empty() && digits.chars().all(|c| c.is_digit(radix));
            let old = digits.chars().any(|c| c.is_digit(radix))
                && digits.chars().all(|c| c == '_' || c.is_digit(radix));
            return match (clean && signed.is_none() && radix != 2, old) {
                (true, _) => Meaning::Int,
                (_, true) => Meaning::OldNumber,
                _ => Meaning::Text,
            };
        }
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let exponent_reads = exponent.is_none_or(|exponent| {
        let digits = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
    });
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let old_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit() || b == b'_');
    let some = !whole.is_empty() || fraction.is_some_and(|fraction| !fraction.is_empty());
    if exponent_reads && some && digits(whole) && fraction.is_none_or(digits) {
        return if fraction.is_none() && exponent.is_none() {
            Meaning::Int
        } else {
            Meaning::Float
        };
    }
    if exponent_reads
        && whole.starts_with(|c: char| c.is_ascii_digit())
        && old_digits(whole)
        && fraction.is_none_or(old_digits)
    {
        return Meaning::OldNumber;
    }
    if is_base_60(unsigned) {
        return Meaning::OldNumber;
    }
    if signed.is_none() && is_date(text) {
        return Meaning::Date;
    }
    Meaning::Text
}

/// `12:30:45`, `190:20:30.15`.
fn is_base_60(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut parts = whole.split(':');
    let first = parts.next().unwrap_or_default();
    let mut rest = parts.peekable();
    rest.peek().is_some()
        && first.starts_with(|c: char| c.is_ascii_digit())
        && first.bytes().all(|b| b.is_ascii_digit() || b == b'_')
        && rest.all(|part| matches!(part.as_bytes(), [b'0'..=b'9'] | [b'0'..=b'5', b'0'..=b'9']))
        && fraction.bytes().all(|b| b.is_ascii_digit() || b == b'_')
}

/// `2026-06-24`, and with a time after a `T`, a `t` or blanks.
fn is_date(text: &str) -> bool {
    let day_end = text.find(['T', 't', ' ', '\t']).unwrap_or(text.len());
    let (day, time) = text.split_at(day_end);
    let mut parts = day.split('-');
    let mut part = |lengths: std::ops::RangeInclusive<usize>| {
        parts
            .next()
            .is_some_and(|p| lengths.contains(&p.len()) && p.bytes().all(|b| b.is_ascii_digit()))
    };
    let day_reads = part(4..=4) && part(1..=2) && part(1..=2) && parts.next().is_none();
    let time = time.trim_start_matches([' ', '\t', 'T', 't']);
    day_reads
        && (day_end == text.len()
            || time.starts_with(|c: char| c.is_ascii_digit())
                && time
                    .bytes()
                    .all(|b| b.is_ascii_digit() || b" \t:.,+-Zz".contains(&b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reader_is_thought_of() {
        let table: &[(Meaning, &[&str])] = &[
            (Meaning::Null, &["", "~", "null", "Null", "NULL"]),
            (Meaning::Bool, &["true", "False", "TRUE"]),
            (Meaning::OldBool, &["no", "NO", "Yes", "on", "oFF", "y", "N"]),
            (Meaning::Int, &["0", "12", "-3", "+4", "0755", "0x1F", "0o17"]),
            (
                Meaning::Float,
                &["1.10", ".5", "1.", "1e3", "-2.5E-3", ".inf", "-.INF", ".NaN"],
            ),
            (
                Meaning::OldNumber,
                &["1_000", "0b101", "1:30", "190:20:30.15", "-0x1F", "1_0.5"],
            ),
            (
                Meaning::Date,
                &[
                    "2026-06-24",
                    "2026-6-4",
                    "2026-06-24T10:00:00Z",
                    "2026-06-24 10:00:00 +02:00",
                ],
            ),
            (
                Meaning::Text,
                &[
                    "nope",
                    "nullify",
                    "truth",
                    "2026-Q1",
                    "v1.0",
                    "1.2.3",
                    "3 things",
                    "-",
                    "+",
                    ".",
                    "...",
                    "--",
                    "1e",
                    "0x",
                    "12:75",
                    "2026-06-24 or so",
                    "e3",
                    "-x",
                    "~x",
                    "é",
                    "127.0.0.1",
                    "1:",
                ],
            ),
        ];
        for (wanted, texts) in table {
            for text in *texts {
                assert_eq!(meaning(text), *wanted, "{text:?}");
            }
        }
    }
}
