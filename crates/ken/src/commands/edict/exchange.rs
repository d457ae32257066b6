//! The commands that take facts from another file and give them to one.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::Args;
use ken_edicts::{ExportFormat, Imported, Renamed, Store};
use ken_files::{NewFile, replace};
use serde::Serialize;

use super::Work;
use super::show::load;
use crate::commands::counted;
use crate::error::CommandError;
use crate::output::{Answer, Output, raw};

/// Take over the facts of another file, by key and by equal text
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ken edict import ../other/edicts.yaml --dry-run\n  ken edict import edicts.json --replace"
)]
pub(super) struct Import {
    /// The file: YAML, or JSON when its name ends in .json
    file: PathBuf,
    /// Move every fact that the file does not have to history
    #[arg(long)]
    replace: bool,
    /// Show what would be done, and write nothing
    #[arg(long)]
    dry_run: bool,
}

/// Print the whole file in one plain form
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ken edict export --format json --output edicts-copy.json")]
pub(super) struct Export {
    /// yaml or json
    #[arg(long, value_name = "FORMAT", default_value = "yaml", value_parser = crate::commands::parse::<ExportFormat>)]
    format: ExportFormat,
    /// Write it there instead
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(Serialize)]
struct Taken {
    dry_run: bool,
    added: Vec<String>,
    changed: Vec<String>,
    unchanged: usize,
    renamed: Vec<Renamed>,
    removed: Vec<String>,
    history: usize,
    skipped: Vec<String>,
    expired: usize,
    warnings: Vec<String>,
    redacted: Vec<&'static str>,
}

impl Taken {
    fn new(imported: Imported, dry_run: bool) -> Taken {
        let ids = |ids: Vec<ken_edicts::EdictId>| ids.iter().map(ToString::to_string).collect();
        Taken {
            dry_run,
            added: ids(imported.added),
            changed: ids(imported.changed),
            unchanged: imported.unchanged,
            renamed: imported.renamed,
            removed: imported.removed,
            history: imported.history,
            skipped: imported.skipped,
            expired: imported.expired,
            warnings: imported.warnings,
            redacted: imported.redactions.iter().map(|finding| finding.kind).collect(),
        }
    }
}

impl Answer for Taken {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(
            out,
            "{} added, {} changed, {} unchanged, {} removed, {} taken over",
            self.added.len(),
            self.changed.len(),
            self.unchanged,
            self.removed.len(),
            counted(self.history, "history entry", "history entries")
        )?;
        for renamed in &self.renamed {
            writeln!(out, "  {} is {} here", renamed.from, renamed.to)?;
        }
        for removed in &self.removed {
            writeln!(out, "  removed; kept as {removed}")?;
        }
        for skipped in &self.skipped {
            writeln!(out, "  not taken: {skipped}")?;
        }
        super::change::write_by_the_way(out, &self.redacted, self.expired, &self.warnings)?;
        if self.dry_run {
            writeln!(out, "nothing was written")?;
        }
        Ok(())
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum Given {
    Printed {
        #[serde(skip)]
        text: String,
        content: String,
    },
    Written {
        output: PathBuf,
        edicts: usize,
        history: usize,
    },
}

impl Answer for Given {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Given::Printed { text, .. } => out.write_all(text.as_bytes()),
            Given::Written {
                output,
                edicts,
                history,
            } => writeln!(
                out,
                "wrote {} and {} to {}",
                counted(*edicts, "edict", "edicts"),
                counted(*history, "history entry", "history entries"),
                output.display()
            ),
        }
    }
}

/// Print the JSON Schema of the file, for editors and other validators
#[derive(Debug, Args)]
pub(super) struct Schema {}

impl Schema {
    pub(super) fn run(self) -> Result<(), CommandError> {
        raw(ken_edicts::SCHEMA.as_bytes())
    }
}

impl Import {
    pub(super) fn run(self, work: &Work<'_>, output: &mut Output) -> Result<(), CommandError> {
        let clock = &work.context.clock;
        let incoming = Store::new(&self.file, None)
            .load(clock)
            .map_err(|error| match error {
                ken_edicts::Error::NoFile { path } => {
                    CommandError::could_not(format!("there is no {}; check the name", path.display()))
                }
                error => error.into(),
            })?;
        let imported = work
            .store
            .import(&incoming, self.replace, self.dry_run, &work.limits, clock)?;
        output.answer(&Taken::new(imported, self.dry_run))
    }
}

impl Export {
    pub(super) fn run(self, work: &Work<'_>, output: &mut Output) -> Result<(), CommandError> {
        let edicts = load(work, output)?;
        let text = ken_edicts::export(&edicts, self.format);
        let given = match self.output {
            None => Given::Printed {
                content: text.clone(),
                text,
            },
            Some(path) => {
                let real = |path: &std::path::Path| std::fs::canonicalize(path).ok();
                if real(&path).is_some_and(|path| Some(path) == real(work.store.path())) {
                    return Err(CommandError::usage(format!(
                        "{} is the file itself; name another to export to",
                        path.display()
                    )));
                }
                replace(&path, text.as_bytes(), NewFile::Shared)?;
                Given::Written {
                    output: path,
                    edicts: edicts.edicts.len(),
                    history: edicts.history.len(),
                }
            }
        };
        output.answer(&given)
    }
}
