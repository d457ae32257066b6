//! Sets of names as bytes: what is asked of them by key, what is kept, and what damaged ones answer.

use ken_text::recognise::{Match, Names, NamesBuilder, NamesBytes, Part, Reading, find, key};
use proptest::prelude::*;

fn bytes(names: &[&str]) -> NamesBytes {
    let mut builder = NamesBuilder::new();
    for (id, name) in names.iter().enumerate() {
        builder.add(name, id as u32);
    }
    builder.finish()
}

fn everything<D: AsRef<[u8]>>(names: &Names<D>, text: &str) -> Vec<Match> {
    [Reading::Names, Reading::Certain, Reading::Mentions]
        .into_iter()
        .flat_map(|reading| find(&[Part::new(names, &|_| true)], text, reading))
        .collect()
}

#[test]
fn a_thing_is_called_by_the_key_of_its_name_and_by_no_other_form() {
    let names = bytes(&[
        "GitHub",
        "git hub",
        "API Gateway",
        "apiGateway",
        "Node.js",
        "nodejs",
        "東京",
        "Go",
        "GO",
        "C++",
        "McDonald's",
    ])
    .open();
    for (key, ids) in [
        ("github", &[0][..]),
        ("git hub", &[1]),
        ("api gateway", &[2]),
        ("apigateway", &[3]),
        ("node.js", &[4]),
        ("nodejs", &[5]),
        ("東京", &[6]),
        ("go", &[7, 8]),
        ("c++", &[9]),
        ("mcdonald's", &[10]),
        ("GitHub", &[]),
        ("git", &[]),
        ("git hu", &[]),
        ("git  hub", &[]),
        ("東", &[]),
        ("", &[]),
        ("R", &[]),
        ("gitShub", &[]),
        ("nodeT.Tjs", &[]),
    ] {
        assert_eq!(names.called(key), ids, "{key}");
    }
}

#[test]
fn references_are_told_and_never_found() {
    let mut builder = NamesBuilder::new();
    builder.add("Orchard", 1);
    for id in [9, 4, 9] {
        builder.add_reference("lampwick", id);
    }
    builder.add_reference("orchard", 2);
    assert_eq!(builder.len(), 1);
    let names = builder.finish().open();
    assert_eq!(names.references("lampwick"), [4, 9]);
    assert_eq!(names.references("orchard"), [2]);
    assert_eq!(names.references("lamp"), Vec::<u32>::new());
    assert_eq!(names.references(""), Vec::<u32>::new());
    assert_eq!(names.called("lampwick"), Vec::<u32>::new());
    assert_eq!(names.called("orchard"), [1]);
    let found = find(
        &[Part::new(&names, &|_| true)],
        "Lampwick, Rlampwick, R lampwick, Orchard",
        Reading::Mentions,
    );
    assert_eq!(found.len(), 1);
}

#[test]
fn a_set_without_names_finds_nothing() {
    let names = bytes(&[]).open();
    assert!(everything(&names, "anything at all").is_empty());
    assert!(names.called("").is_empty() && names.references("").is_empty());
}

#[test]
fn bytes_that_hold_no_names_are_refused() {
    let good = bytes(&["Orchard", "Go"]);
    assert!(Names::open(&good.fst, &good.bearers).is_some());
    for length in 0..good.fst.len() {
        assert!(
            Names::open(&good.fst[..length], &good.bearers[..]).is_none(),
            "{length}"
        );
    }
    let other = fst_of_another_kind();
    assert!(Names::open(&other, &good.bearers).is_none());
}

/// A transducer that holds something else.
fn fst_of_another_kind() -> Vec<u8> {
    let mut builder = fst::raw::Builder::new_type(Vec::new(), 0).expect("a vector takes everything");
    builder.insert("orchard", 1).expect("it is the first key");
    builder.into_inner().expect("a vector takes everything")
}

#[test]
fn one_name_of_a_thousand_bearers_is_told_once_for_all_its_places() {
    let mut builder = NamesBuilder::new();
    for id in 0..1_000 {
        builder.add("Orchard", id);
    }
    let names = builder.finish().open();
    let asked = std::cell::Cell::new(0);
    let admits = |id: u32| {
        asked.set(asked.get() + 1);
        id.is_multiple_of(2)
    };
    let found = find(
        &[Part::new(&names, &admits)],
        &"orchard ".repeat(1_000),
        Reading::Names,
    );
    assert_eq!(found.len(), 1_000);
    assert_eq!(found[0].bearers.len(), 500);
    assert!(std::sync::Arc::ptr_eq(&found[0].bearers, &found[999].bearers));
    assert_eq!(asked.get(), 1_000);
}

#[test]
fn the_longest_over_all_parts_wins() {
    let (one, other) = (
        bytes(&["Mercury", "Bank"]).open(),
        bytes(&["Mercury Bank", "bank"]).open(),
    );
    let all = |_: u32| true;
    let parts = [Part::new(&one, &all), Part::new(&other, &all)];
    let text = "Mercury Bank and the Bank";
    let found: Vec<_> = find(&parts, text, Reading::Names)
        .into_iter()
        .map(|one| (text[one.span.clone()].to_owned(), one.bearers.to_vec()))
        .collect();
    assert_eq!(
        found,
        [
            ("Mercury Bank".to_owned(), vec![(1, 0)]),
            ("Bank".to_owned(), vec![(0, 1), (1, 1)])
        ]
    );
}

fn names() -> impl Strategy<Value = Vec<String>> {
    let piece = prop::sample::select(vec![
        "Onyx", "omega", "Go", "Harbor", "C", "30", "東", "京", "한", " ", " ", "_", "-", "+", ".", "'s",
    ]);
    let name = prop::collection::vec(piece, 1..6).prop_map(|pieces| pieces.concat());
    prop::collection::vec(name, 1..12)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(256) })]

    #[test]
    fn each_name_is_called_by_its_key(names in names()) {
        let set = bytes(&names.iter().map(String::as_str).collect::<Vec<_>>()).open();
        for name in &names {
            let key = key(name);
            let bearers: Vec<u32> = (0..)
                .zip(&names)
                .filter(|(_, other)| !key.is_empty() && self::key(other) == key)
                .map(|(id, _)| id)
                .collect();
            prop_assert_eq!(set.called(&key), bearers, "{:?}", key);
        }
    }

    #[test]
    fn bytes_are_the_same_in_whatever_order_names_come(names in names()) {
        let built = |names: &mut dyn Iterator<Item = (u32, &String)>| {
            let mut builder = NamesBuilder::new();
            for (id, name) in names {
                builder.add(name, id);
                builder.add_reference(&key(name), id);
            }
            builder.finish()
        };
        let numbered: Vec<(u32, &String)> = (0..).zip(&names).collect();
        prop_assert_eq!(built(&mut numbered.iter().copied()), built(&mut numbered.iter().rev().copied()));
    }

    /// Whatever stands in a cache: no panic, no endless search, no list without bound.
    #[test]
    fn damaged_bytes_are_searched_to_an_end(
        names in names(),
        damage in prop::collection::vec((any::<bool>(), any::<prop::sample::Index>(), any::<u8>()), 1..8),
        cut in any::<prop::sample::Index>(),
    ) {
        let mut kept = bytes(&names.iter().map(String::as_str).collect::<Vec<_>>());
        for (in_fst, at, byte) in damage {
            let bytes = if in_fst { &mut kept.fst } else { &mut kept.bearers };
            if !bytes.is_empty() {
                let at = at.index(bytes.len());
                bytes[at] = byte;
            }
        }
        let length = cut.index(kept.bearers.len() + 1);
        for bearers in [&kept.bearers[..], &kept.bearers[..length]] {
            let Some(set) = Names::open(&kept.fst[..], bearers) else {
                continue;
            };
            let text = names.join(" and ");
            for one in everything(&set, &text) {
                prop_assert!(text.get(one.span.clone()).is_some() && !one.bearers.is_empty());
            }
            for name in &names {
                let key = key(name);
                set.called(&key);
                set.references(&key);
            }
        }
    }
}
