use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;

/// The time, as an argument: a pinned instant in tests, the system's clock in the program.
///
/// It carries the person's time zone too, because "the end of that day" and "a session's day" are local.
#[derive(Debug, Clone)]
pub struct Clock {
    pinned: Option<Timestamp>,
    zone: TimeZone,
}

/// A pinned time that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{value}` is not a time; write RFC 3339 such as 2026-01-31T12:00:00Z, or seconds since 1970")]
pub struct ClockError {
    /// What was given.
    pub value: String,
}

impl Clock {
    /// The system's clock in the given zone.
    pub fn system(zone: TimeZone) -> Self {
        Clock { pinned: None, zone }
    }

    /// A clock that always shows `at`.
    pub fn pinned(at: Timestamp, zone: TimeZone) -> Self {
        Clock {
            pinned: Some(at),
            zone,
        }
    }

    /// Reads what `KEN_NOW` may hold: RFC 3339, or whole or fractional seconds since 1970.
    pub fn parse_pin(value: &str) -> Result<Timestamp, ClockError> {
        let value = value.trim();
        let refused = || ClockError {
            value: value.to_owned(),
        };
        if let Ok(at) = value.parse::<Timestamp>() {
            return Ok(at);
        }
        let seconds: f64 = value.parse().map_err(|_| refused())?;
        if !seconds.is_finite() {
            return Err(refused());
        }
        Timestamp::from_millisecond((seconds * 1000.0).round() as i64).map_err(|_| refused())
    }

    /// The present instant.
    pub fn now(&self) -> Timestamp {
        self.pinned.unwrap_or_else(Timestamp::now)
    }

    /// The person's time zone.
    pub fn zone(&self) -> &TimeZone {
        &self.zone
    }

    /// The present local date.
    pub fn today(&self) -> Date {
        self.local_date(self.now())
    }

    /// The local date of an instant.
    pub fn local_date(&self, at: Timestamp) -> Date {
        self.zone.to_datetime(at).date()
    }
}
