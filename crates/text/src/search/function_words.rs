//! English words that shape a question and say nothing about what is asked for.
//!
//! BM25 weighs a word by how rare it is, and in a log of some dozens of lines `did` is as rare as `parser`. So in a
//! question these words give way to the others; where there are no others they are all that was asked, and stay.

use crate::stem;

/// Articles, pronouns, auxiliaries, prepositions and question words.
const FUNCTION_WORDS: &[&str] = &[
    "a", "about", "all", "am", "an", "and", "any", "are", "as", "at", "be", "been", "being", "but", "by",
    "can", "could", "did", "do", "does", "doing", "done", "for", "from", "get", "got", "had", "has", "have",
    "having", "he", "her", "him", "his", "how", "i", "if", "in", "into", "is", "it", "its", "me", "my", "of",
    "on", "or", "our", "ours", "she", "should", "so", "some", "than", "that", "the", "their", "them", "then",
    "there", "these", "they", "this", "those", "to", "us", "was", "we", "were", "what", "when", "where",
    "which", "who", "whom", "whose", "why", "will", "with", "would", "you", "your", "yours",
];

/// Whether a term of a question is the stem of such a word.
pub(super) fn is_function_word(term: &str) -> bool {
    FUNCTION_WORDS
        .iter()
        .any(|word| *word == term || stem(word) == term)
}
