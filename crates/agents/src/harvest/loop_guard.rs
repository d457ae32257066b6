//! What `ken` put into a conversation never comes back as memory.

use std::borrow::Cow;

/// The text without the briefs that `ken` injected.
pub(crate) fn without_injected(text: &str) -> Cow<'_, str> {
    ken_text::mark::without_briefs(text)
}

/// Whether an element of this name is one that `ken` writes: a section of a brief that was copied out of it.
pub(crate) fn is_own_element(name: &str) -> bool {
    name == "kenning" || name.starts_with("kenning-")
}
