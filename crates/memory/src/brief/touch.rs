//! Whether a prompt touches a fact or a lesson.

use std::collections::{HashMap, HashSet};

use ken_edicts::Edict;
use ken_text::recognise::{Name, Recogniser, is_common_word};

use crate::{Recognised, ThingKind};

/// What a prompt touches: a fact or lesson whose key or skill it names, that speaks of something it names, or that
/// shares enough of its own words with it, one of them rare. Silence is the default: common words alone touch nothing.
pub(super) struct Touch {
    keys: HashSet<String>,
    skills: HashSet<String>,
    named: Recogniser,
    words: HashMap<String, Rarity>,
}

/// A fact shares enough when at least so many of its telling words stand in the prompt, and so large a share of them.
const SHARED_WORDS: usize = 2;
const SHARED_PART: f64 = 0.4;
/// A long prompt holds many words by chance: above this many, more is asked for.
const LONG_PROMPT: usize = 80;
const SHARED_WORDS_LONG: usize = 3;
const SHARED_PART_LONG: f64 = 0.6;

/// Whether a word is one of those that everybody writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rarity {
    Common,
    Rare,
}

impl Touch {
    pub(super) fn of(prompt: &str, recognised: &[Recognised]) -> Touch {
        let of_kind = |kind: ThingKind| {
            recognised
                .iter()
                .filter(move |thing| thing.kind == kind)
                .map(|thing| thing.name.clone())
                .collect()
        };
        let names = recognised
            .iter()
            .filter(|thing| matches!(thing.kind, ThingKind::Entity | ThingKind::Workstream))
            .flat_map(|thing| {
                std::iter::once(&thing.name)
                    .chain(&thing.also_known_as)
                    .chain(&thing.formerly)
            })
            .map(|name| Name {
                text: name.clone(),
                id: 0,
            });
        Touch {
            keys: of_kind(ThingKind::Edict),
            skills: of_kind(ThingKind::Skill),
            named: Recogniser::new(names),
            words: telling_words(prompt).collect(),
        }
    }

    pub(super) fn edict(&self, edict: &Edict) -> bool {
        edict
            .key
            .as_ref()
            .is_some_and(|key| self.keys.contains(key.as_str()))
            || self.text(&edict.text)
    }

    pub(super) fn lesson(&self, skill: &str, text: &str) -> bool {
        self.skills.contains(skill) || self.text(text)
    }

    fn text(&self, text: &str) -> bool {
        if !self.named.find(text).is_empty() {
            return true;
        }
        let words: HashMap<String, Rarity> = telling_words(text).collect();
        let shared: Vec<Rarity> = words
            .iter()
            .filter(|(word, _)| self.words.contains_key(*word))
            .map(|(_, rarity)| *rarity)
            .collect();
        let (least, part) = if self.words.len() > LONG_PROMPT {
            (SHARED_WORDS_LONG, SHARED_PART_LONG)
        } else {
            (SHARED_WORDS, SHARED_PART)
        };
        shared.contains(&Rarity::Rare)
            && shared.len() >= least
            && shared.len() as f64 >= part * words.len() as f64
    }
}

/// The words of a text that say what it is about, as stems.
fn telling_words(text: &str) -> impl Iterator<Item = (String, Rarity)> {
    ken_text::words(text).into_iter().filter_map(|word| {
        let word = word.text;
        let numbers_only = word.chars().all(|c| !c.is_alphabetic());
        if numbers_only || word.chars().count() < 2 || FUNCTION_WORDS.contains(&word.as_str()) {
            return None;
        }
        let rarity = if is_common_word(&word) {
            Rarity::Common
        } else {
            Rarity::Rare
        };
        Some((ken_text::stem(&word), rarity))
    })
}

/// Words that say nothing of what a text is about.
#[rustfmt::skip]
const FUNCTION_WORDS: &[&str] = &[
    "a", "about", "after", "again", "all", "also", "always", "am", "an", "and", "any", "are", "as", "at", "be", "because",
    "been", "before", "but", "by", "can", "cannot", "could", "did", "do", "does", "doing", "done", "don't", "each", "else",
    "ever", "every", "few", "first", "for", "from", "get", "give", "go", "had", "has", "have", "he", "help", "her", "here",
    "him", "his", "how", "i", "i'm", "if", "in", "into", "is", "it", "its", "it's", "just", "let", "like", "make", "many",
    "may", "me", "more", "most", "much", "must", "my", "need", "never", "new", "no", "not", "now", "of", "off", "on",
    "once", "one", "only", "or", "other", "our", "out", "over", "own", "please", "put", "run", "same", "set", "she",
    "should", "so", "some", "still", "such", "than", "that", "the", "their", "them", "then", "there", "these", "they",
    "thing", "this", "those", "to", "too", "under", "until", "up", "us", "use", "used", "using", "very", "want", "was",
    "way", "we", "were", "what", "when", "where", "which", "while", "who", "why", "will", "with", "work", "would", "write",
    "you", "your",
];
