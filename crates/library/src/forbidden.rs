//! Names that must not leave: those of rows above a caller's level that no row within it bears.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ken_text::recognise::{Name, Part as Names, Reading, Recogniser, find, looked_at};

use crate::cache::{Index, Lost};
use crate::level::{AccessLevel, Caller};
use crate::model::{Entity, Row, Workstream};
use crate::names::{is_common_word, key};
use crate::snapshot::{Id, Part, Snapshot, gathered};

/// The names that a caller must not read, ready to be looked for. The rule is the design's: references to them are
/// dropped from lists, and a row of any kind whose free text mentions one is withheld. A name that is one common word
/// counts in references only.
#[derive(Clone, Default)]
pub struct ForbiddenNames {
    guard: Option<Arc<Guard>>,
}

/// Where the names are.
enum Guard {
    /// In a list.
    Listed(Listed),
    /// In the index of a library.
    Indexed(Indexed),
}

struct Listed {
    keys: HashSet<String>,
    recogniser: Recogniser,
    common: Vec<String>,
}

/// The names above a caller's level in a library, which are never listed, but looked up.
struct Indexed {
    snapshot: Arc<Snapshot>,
    caller: Caller,
    /// What is known of rows whose names were found in a text.
    verdicts: Mutex<HashMap<Id, Verdict>>,
    /// The names as a list, for the few who need it.
    listed: OnceLock<Listed>,
}

/// Whether a hidden row's name in a text gives it away.
#[derive(Clone)]
enum Verdict {
    /// Whichever of its names it is.
    Always,
    /// None of them: rows that the caller sees bear them, too, or they are common words.
    Never,
    /// These of its names do.
    Some(Arc<Recogniser>),
}

/// How many verdicts are remembered.
const VERDICTS: usize = 65_536;

/// How many there are, and not which.
impl fmt::Debug for ForbiddenNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.guard.as_deref() {
            None => write!(f, "ForbiddenNames(0)"),
            Some(Guard::Listed(listed)) => write!(f, "ForbiddenNames({})", listed.keys.len()),
            Some(Guard::Indexed(_)) => write!(f, "ForbiddenNames(..)"),
        }
    }
}

impl ForbiddenNames {
    /// The names in `hidden` that are not in `shown`.
    pub fn new<'a>(
        hidden: impl IntoIterator<Item = &'a str>,
        shown: impl IntoIterator<Item = &'a str>,
    ) -> ForbiddenNames {
        let mut hidden: Vec<(String, &str)> = hidden.into_iter().map(|name| (key(name), name)).collect();
        if !hidden.is_empty() {
            let shown: HashSet<String> = shown.into_iter().map(key).collect();
            hidden.retain(|(key, _)| !key.is_empty() && !shown.contains(key));
        }
        ForbiddenNames {
            guard: (!hidden.is_empty()).then(|| Arc::new(Guard::Listed(Listed::of(hidden)))),
        }
    }

    /// The names in a library that are above this caller's level and that no row within it bears.
    pub(crate) fn of(snapshot: &Arc<Snapshot>, caller: &Caller) -> ForbiddenNames {
        let is_hidden = || {
            let mut rows = snapshot.indexes.iter().flat_map(Index::rows);
            rows.any(|(_, row)| row.is_hidden(caller))
        };
        ForbiddenNames {
            guard: (caller.level() < AccessLevel::Private && is_hidden()).then(|| {
                Arc::new(Guard::Indexed(Indexed {
                    snapshot: Arc::clone(snapshot),
                    caller: caller.clone(),
                    verdicts: Mutex::default(),
                    listed: OnceLock::new(),
                }))
            }),
        }
    }

    /// Whether nothing is hidden, as for the person at the machine. Where something is, its names may all be borne by
    /// rows that are not.
    pub fn is_empty(&self) -> bool {
        self.guard.is_none()
    }

    /// Whether `reference` is one of the names, as a whole.
    pub fn names_it(&self, reference: &str) -> bool {
        match self.guard.as_deref() {
            None => false,
            Some(Guard::Listed(listed)) => listed.keys.contains(&key(reference)),
            Some(Guard::Indexed(indexed)) => indexed.is_forbidden(&key(reference)),
        }
    }

    /// Whether free text mentions one of the names: then it must not be shown. This is what the room that sees events,
    /// lessons and edicts asks for each of them.
    ///
    /// Names are found wherever they can be read, also as a part of an identifier, a path or a file's name. A text too
    /// long to be looked at whole counts as one that mentions a name.
    pub fn mentioned_in(&self, text: &str) -> bool {
        match self.guard.as_deref() {
            None => false,
            Some(Guard::Listed(listed)) => listed.mentioned_in(text),
            Some(Guard::Indexed(indexed)) if !is_looked_at(text) => indexed.listed().mentioned_in(text),
            Some(Guard::Indexed(indexed)) => indexed.mentioned_in(text),
        }
    }

    /// Whether an item of a list of references must be dropped.
    pub fn in_reference(&self, reference: &str) -> bool {
        self.names_it(reference) || self.mentioned_in(reference)
    }

    /// Private names that are one common word, which free text may therefore mention. For diagnosis, to the person only.
    pub fn common_words(&self) -> &[String] {
        match self.guard.as_deref() {
            None => &[],
            Some(Guard::Listed(listed)) => &listed.common,
            Some(Guard::Indexed(indexed)) => &indexed.listed().common,
        }
    }
}

impl Listed {
    /// Forbidden names with their keys.
    fn of(hidden: Vec<(String, &str)>) -> Listed {
        let (mut common, guarded): (Vec<_>, Vec<_>) = hidden.iter().partition(|(key, _)| is_common_word(key));
        common.sort_unstable();
        common.dedup_by(|a, b| a.0 == b.0);
        Listed {
            recogniser: recogniser(guarded.iter().map(|(_, name)| *name)),
            common: common.into_iter().map(|(_, name)| (*name).to_owned()).collect(),
            keys: hidden.into_iter().map(|(key, _)| key).collect(),
        }
    }

    fn mentioned_in(&self, text: &str) -> bool {
        !self.recogniser.is_empty() && (!is_looked_at(text) || !self.recogniser.find_all(text).is_empty())
    }
}

/// Whether names are looked for in all of a text.
fn is_looked_at(text: &str) -> bool {
    looked_at(text).len() == text.len()
}

fn recogniser<'a>(names: impl Iterator<Item = &'a str>) -> Recogniser {
    Recogniser::new(names.map(|name| Name {
        text: name.to_owned(),
        id: 0,
    }))
}

impl Indexed {
    fn is_hidden(&self, id: Id) -> bool {
        let located = self.snapshot.locate(id);
        located.is_some_and(|(row, _, _)| row.is_hidden(&self.caller))
    }

    /// Whether hidden rows bear a name of this key, and no others do.
    fn is_forbidden(&self, key: &str) -> bool {
        let mut hidden = false;
        for id in self.snapshot.called(key) {
            match self.snapshot.locate(id) {
                Some((row, _, _)) if row.is_shown(&self.caller) => return false,
                Some((row, _, _)) => hidden |= row.is_hidden(&self.caller),
                None => {}
            }
        }
        hidden
    }

    fn mentioned_in(&self, text: &str) -> bool {
        let admits: Vec<Box<dyn Fn(u32) -> bool>> = (0..self.snapshot.indexes.len())
            .map(|index| -> Box<dyn Fn(u32) -> bool> {
                Box::new(move |row| self.is_hidden(Snapshot::id(index, row)))
            })
            .collect();
        let parts: Vec<Names<'_>> = self
            .snapshot
            .names()
            .zip(&admits)
            .map(|(names, admits)| Names::new(names, admits))
            .collect();
        let mut seen = HashSet::new();
        find(&parts, text, Reading::Mentions)
            .iter()
            .flat_map(|found| found.bearers.iter())
            .filter(|bearer| seen.insert(**bearer))
            .any(|(index, row)| match self.verdict(Snapshot::id(*index, *row)) {
                Verdict::Always => true,
                Verdict::Never => false,
                Verdict::Some(names) => !names.find_all(text).is_empty(),
            })
    }

    fn verdict(&self, id: Id) -> Verdict {
        if let Some(verdict) = self
            .verdicts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get(&id)
        {
            return verdict.clone();
        }
        let verdict = self.judge(id);
        let mut verdicts = self.verdicts.lock().unwrap_or_else(PoisonError::into_inner);
        if verdicts.len() >= VERDICTS {
            verdicts.clear();
        }
        verdicts.insert(id, verdict.clone());
        verdict
    }

    fn judge(&self, id: Id) -> Verdict {
        let (Ok(names), Ok(took_over)) = (self.snapshot.names_of(id), self.took_over(id)) else {
            // Its names cannot be told apart any more.
            return Verdict::Always;
        };
        let guarded: Vec<&String> = names
            .iter()
            .filter(|name| {
                let key = key(name);
                !is_common_word(&key) && self.is_forbidden(&key)
            })
            .collect();
        match guarded.len() {
            0 => Verdict::Never,
            guarded if !took_over && guarded == names.len() => Verdict::Always,
            _ => Verdict::Some(Arc::new(recogniser(guarded.into_iter().map(String::as_str)))),
        }
    }

    /// Whether a row is found by names, too, that it says it took the place of: these are not its own.
    fn took_over(&self, id: Id) -> Result<bool, Lost> {
        let (_, manifest, row) = self.snapshot.locate(id).ok_or(Lost::Changed)?;
        fn any(row: &impl Row) -> bool {
            !row.extra().texts("supersedes").is_empty()
        }
        match self.snapshot.part(manifest, row).ok_or(Lost::Changed)? {
            Part::Entity(at) => self
                .snapshot
                .ask(manifest, |cache| Ok(any(&cache.row::<Entity>(at)?))),
            Part::Workstream(at) => self
                .snapshot
                .ask(manifest, |cache| Ok(any(&cache.row::<Workstream>(at)?))),
            Part::Agent | Part::Unread | Part::UnreadAliases => Ok(false),
        }
    }

    fn listed(&self) -> &Listed {
        self.listed.get_or_init(|| {
            let mut hidden: Vec<(String, String)> = Vec::new();
            for manifest in 0..self.snapshot.manifests.len() {
                let Ok(gathered) = self.snapshot.ask(manifest, gathered) else {
                    continue;
                };
                for (name, row) in &gathered.names {
                    let key = key(name);
                    let is_hidden = gathered.row(*row).is_some_and(|row| row.is_hidden(&self.caller));
                    if is_hidden && !key.is_empty() && self.is_forbidden(&key) {
                        hidden.push((key, name.clone()));
                    }
                }
            }
            Listed::of(
                hidden
                    .iter()
                    .map(|(key, name)| (key.clone(), name.as_str()))
                    .collect(),
            )
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn forbidden(hidden: &[&str], shown: &[&str]) -> ForbiddenNames {
        ForbiddenNames::new(hidden.iter().copied(), shown.iter().copied())
    }

    #[test]
    fn a_name_is_found_wherever_it_can_be_read() {
        let names = forbidden(&["Zeus", "Omega Onyx", "api-gateway"], &[]);
        for text in [
            "we moved Zeus",
            "zeus's keys",
            "/home/a/zeus/src",
            "zeus_client.rs",
            "ZeusClient",
            "the omega onyx deal",
            "omega-onyx.toml",
            "OmegaOnyx",
            "api_gateway",
            "apiGateway",
            "Ze\u{200b}us",
            "Ｚｅｕｓ",
            "API GATEWAY",
        ] {
            assert!(names.mentioned_in(text), "{text}");
        }
        for text in ["", "omega", "onyx omega", "zeusian", "gateway api", "amadeus"] {
            assert!(!names.mentioned_in(text), "{text}");
        }
    }

    #[test]
    fn a_text_too_long_to_be_looked_at_is_not_shown() {
        use ken_text::recognise::MAX_TEXT;
        let names = forbidden(&["Zeus"], &[]);
        // Eighteen characters each, when they are compared.
        assert!(names.mentioned_in(&"\u{fdfa}".repeat(MAX_TEXT / 6)));
        assert!(!names.mentioned_in(&"\u{fdfa}".repeat(100)));
        assert!(names.mentioned_in(&"a ".repeat(MAX_TEXT)));
        assert!(!names.mentioned_in(&"a ".repeat(100)));
        assert!(!forbidden(&[], &[]).mentioned_in(&"a ".repeat(MAX_TEXT)));
    }

    #[test]
    fn a_name_that_is_shown_somewhere_is_not_forbidden() {
        let names = forbidden(&["Zeus", "ZEUS ", "Hera"], &["zeus"]);
        assert!(!names.mentioned_in("Zeus"));
        assert!(!names.names_it("Zeus"));
        assert!(names.names_it(" hera"));
    }

    #[test]
    fn a_common_word_is_guarded_in_references_only() {
        let names = forbidden(&["Test", "Mark"], &[]);
        assert!(names.names_it("test"));
        assert!(!names.mentioned_in("run the test and mark it done"));
        assert_eq!(names.common_words(), ["Mark", "Test"]);
    }

    #[test]
    fn nothing_hidden_is_nothing_forbidden() {
        assert!(forbidden(&[], &["a"]).is_empty());
        assert!(forbidden(&[" ", ""], &[]).is_empty());
    }
}
