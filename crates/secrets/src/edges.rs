//! Where a word begins, also inside the escapes of JSON, URLs and terminals.

/// Whether a credential may begin at `at`: nothing that belongs to a word stands before it.
///
/// The letter of an escape is no word: `\n`, `\u0022`, `\x22`, `%3D`, and the `m` that ends a terminal colour.
pub(crate) fn begins(bytes: &[u8], at: usize) -> bool {
    let before = &bytes[..at];
    match before.last() {
        Some(last) if last.is_ascii_alphanumeric() => escape(before) > 0,
        _ => true,
    }
}

/// How many bytes at the end of `before` are an escape that ends in a letter or digit; 0 when none does.
pub(crate) fn escape(before: &[u8]) -> usize {
    let hex = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_hexdigit);
    match before {
        [.., b'\\', b'n' | b'r' | b't' | b'b' | b'f' | b'v' | b'0'] => 2,
        [.., b'\\', b'u', a, b, c, d] if hex(&[*a, *b, *c, *d]) => 6,
        [.., b'\\', b'x', a, b] if hex(&[*a, *b]) => 4,
        [.., b'%', a, b] if hex(&[*a, *b]) => 3,
        [.., b'm'] => {
            let digits = before[..before.len() - 1]
                .iter()
                .rev()
                .take(12)
                .take_while(|byte| byte.is_ascii_digit() || **byte == b';')
                .count();
            let open = before.len() - 1 - digits;
            if open > 0 && before[open - 1] == b'[' {
                digits + 2
            } else {
                0
            }
        }
        _ => 0,
    }
}

/// Whether a credential may end at `at`: no letter, digit or underscore follows.
pub(crate) fn ends(bytes: &[u8], at: usize) -> bool {
    !matches!(bytes.get(at), Some(next) if next.is_ascii_alphanumeric() || *next == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_are_no_words() {
        for before in [
            "",
            " ",
            "=",
            "中",
            r"\n",
            r"\\n",
            r"\u003d",
            r"\x22",
            "%3D",
            "\u{1b}[0;32m",
            "\"",
            "_",
        ] {
            assert!(begins(before.as_bytes(), before.len()), "{before:?}");
        }
        for before in ["a", "Z", "9", r"\q", "n", "3D", "32m", r"\u00zz"] {
            assert!(!begins(before.as_bytes(), before.len()), "{before:?}");
        }
    }
}
