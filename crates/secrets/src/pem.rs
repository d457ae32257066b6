//! Private keys in PEM, in OpenPGP's armour and in SSH's older form: the whole block, also one that was cut off.

use std::ops::Range;

use crate::stand_ins;

/// How long a block may be. The longest keys in use have 16 KB.
const LONGEST: usize = 64 * 1024;

/// The block that begins with the dashes at `start`.
pub(crate) fn find(text: &str, start: usize) -> Option<(&'static str, Range<usize>)> {
    let label_end = start
        + text[start..]
            .bytes()
            .take(80)
            .position(|byte| byte == b'\n' || byte == b'\r')
            .unwrap_or(80);
    let line = &text[start..text.floor_char_boundary(label_end.min(text.len()))];
    let dashes = line.bytes().take_while(|byte| *byte == b'-').count();
    let label = line[dashes..].trim_start().strip_prefix("BEGIN ")?;
    let label = &label[..label.find("----")?];
    let kind = match label.trim() {
        label if label.contains("PGP PRIVATE KEY") => "pgp-private-key",
        label if label.contains("PRIVATE KEY") => "private-key",
        _ => return None,
    };
    let body = start
        + line.find(label)?
        + label.len()
        + text[start + line.find(label)? + label.len()..]
            .bytes()
            .take_while(|byte| *byte == b'-' || *byte == b' ')
            .count();

    let reach = text.floor_char_boundary((body + LONGEST).min(text.len()));
    if let Some(dashes) = text[body..reach].find("----") {
        let end = body + dashes;
        let after = text[end..].trim_start_matches('-').trim_start_matches(' ');
        if after.starts_with("END ") {
            let tail = text.len() - after.len();
            let line = after
                .bytes()
                .take(80)
                .position(|byte| byte == b'-')
                .map(|at| tail + at)?;
            let close = line + text[line..].bytes().take_while(|byte| *byte == b'-').count();
            return says_something(&text[body..end], 6).then_some((kind, start..close));
        }
    }
    let end = body + open_ended(&text[body..reach]);
    says_something(&text[body..end], 24).then_some((kind, start..end))
}

/// Whether a body holds key material, at least `least` characters of it, and is not a row of dots or a word or two.
fn says_something(body: &str, least: usize) -> bool {
    let material = body.bytes().filter(u8::is_ascii_alphanumeric).count();
    material >= least && !stand_ins::filler(body) && !body.contains(['<', '{', '$'])
}

/// How far a body without an end reaches: as long as its lines are base64, headers or nothing.
fn open_ended(body: &str) -> usize {
    let mut end = 0;
    let mut at = 0;
    while at < body.len() {
        let rest = &body[at..];
        // A line ends with a line break, or with one that is escaped.
        let real = rest.find('\n').unwrap_or(rest.len());
        let escaped = rest[..real].find("\\n").unwrap_or(real);
        let (length, next) = if escaped < real {
            (escaped, escaped + 2)
        } else {
            (real, (real + 1).min(rest.len()))
        };
        let line = rest[..length]
            .trim_end_matches("\\r")
            .trim_matches([' ', '\t', '\r', '\\', '>', '|', '#', '*', '/']);
        let line = line.trim_matches(['"', '\'', ',', '+', ' ', ';']);
        let base64 = material(line);
        let header = line.find(": ").is_some_and(|colon| {
            colon < 40
                && line[..colon]
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        });
        if base64 == line.len()
            && (line.is_empty()
                || base64 >= 16
                || next >= rest.len()
                || (end > 0 && base64 >= 4 && !line.bytes().all(|byte| byte.is_ascii_lowercase())))
        {
            if !line.is_empty() {
                end = at + rest[..length].find(line).unwrap_or(0) + line.len();
            }
        } else if header {
            end = at + length;
        } else {
            // The last line may go on with other text.
            if base64 >= 16 && !line.is_empty() {
                end = at + rest[..length].find(line).unwrap_or(0) + base64;
            }
            break;
        }
        at += next;
    }
    end
}

/// How much of a line is base64: one run, or several that spaces part where line breaks were.
fn material(line: &str) -> usize {
    let mut end = 0;
    for word in line.split_inclusive(' ') {
        let run = word
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte))
            .count();
        let whole = run == word.trim_end().len();
        if end > 0 && run < 32 && !(whole && end + word.len() == line.len()) {
            return end;
        }
        if !whole {
            return end + run;
        }
        end += word.len();
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINE: &str = "MIIEowIBAAKCAQEAx4UbaDzY5xjW6hc9jwN0mX33XpTDVW6WpLz8Qy1YbN0vS3Zd";

    fn block(label: &str, body: &str, end: bool) -> String {
        let dashes = "-".repeat(5);
        let close = if end {
            format!("{dashes}END {label}{dashes}")
        } else {
            String::new()
        };
        format!("{dashes}BEGIN {label}{dashes}{body}{close}")
    }

    fn left(before: &str, block: &str, after: &str) -> Option<String> {
        let text = format!("{before}{block}{after}");
        find(&text, before.len()).map(|(_, span)| format!("{}#{}", &text[..span.start], &text[span.end..]))
    }

    #[test]
    fn whole_blocks() {
        for label in [
            "RSA PRIVATE KEY",
            "PRIVATE KEY",
            "EC PRIVATE KEY",
            "OPENSSH PRIVATE KEY",
            "PGP PRIVATE KEY BLOCK",
        ] {
            for newline in ["\n", "\r\n", "\\n", "\\r\\n", "\\\\n", "\n    ", "\n> "] {
                let body = format!("{newline}{LINE}{newline}{LINE}{newline}c2hvcnQ={newline}");
                assert_eq!(
                    left("a ", &block(label, &body, true), " b").as_deref(),
                    Some("a # b"),
                    "{label} {newline:?}"
                );
            }
        }
    }

    #[test]
    fn blocks_that_were_cut_off() {
        for newline in ["\n", "\r\n", "\\n", "\n  "] {
            let body = format!(
                "{newline}Proc-Type: 4,ENCRYPTED{newline}{newline}{LINE}{newline}{LINE}{newline}c2hvcnQ="
            );
            let block = block("RSA PRIVATE KEY", &body, false);
            assert_eq!(left("", &block, "").as_deref(), Some("#"), "{newline:?}");
            let after = format!("{newline}and then some words");
            assert_eq!(left("", &block, &after), Some(format!("#{after}")), "{newline:?}");
        }
        assert_eq!(
            left("", &block("PRIVATE KEY", &format!(" {LINE} {LINE}"), false), "").as_deref(),
            Some("#")
        );
    }

    #[test]
    fn mentions_and_public_keys_are_nothing() {
        for text in [
            block("RSA PRIVATE KEY", "\n...\n", true),
            block("RSA PRIVATE KEY", "\n<your key here>\n", true),
            block("RSA PRIVATE KEY", " or the like begins a key in PEM", false),
            block("RSA PRIVATE KEY", "\") { return parse(text); }", false),
            block("PUBLIC KEY", &format!("\n{LINE}\n"), true),
            block("CERTIFICATE", &format!("\n{LINE}\n"), true),
        ] {
            assert_eq!(find(&text, 0), None, "{text}");
        }
    }
}
