//! Another file's edicts are taken over: by key and by equal text, with ids of their own, within the limits.

use std::collections::{HashMap, HashSet};

use jiff::Timestamp;
use ken_files::Clock;
use ken_secrets::Redacted;
use serde::Serialize;

use crate::Error;
use crate::deeds::check_key;
use crate::draft::{Draft, REMOVED};
use crate::limits::{Limits, enforce, usage_of};
use crate::model::{Config, Edict, Edicts};
use crate::name::EdictId;
use crate::store::{Store, Way};
use crate::when::written;

/// What an import did, or would do.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Imported {
    /// The ids of new edicts.
    pub added: Vec<EdictId>,
    /// The ids of edicts that have a new content: another text under the same key, or more tags or a key for the same
    /// text. What they were is in history.
    pub changed: Vec<EdictId>,
    /// How many were there already.
    pub unchanged: usize,
    /// New edicts whose id was given before.
    pub renamed: Vec<Renamed>,
    /// The history entries of what `replace` removed.
    pub removed: Vec<String>,
    /// How many entries of history were taken over.
    pub history: usize,
    /// What was not taken, and why: a sentence each.
    pub skipped: Vec<String>,
    /// How many expired edicts were moved to history by the way.
    pub expired: usize,
    /// Limits that are near or, for categories, exceeded.
    pub warnings: Vec<String>,
    /// Credentials that were found and not written.
    pub redactions: Vec<ken_secrets::Finding>,
}

/// An edict that has another id here than in the file it comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Renamed {
    /// There.
    pub from: EdictId,
    /// Here.
    pub to: EdictId,
}

impl Store {
    /// Takes the edicts in force of another file over, and its history. All of it or, over a limit, nothing. With
    /// `replace` every edict that the other file does not have is moved to history; with `dry` nothing is written.
    pub fn import(
        &self,
        incoming: &Edicts,
        replace: bool,
        dry: bool,
        limits: &Limits,
        clock: &Clock,
    ) -> Result<Imported, Error> {
        let way = Way { create: true, dry };
        let (mut imported, committed) = self.commit(way, limits, clock, |draft, config| {
            let imported = Import::new(draft, incoming, config).run(replace)?;
            let changes = !draft.change.is_empty();
            Ok((imported, changes))
        })?;
        imported.expired = committed.expired;
        imported.warnings = committed.warnings;
        imported.redactions.extend(committed.redactions);
        Ok(imported)
    }
}

struct Import<'d, 'e> {
    draft: &'d mut Draft<'e>,
    incoming: &'d Edicts,
    config: &'d Config,
    by_key: HashMap<&'e str, &'e Edict>,
    by_text: HashMap<&'e str, &'e Edict>,
    /// Every id that was ever given here.
    taken: HashSet<String>,
    /// What an edict of the file becomes, by its place: itself for one that stays.
    met: HashMap<usize, Edict>,
    new: Vec<Edict>,
    imported: Imported,
}

impl<'d, 'e> Import<'d, 'e> {
    fn new(draft: &'d mut Draft<'e>, incoming: &'d Edicts, config: &'d Config) -> Import<'d, 'e> {
        let (edicts, now) = (draft.edicts, draft.now);
        let mut by_key = HashMap::new();
        let mut by_text = HashMap::new();
        for edict in edicts.in_force(now) {
            if let Some(key) = &edict.key {
                by_key.entry(key.as_str()).or_insert(edict);
            }
            by_text.entry(edict.text.trim()).or_insert(edict);
        }
        let mut taken: HashSet<String> = edicts.edicts.iter().map(|edict| edict.id.to_string()).collect();
        taken.extend(edicts.history.iter().map(|entry| entry.origin().0.to_owned()));
        taken.extend(edicts.set_aside.iter().filter_map(|aside| aside.id.clone()));
        draft.count_from(incoming.highest);
        Import {
            draft,
            incoming,
            config,
            by_key,
            by_text,
            taken,
            met: HashMap::new(),
            new: Vec::new(),
            imported: Imported::default(),
        }
    }

    fn run(mut self, replace: bool) -> Result<Imported, Error> {
        let now = self.draft.now;
        for edict in &self.incoming.edicts {
            let mut edict = edict.clone();
            let (text, found) = Redacted::new(edict.text.trim().to_owned());
            edict.text = text.into_inner();
            self.imported.redactions.extend(found);
            self.take(edict, now)?;
        }
        for aside in &self.incoming.set_aside {
            let id = aside.id.as_deref().unwrap_or("an edict without an id");
            self.imported.skipped.push(format!(
                "{id} on line {} cannot be read; correct it in the file it comes from",
                aside.line
            ));
        }
        self.take_history();
        let edicts = self.draft.edicts;
        let mut kept: Vec<Edict> = Vec::new();
        for edict in edicts.in_force(now) {
            match self.met.remove(&edict.position) {
                Some(edict) => kept.push(edict),
                None if replace => {
                    let history_id = self.draft.retire(edict, REMOVED);
                    self.imported.removed.push(history_id);
                }
                None => kept.push(edict.clone()),
            }
        }
        enforce(
            self.config,
            &edicts.usage(now),
            &usage_of(kept.iter().chain(&self.new)),
        )?;
        Ok(self.imported)
    }

    fn take(&mut self, edict: Edict, now: Timestamp) -> Result<(), Error> {
        if let Some(at) = edict.expires_at.filter(|at| *at <= now) {
            self.skip(&edict, &format!("it expired {}", written(at)));
            return Ok(());
        }
        let same_key = |other: &Edict| edict.key.is_some() && other.key == edict.key;
        if self
            .new
            .iter()
            .any(|other| same_key(other) || other.text == edict.text)
        {
            self.skip(&edict, "another edict of the same file says it");
            return Ok(());
        }
        let holder = edict
            .key
            .as_ref()
            .and_then(|key| self.by_key.get(key.as_str()).copied());
        if let Some(old) = holder {
            return self.supersede(old, edict);
        }
        if let Some(old) = self.by_text.get(edict.text.as_str()).copied() {
            self.unite(old, &edict);
            return Ok(());
        }
        if let Some(key) = &edict.key
            && let Err(error) = check_key(self.draft, key, None)
        {
            self.skip(&edict, &error.to_string());
            return Ok(());
        }
        self.config.admit(&edict.category)?;
        let mut new = edict;
        if self.taken.contains(new.id.as_str()) {
            let from = new.id.clone();
            let by_key = new.key.as_ref().map(EdictId::from);
            new.id = match by_key.filter(|id| !self.taken.contains(id.as_str())) {
                Some(id) => id,
                None => self.draft.next_id(),
            };
            self.imported.renamed.push(Renamed {
                from,
                to: new.id.clone(),
            });
        }
        self.taken.insert(new.id.to_string());
        self.draft.append(&new);
        self.imported.added.push(new.id.clone());
        self.new.push(new);
        Ok(())
    }

    /// The same key: the other file's content in the place of ours.
    fn supersede(&mut self, old: &'e Edict, mut edict: Edict) -> Result<(), Error> {
        if self.met.contains_key(&old.position) {
            self.skip(&edict, "another edict of the same file says it");
            return Ok(());
        }
        let same = old.text == edict.text
            && old.category == edict.category
            && old.tags == edict.tags
            && old.confidence == edict.confidence
            && old.source == edict.source
            && old.ttl == edict.ttl
            && old.expires_at == edict.expires_at;
        if same {
            self.imported.unchanged += 1;
            self.met.insert(old.position, old.clone());
            return Ok(());
        }
        if old.category != edict.category {
            self.config.admit(&edict.category)?;
        }
        edict.id = old.id.clone();
        edict.created = old.created;
        edict.updated = self.draft.now;
        edict.last_accessed = old.last_accessed;
        self.put(old, edict);
        Ok(())
    }

    /// The same text: ours, with the tags of both, and the other's key where ours has none.
    fn unite(&mut self, old: &'e Edict, edict: &Edict) {
        if self.met.contains_key(&old.position) {
            self.skip(edict, "another edict of the same file says it");
            return;
        }
        let mut united = old.clone();
        for tag in &edict.tags {
            if !united.tags.contains(tag) {
                united.tags.push(tag.clone());
            }
        }
        if let (None, Some(key)) = (&old.key, &edict.key)
            && check_key(self.draft, key, Some(old)).is_ok()
        {
            united.key = Some(key.clone());
        }
        if united == *old {
            self.imported.unchanged += 1;
            self.met.insert(old.position, united);
            return;
        }
        united.updated = self.draft.now;
        self.put(old, united);
    }

    fn put(&mut self, old: &Edict, edict: Edict) {
        self.draft.archive(old, &old.id, None);
        self.draft.set(old, &edict);
        self.imported.changed.push(old.id.clone());
        self.met.insert(old.position, edict);
    }

    /// The other file's history, under the ids that its edicts have here.
    fn take_history(&mut self) {
        let mut there: HashSet<String> = self
            .draft
            .edicts
            .history
            .iter()
            .map(|entry| entry.id.clone())
            .collect();
        let renamed: HashMap<String, String> = self
            .imported
            .renamed
            .iter()
            .map(|renamed| (renamed.from.to_string(), renamed.to.to_string()))
            .collect();
        for entry in &self.incoming.history {
            let mut entry = entry.clone();
            let origin = entry.origin().0.to_owned();
            if let Some(to) = renamed.get(&origin) {
                entry.id.replace_range(..origin.len(), to);
            }
            if let Some(to) = renamed.get(&entry.superseded_by) {
                entry.superseded_by.clone_from(to);
            }
            if there.insert(entry.id.clone()) {
                self.draft.adopt(&entry);
                self.imported.history += 1;
            }
        }
    }

    fn skip(&mut self, edict: &Edict, why: &str) {
        self.imported.skipped.push(format!("{}: {why}", edict.id));
    }
}
