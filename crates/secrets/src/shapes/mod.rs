//! The token shapes of known issuers: facts from what the issuers publish about their tokens, one row each.
//!
//! A row has a kind, keywords (one of which stands in every token of that shape), and a pattern that is tried where a
//! keyword stands. A pattern is compiled when its keyword is first met, and each alone: most processes meet none.

mod chat;
mod cloud;
mod forges;
mod models;
mod packages;
mod payment;
mod services;

use std::ops::Range;
use std::sync::OnceLock;

use regex::Regex;

use crate::edges;
use crate::{looks, stand_ins};

/// What one kind of token looks like.
#[derive(Clone, Copy)]
pub(crate) struct Shape {
    /// The kind of the findings, kebab case.
    pub(crate) kind: &'static str,
    /// Texts of three bytes or more, one of which stands in every token.
    pub(crate) keywords: &'static [&'static str],
    /// A regular expression for the token from its first byte. Where it has a group, the group is the credential.
    pattern: &'static str,
    lead: Lead,
    /// A byte that stands at this distance from the first: a cheap test for keywords that are common.
    landmark: Option<(usize, u8)>,
    check: fn(&str) -> bool,
    /// Whether published examples count as credentials.
    examples: bool,
}

/// What part of a token stands before its keyword.
#[derive(Clone, Copy)]
enum Lead {
    /// This many bytes.
    Exactly(usize),
    /// Letters, digits and hyphens, at most this many.
    UpTo(usize),
}

/// A shape whose tokens begin with the keyword.
const fn shape(kind: &'static str, keywords: &'static [&'static str], pattern: &'static str) -> Shape {
    Shape {
        kind,
        keywords,
        pattern,
        lead: Lead::Exactly(0),
        landmark: None,
        check: |_| true,
        examples: false,
    }
}

impl Shape {
    const fn led_by(self, bytes: usize) -> Shape {
        Shape {
            lead: Lead::Exactly(bytes),
            ..self
        }
    }

    const fn led_by_up_to(self, bytes: usize) -> Shape {
        Shape {
            lead: Lead::UpTo(bytes),
            ..self
        }
    }

    const fn landmark(self, at: usize, byte: u8) -> Shape {
        Shape {
            landmark: Some((at, byte)),
            ..self
        }
    }

    const fn check(self, check: fn(&str) -> bool) -> Shape {
        Shape { check, ..self }
    }

    const fn with_examples(self) -> Shape {
        Shape {
            examples: true,
            ..self
        }
    }
}

const GROUPS: [&[Shape]; 7] = [
    cloud::SHAPES,
    forges::SHAPES,
    chat::SHAPES,
    models::SHAPES,
    packages::SHAPES,
    payment::SHAPES,
    services::SHAPES,
];

/// How many shapes there are.
pub(crate) const SHAPE_COUNT: usize = {
    let mut count = 0;
    let mut group = 0;
    while group < GROUPS.len() {
        count += GROUPS[group].len();
        group += 1;
    }
    count
};

/// All shapes.
pub(crate) static SHAPES: [Shape; SHAPE_COUNT] = {
    let mut all = [GROUPS[0][0]; SHAPE_COUNT];
    let mut count = 0;
    let mut group = 0;
    while group < GROUPS.len() {
        let mut at = 0;
        while at < GROUPS[group].len() {
            all[count] = GROUPS[group][at];
            count += 1;
            at += 1;
        }
        group += 1;
    }
    all
};

static COMPILED: [OnceLock<Option<Regex>>; SHAPE_COUNT] = [const { OnceLock::new() }; SHAPE_COUNT];

/// How far a pattern reads. No token that is known is longer.
const REACH: usize = 4096;

/// What a shape says to a place where its keyword stands.
pub(crate) enum Verdict {
    /// A credential of this kind stands here.
    Credential(&'static str, Range<usize>),
    /// It has the shape and is none; none of the same shape begins before this place.
    Refused(usize),
    /// It has not the shape.
    Nothing,
}

/// What shape `number` says to its keyword at `keyword`.
pub(crate) fn find(text: &str, keyword: usize, number: u16) -> Verdict {
    let bytes = text.as_bytes();
    let number = usize::from(number);
    let shape = &SHAPES[number];
    let lead = match shape.lead {
        Lead::Exactly(lead) => lead.min(keyword + 1),
        Lead::UpTo(most) => bytes[..keyword]
            .iter()
            .rev()
            .take(most)
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-')
            .count(),
    };
    let Some(start) = keyword.checked_sub(lead) else {
        return Verdict::Nothing;
    };
    if shape
        .landmark
        .is_some_and(|(at, byte)| bytes.get(start + at) != Some(&byte))
        || !may_begin(text, start, shape)
    {
        return Verdict::Nothing;
    }
    let reach = text.floor_char_boundary((start + REACH).min(text.len()));
    let pattern = COMPILED[number].get_or_init(|| Regex::new(&format!("^(?:{})", shape.pattern)).ok());
    let Some(found) = pattern
        .as_ref()
        .and_then(|pattern| pattern.captures(&text[start..reach]))
    else {
        return Verdict::Nothing;
    };
    let (Some(whole), value) = (found.get(0), found.get(1)) else {
        return Verdict::Nothing;
    };
    let value = value.unwrap_or(whole);
    let mut span = start + value.start()..start + value.end();
    let mut end = start + whole.end();
    if end == reach {
        // It goes on behind what was read, and goes as a whole.
        end += bytes[end..]
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || b"-_=+/".contains(byte))
            .count();
        span.end = end;
    }
    let fits = edges::ends(bytes, end)
        && (shape.examples || !stand_ins::filler(value.as_str()))
        && (shape.check)(value.as_str());
    if fits {
        Verdict::Credential(shape.kind, span)
    } else {
        Verdict::Refused(end)
    }
}

/// Whether a token may begin at `start`.
fn may_begin(text: &str, start: usize, shape: &Shape) -> bool {
    let bytes = text.as_bytes();
    if !text.is_char_boundary(start) || (bytes[start].is_ascii_alphanumeric() && !edges::begins(bytes, start))
    {
        return false;
    }
    // A beginning of three letters also stands in the middle of base64 and of names.
    !(shape.keywords[0].len() < 4 && start > 0 && matches!(bytes[start - 1], b'-' | b'_'))
}

/// The kind of the ids beside which a secret is looked for.
pub(crate) const AWS_ID: &str = "aws-access-key-id";

/// The secrets that stand within a few lines of an access key id of AWS: forty characters of base64 drawn by chance.
pub(crate) fn beside_aws_id(text: &str, id: &Range<usize>) -> Vec<Range<usize>> {
    const NEAR: usize = 240;
    let bytes = text.as_bytes();
    let base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'+');
    let mut found = Vec::new();
    let mut at = id.start.saturating_sub(NEAR);
    let end = (id.end + NEAR).min(bytes.len());
    while at < end {
        let run = bytes[at..]
            .iter()
            .take(NEAR)
            .take_while(|byte| base64(byte))
            .count();
        let alone = run == 40 && (at == 0 || !base64(&bytes[at - 1])) && bytes.get(at + run) != Some(&b'=');
        if alone
            && !looks::is_hex(&text[at..at + run])
            && looks::entropy(&text[at..at + run]) >= 3.8
            && mixed_case(&bytes[at..at + run])
        {
            found.push(at..at + run);
        }
        at += run.max(1);
    }
    found
}

fn mixed_case(bytes: &[u8]) -> bool {
    bytes.iter().any(u8::is_ascii_lowercase) && bytes.iter().any(u8::is_ascii_uppercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_compiles_and_every_kind_is_kebab_case() {
        for shape in &SHAPES {
            Regex::new(shape.pattern).unwrap_or_else(|error| panic!("{}: {error}", shape.kind));
            assert!(
                shape
                    .kind
                    .bytes()
                    .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-'),
                "{}",
                shape.kind
            );
            assert!(!shape.keywords.is_empty(), "{}", shape.kind);
        }
    }

    #[test]
    fn there_are_more_than_a_hundred_kinds() {
        let mut kinds: Vec<&str> = SHAPES.iter().map(|shape| shape.kind).collect();
        kinds.sort_unstable();
        kinds.dedup();
        assert!(kinds.len() >= 100, "{}", kinds.len());
    }
}
