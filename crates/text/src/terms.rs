//! The terms under which texts are indexed and asked.

use std::borrow::Cow;

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

use crate::lex::{self, Gap, Kind, Piece};
use crate::normalize::Normalised;
use crate::script::Class;
use crate::{identifiers, words};

/// A term has at most this many characters. A longer one keeps its first 47 and ends in `~` and a 64-bit checksum of
/// the whole, so that two long tokens with the same beginning stay two.
pub const MAX_TERM: usize = 64;

/// The stem of a normalised word (Snowball English) when it is made of ASCII letters; all else comes back unchanged.
///
/// ```
/// use ken_text::stem;
/// assert_eq!(stem("connections"), stem("connected"));
/// assert_eq!(stem("utf8"), "utf8");
/// ```
pub fn stem(word: &str) -> String {
    stemmed(word).into_owned()
}

fn stemmed(word: &str) -> Cow<'_, str> {
    let plain = word.len() > 2 && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'\'');
    if plain && word.len() <= MAX_TERM {
        Stemmer::create(Algorithm::English).stem(word)
    } else {
        Cow::Borrowed(word)
    }
}

/// The terms under which a text is indexed, in order, with repetitions: their number is the length that BM25 uses.
///
/// Words come as stems; accents on Latin letters do not count. Identifiers (`api_gateway`, `apiGateway`,
/// `api-gateway`, `a::b`, `a.b`) come whole, then in parts. Numbers, versions and times stay whole (`2.1.205`,
/// `10:30`). `C++`, `C#` and `.NET` keep their signs and are not `C`. Scripts without spaces come as overlapping pairs
/// of characters, Chinese characters one by one too, Korean words whole too. Pictures stand for themselves. There are
/// no stop words: common words weigh little by themselves, and a query of nothing else still finds.
///
/// ```
/// use ken_text::terms;
/// assert_eq!(terms("Connections to api_gateway"), ["connect", "to", "api_gateway", "api", "gateway"]);
/// assert_eq!(terms("C++ 2.1.205"), ["c++", "2.1.205"]);
/// assert_eq!(terms("カタカナ"), ["カタ", "タカ", "カナ"]);
/// ```
pub fn terms(text: &str) -> Vec<String> {
    collect(text, Use::Document)
}

/// The terms of a question: as those of a text, but a run of Chinese characters is asked for by its pairs alone, so
/// that a document is not found by half of a word.
pub fn terms_of_question(text: &str) -> Vec<String> {
    collect(text, Use::Question)
}

fn collect(text: &str, purpose: Use) -> Vec<String> {
    let mut found = Vec::new();
    let mut splitter = Splitter::default();
    for chunk in text.split_ascii_whitespace() {
        splitter.each(chunk, purpose, &mut |term| found.push(term.to_owned()));
    }
    found
}

/// What terms are made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    Document,
    Question,
}

/// Makes terms, with buffers that live on between texts. No term reaches over ASCII white space, so that a text can be
/// given in the chunks between.
#[derive(Debug, Clone, Default)]
pub(crate) struct Splitter {
    pieces: Vec<Piece>,
}

impl Splitter {
    /// Hands out the terms of a chunk.
    pub(crate) fn each(&mut self, chunk: &str, purpose: Use, found: &mut dyn FnMut(&str)) {
        let chunk = without_punctuation(chunk);
        if let Some(lower) = PlainWord::of(chunk) {
            return bounded(&stemmed(lower.as_str()), found);
        }
        let text = Normalised::cased(chunk).text;
        self.pieces.clear();
        lex::pieces(&text, &mut self.pieces);
        let mut at = 0;
        while let Some(piece) = self.pieces.get(at) {
            let taken = match piece.kind {
                Kind::Word => compound(&text, &self.pieces, at, found),
                Kind::Unit(class) => run(&text, &self.pieces, at, class, purpose, found),
                Kind::Sign(sign) => {
                    if is_picture(sign) {
                        found(sign.encode_utf8(&mut [0; 4]));
                    }
                    1
                }
            };
            at += taken;
        }
    }
}

/// A chunk without the punctuation of sentences, which makes no term: so more chunks are met again, and more are plain words.
pub(crate) fn without_punctuation(chunk: &str) -> &str {
    let bytes = chunk.as_bytes();
    let opens = |b: &u8| matches!(b, b'(' | b'"' | b'\'' | b'`' | b'*');
    let closes = |b: &u8| opens(b) || matches!(b, b'.' | b',' | b';' | b':' | b'!' | b'?' | b')');
    let start = bytes.iter().position(|b| !opens(b)).unwrap_or(bytes.len());
    let end = bytes
        .iter()
        .rposition(|b| !closes(b))
        .map_or(start, |last| last + 1);
    &chunk[start..end.max(start)]
}

/// A word of ASCII letters that is no identifier: small letters with at most a capital at its start, or capitals alone.
/// Most of most texts.
struct PlainWord {
    bytes: [u8; PlainWord::MAX],
    length: usize,
}

impl PlainWord {
    const MAX: usize = 24;

    fn of(chunk: &str) -> Option<PlainWord> {
        let (first, rest) = chunk.as_bytes().split_first()?;
        let plain = chunk.len() <= PlainWord::MAX
            && first.is_ascii_alphabetic()
            && (rest.iter().all(u8::is_ascii_lowercase) || chunk.bytes().all(|b| b.is_ascii_uppercase()));
        if !plain {
            return None;
        }
        let mut bytes = [0; PlainWord::MAX];
        bytes[..chunk.len()].copy_from_slice(chunk.as_bytes());
        bytes[..chunk.len()].make_ascii_lowercase();
        Some(PlainWord {
            bytes,
            length: chunk.len(),
        })
    }

    fn as_str(&self) -> &str {
        std::str::from_utf8(&self.bytes[..self.length]).unwrap_or_default()
    }
}

/// A run of units: pairs, and what its script has besides. Returns how many pieces it was.
fn run(
    text: &str,
    pieces: &[Piece],
    at: usize,
    class: Class,
    purpose: Use,
    found: &mut dyn FnMut(&str),
) -> usize {
    let together = |kind: Kind| match kind {
        Kind::Unit(next) => next == class || next.is_east_asian() && class.is_east_asian(),
        _ => false,
    };
    let length = 1 + pieces[at + 1..]
        .iter()
        .take_while(|piece| piece.gap == Gap::None && together(piece.kind))
        .count();
    let (start, end) = (pieces[at].start as usize, pieces[at + length - 1].end as usize);
    let whole = crate::normalize(&text[start..end]);
    // Chinese and Japanese go by characters, the others by what is one syllable to a reader.
    let ends: Vec<usize> = if class.is_east_asian() || class == Class::Hangul {
        whole.char_indices().map(|(at, c)| at + c.len_utf8()).collect()
    } else {
        pieces[at..at + length]
            .iter()
            .scan(0, |end, piece| {
                *end += crate::normalize(piece.of(text)).len();
                Some((*end).min(whole.len()))
            })
            .collect()
    };
    let mut start = 0;
    if ends.len() <= 1 {
        bounded(&whole, found);
        return length;
    }
    if class == Class::Hangul && ends.len() > 2 {
        bounded(&whole, found);
    }
    for (number, end) in ends.iter().enumerate() {
        if purpose == Use::Document
            && whole[start..*end]
                .chars()
                .next()
                .is_some_and(|c| crate::script::class(c) == Class::Han)
        {
            bounded(&whole[start..*end], found);
        }
        if let Some(pair) = ends.get(number + 1).and_then(|next| whole.get(start..*next)) {
            bounded(pair, found);
        }
        start = *end;
    }
    length
}

/// A word with all that hangs on it: an identifier, a number, a name with signs. Returns how many pieces it was.
fn compound(text: &str, pieces: &[Piece], at: usize, found: &mut dyn FnMut(&str)) -> usize {
    let length = length_of_compound(text, pieces, at);
    let (first, last) = (pieces[at], pieces[at + length - 1]);
    let after = signs_of_name(pieces, at + length);
    let whole = &text[first.start as usize..last.end as usize];

    if after > 0 {
        // `C++` is a name of its own; `foo.C++` is that too.
        let signs = pieces[at + length + after - 1].end as usize;
        bounded(&folded(&text[last.start as usize..signs]), found);
        if length > 1 {
            let before = &text[first.start as usize..last.start as usize];
            identifiers::each_part(before, |part| word(part, found));
        }
        return length + after;
    }
    let dotted = at > 0
        && pieces[at - 1].is_sign('.')
        && pieces[at].gap == Gap::None
        && (at == 1
            || pieces[at - 1].gap != Gap::None
            || matches!(pieces[at - 2].kind, Kind::Sign(s) if s != '.'))
        && whole.starts_with(char::is_alphabetic);
    if dotted {
        bounded(
            &folded(&text[pieces[at - 1].start as usize..last.end as usize]),
            found,
        );
    }
    identifier(whole, found);
    length
}

/// How many pieces from `at` on are one compound: words that a hyphen, an underscore, a point, `::`, or a colon or
/// comma between digits holds together.
fn length_of_compound(text: &str, pieces: &[Piece], at: usize) -> usize {
    let mut length = 1;
    loop {
        let word = |offset: usize| pieces.get(at + length + offset).filter(|p| p.is_word());
        let sign = |offset: usize, sign: char| {
            pieces
                .get(at + length + offset)
                .is_some_and(|p| p.is_sign(sign) && p.gap == Gap::None)
        };
        let glued = |offset: usize| word(offset).filter(|p| p.gap == Gap::None);
        let digits_touch = |next: &Piece| {
            pieces[at + length - 1]
                .of(text)
                .ends_with(|c: char| c.is_ascii_digit())
                && next.of(text).starts_with(|c: char| c.is_ascii_digit())
        };
        length += if word(0).is_some_and(|p| matches!(p.gap, Gap::Hyphen | Gap::Underscore)) {
            1
        } else if sign(0, '.') && glued(1).is_some() {
            2
        } else if sign(0, ':') && sign(1, ':') && glued(2).is_some() {
            3
        } else if (sign(0, ':') || sign(0, ',')) && glued(1).is_some_and(digits_touch) {
            2
        } else {
            return length;
        };
    }
}

/// How many of the pieces from `at` on are signs that end a name: `++`, `#`, `+`, and not an operator.
fn signs_of_name(pieces: &[Piece], at: usize) -> usize {
    let signs = pieces[at..]
        .iter()
        .take_while(|p| p.gap == Gap::None && (p.is_sign('+') || p.is_sign('#')))
        .count();
    let operator = signs == 1
        && pieces
            .get(at + 1)
            .is_some_and(|p| p.gap == Gap::None && p.is_word());
    if operator { 0 } else { signs.min(3) }
}

/// The terms of an identifier or plain word.
fn identifier(whole: &str, found: &mut dyn FnMut(&str)) {
    if whole
        .bytes()
        .all(|b| b.is_ascii_digit() || matches!(b, b'.' | b':' | b','))
    {
        // `1,000` is asked for as 1000 as well.
        let plain: Cow<'_, str> = if whole.contains(',') {
            whole.replace(',', "").into()
        } else {
            whole.into()
        };
        return bounded(&plain, found);
    }
    if !splits(whole) {
        return word(whole, found);
    }
    whole_identifier(whole, found);
    for piece in split_strong(whole) {
        // `error_handling` of `rust::error_handling` is an identifier too.
        if piece.len() < whole.len() && splits(piece) {
            whole_identifier(piece, found);
        }
        for part in piece.split('_').filter(|part| !part.is_empty()) {
            if let Some(version) = version_after_v(part) {
                bounded(version, found);
            } else if !is_opaque(part) {
                identifiers::each_part(part, |part| word(part, found));
            } else if part.len() < piece.len() {
                bounded(&folded(part), found);
            }
        }
    }
}

fn splits(piece: &str) -> bool {
    let mut parts = 0;
    identifiers::each_part(piece, |_| parts += 1);
    parts > 1
}

fn whole_identifier(whole: &str, found: &mut dyn FnMut(&str)) {
    let folded = folded(whole);
    // A name in mixed case (`GitHub`) is the same word in small letters, and has its stem.
    bounded(&stemmed(&folded), found);
}

/// Splits at what joins several identifiers: `::`, `-`, `.` unless between digits, `:` and `,`.
fn split_strong(whole: &str) -> impl Iterator<Item = &str> {
    let bytes = whole.as_bytes();
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let mut start = 0;
    let mut ends = whole
        .char_indices()
        .filter(move |(at, c)| match c {
            '.' => !(digit(at.checked_sub(1)) && digit(Some(at + 1))),
            ':' | ',' | '-' | '\u{2010}' => true,
            _ => false,
        })
        .map(|(at, c)| (at, at + c.len_utf8()))
        .collect::<Vec<_>>()
        .into_iter();
    let mut done = false;
    std::iter::from_fn(move || {
        if done {
            return None;
        }
        let (end, next) = ends.next().unwrap_or_else(|| {
            done = true;
            (whole.len(), whole.len())
        });
        let piece = &whole[start..end];
        start = next;
        Some(piece)
    })
}

/// The number of `v2.1.205`, which is asked for without its letter too.
fn version_after_v(piece: &str) -> Option<&str> {
    let number = piece.strip_prefix(['v', 'V'])?;
    (number.starts_with(|c: char| c.is_ascii_digit())
        && number.bytes().all(|b| b.is_ascii_digit() || b == b'.'))
    .then_some(number)
}

/// Whether letters and digits alternate as they do in a checksum or an id, whose parts mean nothing.
fn is_opaque(piece: &str) -> bool {
    let sort = |b: &u8| (b.is_ascii_digit(), b.is_ascii_alphabetic());
    piece
        .as_bytes()
        .windows(2)
        .filter(|pair| {
            let (one, other) = (sort(&pair[0]), sort(&pair[1]));
            one.0 && other.1 || one.1 && other.0
        })
        .count()
        > 3
}

/// The term of a plain word.
fn word(part: &str, found: &mut dyn FnMut(&str)) {
    let folded = folded(part);
    bounded(&stemmed(&folded), found);
}

/// Normalised, with a straight apostrophe, and without accents on Latin letters.
fn folded(text: &str) -> Cow<'_, str> {
    let plain = words::plain(text);
    if plain.is_ascii() {
        return plain;
    }
    let mut out = String::with_capacity(plain.len());
    let mut latin = false;
    for c in plain.nfd() {
        if is_combining_mark(c) && latin {
            continue;
        }
        latin = true;
        match c {
            'ø' => out.push('o'),
            'ł' => out.push('l'),
            'đ' | 'ð' => out.push('d'),
            'æ' => out.push_str("ae"),
            'œ' => out.push_str("oe"),
            'ı' => out.push('i'),
            _ => {
                latin = c.is_ascii_alphabetic();
                out.push(c);
            }
        }
    }
    Cow::Owned(if out.is_ascii() { out } else { out.nfc().collect() })
}

/// Hands out a term within [`MAX_TERM`].
fn bounded(term: &str, found: &mut dyn FnMut(&str)) {
    if term.len() <= MAX_TERM || term.chars().nth(MAX_TERM).is_none() {
        if !term.is_empty() {
            found(term);
        }
        return;
    }
    let kept: String = term.chars().take(MAX_TERM - 17).collect();
    found(&format!("{kept}~{:016x}", checksum(term)));
}

/// FNV-1a, 64 bits: the same on every machine and in every version.
fn checksum(term: &str) -> u64 {
    term.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Emoji and other pictures that a person may ask for.
fn is_picture(c: char) -> bool {
    matches!(c as u32, 0x2190..=0x21FF | 0x2600..=0x27BF | 0x2B00..=0x2BFF | 0x1_F000..=0x1_FAFF)
        && !matches!(c as u32, 0x1_F3FB..=0x1_F3FF)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn texts_are_indexed_under_what_people_ask_for() {
        for (text, expected) in [
            ("Running the tests", &["run", "the", "test"][..]),
            ("don't can’t Orchard's", &["don't", "can't", "orchard"]),
            ("api_gateway", &["api_gateway", "api", "gateway"]),
            ("apiGateway", &["apigateway", "api", "gateway"]),
            ("API-Gateway", &["api-gateway", "api", "gateway"]),
            ("API", &["api"]),
            ("GitHub github", &["github", "git", "hub", "github"]),
            ("foo.bar", &["foo.bar", "foo", "bar"]),
            (
                "rust::error_handling",
                &["rust::error_handling", "rust", "error_handling", "error", "handl"],
            ),
            ("HTTPServer2", &["httpserver2", "http", "server", "2"]),
            ("C C++ C# F# .NET", &["c", "c++", "c#", "f#", ".net", "net"]),
            ("C/C++, C++17", &["c", "c++", "c++", "17"]),
            ("Node.js", &["node.js", "node", "js"]),
            ("a+b i++", &["a", "b", "i++"]),
            ("2.1.205 v2.1.205", &["2.1.205", "v2.1.205", "2.1.205"]),
            ("python3.11", &["python3.11", "python", "3.11"]),
            ("2026-06-24 10:30", &["2026-06-24", "2026", "06", "24", "10:30"]),
            ("1,000 1000 $5 50%", &["1000", "1000", "5", "50"]),
            ("a:b skill:x", &["a", "b", "skill", "x"]),
            (
                "src/api_gateway/main.rs",
                &["src", "api_gateway", "api", "gateway", "main.rs", "main", "rs"],
            ),
            (".env #hashtag @acme/ui", &[".env", "env", "hashtag", "acm", "ui"]),
            (
                "café CAFÉ cafe Straße Łódź",
                &["cafe", "cafe", "cafe", "strass", "lodz"],
            ),
            ("москва Αθήνα", &["москва", "αθήνα"]),
            ("东京", &["东", "东京", "京"]),
            ("猫", &["猫"]),
            (
                "オーチャードを",
                &["オー", "ーチ", "チャ", "ャー", "ード", "ドを"],
            ),
            ("오차드를 서울", &["오차드를", "오차", "차드", "드를", "서울"]),
            ("ไทย", &["ไทย"]),
            ("दिल्ली", &["दिल्ली"]),
            ("go 🚀!", &["go", "🚀"]),
            ("a3f9c2b1d4", &["a3f9c2b1d4"]),
            ("evt_01J8XK2M3N4P", &["evt_01j8xk2m3n4p", "evt", "01j8xk2m3n4p"]),
            ("... -- ?!", &[]),
            ("", &[]),
        ] {
            assert_eq!(terms(text), expected, "{text}");
        }
    }

    #[test]
    fn a_question_in_chinese_asks_for_pairs_and_finds_single_characters_too() {
        assert_eq!(terms_of_question("东京塔"), ["东京", "京塔"]);
        assert_eq!(terms_of_question("猫"), ["猫"]);
        assert!(terms("黒猫が好き").contains(&"猫".to_owned()));
    }

    #[test]
    fn spellings_of_one_identifier_share_their_parts() {
        let of = |text: &str| terms(text)[1..].to_vec();
        for text in [
            "api_gateway",
            "apiGateway",
            "ApiGateway",
            "API_GATEWAY",
            "api-gateway",
            "api.gateway",
            "api::gateway",
        ] {
            assert_eq!(of(text), ["api", "gateway"], "{text}");
        }
    }

    #[test]
    fn a_long_term_is_cut_but_stays_itself() {
        let (one, other) = (
            terms(&format!("{}a", "x".repeat(500))),
            terms(&format!("{}b", "x".repeat(500))),
        );
        assert_eq!(one[0].chars().count(), MAX_TERM);
        assert_ne!(one, other);
        assert_eq!(terms(&"x".repeat(64)), ["x".repeat(64)]);
        assert_eq!(terms(&"ж".repeat(64)), ["ж".repeat(64)]);
        assert_eq!(terms(&"ж".repeat(65))[0].chars().count(), MAX_TERM);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn any_text_has_terms_within_bounds(text in "\\PC{0,48}") {
            for term in terms(&text).iter().chain(&terms_of_question(&text)) {
                prop_assert!(!term.is_empty() && term.chars().count() <= MAX_TERM);
                prop_assert!(!term.contains(char::is_whitespace), "{:?}", term);
            }
        }

        #[test]
        fn case_does_not_count_for_plain_words(text in "[a-z]{1,12}( [a-z]{1,12}){0,4}") {
            prop_assert_eq!(terms(&text.to_uppercase()), terms(&text));
        }

        #[test]
        fn a_text_is_found_by_each_of_its_words(text in "[a-zA-Zé0-9_.+#-]{1,16}") {
            let indexed = terms(&text);
            for asked in terms_of_question(&text) {
                prop_assert!(indexed.contains(&asked));
            }
        }
    }
}
