use std::fmt;
use std::path::PathBuf;

use serde::Serialize;

use crate::kept::{kept_choice, kept_fields};

/// How bad a finding is: `ken edict validate` fails on errors, and on warnings only when it is asked to be strict.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something is not as the contract says. An edict with such a field is not in force.
    Error,
    /// Something that a person should look at. The edict is in force.
    Warning,
}

/// Which rule a finding belongs to, for tools that group or filter findings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Rule {
    /// The whole file cannot be read: syntax, a conflict marker of git, an unknown version.
    Syntax,
    /// A field is missing, of the wrong kind, or holds a value that the contract does not know.
    BadField,
    /// A value of `config` cannot be used; its default is.
    BadConfig,
    /// A key that the contract does not know, close to one that it does.
    UnknownKey,
    /// `version` is missing.
    MissingVersion,
    /// An edict has no id, `created` or `updated`; the next write fills it.
    MissingDefault,
    /// Two edicts have one id.
    DuplicateId,
    /// Two edicts have one key.
    DuplicateKey,
    /// `expiresAt` on a permanent edict, or none on an event or ephemeral one.
    Expiry,
    /// The edict has expired.
    Expired,
    /// A durable edict was not confirmed for longer than `staleThresholdDays`.
    Stale,
    /// A history entry cannot be read.
    BadHistory,
    /// A limit of `config` is exceeded.
    OverLimit,
    /// Four fifths of a limit of `config` are used, or a category has more edicts than it should.
    NearLimit,
    /// The category is not on the list of allowed ones.
    Category,
    /// A credential stands in the file.
    Credential,
    /// The published JSON Schema does not allow something that reading took no offence at.
    Schema,
}

impl Rule {
    /// Every rule, in the order in which they are documented.
    pub const ALL: &[Rule] = &[
        Rule::Syntax,
        Rule::BadField,
        Rule::BadConfig,
        Rule::UnknownKey,
        Rule::MissingVersion,
        Rule::MissingDefault,
        Rule::DuplicateId,
        Rule::DuplicateKey,
        Rule::Expiry,
        Rule::Expired,
        Rule::Stale,
        Rule::BadHistory,
        Rule::OverLimit,
        Rule::NearLimit,
        Rule::Category,
        Rule::Credential,
        Rule::Schema,
    ];

    /// What breaks the rule: one sentence, for tools that list rules.
    pub fn about(self) -> &'static str {
        match self {
            Rule::Syntax => "The whole file cannot be read.",
            Rule::BadField => {
                "A field of an edict is missing, of the wrong kind, or has a value that the contract does not know."
            }
            Rule::BadConfig => "A value of the configuration cannot be used.",
            Rule::UnknownKey => "A key is close to one of the contract and is none.",
            Rule::MissingVersion => "The file does not say its version.",
            Rule::MissingDefault => "An edict lacks a field that the next write fills.",
            Rule::DuplicateId => "Two edicts have one id.",
            Rule::DuplicateKey => "Two edicts have one key.",
            Rule::Expiry => "The expiry does not go with the edict's ttl.",
            Rule::Expired => "The edict has expired.",
            Rule::Stale => "Nobody confirmed a durable edict for long.",
            Rule::BadHistory => "An entry of history cannot be read.",
            Rule::OverLimit => "A limit of the configuration is exceeded.",
            Rule::NearLimit => {
                "A limit of the configuration is nearly used up, or a category has more than it should."
            }
            Rule::Category => "The category is not one of those that are allowed.",
            Rule::Credential => "A credential stands in the file.",
            Rule::Schema => "The published JSON Schema does not allow what stands there.",
        }
    }

    /// The rule's code, as tools print it: `bad-field`.
    pub fn code(self) -> &'static str {
        match self {
            Rule::Syntax => "syntax",
            Rule::BadField => "bad-field",
            Rule::BadConfig => "bad-config",
            Rule::UnknownKey => "unknown-key",
            Rule::MissingVersion => "missing-version",
            Rule::MissingDefault => "missing-default",
            Rule::DuplicateId => "duplicate-id",
            Rule::DuplicateKey => "duplicate-key",
            Rule::Expiry => "expiry",
            Rule::Expired => "expired",
            Rule::Stale => "stale",
            Rule::BadHistory => "bad-history",
            Rule::OverLimit => "over-limit",
            Rule::NearLimit => "near-limit",
            Rule::Category => "category",
            Rule::Credential => "credential",
            Rule::Schema => "schema",
        }
    }
}

/// Something that was found while a file was read or validated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// The rule it belongs to.
    pub rule: Rule,
    /// The file.
    pub path: PathBuf,
    /// Line, counted from 1.
    pub line: u32,
    /// Column in characters, counted from 1.
    pub column: u32,
    /// The id of the edict or history entry it concerns, where there is one.
    pub edict: Option<String>,
    /// What is wrong and what to do: one sentence, lower case.
    pub message: String,
}

kept_choice!(Severity { Error, Warning });
kept_choice!(Rule {
    Syntax,
    BadField,
    BadConfig,
    UnknownKey,
    MissingVersion,
    MissingDefault,
    DuplicateId,
    DuplicateKey,
    Expiry,
    Expired,
    Stale,
    BadHistory,
    OverLimit,
    NearLimit,
    Category,
    Credential,
    Schema,
});
kept_fields!(Finding {
    severity,
    rule,
    path,
    line,
    column,
    edict,
    message
});

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding {
            path,
            line,
            column,
            message,
            ..
        } = self;
        // One line, whatever the file says: a line of its own could be a command to who reads the output.
        let one_line = ken_text::fence::one_line;
        write!(f, "{}:{line}:{column} ", one_line(&path.display().to_string()))?;
        if let Some(edict) = &self.edict {
            write!(f, "{}: ", one_line(edict))?;
        }
        f.write_str(&one_line(message))
    }
}
