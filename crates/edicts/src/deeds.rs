//! What each deed makes of one state of the file: the change, and the answer.

use jiff::{SignedDuration, Timestamp};

use crate::Error;
use crate::draft::{Draft, EXPIRED, REMOVED};
use crate::input::Wanted;
use crate::limits::{enforce, usage_of};
use crate::model::{Confidence, Config, Edict, Edicts, HistoryEntry, Pending, Ttl};
use crate::name::{EdictId, Key, quoted};
use crate::review::contradicted;
use crate::when::written;

/// What a write did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// A new edict.
    Created,
    /// The edict with this key has a new content; what it was is in history.
    Superseded,
    /// The same was said again: only `updated` moved (and a default expiry).
    Confirmed,
    /// Fields changed; what it was is in history.
    Updated,
    /// There was nothing to change, and nothing was written.
    Unchanged,
    /// It is in history now.
    Removed,
    /// It came back from history.
    Restored,
}

/// What a deed decided. `edict` is as it will be (for a removal: as it was).
pub(crate) struct Decided {
    pub(crate) edict: Edict,
    pub(crate) outcome: Outcome,
    pub(crate) history_id: Option<String>,
}

impl Edicts {
    /// The edict in force with this id.
    ///
    /// # Errors
    /// [`Error::Conflict`] when it cannot be read, [`Error::NotFound`] when there is none or it is in force no longer;
    /// both say what to do.
    pub fn find(&self, id: &str, now: Timestamp) -> Result<&Edict, Error> {
        self.get(id, now).ok_or_else(|| self.missing(id, now))
    }

    /// Why no edict with this id is in force.
    fn missing(&self, id: &str, now: Timestamp) -> Error {
        let not_found = |remedy: String| Error::NotFound {
            what: "edict",
            id: id.to_owned(),
            remedy,
        };
        let aside = self
            .set_aside
            .iter()
            .find(|aside| aside.id.as_deref() == Some(id));
        if let Some(aside) = aside {
            return Error::Conflict(format!(
                "the edict `{id}` on line {} cannot be read and is not in force; correct it first (see `ken edict validate`)",
                aside.line
            ));
        }
        let expired = self
            .edicts
            .iter()
            .rfind(|edict| edict.id == *id && edict.expired(now));
        if let Some(at) = expired.and_then(|edict| edict.expires_at) {
            return not_found(format!(
                "it expired {}; bring it back with `ken edict restore {} --expires-in 7d`",
                written(at),
                quoted(id)
            ));
        }
        match self.history_of(Some(id)).last() {
            Some(entry) => not_found(format!(
                "what it was is kept; bring it back with `ken edict restore {}`",
                quoted(&entry.id)
            )),
            None => {
                not_found("see them with `ken edict list`, and what was with `ken edict history`".to_owned())
            }
        }
    }
}

pub(crate) fn find<'e>(draft: &Draft<'e>, id: &str) -> Result<&'e Edict, Error> {
    draft.edicts.find(id, draft.now)
}

/// Refuses a change that breaks a limit: `old` stops to count, `new` starts to.
pub(crate) fn check_limits(
    draft: &Draft<'_>,
    config: &Config,
    old: &[usize],
    new: Option<&Edict>,
) -> Result<(), Error> {
    let before = draft.edicts.usage(draft.now);
    let kept = draft
        .edicts
        .in_force(draft.now)
        .filter(|edict| !old.contains(&edict.position));
    enforce(config, &before, &usage_of(kept.chain(new)))
}

fn default_expiry(config: &Config, now: Timestamp) -> Timestamp {
    let seconds = config.default_ephemeral_ttl_seconds.min(i64::MAX as u64) as i64;
    now.checked_add(SignedDuration::from_secs(seconds))
        .unwrap_or(Timestamp::MAX)
}

/// The expiry that a ttl has when `given` is asked for and `kept` is what stays otherwise.
pub(crate) fn expiry_for(
    ttl: Ttl,
    given: Option<Timestamp>,
    kept: Option<Timestamp>,
    config: &Config,
    now: Timestamp,
) -> Result<Option<Timestamp>, Error> {
    match ttl {
        Ttl::Permanent if given.is_some() => Err(Error::Validation(
            "a permanent edict never expires; leave the expiry out, or choose the ttl event or ephemeral"
                .to_owned(),
        )),
        Ttl::Permanent => Ok(None),
        Ttl::Event => match given.or(kept) {
            None => Err(Error::Validation(
                "an edict with ttl event needs an expiry; give --expires-at or --expires-in".to_owned(),
            )),
            at => Ok(at),
        },
        Ttl::Ephemeral => Ok(given.or(kept).or(Some(default_expiry(config, now)))),
        Ttl::Durable => Ok(given.or(kept)),
    }
}

/// Refuses a key that something else has: another edict's id, or one that cannot be read.
pub(crate) fn check_key(draft: &Draft<'_>, key: &Key, own: Option<&Edict>) -> Result<(), Error> {
    let other = |edict: &&Edict| own.is_none_or(|own| own.position != edict.position);
    for edict in draft.edicts.in_force(draft.now).filter(other) {
        if edict.id == **key && edict.key.as_ref() != Some(key) {
            return Err(Error::Conflict(format!(
                "the key `{key}` is the id of another edict (line {}); choose another key",
                edict.line
            )));
        }
    }
    let aside = draft.edicts.set_aside.iter().find(|aside| {
        [&aside.id, &aside.key]
            .into_iter()
            .any(|name| name.as_deref() == Some(key.as_str()))
    });
    match aside {
        Some(aside) => Err(Error::Conflict(format!(
            "the edict `{key}` on line {} cannot be read; correct it first (see `ken edict validate`)",
            aside.line
        ))),
        None => Ok(()),
    }
}

/// Adds, supersedes or confirms.
pub(crate) fn add(draft: &mut Draft<'_>, wanted: &Wanted, config: &Config) -> Result<Decided, Error> {
    let (edicts, now) = (draft.edicts, draft.now);
    let (Some(text), Some(category)) = (&wanted.text, &wanted.category) else {
        return Err(Error::Validation(
            "an edict needs a text and a category; give both".to_owned(),
        ));
    };
    let with_key: Vec<&Edict> = match &wanted.key {
        Some(key) => edicts
            .in_force(now)
            .filter(|edict| edict.key.as_ref() == Some(key))
            .collect(),
        None => Vec::new(),
    };
    if let Some((old, doubles)) = with_key.split_first() {
        return supersede(draft, old, doubles, wanted, config);
    }
    if let Some(key) = &wanted.key {
        check_key(draft, key, None)?;
    } else if let Some(old) = edicts
        .in_force(now)
        .find(|edict| edict.text == *text && edict.category == *category)
        && adds_nothing(old, wanted)
    {
        return Ok(confirmed(draft, old, config));
    }
    config.admit(category)?;
    let ttl = wanted.ttl.unwrap_or(Ttl::Durable);
    let edict = Edict {
        id: match &wanted.key {
            Some(key) => EdictId::from(key),
            None => draft.next_id(),
        },
        text: text.clone(),
        category: category.clone(),
        tags: wanted.tags.clone().unwrap_or_default(),
        confidence: wanted.confidence.unwrap_or(Confidence::User),
        source: wanted.source.clone().unwrap_or_else(|| "manual".to_owned()),
        key: wanted.key.clone(),
        ttl,
        expires_at: expiry_for(ttl, wanted.expires_at, None, config, now)?,
        created: now,
        updated: now,
        last_accessed: None,
        line: 0,
        position: 0,
        pending: Pending::default(),
    };
    check_limits(draft, config, &[], Some(&edict))?;
    draft.append(&edict);
    Ok(Decided {
        edict,
        outcome: Outcome::Created,
        history_id: None,
    })
}

/// Adds what an agent concluded, beside what is stated and never against it.
pub(crate) fn propose(draft: &mut Draft<'_>, wanted: &Wanted, config: &Config) -> Result<Decided, Error> {
    let (edicts, now) = (draft.edicts, draft.now);
    let text = wanted.text.as_deref().unwrap_or_default();
    let plain = ken_text::plain_hash(text);
    let known = edicts
        .in_force(now)
        .find(|edict| edict.text == text || ken_text::plain_hash(&edict.text) == plain);
    if let Some(known) = known {
        return Ok(Decided {
            edict: known.clone(),
            outcome: Outcome::Unchanged,
            history_id: None,
        });
    }
    let stated = || {
        let in_force = edicts.in_force(now);
        in_force.filter(|edict| edict.confidence != Confidence::Inferred)
    };
    let said_by = |edict: &Edict| match edict.confidence {
        Confidence::Verified => "somebody verified",
        Confidence::User | Confidence::Inferred => "a person stated",
    };
    let same_key = stated().find(|edict| wanted.key.is_some() && edict.key == wanted.key);
    if let Some(edict) = same_key {
        return Err(Error::Conflict(format!(
            "`{}` is what {}; tell the person, who can change it with `ken edict update`",
            edict.id,
            said_by(edict)
        )));
    }
    if let Some((edict, class)) = contradicted(text, stated()) {
        return Err(Error::Conflict(format!(
            "it differs in a {} from `{}`, which {}; tell the person, who can change that with `ken edict update`",
            class.word(),
            edict.id,
            said_by(edict)
        )));
    }
    add(draft, wanted, config)
}

/// Whether nothing that is wanted differs from what is, but for the text and category that were compared.
fn adds_nothing(old: &Edict, wanted: &Wanted) -> bool {
    let as_set = |labels: &[crate::name::Label]| {
        let mut labels = labels.to_vec();
        labels.sort();
        labels
    };
    wanted
        .tags
        .as_ref()
        .is_none_or(|tags| as_set(tags) == as_set(&old.tags))
        && wanted
            .confidence
            .is_none_or(|confidence| confidence == old.confidence)
        && wanted.source.as_ref().is_none_or(|source| *source == old.source)
        && wanted.ttl.is_none_or(|ttl| ttl == old.ttl)
        && wanted.expires_at.is_none_or(|at| Some(at) == old.expires_at)
}

fn confirmed(draft: &mut Draft<'_>, old: &Edict, config: &Config) -> Decided {
    let mut edict = old.clone();
    edict.updated = draft.now;
    if edict.ttl == Ttl::Ephemeral {
        edict.expires_at = edict.expires_at.max(Some(default_expiry(config, draft.now)));
    }
    draft.set(old, &edict);
    Decided {
        edict,
        outcome: Outcome::Confirmed,
        history_id: None,
    }
}

fn supersede(
    draft: &mut Draft<'_>,
    old: &Edict,
    doubles: &[&Edict],
    wanted: &Wanted,
    config: &Config,
) -> Result<Decided, Error> {
    let same = wanted.text.as_ref() == Some(&old.text) && wanted.category.as_ref() == Some(&old.category);
    if same && doubles.is_empty() && adds_nothing(old, wanted) {
        return Ok(confirmed(draft, old, config));
    }
    let mut edict = old.clone();
    if let Some(category) = &wanted.category {
        config.admit(category)?;
        edict.category.clone_from(category);
    }
    fill(&mut edict, wanted);
    let kept = match (wanted.ttl, old.ttl) {
        (None, Ttl::Event | Ttl::Durable) => old.expires_at,
        _ => None,
    };
    // An event that never had an expiry goes on without one.
    let open_event = wanted.ttl.is_none() && old.ttl == Ttl::Event && old.expires_at.is_none();
    edict.expires_at = if open_event {
        wanted.expires_at
    } else {
        expiry_for(edict.ttl, wanted.expires_at, kept, config, draft.now)?
    };
    edict.updated = draft.now;
    let replaced: Vec<usize> = doubles.iter().chain([&old]).map(|edict| edict.position).collect();
    check_limits(draft, config, &replaced, Some(&edict))?;
    let history_id = draft.archive(old, &old.id, None);
    for double in doubles {
        draft.retire(double, &old.id);
    }
    draft.set(old, &edict);
    Ok(Decided {
        edict,
        outcome: Outcome::Superseded,
        history_id: Some(history_id),
    })
}

/// Puts everything that is wanted into an edict, but for category and expiry.
fn fill(edict: &mut Edict, wanted: &Wanted) {
    if let Some(text) = &wanted.text {
        edict.text.clone_from(text);
    }
    if let Some(tags) = &wanted.tags {
        edict.tags.clone_from(tags);
    }
    if let Some(source) = &wanted.source {
        edict.source.clone_from(source);
    }
    if let Some(key) = &wanted.key {
        edict.key = Some(key.clone());
    }
    edict.confidence = wanted.confidence.unwrap_or(edict.confidence);
    edict.ttl = wanted.ttl.unwrap_or(edict.ttl);
}

/// Changes fields of one edict.
pub(crate) fn update(
    draft: &mut Draft<'_>,
    id: &str,
    wanted: &Wanted,
    config: &Config,
) -> Result<Decided, Error> {
    let old = find(draft, id)?;
    let mut edict = old.clone();
    if let Some(category) = wanted
        .category
        .as_ref()
        .filter(|category| **category != old.category)
    {
        config.admit(category)?;
        edict.category.clone_from(category);
    }
    if let Some(key) = wanted.key.as_ref().filter(|key| Some(*key) != old.key.as_ref()) {
        check_key(draft, key, Some(old))?;
        let holder = draft
            .edicts
            .in_force(draft.now)
            .find(|edict| edict.key.as_ref() == Some(key));
        if let Some(holder) = holder {
            return Err(Error::Conflict(format!(
                "the edict `{}` has the key `{key}` already; choose another key, or remove that edict",
                holder.id
            )));
        }
    }
    fill(&mut edict, wanted);
    let becomes_durable = edict.ttl == Ttl::Durable && old.ttl != Ttl::Durable;
    let kept = old.expires_at.filter(|_| !wanted.no_expiry && !becomes_durable);
    if wanted.no_expiry && edict.ttl == Ttl::Ephemeral {
        return Err(Error::Validation(
            "an ephemeral edict needs an expiry; change its ttl as well".to_owned(),
        ));
    }
    let touches_expiry = wanted.ttl.is_some() || wanted.expires_at.is_some() || wanted.no_expiry;
    if touches_expiry {
        edict.expires_at = expiry_for(edict.ttl, wanted.expires_at, kept, config, draft.now)?;
    }
    if edict == *old {
        return Ok(Decided {
            edict,
            outcome: Outcome::Unchanged,
            history_id: None,
        });
    }
    edict.updated = draft.now;
    check_limits(draft, config, &[old.position], Some(&edict))?;
    let history_id = draft.archive(old, &old.id, None);
    draft.set(old, &edict);
    Ok(Decided {
        edict,
        outcome: Outcome::Updated,
        history_id: Some(history_id),
    })
}

/// Moves an edict to history.
pub(crate) fn remove(draft: &mut Draft<'_>, id: &str) -> Result<Decided, Error> {
    let old = find(draft, id)?;
    let history_id = draft.retire(old, REMOVED);
    Ok(Decided {
        edict: old.clone(),
        outcome: Outcome::Removed,
        history_id: Some(history_id),
    })
}

/// Says that an edict still holds.
pub(crate) fn confirm(draft: &mut Draft<'_>, id: &str, config: &Config) -> Result<Decided, Error> {
    let old = find(draft, id)?;
    Ok(confirmed(draft, old, config))
}

/// Brings back what a history entry holds: in place of what the id has now, or as the edict that was removed. An edict
/// that has expired and still stands in the file is brought back by its own id.
pub(crate) fn restore(
    draft: &mut Draft<'_>,
    id: &str,
    wanted: &Wanted,
    config: &Config,
) -> Result<Decided, Error> {
    let edicts = draft.edicts;
    let entry = edicts.history.iter().rfind(|entry| entry.id == id);
    let expired = |edict: &&Edict| edict.id == *id && edict.expired(draft.now);
    let mut edict = match (entry, edicts.edicts.iter().rfind(expired)) {
        (Some(entry), _) => revived(entry, wanted, draft.now)?,
        (None, Some(expired)) => {
            draft.retire(expired, EXPIRED);
            expired.clone()
        }
        (None, None) => {
            return Err(Error::NotFound {
                what: "history entry",
                id: id.to_owned(),
                remedy: "see them with `ken edict history`".to_owned(),
            });
        }
    };
    if let Some(at) = wanted.expires_at {
        edict.expires_at = Some(at);
    } else if wanted.no_expiry {
        edict.expires_at = None;
    }
    if edict.expired(draft.now) {
        return Err(Error::Validation(format!(
            "`{id}` has expired; give it a new expiry with --expires-at or --expires-in"
        )));
    }
    if edict.ttl == Ttl::Permanent && wanted.expires_at.is_some() {
        expiry_for(edict.ttl, wanted.expires_at, None, config, draft.now)?;
    }
    config.admit(&edict.category)?;
    let current = edicts.get(&edict.id, draft.now);
    if let Some(key) = &edict.key {
        check_key(draft, key, current)?;
        let holder = edicts
            .in_force(draft.now)
            .find(|other| other.key.as_ref() == Some(key) && other.id != *edict.id);
        if let Some(holder) = holder {
            return Err(Error::Conflict(format!(
                "the edict `{}` has the key `{key}` now; remove it first",
                holder.id
            )));
        }
    }
    let replaced: Vec<usize> = current.iter().map(|edict| edict.position).collect();
    check_limits(draft, config, &replaced, Some(&edict))?;
    let history_id = match current {
        Some(current) => {
            let history_id = draft.archive(current, &current.id, None);
            draft.set(current, &edict);
            Some(history_id)
        }
        None => {
            draft.append(&edict);
            None
        }
    };
    Ok(Decided {
        edict,
        outcome: Outcome::Restored,
        history_id,
    })
}

fn revived(entry: &HistoryEntry, wanted: &Wanted, now: Timestamp) -> Result<Edict, Error> {
    let category = entry
        .category
        .clone()
        .or_else(|| wanted.category.clone())
        .ok_or_else(|| {
            Error::Validation(format!(
                "the entry `{}` has no category; give one with --category",
                entry.id
            ))
        })?;
    let id = EdictId::new(entry.origin().0).map_err(Error::Validation)?;
    let created = entry.created.unwrap_or(now);
    Ok(Edict {
        id,
        text: entry.text.clone(),
        category,
        tags: entry.tags.clone(),
        confidence: entry.confidence.unwrap_or(Confidence::User),
        source: entry.source.clone().unwrap_or_else(|| "manual".to_owned()),
        key: entry.key.clone(),
        ttl: entry.ttl.unwrap_or(Ttl::Durable),
        expires_at: entry.expires_at,
        created,
        updated: entry.updated.unwrap_or(created),
        last_accessed: None,
        line: 0,
        position: 0,
        pending: Pending::default(),
    })
}
