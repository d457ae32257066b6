//! Files of two hundred and of five thousand edicts.

use std::fmt::Write;

use jiff::tz::TimeZone;
use ken_edicts::{Limits, NewEdict, Store};
use ken_files::Clock;

use crate::made_up::{Dice, NOW};
use crate::measure::{in_process, whole_process};
use crate::report::{Row, shown};
use crate::rows::{Run, milliseconds, settle};

/// A file in the manner of the contract's example.
fn file(edicts: usize) -> String {
    let mut dice = Dice::new(11);
    let mut text =
        String::from("version: 1\nconfig:\n  maxEdicts: 100000\n  tokenBudget: 10000000\n\nedicts:\n");
    for number in 1..=edicts {
        write!(
            text,
            "  - id: e_{number:03}\n    text: \"The {} answers on port {number}, and its owner is team {}.\"\n    category: operation\n    tags:\n      - service\n      - port\n    confidence: verified\n    source: \"ops, 2026-11-15\"\n    ttl: durable\n    created: \"2026-11-15T10:00:00.000Z\"\n    updated: \"2026-11-15T10:00:00.000Z\"\n\n",
            dice.sentence(3),
            number % 17
        )
        .expect("a string grows");
    }
    text.push_str("history: []\n");
    text
}

impl Run<'_> {
    /// Files of edicts: listed, loaded, added to.
    pub(crate) fn edicts(&mut self) {
        if !self.wants("edicts") {
            return;
        }
        let home = self.home("edicts");
        let path = home.repository().join("edicts.yaml");
        std::fs::write(&path, file(200)).expect("a file is written");
        settle();
        home.ken(&["edict", "list"]).run();
        let figures = whole_process(&home, 60, |_| {}, |_| home.ken(&["edict", "list"]));
        self.timed(
            "`ken edict list`, 200 edicts, whole process",
            ("12 ms", milliseconds(12)),
            &figures,
        );
        let many = file(5_000);
        let restore = |_| std::fs::write(&path, &many).expect("a file is written");
        let add = |_| home.ken(&["edict", "add", "one more fact", "--category", "operation"]);
        let figures = whole_process(&home, 10, restore, add);
        self.timed(
            "`ken edict add` to 5,000 edicts, whole process",
            ("300 ms", milliseconds(300)),
            &figures,
        );
        restore(0);
        let clock = Clock::pinned(NOW.parse().expect("a time"), TimeZone::UTC);
        let uncached = Store::new(&path, None);
        let times = in_process(10, || uncached.load(&clock).expect("a file that loads"));
        self.push(Row {
            what: "load of 5,000 edicts from YAML, in process".to_owned(),
            bar: "150 ms",
            holds: times.median() <= milliseconds(150),
            seen: format!("{} (p95 {})", shown(times.median()), shown(times.percentile(95))),
            beside_probe: None,
            elsewhere: None,
        });
        let times = in_process(5, || {
            let new = NewEdict::new("one more fact", "operation");
            restore(0);
            uncached
                .add(new, &Limits::default(), &clock)
                .expect("an edict is added")
        });
        self.push(Row {
            what: "add to 5,000 edicts, in process".to_owned(),
            bar: "300 ms",
            holds: times.median() <= milliseconds(300),
            seen: format!("{} (p95 {})", shown(times.median()), shown(times.percentile(95))),
            beside_probe: None,
            elsewhere: None,
        });
        settle();
        home.ken(&["edict", "list"]).run();
        let figures = whole_process(&home, 20, |_| {}, |_| home.ken(&["edict", "list"]));
        self.timed(
            "`ken edict list`, 5,000 edicts, whole process, second time",
            ("150 ms", milliseconds(150)),
            &figures,
        );
    }
}
