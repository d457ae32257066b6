use std::io::{self, BufRead, Read, Write};

use clap::{ArgAction, Args};
use ken_memory::{LearnRequest, Learned};
use serde::Serialize;

use crate::context::Context;
use crate::error::CommandError;
use crate::output::{Answer, Output};

/// Remember an observation in this project, for every agent
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  ken learn \"the importer needs a lock, or two runs corrupt the table\" --pain 8 --importance 9
  ken learn \"use nextest here\" --skill rust::testing --tag ci
  git log -1 --format=%B | ken learn -
  printf '%s\\n' '{\"content\":\"one\"}' '{\"content\":\"two\",\"pain\":7}' | ken learn - --jsonl")]
pub(crate) struct Learn {
    /// What was learned; `-` reads standard input
    #[arg(allow_hyphen_values = true)]
    text: String,
    /// How much it hurt, 0 to 10
    #[arg(
        long,
        default_value_t = 5.0,
        value_name = "0-10",
        allow_negative_numbers = true, value_parser = super::number,
        conflicts_with = "jsonl"
    )]
    pain: f64,
    /// How much it matters, 0 to 10
    #[arg(
        long,
        default_value_t = 5.0,
        value_name = "0-10",
        allow_negative_numbers = true, value_parser = super::number,
        conflicts_with = "jsonl"
    )]
    importance: f64,
    /// What it is about, such as rust::async
    #[arg(long, value_name = "A::B", conflicts_with = "jsonl")]
    skill: Option<String>,
    /// Who learned it
    #[arg(long, value_name = "NAME")]
    harness: Option<String>,
    /// Where the words come from: user, agent or tool
    #[arg(long, value_name = "ORIGIN", conflicts_with = "jsonl")]
    origin: Option<String>,
    /// A tag; may be given several times
    #[arg(long = "tag", value_name = "T", action = ArgAction::Append, conflicts_with = "jsonl")]
    tags: Vec<String>,
    /// The event, or the skill's earlier event, that this one replaces
    #[arg(long, value_name = "ID|SKILL", conflicts_with = "jsonl")]
    supersedes: Option<String>,
    /// The same key within 24 hours is the same observation
    #[arg(long, value_name = "K", conflicts_with = "jsonl")]
    dedup_key: Option<String>,
    /// Read many observations, a JSON object a line: content, pain, importance, skill_action, harness, origin, tags, supersedes, dedup_key
    #[arg(long)]
    jsonl: bool,
}

#[derive(Serialize)]
#[serde(transparent)]
struct One(Learned);

impl Answer for One {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        let learned = &self.0;
        let verb = if learned.deduplicated {
            "already known"
        } else {
            "learned"
        };
        writeln!(out, "{verb} {} ({})", learned.id, learned.skill_action)?;
        if !learned.redacted.is_empty() {
            writeln!(
                out,
                "replaced before it was written: {}",
                learned.redacted.join(", ")
            )?;
        }
        Ok(())
    }
}

#[derive(Serialize)]
struct Many {
    learned: Vec<Learned>,
    refused: Vec<Refused>,
}

#[derive(Serialize)]
struct Refused {
    line: usize,
    why: String,
}

impl Answer for Many {
    fn text(&self, out: &mut dyn Write) -> io::Result<()> {
        for learned in &self.learned {
            writeln!(out, "{}", learned.id)?;
        }
        for refused in &self.refused {
            writeln!(out, "line {} was not learned: {}", refused.line, refused.why)?;
        }
        writeln!(
            out,
            "{} learned, {} refused",
            self.learned.len(),
            self.refused.len()
        )
    }
}

/// An observation may hold 64 KiB; what is read is bounded well above that, so that the refusal can say so.
const INPUT_LIMIT: u64 = 64 * 1024 * 1024;

impl Learn {
    pub(crate) fn run(self, context: &Context, output: &mut Output) -> Result<(), CommandError> {
        let memory = context.memory(None)?;
        if self.jsonl {
            return self.run_lines(&memory, output);
        }
        let content = if self.text == "-" {
            read_input()?
        } else {
            self.text
        };
        let learned = memory.learn(LearnRequest {
            content,
            pain: self.pain,
            importance: self.importance,
            skill_action: self.skill,
            harness: self.harness,
            origin: self.origin,
            tags: self.tags,
            supersedes: self.supersedes,
            dedup_key: self.dedup_key,
        })?;
        output.answer(&One(learned))
    }

    /// Good lines are learned although others are bad; the command fails when any was.
    fn run_lines(self, memory: &ken_memory::Memory, output: &mut Output) -> Result<(), CommandError> {
        let input: Box<dyn BufRead> = if self.text == "-" {
            Box::new(io::stdin().lock())
        } else {
            Box::new(io::Cursor::new(self.text.into_bytes()))
        };
        let (mut learned, mut refused) = (Vec::new(), Vec::new());
        for (number, line) in input.split(b'\n').enumerate() {
            let line =
                line.map_err(|e| CommandError::could_not(format!("standard input cannot be read: {e}")))?;
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let request: Result<LearnRequest, String> = serde_json::from_slice(&line)
                .map_err(|e| format!("{e}; write one JSON object a line with at least \"content\""));
            let done = request.and_then(|mut request| {
                request.harness = request.harness.or_else(|| self.harness.clone());
                memory.learn(request).map_err(|e| e.to_string())
            });
            match done {
                Ok(one) => learned.push(one),
                Err(why) => refused.push(Refused {
                    line: number + 1,
                    why,
                }),
            }
        }
        if !refused.is_empty() {
            output.found_something_wrong();
        }
        output.answer(&Many { learned, refused })
    }
}

/// All of standard input as text.
fn read_input() -> Result<String, CommandError> {
    let text = String::from_utf8(read_bytes()?).map_err(|e| {
        let at = e.utf8_error().valid_up_to();
        CommandError::could_not(format!(
            "standard input is not UTF-8 at byte {at}; convert it to UTF-8 first"
        ))
    })?;
    Ok(without_mark(&text).to_owned())
}

/// All of standard input as a text that is only asked about, in which bytes that are no UTF-8 are shown as such.
pub(crate) fn read_question() -> Result<String, CommandError> {
    let bytes = read_bytes()?;
    Ok(without_mark(&String::from_utf8_lossy(&bytes)).to_owned())
}

fn read_bytes() -> Result<Vec<u8>, CommandError> {
    let mut bytes = Vec::new();
    io::stdin()
        .lock()
        .take(INPUT_LIMIT)
        .read_to_end(&mut bytes)
        .map_err(|e| CommandError::could_not(format!("standard input cannot be read: {e}")))?;
    Ok(bytes)
}

/// A mark of byte order is no part of the text.
fn without_mark(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}
