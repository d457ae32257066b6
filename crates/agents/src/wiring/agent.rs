use std::path::{Path, PathBuf};

use ken_files::Paths;

use crate::HookEvent;

use super::{WiringError, claude_code, codex};

/// Everything that setup must know of an agent. A new one is one more value of this type in a file of its own, and one
/// more line in [`agents`].
#[derive(Debug)]
pub struct Agent {
    /// The id, as `ken mcp --agent` and the library write it: `claude-code`.
    pub id: &'static str,
    /// The name for people: `Claude Code`.
    pub title: &'static str,
    /// What shows that it is installed: any of these.
    pub traces: &'static [Trace],
    /// How it is told of MCP servers.
    pub mcp: Mcp,
    /// How it is told of hooks, if it runs any.
    pub hooks: Option<Hooks>,
    /// Where its instructions stand.
    pub instructions: Instructions,
    /// What the person still has to do after a setup.
    pub remains: &'static [Remains],
}

/// Something that only an installed agent leaves.
#[derive(Debug, Clone, Copy)]
pub enum Trace {
    /// A file or folder.
    File(Place),
    /// A program of this name in one of the folders that are searched for programs.
    Program(&'static str),
}

/// Where a file of an agent lies.
#[derive(Debug, Clone, Copy)]
pub enum Place {
    /// Relative to the project's root.
    Project(&'static str),
    /// Relative to the person's home directory.
    Home(&'static str),
    /// Relative to the agent's own folder: where `variable` points, else `folder` below the home directory.
    Own {
        /// The variable that moves the folder; empty where none does.
        variable: &'static str,
        /// The folder, relative to the home directory.
        folder: &'static str,
        /// The file in it.
        file: &'static str,
    },
    /// The first where its variable is set, else the second: for files that move into a folder they do not usually
    /// lie in.
    Moved {
        /// The variable.
        variable: &'static str,
        /// The file in the folder that the variable names.
        file: &'static str,
        /// The file relative to the home directory otherwise.
        home: &'static str,
    },
}

/// A file in each of the two scopes.
#[derive(Debug, Clone, Copy)]
pub struct Places {
    /// In a project; `None` where the agent reads none there.
    pub project: Option<Place>,
    /// Of the person; `None` where the agent reads none there.
    pub user: Option<Place>,
}

/// How an agent is told of MCP servers.
#[derive(Debug)]
pub struct Mcp {
    /// The settings file.
    pub file: Places,
    /// Its syntax.
    pub syntax: Syntax,
    /// What the agent reads in it, where it is JSON.
    pub reads: Reads,
    /// The keys that lead to the table of servers.
    pub table: &'static [&'static str],
    /// How a server's start is written.
    pub start: Start,
    /// What else a server's entry holds, before and after the start.
    pub before: &'static [(&'static str, Constant)],
    /// What stands after the start.
    pub after: &'static [(&'static str, Constant)],
}

/// The syntax of a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// JSON, with comments and trailing commas where the person wrote some.
    Json,
    /// TOML.
    Toml,
}

/// What an agent reads in a JSON file beside JSON itself. Over anything else it reads nothing in the whole file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reads {
    /// Comments, `//` and `/* */`.
    pub comments: bool,
    /// A comma behind the last item.
    pub trailing_commas: bool,
    /// A byte order mark at the beginning.
    pub byte_order_mark: bool,
}

/// How the program that serves MCP is written.
#[derive(Debug, Clone, Copy)]
pub enum Start {
    /// The program in one key, its arguments as a list in another.
    Split {
        /// The key of the program.
        program: &'static str,
        /// The key of the arguments.
        arguments: &'static str,
    },
    /// Program and arguments as one list.
    List {
        /// The key of the list.
        key: &'static str,
    },
}

/// A value that is the same on every machine.
#[derive(Debug, Clone, Copy)]
pub enum Constant {
    /// A text.
    Text(&'static str),
    /// A whole number.
    Number(i64),
    /// A truth value.
    Truth(bool),
    /// A list of texts.
    Texts(&'static [&'static str]),
    /// An empty table.
    EmptyTable,
}

/// How an agent is told of hooks: always JSON, under `table` one list an event.
#[derive(Debug)]
pub struct Hooks {
    /// The settings file.
    pub file: Places,
    /// What the agent reads in it.
    pub reads: Reads,
    /// What else makes the agent drop the whole file; nothing where it only skips what it does not know.
    pub strict: Option<Strict>,
    /// Another file that it reads hooks from.
    pub elsewhere: Option<Elsewhere>,
    /// Keys that the file must have at its root beside the table of events, such as `version`.
    pub root: &'static [(&'static str, Constant)],
    /// The keys that lead to the table of events.
    pub table: &'static [&'static str],
    /// The agent's word for each moment at which it runs a hook.
    pub events: &'static [(HookEvent, &'static str)],
    /// Whether an event's list holds groups with a list `hooks` each, as Claude Code has it, or the commands themselves.
    pub grouped: bool,
    /// What a command's table holds before the command, such as `type`.
    pub before: &'static [(&'static str, Constant)],
    /// The keys under which the command line stands; several where an agent has one a shell.
    pub commands: &'static [&'static str],
    /// The key of the time limit, and how many of its units a second has (1, or 1000 for milliseconds).
    pub timeout: Option<(&'static str, i64)>,
}

/// What an agent takes in a file of hooks that it drops as a whole over anything else.
#[derive(Debug, Clone, Copy)]
pub struct Strict {
    /// The keys that may stand at the root.
    pub root: &'static [&'static str],
    /// The events that must hold lists of groups, beside those that setup writes.
    pub events: &'static [&'static str],
}

/// A second file that an agent reads hooks from, where a person may have some.
#[derive(Debug, Clone, Copy)]
pub struct Elsewhere {
    /// The file.
    pub file: Places,
    /// Its syntax.
    pub syntax: Syntax,
    /// The keys that lead to the table of events.
    pub table: &'static [&'static str],
    /// What the agent does with hooks in both: a sentence for the person.
    pub sentence: &'static str,
}

/// The file of instructions that an agent reads at the start of a session.
#[derive(Debug)]
pub struct Instructions {
    /// In the project: the first that exists, else the first.
    pub project: &'static [Place],
    /// Of the person: likewise.
    pub user: &'static [Place],
    /// Whether `@path` in it reads another file in.
    pub imports: bool,
    /// A file beside it that the agent reads in its place, when it exists.
    pub overridden_by: Option<&'static str>,
}

/// Something that only the person can do.
#[derive(Debug, Clone, Copy)]
pub struct Remains {
    /// In which scope; in both where `None`.
    pub scope: Option<super::Scope>,
    /// The sentence.
    pub sentence: &'static str,
}

impl Reads {
    /// JSON and nothing else.
    pub const JSON: Reads = Reads {
        comments: false,
        trailing_commas: false,
        byte_order_mark: false,
    };
    /// JSON, with or without a byte order mark.
    pub const MARKED_JSON: Reads = Reads {
        byte_order_mark: true,
        ..Reads::JSON
    };
    /// JSON with comments and trailing commas.
    pub const WITH_COMMENTS: Reads = Reads {
        comments: true,
        trailing_commas: true,
        byte_order_mark: true,
    };
}

impl Places {
    /// The same file in both scopes' own places.
    pub const fn both(project: Place, user: Place) -> Places {
        Places {
            project: Some(project),
            user: Some(user),
        }
    }

    pub(super) fn of(&self, scope: super::Scope) -> Option<Place> {
        match scope {
            super::Scope::Project => self.project,
            super::Scope::User => self.user,
        }
    }
}

impl Place {
    /// The path; `None` for a place in a project where there is no project.
    pub fn path(&self, paths: &Paths, project: Option<&Path>) -> Option<PathBuf> {
        match self {
            Place::Project(file) => project.map(|root| root.join(file)),
            Place::Home(file) => Some(paths.home.join(file)),
            Place::Own {
                variable,
                folder,
                file,
            } => Some(paths.agent_home(variable, folder).join(file)),
            Place::Moved { variable, file, home } => Some(match paths.moved.get(*variable) {
                Some(folder) => folder.join(file),
                None => paths.home.join(home),
            }),
        }
    }
}

impl Constant {
    pub(super) fn value(&self) -> serde_json::Value {
        match self {
            Constant::Text(text) => (*text).into(),
            Constant::Number(number) => (*number).into(),
            Constant::Truth(truth) => (*truth).into(),
            Constant::Texts(texts) => texts.iter().map(|text| serde_json::Value::from(*text)).collect(),
            Constant::EmptyTable => serde_json::Map::new().into(),
        }
    }
}

/// Every agent that can be set up.
pub fn agents() -> &'static [&'static Agent] {
    static AGENTS: [&Agent; 2] = [&claude_code::CLAUDE_CODE, &codex::CODEX];
    &AGENTS
}

/// The agent with this id, or whose program has this name.
///
/// # Errors
/// [`WiringError::UnknownAgent`], which names the known ones.
pub fn agent(id: &str) -> Result<&'static Agent, WiringError> {
    let is_program = |trace: &Trace| matches!(trace, Trace::Program(name) if *name == id);
    agents()
        .iter()
        .find(|agent| agent.id == id || agent.traces.iter().any(is_program))
        .copied()
        .ok_or_else(|| WiringError::UnknownAgent {
            name: id.to_owned(),
            known: agents()
                .iter()
                .map(|agent| agent.id)
                .collect::<Vec<_>>()
                .join(", "),
        })
}
