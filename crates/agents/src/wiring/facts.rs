use serde::{Deserialize, Serialize};

/// What a file was like where setup had to change it, as far as the changed file does not show it by itself.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Facts {
    /// Whether there was a file.
    pub(super) existed: bool,
    /// The whole text, where it was nothing but white space.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) blank: Option<String>,
    /// The containers and values that setup made, as keys from the root.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) made: Vec<Vec<String>>,
    /// The containers that were empty, with what stood between their brackets.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) emptied: Vec<Raw>,
    /// The values that were replaced, as they were written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) replaced: Vec<Raw>,
}

/// A piece of a file at a place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Raw {
    pub(super) path: Vec<String>,
    /// The text; nothing where nothing was.
    pub(super) raw: Option<String>,
}

impl Facts {
    pub(super) fn made(&mut self, path: Vec<String>) {
        if !self.made.contains(&path) {
            self.made.push(path);
        }
    }

    pub(super) fn emptied(&mut self, path: Vec<String>, inner: &str) {
        if !self.emptied.iter().any(|raw| raw.path == path) && !self.made.contains(&path) {
            let raw = Some(inner.to_owned());
            self.emptied.push(Raw { path, raw });
        }
    }

    pub(super) fn replaced(&mut self, path: Vec<String>, raw: Option<String>) {
        if !self.replaced.iter().any(|raw| raw.path == path) {
            self.replaced.push(Raw { path, raw });
        }
    }

    pub(super) fn inner_of(&self, path: &[String]) -> Option<&str> {
        let found = self.emptied.iter().find(|raw| raw.path == path)?;
        found.raw.as_deref()
    }
}

/// Keys from the root as owned strings.
pub(super) fn keys(path: &[impl AsRef<str>]) -> Vec<String> {
    path.iter().map(|key| key.as_ref().to_owned()).collect()
}
