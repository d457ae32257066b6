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
use crate::looks;

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

/// The credential of shape `number` whose keyword stands at `keyword`.
pub(crate) fn find(text: &str, keyword: usize, number: u16) -> Option<(&'static str, Range<usize>)> {
    let bytes = text.as_bytes();
    let number = usize::from(number);
    let shape = SHAPES.get(number)?;
    let start = match shape.lead {
        Lead::Exactly(lead) => keyword.checked_sub(lead)?,
        Lead::UpTo(most) => {
            let lead = bytes[..keyword]
                .iter()
                .rev()
                .take(most)
                .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'-')
                .count();
            keyword - lead
        }
    };
    if let Some((at, byte)) = shape.landmark
        && bytes.get(start + at) != Some(&byte)
    {
        return None;
    }
    if !text.is_char_boundary(start) || (bytes[start].is_ascii_alphanumeric() && !edges::begins(bytes, start))
    {
        return None;
    }
    // A beginning of three letters also stands in the middle of base64 and of names.
    if shape.keywords[0].len() < 4 && start > 0 && matches!(bytes[start - 1], b'-' | b'_') {
        return None;
    }
    let reach = text.floor_char_boundary((start + REACH).min(text.len()));
    let pattern = COMPILED
        .get(number)?
        .get_or_init(|| Regex::new(&format!("^(?:{})", shape.pattern)).ok());
    let found = pattern.as_ref()?.captures(&text[start..reach])?;
    let whole = found.get(0)?;
    let value = found.get(1).unwrap_or(whole);
    let fits = edges::ends(bytes, start + whole.end())
        && (shape.examples || !looks::filler(value.as_str()))
        && (shape.check)(value.as_str());
    fits.then(|| (shape.kind, start + value.start()..start + value.end()))
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
