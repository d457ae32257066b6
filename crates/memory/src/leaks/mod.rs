//! What must not stand in the files that are kept: credentials anywhere, and private rows and names in manifests that
//! leave the machine.

mod baseline;
mod files;
mod look;

use std::path::PathBuf;

use serde::Serialize;

pub use baseline::Baseline;

use crate::{Error, Memory};

/// What is wrong, for tools that filter. The codes stay the same over versions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LeakRule {
    /// A credential.
    Credential,
    /// A private row in a manifest that leaves the machine.
    PrivateRow,
    /// The name of a private thing in a row of a manifest that leaves the machine.
    PrivateName,
    /// A file that could not be looked at.
    Unread,
}

impl LeakRule {
    /// Every rule, in the order in which they are documented.
    pub const ALL: &[LeakRule] = &[
        LeakRule::Credential,
        LeakRule::PrivateRow,
        LeakRule::PrivateName,
        LeakRule::Unread,
    ];

    /// The rule's code: `private-row`.
    pub fn code(self) -> &'static str {
        match self {
            LeakRule::Credential => "credential",
            LeakRule::PrivateRow => "private-row",
            LeakRule::PrivateName => "private-name",
            LeakRule::Unread => "unread",
        }
    }

    /// What breaks the rule: one sentence.
    pub fn about(self) -> &'static str {
        match self {
            LeakRule::Credential => "A credential stands in a file that is kept.",
            LeakRule::PrivateRow => "A private row stands in a manifest that leaves the machine.",
            LeakRule::PrivateName => "A row of a manifest that leaves the machine names something private.",
            LeakRule::Unread => "A file could not be looked at.",
        }
    }
}

/// One thing that must not stand where it does. It never holds the value.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Leak {
    /// The file.
    pub path: PathBuf,
    /// Line, from 1.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The rule.
    pub rule: LeakRule,
    /// What it looks like: the kind of the credential (`github-token`) or of the row (`entity`).
    pub kind: String,
    /// The first 12 hex digits of a hash of the value; empty for a file that could not be looked at.
    pub fingerprint: String,
    /// What it is and what to do: one sentence, lower case.
    pub message: String,
}

/// What is looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeaksRequest {
    /// Files and folders. Without any: the project's edicts and `.agent` folder, and the library of this machine.
    pub paths: Vec<PathBuf>,
    /// What is known and accepted.
    pub baseline: Baseline,
}

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Leaks {
    /// How many files were looked at.
    pub files: usize,
    /// What must not stand where it does, by file and place.
    pub findings: Vec<Leak>,
    /// How many more there are that the baseline accepts.
    pub accepted: usize,
    /// Entries of the baseline that accept nothing any more, as `path kind fingerprint`.
    pub stale: Vec<String>,
}

impl Memory {
    /// Looks for what must not stand in the files that are kept. It follows no link and writes nothing; what cannot be
    /// read is a finding.
    ///
    /// # Errors
    /// [`Error::NotAllowed`] for a remote caller.
    pub fn leaks(&self, request: &LeaksRequest) -> Result<Leaks, Error> {
        self.refuse_remote("looking through this machine's files")?;
        let (kept, mut findings) = self.kept_files(&request.paths);
        for file in &kept {
            look::at(file, &self.setting.clock, &mut findings);
        }
        findings.sort();
        findings.dedup();
        let root = self.leaks_root();
        let (findings, accepted, stale) = request.baseline.judge(findings, &root);
        Ok(Leaks {
            files: kept.len(),
            findings,
            accepted,
            stale,
        })
    }

    /// From where the paths of a baseline count: the project's root, else nowhere in particular.
    pub fn leaks_root(&self) -> PathBuf {
        let project = self.setting.project.as_ref();
        project.map(|project| project.root.clone()).unwrap_or_default()
    }
}
