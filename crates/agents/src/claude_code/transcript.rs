//! A transcript, line by line, into a session.

use std::borrow::Cow;
use std::path::Path;

use jiff::Timestamp;

use super::line::{Block, Content, Input, Record};
use crate::harvest::{Redactor, Session, Task, bounded};
use crate::jsonl::{Line, Lines, trimmed, without_half_characters};
use crate::participant::Progress;

/// Longer lines with bytes that are not UTF-8 are not mended: that takes three times their length.
const MAX_REPAIRED: usize = 4 * 1024 * 1024;

/// Lines that gave nothing although they should have.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LineCounts {
    pub(crate) read: u64,
    pub(crate) bad: u64,
    pub(crate) too_long: u64,
    pub(crate) unfinished: u64,
}

impl LineCounts {
    pub(crate) fn add(&mut self, other: LineCounts) {
        self.read += other.read;
        self.bad += other.bad;
        self.too_long += other.too_long;
        self.unfinished += other.unfinished;
    }
}

/// What a file of transcript lines held.
#[derive(Debug)]
pub(crate) struct Told {
    pub(crate) session: Session,
    /// The session that the lines name; a helper's file names its parent here.
    pub(crate) named: Option<String>,
    /// Whether a line of the person's own conversation was in it.
    pub(crate) own: bool,
    pub(crate) counts: LineCounts,
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
    let mut lines = Lines::open(path)?;
    let mut told = Told {
        session: Session::new(id, horizon),
        named: None,
        own: false,
        counts: LineCounts::default(),
    };
    let mut reported = 0;
    loop {
        let taken = lines.bytes_read();
        if taken > reported {
            progress.advance(taken - reported);
            reported = taken;
        }
        match lines.next_line()? {
            None => return Ok(told),
            Some(Line::TooLong(_)) => told.counts.too_long += 1,
            Some(Line::Whole(line)) => {
                if !told.take(line, helper, redactor) {
                    told.counts.bad += 1;
                }
            }
            Some(Line::Unended(line)) => {
                if !told.take(line, helper, redactor) {
                    told.counts.unfinished += 1;
                }
            }
        }
    }
}

impl Told {
    /// Takes one line in; `false` when it is not one.
    fn take(&mut self, line: &[u8], helper: bool, redactor: &mut Redactor) -> bool {
        let line = trimmed(line);
        if line.is_empty() {
            return true;
        }
        if line[0] != b'{' {
            return false;
        }
        if self.parsed(line, helper, redactor) {
            return true;
        }
        // A byte that is not UTF-8, or half of a character, spoils a word, not the line.
        let readable = match std::str::from_utf8(line) {
            Ok(_) => Cow::Borrowed(line),
            Err(_) if line.len() > MAX_REPAIRED => return false,
            Err(_) => Cow::Owned(String::from_utf8_lossy(line).into_owned().into_bytes()),
        };
        match without_half_characters(&readable) {
            Some(mended) => self.parsed(&mended, helper, redactor),
            None => matches!(&readable, Cow::Owned(mended) if self.parsed(mended, helper, redactor)),
        }
    }

    fn parsed(&mut self, line: &[u8], helper: bool, redactor: &mut Redactor) -> bool {
        let Ok(record) = serde_json::from_slice::<Record<'_>>(line) else {
            return false;
        };
        self.counts.read += 1;
        self.tell(&record, helper, redactor);
        true
    }

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
                Content::Text(text) => self.session.asked(text, redactor),
                Content::Blocks(blocks) => {
                    // One turn may come in several blocks: an opened file, a picture, the words.
                    let texts: Vec<&str> = blocks
                        .iter()
                        .filter(|block| block.kind.as_deref() == Some("text"))
                        .filter_map(|block| block.text.as_deref())
                        .map(bounded)
                        .collect();
                    if !texts.is_empty() {
                        self.session.asked(&texts.join("\n"), redactor);
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
