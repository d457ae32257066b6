//! The commands that only read.

use std::io::{self, Write};
use std::path::Path;

use clap::Args;
use jiff::Timestamp;
use ken_edicts::{Edicts, Filter, Finding, HistoryEntry, RenderFormat, Report, Rule, Severity};
use serde::Serialize;

use super::{Filters, Work};
use crate::commands::findings::{Findings, FindingsFormat, Level, Reported, RuleText};
use crate::commands::{counted, one_line};
use crate::error::CommandError;
use crate::output::{Answer, Output};

/// List the facts in force
#[derive(Debug, Args)]
pub(super) struct List {
    #[command(flatten)]
    filters: Filters,
}

/// Show one fact
#[derive(Debug, Args)]
pub(super) struct Get {
    /// The edict
    id: String,
}

/// Find facts by their words
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ken edict search 'launch \"15 April\"' --category product")]
pub(super) struct Search {
    /// Words that must all be there; "quotes" ask for a phrase
    query: String,
    #[command(flatten)]
    filters: Filters,
}

/// Print the facts in the order in which they matter
#[derive(Debug, Args)]
pub(super) struct Render {
    /// plain, markdown, json or brief (what reaches a prompt)
    #[arg(long, value_name = "FORMAT", default_value = "plain", value_parser = crate::commands::parse::<RenderFormat>)]
    format: RenderFormat,
    /// At most this many tokens
    #[arg(long, value_name = "TOKENS", value_parser = crate::commands::whole_number)]
    budget: Option<usize>,
    #[command(flatten)]
    filters: Filters,
}

/// Show what was superseded, expired or removed
#[derive(Debug, Args)]
pub(super) struct History {
    /// Only of this edict
    id: Option<String>,
}

/// Check the file: everything that is wrong, with its place
#[derive(Debug, Args)]
pub(super) struct Validate {
    /// Fail on warnings too
    #[arg(long)]
    strict: bool,
    /// How to print the findings
    #[arg(long, value_enum, default_value_t)]
    format: FindingsFormat,
}

#[derive(Serialize)]
struct Listed<'e> {
    path: &'e Path,
    edicts: Vec<&'e ken_edicts::Edict>,
    /// What is wrong with the file: edicts with an error are not in force.
    findings: &'e [Finding],
    /// How many edicts are not in force for it.
    #[serde(skip)]
    set_aside: usize,
}

impl Answer for Listed<'_> {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        for edict in &self.edicts {
            write_edict(out, edict)?;
        }
        match (self.edicts.is_empty(), self.set_aside) {
            (false, _) => Ok(()),
            (true, 0) => writeln!(out, "no facts"),
            (true, aside) => {
                let aside = counted(aside, "edict is", "edicts are");
                writeln!(out, "no facts; {aside} set aside, see `ken edict validate`")
            }
        }
    }
}

fn write_edict(out: &mut dyn Write, edict: &ken_edicts::Edict) -> io::Result<()> {
    let bold = anstyle::Style::new().bold();
    write!(
        out,
        "{bold}{}{bold:#} {} ({}",
        edict.id,
        one_line(&edict.text, 2_000),
        edict.category
    )?;
    write!(out, ", {}", edict.ttl.as_str())?;
    if let Some(expires) = edict.expires_at {
        write!(out, " until {expires}")?;
    }
    writeln!(out, ", {})", edict.confidence.as_str())
}

#[derive(Serialize)]
#[serde(transparent)]
struct One<'e>(&'e ken_edicts::Edict);

impl Answer for One<'_> {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let edict = self.0;
        write_edict(out, edict)?;
        if !edict.tags.is_empty() {
            let tags: Vec<&str> = edict.tags.iter().map(ken_edicts::Label::as_str).collect();
            writeln!(out, "  tags     {}", tags.join(", "))?;
        }
        writeln!(out, "  source   {}", edict.source)?;
        writeln!(out, "  created  {}", edict.created)?;
        writeln!(out, "  updated  {}", edict.updated)?;
        match edict.last_accessed {
            Some(at) => writeln!(out, "  read     {at}"),
            None => Ok(()),
        }
    }
}

#[derive(Serialize)]
struct Archived<'e> {
    history: Vec<&'e HistoryEntry>,
}

impl Answer for Archived<'_> {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        for entry in &self.history {
            let text = one_line(&entry.text, 2_000);
            writeln!(out, "{} {text} (superseded by {})", entry.id, entry.superseded_by)?;
        }
        if self.history.is_empty() {
            writeln!(out, "no history")?;
        }
        Ok(())
    }
}

#[derive(Serialize)]
#[serde(transparent)]
struct Checked(Report);

impl Answer for Checked {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        for finding in &self.0.findings {
            let severity = match finding.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            };
            writeln!(out, "{severity}: {finding}")?;
        }
        let errors = counted(self.0.errors, "error", "errors");
        writeln!(
            out,
            "{}: {errors}, {}",
            self.0.path.display(),
            counted(self.0.warnings, "warning", "warnings")
        )
    }
}

/// The file as it is; none at all is no edicts. What is wrong with it is said aloud.
pub(super) fn load(work: &Work<'_>, output: &Output) -> Result<Edicts, CommandError> {
    let mut edicts = work.store.load(&work.context.clock)?;
    work.store.with_access(&mut edicts);
    say_what_is_set_aside(&edicts, output);
    Ok(edicts)
}

/// An answer from which edicts are missing never looks whole, however quiet it was asked to be.
fn say_what_is_set_aside(edicts: &Edicts, output: &Output) {
    let errors = edicts.findings.iter();
    for finding in errors.filter(|finding| finding.severity == Severity::Error) {
        output.notice(&format!("set aside: {finding}"));
    }
    if output.is_quiet() && !edicts.set_aside.is_empty() {
        let aside = counted(edicts.set_aside.len(), "edict is", "edicts are");
        output.warning(&format!("{aside} set aside; `ken edict validate` says why"));
    }
}

/// What a prompt is told: the edicts, or the last ones that could be read, with the warnings that go along.
fn standing(work: &Work<'_>, output: &Output) -> Result<(Edicts, Vec<String>), CommandError> {
    let mut standing = work.store.standing(&work.context.clock)?;
    work.store.with_access(&mut standing.edicts);
    say_what_is_set_aside(&standing.edicts, output);
    let warnings = standing.warnings();
    if let Some(problem) = &standing.problem {
        output.warning(&format!("{problem}; until then the last good copy is in force"));
    }
    Ok((standing.edicts, warnings))
}

fn chosen(edicts: &Edicts, filters: Filters, now: Timestamp) -> Vec<&ken_edicts::Edict> {
    let filter = Filter::from(filters);
    edicts
        .in_force(now)
        .filter(|edict| filter.admits(edict))
        .collect()
}

impl List {
    pub(super) fn run(self, work: &Work<'_>, output: &mut Output) -> Result<(), CommandError> {
        let edicts = load(work, output)?;
        let listed = chosen(&edicts, self.filters, work.context.clock.now());
        output.answer(&Listed {
            path: work.store.path(),
            edicts: listed,
            findings: &edicts.findings,
            set_aside: edicts.set_aside.len(),
        })
    }
}

impl Get {
    pub(super) fn run(self, work: &Work<'_>, output: &mut Output) -> Result<(), CommandError> {
        let edicts = load(work, output)?;
        let edict = edicts.find(&self.id, work.context.clock.now())?;
        work.store
            .note_access(&edicts, [edict.id.as_str()], &work.context.clock);
        output.answer(&One(edict))
    }
}

impl Search {
    pub(super) fn run(self, work: &Work<'_>, output: &mut Output) -> Result<(), CommandError> {
        let edicts = load(work, output)?;
        let hits = ken_edicts::search(
            &edicts,
            &self.query,
            &self.filters.into(),
            work.context.clock.now(),
        );
        let found = hits.into_iter().map(|hit| hit.edict).collect();
        output.answer(&Listed {
            path: work.store.path(),
            edicts: found,
            findings: &edicts.findings,
            set_aside: edicts.set_aside.len(),
        })
    }
}

impl Render {
    pub(super) fn run(self, work: &Work<'_>, output: &mut Output) -> Result<(), CommandError> {
        let (edicts, warnings) = if self.format == RenderFormat::Brief {
            standing(work, output)?
        } else {
            (load(work, output)?, Vec::new())
        };
        let mut chosen = chosen(&edicts, self.filters, work.context.clock.now());
        ken_edicts::order(&mut chosen);
        let rendered = ken_edicts::render_these(chosen.clone(), &warnings, self.format, self.budget);
        let unsaid = rendered.text.is_empty() || self.format == RenderFormat::Json;
        if let Some(note) = rendered.note().filter(|_| unsaid) {
            output.warning(&note);
        }
        let shown = chosen.iter().take(rendered.shown).map(|edict| edict.id.as_str());
        work.store.note_access(&edicts, shown, &work.context.clock);
        output.answer(&Shown(rendered))
    }
}

#[derive(Serialize)]
#[serde(transparent)]
struct Shown(ken_edicts::Rendered);

impl Answer for Shown {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let text = self.0.text.trim_end();
        if text.is_empty() {
            Ok(())
        } else {
            writeln!(out, "{text}")
        }
    }
}

impl History {
    pub(super) fn run(self, work: &Work<'_>, output: &mut Output) -> Result<(), CommandError> {
        let edicts = load(work, output)?;
        output.answer(&Archived {
            history: edicts.history_of(self.id.as_deref()).collect(),
        })
    }
}

impl Validate {
    pub(super) fn run(self, work: &Work<'_>, output: &mut Output) -> Result<(), CommandError> {
        let checked = Checked(work.store.validate(&work.limits, &work.context.clock)?);
        if checked.0.errors > 0 || (self.strict && checked.0.warnings > 0) {
            output.found_something_wrong();
        }
        match self.format {
            FindingsFormat::Text => output.answer(&checked),
            FindingsFormat::Json => output.answer_as_json(&checked),
            FindingsFormat::Sarif => checked.for_programs(work).print_sarif(output),
            FindingsFormat::Github => checked.for_programs(work).print_github(),
        }
    }
}

impl Checked {
    fn for_programs<'w>(self, work: &Work<'w>) -> Findings<'w> {
        let rules = Rule::ALL
            .iter()
            .map(|rule| RuleText {
                code: rule.code(),
                about: rule.about(),
            })
            .collect();
        let findings = self.0.findings.into_iter().map(|finding| Reported {
            level: match finding.severity {
                Severity::Error => Level::Error,
                Severity::Warning => Level::Warning,
            },
            rule: finding.rule.code(),
            path: finding.path,
            line: finding.line,
            column: finding.column,
            message: match finding.edict {
                Some(edict) => format!("{edict}: {}", finding.message),
                None => finding.message,
            },
            fingerprint: None,
        });
        Findings {
            root: work.context.root(),
            rules,
            findings: findings.collect(),
        }
    }
}
