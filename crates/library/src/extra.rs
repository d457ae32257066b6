//! Keys that this version does not know, or whose values it could not read: kept exactly, in their order.

use ken_secrets::EachString;

use crate::tree::{Entry, Node, Position, Scalar};

/// The unknown keys of one mapping. They survive every reading and writing.
///
/// A key that *is* known stands here too when its value could not be read (a list where one text is wanted, a word
/// that is no level): nothing is lost, validation says where, and a row with an unreadable visibility is withheld.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Extra(Vec<Entry>);

impl Extra {
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Node> {
        self.0
            .iter()
            .find(|entry| entry.key.text == key)
            .map(|entry| &entry.node)
    }

    /// Whether the key is here.
    pub fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// The texts under a key that holds one or several; empty when it is absent or holds anything else.
    pub fn texts(&self, key: &str) -> Vec<&str> {
        self.get(key).and_then(Node::as_texts).unwrap_or_default()
    }

    /// Sets a key, in its old place or at the end.
    pub fn set(&mut self, key: &str, node: Node) {
        match self.0.iter_mut().find(|entry| entry.key.text == key) {
            Some(entry) => entry.node = node,
            None => self.push(Entry {
                position: Position::default(),
                key: Scalar::text(key),
                node,
            }),
        }
    }

    /// Every key with its value, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Node)> {
        self.0.iter().map(|entry| (entry.key.text.as_str(), &entry.node))
    }

    pub(crate) fn push(&mut self, entry: Entry) {
        self.0.push(entry);
    }

    pub(crate) fn entries(&self) -> &[Entry] {
        &self.0
    }

    pub(crate) fn retain(&mut self, keep: impl FnMut(&Entry) -> bool) {
        self.0.retain(keep);
    }

    pub(crate) fn each_node(&mut self, visit: impl Fn(&mut Node)) {
        self.0.iter_mut().for_each(|entry| visit(&mut entry.node));
    }

    pub(crate) fn get_mut(&mut self, key: &str) -> Option<&mut Node> {
        self.0
            .iter_mut()
            .find(|entry| entry.key.text == key)
            .map(|entry| &mut entry.node)
    }
}

impl EachString for Extra {
    fn each_string(&mut self, visit: &mut dyn FnMut(&mut String)) {
        self.0.each_string(visit);
    }
}
