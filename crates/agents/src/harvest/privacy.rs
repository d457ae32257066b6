//! Private rows go before anything is written, and their names with them.

use std::collections::BTreeSet;

use ken_library::{Manifest, PRIVATE_FAMILIES, Row, Visibility};
use ken_text::recognise::{Name, Recogniser};

use super::names::is_one_common_word;

/// How many rows and pieces of text were left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Dropped {
    /// Rows that are private.
    pub(crate) rows: u64,
    /// Other rows, or lines of them, that named a private thing.
    pub(crate) mentions: u64,
}

/// Whether a participant's own row is private: by one of its tags, or because it says so. (The library's filter on
/// reading knows every other case; a participant's rows always come with a policy and a level of their own.)
fn is_private(row: &impl Row) -> bool {
    let tagged = row
        .tags()
        .iter()
        .any(|tag| PRIVATE_FAMILIES.contains(&tag.trim().to_lowercase().as_str()));
    tagged || row.declared() == Some(Visibility::Private)
}

/// Drops private rows and what names them: references, lines of sessions, and whole rows where the text is the row.
pub(crate) fn drop_private(manifest: &mut Manifest) -> Dropped {
    let mut dropped = Dropped::default();
    let forbidden = Forbidden::of(manifest);
    let Manifest {
        sessions,
        entities,
        workstreams,
        notes,
        ..
    } = manifest;
    fn keep<R: Row>(rows: &mut Vec<R>, dropped: &mut Dropped, mut mentions: impl FnMut(&mut R) -> bool) {
        rows.retain_mut(|row| {
            if is_private(row) {
                dropped.rows += 1;
                return false;
            }
            let mentioned = mentions(row);
            dropped.mentions += u64::from(mentioned);
            !mentioned
        });
    }
    keep(entities, &mut dropped, |row| {
        row.aliases.retain(|alias| !forbidden.in_text(alias));
        forbidden.in_text(&row.name) || row.summary.as_deref().is_some_and(|text| forbidden.in_text(text))
    });
    keep(workstreams, &mut dropped, |row| {
        row.related_entities.retain(|name| !forbidden.is(name));
        forbidden.in_text(&row.name) || row.summary.as_deref().is_some_and(|text| forbidden.in_text(text))
    });
    keep(notes, &mut dropped, |row| {
        row.related_entities.retain(|name| !forbidden.is(name));
        forbidden.in_text(&row.text)
    });
    let mut lines = 0;
    keep(sessions, &mut dropped, |row| {
        row.project_focus.retain(|name| !forbidden.is(name));
        let before = row.key_actions.len() + row.files_touched.len();
        row.key_actions.retain(|line| !forbidden.in_text(line));
        row.files_touched.retain(|path| !forbidden.in_text(path));
        lines += (before - row.key_actions.len() - row.files_touched.len()) as u64;
        row.key_actions.is_empty() || row.cwd.as_deref().is_some_and(|cwd| forbidden.in_text(cwd))
    });
    dropped.mentions += lines;
    dropped
}

/// Names and aliases of private rows that no other row bears.
struct Forbidden {
    names: BTreeSet<String>,
    recogniser: Recogniser,
}

impl Forbidden {
    fn of(manifest: &Manifest) -> Forbidden {
        let mut private: Vec<String> = Vec::new();
        let mut told: BTreeSet<String> = BTreeSet::new();
        let mut sort = |is_private: bool, names: Vec<&str>| {
            for name in names {
                if is_private {
                    private.push(name.to_owned());
                } else {
                    told.insert(folded(name));
                }
            }
        };
        for row in &manifest.entities {
            sort(is_private(row), row.names());
        }
        for row in &manifest.workstreams {
            sort(is_private(row), row.names());
        }
        // A private session's project bears a name also when that is no entity.
        for row in &manifest.sessions {
            sort(
                is_private(row),
                row.project_focus.iter().map(String::as_str).collect(),
            );
        }
        private.retain(|name| !told.contains(&folded(name)));
        Forbidden {
            names: private.iter().map(|name| folded(name)).collect(),
            // One common word stands in too many innocent texts: it is dropped from references only.
            recogniser: Recogniser::new(
                private
                    .into_iter()
                    .filter(|name| !is_one_common_word(name))
                    .map(|text| Name { text, id: 0 }),
            ),
        }
    }

    fn is(&self, name: &str) -> bool {
        self.names.contains(&folded(name))
    }

    fn in_text(&self, text: &str) -> bool {
        !self.recogniser.find(text).is_empty()
    }
}

fn folded(name: &str) -> String {
    ken_text::normalize(name.trim())
}
