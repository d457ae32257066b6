use std::fmt::Write;
use std::str::FromStr;

use jiff::Timestamp;
use ken_text::fence::{Section, one_line};
use ken_text::tokens::prompt_tokens;
use serde::Serialize;

use crate::model::{Confidence, Edict, Edicts, Ttl};
use crate::when::written;

/// The four forms of a rendering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RenderFormat {
    /// One line an edict, with category and expiry.
    Plain,
    /// A list under a heading for each category.
    Markdown,
    /// A JSON list of the edicts, as they are in memory.
    Json,
    /// What reaches a prompt: a fenced block of one line an edict.
    Brief,
}

impl FromStr for RenderFormat {
    type Err = String;
    fn from_str(text: &str) -> Result<RenderFormat, String> {
        match text {
            "plain" => Ok(RenderFormat::Plain),
            "markdown" => Ok(RenderFormat::Markdown),
            "json" => Ok(RenderFormat::Json),
            "brief" => Ok(RenderFormat::Brief),
            _ => Err(format!(
                "`{text}` is not a format; write plain, markdown, json or brief"
            )),
        }
    }
}

/// A rendering.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rendered {
    /// The text, empty when there is nothing to show; a last line says what was left out.
    pub text: String,
    /// How many edicts it shows.
    pub shown: usize,
    /// How many did not fit into the budget.
    pub left_out: usize,
}

/// Puts edicts in the order in which they are shown, and in which a budget is spent: permanent, event, ephemeral,
/// durable; within these verified, user, inferred; within these as in the file.
pub fn order(edicts: &mut [&Edict]) {
    edicts.sort_by_key(|edict| {
        let ttl = match edict.ttl {
            Ttl::Permanent => 0,
            Ttl::Event => 1,
            Ttl::Ephemeral => 2,
            Ttl::Durable => 3,
        };
        let confidence = match edict.confidence {
            Confidence::Verified => 0,
            Confidence::User => 1,
            Confidence::Inferred => 2,
        };
        (ttl, confidence, edict.position)
    });
}

impl Rendered {
    /// How many were left out and how to see them; `None` when all are there. Every form but JSON says it in its text
    /// where the budget allows.
    pub fn note(&self) -> Option<String> {
        note(self.left_out)
    }
}

/// Renders the edicts in force. See [`render_these`].
pub fn render(edicts: &Edicts, format: RenderFormat, budget: Option<usize>, now: Timestamp) -> Rendered {
    render_these(edicts.in_force(now).collect(), &[], format, budget)
}

/// Renders a choice of edicts in their order, as many as fit into `budget` tokens of the rendered text (wrapper
/// included, a CJK character as one token). The first that does not fit ends it: no less important one is shown in
/// its place. The note on what was left out counts too. Where not even that fits, it stands alone in the forms that
/// people read (plain, markdown), whatever the budget: an empty answer would say that there are no edicts.
///
/// `warnings` are sentences that must go along into a prompt: the brief begins with them.
pub fn render_these(
    mut edicts: Vec<&Edict>,
    warnings: &[String],
    format: RenderFormat,
    budget: Option<usize>,
) -> Rendered {
    order(&mut edicts);
    let all = edicts.len();
    let with = |shown: usize| compose(&edicts[..shown], all - shown, warnings, format);
    let fits = |text: &str| budget.is_none_or(|budget| prompt_tokens(text) <= budget);
    let mut text = with(all);
    let mut shown = all;
    if !fits(&text) {
        // The cost grows with every edict shown, so the largest number that fits is found by halving.
        let (mut low, mut high) = (0, all);
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if fits(&with(middle)) {
                low = middle;
            } else {
                high = middle;
            }
        }
        shown = low;
        text = with(shown);
        if !fits(&text) {
            text = match format {
                RenderFormat::Plain | RenderFormat::Markdown => {
                    note(all).map(|note| note + "\n").unwrap_or_default()
                }
                RenderFormat::Json | RenderFormat::Brief => String::new(),
            };
        }
    }
    Rendered {
        text,
        shown,
        left_out: all - shown,
    }
}

fn compose(edicts: &[&Edict], left_out: usize, warnings: &[String], format: RenderFormat) -> String {
    let unsaid = format != RenderFormat::Brief || warnings.is_empty();
    if edicts.is_empty() && left_out == 0 && unsaid && format != RenderFormat::Json {
        return String::new();
    }
    match format {
        RenderFormat::Plain => plain(edicts, left_out),
        RenderFormat::Markdown => markdown(edicts, left_out),
        RenderFormat::Json => serde_json::to_string_pretty(edicts).unwrap_or_default() + "\n",
        RenderFormat::Brief => brief(edicts, left_out, warnings),
    }
}

fn note(left_out: usize) -> Option<String> {
    let (edicts, they) = if left_out == 1 {
        ("edict", "it")
    } else {
        ("edicts", "them")
    };
    (left_out > 0).then(|| format!("{left_out} more {edicts} did not fit; see {they} with `ken edict list`"))
}

fn plain(edicts: &[&Edict], left_out: usize) -> String {
    let mut out = String::new();
    for edict in edicts {
        let _ = write!(out, "[{}] {}", one_line(&edict.category), one_line(&edict.text));
        if let Some(at) = edict.expires_at {
            let _ = write!(out, " (until {})", written(at));
        }
        out.push('\n');
    }
    if let Some(note) = note(left_out) {
        let _ = writeln!(out, "{note}");
    }
    out
}

fn markdown(edicts: &[&Edict], left_out: usize) -> String {
    let mut out = String::from("## Edicts\n");
    let mut categories: Vec<&str> = Vec::new();
    for edict in edicts {
        if !categories.contains(&edict.category.as_str()) {
            categories.push(&edict.category);
        }
    }
    for category in categories {
        let _ = write!(out, "\n### {}\n\n", one_line(category));
        for edict in edicts.iter().filter(|edict| edict.category == *category) {
            let _ = write!(
                out,
                "- {} ({}, {}",
                one_line(&edict.text),
                edict.confidence.as_str(),
                edict.ttl.as_str()
            );
            if let Some(at) = edict.expires_at {
                let _ = write!(out, " until {}", written(at));
            }
            out.push_str(")\n");
        }
    }
    if let Some(note) = note(left_out) {
        let _ = write!(out, "\n{note}\n");
    }
    out
}

fn brief(edicts: &[&Edict], left_out: usize, warnings: &[String]) -> String {
    let mut section = Section::new("edicts: what holds in this project", "edicts file");
    for warning in warnings {
        section = section.line(warning);
    }
    for edict in edicts {
        let mut line = format!("[{}] {}", edict.category, edict.text);
        if edict.confidence == Confidence::Inferred {
            line.push_str(" (an agent's conclusion)");
        }
        if let Some(at) = edict.expires_at {
            let _ = write!(line, " (until {})", written(at));
        }
        section = section.line(&line);
    }
    if let Some(note) = note(left_out) {
        section = section.line(&note);
    }
    section.finish()
}
