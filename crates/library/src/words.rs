//! The words of all rows: which rows a question's words stand in, without decoding any.
//!
//! An index on the disk knows manifests by the digest of their bytes, so that it can be older or newer than any other
//! cache: manifests that it does not know are added, and those that nobody has any more do not count.

use std::collections::HashMap;

use jiff::civil::Date;
use ken_text::search::{Field, Scan};

use crate::cache::{Documents, Facts, Kept, Lost, ManifestCache, NO_DAY, WordsBuilder, WordsIndex, joined};
use crate::level::{Caller, Place};
use crate::model::{Entity, Manifest, Note, Row, Session, Workstream};
use crate::parallel::in_parallel;
use crate::snapshot::Snapshot;
use crate::visibility::Rules;

/// A delta that holds more rows than this, and more than its share of the base, goes into the base. In tests it is
/// small, so that both ways are gone.
const LARGE_DELTA: usize = if cfg!(test) { 8 } else { 5_000 };
/// The share: one row of so many.
const SHARE: usize = 64;
/// So many rows are read into words together.
const CHUNK: usize = 4_096;

/// A row as a document to be searched.
pub(crate) trait Searched {
    /// Its texts with their weights.
    fn fields(&self) -> Vec<Field<'_>>;
    /// The day that counts for how new it is.
    fn day(&self) -> Option<Date>;
    /// What it says, where another row may say the same: entities and workstreams stand for themselves.
    fn said(&self) -> Option<String> {
        None
    }
}

fn labels<'a>(texts: &'a [String]) -> impl Iterator<Item = Field<'a>> {
    texts.iter().map(|text| Field::label(text))
}

impl Searched for Entity {
    fn fields(&self) -> Vec<Field<'_>> {
        let mut fields = vec![Field::name(&self.name)];
        fields.extend(self.aliases.iter().map(|alias| Field::name(alias)));
        fields.extend(self.summary.as_deref().map(Field::text));
        fields.extend(self.kind.as_deref().map(Field::label));
        fields.extend(labels(&self.tags));
        fields
    }

    fn day(&self) -> Option<Date> {
        self.last_touched
    }
}

impl Searched for Workstream {
    fn fields(&self) -> Vec<Field<'_>> {
        let mut fields = vec![Field::name(&self.name)];
        fields.extend(self.extra.texts("aliases").into_iter().map(Field::name));
        fields.extend(self.summary.as_deref().map(Field::text));
        fields.extend(self.status.map(|status| Field::label(status.as_str())));
        fields.extend(labels(&self.tags));
        fields
    }

    fn day(&self) -> Option<Date> {
        self.last_touched
    }
}

impl Searched for Session {
    fn fields(&self) -> Vec<Field<'_>> {
        let mut fields: Vec<Field<'_>> = self
            .key_actions
            .iter()
            .map(|action| Field::text(action))
            .collect();
        fields.extend(labels(&self.project_focus));
        fields.extend(self.extra.texts("tags").into_iter().map(Field::label));
        fields.extend(self.files_touched.iter().map(|file| Field::text(file)));
        fields.extend(self.cwd.as_deref().map(Field::text));
        fields
    }

    fn day(&self) -> Option<Date> {
        self.date
    }

    fn said(&self) -> Option<String> {
        Session::said(self)
    }
}

impl Searched for Note {
    fn fields(&self) -> Vec<Field<'_>> {
        let mut fields = vec![Field::text(&self.text)];
        fields.extend(labels(&self.related_entities));
        fields.extend(labels(&self.tags));
        fields
    }

    fn day(&self) -> Option<Date> {
        self.date
    }

    fn said(&self) -> Option<String> {
        Some(self.text.clone())
    }
}

impl Session {
    /// What the session says, as one text: what happened and on which files, or else what it was about. `None` for one
    /// that says nothing.
    pub fn said(&self) -> Option<String> {
        let mut said = self.key_actions.clone();
        if !self.files_touched.is_empty() {
            said.push(format!("files: {}", self.files_touched.join(", ")));
        }
        if said.is_empty() {
            let on = self.project_focus.first().or(self.cwd.as_ref())?;
            said.push(format!("worked on {on}"));
        }
        Some(said.join("\n"))
    }
}

/// The words of a library as one caller may search it.
#[derive(Debug, Default)]
pub(crate) struct Words {
    pub(crate) parts: Vec<Part>,
    pub(crate) len: usize,
}

/// An index with what counts of it.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) index: WordsIndex,
    /// The number of its first row among all.
    pub(crate) first: usize,
    /// Each manifest that counts: its first row, its rows, its number. Ascending.
    spans: Vec<(u32, Documents, usize)>,
    /// Which rows the caller's level reaches; `None` when all of them count.
    pub(crate) admitted: Option<Vec<bool>>,
}

/// Where a row stands among all others: by its manifest's file name, its kind, and its place there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowPlace {
    pub(crate) manifest: usize,
    /// The place of its kind among the four.
    pub(crate) kind: usize,
    /// Its place among the rows of its kind.
    pub(crate) at: usize,
}

impl Words {
    /// The words of this snapshot: what the disk knows of them, and the rest read now and put there where that can be.
    pub(crate) fn of(snapshot: &Snapshot, caller: &Caller) -> Result<Words, Lost> {
        let store = snapshot.store.as_ref();
        let base = store.and_then(|store| store.words(&store.words_base()));
        let delta = store.and_then(|store| store.words(&store.words_delta()));
        let has_base = base.is_some();
        let known: Vec<WordsIndex> = base.into_iter().chain(delta).collect();
        let numbers: HashMap<[u8; 32], usize> = (0..)
            .zip(&snapshot.manifests)
            .map(|(number, shelved)| (shelved.digest, number))
            .collect();
        match Words::made(snapshot, caller, &numbers, known, has_base)? {
            Some(words) => Ok(words),
            // What is there is damaged.
            None => Words::made(snapshot, caller, &numbers, Vec::new(), false)?.ok_or(Lost::Damaged),
        }
    }

    /// `None` when one of the indexes that are known is damaged. The first of them is the base, if there is one.
    fn made(
        snapshot: &Snapshot,
        caller: &Caller,
        numbers: &HashMap<[u8; 32], usize>,
        known: Vec<WordsIndex>,
        has_base: bool,
    ) -> Result<Option<Words>, Lost> {
        let mut holder: HashMap<[u8; 32], usize> = HashMap::new();
        for (number, index) in known.iter().enumerate() {
            for (_, documents) in index.documents() {
                if numbers.contains_key(&documents.digest) {
                    holder.entry(documents.digest).or_insert(number);
                }
            }
        }
        let missing: Vec<usize> = (0..)
            .zip(&snapshot.manifests)
            .filter(|(_, shelved)| !holder.contains_key(&shelved.digest))
            .map(|(number, _)| number)
            .collect();
        if missing.is_empty() {
            return Ok(Some(Words::counted(known, numbers, &holder, caller)));
        }
        let mut fresh = Vec::new();
        for index in in_parallel(&chunks(snapshot, &missing), |chunk| read(snapshot, chunk)) {
            fresh.push(index?);
        }
        let kept = |number: usize, index: &WordsIndex| -> usize {
            let documents = index.documents().map(|(_, documents)| documents);
            documents
                .filter(|documents| holder.get(&documents.digest) == Some(&number))
                .map(|documents| documents.len() as usize)
                .sum()
        };
        let base = known.first().map_or(0, WordsIndex::len);
        let standing = known.first().map_or(0, |index| kept(0, index));
        let in_delta = known.get(1).map_or(0, |index| kept(1, index));
        let changed = in_delta + fresh.iter().map(WordsIndex::len).sum::<usize>();
        let is_large = changed.max(base - standing) > LARGE_DELTA.max(base / SHARE);
        let whole = !has_base || is_large;
        // What stays as it is: the base, unless everything goes into a new one.
        let first = usize::from(!whole);
        let joining: Vec<&WordsIndex> = known[first..].iter().chain(&fresh).collect();
        let standing = known.len() - first;
        let keeps = |number: usize, documents: &Documents| {
            number >= standing || holder.get(&documents.digest) == Some(&(number + first))
        };
        let Some(writer) = joined(&joining, keeps) else {
            return Ok(None);
        };
        let Some(made) = WordsIndex::open(&keep(snapshot, whole, writer)) else {
            return Ok(None);
        };
        let mut known = known;
        known.truncate(first);
        for (_, documents) in made.documents() {
            holder.insert(documents.digest, first);
        }
        known.push(made);
        Ok(Some(Words::counted(known, numbers, &holder, caller)))
    }

    /// The indexes, with which of their manifests and rows count.
    fn counted(
        known: Vec<WordsIndex>,
        numbers: &HashMap<[u8; 32], usize>,
        holder: &HashMap<[u8; 32], usize>,
        caller: &Caller,
    ) -> Words {
        let mut words = Words {
            parts: Vec::new(),
            len: 0,
        };
        for (at, index) in known.into_iter().enumerate() {
            let mut spans = Vec::new();
            let mut rows = vec![false; index.len()];
            for (first, documents) in index.documents() {
                if holder.get(&documents.digest) != Some(&at) {
                    continue;
                }
                let Some(manifest) = numbers.get(&documents.digest) else {
                    continue;
                };
                spans.push((first, *documents, *manifest));
                index.reaches(first, documents, caller, &mut rows);
            }
            let len = index.len();
            words.parts.push(Part {
                admitted: rows.contains(&false).then_some(rows),
                index,
                first: words.len,
                spans,
            });
            words.len += len;
        }
        words
    }

    /// The part that holds a row, and the row's number there.
    pub(crate) fn part(&self, row: usize) -> Option<(&Part, usize)> {
        let after = self.parts.partition_point(|part| part.first <= row);
        let part = self.parts.get(after.checked_sub(1)?)?;
        Some((part, row - part.first))
    }
}

impl Part {
    /// Whether a row counts.
    pub(crate) fn admits(&self, row: usize) -> bool {
        self.admitted
            .as_ref()
            .is_none_or(|admitted| admitted.get(row).copied().unwrap_or_default())
    }

    fn span(&self, row: usize) -> Option<&(u32, Documents, usize)> {
        let after = self.spans.partition_point(|(first, _, _)| *first as usize <= row);
        self.spans.get(after.checked_sub(1)?)
    }

    /// Where a row that counts stands.
    pub(crate) fn place(&self, row: usize) -> Option<RowPlace> {
        let (first, documents, manifest) = self.span(row)?;
        let mut at = row - *first as usize;
        for (kind, count) in documents.counts.iter().enumerate() {
            match at.checked_sub(*count as usize) {
                None => {
                    return Some(RowPlace {
                        manifest: *manifest,
                        kind,
                        at,
                    });
                }
                Some(rest) => at = rest,
            }
        }
        None
    }

    /// The number of a row among those of its manifest and kind that count, from 1.
    pub(crate) fn number(&self, row: usize, place: &RowPlace) -> usize {
        (row - place.at..=row).filter(|row| self.admits(*row)).count()
    }
}

/// The manifests in portions of about as many rows.
fn chunks(snapshot: &Snapshot, manifests: &[usize]) -> Vec<Vec<usize>> {
    let mut chunks: Vec<Vec<usize>> = Vec::new();
    let mut rows = CHUNK;
    for manifest in manifests {
        if rows >= CHUNK {
            chunks.push(Vec::new());
            rows = 0;
        }
        rows += snapshot.manifests[*manifest].rows.len() as usize;
        if let Some(chunk) = chunks.last_mut() {
            chunk.push(*manifest);
        }
    }
    chunks
}

/// The words of these manifests.
fn read(snapshot: &Snapshot, manifests: &[usize]) -> Result<WordsIndex, Lost> {
    let mut builder = WordsBuilder::default();
    let mut scan = Scan::new();
    for manifest in manifests {
        let read = snapshot.ask(*manifest, whole)?;
        builder.manifest(Documents {
            digest: snapshot.manifests[*manifest].digest,
            counts: [
                read.entities.len() as u32,
                read.workstreams.len() as u32,
                read.sessions.len() as u32,
                read.notes.len() as u32,
            ],
        });
        let rules = [Place::Local, Place::Remote].map(|place| Rules::of(&read, place));
        add::<Entity>(&read, &rules, &mut builder, &mut scan);
        add::<Workstream>(&read, &rules, &mut builder, &mut scan);
        add::<Session>(&read, &rules, &mut builder, &mut scan);
        add::<Note>(&read, &rules, &mut builder, &mut scan);
    }
    WordsIndex::open(&builder.finish(&scan).in_memory()).ok_or(Lost::Damaged)
}

fn whole(cache: &ManifestCache) -> Result<Manifest, Lost> {
    let mut manifest = cache.frame()?;
    manifest.entities = cache.rows()?;
    manifest.workstreams = cache.rows()?;
    manifest.sessions = cache.rows()?;
    manifest.notes = cache.rows()?;
    Ok(manifest)
}

fn add<T: Kept + Row + Searched>(
    manifest: &Manifest,
    rules: &[Rules; 2],
    builder: &mut WordsBuilder,
    scan: &mut Scan,
) {
    for row in T::of(manifest) {
        scan.add(&row.fields());
        builder.row(&Facts {
            kind: T::KIND,
            odd_tag: row.tags().into_iter().any(is_odd),
            levels: rules.each_ref().map(|rules| rules.effective(row).visibility),
            day: row.day().map_or(NO_DAY, days_of),
            hash: (T::KIND >= Session::KIND)
                .then(|| row.said().map_or(0, |said| ken_text::plain_hash(&said) as u32)),
        });
    }
}

/// What separates the words of a tag, however it is spelled.
const SEPARATORS: [char; 4] = ['-', ' ', '_', ':'];

/// Terms that stand in every row with this tag, but for rows whose tag is odd.
pub(crate) fn terms_of_tag(tag: &str) -> Vec<String> {
    let small = ken_text::normalize(tag.trim());
    small.split(SEPARATORS).flat_map(ken_text::terms).collect()
}

/// Whether a tag's words are others than those of the tag in small letters: `a_fooBar` holds `foo`, and no `foobar`.
fn is_odd(tag: &str) -> bool {
    let held = ken_text::terms(tag);
    terms_of_tag(tag).iter().any(|term| !held.contains(term))
}

const FIRST_DAY: Date = jiff::civil::date(1970, 1, 1);

fn days_of(day: Date) -> i32 {
    (day.duration_since(FIRST_DAY).as_hours() / 24) as i32
}

/// The day of so many days since 1970.
pub(crate) fn day_of(days: i32) -> Option<Date> {
    let ahead = jiff::SignedDuration::from_hours(i64::from(days) * 24);
    (days != NO_DAY)
        .then(|| FIRST_DAY.checked_add(ahead).ok())
        .flatten()
}

/// Puts an index on the disk where that can be, else keeps it in memory.
fn keep(snapshot: &Snapshot, whole: bool, writer: ken_files::CacheWriter) -> ken_files::CacheFile {
    let kept = || {
        let store = snapshot.store.as_ref()?;
        let path = if whole {
            store.words_base()
        } else {
            store.words_delta()
        };
        store.writable()?.keep_words(&path, whole, &writer)
    };
    kept().unwrap_or_else(|| writer.in_memory())
}
