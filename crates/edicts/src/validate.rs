use std::path::PathBuf;

use jiff::{SignedDuration, Timestamp};
use ken_files::Clock;
use serde::Serialize;

use crate::finding::{Finding, Rule, Severity};
use crate::limits::{Limits, NearLimit};
use crate::model::{Edict, Edicts, Ttl};
use crate::name::Label;
use crate::node::Node;
use crate::schema::{self, Violation};
use crate::when::written;
use crate::{Error, Store};

/// What a validation says of one file: everything at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The file.
    pub path: PathBuf,
    /// How many of the findings are errors.
    pub errors: usize,
    /// How many are warnings.
    pub warnings: usize,
    /// In the order of the file.
    pub findings: Vec<Finding>,
}

impl Report {
    fn new(path: PathBuf, findings: Vec<Finding>) -> Report {
        let errors = findings
            .iter()
            .filter(|finding| finding.severity == Severity::Error)
            .count();
        Report {
            path,
            errors,
            warnings: findings.len() - errors,
            findings,
        }
    }
}

impl Store {
    /// Checks the file. One that is put aside as a whole has one finding, of [`Rule::Syntax`], which names the place.
    /// [`Error::NoFile`] when there is none.
    pub fn validate(&self, limits: &Limits, clock: &Clock) -> Result<Report, Error> {
        self.validate_by(schema::check, limits, clock)
    }

    fn validate_by(
        &self,
        schema: fn(&Node) -> Vec<Violation>,
        limits: &Limits,
        clock: &Clock,
    ) -> Result<Report, Error> {
        let findings = match self.load(clock) {
            Ok(edicts) => {
                let mut findings = edicts.validate(limits, clock.now());
                let read = &edicts.findings;
                if read.iter().all(|finding| finding.severity != Severity::Error) {
                    findings.extend(self.held_against(schema)?);
                }
                findings
            }
            Err(Error::Parse {
                path,
                line,
                column,
                why,
                remedy,
            }) => vec![Finding {
                severity: Severity::Error,
                rule: Rule::Syntax,
                path,
                line,
                column,
                edict: None,
                message: format!("{why}; {remedy}"),
            }],
            Err(error) => return Err(error),
        };
        Ok(Report::new(self.path().to_owned(), findings))
    }
}

impl Store {
    /// What the published schema does not allow in the file.
    fn held_against(&self, schema: fn(&Node) -> Vec<Violation>) -> Result<Vec<Finding>, Error> {
        let document = self.document()?;
        let violations = document.root.as_ref().map(schema).unwrap_or_default();
        let findings = violations.into_iter().map(|violation| Finding {
            severity: Severity::Error,
            rule: Rule::Schema,
            path: self.path().to_owned(),
            line: violation.line,
            column: violation.column,
            edict: None,
            message: violation.message,
        });
        Ok(findings.collect())
    }
}

impl Edicts {
    /// Everything that is wrong or worth a look: what reading found, and what only the whole shows (limits,
    /// categories, expired and stale edicts, credentials). In the order of the file.
    pub fn validate(&self, limits: &Limits, now: Timestamp) -> Vec<Finding> {
        let mut findings = self.findings.clone();
        let config = self.config.under(limits);
        let mut push = |severity, rule, at: Option<&Edict>, message: String| {
            findings.push(Finding {
                severity,
                rule,
                path: self.path.clone(),
                line: at.map_or(1, |edict| edict.line),
                column: 1,
                edict: at.map(|edict| edict.id.to_string()),
                message,
            });
        };
        for edict in &self.edicts {
            if edict.expired(now) {
                let at = edict.expires_at.map(written).unwrap_or_default();
                push(
                    Severity::Warning,
                    Rule::Expired,
                    Some(edict),
                    format!("it expired {at}; the next write moves it to history"),
                );
                continue;
            }
            if !config.categories.is_empty() && !config.categories.contains(&edict.category) {
                push(
                    Severity::Error,
                    Rule::Category,
                    Some(edict),
                    format!(
                        "the category `{}` is not one of config.categories; change it, or add it there",
                        edict.category
                    ),
                );
            }
            if is_stale(edict, config.stale_threshold_days, now) {
                let id = &edict.id;
                push(
                    Severity::Warning,
                    Rule::Stale,
                    Some(edict),
                    format!(
                        "nobody confirmed it since {}; if it still holds, run `ken edict confirm {id}`",
                        written(edict.updated)
                    ),
                );
            }
        }
        for near in self.near_limits(limits, now) {
            let NearLimit {
                limit, used, allowed, ..
            } = near;
            if near.is_hard() && near.is_over() {
                push(
                    Severity::Error,
                    Rule::OverLimit,
                    None,
                    format!(
                        "{limit} is {allowed}, and {used} are used; remove or shorten edicts, or raise it"
                    ),
                );
            } else if near.is_hard() || near.is_over() {
                let remedy = "remove or merge edicts in time, or raise it";
                push(
                    Severity::Warning,
                    Rule::NearLimit,
                    None,
                    format!("{}; {remedy}", near.why),
                );
            }
        }
        findings.extend(self.credentials());
        findings.sort_by_key(|finding| (finding.line, finding.column, finding.severity));
        findings
    }

    /// Every credential in a string of an edict or of history.
    fn credentials(&self) -> impl Iterator<Item = Finding> {
        let edicts = self.edicts.iter().map(|edict| {
            let mut strings = vec![edict.id.as_str(), &edict.text, &edict.category, &edict.source];
            strings.extend(edict.key.as_deref().filter(|key| edict.id != **key));
            strings.extend(edict.tags.iter().map(Label::as_str));
            (edict.line, edict.id.as_str(), strings)
        });
        let history = self.history.iter().map(|entry| {
            let mut strings = vec![entry.id.as_str(), &entry.text];
            strings.extend(entry.category.as_deref());
            strings.extend(entry.source.as_deref());
            strings.extend(entry.key.as_deref());
            strings.extend(entry.tags.iter().map(Label::as_str));
            (entry.line, entry.id.as_str(), strings)
        });
        edicts.chain(history).flat_map(move |(line, id, strings)| {
            let found: Vec<_> = strings.into_iter().flat_map(ken_secrets::scan).collect();
            found.into_iter().map(move |found| Finding {
                severity: Severity::Error,
                rule: Rule::Credential,
                path: self.path.clone(),
                line,
                column: 1,
                edict: Some(id.to_owned()),
                message: format!(
                    "it holds what looks like a credential ({}, {}); take it out, and change the credential",
                    found.kind, found.fingerprint
                ),
            })
        })
    }
}

/// Whether an edict is durable and was not added, changed or confirmed for this many days.
pub fn is_stale(edict: &Edict, days: u32, now: Timestamp) -> bool {
    let age = now.duration_since(edict.updated);
    edict.ttl == Ttl::Durable && age > SignedDuration::from_hours(24 * i64::from(days))
}

#[cfg(test)]
mod tests {
    use jiff::tz::TimeZone;

    use super::*;

    #[test]
    fn what_the_schema_says_beyond_the_reader_is_a_finding() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("edicts.yaml");
        let clock = Clock::pinned("2026-06-15T12:00:00Z".parse().unwrap(), TimeZone::UTC);
        let by = |text: &str| {
            std::fs::write(&path, text).unwrap();
            // A schema that allows no colours.
            let strict = |root: &Node| {
                let items = root
                    .get("edicts")
                    .and_then(Node::items)
                    .unwrap_or_default()
                    .iter();
                let coloured = items.filter_map(|item| item.get("colour"));
                coloured
                    .map(|colour| Violation {
                        line: colour.line,
                        column: colour.column,
                        message: "no colours".to_owned(),
                    })
                    .collect()
            };
            let report = Store::new(&path, None)
                .validate_by(strict, &Limits::default(), &clock)
                .unwrap();
            let shown = report.findings.into_iter().map(|finding| {
                format!(
                    "{}:{} {} {}",
                    finding.line,
                    finding.column,
                    finding.rule.code(),
                    finding.message
                )
            });
            shown.collect::<Vec<_>>()
        };
        let dates = "created: 2026-06-01, updated: 2026-06-01";
        let good = format!("version: 1\nedicts:\n- {{id: a, text: b, category: c, {dates}, colour: red}}\n");
        assert_eq!(
            by(&good),
            [format!(
                "3:{} schema no colours",
                good.lines().nth(2).unwrap().find("red").unwrap() + 1
            )]
        );
        // Where the reader finds an error, its own words are enough.
        let bad = good.replace("text: b", "text: [b]");
        assert!(
            by(&bad).iter().all(|finding| !finding.contains("schema")),
            "{:?}",
            by(&bad)
        );
    }
}
