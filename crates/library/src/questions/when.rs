//! Days and periods as people write them.

use jiff::ToSpan;
use jiff::civil::{Date, date};
use ken_files::Clock;

use crate::Error;
use crate::fields::day;

/// Reads the start of a window: a day (`2026-06-01`), or so many days or weeks before today (`14d`, `2w`), at the
/// earliest the first day of year 1.
pub fn since(text: &str, clock: &Clock) -> Result<Date, Error> {
    let refused = || Error::When {
        value: text.chars().take(80).collect(),
        what: "the start of a window",
        remedy: "a day such as 2026-01-31, or 14d or 2w for that long before today",
    };
    let text = text.trim();
    if let Some(day) = day(text) {
        return Ok(day);
    }
    let (number, days) = match (text.strip_suffix('d'), text.strip_suffix('w')) {
        (Some(number), _) => (number, 1),
        (_, Some(number)) => (number, 7),
        _ => return Err(refused()),
    };
    if number.is_empty() || !number.bytes().all(|b| b.is_ascii_digit()) {
        return Err(refused());
    }
    let days = number
        .parse::<i32>()
        .ok()
        .and_then(|number| number.checked_mul(days))
        .ok_or_else(refused)?;
    match clock.today().checked_sub(days.days()) {
        Ok(day) if day.year() > 0 => Ok(day),
        // It is the clock that is near the first of all days, not the window that is long.
        _ if days <= CENTURY => Ok(date(1, 1, 1)),
        _ => Err(refused()),
    }
}

/// In days.
const CENTURY: i32 = 36_525;

/// Some days, both ends included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Period {
    /// The first day.
    pub start: Date,
    /// The last day.
    pub end: Date,
}

impl Period {
    /// One day.
    pub fn day(day: Date) -> Period {
        Period { start: day, end: day }
    }

    /// Reads a day (`2026-03-31`), a month (`2026-03`), a quarter (`2026-Q1`), a year (`2026`), or two of them with `..`
    /// between, from the first one's start to the second one's end.
    pub fn parse(text: &str) -> Result<Period, Error> {
        let refused = || Error::When {
            value: text.chars().take(80).collect(),
            what: "a period",
            remedy: "a day (2026-03-31), month (2026-03), quarter (2026-Q1), year (2026), or two with .. between",
        };
        let period = match text.trim().split_once("..") {
            Some((from, to)) => Period {
                start: simple(from.trim()).ok_or_else(refused)?.start,
                end: simple(to.trim()).ok_or_else(refused)?.end,
            },
            None => simple(text.trim()).ok_or_else(refused)?,
        };
        if period.end < period.start {
            Err(refused())
        } else {
            Ok(period)
        }
    }

    /// Whether something valid from the one day to the other (open where absent) was valid at any time of the period.
    pub fn overlaps(&self, valid_from: Option<Date>, valid_to: Option<Date>) -> bool {
        valid_from.is_none_or(|from| from <= self.end) && valid_to.is_none_or(|to| to >= self.start)
    }
}

fn simple(text: &str) -> Option<Period> {
    if let Some(day) = day(text) {
        return Some(Period::day(day));
    }
    let number = |digits: &str, length: usize| {
        (digits.len() == length && digits.bytes().all(|b| b.is_ascii_digit()))
            .then(|| digits.parse::<i16>().ok())
            .flatten()
    };
    let (year, rest) = match text.split_once('-') {
        Some((year, rest)) => (year, Some(rest)),
        None => (text, None),
    };
    let year = number(year, 4).filter(|year| *year > 0)?;
    let (first, last) = match rest {
        None => (1, 12),
        Some(rest) => match rest.strip_prefix(['Q', 'q']) {
            Some(quarter) => {
                let quarter = number(quarter, 1).filter(|quarter| (1..=4).contains(quarter))?;
                (quarter * 3 - 2, quarter * 3)
            }
            None => {
                let month = number(rest, 2).filter(|month| (1..=12).contains(month))?;
                (month, month)
            }
        },
    };
    Some(Period {
        start: date(year, first as i8, 1),
        end: date(year, last as i8, 1).last_of_month(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::tz::TimeZone;

    fn clock() -> Clock {
        Clock::pinned("2026-06-30T12:00:00Z".parse().unwrap(), TimeZone::UTC)
    }

    #[test]
    fn windows_begin_on_a_day_or_so_long_ago() {
        assert_eq!(since("2026-06-01", &clock()).unwrap(), date(2026, 6, 1));
        assert_eq!(since("14d", &clock()).unwrap(), date(2026, 6, 16));
        assert_eq!(since("2w", &clock()).unwrap(), date(2026, 6, 16));
        assert_eq!(since("0d", &clock()).unwrap(), date(2026, 6, 30));
        for bad in [
            "",
            "d",
            "14",
            "-1d",
            "2026-02-30",
            "yesterday",
            "99999999999d",
            "1.5d",
            "1000000d",
        ] {
            assert!(since(bad, &clock()).is_err(), "{bad}");
        }
    }

    #[test]
    fn no_window_begins_before_the_first_day() {
        let early = Clock::pinned("0001-01-05T12:00:00Z".parse().unwrap(), TimeZone::UTC);
        assert_eq!(since("4d", &early).unwrap(), date(1, 1, 1));
        assert_eq!(since("14d", &early).unwrap(), date(1, 1, 1));
        assert!(since("1000000d", &early).is_err());
    }

    #[test]
    fn periods_of_every_length() {
        let read = |text: &str| {
            Period::parse(text)
                .map(|p| format!("{}..{}", p.start, p.end))
                .unwrap_or_default()
        };
        assert_eq!(read("2026-Q1"), "2026-01-01..2026-03-31");
        assert_eq!(read("2026-q4"), "2026-10-01..2026-12-31");
        assert_eq!(read("2026-02"), "2026-02-01..2026-02-28");
        assert_eq!(read("2024"), "2024-01-01..2024-12-31");
        assert_eq!(read("2026-03-31"), "2026-03-31..2026-03-31");
        assert_eq!(read("2025-Q4..2026-01"), "2025-10-01..2026-01-31");
        for bad in [
            "",
            "2026-Q5",
            "2026-13",
            "26",
            "2026-03-32",
            "2026..2025",
            "..",
            "2026-Q",
            "0000",
        ] {
            assert_eq!(read(bad), "", "{bad}");
        }
    }

    #[test]
    fn validity_is_open_where_it_is_silent() {
        let quarter = Period::parse("2026-Q1").unwrap();
        let (before, within, after) = (date(2025, 12, 31), date(2026, 2, 1), date(2026, 4, 1));
        assert!(quarter.overlaps(None, None));
        assert!(quarter.overlaps(Some(before), None));
        assert!(quarter.overlaps(Some(within), Some(within)));
        assert!(quarter.overlaps(Some(quarter.end), None));
        assert!(quarter.overlaps(None, Some(quarter.start)));
        assert!(!quarter.overlaps(Some(after), None));
        assert!(!quarter.overlaps(None, Some(before)));
    }
}
