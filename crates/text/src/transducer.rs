//! A finite-state transducer, in memory or in a mapped file: sorted keys, each with a number.
//!
//! The layout is that of the crate `fst`, whose own reader trusts the bytes and panics on damaged ones; in those this one
//! finds nothing. Every step of a walk goes to a lower address, so that it ends on any bytes. They are built here too:
//! that crate looks for nodes that can be shared, which are few when every key has a number of its own, and takes four
//! times as long for it.
//!
//! A node ends with a byte that says what kind it is, and lies before it from back to front: the bytes that it goes on
//! with, how far back the nodes are that follow, and the numbers that are added on the way there.

/// The layout that `fst` 0.4 writes.
const LAYOUT: u64 = 3;
/// Layout and type, of eight bytes each.
const HEADER: usize = 16;
/// The number of keys and the address of the root, of eight bytes each, and a checksum of four.
const FOOTER: usize = 20;
/// The address of the node that ends a key and goes nowhere: it is not written.
const END: usize = 0;
/// A node with more transitions than this has a table of them.
const MOST_LISTED: usize = 32;
/// The bytes that stand for themselves in the kind of a node with one transition, from 1 on.
const FREQUENT: [u8; 63] = *b"te/oasripcnw.hlm-du012g=:bf3y5&_4v9678k%?xCDASFIBEjPTzRNM+LOqHG";

/// The bytes of a transducer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Transducer<'a> {
    bytes: &'a [u8],
    root: usize,
}

/// Where a walk has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Place {
    node: usize,
    /// What the way here adds up to.
    value: u64,
}

/// A node with any number of transitions, taken apart.
struct Fork {
    transitions: usize,
    /// Where the bytes that it goes on with begin, the last transition first.
    inputs: usize,
    table: bool,
    address_size: usize,
    value_size: usize,
}

/// Builds a transducer from keys in the order of their bytes.
#[derive(Debug)]
pub(crate) struct Builder {
    bytes: Vec<u8>,
    /// The nodes on the way of the key before, from the root on, and some to be used again.
    open: Vec<Node>,
    key: Vec<u8>,
    value: u64,
    /// After so many bytes of the key its number is added: where no other key goes on, or at its end.
    own: usize,
    number: u64,
}

/// A node that is not written yet.
#[derive(Debug, Default)]
struct Node {
    transitions: Vec<Transition>,
    ends: Option<u64>,
}

#[derive(Debug, Clone, Copy)]
struct Transition {
    input: u8,
    value: u64,
    to: usize,
}

impl Builder {
    /// No key yet.
    pub(crate) fn new(kind: u64) -> Builder {
        Builder {
            bytes: [LAYOUT.to_le_bytes(), kind.to_le_bytes()].concat(),
            open: vec![Node::default()],
            key: Vec::new(),
            value: 0,
            own: 0,
            number: 0,
        }
    }

    /// Adds a key, which is not empty and comes after the one before.
    pub(crate) fn insert(&mut self, key: &[u8], value: u64) {
        debug_assert!(
            self.key.as_slice() < key,
            "the keys are sorted and each comes once"
        );
        let same = self.key.iter().zip(key).take_while(|(a, b)| a == b).count();
        self.close(same);
        let most = key.len() + 1;
        if self.open.len() < most {
            self.open.resize_with(most, Node::default);
        }
        self.open[key.len()].ends = Some(0);
        self.key.clear();
        self.key.extend_from_slice(key);
        self.value = value;
        self.own = same;
        self.number += 1;
    }

    /// The bytes. Their checksum is left out: whoever keeps them has one.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        self.close(0);
        let root = std::mem::take(&mut self.open[0]);
        // Also without any key it is written.
        let root = self.write(&root);
        self.bytes.extend(self.number.to_le_bytes());
        self.bytes.extend((root as u64).to_le_bytes());
        self.bytes.extend([0; 4]);
        self.bytes
    }

    /// Writes the nodes of the key before that lie deeper than `depth`.
    fn close(&mut self, depth: usize) {
        self.own = self.own.max(depth);
        if self.own == self.key.len() && self.number > 0 {
            self.open[self.own].ends = Some(self.value);
        }
        for at in (depth..self.key.len()).rev() {
            let mut node = std::mem::take(&mut self.open[at + 1]);
            let to = self.write(&node);
            node.transitions.clear();
            node.ends = None;
            self.open[at + 1] = node;
            self.open[at].transitions.push(Transition {
                input: self.key[at],
                value: if at == self.own { self.value } else { 0 },
                to,
            });
        }
    }

    /// Writes a node and gives its address.
    fn write(&mut self, node: &Node) -> usize {
        let first = self.bytes.len();
        match (node.transitions.as_slice(), node.ends) {
            ([], Some(0)) => return END,
            ([one], None) if one.value == 0 && one.to + 1 == first => self.push_kind(0b1100_0000, one.input),
            ([one], None) => {
                let value_size = if one.value == 0 { 0 } else { size(one.value) };
                let back = distance(first, one.to);
                let address_size = size(back);
                push_sized(&mut self.bytes, one.value, value_size);
                push_sized(&mut self.bytes, back, address_size);
                self.bytes.push((address_size << 4 | value_size) as u8);
                self.push_kind(0b1000_0000, one.input);
            }
            (many, ends) => self.write_fork(first, many, ends),
        }
        self.bytes.len() - 1
    }

    fn write_fork(&mut self, first: usize, transitions: &[Transition], ends: Option<u64>) {
        let most_value = transitions.iter().map(|one| one.value).chain(ends).max();
        let value_size = most_value.filter(|most| *most > 0).map_or(0, size);
        let backs = transitions.iter().map(|one| distance(first, one.to));
        let address_size = backs.max().map_or(0, size);
        let bytes = &mut self.bytes;
        if let Some(value) = ends {
            push_sized(bytes, value, value_size);
        }
        for one in transitions.iter().rev() {
            push_sized(bytes, one.value, value_size);
        }
        for one in transitions.iter().rev() {
            push_sized(bytes, distance(first, one.to), address_size);
        }
        bytes.extend(transitions.iter().rev().map(|one| one.input));
        if transitions.len() > MOST_LISTED {
            let mut table = [u8::MAX; 256];
            for (number, one) in transitions.iter().enumerate() {
                table[usize::from(one.input)] = number as u8;
            }
            bytes.extend(table);
        }
        bytes.push((address_size << 4 | value_size) as u8);
        let kind = if ends.is_some() { 0b0100_0000 } else { 0 };
        match transitions.len() {
            length @ 1..=63 => bytes.push(kind | length as u8),
            256 => bytes.extend([1, kind]),
            length => bytes.extend([length as u8, kind]),
        }
    }

    /// The last byte of a node with one transition, and before it the byte that it goes on with, unless the kind says it.
    fn push_kind(&mut self, kind: u8, input: u8) {
        match NUMBERS[usize::from(input)] {
            0 => self.bytes.extend([input, kind]),
            number => self.bytes.push(kind | number),
        }
    }
}

/// The numbers of [`FREQUENT`] by their bytes; zero for the others.
const NUMBERS: [u8; 256] = {
    let mut numbers = [0; 256];
    let mut at = 0;
    while at < FREQUENT.len() {
        numbers[FREQUENT[at] as usize] = at as u8 + 1;
        at += 1;
    }
    numbers
};

/// How far back a node lies from the first byte of another; zero for the one that is not written.
fn distance(first: usize, to: usize) -> u64 {
    if to == END { 0 } else { (first - to) as u64 }
}

/// How many bytes hold a number, at least one.
fn size(number: u64) -> usize {
    (8 - number.leading_zeros() as usize / 8).max(1)
}

fn push_sized(bytes: &mut Vec<u8>, number: u64, size: usize) {
    bytes.extend_from_slice(&number.to_le_bytes()[..size]);
}

impl<'a> Transducer<'a> {
    /// No key at all.
    pub(crate) const NONE: Transducer<'static> = Transducer { bytes: &[], root: 1 };

    /// The transducer of this type that `bytes` hold. `None` when they begin or end as none does.
    pub(crate) fn open(bytes: &'a [u8], kind: u64) -> Option<Transducer<'a>> {
        if number(bytes, 0)? != LAYOUT || number(bytes, 8)? != kind {
            return None;
        }
        let nodes = bytes.len().checked_sub(FOOTER)?;
        let root = usize::try_from(number(bytes, nodes + 8)?).ok()?;
        // The root is the last node that is written.
        (root >= HEADER && root + 1 == nodes).then_some(Transducer { bytes, root })
    }

    /// Where every walk begins.
    pub(crate) fn root(&self) -> Place {
        Place {
            node: self.root,
            value: 0,
        }
    }

    /// The walk goes on with all of `input`. `None` when no key does.
    pub(crate) fn walk(&self, from: Place, input: &[u8]) -> Option<Place> {
        input.iter().try_fold(from, |place, byte| self.step(place, *byte))
    }

    /// The walk goes on with one byte. `None` when no key does.
    #[inline]
    pub(crate) fn step(&self, from: Place, byte: u8) -> Option<Place> {
        if from.node == END {
            return None;
        }
        let kind = *self.bytes.get(from.node)?;
        if kind < 0b1000_0000 {
            return self.step_from_fork(from, kind, byte);
        }
        let (input, at) = match kind & 0b0011_1111 {
            0 => {
                let at = from.node.checked_sub(1)?;
                (*self.bytes.get(at)?, at)
            }
            number => (FREQUENT[usize::from(number) - 1], from.node),
        };
        if input != byte {
            return None;
        }
        if kind >= 0b1100_0000 {
            // It follows the node that was written just before it.
            return Some(Place {
                node: at.checked_sub(1)?,
                value: from.value,
            });
        }
        let at = at.checked_sub(1)?;
        let (address_size, value_size) = sizes(*self.bytes.get(at)?);
        let addresses = at.checked_sub(address_size)?;
        let first = addresses.checked_sub(value_size)?;
        Some(Place {
            node: self.follow(first, addresses, address_size)?,
            value: from.value.wrapping_add(self.sized(first, value_size)?),
        })
    }

    #[inline]
    fn step_from_fork(&self, from: Place, kind: u8, byte: u8) -> Option<Place> {
        let fork = self.fork(from.node, kind)?;
        // How many transitions lie before this one, counted from the front of the node.
        let before = if fork.table {
            let table = fork.inputs + fork.transitions;
            let number = usize::from(*self.bytes.get(table + usize::from(byte))?);
            (fork.transitions - 1).checked_sub(number)?
        } else {
            let inputs = self.bytes.get(fork.inputs..fork.inputs + fork.transitions)?;
            inputs.iter().position(|input| *input == byte)?
        };
        let addresses = fork.inputs.checked_sub(fork.transitions * fork.address_size)?;
        let values = addresses.checked_sub(fork.transitions * fork.value_size)?;
        let ends = if kind & 0b0100_0000 == 0 {
            0
        } else {
            fork.value_size
        };
        Some(Place {
            node: self.follow(
                values.checked_sub(ends)?,
                addresses + before * fork.address_size,
                fork.address_size,
            )?,
            value: from
                .value
                .wrapping_add(self.sized(values + before * fork.value_size, fork.value_size)?),
        })
    }

    /// The number of the key that ends here. `None` when none does.
    #[inline]
    pub(crate) fn value(&self, place: Place) -> Option<u64> {
        if place.node == END {
            return Some(place.value);
        }
        let kind = *self.bytes.get(place.node)?;
        if kind >> 6 != 0b01 {
            return None;
        }
        let fork = self.fork(place.node, kind)?;
        let values = fork
            .inputs
            .checked_sub(fork.transitions * (fork.address_size + fork.value_size))?;
        let own = self.sized(values.checked_sub(fork.value_size)?, fork.value_size)?;
        Some(place.value.wrapping_add(own))
    }

    #[inline]
    fn fork(&self, node: usize, kind: u8) -> Option<Fork> {
        let mut at = node;
        let transitions = match usize::from(kind & 0b0011_1111) {
            0 => {
                at = at.checked_sub(1)?;
                match usize::from(*self.bytes.get(at)?) {
                    // One transition has a kind of its own, so that this stands for the number that no byte holds.
                    1 => 256,
                    transitions => transitions,
                }
            }
            transitions => transitions,
        };
        at = at.checked_sub(1)?;
        let (address_size, value_size) = sizes(*self.bytes.get(at)?);
        let table = transitions > MOST_LISTED;
        Some(Fork {
            transitions,
            inputs: at.checked_sub(transitions + if table { 256 } else { 0 })?,
            table,
            address_size,
            value_size,
        })
    }

    /// The node that the distance at `at` leads to, from the node whose first byte is at `first`.
    #[inline]
    fn follow(&self, first: usize, at: usize, size: usize) -> Option<usize> {
        match usize::try_from(self.sized(at, size)?).ok()? {
            0 => Some(END),
            back => first.checked_sub(back),
        }
    }

    /// A number of so many bytes, the lowest first.
    #[inline]
    fn sized(&self, at: usize, size: usize) -> Option<u64> {
        match size {
            0 => Some(0),
            // The footer is longer than a number, so that there are always eight bytes to read.
            1..=8 => Some(number(self.bytes, at)? & u64::MAX >> (64 - 8 * size)),
            _ => None,
        }
    }
}

/// Bytes of an address and of a value.
fn sizes(byte: u8) -> (usize, usize) {
    (usize::from(byte >> 4), usize::from(byte & 0b1111))
}

/// Eight bytes as a number, the lowest first.
#[inline]
fn number(bytes: &[u8], at: usize) -> Option<u64> {
    let bytes = bytes.get(at..)?.first_chunk::<8>()?;
    Some(u64::from_le_bytes(*bytes))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    const KIND: u64 = 4711;

    fn built(keys: &BTreeMap<Vec<u8>, u64>) -> Vec<u8> {
        let mut builder = Builder::new(KIND);
        for (key, value) in keys {
            builder.insert(key, *value);
        }
        builder.finish()
    }

    fn built_by_the_crate(keys: &BTreeMap<Vec<u8>, u64>) -> Vec<u8> {
        let mut builder = fst::raw::Builder::new_type(Vec::new(), KIND).unwrap();
        for (key, value) in keys {
            builder.insert(key, *value).unwrap();
        }
        builder.into_inner().unwrap()
    }

    fn get(bytes: &[u8], key: &[u8]) -> Option<u64> {
        let transducer = Transducer::open(bytes, KIND)?;
        transducer.value(transducer.walk(transducer.root(), key)?)
    }

    /// Every place that a walk can reach within so many steps.
    fn explore(transducer: Transducer<'_>, from: Place, depth: usize, left: &mut usize) {
        transducer.value(from);
        for byte in 0..=255 {
            if *left == 0 || depth == 0 {
                return;
            }
            *left -= 1;
            if let Some(next) = transducer.step(from, byte) {
                assert!(next.node < from.node);
                explore(transducer, next, depth - 1, left);
            }
        }
    }

    #[test]
    fn each_byte_is_read_as_it_was_written() {
        for byte in 0..=255 {
            // By itself, before another, and with a number.
            let keys = BTreeMap::from([(vec![b'a', byte, byte, b'z'], u64::from(byte))]);
            for bytes in [built(&keys), built_by_the_crate(&keys)] {
                assert_eq!(get(&bytes, &[b'a', byte, byte, b'z']), Some(u64::from(byte)));
                assert_eq!(get(&bytes, &[b'a', byte]), None);
            }
        }
    }

    #[test]
    fn forks_of_every_width_are_read() {
        for width in [0, 1, 2, 31, 32, 33, 63, 64, 65, 255, 256] {
            let keys: BTreeMap<Vec<u8>, u64> = (0..width)
                .flat_map(|byte| {
                    let byte = byte as u8;
                    [
                        (vec![byte], 1 << (byte % 40)),
                        (vec![byte, 7], 300 * u64::from(byte)),
                    ]
                })
                .collect();
            for bytes in [built(&keys), built_by_the_crate(&keys)] {
                for byte in 0..=255 {
                    for key in [vec![byte], vec![byte, 7], vec![byte, 8]] {
                        assert_eq!(get(&bytes, &key), keys.get(&key).copied(), "{width} {key:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_no_transducer_of_the_kind_is_none() {
        let bytes = built(&BTreeMap::from([(b"orchard".to_vec(), 3)]));
        assert!(Transducer::open(&bytes, KIND).is_some());
        assert!(Transducer::open(&bytes, KIND + 1).is_none());
        assert!(Transducer::open(&[], KIND).is_none());
        for length in 0..bytes.len() {
            assert!(Transducer::open(&bytes[..length], KIND).is_none(), "{length}");
        }
        let mut longer = bytes.clone();
        longer.push(0);
        assert!(Transducer::open(&longer, KIND).is_none());
    }

    fn keys() -> impl Strategy<Value = BTreeMap<Vec<u8>, u64>> {
        let byte = prop_oneof![4 => prop::sample::select(b"abcST ".to_vec()), 1 => any::<u8>()];
        let value = prop_oneof![0_u64..9, any::<u32>().prop_map(u64::from), any::<u64>()];
        prop::collection::btree_map(prop::collection::vec(byte, 1..7), value, 0..40)
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

        #[test]
        fn it_is_read_and_written_as_the_crate_does_it(keys in keys(), others in keys()) {
            let (ours, theirs) = (built(&keys), built_by_the_crate(&keys));
            let readers = [fst::raw::Fst::new(&ours).unwrap(), fst::raw::Fst::new(&theirs).unwrap()];
            prop_assert_eq!(readers[0].stream().into_byte_vec(), readers[1].stream().into_byte_vec());
            for key in keys.keys().chain(others.keys()) {
                prop_assert_eq!(get(&ours, key), keys.get(key).copied());
                prop_assert_eq!(get(&theirs, key), keys.get(key).copied());
                prop_assert_eq!(readers[0].get(key).map(fst::raw::Output::value), keys.get(key).copied());
            }
        }

        #[test]
        fn damaged_bytes_are_walked_to_an_end(
            keys in keys(),
            damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
            cut in any::<prop::sample::Index>(),
        ) {
            let mut bytes = built(&keys);
            for (at, byte) in damage {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
            for bytes in [&bytes[..], &bytes[cut.index(bytes.len())..]] {
                // Past what is checked when it is opened.
                let whole = Transducer { bytes, root: bytes.len().saturating_sub(FOOTER + 1) };
                explore(whole, whole.root(), 12, &mut 20_000);
            }
        }

        #[test]
        fn any_bytes_are_walked_to_an_end(bytes in prop::collection::vec(any::<u8>(), 0..200), root in 0_usize..250) {
            let transducer = Transducer { bytes: &bytes, root };
            explore(transducer, transducer.root(), 12, &mut 20_000);
        }
    }
}
