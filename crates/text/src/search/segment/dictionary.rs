//! The distinct terms of a segment in order, in blocks that share beginnings: each with the number of documents that
//! hold it and where its postings stand.

use std::ops::Range;

use super::numbers::{Reader, put};

/// So many terms are a block: one is found by halving among the blocks, then by reading one.
const BLOCK: usize = 16;
/// Number of terms.
const HEADER: usize = 4;

/// A term's entry.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Entry {
    /// How many documents hold the term.
    pub(super) holding: u64,
    /// Its postings.
    pub(super) postings: Range<usize>,
}

/// Takes terms in ascending order of their bytes.
#[derive(Debug, Default)]
pub(super) struct DictionaryBuilder {
    /// Where each block begins in `blocks`.
    heads: Vec<u32>,
    blocks: Vec<u8>,
    terms: usize,
    last: Vec<u8>,
    /// Where the postings of the next term begin.
    next: u64,
}

impl DictionaryBuilder {
    /// The next term, whose postings follow those of the one before and are `length` bytes.
    pub(super) fn add(&mut self, term: &[u8], holding: u64, length: usize) {
        if self.terms.is_multiple_of(BLOCK) {
            self.heads.push(self.blocks.len() as u32);
            put(&mut self.blocks, self.next);
            self.last.clear();
        }
        let shared = term.iter().zip(&self.last).take_while(|(a, b)| a == b).count();
        put(&mut self.blocks, shared as u64);
        put(&mut self.blocks, (term.len() - shared) as u64);
        self.blocks.extend_from_slice(&term[shared..]);
        put(&mut self.blocks, holding);
        put(&mut self.blocks, length as u64);
        self.last.clear();
        self.last.extend_from_slice(term);
        self.terms += 1;
        self.next += length as u64;
    }

    pub(super) fn finish(self) -> Vec<u8> {
        let mut bytes = (self.terms as u32).to_le_bytes().to_vec();
        bytes.extend(self.heads.iter().flat_map(|head| head.to_le_bytes()));
        bytes.extend_from_slice(&self.blocks);
        bytes
    }
}

/// Terms as they stand in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Dictionary<'a> {
    heads: &'a [u8],
    blocks: &'a [u8],
}

impl<'a> Dictionary<'a> {
    /// `None` for bytes that cannot be a dictionary.
    pub(super) fn open(bytes: &'a [u8]) -> Option<Dictionary<'a>> {
        let terms = u32::from_le_bytes(*bytes.first_chunk::<HEADER>()?) as usize;
        let length = terms.div_ceil(BLOCK).checked_mul(4)?;
        let (heads, blocks) = bytes.get(HEADER..)?.split_at_checked(length)?;
        Some(Dictionary { heads, blocks })
    }

    /// A term's entry.
    pub(super) fn get(&self, term: &[u8]) -> Option<Entry> {
        // The last block whose first term is not greater.
        let (mut low, mut high) = (0, self.heads.len() / 4);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.first_of(middle)? <= term {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        let mut block = self.block(low.checked_sub(1)?)?;
        for _ in 0..BLOCK {
            let (found, entry) = block.next_term()?;
            match found.cmp(term) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => return Some(entry),
                std::cmp::Ordering::Greater => return None,
            }
        }
        None
    }

    /// Every term in order, with its entry.
    pub(super) fn walk(&self) -> Walk<'a> {
        Walk {
            dictionary: *self,
            next: 0,
            block: None,
            left: 0,
        }
    }

    /// The first term of a block: it shares nothing with one before.
    fn first_of(&self, number: usize) -> Option<&'a [u8]> {
        let mut reader = self.reader_of(number)?;
        let (_postings, _shared) = (reader.number()?, reader.number()?);
        let length = reader.number()?;
        reader.piece(length)
    }

    fn reader_of(&self, number: usize) -> Option<Reader<'a>> {
        let head = u32::from_le_bytes(*self.heads.get(number * 4..)?.first_chunk()?);
        Some(Reader::new(self.blocks.get(head as usize..)?))
    }

    fn block(&self, number: usize) -> Option<Block<'a>> {
        let mut reader = self.reader_of(number)?;
        Some(Block {
            postings: reader.number()?,
            reader,
            term: Vec::new(),
        })
    }
}

/// A block while it is read.
#[derive(Debug)]
struct Block<'a> {
    reader: Reader<'a>,
    /// Where the postings of the next term begin.
    postings: u64,
    term: Vec<u8>,
}

impl Block<'_> {
    fn next_term(&mut self) -> Option<(&[u8], Entry)> {
        let shared = usize::try_from(self.reader.number()?).ok()?;
        let length = self.reader.number()?;
        let rest = self.reader.piece(length)?;
        if shared > self.term.len() {
            return None;
        }
        self.term.truncate(shared);
        self.term.extend_from_slice(rest);
        let holding = self.reader.number()?;
        let end = self.postings.checked_add(self.reader.number()?)?;
        let postings = usize::try_from(self.postings).ok()?..usize::try_from(end).ok()?;
        self.postings = end;
        Some((&self.term, Entry { holding, postings }))
    }
}

/// Goes through a dictionary.
#[derive(Debug)]
pub(super) struct Walk<'a> {
    dictionary: Dictionary<'a>,
    next: usize,
    block: Option<Block<'a>>,
    left: usize,
}

impl Walk<'_> {
    /// The next term; `None` at the end, and where the bytes are no dictionary.
    pub(super) fn next_term(&mut self) -> Option<(&[u8], Entry)> {
        if self.left == 0 {
            self.block = Some(self.dictionary.block(self.next)?);
            self.next += 1;
            self.left = BLOCK;
        }
        self.left -= 1;
        self.block.as_mut()?.next_term()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn every_term_is_found_and_no_other(
            terms in prop::collection::btree_map("[a-c]{1,5}|\\PC{1,3}", (1u64..1000, 0usize..300), 0..80),
            other in "[a-c]{1,5}",
        ) {
            let mut builder = DictionaryBuilder::default();
            let mut expected = BTreeMap::new();
            let mut next = 0;
            for (term, (holding, length)) in &terms {
                builder.add(term.as_bytes(), *holding, *length);
                expected.insert(term.clone(), Entry { holding: *holding, postings: next..next + length });
                next += length;
            }
            let bytes = builder.finish();
            let dictionary = Dictionary::open(&bytes).unwrap();
            for (term, entry) in &expected {
                let found = dictionary.get(term.as_bytes());
                prop_assert_eq!(found.as_ref(), Some(entry));
            }
            let found = dictionary.get(other.as_bytes());
            prop_assert_eq!(found.as_ref(), expected.get(&other));
            let mut walk = dictionary.walk();
            let mut walked = Vec::new();
            while let Some((term, entry)) = walk.next_term() {
                walked.push((String::from_utf8(term.to_vec()).unwrap(), entry));
            }
            prop_assert_eq!(walked, expected.into_iter().collect::<Vec<_>>());
        }
    }
}
