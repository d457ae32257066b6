//! Whether a name that is one common or everyday word is meant where it stands.

use super::Reading;
use super::atoms::Link;
use super::edges::Context;
use super::names::Sense;

/// Whether a name that stands here is meant: always, unless it is one common word or letter, or an everyday word where
/// only certainty counts. `spelling` is its own.
pub(super) fn is_meant(
    context: &Context<'_>,
    sense: Sense,
    spelling: &str,
    start: usize,
    end: usize,
) -> bool {
    if !asks(sense, context.reading) {
        return true;
    }
    // In camel case a capital tells nothing but where a word begins.
    let is_camel = |at: usize| context.atoms.get(at).is_some_and(|atom| atom.link == Link::Camel);
    if context.reading != Reading::Mentions && (is_camel(start) || is_camel(end)) {
        return false;
    }
    let written = &context.text[context.atoms[start].start as usize..context.atoms[end - 1].end as usize];
    let own = written == spelling;
    let small = !spelling.contains(char::is_uppercase);
    // A name in small letters is told from the word by a capital.
    let raised = small && is_title_case(written) && written.eq_ignore_ascii_case(spelling);
    let alone = context.words == end - start;
    if alone || context.is_quoted(start, end) {
        return own || raised && alone;
    }
    let letter = spelling.len() == 1;
    if letter && (matches!(spelling, "A" | "I" | "a" | "i") || !context.letter_stands_alone(start)) {
        return false;
    }
    if !(own && !small || raised) {
        return false;
    }
    letter || !is_title_case(written) || !context.begins_sentence(start) || context.is_value(start, end)
}

/// Whether what stands around a name of this sense tells whether it is one.
pub(super) fn asks(sense: Sense, reading: Reading) -> bool {
    match sense {
        Sense::Name => false,
        Sense::Everyday => reading == Reading::Certain,
        Sense::Common => true,
    }
}

fn is_title_case(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next().is_some_and(char::is_uppercase) && !chars.any(char::is_uppercase)
}
