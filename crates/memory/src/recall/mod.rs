//! Recall: one question to everything that is remembered.

mod asked;
mod candidate;
mod collect;
mod events;
mod hit;
mod plan;
mod rank;
mod request;
mod rows;
mod search;
mod shelf;
mod succession;
#[cfg(test)]
mod tests;

pub use hit::{Factors, Hit, Recall};
pub use request::{DEFAULT_K, Kind, MAX_K, Rank, RecallRequest};

use plan::Plan;

use crate::Memory;
use crate::shown::shown_whole;

impl Memory {
    /// Answers a question out of everything that is remembered: this project's events, lessons and edicts, and the
    /// library, as far as the caller may see. No query is an error, and an empty one finds nothing.
    pub fn recall(&self, request: &RecallRequest) -> Recall {
        let mut plan = Plan::read(request, &self.setting.clock);
        let mut notes = std::mem::take(&mut plan.notes);
        let (hits, more) = if plan.is_empty() {
            (Vec::new(), false)
        } else {
            self.search(&plan, request, &mut notes)
        };
        shown_whole(Recall {
            query: request.query.clone(),
            hits,
            more,
            notes,
        })
    }
}
