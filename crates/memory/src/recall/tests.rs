//! Passing over what cannot reach the answer, against looking at everything: the same hits in the same order with the
//! same scores, over random logs, callers and questions.

use std::collections::HashMap;
use std::fs;

use jiff::tz::TimeZone;
use ken_dotagent::{EventId, EventIndex, Folder, Stale, Supersedes};
use ken_files::{Clock, Paths};
use ken_library::{AccessLevel, Caller};
use ken_text::search::Field;
use proptest::prelude::*;

use super::asked::Asked;
use super::candidate::{Candidate, Found};
use super::plan::Plan;
use super::search::Collections;
use super::shelf::{Document, Shelf};
use super::{Hit, Kind, Rank, RecallRequest};
use crate::withhold::Screen;
use crate::{Memory, Project, Setting};

impl Asked<'_> {
    /// The answer by its definition: every document is a candidate, all are put in order, equal texts are collapsed.
    fn plainly(
        &self,
        plan: &Plan,
        request: &RecallRequest,
        screen: Screen<'_>,
    ) -> Result<(Vec<Hit>, bool), Stale> {
        let mut candidates: Vec<Candidate<'_>> = Vec::new();
        let mut texts: Vec<String> = Vec::new();
        if let Some(events) = &self.events {
            for document in 0..events.index.len() {
                if events.passes_filters(document) && events.holds_phrases(document)? {
                    candidates.push(events.candidate(document));
                    texts.push(events.event(document)?.event.content.clone());
                }
            }
        }
        for candidate in self.documents() {
            if let Found::Document(document) = candidate.found {
                texts.push(document.text.clone());
            }
            candidates.push(candidate);
        }
        if let Some(rows) = &self.rows {
            for candidate in rows.plainly()? {
                let document = candidate.document().unwrap();
                if self.passes(document) && self.holds_phrases(document) {
                    texts.push(document.text.clone());
                    candidates.push(candidate);
                }
            }
        }
        if request.rank == Rank::Relevance {
            self.supersede(&mut candidates, screen)?;
        }
        let mut order: Vec<usize> = (0..candidates.len()).collect();
        order.sort_by(|a, b| candidates[*a].order(&candidates[*b]));
        let folded: Vec<String> = texts
            .iter()
            .map(|text| ken_text::fingerprint_text(text))
            .collect();
        let mut same: HashMap<&str, Vec<usize>> = HashMap::new();
        for number in &order {
            same.entry(&folded[*number]).or_default().push(*number);
        }
        let mut hits = Vec::new();
        for number in order {
            let candidate = &candidates[number];
            if !same.contains_key(folded[number].as_str()) || !self.allows(candidate)? {
                continue;
            }
            if hits.len() == plan.k {
                return Ok((hits, true));
            }
            let mut copies = 0;
            for other in same.remove(folded[number].as_str()).unwrap_or_default() {
                copies += usize::from(self.allows(&candidates[other])?);
            }
            hits.push(self.hit(candidate, copies)?);
        }
        Ok((hits, false))
    }

    fn supersede(&self, candidates: &mut [Candidate<'_>], screen: Screen<'_>) -> Result<(), Stale> {
        let Some(events) = &self.events else { return Ok(()) };
        let all: Vec<_> = (0..events.index.len())
            .map(|document| events.event(document))
            .collect::<Result<_, _>>()?;
        let mut newer: Vec<_> = all
            .iter()
            .map(|logged| &logged.event)
            .filter(|event| event.supersedes.is_some() && screen.allows_event(event))
            .collect();
        newer.sort_by_key(|event| (event.time_as_of(events.now()), event.id));
        let mut successors: HashMap<EventId, EventId> = HashMap::new();
        for newer in newer {
            match &newer.supersedes {
                Some(Supersedes::Event(older)) if *older != newer.id => {
                    successors.insert(*older, newer.id);
                }
                Some(Supersedes::Skill(skill)) => {
                    let taken = all.iter().map(|logged| &logged.event).filter(|older| {
                        older.skill_action == *skill
                            && older.id != newer.id
                            && older.timestamp < newer.timestamp
                    });
                    successors.extend(taken.map(|older| (older.id, newer.id)));
                }
                _ => {}
            }
        }
        let mut newest_first: Vec<(EventId, usize)> = Vec::new();
        for (number, candidate) in candidates.iter().enumerate() {
            if let Found::Event(_, id) = candidate.found {
                newest_first.push((id, number));
            }
        }
        newest_first.sort_by(|(_, a), (_, b)| candidates[*b].when.cmp(&candidates[*a].when));
        let places: HashMap<EventId, usize> = newest_first.iter().copied().collect();
        for (id, number) in newest_first {
            let Some(successor) = successors.get(&id) else {
                continue;
            };
            let factor = match places.get(successor) {
                Some(place) => (0.99 * candidates[*place].score / candidates[number].score).min(1.0),
                None => 0.8,
            };
            let candidate = &mut candidates[number];
            candidate.factors.superseded = Some(factor);
            candidate.score = candidate.factors.product();
            candidate.superseded_by = Some(*successor);
        }
        Ok(())
    }
}

const WORDS: [&str; 9] = [
    "parser",
    "cache",
    "lock",
    "Zeus",
    "api_gateway",
    "deploy",
    "retry",
    "the",
    "queue",
];

/// What a random event is made of.
#[derive(Debug, Clone)]
struct Row {
    words: Vec<usize>,
    minutes: u32,
    numbers: (u8, u8, u8),
    skill: u8,
    origin: u8,
    tagged: bool,
    supersedes: Option<u16>,
}

fn row() -> impl Strategy<Value = Row> {
    (
        prop::collection::vec(0..WORDS.len(), 1..5),
        0..400_000_u32,
        (0..=10_u8, 0..=10_u8, 0..4_u8),
        0..4_u8,
        0..4_u8,
        any::<bool>(),
        prop::option::weighted(0.3, any::<u16>()),
    )
        .prop_map(
            |(words, minutes, numbers, skill, origin, tagged, supersedes)| Row {
                words,
                minutes,
                numbers,
                skill,
                origin,
                tagged,
                supersedes,
            },
        )
}

fn id(number: usize) -> String {
    format!("evt_01KRGZ0000000000{number:010}")
}

fn log(rows: &[Row]) -> String {
    const SKILLS: [&str; 4] = ["general", "rust::build", "rust::test", "deploy"];
    let line = |(number, row): (usize, &Row)| {
        let words: Vec<&str> = row.words.iter().map(|word| WORDS[*word]).collect();
        let mut extra = [
            "",
            ",\"origin\":\"user\"",
            ",\"origin\":\"agent\"",
            ",\"origin\":\"tool\"",
        ][usize::from(row.origin)]
        .to_owned();
        if row.tagged {
            extra.push_str(",\"tags\":[\"ci\"]");
        }
        if let Some(target) = row.supersedes {
            let what = match usize::from(target) % 3 {
                0 => SKILLS[1 + usize::from(target / 3) % 3].to_owned(),
                // Often a neighbour, so that there are chains, and rings of two.
                1 => id((number + 1) % rows.len()),
                _ => id(usize::from(target) % rows.len()),
            };
            extra.push_str(&format!(",\"supersedes\":\"{what}\""));
        }
        let at =
            jiff::Timestamp::from_second(1_780_000_000 + i64::from(row.minutes) * 60).unwrap_or_default();
        let (pain, importance, recurrence) = row.numbers;
        format!(
            "{{\"schema_version\":\"1.0\",\"id\":\"{}\",\"timestamp\":\"{at}\",\"content\":\"{}\",\"pain\":{pain}.0,\"importance\":{importance}.0,\"recurrence\":{recurrence},\"skill_action\":\"{}\",\"source_harness\":\"{}\",\"pinned\":false{extra}}}\n",
            id(number),
            words.join(" "),
            SKILLS[usize::from(row.skill)],
            if number % 3 == 0 { "codex" } else { "cli" },
        )
    };
    rows.iter().enumerate().map(line).collect()
}

/// What a random row of the library is made of.
#[derive(Debug, Clone)]
struct LibraryRow {
    agent: usize,
    kind: usize,
    name: usize,
    words: Vec<usize>,
    day: Option<u8>,
    level: usize,
    tagged: bool,
    over: bool,
}

fn library_row() -> impl Strategy<Value = LibraryRow> {
    let word = || 0..WORDS.len();
    let words = prop::collection::vec(word(), 1..4);
    let rest = (
        prop::option::of(1..29_u8),
        0..3_usize,
        any::<bool>(),
        prop::bool::weighted(0.1),
    );
    (0..3_usize, 0..4_usize, word(), words, rest).prop_map(
        |(agent, kind, name, words, (day, level, tagged, over))| LibraryRow {
            agent,
            kind,
            name,
            words,
            day,
            level,
            tagged,
            over,
        },
    )
}

fn manifest(agent: usize, rows: &[LibraryRow]) -> String {
    let mut text = format!(
        "spec_version: \"0.1\"\nagent: {{id: agent-{agent}, type: code-assistant}}\nlast_updated: \"2026-11-29T00:00:00Z\"\n"
    );
    let keys = ["known_entities", "known_workstreams", "recent_sessions", "notes"];
    for (kind, key) in keys.into_iter().enumerate() {
        text.push_str(&format!("{key}:\n"));
        for row in rows.iter().filter(|row| row.agent == agent && row.kind == kind) {
            let said: Vec<&str> = row.words.iter().map(|word| WORDS[*word]).collect();
            let said = said.join(" ");
            let name = WORDS[row.name];
            text.push_str(&match kind {
                0 => format!(" - name: {name}\n   type: project\n   aliases: [{said}]\n   summary: {said}\n"),
                1 => format!(" - name: {name}\n   status: active\n   summary: {said}\n"),
                2 => format!(" - key_actions: [{said}]\n   project_focus: [{name}]\n"),
                _ => format!(" - text: {said}\n   related_entities: [{name}]\n"),
            });
            let day = row.day.map(|day| format!("2026-11-{day:02}"));
            match (kind, day) {
                (0 | 1, Some(day)) => text.push_str(&format!("   last_touched: {day}\n")),
                (_, Some(day)) => text.push_str(&format!("   date: {day}\n")),
                (2, None) => text.push_str("   date: \"\"\n"),
                _ => {}
            }
            if row.over && kind == 0 {
                text.push_str("   valid_to: 2026-11-01\n");
            }
            if row.tagged {
                let tag = ["ci", "CI ", "a_ciBuild", "A-CI-build"][row.name % 4];
                text.push_str(&format!("   tags: [\"{tag}\", other]\n"));
            }
            let level = ["public", "team", "private"][row.level];
            text.push_str(&format!("   visibility: {level}\n"));
        }
    }
    text
}

struct Machine {
    _place: tempfile::TempDir,
    setting: Setting,
    folder: Folder,
}

/// A machine on which `Zeus` is a private name.
fn machine(rows: &[Row], library: &[LibraryRow]) -> Machine {
    let place = tempfile::tempdir().unwrap();
    let paths = Paths::under(place.path().join("home"));
    let repo = paths.home.join("orchard");
    fs::create_dir_all(&repo).unwrap();
    fs::create_dir_all(paths.library.join("agents")).unwrap();
    fs::write(
        paths.library.join("agents/codex.l5.yaml"),
        "spec_version: \"0.1\"\nagent: {id: codex, type: code-assistant}\nlast_updated: \"2026-11-29T00:00:00Z\"\nknown_entities:\n  - name: Zeus\n    type: project\n    summary: a secret\n    visibility: private\n",
    )
    .unwrap();
    for agent in 0..3 {
        let path = paths.library.join(format!("agents/agent-{agent}.l5.yaml"));
        fs::write(path, manifest(agent, library)).unwrap();
    }
    let (folder, _) = Folder::init(&repo).unwrap();
    fs::write(folder.log_path(), log(rows)).unwrap();
    let clock = Clock::pinned("2026-11-30T12:00:00Z".parse().unwrap(), TimeZone::UTC);
    let project = Project::find(&repo, &paths);
    Machine {
        _place: place,
        setting: Setting::person(paths, clock, project),
        folder,
    }
}

fn shelf(texts: &[Vec<usize>]) -> Shelf {
    let mut shelf = Shelf::default();
    for (number, words) in texts.iter().enumerate() {
        let words: Vec<&str> = words.iter().map(|word| WORDS[*word]).collect();
        let said = words.join(" ");
        let document = Document::new(format!("note:{number}"), Kind::Note, said.clone());
        shelf.add(document, &[Field::text(&said), Field::label("queue")]);
    }
    shelf
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn passing_over_what_cannot_come_first_changes_nothing(
        rows in prop::collection::vec(row(), 1..260),
        notes in prop::collection::vec(prop::collection::vec(0..WORDS.len(), 1..4), 0..40),
        library_rows in prop::collection::vec(library_row(), 0..40),
        query in "((parser|cache|lock|zeus|gateway|deploy|queue|the|\"cache lock\"|tag:ci|tag:a_cibuild|tag:A-CIBUILD|skill:rust|harness:cli|harness:agent-1|kind:note|since:2026-09-01) ){0,4}",
        k in prop::sample::select(vec![1, 3, 10, 100]),
        by_salience in any::<bool>(),
        as_agent in any::<bool>(),
        all_events in any::<bool>(),
    ) {
        let machine = machine(&rows, &library_rows);
        let setting = machine.setting.clone();
        let setting = if as_agent { setting.with_caller(Caller::local_agent(AccessLevel::Team), None) } else { setting };
        let memory = Memory::open(setting).unwrap();
        let request = RecallRequest {
            k,
            explain: true,
            rank: if by_salience { Rank::Salience } else { Rank::Relevance },
            ..RecallRequest::new(query)
        };
        let plan = Plan::read(&request, &memory.setting.clock);
        prop_assume!(!plan.is_empty());
        let library = memory.library();
        let screen = library.screen();
        let notes = shelf(if all_events { &[] } else { &notes });
        let index = machine.folder.index().unwrap();
        let in_memory = EventIndex::of(machine.folder.read().unwrap());
        let mut answers = Vec::new();
        for index in [&index, &in_memory] {
            let collections = Collections {
                events: Some(index),
                shelves: vec![&notes],
                rows: Some(((&memory, &*library), library.view.searched())),
                untrusted: false,
                log: "log".to_owned(),
                project: None,
                today: memory.setting.clock.today(),
                now: memory.setting.clock.now(),
            };
            let asked = Asked::new(&collections, screen, &plan, &request);
            answers.push(asked.hits().unwrap());
            answers.push(asked.plainly(&plan, &request, screen).unwrap());
        }
        let plain = answers.pop().unwrap();
        for answer in answers {
            prop_assert_eq!(answer.1, plain.1);
            prop_assert_eq!(&answer.0, &plain.0);
        }
    }
}
