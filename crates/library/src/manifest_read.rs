//! From a YAML tree to a [`Manifest`]: as much as can be read, and a finding for what cannot.

use std::path::{Path, PathBuf};

use ken_files::FileError;

use crate::extra::Extra;
use crate::fields::Reader;
use crate::finding::{Finding, Findings, Trail};
use crate::model::{
    AgentBlock, Entity, Manifest, Note, SPEC_VERSION, Session, VisibilityPolicy, WorkStatus, Workstream,
};
use crate::tree::{Entry, Node, Position, Value};
use crate::yaml_read::{self, YamlError, shortened};
use crate::{AgentId, AgentType, Error};

/// Manifests larger than this are refused.
pub const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// A manifest that was read, and what was found on the way.
#[derive(Debug, Clone)]
pub struct ReadManifest {
    /// The file.
    pub path: PathBuf,
    /// What it says.
    pub manifest: Manifest,
    /// What could not be read (errors), and what was read in spite of itself (warnings). The schema is not consulted.
    pub findings: Vec<Finding>,
    /// BLAKE3 of the file's bytes, in hex.
    pub digest: String,
    /// Where the agent's id stands.
    pub(crate) id_at: Position,
}

/// Reads a manifest without consulting the schema. An unreadable row or value costs itself, not the manifest; only a
/// file that is no YAML document, or names no agent, is refused.
pub fn read_manifest(path: &Path) -> Result<ReadManifest, Error> {
    read_text(&read_bytes(path)?, path)
}

/// As [`read_manifest`], for bytes that stand, or will stand, at `path`.
pub(crate) fn read_text(bytes: &[u8], path: &Path) -> Result<ReadManifest, Error> {
    let unreadable = |error: YamlError| Error::Unreadable {
        path: path.to_owned(),
        line: error.position.line,
        column: error.position.column,
        message: error.message,
    };
    let tree = yaml_read::decode(bytes)
        .and_then(yaml_read::parse)
        .map_err(unreadable)?;
    let (manifest, id_at, findings) = read_tree(tree, path).map_err(unreadable)?;
    Ok(ReadManifest {
        path: path.to_owned(),
        manifest,
        findings,
        digest: digest_of(bytes).to_hex().to_string(),
        id_at,
    })
}

/// As [`read_text`], for the bytes of the file that is named after this agent: they must say so.
pub(crate) fn read_text_of(bytes: &[u8], path: &Path, agent: &AgentId) -> Result<ReadManifest, Error> {
    let read = read_text(bytes, path)?;
    if read.manifest.agent.id == *agent {
        return Ok(read);
    }
    Err(Error::Unreadable {
        path: path.to_owned(),
        line: read.id_at.line,
        column: read.id_at.column,
        message: other_id(&read.manifest.agent.id, agent.as_str()),
    })
}

/// What tells one content of a file from another.
pub(crate) fn digest_of(bytes: &[u8]) -> blake3::Hash {
    blake3::hash(bytes)
}

/// What to say of a manifest whose file bears another name.
pub(crate) fn other_id(id: &AgentId, stem: &str) -> String {
    format!(
        "`agent.id` is {:?} and the file is named after {:?}; make them the same",
        id.as_str(),
        shortened(stem)
    )
}

/// The bytes of a regular file of at most [`MAX_BYTES`]; links and everything else are refused.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, Error> {
    let kind = std::fs::symlink_metadata(path)
        .map_err(|source| FileError::io("read", path, source))?
        .file_type();
    let what = if kind.is_file() {
        return Ok(ken_files::read_bounded(path, MAX_BYTES)?);
    } else if kind.is_symlink() {
        "a link"
    } else if kind.is_dir() {
        "a folder"
    } else {
        "a pipe, socket or device"
    };
    Err(Error::NotAFile {
        path: path.to_owned(),
        what,
    })
}

/// Reads a tree; also says where the agent's id stands.
pub(crate) fn read_tree(tree: Node, file: &Path) -> Result<(Manifest, Position, Vec<Finding>), YamlError> {
    let refuse = |position, message: &str| YamlError {
        position,
        message: message.to_owned(),
    };
    let at = tree.position;
    let Value::Map(entries) = tree.value else {
        let message = format!(
            "a manifest is a mapping, and this is {}; begin with `spec_version: \"0.1\"`",
            tree.kind()
        );
        return Err(refuse(at, &message));
    };
    let mut reader = Reader {
        findings: Findings::of(file),
    };
    let root = Trail::ROOT;
    let (id, id_at) = agent_id(&entries, at)?;
    let mut manifest = Manifest::new(id, AgentType::Other);
    let (mut spec_version, mut spec_at) = (None, at);
    for entry in entries {
        let extra = &mut manifest.extra;
        match entry.key.text.as_str() {
            "spec_version" => {
                spec_at = entry.node.position;
                reader.text(entry, &root, &mut spec_version, extra);
            }
            "agent" => manifest.agent = reader.agent(entry, &root, manifest.agent),
            "last_updated" => reader.instant(entry, &root, &mut manifest.last_updated, extra),
            "capabilities" => reader.texts(entry, &root, &mut manifest.capabilities, extra),
            "recent_sessions" => {
                manifest.sessions = reader.rows(entry, &root, extra, None, Reader::session);
            }
            "known_entities" => {
                manifest.entities = reader.rows(entry, &root, extra, Some("name"), Reader::entity);
            }
            "known_workstreams" => {
                manifest.workstreams = reader.rows(entry, &root, extra, Some("name"), Reader::workstream);
            }
            "notes" => manifest.notes = reader.rows(entry, &root, extra, Some("text"), Reader::note),
            "visibility_policy" => {
                manifest.visibility_policy = reader.policy(entry, &root, extra);
            }
            _ => reader.unknown(entry, &root, extra),
        }
    }
    match spec_version {
        Some(version) => {
            if version != SPEC_VERSION {
                let message = format!(
                    "the manifest is of specification {:?} and this program reads {SPEC_VERSION}; what it does not know is kept and not used",
                    shortened(&version)
                );
                reader
                    .findings
                    .warning(spec_at, &root.key("spec_version"), message);
            }
            manifest.spec_version = version;
        }
        None if manifest.extra.has("spec_version") => {}
        None => reader.findings.error(
            at,
            &root,
            "`spec_version` is missing; write `spec_version: \"0.1\"`",
        ),
    }
    Ok((manifest, id_at, reader.findings.all))
}

/// The one value without which there is no manifest.
fn agent_id(entries: &[Entry], at: Position) -> Result<(AgentId, Position), YamlError> {
    let find = |entries: &[Entry], key: &str| entries.iter().position(|entry| entry.key.text == key);
    let missing = |position, message: &str| YamlError {
        position,
        message: message.to_owned(),
    };
    let agent = find(entries, "agent")
        .map(|found| &entries[found].node)
        .ok_or_else(|| missing(at, "`agent` is missing; add it with an `id` and a `type`"))?;
    let Value::Map(block) = &agent.value else {
        return Err(missing(
            agent.position,
            "`agent` must be a mapping; write its `id` and `type` below it",
        ));
    };
    let id = find(block, "id").map(|found| &block[found].node).ok_or_else(|| {
        missing(
            agent.position,
            "`agent.id` is missing; write the file's name without `.l5.yaml`",
        )
    })?;
    let text = id.as_text().ok_or_else(|| {
        missing(
            id.position,
            "`agent.id` must be a text; write the file's name without `.l5.yaml`",
        )
    })?;
    let checked = AgentId::new(text).map_err(|error| missing(id.position, &error.to_string()))?;
    Ok((checked, id.position))
}

impl Reader<'_> {
    fn agent(&mut self, entry: Entry, at: &Trail<'_>, mut agent: AgentBlock) -> AgentBlock {
        let at = at.key("agent");
        let Value::Map(entries) = entry.node.value else {
            return agent;
        };
        let mut kind = None;
        for entry in entries {
            let extra = &mut agent.extra;
            match entry.key.text.as_str() {
                "id" => {}
                "type" => self.parsed(
                    entry,
                    &at,
                    &mut kind,
                    extra,
                    "a type that the schema lists",
                    |text| text.parse().ok(),
                ),
                "instance" => self.text(entry, &at, &mut agent.instance, extra),
                "role_narrative" => self.text(entry, &at, &mut agent.role_narrative, extra),
                "spec_version_compat" => self.text(entry, &at, &mut agent.spec_version_compat, extra),
                _ => self.unknown(entry, &at, extra),
            }
        }
        agent.kind = kind.unwrap_or(AgentType::Other);
        agent
    }

    fn entity(&mut self, entries: Vec<Entry>, at: &Trail<'_>) -> Entity {
        let mut row = Entity::default();
        let mut name = None;
        for entry in entries {
            let extra = &mut row.extra;
            match entry.key.text.as_str() {
                "name" => self.text(entry, at, &mut name, extra),
                "type" => self.text(entry, at, &mut row.kind, extra),
                "aliases" => self.texts(entry, at, &mut row.aliases, extra),
                "summary" => self.text(entry, at, &mut row.summary, extra),
                "last_touched" => self.date(entry, at, &mut row.last_touched, extra),
                "valid_from" => self.date(entry, at, &mut row.valid_from, extra),
                "valid_to" => self.date(entry, at, &mut row.valid_to, extra),
                "tags" => self.texts(entry, at, &mut row.tags, extra),
                "visibility" => self.level(entry, at, &mut row.visibility, extra),
                _ => self.unknown(entry, at, extra),
            }
        }
        row.name = name.unwrap_or_default();
        row
    }

    fn session(&mut self, entries: Vec<Entry>, at: &Trail<'_>) -> Session {
        let mut row = Session::default();
        for entry in entries {
            let extra = &mut row.extra;
            match entry.key.text.as_str() {
                "date" if entry.node.as_text() == Some("") => {}
                "date" => self.date(entry, at, &mut row.date, extra),
                "cwd" => self.text(entry, at, &mut row.cwd, extra),
                "project_focus" => self.texts(entry, at, &mut row.project_focus, extra),
                "key_actions" => self.texts(entry, at, &mut row.key_actions, extra),
                "files_touched" => self.texts(entry, at, &mut row.files_touched, extra),
                "visibility" => self.level(entry, at, &mut row.visibility, extra),
                "tags" => extra.push(entry),
                _ => self.unknown(entry, at, extra),
            }
        }
        row
    }

    fn workstream(&mut self, entries: Vec<Entry>, at: &Trail<'_>) -> Workstream {
        let mut row = Workstream::new("", WorkStatus::Active);
        row.status = None;
        let mut name = None;
        for entry in entries {
            let extra = &mut row.extra;
            match entry.key.text.as_str() {
                "name" => self.text(entry, at, &mut name, extra),
                "status" => self.parsed(
                    entry,
                    at,
                    &mut row.status,
                    extra,
                    "a status; write active, paused, done or archived",
                    |text| text.parse().ok(),
                ),
                "summary" => self.text(entry, at, &mut row.summary, extra),
                "started" => self.date(entry, at, &mut row.started, extra),
                "last_touched" => self.date(entry, at, &mut row.last_touched, extra),
                "related_entities" => self.texts(entry, at, &mut row.related_entities, extra),
                "tags" => self.texts(entry, at, &mut row.tags, extra),
                "visibility" => self.level(entry, at, &mut row.visibility, extra),
                _ => self.unknown(entry, at, extra),
            }
        }
        row.name = name.unwrap_or_default();
        row
    }

    fn note(&mut self, entries: Vec<Entry>, at: &Trail<'_>) -> Note {
        let mut row = Note::default();
        let mut text = None;
        for entry in entries {
            let extra = &mut row.extra;
            match entry.key.text.as_str() {
                "date" => self.date(entry, at, &mut row.date, extra),
                "text" => self.text(entry, at, &mut text, extra),
                "related_entities" => self.texts(entry, at, &mut row.related_entities, extra),
                "tags" => self.texts(entry, at, &mut row.tags, extra),
                "visibility" => self.level(entry, at, &mut row.visibility, extra),
                _ => self.unknown(entry, at, extra),
            }
        }
        row.text = text.unwrap_or_default();
        row
    }

    fn policy(&mut self, entry: Entry, at: &Trail<'_>, outer: &mut Extra) -> Option<VisibilityPolicy> {
        if self.absent(&entry, at) {
            return None;
        }
        let Value::Map(entries) = entry.node.value else {
            self.unread(entry, at, outer, "a mapping");
            return None;
        };
        let at = at.key("visibility_policy");
        let mut policy = VisibilityPolicy::default();
        for entry in entries {
            let extra = &mut policy.extra;
            match entry.key.text.as_str() {
                "default" => self.level(entry, &at, &mut policy.default, extra),
                "private_tags" => {
                    let mut tags = Vec::new();
                    let null = entry.node.is_null();
                    self.texts(entry, &at, &mut tags, extra);
                    if !null && !extra.has("private_tags") {
                        policy.private_tags = Some(tags);
                    }
                }
                "team_tags" => self.texts(entry, &at, &mut policy.team_tags, extra),
                _ => self.unknown(entry, &at, extra),
            }
        }
        Some(policy)
    }
}
