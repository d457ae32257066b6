//! The golden set: sentences as people type them, in ten scripts, and what a reader recognises in them. The same file is
//! scored by `ken eval recognition`. That no name is ever found inside a word is judged here by a rule of its own.

use std::ops::Range;

use ken_text::recognise::evaluation::{Evaluation, Report};
use ken_text::recognise::{Name, Recogniser};
use proptest::prelude::*;

const GOLDEN: &str = include_str!("golden/recognition.jsonl");

fn report() -> Report {
    let mut evaluation = Evaluation::new();
    for (number, line) in (1..).zip(GOLDEN.lines()) {
        evaluation.take(number, line);
    }
    evaluation.finish()
}

#[test]
fn the_golden_set_is_recognised() {
    let report = report();
    assert_eq!(report.bad_lines, []);
    assert!(report.cases >= 200, "{} cases", report.cases);
    let failures: Vec<String> = report
        .failures
        .iter()
        .map(|failure| {
            format!(
                "line {} ({}): {:?}\n  missed {:?}\n  wrong {:?}",
                failure.line,
                failure.kind,
                failure.text,
                failure.missed.iter().map(ToString::to_string).collect::<Vec<_>>(),
                failure.wrong.iter().map(ToString::to_string).collect::<Vec<_>>(),
            )
        })
        .collect();
    assert!(
        report.overall.f1() >= 0.999,
        "F1 {:.4}\n{}",
        report.overall.f1(),
        failures.join("\n")
    );
    // One of a thousand siblings is never taken for another.
    let siblings = report.kinds.iter().find(|kind| kind.kind == "siblings").unwrap();
    assert!(
        siblings.cases >= 10 && siblings.score.right == siblings.score.found,
        "{siblings:?}"
    );
}

#[test]
fn every_kind_of_case_is_there() {
    let kinds: Vec<String> = report().kinds.into_iter().map(|kind| kind.kind).collect();
    for kind in [
        "plain",
        "inside a word",
        "longest",
        "siblings",
        "symbols",
        "possessives and plurals",
        "identifiers",
        "common words",
        "sentence starts",
        "urls and paths",
        "emoji and signs",
        "latin with accents",
        "cyrillic",
        "greek",
        "chinese",
        "japanese",
        "korean",
        "arabic",
        "hebrew",
        "hindi",
        "thai",
    ] {
        assert!(kinds.iter().any(|one| one == kind), "no case of {kind}");
    }
}

/// How letters of a script stand to each other.
#[derive(PartialEq)]
enum Writing {
    /// With spaces between words.
    Spaced,
    /// With spaces, and particles written onto nouns.
    Hangul,
    /// Foreign words in one run.
    Katakana,
    /// Without spaces.
    Running,
    /// No letter or digit.
    None,
}

fn writing(c: char) -> Writing {
    match c as u32 {
        0x1100..=0x11FF | 0x3130..=0x318F | 0xA960..=0xA97F | 0xAC00..=0xD7FF => Writing::Hangul,
        0x30A0..=0x30FF | 0x31F0..=0x31FF | 0xFF66..=0xFF9F if c != '・' && c != '゠' => Writing::Katakana,
        0x0E00..=0x0EFF | 0x1000..=0x109F | 0x1780..=0x17FF => Writing::Running,
        0x2E80..=0x30FF
        | 0x3100..=0x312F
        | 0x31A0..=0x31BF
        | 0x3400..=0x9FFF
        | 0xF900..=0xFAFF
        | 0x2_0000..=0x3_FFFF => Writing::Running,
        _ if c.is_alphanumeric() => Writing::Spaced,
        _ => Writing::None,
    }
}

/// Accents, vowel signs and the like, which belong to the letter before.
fn is_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

/// Characters that a reader does not see.
fn is_unseen(c: char) -> bool {
    matches!(c, '\u{AD}' | '\u{200B}'..='\u{200F}' | '\u{2060}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}')
}

/// Whether a place begins or ends in the middle of a word or identifier.
fn is_inside_a_word(text: &str, span: &Range<usize>) -> bool {
    let seen = |c: &char| !is_unseen(*c);
    let inner: Vec<char> = text[span.clone()].chars().filter(seen).collect();
    let (Some(first), Some(last)) = (inner.first(), inner.last()) else {
        return true;
    };
    let last = inner.iter().rev().find(|c| !is_mark(**c)).unwrap_or(last);
    let mut after = text[span.end..].chars().filter(seen);
    // A mark that nothing stands before belongs to nothing.
    let hangs = is_mark(*first)
        && text[..span.start]
            .chars()
            .rev()
            .find(seen)
            .is_some_and(|c| is_mark(c) || writing(c) != Writing::None);
    let goes_on = writing(*last) != Writing::None && after.clone().next().is_some_and(is_mark);
    if hangs || goes_on {
        return true;
    }
    let accent = |c: &char| is_mark(*c) && writing(*c) != Writing::Running;
    let before = text[..span.start].chars().rev().find(|c| seen(c) && !accent(c));
    let joins = |one: char, other: char, begins: bool| match (writing(one), writing(other)) {
        (Writing::Spaced, Writing::Spaced) | (Writing::Katakana, Writing::Katakana) => true,
        (Writing::Hangul, Writing::Hangul) => begins,
        _ => false,
    };
    let starts_inside =
        before.is_some_and(|before| joins(before, *first, true)) && !is_camel_border(text, span.start);
    let after = after.next();
    let ends_inside = after.is_some_and(|after| {
        // What follows katakana is another word of the same run, or goes on.
        let long = matches!(after, 'ー' | 'ｰ') && matches!(*last as u32, 0x3041..=0x30FF | 0xFF66..=0xFF9F);
        joins(*last, after, false) && writing(after) != Writing::Katakana || long
    });
    starts_inside || ends_inside && !is_camel_border(text, span.end)
}

/// Whether a word of an identifier in camel case begins here, and one ends: of two letters or more each.
fn is_camel_border(text: &str, at: usize) -> bool {
    let seen = |c: &char| !is_unseen(*c);
    let is_part = |c: &char| writing(*c) == Writing::Spaced || is_mark(*c) && writing(*c) != Writing::Running;
    let before: Vec<char> = text[..at]
        .chars()
        .rev()
        .filter(seen)
        .take_while(is_part)
        .collect();
    let before: String = before.into_iter().rev().collect();
    let word: String = before
        .chars()
        .chain(text[at..].chars().filter(seen).take_while(is_part))
        .collect();
    let parts = ken_text::identifier_parts(&word);
    let is_word = |part: &str| part.len() > 1 && part.chars().all(|c| c.is_ascii_alphabetic());
    let mut end = 0;
    word.is_ascii()
        && word.starts_with(|c: char| c.is_ascii_lowercase())
        && parts.windows(2).any(|two| {
            end += two[0].len();
            end == before.len() && is_word(two[0]) && is_word(two[1])
        })
}

#[test]
fn the_rule_itself_knows_a_word() {
    for (text, part, inside) in [
        ("preorchard", "orchard", true),
        ("orchards", "orchard", true),
        ("orchard's", "orchard", false),
        ("my_orchard", "orchard", false),
        ("myOrchard", "Orchard", false),
        ("xOrchard", "Orchard", true),
        ("MyOrchard", "Orchard", true),
        ("orchardClient", "orchard", false),
        ("orchard2", "orchard", true),
        ("_orchard_", "orchard", false),
        ("e\u{301}tat", "e", true),
        ("온라인에서", "라인", true),
        ("라인에서", "라인", false),
        ("オンライン", "ライン", true),
        ("我在北京工作", "北京", false),
        ("กา", "ก", false),
        ("กี", "ก", true),
        ("orch\u{ad}ards", "orch", true),
    ] {
        let start = text.find(part).unwrap();
        assert_eq!(
            is_inside_a_word(text, &(start..start + part.len())),
            inside,
            "{text}"
        );
    }
}

/// The names and texts of the golden set.
fn cases() -> Vec<(Vec<String>, String)> {
    let lines = GOLDEN
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).expect("a line is JSON"));
    lines
        .filter_map(|case| {
            let names = case["names"].as_array().into_iter().flatten();
            let names = names
                .filter_map(|name| name.as_str().map(str::to_owned))
                .collect();
            Some((names, case["text"].as_str()?.to_owned()))
        })
        .collect()
}

#[test]
fn nothing_is_found_inside_a_word_when_all_names_meet_all_texts() {
    let cases = cases();
    let names = cases.iter().flat_map(|(names, _)| names);
    let recogniser = Recogniser::new((0..).zip(names).map(|(id, text)| Name {
        text: text.clone(),
        id,
    }));
    let mut found = 0;
    for (_, text) in &cases {
        for one in recogniser.find(text) {
            assert!(
                !is_inside_a_word(text, &one.span),
                "{:?} in {text:?}",
                &text[one.span.clone()]
            );
            found += 1;
        }
    }
    assert!(found > 200, "{found}");
}

/// Parts of words, so that names stand at and across the borders of what they stand in.
fn written(most: usize) -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "on",
        "yx",
        "Onyx",
        "ONYX",
        "go",
        "Go",
        "s",
        "'s",
        "l'",
        "3",
        "30",
        "é",
        "e\u{301}",
        "ß",
        "Он",
        "ега",
        "東",
        "京",
        "ラ",
        "イ",
        "ン",
        "ー",
        "さ",
        "라",
        "인",
        "를",
        "에서",
        "ก",
        "า",
        "ี",
        "दि",
        "ल्ली",
        "بست",
        "ان",
        "🚀",
        " ",
        " ",
        " ",
        "_",
        "-",
        ".",
        "+",
        "#",
        "\u{ad}",
        "\n\n",
        "/",
    ]);
    prop::collection::vec(piece, 1..most).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_048) })]

    #[test]
    fn nothing_is_ever_found_inside_a_word(names in prop::collection::vec(written(4), 1..8), text in written(24)) {
        let recogniser = Recogniser::new((0..).zip(&names).map(|(id, text)| Name { text: text.clone(), id }));
        for one in recogniser.find(&text) {
            prop_assert!(!is_inside_a_word(&text, &one.span), "{:?}", &text[one.span.clone()]);
        }
    }
}
