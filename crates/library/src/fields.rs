//! The values below a manifest's keys: texts, days, levels, lists and rows, read one by one.

use jiff::Timestamp;
use jiff::civil::Date;

use crate::Visibility;
use crate::extra::Extra;
use crate::finding::{Findings, Trail};
use crate::scalar;
use crate::tree::{Entry, Node, Position, Scalar, Value};
use crate::yaml_read::shortened;

/// A calendar day as the contract writes it: `YYYY-MM-DD`, nothing else.
pub(crate) fn day(text: &str) -> Option<Date> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = *text.as_bytes() else {
        return None;
    };
    let number = |digits: &[u8]| {
        digits.iter().try_fold(0_i16, |sum, digit| {
            digit.is_ascii_digit().then(|| sum * 10 + i16::from(digit - b'0'))
        })
    };
    let year = number(&[y1, y2, y3, y4]).filter(|year| *year > 0)?;
    let (month, day) = (number(&[m1, m2])? as i8, number(&[d1, d2])? as i8);
    Date::new(year, month, day).ok()
}

/// An instant as the contract writes it. Digits below the nanosecond do not count; a leap second is refused, as other
/// validators refuse it.
fn instant(text: &str) -> Option<Timestamp> {
    if text.get(17..19) == Some("60") {
        return None;
    }
    let Some((whole, rest)) = text.split_once('.') else {
        return text.parse().ok();
    };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let offset = &rest[digits..];
    format!("{whole}.{}{offset}", &rest[..digits.min(9)]).parse().ok()
}

/// Keys that the schema does not name and this library honours; they deserve no warning.
const HONOURED: [&str; 5] = ["supersedes", "superseded_by", "skills", "origin", "write_policy"];

/// Reads the values of a mapping's keys, and says what it could not read.
pub(crate) struct Reader<'a> {
    pub(crate) findings: Findings<'a>,
}

impl Reader<'_> {
    /// A null optional key is an absent one.
    pub(crate) fn absent(&mut self, entry: &Entry, at: &Trail<'_>) -> bool {
        if !entry.node.is_null() {
            return false;
        }
        let trail = at.key(&entry.key.text);
        self.findings.warning(
            entry.position,
            &trail,
            "nothing stands here, which is read as if the key were absent; remove the key or give it a value",
        );
        true
    }

    pub(crate) fn unread(&mut self, entry: Entry, at: &Trail<'_>, extra: &mut Extra, wanted: &str) {
        let trail = at.key(&entry.key.text);
        let message = format!("{} stands here, and {wanted} is wanted", entry.node.kind());
        self.findings.error(entry.node.position, &trail, message);
        extra.push(entry);
    }

    pub(crate) fn unknown(&mut self, entry: Entry, at: &Trail<'_>, extra: &mut Extra) {
        if !HONOURED.contains(&entry.key.text.as_str()) {
            let message = format!(
                "the key {:?} is not in the schema; it is kept, and not used",
                shortened(&entry.key.text)
            );
            self.findings
                .warning(entry.position, &at.key(&entry.key.text), message);
        }
        extra.push(entry);
    }

    /// The text of a scalar, with a warning when other readers would not take it for text.
    fn scalar(&mut self, scalar: Scalar, position: Position, trail: &Trail<'_>) -> String {
        if scalar.plain {
            let message = format!(
                "other readers may take {} for {}; put it in quotes",
                shortened(&scalar.text),
                scalar::meaning(&scalar.text).name()
            );
            self.findings.warning(position, trail, message);
        }
        scalar.text
    }

    pub(crate) fn text(
        &mut self,
        entry: Entry,
        at: &Trail<'_>,
        slot: &mut Option<String>,
        extra: &mut Extra,
    ) {
        if self.absent(&entry, at) {
            return;
        }
        match entry.node.value {
            Value::Scalar(scalar) => {
                *slot = Some(self.scalar(scalar, entry.node.position, &at.key(&entry.key.text)));
            }
            _ => self.unread(entry, at, extra, "one text"),
        }
    }

    /// A scalar that must parse; what does not is kept as it is.
    pub(crate) fn parsed<T>(
        &mut self,
        entry: Entry,
        at: &Trail<'_>,
        slot: &mut Option<T>,
        extra: &mut Extra,
        wanted: &str,
        parse: impl FnOnce(&str) -> Option<T>,
    ) {
        if self.absent(&entry, at) {
            return;
        }
        let Value::Scalar(scalar) = &entry.node.value else {
            return self.unread(entry, at, extra, wanted);
        };
        let trail = at.key(&entry.key.text);
        match parse(&scalar.text) {
            Some(value) => {
                *slot = Some(value);
                let position = entry.node.position;
                if scalar.plain {
                    self.scalar(scalar.clone(), position, &trail);
                }
            }
            None => {
                let message = format!("{:?} is not {wanted}", shortened(&scalar.text));
                self.findings.error(entry.node.position, &trail, message);
                extra.push(entry);
            }
        }
    }

    pub(crate) fn date(&mut self, entry: Entry, at: &Trail<'_>, slot: &mut Option<Date>, extra: &mut Extra) {
        self.parsed(
            entry,
            at,
            slot,
            extra,
            "a day of the calendar, such as \"2026-01-31\"",
            day,
        );
    }

    pub(crate) fn level(
        &mut self,
        entry: Entry,
        at: &Trail<'_>,
        slot: &mut Option<Visibility>,
        extra: &mut Extra,
    ) {
        self.parsed(
            entry,
            at,
            slot,
            extra,
            "a level; write public, team or private",
            |text| text.parse().ok(),
        );
    }

    pub(crate) fn instant(
        &mut self,
        entry: Entry,
        at: &Trail<'_>,
        slot: &mut Option<Timestamp>,
        extra: &mut Extra,
    ) {
        let wanted = "a time with its offset, such as \"2026-01-31T12:00:00Z\"";
        self.parsed(entry, at, slot, extra, wanted, instant);
    }

    pub(crate) fn texts(&mut self, entry: Entry, at: &Trail<'_>, slot: &mut Vec<String>, extra: &mut Extra) {
        if self.absent(&entry, at) {
            return;
        }
        let wanted = "a list of texts";
        let Value::List(items) = &entry.node.value else {
            return self.unread(entry, at, extra, wanted);
        };
        let whole = |node: &Node| matches!(&node.value, Value::Scalar(scalar) if !scalar.is_null());
        if let Some(bad) = items.iter().position(|item| !whole(item)) {
            let trail = at.key(&entry.key.text);
            let message = format!("{} stands here, and one text is wanted", items[bad].kind());
            self.findings
                .error(items[bad].position, &trail.index(bad), message);
            extra.push(entry);
            return;
        }
        let Value::List(items) = entry.node.value else {
            return;
        };
        let trail = at.key(&entry.key.text);
        slot.reserve_exact(items.len());
        for (index, item) in items.into_iter().enumerate() {
            if let Value::Scalar(scalar) = item.value {
                slot.push(self.scalar(scalar, item.position, &trail.index(index)));
            }
        }
    }

    /// A list of rows. A row that is no mapping, or lacks the text it lives by, is kept aside under the list's key.
    pub(crate) fn rows<T>(
        &mut self,
        entry: Entry,
        at: &Trail<'_>,
        extra: &mut Extra,
        needs: Option<&str>,
        read: fn(&mut Self, Vec<Entry>, &Trail<'_>) -> T,
    ) -> Vec<T> {
        if self.absent(&entry, at) {
            return Vec::new();
        }
        let Value::List(items) = entry.node.value else {
            self.unread(entry, at, extra, "a list");
            return Vec::new();
        };
        let trail = at.key(&entry.key.text);
        let (mut rows, mut bad) = (Vec::with_capacity(items.len()), Vec::new());
        for (index, item) in items.into_iter().enumerate() {
            let trail = trail.index(index);
            let missing = match &item.value {
                Value::Map(entries) => needs.filter(|key| {
                    let mut named = entries.iter().filter(|entry| entry.key.text == *key);
                    named
                        .next()
                        .and_then(|entry| entry.node.as_text())
                        .is_none_or(|text| *key == "name" && text.is_empty())
                }),
                _ => {
                    let message = format!("{} stands here, and a mapping is wanted", item.kind());
                    self.findings.error(item.position, &trail, message);
                    bad.push(item);
                    continue;
                }
            };
            match (missing, item.value) {
                (None, Value::Map(entries)) => rows.push(read(self, entries, &trail)),
                (missing, value) => {
                    let message = format!(
                        "`{}` is missing or no text; give the row one",
                        missing.unwrap_or_default()
                    );
                    self.findings.error(item.position, &trail, message);
                    bad.push(Node {
                        position: item.position,
                        value,
                    });
                }
            }
        }
        if !bad.is_empty() {
            extra.push(Entry {
                position: entry.position,
                key: entry.key.clone(),
                node: Node {
                    position: entry.node.position,
                    value: Value::List(bad),
                },
            });
        }
        rows
    }
}
