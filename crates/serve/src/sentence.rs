//! What an error may show of what it was given: no credential, and no more of a value than tells which one it is.

/// The most characters that a quoted value keeps.
const QUOTED: usize = 200;

/// The most characters that a whole sentence keeps.
const WHOLE: usize = 2_000;

/// The sentence with credentials replaced, quoted values cut, and the middle left out of what is still too long: the
/// beginning says what is wrong, the end says the remedy.
pub(crate) fn fit_to_show(sentence: &str) -> String {
    let (clean, _) = ken_secrets::redact(sentence);
    let mut shown = String::with_capacity(clean.len().min(4 * WHOLE));
    let mut rest = clean.as_ref();
    while let Some(start) = rest.find(['`', '"']) {
        let (before, quoted) = rest.split_at(start);
        shown.push_str(before);
        let mark = quoted.as_bytes()[0];
        let Some(length) = end_of_quoted(&quoted[1..], mark) else {
            rest = quoted;
            break;
        };
        let value = &quoted[1..=length];
        shown.push(char::from(mark));
        match value.char_indices().nth(QUOTED) {
            Some((cut, _)) => {
                shown.push_str(&value[..cut]);
                shown.push('…');
            }
            None => shown.push_str(value),
        }
        shown.push(char::from(mark));
        rest = &quoted[length + 2..];
    }
    shown.push_str(rest);
    let characters = shown.chars().count();
    if characters <= WHOLE {
        return shown;
    }
    let begin: String = shown.chars().take(WHOLE * 3 / 4).collect();
    let end: String = shown.chars().skip(characters - WHOLE / 4).collect();
    format!("{begin} … {end}")
}

/// Where a quoted value ends: the next mark of its kind that no backslash stands before.
fn end_of_quoted(text: &str, mark: u8) -> Option<usize> {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate() {
        if escaped {
            escaped = false;
        } else if byte == b'\\' && mark == b'"' {
            escaped = true;
        } else if byte == mark {
            return Some(at);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::fit_to_show;

    #[test]
    fn a_short_sentence_is_shown_as_it_is() {
        for sentence in [
            "",
            "`since` is \"ban\\\"ana\"; write 14d",
            "an odd ` mark",
            "\"é\"`",
        ] {
            assert_eq!(fit_to_show(sentence), sentence);
        }
    }

    #[test]
    fn a_quoted_value_keeps_200_characters() {
        let long = "é ".repeat(300);
        assert_eq!(
            fit_to_show(&format!("there is no `{long}`; name one that is")),
            format!("there is no `{}…`; name one that is", "é ".repeat(100))
        );
        assert_eq!(
            fit_to_show(&format!("invalid type: string \"{long}\", expected u8")),
            format!("invalid type: string \"{}…\", expected u8", "é ".repeat(100))
        );
    }

    #[test]
    fn what_is_too_long_without_quotes_loses_its_middle() {
        let shown = fit_to_show(&format!("wrong: {} mend it", "word ".repeat(10_000)));
        assert!(shown.starts_with("wrong: word") && shown.ends_with("mend it"));
        assert!(shown.chars().count() < 2_010);
    }

    #[test]
    fn a_credential_is_not_shown() {
        let token = ["ghp", "_", "x7Kq2mW9vR4tZ8nB3cL6", "pY1sD5fG0hJ2aQ4e"].concat();
        for sentence in [
            format!("`{token}` is no agent"),
            format!("invalid type: string \"{token}\", expected u8"),
            format!("unknown field {token}"),
        ] {
            let shown = fit_to_show(&sentence);
            assert!(
                !shown.contains(&token[4..]) && shown.contains("[redacted:"),
                "{shown}"
            );
        }
    }
}
