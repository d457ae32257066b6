//! Texts that repeat themselves: where the same atoms stand as before, the same forms end.
//!
//! Names that begin alike are followed over many atoms at each place of a text that is made of their beginnings. Such a
//! text repeats itself, and what was found behind a stretch of it need not be looked for again.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher};

use foldhash::fast::RandomState;

use super::atoms::Atoms;
use super::keys::MAX_ATOMS;

/// So many atoms are compared: those of the longest name, and the one behind it.
const WINDOW: usize = MAX_ATOMS + 1;
/// So many stretches are remembered.
const MOST_KEPT: usize = 1 << 16;
/// So many stretches may be unknown, over those that are known, before remembering is given up.
const MOST_UNKNOWN: usize = 1 << 13;
const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;

/// What was found behind the stretches of a text.
pub(super) struct Repeats {
    /// A number for each atom, by all that a walk sees of it.
    atoms: Vec<u64>,
    /// A number for the window that begins with each atom.
    windows: Vec<u64>,
    kept: HashMap<u64, Kept, RandomState>,
    /// How often a stretch was not known, less how often it was.
    unknown: usize,
}

/// The forms behind a stretch: in which part, their numbers there, and over how many atoms they reach.
struct Kept {
    start: usize,
    ends: Vec<(usize, u64, usize)>,
}

impl Repeats {
    pub(super) fn of(text: &Atoms) -> Repeats {
        let state = RandomState::default();
        let atoms: Vec<u64> = text
            .list()
            .iter()
            .map(|atom| {
                let mut hasher = state.build_hasher();
                (text.text_of(atom.token), atom.link).hash(&mut hasher);
                for whole in text.wholes(atom) {
                    (text.text_of(whole.token), whole.length).hash(&mut hasher);
                }
                hasher.finish()
            })
            .collect();
        let last = (1..WINDOW).fold(1_u64, |power, _| power.wrapping_mul(FACTOR));
        let mut windows = vec![0; atoms.len()];
        let mut window = 0_u64;
        for at in (0..atoms.len()).rev() {
            let leaves = atoms.get(at + WINDOW).copied().unwrap_or(0);
            window = window
                .wrapping_sub(leaves.wrapping_mul(last))
                .wrapping_mul(FACTOR)
                .wrapping_add(atoms[at]);
            windows[at] = window;
        }
        Repeats {
            atoms,
            windows,
            kept: HashMap::default(),
            unknown: 0,
        }
    }

    /// Whether the text hardly repeats itself, so that remembering costs more than it saves.
    pub(super) fn is_idle(&self) -> bool {
        self.unknown > MOST_UNKNOWN
    }

    fn window(&self, start: usize) -> &[u64] {
        &self.atoms[start..self.atoms.len().min(start + WINDOW)]
    }

    /// Gives the forms that end behind `start`, when the same atoms stand there as at a place before.
    pub(super) fn recall(&mut self, start: usize, ends: &mut Vec<(usize, u64, usize)>) -> bool {
        let kept = self.kept.get(&self.windows[start]);
        let Some(kept) = kept.filter(|kept| self.window(kept.start) == self.window(start)) else {
            self.unknown += 1;
            return false;
        };
        self.unknown = self.unknown.saturating_sub(1);
        ends.extend(
            kept.ends
                .iter()
                .map(|(part, value, length)| (*part, *value, start + length)),
        );
        true
    }

    /// Remembers the forms that end behind `start`; `reach` is the first atom that they do not depend on.
    pub(super) fn keep(&mut self, start: usize, reach: usize, ends: &[(usize, u64, usize)]) {
        if reach > start + WINDOW {
            return;
        }
        if self.kept.len() >= MOST_KEPT {
            self.kept.clear();
        }
        let ends = ends.iter().map(|(part, value, end)| (*part, *value, end - start));
        let ends = ends.collect();
        self.kept.insert(self.windows[start], Kept { start, ends });
    }
}
