//! What the library remembers of its manifests, so that unchanged ones are not parsed again. All of it can be deleted at
//! any time.

mod card;
mod coder;
pub(crate) mod index;
mod manifest;
mod rows;
mod source;
mod store;
mod table;
mod words;

pub(crate) use card::Card;
pub(crate) use index::{Gathered, Index, IndexBuilder, Opened, RowByte, unread_names};
pub(crate) use manifest::{ManifestCache, encode};
pub(crate) use rows::Kept;
pub(crate) use source::Source;
pub(crate) use store::{Store, Writable};
pub(crate) use table::{BEFORE_ENTITIES, Content, Entry, Rows, write as table};
pub(crate) use words::{Documents, Facts, NO_DAY, WordsBuilder, WordsIndex, joined};

/// The version of all formats here. It stands in the files' names too, so that two versions of the program can work
/// side by side.
pub(crate) const VERSION: u32 = 2;

/// Why something cannot be had from a cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Lost {
    /// The cache is damaged: it is made again.
    Damaged,
    /// The manifest is no longer the one that the cache was made of.
    Changed,
}
