//! The library as it was at one moment: which manifests there are, and an index of their names. Rows are decoded when
//! somebody asks for them.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use ken_files::CacheFile;
use ken_text::recognise::AnyNames;

use crate::AgentId;
use crate::cache::{
    BEFORE_ENTITIES, Card, Gathered, Index, Lost, ManifestCache, RowByte, Rows, Source, Store, encode,
    unread_names,
};
use crate::manifest_read;
use crate::model::{Entity, Manifest, Row, Workstream};

/// All manifests that could be read.
#[derive(Debug, Default)]
pub(crate) struct Snapshot {
    /// Where their caches are, unless the library is empty.
    pub(crate) store: Option<Store>,
    /// In order of their files' names.
    pub(crate) manifests: Vec<Shelved>,
    /// The base, and the delta when there is one.
    pub(crate) indexes: Vec<Index>,
    pub(crate) recent: Recent,
}

/// A manifest of which nothing is in memory, or its cache at most.
#[derive(Debug)]
pub(crate) struct Shelved {
    pub(crate) agent: Arc<AgentId>,
    pub(crate) path: PathBuf,
    /// BLAKE3 of the file's bytes.
    pub(crate) digest: [u8; 32],
    /// Where its names are.
    pub(crate) rows: Rows,
    /// Its cache, where it could not be put on the disk.
    pub(crate) kept: Option<CacheFile>,
    /// The file's bytes, when it changes so fast that it may not be read again.
    pub(crate) bytes: Option<Arc<Vec<u8>>>,
}

/// The manifests that were asked last, with what was read of them: rows of one are often asked for one after the other.
/// Whatever stands here belongs to the snapshot, because it was judged by its digest.
#[derive(Debug, Default)]
pub(crate) struct Recent {
    asked: Mutex<VecDeque<(usize, Parts)>>,
}

/// A manifest's cache, and the bytes of the manifest itself, as far as they were read.
type Parts = (Option<CacheFile>, Option<Arc<Vec<u8>>>);

impl Recent {
    /// So many manifests are remembered, as long as they have no more bytes than this together.
    const MOST: usize = 16;
    const BYTES: usize = 4 << 20;

    fn get(&self, manifest: usize) -> Option<Parts> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let found = asked.iter().find(|(number, _)| *number == manifest);
        found.map(|(_, parts)| parts.clone())
    }

    fn put(&self, manifest: usize, (file, bytes): (CacheFile, Option<Arc<Vec<u8>>>)) {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        asked.retain(|(number, _)| *number != manifest);
        asked.push_back((manifest, (Some(file), bytes)));
        let size = |asked: &VecDeque<(usize, Parts)>| -> usize {
            asked
                .iter()
                .filter_map(|(_, (_, bytes))| Some(bytes.as_ref()?.len()))
                .sum()
        };
        while asked.len() > Recent::MOST || size(&asked) > Recent::BYTES && asked.len() > 1 {
            asked.pop_front();
        }
    }
}

/// A row of an index: which index, and its number there.
pub(crate) type Id = u32;

/// Set in the numbers of the delta's rows.
const DELTA: u32 = 1 << 31;

/// Which row of which manifest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The agent's id.
    Agent,
    /// The rows that could not be read.
    Unread,
    /// An entity, by its place.
    Entity(usize),
    /// A workstream, by its place.
    Workstream(usize),
    /// Aliases that could not be read.
    UnreadAliases,
}

impl Snapshot {
    /// The sets of names, base first.
    pub(crate) fn names(&self) -> impl Iterator<Item = &dyn AnyNames> {
        self.indexes.iter().map(|index| &index.names as &dyn AnyNames)
    }

    /// The number of a row of an index.
    pub(crate) fn id(index: usize, row: u32) -> Id {
        if index == 0 { row } else { row | DELTA }
    }

    /// What the index knows of a row, and where it stands: the manifest's number and the row's there. `None` for a row of
    /// a manifest that is gone or was replaced.
    pub(crate) fn locate(&self, id: Id) -> Option<(RowByte, usize, u32)> {
        let index = self.indexes.get(usize::from(id & DELTA != 0))?;
        let (byte, manifest, row) = index.row(id & !DELTA)?;
        Some((byte, manifest as usize, row))
    }

    /// What a row is, by its number in its manifest.
    pub(crate) fn part(&self, manifest: usize, row: u32) -> Option<Part> {
        let rows = &self.manifests.get(manifest)?.rows;
        Some(match row.checked_sub(BEFORE_ENTITIES) {
            None if row == 0 => Part::Agent,
            None => Part::Unread,
            Some(entity) if entity < rows.entities => Part::Entity(entity as usize),
            Some(other) => match other - rows.entities {
                workstream if workstream < rows.workstreams => Part::Workstream(workstream as usize),
                _ => Part::UnreadAliases,
            },
        })
    }

    /// What every manifest says of its agent, by the manifests' numbers; `None` when the indexes do not say it of all.
    pub(crate) fn cards(&self) -> Option<Vec<(usize, Card)>> {
        let cards: Option<Vec<_>> = self.indexes.iter().map(Index::cards).collect();
        let mut cards: Vec<(usize, Card)> = cards?
            .into_iter()
            .flatten()
            .map(|(manifest, card)| (manifest as usize, card))
            .collect();
        cards.sort_unstable_by_key(|(manifest, _)| *manifest);
        let every = cards.len() == self.manifests.len()
            && (0..)
                .zip(&cards)
                .all(|(number, (manifest, _))| *manifest == number);
        every.then_some(cards)
    }

    /// The rows that bear a name whose key is exactly this.
    pub(crate) fn called(&self, key: &str) -> Vec<Id> {
        let indexes = self.indexes.iter().enumerate();
        indexes
            .flat_map(|(at, index)| {
                let called = index.names.called(key).into_iter();
                called.map(move |row| Snapshot::id(at, row))
            })
            .collect()
    }

    /// The rows that say that they take the place of the name of this key.
    pub(crate) fn superseding(&self, key: &str) -> Vec<Id> {
        let indexes = self.indexes.iter().enumerate();
        indexes
            .flat_map(|(at, index)| {
                let rows = index.names.references(key).into_iter();
                rows.map(move |row| Snapshot::id(at, row))
            })
            .collect()
    }

    /// Lets `ask` ask the cache of a manifest. One that is missing or damaged is made again from the file.
    ///
    /// # Errors
    /// [`Lost::Changed`] when the file is no longer the one that this snapshot is of.
    pub(crate) fn ask<T>(
        &self,
        manifest: usize,
        ask: impl Fn(&ManifestCache) -> Result<T, Lost>,
    ) -> Result<T, Lost> {
        let shelved = self.manifests.get(manifest).ok_or(Lost::Changed)?;
        let (recent, read) = self.recent.get(manifest).unwrap_or_default();
        let source = || match read.as_ref().or(shelved.bytes.as_ref()) {
            Some(bytes) => Source::read(&shelved.path, shelved.digest, Arc::clone(bytes)),
            None => Source::new(&shelved.path, shelved.digest),
        };
        let on_disk = || self.store.as_ref()?.manifest(&shelved.agent);
        if let Some(file) = recent.or_else(|| shelved.kept.clone()).or_else(on_disk) {
            let answer = ManifestCache::open(file, source()).and_then(|cache| {
                let answer = ask(&cache);
                if answer.is_ok() {
                    self.recent.put(manifest, cache.parts());
                }
                answer
            });
            match answer {
                Err(Lost::Damaged) => {}
                answer => return answer,
            }
        }
        let bytes = source().into_bytes()?;
        let read = manifest_read::read_text(&bytes, &shelved.path).map_err(|_| Lost::Changed)?;
        let encoded = || encode(&read, shelved.digest, &bytes);
        if shelved.kept.is_none()
            && let Some(writable) = self.store.as_ref().and_then(Store::writable)
        {
            writable.keep_manifest(&shelved.agent, &encoded());
        }
        let file = encoded().in_memory();
        let source = Source::read(&shelved.path, shelved.digest, bytes);
        ManifestCache::open(file, source)
            .and_then(|cache| ask(&cache))
            .map_err(|_| Lost::Changed)
    }

    /// The names of one row, also of those that nobody sees.
    pub(crate) fn names_of(&self, id: Id) -> Result<Vec<String>, Lost> {
        let (_, manifest, row) = self.locate(id).ok_or(Lost::Changed)?;
        let owned = |names: Vec<&str>| names.into_iter().map(str::to_owned).collect();
        match self.part(manifest, row).ok_or(Lost::Changed)? {
            Part::Agent => Ok(vec![self.manifests[manifest].agent.to_string()]),
            Part::Unread => self.ask(manifest, |cache| Ok(owned(unread_names(&cache.frame()?)))),
            Part::Entity(at) => self.ask(manifest, |cache| Ok(owned(cache.row::<Entity>(at)?.names()))),
            Part::Workstream(at) => {
                self.ask(manifest, |cache| Ok(owned(cache.row::<Workstream>(at)?.names())))
            }
            Part::UnreadAliases => {
                let mut gathered = self.ask(manifest, gathered)?;
                gathered.names.retain(|(_, of)| *of == row);
                Ok(gathered.names.into_iter().map(|(name, _)| name).collect())
            }
        }
    }
}

/// What the index holds of a manifest.
pub(crate) fn gathered(cache: &ManifestCache) -> Result<Gathered, Lost> {
    let mut manifest: Manifest = cache.frame()?;
    manifest.entities = cache.rows()?;
    manifest.workstreams = cache.rows()?;
    Ok(Gathered::of(&manifest, !cache.findings()?.is_empty()))
}
