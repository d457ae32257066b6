//! What callers ask for, checked before anything is locked.

use jiff::Timestamp;
use ken_files::Clock;
use ken_secrets::EachString;

use crate::Error;
use crate::model::{Confidence, Ttl};
use crate::name::{Key, Label};
use crate::when::{Edge, parse_duration, parse_instant};

/// An edict to add. Only text and category are needed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NewEdict {
    /// The fact.
    pub text: String,
    /// Its category; normalised here.
    pub category: String,
    /// Its tags; normalised here. Absent: those of the edict it supersedes, else none.
    pub tags: Option<Vec<String>>,
    /// Absent: that of the edict it supersedes, else `user`.
    pub confidence: Option<Confidence>,
    /// Absent: that of the edict it supersedes, else `manual`.
    pub source: Option<String>,
    /// Supersession key, which becomes the id.
    pub key: Option<String>,
    /// Absent: that of the edict it supersedes, else `durable`.
    pub ttl: Option<Ttl>,
    /// When it expires: RFC 3339, or a date, whose end in the clock's zone is meant.
    pub expires_at: Option<String>,
    /// After how long it expires (`30m`, `7d`); not together with `expires_at`.
    pub expires_in: Option<String>,
}

impl NewEdict {
    /// With everything but text and category left open.
    pub fn new(text: impl Into<String>, category: impl Into<String>) -> NewEdict {
        NewEdict {
            text: text.into(),
            category: category.into(),
            ..NewEdict::default()
        }
    }
}

/// Fields of an edict to change. Absent: as it is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Patch {
    /// The fact.
    pub text: Option<String>,
    /// Its category; normalised here.
    pub category: Option<String>,
    /// All its tags; normalised here.
    pub tags: Option<Vec<String>>,
    /// How sure its source is.
    pub confidence: Option<Confidence>,
    /// Who or what established it.
    pub source: Option<String>,
    /// Supersession key. The id stays.
    pub key: Option<String>,
    /// How long it holds.
    pub ttl: Option<Ttl>,
    /// When it expires: RFC 3339, or a date, whose end in the clock's zone is meant.
    pub expires_at: Option<String>,
    /// After how long it expires (`30m`, `7d`); not together with `expires_at`.
    pub expires_in: Option<String>,
    /// Takes the expiry away.
    pub no_expiry: bool,
}

/// Names are not among them: a change with a credential in a name is refused whole.
impl EachString for NewEdict {
    fn each_string(&mut self, visit: &mut dyn FnMut(&mut String)) {
        visit(&mut self.text);
        self.source.each_string(visit);
    }
}

/// Names are not among them: a change with a credential in a name is refused whole.
impl EachString for Patch {
    fn each_string(&mut self, visit: &mut dyn FnMut(&mut String)) {
        self.text.each_string(visit);
        self.source.each_string(visit);
    }
}

/// A [`Patch`] or [`NewEdict`] whose every value can be used.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) text: Option<String>,
    pub(crate) category: Option<Label>,
    pub(crate) tags: Option<Vec<Label>>,
    pub(crate) confidence: Option<Confidence>,
    pub(crate) source: Option<String>,
    pub(crate) key: Option<Key>,
    pub(crate) ttl: Option<Ttl>,
    pub(crate) expires_at: Option<Timestamp>,
    pub(crate) no_expiry: bool,
}

impl Wanted {
    pub(crate) fn of(patch: &Patch, clock: &Clock) -> Result<Wanted, Error> {
        let text = patch.text.as_deref().map(checked_text).transpose()?;
        let category = patch
            .category
            .as_deref()
            .map(|category| {
                Label::new(category).map_err(|why| Error::Validation(format!("the category: {why}")))
            })
            .transpose()?;
        let tags = patch.tags.as_ref().map(|tags| checked_tags(tags)).transpose()?;
        let key = patch
            .key
            .as_deref()
            .map(|key| Key::new(key).map_err(Error::Validation))
            .transpose()?;
        let expires_at = expiry(patch.expires_at.as_deref(), patch.expires_in.as_deref(), clock)?;
        if patch.no_expiry && expires_at.is_some() {
            return Err(Error::Validation(
                "an expiry is given and taken away at once; leave out one of the two".to_owned(),
            ));
        }
        Ok(Wanted {
            text,
            category,
            tags,
            confidence: patch.confidence,
            source: patch
                .source
                .as_deref()
                .map(str::trim)
                .filter(|source| !source.is_empty())
                .map(str::to_owned),
            key,
            ttl: patch.ttl,
            expires_at,
            no_expiry: patch.no_expiry,
        })
    }
}

impl From<&NewEdict> for Patch {
    fn from(new: &NewEdict) -> Patch {
        Patch {
            text: Some(new.text.clone()),
            category: Some(new.category.clone()),
            tags: new.tags.clone(),
            confidence: new.confidence,
            source: new.source.clone(),
            key: new.key.clone(),
            ttl: new.ttl,
            expires_at: new.expires_at.clone(),
            expires_in: new.expires_in.clone(),
            no_expiry: false,
        }
    }
}

fn checked_text(text: &str) -> Result<String, Error> {
    let text = text.trim();
    if text.is_empty() {
        return Err(Error::Validation(
            "the text is empty; write the fact as one sentence".to_owned(),
        ));
    }
    Ok(text.to_owned())
}

fn checked_tags(tags: &[String]) -> Result<Vec<Label>, Error> {
    let mut labels = Vec::with_capacity(tags.len());
    for tag in tags {
        let label = Label::new(tag).map_err(|why| Error::Validation(format!("a tag: {why}")))?;
        if !labels.contains(&label) {
            labels.push(label);
        }
    }
    Ok(labels)
}

/// The instant that an expiry as people give it means; it must lie ahead.
pub(crate) fn expiry(
    at: Option<&str>,
    after: Option<&str>,
    clock: &Clock,
) -> Result<Option<Timestamp>, Error> {
    let now = clock.now();
    let instant = match (at, after) {
        (Some(_), Some(_)) => {
            return Err(Error::Validation(
                "both expiresAt and expiresIn are given; leave out one of the two".to_owned(),
            ));
        }
        (None, None) => return Ok(None),
        (Some(at), None) => parse_instant(at, clock.zone(), Edge::End),
        (None, Some(after)) => parse_duration(after).and_then(|duration| {
            now.checked_add(duration)
                .map_err(|_| format!("`{after}` from now is outside the calendar; write a shorter duration"))
        }),
    };
    let instant = instant.map_err(|why| Error::Validation(format!("the expiry: {why}")))?;
    if instant <= now {
        return Err(Error::Validation(format!(
            "the expiry {} is not after now ({}); write a later one",
            crate::when::written(instant),
            crate::when::written(now)
        )));
    }
    Ok(Some(instant))
}
