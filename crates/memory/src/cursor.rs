//! Where a page of sessions ended. A cursor carries the filters of its question and the last row, by what it is and not
//! by its number, so that it survives restarts and new rows; it carries no access, which is always the caller's own.

use std::cmp::{Ordering, Reverse};
use std::collections::HashMap;
use std::path::PathBuf;

use jiff::civil::Date;
use ken_library::{Session, Visible};
use serde::{Deserialize, Serialize};

use crate::{Error, RecentRequest};

/// A place in the order of sessions: newest day first, undated last, then agents, then as they stand in the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Mark {
    day: Option<Date>,
    agent: String,
    number: usize,
}

impl Mark {
    /// The places of rows that stand in that order.
    pub(crate) fn of_all(rows: &[&Visible<Session>]) -> Vec<Mark> {
        let mut numbers: HashMap<(Option<Date>, &str), usize> = HashMap::new();
        rows.iter()
            .map(|row| {
                let number = numbers.entry((row.date, row.agent().as_str())).or_default();
                *number += 1;
                Mark {
                    day: row.date,
                    agent: row.agent().to_string(),
                    number: *number,
                }
            })
            .collect()
    }
}

impl PartialOrd for Mark {
    fn partial_cmp(&self, other: &Mark) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Mark {
    fn cmp(&self, other: &Mark) -> Ordering {
        Reverse(self.day)
            .cmp(&Reverse(other.day))
            .then_with(|| self.agent.cmp(&other.agent))
            .then_with(|| self.number.cmp(&other.number))
    }
}

/// A question's filters and where its page ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cursor {
    version: u32,
    since: Date,
    agent: Option<String>,
    project: Option<String>,
    cwd: Option<PathBuf>,
    tag: Option<String>,
    undated: bool,
    limit: usize,
    pub(crate) after: Mark,
}

const VERSION: u32 = 1;

impl Cursor {
    pub(crate) fn new(request: &RecentRequest, since: Date, limit: usize, after: Mark) -> Cursor {
        Cursor {
            version: VERSION,
            since,
            agent: request.agent.clone(),
            project: request.project.clone(),
            cwd: request.cwd.clone(),
            tag: request.tag.clone(),
            undated: request.undated,
            limit,
            after,
        }
    }

    /// The question that it goes on with.
    pub(crate) fn request(&self) -> RecentRequest {
        RecentRequest {
            since: Some(self.since),
            agent: self.agent.clone(),
            project: self.project.clone(),
            cwd: self.cwd.clone(),
            tag: self.tag.clone(),
            undated: self.undated,
            limit: Some(self.limit),
            cursor: None,
        }
    }

    /// As a word that fits everywhere.
    pub(crate) fn write(&self) -> String {
        let bytes = serde_json::to_vec(self).unwrap_or_default();
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    pub(crate) fn read(text: &str) -> Result<Cursor, Error> {
        let digits = text.trim().as_bytes();
        let value = |digit: u8| char::from(digit).to_digit(16).ok_or(Error::BadCursor);
        let mut bytes = Vec::with_capacity(digits.len() / 2);
        for pair in digits.chunks(2) {
            let [high, low] = pair else {
                return Err(Error::BadCursor);
            };
            bytes.push((value(*high)? * 16 + value(*low)?) as u8);
        }
        let cursor: Cursor = serde_json::from_slice(&bytes).map_err(|_| Error::BadCursor)?;
        if cursor.version == VERSION {
            Ok(cursor)
        } else {
            Err(Error::BadCursor)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_reads_back_and_nothing_else_does() {
        let after = Mark {
            day: "2026-11-02".parse().ok(),
            agent: "codex".to_owned(),
            number: 3,
        };
        let request = RecentRequest {
            agent: Some("codex".to_owned()),
            ..RecentRequest::default()
        };
        let cursor = Cursor::new(&request, "2026-11-01".parse().unwrap(), 7, after);
        assert_eq!(Cursor::read(&cursor.write()).unwrap(), cursor);
        for bad in ["", "x", "7b7d", "zz", "7", "ключ"] {
            assert!(matches!(Cursor::read(bad), Err(Error::BadCursor)), "{bad}");
        }
    }

    #[test]
    fn places_follow_the_order_of_the_answer() {
        let mark = |day: Option<&str>, agent: &str, number| Mark {
            day: day.map(|day| day.parse().unwrap()),
            agent: agent.to_owned(),
            number,
        };
        let ordered = [
            mark(Some("2026-11-02"), "a", 1),
            mark(Some("2026-11-02"), "a", 2),
            mark(Some("2026-11-02"), "b", 1),
            mark(Some("2026-11-01"), "a", 1),
            mark(None, "a", 1),
        ];
        assert!(ordered.is_sorted());
    }
}
