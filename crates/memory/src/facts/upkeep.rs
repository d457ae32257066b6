//! What is asked of the project's edicts beside their texts, and the changes that concern many at once. Answers are in
//! the shape that `ken edict --json` prints.

use ken_edicts::{
    Edicts, ExportFormat, Filter, HistoryEntry, Imported, Label, Limits, RenderFormat, Report, ReviewRequest,
};
use serde::Serialize;
use serde_json::{Value, json};

use super::change::FactFields;
use super::{Fact, FactsRequest};
use crate::shown::shown_whole;
use crate::sources::allows_edict;
use crate::withhold::Screen;
use crate::{Error, Memory};

/// Whether an entry of history may be shown: everything that is shown with it.
pub(super) fn allows_entry(screen: Screen<'_>, entry: &HistoryEntry) -> bool {
    let texts = std::iter::once(entry.text.as_str()).chain(entry.source.as_deref());
    let mut labels = [entry.id.as_str(), entry.superseded_by.as_str()]
        .into_iter()
        .chain(entry.key.as_deref())
        .chain(entry.category.iter().map(Label::as_str))
        .chain(entry.tags.iter().map(Label::as_str));
    screen.allows_all(texts) && labels.all(|label| screen.allows_label(label))
}

fn value(answer: &impl Serialize) -> Value {
    shown_whole(serde_json::to_value(answer).unwrap_or_default())
}

fn kinds(found: &[ken_secrets::Finding]) -> Vec<&'static str> {
    found.iter().map(|finding| finding.kind).collect()
}

impl Memory {
    /// The fact with this id.
    ///
    /// # Errors
    /// As [`Memory::change_fact`]; a fact that the caller may not see is not there.
    pub fn fact(&self, id: &str) -> Result<Fact, Error> {
        let edicts = self.readable_edicts()?;
        let found = edicts.find(id, self.setting.clock.now());
        let edict = found.map_err(|error| self.heard(error))?;
        let library = self.library();
        let place = self.place_of(&edicts.path, library.screen());
        Ok(shown_whole(Fact::of(edict, Some(&place))))
    }

    /// What was superseded, expired or removed, of one id or of all.
    ///
    /// # Errors
    /// As [`Memory::fact`].
    pub fn fact_history(&self, id: Option<&str>) -> Result<Value, Error> {
        let edicts = self.readable_edicts()?;
        let history: Vec<&HistoryEntry> = edicts.history_of(id).collect();
        Ok(value(&json!({"history": history})))
    }

    /// What needs a look, each with what to do next.
    ///
    /// # Errors
    /// As [`Memory::fact`].
    pub fn review_facts(&self, stale_days: Option<u32>, within_days: u32) -> Result<Value, Error> {
        let request = ReviewRequest {
            stale_days,
            within_days,
            limits: Limits::default(),
        };
        let edicts = self.readable_edicts()?;
        Ok(value(&edicts.review(&request, self.setting.clock.now())))
    }

    /// The facts in numbers, and what they take of their limits.
    ///
    /// # Errors
    /// As [`Memory::fact`].
    pub fn fact_stats(&self) -> Result<Value, Error> {
        let edicts = self.readable_edicts()?;
        Ok(value(&edicts.stats(&Limits::default(), self.setting.clock.now())))
    }

    /// Everything that is wrong with the file, as far as the caller may hear it.
    ///
    /// # Errors
    /// As [`Memory::fact`], but that a file that cannot be read is a finding for those who may hear why.
    pub fn validate_facts(&self) -> Result<Value, Error> {
        let store = self.fact_store()?;
        let report = store.validate(&Limits::default(), &self.setting.clock);
        let report = report.map_err(|error| self.heard(error))?;
        if self.hears_everything() {
            return Ok(value(&report));
        }
        let library = self.library();
        let screen = library.screen();
        let edicts = self.readable_edicts()?;
        // Of what cannot be read nobody can tell whether it may be heard.
        let Report { findings, .. } = report;
        let all = findings.len();
        let heard: Vec<_> = findings
            .into_iter()
            .filter(|finding| screen.allows(&finding.message))
            .filter(|finding| {
                let id = finding.edict.as_deref();
                id.is_none_or(|id| edicts.edicts.iter().any(|edict| edict.id == *id))
            })
            .collect();
        let withheld = all - heard.len();
        Ok(value(&json!({"findings": heard, "withheld": withheld})))
    }

    /// The facts in force as one text.
    ///
    /// # Errors
    /// As [`Memory::fact`]; [`Error::Edicts`] for an unknown format, category or tag.
    pub fn render_facts(
        &self,
        format: &str,
        budget: Option<usize>,
        request: &FactsRequest,
    ) -> Result<Value, Error> {
        let invalid = |why: String| Error::from(ken_edicts::Error::Validation(why));
        let format: RenderFormat = format.parse().map_err(invalid)?;
        let label = |label: &String| Label::new(label).map_err(invalid);
        let filter = Filter {
            category: request.category.as_ref().map(label).transpose()?,
            tags: request.tag.iter().map(label).collect::<Result<_, _>>()?,
            ..Filter::default()
        };
        let edicts = self.readable_edicts()?;
        let chosen = edicts.in_force(self.setting.clock.now());
        let chosen = chosen.filter(|edict| filter.admits(edict)).collect();
        let rendered = ken_edicts::render_these(chosen, &[], format, budget);
        let note = rendered.note();
        let mut answer = serde_json::to_value(rendered).unwrap_or_default();
        if let (Some(note), Some(fields)) = (note, answer.as_object_mut()) {
            fields.insert("note".to_owned(), note.into());
        }
        Ok(shown_whole(answer))
    }

    /// The whole file as a document that can be imported: `yaml` or `json`.
    ///
    /// # Errors
    /// As [`Memory::fact`]; [`Error::Edicts`] for an unknown format.
    pub fn export_facts(&self, format: &str) -> Result<Value, Error> {
        let format: ExportFormat = format
            .parse()
            .map_err(|why| Error::from(ken_edicts::Error::Validation(why)))?;
        let edicts = self.readable_edicts()?;
        Ok(shown_whole(
            json!({"content": ken_edicts::export(&edicts, format)}),
        ))
    }

    /// Takes a document's edicts over, by key and by equal text; all or nothing. With `replace`, what it does not have
    /// is moved to history: only where the caller may see all of it.
    ///
    /// # Errors
    /// As [`Memory::change_fact`].
    pub fn import_facts(&self, document: &str, replace: bool, dry: bool) -> Result<Value, Error> {
        let store = self.fact_store()?;
        let clock = &self.setting.clock;
        // The document is the caller's own: it may hear what is wrong with it.
        let incoming = ken_edicts::read(document, clock)?;
        for edict in &incoming.edicts {
            self.refuse_taken(edict.key.as_deref())?;
        }
        if replace && self.withholds_any()? {
            return Err(Error::Hidden);
        }
        let imported = store.import(&incoming, replace, dry, &Limits::default(), clock);
        let Imported {
            added,
            changed,
            unchanged,
            renamed,
            removed,
            history,
            skipped,
            expired,
            redactions,
            ..
        } = imported.map_err(|error| self.heard(error))?;
        Ok(value(&json!({
            "dry_run": dry, "added": added, "changed": changed, "unchanged": unchanged, "renamed": renamed,
            "removed": removed, "history": history, "skipped": skipped, "expired": expired,
            "redacted": kinds(&redactions),
        })))
    }

    /// Merges facts into one with a text that stands for all; what they were is kept in history.
    ///
    /// # Errors
    /// As [`Memory::change_fact`].
    pub fn compact_facts(&self, ids: &[String], fields: FactFields, dry: bool) -> Result<Value, Error> {
        let store = self.fact_store()?;
        for id in ids {
            self.refuse_unseen(id)?;
        }
        self.refuse_taken(fields.key.as_deref())?;
        let compacted = store
            .compact(ids, fields.patch()?, dry, &Limits::default(), &self.setting.clock)
            .map_err(|error| self.heard(error))?;
        let merged: Vec<Value> = compacted
            .merged
            .iter()
            .map(|merged| json!({"id": merged.id, "text": merged.text, "history_id": merged.history_id}))
            .collect();
        Ok(value(&json!({
            "dry_run": dry, "fact": Fact::of(&compacted.edict, None), "merged": merged,
            "expired": compacted.expired, "redacted": kinds(&compacted.redactions),
        })))
    }

    /// The file as this caller may see it: as if what it must not see stood nowhere.
    pub(super) fn readable_edicts(&self) -> Result<Edicts, Error> {
        let mut edicts = self.whole_edicts()?;
        let library = self.library();
        let screen = library.screen();
        if !screen.hides_nothing() {
            edicts.edicts.retain(|edict| allows_edict(screen, edict));
            edicts.history.retain(|entry| allows_entry(screen, entry));
        }
        Ok(edicts)
    }

    fn withholds_any(&self) -> Result<bool, Error> {
        let whole = self.whole_edicts()?;
        let library = self.library();
        let screen = library.screen();
        let hidden = whole.edicts.iter().any(|edict| !allows_edict(screen, edict));
        Ok(hidden || !whole.set_aside.is_empty())
    }

    pub(super) fn whole_edicts(&self) -> Result<Edicts, Error> {
        let store = self.fact_store()?;
        let clock = &self.setting.clock;
        match store.load(clock) {
            Ok(edicts) => Ok(edicts),
            Err(ken_edicts::Error::NoFile { .. }) => Ok(ken_edicts::read("", clock)?),
            Err(error) => Err(self.heard(error)),
        }
    }
}
