//! Whether a prompt touches a fact or a lesson.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use ken_edicts::Edict;
use ken_text::recognise::{Name, Recogniser, is_everyday_technology, is_everyday_word};

use super::function_words::says_nothing;
use crate::freshness::hold;
use crate::{Recognised, ThingKind};

/// What a prompt touches: a fact or lesson whose key or skill it names, that speaks of something it names, or whose own
/// words it shares. Silence is the default, so words weigh by what they tell (the constants below and the decision on
/// what reaches a prompt say how much).
pub(super) struct Touch<'m> {
    keys: HashSet<String>,
    skills: HashSet<String>,
    /// The texts that speak of something that the prompt names, where that tells them from the others.
    named: HashSet<&'m str>,
    subjects: &'m Subjects,
    prompt: Telling,
    weigher: Weigher,
    needed: f64,
}

/// A text's telling words: those that say what it is about.
#[derive(Debug, Default)]
pub(crate) struct Telling {
    words: HashMap<String, Rarity>,
    /// Pairs of words that stand side by side, in either order, or with one small word between them.
    pairs: HashSet<(String, String)>,
}

/// The telling words of facts and lessons that were asked about before, by their texts.
#[derive(Debug, Default)]
pub(crate) struct Subjects {
    known: Mutex<HashMap<String, Arc<Telling>>>,
}

/// More texts than any project has at a time: what is older than that was edited.
const MOST_SUBJECTS: usize = 4_096;

impl Subjects {
    fn of(&self, text: &str) -> Arc<Telling> {
        let mut known = hold(&self.known);
        if let Some(telling) = known.get(text) {
            return Arc::clone(telling);
        }
        if known.len() >= MOST_SUBJECTS {
            known.clear();
        }
        let telling = Arc::new(Telling::of(text));
        known.insert(text.to_owned(), Arc::clone(&telling));
        telling
    }
}

/// How many facts and lessons there are, and how many of them hold a word of the prompt.
#[derive(Debug, Default)]
struct Weigher {
    texts: usize,
    holding: HashMap<String, usize>,
}

/// How much of a text's subject a word tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rarity {
    /// Everybody writes it about anything.
    Everyday,
    /// A technology that everybody works with (`docker`, `json`).
    Technology,
    /// Two ideographs side by side.
    Ideographs,
    /// Few texts hold it.
    Rare,
    /// It is written as a name (`Weblate`).
    Named,
    /// It is written as only a term is (`SAML`, `argon2id`, `RabbitMQ`).
    Term,
}

/// What words weigh: of the everyday ones three are needed, or two side by side; any other needs one more of whatever
/// kind, and a term alone is enough.
const EVERYDAY: f64 = 0.5;
const TECHNOLOGY: f64 = 0.8;
const IDEOGRAPHS: f64 = 0.6;
const RARE: f64 = 1.0;
const NAMED: f64 = 1.2;
const TERM: f64 = 1.5;
const PAIR: f64 = 0.5;
/// So much must be shared by a prompt of a sentence or two.
const NEEDED: f64 = 1.3;
/// A long prompt holds many words by chance: above this many, each asks for a little more.
const SENTENCES: usize = 20;
const NEEDED_PER_WORD: f64 = 0.03;
const MOST_NEEDED: f64 = 3.0;
/// So many texts may speak of a thing that is named and still be told for it, however few there are.
const FEW_NAMED: usize = 5;
/// What being named counts before anything that is shared.
const BY_NAME: f64 = 1_000.0;

impl<'m> Touch<'m> {
    /// Prepares to say what of `texts` (all facts and lessons) a prompt touches that names these things.
    pub(super) fn of(
        prompt: &str,
        recognised: &[Recognised],
        subjects: &'m Subjects,
        texts: &[&'m str],
    ) -> Touch<'m> {
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
        let names = Recogniser::new(names);
        let mut named: HashSet<&str> = HashSet::new();
        if !names.is_empty() {
            named.extend(texts.iter().filter(|text| !names.find_certain(text).is_empty()));
        }
        // What most texts speak of, as the project itself, tells none of them from another.
        if named.len() > FEW_NAMED && named.len() * 4 > texts.len() {
            named.clear();
        }
        let prompt = Telling::of(prompt);
        let long = prompt.words.len().saturating_sub(SENTENCES) as f64;
        Touch {
            keys: of_kind(ThingKind::Edict),
            skills: of_kind(ThingKind::Skill),
            named,
            needed: (NEEDED + NEEDED_PER_WORD * long).min(MOST_NEEDED),
            weigher: Weigher::of(&prompt, texts.iter().map(|text| subjects.of(text))),
            subjects,
            prompt,
        }
    }

    /// How much a prompt touches a fact: by its key most, else by what they share. `None` when it does not.
    pub(super) fn edict(&self, edict: &Edict) -> Option<f64> {
        let key = edict.key.as_ref();
        let named = key.is_some_and(|key| self.keys.contains(key.as_str()));
        self.by(named, &edict.text)
    }

    /// How much it touches a lesson: by its skill most, else by what they share. `None` when it does not.
    pub(super) fn lesson(&self, skill: &str, text: &str) -> Option<f64> {
        self.by(self.skills.contains(skill), text)
    }

    fn by(&self, named: bool, text: &str) -> Option<f64> {
        let shared = self.shared(text);
        if named {
            return Some(BY_NAME + shared);
        }
        (shared >= self.needed || self.named.contains(text)).then_some(shared)
    }

    /// What the telling words weigh that a text shares with the prompt.
    fn shared(&self, text: &str) -> f64 {
        let text = self.subjects.of(text);
        let words: f64 = text
            .words
            .iter()
            .filter(|(word, _)| self.prompt.words.contains_key(*word))
            .map(|(word, rarity)| rarity.weight() * self.weigher.rareness(word))
            .sum();
        words + PAIR * text.pairs.intersection(&self.prompt.pairs).count() as f64
    }
}

impl Rarity {
    fn weight(self) -> f64 {
        match self {
            Rarity::Everyday => EVERYDAY,
            Rarity::Technology => TECHNOLOGY,
            Rarity::Ideographs => IDEOGRAPHS,
            Rarity::Rare => RARE,
            Rarity::Named => NAMED,
            Rarity::Term => TERM,
        }
    }
}

impl Telling {
    fn of(text: &str) -> Telling {
        let mut telling = Telling::default();
        // The word before, and how many small words stand between.
        let mut before: Option<(String, usize)> = None;
        // The ideograph before, and where it ends.
        let mut ideograph: Option<(String, usize)> = None;
        for word in ken_text::words(text) {
            if is_ideograph(&word.text) {
                let last = ideograph.replace((word.text.clone(), word.span.end));
                if let Some((last, _)) = last.filter(|(_, end)| *end == word.span.start) {
                    telling.add(last + &word.text, Rarity::Ideographs);
                }
                continue;
            }
            let written = &text[word.span.clone()];
            let begins = begins_sentence(&text[..word.span.start]);
            let plain = word.text.strip_suffix("'s").unwrap_or(&word.text);
            for part in parts(plain) {
                let Some(rarity) = rarity(part, written, begins) else {
                    before = before.map(|(word, between)| (word, between + 1));
                    continue;
                };
                let stem = ken_text::stem(part);
                // Figures stand beside anything.
                let beside = part.contains(char::is_alphabetic).then(|| (stem.clone(), 0));
                if let Some((before, 0..=1)) = std::mem::replace(&mut before, beside.clone())
                    && beside.is_some()
                    && before != stem
                {
                    telling.pairs.insert(pair(before, stem.clone()));
                }
                telling.add(stem, rarity);
            }
        }
        telling
    }

    fn add(&mut self, word: String, rarity: Rarity) {
        let known = self.words.entry(word).or_insert(rarity);
        *known = (*known).max(rarity);
    }
}

/// A word and what it is made of: an identifier or the name of a file is its own word, and so is each of its parts. What
/// an article is elided before (`l'image`) is the word without it.
fn parts(word: &str) -> impl Iterator<Item = &str> {
    let whole = (!word.contains('\'') || says_nothing(word)).then_some(word);
    let small = says_nothing(word);
    let parts = word
        .split(|c: char| !c.is_alphanumeric())
        .filter(move |part| *part != word && !small);
    whole.into_iter().chain(parts)
}

/// Whether a word is one ideograph: these are written without spaces, so that two side by side stand for a word.
fn is_ideograph(word: &str) -> bool {
    let mut chars = word.chars();
    let first = chars.next();
    chars.next().is_none()
        && first.is_some_and(|c| {
            matches!(c, '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}' | '\u{20000}'..='\u{3FFFF}')
                && !SMALL_IDEOGRAPHS.contains(c)
        })
}

/// Ideographs that shape a sentence.
const SMALL_IDEOGRAPHS: &str = "的了是在我你他她它这這那有和就不也都很吗嗎呢吧把被对對从從到请請帮幫让讓给給用个個一什么麼怎为為能要会會可以";

impl Weigher {
    fn of(prompt: &Telling, texts: impl Iterator<Item = Arc<Telling>>) -> Weigher {
        let mut weigher = Weigher::default();
        for text in texts {
            weigher.texts += 1;
            for word in prompt.words.keys().filter(|word| text.words.contains_key(*word)) {
                *weigher.holding.entry(word.clone()).or_default() += 1;
            }
        }
        weigher
    }

    /// From 1 for a word that only one fact or lesson holds down to [`LEAST`] for one that a quarter of them hold: the
    /// project's own subject tells nothing in it. Of few texts a word that stands in several is no subject yet.
    fn rareness(&self, word: &str) -> f64 {
        let others = self.holding.get(word).copied().unwrap_or(0).saturating_sub(1);
        let quarter = self.texts.max(FEW_TEXTS) as f64 / 4.0;
        (1.0 - others as f64 / quarter).max(LEAST)
    }
}

const LEAST: f64 = 0.3;
const FEW_TEXTS: usize = 20;

/// What a word tells; nothing when it is a small word, a letter or a figure.
fn rarity(word: &str, written: &str, begins: bool) -> Option<Rarity> {
    if word.chars().count() < 2 || says_nothing(word) {
        return None;
    }
    if is_everyday_technology(word) {
        return Some(Rarity::Technology);
    }
    if is_everyday_word(word) || !word.contains(char::is_alphabetic) {
        return Some(Rarity::Everyday);
    }
    let capitals = written.chars().skip(1).any(char::is_uppercase);
    let figures = written.contains(|c: char| c.is_ascii_digit());
    Some(if capitals || figures {
        Rarity::Term
    } else if !begins && written.starts_with(char::is_uppercase) {
        Rarity::Named
    } else {
        Rarity::Rare
    })
}

/// Whether what stands before a word ends a sentence, so that its capital says nothing.
fn begins_sentence(before: &str) -> bool {
    let before = before.trim_end_matches(|c: char| c.is_whitespace() || "\"'(`".contains(c));
    before.is_empty() || before.ends_with(['.', '!', '?', ':', ';', '…'])
}

fn pair(one: String, other: String) -> (String, String) {
    if one <= other { (one, other) } else { (other, one) }
}
