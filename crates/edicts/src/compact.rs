//! Several edicts become one; what they were is in history.

use ken_files::Clock;
use ken_secrets::Redacted;

use crate::deeds::{check_key, check_limits, expiry_for, find};
use crate::draft::Draft;
use crate::input::{Patch, Wanted};
use crate::limits::Limits;
use crate::model::{Config, Edict, Pending, Ttl};
use crate::name::{EdictId, Label};
use crate::store::{Store, Way};
use crate::{Confidence, Error};

/// What a compaction did, or would do.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Compacted {
    /// The edict that stands for all.
    pub edict: Edict,
    /// What it stands for, in the order in which they were named.
    pub merged: Vec<Merged>,
    /// How many expired edicts were moved to history by the way.
    pub expired: usize,
    /// Limits that are near or, for categories, exceeded.
    pub warnings: Vec<String>,
    /// Credentials that were found and not written.
    pub redactions: Vec<ken_secrets::Finding>,
}

/// An edict that a compaction put into history.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Merged {
    /// Its id.
    pub id: EdictId,
    /// What its text was.
    pub text: String,
    /// The history entry that holds it.
    pub history_id: String,
}

impl Store {
    /// Merges edicts into one with the text of `patch`. What `patch` leaves open is theirs: the category and ttl that
    /// they share (of permanent and durable, durable), all their tags, the least of their confidences, the source
    /// that they share, the earliest of their expiries. With the key of one of them, that one is kept in place. With
    /// `dry` nothing is written.
    pub fn compact(
        &self,
        ids: &[String],
        patch: Patch,
        dry: bool,
        limits: &Limits,
        clock: &Clock,
    ) -> Result<Compacted, Error> {
        let (patch, mut redactions) = Redacted::new(patch);
        let wanted = Wanted::of(&patch, clock)?;
        let way = Way { create: false, dry };
        let ((edict, merged), committed) = self.commit(way, limits, clock, |draft, config| {
            Ok((compact(draft, ids, &wanted, config)?, true))
        })?;
        redactions.extend(committed.redactions);
        let after = committed.after.as_ref();
        let stands = after.and_then(|after| after.get(&edict.id, committed.now));
        Ok(Compacted {
            edict: stands.cloned().unwrap_or(edict),
            merged,
            expired: committed.expired,
            warnings: committed.warnings,
            redactions,
        })
    }
}

fn compact(
    draft: &mut Draft<'_>,
    ids: &[String],
    wanted: &Wanted,
    config: &Config,
) -> Result<(Edict, Vec<Merged>), Error> {
    let mut old: Vec<&Edict> = Vec::with_capacity(ids.len());
    for id in ids {
        let edict = find(draft, id)?;
        if !old.iter().any(|other| other.position == edict.position) {
            old.push(edict);
        }
    }
    if old.len() < 2 {
        return Err(Error::Validation(
            "a compaction needs two edicts or more; name another id".to_owned(),
        ));
    }
    let edict = merged_edict(draft, &old, wanted, config)?;
    let positions: Vec<usize> = old.iter().map(|edict| edict.position).collect();
    check_limits(draft, config, &positions, Some(&edict))?;
    let base = old.iter().copied().find(|old| old.id == edict.id);
    let mut merged = Vec::with_capacity(old.len());
    for edict_before in &old {
        let in_place = base.is_some_and(|base| base.position == edict_before.position);
        let history_id = if in_place {
            draft.archive(edict_before, &edict.id, None)
        } else {
            draft.retire(edict_before, &edict.id)
        };
        merged.push(Merged {
            id: edict_before.id.clone(),
            text: edict_before.text.clone(),
            history_id,
        });
    }
    match base {
        Some(base) => {
            draft.set(base, &edict);
        }
        None => draft.append(&edict),
    }
    Ok((edict, merged))
}

fn merged_edict(
    draft: &mut Draft<'_>,
    old: &[&Edict],
    wanted: &Wanted,
    config: &Config,
) -> Result<Edict, Error> {
    let Some(text) = wanted.text.clone() else {
        return Err(Error::Validation(
            "a compaction needs the text that stands for all; give --text".to_owned(),
        ));
    };
    let first = old[0];
    let category = match &wanted.category {
        Some(category) => category.clone(),
        None if old.iter().all(|edict| edict.category == first.category) => first.category.clone(),
        None => {
            let mut categories: Vec<&str> = old.iter().map(|edict| edict.category.as_str()).collect();
            categories.sort_unstable();
            categories.dedup();
            return Err(Error::Validation(format!(
                "the edicts have the categories {}; say which the merged one has with --category",
                categories.join(", ")
            )));
        }
    };
    config.admit(&category)?;
    let ttl = match wanted.ttl {
        Some(ttl) => ttl,
        None if old.iter().all(|edict| edict.ttl == first.ttl) => first.ttl,
        None if old
            .iter()
            .all(|edict| matches!(edict.ttl, Ttl::Permanent | Ttl::Durable)) =>
        {
            Ttl::Durable
        }
        None => {
            return Err(Error::Validation(
                "some of the edicts expire and others do not, or not alike; say how long the merged one holds with --ttl"
                    .to_owned(),
            ));
        }
    };
    let earliest = old.iter().filter_map(|edict| edict.expires_at).min();
    // An expiry of what only expires by the way is not carried into what holds until somebody says otherwise.
    let kept = match ttl {
        Ttl::Durable if !old.iter().all(|edict| edict.expires_at.is_some()) => None,
        _ => earliest,
    };
    let kept = kept.filter(|_| !wanted.no_expiry);
    let expires_at = match (ttl, wanted.expires_at) {
        // Events that never had an expiry go on without one.
        (Ttl::Event, None) if wanted.ttl.is_none() && kept.is_none() => None,
        (_, given) => expiry_for(ttl, given, kept, config, draft.now)?,
    };
    let mut tags: Vec<Label> = Vec::new();
    for tag in old.iter().flat_map(|edict| &edict.tags) {
        if !tags.contains(tag) {
            tags.push(tag.clone());
        }
    }
    let confidence = old
        .iter()
        .map(|edict| edict.confidence)
        .max()
        .unwrap_or(Confidence::User);
    let shared = old.iter().all(|edict| edict.source == first.source);
    let names: Vec<&str> = old.iter().map(|edict| edict.id.as_str()).collect();
    let source = if shared {
        first.source.clone()
    } else {
        format!("compacted from {}", names.join(", "))
    };
    let base = match &wanted.key {
        Some(key) => {
            let holder = draft
                .edicts
                .in_force(draft.now)
                .find(|edict| edict.key.as_ref() == Some(key));
            let base = old
                .iter()
                .copied()
                .find(|old| holder.is_some_and(|holder| holder.position == old.position));
            if let (Some(holder), None) = (holder, base) {
                return Err(Error::Conflict(format!(
                    "the edict `{}` has the key `{key}` already; choose another key, or compact that edict too",
                    holder.id
                )));
            }
            check_key(draft, key, base)?;
            base
        }
        None => None,
    };
    let id = match (base, &wanted.key) {
        (Some(base), _) => base.id.clone(),
        (None, Some(key)) => EdictId::from(key),
        (None, None) => draft.next_id(),
    };
    Ok(Edict {
        id,
        text,
        category,
        tags: wanted.tags.clone().unwrap_or(tags),
        confidence: wanted.confidence.unwrap_or(confidence),
        source: wanted.source.clone().unwrap_or(source),
        key: wanted.key.clone(),
        ttl,
        expires_at,
        created: base.map_or(draft.now, |base| base.created),
        updated: draft.now,
        last_accessed: base.and_then(|base| base.last_accessed),
        line: 0,
        position: 0,
        pending: Pending::default(),
    })
}
