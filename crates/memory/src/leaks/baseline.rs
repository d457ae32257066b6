//! Findings that are known and accepted.

use std::collections::BTreeSet;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{Leak, LeakRule};

/// Findings that are known and accepted, as they stand in a file: `{"version": 1, "accepted": [...]}`. Lines are not in
/// it: a finding that moves is the same.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    version: u32,
    accepted: BTreeSet<Accepted>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Accepted {
    /// From the root of the repository, with `/` between its parts.
    path: String,
    rule: String,
    kind: String,
    fingerprint: String,
}

impl Accepted {
    fn of(leak: &Leak, root: &Path) -> Accepted {
        let path = leak.path.strip_prefix(root).unwrap_or(&leak.path);
        let parts: Vec<_> = path
            .components()
            .map(|part| part.as_os_str().to_string_lossy())
            .collect();
        Accepted {
            path: parts.join("/"),
            rule: leak.rule.code().to_owned(),
            kind: leak.kind.clone(),
            fingerprint: leak.fingerprint.clone(),
        }
    }
}

impl Baseline {
    /// Reads the text of a baseline's file.
    ///
    /// # Errors
    /// A sentence that says what is wrong with it.
    pub fn parse(text: &str) -> Result<Baseline, String> {
        let baseline: Baseline = serde_json::from_str(text)
            .map_err(|error| format!("it is no baseline: {error}; write it with --write-baseline"))?;
        if baseline.version != 1 {
            return Err(format!(
                "its version is {}, and only 1 is known; write it again with --write-baseline",
                baseline.version
            ));
        }
        Ok(baseline)
    }

    /// A baseline that accepts these findings. What could not be looked at is never accepted: nobody knows what is in
    /// it.
    pub fn accepting(findings: &[Leak], root: &Path) -> Baseline {
        let known = findings.iter().filter(|leak| leak.rule != LeakRule::Unread);
        Baseline {
            version: 1,
            accepted: known.map(|leak| Accepted::of(leak, root)).collect(),
        }
    }

    /// The text of its file.
    pub fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// What is not accepted, how many are, and what accepts nothing any more.
    pub(super) fn judge(&self, findings: Vec<Leak>, root: &Path) -> (Vec<Leak>, usize, Vec<String>) {
        let mut met = BTreeSet::new();
        let all = findings.len();
        let left: Vec<Leak> = findings
            .into_iter()
            .filter(|leak| {
                let entry = Accepted::of(leak, root);
                let accepted = leak.rule != LeakRule::Unread && self.accepted.contains(&entry);
                if accepted {
                    met.insert(entry);
                }
                !accepted
            })
            .collect();
        let stale = self.accepted.difference(&met);
        let stale = stale.map(|entry| format!("{} {} {}", entry.path, entry.kind, entry.fingerprint));
        let accepted = all - left.len();
        (left, accepted, stale.collect())
    }
}
