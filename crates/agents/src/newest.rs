//! Which sessions of a history are the newest: what a first pass over it finds, that reads names and times only.
//!
//! A history may name any number of sessions. Cleaning what was asked in all of them would take minutes, and nearly all
//! of it would be thrown away again.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use jiff::Timestamp;

/// So many sessions are held, and prompts of sessions; the oldest go.
const MAX_SESSIONS: usize = 2_000;
const MAX_PROMPTS: u64 = 200_000;

/// The sessions named so far, in bounded memory.
#[derive(Debug, Default)]
pub(crate) struct Newest {
    sessions: HashMap<String, Seen>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Seen {
    last: Option<Timestamp>,
    prompts: u64,
}

impl Newest {
    /// A prompt of this session, at a time that may be unknown.
    pub(crate) fn prompt(&mut self, session: &str, at: Option<Timestamp>) {
        let seen = match self.sessions.get_mut(session) {
            Some(seen) => seen,
            None => self.sessions.entry(session.to_owned()).or_default(),
        };
        seen.last = seen.last.max(at);
        seen.prompts += 1;
        // One that goes too early comes back with its later time: only what is older than all that stay is lost.
        if self.sessions.len() > 2 * MAX_SESSIONS {
            let newest = self.in_order();
            let gone: Vec<String> = newest[MAX_SESSIONS..]
                .iter()
                .map(|(_, id, _)| (*id).to_owned())
                .collect();
            for id in gone {
                self.sessions.remove(&id);
            }
        }
    }

    /// The newest of them, whose prompts are to be taken in: at least one, if there is one.
    pub(crate) fn sessions(self) -> HashSet<String> {
        let mut prompts = 0;
        self.in_order()
            .into_iter()
            .take(MAX_SESSIONS)
            .take_while(|(_, _, more)| {
                let first = prompts == 0;
                prompts += more;
                first || prompts <= MAX_PROMPTS
            })
            .map(|(_, id, _)| id.to_owned())
            .collect()
    }

    /// From the newest to the oldest; those of one instant by their names.
    fn in_order(&self) -> Vec<(Reverse<Option<Timestamp>>, &str, u64)> {
        let mut order: Vec<_> = self
            .sessions
            .iter()
            .map(|(id, seen)| (Reverse(seen.last), id.as_str(), seen.prompts))
            .collect();
        order.sort_unstable_by(|a, b| (a.0, Reverse(a.1)).cmp(&(b.0, Reverse(b.1))));
        order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn second(at: i64) -> Option<Timestamp> {
        Timestamp::from_second(at).ok()
    }

    #[test]
    fn a_session_that_goes_on_is_as_new_as_its_last_prompt() {
        let mut newest = Newest::default();
        newest.prompt("again", second(1));
        newest.prompt("never", second(2));
        newest.prompt("unknown", None);
        for n in 0..3 * MAX_SESSIONS as i64 {
            newest.prompt(&format!("s{n}"), second(10 + n));
        }
        newest.prompt("again", second(1_000_000));
        let kept = newest.sessions();
        assert_eq!(kept.len(), MAX_SESSIONS);
        assert!(kept.contains("again") && !kept.contains("never") && !kept.contains("unknown"));
        assert!(kept.contains("s5999") && kept.contains("s4001") && !kept.contains("s4000"));
    }

    #[test]
    fn of_prompts_without_end_the_newest_sessions_are_taken() {
        let mut newest = Newest::default();
        for _ in 0..MAX_PROMPTS {
            newest.prompt("endless", second(2));
        }
        newest.prompt("older", second(1));
        assert_eq!(newest.sessions(), HashSet::from(["endless".to_owned()]));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]
        #[test]
        fn the_order_of_the_lines_does_not_matter(times in prop::collection::vec((0..9_000u32, 0..100i64), 4_500..6_000)) {
            let of = |lines: &mut dyn Iterator<Item = &(u32, i64)>| {
                let mut newest = Newest::default();
                lines.for_each(|(id, at)| newest.prompt(&id.to_string(), second(*at)));
                newest.sessions()
            };
            prop_assert_eq!(of(&mut times.iter()), of(&mut times.iter().rev()));
        }
    }
}
