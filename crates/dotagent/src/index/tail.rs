//! What follows the segments: events that are read, and whose words are taken in, in memory.

use std::collections::HashMap;
use std::fs::File;
use std::io;

use ken_text::search::{Field, Scan};

use super::rows::Rows;
use super::segment::{Counts, Covers, EventSegment, Mark};
use super::{SKILL_WEIGHT, Stale, TAG_WEIGHT};
use crate::checksum::Checksum;
use crate::lines::Line;
use crate::read::text_of;
use crate::repeats::event_at;
use crate::{Event, EventId, Log, Logged};

/// The events from a place of the log on.
#[derive(Debug, Default)]
pub(super) struct Tail {
    pub(super) events: Vec<Logged>,
    pub(super) rows: Rows,
    pub(super) scan: Scan,
    by_id: HashMap<EventId, u32>,
    by_text: HashMap<u64, Vec<u32>>,
    pub(super) covers: TailCovers,
}

/// Which stretch of the log was read into memory.
#[derive(Debug, Default)]
pub(super) struct TailCovers {
    pub(super) from: Mark,
    /// Behind the last line that ends.
    pub(super) to: Mark,
    pub(super) counts: Counts,
    /// The checksum of everything before `from`.
    before: u64,
    /// The checksum of the bytes between.
    pub(super) sum: Checksum,
    /// Whether a last line without a newline was read too: what it is may change.
    pub(super) open_end: bool,
}

impl Tail {
    /// Nothing yet, from the end of what is before on.
    pub(super) fn behind(last: Option<&EventSegment>) -> Tail {
        let (from, before) = last.map_or((Mark::default(), 0), |last| (last.covers.to, last.covers.after()));
        Tail {
            covers: TailCovers {
                from,
                to: from,
                before,
                ..TailCovers::default()
            },
            ..Tail::default()
        }
    }

    /// Every event of a log, which is not looked at again.
    pub(super) fn of(log: Log) -> Tail {
        let mut tail = Tail::default();
        tail.covers.to.lines = log.lines;
        tail.covers.counts = Counts {
            skipped: log.skipped_count,
            repeated: log.repeated_count,
            duplicate_ids: log.duplicate_ids_count,
        };
        for Logged { event, line } in log.events {
            tail.add(event, 0, line);
        }
        tail
    }

    pub(super) fn len(&self) -> usize {
        self.events.len()
    }

    /// How many bytes of the log it holds.
    pub(super) fn stretch(&self) -> u64 {
        self.covers.to.offset - self.covers.from.offset
    }

    /// Whether it holds so many events, or so many bytes of the log.
    pub(super) fn reaches(&self, (events, bytes): (usize, u64)) -> bool {
        self.len() >= events || self.stretch() >= bytes
    }

    pub(super) fn covers(&self) -> Covers {
        let TailCovers {
            from,
            to,
            counts,
            before,
            ..
        } = self.covers;
        Covers {
            from,
            to,
            counts,
            before,
            stretches: vec![(to.offset, self.covers.sum.value())],
            look: None,
        }
    }

    pub(super) fn row_of(&self, id: EventId) -> Option<usize> {
        self.by_id.get(&id).map(|row| *row as usize)
    }

    pub(super) fn rows_with(&self, text: u64) -> &[u32] {
        self.by_text.get(&text).map_or(&[], Vec::as_slice)
    }

    /// Takes in the next line. `earlier` are the segments before, whose lines stand in `log`.
    ///
    /// # Errors
    /// When a line of theirs is not what they say.
    pub(super) fn take(
        &mut self,
        line: &Line<'_>,
        earlier: &[EventSegment],
        log: &File,
    ) -> Result<(), Stale> {
        let number = self.covers.to.lines + 1;
        if line.ended {
            self.covers.to = Mark {
                offset: line.next,
                lines: number,
            };
        } else {
            self.covers.open_end = true;
        }
        let bytes = text_of(line);
        if bytes.is_empty() && !line.too_long {
            return Ok(());
        }
        let event = if line.too_long {
            None
        } else {
            Event::parse(bytes).ok()
        };
        let Some(event) = event else {
            self.covers.counts.skipped += 1;
            return Ok(());
        };
        let repeats = match self.row_of(event.id) {
            Some(row) => Some(self.events[row].event == event),
            None => earlier
                .iter()
                .find_map(|segment| Some((segment, segment.rows.row_of(event.id)?)))
                .map(|(segment, row)| Ok(event_of(segment, row, log)?.event == event))
                .transpose()?,
        };
        match repeats {
            Some(true) => self.covers.counts.repeated += 1,
            Some(false) => self.covers.counts.duplicate_ids += 1,
            None => self.add(event, line.offset, number),
        }
        Ok(())
    }

    fn add(&mut self, event: Event, offset: u64, line: u64) {
        let row = self.events.len() as u32;
        self.rows.add(&event, offset, line);
        self.by_id.insert(event.id, row);
        let text = super::rows::Fields::text(&self.rows, row as usize);
        self.by_text.entry(text).or_default().push(row);
        let skill = if event.skill_action.is_general() {
            String::new()
        } else {
            event.skill_action.as_str().replace("::", " ")
        };
        let tags = event.tags.join(" ");
        self.scan.add(&[
            Field {
                text: &event.content,
                weight: 1.0,
            },
            Field {
                text: &skill,
                weight: SKILL_WEIGHT,
            },
            Field {
                text: &tags,
                weight: TAG_WEIGHT,
            },
        ]);
        self.events.push(Logged { event, line });
    }
}

/// The event of a segment's row, read from its line.
///
/// # Errors
/// When the line is no longer what the segment says.
pub(super) fn event_of(segment: &EventSegment, row: usize, log: &File) -> Result<Logged, Stale> {
    let rows = segment.fields();
    let event: io::Result<Option<Event>> = event_at(log, rows.offset(row));
    let event = event.ok().flatten().ok_or(Stale)?;
    let same = event.id == rows.id(row)
        && event.timestamp == rows.time(row)
        && ken_text::plain_hash(&event.content) == rows.text(row);
    if same {
        Ok(Logged {
            event,
            line: rows.line(row),
        })
    } else {
        Err(Stale)
    }
}
