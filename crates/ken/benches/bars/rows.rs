//! What is measured, home by home.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use jiff::tz::TimeZone;
use ken_files::{Clock, Paths};
use ken_library::{AccessLevel, Caller};
use ken_memory::{Kind, LearnRequest, Memory, Project, RecallRequest, Setting};
use ken_text::recognise::{NamesBuilder, Part, Reading, find};
use serde_json::json;

use crate::made_up::{Dice, Home, NOW, thing};
use crate::mcp::Server;
use crate::measure::{Figures, in_process, whole_process};
use crate::report::{Row, mebibytes, shown};

const QUESTION: &str = "parser timeout after the release";

/// Where everything is made, what is wanted of it, and who else is asked.
pub(crate) struct Run<'a> {
    pub(crate) folder: &'a Path,
    pub(crate) only: Option<String>,
    pub(crate) rival: Option<String>,
    pub(crate) rows: Vec<Row>,
}

pub(crate) fn milliseconds(number: u64) -> Duration {
    Duration::from_millis(number)
}

impl Run<'_> {
    pub(crate) fn wants(&self, group: &str) -> bool {
        self.only.as_deref().is_none_or(|only| group == only)
    }

    pub(crate) fn home(&self, name: &str) -> Home {
        Home::new(self.folder.join(name))
    }

    /// A row whose median must stay below a time.
    pub(crate) fn timed(
        &mut self,
        what: impl Into<String>,
        bar: (&'static str, Duration),
        figures: &Figures,
    ) {
        let median = figures.times.median();
        self.push(Row {
            what: what.into(),
            bar: bar.0,
            holds: median <= bar.1,
            seen: format!("{} (p95 {})", shown(median), shown(figures.times.percentile(95))),
            beside_probe: Some(median.as_secs_f64() / figures.probe.as_secs_f64()),
            elsewhere: None,
        });
    }

    pub(crate) fn push(&mut self, row: Row) {
        println!("{:<70} {:<12} {}", row.what, row.bar, row.seen);
        self.rows.push(row);
    }

    fn memory(&mut self, what: &str, bar: (&'static str, u64), peak: Option<u64>) {
        let Some(peak) = peak else { return };
        self.push(Row {
            what: what.to_owned(),
            bar: bar.0,
            holds: peak <= bar.1 * 1024,
            seen: mebibytes(peak),
            beside_probe: None,
            elsewhere: None,
        });
    }

    /// The caches below a folder must have at most half the size of what they index.
    fn size(&mut self, what: &str, caches: &Path, indexed: u64) {
        let share = size_of(caches) as f64 / indexed as f64;
        self.push(Row {
            what: what.to_owned(),
            bar: "0.5",
            holds: share <= 0.5,
            seen: format!("{share:.2}"),
            beside_probe: None,
            elsewhere: None,
        });
    }

    /// Asks the other program once, where there is one, and puts what it took beside the last row.
    fn beside(&mut self, home: &Home, prompt: &str, ours: Duration) {
        let (Some(rival), Some(row)) = (&self.rival, self.rows.last_mut()) else {
            return;
        };
        let mut command = Command::new(rival);
        command
            .args(["prepare-turn", "--library"])
            .arg(home.library())
            .arg(prompt);
        let took = home.program(command).run().0;
        row.elsewhere = Some(format!(
            "{} ({:.0} x)",
            shown(took),
            took.as_secs_f64() / ours.as_secs_f64()
        ));
    }

    /// Ten agents that know a thousand things each: what a busy machine has.
    pub(crate) fn ten_agents(&mut self) {
        if !self.wants("ten") {
            return;
        }
        let home = self.home("ten").with_library(10, 1_000).with_events(1_000);
        let prompt = prompt_about(&thing(3, 1_000, 17));
        home.ken(&["recognize", &prompt]).run();
        settle();
        let said = home.ken(&["recognize", &prompt]).run().1;
        assert!(said.contains(&thing(3, 1_000, 17)), "{said}");
        let figures = whole_process(&home, 60, |_| {}, |_| home.ken(&["recognize", &prompt]));
        self.timed(
            "recognition, cold process, 10 agents x 1,000 entities",
            ("10 ms", milliseconds(10)),
            &figures,
        );
        self.beside(&home, &prompt, figures.times.median());
        for (what, said) in [
            ("a prompt that names a thing", prompt.as_str()),
            (
                "one about other things",
                "please rename the variable in this loop and run it again",
            ),
        ] {
            let call = |run: usize| {
                let call = json!({
                    "session_id": format!("{}-{run}", what.len()),
                    "transcript_path": null,
                    "cwd": home.repository(),
                    "permission_mode": "default",
                    "hook_event_name": "UserPromptSubmit",
                    "prompt": said,
                });
                home.ken(&["hook", "prompt", "--agent", "claude-code"])
                    .with_input(call.to_string().into_bytes())
            };
            let figures = whole_process(&home, 100, |_| {}, call);
            self.timed(
                format!("hook at {what}, 10 x 1,000, whole process"),
                ("15 ms", milliseconds(15)),
                &figures,
            );
            let slowest = figures.times.percentile(99);
            self.push(Row {
                what: format!("hook at {what}, 99th of a hundred"),
                bar: "50 ms",
                holds: slowest <= milliseconds(50),
                seen: shown(slowest),
                beside_probe: None,
                elsewhere: None,
            });
        }
        let figures = whole_process(&home, 30, |_| {}, |_| home.ken(&["recall", QUESTION]));
        self.timed(
            "recall over 1,000 events and a library of 10 x 1,000, cold process",
            ("10 ms", milliseconds(10)),
            &figures,
        );
    }

    /// A question to a library whose words are indexed, as it is after the first one; with the memory that it takes.
    fn recall_rows(&mut self, home: &Home, what: &str, bar: (&'static str, Duration)) {
        home.ken(&["recall", QUESTION]).run();
        settle();
        home.ken(&["recall", QUESTION]).run();
        let recall = |_| home.ken(&["recall", QUESTION]);
        let figures = whole_process(home, 30, |_| {}, recall);
        self.timed(
            format!("recall over a library of {what}, cold process"),
            bar,
            &figures,
        );
        let peak = recall(0).peak_memory();
        self.memory(&format!("its memory, {what}"), ("400 MiB", 400), peak);
    }

    /// A thousand manifests of a hundred entities: loading.
    pub(crate) fn thousand_manifests(&mut self) {
        if !self.wants("load") {
            return;
        }
        let home = self.home("load").with_library(1_000, 100);
        let prompt = prompt_about(&thing(3, 100, 17));
        let recognise = |_| home.ken(&["recognize", &prompt]);
        let caches = home.library().join(".ken");
        // Moved away rather than removed: a file system is slow to make files where many were just removed.
        let forget = |run: usize| {
            let _ = std::fs::rename(&caches, home.path().join(format!("forgotten-{run}")));
        };
        settle();
        let figures = whole_process(&home, 5, forget, recognise);
        self.timed(
            "load and index 1,000 manifests of 100 entities, first time",
            ("1.5 s", milliseconds(1_500)),
            &figures,
        );
        self.beside(&home, &prompt, figures.times.median());
        let figures = whole_process(&home, 30, |_| {}, recognise);
        self.timed("the same, second time", ("50 ms", milliseconds(50)), &figures);
        let name = thing(3, 100, 17);
        let figures = whole_process(&home, 30, |_| {}, |_| home.ken(&["library", "find", &name]));
        self.timed(
            "`ken library find`, 1,000 x 100",
            ("15 ms", milliseconds(15)),
            &figures,
        );
        self.recall_rows(&home, "1,000 x 100", ("25 ms", milliseconds(25)));
        let change = |run: usize| home.write_manifest(run % 10, 100, 2 + run as u64);
        let figures = whole_process(&home, 10, change, recognise);
        self.timed(
            "recognition after one manifest of 1,000 x 100 changed (index rebuilt)",
            ("100 ms", milliseconds(100)),
            &figures,
        );
        let change = |run: usize| home.write_manifest(run % 10, 100, 20 + run as u64);
        let figures = whole_process(&home, 10, change, |_| home.ken(&["recall", QUESTION]));
        self.timed(
            "recall after one manifest of 1,000 x 100 changed (indexes rebuilt)",
            ("100 ms", milliseconds(100)),
            &figures,
        );
        let manifests = size_of(&home.library().join("agents"));
        self.size("caches of the library beside its manifests", &caches, manifests);
    }

    /// The recogniser alone, in process.
    pub(crate) fn recogniser(&mut self) {
        if !self.wants("names") {
            return;
        }
        let mut builder = NamesBuilder::new();
        for id in 0..1_000_000 {
            builder.add(&thing(id, 1, 0), id as u32);
        }
        let names = builder.finish().open();
        let prompt = prompt_about(&thing(17, 1, 0));
        let everything = |_: u32| true;
        let parts = [Part::new(&names, &everything)];
        let found = find(&parts, &prompt, Reading::Names);
        assert_eq!(found.len(), 1, "{prompt}: {found:?}");
        let times = in_process(5_000, || find(&parts, &prompt, Reading::Names));
        self.push(Row {
            what: "recognition, warm, 1,000,000 names, a prompt of 200 bytes".to_owned(),
            bar: "20 µs",
            holds: times.median() <= Duration::from_micros(20),
            seen: format!("{} (p95 {})", shown(times.median()), shown(times.percentile(95))),
            beside_probe: None,
            elsewhere: None,
        });
    }

    /// A million entities.
    pub(crate) fn million_names(&mut self) {
        if !self.wants("million") {
            return;
        }
        let home = self.home("million").with_library(1_000, 1_000);
        let prompt = prompt_about(&thing(3, 1_000, 17));
        home.ken(&["recognize", &prompt]).run();
        settle();
        home.ken(&["recognize", &prompt]).run();
        let recognise = |_| home.ken(&["recognize", &prompt]);
        let figures = whole_process(&home, 40, |_| {}, recognise);
        self.timed(
            "recognition, cold process, 1,000 agents x 1,000 entities",
            ("25 ms", milliseconds(25)),
            &figures,
        );
        self.memory("its memory", ("400 MiB", 400), recognise(0).peak_memory());
        let mut dice = Dice::new(3);
        let long = (0..150_000).map(|_| dice.word()).collect::<Vec<_>>().join(" ");
        let long = &long[..1_000_000];
        let hear = |_| home.ken(&["recognize", "-"]).with_input(long.as_bytes().to_vec());
        let figures = whole_process(&home, 10, |_| {}, hear);
        self.timed(
            "recognition in a text of 1 MB, 1,000,000 entities",
            ("200 ms", milliseconds(200)),
            &figures,
        );
        let memory = open(&home, true);
        memory.recognise(&prompt);
        let times = in_process(2_000, || memory.recognise(&prompt));
        self.push(Row {
            what: "recognition with its answer, in process, 1,000,000 entities, a prompt of 200 bytes"
                .to_owned(),
            bar: "-",
            holds: true,
            seen: format!("{} (p95 {})", shown(times.median()), shown(times.percentile(95))),
            beside_probe: None,
            elsewhere: None,
        });
        let change = |run: usize| home.write_manifest(run % 10, 1_000, 2 + run as u64);
        let figures = whole_process(&home, 10, change, recognise);
        self.timed(
            "recognition after one manifest of 1,000 x 1,000 changed (index rebuilt)",
            ("100 ms", milliseconds(100)),
            &figures,
        );
        self.recall_rows(&home, "1,000 x 1,000", ("100 ms", milliseconds(100)));
        let manifests = size_of(&home.library().join("agents"));
        let caches = home.library().join(".ken");
        self.size(
            "caches of the library of a million beside its manifests",
            &caches,
            manifests,
        );
    }

    /// Logs of ten and a hundred thousand events.
    pub(crate) fn logs(&mut self) {
        for (events, cold, warm, served) in [
            (10_000, ("10 ms", 10), ("0.1 ms", 100), ("1 ms", 1)),
            (100_000, ("15 ms", 15), ("0.5 ms", 500), ("2 ms", 2)),
        ] {
            let name = format!("recall-{events}");
            if !self.wants(&name) {
                continue;
            }
            let home = self.home(&name).with_events(events);
            home.ken(&["recall", QUESTION]).run();
            settle();
            home.ken(&["recall", QUESTION]).run();
            let figures = whole_process(&home, 50, |_| {}, |_| home.ken(&["recall", QUESTION]));
            self.timed(
                format!("recall, cold process, {events} events"),
                (cold.0, milliseconds(cold.1)),
                &figures,
            );
            let memory = open(&home, false);
            let request = RecallRequest {
                kinds: vec![Kind::Event],
                ..RecallRequest::new(QUESTION)
            };
            assert!(!memory.recall(&request).hits.is_empty());
            let times = in_process(500, || memory.recall(&request));
            self.push(Row {
                what: format!("recall, warm in process, {events} events"),
                bar: warm.0,
                holds: times.median() <= Duration::from_micros(warm.1),
                seen: format!("{} (p95 {})", shown(times.median()), shown(times.percentile(95))),
                beside_probe: None,
                elsewhere: None,
            });
            let mut first = Vec::new();
            for _ in 0..20 {
                first.push(Server::start(&home).first_answer);
            }
            let first = crate::measure::Times::of(first);
            self.push(Row {
                what: format!("`ken mcp`, from its start to the first answer, {events} events"),
                bar: "15 ms",
                holds: first.median() <= milliseconds(15),
                seen: format!("{} (p95 {})", shown(first.median()), shown(first.percentile(95))),
                beside_probe: None,
                elsewhere: None,
            });
            let mut server = Server::start(&home);
            let question = json!({"query": QUESTION});
            server.call("recall", &question);
            let times: Vec<Duration> = (0..200).map(|_| server.call("recall", &question)).collect();
            let times = crate::measure::Times::of(times);
            self.push(Row {
                what: format!("recall over MCP, {events} events"),
                bar: served.0,
                holds: times.median() <= milliseconds(served.1),
                seen: format!("{} (p95 {})", shown(times.median()), shown(times.percentile(95))),
                beside_probe: None,
                elsewhere: None,
            });
            self.memory(
                &format!("memory of that server, {events} events"),
                ("60 MiB", 60),
                server.peak_memory(),
            );
            self.log_size(
                &home,
                &memory,
                &format!("caches of a log of {events} events beside it"),
            );
        }
    }

    /// A log of events of a few words each, whose caches have little to be measured by.
    pub(crate) fn short_events(&mut self) {
        if !self.wants("short") {
            return;
        }
        let home = self.home("short").with_events_of(20_000, 3);
        home.ken(&["recall", QUESTION]).run();
        let memory = open(&home, false);
        self.log_size(
            &home,
            &memory,
            "caches of a log of 20000 events of a few words beside it",
        );
    }

    /// What stands beside a log when all of it is indexed, for recall and for `learn`.
    fn log_size(&mut self, home: &Home, memory: &Memory, what: &str) {
        let length = || std::fs::metadata(home.log()).expect("there is a log").len();
        // Each call takes in some of what is not known yet.
        for _ in 0..=length() / (64 * 1024) {
            memory
                .learn(LearnRequest::new("the log is read again"))
                .expect("a line is written");
        }
        let caches = home.repository().join(".agent/.dreamd/ken");
        self.size(what, &caches, length());
    }
}

fn prompt_about(name: &str) -> String {
    format!(
        "Before we go on with the migration, could you look up what was decided about {name} last week, \
         and then write the summary of it that the team asked for into the notes of the next release?"
    )
}

/// A file that was written a moment ago is looked at once more.
pub(crate) fn settle() {
    std::thread::sleep(milliseconds(300));
}

fn open(home: &Home, outside: bool) -> Memory {
    let paths = Paths::under(home.path().to_owned());
    let clock = Clock::pinned(NOW.parse().expect("a time"), TimeZone::UTC);
    let project = (!outside)
        .then(|| Project::find(&home.repository(), &paths))
        .flatten();
    let caller = Caller::local_agent(AccessLevel::Team);
    Memory::open(Setting::person(paths, clock, project).with_caller(caller, None)).expect("memory opens")
}

fn size_of(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return 0;
    };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(metadata) if metadata.is_dir() => size_of(&entry.path()),
            Ok(metadata) => metadata.len(),
            Err(_) => 0,
        })
        .sum()
}
