use jiff::Timestamp;
use serde::Serialize;

use crate::Event;

/// The time in which salience falls to 1/e, in days (contract, section 3).
pub const DECAY_DAYS: f64 = 14.0;

/// Salience and its factors: `exp(-age_days/14) (pain/10) (importance/10) (1 + ln(1 + recurrence))`.
///
/// Computed when it is asked for, never stored.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Salience {
    /// Age in days, at least 0.
    pub age_days: f64,
    /// `exp(-age_days/14)`, 0 to 1.
    pub decay: f64,
    /// `pain/10`, 0 to 1.
    pub pain: f64,
    /// `importance/10`, 0 to 1.
    pub importance: f64,
    /// `1 + ln(1 + recurrence)`, at least 1.
    pub recurrence: f64,
    /// The product.
    pub value: f64,
}

impl Salience {
    /// From the formula's own arguments; an age below 0 counts as 0.
    pub fn new(age_days: f64, pain: f64, importance: f64, recurrence: u64) -> Salience {
        let age_days = age_days.max(0.0);
        let decay = (-age_days / DECAY_DAYS).exp();
        let (pain, importance) = (pain / 10.0, importance / 10.0);
        let recurrence = 1.0 + (recurrence as f64).ln_1p();
        Salience {
            age_days,
            decay,
            pain,
            importance,
            recurrence,
            value: decay * pain * importance * recurrence,
        }
    }

    /// Of an event as of `now`; a time in the future counts as now.
    pub fn of(event: &Event, now: Timestamp) -> Salience {
        Salience::at(
            event.timestamp,
            event.pain,
            event.importance,
            event.recurrence,
            now,
        )
    }

    /// As [`Salience::of`], of an event's fields.
    pub fn at(written: Timestamp, pain: f64, importance: f64, recurrence: u64, now: Timestamp) -> Salience {
        const NANOSECONDS_A_DAY: f64 = 86_400e9;
        let age = now.duration_since(written).as_nanos() as f64 / NANOSECONDS_A_DAY;
        Salience::new(age, pain, importance, recurrence)
    }

    /// The formula at age 0: what an event is worth when it is fresh. A dream cycle's promotion rests on it.
    pub fn strength(&self) -> f64 {
        self.pain * self.importance * self.recurrence
    }
}

/// An event's salience as of `now`, 0 or more. A time in the future counts as now. [`Salience::of`] has the factors.
pub fn salience(event: &Event, now: Timestamp) -> f64 {
    Salience::of(event, now).value
}

/// An event's salience at age 0.
pub fn strength(event: &Event) -> f64 {
    Salience::of(event, event.timestamp).strength()
}

/// The contract's `final_score = bm25 * salience`, which decides promotion and ranks when salience is asked for.
pub fn final_score(bm25: f64, event: &Event, now: Timestamp) -> f64 {
    bm25 * salience(event, now)
}
