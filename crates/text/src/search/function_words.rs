//! English words that shape a question and say nothing about what is asked for.
//!
//! BM25 weighs a word by how rare it is, and in a log of some dozens of lines `did` is as rare as `parser`. So in a
//! question these words give way to the others; where there are no others they are all that was asked, and stay.

/// Articles, pronouns, auxiliaries, prepositions and question words, and their stems. Sorted.
const FUNCTION_WORDS: &[&str] = &[
    "a", "about", "all", "am", "an", "and", "ani", "any", "are", "as", "at", "be", "been", "being", "but",
    "by", "can", "could", "did", "do", "doe", "does", "doing", "done", "for", "from", "get", "got", "had",
    "has", "have", "having", "he", "her", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its",
    "me", "my", "of", "on", "or", "our", "ours", "she", "should", "so", "some", "than", "that", "the",
    "their", "them", "then", "there", "these", "they", "this", "those", "to", "us", "was", "we", "were",
    "what", "when", "where", "whi", "which", "who", "whom", "whose", "why", "will", "with", "would", "you",
    "your", "yours",
];

/// Whether a term of a question is the stem of such a word.
pub(super) fn is_function_word(term: &str) -> bool {
    FUNCTION_WORDS.binary_search(&term).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_holds_the_stem_of_each_word() {
        assert!(FUNCTION_WORDS.windows(2).all(|pair| pair[0] < pair[1]));
        let missing: Vec<String> = FUNCTION_WORDS
            .iter()
            .map(|word| crate::stem(word))
            .filter(|stem| !is_function_word(stem))
            .collect();
        assert!(missing.is_empty(), "{missing:?}");
    }
}
