//! Sessions that are not complete yet: a helper's rollout, or one that goes on with a session, may still come.

use std::collections::{BTreeMap, VecDeque};

use super::rollout::Rollout;
use crate::harvest::Session;

/// Sessions held. Rollouts are read in the order in which they began, and what belongs together began together: the
/// one that is held longest is complete when there are more.
const MAX_HELD: usize = 1_000;

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    held: BTreeMap<String, Session>,
    order: VecDeque<String>,
    /// Helpers whose sessions have not been met, by their ids.
    strays: VecDeque<Rollout>,
}

impl Sessions {
    /// Takes a session in. Answers one that is complete, when there are too many.
    pub(crate) fn add(&mut self, told: Rollout) -> Option<Session> {
        match self.held.get_mut(&told.id) {
            Some(earlier) => earlier.goes_on(told.session),
            None => {
                self.order.push_back(told.id.clone());
                self.held.insert(told.id, told.session);
            }
        }
        (self.order.len() > MAX_HELD).then(|| self.oldest()).flatten()
    }

    /// Forgets a session: a rollout that goes on with it says that it is not to be told.
    pub(crate) fn forget(&mut self, id: &str) {
        self.held.remove(id);
        self.order.retain(|other| other != id);
    }

    /// Takes a helper in. What it did belongs to the session that sent it out; when that is gone, it is told by itself.
    pub(crate) fn add_helper(&mut self, told: Rollout) -> Option<Session> {
        match told.parent.as_ref().and_then(|parent| self.held.get_mut(parent)) {
            Some(parent) => parent.absorb(told.session),
            None => self.strays.push_back(told),
        }
        (self.strays.len() > MAX_HELD)
            .then(|| self.strays.pop_front())
            .flatten()
            .map(|stray| stray.session)
    }

    /// All that are left.
    pub(crate) fn rest(mut self) -> Vec<Session> {
        let mut rest = Vec::new();
        for stray in std::mem::take(&mut self.strays) {
            match stray.parent.as_ref().and_then(|parent| self.held.get_mut(parent)) {
                Some(parent) => parent.absorb(stray.session),
                None => rest.push(stray.session),
            }
        }
        rest.extend(self.held.into_values());
        rest
    }

    fn oldest(&mut self) -> Option<Session> {
        self.order.pop_front().and_then(|id| self.held.remove(&id))
    }
}
