//! The library as one caller may see it, each kind of row filtered when somebody asks for it.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock};

use crate::cache::Lost;
use crate::filter::{AgentCard, Filtered, Visible};
use crate::forbidden::ForbiddenNames;
use crate::level::{AccessLevel, Caller};
use crate::load::{Bytes, load};
use crate::model::{Entity, Note, Session, Workstream};
use crate::named::Judged;
use crate::parallel::in_parallel;
use crate::questions::Things;
use crate::snapshot::{Id, Snapshot};
use crate::words::Words;
use crate::{AgentId, Library, Loaded};

/// The library as one caller may see it. It owns what it needs and can be kept.
///
/// Nothing is decoded until it is asked for. When a manifest has changed by then, so that what was loaded cannot be read
/// any more, the view goes on with the library as it is then: every answer is of one moment.
pub struct View {
    caller: Caller,
    library: Option<Library>,
    first: Moment,
}

/// The library as it was at one moment.
pub(crate) struct Moment {
    /// How many there were before it.
    pub(crate) number: u32,
    pub(crate) snapshot: Arc<Snapshot>,
    pub(crate) forbidden: ForbiddenNames,
    pub(crate) judged: Mutex<HashMap<Id, Judged>>,
    agents: OnceLock<Vec<Visible<AgentCard>>>,
    entities: OnceLock<Vec<Visible<Entity>>>,
    sessions: OnceLock<Vec<Visible<Session>>>,
    workstreams: OnceLock<Vec<Visible<Workstream>>>,
    notes: OnceLock<Vec<Visible<Note>>>,
    things: OnceLock<Things>,
    words: OnceLock<Words>,
    next: OnceLock<Box<Moment>>,
}

/// After so many moments what changed meanwhile is left out: somebody writes faster than can be read.
const MOMENTS: u32 = 8;

impl fmt::Debug for View {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View")
            .field("caller", &self.caller)
            .field("agents", &self.agents())
            .field("entities", &self.entities())
            .field("sessions", &self.sessions())
            .field("workstreams", &self.workstreams())
            .field("notes", &self.notes())
            .finish_non_exhaustive()
    }
}

impl Loaded {
    /// Everything that this caller may see. Every read that leaves the library goes through here.
    pub fn view(&self, caller: &Caller) -> View {
        View {
            caller: caller.clone(),
            library: self.library.clone(),
            first: Moment::of(0, Arc::clone(&self.snapshot), caller),
        }
    }
}

impl Moment {
    fn of(number: u32, snapshot: Arc<Snapshot>, caller: &Caller) -> Moment {
        Moment {
            number,
            forbidden: ForbiddenNames::of(&snapshot, caller),
            snapshot,
            judged: Mutex::default(),
            agents: OnceLock::new(),
            entities: OnceLock::new(),
            sessions: OnceLock::new(),
            workstreams: OnceLock::new(),
            notes: OnceLock::new(),
            things: OnceLock::new(),
            words: OnceLock::new(),
            next: OnceLock::new(),
        }
    }

    /// The rows of a kind; of a manifest that changed, `lost` says what.
    fn filter<T: Filtered + Send>(
        &self,
        caller: &Caller,
        lost: impl Fn() -> Result<Vec<Visible<T>>, Lost> + Sync,
    ) -> Result<Vec<Visible<T>>, Lost> {
        let manifests: Vec<usize> = (0..self.snapshot.manifests.len()).collect();
        let filtered = in_parallel(&manifests, |at| {
            let shelved = &self.snapshot.manifests[*at];
            let rows = self
                .snapshot
                .ask(*at, |cache| T::filtered(shelved, cache, caller, &self.forbidden));
            rows.or_else(|_| lost())
        });
        let mut all = Vec::new();
        for rows in filtered {
            all.append(&mut rows?);
        }
        Ok(all)
    }

    /// The agents, without asking any manifest; `None` when the index does not say.
    fn agents_by_index(&self, caller: &Caller) -> Option<Vec<Visible<AgentCard>>> {
        let cards = self.snapshot.cards()?.into_iter();
        let agent = |(manifest, card): (usize, _)| {
            let agent = &self.snapshot.manifests[manifest].agent;
            crate::filter::agent(agent, card, caller, &self.forbidden)
        };
        Some(cards.filter_map(agent).collect())
    }

    /// The words of its rows.
    pub(crate) fn words(&self, caller: &Caller) -> Result<&Words, Lost> {
        if let Some(words) = self.words.get() {
            return Ok(words);
        }
        let words = Words::of(&self.snapshot, caller)?;
        Ok(self.words.get_or_init(|| words))
    }

    /// No words: for a library that changes faster than it can be read.
    pub(crate) fn no_words(&self) -> &Words {
        self.words.get_or_init(Words::default)
    }

    fn things(&self) -> Option<&Things> {
        let (entities, workstreams) = (self.entities.get()?, self.workstreams.get()?);
        Some(self.things.get_or_init(|| Things::of(entities, workstreams)))
    }
}

impl View {
    /// Who asked.
    pub fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Names that must not be shown to this caller in anything else either: events, lessons, edicts.
    pub fn forbidden(&self) -> &ForbiddenNames {
        &self.newest().forbidden
    }

    /// The agents, by id. Empty below level team.
    pub fn agents(&self) -> &[Visible<AgentCard>] {
        let moment = self.newest();
        if let Some(agents) = moment.agents.get() {
            return agents;
        }
        match moment.agents_by_index(&self.caller) {
            Some(agents) => moment.agents.get_or_init(|| agents),
            None => self.rows(|moment| &moment.agents).1,
        }
    }

    /// The entities, by agent, in each manifest's order.
    pub fn entities(&self) -> &[Visible<Entity>] {
        self.rows(|moment| &moment.entities).1
    }

    /// The sessions, by agent, in each manifest's order.
    pub fn sessions(&self) -> &[Visible<Session>] {
        self.rows(|moment| &moment.sessions).1
    }

    /// The workstreams, by agent, in each manifest's order.
    pub fn workstreams(&self) -> &[Visible<Workstream>] {
        self.rows(|moment| &moment.workstreams).1
    }

    /// The notes, by agent, in each manifest's order.
    pub fn notes(&self) -> &[Visible<Note>] {
        self.rows(|moment| &moment.notes).1
    }

    /// Whether the caller sees anything of this agent.
    pub fn knows(&self, agent: &AgentId) -> bool {
        fn any<T>(rows: &[Visible<T>], agent: &AgentId) -> bool {
            rows.iter().any(|row| row.agent() == agent)
        }
        if self.caller.level() >= AccessLevel::Team {
            // Then the agent itself can be seen.
            let manifests = &self.newest().snapshot.manifests;
            return manifests.iter().any(|shelved| *shelved.agent == *agent);
        }
        any(self.entities(), agent)
            || any(self.sessions(), agent)
            || any(self.workstreams(), agent)
            || any(self.notes(), agent)
    }

    /// The things that entities and workstreams speak of, with the rows that they are made of.
    pub(crate) fn things(&self) -> (&Things, &[Visible<Entity>], &[Visible<Workstream>]) {
        loop {
            let (moment, entities) = self.rows(|moment| &moment.entities);
            let (_, workstreams) = self.rows(|moment| &moment.workstreams);
            // Unless a manifest changed between the two.
            if let Some(things) = moment.things()
                && let Some(workstreams) = moment.workstreams.get()
            {
                return (things, entities, workstreams);
            }
            let _ = workstreams;
        }
    }

    /// The library as it was last seen.
    pub(crate) fn newest(&self) -> &Moment {
        let mut moment = &self.first;
        while let Some(next) = moment.next.get() {
            moment = next;
        }
        moment
    }

    /// The library as it was at an earlier moment.
    pub(crate) fn moment(&self, number: u32) -> Option<&Moment> {
        let mut moment = &self.first;
        while moment.number < number {
            moment = moment.next.get()?;
        }
        Some(moment)
    }

    /// The library as it is now, because it is no longer what it was at `moment`; `None` when it cannot be loaded, or
    /// changes faster than it can be read.
    pub(crate) fn renew<'v>(&'v self, moment: &'v Moment) -> Option<&'v Moment> {
        if let Some(next) = moment.next.get() {
            return Some(next);
        }
        if moment.number + 1 >= MOMENTS {
            return None;
        }
        let (snapshot, _) = load(self.library.as_ref()?, Bytes::Held).ok()?;
        let next = || Box::new(Moment::of(moment.number + 1, Arc::new(snapshot), &self.caller));
        Some(moment.next.get_or_init(next))
    }

    fn rows<T: Filtered + Send>(
        &self,
        cell: impl Fn(&Moment) -> &OnceLock<Vec<Visible<T>>>,
    ) -> (&Moment, &[Visible<T>]) {
        let mut moment = self.newest();
        loop {
            if let Some(rows) = cell(moment).get() {
                return (moment, rows);
            }
            let rows = match moment.filter(&self.caller, || Err(Lost::Changed)) {
                Ok(rows) => rows,
                Err(_) => match self.renew(moment) {
                    Some(next) => {
                        moment = next;
                        continue;
                    }
                    None => moment.filter(&self.caller, || Ok(Vec::new())).unwrap_or_default(),
                },
            };
            return (moment, cell(moment).get_or_init(|| rows));
        }
    }
}

#[cfg(test)]
mod tests;
