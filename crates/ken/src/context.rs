use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::tz::TimeZone;
use ken_agents::wiring;
use ken_files::{Clock, Paths};
use ken_library::{AccessLevel, AgentId, Caller};
use ken_memory::{Budgets, Memory, Project, Setting};

use crate::cli::Global;
use crate::config::{ProjectFile, Settings};
use crate::error::CommandError;

/// The world a command runs in: the only place where the environment, the home directory and the clock are read.
pub(crate) struct Context {
    /// Where things live on this machine.
    pub(crate) paths: Paths,
    /// The time: the system's, or what `KEN_NOW` pins.
    pub(crate) clock: Clock,
    /// The folder from which the project is looked for: `--project`, else the working directory.
    pub(crate) start: PathBuf,
    /// The person's and the project's settings.
    pub(crate) settings: Settings,
    /// The project that `start` lies in, if any.
    pub(crate) project: Option<Project>,
    /// Whether to say more about what is done.
    pub(crate) verbose: bool,
}

impl Context {
    /// Reads the environment. Fails without a home directory, or when a pinned time or a named folder is wrong.
    pub(crate) fn from_environment(global: &Global) -> Result<Context, CommandError> {
        let mut paths = paths()?;
        let clock = clock()?;
        let start = match &global.project {
            Some(folder) => {
                let folder = absolute(folder)?;
                if !folder.is_dir() {
                    return Err(CommandError::could_not(format!(
                        "--project {} is not a folder; name an existing one",
                        folder.display()
                    )));
                }
                folder
            }
            None => std::env::current_dir().map_err(|e| {
                CommandError::could_not(format!(
                    "the working directory cannot be read ({e}); change to an existing folder"
                ))
            })?,
        };
        let project = Project::find(&start, &paths);
        let mut settings = settings_in_force(&paths, &clock, project.as_ref())?;
        settle_library(&mut paths, &mut settings, global)?;
        Ok(Context {
            paths,
            clock,
            start,
            settings,
            project,
            verbose: global.verbose,
        })
    }

    /// The project's root; outside of one, the folder that was started from.
    pub(crate) fn root(&self) -> &Path {
        self.project
            .as_ref()
            .map_or(self.start.as_path(), |project| project.root.as_path())
    }

    /// The same program in another home, with the project in `start`: for the made-up machine.
    pub(crate) fn moved(&self, paths: Paths, start: PathBuf) -> Result<Context, CommandError> {
        let project = Project::find(&start, &paths);
        let settings = settings_in_force(&paths, &self.clock, project.as_ref())?;
        Ok(Context {
            paths,
            clock: self.clock.clone(),
            start,
            settings,
            project,
            verbose: self.verbose,
        })
    }

    /// What the person at the command line asks through, narrowed to `access` when they say so.
    pub(crate) fn memory(&self, access: Option<AccessLevel>) -> Result<Memory, CommandError> {
        let caller = access.map_or_else(Caller::person, Caller::local_agent);
        self.memory_for(caller, None)
    }

    /// What `caller` asks through, in this project.
    pub(crate) fn memory_for(&self, caller: Caller, agent: Option<AgentId>) -> Result<Memory, CommandError> {
        Ok(Memory::open(self.setting(caller, agent))?)
    }

    /// Where, when and for whom questions are answered.
    pub(crate) fn setting(&self, caller: Caller, agent: Option<AgentId>) -> Setting {
        let defaults = Budgets::default();
        let tokens = |key, default| self.settings.tokens(key).unwrap_or(default);
        let setting = Setting::person(self.paths.clone(), self.clock.clone(), self.project.clone());
        Setting {
            budgets: Budgets {
                lessons_tokens: tokens("brief.lessons_tokens", defaults.lessons_tokens),
                rest_tokens: tokens("brief.rest_tokens", defaults.rest_tokens),
                prompt_tokens: tokens("brief.prompt_tokens", defaults.prompt_tokens),
            },
            proposals: self.settings.allowed("edicts.propose"),
            ..setting.with_caller(caller, agent)
        }
    }

    /// What agents' settings are looked at and written with: this program, and where programs are found.
    pub(crate) fn wiring(&self, scope: wiring::Scope, access: Option<AccessLevel>) -> wiring::Request {
        wiring::Request {
            paths: self.paths.clone(),
            project: self.project.as_ref().map(|project| project.root.clone()),
            scope,
            program: program(),
            access,
            search: std::env::var_os("PATH")
                .map(|path| std::env::split_paths(&path).collect())
                .unwrap_or_default(),
        }
    }

    /// The project, or the sentence that says what to do without one.
    pub(crate) fn require_project(&self) -> Result<&Project, CommandError> {
        self.project
            .as_ref()
            .ok_or_else(|| ken_memory::Error::NoProject.into())
    }
}

/// The person's settings, and those of a project that they trust.
pub(crate) fn settings_in_force(
    paths: &Paths,
    clock: &Clock,
    project: Option<&Project>,
) -> Result<Settings, CommandError> {
    let Some(project) = project else {
        return Settings::load(paths, None);
    };
    let asks = Setting::person(paths.clone(), clock.clone(), Some(project.clone()));
    let file = ProjectFile {
        root: project.agent_root(),
        trusted: Memory::open(asks)?.is_trusted() == Some(true),
    };
    Settings::load(paths, Some(file))
}

/// Where things live on this machine, before any settings are read.
fn paths() -> Result<Paths, CommandError> {
    let home = std::env::home_dir()
        .filter(|home| !home.as_os_str().is_empty())
        .ok_or_else(|| {
            CommandError::could_not("there is no home directory; set HOME to an existing folder")
        })?;
    Ok(Paths::resolve(home, |name| std::env::var_os(name)))
}

fn clock() -> Result<Clock, CommandError> {
    let zone = zone(std::env::var_os("TZ").as_deref());
    match std::env::var("KEN_NOW") {
        Ok(pin) if !pin.trim().is_empty() => {
            let at = Clock::parse_pin(&pin).map_err(|e| CommandError::usage(format!("KEN_NOW: {e}")))?;
            Ok(Clock::pinned(at, zone))
        }
        _ => Ok(Clock::system(zone)),
    }
}

/// The path of this program, as other programs are to start it.
pub(crate) fn program() -> PathBuf {
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("ken"))
}

/// Where a hook leaves word, and when it is: needs no project and no settings, which may be what is wrong. `None`
/// without a home directory.
pub(crate) fn place_for_word() -> Option<(Paths, Clock)> {
    let paths = paths().ok().filter(|paths| paths.home.is_dir())?;
    Some((paths, clock().unwrap_or_else(|_| Clock::system(TimeZone::UTC))))
}

/// How long a hook may take when `KEN_HOOK_DEADLINE` (milliseconds, 10 to 60,000) says so: for slow machines and for
/// tests.
pub(crate) fn hook_deadline() -> Option<Duration> {
    std::env::var("KEN_HOOK_DEADLINE")
        .ok()
        .and_then(|value| value.parse::<u64>().ok())
        .filter(|milliseconds| (10..=60_000).contains(milliseconds))
        .map(Duration::from_millis)
}

/// The library lies where the flag says, else the variable, else the person's settings, else in the home directory.
fn settle_library(paths: &mut Paths, settings: &mut Settings, global: &Global) -> Result<(), CommandError> {
    const KEY: &str = "library.path";
    if let Some(library) = &global.library {
        paths.library = absolute(library)?;
        settings.given(KEY, paths.library.display().to_string(), "--library");
    } else if std::env::var_os("KEN_LIBRARY").is_some_and(|value| !value.is_empty()) {
        paths.library = absolute(&paths.library)?;
        settings.given(KEY, paths.library.display().to_string(), "KEN_LIBRARY");
    } else if let Some(folder) = settings.folder(KEY, &paths.home) {
        paths.library = folder;
    }
    Ok(())
}

fn absolute(path: &Path) -> Result<PathBuf, CommandError> {
    std::path::absolute(path)
        .map_err(|e| CommandError::usage(format!("{} is not a usable path: {e}", path.display())))
}

/// The person's time zone. `TZ` may name any file, and a device would be read without end: only a name of the time
/// zone database, a rule, or a regular file is followed; for anything else it is UTC.
fn zone(variable: Option<&std::ffi::OsStr>) -> TimeZone {
    let named = variable.map(|value| value.to_string_lossy()).unwrap_or_default();
    let named = named.strip_prefix(':').unwrap_or(&named);
    let path = Path::new(named);
    let regular = || std::fs::metadata(path).is_ok_and(|file| file.is_file() && file.len() <= 1024 * 1024);
    if named.contains("..") || (path.is_absolute() && !regular()) {
        return TimeZone::UTC;
    }
    let local = || {
        let link = std::fs::read_link("/etc/localtime").ok()?;
        let (_, name) = link.to_str()?.rsplit_once("zoneinfo/")?;
        Some(name.to_owned())
    };
    let name = variable.map_or_else(local, |_| Some(named.to_owned()));
    name.and_then(|name| named_zone(&name))
        .unwrap_or_else(TimeZone::system)
}

/// The zone of this name, from the one file of the database that holds it: whoever lists the whole database for it, as
/// is done for names in another spelling, takes as long as a hook takes for everything else.
fn named_zone(name: &str) -> Option<TimeZone> {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || b"/_+-".contains(&byte);
    if name.is_empty() || name.starts_with('/') || !name.bytes().all(is_name) {
        return None;
    }
    if std::env::var_os("TZDIR").is_some() {
        return None;
    }
    let file = Path::new("/usr/share/zoneinfo").join(name);
    let bytes = ken_files::read_bounded(&file, 1024 * 1024).ok()?;
    TimeZone::tzif(name, &bytes).ok()
}
