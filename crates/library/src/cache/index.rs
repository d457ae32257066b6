//! The index of all names: which rows bear them, and who may see those rows, a byte a row; and what every manifest says
//! of its agent.

use ken_files::{CacheFile, CacheFormat, CacheWriter, Section};
use ken_text::recognise::{Names, NamesBuilder};

use super::card::{self, Card};
use super::table::{self, BEFORE_ENTITIES, Content, Entry, Identity, Rows};
use crate::level::{AccessLevel, Caller, Place, Visibility};
use crate::model::{Manifest, Row};
use crate::names::key;
use crate::tree::{Node, Value};
use crate::visibility::{Rules, unread_rows};

/// The format of an index of names. Its version counts the rules of names and of visibility, too.
pub(crate) const FORMAT: CacheFormat = CacheFormat {
    name: "library names",
    version: super::VERSION,
};

const TABLE: usize = 0;
const ROWS: usize = 1;
const TERMS: usize = 2;
const BEARERS: usize = 3;
const CARDS: usize = 4;

/// What bears a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An agent, by its id. Every row names its agent, so it is no secret.
    Agent,
    /// A row that could not be read. Nobody sees it, and below private its names are guarded.
    Unread,
    /// An entity.
    Entity,
    /// A workstream.
    Workstream,
    /// The aliases of an entity or workstream when they are no list: they name nothing, and are guarded like it.
    UnreadAliases,
    /// No row at all.
    Nothing,
}

/// What the index knows of a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RowByte(u8);

impl RowByte {
    fn new(kind: Kind, local: Visibility, remote: Visibility) -> RowByte {
        RowByte(kind as u8 | (local as u8) << 3 | (remote as u8) << 5)
    }

    fn kind(self) -> Option<Kind> {
        [
            Kind::Agent,
            Kind::Unread,
            Kind::Entity,
            Kind::Workstream,
            Kind::UnreadAliases,
            Kind::Nothing,
        ]
        .into_iter()
        .find(|kind| *kind as u8 == self.0 & 7)
    }

    fn reaches(self, caller: &Caller) -> bool {
        let level = match caller.place() {
            Place::Local => self.0 >> 3 & 3,
            Place::Remote => self.0 >> 5 & 3,
        };
        caller.level() as u8 >= level
    }

    /// Whether the caller's level reaches the row, so that its names are no secret.
    pub(crate) fn is_shown(self, caller: &Caller) -> bool {
        match self.kind() {
            Some(Kind::Agent) => true,
            Some(Kind::Entity | Kind::Workstream) => self.reaches(caller),
            _ => false,
        }
    }

    /// Whether the row is a thing that the caller's level reaches.
    pub(crate) fn is_thing(self, caller: &Caller) -> bool {
        self.kind() != Some(Kind::Agent) && self.is_shown(caller)
    }

    /// Whether the row's names are above the caller's level.
    pub(crate) fn is_hidden(self, caller: &Caller) -> bool {
        match self.kind() {
            Some(Kind::Agent | Kind::Nothing) => false,
            Some(Kind::Unread) => caller.level() < AccessLevel::Private,
            _ => !self.reaches(caller),
        }
    }
}

/// The names of one manifest, its rows numbered from zero.
#[derive(Debug, Default)]
pub(crate) struct Gathered {
    pub(crate) rows: Rows,
    bytes: Vec<u8>,
    pub(crate) names: Vec<(String, u32)>,
    /// The names that rows say they took the place of.
    superseded: Vec<(String, u32)>,
    card: Vec<u8>,
}

impl Gathered {
    /// What the index holds of a manifest, of which sessions and notes do not matter.
    pub(crate) fn of(manifest: &Manifest, findings: bool) -> Gathered {
        let mut gathered = Gathered {
            card: card::write(manifest),
            ..Gathered::default()
        };
        let rules = [Place::Local, Place::Remote].map(|place| Rules::of(manifest, place));
        gathered.names.push((manifest.agent.id.as_str().to_owned(), 0));
        gathered.push(Kind::Agent, [Visibility::Public; 2]);
        let unread = unread_names(manifest);
        let kind = if unread.is_empty() {
            Kind::Nothing
        } else {
            Kind::Unread
        };
        let id = gathered.push(kind, [Visibility::Private; 2]);
        gathered
            .names
            .extend(unread.into_iter().map(|name| (name.to_owned(), id)));
        for row in &manifest.entities {
            gathered.thing(Kind::Entity, row, &rules);
        }
        for row in &manifest.workstreams {
            gathered.thing(Kind::Workstream, row, &rules);
        }
        for row in &manifest.entities {
            gathered.unread_aliases(row, &rules);
        }
        for row in &manifest.workstreams {
            gathered.unread_aliases(row, &rules);
        }
        let things = manifest.entities.len() + manifest.workstreams.len() + BEFORE_ENTITIES as usize;
        gathered.rows = Rows {
            in_delta: false,
            first: 0,
            entities: manifest.entities.len() as u32,
            workstreams: manifest.workstreams.len() as u32,
            unread_aliases: (gathered.bytes.len() - things) as u32,
            findings,
        };
        gathered
    }

    /// What is known of a row.
    pub(crate) fn row(&self, row: u32) -> Option<RowByte> {
        self.bytes.get(row as usize).copied().map(RowByte)
    }

    fn push(&mut self, kind: Kind, [local, remote]: [Visibility; 2]) -> u32 {
        self.bytes.push(RowByte::new(kind, local, remote).0);
        self.bytes.len() as u32 - 1
    }

    fn thing(&mut self, kind: Kind, row: &impl Row, rules: &[Rules; 2]) {
        let id = self.push(
            kind,
            rules.each_ref().map(|rules| rules.effective(row).visibility),
        );
        self.names
            .extend(row.names().into_iter().map(|name| (name.to_owned(), id)));
        let superseded = row.extra().texts("supersedes").into_iter();
        self.superseded
            .extend(superseded.map(|name| (name.to_owned(), id)));
    }

    fn unread_aliases(&mut self, row: &impl Row, rules: &[Rules; 2]) {
        let mut names = Vec::new();
        unread_aliases(row, &mut |name| names.push(name.to_owned()));
        if !names.is_empty() {
            let levels = rules.each_ref().map(|rules| rules.effective(row).visibility);
            let id = self.push(Kind::UnreadAliases, levels);
            self.names.extend(names.into_iter().map(|name| (name, id)));
        }
    }
}

/// The aliases of a row that could not be read as a list: names all the same.
fn unread_aliases<'a>(row: &'a impl Row, visit: &mut dyn FnMut(&'a str)) {
    if let Some(aliases) = row.extra().get("aliases")
        && aliases.as_texts().is_none()
    {
        aliases.each_scalar(visit);
    }
}

/// The names in a manifest's rows that could not be read.
pub(crate) fn unread_names(manifest: &Manifest) -> Vec<&str> {
    let mut names = Vec::new();
    unread_rows(manifest).for_each(|node| names_in(node, &mut |name| names.push(name)));
    names
}

/// What stands under `name` and `aliases` in rows that could not be read.
fn names_in<'a>(node: &'a Node, visit: &mut dyn FnMut(&'a str)) {
    match &node.value {
        Value::List(items) => items.iter().for_each(|item| names_in(item, visit)),
        Value::Map(entries) => entries
            .iter()
            .filter(|entry| matches!(entry.key.text.as_str(), "name" | "aliases"))
            .for_each(|entry| entry.node.each_scalar(visit)),
        Value::Scalar(_) => {}
    }
}

/// The sections of an index behind its table.
pub(crate) type Sections = [Vec<u8>; 4];

/// An index that is being made.
#[derive(Default)]
pub(crate) struct IndexBuilder {
    names: NamesBuilder,
    bytes: Vec<u8>,
    /// Each manifest's first row and card.
    cards: Vec<(u32, Vec<u8>)>,
}

impl IndexBuilder {
    /// One manifest's names, its rows numbered from zero.
    pub(crate) fn of(gathered: &Gathered) -> IndexBuilder {
        let mut names = NamesBuilder::new();
        for (name, row) in &gathered.names {
            names.add(name, *row);
        }
        for (name, row) in &gathered.superseded {
            names.add_former(name, *row);
            names.add_reference(&key(name), *row);
        }
        IndexBuilder {
            names,
            bytes: gathered.bytes.clone(),
            cards: vec![(0, gathered.card.clone())],
        }
    }

    /// Adds a manifest's names; gives the number of its first row.
    pub(crate) fn add(&mut self, manifest: &IndexBuilder) -> u32 {
        let first = self.bytes.len() as u32;
        self.bytes.extend_from_slice(&manifest.bytes);
        self.names.append(&manifest.names, first);
        let cards = manifest.cards.iter();
        self.cards
            .extend(cards.map(|(row, card)| (first + row, card.clone())));
        first
    }

    /// The sections behind the table.
    pub(crate) fn finish(self) -> Sections {
        let names = self.names.finish();
        let mut cards = Vec::new();
        for (first, card) in &self.cards {
            card::push(&mut cards, *first, card);
        }
        [self.bytes, names.fst, names.bearers, cards]
    }
}

/// The index of these entries.
pub(crate) fn writer(entries: &[Entry], base: Identity, sections: Sections) -> CacheWriter {
    let mut cache = CacheWriter::new(FORMAT);
    cache.section(table::write(entries, base));
    sections.into_iter().for_each(|section| cache.section(section));
    cache
}

/// An index of names that can be asked. Rows of manifests that it should not know any more are masked: they do not exist.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) names: Names<Section>,
    file: CacheFile,
    rows: Section,
    /// The first row and the number of rows of each manifest that counts, with the manifest's number; ascending.
    spans: Vec<(u32, u32, u32)>,
}

/// The part of the table that is about one index: the rows there, with the numbers of their manifests.
pub(crate) fn rows_in(entries: &[Entry], in_delta: bool) -> impl Iterator<Item = (Rows, u32)> {
    let rows = (0..)
        .zip(entries)
        .filter_map(|(at, entry)| Some((*rows_of(entry)?, at)));
    rows.filter(move |(rows, _)| rows.in_delta == in_delta)
}

/// What an index's file says of itself.
pub(crate) struct Opened {
    pub(crate) entries: Vec<Entry>,
    pub(crate) base: Identity,
    pub(crate) file: CacheFile,
}

/// Reads the table of an index.
pub(crate) fn open(file: CacheFile) -> Option<Opened> {
    let (entries, base) = table::read(&file.section(TABLE)?).ok()?;
    Some(Opened { entries, base, file })
}

/// The sections behind the table, to be kept as they are with another table.
pub(crate) fn sections(file: &CacheFile) -> Option<Sections> {
    let section = |number| Some(file.section(number)?.to_vec());
    Some([
        section(ROWS)?,
        section(TERMS)?,
        section(BEARERS)?,
        section(CARDS)?,
    ])
}

impl Index {
    /// The index in a file; of its rows those of `manifests` count, which are given with their numbers.
    pub(crate) fn of(file: &CacheFile, manifests: impl IntoIterator<Item = (Rows, u32)>) -> Option<Index> {
        let rows = file.section(ROWS)?;
        let mut spans: Vec<(u32, u32, u32)> = manifests
            .into_iter()
            .map(|(rows, manifest)| (rows.first, rows.len(), manifest))
            .collect();
        spans.sort_unstable();
        let mut end = 0;
        for (first, length, _) in &spans {
            if *first < end {
                return None;
            }
            end = first.checked_add(*length)?;
        }
        if end as usize > rows.len() {
            return None;
        }
        Some(Index {
            names: Names::open(file.section(TERMS)?, file.section(BEARERS)?)?,
            file: file.clone(),
            rows,
            spans,
        })
    }

    /// The row of this number, and which row of which manifest it is; `None` when it does not count.
    pub(crate) fn row(&self, id: u32) -> Option<(RowByte, u32, u32)> {
        let at = self
            .spans
            .partition_point(|(first, _, _)| *first <= id)
            .checked_sub(1)?;
        let (first, length, manifest) = self.spans[at];
        let row = id - first;
        (row < length).then_some(())?;
        Some((RowByte(*self.rows.get(id as usize)?), manifest, row))
    }

    /// The cards of the manifests that count, with those manifests' numbers; `None` when they are damaged.
    pub(crate) fn cards(&self) -> Option<Vec<(u32, Card)>> {
        let section = self.file.section(CARDS)?;
        let manifest = |first: u32| {
            let at = self.spans.binary_search_by_key(&first, |(first, _, _)| *first);
            at.ok().map(|at| self.spans[at].2)
        };
        card::read_all(&section, manifest).ok()
    }

    /// Every row that counts.
    pub(crate) fn rows(&self) -> impl Iterator<Item = (u32, RowByte)> {
        self.spans.iter().flat_map(|(first, length, _)| {
            (*first..first + length).filter_map(|id| Some((id, RowByte(*self.rows.get(id as usize)?))))
        })
    }
}

/// The rows of an entry, when it has such.
pub(crate) fn rows_of(entry: &Entry) -> Option<&Rows> {
    match &entry.content {
        Content::Rows(rows) => Some(rows),
        Content::Unreadable { .. } => None,
    }
}
