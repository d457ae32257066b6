use std::collections::HashSet;
use std::sync::OnceLock;

/// Whether a word says nothing of what a text is about.
pub(super) fn says_nothing(word: &str) -> bool {
    static OTHERS: OnceLock<HashSet<&str>> = OnceLock::new();
    let others = OTHERS.get_or_init(|| OF_OTHER_LANGUAGES.split_ascii_whitespace().collect());
    FUNCTION_WORDS.binary_search(&word).is_ok() || others.contains(word)
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

/// The same of German, French, Spanish, Portuguese, Italian, Dutch and Russian, which tell as little. Sorted.
const OF_OTHER_LANGUAGES: &str = "\
    aan ab aber afin ai ainsi al algo algunos alle allem allen aller alles alors als also am an anche andere \
    anderen ante antes après aquí as así au auch aucun auf aus aussi autre autres aux avant avec avez avoir \
    avons aún bei beim ben bien bij bin bis bist bitte bonjour cada car ce ceci cela celle celui ces cet cette \
    ceux chaque che chez chi ci come comme comment como con cosa così cual cuando cui cuál cuándo cómo da dabei \
    dal dalla damit dan danach dann dans daran darauf darf das dass dat dazu de debe degli dei dein deine del \
    della dem den denn depuis der deren des desde dessen deux deve di die dies diese diesem diesen dieser dieses \
    dir dit do doch doen doit doivent donc donde dont dopo dort dos dove du durch dónde e een ein eine einem \
    einen einer eines einfach el ela ele ella ellas elle elles ellos em en encore entre er era erst es esa ese \
    eso essere est esta estas este esto estos está et etwas eu euch euer eux fa faire fait fare faut foi fue für \
    ganz geen gegen geht gerade gibt gli ha haar hab habe haben hace hacer hallo hanno hasta hat hatte hay heb \
    hebben heeft hem het hier hij hin hinter ho hoe i ich ici ihm ihn ihnen ihr ihre ik il ils im immer in ins \
    is isso ist isto ja je jede jeder jedes jetzt jusque kan kann kannst kein keine keinen können könnte la las \
    lass le les lesquels leur leurs lo lors los lui là ma maar mache machen mais mal man mas me meer meg mehr \
    mein meine merci mes mi mich mijn mir mis mit moet moi moins mon mucho muss muy más même müssen na naar nach \
    nas ne neben nei nein nel nella ni nicht nichts niet no noch nog non nos notre nous nu nun nur não o ob oder \
    of ohne om on ont ook op os otra otro ou over où par para parce pas pela pelo per perché pero peu peut peux \
    più plus plutôt pode poi por porque porquê pour pourquoi pouvez puede puedo puis può qual quale quand quando \
    que quel quelle quelles quello quels quem questa questo qui quien quoi qué rien sa sans schon se sehr sei \
    sein seine seit sem ser sera ses seu seulement si sia sich sie sin sind sinon so sobre soll sollen sollte \
    solo son sondern sono sont sous su sua suis sul sur sus sí ta también tan te tem tengo tes ti tiene todo \
    todos toen toi ton tot toujours tous tout toute toutes tra trop très tu tus tutti tutto uit um uma un una \
    und une uno unos uns unser unter usted va van veel vers vi viel voici voilà vom von voor vor vos votre vous \
    waar waarom wann war waren warum was wat we weil wel welche welcher welches wenn wer werd werden wie wieder \
    wij will wir wird wo worden wordt wurde wurden y ya yo ze zei zich zijn zo zonder zu zum zur zwei zwischen \
    ça è é él étaient était été être über а без бы был была были было быть в вам вас весь во вот все всё вы где \
    да для до его ее если есть еще ещё её же за и из или им их к как какой когда который кто ли меня мне можно \
    мой мы на надо нам нас не нет но ну о об он она они от очень по под пожалуйста почему при с сделай со так \
    также там то только ты у уже что чтобы эта эти это этот я";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_without_repetition() {
        assert!(FUNCTION_WORDS.windows(2).all(|pair| pair[0] < pair[1]));
        let others: Vec<&str> = OF_OTHER_LANGUAGES.split_ascii_whitespace().collect();
        assert!(others.windows(2).all(|pair| pair[0] < pair[1]));
        assert!(says_nothing("nicht") && says_nothing("почему"));
        assert!(says_nothing("the") && says_nothing("don't") && !says_nothing("ledger"));
    }
}
