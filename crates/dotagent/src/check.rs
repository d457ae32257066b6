//! What an observation must hold before a line of it exists.

use ken_secrets::{EachString, Finding, Redacted};

use crate::error::shown;
use crate::{Harness, Origin, Refusal, SkillAction, Supersedes};

/// Most bytes of an observation's text, after trimming.
pub const MAX_CONTENT: usize = 64 * 1024;
/// Most tags of an observation.
pub const MAX_TAGS: usize = 32;
/// Longest tag in bytes.
const LONGEST_TAG: usize = 128;
/// Longest dedup key in bytes.
const LONGEST_KEY: usize = 256;

/// What somebody wants remembered, as it was given. [`Folder::learn`](crate::Folder::learn) checks it.
#[derive(Debug, Clone, PartialEq)]
pub struct Observation {
    /// What was learned: 1 byte to [`MAX_CONTENT`] after trimming.
    pub content: String,
    /// How much it hurt, 0 to 10.
    pub pain: f64,
    /// How much it matters, 0 to 10.
    pub importance: f64,
    /// What it is about; normalised, `general` when not given.
    pub skill_action: Option<String>,
    /// The program it comes through: `[a-z0-9_-]+`.
    pub harness: String,
    /// Where the words come from.
    pub origin: Option<Origin>,
    /// Free labels, at most [`MAX_TAGS`] of at most 128 bytes; of equal ones the first counts.
    pub tags: Vec<String>,
    /// An event's id or a skill that this takes the place of.
    pub supersedes: Option<String>,
    /// The same key within 24 hours is the same event. At most 256 bytes.
    pub dedup_key: Option<String>,
}

impl Observation {
    /// An observation with pain and importance 5 and nothing else said.
    pub fn new(content: impl Into<String>, harness: impl Into<String>) -> Observation {
        Observation {
            content: content.into(),
            pain: 5.0,
            importance: 5.0,
            skill_action: None,
            harness: harness.into(),
            origin: None,
            tags: Vec::new(),
            supersedes: None,
            dedup_key: None,
        }
    }

    /// Scans every field for credentials and checks every rule of the log. What a refusal shows has been scanned.
    ///
    /// # Errors
    /// The [`Refusal`] of the first rule that is broken.
    pub(crate) fn check(mut self) -> Result<(Checked, Vec<Finding>), Refusal> {
        let length = self.content.trim().len();
        if length == 0 {
            return Err(Refusal::Empty);
        }
        if length > MAX_CONTENT {
            return Err(Refusal::TooLong { bytes: length });
        }
        let key_findings = self.dedup_key.as_mut().map(mask_key).unwrap_or_default();
        let (scanned, mut findings) = Redacted::new(self);
        findings.extend(key_findings);
        let given = scanned.into_inner();

        scale("pain", given.pain)?;
        scale("importance", given.importance)?;
        let harness = Harness::parse(&named(&given.harness))?;
        let skill_action = given.skill_action.map_or(Ok(SkillAction::general()), |skill| {
            SkillAction::parse(&named(&skill))
        })?;
        let supersedes = given
            .supersedes
            .filter(|target| !target.trim().is_empty())
            .map(|target| Supersedes::parse(&named(&target)))
            .transpose()?;
        let checked = Checked {
            content: given.content.trim().to_owned(),
            pain: given.pain,
            importance: given.importance,
            skill_action,
            harness,
            origin: given.origin,
            tags: tags(&given.tags)?,
            supersedes,
            dedup_key: key(given.dedup_key)?,
        };
        Ok((checked, findings))
    }
}

impl EachString for Observation {
    fn each_string(&mut self, visit: &mut dyn FnMut(&mut String)) {
        alone(&mut self.content, visit);
        self.skill_action.iter_mut().for_each(|skill| alone(skill, visit));
        alone(&mut self.harness, visit);
        self.tags.iter_mut().for_each(|tag| alone(tag, visit));
        self.supersedes.iter_mut().for_each(|target| alone(target, visit));
        self.dedup_key.iter_mut().for_each(|key| alone(key, visit));
    }
}

/// Visits a text that is not the name of what is visited next, even where it is nothing but `token`.
pub(crate) fn alone(text: &mut String, visit: &mut dyn FnMut(&mut String)) {
    visit(text);
    visit(&mut String::new());
}

/// An observation that may be written: every rule holds, every string was scanned.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Checked {
    pub(crate) content: String,
    pub(crate) pain: f64,
    pub(crate) importance: f64,
    pub(crate) skill_action: SkillAction,
    pub(crate) harness: Harness,
    pub(crate) origin: Option<Origin>,
    pub(crate) tags: Vec<String>,
    pub(crate) supersedes: Option<Supersedes>,
    pub(crate) dedup_key: Option<String>,
}

fn scale(field: &'static str, value: f64) -> Result<(), Refusal> {
    if (0.0..=10.0).contains(&value) {
        Ok(())
    } else {
        Err(Refusal::OutOfRange { field, value })
    }
}

/// `[redacted:KIND]` in the characters that a name may have, so that a credential in a name costs the name a word and
/// not the observation its line.
fn named(text: &str) -> String {
    text.replace("[redacted:", "redacted-").replace(']', "")
}

/// Takes the credentials out of a dedup key and adds their fingerprints. Two keys that differ stay two: were both only
/// `[redacted:KIND]`, the second event would be taken for the first and be lost.
fn mask_key(key: &mut String) -> Vec<Finding> {
    let (clean, findings) = ken_secrets::redact(key);
    let mut masked = clean.into_owned();
    for finding in &findings {
        masked.push('~');
        masked.push_str(&finding.fingerprint);
    }
    *key = masked;
    findings
}

fn tags(given: &[String]) -> Result<Vec<String>, Refusal> {
    let mut tags: Vec<String> = Vec::new();
    for tag in given {
        let tag = tag.trim();
        if tag.is_empty() || tag.len() > LONGEST_TAG || tag.chars().any(char::is_control) {
            return Err(Refusal::Tag { value: shown(tag) });
        }
        if !tags.iter().any(|earlier| earlier == tag) {
            tags.push(tag.to_owned());
        }
    }
    if tags.len() > MAX_TAGS {
        return Err(Refusal::TooManyTags { count: tags.len() });
    }
    Ok(tags)
}

fn key(given: Option<String>) -> Result<Option<String>, Refusal> {
    match given {
        Some(key) if key.is_empty() || key.len() > LONGEST_KEY => {
            Err(Refusal::DedupKey { value: shown(&key) })
        }
        other => Ok(other),
    }
}
