//! Claude Code's home, written as Claude Code writes it.

use std::path::Path;

use jiff::Timestamp;
use ken_files::FileError;
use serde_json::{Value, json};

use super::put;
use super::sessions::SESSIONS;
use super::story::{Calendar, Place, Talk, Turn};
use crate::claude_code::slug_of;

const VERSION: &str = "2.1.205";

/// A picture of one pixel.
const PICTURE: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// Prompts of sessions whose transcripts were cleaned up long ago: days ago, hour, place, text.
const REMEMBERED: &[(i32, i8, Place, &str)] = &[
    (
        58,
        10,
        Place::Pay,
        "set up the skeleton of brinepay: importer, matcher, ledger",
    ),
    (
        52,
        14,
        Place::Pay,
        "match payments with orders by reference, then by amount and day",
    ),
    (
        47,
        9,
        Place::Gangplank,
        "let gangplank roll out to one server first",
    ),
    (
        41,
        16,
        Place::Web,
        "draw the cabin plan as SVG instead of a picture",
    ),
    (
        36,
        11,
        Place::Pay,
        "the ledger must refuse a posting that does not add up to zero",
    ),
];

/// Writes the transcripts and the history; answers how many sessions there are.
pub(super) fn write(home: &Path, calendar: &Calendar) -> Result<usize, FileError> {
    let store = home.join(".claude");
    let mut history = String::new();
    for (number, (ago, hour, place, text)) in REMEMBERED.iter().enumerate() {
        let at = calendar.instant(*ago, *hour, 0);
        push(
            &mut history,
            &prompt(
                home,
                *place,
                text,
                at,
                &uuid(&["remembered", &number.to_string()]),
            ),
        );
    }
    for talk in SESSIONS {
        let mut writer = Writer::new(home, calendar, talk);
        writer.talk(talk);
        let slug = slug_of(&home.join(talk.place.folder()).to_string_lossy());
        let folder = store.join("projects").join(slug);
        put(&folder.join(format!("{}.jsonl", writer.session)), &writer.lines)?;
        for (helper, lines) in &writer.helpers {
            let path = folder
                .join(&writer.session)
                .join(format!("subagents/agent-{helper}.jsonl"));
            put(&path, lines)?;
        }
        for (text, at) in &writer.asked {
            push(
                &mut history,
                &prompt(home, talk.place, text, *at, &writer.session),
            );
        }
    }
    put(&store.join("history.jsonl"), history)?;
    put(
        &store.join("settings.json"),
        "{\n  \"cleanupPeriodDays\": 30\n}\n",
    )?;
    Ok(SESSIONS.len() + REMEMBERED.len())
}

fn prompt(home: &Path, place: Place, text: &str, at: Timestamp, session: &str) -> Value {
    json!({
        "display": text,
        "pastedContents": {},
        "timestamp": at.as_millisecond(),
        "project": home.join(place.folder()).to_string_lossy(),
        "sessionId": session,
    })
}

pub(super) fn push(lines: &mut String, line: &Value) {
    lines.push_str(&line.to_string());
    lines.push('\n');
}

/// An id in the form of a UUID that is always the same for the same parts.
pub(super) fn uuid(parts: &[&str]) -> String {
    let hash = blake3::hash(parts.join("/").as_bytes()).to_hex();
    format!(
        "{}-{}-4{}-8{}-{}",
        &hash[..8],
        &hash[8..12],
        &hash[13..16],
        &hash[17..20],
        &hash[20..32]
    )
}

/// What looks like a token of a forge, put together here so that no scanner finds it in this repository.
fn made_up_token() -> String {
    let hash = blake3::hash(b"a token of the demo").to_hex();
    format!("gh{}_{}", "p", &hash[..36])
}

/// One session being written.
struct Writer<'a> {
    home: &'a Path,
    cwd: String,
    branch: &'static str,
    session: String,
    now: Timestamp,
    count: usize,
    parent: Option<String>,
    lines: String,
    helpers: Vec<(String, String)>,
    asked: Vec<(String, Timestamp)>,
}

impl<'a> Writer<'a> {
    fn new(home: &'a Path, calendar: &Calendar, talk: &Talk) -> Writer<'a> {
        let (hour, minute) = talk.at;
        Writer {
            home,
            cwd: home.join(talk.place.folder()).to_string_lossy().into_owned(),
            branch: talk.branch,
            session: uuid(&[
                "session",
                &talk.ago.to_string(),
                &hour.to_string(),
                talk.place.name(),
            ]),
            now: calendar.instant(talk.ago, hour, minute),
            count: 0,
            parent: None,
            lines: String::new(),
            helpers: Vec::new(),
            asked: Vec::new(),
        }
    }

    fn talk(&mut self, talk: &Talk) {
        let snapshot = json!({
            "type": "file-history-snapshot",
            "messageId": uuid(&[&self.session, "snapshot"]),
            "snapshot": {"trackedFileBackups": {}, "timestamp": self.now.to_string()},
            "isSnapshotUpdate": false,
        });
        push(&mut self.lines, &snapshot);
        for turn in talk.turns {
            self.turn(turn);
        }
        let summary = json!({"type": "summary", "summary": "A month of ferries", "leafUuid": self.parent});
        push(&mut self.lines, &summary);
    }

    fn turn(&mut self, turn: &Turn) {
        match turn {
            Turn::Asks(text) => {
                let text = text.replace("{token}", &made_up_token());
                let mut blocks = vec![json!({"type": "text", "text": text})];
                if self.asked.is_empty() {
                    let reminder =
                        "<system-reminder>\nThis is a reminder of the program's own.\n</system-reminder>";
                    blocks.insert(0, json!({"type": "text", "text": reminder}));
                }
                self.user(&Value::Array(blocks));
                self.asked.push((text, self.now));
            }
            Turn::Shows(text) => {
                let source = json!({"type": "base64", "media_type": "image/png", "data": PICTURE});
                self.user(&json!([{"type": "image", "source": source}, {"type": "text", "text": format!("[Image #1] {text}")}]));
                self.asked.push((format!("[Image #1] {text}"), self.now));
            }
            Turn::Thinks(text) => {
                self.assistant(&json!({"type": "thinking", "thinking": text, "signature": "c2lnbmF0dXJl"}));
            }
            Turn::Says(text) => self.assistant(&json!({"type": "text", "text": text})),
            Turn::Reads(path, content) => {
                self.tool("Read", &json!({"file_path": self.path(path)}), content);
            }
            Turn::Edits(path) => {
                let input =
                    json!({"file_path": self.path(path), "old_string": "before", "new_string": "after"});
                self.tool("Edit", &input, "The file has been updated.");
            }
            Turn::Runs(command, output) => {
                let progress = json!({
                    "type": "progress",
                    "data": {"type": "bash_progress", "output": "", "elapsedTimeSeconds": 2},
                    "sessionId": self.session,
                    "timestamp": self.now.to_string(),
                });
                push(&mut self.lines, &progress);
                self.tool(
                    "Bash",
                    &json!({"command": command, "description": "Run a command"}),
                    output,
                );
            }
            Turn::Tasks(tasks, done) => {
                let todos: Vec<Value> = tasks
                    .iter()
                    .enumerate()
                    .map(|(at, text)| {
                        let status = if at < *done { "completed" } else { "pending" };
                        json!({"content": text, "status": status, "activeForm": text})
                    })
                    .collect();
                self.tool(
                    "TodoWrite",
                    &json!({"todos": todos}),
                    "Todos have been modified successfully.",
                );
            }
            Turn::Sends(prompt, files) => self.send(prompt, files),
            Turn::Interrupts => {
                self.user(&json!([{"type": "text", "text": "[Request interrupted by user]"}]));
            }
        }
    }

    fn path(&self, inside: &str) -> String {
        Path::new(&self.cwd).join(inside).to_string_lossy().into_owned()
    }

    fn user(&mut self, content: &Value) {
        let line = self.line("user", &json!({"role": "user", "content": content}), false);
        push(&mut self.lines, &line);
    }

    fn assistant(&mut self, block: &Value) {
        let message = self.spoken(block);
        let line = self.line("assistant", &message, false);
        push(&mut self.lines, &line);
    }

    fn spoken(&self, block: &Value) -> Value {
        json!({
            "id": format!("msg_{:04}", self.count),
            "role": "assistant",
            "model": "claude-made-up",
            "content": [block],
            "usage": {"input_tokens": 1200, "output_tokens": 80},
        })
    }

    /// The use of a tool and its result.
    fn tool(&mut self, name: &str, input: &Value, output: &str) {
        let id = format!("toolu_{}", &uuid(&[&self.session, &self.count.to_string()])[..8]);
        self.assistant(&json!({"type": "tool_use", "id": id, "name": name, "input": input}));
        let content =
            json!([{"type": "tool_result", "tool_use_id": id, "content": output, "is_error": false}]);
        let mut line = self.line("user", &json!({"role": "user", "content": content}), false);
        line["toolUseResult"] = json!({"stdout": output, "stderr": "", "interrupted": false});
        push(&mut self.lines, &line);
    }

    /// A helper with a transcript of its own.
    fn send(&mut self, prompt: &str, files: &[&str]) {
        let helper = uuid(&[&self.session, "helper", &self.count.to_string()])[..7].to_owned();
        let outer = self.parent.take();
        let mut lines = String::new();
        push(
            &mut lines,
            &self.line("user", &json!({"role": "user", "content": prompt}), true),
        );
        for file in files {
            let input = json!({"file_path": self.path(file), "content": "..."});
            let message =
                self.spoken(&json!({"type": "tool_use", "id": "toolu_h", "name": "Write", "input": input}));
            push(&mut lines, &self.line("assistant", &message, true));
        }
        self.helpers.push((helper, lines));
        self.parent = outer;
        self.tool("Task", &json!({"description": prompt, "prompt": prompt}), "Done.");
    }

    /// A line of the conversation; each is twenty seconds after the one before.
    fn line(&mut self, kind: &str, message: &Value, helper: bool) -> Value {
        self.count += 1;
        self.now = self
            .now
            .saturating_add(jiff::SignedDuration::from_secs(20))
            .unwrap_or(self.now);
        let id = uuid(&[&self.session, "line", &self.count.to_string()]);
        let line = json!({
            "parentUuid": self.parent,
            "isSidechain": helper,
            "userType": "external",
            "cwd": self.cwd,
            "sessionId": self.session,
            "version": VERSION,
            "gitBranch": self.branch,
            "type": kind,
            "message": message,
            "uuid": id,
            "timestamp": self.now.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string(),
        });
        self.parent = Some(id);
        debug_assert!(Path::new(&self.cwd).starts_with(self.home));
        line
    }
}
