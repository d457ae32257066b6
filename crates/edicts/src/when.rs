//! Durations and dates as people write them.

use std::cell::RefCell;
use std::collections::BTreeSet;

use jiff::civil::Date;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp, ToSpan};
use serde::Serializer;

use crate::kept::{kept_choice, kept_fields};

/// No expiry lies further ahead than this: a hundred years.
const LONGEST: u64 = 36_525 * 86_400;

/// Reads a duration: a number of seconds, or numbers with `s`, `m`, `h`, `d`, `w` (`30m`, `7d`, `1d12h`), each unit
/// at most once. More than nothing and at most a hundred years; the error is a sentence with its remedy.
pub fn parse_duration(text: &str) -> Result<SignedDuration, String> {
    let refused = |why: &str| {
        Err(format!(
            "`{}` is not a duration: {why}; write seconds, or 30m, 2h, 7d, 4w, 1d12h",
            text.trim()
        ))
    };
    let written = text.trim();
    if written.is_empty() {
        return refused("it is empty");
    }
    if !written.bytes().all(|b| b.is_ascii_alphanumeric() || b == b' ') {
        return refused("only digits and the units s, m, h, d, w can stand in it");
    }
    let mut seconds: u64 = 0;
    let mut used = Vec::new();
    let mut digits = String::new();
    for c in written.chars().filter(|c| *c != ' ') {
        if c.is_ascii_digit() {
            digits.push(c);
            continue;
        }
        let unit: u64 = match c {
            's' => 1,
            'm' => 60,
            'h' => 3_600,
            'd' => 86_400,
            'w' => 604_800,
            _ => return refused(&format!("`{c}` is not one of its units")),
        };
        if digits.is_empty() {
            return refused(&format!("no number stands before `{c}`"));
        }
        if used.contains(&unit) {
            return refused(&format!("`{c}` stands in it twice"));
        }
        used.push(unit);
        let Some(sum) = digits
            .parse::<u64>()
            .ok()
            .and_then(|n| n.checked_mul(unit))
            .and_then(|n| n.checked_add(seconds))
        else {
            return refused("it is longer than a hundred years");
        };
        seconds = sum;
        digits.clear();
    }
    if !digits.is_empty() {
        if !used.is_empty() {
            return refused("its last number has no unit");
        }
        let Ok(number) = digits.parse() else {
            return refused("it is longer than a hundred years");
        };
        seconds = number;
    }
    match seconds {
        0 => refused("it is zero"),
        1..=LONGEST => Ok(SignedDuration::from_secs(seconds as i64)),
        _ => refused("it is longer than a hundred years"),
    }
}

/// Which instant of a day is meant by a date without a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Edge {
    /// Its first: when something was made.
    Start,
    /// Its last millisecond: until when something holds.
    End,
}

/// Reads an RFC 3339 time with offset, or a date, which is a day of the given zone.
pub(crate) fn parse_instant(text: &str, zone: &TimeZone, edge: Edge) -> Result<Timestamp, String> {
    let written = text.trim();
    let refused = |why: &str| {
        Err(format!(
            "`{written}` is not a time: {why}; write 2026-01-31 or 2026-01-31T12:00:00Z"
        ))
    };
    if is_date(written) {
        let Ok(date) = written.parse::<Date>() else {
            return refused("there is no such day");
        };
        let instant = match edge {
            Edge::Start => date.to_zoned_datetime(zone.clone()).map(|day| day.timestamp()),
            Edge::End => date
                .tomorrow()
                .and_then(|next| next.to_zoned_datetime(zone.clone()))
                .and_then(|next| next.timestamp().checked_sub(1.millisecond())),
        };
        return instant.or_else(|_| refused("it is outside the calendar"));
    }
    if let Ok(instant) = written.parse::<Timestamp>() {
        // Files keep milliseconds; a finer instant would come back changed.
        return Timestamp::from_millisecond(instant.as_millisecond())
            .or_else(|_| refused("it is outside the calendar"));
    }
    if written.parse::<jiff::civil::DateTime>().is_ok() && written.len() > 10 {
        return refused("it has no offset such as Z or +02:00");
    }
    refused("it is neither a date nor RFC 3339")
}

/// A date without a time, and the instant that it was taken for in the zone of the one who read it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Day {
    date: String,
    edge: Edge,
    instant: Option<Timestamp>,
}

kept_choice!(Edge { Start, End });
kept_fields!(Day { date, edge, instant });

impl Day {
    /// Whether it is the same instant in this zone.
    pub(crate) fn is_same_in(&self, zone: &TimeZone) -> bool {
        parse_instant(&self.date, zone, self.edge).ok() == self.instant
    }
}

/// The zone in which a file is read, and the days that were looked up in it.
pub(crate) struct Calendar<'c> {
    zone: &'c TimeZone,
    days: RefCell<BTreeSet<Day>>,
}

impl<'c> Calendar<'c> {
    pub(crate) fn new(zone: &'c TimeZone) -> Calendar<'c> {
        Calendar {
            zone,
            days: RefCell::default(),
        }
    }

    /// As [`parse_instant`], in this zone.
    pub(crate) fn instant(&self, text: &str, edge: Edge) -> Result<Timestamp, String> {
        let read = parse_instant(text, self.zone, edge);
        let date = text.trim();
        if is_date(date) {
            self.days.borrow_mut().insert(Day {
                date: date.to_owned(),
                edge,
                instant: read.as_ref().ok().copied(),
            });
        }
        read
    }

    /// The days that were looked up.
    pub(crate) fn into_days(self) -> BTreeSet<Day> {
        self.days.into_inner()
    }
}

fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 10
        && bytes.iter().enumerate().all(|(at, b)| {
            if at == 4 || at == 7 {
                *b == b'-'
            } else {
                b.is_ascii_digit()
            }
        })
}

/// The form in which times are written: UTC with milliseconds, as in the contract's example.
pub(crate) fn written(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S.%3fZ").to_string()
}

/// [`written`] for serde.
pub(crate) fn serialize<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&written(*at))
}

/// [`written`] for serde and times that may be absent.
pub(crate) fn serialize_some<S: Serializer>(
    at: &Option<Timestamp>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match at {
        Some(at) => serialize(at, serializer),
        None => serializer.serialize_none(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_of_the_rulings() {
        for (given, wanted) in [
            ("30m", 1_800),
            (" 2h ", 7_200),
            ("7d", 604_800),
            ("86400", 86_400),
            ("4w", 2_419_200),
            ("1d12h", 129_600),
            ("90s", 90),
        ] {
            assert_eq!(
                parse_duration(given),
                Ok(SignedDuration::from_secs(wanted)),
                "{given}"
            );
        }
        for refused in [
            "5y",
            "banana",
            "-1",
            "",
            "  ",
            "99999999999d",
            "99999999999999999999",
            "0",
            "1d1d",
            "12h5",
            "1.5h",
            "h",
            "1\u{0663}m",
        ] {
            assert!(parse_duration(refused).is_err(), "{refused}");
        }
    }

    #[test]
    fn a_date_is_a_day_of_the_zone() {
        let zone = TimeZone::get("Europe/Berlin").unwrap();
        let at = |text, edge| parse_instant(text, &zone, edge).map(written);
        assert_eq!(at("2026-01-31", Edge::End).unwrap(), "2026-01-31T22:59:59.999Z");
        assert_eq!(at("2026-01-31", Edge::Start).unwrap(), "2026-01-30T23:00:00.000Z");
        // The day on which summer time begins has 23 hours.
        assert_eq!(at("2026-03-29", Edge::End).unwrap(), "2026-03-29T21:59:59.999Z");
        assert_eq!(
            at("2026-01-31T12:00:00+02:00", Edge::End).unwrap(),
            "2026-01-31T10:00:00.000Z"
        );
        for refused in [
            "2026-02-30",
            "2026-01-31T12:00:00",
            "tomorrow",
            "",
            "9999-12-31",
            "20260131",
        ] {
            assert!(at(refused, Edge::End).is_err(), "{refused}");
        }
        assert!(
            at("2026-01-31T12:00", Edge::End)
                .unwrap_err()
                .contains("no offset")
        );
    }
}
