//! Credentials go before a text is shortened or kept.

use std::collections::BTreeSet;

/// Takes credentials out of texts and remembers how many different ones there were.
#[derive(Debug, Clone, Default)]
pub(crate) struct Redactor {
    fingerprints: BTreeSet<String>,
}

impl Redactor {
    /// The text with every credential's span replaced.
    pub(crate) fn text(&mut self, text: &str) -> String {
        let (redacted, found) = ken_secrets::Redacted::new(text.to_owned());
        self.note(found);
        redacted.into_inner()
    }

    /// Counts findings that were made elsewhere.
    pub(crate) fn note(&mut self, found: Vec<ken_secrets::Finding>) {
        self.fingerprints
            .extend(found.into_iter().map(|finding| finding.fingerprint));
    }

    /// How many different credentials were found.
    pub(crate) fn found(&self) -> usize {
        self.fingerprints.len()
    }
}
