use std::io::{self, Write};
use std::path::PathBuf;

use clap::{ArgAction, Args};
use ken_library::AccessLevel;
use ken_memory::{Factors, Hit, Kind, Rank, Recall as Found, RecallRequest};
use serde::Serialize;

use crate::context::Context;
use crate::error::CommandError;
use crate::output::{Answer, Output};

/// Search everything that is remembered
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ken recall \"what did we do on the parser\"
  ken recall '\"connection pool\" since:30d' -k 3
  ken recall deadlock --kind event --kind lesson --explain
In the query, \"quotes\" ask for a phrase, and skill: harness: tag: since: kind: filter; all else is text.")]
pub(crate) struct Recall {
    /// What to look for
    #[arg(allow_hyphen_values = true, value_parser = super::any_text())]
    query: String,
    /// How many hits, 1 to 100
    #[arg(short, default_value_t = ken_memory::DEFAULT_K, value_name = "N", value_parser = super::whole_number)]
    k: usize,
    /// Only this kind; may be given several times
    #[arg(long = "kind", value_name = "KIND", action = ArgAction::Append, value_parser = super::parse::<Kind>)]
    kinds: Vec<Kind>,
    /// Only events of this skill, such as rust::async
    #[arg(long, value_name = "S")]
    skill: Option<String>,
    /// Only what this program or agent wrote
    #[arg(long, value_name = "H")]
    harness: Option<String>,
    /// Only what bears this tag
    #[arg(long, value_name = "T")]
    tag: Option<String>,
    /// Only what is not older: a day such as 2026-01-31, or how long ago, such as 14d
    #[arg(long, value_name = "DATE|14d")]
    since: Option<String>,
    /// Also what has expired or is past
    #[arg(long)]
    all: bool,
    /// Ask as one who may see at most: public, team or private
    #[arg(long, value_name = "LEVEL", value_parser = super::parse::<AccessLevel>)]
    access: Option<AccessLevel>,
    /// Order by relevance, or by the contract's bm25 x salience
    #[arg(long, value_name = "relevance|salience", default_value = "relevance", value_parser = super::parse::<Rank>)]
    rank: Rank,
    /// Show how each score comes about; an answer as JSON always says it
    #[arg(long)]
    explain: bool,
}

#[derive(Serialize)]
struct Answered {
    #[serde(flatten)]
    found: Found,
    /// Where places are shown from: the project's root and the home directory.
    #[serde(skip)]
    from: Vec<(PathBuf, &'static str)>,
}

impl Answer for Answered {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let found = &self.found;
        if found.hits.is_empty() {
            writeln!(out, "nothing found")?;
        }
        for (number, hit) in found.hits.iter().enumerate() {
            write_hit(out, number + 1, hit, &self.from)?;
        }
        if found.more {
            writeln!(out, "there is more; ask for it with -k")?;
        }
        for note in &found.notes {
            writeln!(out, "note: {note}")?;
        }
        Ok(())
    }
}

fn write_hit(out: &mut dyn Write, number: usize, hit: &Hit, from: &[(PathBuf, &str)]) -> io::Result<()> {
    let bold = anstyle::Style::new().bold();
    let dim = anstyle::Style::new().dimmed();
    let text = super::one_line(&hit.text, 400);
    writeln!(out, "{number:>2}. {bold}{text}{bold:#}")?;
    let mut facts = vec![hit.kind.to_string()];
    facts.extend(
        hit.when
            .as_deref()
            .map(|when| when.get(..10).unwrap_or(when).to_owned()),
    );
    if !hit.who.is_empty() {
        facts.push(hit.who.join(", "));
    }
    facts.extend(hit.project.clone());
    facts.extend(hit.skill.clone());
    if hit.copies > 1 {
        facts.push(format!("{} times", hit.copies));
    }
    if hit.past {
        facts.push("past".to_owned());
    }
    facts.extend(hit.superseded_by.as_ref().map(|by| format!("superseded by {by}")));
    if hit.untrusted {
        facts.push("from a repository that is not trusted".to_owned());
    }
    facts.extend(hit.place.as_deref().map(|place| shortened(place, from)));
    writeln!(out, "    {dim}{}{dim:#}", facts.join(" · "))?;
    if let Some(factors) = &hit.factors {
        writeln!(out, "    {dim}{:.4} = {}{dim:#}", hit.score, explained(factors))?;
    }
    Ok(())
}

/// A place relative to the project, else to the home directory.
fn shortened(place: &str, from: &[(PathBuf, &str)]) -> String {
    for (folder, shown) in from {
        let below = folder
            .to_str()
            .and_then(|folder| place.strip_prefix(folder)?.strip_prefix('/'));
        if let Some(below) = below {
            return format!("{shown}{below}");
        }
    }
    place.to_owned()
}

fn explained(factors: &Factors) -> String {
    let mut parts = vec![format!("bm25 {:.4}", factors.bm25)];
    let named = [
        ("pain and importance", factors.weight),
        ("recurrence", factors.recurrence),
        ("origin", factors.origin),
        ("confidence", factors.confidence),
        ("recency", factors.recency),
        ("salience", factors.salience),
        ("superseded", factors.superseded),
    ];
    parts.extend(
        named
            .into_iter()
            .filter_map(|(name, factor)| Some(format!("{name} {:.4}", factor?))),
    );
    parts.join(" x ")
}

impl Recall {
    pub(crate) fn run(self, context: &Context, output: &mut Output) -> Result<(), CommandError> {
        if self.k == 0 {
            return Err(CommandError::usage(
                "-k 0 asks for nothing; give a number from 1 to 100",
            ));
        }
        let since = self
            .since
            .map(|since| ken_memory::since(&since, &context.clock))
            .transpose();
        let request = RecallRequest {
            k: self.k,
            kinds: self.kinds,
            skill: self.skill,
            harness: self.harness,
            tag: self.tag,
            since: since.map_err(|e| CommandError::usage(format!("--since: {e}")))?,
            all: self.all,
            rank: self.rank,
            // An answer as JSON is for programs, and always whole.
            explain: self.explain || output.is_json(),
            ..RecallRequest::new(self.query)
        };
        let found = context.memory(self.access)?.recall(&request);
        let project = context.project.as_ref().map(|project| (project.root.clone(), ""));
        let from = project
            .into_iter()
            .chain([(context.paths.home.clone(), "~/")])
            .collect();
        output.answer(&Answered { found, from })
    }
}
