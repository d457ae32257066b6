//! What `ken` put into a conversation never comes back as memory.

/// Whether an element of this name is one that `ken` writes around what it injects.
pub(crate) fn is_own_element(name: &str) -> bool {
    name == "ken" || name == "kenning" || name.starts_with("ken-") || name.starts_with("kenning-")
}
