//! Tokens that carry JSON: three parts in base64, of which the first says how the third was made.

use std::ops::Range;

use crate::{base64, edges};

/// How long one part may be.
const LONGEST: usize = 16 * 1024;

/// The token that begins at `start`, when its header is one.
pub(crate) fn find(text: &str, start: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    if !edges::begins(bytes, start)
        || start
            .checked_sub(1)
            .is_some_and(|before| matches!(bytes[before], b'-' | b'_'))
    {
        return None;
    }
    let part = |at: usize| {
        at + bytes[at..]
            .iter()
            .take(LONGEST)
            .take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
            .count()
    };
    let header = part(start);
    if header - start > 4096 || bytes.get(header) != Some(&b'.') {
        return None;
    }
    let says: serde_json::Value = serde_json::from_slice(&base64::decode(&text[start..header])?).ok()?;
    says.get("alg")?.as_str()?;
    let mut end = part(header + 1);
    if end == header + 1 && !says.get("enc").is_some_and(serde_json::Value::is_string) {
        return None;
    }
    // The signature; an encrypted token has two parts more.
    for _ in 0..3 {
        if bytes.get(end) != Some(&b'.') {
            break;
        }
        let next = part(end + 1);
        if next == end + 1 {
            break;
        }
        end = next;
    }
    Some(start..end)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn encode(text: &str) -> String {
        let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        text.as_bytes()
            .chunks(3)
            .flat_map(|chunk| {
                let three = chunk.iter().fold(0_u32, |all, byte| all << 8 | u32::from(*byte))
                    << (8 * (3 - chunk.len()));
                (0..=chunk.len()).map(move |at| alphabet[(three >> (18 - 6 * at) & 63) as usize] as char)
            })
            .collect()
    }

    #[test]
    fn a_header_must_say_an_algorithm() {
        let payload = encode(r#"{"sub":"1234567890"}"#);
        let token = |header: &str| format!("{}.{payload}.c2lnbmF0dXJl", encode(header));
        let good = token(r#"{"alg":"HS256","typ":"JWT"}"#);
        assert_eq!(find(&good, 0), Some(0..good.len()));
        let spaced = format!("say {good}. then");
        assert_eq!(find(&spaced, 4), Some(4..4 + good.len()));
        for header in [r#"{"typ":"JWT"}"#, r#"{"alg":1}"#, r#"{"alg":"#] {
            assert_eq!(find(&token(header), 0), None, "{header}");
        }
        assert_eq!(find("eyJhbGciOi.not.json", 0), None);
    }

    #[test]
    fn the_signature_may_be_missing() {
        let token = format!("{}.{}", encode(r#"{"alg":"none"}"#), encode(r#"{"sub":"1"}"#));
        for after in ["", ".", " ", "\""] {
            assert_eq!(
                find(&format!("{token}{after}"), 0),
                Some(0..token.len()),
                "{after:?}"
            );
        }
    }
}
