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
    fn len(&self) -> u32 {
        self.counts
            .iter()
            .fold(0, |sum, count| sum.saturating_add(*count))
    }
}

/// What is known of one document besides its words.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Facts {
    /// The place of its kind among the four.
    pub(crate) kind: usize,
    /// How far it may travel, asked for on this machine and elsewhere.
    pub(crate) levels: [Visibility; 2],
    /// Days since 1970, or [`NO_DAY`].
    pub(crate) day: i32,
    /// A part of the hash of what it says, for rows that may say the same as others.
    pub(crate) hash: u32,
}

/// An index that is being made.
#[derive(Debug, Default)]
pub(crate) struct WordsBuilder {
    documents: Vec<Documents>,
    bytes: Vec<u8>,
    days: Vec<u8>,
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
            .push(facts.kind as u8 | (local as u8) << 2 | (remote as u8) << 4);
        self.days.extend_from_slice(&facts.day.to_le_bytes());
        self.hashes.extend_from_slice(&facts.hash.to_le_bytes());
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
            self.days,
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
    /// Each manifest with the number of its first row.
    documents: Vec<(u32, Documents)>,
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
        let mut first = 0_u32;
        let mut documents = Vec::new();
        for _ in 0..from.count().ok()? {
            let next = read(&mut from).ok()?;
            documents.push((first, next));
            first = first.checked_add(next.len())?;
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
            && index.days.len() == rows * 4
            && index.hashes.len() == rows * 4;
        sound.then_some(index)
    }

    /// How many rows there are.
    pub(crate) fn len(&self) -> usize {
        self.segment.len()
    }

    /// The manifests, each with the number of its first row.
    pub(crate) fn documents(&self) -> &[(u32, Documents)] {
        &self.documents
    }

    /// The place of a row's kind among the four.
    pub(crate) fn kind(&self, row: usize) -> usize {
        usize::from(self.bytes.get(row).copied().unwrap_or_default() & 3)
    }

    /// Whether the caller's level reaches a row.
    pub(crate) fn reaches(&self, row: usize, caller: &Caller) -> bool {
        let byte = self.bytes.get(row).copied().unwrap_or(u8::MAX);
        let level = match caller.place() {
            Place::Local => byte >> 2 & 3,
            Place::Remote => byte >> 4 & 3,
        };
        caller.level() as u8 >= level
    }

    /// A row's day, or [`NO_DAY`].
    pub(crate) fn day(&self, row: usize) -> i32 {
        four(&self.days, row).map_or(NO_DAY, i32::from_le_bytes)
    }

    /// The part of the hash of what a row says.
    pub(crate) fn hash(&self, row: usize) -> u32 {
        four(&self.hashes, row).map_or(0, u32::from_le_bytes)
    }
}

fn four(column: &[u8], row: usize) -> Option<[u8; 4]> {
    column.get(row.checked_mul(4)?..)?.first_chunk().copied()
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
        for (first, documents) in &index.documents {
            if keeps(number, documents) {
                builder.documents.push(*documents);
                let (first, end) = (*first as usize, (*first + documents.len()) as usize);
                rows.get_mut(first..end)?.fill(true);
                builder.bytes.extend_from_slice(index.bytes.get(first..end)?);
                builder
                    .days
                    .extend_from_slice(index.days.get(first * 4..end * 4)?);
                builder
                    .hashes
                    .extend_from_slice(index.hashes.get(first * 4..end * 4)?);
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
