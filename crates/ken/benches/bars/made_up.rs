//! Homes with made-up memory in them, of any size and the same in every run.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// When the made-up people work.
pub(crate) const NOW: &str = "2026-11-30T12:00:00Z";

/// Numbers without an order that a reader would see.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Dice {
        Dice(seed)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    /// A word; few of them come often and most of them seldom, as in what people write.
    pub(crate) fn word(&mut self) -> String {
        let rank = 4_000 / (1 + self.below(4_000));
        let number = rank + self.below(1 + rank / 2);
        const STARTS: [&str; 16] = [
            "par", "cach", "tim", "depl", "sche", "led", "work", "que", "retr", "ind", "sock", "tok", "bran",
            "merg", "rel", "buf",
        ];
        const MIDDLES: [&str; 16] = [
            "a", "e", "i", "o", "u", "an", "er", "in", "or", "un", "al", "es", "it", "om", "ur", "ent",
        ];
        const ENDS: [&str; 16] = [
            "ser", "ing", "out", "oy", "ma", "ger", "er", "ue", "ry", "ex", "et", "en", "ch", "ge", "se",
            "fer",
        ];
        format!(
            "{}{}{}",
            STARTS[number % 16],
            MIDDLES[number / 16 % 16],
            ENDS[number / 256 % 16]
        )
    }

    pub(crate) fn sentence(&mut self, words: usize) -> String {
        (0..words).map(|_| self.word()).collect::<Vec<_>>().join(" ")
    }
}

/// A home with a library and a repository.
pub(crate) struct Home {
    folder: PathBuf,
}

impl Home {
    pub(crate) fn new(folder: PathBuf) -> Home {
        let home = Home { folder };
        std::fs::create_dir_all(home.repository().join(".git")).expect("a folder is made");
        std::fs::write(home.repository().join(".git/HEAD"), "ref: refs/heads/main\n")
            .expect("a file is made");
        std::fs::create_dir_all(home.library().join("agents")).expect("a folder is made");
        home
    }

    pub(crate) fn path(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn repository(&self) -> PathBuf {
        self.folder.join("code/orchard")
    }

    pub(crate) fn library(&self) -> PathBuf {
        self.folder.join("agent-library")
    }

    pub(crate) fn manifest_path(&self, agent: usize) -> PathBuf {
        self.library().join(format!("agents/agent-{agent}.l5.yaml"))
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.repository().join(".agent/episodic/AGENT_LEARNINGS.jsonl")
    }

    /// `agents` manifests of `entities` each, ten sessions beside them.
    pub(crate) fn with_library(self, agents: usize, entities: usize) -> Home {
        for agent in 0..agents {
            self.write_manifest(agent, entities, 1);
        }
        self
    }

    /// The manifest of one agent; another edition has other summaries.
    pub(crate) fn write_manifest(&self, agent: usize, entities: usize, edition: u64) {
        let mut dice = Dice::new(agent as u64 * 1_000 + edition);
        let mut text = format!(
            "spec_version: \"0.1\"\nagent:\n  id: agent-{agent}\n  type: other\nlast_updated: \"{NOW}\"\nknown_entities:\n"
        );
        for number in 0..entities {
            let name = thing(agent, entities, number);
            let visibility = if number % 10 == 9 { "private" } else { "team" };
            writeln!(
                text,
                "- name: \"{name}\"\n  type: project\n  aliases: [\"{}\"]\n  summary: \"{}.\"\n  tags: [active, {}]\n  last_touched: \"2026-11-{:02}\"\n  visibility: {visibility}",
                name.to_lowercase().replace(' ', "-"),
                dice.sentence(14),
                dice.word(),
                1 + dice.below(28)
            )
            .expect("a string grows");
        }
        text.push_str("recent_sessions:\n");
        for number in 0..10 {
            writeln!(
                text,
                "- date: \"2026-11-{:02}\"\n  cwd: /home/dev/code/p{number}\n  project_focus: [\"p{number}\"]\n  key_actions: [\"{}\"]",
                1 + number,
                dice.sentence(9)
            )
            .expect("a string grows");
        }
        std::fs::write(self.manifest_path(agent), text).expect("a manifest is written");
    }

    /// A log of so many events in the repository, which is trusted, and facts and lessons beside it.
    pub(crate) fn with_events(self, events: usize) -> Home {
        self.with_events_of(events, 22)
    }

    /// As [`Home::with_events`], of so many words each.
    pub(crate) fn with_events_of(self, events: usize, words: usize) -> Home {
        self.ken(&["init"]).run();
        let mut dice = Dice::new(7);
        let mut log = String::new();
        for number in 0..events {
            writeln!(
                log,
                "{{\"schema_version\":\"1.0\",\"id\":\"evt_01JR0407120{number:015}\",\"timestamp\":\"2026-11-{:02}T{:02}:{:02}:00Z\",\"content\":\"{} number {number}\",\"pain\":{}.0,\"importance\":{}.0,\"recurrence\":0,\"skill_action\":\"rust::{}\",\"source_harness\":\"codex\",\"pinned\":false,\"tags\":[\"{}\"]}}",
                1 + number % 28,
                number % 24,
                number % 60,
                dice.sentence(words),
                dice.below(10),
                dice.below(10),
                dice.word(),
                dice.word()
            )
            .expect("a string grows");
        }
        std::fs::write(self.log(), log).expect("a log is written");
        for number in 0..12 {
            let fact = format!("the {} speaks protocol {number}", dice.sentence(3));
            self.ken(&["edict", "add", &fact, "--category", "product"]).run();
        }
        self.ken(&["trust"]).run();
        self
    }

    /// `ken` in the repository.
    pub(crate) fn ken(&self, arguments: &[&str]) -> Program {
        let ken = std::env::var_os("KEN_BENCH_KEN");
        let mut command = Command::new(ken.unwrap_or_else(|| env!("CARGO_BIN_EXE_ken").into()));
        command.args(arguments);
        self.program(command)
    }

    /// Any program in the repository, with this home.
    pub(crate) fn program(&self, mut command: Command) -> Program {
        command
            .current_dir(self.repository())
            .env_clear()
            .env("HOME", &self.folder)
            .env("PATH", "/usr/bin:/bin")
            .env("TZ", "UTC")
            .env("KEN_NOW", NOW)
            .env("KEN_HOOK_DEADLINE", "600000")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        Program {
            command,
            input: Vec::new(),
        }
    }
}

/// What the thing number `number` of an agent is called.
pub(crate) fn thing(agent: usize, entities: usize, number: usize) -> String {
    let mut dice = Dice::new((agent * entities + number) as u64);
    let mut word = || {
        let mut word = dice.word();
        word[..1].make_ascii_uppercase();
        word
    };
    format!("{} {} {}", word(), word(), agent * entities + number)
}

/// A program that is ready to be run, again and again.
pub(crate) struct Program {
    pub(crate) command: Command,
    pub(crate) input: Vec<u8>,
}
