use jiff::Timestamp;
use jiff::civil::Date;
use jiff::fmt::temporal::Pieces;
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
pub enum ClockError {
    /// It has no form of a time.
    #[error("`{value}` is not a time; write RFC 3339 such as 2026-01-31T12:00:00Z, or seconds since 1970")]
    NotATime {
        /// What was given.
        value: String,
    },
    /// It is a time of a year that RFC 3339 cannot write, or of the last hours of the last one that it can.
    #[error("`{value}` is out of range; write a time from {earliest} to {latest}", earliest = earliest(), latest = latest())]
    OutOfRange {
        /// What was given.
        value: String,
    },
}

/// The first instant of year 0, the earliest that RFC 3339 can write.
fn earliest() -> Timestamp {
    Timestamp::constant(-62_167_219_200, 0)
}

/// The last whole second that has a local time in every time zone.
fn latest() -> Timestamp {
    Timestamp::constant(Timestamp::MAX.as_second(), 0)
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

    /// Reads what `KEN_NOW` may hold: RFC 3339, or whole or fractional seconds since 1970 (to the millisecond).
    ///
    /// # Errors
    /// [`ClockError::OutOfRange`] for a time before the year 0 or in the last hours of 9999 and later,
    /// [`ClockError::NotATime`] for anything else, a date without a time or a time without an offset included.
    pub fn parse_pin(value: &str) -> Result<Timestamp, ClockError> {
        let value = value.trim();
        let at = match value.parse::<Timestamp>() {
            Ok(at) => Some(at),
            Err(_) if is_whole_time(value) => None,
            Err(_) => match value.parse::<f64>() {
                Ok(seconds) if seconds.is_finite() => {
                    Timestamp::from_millisecond((seconds * 1000.0).round() as i64).ok()
                }
                _ => {
                    return Err(ClockError::NotATime {
                        value: value.to_owned(),
                    });
                }
            },
        };
        at.filter(|at| *at >= earliest())
            .ok_or_else(|| ClockError::OutOfRange {
                value: value.to_owned(),
            })
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

/// Whether a text has date, time and offset, so that nothing but its size keeps it from being an instant.
fn is_whole_time(value: &str) -> bool {
    let pieces = Pieces::parse(value);
    pieces.is_ok_and(|pieces| pieces.time().is_some() && pieces.offset().is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pin_is_rfc_3339_or_seconds() {
        for (value, at) in [
            ("2026-01-31T12:00:00Z", "2026-01-31T12:00:00Z"),
            (" 2026-01-31T12:00:00.25Z\n", "2026-01-31T12:00:00.25Z"),
            ("2026-01-31T12:00:00+05:30", "2026-01-31T06:30:00Z"),
            ("2026-01-31 12:00:00-01", "2026-01-31T13:00:00Z"),
            ("0", "1970-01-01T00:00:00Z"),
            ("1769860800", "2026-01-31T12:00:00Z"),
            ("1769860800.125", "2026-01-31T12:00:00.125Z"),
            ("-1.5", "1969-12-31T23:59:58.5Z"),
            ("0000-01-01T00:00:00Z", "0000-01-01T00:00:00Z"),
            ("9999-12-30T22:00:00Z", "9999-12-30T22:00:00Z"),
            ("-62167219200", "0000-01-01T00:00:00Z"),
        ] {
            assert_eq!(Clock::parse_pin(value).unwrap().to_string(), at, "{value}");
        }
    }

    #[test]
    fn rubbish_is_refused_with_what_to_write() {
        for value in [
            "",
            " ",
            "now",
            "2026-01-31",
            "2026-01-31T12:00:00",
            "2026-02-30T12:00:00Z",
            "2026-01-31T25:00:00Z",
            "12:00",
            "1769860800s",
            "0x10",
            "nan",
            "inf",
            "-infinity",
        ] {
            let refused = Clock::parse_pin(value).unwrap_err();
            assert!(matches!(refused, ClockError::NotATime { .. }), "{refused}");
        }
        insta::assert_snapshot!(
            Clock::parse_pin(" tomorrow ").unwrap_err(),
            @"`tomorrow` is not a time; write RFC 3339 such as 2026-01-31T12:00:00Z, or seconds since 1970"
        );
    }

    #[test]
    fn what_rfc_3339_or_some_zone_could_not_write_is_refused_with_the_range() {
        for value in [
            "-000001-12-31T23:59:59Z",
            "-009999-01-02T02:00:00Z",
            "0000-01-01T00:00:00+01:00",
            "9999-12-30T22:00:01Z",
            "9999-12-31T23:59:59Z",
            "9999-12-31T23:59:59-05:00",
            "-62167219200.001",
            "253402207201",
            "999999999999999",
            "1e300",
            "-1e300",
        ] {
            let refused = Clock::parse_pin(value).unwrap_err();
            assert!(
                matches!(refused, ClockError::OutOfRange { .. }),
                "{value}: {refused}"
            );
        }
        insta::assert_snapshot!(
            Clock::parse_pin("-000044-03-15T12:00:00Z").unwrap_err(),
            @"`-000044-03-15T12:00:00Z` is out of range; write a time from 0000-01-01T00:00:00Z to 9999-12-30T22:00:00Z"
        );
    }

    #[test]
    fn a_pinned_clock_stands_and_days_are_local() {
        let at = Clock::parse_pin("2026-01-31T23:30:00Z").unwrap();
        let east = Clock::pinned(at, TimeZone::fixed(jiff::tz::offset(1)));
        assert_eq!(east.now(), at);
        assert_eq!(east.now(), at);
        assert_eq!(east.today().to_string(), "2026-02-01");
        let west = Clock::pinned(at, TimeZone::fixed(jiff::tz::offset(-8)));
        assert_eq!(west.today().to_string(), "2026-01-31");
        assert_eq!(west.local_date(Timestamp::UNIX_EPOCH).to_string(), "1969-12-31");
        assert_eq!(west.zone().to_fixed_offset().unwrap(), jiff::tz::offset(-8));
    }

    #[test]
    fn the_systems_clock_goes_on() {
        let clock = Clock::system(TimeZone::UTC);
        let before = Timestamp::now();
        let now = clock.now();
        assert!(before <= now && now <= Timestamp::now());
        assert!(now > Clock::parse_pin("2024-01-01T00:00:00Z").unwrap());
    }
}
