//! Names of credentials with their values: `password: x`, `DB_PASS=x`, `"apiKey": "x"`, "the password is x".

mod judge;
mod name;
mod prose;
mod value;

use std::ops::Range;

pub(crate) use name::Family;
use value::{After, Form};

/// What stands behind a name.
pub(crate) struct Pair {
    pub(crate) kind: &'static str,
    pub(crate) value: Range<usize>,
}

/// The end of the name that has a keyword at `keyword`, and the credential behind it.
pub(crate) fn find(text: &str, keyword: Range<usize>) -> (usize, Option<Pair>) {
    let bytes = text.as_bytes();
    let trimmed = text[keyword.clone()].trim_end_matches([' ', ':', '=', '"']).len();
    let keyword = keyword.start..keyword.start + trimmed;
    let end = name::end(bytes, keyword.clone());
    let resume = end;
    let tagged = |start: usize| start > 0 && bytes[start - 1] == b'<';
    // What follows is cheap to see and mostly says no.
    let mut after = value::after(text, end, false);
    if after == After::Nothing && bytes.get(end) != Some(&b'>') && bytes.get(end) != Some(&b'"') {
        return (resume, None);
    }
    let Some(name) = name::find(text, keyword.start, end) else {
        return (resume, None);
    };
    if tagged(name.span.start) {
        after = value::after(text, end, true);
    }
    let pair = match after {
        After::Value {
            at,
            cell,
            tag,
            tight,
            quotes,
        } => {
            let form = if tight && (name.loud || listed(bytes, name.span.start)) {
                Form::Assigned
            } else {
                Form::Bare
            };
            structured(text, name.family, at, cell, tag, form, quotes)
        }
        After::Words(at) if name.option => option(text, name.family, at),
        After::Words(at) => prose::find(text, &name, at),
        After::Nothing => None,
    };
    (resume, pair)
}

/// The credential behind a word of another language that means password.
pub(crate) fn find_password(text: &str, keyword: Range<usize>) -> Option<Pair> {
    let bytes = text.as_bytes();
    if bytes[keyword.start].is_ascii()
        && (!crate::edges::begins(bytes, keyword.start) || !crate::edges::ends(bytes, keyword.end))
    {
        return None;
    }
    match value::after(text, keyword.end, false) {
        After::Value {
            at,
            cell,
            tag,
            quotes,
            ..
        } => structured(text, Family::Password, at, cell, tag, Form::Bare, quotes),
        After::Words(at) => {
            let name = name::Name {
                family: Family::Password,
                span: keyword,
                loud: false,
                option: false,
            };
            prose::find(text, &name, at)
        }
        After::Nothing => None,
    }
}

/// The family of a string that names a credential and says nothing else.
pub(crate) fn whole_name(text: &str) -> Option<Family> {
    name::whole(text)
}

/// Whether a string that belongs to a name of `family` is a credential.
pub(crate) fn whole_value(text: &str, family: Family) -> bool {
    let value = text.trim();
    let id = crate::looks::is_ulid(value) || crate::looks::is_uuid(value);
    let vague = matches!(family, Family::BareKey | Family::BareToken);
    !id && (!vague || crate::looks::random(value)) && judge::judge(value, family, Form::Quoted)
}

/// Whether a name stands in a list of settings on one line: a connection string, a query.
fn listed(bytes: &[u8], start: usize) -> bool {
    start > 0 && matches!(bytes[start - 1], b';' | b'?' | b'&')
}

fn structured(
    text: &str,
    family: Family,
    at: usize,
    cell: bool,
    tag: bool,
    form: Form,
    quotes: bool,
) -> Option<Pair> {
    let bytes = text.as_bytes();
    let line = bytes[at..]
        .iter()
        .take(8)
        .take_while(|byte| matches!(byte, b' ' | b'\t' | b'*'))
        .count();
    if matches!(bytes.get(at + line), None | Some(b'\n' | b'\r')) {
        return prose::below(text, family, at + line);
    }
    let value = value::value(text, at, cell, tag)?;
    // `("password", "x")`, but not a list of names.
    if quotes
        && !(value.quoted
            && text[value.span.clone()]
                .bytes()
                .any(|byte| !byte.is_ascii_alphabetic()))
    {
        return None;
    }
    let form = if value.quoted { Form::Quoted } else { form };
    let span = past_scheme(text, value.span);
    judge::judge(&text[span.clone()], family, form).then(|| Pair {
        kind: family.kind(),
        value: value::whole(text, span),
    })
}

/// The value of an option that stands behind a space: `--password x`.
fn option(text: &str, family: Family, at: usize) -> Option<Pair> {
    let value = value::value(text, at, false, false)?;
    if text[value.span.clone()].starts_with('-') {
        return None;
    }
    let form = if value.quoted { Form::Quoted } else { Form::Bare };
    judge::judge(&text[value.span.clone()], family, form).then(|| Pair {
        kind: family.kind(),
        value: value.span,
    })
}

/// A value without the scheme that stands before it: `Bearer X`.
fn past_scheme(text: &str, span: Range<usize>) -> Range<usize> {
    let value = &text[span.clone()];
    for scheme in ["Bearer ", "bearer ", "Basic ", "token ", "Token ", "Bot "] {
        if value.starts_with(scheme) {
            return span.start + scheme.len()..span.end;
        }
    }
    span
}
