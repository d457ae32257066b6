use std::path::PathBuf;

use jiff::tz::TimeZone;
use ken_files::{Clock, Paths};

use crate::cli::Global;
use crate::error::CommandError;

/// The world a command runs in: the only place where the environment, the home directory and the clock are read.
pub(crate) struct Context {
    /// Where things live on this machine.
    pub(crate) paths: Paths,
    /// The time: the system's, or what `KEN_NOW` pins.
    pub(crate) clock: Clock,
    /// The folder from which the project is looked for: `--project`, else the working directory.
    pub(crate) start: PathBuf,
}

impl Context {
    /// Reads the environment. Fails without a home directory, or when a pinned time or a named folder is wrong.
    pub(crate) fn from_environment(global: &Global) -> Result<Context, CommandError> {
        let variable = |name: &str| std::env::var_os(name);
        let home = std::env::home_dir()
            .filter(|home| !home.as_os_str().is_empty())
            .ok_or_else(|| {
                CommandError::could_not("there is no home directory; set HOME to an existing folder")
            })?;
        let mut paths = Paths::resolve(home, variable);
        if let Some(library) = &global.library {
            paths.library = absolute(library)?;
        }
        let zone = TimeZone::system();
        let clock = match std::env::var("KEN_NOW") {
            Ok(pin) if !pin.trim().is_empty() => {
                let at = Clock::parse_pin(&pin).map_err(|e| CommandError::usage(format!("KEN_NOW: {e}")))?;
                Clock::pinned(at, zone)
            }
            _ => Clock::system(zone),
        };
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
        Ok(Context { paths, clock, start })
    }
}

fn absolute(path: &std::path::Path) -> Result<PathBuf, CommandError> {
    std::path::absolute(path)
        .map_err(|e| CommandError::usage(format!("{} is not a usable path: {e}", path.display())))
}
