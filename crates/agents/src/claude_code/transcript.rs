//! A transcript, line by line, into a session.

use std::borrow::Cow;
use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::line::{Block, Content, Input, Record};
use crate::harvest::{Digest, Redactor, Session, Task, bounded};
use crate::jsonl::{LineCounts, Lines, read_records};
use crate::participant::Progress;

/// What a file of transcript lines held.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Told {
    pub(crate) session: Session,
    /// The session that the lines name; a helper's file names its parent here.
    pub(crate) named: Option<String>,
    /// Whether a line of the person's own conversation was in it.
    pub(crate) own: bool,
    pub(crate) counts: LineCounts,
}

impl Digest for Told {
    fn session(&self) -> Option<&Session> {
        Some(&self.session)
    }

    fn names(&self) -> Vec<&str> {
        self.named.iter().map(String::as_str).collect()
    }
}

/// Reads a transcript. Of a helper's own transcript (`helper`), words do not count as the person's; times after
/// `horizon` count as unknown.
pub(crate) fn read(
    path: &Path,
    id: &str,
    helper: bool,
    horizon: Timestamp,
    redactor: &mut Redactor,
    progress: &mut dyn Progress,
) -> std::io::Result<Told> {
    let mut told = Told {
        session: Session::new(id, horizon),
        named: None,
        own: false,
        counts: LineCounts::default(),
    };
    told.counts = read_records(Lines::open(path)?, progress, |json| {
        let Ok(record) = serde_json::from_slice::<Record<'_>>(json) else {
            return false;
        };
        told.tell(&record, helper, redactor);
        true
    })?;
    Ok(told)
}

impl Told {
    fn tell(&mut self, record: &Record<'_>, helper: bool, redactor: &mut Redactor) {
        let user = match record.kind.as_deref() {
            Some("user") => true,
            Some("assistant") => false,
            _ => return,
        };
        if self.named.is_none() {
            self.named = record.session.as_deref().map(str::to_owned);
        }
        self.own |= !record.is_sidechain;
        if let Some(folder) = record.cwd.as_deref() {
            self.session.in_folder(folder);
        }
        // A note that the program wrote for itself is not activity.
        if record.is_meta || record.is_compact_summary {
            return;
        }
        let at = record
            .timestamp
            .as_deref()
            .and_then(|t| t.parse::<Timestamp>().ok());
        if let Some(at) = at {
            self.session.active_at(at);
        }
        if let Some(branch) = record.branch.as_deref() {
            self.session.on_branch(branch, at);
        }
        let Some(message) = &record.message else {
            return;
        };
        if !user {
            if let Content::Blocks(blocks) = &message.content {
                blocks.iter().for_each(|block| self.used(block, redactor));
            }
        } else if !helper && !record.is_sidechain {
            match &message.content {
                Content::Text(text) => self.session.asked(text, at, redactor),
                Content::Blocks(blocks) => {
                    // One turn may come in several blocks: an opened file, a picture, the words.
                    let texts: Vec<&str> = blocks
                        .iter()
                        .filter(|block| block.kind.as_deref() == Some("text"))
                        .filter_map(|block| block.text.as_deref())
                        .map(bounded)
                        .collect();
                    if !texts.is_empty() {
                        self.session.asked(&texts.join("\n"), at, redactor);
                    }
                }
                Content::Nothing => {}
            }
        }
    }

    /// A tool was used.
    fn used(&mut self, block: &Block<'_>, redactor: &mut Redactor) {
        if block.kind.as_deref() != Some("tool_use") {
            return;
        }
        let Some(input) = &block.input else {
            return;
        };
        match block.name.as_deref().unwrap_or_default() {
            "Edit" | "Write" | "MultiEdit" | "NotebookEdit" => {
                let path = input.file_path.as_deref().or(input.notebook_path.as_deref());
                if let Some(path) = path {
                    self.session.edited(path, redactor);
                }
            }
            "Bash" => {
                if let Some(command) = input.command.as_deref() {
                    self.session.ran(command, redactor);
                }
            }
            "TodoWrite" => {
                if let Some(todos) = &input.todos {
                    let tasks = todos.iter().filter_map(|todo| {
                        Some(Task {
                            text: redactor.text(todo.content.as_deref()?),
                            done: todo.status.as_deref() == Some("completed"),
                        })
                    });
                    self.session.task_list(tasks.collect::<Vec<_>>());
                }
            }
            "TaskCreate" => {
                if let Some(subject) = input.subject.as_deref() {
                    let text = redactor.text(subject);
                    self.session.add_task(text);
                }
            }
            "TaskUpdate" => self.task_changed(input),
            _ => {}
        }
    }

    fn task_changed(&mut self, input: &Input<'_>) {
        let place = input.task.as_deref().and_then(|id| id.parse::<usize>().ok());
        let status: Option<&str> = input.status.as_ref().map(Cow::as_ref);
        if let (Some(place), Some(status)) = (place, status) {
            self.session
                .set_task(place, matches!(status, "completed" | "deleted"));
        }
    }
}
