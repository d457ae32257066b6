//! Loading: every manifest is looked at, and only what is new or changed is read.

mod known;
mod seen;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use ken_files::{CacheFile, FileLook};

use crate::cache::{
    Content, Entry, Gathered, Index, IndexBuilder, Lost, ManifestCache, Rows, Source, Store, Writable,
    encode, index, table,
};
use crate::manifest_read::{self, digest_of};
use crate::parallel::in_parallel;
use crate::snapshot::{Shelved, Snapshot, gathered};
use crate::store::Failure;
use crate::{AgentId, Error, Library};
use known::Known;
use seen::{Seen, read_steadily};

/// A delta that holds more rows than this, and more than its share of the base, goes into the base. In tests it is
/// small, so that both ways are gone.
const LARGE_DELTA: u32 = if cfg!(test) { 16 } else { 5_000 };
/// The share: one row of so many.
const SHARE: u32 = 32;
/// What became of a manifest's file.
enum Found {
    /// Its bytes are those that the index knows.
    Known(Entry),
    /// Its names are not in the index that was found.
    New(Box<New>),
    /// It is no manifest.
    Unreadable(Entry),
    /// It cannot be read at all.
    Failed(Error),
}

struct New {
    entry: Entry,
    rows: Rows,
    names: IndexBuilder,
    /// Its cache, where it could not be put on the disk.
    kept: Option<CacheFile>,
}

impl New {
    /// A manifest of these names, about which `entry` says more.
    fn of(entry: impl FnOnce(Content) -> Entry, names: &Gathered, kept: Option<CacheFile>) -> New {
        New {
            entry: entry(Content::Rows(names.rows)),
            rows: names.rows,
            names: IndexBuilder::of(names),
            kept,
        }
    }
}

/// What is done with the bytes of files that were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Bytes {
    /// They are read again when a long text is wanted.
    Dropped,
    /// They are kept: somebody writes the files faster than they can be read a second time.
    Held,
}

/// The library as it is now, and what of it cannot be read.
pub(crate) fn load(library: &Library, bytes: Bytes) -> Result<(Snapshot, Vec<Failure>), Error> {
    let files = library.manifest_files()?;
    if files.is_empty() {
        return Ok(Default::default());
    }
    // A file's time of change is the real one, whatever time it is for whoever asks.
    let now = SystemTime::now();
    let store = Store::of(library.root());
    let known = Known::open(&store);
    let seen: Vec<Seen> = files.into_iter().map(Seen::of).collect();

    let mut entries: HashMap<&str, &Entry> = HashMap::new();
    for entry in known.iter().flat_map(Known::entries) {
        entries.insert(&entry.stem, entry);
    }
    let is_fresh = |seen: &Seen, entry: &Entry| entry.settled && Some(entry.look) == seen.look;
    let stale = seen
        .iter()
        .filter(|seen| {
            entries
                .get(&*seen.stem)
                .is_none_or(|entry| !is_fresh(seen, entry))
        })
        .count();
    let gone = {
        let stems: HashSet<&str> = seen.iter().map(|seen| &*seen.stem).collect();
        entries.keys().any(|stem| !stems.contains(stem))
    };
    if stale == 0
        && !gone
        && let Some(known) = &known
    {
        let found = seen
            .iter()
            .map(|seen| Found::Known(entries[&*seen.stem].clone()))
            .collect();
        let load = Load {
            store: &store,
            known: Some(known),
            entries: &entries,
            writable: None,
            held: None,
        };
        return Ok(load.assemble(seen, found, None));
    }
    let load = Load {
        store: &store,
        known: known.as_ref(),
        entries: &entries,
        writable: store.writable(),
        held: (bytes == Bytes::Held).then(Mutex::default),
    };
    let found = in_parallel(&seen, |seen| match entries.get(&*seen.stem) {
        Some(entry) if is_fresh(seen, entry) => Found::Known((*entry).clone()),
        entry => load.read(seen, entry.copied(), now),
    });
    Ok(load.finish(seen, found, gone, now))
}

struct Load<'a> {
    store: &'a Store,
    known: Option<&'a Known>,
    /// What is known of every manifest, by its file's name.
    entries: &'a HashMap<&'a str, &'a Entry>,
    writable: Option<Writable<'a>>,
    /// The bytes of files that were read, when they are kept.
    held: Option<Mutex<HashMap<PathBuf, Arc<Vec<u8>>>>>,
}

/// Indexes that were made just now.
enum Made {
    /// A base that holds everything.
    Base(CacheFile),
    /// A delta above the base that was found.
    Delta(CacheFile),
}

impl Load<'_> {
    /// Reads a file; `entry` is what is known of one of its name.
    fn read(&self, seen: &Seen, entry: Option<&Entry>, now: SystemTime) -> Found {
        let agent = match AgentId::new(&*seen.stem) {
            Ok(agent) => agent,
            Err(source) => {
                return Found::Failed(Error::FileName {
                    path: seen.path.clone(),
                    source,
                });
            }
        };
        let (bytes, look, stable) = match read_steadily(&seen.path, seen.look) {
            Ok(read) => read,
            Err(error) => return Found::Failed(error),
        };
        let bytes = Arc::new(bytes);
        if let Some(held) = &self.held {
            let mut held = held.lock().unwrap_or_else(PoisonError::into_inner);
            held.insert(seen.path.clone(), Arc::clone(&bytes));
        }
        let digest = *digest_of(&bytes).as_bytes();
        let settled = stable && look.is_settled(now);
        if let Some(entry) = entry.filter(|entry| entry.digest == digest) {
            return Found::Known(Entry {
                look,
                settled,
                ..entry.clone()
            });
        }
        let entry = |content| Entry {
            stem: seen.stem.clone(),
            look,
            settled,
            digest,
            content,
        };
        let source = Source::read(&seen.path, digest, Arc::clone(&bytes));
        if let Ok(names) = self.remembered(&agent, source) {
            return Found::New(Box::new(New::of(entry, &names, None)));
        }
        let read = match manifest_read::read_text_of(&bytes, &seen.path, &agent) {
            Ok(read) => read,
            Err(Error::Unreadable {
                line,
                column,
                message,
                ..
            }) => {
                return Found::Unreadable(entry(Content::Unreadable {
                    line,
                    column,
                    message,
                }));
            }
            Err(error) => return Found::Failed(error),
        };
        let names = Gathered::of(&read.manifest, !read.findings.is_empty());
        let cache = || encode(&read, digest, &bytes);
        let written = self
            .writable
            .as_ref()
            .and_then(|writable| writable.keep_manifest(&agent, &cache()));
        let kept = written.is_none().then(|| cache().in_memory());
        Found::New(Box::new(New::of(entry, &names, kept)))
    }

    /// The names of a manifest by its cache, which is the right one though the index may not know it.
    fn remembered(&self, agent: &AgentId, source: Source) -> Result<Gathered, Lost> {
        let file = self.store.manifest(agent).ok_or(Lost::Damaged)?;
        gathered(&ManifestCache::open(file, source)?)
    }

    /// The names of a manifest that the index knows.
    fn names(&self, seen: &Seen, entry: &Entry, now: SystemTime) -> Found {
        let agent = AgentId::new(&*seen.stem).map_err(|_| Lost::Damaged);
        let source = Source::new(&seen.path, entry.digest);
        match agent.and_then(|agent| self.remembered(&agent, source)) {
            Ok(names) => Found::New(Box::new(New::of(|_| entry.clone(), &names, None))),
            Err(_) => self.read(seen, None, now),
        }
    }

    /// Makes the indexes anew as far as it must be, and puts them on the disk where that can be.
    fn finish(
        &self,
        seen: Vec<Seen>,
        mut found: Vec<Found>,
        gone: bool,
        now: SystemTime,
    ) -> (Snapshot, Vec<Failure>) {
        let is_dirty = gone
            || found.iter().any(|found| match found {
                Found::Known(entry) => self.entries.get(&*entry.stem).is_none_or(|known| *known != entry),
                Found::New(_) | Found::Unreadable(_) => true,
                Found::Failed(_) => false,
            });
        if !is_dirty && self.known.is_some() {
            return self.assemble(seen, found, None);
        }
        // Somebody else may have made another base since this one was opened.
        let writable = self.writable.as_ref().filter(|_| match self.known {
            Some(known) => FileLook::at(&self.store.base()) == known.base_look,
            None => true,
        });
        let whole = self.known.is_none() || writable.is_some() && self.is_large(&found);
        let wanted = |found: &Found| match found {
            Found::Known(entry) => index::rows_of(entry).is_some_and(|rows| whole || rows.in_delta),
            _ => false,
        };
        let any_new = found.iter().any(|found| matches!(found, Found::New(_)));
        let old_delta = self.known.and_then(|known| known.delta.as_ref());
        let reused = (!whole && !any_new)
            .then(|| {
                old_delta.map_or_else(
                    || Some(IndexBuilder::default().finish()),
                    |old| index::sections(&old.file),
                )
            })
            .flatten();
        let sections = reused.unwrap_or_else(|| {
            let known: Vec<(usize, &Found)> = found
                .iter()
                .enumerate()
                .filter(|(_, found)| wanted(found))
                .collect();
            let again = in_parallel(&known, |(at, found)| match found {
                Found::Known(entry) => Some((*at, self.names(&seen[*at], entry, now))),
                _ => None,
            });
            for (at, names) in again.into_iter().flatten() {
                found[at] = names;
            }
            let mut builder = IndexBuilder::default();
            for found in &mut found {
                if let Found::New(new) = found {
                    let first = builder.add(&std::mem::take(&mut new.names));
                    new.entry.content = Content::Rows(Rows {
                        first,
                        in_delta: !whole,
                        ..new.rows
                    });
                }
            }
            builder.finish()
        });
        let entries: Vec<Entry> = found
            .iter()
            .filter_map(|found| match found {
                Found::Known(entry) | Found::Unreadable(entry) => Some(entry.clone()),
                Found::New(new) => Some(new.entry.clone()),
                Found::Failed(_) => None,
            })
            .collect();
        let base = match self.known {
            Some(known) if !whole => known.base.base,
            _ => identity(&entries),
        };
        let path = if whole {
            self.store.base()
        } else {
            self.store.delta()
        };
        let writer = index::writer(&entries, base, sections);
        let written = writable.and_then(|writable| {
            let file = writable.keep_index(&path, &writer)?;
            if whole {
                writable.drop_delta();
            }
            writable.sweep(&seen.iter().map(|seen| &*seen.stem).collect());
            // What was written is mapped rather than held.
            Some(self.store.index(&path).map_or(file, |opened| opened.file))
        });
        let file = written.unwrap_or_else(|| writer.in_memory());
        let made = if whole {
            Made::Base(file)
        } else {
            Made::Delta(file)
        };
        self.assemble(seen, found, Some(&made))
    }

    /// Whether what changed since the base was made is so much that it goes into the base.
    fn is_large(&self, found: &[Found]) -> bool {
        let Some(known) = self.known else {
            return true;
        };
        let rows = |entries: &[Entry]| {
            entries
                .iter()
                .filter_map(index::rows_of)
                .map(Rows::len)
                .sum::<u32>()
        };
        let (mut changed, mut standing) = (0_u32, 0_u32);
        for found in found {
            match found {
                Found::Known(entry) => match index::rows_of(entry) {
                    Some(rows) if rows.in_delta => changed += rows.len(),
                    Some(rows) => standing += rows.len(),
                    None => {}
                },
                Found::New(new) => changed += new.rows.len(),
                _ => {}
            }
        }
        let base = rows(&known.base.entries);
        let masked = base.saturating_sub(standing);
        changed.max(masked) > LARGE_DELTA.max(base / SHARE)
    }

    /// The library of what was found, in the indexes that were made or known.
    fn assemble(&self, seen: Vec<Seen>, found: Vec<Found>, made: Option<&Made>) -> (Snapshot, Vec<Failure>) {
        let (mut manifests, mut failures, mut entries) = (Vec::new(), Vec::new(), Vec::new());
        let held = |path: &Path| {
            let held = self.held.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
            held.get(path).cloned()
        };
        for (seen, found) in seen.into_iter().zip(found) {
            let (entry, kept) = match found {
                Found::Known(entry) | Found::Unreadable(entry) => (entry, None),
                Found::New(new) => (new.entry, new.kept),
                Found::Failed(error) => {
                    failures.push(Failure {
                        path: seen.path,
                        error,
                    });
                    continue;
                }
            };
            match (&entry.content, AgentId::new(&*entry.stem)) {
                (Content::Rows(rows), Ok(agent)) => {
                    manifests.push(Shelved {
                        agent: Arc::new(agent),
                        bytes: held(&seen.path),
                        path: seen.path,
                        digest: entry.digest,
                        rows: *rows,
                        kept,
                    });
                    entries.push(entry);
                }
                (
                    Content::Unreadable {
                        line,
                        column,
                        message,
                    },
                    _,
                ) => failures.push(Failure {
                    error: Error::Unreadable {
                        path: seen.path.clone(),
                        line: *line,
                        column: *column,
                        message: message.clone(),
                    },
                    path: seen.path,
                }),
                (_, Err(source)) => failures.push(Failure {
                    error: Error::FileName {
                        path: seen.path.clone(),
                        source,
                    },
                    path: seen.path,
                }),
            }
        }
        let known = |file: &CacheFile, in_delta| Index::of(file, index::rows_in(&entries, in_delta));
        let indexes: Option<Vec<Index>> = match (made, self.known) {
            (Some(Made::Base(base)), _) => known(base, false).map(|base| vec![base]),
            (Some(Made::Delta(delta)), Some(old)) => known(&old.base.file, false)
                .zip(known(delta, true))
                .map(|(base, delta)| vec![base, delta]),
            (None, Some(old)) => old.indexes(&entries),
            (_, None) => None,
        };
        let snapshot = Snapshot {
            store: Some(self.store.clone()),
            manifests,
            recent: Default::default(),
            indexes: indexes.expect("an index that was just made or checked can be read"),
        };
        (snapshot, failures)
    }
}

/// Tells a base by what it was made of.
fn identity(entries: &[Entry]) -> [u8; 16] {
    let digest = digest_of(&table(entries, [0; 16]));
    let mut identity = [0; 16];
    identity.copy_from_slice(&digest.as_bytes()[..16]);
    identity
}
