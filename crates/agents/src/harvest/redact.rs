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

    /// A path with every credential's span replaced. In a path a credential stands between other parts, and the `//`
    /// of an address may have been folded: so the whole is looked at with the `//` that it had, then part by part.
    pub(crate) fn path(&mut self, path: &str) -> String {
        let whole = self.text(&unfolded(path));
        let parts: Vec<String> = whole.split('/').map(|part| self.text(part)).collect();
        parts.join("/")
    }

    /// Counts findings that were made elsewhere.
    pub(crate) fn note(&mut self, found: Vec<ken_secrets::Finding>) {
        self.fingerprints
            .extend(found.into_iter().map(|finding| finding.fingerprint));
    }

    /// Counts those that an earlier reading of the same text found.
    pub(crate) fn found_before(&mut self, fingerprints: BTreeSet<String>) {
        self.fingerprints.extend(fingerprints);
    }

    /// Fingerprints of the credentials that were found.
    pub(crate) fn fingerprints(&self) -> &BTreeSet<String> {
        &self.fingerprints
    }

    /// How many different credentials were found.
    pub(crate) fn found(&self) -> usize {
        self.fingerprints.len()
    }
}

/// `https:/host` as `https://host`, for schemes of three letters or more: a drive such as `C:/` is none.
fn unfolded(path: &str) -> String {
    let mut text = String::with_capacity(path.len() + 2);
    for (at, piece) in path.split(":/").enumerate() {
        if at > 0 {
            let letters = text.chars().rev().take_while(char::is_ascii_alphabetic).count();
            text.push_str(if letters >= 3 && !piece.starts_with('/') {
                "://"
            } else {
                ":/"
            });
        }
        text.push_str(piece);
    }
    text
}
