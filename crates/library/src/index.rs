//! The rows of a view as documents that can be searched.

use ken_text::search::{Field, Query, Scan, Scored, Searchable, Statistics};

use crate::model::Row;
use crate::view::View;

/// Which row of the view a document is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RowAt {
    /// An index into [`View::entities`].
    Entity(usize),
    /// An index into [`View::sessions`].
    Session(usize),
    /// An index into [`View::workstreams`].
    Workstream(usize),
    /// An index into [`View::notes`].
    Note(usize),
}

/// Every row of a view as a document. It holds nothing that the view's caller may not see.
#[derive(Debug, Clone, Default)]
pub struct LibraryIndex {
    scan: Scan,
    rows: Vec<RowAt>,
}

const NAME: f64 = 2.0;
const TEXT: f64 = 1.0;
const LABEL: f64 = 0.5;

impl LibraryIndex {
    /// Tokenises every row of the view.
    pub fn of(view: &View) -> LibraryIndex {
        let mut index = LibraryIndex::default();
        for (at, row) in view.entities().iter().enumerate() {
            let mut fields = Fields::default();
            fields.add(NAME, &row.names());
            fields.add(TEXT, &row.summary.iter().map(String::as_str).collect::<Vec<_>>());
            fields.add(LABEL, &row.kind.iter().map(String::as_str).collect::<Vec<_>>());
            fields.add(LABEL, &row.tags());
            index.document(RowAt::Entity(at), &fields);
        }
        for (at, row) in view.sessions().iter().enumerate() {
            let mut fields = Fields::default();
            fields.add(
                TEXT,
                &row.key_actions.iter().map(String::as_str).collect::<Vec<_>>(),
            );
            fields.add(
                TEXT,
                &row.project_focus.iter().map(String::as_str).collect::<Vec<_>>(),
            );
            fields.add(
                LABEL,
                &row.files_touched.iter().map(String::as_str).collect::<Vec<_>>(),
            );
            fields.add(LABEL, &row.cwd.iter().map(String::as_str).collect::<Vec<_>>());
            fields.add(LABEL, &row.tags());
            index.document(RowAt::Session(at), &fields);
        }
        for (at, row) in view.workstreams().iter().enumerate() {
            let mut fields = Fields::default();
            fields.add(NAME, &row.names());
            fields.add(TEXT, &row.summary.iter().map(String::as_str).collect::<Vec<_>>());
            fields.add(
                LABEL,
                &row.related_entities
                    .iter()
                    .map(String::as_str)
                    .collect::<Vec<_>>(),
            );
            fields.add(LABEL, &row.tags());
            index.document(RowAt::Workstream(at), &fields);
        }
        for (at, row) in view.notes().iter().enumerate() {
            let mut fields = Fields::default();
            fields.add(TEXT, &[&row.text]);
            fields.add(
                LABEL,
                &row.related_entities
                    .iter()
                    .map(String::as_str)
                    .collect::<Vec<_>>(),
            );
            fields.add(LABEL, &row.tags());
            index.document(RowAt::Note(at), &fields);
        }
        index
    }

    fn document(&mut self, at: RowAt, fields: &Fields<'_>) {
        self.scan.add(&fields.0);
        self.rows.push(at);
    }

    /// Which row a document is. `None` for a number that the index does not give.
    pub fn row(&self, document: usize) -> Option<RowAt> {
        self.rows.get(document).copied()
    }

    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }
}

#[derive(Default)]
struct Fields<'a>(Vec<Field<'a>>);

impl<'a> Fields<'a> {
    fn add(&mut self, weight: f64, texts: &[&'a str]) {
        self.0.extend(texts.iter().map(|text| Field { text, weight }));
    }
}

impl Searchable for LibraryIndex {
    fn statistics(&self, query: &Query) -> Statistics {
        self.scan.statistics(query)
    }

    fn score(&self, query: &Query, all: &Statistics) -> Vec<Scored> {
        self.scan.score(query, all)
    }
}
