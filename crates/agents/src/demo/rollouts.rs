//! Codex's home, written as Codex writes it.

use std::path::Path;

use jiff::Timestamp;
use ken_files::FileError;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::{Value, json};

use super::put;
use super::reviews::{MEMORIES, SESSIONS};
use super::story::{Calendar, Talk, Turn};
use super::transcripts::{push, uuid};

const VERSION: &str = "0.171.0";
/// Older rollouts are compressed.
const COMPRESSED_AFTER: i32 = 20;

/// Writes the rollouts, the history and the memories.
pub(super) fn write(home: &Path, calendar: &Calendar) -> Result<(), FileError> {
    let store = home.join(".codex");
    let mut history = String::new();
    for talk in SESSIONS {
        let mut writer = Writer::new(home, calendar, talk);
        for turn in talk.turns {
            writer.turn(turn);
        }
        let day = calendar.day(talk.ago);
        let (hour, minute) = talk.at;
        let folder = store.join("sessions").join(day.strftime("%Y/%m/%d").to_string());
        let name = format!("rollout-{day}T{hour:02}-{minute:02}-00-{}.jsonl", writer.session);
        if talk.ago > COMPRESSED_AFTER {
            let packed = compress_to_vec(writer.lines.as_bytes(), CompressionLevel::Fastest);
            put(&folder.join(format!("{name}.zst")), packed)?;
        } else {
            put(&folder.join(name), &writer.lines)?;
        }
        for (text, at) in &writer.asked {
            let prompt = json!({"session_id": writer.session, "ts": at.as_second(), "text": text});
            push(&mut history, &prompt);
        }
    }
    put(&store.join("history.jsonl"), history)?;
    put(&store.join("config.toml"), "[features]\nmemories = true\n")?;
    put(&store.join("memories/MEMORY.md"), memories(home, calendar))
}

fn memories(home: &Path, calendar: &Calendar) -> String {
    let mut text = String::new();
    for (place, scope, known) in MEMORIES {
        let folder = home.join(place.folder());
        text.push_str(&format!(
            "# Task Group: {}\n\nscope: {scope}\napplies_to: cwd={}; reuse_rule=safe in this repository\n\n## Reusable knowledge\n\n",
            place.name(),
            folder.display()
        ));
        for line in *known {
            text.push_str(&format!("- {}\n", calendar.dated(line)));
        }
        text.push('\n');
    }
    text
}

/// One session being written.
struct Writer {
    cwd: String,
    session: String,
    now: Timestamp,
    count: usize,
    lines: String,
    asked: Vec<(String, Timestamp)>,
}

impl Writer {
    fn new(home: &Path, calendar: &Calendar, talk: &Talk) -> Writer {
        let (hour, minute) = talk.at;
        let mut writer = Writer {
            cwd: home.join(talk.place.folder()).to_string_lossy().into_owned(),
            session: uuid(&["codex", &talk.ago.to_string(), talk.place.name()]),
            now: calendar.instant(talk.ago, hour, minute),
            count: 0,
            lines: String::new(),
            asked: Vec::new(),
        };
        let about = json!({
            "id": writer.session,
            "timestamp": writer.now.to_string(),
            "cwd": writer.cwd,
            "originator": "codex_cli_rs",
            "cli_version": VERSION,
            "source": "cli",
            "git": {"branch": talk.branch},
        });
        writer.line("session_meta", &about);
        let instructions = format!(
            "# AGENTS.md instructions for {}\n\n<INSTRUCTIONS>\nAnswer briefly.\n</INSTRUCTIONS>",
            writer.cwd
        );
        writer.message("user", &instructions);
        let environment = format!(
            "<environment_context>\n  <cwd>{}</cwd>\n  <approval_policy>on-request</approval_policy>\n</environment_context>",
            writer.cwd
        );
        writer.message("user", &environment);
        writer
    }

    fn turn(&mut self, turn: &Turn) {
        match turn {
            Turn::Asks(text) | Turn::Shows(text) => {
                let context =
                    json!({"cwd": self.cwd, "approval_policy": "on-request", "model": "gpt-made-up"});
                self.line("turn_context", &context);
                self.message("user", text);
                self.line("event_msg", &json!({"type": "user_message", "message": text}));
                self.asked.push(((*text).to_owned(), self.now));
            }
            Turn::Thinks(text) => {
                let thought =
                    json!({"type": "reasoning", "summary": [{"type": "summary_text", "text": text}]});
                self.line("response_item", &thought);
            }
            Turn::Says(text) => {
                self.message("assistant", text);
                self.line("event_msg", &json!({"type": "agent_message", "message": text}));
            }
            Turn::Reads(path, content) => self.runs(&format!("sed -n 1,200p {path}"), content),
            Turn::Runs(command, output) => self.runs(command, output),
            Turn::Edits(path) => {
                let patch =
                    format!("*** Begin Patch\n*** Update File: {path}\n@@\n-before\n+after\n*** End Patch");
                let call = json!({"type": "custom_tool_call", "name": "apply_patch", "call_id": self.call(), "input": patch});
                self.line("response_item", &call);
            }
            Turn::Tasks(tasks, done) => {
                let step = |(at, step): (usize, &&str)| {
                    let status = if at < *done { "completed" } else { "pending" };
                    json!({"step": step, "status": status})
                };
                let plan: Vec<Value> = tasks.iter().enumerate().map(step).collect();
                self.calls("update_plan", &json!({"plan": plan}), "Plan updated");
            }
            Turn::Sends(prompt, _) => self.calls("spawn_agent", &json!({"message": prompt}), "Done."),
            Turn::Interrupts => {
                self.line(
                    "event_msg",
                    &json!({"type": "turn_aborted", "reason": "interrupted"}),
                );
            }
        }
    }

    fn runs(&mut self, command: &str, output: &str) {
        let input = json!({"command": ["bash", "-lc", command], "workdir": self.cwd});
        self.calls("shell", &input, output);
    }

    /// The use of a tool and its result.
    fn calls(&mut self, name: &str, input: &Value, output: &str) {
        let id = self.call();
        let call =
            json!({"type": "function_call", "name": name, "arguments": input.to_string(), "call_id": id});
        self.line("response_item", &call);
        let output = json!({"type": "function_call_output", "call_id": id, "output": output});
        self.line("response_item", &output);
    }

    fn call(&self) -> String {
        format!("call_{:04}", self.count)
    }

    fn message(&mut self, role: &str, text: &str) {
        let kind = if role == "user" {
            "input_text"
        } else {
            "output_text"
        };
        let message = json!({"type": "message", "role": role, "content": [{"type": kind, "text": text}]});
        self.line("response_item", &message);
    }

    /// A line of the rollout; each is twenty seconds after the one before.
    fn line(&mut self, kind: &str, payload: &Value) {
        self.count += 1;
        let at = self.now.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string();
        push(
            &mut self.lines,
            &json!({"timestamp": at, "type": kind, "payload": payload}),
        );
        self.now = self
            .now
            .saturating_add(jiff::SignedDuration::from_secs(20))
            .unwrap_or(self.now);
    }
}
