//! The table of manifests: how each file looked, what was read from it, and which rows of which index are its names.

use ken_files::FileLook;

use super::Lost;
use super::coder::{Reader, Writer};
use super::source::Source;

/// Tells one base from another, so that a delta is never read on top of a base that it was not made for.
pub(crate) type Identity = [u8; 16];

/// What is known of one manifest's file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Entry {
    /// The file's name without its ending.
    pub(crate) stem: String,
    /// How it looked before and after it was read.
    pub(crate) look: FileLook,
    /// Whether a file that looks so cannot have changed since; otherwise only its bytes tell.
    pub(crate) settled: bool,
    /// BLAKE3 of its bytes.
    pub(crate) digest: [u8; 32],
    /// What became of it.
    pub(crate) content: Content,
}

/// What was read from a manifest's file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Content {
    /// A manifest, whose names are these rows of an index.
    Rows(Rows),
    /// Nothing: it is not a manifest, and why.
    Unreadable {
        /// Line, from 1.
        line: u32,
        /// Column, from 1.
        column: u32,
        /// What is wrong and what to do.
        message: String,
    },
}

/// Where a manifest's names are.
///
/// A manifest has, in this order, a row for its agent, one for the rows that could not be read, one an entity, one a
/// workstream, and one for each entity or workstream whose aliases could not be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Rows {
    /// Whether they are in the delta.
    pub(crate) in_delta: bool,
    /// The first row.
    pub(crate) first: u32,
    /// How many entities.
    pub(crate) entities: u32,
    /// How many workstreams.
    pub(crate) workstreams: u32,
    /// How many rows whose aliases could not be read.
    pub(crate) unread_aliases: u32,
    /// Whether anything was found when it was read.
    pub(crate) findings: bool,
}

/// The rows before the first entity.
pub(crate) const BEFORE_ENTITIES: u32 = 2;

impl Rows {
    /// How many rows there are in all.
    pub(crate) fn len(&self) -> u32 {
        BEFORE_ENTITIES
            .saturating_add(self.entities)
            .saturating_add(self.workstreams)
            .saturating_add(self.unread_aliases)
    }
}

/// The table as bytes; `base` is the base that the rows outside of the delta are in.
pub(crate) fn write(entries: &[Entry], base: Identity) -> Vec<u8> {
    let mut to = Writer::new(&[], &[]);
    to.out.extend_from_slice(&base);
    to.number(entries.len() as u64);
    for entry in entries {
        to.text(&entry.stem);
        to.out.extend_from_slice(&entry.look.to_bytes());
        to.out.push(u8::from(entry.settled));
        to.out.extend_from_slice(&entry.digest);
        match &entry.content {
            Content::Rows(rows) => {
                to.out
                    .push(u8::from(rows.in_delta) | u8::from(rows.findings) << 1);
                for number in [rows.first, rows.entities, rows.workstreams, rows.unread_aliases] {
                    to.number(u64::from(number));
                }
            }
            Content::Unreadable {
                line,
                column,
                message,
            } => {
                to.out.push(4);
                to.number(u64::from(*line));
                to.number(u64::from(*column));
                to.text(message);
            }
        }
    }
    to.out
}

/// The table of these bytes.
pub(crate) fn read(bytes: &[u8]) -> Result<(Vec<Entry>, Identity), Lost> {
    let nothing = Source::nothing();
    let mut from = Reader::new(bytes, &[], &nothing);
    let base = from.take(16)?.try_into().map_err(|_| Lost::Damaged)?;
    let entries = (0..from.count()?)
        .map(|_| {
            let small = |number: u64| u32::try_from(number).map_err(|_| Lost::Damaged);
            Ok(Entry {
                stem: from.text()?,
                look: FileLook::from_bytes(from.take(FileLook::BYTES)?).ok_or(Lost::Damaged)?,
                settled: from.flag()?,
                digest: from.take(32)?.try_into().map_err(|_| Lost::Damaged)?,
                content: match from.byte()? {
                    flags @ 0..4 => Content::Rows(Rows {
                        in_delta: flags & 1 == 1,
                        findings: flags & 2 == 2,
                        first: small(from.number()?)?,
                        entities: small(from.number()?)?,
                        workstreams: small(from.number()?)?,
                        unread_aliases: small(from.number()?)?,
                    }),
                    4 => Content::Unreadable {
                        line: small(from.number()?)?,
                        column: small(from.number()?)?,
                        message: from.text()?,
                    },
                    _ => return Err(Lost::Damaged),
                },
            })
        })
        .collect::<Result<_, Lost>>()?;
    from.end()?;
    Ok((entries, base))
}
