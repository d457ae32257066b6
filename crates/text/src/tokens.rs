//! Token counts: the reference's rough one for budgets on disk, and a safer one for what is injected.

use crate::script;

/// ceil(UTF-16 length / 4), as the reference edicts program counts for `tokenBudget`.
///
/// ```
/// use ken_text::tokens::budget_tokens;
/// assert_eq!(budget_tokens("20 characters, these"), 5);
/// assert_eq!(budget_tokens("hello"), 2);
/// assert_eq!(budget_tokens("記憶を共有する"), 2);
/// assert_eq!(budget_tokens(""), 0);
/// ```
pub fn budget_tokens(text: &str) -> usize {
    if text.is_ascii() {
        return text.len().div_ceil(4);
    }
    text.chars().map(char::len_utf16).sum::<usize>().div_ceil(4)
}

/// What a text costs in a prompt: a CJK character (ideographs, kana, Hangul, and the punctuation that goes with them)
/// as one token, four other UTF-16 units as one, rounded up. It is counted on the rendered text, wrapper included.
///
/// ```
/// use ken_text::tokens::prompt_tokens;
/// assert_eq!(prompt_tokens("hello"), 2);
/// assert_eq!(prompt_tokens("記憶を共有する"), 7);
/// assert_eq!(prompt_tokens("記憶 and"), 3);
/// ```
pub fn prompt_tokens(text: &str) -> usize {
    if text.is_ascii() {
        return text.len().div_ceil(4);
    }
    let (mut whole, mut units) = (0, 0);
    for character in text.chars() {
        if script::is_cjk(character) {
            whole += 1;
        } else {
            units += character.len_utf16();
        }
    }
    whole + units.div_ceil(4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budget_counts_utf16_units_in_fours() {
        assert_eq!(budget_tokens(&"x".repeat(20)), 5);
        assert_eq!(budget_tokens("hello"), 2);
        assert_eq!(budget_tokens(""), 0);
        assert_eq!(budget_tokens("数据库的端口"), 2);
        assert_eq!(budget_tokens("é"), 1);
        // Outside of the basic plane a character is two units.
        assert_eq!(budget_tokens("🚀🚀🚀"), 2);
    }

    #[test]
    fn a_prompt_counts_a_cjk_character_as_one() {
        assert_eq!(prompt_tokens("数据库的端口"), 6);
        assert_eq!(prompt_tokens("오차드"), 3);
        assert_eq!(prompt_tokens("ポート"), 3);
        assert_eq!(prompt_tokens("数据库 port 5432"), 3 + 3);
        assert_eq!(prompt_tokens("𠮷"), 1);
        assert_eq!(prompt_tokens("。"), 1);
        assert_eq!(prompt_tokens(""), 0);
        assert_eq!(prompt_tokens("éééé"), 1);
    }
}
