//! The names that are known here, and the things that bear them: what a text names is put together when it is asked
//! for, from the rows that speak of it and of nothing else.

mod known;
mod thing;

use std::collections::HashMap;
use std::sync::Arc;

use ken_text::recognise::{self, NamesBuilder, is_common_word};
pub(crate) use known::{Known, Successor, ThingId};
pub(crate) use thing::Thing;

use crate::sources::{EdictsRead, LessonsRead, LibraryRead};
use crate::untrusted::Carried;
use crate::{Memory, Summary, ThingKind};

/// The names that a project's own files contribute: keys of edicts and skills of lessons, as far as the caller may see.
#[derive(Debug)]
pub(crate) struct Names {
    of: (Arc<LibraryRead>, Arc<EdictsRead>, Arc<LessonsRead>),
    names: recognise::Names<Vec<u8>>,
    things: Vec<Thing>,
}

impl Memory {
    /// The names of the project's files, as they are now. A caller's reach into them depends on the library, which says
    /// what must not be named.
    pub(crate) fn names(&self, library: &Arc<LibraryRead>, (edicts, lessons): &Carried) -> Arc<Names> {
        let mut kept = crate::freshness::hold(&self.sources.names);
        if let Some(names) = kept.as_ref()
            && Arc::ptr_eq(&names.of.0, library)
            && Arc::ptr_eq(&names.of.1, edicts)
            && Arc::ptr_eq(&names.of.2, lessons)
        {
            return Arc::clone(names);
        }
        let screen = library.screen();
        let mut things: Vec<Thing> = Vec::new();
        for edict in self.edicts_for(edicts, screen) {
            if let Some(key) = &edict.key {
                things.push(Thing {
                    types: vec![edict.category.to_string()],
                    summaries: vec![Summary {
                        agent: "edicts".to_owned(),
                        text: edict.text.clone(),
                    }],
                    ..Thing::of_file(ThingKind::Edict, key.as_str(), "edicts")
                });
            }
        }
        let mut skills: HashMap<&str, usize> = HashMap::new();
        for lesson in self.lessons_for(lessons, screen) {
            let at = *skills.entry(lesson.skill.as_str()).or_insert_with(|| {
                things.push(Thing::of_file(ThingKind::Skill, &lesson.skill, "lessons"));
                things.len() - 1
            });
            things[at].summaries.push(Summary {
                agent: "lessons".to_owned(),
                text: lesson.text.clone(),
            });
        }
        let mut names = NamesBuilder::new();
        for (number, thing) in things.iter().enumerate() {
            for spelling in spellings(&thing.name) {
                names.add(&spelling, number as u32);
            }
        }
        let names = Arc::new(Names {
            of: (Arc::clone(library), Arc::clone(edicts), Arc::clone(lessons)),
            names: names.finish().open(),
            things,
        });
        *kept = Some(Arc::clone(&names));
        names
    }
}

impl Names {
    /// To be found in the same pass as the library's.
    pub(crate) fn set(&self) -> &recognise::Names<Vec<u8>> {
        &self.names
    }

    /// The thing of a number that the set gave.
    pub(crate) fn thing(&self, number: u32) -> Option<&Thing> {
        self.things.get(number as usize)
    }
}

/// Under which texts a key or a skill is recognised: as it is, and as the words that it is made of.
fn spellings(name: &str) -> Vec<String> {
    // Everybody writes such a word without meaning the key, and `general` is what belongs to no skill.
    if is_common_word(name) || name == "general" {
        return Vec::new();
    }
    let words: Vec<&str> = name
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let mut spellings = vec![name.to_owned(), words.join(" ")];
    spellings.dedup();
    spellings
}

/// The form in which two names are one, as recognition has it. What can never be recognised is one with its like.
pub(crate) fn key(name: &str) -> String {
    let key = recognise::key(name);
    if key.is_empty() {
        ken_text::normalize(name)
    } else {
        key
    }
}
