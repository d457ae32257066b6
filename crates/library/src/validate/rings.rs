//! Rows that name each other as successors, in one manifest or over several.

use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

use super::{get, items};
use crate::Succession;
use crate::finding::{Finding, Severity, Trail};
use crate::names::key;
use crate::tree::{Node, Position, Value};
use crate::yaml_read::shortened;

/// That one thing took another's place, and where that is said.
pub(super) struct Claim {
    file: usize,
    position: Position,
    pointer: String,
    older: Said,
    newer: Said,
}

/// A name with its key.
#[derive(Clone)]
struct Said {
    key: String,
    name: String,
}

impl Said {
    fn new(name: &str) -> Said {
        Said {
            key: key(name),
            name: name.to_owned(),
        }
    }
}

/// So many names, and so many places, are told of one ring.
const MOST_TOLD: usize = 8;

/// What the rows of a manifest say of successions.
pub(super) fn claims(tree: &Node, file: usize) -> Vec<Claim> {
    let mut claims = Vec::new();
    for section in ["known_entities", "known_workstreams"] {
        let section_at = Trail::ROOT.key(section);
        for (index, row) in items(tree, section).iter().enumerate() {
            let Some(name) = get(row, "name").and_then(Node::as_text) else {
                continue;
            };
            let row_at = section_at.index(index);
            for (field, takes) in [("superseded_by", false), ("supersedes", true)] {
                let Some(said) = get(row, field) else { continue };
                let field_at = row_at.key(field);
                let others: Vec<(&Node, String)> = match &said.value {
                    Value::List(said) => (0..)
                        .zip(said)
                        .map(|(at, other)| (other, field_at.index(at).pointer()))
                        .collect(),
                    _ => vec![(said, field_at.pointer())],
                };
                for (node, pointer) in others {
                    let Some(other) = node.as_text() else { continue };
                    let (own, other) = (Said::new(name), Said::new(other));
                    let (older, newer) = if takes { (other, own) } else { (own, other) };
                    claims.push(Claim {
                        file,
                        position: node.position,
                        pointer,
                        older,
                        newer,
                    });
                }
            }
        }
    }
    claims.retain(|claim| !claim.older.key.is_empty() && !claim.newer.key.is_empty());
    claims
}

/// One finding a ring, where the first of its rows says so, with the number of the file.
pub(super) fn findings<P: AsRef<Path>>(claims: &[Claim], paths: &[P]) -> Vec<(usize, Finding)> {
    let mut newer: HashMap<&str, Vec<&str>> = HashMap::new();
    for claim in claims {
        newer.entry(&claim.older.key).or_default().push(&claim.newer.key);
    }
    let first = claims.iter().map(|claim| claim.older.key.as_str());
    let succession = Succession::of(first, |older| newer.get(older).cloned().unwrap_or_default());
    let rings = succession.rings();
    let ring_of: HashMap<&str, usize> = (0..)
        .zip(&rings)
        .flat_map(|(at, ring)| ring.iter().map(move |name| (**name, at)))
        .collect();
    let mut saying: Vec<Vec<&Claim>> = vec![Vec::new(); rings.len()];
    for claim in claims {
        if let Some(ring) = ring_of.get(claim.older.key.as_str())
            && ring_of.get(claim.newer.key.as_str()) == Some(ring)
        {
            saying[*ring].push(claim);
        }
    }
    let findings = rings.iter().zip(saying).filter_map(|(ring, saying)| {
        let claim = *saying.first()?;
        let finding = Finding {
            severity: Severity::Warning,
            file: paths[claim.file].as_ref().to_owned(),
            line: claim.position.line,
            column: claim.position.column,
            pointer: claim.pointer.clone(),
            message: message(ring.len(), &saying, paths),
        };
        Some((claim.file, finding))
    });
    findings.collect()
}

fn message<P: AsRef<Path>>(members: usize, saying: &[&Claim], paths: &[P]) -> String {
    if members == 1 {
        return format!(
            "{:?} is said to have taken its own place, which counts for nothing; remove that, or name what took its place",
            shortened(&saying[0].older.name)
        );
    }
    let mut names: Vec<&Said> = Vec::new();
    for said in saying.iter().flat_map(|claim| [&claim.older, &claim.newer]) {
        if names.len() < MOST_TOLD && !names.iter().any(|known| known.key == said.key) {
            names.push(said);
        }
    }
    let mut message = String::new();
    for (at, said) in names.iter().enumerate() {
        let between = match at {
            0 => "",
            _ if at + 1 == members => " and ",
            _ => ", ",
        };
        let _ = write!(message, "{between}{:?}", shortened(&said.name));
    }
    if members > names.len() {
        let _ = write!(message, " and {} more", members - names.len());
    }
    message.push_str(
        " are said to have taken each other's place, so that none of them counts as another's successor",
    );
    let others = &saying[1..];
    let places: Vec<String> = others
        .iter()
        .take(MOST_TOLD)
        .map(|claim| {
            let place = format!("line {}", claim.position.line);
            match claim.file == saying[0].file {
                true => place,
                false => format!("{} {place}", paths[claim.file].as_ref().display()),
            }
        })
        .collect();
    if !places.is_empty() {
        let _ = write!(message, " (also {}", places.join(", "));
        if others.len() > places.len() {
            let _ = write!(message, " and {} more", others.len() - places.len());
        }
        message.push(')');
    }
    message.push_str("; remove what is wrong of it");
    message
}
