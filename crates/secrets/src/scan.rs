//! One pass over a text: finds candidates, asks the rules, and puts what they find in order.

use std::ops::Range;

use serde::Serialize;

use crate::fold;
use crate::pairs::{self, Family};
use crate::prefilter::{self, Rule};
use crate::{jwt, pem, scheme, shapes, url};

/// A credential that was found. It never carries the value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// What it looks like, kebab case, for example `github-token`.
    pub kind: &'static str,
    /// Where it stands, in bytes of the scanned string.
    pub span: Range<usize>,
    /// The first 12 hex digits of a BLAKE3 hash of the value: equal values have equal fingerprints. Look-alike
    /// characters are read as the plain ones, so a value has one fingerprint however it was typeset.
    pub fingerprint: String,
}

/// How that begins which stands where a credential was; the kind and `]` follow.
pub(crate) const MARKER: &str = "[redacted:";

/// What one rule says.
#[derive(Debug, Clone)]
struct Candidate {
    kind: &'static str,
    span: Range<usize>,
    rank: u8,
}

/// Finds credentials in `text`, in order, without overlap; the spans are the values alone, on character boundaries.
/// What stands where a credential was (`[redacted:KIND]`) is none. Never fails, and takes time linear in the text.
pub fn scan(text: &str) -> Vec<Finding> {
    let folded = fold::fold(text);
    let (mut candidates, markers) = candidates(&folded.text);
    if candidates.is_empty() {
        return Vec::new();
    }
    // What was redacted before is not found again, whatever it stands in.
    candidates.retain(|candidate| {
        let before = markers.partition_point(|marker| marker.end <= candidate.span.start);
        markers
            .get(before)
            .is_none_or(|marker| marker.start >= candidate.span.end)
    });
    candidates.sort_by_key(|candidate| (candidate.span.start, candidate.span.end));
    let mut apart: Vec<Candidate> = Vec::with_capacity(candidates.len());
    for candidate in candidates {
        match apart.last_mut() {
            // Two rules see one credential: all that either saw goes, and the surer rule names it.
            Some(last) if candidate.span.start < last.span.end => {
                last.span.end = last.span.end.max(candidate.span.end);
                if candidate.rank > last.rank {
                    last.kind = candidate.kind;
                    last.rank = candidate.rank;
                }
            }
            _ => apart.push(candidate),
        }
    }
    apart
        .into_iter()
        .map(|candidate| Finding {
            kind: candidate.kind,
            fingerprint: fingerprint(&folded.text[candidate.span.clone()]),
            span: folded.original(&candidate.span),
        })
        .collect()
}

/// The family of a string that names a credential and says nothing else.
pub(crate) fn credential_name(text: &str) -> Option<Family> {
    // A cheap no for nearly every string: names are short.
    (text.len() <= 64).then(|| pairs::whole_name(text)).flatten()
}

/// A string that belongs to a name, when it is a credential as a whole.
pub(crate) fn named_value(family: Family, text: &str) -> Option<Finding> {
    pairs::whole_value(text, family).then(|| Finding {
        kind: family.kind(),
        span: 0..text.len(),
        fingerprint: fingerprint(text),
    })
}

fn fingerprint(value: &str) -> String {
    let mut hex = blake3::hash(value.as_bytes()).to_hex().to_string();
    hex.truncate(12);
    hex
}

/// What the rules find, and the places where credentials were.
fn candidates(text: &str) -> (Vec<Candidate>, Vec<Range<usize>>) {
    let mut found: Vec<Candidate> = Vec::new();
    let mut markers: Vec<Range<usize>> = Vec::new();
    // Nothing is looked at before this: it stands in a block or in a marker.
    let mut resume = 0;
    // No name is looked at before this: it was.
    let mut names = 0;
    // Nor one that stands in a value.
    let mut value = 0..0;
    // A shape, and where it is looked for again: a run that it was asked about once is not read again from each of its
    // bytes.
    let mut refused = (u16::MAX, 0);
    prefilter::each_hit(text.as_bytes(), |start, length, rule| {
        if start < resume {
            return;
        }
        let mut add = |kind, span, rank| found.push(Candidate { kind, span, rank });
        match rule {
            Rule::Shape(number) => {
                if refused.0 == number && start < refused.1 {
                    return;
                }
                match shapes::find(text, start, number) {
                    shapes::Verdict::Credential(kind, span) => {
                        if kind == shapes::AWS_ID {
                            for secret in shapes::beside_aws_id(text, &span) {
                                add("aws-secret-access-key", secret, 3);
                            }
                        }
                        refused = (number, span.end);
                        add(kind, span, 3);
                    }
                    shapes::Verdict::Refused(end) => refused = (number, end),
                    shapes::Verdict::Nothing => {}
                }
            }
            Rule::Name => {
                if start >= names && !value.contains(&start) {
                    let (end, pair) = pairs::find(text, start..start + length);
                    names = end;
                    if let Some(pair) = pair {
                        value = pair.value.clone();
                        add(pair.kind, pair.value, 0);
                    }
                }
            }
            Rule::Password => {
                if let Some(pair) = pairs::find_password(text, start..start + length) {
                    add(pair.kind, pair.value, 0);
                }
            }
            Rule::Pem => {
                if let Some((kind, span)) = pem::find(text, start) {
                    resume = span.end;
                    add(kind, span, 4);
                }
            }
            Rule::Jwt => {
                if let Some(span) = jwt::find(text, start) {
                    add("jwt", span, 2);
                }
            }
            Rule::Url => {
                if let Some((kind, span)) = url::find(text, start) {
                    add(kind, span, 2);
                }
            }
            Rule::Scheme => {
                if let Some((kind, span)) = scheme::find(text, start, length) {
                    add(kind, span, 1);
                }
            }
            Rule::Marker => {
                let kind = &text[start + length..];
                let end = kind
                    .bytes()
                    .take(64)
                    .position(|byte| !(byte.is_ascii_alphanumeric() || byte == b'-'));
                if let Some(end) = end.filter(|end| kind.as_bytes()[*end] == b']') {
                    resume = start + length + end + 1;
                    markers.push(start..resume);
                }
            }
        }
    });
    (found, markers)
}
