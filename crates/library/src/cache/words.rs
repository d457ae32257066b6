//! An index of words: the rows of manifests as documents to be searched, each with who may see it, its day, and the hash
//! of what it says.

use ken_files::{CacheFile, CacheFormat, CacheWriter, Section};
use ken_text::search::{Scan, Segment, SegmentBytes};

use super::Lost;
use super::coder::{Reader, Writer};
use super::source::Source;
use crate::level::{Caller, Place, Visibility};

/// The format. Its version counts the rules of words, fields and visibility, too.
pub(crate) const FORMAT: CacheFormat = CacheFormat {
    name: "library words",
    version: super::VERSION,
};

const TABLE: usize = 0;
const BYTES: usize = 1;
const DAYS: usize = 2;
const HASHES: usize = 3;
const TERMS: usize = 4;
const POSTINGS: usize = 5;
const LENGTHS: usize = 6;

/// The day of a row without one.
pub(crate) const NO_DAY: i32 = i32::MIN;

/// A manifest whose rows are documents, in this order: entities, workstreams, sessions, notes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Documents {
    /// BLAKE3 of the manifest's bytes: which ones they are, whatever they are called.
    pub(crate) digest: [u8; 32],
    /// How many rows of each kind.
    pub(crate) counts: [u32; 4],
}

impl Documents {
    /// How many rows there are.
    pub(crate) fn len(&self) -> u32 {
        self.counts
            .iter()
            .fold(0, |sum, count| sum.saturating_add(*count))
    }

    /// How many of them come before those that may say the same as others: the sessions and notes.
    fn before_sayings(&self) -> u32 {
        self.counts[0].saturating_add(self.counts[1])
    }

    fn sayings(&self) -> u32 {
        self.counts[2].saturating_add(self.counts[3])
    }
}

/// What is known of one document besides its words.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts {
    /// The place of its kind among the four.
    pub(crate) kind: usize,
    /// How far it may travel, asked for on this machine and elsewhere.
    pub(crate) levels: [Visibility; 2],
    /// Whether one of its tags is spelled so that its words are not those of the tag in small letters.
    pub(crate) odd_tag: bool,
    /// Days since 1970, or [`NO_DAY`].
    pub(crate) day: i32,
    /// A part of the hash of what it says, for sessions and notes.
    pub(crate) hash: Option<u32>,
}

/// An index that is being made.
#[derive(Debug, Default)]
pub(crate) struct WordsBuilder {
    documents: Vec<Documents>,
    bytes: Vec<u8>,
    days: Vec<i32>,
    hashes: Vec<u8>,
}

impl WordsBuilder {
    /// Adds a manifest, whose rows are added next.
    pub(crate) fn manifest(&mut self, documents: Documents) {
        self.documents.push(documents);
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, facts: &Facts) {
        let [local, remote] = facts.levels;
        self.bytes
            .push(facts.kind as u8 | (local as u8) << 2 | (remote as u8) << 4 | u8::from(facts.odd_tag) << 6);
        self.days.push(facts.day);
        if let Some(hash) = facts.hash {
            self.hashes.extend_from_slice(&hash.to_le_bytes());
        }
    }

    /// The index; the scan holds a document for each row.
    pub(crate) fn finish(self, scan: &Scan) -> CacheWriter {
        self.with(SegmentBytes::of(scan))
    }

    fn with(self, segment: SegmentBytes) -> CacheWriter {
        let mut table = Writer::new(&[], &[]);
        table.number(self.documents.len() as u64);
        for documents in &self.documents {
            table.out.extend_from_slice(&documents.digest);
            documents
                .counts
                .iter()
                .for_each(|count| table.number(u64::from(*count)));
        }
        let mut cache = CacheWriter::new(FORMAT);
        for section in [
            table.out,
            self.bytes,
            column_of(&self.days),
            self.hashes,
            segment.terms,
            segment.postings,
            segment.lengths,
        ] {
            cache.section(section);
        }
        cache
    }
}

/// An index that can be asked.
#[derive(Debug)]
pub(crate) struct WordsIndex {
    pub(crate) segment: Segment<Section>,
    /// Each manifest with the numbers of its first row and of its first hash.
    documents: Vec<(u32, u32, Documents)>,
    bytes: Section,
    days: Section,
    hashes: Section,
}

impl WordsIndex {
    /// The index in a file; `None` when it is damaged.
    pub(crate) fn open(file: &CacheFile) -> Option<WordsIndex> {
        let table = file.section(TABLE)?;
        let nothing = Source::nothing();
        let mut from = Reader::new(&table, &[], &nothing);
        let (mut first, mut hash) = (0_u32, 0_u32);
        let mut documents = Vec::new();
        for _ in 0..from.count().ok()? {
            let next = read(&mut from).ok()?;
            documents.push((first, hash, next));
            first = first.checked_add(next.len())?;
            hash = hash.checked_add(next.sayings())?;
        }
        from.end().ok()?;
        let segment = Segment::open(
            file.section(TERMS)?,
            file.section(POSTINGS)?,
            file.section(LENGTHS)?,
        )?;
        let index = WordsIndex {
            segment,
            documents,
            bytes: file.section(BYTES)?,
            days: file.section(DAYS)?,
            hashes: file.section(HASHES)?,
        };
        let rows = first as usize;
        let sound = index.segment.len() == rows
            && index.bytes.len() == rows
            && Days::of(&index.days)?.len().is_none_or(|days| days == rows)
            && index.hashes.len() == hash as usize * 4;
        sound.then_some(index)
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.segment.len()
    }

    /// The manifests, each with the number of its first row.
    pub(crate) fn documents(&self) -> impl Iterator<Item = (u32, &Documents)> {
        self.documents
            .iter()
            .map(|(first, _, documents)| (*first, documents))
    }

    /// The place of a row's kind among the four.
    pub(crate) fn kind(&self, row: usize) -> usize {
        usize::from(self.bytes.get(row).copied().unwrap_or_default() & 3)
    }

    /// Whether one of a row's tags is spelled so that its words are not those of the tag in small letters.
    pub(crate) fn has_odd_tag(&self, row: usize) -> bool {
        self.bytes.get(row).is_some_and(|byte| byte >> 6 & 1 == 1)
    }

    /// Notes in `counts`, by row, which of a manifest's rows the caller's level reaches.
    pub(crate) fn reaches(&self, first: u32, documents: &Documents, caller: &Caller, counts: &mut [bool]) {
        let rows = first as usize..(first + documents.len()) as usize;
        let shift = match caller.place() {
            Place::Local => 2,
            Place::Remote => 4,
        };
        let level = caller.level() as u8;
        if let (Some(counts), Some(bytes)) = (counts.get_mut(rows.clone()), self.bytes.get(rows)) {
            for (counts, byte) in counts.iter_mut().zip(bytes) {
                *counts = level >= byte >> shift & 3;
            }
        }
    }

    /// A row's day, or [`NO_DAY`].
    pub(crate) fn day(&self, row: usize) -> i32 {
        Days::of(&self.days).map_or(NO_DAY, |days| days.at(row))
    }

    /// The sessions and notes of which the part of the hash is one of these.
    pub(crate) fn saying(&self, hashes: &[u32]) -> Vec<usize> {
        let mut saying = Vec::new();
        for (first, hash, documents) in &self.documents {
            let range = *hash as usize * 4..(hash + documents.sayings()) as usize * 4;
            let first = (first + documents.before_sayings()) as usize;
            let (column, _) = self.hashes.get(range).unwrap_or_default().as_chunks();
            for (ahead, hash) in column.iter().enumerate() {
                if hashes.contains(&u32::from_le_bytes(*hash)) {
                    saying.push(first + ahead);
                }
            }
        }
        saying
    }
}

/// A column of days: how many bytes each takes, the day before the first one, and each as the days since that; zero for
/// none.
struct Days<'a> {
    width: usize,
    before: i32,
    column: &'a [u8],
}

fn column_of(days: &[i32]) -> Vec<u8> {
    let known = || days.iter().filter(|day| **day != NO_DAY);
    let before = known().min().map_or(0, |first| first.saturating_sub(1));
    let ahead = |day: i32| match day {
        NO_DAY => 0,
        day => day.abs_diff(before),
    };
    let width = match known().map(|day| ahead(*day)).max() {
        None => 0,
        Some(0..=0xff) => 1,
        Some(0x100..=0xffff) => 2,
        Some(_) => 4,
    };
    let mut column = vec![width as u8];
    column.extend_from_slice(&before.to_le_bytes());
    for day in days {
        column.extend_from_slice(&ahead(*day).to_le_bytes()[..width]);
    }
    column
}

impl Days<'_> {
    fn of(section: &[u8]) -> Option<Days<'_>> {
        let (width, rest) = section.split_first()?;
        let (before, column) = rest.split_first_chunk()?;
        (*width <= 4).then_some(Days {
            width: usize::from(*width),
            before: i32::from_le_bytes(*before),
            column,
        })
    }

    /// How many days there are; `None` when no row has one, and they take no room.
    fn len(&self) -> Option<usize> {
        self.column.len().checked_div(self.width)
    }

    fn at(&self, row: usize) -> i32 {
        let at = row * self.width;
        let Some(bytes) = self.column.get(at..at + self.width) else {
            return NO_DAY;
        };
        let mut ahead = [0; 4];
        ahead[..self.width].copy_from_slice(bytes);
        match u32::from_le_bytes(ahead) {
            0 => NO_DAY,
            ahead => self.before.checked_add_unsigned(ahead).unwrap_or(NO_DAY),
        }
    }
}

fn read(from: &mut Reader<'_>) -> Result<Documents, Lost> {
    let digest = from.take(32)?.try_into().map_err(|_| Lost::Damaged)?;
    let mut counts = [0; 4];
    for count in &mut counts {
        *count = u32::try_from(from.number()?).map_err(|_| Lost::Damaged)?;
    }
    Ok(Documents { digest, counts })
}

/// The manifests of all these indexes that `keeps`, in one; `None` when one of them is damaged.
pub(crate) fn joined(
    indexes: &[&WordsIndex],
    keeps: impl Fn(usize, &Documents) -> bool,
) -> Option<CacheWriter> {
    let mut builder = WordsBuilder::default();
    let mut kept: Vec<Vec<bool>> = Vec::with_capacity(indexes.len());
    for (number, index) in indexes.iter().enumerate() {
        let mut rows = vec![false; index.len()];
        let days = Days::of(&index.days)?;
        for (first, hash, documents) in &index.documents {
            if keeps(number, documents) {
                builder.documents.push(*documents);
                let (first, end) = (*first as usize, (*first + documents.len()) as usize);
                rows.get_mut(first..end)?.fill(true);
                builder.bytes.extend_from_slice(index.bytes.get(first..end)?);
                builder.days.extend((first..end).map(|row| days.at(row)));
                let hashes = *hash as usize * 4..(hash + documents.sayings()) as usize * 4;
                builder.hashes.extend_from_slice(index.hashes.get(hashes)?);
            }
        }
        kept.push(rows);
    }
    let parts: Vec<(&Segment<Section>, Option<&[bool]>)> = indexes
        .iter()
        .zip(&kept)
        .map(|(index, kept)| (&index.segment, Some(kept.as_slice())))
        .collect();
    Some(builder.with(SegmentBytes::merged_without(&parts)?))
}
