use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::{Field, Query, Scored, Scorer, Searchable, Statistics};
use crate::terms::{Splitter, Use, without_punctuation};

/// The exact scan: documents tokenised in memory. It is what the mapped segments are tested against.
#[derive(Debug, Clone, Default)]
pub struct Scan {
    vocabulary: Vocabulary,
    /// The terms of all documents, one document after the other.
    entries: Vec<Entry>,
    documents: Vec<Document>,
    total: u64,
    met: Met,
    splitter: Splitter,
}

#[derive(Debug, Clone, Copy)]
struct Document {
    /// Where its entries end.
    end: u32,
    /// Length, in quarters of a term.
    quarters: u64,
}

/// A term in a document.
#[derive(Debug, Clone, Copy)]
struct Entry {
    term: u32,
    /// Weighted frequency, in quarters.
    quarters: u32,
}

#[derive(Debug, Clone, Default)]
struct Vocabulary {
    numbers: HashMap<Box<str>, u32, RandomState>,
    terms: Vec<Term>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Term {
    /// How many documents hold it.
    holding: u32,
    /// Its latest entry, plus one.
    latest: u32,
}

impl Vocabulary {
    fn number(&mut self, text: &str) -> u32 {
        if let Some(number) = self.numbers.get(text) {
            return *number;
        }
        let number = self.terms.len() as u32;
        self.terms.push(Term::default());
        self.numbers.insert(text.into(), number);
        number
    }
}

/// Terms of chunks of text that were met before: the same words come again and again.
#[derive(Debug, Clone, Default)]
struct Met {
    /// Chunks below 16 bytes, with their length in the last byte, so that no string is compared.
    short: HashMap<u128, (u32, u32), RandomState>,
    terms: Vec<u32>,
}

impl Met {
    /// So many chunks are remembered.
    const MOST: usize = 1 << 16;

    fn key(chunk: &str) -> Option<u128> {
        let mut bytes = [0; 16];
        bytes
            .get_mut(..chunk.len())
            .filter(|_| chunk.len() < 16)?
            .copy_from_slice(chunk.as_bytes());
        bytes[15] = chunk.len() as u8;
        Some(u128::from_le_bytes(bytes))
    }
}

impl Scan {
    /// An empty collection.
    pub fn new() -> Scan {
        Scan::default()
    }

    /// Adds a document and returns its number. Its length is the sum of its terms' weights.
    pub fn add(&mut self, fields: &[Field<'_>]) -> usize {
        let start = self.entries.len() as u32;
        let mut quarters = 0;
        for field in fields {
            let weight = field.quarters();
            if weight > 0 {
                for chunk in field.text.split_ascii_whitespace() {
                    quarters += u64::from(weight) * self.add_chunk(start, weight, chunk);
                }
            }
        }
        self.total += quarters;
        self.documents.push(Document {
            end: self.entries.len() as u32,
            quarters,
        });
        self.documents.len() - 1
    }

    /// Adds to `scores`, by document, what each holds of the query's terms, as [`Segment::add_scores`] does.
    ///
    /// [`Segment::add_scores`]: super::Segment::add_scores
    ///
    /// # Panics
    /// When `scores` has fewer places than there are documents.
    pub fn add_scores(&self, query: &Query, scorer: &Scorer, scores: &mut [f64]) {
        self.each_score(query, scorer, &mut |document, bm25| scores[document] += bm25);
    }

    /// The distinct terms that documents hold, in order, each with its documents and how often they hold it in quarters.
    pub(super) fn postings(&self) -> Vec<(&str, Vec<(u32, u32)>)> {
        let mut found: Vec<Vec<(u32, u32)>> = self
            .vocabulary
            .terms
            .iter()
            .map(|term| Vec::with_capacity(term.holding as usize))
            .collect();
        let mut start = 0;
        for (document, ends) in (0..).zip(&self.documents) {
            for entry in &self.entries[start..ends.end as usize] {
                found[entry.term as usize].push((document, entry.quarters));
            }
            start = ends.end as usize;
        }
        let mut terms: Vec<(&str, Vec<(u32, u32)>)> = self
            .vocabulary
            .numbers
            .iter()
            .map(|(term, number)| (term.as_ref(), std::mem::take(&mut found[*number as usize])))
            .filter(|(_, found)| !found.is_empty())
            .collect();
        terms.sort_unstable_by_key(|(term, _)| *term);
        terms
    }

    /// The length of each document, in quarters of a term.
    pub(super) fn lengths(&self) -> Vec<u64> {
        self.documents.iter().map(|document| document.quarters).collect()
    }

    /// Hands out every document that holds a term, with its score.
    fn each_score(&self, query: &Query, scorer: &Scorer, each: &mut dyn FnMut(usize, f64)) {
        // For each term of ours its place in the query, plus one.
        let mut asked = vec![0_u32; self.vocabulary.terms.len()];
        for (place, term) in query.terms.iter().enumerate() {
            if let Some(number) = self.vocabulary.numbers.get(term.as_str()) {
                asked[*number as usize] = place as u32 + 1;
            }
        }
        let mut held: Vec<(u32, u32)> = Vec::new();
        let mut start = 0;
        for (number, document) in self.documents.iter().enumerate() {
            held.clear();
            for entry in &self.entries[start..document.end as usize] {
                let place = asked[entry.term as usize];
                if place > 0 {
                    held.push((place - 1, entry.quarters));
                }
            }
            start = document.end as usize;
            if held.is_empty() {
                continue;
            }
            held.sort_unstable();
            let length = document.quarters as f64 / 4.0;
            let mut bm25 = 0.0;
            for (place, quarters) in &held {
                bm25 += scorer.part(*place as usize, f64::from(*quarters) / 4.0, length);
            }
            each(number, bm25);
        }
    }

    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether there is no document.
    pub fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// Adds the terms of a chunk to the document whose entries begin at `start`, and says how many they were.
    fn add_chunk(&mut self, start: u32, weight: u32, chunk: &str) -> u64 {
        let chunk = without_punctuation(chunk);
        let Scan {
            vocabulary,
            entries,
            met,
            splitter,
            ..
        } = self;
        let key = Met::key(chunk);
        if let Some((from, to)) = key.and_then(|key| met.short.get(&key)) {
            for term in &met.terms[*from as usize..*to as usize] {
                count(&mut vocabulary.terms, entries, *term, start, weight);
            }
            return u64::from(to - from);
        }
        let from = met.terms.len();
        splitter.each(chunk, Use::Document, &mut |text| {
            met.terms.push(vocabulary.number(text));
        });
        for term in &met.terms[from..] {
            count(&mut vocabulary.terms, entries, *term, start, weight);
        }
        let number = met.terms.len() - from;
        match key {
            Some(key) if met.short.len() < Met::MOST => {
                met.short.insert(key, (from as u32, met.terms.len() as u32));
            }
            _ => met.terms.truncate(from),
        }
        number as u64
    }
}

fn count(terms: &mut [Term], entries: &mut Vec<Entry>, term: u32, start: u32, weight: u32) {
    let known = &mut terms[term as usize];
    if known.latest > start {
        let entry = &mut entries[known.latest as usize - 1];
        entry.quarters = entry.quarters.saturating_add(weight);
        return;
    }
    entries.push(Entry {
        term,
        quarters: weight,
    });
    known.latest = entries.len() as u32;
    known.holding += 1;
}

impl Searchable for Scan {
    fn statistics(&self, query: &Query) -> Statistics {
        let holding = |term: &String| {
            let number = self.vocabulary.numbers.get(term.as_str());
            number.map_or(0, |number| {
                u64::from(self.vocabulary.terms[*number as usize].holding)
            })
        };
        Statistics {
            documents: self.documents.len() as u64,
            total_length: self.total as f64 / 4.0,
            holding: query.terms.iter().map(holding).collect(),
        }
    }

    fn score(&self, query: &Query, all: &Statistics) -> Vec<Scored> {
        let mut scored = Vec::new();
        self.each_score(query, &Scorer::new(query, all), &mut |document, bm25| {
            scored.push(Scored { document, bm25 });
        });
        scored
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(texts: &[&str]) -> Scan {
        let mut scan = Scan::new();
        for text in texts {
            scan.add(&[Field { text, weight: 1.0 }]);
        }
        scan
    }

    fn ask(scan: &Scan, query: &str) -> Vec<Scored> {
        let query = Query::parse(query);
        scan.score(&query, &scan.statistics(&query))
    }

    #[test]
    fn four_documents_by_hand() {
        let scan = of(&["red apple", "red red car", "green apple tree house", "blue sky"]);
        let query = Query::parse("red apple");
        let statistics = scan.statistics(&query);
        assert_eq!(
            statistics,
            Statistics {
                documents: 4,
                total_length: 11.0,
                holding: vec![2, 2]
            }
        );
        let ln2 = 2.0_f64.ln();
        let part = |tf: f64, length: f64| ln2 * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * length / 2.75));
        let scores = scan.score(&query, &statistics);
        let expected = [
            (0, part(1.0, 2.0) * 2.0),
            (1, part(2.0, 3.0)),
            (2, part(1.0, 4.0)),
        ];
        assert_eq!(scores.len(), expected.len());
        for (scored, (document, score)) in scores.iter().zip(expected) {
            assert_eq!(scored.document, document);
            assert!(
                (scored.bm25 - score).abs() < 1e-12,
                "{document}: {} is not {score}",
                scored.bm25
            );
        }
    }

    #[test]
    fn questions_of_common_words_alone_still_find() {
        let scan = of(&["the cat", "the dog", "the"]);
        assert_eq!(ask(&scan, "the").len(), 3);
        assert!(ask(&scan, "the").iter().all(|hit| hit.bm25 > 0.0));
    }

    #[test]
    fn a_field_counts_by_its_weight_in_quarters() {
        let mut scan = Scan::new();
        scan.add(&[
            Field {
                text: "deploy",
                weight: 1.0,
            },
            Field {
                text: "ci deploy",
                weight: 0.5,
            },
            Field {
                text: "unseen",
                weight: 0.0,
            },
            Field {
                text: "unseen",
                weight: f64::NAN,
            },
            Field {
                text: "unseen",
                weight: -1.0,
            },
        ]);
        let query = Query::parse("deploy unseen");
        let statistics = scan.statistics(&query);
        assert_eq!(
            (statistics.total_length, &statistics.holding[..]),
            (2.0, &[1, 0][..])
        );
        let score = scan.score(&query, &statistics)[0].bm25;
        assert_eq!(score, Scorer::new(&query, &statistics).part(0, 1.5, 2.0));
    }

    #[test]
    fn nothing_is_found_where_nothing_is() {
        assert_eq!(ask(&Scan::new(), "red"), []);
        assert_eq!(ask(&of(&["", "  "]), "red"), []);
        assert_eq!(ask(&of(&["red"]), ""), []);
    }

    #[test]
    fn identifiers_are_found_whole_and_split() {
        let scan = of(&["call api_gateway first", "the gateway of the api", "unrelated"]);
        let best = |query: &str| {
            let mut hits = ask(&scan, query);
            hits.sort_by(|one, other| other.bm25.total_cmp(&one.bm25));
            hits.into_iter().map(|hit| hit.document).collect::<Vec<_>>()
        };
        assert_eq!(best("api_gateway"), [0, 1]);
        assert_eq!(best("apiGateway").len(), 2);
        assert_eq!(best("gateway").len(), 2);
    }

    /// Scores by the definition, from the terms of every text.
    fn by_definition(texts: &[(String, f64)], query: &Query) -> Vec<f64> {
        let terms: Vec<Vec<String>> = texts.iter().map(|(text, _)| crate::terms(text)).collect();
        let length = |at: usize| terms[at].len() as f64 * texts[at].1;
        let average = (0..texts.len()).map(length).sum::<f64>() / texts.len() as f64;
        (0..texts.len())
            .map(|at| {
                let mut score = 0.0;
                for term in &query.terms {
                    let frequency = terms[at].iter().filter(|t| *t == term).count() as f64 * texts[at].1;
                    let holding = terms.iter().filter(|terms| terms.contains(term)).count() as u64;
                    if frequency > 0.0 {
                        score += crate::bm25::idf(texts.len() as u64, holding)
                            * crate::bm25::saturation(frequency, length(at), average);
                    }
                }
                score
            })
            .collect()
    }

    pub(in crate::search) fn corpus() -> impl Strategy<Value = Vec<(String, f64)>> {
        let word = prop::sample::select(vec![
            "red",
            "Red.",
            "apple",
            "api_gateway",
            "C++",
            "東京",
            "the",
            "trees",
            "a-b",
            "x",
        ]);
        let text = prop::collection::vec(word, 0..8).prop_map(|words| words.join(" "));
        prop::collection::vec(
            (text, (1u8..9).prop_map(|quarters| f64::from(quarters) / 4.0)),
            1..12,
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]

        #[test]
        fn the_scan_is_the_definition_to_the_last_bit(texts in corpus(), cut in 0usize..12, turn in 0usize..12) {
            let query = Query::parse("trees red api gateway 東京 c++ missing");
            let expected = by_definition(&texts, &query);

            // In any order, and in two collections under common statistics, every document has the same score.
            let mut order: Vec<usize> = (0..texts.len()).collect();
            order.rotate_left(turn % texts.len());
            let (mut one, mut other) = (Scan::new(), Scan::new());
            for (place, at) in order.iter().enumerate() {
                let field = Field { text: &texts[*at].0, weight: texts[*at].1 };
                if place < cut { one.add(&[field]) } else { other.add(&[field]) };
            }
            let mut all = one.statistics(&query);
            all.add(&other.statistics(&query));
            let mut found = vec![0.0; texts.len()];
            for hit in one.score(&query, &all) {
                found[order[hit.document]] = hit.bm25;
            }
            for hit in other.score(&query, &all) {
                found[order[hit.document + one.len()]] = hit.bm25;
            }
            let bits = |scores: &[f64]| scores.iter().map(|score| score.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(&found), bits(&expected));
        }
    }
}
