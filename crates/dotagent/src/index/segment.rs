//! A segment: the events of a stretch of the log, their words and their rows, in one cache.

use std::path::PathBuf;

use ken_files::{CacheFile, CacheFormat, CacheWriter, FileLook, Section};
use ken_text::search::{Segment, SegmentBytes};

use super::rows::{Fields, Rows};
use super::stored::Stored;
use super::tail::Tail;
use crate::checksum::Checksum;

/// Raised with every change of the sections, of the rules by which terms and plain forms of texts are made, or of the
/// rules by which lines are events: whatever a segment holds follows from the log by those alone.
pub(super) const VERSION: u32 = 2;
pub(super) const FORMAT: CacheFormat = CacheFormat {
    name: "ken-events",
    version: VERSION,
};

/// A place between two lines of the log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Mark {
    /// In bytes.
    pub(super) offset: u64,
    /// How many lines are before it.
    pub(super) lines: u64,
}

/// Lines that are no documents.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub(super) skipped: u64,
    pub(super) repeated: u64,
    pub(super) duplicate_ids: u64,
}

impl Counts {
    pub(super) fn add(&mut self, other: Counts) {
        self.skipped += other.skipped;
        self.repeated += other.repeated;
        self.duplicate_ids += other.duplicate_ids;
    }
}

/// Which stretch of the log a segment covers, and which bytes it found there.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Covers {
    pub(super) from: Mark,
    pub(super) to: Mark,
    pub(super) counts: Counts,
    /// The checksum of everything before `from`, as of [`Covers::after`].
    pub(super) before: u64,
    /// Where each stretch ended that was read at once, and the checksum of its bytes.
    pub(super) stretches: Vec<(u64, u64)>,
    /// How the log looked when all of this was in it, if a change since then must show.
    pub(super) look: Option<FileLook>,
}

impl Covers {
    /// The checksum of everything before the segment's end.
    pub(super) fn after(&self) -> u64 {
        self.stretches.iter().fold(self.before, |before, (end, sum)| {
            let numbers = [before, *end, *sum].map(u64::to_le_bytes);
            let mut all = Checksum::default();
            all.add(numbers.as_flattened());
            all.value()
        })
    }

    fn to_bytes(&self) -> Vec<u8> {
        let mut numbers = vec![
            self.from.offset,
            self.from.lines,
            self.to.offset,
            self.to.lines,
            self.counts.skipped,
            self.counts.repeated,
            self.counts.duplicate_ids,
            self.before,
            self.stretches.len() as u64,
        ];
        numbers.extend(self.stretches.iter().flat_map(|(end, sum)| [*end, *sum]));
        let mut bytes: Vec<u8> = numbers.into_iter().flat_map(u64::to_le_bytes).collect();
        if let Some(look) = &self.look {
            bytes.extend_from_slice(&look.to_bytes());
        }
        bytes
    }

    fn from_bytes(mut bytes: &[u8]) -> Option<Covers> {
        let mut number = || {
            let (number, rest) = bytes.split_first_chunk()?;
            bytes = rest;
            Some(u64::from_le_bytes(*number))
        };
        let mut covers = Covers {
            from: Mark {
                offset: number()?,
                lines: number()?,
            },
            to: Mark {
                offset: number()?,
                lines: number()?,
            },
            counts: Counts {
                skipped: number()?,
                repeated: number()?,
                duplicate_ids: number()?,
            },
            before: number()?,
            ..Covers::default()
        };
        let mut last = covers.from.offset;
        for _ in 0..number()? {
            let (end, sum) = (number()?, number()?);
            if end < last {
                return None;
            }
            last = end;
            covers.stretches.push((end, sum));
        }
        covers.look = match bytes {
            [] => None,
            look => Some(FileLook::from_bytes(look)?),
        };
        (last == covers.to.offset && covers.from.lines <= covers.to.lines).then_some(covers)
    }
}

/// An open segment.
#[derive(Debug)]
pub(super) struct EventSegment {
    pub(super) covers: Covers,
    pub(super) words: Segment<Section>,
    pub(super) rows: Stored,
    /// Where it stands; `None` when it is in memory only.
    pub(super) path: Option<PathBuf>,
}

/// A segment that is not kept yet.
pub(super) struct Made {
    covers: Covers,
    words: SegmentBytes,
    rows: Vec<Vec<u8>>,
}

impl Made {
    /// Of what was read in memory.
    pub(super) fn of(tail: &Tail) -> Made {
        Made {
            words: SegmentBytes::of(&tail.scan),
            rows: tail.rows.write(tail.covers.from.lines),
            covers: tail.covers(),
        }
    }

    /// Of neighbours, in their order. `None` when one is damaged.
    pub(super) fn merged(parts: &[&EventSegment]) -> Option<Made> {
        let (first, last) = (parts.first()?, parts.last()?);
        let mut covers = Covers {
            from: first.covers.from,
            to: last.covers.to,
            before: first.covers.before,
            ..Covers::default()
        };
        let mut rows = Rows::default();
        for part in parts {
            covers.counts.add(part.covers.counts);
            covers.stretches.extend_from_slice(&part.covers.stretches);
            rows.append(&part.rows);
        }
        let words: Vec<&Segment<Section>> = parts.iter().map(|part| &part.words).collect();
        Some(Made {
            words: SegmentBytes::merged(&words)?,
            rows: rows.write(covers.from.lines),
            covers,
        })
    }

    pub(super) fn covers(&self) -> &Covers {
        &self.covers
    }

    /// As a cache; `look` is how the log looked with all of this in it.
    pub(super) fn writer(self, look: Option<FileLook>) -> CacheWriter {
        let mut writer = CacheWriter::new(FORMAT);
        writer.section(Covers { look, ..self.covers }.to_bytes());
        writer.section(self.words.terms);
        writer.section(self.words.postings);
        writer.section(self.words.lengths);
        self.rows.into_iter().for_each(|section| writer.section(section));
        writer
    }

    /// As a segment in memory.
    pub(super) fn in_memory(self) -> Option<EventSegment> {
        EventSegment::open(&self.writer(None).in_memory(), None)
    }
}

impl EventSegment {
    /// The segment in a cache; `None` when anything in it is damaged.
    pub(super) fn open(cache: &CacheFile, path: Option<PathBuf>) -> Option<EventSegment> {
        let covers = Covers::from_bytes(&cache.section(0)?)?;
        let words = Segment::open(cache.section(1)?, cache.section(2)?, cache.section(3)?)?;
        let rows = Stored::open(cache, 4, covers.from.lines)?;
        let sound = words.len() == rows.len() && cache.section(4 + Stored::SECTIONS).is_none();
        sound.then_some(EventSegment {
            covers,
            words,
            rows,
            path,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// How much of the log it covers, in bytes.
    pub(super) fn stretch(&self) -> u64 {
        self.covers.to.offset - self.covers.from.offset
    }

    pub(super) fn fields(&self) -> &dyn Fields {
        &self.rows
    }
}
