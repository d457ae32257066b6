//! One manifest as a cache: its head, everything but its rows, its rows with a table of where each begins, and what was
//! found when it was read.

use std::sync::Arc;

use ken_files::{CacheFile, CacheFormat, CacheWriter, Section};

use super::Lost;
use super::coder::{Reader, Writer, level_number, level_of};
use super::rows::Kept;
use super::source::Source;
use crate::finding::{Finding, Severity};
use crate::manifest_read::ReadManifest;
use crate::model::{AgentBlock, Entity, Manifest, Note, Session, VisibilityPolicy, Workstream};
use crate::{AgentId, AgentType};

/// The format of a manifest's cache. The version counts what is read from the file, too: raise it whenever the reader
/// of manifests reads anything differently.
pub(crate) const FORMAT: CacheFormat = CacheFormat {
    name: "library rows",
    version: super::VERSION,
};

const HEAD: usize = 0;
const FRAME: usize = 1;
const STARTS: usize = 2;
const ROWS: usize = 3;
const FINDINGS: usize = 4;

/// A manifest's cache, its rows decoded as they are asked for.
#[derive(Debug)]
pub(crate) struct ManifestCache {
    file: CacheFile,
    source: Source,
    head: Section,
    /// The first row of each kind, and the number of all rows.
    firsts: [usize; 5],
}

/// Makes the cache of a manifest that was read from `bytes`.
pub(crate) fn encode(read: &ReadManifest, digest: [u8; 32], bytes: &[u8]) -> CacheWriter {
    let manifest = &read.manifest;
    let mut counting = Writer::counting();
    write_frame(manifest, &mut counting);
    write_rows(manifest, &mut counting, &mut Vec::new());
    let words = counting.repeated();

    let mut head = Writer::new(&[], &[]);
    head.out.extend_from_slice(&digest);
    for rows in counts(manifest) {
        head.number(rows as u64);
    }
    head.number(words.len() as u64);
    for word in &words {
        head.number(word.len() as u64);
        head.out.extend_from_slice(word.as_bytes());
    }
    let mut frame = Writer::new(&words, bytes);
    write_frame(manifest, &mut frame);
    let (mut rows, mut starts) = (Writer::new(&words, bytes), Vec::new());
    write_rows(manifest, &mut rows, &mut starts);
    let mut findings = Writer::new(&[], &[]);
    write_findings(&read.findings, &mut findings);

    let mut cache = CacheWriter::new(FORMAT);
    cache.section(head.out);
    cache.section(frame.out);
    cache.section(starts_of(&starts, rows.out.len()));
    cache.section(rows.out);
    cache.section(findings.out);
    cache
}

fn counts(manifest: &Manifest) -> [usize; 4] {
    [
        manifest.entities.len(),
        manifest.workstreams.len(),
        manifest.sessions.len(),
        manifest.notes.len(),
    ]
}

fn write_rows<'a>(manifest: &'a Manifest, to: &mut Writer<'a>, starts: &mut Vec<u32>) {
    fn kind<'a, T: Kept + 'a>(manifest: &'a Manifest, to: &mut Writer<'a>, starts: &mut Vec<u32>) {
        to.seek(T::SECTION);
        for row in T::of(manifest) {
            starts.push(to.out.len() as u32);
            to.row();
            row.write(to);
        }
    }
    kind::<Entity>(manifest, to, starts);
    kind::<Workstream>(manifest, to, starts);
    kind::<Session>(manifest, to, starts);
    kind::<Note>(manifest, to, starts);
}

/// How many bytes each start takes, of rows that take so many.
fn width_of(rows: usize) -> usize {
    if rows > usize::from(u16::MAX) { 4 } else { 2 }
}

fn starts_of(starts: &[u32], rows: usize) -> Vec<u8> {
    let width = width_of(rows);
    let starts = starts.iter();
    starts
        .flat_map(|start| start.to_le_bytes().into_iter().take(width))
        .collect()
}

fn write_frame<'a>(manifest: &'a Manifest, to: &mut Writer<'a>) {
    let agent = &manifest.agent;
    to.text(&manifest.spec_version);
    to.name(agent.id.as_str());
    to.name(agent.kind.as_str());
    to.optional(agent.instance.as_ref());
    to.optional(agent.role_narrative.as_ref());
    to.optional(agent.spec_version_compat.as_ref());
    to.extra(&agent.extra);
    to.out.push(u8::from(manifest.last_updated.is_some()));
    manifest.last_updated.iter().for_each(|at| to.instant(*at));
    to.texts(&manifest.capabilities);
    to.out.push(u8::from(manifest.visibility_policy.is_some()));
    if let Some(policy) = &manifest.visibility_policy {
        to.number(level_number(policy.default));
        to.out.push(u8::from(policy.private_tags.is_some()));
        policy.private_tags.iter().for_each(|tags| to.texts(tags));
        to.texts(&policy.team_tags);
        to.extra(&policy.extra);
    }
    to.extra(&manifest.extra);
}

fn read_frame(from: &mut Reader<'_>) -> Result<Manifest, Lost> {
    let spec_version = from.text()?;
    let id = AgentId::new(from.text()?).map_err(|_| Lost::Damaged)?;
    let kind: AgentType = from.str()?.parse().map_err(|_| Lost::Damaged)?;
    let mut manifest = Manifest::new(id.clone(), kind);
    manifest.spec_version = spec_version;
    manifest.agent = AgentBlock {
        id,
        kind,
        instance: from.optional()?,
        role_narrative: from.optional()?,
        spec_version_compat: from.optional()?,
        extra: from.extra()?,
    };
    manifest.last_updated = from.flag()?.then(|| from.instant()).transpose()?;
    manifest.capabilities = from.texts()?;
    if from.flag()? {
        manifest.visibility_policy = Some(VisibilityPolicy {
            default: level_of(from.number()?)?,
            private_tags: from.flag()?.then(|| from.texts()).transpose()?,
            team_tags: from.texts()?,
            extra: from.extra()?,
        });
    }
    manifest.extra = from.extra()?;
    from.end()?;
    Ok(manifest)
}

fn write_findings<'a>(findings: &'a [Finding], to: &mut Writer<'a>) {
    to.number(findings.len() as u64);
    for finding in findings {
        to.out.push(u8::from(finding.severity == Severity::Error));
        to.number(u64::from(finding.line));
        to.number(u64::from(finding.column));
        to.text(&finding.pointer);
        to.text(&finding.message);
    }
}

impl ManifestCache {
    /// A cache that belongs to the bytes of `source`.
    pub(crate) fn open(file: CacheFile, source: Source) -> Result<ManifestCache, Lost> {
        let head = file.section(HEAD).ok_or(Lost::Damaged)?;
        let mut reader = Reader::new(&head, &[], &source);
        if reader.take(32)? != source.digest() {
            return Err(Lost::Damaged);
        }
        let mut firsts = [0_usize; 5];
        for kind in 0..4 {
            let rows = usize::try_from(reader.number()?).map_err(|_| Lost::Damaged)?;
            firsts[kind + 1] = firsts[kind].checked_add(rows).ok_or(Lost::Damaged)?;
        }
        Ok(ManifestCache {
            file,
            head,
            firsts,
            source,
        })
    }

    /// Its file, and the manifest's bytes if they were read.
    pub(crate) fn parts(&self) -> (CacheFile, Option<Arc<Vec<u8>>>) {
        (self.file.clone(), self.source.read_already())
    }

    /// How many rows of this kind there are.
    pub(crate) fn len<T: Kept>(&self) -> usize {
        self.firsts[T::KIND + 1] - self.firsts[T::KIND]
    }

    fn words(&self) -> Result<Vec<&str>, Lost> {
        let mut reader = Reader::new(&self.head, &[], &self.source);
        reader.take(32)?;
        for _ in 0..4 {
            reader.number()?;
        }
        (0..reader.count()?)
            .map(|_| {
                let length = reader.count()?;
                std::str::from_utf8(reader.take(length)?).map_err(|_| Lost::Damaged)
            })
            .collect()
    }

    /// The manifest without its rows.
    pub(crate) fn frame(&self) -> Result<Manifest, Lost> {
        let frame = self.file.section(FRAME).ok_or(Lost::Damaged)?;
        read_frame(&mut Reader::new(&frame, &self.words()?, &self.source))
    }

    /// All rows of a kind.
    pub(crate) fn rows<T: Kept>(&self) -> Result<Vec<T>, Lost> {
        self.some(0..self.len::<T>())
    }

    /// One row of a kind.
    pub(crate) fn row<T: Kept>(&self, index: usize) -> Result<T, Lost> {
        let end = index.checked_add(1).ok_or(Lost::Damaged)?;
        self.some(index..end)?.pop().ok_or(Lost::Damaged)
    }

    fn some<T: Kept>(&self, range: std::ops::Range<usize>) -> Result<Vec<T>, Lost> {
        if range.end > self.len::<T>() {
            return Err(Lost::Damaged);
        }
        if range.is_empty() {
            return Ok(Vec::new());
        }
        let starts = self.file.section(STARTS).ok_or(Lost::Damaged)?;
        let rows = self.file.section(ROWS).ok_or(Lost::Damaged)?;
        let words = self.words()?;
        let width = width_of(rows.len());
        let start = |row: usize| -> Result<usize, Lost> {
            let at = row.checked_mul(width).ok_or(Lost::Damaged)?;
            let end = at.checked_add(width).ok_or(Lost::Damaged)?;
            let mut bytes = [0; 4];
            bytes[..width].copy_from_slice(starts.get(at..end).ok_or(Lost::Damaged)?);
            Ok(u32::from_le_bytes(bytes) as usize)
        };
        range
            .map(|index| {
                let row = self.firsts[T::KIND] + index;
                let end = if row + 1 == self.firsts[4] {
                    rows.len()
                } else {
                    start(row + 1)?
                };
                let bytes = rows.get(start(row)?..end).ok_or(Lost::Damaged)?;
                let mut reader = Reader::new(bytes, &words, &self.source);
                let row = T::read(&mut reader)?;
                reader.end()?;
                Ok(row)
            })
            .collect()
    }

    /// What was found when the manifest was read.
    pub(crate) fn findings(&self) -> Result<Vec<Finding>, Lost> {
        let section = self.file.section(FINDINGS).ok_or(Lost::Damaged)?;
        let mut from = Reader::new(&section, &[], &self.source);
        (0..from.count()?)
            .map(|_| {
                let severity = match from.byte()? {
                    0 => Severity::Warning,
                    _ => Severity::Error,
                };
                let small = |number: u64| u32::try_from(number).map_err(|_| Lost::Damaged);
                Ok(Finding {
                    severity,
                    file: self.source.path().to_owned(),
                    line: small(from.number()?)?,
                    column: small(from.number()?)?,
                    pointer: from.text()?,
                    message: from.text()?,
                })
            })
            .collect()
    }
}

#[cfg(test)]
mod tests;
