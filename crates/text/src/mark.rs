//! The mark around what is put into a prompt, so that it can be told apart later: what was injected is never taken
//! for something that was said.

/// Opens a brief. It stands on a line of its own.
pub const BRIEF_OPEN: &str = "<kenning-memory>";
/// Closes a brief. It stands on a line of its own.
pub const BRIEF_CLOSE: &str = "</kenning-memory>";

/// The text without the briefs in it. A brief that is not closed ends with the text.
pub fn without_briefs(text: &str) -> std::borrow::Cow<'_, str> {
    if !text.contains(BRIEF_OPEN) {
        return text.into();
    }
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, inside)) = rest.split_once(BRIEF_OPEN) {
        kept.push_str(before);
        rest = inside.split_once(BRIEF_CLOSE).map_or("", |(_, after)| after);
    }
    kept.push_str(rest);
    kept.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_injected_is_taken_out_and_the_rest_stays() {
        let injected = |inside: &str| format!("{BRIEF_OPEN}{inside}{BRIEF_CLOSE}");
        assert_eq!(without_briefs("plain"), "plain");
        assert_eq!(
            without_briefs(&format!("a {}b{} c", injected("x"), injected("y"))),
            "a b c"
        );
        assert_eq!(without_briefs(&format!("a {BRIEF_OPEN} never closed")), "a ");
    }
}
