use std::collections::HashMap;
use std::sync::Arc;

use ken_library::{Bearer, NamedRow, RowId};
use ken_text::recognise::{self, Reading};
use serde::Serialize;

use crate::Memory;
use crate::names::{Known, Successor, Thing, ThingId, key};
use crate::shown::shown_whole;
use crate::sources::LibraryRead;
use crate::untrusted::Carried;

/// What kind of thing a recognised name belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ThingKind {
    /// An entity of the library.
    Entity,
    /// A workstream of the library.
    Workstream,
    /// A fact of `edicts.yaml`, recognised by its key.
    Edict,
    /// A skill that lessons speak of.
    Skill,
}

/// A place in the text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Span {
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

/// What one agent (or file) says about a thing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// The agent's id; `edicts` or `lessons` for what a project's files say.
    pub agent: String,
    /// Its words.
    pub text: String,
}

/// A thing that is named in a text. Two things of one name are two entries with the same span.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Recognised {
    /// The name under which the thing is known now (a successor's, when the text used a superseded name).
    pub name: String,
    /// What kind of thing.
    pub kind: ThingKind,
    /// The types that agents give an entity (`project`, `person`), distinct, most used first.
    pub types: Vec<String>,
    /// Where it is named first.
    pub span: Span,
    /// The words that stand there.
    pub text: String,
    /// How often the text names it, by whichever of its names.
    pub times: usize,
    /// The agents that know it, sorted; for edicts and skills the file that does.
    pub sources: Vec<String>,
    /// Its other names.
    pub also_known_as: Vec<String>,
    /// Names that it bore before, when the text used one of them: one that the text uses, and those that came between it
    /// and the present one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub formerly: Vec<String>,
    /// What each source says about it.
    pub summaries: Vec<Summary>,
    /// A workstream's status.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// First day of validity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_from: Option<String>,
    /// Last day of validity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub valid_to: Option<String>,
    /// Whether `valid_to` lies in the past.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub past: bool,
    /// The day it was last touched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_touched: Option<String>,
}

/// The answer to "which known things does this text name?".
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Recognition {
    /// The things named, in the order in which the text names them.
    pub recognised: Vec<Recognised>,
    /// How many bytes of the text were looked at (at most 1 MiB).
    pub looked_at: usize,
    /// How many bytes the text has.
    pub text_bytes: usize,
    /// Sentences for the reader: what was not looked at, which files could not be read.
    pub notes: Vec<String>,
}

impl Memory {
    /// Which known things a text names: entities and workstreams of the library, edicts by their keys, lessons by their
    /// skills, as far as the caller may see. Longest names win, and no name is found inside another word.
    pub fn recognise(&self, text: &str) -> Recognition {
        shown_whole(self.recognise_as_written(text, &self.library(), &self.carried(), Reading::Names))
    }

    /// The same with names as they stand in the files, for those who look them up again, and with the reading that a
    /// name needs to count.
    pub(crate) fn recognise_as_written(
        &self,
        text: &str,
        library: &Arc<LibraryRead>,
        carried: &Carried,
        reading: Reading,
    ) -> Recognition {
        let seen = recognise::looked_at(text);
        let looked_at = seen.len();
        let mut notes = self.notes_of(library);
        if looked_at < text.len() {
            notes.push(format!(
                "the text has {} bytes, and what comes after the first {looked_at} was not looked at",
                text.len()
            ));
        }
        Recognition {
            recognised: self.named_in(seen, library, carried, reading),
            looked_at,
            text_bytes: text.len(),
            notes,
        }
    }

    /// The things that a text names, in the order in which it does.
    fn named_in(
        &self,
        text: &str,
        library: &Arc<LibraryRead>,
        carried: &Carried,
        reading: Reading,
    ) -> Vec<Recognised> {
        let names = self.names(library, carried);
        let view = &library.view;
        let known = Known::new(view);
        let today = self.setting.clock.today();
        let mut recognised: Vec<Recognised> = Vec::new();
        let mut at: HashMap<Named, usize> = HashMap::new();
        let mut shown: HashMap<Shown, usize> = HashMap::new();
        let mut rows: HashMap<RowId, Option<NamedRow>> = HashMap::new();
        for found in view.names_in(text, reading, names.set()) {
            let words = &text[found.span.clone()];
            for bearer in &found.bearers {
                if let Bearer::Row(row) = bearer {
                    rows.entry(*row).or_insert_with(|| view.row(*row));
                }
            }
            let of_library = found.bearers.iter().filter_map(|bearer| match bearer {
                Bearer::Row(row) => rows.get(row)?.as_ref(),
                Bearer::Other(_) => None,
            });
            let mut here: Vec<Named> = Vec::new();
            here.extend(known.named(of_library, words).into_iter().map(Named::Known));
            here.extend(found.bearers.iter().filter_map(|bearer| match bearer {
                Bearer::Row(_) => None,
                Bearer::Other(number) => Some(Named::Carried(*number)),
            }));
            // What is shown as one thing, and is named here by several of its names, is named here once.
            let mut counted: Vec<usize> = Vec::new();
            for named in here {
                if let Some(place) = at.get(&named) {
                    if !counted.contains(place) {
                        recognised[*place].times += 1;
                        counted.push(*place);
                    }
                    continue;
                }
                let entry = match &named {
                    Named::Known(id) => recognised_as(&known, id, words),
                    Named::Carried(number) => names.thing(*number).map(|thing| {
                        (
                            Shown::Carried(*number),
                            thing.shown_as(thing.name.clone(), Vec::new(), words),
                        )
                    }),
                };
                let Some((as_what, mut entry)) = entry else {
                    continue;
                };
                if let Some(place) = shown.get(&as_what) {
                    at.insert(named, *place);
                    let before = &mut recognised[*place];
                    before.absorb(entry.formerly);
                    if !counted.contains(place) {
                        before.times += 1;
                        counted.push(*place);
                    }
                    continue;
                }
                entry.span = Span {
                    start: found.span.start,
                    end: found.span.end,
                };
                entry.past = entry
                    .valid_to
                    .as_ref()
                    .and_then(|day| day.parse::<jiff::civil::Date>().ok())
                    .is_some_and(|day| day < today);
                at.insert(named, recognised.len());
                shown.insert(as_what, recognised.len());
                counted.push(recognised.len());
                recognised.push(entry);
            }
        }
        recognised.sort_by(|a, b| {
            let place = |one: &Recognised| (one.span, one.kind);
            place(a)
                .cmp(&place(b))
                .then_with(|| a.name.cmp(&b.name))
                .then_with(|| a.types.cmp(&b.types))
                .then_with(|| a.formerly.cmp(&b.formerly))
        });
        recognised
    }
}

/// What a text can name.
#[derive(PartialEq, Eq, Hash)]
enum Named {
    /// A thing of the library.
    Known(ThingId),
    /// One that the project's own files contribute, by its number.
    Carried(u32),
}

/// What is shown as one thing, whichever of its names a text uses.
#[derive(PartialEq, Eq, Hash)]
enum Shown {
    /// A thing of the library, and the name that took its place when nobody describes that.
    Known(ThingId, Option<ThingId>),
    /// One that the project's own files contribute.
    Carried(u32),
}

/// The thing as it is shown when a text names it so: under its successor's name, if it has one.
fn recognised_as(known: &Known<'_>, id: &ThingId, words: &str) -> Option<(Shown, Recognised)> {
    let mut way = known.way_from(id);
    let mut named: Option<Successor> = None;
    // Behind the last that somebody describes only the end of the way counts.
    let last = way.iter().rposition(|one| one.thing.is_some())?;
    let mut formerly: Vec<String> = way
        .iter()
        .rev()
        .skip(1)
        .rev()
        .map(|one| one.name.clone())
        .collect();
    if last + 1 < way.len() {
        named = way.pop();
    }
    let Successor { id, thing, .. } = way.swap_remove(last);
    let thing = thing?;
    let name = named
        .as_ref()
        .map_or_else(|| thing.name.clone(), |named| named.name.clone());
    formerly.retain(|former| key(former) != key(&name));
    let entry = thing.shown_as(name, formerly, words);
    Some((Shown::Known(id, named.map(|named| named.id)), entry))
}

impl Recognised {
    /// Takes in names that it bore before, as the text uses them too.
    fn absorb(&mut self, formerly: Vec<String>) {
        for former in formerly {
            let is_it = |other: &String| key(other) == key(&former);
            self.also_known_as.retain(|other| !is_it(other));
            if !self.formerly.iter().any(is_it) {
                self.formerly.push(former);
            }
        }
    }
}

impl Thing {
    /// The thing as it is shown when no text names it.
    pub(crate) fn shown(&self) -> Recognised {
        self.shown_as(self.name.clone(), Vec::new(), "")
    }

    fn shown_as(&self, name: String, formerly: Vec<String>, words: &str) -> Recognised {
        let also_known_as = std::iter::once(&self.name)
            .chain(&self.aliases)
            .filter(|other| {
                key(other) != key(&name) && !formerly.iter().any(|former| key(former) == key(other))
            })
            .cloned()
            .collect();
        Recognised {
            name,
            kind: self.kind,
            types: self.types.clone(),
            span: Span { start: 0, end: 0 },
            text: words.to_owned(),
            times: 1,
            sources: self.sources.clone(),
            also_known_as,
            formerly,
            summaries: self.summaries.clone(),
            status: self.status.clone(),
            valid_from: self.valid_from.map(|day| day.to_string()),
            valid_to: self.valid_to.map(|day| day.to_string()),
            past: false,
            last_touched: self.last_touched.map(|day| day.to_string()),
        }
    }
}
