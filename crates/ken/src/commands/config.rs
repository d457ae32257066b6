use std::io::{self, Write};

use clap::Args;
use serde::Serialize;

use crate::config::{self, Setting, Source};
use crate::context::{Context, settings_in_force};
use crate::error::CommandError;
use crate::output::{Answer, Output};

/// Show the settings and where each comes from, or set one
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  ken config\n  ken config access.default\n  ken config access.codex public"
)]
pub(crate) struct Config {
    /// The setting
    key: Option<String>,
    /// Its new value, written into your own settings file
    #[arg(requires = "key")]
    value: Option<String>,
}

#[derive(Serialize)]
struct Listing<'c> {
    file: String,
    settings: Vec<&'c Setting>,
    warnings: &'c [String],
}

impl Answer for Listing<'_> {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let width = self
            .settings
            .iter()
            .map(|s| s.key.len() + s.value.len() + 3)
            .max()
            .unwrap_or(0);
        for setting in &self.settings {
            let said = format!("{} = {}", setting.key, setting.value);
            let source = match &setting.source {
                Source::Default => "default".to_owned(),
                Source::Given(by) => (*by).to_owned(),
                Source::File(at) => at.clone(),
            };
            writeln!(out, "{said:<width$}  {source:<12} {}", setting.about)?;
        }
        for warning in self.warnings {
            writeln!(out, "warning: {warning}")?;
        }
        Ok(())
    }
}

impl Config {
    pub(crate) fn run(self, context: &Context, output: &mut Output) -> Result<(), CommandError> {
        let written;
        let mut settings = &context.settings;
        if let (Some(key), Some(value)) = (&self.key, &self.value) {
            config::write(&context.paths, key, value)?;
            written = settings_in_force(&context.paths, &context.clock, context.project.as_ref())?;
            settings = &written;
        }
        let shown: Vec<&Setting> = match &self.key {
            None => settings.all().collect(),
            Some(key) => vec![settings.get(key).ok_or_else(|| {
                CommandError::usage(format!(
                    "`{key}` is not a setting, or has no value; `ken config` lists them"
                ))
            })?],
        };
        let file = config::personal_file(&context.paths).display().to_string();
        output.answer(&Listing {
            file,
            settings: shown,
            warnings: &settings.warnings,
        })
    }
}
