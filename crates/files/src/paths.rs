use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Where things live on this machine. Built once by the program; everything below takes it as an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paths {
    /// The person's home directory.
    pub home: PathBuf,
    /// `ken`'s own settings: `$XDG_CONFIG_HOME/ken` or `~/.config/ken`.
    pub config: PathBuf,
    /// `ken`'s own state (trust, watermarks, last good copies): `$XDG_STATE_HOME/ken` or `~/.local/state/ken`.
    pub state: PathBuf,
    /// The L5/L6 library: `KEN_LIBRARY` or `~/agent-library`.
    pub library: PathBuf,
    /// Home folders of other agents that their own variables moved, by variable name (`CLAUDE_CONFIG_DIR`).
    pub moved: BTreeMap<String, PathBuf>,
}

/// Variables by which other agents let a person move their home folder.
const AGENT_VARIABLES: &[&str] = &["CLAUDE_CONFIG_DIR", "CODEX_HOME", "CLINE_DIR"];

impl Paths {
    /// Everything at its default place below `home`.
    pub fn under(home: impl Into<PathBuf>) -> Self {
        let home = home.into();
        Paths {
            config: home.join(".config/ken"),
            state: home.join(".local/state/ken"),
            library: home.join("agent-library"),
            home,
            moved: BTreeMap::new(),
        }
    }

    /// As [`Paths::under`], moved by the variables that `variable` answers for (`XDG_CONFIG_HOME`, `XDG_STATE_HOME`,
    /// `KEN_LIBRARY` and the agents' own). Empty values count as absent.
    pub fn resolve(home: impl Into<PathBuf>, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let value = |name: &str| variable(name).filter(|v| !v.is_empty()).map(PathBuf::from);
        let mut paths = Paths::under(home);
        if let Some(folder) = value("XDG_CONFIG_HOME") {
            paths.config = folder.join("ken");
        }
        if let Some(folder) = value("XDG_STATE_HOME") {
            paths.state = folder.join("ken");
        }
        if let Some(folder) = value("KEN_LIBRARY") {
            paths.library = folder;
        }
        for name in AGENT_VARIABLES {
            if let Some(folder) = value(name) {
                paths.moved.insert((*name).to_owned(), folder);
            }
        }
        paths
    }

    /// The home folder of another agent: where `variable` points, else `default` below the home directory.
    pub fn agent_home(&self, variable: &str, default: impl AsRef<Path>) -> PathBuf {
        self.moved
            .get(variable)
            .cloned()
            .unwrap_or_else(|| self.home.join(default))
    }
}
