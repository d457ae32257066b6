//! Validation: the schema, and advice that a schema cannot give.

mod rings;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use crate::fields::day;
use crate::finding::{Finding, Findings, Severity, Trail};
use crate::manifest_read;
use crate::names::key;
use crate::tree::{Node, Position, Value};
use crate::{Error, schema, yaml_read};

/// What validating one file found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The file.
    pub path: PathBuf,
    /// Errors and warnings, in the order of the file.
    pub findings: Vec<Finding>,
}

impl Report {
    /// Whether the manifest conforms: warnings do not count.
    pub fn is_valid(&self) -> bool {
        self.findings
            .iter()
            .all(|finding| finding.severity == Severity::Warning)
    }
}

/// Which findings are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Severities {
    Errors,
    All,
}

/// Validates any file as a manifest, offline. What keeps it from being read at all is an error finding too; only the
/// disk's refusals are errors of the call.
pub fn validate_file(path: &Path) -> Result<Report, Error> {
    let mut reports = validate_files(&[path]);
    reports.pop().expect("a file has a report")
}

/// Validates these files, each as [`validate_file`] does, and what they say together: rows that name each other as
/// successors may stand in several. The reports are in the order of the files.
pub fn validate_files<P: AsRef<Path>>(paths: &[P]) -> Vec<Result<Report, Error>> {
    let mut claims = Vec::new();
    let mut reports: Vec<Result<Report, Error>> = Vec::new();
    for (file, path) in paths.iter().enumerate() {
        let path = path.as_ref();
        let findings = match manifest_read::read_bytes(path) {
            Ok(bytes) => checked(&bytes, path, Severities::All, |tree| {
                claims.extend(rings::claims(tree, file));
            }),
            Err(error @ (Error::NotAFile { .. } | Error::File(ken_files::FileError::TooLarge { .. }))) => {
                let mut findings = Findings::of(path);
                findings.error(Position { line: 1, column: 1 }, &Trail::ROOT, refused(&error));
                findings.all
            }
            Err(error) => {
                reports.push(Err(error));
                continue;
            }
        };
        reports.push(Ok(Report {
            path: path.to_owned(),
            findings,
        }));
    }
    for (file, finding) in rings::findings(&claims, paths) {
        if let Some(Ok(report)) = reports.get_mut(file) {
            report.findings.push(finding);
            in_order(&mut report.findings);
        }
    }
    reports
}

/// The reason without the path, which a finding has already.
fn refused(error: &Error) -> String {
    match error {
        Error::NotAFile { what, .. } => {
            format!("this is {what}, and only regular files are read; put the manifest itself here")
        }
        _ => format!(
            "the file is larger than {} MiB; remove what is not needed",
            manifest_read::MAX_BYTES / 1024 / 1024
        ),
    }
}

/// Validates bytes that stand, or will stand, at `path`.
pub(crate) fn validate_text(bytes: &[u8], path: &Path, wanted: Severities) -> Vec<Finding> {
    checked(bytes, path, wanted, |_| ())
}

/// The same, with a look at what was read.
fn checked(bytes: &[u8], path: &Path, wanted: Severities, look: impl FnOnce(&Node)) -> Vec<Finding> {
    let mut findings = Findings::of(path);
    let tree = match yaml_read::decode(bytes).and_then(yaml_read::parse) {
        Ok(tree) => tree,
        Err(error) => {
            findings.error(error.position, &Trail::ROOT, error.message);
            return findings.all;
        }
    };
    look(&tree);
    schema::check(&tree, &mut findings);
    file_name(&tree, path, &mut findings);
    if wanted == Severities::All {
        advise(&tree, &mut findings);
        // What the schema reports the reader reports again, in other words; where the schema is content, what the
        // reader could not read (a day of the year 0) is an error all the same.
        let passed = findings
            .all
            .iter()
            .all(|finding| finding.severity == Severity::Warning);
        if let Ok((_, _, read)) = manifest_read::read_tree(tree, path) {
            let news = |finding: &Finding| passed || finding.severity == Severity::Warning;
            findings.all.extend(read.into_iter().filter(news));
        }
        in_order(&mut findings.all);
    }
    findings.all
}

fn in_order(findings: &mut [Finding]) {
    findings.sort_by(|a, b| {
        (a.line, a.column, a.severity, &a.pointer).cmp(&(b.line, b.column, b.severity, &b.pointer))
    });
}

fn get<'a>(node: &'a Node, key: &str) -> Option<&'a Node> {
    match &node.value {
        Value::Map(entries) => entries
            .iter()
            .find(|entry| entry.key.text == key)
            .map(|entry| &entry.node),
        _ => None,
    }
}

fn items<'a>(node: &'a Node, key: &str) -> &'a [Node] {
    match get(node, key).map(|node| &node.value) {
        Some(Value::List(items)) => items,
        _ => &[],
    }
}

/// The agent's id is the file's name, or (for kept versions) the folder's.
fn file_name(tree: &Node, path: &Path, findings: &mut Findings<'_>) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let Some(stem) = name.strip_suffix(".l5.yaml") else {
        return;
    };
    let Some(id) = get(tree, "agent").and_then(|agent| get(agent, "id")) else {
        return;
    };
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
    if let Some(Ok(own)) = id.as_text().map(crate::AgentId::new)
        && own.as_str() != stem
        && folder != own.as_str()
    {
        let agent = Trail::ROOT.key("agent");
        findings.error(id.position, &agent.key("id"), manifest_read::other_id(&own, stem));
    }
}

/// Where names of rows are listed, by section.
const SECTIONS: [(&str, Option<&str>); 4] = [
    ("recent_sessions", Some("project_focus")),
    ("known_entities", None),
    ("known_workstreams", Some("related_entities")),
    ("notes", Some("related_entities")),
];

fn advise(tree: &Node, findings: &mut Findings<'_>) {
    let policy = get(tree, "visibility_policy");
    let has_default = policy
        .and_then(|policy| get(policy, "default"))
        .is_some_and(|node| !node.is_null());
    let has_tags = policy
        .and_then(|policy| get(policy, "team_tags"))
        .is_some_and(|node| !node.is_null());
    let mut names: HashSet<String> = HashSet::new();
    for row in items(tree, "known_entities")
        .iter()
        .chain(items(tree, "known_workstreams"))
    {
        names.extend(get(row, "name").and_then(Node::as_text).map(key));
        names.extend(items(row, "aliases").iter().filter_map(Node::as_text).map(key));
    }
    let mut undeclared = None;
    for (section, references) in SECTIONS {
        let trail = Trail::ROOT.key(section);
        for (index, row) in items(tree, section).iter().enumerate() {
            let trail = trail.index(index);
            let speaks = get(row, "visibility").is_some_and(|node| !node.is_null())
                || has_tags && !items(row, "tags").is_empty();
            if !speaks && !has_default {
                undeclared
                    .get_or_insert((row.position, trail.pointer(), 0_usize))
                    .2 += 1;
            }
            row_advice(row, &trail, findings);
            let references = references.map_or(&[][..], |key| items(row, key));
            let trail = trail.key(if section == "recent_sessions" {
                "project_focus"
            } else {
                "related_entities"
            });
            for (index, reference) in references.iter().enumerate() {
                if let Some(name) = reference.as_text()
                    && !names.contains(&key(name))
                {
                    let message = "no entity or workstream of this manifest has this name; add one or remove the reference";
                    findings.warning(reference.position, &trail.index(index), message);
                }
            }
        }
    }
    if let Some((position, pointer, rows)) = undeclared {
        let rows = if rows == 1 {
            "1 row says".to_owned()
        } else {
            format!("{rows} rows say")
        };
        findings.add(
            Severity::Warning,
            position,
            pointer,
            format!(
                "{rows} nothing about visibility, and the manifest has no default: such rows are team rows on this machine and private elsewhere; add `visibility_policy: {{default: team}}`"
            ),
        );
    }
}

/// What the contract asks of a row beyond its schema.
fn row_advice(row: &Node, trail: &Trail<'_>, findings: &mut Findings<'_>) {
    if let Some(summary) = get(row, "summary")
        && let Some(length) = summary.as_text().map(|text| text.chars().count())
        && length > 500
    {
        let message = format!("the summary has {length} characters, and up to 500 are meant; shorten it");
        findings.warning(summary.position, &trail.key("summary"), message);
    }
    if let Some(actions) = get(row, "key_actions") {
        let count = items(row, "key_actions").len();
        if count > 5 {
            let message =
                format!("{count} key actions stand here, and one to five are meant; keep those that matter");
            findings.warning(actions.position, &trail.key("key_actions"), message);
        }
    }
    let date = |key| get(row, key).and_then(Node::as_text).and_then(day);
    if let (Some(from), Some(to), Some(node)) = (date("valid_from"), date("valid_to"), get(row, "valid_to"))
        && to < from
    {
        let message = format!("`valid_to` is before `valid_from` ({from}); swap or correct them");
        findings.warning(node.position, &trail.key("valid_to"), message);
    }
}
