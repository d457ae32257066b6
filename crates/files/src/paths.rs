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
    /// `KEN_LIBRARY` and the agents' own).
    ///
    /// Empty values count as absent, and so do relative ones of the XDG variables, as their specification asks. A
    /// leading `~` is the home directory: settings files that start programs do not go through a shell.
    pub fn resolve(home: impl Into<PathBuf>, variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let mut paths = Paths::under(home);
        let home = paths.home.clone();
        let value = |name: &str| {
            let value = variable(name).filter(|value| !value.is_empty())?;
            Some(below_home(&home, PathBuf::from(value)))
        };
        let absolute = |name: &str| value(name).filter(|path| path.is_absolute());
        if let Some(folder) = absolute("XDG_CONFIG_HOME") {
            paths.config = folder.join("ken");
        }
        if let Some(folder) = absolute("XDG_STATE_HOME") {
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

fn below_home(home: &Path, path: PathBuf) -> PathBuf {
    match path.strip_prefix("~") {
        Ok(rest) if rest.as_os_str().is_empty() => home.to_owned(),
        Ok(rest) => home.join(rest),
        Err(_) => path,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(variables: &[(&str, &str)]) -> Paths {
        Paths::resolve("/home/ada", |name| {
            let found = variables.iter().find(|(variable, _)| *variable == name);
            found.map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn everything_has_its_default_place_below_the_home() {
        let paths = resolve(&[]);
        assert_eq!(paths, Paths::under("/home/ada"));
        assert_eq!(paths.home, Path::new("/home/ada"));
        assert_eq!(paths.config, Path::new("/home/ada/.config/ken"));
        assert_eq!(paths.state, Path::new("/home/ada/.local/state/ken"));
        assert_eq!(paths.library, Path::new("/home/ada/agent-library"));
        assert_eq!(
            paths.agent_home("CODEX_HOME", ".codex"),
            Path::new("/home/ada/.codex")
        );
    }

    #[test]
    fn variables_move_what_they_name() {
        let paths = resolve(&[
            ("XDG_CONFIG_HOME", "/c"),
            ("XDG_STATE_HOME", "/s"),
            ("KEN_LIBRARY", "/with space/lib"),
            ("CLAUDE_CONFIG_DIR", "/claude"),
            ("HOME", "/not/asked"),
        ]);
        assert_eq!(paths.home, Path::new("/home/ada"));
        assert_eq!(paths.config, Path::new("/c/ken"));
        assert_eq!(paths.state, Path::new("/s/ken"));
        assert_eq!(paths.library, Path::new("/with space/lib"));
        assert_eq!(
            paths.agent_home("CLAUDE_CONFIG_DIR", ".claude"),
            Path::new("/claude")
        );
    }

    #[test]
    fn empty_values_and_relative_xdg_folders_count_as_absent() {
        let empty = resolve(&[("XDG_CONFIG_HOME", ""), ("KEN_LIBRARY", ""), ("CODEX_HOME", "")]);
        assert_eq!(empty, Paths::under("/home/ada"));
        let relative = resolve(&[
            ("XDG_CONFIG_HOME", "c"),
            ("XDG_STATE_HOME", "../s"),
            ("KEN_LIBRARY", "lib"),
        ]);
        let mut expected = Paths::under("/home/ada");
        expected.library = PathBuf::from("lib");
        assert_eq!(relative, expected);
    }

    #[test]
    fn a_leading_tilde_is_the_home() {
        let paths = resolve(&[
            ("KEN_LIBRARY", "~/shared/library"),
            ("XDG_STATE_HOME", "~"),
            ("CODEX_HOME", "/x/~/y"),
            ("CLINE_DIR", "~other/z"),
        ]);
        assert_eq!(paths.library, Path::new("/home/ada/shared/library"));
        assert_eq!(paths.state, Path::new("/home/ada/ken"));
        assert_eq!(paths.agent_home("CODEX_HOME", ".codex"), Path::new("/x/~/y"));
        assert_eq!(paths.agent_home("CLINE_DIR", ".cline"), Path::new("~other/z"));
    }
}
