//! What the indexes on the disk know of the manifests.

use ken_files::FileLook;

use crate::cache::{Entry, Index, Opened, Store, index};

/// The indexes that were found on the disk.
pub(super) struct Known {
    pub(super) base: Opened,
    pub(super) base_look: Option<FileLook>,
    pub(super) delta: Option<Opened>,
}

impl Known {
    pub(super) fn open(store: &Store) -> Option<Known> {
        let base_look = FileLook::at(&store.base());
        let base = store.index(&store.base())?;
        let delta = store
            .index(&store.delta())
            .filter(|delta| delta.base == base.base);
        let known = Known {
            base,
            base_look,
            delta,
        };
        // Whatever is damaged is found out before anything is made of it.
        known.indexes(known.entries())?;
        Some(known)
    }

    /// What is known of every manifest.
    pub(super) fn entries(&self) -> &[Entry] {
        self.delta
            .as_ref()
            .map_or(&self.base.entries, |delta| &delta.entries)
    }

    /// The indexes, for these manifests.
    pub(super) fn indexes(&self, entries: &[Entry]) -> Option<Vec<Index>> {
        let mut indexes = vec![Index::of(&self.base.file, index::rows_in(entries, false))?];
        match &self.delta {
            Some(delta) => indexes.push(Index::of(&delta.file, index::rows_in(entries, true))?),
            None if index::rows_in(entries, true).next().is_some() => return None,
            None => {}
        }
        Some(indexes)
    }
}
