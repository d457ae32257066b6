//! What a cycle reads of each text: its terms with their weights, and a sketch by which near-duplicates are found
//! without comparing all pairs.

use std::collections::HashMap;

use ken_text::{TermHash, TermHashes, bm25};

/// Minima of a sketch.
pub(super) const LANES: usize = 48;

/// A text's sketch: of two, each minimum is the same with the probability of the texts' likeness.
pub(super) type Sketch = [u32; LANES];

/// A text of the log, whoever wrote it and however often.
#[derive(Debug, Clone)]
pub(super) struct Text {
    /// Its distinct terms, by number, and how often each stands in it.
    pub(super) terms: Vec<(u32, u16)>,
    /// How many terms it has, repetitions included.
    pub(super) length: u32,
    /// Of everything with a digit in it, and of whether it denies: what two texts of one thing must share.
    pub(super) values: u64,
}

/// All texts of a log.
#[derive(Debug, Default)]
pub(super) struct Texts {
    pub(super) texts: Vec<Text>,
    /// How rare each term is.
    pub(super) idf: Vec<f64>,
    pub(super) average_length: f64,
    /// The number of a term, by its hash.
    numbers: HashMap<u64, u32, foldhash::fast::FixedState>,
}

struct Raw {
    terms: Vec<(u64, u16)>,
    length: u32,
    values: u64,
}

impl Texts {
    pub(super) fn read(texts: &[&str]) -> Texts {
        let raw = in_parts(texts, |part| {
            let (mut hashes, mut found) = (TermHashes::default(), Vec::new());
            part.iter()
                .map(|text| raw(text, &mut hashes, &mut found))
                .collect()
        });
        let mut numbers: HashMap<u64, u32, foldhash::fast::FixedState> = HashMap::default();
        let mut holding: Vec<u64> = Vec::new();
        let mut read = Vec::with_capacity(raw.len());
        let mut total = 0_u64;
        for text in raw {
            total += u64::from(text.length);
            let mut terms: Vec<(u32, u16)> = text
                .terms
                .into_iter()
                .map(|(hash, count)| {
                    let number = *numbers.entry(hash).or_insert_with(|| {
                        holding.push(0);
                        holding.len() as u32 - 1
                    });
                    holding[number as usize] += 1;
                    (number, count)
                })
                .collect();
            terms.sort_unstable();
            read.push(Text {
                terms,
                length: text.length,
                values: text.values,
            });
        }
        let documents = read.len() as u64;
        Texts {
            idf: holding
                .iter()
                .map(|holding| bm25::idf(documents, *holding))
                .collect(),
            average_length: total as f64 / documents.max(1) as f64,
            texts: read,
            numbers,
        }
    }

    /// The numbers of the terms of a text that may hold others than the log does.
    pub(super) fn terms_of(&self, text: &str) -> Vec<u32> {
        let terms = ken_text::terms(text);
        let known = terms
            .iter()
            .filter_map(|term| self.numbers.get(&TermHash::of(term).hash));
        known.copied().collect()
    }

    /// What two texts share of the weight of all that is in either: Jaccard's index, by the terms' rarity.
    pub(super) fn likeness(&self, one: usize, other: usize) -> f64 {
        let (one, other) = (&self.texts[one].terms, &self.texts[other].terms);
        let (mut shared, mut all, mut i, mut j) = (0.0, 0.0, 0, 0);
        while let (Some((a, _)), Some((b, _))) = (one.get(i), other.get(j)) {
            let idf = &self.idf;
            match a.cmp(b) {
                std::cmp::Ordering::Equal => {
                    shared += idf[*a as usize];
                    all += idf[*a as usize];
                    (i, j) = (i + 1, j + 1);
                }
                std::cmp::Ordering::Less => {
                    all += idf[*a as usize];
                    i += 1;
                }
                std::cmp::Ordering::Greater => {
                    all += idf[*b as usize];
                    j += 1;
                }
            }
        }
        let rest = one[i..].iter().chain(&other[j..]);
        all += rest.map(|(term, _)| self.idf[*term as usize]).sum::<f64>();
        if all > 0.0 { shared / all } else { 0.0 }
    }

    /// How much of the weight of one text stands in the other.
    pub(super) fn part_in(&self, one: usize, other: usize) -> f64 {
        let (one, other) = (&self.texts[one].terms, &self.texts[other].terms);
        let weight = |terms: &mut dyn Iterator<Item = &(u32, u16)>| -> f64 {
            terms.map(|(term, _)| self.idf[*term as usize]).sum()
        };
        let stands = |(term, _): &&(u32, u16)| other.binary_search_by_key(term, |(term, _)| *term).is_ok();
        let all = weight(&mut one.iter());
        if all > 0.0 {
            weight(&mut one.iter().filter(stands)) / all
        } else {
            0.0
        }
    }

    /// The sketches of all texts. The draws are fixed, so that the same log is always grouped alike.
    pub(super) fn sketches(&self) -> Vec<Sketch> {
        let mut hashes = vec![0; self.idf.len()];
        for (hash, number) in &self.numbers {
            hashes[*number as usize] = *hash;
        }
        // The least of exponential draws at the rate of each term's weight is that of the term with the probability of
        // its share in the weight.
        let draws: Vec<Sketch> = hashes
            .iter()
            .zip(&self.idf)
            .map(|(hash, idf)| {
                std::array::from_fn(|lane| {
                    let uniform = (mixed(*hash, lane as u64) >> 11) as f64 / (1_u64 << 53) as f64;
                    // The bits of floats that are not negative are ordered as the floats are.
                    ((-(1.0 - uniform).ln() / idf) as f32).to_bits()
                })
            })
            .collect();
        in_parallel(&self.texts, |text| {
            let mut sketch = [u32::MAX; LANES];
            for (term, _) in &text.terms {
                for (least, draw) in sketch.iter_mut().zip(&draws[*term as usize]) {
                    *least = (*least).min(*draw);
                }
            }
            sketch
        })
    }
}

fn raw(text: &str, hashes: &mut TermHashes, found: &mut Vec<TermHash>) -> Raw {
    found.clear();
    hashes.read(text, found);
    let (mut values, mut denies) = (0_u64, false);
    for term in found.iter() {
        if term.has_digit {
            // Whatever the order.
            values = values.wrapping_add(mixed(term.hash, 0));
        }
        denies ^= term.denies;
    }
    found.sort_unstable();
    let mut terms: Vec<(u64, u16)> = Vec::with_capacity(found.len());
    for term in found.iter() {
        match terms.last_mut() {
            Some((last, count)) if *last == term.hash => *count = count.saturating_add(1),
            _ => terms.push((term.hash, 1)),
        }
    }
    Raw {
        terms,
        length: found.len() as u32,
        values: mixed(values, u64::from(denies) + 1),
    }
}

/// Another number for each pair, spread over all (the finaliser of splitmix64).
pub(super) fn mixed(value: u64, salt: u64) -> u64 {
    let mut z = value ^ salt.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// What `work` makes of each item, in their order, on as many cores as there are.
pub(super) fn in_parallel<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    in_parts(items, |part| part.iter().map(&work).collect())
}

/// The same for few items that take long.
pub(super) fn in_parallel_few<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    in_parts_of(items, 1, |part| part.iter().map(&work).collect())
}

/// What `work` makes of the items, a run of them at a time, on as many cores as there are.
fn in_parts<T: Sync, R: Send>(items: &[T], work: impl Fn(&[T]) -> Vec<R> + Sync) -> Vec<R> {
    /// Fewer are not worth a thread.
    const LEAST: usize = 2_048;
    in_parts_of(items, LEAST, work)
}

fn in_parts_of<T: Sync, R: Send>(items: &[T], least: usize, work: impl Fn(&[T]) -> Vec<R> + Sync) -> Vec<R> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let parts = cores.min(items.len() / least).max(1);
    if parts == 1 {
        return work(items);
    }
    let work = &work;
    std::thread::scope(|scope| {
        let parts = items.chunks(items.len().div_ceil(parts));
        let threads: Vec<_> = parts.map(|part| scope.spawn(move || work(part))).collect();
        let done = threads.into_iter().map(|thread| match thread.join() {
            Ok(done) => done,
            Err(panic) => std::panic::resume_unwind(panic),
        });
        done.flatten().collect()
    })
}
