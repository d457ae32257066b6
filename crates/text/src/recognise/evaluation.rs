//! How well names are recognised, measured on cases that people wrote.
//!
//! A case is one line of JSON: `kind` (what it is a case of), `names` (what is known), `text`, and `expected` (what a
//! reader would recognise in it, in order).
//! - A name is a text, or `{"name": "Omega Onyx {n}", "from": 1, "to": 1000}` for numbered ones, or `{"list": "team"}`
//!   for those of a list. A line of `list` and `names` gives a list its name, for the lines below it.
//! - What is expected is the text of a place: the first such after the place before. Where that is not enough it is
//!   `{"text": "Orchard", "start": 12, "name": "Orchard"}`: `start` in bytes, `name` the one name that is meant.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use super::{Name, Recogniser};

/// So many names may be numbered at a time.
const MOST_NUMBERED: u32 = 1_000_000;

/// Takes cases and keeps the score.
#[derive(Debug, Default)]
pub struct Evaluation {
    lists: HashMap<String, Vec<String>>,
    report: Report,
    /// The names of the case before, which often are those of the next.
    last: Option<(Vec<String>, Recogniser)>,
}

/// How the cases came out.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Report {
    /// How many cases there are.
    pub cases: usize,
    /// All of them together.
    pub overall: Score,
    /// The same by kind, in order of appearance.
    pub kinds: Vec<KindScore>,
    /// The cases in which something was missed or wrong.
    pub failures: Vec<Failure>,
    /// The lines that hold no case.
    pub bad_lines: Vec<BadLine>,
}

/// How many places were to be recognised, were, and were rightly. Its JSON form has the shares that follow from them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(into = "Shares")]
pub struct Score {
    /// Places that a reader recognises.
    pub expected: usize,
    /// Places that were recognised.
    pub found: usize,
    /// Those that are both.
    pub right: usize,
}

#[derive(Serialize)]
struct Shares {
    expected: usize,
    found: usize,
    right: usize,
    precision: f64,
    recall: f64,
    f1: f64,
}

/// The score of the cases of one kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KindScore {
    /// What they are cases of.
    pub kind: String,
    /// How many there are.
    pub cases: usize,
    /// How they came out.
    #[serde(flatten)]
    pub score: Score,
}

/// A case that came out otherwise than expected.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// Its line, from 1 on.
    pub line: usize,
    /// What it is a case of.
    pub kind: String,
    /// Its text.
    pub text: String,
    /// What was not recognised.
    pub missed: Vec<Place>,
    /// What was recognised and should not have been.
    pub wrong: Vec<Place>,
}

/// A place in a text where a name stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Place {
    /// What stands there.
    pub text: String,
    /// Where it begins, in bytes.
    pub start: usize,
    /// The names that it is taken for, when that is said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
}

/// A line that holds no case, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BadLine {
    /// The line, from 1 on.
    pub line: usize,
    /// What is wrong with it.
    pub why: String,
}

enum Line {
    List(List),
    Case(Case),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    list: String,
    names: Vec<Given>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    kind: String,
    names: Vec<Given>,
    text: String,
    expected: Vec<Expected>,
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "a name is a text, {\"list\": \"LIST\"}, or {\"name\": \"NAME {n}\", \"from\": 1, \"to\": 9} with whole numbers from 0 on"
)]
enum Given {
    Name(String),
    List { list: String },
    Numbered { name: String, from: u32, to: u32 },
}

#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "what is expected is a text, or {\"text\": \"TEXT\", \"start\": 0, \"name\": \"NAME\"} with `start` in bytes"
)]
enum Expected {
    Text(String),
    Place {
        text: String,
        start: Option<usize>,
        name: Option<String>,
    },
}

impl Score {
    /// The share of what was recognised that is right.
    pub fn precision(&self) -> f64 {
        share(self.right, self.found)
    }

    /// The share of what a reader recognises that was recognised.
    pub fn recall(&self) -> f64 {
        share(self.right, self.expected)
    }

    /// The harmonic mean of the two.
    pub fn f1(&self) -> f64 {
        share(2 * self.right, self.expected + self.found)
    }

    fn add(&mut self, other: Score) {
        self.expected += other.expected;
        self.found += other.found;
        self.right += other.right;
    }
}

/// Of nothing everything is right.
fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 {
        1.0
    } else {
        part as f64 / whole as f64
    }
}

impl From<Score> for Shares {
    fn from(score: Score) -> Shares {
        Shares {
            expected: score.expected,
            found: score.found,
            right: score.right,
            precision: score.precision(),
            recall: score.recall(),
            f1: score.f1(),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} at {}", self.text, self.start)?;
        if !self.names.is_empty() {
            write!(f, " as {}", self.names.join(", "))?;
        }
        Ok(())
    }
}

impl Evaluation {
    /// No case yet.
    pub fn new() -> Evaluation {
        Evaluation::default()
    }

    /// Takes in the line `number` (from 1 on): a case, a list, or an empty one. A bad one is noted, and does not keep
    /// the others from counting.
    pub fn take(&mut self, number: usize, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        if let Err(why) = self.read(number, line) {
            self.report.bad_lines.push(BadLine { line: number, why });
        }
    }

    /// How the cases came out.
    pub fn finish(self) -> Report {
        self.report
    }

    fn read(&mut self, number: usize, line: &str) -> Result<(), String> {
        let object: serde_json::Value =
            serde_json::from_str(line).map_err(|error| format!("it is no JSON object: {error}"))?;
        let is_list = object.get("list").is_some();
        let line = if is_list {
            serde_json::from_value(object).map(Line::List)
        } else {
            serde_json::from_value(object).map(Line::Case)
        };
        match line {
            Err(error) => Err(format!(
                "{error}; a case has `kind`, `names`, `text` and `expected`, a list has `list` and `names`"
            )),
            Ok(Line::List(list)) => {
                let names = self.names(list.names)?;
                self.lists.insert(list.list, names);
                Ok(())
            }
            Ok(Line::Case(case)) => self.case(number, case),
        }
    }

    fn names(&self, given: Vec<Given>) -> Result<Vec<String>, String> {
        let mut names = Vec::new();
        for given in given {
            match given {
                Given::Name(name) => names.push(name),
                Given::List { list } => names.extend_from_slice(
                    self.lists
                        .get(&list)
                        .ok_or_else(|| format!("no line above gives the list `{list}`"))?,
                ),
                Given::Numbered { name, from, to } => {
                    if !name.contains("{n}") {
                        return Err(format!(
                            "`{name}` does not say with {{n}} where its number stands"
                        ));
                    }
                    if from > to || to - from >= MOST_NUMBERED {
                        return Err(format!(
                            "from {from} to {to} are no 1 to {MOST_NUMBERED} names; count upwards and less far"
                        ));
                    }
                    names.extend((from..=to).map(|number| name.replace("{n}", &number.to_string())));
                }
            }
        }
        Ok(names)
    }

    fn case(&mut self, line: usize, case: Case) -> Result<(), String> {
        let names = self.names(case.names)?;
        let text = case.text;
        let expected = places(&text, case.expected, &names)?;
        if self.last.as_ref().is_none_or(|(last, _)| *last != names) {
            let recogniser = Recogniser::new((0..).zip(&names).map(|(id, text)| Name {
                text: text.clone(),
                id,
            }));
            self.last = Some((names, recogniser));
        }
        let Some((names, recogniser)) = &self.last else {
            return Ok(());
        };
        let mut missed = expected;
        let mut wrong = Vec::new();
        let mut score = Score {
            expected: missed.len(),
            ..Score::default()
        };
        for found in recogniser.find(&text) {
            score.found += 1;
            let mut named: Vec<&str> = found.ids().map(|id| names[id as usize].as_str()).collect();
            named.sort_unstable();
            named.dedup();
            let place = |(span, name): &Wanted| {
                *span == found.span && name.as_ref().is_none_or(|name| named == [name])
            };
            match missed.iter().position(place) {
                Some(at) => {
                    missed.remove(at);
                    score.right += 1;
                }
                None => wrong.push(Place {
                    text: text[found.span.clone()].to_owned(),
                    start: found.span.start,
                    names: named.into_iter().map(str::to_owned).collect(),
                }),
            }
        }
        self.count(&case.kind, score);
        if !(missed.is_empty() && wrong.is_empty()) {
            let missed = missed.into_iter().map(|(span, name)| Place {
                text: text[span.clone()].to_owned(),
                start: span.start,
                names: name.into_iter().collect(),
            });
            let missed = missed.collect();
            self.report.failures.push(Failure {
                line,
                kind: case.kind,
                missed,
                wrong,
                text,
            });
        }
        Ok(())
    }

    fn count(&mut self, kind: &str, score: Score) {
        self.report.cases += 1;
        self.report.overall.add(score);
        let kinds = &mut self.report.kinds;
        let at = kinds.iter().position(|one| one.kind == kind).unwrap_or_else(|| {
            kinds.push(KindScore {
                kind: kind.to_owned(),
                cases: 0,
                score: Score::default(),
            });
            kinds.len() - 1
        });
        kinds[at].cases += 1;
        kinds[at].score.add(score);
    }
}

/// Where a name is expected, and which, when that is said.
type Wanted = (Range<usize>, Option<String>);

/// Where what is expected stands.
fn places(text: &str, expected: Vec<Expected>, names: &[String]) -> Result<Vec<Wanted>, String> {
    let mut from = 0;
    let mut places = Vec::new();
    for expected in expected {
        let (what, start, name) = match expected {
            Expected::Text(text) => (text, None, None),
            Expected::Place { text, start, name } => (text, start, name),
        };
        let start = match start {
            Some(start) => text
                .get(start..)
                .filter(|rest| rest.starts_with(&what))
                .map(|_| start),
            None => text[from..].find(&what).map(|at| from + at),
        };
        let Some(start) = start.filter(|_| !what.is_empty()) else {
            return Err(format!(
                "`{what}` is expected and does not stand there in the text"
            ));
        };
        if let Some(name) = name.as_ref().filter(|name| !names.contains(name)) {
            return Err(format!("`{name}` is expected and is none of the names"));
        }
        from = start + what.len();
        places.push((start..from, name));
    }
    Ok(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(lines: &[&str]) -> Report {
        let mut evaluation = Evaluation::new();
        for (number, line) in (1..).zip(lines) {
            evaluation.take(number, line);
        }
        evaluation.finish()
    }

    #[test]
    fn what_is_missed_and_what_is_wrong_is_counted_and_told() {
        let report = report(&[
            r#"{"kind": "plain", "names": ["Orchard", "Mercury"], "text": "Orchard and Mercury", "expected": ["Orchard", "Mercury"]}"#,
            "",
            r#"{"kind": "plain", "names": ["Orchard"], "text": "an Orchard, orchards", "expected": ["orchards"]}"#,
            r#"{"kind": "none", "names": ["Orchard"], "text": "nothing", "expected": []}"#,
        ]);
        assert_eq!(report.cases, 3);
        let score = Score {
            expected: 3,
            found: 3,
            right: 2,
        };
        assert_eq!(report.overall, score);
        assert!((score.f1() - 2.0 / 3.0).abs() < 1e-9 && (score.precision() - 2.0 / 3.0).abs() < 1e-9);
        let kinds: Vec<(&str, usize)> = report
            .kinds
            .iter()
            .map(|kind| (kind.kind.as_str(), kind.cases))
            .collect();
        assert_eq!(kinds, [("plain", 2), ("none", 1)]);
        assert_eq!(report.failures.len(), 1);
        assert_eq!(report.failures[0].line, 3);
        assert_eq!(report.failures[0].missed[0].to_string(), r#""orchards" at 12"#);
        assert_eq!(
            report.failures[0].wrong[0].to_string(),
            r#""Orchard" at 3 as Orchard"#
        );
    }

    #[test]
    fn a_place_can_be_told_by_its_start_and_the_name_that_is_meant() {
        let report = report(&[
            r#"{"list": "onyx", "names": [{"name": "Omega Onyx {n}", "from": 1, "to": 40}]}"#,
            r#"{"kind": "siblings", "names": [{"list": "onyx"}, "Onyx"], "text": "onyxes, omega-onyx-4, onyx",
                "expected": [{"text": "omega-onyx-4", "name": "Omega Onyx 4"}, {"text": "onyx", "start": 22}]}"#,
            r#"{"kind": "siblings", "names": [{"list": "onyx"}], "text": "Omega Onyx 4",
                "expected": [{"text": "Omega Onyx 4", "name": "Omega Onyx 40"}]}"#,
        ]);
        assert_eq!(report.bad_lines, []);
        assert_eq!(
            report.overall,
            Score {
                expected: 3,
                found: 3,
                right: 2
            }
        );
        assert_eq!(report.failures[0].missed[0].names, ["Omega Onyx 40"]);
        assert_eq!(report.failures[0].wrong[0].names, ["Omega Onyx 4"]);
    }

    #[test]
    fn a_bad_line_is_told_and_the_others_count() {
        let report = report(&[
            "{",
            "[1]",
            r#"{"kind": "x", "names": ["A1"], "text": "A1", "expected": ["A2"]}"#,
            r#"{"kind": "x", "names": ["A1"], "text": "A1"}"#,
            r#"{"kind": "x", "names": [{"list": "gone"}], "text": "A1", "expected": []}"#,
            r#"{"kind": "x", "names": [{"name": "A{n}", "from": 0, "to": 4000000000}], "text": "A1", "expected": []}"#,
            r#"{"kind": "x", "names": ["A1"], "text": "A1", "expected": ["A1"], "extra": 1}"#,
            r#"{"kind": "x", "names": ["é"], "text": "é", "expected": [{"text": "é", "start": 1}]}"#,
            r#"{"kind": "x", "names": ["A1"], "text": "A1", "expected": ["A1"]}"#,
        ]);
        assert_eq!(report.cases, 1);
        assert_eq!(report.failures, []);
        let lines: Vec<usize> = report.bad_lines.iter().map(|bad| bad.line).collect();
        assert_eq!(lines, [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(
            report.bad_lines[2].why,
            "`A2` is expected and does not stand there in the text"
        );
        assert_eq!(report.bad_lines[4].why, "no line above gives the list `gone`");
    }
}
