//! Documents in a form that can be mapped: no word is read again to search them.

mod dictionary;
mod numbers;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

use self::dictionary::{Dictionary, DictionaryBuilder, Entry};
use self::numbers::{Reader, at, put, width_of};
use super::{Query, Scan, Scored, Scorer, Searchable, Statistics};

/// The bytes of a segment, to be kept as three pieces. They say the same on every machine, and mean what they mean only
/// together with the rules by which this version makes terms.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SegmentBytes {
    /// The distinct terms.
    pub terms: Vec<u8>,
    /// For each term the documents that hold it, and how often.
    pub postings: Vec<u8>,
    /// How long each document is.
    pub lengths: Vec<u8>,
}

/// A collection of documents out of bytes: a file that is mapped, or memory. It answers bit for bit as the [`Scan`]
/// does from which it was made; only what the query's terms touch is read.
///
/// Any bytes are safe. Those that no [`SegmentBytes`] held are refused, or answer something.
#[derive(Debug, Clone)]
pub struct Segment<D> {
    terms: D,
    postings: D,
    lengths: D,
    documents: usize,
    /// Sum of all lengths, in quarters of a term.
    total: u64,
    width: u8,
}

/// Number of documents, sum of their lengths, bytes of one length.
const HEADER: usize = 4 + 8 + 1;
/// The weighted frequency, in quarters, that most postings have: once in a text of weight 1. It is not written.
const ONCE: u64 = 4;

impl SegmentBytes {
    /// The documents of a scan.
    pub fn of(scan: &Scan) -> SegmentBytes {
        let mut builder = Builder::default();
        let by_term = scan.postings();
        for (term, found) in by_term {
            builder.start();
            for (document, quarters) in found {
                builder.post(document, quarters);
            }
            builder.end(term.as_bytes());
        }
        builder.finish(scan.lengths())
    }

    /// The documents of all segments, those of the first one first. `None` when one of them is damaged, or when there
    /// are too many.
    pub fn merged<D: AsRef<[u8]>>(segments: &[&Segment<D>]) -> Option<SegmentBytes> {
        let whole: Vec<(&Segment<D>, Option<&[bool]>)> =
            segments.iter().map(|segment| (*segment, None)).collect();
        SegmentBytes::merged_without(&whole)
    }

    /// As [`SegmentBytes::merged`], without the documents that a segment's list, if it has one, does not keep.
    pub fn merged_without<D: AsRef<[u8]>>(
        segments: &[(&Segment<D>, Option<&[bool]>)],
    ) -> Option<SegmentBytes> {
        let mut builder = Builder::default();
        let mut numbers = Vec::with_capacity(segments.len());
        let mut walks = Vec::with_capacity(segments.len());
        // The next term of each that has one. Of equal terms the first segment's comes first, so that documents ascend.
        let mut next: BinaryHeap<Reverse<(Vec<u8>, usize)>> = BinaryHeap::new();
        let mut entries = vec![Entry::default(); segments.len()];
        let mut documents = 0_u32;
        for (number, (segment, kept)) in segments.iter().enumerate() {
            numbers.push(Renumbered::from(documents, *kept));
            let all = u32::try_from(segment.documents).ok()?;
            documents = documents.checked_add(numbers[number].count(all))?;
            let mut walk = segment.dictionary()?.walk();
            if let Some((term, entry)) = walk.next_term() {
                next.push(Reverse((term.to_vec(), number)));
                entries[number] = entry;
            }
            walks.push(walk);
        }
        let mut term = Vec::new();
        while let Some(mut least) = next.peek_mut() {
            let Reverse((bytes, number)) = &mut *least;
            let number = *number;
            if builder.holding == 0 || term != *bytes {
                builder.end(&term);
                builder.start();
                term.clone_from(bytes);
            }
            for (document, quarters) in segments[number].0.found(&entries[number])? {
                if let Some(document) = numbers[number].of(document) {
                    builder.post(document, quarters);
                }
            }
            match walks[number].next_term() {
                Some((term, entry)) => {
                    bytes.clear();
                    bytes.extend_from_slice(term);
                    entries[number] = entry;
                }
                None => {
                    PeekMut::pop(least);
                }
            }
        }
        builder.end(&term);
        let lengths = segments.iter().zip(&numbers).flat_map(|((segment, _), numbers)| {
            let lengths = segment.each_length().enumerate();
            lengths.filter_map(|(document, length)| numbers.of(document).map(|_| length))
        });
        Some(builder.finish(lengths.collect()))
    }
}

/// The numbers that a segment's documents have among others'.
#[derive(Debug)]
enum Renumbered {
    /// One after the other from the first.
    All(u32),
    /// Each its own, or none.
    Some(Vec<Option<u32>>),
}

impl Renumbered {
    fn from(first: u32, kept: Option<&[bool]>) -> Renumbered {
        let Some(kept) = kept else {
            return Renumbered::All(first);
        };
        let mut next = first;
        let number = |kept: &bool| {
            kept.then(|| {
                next += 1;
                next - 1
            })
        };
        Renumbered::Some(kept.iter().map(number).collect())
    }

    fn count(&self, all: u32) -> u32 {
        match self {
            Renumbered::All(_) => all,
            Renumbered::Some(numbers) => numbers.iter().flatten().count() as u32,
        }
    }

    fn of(&self, document: usize) -> Option<u32> {
        match self {
            Renumbered::All(first) => Some(first + document as u32),
            Renumbered::Some(numbers) => numbers.get(document).copied().flatten(),
        }
    }
}

/// Takes terms in order, each with its documents in order.
#[derive(Debug, Default)]
struct Builder {
    dictionary: DictionaryBuilder,
    postings: Vec<u8>,
    start: usize,
    holding: u64,
    /// The least number that the next document can have.
    least: u32,
}

impl Builder {
    fn start(&mut self) {
        (self.start, self.holding, self.least) = (self.postings.len(), 0, 0);
    }

    fn post(&mut self, document: u32, quarters: u32) {
        let ahead = u64::from(document.saturating_sub(self.least));
        let often = u64::from(quarters) != ONCE;
        put(&mut self.postings, ahead << 1 | u64::from(often));
        if often {
            put(&mut self.postings, u64::from(quarters));
        }
        self.holding += 1;
        self.least = document.saturating_add(1);
    }

    /// The term whose documents were given; one without any is none.
    fn end(&mut self, term: &[u8]) {
        if self.holding > 0 {
            self.dictionary
                .add(term, self.holding, self.postings.len() - self.start);
        }
    }

    fn finish(self, lengths: Vec<u64>) -> SegmentBytes {
        let width = width_of(lengths.iter().copied().max().unwrap_or_default());
        let mut bytes = Vec::with_capacity(HEADER + lengths.len() * usize::from(width));
        bytes.extend_from_slice(&(lengths.len() as u32).to_le_bytes());
        let total = lengths
            .iter()
            .fold(0_u64, |total, length| total.saturating_add(*length));
        bytes.extend_from_slice(&total.to_le_bytes());
        bytes.push(width);
        for length in lengths {
            bytes.extend_from_slice(&length.to_le_bytes()[..usize::from(width)]);
        }
        SegmentBytes {
            terms: self.dictionary.finish(),
            postings: self.postings,
            lengths: bytes,
        }
    }
}

impl<D: AsRef<[u8]>> Segment<D> {
    /// Opens the three pieces of a [`SegmentBytes`]; `None` when they are none. Only their headers are looked at.
    pub fn open(terms: D, postings: D, lengths: D) -> Option<Segment<D>> {
        Dictionary::open(terms.as_ref())?;
        let header = lengths.as_ref().first_chunk::<HEADER>()?;
        let documents = u32::from_le_bytes(*header.first_chunk()?) as usize;
        let total = u64::from_le_bytes(*header[4..].first_chunk()?);
        let width = header[HEADER - 1];
        let column = documents.checked_mul(usize::from(width))?;
        let sound =
            matches!(width, 0 | 1 | 2 | 4 | 8) && lengths.as_ref().len().checked_sub(HEADER)? == column;
        sound.then_some(Segment {
            terms,
            postings,
            lengths,
            documents,
            total,
            width,
        })
    }

    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.documents
    }

    /// Whether there is no document.
    pub fn is_empty(&self) -> bool {
        self.documents == 0
    }

    /// Adds to `scores`, by document, what each holds of the query's terms. Where `scores` was zero it is then the
    /// document's score, and above zero when it holds any.
    ///
    /// # Panics
    /// When `scores` has fewer places than there are documents.
    pub fn add_scores(&self, query: &Query, scorer: &Scorer, scores: &mut [f64]) {
        let scores = &mut scores[..self.documents];
        let lengths = self.lengths.as_ref().get(HEADER..).unwrap_or_default();
        let mut parts = Parts::default();
        // Term by term in the query's order: so every score is added up in that order.
        for (place, term) in query.terms.iter().enumerate() {
            let Some(entry) = self.entry(term) else { continue };
            let Some(found) = self.found(&entry) else { continue };
            let mut term = Term {
                scorer,
                place,
                parts: (entry.holding > WORTH_REMEMBERING).then(|| parts.fresh()),
                found,
                scores,
            };
            match self.width {
                0 => term.add_by(|_| Some(0)),
                1 => term.add_by(|row| Some(u64::from(*lengths.get(row)?))),
                2 => term.add_by(|row| {
                    Some(u64::from(u16::from_le_bytes(
                        *lengths.get(row * 2..)?.first_chunk()?,
                    )))
                }),
                width => term.add_by(|row| at(lengths, width, row)),
            }
        }
    }

    /// The counts of those documents that `counts` lists as such, as if there were no others.
    pub fn statistics_of(&self, query: &Query, counts: &[bool]) -> Statistics {
        let counted = |document: usize| counts.get(document).copied().unwrap_or_default();
        let mut all = Statistics::default();
        let mut total = 0_u64;
        for (document, length) in self.each_length().enumerate() {
            if counted(document) {
                all.documents += 1;
                total = total.saturating_add(length);
            }
        }
        all.total_length = total as f64 / 4.0;
        let holding = |term: &String| {
            let found = self.entry(term).and_then(|entry| self.found(&entry));
            found.map_or(0, |found| {
                found.filter(|(document, _)| counted(*document)).count() as u64
            })
        };
        all.holding = query.terms.iter().map(holding).collect();
        all
    }

    /// The documents that hold every one of these terms, in order.
    pub fn holding_all(&self, terms: &[String]) -> Vec<usize> {
        let mut held: Option<Vec<usize>> = None;
        for term in terms {
            let found = self.entry(term).and_then(|entry| self.found(&entry));
            let mut found: Vec<usize> = found
                .into_iter()
                .flatten()
                .map(|(document, _)| document)
                .collect();
            if let Some(held) = &held {
                found.retain(|document| held.binary_search(document).is_ok());
            }
            held = Some(found);
        }
        held.unwrap_or_else(|| (0..self.documents).collect())
    }

    fn dictionary(&self) -> Option<Dictionary<'_>> {
        Dictionary::open(self.terms.as_ref())
    }

    fn entry(&self, term: &str) -> Option<Entry> {
        self.dictionary()?.get(term.as_bytes())
    }

    fn found(&self, entry: &Entry) -> Option<Found<'_>> {
        Some(Found {
            reader: Reader::new(self.postings.as_ref().get(entry.postings.clone())?),
            least: 0,
            documents: self.documents as u64,
        })
    }

    fn each_length(&self) -> impl Iterator<Item = u64> {
        let column = self.lengths.as_ref().get(HEADER..).unwrap_or_default();
        (0..self.documents).map(move |document| at(column, self.width, document).unwrap_or_default())
    }
}

/// A term of a query while what it adds is added.
struct Term<'a> {
    scorer: &'a Scorer,
    place: usize,
    parts: Option<&'a mut Parts>,
    found: Found<'a>,
    scores: &'a mut [f64],
}

impl Term<'_> {
    fn add_by(&mut self, length_of: impl Fn(usize) -> Option<u64>) {
        let (scorer, place) = (self.scorer, self.place);
        for (document, quarters) in &mut self.found {
            let length = length_of(document).unwrap_or_default();
            let exact = || scorer.part(place, f64::from(quarters) / 4.0, length as f64 / 4.0);
            let part = match self.parts.as_mut().and_then(|parts| parts.of(quarters, length)) {
                Some(known) => {
                    if known.is_nan() {
                        *known = exact();
                    }
                    *known
                }
                None => exact(),
            };
            if let Some(score) = self.scores.get_mut(document) {
                *score += part;
            }
        }
    }
}

/// What a term adds depends on how often a document holds it and on the document's length, and most of both are small.
#[derive(Debug, Default)]
struct Parts {
    known: Vec<f64>,
}

/// From so many documents on it pays to remember what a term adds.
const WORTH_REMEMBERING: u64 = 512;

impl Parts {
    /// Frequencies of 0.5, 1, 1.5 and 2, and lengths below 256.
    const FREQUENCIES: usize = 4;
    const LENGTHS: usize = 1024;

    /// Nothing known yet.
    fn fresh(&mut self) -> &mut Parts {
        self.known.clear();
        self.known.resize(Parts::FREQUENCIES * Parts::LENGTHS, f64::NAN);
        self
    }

    #[inline]
    fn of(&mut self, quarters: u32, length: u64) -> Option<&mut f64> {
        let frequency = (quarters / 2).wrapping_sub(1) as usize;
        let remembered =
            quarters.is_multiple_of(2) && frequency < Parts::FREQUENCIES && length < Parts::LENGTHS as u64;
        let place = frequency
            .wrapping_mul(Parts::LENGTHS)
            .wrapping_add(length as usize);
        remembered.then(|| self.known.get_mut(place)).flatten()
    }
}

/// The documents that hold a term, and how often in quarters.
#[derive(Debug)]
struct Found<'a> {
    reader: Reader<'a>,
    least: u64,
    documents: u64,
}

impl Iterator for Found<'_> {
    type Item = (usize, u32);

    #[inline]
    fn next(&mut self) -> Option<(usize, u32)> {
        let number = self.reader.number()?;
        let document = self.least.checked_add(number >> 1)?;
        if document >= self.documents {
            return None;
        }
        self.least = document + 1;
        let quarters = if number & 1 == 0 {
            ONCE
        } else {
            self.reader.number()?
        };
        Some((document as usize, u32::try_from(quarters).ok()?))
    }
}

impl<D: AsRef<[u8]>> Searchable for Segment<D> {
    fn statistics(&self, query: &Query) -> Statistics {
        let holding = |term: &String| self.entry(term).map_or(0, |entry| entry.holding);
        Statistics {
            documents: self.documents as u64,
            total_length: self.total as f64 / 4.0,
            holding: query.terms.iter().map(holding).collect(),
        }
    }

    fn score(&self, query: &Query, all: &Statistics) -> Vec<Scored> {
        let mut scores = vec![0.0; self.documents];
        self.add_scores(query, &Scorer::new(query, all), &mut scores);
        super::scored(&scores)
    }
}

#[cfg(test)]
mod tests {
    use super::super::scan::tests::corpus;
    use super::*;
    use crate::search::Field;
    use proptest::prelude::*;

    fn opened(bytes: SegmentBytes) -> Segment<Vec<u8>> {
        Segment::open(bytes.terms, bytes.postings, bytes.lengths).unwrap()
    }

    fn scan(texts: &[(String, f64)]) -> Scan {
        let mut scan = Scan::new();
        for (text, weight) in texts {
            scan.add(&[Field {
                text,
                weight: *weight,
            }]);
        }
        scan
    }

    fn bits(scored: &[Scored]) -> Vec<(usize, u64)> {
        scored.iter().map(|s| (s.document, s.bm25.to_bits())).collect()
    }

    #[test]
    fn nothing_is_a_segment_too() {
        let empty = opened(SegmentBytes::of(&Scan::new()));
        assert!(empty.is_empty());
        let query = Query::parse("red");
        assert_eq!(empty.statistics(&query), Scan::new().statistics(&query));
        assert_eq!(empty.score(&query, &empty.statistics(&query)), []);
        assert_eq!(
            SegmentBytes::merged::<Vec<u8>>(&[]).unwrap(),
            SegmentBytes::of(&Scan::new())
        );
    }

    #[test]
    fn a_long_text_and_a_heavy_field_keep_their_exact_numbers() {
        let texts = [
            ("red ".repeat(70_000), 1024.0),
            ("red blue".to_owned(), 0.25),
            (String::new(), 1.0),
        ];
        let scan = scan(&texts);
        let segment = opened(SegmentBytes::of(&scan));
        let query = Query::parse("red blue");
        let all = scan.statistics(&query);
        assert_eq!(segment.statistics(&query), all);
        assert_eq!(
            bits(&segment.score(&query, &all)),
            bits(&scan.score(&query, &all))
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn a_segment_answers_as_the_scan_to_the_last_bit_in_however_many_parts(
            texts in corpus(),
            cuts in prop::collection::vec(0usize..12, 0..4),
            words in "(trees|red|api|gateway|東京|c\\+\\+|missing|the|x| ){1,12}",
        ) {
            let query = Query::parse(&words);
            let whole = scan(&texts);
            let all = whole.statistics(&query);
            let expected = whole.score(&query, &all);
            let one = SegmentBytes::of(&whole);

            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(texts.len())).collect();
            cuts.extend([0, texts.len()]);
            cuts.sort_unstable();
            let parts: Vec<Segment<Vec<u8>>> = cuts
                .windows(2)
                .map(|cut| opened(SegmentBytes::of(&scan(&texts[cut[0]..cut[1]]))))
                .collect();

            // Apart, under common statistics.
            let mut sum = Statistics::default();
            let mut found = Vec::new();
            parts.iter().for_each(|part| sum.add(&part.statistics(&query)));
            prop_assert_eq!(&sum, &all);
            let mut first = 0;
            for part in &parts {
                found.extend(part.score(&query, &sum).into_iter().map(|mut s| { s.document += first; s }));
                first += part.len();
            }
            prop_assert_eq!(bits(&found), bits(&expected));

            // Merged: the very bytes of the whole.
            let merged = SegmentBytes::merged(&parts.iter().collect::<Vec<_>>()).unwrap();
            prop_assert_eq!(&merged, &one);
            let merged = opened(merged);
            prop_assert_eq!(merged.statistics(&query), all.clone());
            prop_assert_eq!(bits(&merged.score(&query, &all)), bits(&expected));
        }

        #[test]
        fn documents_that_are_left_out_were_never_there(
            texts in corpus(),
            keep in prop::collection::vec(any::<bool>(), 12),
            cut in 0usize..12,
            words in "(trees|red|api|gateway|東京|c\\+\\+|missing|the|x| ){1,12}",
        ) {
            let query = Query::parse(&words);
            let cut = cut.min(texts.len());
            let keep = &keep[..texts.len().min(12)];
            let texts = &texts[..keep.len()];
            let cut = cut.min(texts.len());
            let kept: Vec<(String, f64)> = texts.iter().zip(keep).filter(|(_, keep)| **keep).map(|(text, _)| text.clone()).collect();
            let expected = SegmentBytes::of(&scan(&kept));
            let parts = [opened(SegmentBytes::of(&scan(&texts[..cut]))), opened(SegmentBytes::of(&scan(&texts[cut..])))];
            let merged = SegmentBytes::merged_without(&[(&parts[0], Some(&keep[..cut])), (&parts[1], Some(&keep[cut..]))]);
            prop_assert_eq!(merged.as_ref(), Some(&expected));

            let whole = opened(SegmentBytes::of(&scan(texts)));
            prop_assert_eq!(whole.statistics_of(&query, keep), opened(expected).statistics(&query));
            let scores = whole.score(&query, &whole.statistics(&query));
            let held = whole.holding_all(&query.terms[..query.terms.len().min(1)]);
            if query.terms.len() == 1 {
                prop_assert_eq!(scores.iter().map(|s| s.document).collect::<Vec<_>>(), held);
            }
            for document in whole.holding_all(&query.terms) {
                prop_assert!(query.terms.is_empty() || scores.iter().any(|s| s.document == document));
            }
        }

        #[test]
        fn any_bytes_are_safe(
            texts in corpus(),
            noise in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0usize..3), 0..6),
            raw in prop::option::of(prop::collection::vec(any::<u8>(), 0..60)),
            cut in any::<prop::sample::Index>(),
        ) {
            let bytes = SegmentBytes::of(&scan(&texts));
            let mut pieces = [bytes.terms, bytes.postings, bytes.lengths];
            for (at, byte, piece) in noise {
                let piece = &mut pieces[piece];
                if !piece.is_empty() {
                    let at = at.index(piece.len());
                    piece[at] = byte;
                }
            }
            let piece = cut.index(3);
            match raw {
                Some(raw) => pieces[piece] = raw,
                None => { let end = cut.index(pieces[piece].len() + 1); pieces[piece].truncate(end); }
            }
            let [terms, postings, lengths] = pieces;
            if let Some(segment) = Segment::open(terms, postings, lengths) {
                let query = Query::parse("trees red api gateway 東京 c++ missing the");
                let all = segment.statistics(&query);
                for scored in segment.score(&query, &all) {
                    prop_assert!(scored.document < segment.len());
                }
                let _ = SegmentBytes::merged(&[&segment, &segment]);
            }
        }
    }
}
