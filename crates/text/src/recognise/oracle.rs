//! Recognition by its definition: every form of every name is tried at every place. Slow, and the judge of what is quick.

use proptest::prelude::*;

use super::atoms::{Atoms, Link, Sort};
use super::edges::Context;
use super::find::find_with;
use super::keys::{self, JOINED, TOUCHING};
use super::meaning::is_meant;
use super::names::Sense;
use super::{Match, Names, NamesBuilder, Part, Reading, find, is_common_word, is_everyday_word};
use crate::normalize::Normalised;

/// Where a name stands, in atoms, and who bears it.
type Place = (usize, usize, Vec<(usize, u32)>);

/// What the definition finds of `names`, each with the part and id that bear it.
fn by_definition(names: &[(&str, (usize, u32))], text: &str, reading: Reading) -> Vec<Match> {
    let normalised = Normalised::cased(text);
    let atoms = Atoms::of(&normalised.text);
    let list = atoms.list();
    let context = Context {
        text: &normalised.text,
        atoms: list,
        words: list
            .iter()
            .filter(|atom| !matches!(atom.sort, Sort::Sign(_)))
            .count(),
        reading,
    };
    let mut places: Vec<Place> = Vec::new();
    for (name, bearer) in names {
        let own = Normalised::cased(name);
        let mut room = Atoms::default();
        let Some(spelling) = keys::spelling(&own.text, &mut room) else {
            continue;
        };
        let sense = if spelling.one_word && is_common_word(spelling.cased) {
            Sense::Common
        } else if spelling.one_word && is_everyday_word(spelling.cased) {
            Sense::Everyday
        } else {
            Sense::Name
        };
        let mut forms: Vec<Vec<u8>> = Vec::new();
        spelling.forms(|form| forms.push(form.to_vec()));
        for start in 0..list.len() {
            for end in forms.iter().flat_map(|form| ends(&atoms, start, form)) {
                let valid = context.may_begin(start)
                    && context.may_end(start, end)
                    && is_meant(&context, sense, spelling.cased, start, end);
                if valid {
                    match places.iter_mut().find(|place| (place.0, place.1) == (start, end)) {
                        Some(place) => place.2.push(*bearer),
                        None => places.push((start, end, vec![*bearer])),
                    }
                }
            }
        }
    }
    let bytes = |place: &Place| list[place.1 - 1].end - list[place.0].start;
    places.sort_by_key(|place| (place.0, std::cmp::Reverse(place.1)));
    if reading != Reading::Mentions {
        let mut rest = std::mem::take(&mut places);
        while !rest.is_empty() {
            let longest = rest.iter().map(bytes).max().unwrap();
            let at = rest.iter().position(|place| bytes(place) == longest).unwrap();
            let taken = rest.remove(at);
            rest.retain(|other| other.1 <= taken.0 || other.0 >= taken.1);
            places.push(taken);
        }
        places.sort_by_key(|place| place.0);
    }
    places
        .into_iter()
        .map(|(start, end, mut bearers)| {
            bearers.sort_unstable();
            bearers.dedup();
            Match {
                span: normalised
                    .offsets
                    .original(list[start].start as usize..list[end - 1].end as usize),
                bearers: bearers.into(),
            }
        })
        .collect()
}

/// Where the form ends that begins with the atom at `start`, by each way of reading words whole or in parts.
fn ends(atoms: &Atoms, start: usize, form: &[u8]) -> Vec<usize> {
    let list = atoms.list();
    let mut ends = Vec::new();
    let mut open = vec![(start, Vec::new())];
    while let Some((at, read)) = open.pop() {
        if read == form {
            ends.push(at);
        }
        let Some(atom) = list
            .get(at)
            .filter(|atom| at == start || atom.link != Link::Barrier)
        else {
            continue;
        };
        let wholes = atoms
            .wholes(atom)
            .iter()
            .map(|whole| (whole.token, whole.length as usize));
        for (token, length) in wholes.chain([(atom.token, 1)]) {
            let mut read: Vec<u8> = read.clone();
            if at > start {
                read.push(if atom.link.joins() { JOINED } else { TOUCHING });
            }
            read.extend_from_slice(atoms.text_of(token).as_bytes());
            if form.starts_with(&read) {
                open.push((at + length, read));
            }
        }
    }
    ends
}

fn set(names: &[(String, u32)]) -> Names<Vec<u8>> {
    let mut builder = NamesBuilder::new();
    for (name, id) in names {
        builder.add(name, *id);
    }
    builder.finish().open()
}

const READINGS: [Reading; 3] = [Reading::Names, Reading::Certain, Reading::Mentions];

/// Names and texts of few pieces, so that they meet: words, common and everyday ones, signs, identifiers, scripts.
fn written(most: usize) -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "Onyx", "onyx", "omega", "Omega", "ONYX", "Go", "go", "harbor", "Harbor", "C", "3", "30", "é", "'s",
        "l'", "東", "京", "タ", "ー", "한", "글", "를", "ก", "า", "🚀", " ", " ", " ", " ", "_", "-", ".",
        "+", "#", "\"", "\n\n", ". ", ": ", "js", "/",
    ]);
    prop::collection::vec(piece, 1..most).prop_map(|pieces| pieces.concat())
}

fn named() -> impl Strategy<Value = Vec<(String, u32)>> {
    prop::collection::vec((written(6), 0_u32..6), 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1_024) })]

    #[test]
    fn what_is_found_is_what_the_definition_finds(names in named(), text in written(24)) {
        let set = set(&names);
        let all: Vec<(&str, (usize, u32))> = names.iter().map(|(name, id)| (name.as_str(), (0, *id))).collect();
        for reading in READINGS {
            let found = find(&[Part::new(&set, &|_| true)], &text, reading);
            prop_assert_eq!(found, by_definition(&all, &text, reading), "{:?}", reading);
        }
    }

    #[test]
    fn a_text_that_repeats_itself_is_searched_as_any_other(names in named(), text in written(8), times in 1_usize..24) {
        let set = set(&names);
        let parts = [Part::new(&set, &|_| true)];
        let text = text.repeat(times);
        for reading in READINGS {
            prop_assert_eq!(
                find_with(&parts, &text, reading, (0, 0)),
                find_with(&parts, &text, reading, (0, usize::MAX)),
                "{:?}", reading
            );
        }
    }

    #[test]
    fn parts_are_found_as_their_union_is(one in named(), other in named(), text in written(24)) {
        let sets = [set(&one), set(&other)];
        let all: Vec<(&str, (usize, u32))> = [&one, &other]
            .into_iter()
            .enumerate()
            .flat_map(|(part, names)| names.iter().map(move |(name, id)| (name.as_str(), (part, *id))))
            .collect();
        for reading in READINGS {
            let parts = [Part::new(&sets[0], &|_| true), Part::new(&sets[1], &|_| true)];
            let found = find(&parts, &text, reading);
            prop_assert_eq!(found, by_definition(&all, &text, reading), "{:?}", reading);
        }
    }

    #[test]
    fn what_is_not_admitted_does_not_exist(names in named(), hidden in 0_u32..64, text in written(24)) {
        let admitted = |id: u32| hidden >> id & 1 == 0;
        let (all, shown) = (set(&names), set(&names.iter().filter(|(_, id)| admitted(*id)).cloned().collect::<Vec<_>>()));
        for reading in READINGS {
            prop_assert_eq!(
                find(&[Part::new(&all, &admitted)], &text, reading),
                find(&[Part::new(&shown, &|_| true)], &text, reading),
                "{:?}", reading
            );
        }
    }
}
