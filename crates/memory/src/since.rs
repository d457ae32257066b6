use jiff::civil::Date;
use jiff::{Span, Timestamp};
use ken_files::Clock;

use crate::Error;

/// The instant that a `since` means: a day such as `2026-01-31` (its first moment in the person's zone), RFC 3339 with
/// an offset, `today`, `yesterday`, or how long ago: `30m`, `2h`, `14d`, `4w`, `1d12h`.
///
/// # Errors
/// [`Error::BadSince`] for anything else.
pub fn since(text: &str, clock: &Clock) -> Result<Timestamp, Error> {
    let wanted = text.trim().to_lowercase();
    let refused = || Error::BadSince {
        given: text.to_owned(),
    };
    let start_of = |day: Date| {
        clock
            .zone()
            .to_timestamp(day.at(0, 0, 0, 0))
            .map_err(|_| refused())
    };
    match wanted.as_str() {
        "today" => return start_of(clock.today()),
        "yesterday" => return start_of(clock.today().yesterday().map_err(|_| refused())?),
        _ => {}
    }
    if let Some(seconds) = seconds(&wanted) {
        let ago = Span::new().try_seconds(seconds).map_err(|_| refused())?;
        return clock.now().checked_sub(ago).map_err(|_| refused());
    }
    if wanted.len() == 10
        && let Ok(day) = wanted.parse::<Date>()
    {
        return start_of(day);
    }
    text.trim().parse::<Timestamp>().map_err(|_| refused())
}

/// The seconds of a duration such as `14d` or `1d12h`; `None` for what is not one.
fn seconds(text: &str) -> Option<i64> {
    let mut total: i64 = 0;
    let mut rest = text;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let number: i64 = rest.get(..digits)?.parse().ok()?;
        let mut after = rest[digits..].chars();
        let unit = match after.next()? {
            's' => 1,
            'm' => 60,
            'h' => 3_600,
            'd' => 86_400,
            'w' => 604_800,
            _ => return None,
        };
        total = total.checked_add(number.checked_mul(unit)?)?;
        rest = after.as_str();
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;
    use jiff::tz::TimeZone;

    fn clock() -> Clock {
        let zone = TimeZone::fixed(jiff::tz::offset(2));
        Clock::pinned("2026-11-30T10:00:00Z".parse().unwrap(), zone)
    }

    #[test]
    fn days_are_local_and_durations_count_back() {
        let at = |text: &str| since(text, &clock()).map(|at| at.to_string());
        assert_eq!(at("2026-11-01").unwrap(), "2026-10-31T22:00:00Z");
        assert_eq!(at("today").unwrap(), "2026-11-29T22:00:00Z");
        assert_eq!(at(" Yesterday ").unwrap(), "2026-11-28T22:00:00Z");
        assert_eq!(at("14d").unwrap(), "2026-11-16T10:00:00Z");
        assert_eq!(at("1d12h").unwrap(), "2026-11-28T22:00:00Z");
        assert_eq!(at("2026-11-30T09:00:00+02:00").unwrap(), "2026-11-30T07:00:00Z");
    }

    #[test]
    fn anything_else_is_refused_with_the_forms_that_work() {
        for bad in [
            "",
            "d",
            "14",
            "14x",
            "soon",
            "2026-02-30",
            "2026-11-30T09:00:00",
            "99999999999999999999d",
            "9999999999w",
        ] {
            let message = since(bad, &clock()).unwrap_err().to_string();
            assert!(message.contains("14d"), "{bad:?}: {message}");
        }
    }
}
