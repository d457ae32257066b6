//! Base64 of either alphabet, padded or not: enough to see what a token says about itself.

/// The bytes that `text` stands for; `None` when it has other characters.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=');
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 3);
    let mut held: u32 = 0;
    let mut bits = 0;
    for byte in text.bytes() {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        held = held << 6 | u32::from(six);
        bits += 6;
        if bits >= 8 {
            bits -= 8;
            bytes.push((held >> bits & 0xff) as u8);
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::decode;

    #[test]
    fn decodes_both_alphabets_with_and_without_padding() {
        for (text, bytes) in [
            ("", &b""[..]),
            ("dXNlcg==", b"user"),
            ("dXNlcg", b"user"),
            ("-_-_", &[0xfb, 0xff, 0xbf]),
            ("+/+/", &[0xfb, 0xff, 0xbf]),
        ] {
            assert_eq!(decode(text).as_deref(), Some(bytes), "{text}");
        }
        assert_eq!(decode("a b"), None);
    }
}
