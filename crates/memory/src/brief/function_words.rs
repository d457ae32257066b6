/// Whether a word says nothing of what a text is about.
pub(super) fn says_nothing(word: &str) -> bool {
    FUNCTION_WORDS.binary_search(&word).is_ok()
}

/// Sorted.
#[rustfmt::skip]
const FUNCTION_WORDS: &[&str] = &[
    "a", "able", "about", "across", "actually", "after", "again", "against", "all", "almost", "along", "already",
    "also", "although", "always", "am", "an", "and", "any", "anything", "are", "aren't", "around", "as", "at",
    "away", "back", "be", "because", "become", "been", "before", "besides", "between", "both", "but", "by", "can",
    "can't", "cannot", "cant", "could", "couldn't", "did", "didn't", "do", "does", "doesn't", "doing", "don't",
    "done", "down", "during", "each", "either", "else", "enough", "even", "ever", "every", "everything", "except",
    "far", "few", "fine", "first", "for", "from", "get", "give", "go", "got", "had", "has", "have", "he", "hello",
    "help", "her", "here", "hey", "hi", "him", "his", "how", "however", "i", "i'd", "i'll", "i'm", "i've", "if",
    "in", "instead", "into", "is", "isn't", "it", "it'd", "it's", "its", "just", "kind", "last", "least", "less",
    "let", "let's", "lets", "like", "little", "long", "look", "looks", "lot", "make", "many", "may", "maybe", "me",
    "might", "mine", "more", "most", "much", "must", "my", "myself", "near", "need", "never", "new", "next", "no",
    "nobody", "none", "not", "nothing", "now", "of", "off", "often", "ok", "okay", "on", "once", "one", "only",
    "or", "other", "otherwise", "our", "ours", "out", "over", "own", "perhaps", "please", "possible", "put",
    "quite", "rather", "really", "right", "run", "same", "say", "says", "see", "seem", "seems", "set", "shall",
    "she", "should", "shouldn't", "since", "so", "some", "somehow", "something", "sometimes", "soon", "sorry",
    "still", "such", "sure", "take", "takes", "tell", "than", "thank", "thanks", "that", "that's", "the", "their",
    "them", "then", "there", "there's", "these", "they", "thing", "think", "this", "those", "though", "through",
    "to", "today", "together", "tomorrow", "too", "toward", "try", "trying", "twice", "under", "unless", "until",
    "up", "upon", "us", "use", "used", "using", "very", "want", "was", "wasn't", "way", "we", "well", "went",
    "were", "what", "what's", "whatever", "when", "where", "whether", "which", "while", "who", "why", "will",
    "with", "within", "without", "won't", "work", "would", "write", "yes", "yesterday", "yet", "you", "you're",
    "your", "yours",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_without_repetition() {
        assert!(FUNCTION_WORDS.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(says_nothing("the") && says_nothing("don't") && !says_nothing("ledger"));
    }
}
