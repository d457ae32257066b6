use std::io::{self, Write};

use clap::Args;
use ken_library::AccessLevel;
use ken_memory::{Recognition, ThingKind};
use serde::Serialize;

use crate::context::Context;
use crate::error::CommandError;
use crate::output::{Answer, Output};

/// Find the known names in a text
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ken recognize \"is the ledger importer done?\"
  ken recognize - < prompt.txt")]
pub(crate) struct Recognize {
    /// The text; `-` reads standard input
    #[arg(allow_hyphen_values = true, value_parser = super::any_text())]
    text: String,
    /// Ask as one who may see at most: public, team or private
    #[arg(long, value_name = "LEVEL", value_parser = super::parse::<AccessLevel>)]
    access: Option<AccessLevel>,
}

#[derive(Serialize)]
#[serde(transparent)]
struct Answered(Recognition);

impl Answer for Answered {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        if self.0.recognised.is_empty() {
            writeln!(out, "nothing known is named")?;
        }
        for thing in &self.0.recognised {
            let bold = anstyle::Style::new().bold();
            write!(out, "{bold}{}{bold:#}", super::one_line(&thing.name, 160))?;
            if !thing.formerly.is_empty() {
                write!(out, " (formerly {})", thing.formerly.join(", "))?;
            }
            let mut facts = thing.types.clone();
            if facts.is_empty() {
                facts.push(kind_name(thing.kind).to_owned());
            }
            facts.extend(thing.status.clone());
            facts.extend(
                thing
                    .valid_to
                    .as_ref()
                    .filter(|_| thing.past)
                    .map(|to| format!("until {to}")),
            );
            if !thing.sources.is_empty() {
                facts.push(thing.sources.join(", "));
            }
            writeln!(out, " · {}", facts.join(" · "))?;
            for summary in &thing.summaries {
                writeln!(
                    out,
                    "    {}: {}",
                    summary.agent,
                    super::one_line(&summary.text, 300)
                )?;
            }
        }
        for note in &self.0.notes {
            writeln!(out, "note: {note}")?;
        }
        Ok(())
    }
}

fn kind_name(kind: ThingKind) -> &'static str {
    match kind {
        ThingKind::Entity => "entity",
        ThingKind::Workstream => "workstream",
        ThingKind::Edict => "edict",
        ThingKind::Skill => "skill",
    }
}

impl Recognize {
    pub(crate) fn run(self, context: &Context, output: &mut Output) -> Result<(), CommandError> {
        let text = if self.text == "-" {
            super::learn::read_question()?
        } else {
            self.text
        };
        let recognition = context.memory(self.access)?.recognise(&text);
        output.answer(&Answered(recognition))
    }
}
