//! A made-up home: a library of three agents, a repository with edicts, a log and lessons.

use std::path::{Path, PathBuf};

use jiff::tz::TimeZone;
use ken_dotagent::Folder;
use ken_files::{Clock, Paths};
use ken_library::{AccessLevel, AgentId, Caller};
use ken_memory::{LearnRequest, Learned, Memory, Project, RecallRequest, Setting};

pub(crate) const NOW: &str = "2026-11-30T12:00:00Z";

pub(crate) struct Machine {
    _folder: tempfile::TempDir,
    pub(crate) root: PathBuf,
    pub(crate) paths: Paths,
    pub(crate) repo: PathBuf,
}

impl Machine {
    /// A home with nothing in it but an empty repository `orchard`.
    pub(crate) fn empty() -> Machine {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let paths = Paths::under(root.join("home"));
        let repo = paths.home.join("code/orchard");
        for below in [".git/objects", ".git/refs"] {
            std::fs::create_dir_all(repo.join(below)).unwrap();
        }
        std::fs::write(repo.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        std::fs::write(repo.join(".git/config"), "[core]\n\tbare = false\n").unwrap();
        Machine {
            _folder: folder,
            root,
            paths,
            repo,
        }
    }

    /// A home in which three agents worked for a while, and a trusted repository with facts and an `.agent` folder.
    pub(crate) fn lived_in() -> Machine {
        let machine = Machine::empty();
        machine.manifest("claude-code", CLAUDE_CODE);
        machine.manifest("codex", CODEX);
        machine.manifest("notes", NOTES);
        machine.write("edicts.yaml", EDICTS);
        Folder::init(&machine.repo).unwrap();
        machine.write(".agent/semantic/LESSONS.md", LESSONS);
        machine.person().trust().unwrap();
        machine
    }

    /// A file of the repository.
    pub(crate) fn write(&self, path: &str, text: &str) {
        let path = self.repo.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    /// A manifest of the library.
    pub(crate) fn manifest(&self, agent: &str, text: &str) {
        let folder = self.paths.library.join("agents");
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join(format!("{agent}.l5.yaml")), text).unwrap();
    }

    pub(crate) fn project(&self) -> Option<Project> {
        Project::find(&self.repo, &self.paths)
    }

    pub(crate) fn setting(&self) -> Setting {
        Setting::person(self.paths.clone(), clock(NOW), self.project())
    }

    /// The person, in the repository.
    pub(crate) fn person(&self) -> Memory {
        Memory::open(self.setting()).unwrap()
    }

    /// An agent of this machine, at level team, in the repository.
    pub(crate) fn agent(&self, agent: &str) -> Memory {
        self.caller(Caller::local_agent(AccessLevel::Team), Some(agent))
    }

    pub(crate) fn caller(&self, caller: Caller, agent: Option<&str>) -> Memory {
        let agent = agent.map(|agent| AgentId::new(agent).unwrap());
        Memory::open(self.setting().with_caller(caller, agent)).unwrap()
    }

    /// The same at another time.
    pub(crate) fn at(&self, now: &str) -> Memory {
        Memory::open(Setting {
            clock: clock(now),
            ..self.setting()
        })
        .unwrap()
    }

    /// What an answer says, with the folder of this test taken out.
    pub(crate) fn shown(&self, value: &impl serde::Serialize) -> String {
        let text = serde_json::to_string_pretty(value).unwrap();
        text.replace(&self.root.display().to_string(), "")
    }
}

pub(crate) fn clock(now: &str) -> Clock {
    Clock::pinned(now.parse().unwrap(), TimeZone::UTC)
}

pub(crate) fn learn(memory: &Memory, content: &str, change: impl FnOnce(&mut LearnRequest)) -> Learned {
    let mut request = LearnRequest::new(content);
    change(&mut request);
    memory.learn(request).unwrap()
}

/// The texts of the hits, in order.
pub(crate) fn texts(memory: &Memory, query: &str) -> Vec<String> {
    let recall = memory.recall(&RecallRequest::new(query));
    recall.hits.into_iter().map(|hit| hit.text).collect()
}

pub(crate) fn linked_work_tree(repository: &Path, root: &Path) {
    let git = repository.join(".git/worktrees/linked");
    std::fs::create_dir_all(&git).unwrap();
    std::fs::create_dir_all(root).unwrap();
    std::fs::write(git.join("HEAD"), "ref: refs/heads/other\n").unwrap();
    std::fs::write(git.join("commondir"), "../..\n").unwrap();
    std::fs::write(git.join("gitdir"), format!("{}\n", root.join(".git").display())).unwrap();
    std::fs::write(root.join(".git"), format!("gitdir: {}\n", git.display())).unwrap();
}

const CLAUDE_CODE: &str = r#"spec_version: "0.1"
agent:
  id: claude-code
  type: code-assistant
  role_narrative: Reviews changes and keeps the parser fast.
last_updated: "2026-11-29T10:00:00Z"
capabilities: [code-review, image-analysis]
known_entities:
  - name: Orchard
    type: project
    aliases: [orchard-core]
    summary: The ledger service that everything else asks.
    last_touched: "2026-11-28"
    visibility: team
  - name: Lampwick
    type: project
    summary: What the ledger was called before.
    superseded_by: Orchard
    visibility: team
  - name: Mercury
    type: project
    summary: Moves payments between banks.
    last_touched: "2026-11-20"
    visibility: team
  - name: Mercury Bank
    type: customer
    summary: The first bank that signed.
    visibility: team
  - name: Winterfair
    type: event
    summary: The launch in the winter of 2025.
    valid_to: "2025-12-31"
    visibility: team
  - name: Zephyrine
    type: person
    summary: Keeps the keys to the vault.
    tags: [personal]
recent_sessions:
  - date: "2026-11-28"
    cwd: /home/code/orchard
    project_focus: [Orchard]
    key_actions: [Rewrote the parser so that it streams, Added a test for torn lines]
    files_touched: [src/parser.rs]
    visibility: team
  - date: "2026-11-27"
    cwd: /home/code/secret
    project_focus: [Zephyrine]
    key_actions: [Asked Zephyrine for the vault key]
    visibility: team
known_workstreams:
  - name: Streaming parser
    status: active
    summary: The parser reads a gigabyte in bounded memory.
    related_entities: [Orchard]
    last_touched: "2026-11-28"
    visibility: team
visibility_policy:
  default: team
"#;

const CODEX: &str = r#"spec_version: "0.1"
agent:
  id: codex
  type: code-assistant
last_updated: "2026-11-01T10:00:00Z"
capabilities: [migrations]
known_entities:
  - name: orchard
    type: project
    summary: Rust workspace with nine crates.
    last_touched: "2026-11-10"
    visibility: public
  - name: Mercury
    type: planet
    summary: The planet, for the astronomy exercise.
    visibility: team
recent_sessions:
  - date: "2026-11-25"
    cwd: /home/code/orchard
    project_focus: [Orchard]
    key_actions: [Moved the schema to version 7]
    visibility: team
  - date: ""
    key_actions: [Something nobody dated]
    visibility: team
visibility_policy:
  default: team
"#;

const NOTES: &str = r#"spec_version: "0.1"
agent:
  id: notes
  type: note-capture
last_updated: "2026-11-30T08:00:00Z"
notes:
  - date: "2026-11-26"
    text: We agreed that the ledger rounds half to even.
    related_entities: [Orchard]
    visibility: team
visibility_policy:
  default: team
"#;

const EDICTS: &str = r#"version: 1
edicts:
  - id: db_version
    key: db_version
    text: The database is PostgreSQL 17; never write for another one.
    category: operation
    confidence: verified
    source: platform team
    ttl: permanent
    created: "2026-01-10T00:00:00.000Z"
    updated: "2026-01-10T00:00:00.000Z"
  - id: e_001
    text: Releases of Orchard are frozen until December 3.
    category: release
    confidence: user
    ttl: event
    expiresAt: "2026-12-03T00:00:00.000Z"
    created: "2026-11-20T00:00:00.000Z"
    updated: "2026-11-20T00:00:00.000Z"
  - id: e_002
    text: The old mirror is gone.
    category: release
    ttl: ephemeral
    expiresAt: "2026-11-01T00:00:00.000Z"
    created: "2026-10-20T00:00:00.000Z"
    updated: "2026-10-20T00:00:00.000Z"
"#;

const LESSONS: &str = r#"---
last_updated: "2026-11-02"
prompt_version: "deterministic-only"
lessons: 2
---
Lessons of this repository.

## git::rebase
<!-- dreamd:lesson id="evt_01JR04071200XYZA1B2C3D4E5F" cluster="git::rebase" -->
Rebase with --onto when the base branch is gone.
recurrence 4 · pain 7 · last seen 2026-11-02 · claude-code, cursor
<!-- /dreamd:lesson -->

## parser
<!-- dreamd:lesson id="evt_01JR04101000XYZB2C3D4E5F6G" cluster="parser" -->
Feed the parser whole lines, or it splits words in two.
recurrence 2 · pain 5 · last seen 2026-10-20 · codex
<!-- /dreamd:lesson -->
"#;
