//! What `ken` put into a conversation never comes back as memory.
//!
//! A brief is known by the mark around it. A line of one that somebody said again without the mark is known by its
//! text: see [`super::told`].

use std::borrow::Cow;

/// How a mark is spelled where the text was quoted in JSON or HTML.
const SPELLED: &[(&str, &str)] = &[
    ("\\u003c", "<"),
    ("\\u003C", "<"),
    ("\\u003e", ">"),
    ("\\u003E", ">"),
    ("&lt;", "<"),
    ("&gt;", ">"),
];

/// The text without the briefs that `ken` injected, however they are quoted.
pub(crate) fn without_injected(text: &str) -> Cow<'_, str> {
    let name = ken_text::mark::BRIEF_OPEN.trim_matches(['<', '>']);
    let quoted = text.contains(name) && SPELLED.iter().any(|(spelled, _)| text.contains(spelled));
    if !quoted {
        return ken_text::mark::without_briefs(text);
    }
    let mut plain = text.to_owned();
    for (spelled, sign) in SPELLED {
        plain = plain.replace(spelled, sign);
    }
    Cow::Owned(ken_text::mark::without_briefs(&plain).into_owned())
}

/// Whether an element of this name is one that `ken` writes: a section of a brief that was copied out of it.
pub(crate) fn is_own_element(name: &str) -> bool {
    name == "kenning" || name.starts_with("kenning-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_brief_is_taken_out_however_it_is_quoted() {
        assert_eq!(without_injected("a <kenning-memory>x</kenning-memory> b"), "a  b");
        assert_eq!(
            without_injected("a \\u003ckenning-memory\\u003E\\nx\\u003c/kenning-memory\\u003e b"),
            "a  b"
        );
        assert_eq!(without_injected("a &lt;kenning-memory&gt; x"), "a ");
        assert_eq!(without_injected("&lt;b&gt; stays"), "&lt;b&gt; stays");
    }
}
