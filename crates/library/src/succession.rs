//! What took the place of what, when rows name each other as successors.

use std::collections::HashMap;
use std::hash::Hash;

/// The successions from some things on, over all that took their place.
///
/// In a ring nobody is the predecessor or successor of another member: rows that say that each of two things took the
/// other's place say nothing about which of them is the present one. What leads out of a ring counts.
#[derive(Debug, Clone)]
pub struct Succession<N> {
    numbers: HashMap<N, usize>,
    nodes: Vec<Node<N>>,
}

#[derive(Debug, Clone)]
struct Node<N> {
    what: N,
    /// Its successors, as they are said.
    after: Vec<usize>,
    /// The lowest number that it is known to lead back to.
    low: usize,
    /// Which ring it is in; of those that are in none each has its own.
    ring: Option<usize>,
}

impl<N: Clone + Eq + Hash> Succession<N> {
    /// The successions from `first` on. `successors` says what is said to have taken a thing's place, the likeliest
    /// first; it is asked once for each.
    pub fn of(first: impl IntoIterator<Item = N>, mut successors: impl FnMut(&N) -> Vec<N>) -> Succession<N> {
        let mut all = Succession {
            numbers: HashMap::new(),
            nodes: Vec::new(),
        };
        // Tarjan's strongly connected components, with the way down in a list: successions can be of any length.
        let mut open: Vec<usize> = Vec::new();
        for start in first {
            let (start, true) = all.number(start) else {
                continue;
            };
            let mut way: Vec<(usize, Vec<N>)> = vec![(start, all.said(start, &mut successors))];
            open.push(start);
            while let Some((at, left)) = way.last_mut() {
                let at = *at;
                if let Some(next) = left.pop() {
                    let (next, is_new) = all.number(next);
                    all.nodes[at].after.push(next);
                    if is_new {
                        let said = all.said(next, &mut successors);
                        way.push((next, said));
                        open.push(next);
                    } else if all.nodes[next].ring.is_none() {
                        all.nodes[at].low = all.nodes[at].low.min(all.nodes[next].low);
                    }
                    continue;
                }
                way.pop();
                let low = all.nodes[at].low;
                if let Some((before, _)) = way.last() {
                    all.nodes[*before].low = all.nodes[*before].low.min(low);
                }
                while low == at && all.nodes[at].ring.is_none() {
                    let Some(member) = open.pop() else { break };
                    all.nodes[member].ring = Some(at);
                }
            }
        }
        all
    }

    fn number(&mut self, what: N) -> (usize, bool) {
        if let Some(number) = self.numbers.get(&what) {
            return (*number, false);
        }
        let number = self.nodes.len();
        self.numbers.insert(what.clone(), number);
        self.nodes.push(Node {
            what,
            after: Vec::new(),
            low: number,
            ring: None,
        });
        (number, true)
    }

    /// The successors of a thing, the last first.
    fn said(&self, number: usize, successors: &mut impl FnMut(&N) -> Vec<N>) -> Vec<N> {
        let mut said = successors(&self.nodes[number].what);
        said.reverse();
        said
    }

    fn ring(&self, of: &N) -> Option<usize> {
        self.nodes[*self.numbers.get(of)?].ring
    }

    /// Whether two things are in one ring. A thing is in one with itself.
    pub fn in_one_ring(&self, one: &N, other: &N) -> bool {
        one == other || self.ring(one).is_some_and(|ring| self.ring(other) == Some(ring))
    }

    /// What took the place of a thing, the likeliest first.
    pub fn after(&self, of: &N) -> impl Iterator<Item = &N> {
        let node = self.numbers.get(of).map(|number| &self.nodes[*number]);
        node.into_iter().flat_map(move |node| {
            let after = node.after.iter().map(|next| &self.nodes[*next]);
            after.filter(|next| next.ring != node.ring).map(|next| &next.what)
        })
    }

    /// The things whose rows name each other, and those that name themselves, each list in the order in which they were
    /// met.
    pub fn rings(&self) -> Vec<Vec<&N>> {
        let mut rings: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for (number, node) in self.nodes.iter().enumerate() {
            if let Some(ring) = node.ring {
                rings[ring].push(number);
            }
        }
        rings.retain(|ring| match ring[..] {
            [] => false,
            [only] => self.nodes[only].after.contains(&only),
            _ => true,
        });
        let things = |ring: Vec<usize>| ring.into_iter().map(|number| &self.nodes[number].what).collect();
        rings.into_iter().map(things).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn succession(of: &[(u8, u8)]) -> Succession<u8> {
        let mut first: Vec<u8> = of.iter().flat_map(|(older, newer)| [*older, *newer]).collect();
        first.sort_unstable();
        Succession::of(first, |older| {
            let said = of.iter().filter(|(one, _)| one == older);
            said.map(|(_, newer)| *newer).collect()
        })
    }

    #[test]
    fn a_ring_has_no_successors_but_those_that_leave_it() {
        let all = succession(&[(1, 2), (2, 3), (3, 1), (3, 4), (4, 4), (4, 5)]);
        let after = |of: u8| all.after(&of).copied().collect::<Vec<_>>();
        assert_eq!(
            (after(1), after(2), after(3), after(4)),
            (vec![], vec![], vec![4], vec![5])
        );
        assert_eq!(all.rings(), [vec![&1, &2, &3], vec![&4]]);
        assert!(after(9).is_empty() && !all.in_one_ring(&3, &4));
    }

    #[test]
    fn a_succession_may_be_long() {
        let all = Succession::of([0_u32], |older| {
            (*older < 200_000).then_some(older + 1).into_iter().collect()
        });
        assert_eq!(all.after(&199_999).next(), Some(&200_000));
        assert!(all.rings().is_empty());
    }

    proptest! {
        #[test]
        fn one_leads_to_the_other_and_back_is_one_ring(of in prop::collection::vec((0_u8..8, 0_u8..8), 0..16)) {
            let mut leads = [[false; 8]; 8];
            of.iter().for_each(|(one, other)| leads[usize::from(*one)][usize::from(*other)] = true);
            for (over, one, other) in (0..512).map(|n| (n >> 6, n >> 3 & 7, n & 7)) {
                leads[one][other] |= leads[one][over] && leads[over][other];
            }
            let all = succession(&of);
            for (one, other) in &of {
                let ring = leads[usize::from(*other)][usize::from(*one)];
                prop_assert_eq!(all.in_one_ring(one, other), ring || one == other);
                prop_assert_eq!(all.after(one).any(|next| next == other), !ring);
            }
        }
    }
}
