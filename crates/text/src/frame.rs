//! What a sentence says of what: its frame (the words that stay) and its values (numbers, dates, versions, names, and
//! whether it denies). Two facts with one frame and one value that differs contradict each other.
//!
//! ```
//! use ken_text::frame::Frame;
//! let (first, second) = (Frame::of("The office is in London"), Frame::of("the office is in Tokyo"));
//! assert_ne!(first.values(), second.values());
//! assert_eq!(first.without(0), second.without(0));
//! ```

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

use foldhash::fast::FixedState;

use crate::recognise::is_everyday_word;

/// The stem of a word. The same words come again and again, and a stem takes longer than all else that is done with one.
fn stem(word: &str) -> String {
    /// So many are remembered.
    const REMEMBERED: usize = 1 << 15;
    thread_local! {
        static MET: RefCell<HashMap<Box<str>, Box<str>, FixedState>> = RefCell::default();
    }
    MET.with_borrow_mut(|met| {
        if let Some(known) = met.get(word) {
            return known.to_string();
        }
        let stem = crate::stem(word);
        if met.len() < REMEMBERED {
            met.insert(word.into(), stem.as_str().into());
        }
        stem
    })
}

/// A kind of value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Digits, with at most a sign of money, per cent or a short unit, or a small number as a word.
    Number,
    /// A day: `2025-04-15`, `April 15`.
    Date,
    /// `v2`, `1.9.3`.
    Version,
    /// A proper name, or what stands in back-ticks.
    Name,
    /// Whether the text denies: `yes` or `no`.
    Negation,
}

impl Class {
    /// What people call it: `number`.
    pub fn word(self) -> &'static str {
        match self {
            Class::Number => "number",
            Class::Date => "date",
            Class::Version => "version",
            Class::Name => "name",
            Class::Negation => "negation",
        }
    }
}

/// A text as frame and values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// Stemmed words in order; a value is its class alone.
    skeleton: Vec<String>,
    /// The values in order, whether the text denies being the last.
    values: Vec<(Class, String)>,
    /// What the text says became of something.
    change: Option<Change>,
}

/// That one value took another's place.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Change {
    from: Option<String>,
    to: Option<String>,
}

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
const NUMBERS: [&str; 11] = [
    "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
];
const NEGATIONS: &[&str] = &["not", "no", "never", "cannot", "without", "nor", "neither"];
/// Words that say nothing of a fact: left out of a frame, and never a name at the start of a sentence.
const EMPTY: &[&str] = &[
    "a",
    "an",
    "the",
    "do",
    "does",
    "did",
    "any",
    "longer",
    "please",
    "also",
    "now",
    "currently",
    "anymore",
    "today",
];
/// Words with which sentences begin that are no names.
const OPENERS: &[&str] = &[
    "all", "always", "at", "be", "before", "after", "by", "each", "every", "for", "from", "how", "if", "in",
    "is", "it", "its", "keep", "let", "must", "never", "no", "not", "of", "on", "only", "or", "our",
    "should", "some", "that", "there", "these", "they", "this", "to", "use", "using", "we", "what", "when",
    "where", "with", "you", "your", "their", "my", "there", "run", "write", "avoid",
];

impl Frame {
    /// Reads a text.
    pub fn of(text: &str) -> Frame {
        let tokens: Vec<&str> = text
            .split_whitespace()
            .map(|token| {
                token.trim_matches(|c: char| !(c.is_alphanumeric() || matches!(c, '$' | '€' | '%' | '`')))
            })
            .filter(|token| !token.is_empty())
            .collect();
        let mut frame = Frame {
            skeleton: Vec::new(),
            values: Vec::new(),
            change: change(&tokens),
        };
        let mut denies = false;
        let mut at = 0;
        while at < tokens.len() {
            if let Some((date, length)) = date(&tokens[at..]) {
                frame.value(Class::Date, date);
                at += length;
                continue;
            }
            let token = tokens[at];
            let lower = token.to_lowercase().replace('’', "'");
            at += 1;
            if NEGATIONS.contains(&lower.as_str()) || lower.ends_with("n't") {
                denies = !denies;
                match lower.as_str() {
                    "cannot" | "can't" => frame.word("can"),
                    "isn't" | "aren't" | "wasn't" | "weren't" => frame.word("be"),
                    "won't" => frame.word("will"),
                    "hasn't" | "haven't" | "hadn't" => frame.word("have"),
                    "mustn't" => frame.word("must"),
                    "shouldn't" => frame.word("should"),
                    _ => {}
                }
                continue;
            }
            if EMPTY.contains(&lower.as_str()) {
                continue;
            }
            if let Some(number) = NUMBERS.iter().position(|word| *word == lower) {
                frame.value(Class::Number, (number + 2).to_string());
            } else if let Some(version) = version(&lower) {
                frame.value(Class::Version, version);
            } else if token.contains(|c: char| c.is_ascii_digit()) && number_like(&lower) {
                frame.value(Class::Number, lower.replace([',', '_'], ""));
            } else if is_name(token, &lower, at == 1) {
                frame.value(Class::Name, lower.trim_matches('`').to_owned());
            } else {
                match lower.as_str() {
                    "is" | "are" | "was" | "were" | "been" => frame.word("be"),
                    "has" | "had" | "having" => frame.word("have"),
                    _ => frame.word(&stem(&lower)),
                }
            }
        }
        frame
            .values
            .push((Class::Negation, if denies { "yes" } else { "no" }.to_owned()));
        frame
    }

    fn word(&mut self, word: &str) {
        self.skeleton.push(word.to_owned());
    }

    fn value(&mut self, class: Class, value: String) {
        // `San Francisco` is one name.
        if class == Class::Name
            && self.skeleton.last().map(String::as_str) == Some(mark(class))
            && let Some((Class::Name, last)) = self.values.last_mut()
        {
            last.push(' ');
            last.push_str(&value);
            return;
        }
        self.skeleton.push(mark(class).to_owned());
        self.values.push((class, value));
    }

    /// The values in order; whether the text denies comes last.
    pub fn values(&self) -> &[(Class, String)] {
        &self.values
    }

    /// What another text must share with this one to contradict it at the value `at`; nothing for a frame of hardly
    /// any words, which says too little.
    pub fn without(&self, at: usize) -> Option<String> {
        let (class, _) = self.values.get(at)?;
        let others = self.skeleton.len() - usize::from(*class != Class::Negation);
        if others < 2 {
            return None;
        }
        let mut key = self.skeleton.join(" ");
        for (number, (_, value)) in self.values.iter().enumerate() {
            key.push('\u{1}');
            key.push_str(if number == at { "\u{2}" } else { value });
        }
        Some(key)
    }

    /// Its words without values.
    pub fn words(&self) -> BTreeSet<&str> {
        let words = self.skeleton.iter().map(String::as_str);
        words.filter(|word| !word.starts_with('\u{1}')).collect()
    }

    /// The values of a class.
    pub fn of_class(&self, class: Class) -> BTreeSet<&str> {
        let values = self.values.iter().filter(|(other, _)| *other == class);
        values.map(|(_, value)| value.as_str()).collect()
    }

    /// Whether two texts may be one thing said twice: neither has a number, date, version or proper name that the other
    /// lacks, and both deny or neither does. A capital at the start of a sentence makes no name of a word that the other
    /// text has, too, or that everybody uses.
    pub fn may_say_the_same_as(&self, other: &Frame) -> bool {
        let exact = [Class::Number, Class::Date, Class::Version, Class::Negation];
        exact
            .into_iter()
            .all(|class| self.of_class(class) == other.of_class(class))
            && self.names_stand_in(other)
            && other.names_stand_in(self)
    }

    fn names_stand_in(&self, other: &Frame) -> bool {
        let (names, words) = (other.of_class(Class::Name), other.words());
        self.of_class(Class::Name).into_iter().all(|name| {
            names.contains(name)
                || name.split(' ').all(|part| {
                    words.contains(stem(part).as_str())
                        || names
                            .iter()
                            .any(|name| name.split(' ').any(|other| other == part))
                        || is_everyday_word(part)
                })
        })
    }

    /// Whether this text, the later of the two, says that what the other says is no longer so: it has the same frame and
    /// another value, or says what became of the other's value ("moved from London to Tokyo", "switched to SQLite").
    pub fn replaces(&self, older: &Frame) -> bool {
        self.is_another_value_of(older)
            || self
                .change
                .as_ref()
                .is_some_and(|change| self.tells(change, older))
    }

    fn is_another_value_of(&self, older: &Frame) -> bool {
        self.skeleton == older.skeleton
            && self.values.len() == older.values.len()
            && (0..self.values.len()).any(|at| {
                self.values[at] != older.values[at] && {
                    let rest = self.without(at);
                    rest.is_some() && rest == older.without(at)
                }
            })
    }

    /// Whether a change that this text tells of is one of the other text's value.
    fn tells(&self, change: &Change, older: &Frame) -> bool {
        let subject: BTreeSet<&str> = older
            .words()
            .into_iter()
            .filter(|word| !is_filler(word))
            .collect();
        let mine = self.words();
        let shared = subject.iter().filter(|word| mine.contains(*word)).count();
        let has = |value: &str| {
            let value = value.to_lowercase();
            older
                .values
                .iter()
                .any(|(_, other)| other.split(' ').any(|part| part == value) || *other == value)
                || subject.contains(stem(&value).as_str())
        };
        match (&change.from, &change.to) {
            (Some(from), to) => {
                let stays = to.as_ref().is_some_and(|to| has(to));
                has(from)
                    && !stays
                    && subject
                        .iter()
                        .any(|word| mine.contains(word) && *word != stem(from))
            }
            (None, Some(to)) => {
                let class = class_of(to);
                let values = older.of_class(class);
                let same = values.contains(to.to_lowercase().as_str());
                values.len() == 1 && !same && !subject.is_empty() && shared == subject.len()
            }
            (None, None) => false,
        }
    }

    /// The one class in which two texts of one subject differ. Those with one frame and several values that differ
    /// have two subjects.
    pub fn differs_in(&self, other: &Frame) -> Option<Class> {
        if self.skeleton == other.skeleton {
            return None;
        }
        let mut found = None;
        for class in [
            Class::Number,
            Class::Date,
            Class::Version,
            Class::Name,
            Class::Negation,
        ] {
            let (mine, theirs) = (self.of_class(class), other.of_class(class));
            // What only one of them speaks of is no difference.
            if mine == theirs || mine.is_empty() || theirs.is_empty() {
                continue;
            }
            if found.is_some() {
                return None;
            }
            found = Some(class);
        }
        found
    }
}

/// Verbs that tell of a change, as stems.
const CHANGES: &[&str] = &[
    "move", "switch", "migrat", "chang", "replac", "renam", "upgrad", "downgrad", "bump", "rais", "lower",
    "increas", "decreas", "reduc", "extend", "shorten", "swap", "convert", "went", "go",
];
/// Words that say nothing of what a text is about.
const FILLER: &[&str] = &[
    "be", "have", "we", "our", "us", "it", "its", "in", "on", "at", "to", "of", "for", "from", "with", "by",
    "and", "use", "run", "set", "will", "can", "must", "should", "this", "that", "as", "is",
];

fn is_filler(word: &str) -> bool {
    FILLER.contains(&word)
}

/// The change that a text tells of: `moved ... from A to B`, `switched to B`, `replaced A with B`, `B instead of A`,
/// `no longer ... A`.
fn change(tokens: &[&str]) -> Option<Change> {
    let lower: Vec<String> = tokens.iter().map(|token| token.to_lowercase()).collect();
    let at = |word: &str| lower.iter().position(|token| token == word);
    let after = |place: usize| {
        let rest = tokens.get(place + 1..)?;
        let skipped = rest
            .iter()
            .position(|token| !EMPTY.contains(&token.to_lowercase().as_str()))?;
        rest.get(skipped).map(|token| (*token).to_owned())
    };
    if let Some(instead) = lower
        .windows(2)
        .position(|pair| pair[1] == "of" && pair[0] == "instead" || pair[1] == "than" && pair[0] == "rather")
    {
        let to = instead.checked_sub(1).map(|place| tokens[place].to_owned());
        return Some(Change {
            from: after(instead + 1),
            to,
        });
    }
    let verb = lower
        .iter()
        .position(|token| CHANGES.contains(&stem(token).as_str()));
    if let Some(verb) = verb {
        let behind = |word: &str| {
            lower[verb..]
                .iter()
                .position(|token| token == word)
                .map(|place| place + verb)
        };
        if let (Some(from), Some(to)) = (behind("from"), behind("to").or_else(|| behind("into")))
            && from < to
        {
            return Some(Change {
                from: after(from),
                to: after(to),
            });
        }
        if stem(&lower[verb]) == "replac"
            && let Some(with) = behind("with").or_else(|| behind("by"))
        {
            return Some(Change {
                from: after(verb),
                to: after(with),
            });
        }
        let to = behind("to").or_else(|| behind("into")).and_then(after);
        return to.map(|to| Change {
            from: None,
            to: Some(to),
        });
    }
    let longer = lower
        .windows(2)
        .position(|pair| pair[0] == "no" && pair[1] == "longer");
    let gone = longer.map(|place| place + 1).or_else(|| at("anymore").map(|_| 0));
    // What is no longer so is the last thing that such a sentence names.
    gone.and_then(|place| {
        let named = tokens[place..]
            .iter()
            .rev()
            .find(|token| class_of(token) != Class::Negation)?;
        Some(Change {
            from: Some((*named).to_owned()),
            to: None,
        })
    })
}

/// What kind of value a word is; a denial when it is none.
fn class_of(token: &str) -> Class {
    let lower = token.to_lowercase();
    if version(&lower).is_some() {
        Class::Version
    } else if token.contains(|c: char| c.is_ascii_digit()) && number_like(&lower) {
        Class::Number
    } else if is_name(token, &lower, false) {
        Class::Name
    } else {
        Class::Negation
    }
}

fn mark(class: Class) -> &'static str {
    match class {
        Class::Number => "\u{1}number",
        Class::Date => "\u{1}date",
        Class::Version => "\u{1}version",
        Class::Name => "\u{1}name",
        Class::Negation => "\u{1}negation",
    }
}

fn all_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// A date at the start of these words, and how many they are: `2025-04-15`, `April 15`, `15 April 2025`.
fn date(tokens: &[&str]) -> Option<(String, usize)> {
    let first = tokens.first()?;
    let has_digit = |token: &str| token.bytes().any(|byte| byte.is_ascii_digit());
    if !has_digit(first) && !tokens.get(1).is_some_and(|second| has_digit(second)) {
        return None;
    }
    let parts: Vec<&str> = first.split('T').next()?.split(['-', '/']).collect();
    if parts.len() == 3 && parts.iter().all(|part| all_digits(part)) && parts[0].len() == 4 {
        return Some((format!("{}-{:0>2}-{:0>2}", parts[0], parts[1], parts[2]), 1));
    }
    let month = |token: &str| {
        let lower = token.to_lowercase();
        let known = |name: &&str| **name == lower || lower.len() == 3 && name.starts_with(&lower);
        Some(MONTHS.iter().position(known)? + 1)
    };
    let day = |token: &str| {
        let digits = token.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let number: u32 = digits.parse().ok()?;
        (all_digits(digits) && (1..=31).contains(&number)).then_some(number)
    };
    let second = tokens.get(1)?;
    let (month, day) = month(first)
        .zip(day(second))
        .or_else(|| month(second).zip(day(first)))?;
    let year = tokens.get(2).filter(|year| all_digits(year) && year.len() == 4);
    Some(match year {
        Some(year) => (format!("{year}-{month:02}-{day:02}"), 3),
        None => (format!("{month:02}-{day:02}"), 2),
    })
}

/// `v2`, `v2.0`, `1.9.3`: without its `v` and closing zeros.
fn version(lower: &str) -> Option<String> {
    let bare = lower.strip_prefix('v').unwrap_or(lower);
    let parts: Vec<&str> = bare.split('.').collect();
    let good = parts.iter().all(|part| all_digits(part));
    (good && (bare.len() < lower.len() || parts.len() >= 3)).then(|| {
        let mut parts = parts;
        while parts.len() > 1 && parts.last() == Some(&"0") {
            parts.pop();
        }
        parts.join(".")
    })
}

/// Digits with at most a sign of money, per cent or a short unit.
fn number_like(lower: &str) -> bool {
    let bare = lower.trim_start_matches(['$', '€', '-', '+']);
    let end = bare
        .find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | ',' | '_' | ':')))
        .unwrap_or(bare.len());
    end > 0 && bare[end..].chars().count() <= 3
}

fn is_name(token: &str, lower: &str, first: bool) -> bool {
    if token.starts_with('`') {
        return true;
    }
    let capital = token.starts_with(char::is_uppercase);
    let inner = token.chars().skip(1).any(char::is_uppercase);
    if first && !inner {
        return capital && !OPENERS.contains(&lower);
    }
    capital || inner && token.chars().any(char::is_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The class in which two texts with one frame differ.
    fn clash(a: &str, b: &str) -> Option<Class> {
        let (a, b) = (Frame::of(a), Frame::of(b));
        let at = (0..a.values.len()).find(|at| {
            a.values.get(*at) != b.values.get(*at)
                && a.without(*at).is_some_and(|key| Some(key) == b.without(*at))
        })?;
        Some(a.values[at].0)
    }

    #[test]
    fn one_value_that_differs_is_a_contradiction() {
        for (a, b, class) in [
            (
                "The API rate limit is 500 a minute.",
                "the API rate limit is 300 a minute",
                Class::Number,
            ),
            (
                "Product launches April 15, not before.",
                "Product launches 1 May, not before.",
                Class::Date,
            ),
            (
                "The release is due 2027-04-15",
                "The release is due 2027-05-01",
                Class::Date,
            ),
            (
                "Current release: v1.9.3",
                "Current release: v2.0.0",
                Class::Version,
            ),
            ("The database is Postgres", "The database is MySQL", Class::Name),
            ("Alice owns billing", "Bob owns billing", Class::Name),
            (
                "The office is in San Francisco",
                "The office is in Berlin",
                Class::Name,
            ),
            (
                "Product has gas sponsorship.",
                "Product does NOT have gas sponsorship.",
                Class::Negation,
            ),
            (
                "Deploys are allowed on Friday",
                "Deploys aren't allowed on Friday",
                Class::Negation,
            ),
            ("We keep two replicas", "We keep 3 replicas", Class::Number),
        ] {
            assert_eq!(clash(a, b), Some(class), "{a} / {b}");
            assert_eq!(clash(b, a), Some(class), "{b} / {a}");
        }
    }

    #[test]
    fn other_subjects_and_other_ways_to_write_the_same_are_none() {
        for (a, b) in [
            ("Service 1 answers on port 8001", "Service 2 answers on port 8002"),
            ("The limit is 1,000 a minute", "The limit is 1000 a minute"),
            ("Current release: v2.0", "Current release: v2.0.0"),
            ("It launches April 15", "It launches 15 April"),
            ("Alice owns billing", "Alice owns search"),
            ("Port 1", "Port 2"),
        ] {
            assert_eq!(clash(a, b), None, "{a} / {b}");
        }
    }
}
