//! The one way from this room into the project's edicts.

use ken_edicts::{Confidence, Edict, HistoryEntry, Limits, NewEdict, Outcome, Patch, Store, Ttl};
use serde::{Deserialize, Serialize};

use super::Fact;
use super::upkeep::allows_entry;
use crate::shown::shown_whole;
use crate::sources::allows_edict;
use crate::{Error, Memory};

/// A fact to state, or what of one is to change. What is absent stays, or has the contract's default.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct FactFields {
    /// The fact, in one sentence.
    pub text: Option<String>,
    /// What it belongs to.
    pub category: Option<String>,
    /// All its tags.
    pub tags: Option<Vec<String>>,
    /// `verified`, `user` or `inferred`.
    pub confidence: Option<String>,
    /// Who established it. Absent, on a new fact: the agent that asks.
    pub source: Option<String>,
    /// The key under which a later fact replaces it.
    pub key: Option<String>,
    /// `permanent`, `durable`, `event` or `ephemeral`.
    pub ttl: Option<String>,
    /// When it expires: RFC 3339, or a date, whose end is meant.
    pub expires_at: Option<String>,
    /// The same from now: `30m`, `2h`, `7d`, `4w`.
    pub expires_in: Option<String>,
    /// It no longer expires.
    pub no_expiry: bool,
}

/// A change of the project's edicts.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum FactChange {
    /// States a fact; with a known key it replaces the earlier one.
    Add(FactFields),
    /// Adds what an agent concluded: never against what is stated, and only where the person allows it.
    Propose(FactFields),
    /// Changes fields.
    Update(String, FactFields),
    /// Moves a fact to history.
    Remove(String),
    /// Says that a fact still holds.
    Confirm(String),
    /// Brings back what a history entry holds.
    Restore(String, FactFields),
}

/// What a change did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FactChanged {
    /// `added`, `superseded`, `confirmed`, `updated`, `unchanged`, `removed` or `restored`.
    pub outcome: String,
    /// The fact as it stands now; for a removal, as it was.
    pub fact: Fact,
    /// The history entry that holds what it was before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub history_id: Option<String>,
    /// How many expired edicts were moved to history by the way.
    pub expired: usize,
    /// Limits that are near or exceeded.
    pub warnings: Vec<String>,
    /// The kinds of credentials that were replaced.
    pub redacted: Vec<String>,
}

impl Memory {
    /// Changes the project's edicts. When it returns, the change is on the disk.
    ///
    /// A fact that the caller may not see is for it one that is not there.
    ///
    /// # Errors
    /// [`Error::NoProject`] outside any; [`Error::NotAllowed`] for a remote caller; [`Error::BelowTeam`] for one that
    /// may see no edicts; [`Error::NotTrusted`] in a repository that nobody on this machine has trusted;
    /// [`Error::ProposalsOff`] for a proposal that the person did not allow; [`Error::Edicts`] when a rule of the
    /// contract or a limit is broken or the disk refuses. Nothing is written then.
    pub fn change_fact(&self, change: FactChange) -> Result<FactChanged, Error> {
        let store = self.fact_store()?;
        let (limits, clock) = (Limits::default(), &self.setting.clock);
        let written = match change {
            FactChange::Add(fields) => {
                self.refuse_taken(fields.key.as_deref())?;
                store.add(self.new_edict(fields)?, &limits, clock)
            }
            FactChange::Propose(fields) => {
                if !self.setting.proposals {
                    return Err(Error::ProposalsOff);
                }
                self.refuse_taken(fields.key.as_deref())?;
                store.propose(self.new_edict(fields)?, &limits, clock)
            }
            FactChange::Update(id, fields) => {
                self.refuse_unseen(&id)?;
                self.refuse_taken(fields.key.as_deref())?;
                store.update(&id, fields.patch()?, &limits, clock)
            }
            FactChange::Remove(id) => {
                self.refuse_unseen(&id)?;
                store.remove(&id, clock)
            }
            FactChange::Confirm(id) => {
                self.refuse_unseen(&id)?;
                store.confirm(&id, clock)
            }
            FactChange::Restore(id, fields) => {
                self.refuse_unseen(&id)?;
                store.restore(&id, fields.patch()?, &limits, clock)
            }
        };
        let written = written.map_err(|error| self.heard(error))?;
        let library = self.library();
        let screen = library.screen();
        let place = self.place_of(store.path(), screen);
        let mut edict = written.edict;
        if !allows_edict(screen, &edict) {
            // What was known already is not the caller's own; what it wrote itself it may read.
            if written.outcome == Outcome::Unchanged {
                return Err(Error::Hidden);
            }
            edict.source.clear();
            edict.tags.clear();
        }
        let fact = Fact::of(&edict, Some(&place));
        let mut warnings = written.warnings;
        warnings.retain(|warning| screen.allows(warning));
        Ok(shown_whole(FactChanged {
            outcome: outcome(written.outcome).to_owned(),
            fact,
            history_id: written.history_id.filter(|id| screen.allows_label(id)),
            expired: written.expired,
            warnings,
            redacted: written
                .redactions
                .iter()
                .map(|finding| finding.kind.to_owned())
                .collect(),
        }))
    }

    /// The project's edicts, to be changed by this caller.
    pub(super) fn fact_store(&self) -> Result<Store, Error> {
        self.refuse_remote("changing a project's facts")?;
        if !self.reaches_team() {
            return Err(Error::BelowTeam);
        }
        let project = self.setting.project.as_ref().ok_or(Error::NoProject)?;
        if self.is_trusted() != Some(true) {
            return Err(Error::NotTrusted);
        }
        let (path, root) = match self.edicts_place(project) {
            Ok(Some(found)) => found,
            Ok(None) => (
                project.root.join(ken_edicts::FILE_NAMES[0]),
                project.root.as_path(),
            ),
            Err(error) => return Err(self.heard(error)),
        };
        Ok(Store::new(path, Some(self.setting.paths.state.clone())).within(root))
    }

    /// An error of the edicts as this caller may hear it.
    pub(super) fn heard(&self, error: ken_edicts::Error) -> Error {
        if self.hears_everything() {
            return error.into();
        }
        match error {
            ken_edicts::Error::Parse { .. } => Error::Unreadable,
            ken_edicts::Error::Conflict(_) if !self.library().screen().allows(&error.to_string()) => {
                Error::Hidden
            }
            error => error.into(),
        }
    }

    /// Refuses an id that the caller may not see, in the words of one that is not there.
    pub(super) fn refuse_unseen(&self, id: &str) -> Result<(), Error> {
        let library = self.library();
        let screen = library.screen();
        if screen.hides_nothing() {
            return Ok(());
        }
        let (whole, now) = (self.whole_edicts()?, self.setting.clock.now());
        if whole
            .get(id, now)
            .is_some_and(|edict| !allows_edict(screen, edict))
        {
            let unseen = self.readable_edicts()?.find(id, now).map(|_| ());
            return unseen.map_err(Error::from);
        }
        let hidden = |entry: &&HistoryEntry| entry.id == id && !allows_entry(screen, entry);
        if whole.history.iter().any(|entry| hidden(&entry)) {
            let not_found = ken_edicts::Error::NotFound {
                what: "history entry",
                id: id.to_owned(),
                remedy: "see them with `ken edict history`".to_owned(),
            };
            return Err(not_found.into());
        }
        Ok(())
    }

    /// Refuses a key that something has that the caller may not see.
    pub(super) fn refuse_taken(&self, key: Option<&str>) -> Result<(), Error> {
        let Some(key) = key else { return Ok(()) };
        let library = self.library();
        let screen = library.screen();
        if screen.hides_nothing() {
            return Ok(());
        }
        let holds = |edict: &&Edict| edict.id == *key || edict.key.as_deref() == Some(key);
        let whole = self.whole_edicts()?;
        let mut holders = whole.edicts.iter().filter(holds);
        if holders.any(|edict| !allows_edict(screen, edict)) {
            return Err(Error::Hidden);
        }
        Ok(())
    }

    fn new_edict(&self, fields: FactFields) -> Result<NewEdict, Error> {
        let agent = self.setting.agent.as_ref().map(ToString::to_string);
        let patch = fields.patch()?;
        Ok(NewEdict {
            text: patch.text.unwrap_or_default(),
            category: patch.category.unwrap_or_default(),
            tags: patch.tags,
            confidence: patch.confidence,
            source: patch.source.or(agent),
            key: patch.key,
            ttl: patch.ttl,
            expires_at: patch.expires_at,
            expires_in: patch.expires_in,
        })
    }
}

impl FactFields {
    pub(super) fn patch(self) -> Result<Patch, Error> {
        fn read<T: std::str::FromStr<Err = String>>(given: Option<String>) -> Result<Option<T>, Error> {
            let read = given.map(|given| given.parse()).transpose();
            read.map_err(|why| ken_edicts::Error::Validation(why).into())
        }
        Ok(Patch {
            text: self.text,
            category: self.category,
            tags: self.tags,
            confidence: read::<Confidence>(self.confidence)?,
            source: self.source,
            key: self.key,
            ttl: read::<Ttl>(self.ttl)?,
            expires_at: self.expires_at,
            expires_in: self.expires_in,
            no_expiry: self.no_expiry,
        })
    }
}

fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Created => "added",
        Outcome::Superseded => "superseded",
        Outcome::Confirmed => "confirmed",
        Outcome::Updated => "updated",
        Outcome::Unchanged => "unchanged",
        Outcome::Removed => "removed",
        Outcome::Restored => "restored",
    }
}
