//! From the tree to edicts: every field checked, every default filled, everything wrong reported at once.

use std::collections::HashMap;
use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use ken_files::Clock;

use crate::fields::Fields;
use crate::finding::{Finding, Rule, Severity};
use crate::model::{
    Confidence, Config, Edict, Edicts, HistoryEntry, Pending, SetAside, Ttl, split_history_id,
};
use crate::name::{EdictId, Key, Label};
use crate::node::Node;
use crate::source::Document;
use crate::when::{Calendar, Edge, written};

const TOP: &[&str] = &["version", "config", "edicts", "history"];
const CONFIG: &[&str] = &[
    "maxEdicts",
    "tokenBudget",
    "categories",
    "staleThresholdDays",
    "categoryLimits",
    "defaultCategoryLimit",
    "defaultEphemeralTtlSeconds",
];
/// The fields of an edict, in the order in which they are written.
pub(crate) const EDICT: &[&str] = &[
    "id",
    "text",
    "category",
    "tags",
    "confidence",
    "source",
    "key",
    "ttl",
    "expiresAt",
    "created",
    "updated",
    "lastAccessed",
];

/// Reads the edicts of a document.
pub(crate) fn edicts(path: &Path, document: &Document, clock: &Clock) -> Edicts {
    let mut edicts = Edicts::empty(path.to_owned(), &document.text);
    let Some(root) = &document.root else {
        edicts.findings.push(Finding {
            severity: Severity::Warning,
            rule: Rule::MissingVersion,
            path: path.to_owned(),
            line: 1,
            column: 1,
            edict: None,
            message: "the file is empty; write `version: 1` and `edicts:`, or add an edict".to_owned(),
        });
        return edicts;
    };
    let mut findings = Vec::new();
    let calendar = Calendar::new(clock.zone());
    let mut top = Fields::new(root, path, Rule::BadField, &mut findings);
    top.unknown(TOP);
    if top.value("version").is_none() {
        top.warn(
            Rule::MissingVersion,
            root,
            "`version` is missing and taken as 1; write `version: 1` at the top".to_owned(),
        );
    }
    edicts.config = config(&mut top);
    let lists = ["edicts", "history"].map(|name| {
        let node = top.value(name)?;
        if node.items().is_none() {
            top.error(
                node,
                format!(
                    "`{name}` is {} and must be a list; write one item per `-`",
                    node.described()
                ),
            );
        }
        node.items()
    });
    let [items, history] = lists.map(Option::unwrap_or_default);
    edicts.history = history
        .iter()
        .filter_map(|node| history_entry(path, node, &calendar, &mut findings))
        .collect();
    let mut reading = Reading {
        path,
        now: clock.now(),
        calendar: &calendar,
        config: &edicts.config,
        findings: &mut findings,
        set_aside: Vec::new(),
    };
    let mut read: Vec<(Option<EdictId>, Edict)> = Vec::with_capacity(items.len());
    for (position, node) in items.iter().enumerate() {
        read.extend(reading.edict(node, position));
    }
    edicts.set_aside = reading.set_aside;
    let ids = items
        .iter()
        .chain(history)
        .flat_map(|node| ["id", "supersededBy"].map(|field| node.get(field).and_then(Node::text)))
        .flatten();
    let mut highest = ids
        .filter_map(|id| EdictId::number(id).max(EdictId::number(split_history_id(id).0)))
        .max()
        .unwrap_or(0);
    edicts.edicts = name(path, read, &mut highest, &mut findings);
    edicts.highest = highest;
    findings.sort_by_key(|finding| (finding.line, finding.column));
    edicts.findings = findings;
    edicts.days = calendar.into_days();
    edicts
}

/// Gives every edict an id of its own: the later one of two with the same id, and one without any, gets the id that
/// the next write will put into the file.
fn name(
    path: &Path,
    read: Vec<(Option<EdictId>, Edict)>,
    highest: &mut u64,
    findings: &mut Vec<Finding>,
) -> Vec<Edict> {
    let mut owners: HashMap<EdictId, (usize, u32)> = HashMap::with_capacity(read.len());
    let mut keys: HashMap<Key, u32> = HashMap::new();
    for (number, (given, edict)) in read.iter().enumerate() {
        if let Some(id) = given {
            owners.entry(id.clone()).or_insert((number, edict.line));
        }
    }
    let mut edicts = Vec::with_capacity(read.len());
    for (number, (given, mut edict)) in read.into_iter().enumerate() {
        let mut report = |severity, rule, edict: &Edict, message: String| {
            findings.push(Finding {
                severity,
                rule,
                path: path.to_owned(),
                line: edict.line,
                column: 1,
                edict: Some(edict.id.to_string()),
                message,
            });
        };
        let owner = given.as_ref().and_then(|id| owners.get(id)).copied();
        if owner.is_none_or(|(owner, _)| owner != number) {
            let by_key = edict.key.as_ref().map(EdictId::from);
            edict.id = by_key
                .filter(|id| given.is_none() && !owners.contains_key(id))
                .unwrap_or_else(|| {
                    *highest += 1;
                    EdictId::numbered(*highest)
                });
            edict.pending.id = true;
            owners.insert(edict.id.clone(), (number, edict.line));
            let id = &edict.id;
            match (&given, owner) {
                (Some(given), Some((_, line))) => report(
                    Severity::Warning,
                    Rule::DuplicateId,
                    &edict,
                    format!(
                        "the id `{given}` is also that of the edict on line {line}; this one is read as `{id}`, and the next write puts that down"
                    ),
                ),
                _ => report(
                    Severity::Warning,
                    Rule::MissingDefault,
                    &edict,
                    format!("the id is missing; it is read as `{id}`, and the next write puts that down"),
                ),
            }
        }
        if let Some(key) = &edict.key {
            match keys.get(key) {
                None => {
                    keys.insert(key.clone(), edict.line);
                }
                Some(line) => report(
                    Severity::Error,
                    Rule::DuplicateKey,
                    &edict,
                    format!(
                        "the key `{key}` is also that of the edict on line {line}; remove one of the two, or change its key"
                    ),
                ),
            }
        }
        edicts.push(edict);
    }
    edicts
}

fn config(top: &mut Fields<'_, '_>) -> Config {
    let mut config = Config::default();
    let Some(node) = top.value("config") else {
        return config;
    };
    let mut fields = Fields::new(node, top.path, Rule::BadConfig, top.findings);
    if node.entries().is_none() {
        fields.error(
            node,
            format!(
                "`config` is {} and must be a mapping; its defaults are used until it is corrected",
                node.described()
            ),
        );
        return config;
    }
    fields.unknown(CONFIG);
    if let Some(limit) = fields.number("maxEdicts") {
        config.max_edicts = limit;
    }
    if let Some(limit) = fields.number("tokenBudget") {
        config.token_budget = limit;
    }
    config.categories = fields.labels("categories");
    if let Some(days) = fields.number("staleThresholdDays") {
        config.stale_threshold_days = days;
    }
    config.default_category_limit = fields.number("defaultCategoryLimit");
    if let Some(seconds) = fields.number("defaultEphemeralTtlSeconds") {
        config.default_ephemeral_ttl_seconds = seconds;
    }
    if let Some(limits) = fields.value("categoryLimits") {
        match limits.entries() {
            None => fields.error(
                limits,
                format!(
                    "`categoryLimits` is {} and must be a mapping of category to number",
                    limits.described()
                ),
            ),
            Some(entries) => {
                for (key, value) in entries {
                    match Label::new(key.text().unwrap_or_default()) {
                        Err(why) => fields.error(key, format!("a category of `categoryLimits`: {why}")),
                        Ok(label) => {
                            if let Some(limit) = fields.number_of(&format!("categoryLimits.{label}"), value) {
                                config.category_limits.insert(label, limit);
                            }
                        }
                    }
                }
            }
        }
    }
    config
}

struct Reading<'r> {
    path: &'r Path,
    now: Timestamp,
    calendar: &'r Calendar<'r>,
    config: &'r Config,
    findings: &'r mut Vec<Finding>,
    set_aside: Vec<SetAside>,
}

impl Reading<'_> {
    /// One edict, and the id that the file gives it. A bad one is set aside.
    fn edict(&mut self, node: &Node, position: usize) -> Option<(Option<EdictId>, Edict)> {
        let (now, calendar) = (self.now, self.calendar);
        let mut fields = Fields::new(node, self.path, Rule::BadField, self.findings);
        if node.entries().is_none() {
            fields.error(
                node,
                format!(
                    "an item of `edicts` is {} and must be a mapping with `text` and `category`",
                    node.described()
                ),
            );
            self.set_aside.push(SetAside {
                id: None,
                key: None,
                line: node.line,
            });
            return None;
        }
        let raw = |name: &str| {
            node.get(name)
                .filter(|n| !n.is_null())
                .and_then(Node::text)
                .map(str::to_owned)
        };
        fields.edict = raw("id");
        if let Some(tag) = &node.tag {
            fields.error(
                node,
                format!("the edict has the tag {tag}, which means nothing here; remove the tag"),
            );
        }
        fields.unknown(EDICT);
        for name in ["text", "category"] {
            if fields.value(name).is_none() {
                let at = node.get(name).unwrap_or(node);
                fields.error(at, format!("`{name}` is missing; write it, or remove the edict"));
            }
        }
        let id = fields.parsed("id", EdictId::new);
        let text = fields.filled("text");
        fields.warn_unless_string("text");
        let category = fields.parsed("category", Label::new);
        let tags = fields.labels("tags");
        let confidence = fields
            .parsed("confidence", str::parse::<Confidence>)
            .unwrap_or(Confidence::User);
        let source = fields.string("source").filter(|source| !source.trim().is_empty());
        let key = fields.parsed("key", Key::new);
        let ttl = fields.parsed("ttl", str::parse::<Ttl>).unwrap_or(Ttl::Durable);
        let mut expires_at = fields.instant("expiresAt", calendar, Edge::End);
        let created = fields.instant("created", calendar, Edge::Start);
        let updated = fields.instant("updated", calendar, Edge::Start);
        let last_accessed = fields.instant("lastAccessed", calendar, Edge::Start);
        if fields.bad {
            let (id, key) = (raw("id"), raw("key"));
            self.set_aside.push(SetAside {
                id,
                key,
                line: node.line,
            });
            return None;
        }
        let mut pending = Pending {
            id: id.is_none(),
            created: created.is_none(),
            updated: updated.is_none(),
            expires_at: false,
        };
        let ephemeral_end = |from: Timestamp| {
            let seconds = self.config.default_ephemeral_ttl_seconds.min(i64::MAX as u64) as i64;
            from.checked_add(SignedDuration::from_secs(seconds))
                .unwrap_or(Timestamp::MAX)
        };
        match ttl {
            Ttl::Permanent if expires_at.is_some() => {
                expires_at = None;
                fields.warn(
                    Rule::Expiry,
                    node.get("expiresAt").unwrap_or(node),
                    "a permanent edict never expires, so its `expiresAt` is ignored; remove it, or change `ttl`".to_owned(),
                );
            }
            Ttl::Event if expires_at.is_none() => fields.warn(
                Rule::Expiry,
                node,
                "an edict with `ttl: event` has no `expiresAt` and never expires; write one".to_owned(),
            ),
            Ttl::Ephemeral if expires_at.is_none() => {
                let end = ephemeral_end(created.unwrap_or(now));
                expires_at = Some(end);
                pending.expires_at = true;
                fields.warn(
                    Rule::Expiry,
                    node,
                    format!(
                        "an ephemeral edict has no `expiresAt` and is taken to expire {}; write one",
                        written(end)
                    ),
                );
            }
            _ => {}
        }
        if created.is_none() || updated.is_none() {
            fields.warn(
                Rule::MissingDefault,
                node,
                "`created` or `updated` is missing; the next write fills it".to_owned(),
            );
        }
        let created = created.or(updated).unwrap_or(now);
        let edict = Edict {
            // One without an id is named when all are read.
            id: id.clone().unwrap_or_else(|| EdictId::numbered(0)),
            text: text?,
            category: category?,
            tags,
            confidence,
            source: source.unwrap_or_else(|| "manual".to_owned()),
            key,
            ttl,
            expires_at,
            created,
            updated: updated.unwrap_or(created),
            last_accessed,
            line: node.line,
            position,
            pending,
        };
        Some((id, edict))
    }
}

fn history_entry(
    path: &Path,
    node: &Node,
    calendar: &Calendar<'_>,
    findings: &mut Vec<Finding>,
) -> Option<HistoryEntry> {
    let start = findings.len();
    let mut fields = Fields::new(node, path, Rule::BadHistory, findings);
    if node.entries().is_none() {
        fields.error(
            node,
            format!(
                "an item of `history` is {} and must be a mapping",
                node.described()
            ),
        );
    }
    fields.edict = node.get("id").and_then(Node::text).map(str::to_owned);
    let id = fields.filled("id");
    let text = fields.string("text");
    if id.is_none() && !fields.bad {
        fields.error(node, "`id` is missing; write it, or remove the entry".to_owned());
    }
    let entry = HistoryEntry {
        id: id.unwrap_or_default(),
        text: text.unwrap_or_default(),
        superseded_by: fields.string("supersededBy").unwrap_or_default(),
        archived_at: fields
            .instant("archivedAt", calendar, Edge::Start)
            .unwrap_or(Timestamp::UNIX_EPOCH),
        category: fields.parsed("category", Label::new),
        tags: fields.labels("tags"),
        confidence: fields.parsed("confidence", str::parse),
        source: fields.string("source"),
        key: fields.parsed("key", Key::new),
        ttl: fields.parsed("ttl", str::parse),
        expires_at: fields.instant("expiresAt", calendar, Edge::End),
        created: fields.instant("created", calendar, Edge::Start),
        updated: fields.instant("updated", calendar, Edge::Start),
        line: node.line,
    };
    let bad = fields.bad;
    // What was is not in force, so a bad entry of it never fails a file.
    for finding in &mut findings[start..] {
        finding.severity = Severity::Warning;
    }
    (!bad).then_some(entry)
}

/// The next version for the history of an edict.
pub(crate) fn next_version(history: &[HistoryEntry], id: &str) -> u64 {
    history
        .iter()
        .map(|entry| split_history_id(&entry.id))
        .filter(|(edict, _)| *edict == id)
        .map(|(_, version)| version)
        .max()
        .unwrap_or(0)
        + 1
}
