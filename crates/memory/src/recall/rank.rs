use jiff::Timestamp;

use super::Factors;

/// What is known of a document besides its words, as far as it moves the score.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Priors {
    /// An event's pain and importance.
    pub(crate) weight: Option<(f64, f64)>,
    /// How often an event's pattern came back.
    pub(crate) recurrence: Option<u64>,
    /// Whose words an event's are.
    pub(crate) origin: Option<Voice>,
    /// How sure an edict is.
    pub(crate) confidence: Option<Sureness>,
    /// Whether age counts. A fact in force does not fade.
    pub(crate) fades: bool,
}

/// Whose words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Voice {
    /// A person's own.
    Person,
    /// An agent's, and what does not say.
    Agent,
    /// Out of a tool's result.
    Tool,
}

/// How sure an edict is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Sureness {
    /// Checked.
    Verified,
    /// A person said so.
    Said,
    /// An agent concluded it.
    Inferred,
}

/// After this many days a document has lost about two thirds of what recency gives.
const FADING_DAYS: f64 = 90.0;
const RECENCY_FLOOR: f64 = 0.9;
const SECONDS_A_DAY: f64 = 86_400.0;

/// The factors of a document's score under relevance.
///
/// Each prior is bounded, so that it reorders near-equals and never buries a match. The widest, pain and importance,
/// is 1.5 between 1/1 and 9/9: enough to lift the latter over a BM25 that is 1.4 times higher.
pub(crate) fn relevance(bm25: f64, priors: &Priors, when: Option<Timestamp>, now: Timestamp) -> Factors {
    Factors {
        bm25,
        weight: priors
            .weight
            .map(|(pain, importance)| 0.75 + 0.05 * (pain * importance).max(0.0).sqrt()),
        recurrence: priors
            .recurrence
            .map(|times| (1.0 + 0.05 * (times as f64).ln_1p()).min(1.15)),
        origin: priors.origin.map(|voice| match voice {
            Voice::Person => 1.3,
            Voice::Agent => 1.0,
            Voice::Tool => 0.9,
        }),
        confidence: priors.confidence.map(|sureness| match sureness {
            Sureness::Verified => 1.2,
            Sureness::Said => 1.15,
            Sureness::Inferred => 1.0,
        }),
        recency: priors.fades.then(|| recency(when, now)),
        ..Factors::default()
    }
}

/// The most that the priors of any document come to.
pub(crate) const MOST: f64 = 1.25 * 1.15 * 1.3 * 1.2;

fn recency(when: Option<Timestamp>, now: Timestamp) -> f64 {
    let Some(when) = when else { return RECENCY_FLOOR };
    let days = (now.duration_since(when).as_secs_f64() / SECONDS_A_DAY).max(0.0);
    RECENCY_FLOOR + (1.0 - RECENCY_FLOOR) * (-days / FADING_DAYS).exp()
}

impl Factors {
    /// The score: the product of everything that is set.
    pub(crate) fn product(&self) -> f64 {
        [
            self.weight,
            self.recurrence,
            self.origin,
            self.confidence,
            self.recency,
            self.salience,
            self.superseded,
        ]
        .into_iter()
        .flatten()
        .fold(self.bm25, |score, factor| score * factor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn now() -> Timestamp {
        "2026-11-30T00:00:00Z".parse().unwrap()
    }

    fn event(pain: f64, importance: f64) -> Priors {
        Priors {
            weight: Some((pain, importance)),
            recurrence: Some(0),
            origin: Some(Voice::Agent),
            confidence: None,
            fades: true,
        }
    }

    #[test]
    fn nine_nine_beats_one_one_with_bm25_1_4_times_higher() {
        let heavy = relevance(1.0, &event(9.0, 9.0), Some(now()), now()).product();
        let light = relevance(1.4, &event(1.0, 1.0), Some(now()), now()).product();
        assert!(heavy > light, "{heavy} {light}");
        let middle = relevance(1.0, &event(5.0, 5.0), Some(now()), now());
        assert_eq!(middle.weight, Some(1.0));
    }

    #[test]
    fn what_is_two_months_old_is_not_buried() {
        let old = now() - jiff::SignedDuration::from_hours(24 * 60);
        let old = relevance(1.1, &event(5.0, 5.0), Some(old), now()).product();
        let fresh = relevance(1.0, &event(5.0, 5.0), Some(now()), now()).product();
        assert!(old > fresh);
    }

    proptest! {
        #[test]
        fn priors_are_bounded_and_monotone(
            pain in 0.0..=10.0f64, importance in 0.0..=10.0f64, recurrence in 0u64..1_000_000, days in -10i64..40_000,
        ) {
            let when = now().checked_sub(jiff::SignedDuration::from_hours(24 * days)).ok();
            let priors = Priors { recurrence: Some(recurrence), ..event(pain, importance) };
            let score = relevance(1.0, &priors, when, now()).product();
            prop_assert!((0.75 * 0.9..=1.25 * 1.15).contains(&score) && score <= MOST);
            let more = Priors { weight: Some(((pain + 1.0).min(10.0), importance)), recurrence: Some(recurrence + 1), ..priors };
            prop_assert!(relevance(1.0, &more, when, now()).product() >= score);
        }
    }
}
