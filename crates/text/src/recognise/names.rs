//! The names as a tree of tokens, in memory.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::Name;
use super::keys::spelling;
use super::{is_common_word, is_everyday_word};

/// A place in the tree.
pub(super) type Node = u32;

/// Who bears a name, and how it must be written.
#[derive(Debug, Clone)]
pub(super) struct Bearer {
    pub(super) id: u32,
    /// For a name that is one everyday word: its own spelling.
    pub(super) exact: Option<Box<str>>,
    /// Whether that word is one of the common ones.
    pub(super) common: bool,
}

/// A tree of names. Tokens are numbers, so that each word of a text is looked up once.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    tokens: HashMap<Box<str>, u32, RandomState>,
    /// For each token the node of the names that begin with it; zero for none.
    roots: Vec<Node>,
    steps: HashMap<(Node, u32), Node, RandomState>,
    /// For each node its bearers.
    bearers: Vec<Vec<Bearer>>,
    number: usize,
}

/// A word that stands in no name.
pub(super) const UNKNOWN: u32 = u32::MAX;

impl Names {
    pub(super) fn new(names: impl IntoIterator<Item = Name>) -> Names {
        let mut tree = Names {
            bearers: vec![Vec::new()],
            ..Names::default()
        };
        for name in names {
            tree.add(&name);
        }
        tree
    }

    fn add(&mut self, name: &Name) {
        let tokens = &mut self.tokens;
        let roots = &mut self.roots;
        let Some(spelling) = spelling(&name.text, &mut |token| match tokens.get(token) {
            Some(token) => *token,
            None => {
                let number = tokens.len() as u32;
                tokens.insert(token.into(), number);
                roots.push(0);
                number
            }
        }) else {
            return;
        };
        self.number += 1;
        let common = spelling.one_word && is_common_word(&spelling.cased);
        let everyday = common || spelling.one_word && is_everyday_word(&spelling.cased);
        let exact = everyday.then(|| spelling.cased.into_boxed_str());
        for form in &spelling.forms {
            let mut node = 0;
            for (at, (joined, token)) in form.iter().enumerate() {
                let free = self.bearers.len() as Node;
                let next = if at == 0 {
                    let root = &mut self.roots[*token as usize];
                    if *root == 0 {
                        *root = free;
                    }
                    *root
                } else {
                    *self.steps.entry((node, label(*joined, *token))).or_insert(free)
                };
                if next == free {
                    self.bearers.push(Vec::new());
                }
                node = next;
            }
            self.bearers[node as usize].push(Bearer {
                id: name.id,
                exact: exact.clone(),
                common,
            });
        }
    }

    /// How many names there are.
    pub(super) fn len(&self) -> usize {
        self.number
    }

    /// The number of a normalised token.
    pub(super) fn token(&self, folded: &str) -> u32 {
        self.tokens.get(folded).copied().unwrap_or(UNKNOWN)
    }

    /// Where the names that begin with a token are.
    pub(super) fn first(&self, token: u32) -> Option<Node> {
        self.roots.get(token as usize).copied().filter(|node| *node != 0)
    }

    /// Where the names that go on with a token are.
    pub(super) fn next(&self, node: Node, joined: bool, token: u32) -> Option<Node> {
        if token == UNKNOWN {
            return None;
        }
        self.steps.get(&(node, label(joined, token))).copied()
    }

    /// The names that end here.
    pub(super) fn bearers(&self, node: Node) -> &[Bearer] {
        &self.bearers[node as usize]
    }
}

fn label(joined: bool, token: u32) -> u32 {
    token << 1 | u32::from(joined)
}
