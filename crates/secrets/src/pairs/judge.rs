//! Whether a value is a credential, given what its name says and how it is written.

use super::{Family, Form};
use crate::looks::{self, Features};
use crate::scan::MARKER;
use crate::{scheme, stand_ins};

/// How much of a value is looked at.
const ENOUGH: usize = 256;

/// Whether `value` is a credential of `family` written in `form`.
pub(super) fn judge(value: &str, family: Family, form: Form) -> bool {
    // What a value is shows long before its end.
    let value = &value[..value.floor_char_boundary(ENOUGH.min(value.len()))];
    if !may_be(value, family, form)
        || value.contains(MARKER)
        || value.contains("://")
        || stand_ins::placeholder(value)
    {
        return false;
    }
    if !matches!(form, Form::Quoted) && stand_ins::code(value) {
        return false;
    }
    match family {
        Family::Password => password(value, form),
        Family::Pass => !matches!(form, Form::Prose) && looks::mixed(value) && password(value, form),
        Family::Secret | Family::ApiKey | Family::Token => secret(value, family, form, least(form)),
        Family::BareToken => secret(value, family, form, 10),
        Family::BareKey => {
            value.len() >= 20
                && looks::random(value)
                && !looks::is_hex(value)
                && !looks::is_uuid(value)
                && !looks::is_path(value)
                && !looks::is_pattern(value)
                && !looks::is_public_key(value)
        }
        Family::Pair => value.len() >= 8 && scheme::user_and_password(value),
        Family::Mnemonic => mnemonic(value),
    }
}

/// A quick no for the words, numbers and names that stand behind most names.
fn may_be(value: &str, family: Family, form: Form) -> bool {
    let shortest = match family {
        Family::Password | Family::Pass if matches!(form, Form::Quoted | Form::Assigned) => 4,
        Family::Password | Family::Pass => 6,
        Family::BareToken => 10,
        Family::BareKey => 20,
        Family::Secret | Family::ApiKey | Family::Token => least(form),
        Family::Pair | Family::Mnemonic => 8,
    };
    if value.len() < shortest || names_another(value) {
        return false;
    }
    let plain = value
        .bytes()
        .take(64)
        .all(|byte| byte.is_ascii_alphabetic() || b"_.,;:()".contains(&byte));
    match (family, form) {
        (Family::Pair | Family::Mnemonic, _) => true,
        (Family::Password, Form::Prose | Form::Bare) => !plain || value.len() >= 12,
        (Family::Password | Family::Pass, _) => true,
        _ => !plain || value.len() >= 16,
    }
}

/// Whether a value begins with a name and its sign: `password=token=x`. That name is looked at on its own.
fn names_another(value: &str) -> bool {
    let word = value.bytes().take(24).take_while(u8::is_ascii_alphabetic).count();
    matches!(value.as_bytes().get(word), Some(b'=' | b':')) && looks::stop_word(&value[..word])
}

fn least(form: Form) -> usize {
    match form {
        Form::Quoted | Form::Assigned => 6,
        Form::Bare => 8,
        Form::Prose => 12,
    }
}

/// What is a thing of another kind, whatever stands before it.
fn other_thing(value: &str) -> bool {
    looks::is_pattern(value)
        || looks::is_mail(value)
        || looks::is_path(value)
        || looks::is_quantity(value)
        || looks::technique(&value.to_ascii_lowercase())
}

fn password(value: &str, form: Form) -> bool {
    let named = matches!(form, Form::Quoted | Form::Assigned);
    if value.len() < if named { 4 } else { 6 } {
        return false;
    }
    let features = Features::of(value);
    if features.spaces > 0 {
        return matches!(form, Form::Quoted) && spaced(value);
    }
    if features.other > 0 && !(features.other * 4 <= value.len() && named) {
        return false;
    }
    if value.bytes().all(|byte| byte.is_ascii_digit()) {
        return value.len() >= 6;
    }
    if other_thing(value) {
        return false;
    }
    // Signs at either end belong to the sentence or the code as often as to the password.
    let inner = value.trim_matches([
        '!', '?', '.', ',', ':', ';', '*', '$', '@', '&', '#', '%', '(', ')', '-', '_', '+', '=', '~',
    ]);
    let inside = Features::of(inner);
    if inside.digits == 0 && inside.signs == 0 {
        return letters(inner, form);
    }
    if looks::only_stop_words(value) {
        // `password1` is one in quotes, and a variable without.
        return named && inside.digits > 0 && value.len() >= 8 && !inner.contains(['|', ':', ',', '=', '_']);
    }
    if stopped(value) {
        return false;
    }
    if looks::wordy(inner) && inside.digits > 0 && inside.signs == 0 {
        // `utf-8` and `user_id2` against `summer-2024`.
        return named && inside.digits >= 2 && !inner.contains('_');
    }
    match form {
        Form::Prose => sentence(inner, &inside),
        _ => {
            inside.letters() > 0 && (inside.digits > 0 || inside.signs > 0)
                || features.digits > 3 && features.signs > 0
        }
    }
}

/// Whether one of the words between signs says that this is no password: `required|min:8`.
fn stopped(value: &str) -> bool {
    value.contains(['|', ':', ',', '=', '(', ' '])
        && value
            .split(|character: char| !character.is_ascii_alphanumeric())
            .any(|word| word.len() > 2 && looks::stop_word(word))
}

/// A password of letters only: `letmein`. As common as the words of labels and of code, so where it stands decides.
fn letters(word: &str, form: Form) -> bool {
    const PARTS: &[&str] = &[
        "pass", "pwd", "secret", "token", "key", "user", "auth", "cred", "field", "input", "hash", "login",
        "prompt",
    ];
    if word.len() < 6 || word.len() > 40 || looks::only_stop_words(word) {
        return false;
    }
    let lower = word.to_ascii_lowercase();
    if PARTS.iter().any(|part| lower.contains(part)) {
        return false;
    }
    let features = Features::of(word);
    let plain = features.letters() == word.len();
    // Words joined by hyphens: enough of them are a passphrase.
    let phrase =
        word.split('-').count() >= 4 && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-');
    match form {
        Form::Assigned => (plain && features.lower > 0) || phrase,
        Form::Quoted => {
            (plain && (features.upper == 0 || (features.lower > 0 && features.upper > 1))) || phrase
        }
        Form::Bare | Form::Prose => {
            plain && word.len() >= 12 && features.upper >= 4 && features.lower >= 4 && !looks::wordy(word)
        }
    }
}

/// A password of several words, in quotes.
fn spaced(value: &str) -> bool {
    let words: Vec<&str> = value.split_ascii_whitespace().collect();
    words.len() <= 6
        && !words
            .iter()
            .any(|word| looks::stop_word(word.trim_matches(|character: char| !character.is_alphanumeric())))
        && words.iter().any(|word| {
            let features = Features::of(word);
            features.other == 0
                && features.letters() >= 2
                && features.digits >= 1
                && word.len() >= 5
                && !looks::wordy(word)
                && !other_thing(word)
        })
}

/// A password in a sentence, without the signs around it.
fn sentence(inner: &str, inside: &Features) -> bool {
    if inner.len() < 6 || inner.contains(['(', ')', '[', ']', '{', '}', '/', '<', '>', '|']) {
        return false;
    }
    // `RFC7616`, `AES256`
    let capitals = inner.bytes().take_while(u8::is_ascii_uppercase).count();
    if capitals >= 2 && inner[capitals..].bytes().all(|byte| byte.is_ascii_digit()) {
        return false;
    }
    inside.letters() >= 2
        && (inside.digits > 0 || inside.signs > 0)
        && inside.digits + inside.signs + inside.letters() >= 6
}

fn secret(value: &str, family: Family, form: Form, least: usize) -> bool {
    let features = Features::of(value);
    if value.len() < least || features.spaces > 0 || features.other > 0 || other_thing(value) {
        return false;
    }
    if looks::is_uuid(value) {
        return match family {
            Family::BareToken => matches!(form, Form::Assigned),
            _ => true,
        };
    }
    if looks::is_ulid(value) && matches!(family, Family::BareToken) {
        return false;
    }
    if looks::is_hex(value) && features.letters() > 0 && features.digits > 0 {
        return value.len() >= 16
            || (value.len() >= 8
                && matches!(form, Form::Quoted | Form::Assigned)
                && !matches!(family, Family::BareToken));
    }
    if features.digits == 0 {
        // Letters drawn by chance.
        return value.len() >= 16
            && features.lower >= 4
            && features.upper >= 4
            && !looks::wordy(value)
            && looks::entropy(value) >= 3.2;
    }
    if looks::only_stop_words(value) {
        return false;
    }
    if features.letters() == 0 {
        return false;
    }
    if looks::wordy(value) || looks::mostly_words(value) || stopped(value) || looks::is_public_key(value) {
        return false;
    }
    match form {
        Form::Quoted | Form::Assigned => !variable(value, 1),
        Form::Bare => !variable(value, 2) && !looks::names_holder(value),
        Form::Prose => features.digits >= 2 && !variable(value, 3) && !value.contains(['(', '[', '{', '/']),
    }
}

/// Whether a value is a word with at most `digits` digits behind it: `Token2`.
fn variable(value: &str, digits: usize) -> bool {
    let word = value.trim_end_matches(|last: char| last.is_ascii_digit());
    value.len() - word.len() <= digits
        && word
            .bytes()
            .all(|byte| byte.is_ascii_alphabetic() || byte == b'_')
        && (word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') || looks::wordy(word))
}

/// Twelve words or more that stand for a key.
fn mnemonic(value: &str) -> bool {
    let words: Vec<&str> = value.split([' ', ',']).filter(|word| !word.is_empty()).collect();
    matches!(words.len(), 12 | 15 | 18 | 21 | 24)
        && words
            .iter()
            .all(|word| (3..=8).contains(&word.len()) && word.bytes().all(|byte| byte.is_ascii_lowercase()))
        && words.iter().filter(|word| looks::stop_word(word)).count() <= words.len() / 6
}
