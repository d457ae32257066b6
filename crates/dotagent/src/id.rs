use std::fmt;
use std::str::FromStr;
use std::time::{Duration, SystemTime};

use jiff::Timestamp;
use serde::{Serialize, Serializer};
use ulid::Ulid;

use crate::Refusal;
use crate::error::shown;

/// Crockford's digits, in their order.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/// For each digit its value.
const VALUES: [u8; 256] = {
    let mut values = [0; 256];
    let mut value = 0;
    while value < DIGITS.len() {
        values[DIGITS[value] as usize] = value as u8;
        value += 1;
    }
    values
};

/// How far an id's own time may be from now for later ids to follow it.
const NEAR: i64 = 5 * 60 * 1000;

/// An event's id: `evt_` and a ULID, 26 digits of Crockford's base 32 (contract, section 2).
///
/// Kept as written, but in upper case. An id whose digits overflow 128 bits is kept too: it names an event as well as
/// any other.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId([u8; 26]);

impl EventId {
    /// Reads an id, in either case.
    ///
    /// # Errors
    /// [`Refusal::Id`] for anything else.
    pub fn parse(text: &str) -> Result<EventId, Refusal> {
        let refused = || Refusal::Id { value: shown(text) };
        let digits = text.strip_prefix("evt_").ok_or_else(refused)?;
        let mut id: [u8; 26] = digits.as_bytes().try_into().map_err(|_| refused())?;
        id.make_ascii_uppercase();
        let digit = |b: &u8| b.is_ascii_alphanumeric() && !matches!(b, b'I' | b'L' | b'O' | b'U');
        if id.iter().all(digit) {
            Ok(EventId(id))
        } else {
            Err(refused())
        }
    }

    /// The 26 digits after `evt_`.
    pub fn digits(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }

    /// How many bytes [`EventId::to_bytes`] gives.
    pub(crate) const BYTES: usize = 17;

    /// The id in five bits a digit, in an order of its own: as the ids, so the bytes.
    pub(crate) fn to_bytes(self) -> [u8; EventId::BYTES] {
        let value = |digit: &u8| VALUES[usize::from(*digit)];
        let mut bytes = [0; EventId::BYTES];
        bytes[0] = value(&self.0[0]);
        let rest = self.0[1..].iter();
        let rest = rest.fold(0_u128, |number, digit| number << 5 | u128::from(value(digit)));
        bytes[1..].copy_from_slice(&rest.to_be_bytes());
        bytes
    }

    /// The id of such bytes; any bytes are some id.
    pub(crate) fn from_bytes(bytes: &[u8; EventId::BYTES]) -> EventId {
        let (first, rest) = bytes.split_first().unwrap_or((&0, &[]));
        let rest = rest
            .iter()
            .fold(0_u128, |number, byte| number << 8 | u128::from(*byte));
        let mut id = [0; 26];
        id[0] = DIGITS[usize::from(first % 32)];
        for (place, digit) in (0..25).zip(&mut id[1..]) {
            *digit = DIGITS[(rest >> (5 * (24 - place)) & 31) as usize];
        }
        EventId(id)
    }

    /// The id that comes next at `now`: monotonic after those of `before` whose own time is within five minutes of
    /// now. An id from a clock that was far off is not followed, or one wrong clock would bend a log for ever.
    pub(crate) fn mint(now: Timestamp, before: impl IntoIterator<Item = EventId>) -> EventId {
        let now = now.as_millisecond().max(0);
        let floor = before
            .into_iter()
            .filter_map(|id| Ulid::from_string(id.digits()).ok())
            .filter(|id| {
                i64::try_from(id.timestamp_ms()).is_ok_and(|at| at.saturating_sub(now).abs() <= NEAR)
            })
            .max();
        let fresh = Ulid::from_datetime(SystemTime::UNIX_EPOCH + Duration::from_millis(now.unsigned_abs()));
        let next = match floor {
            Some(floor) if floor.timestamp_ms() >= fresh.timestamp_ms() => {
                // Not one more: two checkouts of one log would give the next id to different events, and after a merge
                // only one of them would count. A sum that outgrows the random part carries into the next
                // millisecond, which is still greater.
                let step = fresh.random() as u64;
                Ulid(floor.0.saturating_add(u128::from(step.max(1))))
            }
            _ => fresh,
        };
        let mut digits = [0; 26];
        next.array_to_str(&mut digits);
        EventId(digits)
    }
}

impl FromStr for EventId {
    type Err = Refusal;
    fn from_str(text: &str) -> Result<Self, Refusal> {
        EventId::parse(text)
    }
}

impl fmt::Display for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("evt_")?;
        f.write_str(self.digits())
    }
}

impl fmt::Debug for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for EventId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn reads_either_case_and_nothing_else() {
        let id = EventId::parse("evt_01JR04071200XYZA1B2C3D4E5F").unwrap();
        assert_eq!(id.to_string(), "evt_01JR04071200XYZA1B2C3D4E5F");
        assert_eq!(EventId::parse("evt_01jr04071200xyza1b2c3d4e5f").unwrap(), id);
        for wrong in [
            "",
            "evt_",
            "01JR04071200XYZA1B2C3D4E5F",
            "evt_01JR04071200XYZA1B2C3D4E5",
            "evt_01JR04071200XYZA1B2C3D4E5FF",
            "evt_01JR04071200XYZA1B2C3D4E5U",
            "evt_01JR04071200XYZA1B2C3D4EéF",
            "EVT_01JR04071200XYZA1B2C3D4E5F",
        ] {
            assert!(EventId::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_id_comes_back_from_its_bytes_and_keeps_its_order() {
        let ids = [
            "00000000000000000000000000",
            "01JR04071200XYZA1B2C3D4E5F",
            "01JR04071200XYZA1B2C3D4E5G",
            "7ZZZZZZZZZZZZZZZZZZZZZZZZZ",
            "80000000000000000000000000",
            "ZZZZZZZZZZZZZZZZZZZZZZZZZZ",
        ];
        let ids = ids.map(|digits| EventId::parse(&format!("evt_{digits}")).unwrap());
        for id in ids {
            assert_eq!(EventId::from_bytes(&id.to_bytes()), id);
        }
        assert!(ids.map(EventId::to_bytes).is_sorted());
    }

    #[test]
    fn follows_the_last_id_within_five_minutes() {
        let now = at("2026-05-13T12:00:00Z");
        let ahead = EventId::mint(at("2026-05-13T12:04:59Z"), []);
        let next = EventId::mint(now, [ahead]);
        assert!(next > ahead);
        assert_ne!(
            next,
            EventId::mint(now, [ahead]),
            "another checkout of the same log mints another id"
        );

        let far = EventId::mint(at("2026-05-13T12:05:01Z"), []);
        assert!(EventId::mint(now, [far]) < far);
        let old = EventId::mint(at("2026-05-13T11:00:00Z"), []);
        assert!(EventId::mint(now, [old, ahead]) > ahead);
        assert_ne!(EventId::mint(now, [old]), EventId::mint(now, [old]));
    }

    #[test]
    fn a_full_random_part_carries() {
        let now = at("2026-05-13T12:00:00Z");
        let full = Ulid::from_parts(now.as_millisecond().unsigned_abs(), u128::MAX);
        let full = EventId::parse(&format!("evt_{full}")).unwrap();
        assert!(EventId::mint(now, [full]) > full);
    }

    #[test]
    fn ids_that_are_no_number_or_a_clock_before_1970_do_no_harm() {
        let over = EventId::parse("evt_ZZZZZZZZZZZZZZZZZZZZZZZZZZ").unwrap();
        let id = EventId::mint(at("1960-01-01T00:00:00Z"), [over]);
        assert!(id.digits().starts_with("0000000000"));
    }
}
