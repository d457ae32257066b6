//! Settings in layers that remember where each value came from: the defaults, the person's
//! `~/.config/ken/config.toml`, and the `.agent/ken.toml` of a project that is trusted, which may only tighten what
//! concerns privacy and lower what a brief may say.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ken_files::{NewFile, Paths};
use ken_library::AccessLevel;
use serde::Serialize;
use toml_edit::{Document, DocumentMut, Item, Table, Value};

use crate::error::CommandError;

/// What a setting may hold, and what a project may do with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// `public`, `team` or `private`; a project may only lower it.
    Level,
    /// `true` or `false`; a project may only say `false`.
    Permission,
    /// A number of tokens, 0 to 100,000; a project may only lower it.
    Tokens,
    /// A folder; a project may not set it.
    Folder,
}

/// A setting that can be written down.
struct Known {
    key: &'static str,
    kind: Kind,
    default: &'static str,
    about: &'static str,
}

const KNOWN: &[Known] = &[
    Known {
        key: "access.default",
        kind: Kind::Level,
        default: "team",
        about: "what a local agent may see at most",
    },
    Known {
        key: "brief.lessons_tokens",
        kind: Kind::Tokens,
        default: "800",
        about: "lessons in the brief at a session's start",
    },
    Known {
        key: "brief.prompt_tokens",
        kind: Kind::Tokens,
        default: "450",
        about: "the whole brief at a prompt",
    },
    Known {
        key: "brief.rest_tokens",
        kind: Kind::Tokens,
        default: "400",
        about: "what else the brief holds at a session's start",
    },
    Known {
        key: "edicts.propose",
        kind: Kind::Permission,
        default: "false",
        about: "let agents propose facts, marked as their own conclusions",
    },
    Known {
        key: "keep_private",
        kind: Kind::Permission,
        default: "false",
        about: "write private rows of agents' stores into this machine's library",
    },
    Known {
        key: "library.path",
        kind: Kind::Folder,
        default: "~/agent-library",
        about: "where the library lies",
    },
];

/// The most that a settings file may hold, in bytes.
const LIMIT: u64 = 1024 * 1024;

/// `access.AGENT`: one agent's own level.
const ACCESS: &str = "access.";

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "layer", content = "place")]
pub(crate) enum Source {
    /// Built in.
    Default,
    /// An environment variable or a flag.
    Given(&'static str),
    /// `file:line` of the person's or the project's file.
    File(String),
}

/// A setting in force.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Setting {
    pub(crate) key: String,
    pub(crate) value: String,
    pub(crate) source: Source,
    pub(crate) about: &'static str,
}

/// Where a project's settings stand, and whether they count.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProjectFile<'p> {
    /// The folder whose `.agent/` serves the project.
    pub(crate) root: &'p Path,
    /// Whether the person trusts what the repository carries.
    pub(crate) trusted: bool,
}

/// All settings in force, and what was wrong with the files.
#[derive(Debug, Clone)]
pub(crate) struct Settings {
    values: BTreeMap<String, Setting>,
    /// One sentence each: keys that are not known, and values that a project may not set.
    pub(crate) warnings: Vec<String>,
}

/// Whether a file is not there: its folder may be missing, or be something else.
fn is_absent(error: &std::io::Error) -> bool {
    matches!(
        error.kind(),
        std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory
    )
}

/// The person's file.
pub(crate) fn personal_file(paths: &Paths) -> PathBuf {
    paths.config.join("config.toml")
}

/// The project's file.
pub(crate) fn project_file(root: &Path) -> PathBuf {
    root.join(".agent/ken.toml")
}

impl Settings {
    /// Reads both files. The person's file is an error with its place when it is not TOML or holds a value of the wrong
    /// kind. A project's then lets agents see what is public and no more, and warns: what it was to tighten is not known.
    pub(crate) fn load(paths: &Paths, project: Option<ProjectFile<'_>>) -> Result<Settings, CommandError> {
        let defaults = KNOWN.iter().map(|known| {
            let setting = Setting {
                key: known.key.to_owned(),
                value: known.default.to_owned(),
                source: Source::Default,
                about: known.about,
            };
            (known.key.to_owned(), setting)
        });
        let mut settings = Settings {
            values: defaults.collect(),
            warnings: Vec::new(),
        };
        settings.read(&personal_file(paths), false)?;
        if let Some(project) = project {
            settings.of_project(&project);
        }
        Ok(settings)
    }

    /// A setting by its key.
    pub(crate) fn get(&self, key: &str) -> Option<&Setting> {
        self.values.get(key)
    }

    /// All settings, by key.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Setting> {
        self.values.values()
    }

    /// What `agent` may see at most.
    pub(crate) fn access(&self, agent: Option<&str>) -> AccessLevel {
        let own = agent.and_then(|agent| self.values.get(&format!("{ACCESS}{agent}")));
        own.or_else(|| self.values.get("access.default"))
            .and_then(|setting| setting.value.parse().ok())
            .unwrap_or(AccessLevel::Team)
    }

    /// A number of tokens.
    pub(crate) fn tokens(&self, key: &str) -> Option<usize> {
        self.values
            .get(key)
            .and_then(|setting| setting.value.parse().ok())
    }

    /// Whether the person allowed something.
    pub(crate) fn allowed(&self, key: &str) -> bool {
        self.values
            .get(key)
            .is_some_and(|setting| setting.value == "true")
    }

    /// A folder that the person set, `~/` resolved; `None` when it is the default.
    pub(crate) fn folder(&self, key: &str, home: &Path) -> Option<PathBuf> {
        let setting = self
            .values
            .get(key)
            .filter(|setting| setting.source != Source::Default)?;
        Some(match setting.value.strip_prefix("~/") {
            Some(below) => home.join(below),
            None => PathBuf::from(&setting.value),
        })
    }

    /// Notes that a flag or variable decides a setting.
    pub(crate) fn given(&mut self, key: &'static str, value: String, by: &'static str) {
        if let Some(setting) = self.values.get_mut(key) {
            setting.value = value;
            setting.source = Source::Given(by);
        }
    }

    fn of_project(&mut self, project: &ProjectFile<'_>) {
        let file = project_file(project.root);
        if !project.trusted {
            if file.symlink_metadata().is_ok() {
                self.warnings.push(format!(
                    "{} is ignored: this repository is not trusted; say `ken trust` once you know what it carries",
                    file.display()
                ));
            }
            return;
        }
        let before = self.values.clone();
        if let Err(error) = self.read(&file, true) {
            self.values = before;
            for setting in self
                .values
                .values_mut()
                .filter(|setting| setting.key.starts_with(ACCESS))
            {
                "public".clone_into(&mut setting.value);
                setting.source = Source::File(file.display().to_string());
            }
            self.warnings.push(format!(
                "{error}; until then agents see here what is public, and no more"
            ));
        }
    }

    fn read(&mut self, file: &Path, project: bool) -> Result<(), CommandError> {
        let read = match project {
            // A repository must not choose which file of this machine is read.
            true => ken_files::read_bounded_no_link(file, LIMIT),
            false => ken_files::read_bounded(file, LIMIT),
        };
        let text = match read {
            Ok(bytes) => String::from_utf8(bytes).map_err(|_| {
                CommandError::could_not(format!("{} is not UTF-8; save it as UTF-8", file.display()))
            })?,
            Err(ken_files::FileError::Io { source, .. }) if is_absent(&source) => {
                return Ok(());
            }
            Err(error) => return Err(error.into()),
        };
        let document = Document::parse(text.as_str()).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            CommandError::could_not(format!(
                "{}: {}; mend the file",
                place(file, &text, at),
                error.message().trim_end()
            ))
        })?;
        let mut found = Vec::new();
        flatten("", document.as_table(), &mut found);
        for (key, item) in found {
            let at = place(file, &text, item.span().map_or(0, |span| span.start));
            self.take(&key, item, at, project)?;
        }
        Ok(())
    }

    fn take(&mut self, key: &str, item: &Item, at: String, project: bool) -> Result<(), CommandError> {
        let Some((kind, about)) = kind_of(key) else {
            self.warnings
                .push(format!("{at}: `{key}` is not a setting; `ken config` lists them"));
            return Ok(());
        };
        let value = match item.as_value() {
            Some(Value::String(text)) => text.value().clone(),
            Some(Value::Integer(number)) => number.value().to_string(),
            Some(Value::Boolean(truth)) => truth.value().to_string(),
            _ => {
                return Err(CommandError::could_not(format!(
                    "{at}: `{key}` {}",
                    expectation(kind)
                )));
            }
        };
        let value = check(key, kind, &value)
            .map_err(|message| CommandError::could_not(format!("{at}: {message}")))?;
        if project && let Some(why) = self.refuses(key, kind, &value) {
            self.warnings.push(format!("{at}: `{key}` is ignored: {why}"));
            return Ok(());
        }
        let setting = Setting {
            key: key.to_owned(),
            value,
            source: Source::File(at),
            about,
        };
        self.values.insert(key.to_owned(), setting);
        Ok(())
    }

    /// Why a project's value is not taken; `None` when it may be.
    fn refuses(&self, key: &str, kind: Kind, value: &str) -> Option<&'static str> {
        match kind {
            Kind::Tokens => {
                let present = self.tokens(key).unwrap_or(0);
                let more = value.parse::<usize>().is_ok_and(|tokens| tokens > present);
                more.then_some("a project may only lower what a brief may say")
            }
            Kind::Folder => Some("a project cannot move the library"),
            Kind::Permission => (value == "true").then_some("a project may only tighten privacy"),
            Kind::Level => {
                let present = self.access(key.strip_prefix(ACCESS).filter(|agent| *agent != "default"));
                let wanted = value.parse::<AccessLevel>().ok()?;
                (wanted > present).then_some("a project may only tighten privacy")
            }
        }
    }
}

/// Writes one setting into the person's file, keeping its comments and order.
pub(crate) fn write(paths: &Paths, key: &str, value: &str) -> Result<PathBuf, CommandError> {
    let (kind, _) = kind_of(key)
        .ok_or_else(|| CommandError::usage(format!("`{key}` is not a setting; `ken config` lists them")))?;
    let value = check(key, kind, value).map_err(CommandError::usage)?;
    let file = personal_file(paths);
    let text = match std::fs::read_to_string(&file) {
        Ok(text) => text,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => String::new(),
        Err(e) => {
            return Err(CommandError::could_not(format!(
                "cannot read {}: {e}",
                file.display()
            )));
        }
    };
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        let at = error.span().map_or(0, |span| span.start);
        CommandError::could_not(format!(
            "{}: {}; mend the file",
            place(&file, &text, at),
            error.message().trim_end()
        ))
    })?;
    let mut table: &mut Table = document.as_table_mut();
    let mut steps: Vec<&str> = key.splitn(2, '.').collect();
    let last = steps.pop().unwrap_or(key);
    for step in steps {
        table = table
            .entry(step)
            .or_insert_with(|| Item::Table(Table::new()))
            .as_table_mut()
            .ok_or_else(|| {
                CommandError::could_not(format!(
                    "{}: `{step}` is not a table; write it as [{step}]",
                    file.display()
                ))
            })?;
    }
    let written = match kind {
        Kind::Permission => Value::from(value == "true"),
        Kind::Tokens => Value::from(value.parse::<i64>().unwrap_or_default()),
        Kind::Level | Kind::Folder => Value::from(value),
    };
    match table.get_mut(last).and_then(Item::as_value_mut) {
        Some(present) => {
            let decor = present.decor().clone();
            *present = written;
            *present.decor_mut() = decor;
        }
        None => {
            table.insert(last, Item::Value(written));
        }
    }
    ken_files::create_folder(&paths.config, NewFile::Private)?;
    ken_files::replace(&file, document.to_string().as_bytes(), NewFile::Private)?;
    Ok(file)
}

/// The kind of a key and what it is about; `None` for one that is not a setting.
fn kind_of(key: &str) -> Option<(Kind, &'static str)> {
    if let Some(known) = KNOWN.iter().find(|known| known.key == key) {
        return Some((known.kind, known.about));
    }
    let agent = key.strip_prefix(ACCESS)?;
    agent.parse::<ken_library::AgentId>().ok()?;
    Some((Kind::Level, "what this agent may see at most"))
}

fn expectation(kind: Kind) -> &'static str {
    match kind {
        Kind::Level => "must be public, team or private",
        Kind::Permission => "must be true or false",
        Kind::Tokens => "must be a whole number from 0 to 100000",
        Kind::Folder => "must be an absolute path or begin with ~/",
    }
}

fn check(key: &str, kind: Kind, value: &str) -> Result<String, String> {
    let good = match kind {
        Kind::Level => value.parse::<AccessLevel>().is_ok(),
        Kind::Permission => matches!(value, "true" | "false"),
        Kind::Tokens => value.parse::<u32>().is_ok_and(|tokens| tokens <= 100_000),
        Kind::Folder => Path::new(value).is_absolute() || value.starts_with("~/"),
    };
    if good {
        Ok(value.to_owned())
    } else {
        Err(format!("`{key}` {}, not `{value}`", expectation(kind)))
    }
}

fn flatten<'t>(prefix: &str, table: &'t dyn toml_edit::TableLike, found: &mut Vec<(String, &'t Item)>) {
    for (name, item) in table.iter() {
        let key = if prefix.is_empty() {
            name.to_owned()
        } else {
            format!("{prefix}.{name}")
        };
        match item.as_table_like() {
            Some(below) => flatten(&key, below, found),
            None => found.push((key, item)),
        }
    }
}

/// `file:line:column` of a byte.
fn place(file: &Path, text: &str, byte: usize) -> String {
    let before = text.get(..byte).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("{}:{line}:{column}", file.display())
}
