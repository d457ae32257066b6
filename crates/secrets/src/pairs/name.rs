//! Names of credentials: which of the names that hold such a word name one.

use std::ops::Range;

use crate::{edges, words};

/// What a name says its value is. Each has its own idea of what such a value looks like.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// Chosen by a person: short, any characters.
    Password,
    /// `pass` alone, which is a word of many meanings.
    Pass,
    /// A secret, or credentials.
    Secret,
    /// A key that opens something.
    ApiKey,
    /// A token that opens something.
    Token,
    /// A token of any kind.
    BareToken,
    /// A key of any kind.
    BareKey,
    /// User and password in base64.
    Pair,
    /// Words that stand for a key.
    Mnemonic,
}

impl Family {
    /// The kind of the findings.
    pub(crate) fn kind(self) -> &'static str {
        match self {
            Family::Password | Family::Pass => "password",
            Family::Secret => "secret",
            Family::ApiKey => "api-key",
            Family::Token | Family::BareToken => "token",
            Family::BareKey => "key",
            Family::Pair => "basic-auth",
            Family::Mnemonic => "seed-phrase",
        }
    }
}

/// A name in a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    pub(crate) family: Family,
    pub(crate) span: Range<usize>,
    /// Written as environment variables are: `DB_PASS`.
    pub(crate) loud: bool,
    /// Written as an option of a command: `--password`.
    pub(crate) option: bool,
}

/// How long a name may be on either side of its keyword.
const LONGEST: usize = 64;

fn part_of_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Where the name that has a keyword at `keyword` ends.
pub(crate) fn end(bytes: &[u8], keyword: Range<usize>) -> usize {
    let mut end = keyword.end;
    while end - keyword.end < LONGEST {
        match bytes.get(end) {
            Some(byte) if part_of_name(*byte) => end += 1,
            Some(b'-' | b'.') if bytes.get(end + 1).is_some_and(u8::is_ascii_alphanumeric) => end += 2,
            _ => break,
        }
    }
    end
}

fn start(bytes: &[u8], keyword: usize) -> usize {
    let mut start = keyword;
    while start > 0 && keyword - start < LONGEST {
        let byte = bytes[start - 1];
        if part_of_name(byte) {
            start -= 1;
            // `\nDB_PASS`: the letter belongs to the escape.
            if byte.is_ascii_alphanumeric() && start + 1 < bytes.len() {
                let escape = edges::escape(&bytes[..=start]);
                if escape > 0 {
                    return start + 1;
                }
            }
        } else if matches!(byte, b'-' | b'.') && start >= 2 && bytes[start - 2].is_ascii_alphanumeric() {
            start -= 1;
        } else {
            break;
        }
    }
    start
}

/// The name that has a keyword at `keyword` and ends at `end`, when it names a credential.
pub(crate) fn find(text: &str, keyword: usize, end: usize) -> Option<Name> {
    let bytes = text.as_bytes();
    let start = start(bytes, keyword);
    let name = &bytes[start..end];
    let words = Words::of(name);
    let before = word_before(bytes, start);
    let family = classify(&words, before)?;
    let loud = name.iter().any(u8::is_ascii_uppercase) && !name.iter().any(u8::is_ascii_lowercase);
    let option = start > 0
        && bytes[start - 1] == b'-'
        && (start < 2 || matches!(bytes[start - 2], b'-' | b' ' | b'"' | b'\''));
    Some(Name {
        family,
        span: start..end,
        loud,
        option,
    })
}

/// The family of a string that is a name and nothing else.
pub(crate) fn whole(text: &str) -> Option<Family> {
    let text = text.trim().trim_start_matches('-');
    let (before, name) = text.rsplit_once(' ').unwrap_or(("", text));
    if name.is_empty()
        || text.len() > LONGEST
        || !name
            .bytes()
            .all(|byte| part_of_name(byte) || b".-".contains(&byte))
    {
        return None;
    }
    if !before
        .bytes()
        .all(|byte| byte.is_ascii_alphabetic() || byte == b' ')
    {
        return None;
    }
    let before = before.rsplit(' ').next().unwrap_or_default();
    classify(&Words::of(name.as_bytes()), before.as_bytes())
}

/// The word that stands before a name, with one space between: `api key`.
fn word_before(bytes: &[u8], start: usize) -> &[u8] {
    let Some(space) = start.checked_sub(1).filter(|at| bytes[*at] == b' ') else {
        return &[];
    };
    let length = bytes[..space]
        .iter()
        .rev()
        .take(20)
        .take_while(|byte| byte.is_ascii_alphabetic())
        .count();
    &bytes[space - length..space]
}

/// The words of a name: `DB_PASS`, `dbPass`, `db.pass`, `db-pass` have two.
struct Words<'n> {
    words: [&'n [u8]; Words::MOST],
    count: usize,
}

impl<'n> Words<'n> {
    const MOST: usize = 12;

    fn of(name: &'n [u8]) -> Words<'n> {
        let mut words: Words<'n> = Words {
            words: [&[]; Words::MOST],
            count: 0,
        };
        let mut start = 0;
        for at in 0..=name.len() {
            let here = name.get(at).copied().unwrap_or(b'_');
            let cut = if !here.is_ascii_alphanumeric() {
                true
            } else if at > start {
                let last = name[at - 1];
                let next_small = name.get(at + 1).is_some_and(u8::is_ascii_lowercase);
                (last.is_ascii_lowercase() && here.is_ascii_uppercase())
                    || (last.is_ascii_uppercase()
                        && here.is_ascii_uppercase()
                        && next_small
                        && at - start > 1)
                    || (last.is_ascii_digit() != here.is_ascii_digit())
            } else {
                false
            };
            if cut {
                if at > start {
                    words.push(&name[start..at]);
                }
                start = at + usize::from(!here.is_ascii_alphanumeric());
            }
        }
        words
    }

    /// Keeps the last words when there are too many: these decide.
    fn push(&mut self, word: &'n [u8]) {
        if self.count == Words::MOST {
            self.words.rotate_left(1);
            self.count -= 1;
        }
        self.words[self.count] = word;
        self.count += 1;
    }
}

fn is(word: &[u8], one_of: &[&str]) -> bool {
    one_of
        .iter()
        .any(|other| word.eq_ignore_ascii_case(other.as_bytes()))
}

fn ends_in(word: &[u8], end: &str) -> bool {
    word.len() >= end.len() && word[word.len() - end.len()..].eq_ignore_ascii_case(end.as_bytes())
}

/// Whether a word ends in one that means password.
fn is_password(word: &[u8]) -> bool {
    let ends: &[&str] = match word.last().map(|last| last | 0x20) {
        Some(b'd') => &["password", "passwd"],
        Some(b'e') => &["passphrase", "passcode"],
        Some(b't') => &["passwort"],
        Some(b'w') => &["passw"],
        _ => &[],
    };
    ends.iter().any(|end| ends_in(word, end)) || words::PASSWORDS.has(word)
}

fn classify(name: &Words<'_>, before: &[u8]) -> Option<Family> {
    let mut count = name.count;
    while count > 1
        && (words::TRAILING.has(name.words[count - 1])
            || name.words[count - 1].iter().all(u8::is_ascii_digit))
    {
        count -= 1;
    }
    let last = name.words[..count].last()?;
    let joined = count >= 2;
    let previous = if joined { name.words[count - 2] } else { before };

    if is(last, &["token"]) {
        if words::NO_TOKENS.has(previous) {
            return None;
        }
        let qualified = if joined {
            previous.len() > 1
        } else {
            words::TOKENS.has(previous)
        };
        return Some(if qualified {
            Family::Token
        } else {
            Family::BareToken
        });
    }
    if is(last, &["key"]) {
        if words::NO_KEYS.has(previous) {
            return None;
        }
        return Some(if words::KEYS.has(previous) {
            Family::ApiKey
        } else {
            Family::BareKey
        });
    }
    if is_password(last) {
        let hidden = is(
            previous,
            &["hashed", "encrypted", "bcrypt", "hash", "no", "without"],
        );
        return (!hidden).then_some(Family::Password);
    }
    if is(last, &["pass"]) {
        return Some(if joined { Family::Password } else { Family::Pass });
    }
    if ends_in(last, "secret") || is(last, &["credential", "credentials", "creds", "cred"]) {
        return Some(Family::Secret);
    }
    if words::JOINED_TOKENS.has(last) {
        return Some(Family::Token);
    }
    if words::JOINED_KEYS.has(last) {
        return Some(Family::ApiKey);
    }
    if is(last, &["by"]) && is(previous, &["identified"]) {
        return Some(Family::Password);
    }
    if is(last, &["mnemonic"]) || (is(last, &["phrase"]) && is(previous, &["seed", "recovery", "secret"])) {
        return Some(Family::Mnemonic);
    }
    (is(last, &["auth"]) && count == 1).then_some(Family::Pair)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_credentials() {
        for (name, family) in [
            ("password", Family::Password),
            ("DB_PASS", Family::Password),
            ("dbPassword2", Family::Password),
            ("spring.datasource.password", Family::Password),
            ("PGPASSWORD", Family::Password),
            ("MYSQL_PWD", Family::Password),
            ("pass", Family::Pass),
            ("client_secret", Family::Secret),
            ("clientSecret", Family::Secret),
            ("ClientSecretProd", Family::Secret),
            ("X-Api-Key", Family::ApiKey),
            ("APIKey", Family::ApiKey),
            ("api key", Family::ApiKey),
            ("apikey", Family::ApiKey),
            ("AccountKey", Family::ApiKey),
            ("accessToken", Family::Token),
            ("access token", Family::Token),
            ("NPM_TOKEN", Family::Token),
            ("token", Family::BareToken),
            ("STRIPE_KEY", Family::BareKey),
            ("--token", Family::BareToken),
            ("_auth", Family::Pair),
        ] {
            assert_eq!(whole(name), Some(family), "{name}");
        }
    }

    #[test]
    fn names_of_other_things() {
        for name in [
            "",
            "PRIMARY_KEY",
            "primary key",
            "MONKEY",
            "token_count",
            "max_tokens",
            "tokenizer",
            "compass",
            "bypass",
            "keyboard",
            "secretary",
            "password_hash",
            "hashed_password",
            "api_key_id",
            "secret_name",
            "publicKey",
            "next_token",
            "next page token",
            "passenger",
            "turkey",
            "key_count",
            "tokens",
            "cache_key",
            "author",
            "two\nlines key",
        ] {
            assert_eq!(whole(name), None, "{name}");
        }
    }
}
