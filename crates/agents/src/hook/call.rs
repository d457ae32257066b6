use std::path::PathBuf;

use serde_json::{Map, Value};

use super::HookEvent;

/// The most bytes of a hook's input that are read. A prompt of [`MAX_PROMPT`] bytes fits, whatever its escapes.
pub const MAX_INPUT: u64 = 4 * 1024 * 1024;

/// Longer prompts, in bytes, get no brief: what is pasted at that length is not what a person asks about.
pub const MAX_PROMPT: usize = 256 * 1024;

/// Why a session starts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StartSource {
    /// A new session, or a reason that is not known.
    #[default]
    New,
    /// An earlier session is taken up again: it knows what it was told.
    Resumed,
    /// The person emptied the conversation: nothing of what was told is left in it.
    Cleared,
    /// The conversation was compacted: what was told may be gone from it.
    Compacted,
}

/// What an agent told its hook.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HookCall {
    /// The agent's own id of the session (of the conversation, where it has only that).
    pub session: Option<String>,
    /// The folder that the session works in.
    pub folder: Option<PathBuf>,
    /// The session's transcript.
    pub transcript: Option<PathBuf>,
    /// What the person wrote, of a prompt.
    pub prompt: Option<String>,
    /// Why the session starts, of a session's start.
    pub source: StartSource,
}

/// Why an input is no call.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// Nothing came.
    #[error("nothing came on standard input; agents send a JSON object there")]
    Empty,
    /// More than [`MAX_INPUT`].
    #[error("the input has more than {MAX_INPUT} bytes; it was not looked at")]
    TooLong,
    /// Not JSON.
    #[error("the input is not JSON (line {line}, column {column}); agents send a JSON object")]
    NotJson {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
    },
    /// JSON, but no object.
    #[error("the input is not a JSON object; agents send one")]
    NotAnObject,
    /// A prompt event without a prompt.
    #[error("the input has no `prompt`")]
    NoPrompt,
    /// A prompt over [`MAX_PROMPT`].
    #[error("the prompt has {bytes} bytes, and those over {MAX_PROMPT} are not looked at")]
    LongPrompt {
        /// Its length in bytes.
        bytes: usize,
    },
}

impl HookCall {
    /// Reads what an agent sent. Keys of every agent that has hooks are known: `session_id` or `conversation_id`, `cwd`
    /// or the first of `workspace_roots`. Others are passed over; a value of another kind than expected counts as not
    /// there.
    ///
    /// # Errors
    /// [`CallError`], with what is wrong; nothing of the input's text stands in it.
    pub fn parse(event: HookEvent, input: &[u8]) -> Result<HookCall, CallError> {
        if input.len() as u64 > MAX_INPUT {
            return Err(CallError::TooLong);
        }
        let input = input.strip_prefix(b"\xef\xbb\xbf").unwrap_or(input);
        if input.trim_ascii().is_empty() {
            return Err(CallError::Empty);
        }
        let value: Value = match serde_json::from_slice(input) {
            Ok(value) => value,
            Err(error) => mended(input).ok_or(CallError::NotJson {
                line: error.line(),
                column: error.column(),
            })?,
        };
        let Value::Object(told) = value else {
            return Err(CallError::NotAnObject);
        };
        let call = HookCall {
            session: first_text(&told, &["session_id", "conversation_id", "sessionId", "taskId"]),
            folder: folder(&told),
            transcript: first_text(&told, &["transcript_path"]).map(PathBuf::from),
            prompt: match event {
                HookEvent::Prompt => Some(prompt(&told)?),
                _ => None,
            },
            source: match told.get("source").and_then(Value::as_str) {
                Some("resume" | "fork") => StartSource::Resumed,
                Some("clear") => StartSource::Cleared,
                Some("compact") => StartSource::Compacted,
                _ => StartSource::New,
            },
        };
        Ok(call)
    }
}

/// Bytes that are not UTF-8, and halves of characters, spoil a word and not the call.
fn mended(input: &[u8]) -> Option<Value> {
    let text = String::from_utf8_lossy(input);
    let whole = crate::jsonl::without_half_characters(text.as_bytes());
    serde_json::from_slice(whole.as_deref().unwrap_or(text.as_bytes())).ok()
}

fn prompt(told: &Map<String, Value>) -> Result<String, CallError> {
    let prompt = told
        .get("prompt")
        .and_then(Value::as_str)
        .ok_or(CallError::NoPrompt)?;
    if prompt.len() > MAX_PROMPT {
        return Err(CallError::LongPrompt { bytes: prompt.len() });
    }
    Ok(prompt.to_owned())
}

fn folder(told: &Map<String, Value>) -> Option<PathBuf> {
    let first_root = || {
        ["workspace_roots", "workspaceRoots"]
            .iter()
            .filter_map(|key| told.get(*key)?.as_array()?.first()?.as_str())
            .find(|root| !root.is_empty())
            .map(str::to_owned)
    };
    first_text(told, &["cwd"])
        .or_else(first_root)
        .map(PathBuf::from)
        .filter(|folder| folder.is_absolute())
}

fn first_text(told: &Map<String, Value>, keys: &[&str]) -> Option<String> {
    keys.iter()
        .filter_map(|key| told.get(*key)?.as_str())
        .find(|text| !text.trim().is_empty() && text.len() <= 4096)
        .map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_claude_code_and_codex_send_is_read() {
        let claude = br#"{"session_id":"5f","transcript_path":"/t/5f.jsonl","cwd":"/home/dev/p",
            "permission_mode":"default","hook_event_name":"UserPromptSubmit","prompt":"fix it"}"#;
        let call = HookCall::parse(HookEvent::Prompt, claude).unwrap();
        assert_eq!(call.session.as_deref(), Some("5f"));
        assert_eq!(call.folder, Some(PathBuf::from("/home/dev/p")));
        assert_eq!(call.transcript, Some(PathBuf::from("/t/5f.jsonl")));
        assert_eq!(call.prompt.as_deref(), Some("fix it"));

        let codex = br#"{"session_id":"0198","turn_id":"1","transcript_path":null,"cwd":"/p","model":"m",
            "permission_mode":"default","hook_event_name":"SessionStart","source":"compact"}"#;
        let call = HookCall::parse(HookEvent::SessionStart, codex).unwrap();
        assert_eq!(call.transcript, None);
        assert_eq!(call.source, StartSource::Compacted);
        assert_eq!(call.prompt, None);
    }

    #[test]
    fn what_cursor_sends_is_read() {
        let cursor = br#"{"conversation_id":"c1","workspace_roots":["/code/a","/code/b"],"prompt":"hi"}"#;
        let call = HookCall::parse(HookEvent::Prompt, cursor).unwrap();
        assert_eq!(call.session.as_deref(), Some("c1"));
        assert_eq!(call.folder, Some(PathBuf::from("/code/a")));
    }

    #[test]
    fn why_a_session_starts_is_told_apart() {
        for (said, source) in [
            ("startup", StartSource::New),
            ("resume", StartSource::Resumed),
            ("fork", StartSource::Resumed),
            ("clear", StartSource::Cleared),
            ("compact", StartSource::Compacted),
            ("tomorrow", StartSource::New),
        ] {
            let input = format!(r#"{{"source":"{said}"}}"#);
            let call = HookCall::parse(HookEvent::SessionStart, input.as_bytes()).unwrap();
            assert_eq!(call.source, source, "{said}");
        }
    }

    #[test]
    fn what_is_no_call_is_said_without_its_text() {
        let wrong = |event, input: &[u8]| HookCall::parse(event, input).unwrap_err().to_string();
        insta::assert_snapshot!(wrong(HookEvent::Stop, b" \n"), @"nothing came on standard input; agents send a JSON object there");
        insta::assert_snapshot!(wrong(HookEvent::Stop, b"{\"a\":\n secret"), @"the input is not JSON (line 2, column 2); agents send a JSON object");
        insta::assert_snapshot!(wrong(HookEvent::Stop, b"[1]"), @"the input is not a JSON object; agents send one");
        insta::assert_snapshot!(wrong(HookEvent::Prompt, b"{\"prompt\":7}"), @"the input has no `prompt`");
        let long = format!("{{\"prompt\":\"{}\"}}", "x".repeat(MAX_PROMPT + 1));
        insta::assert_snapshot!(wrong(HookEvent::Prompt, long.as_bytes()), @"the prompt has 262145 bytes, and those over 262144 are not looked at");
        insta::assert_snapshot!(wrong(HookEvent::Prompt, &vec![b'x'; MAX_INPUT as usize + 1]), @"the input has more than 4194304 bytes; it was not looked at");
    }

    #[test]
    fn values_of_another_kind_count_as_not_there() {
        let odd =
            br#"{"session_id":{"a":1},"cwd":["x"],"transcript_path":5,"source":[],"workspace_roots":[7]}"#;
        assert_eq!(
            HookCall::parse(HookEvent::SessionStart, odd).unwrap(),
            HookCall::default()
        );
        let relative = br#"{"cwd":"some/where"}"#;
        assert_eq!(HookCall::parse(HookEvent::Stop, relative).unwrap().folder, None);
    }

    #[test]
    fn broken_bytes_and_half_characters_spoil_a_word_and_not_the_call() {
        let call = HookCall::parse(HookEvent::Prompt, b"\xef\xbb\xbf{\"prompt\":\"fix \xff it\"}").unwrap();
        assert_eq!(call.prompt.as_deref(), Some("fix \u{fffd} it"));
        let call = HookCall::parse(HookEvent::Prompt, br#"{"prompt":"half \ud83d of it"}"#).unwrap();
        assert!(call.prompt.unwrap().starts_with("half "));
    }

    proptest::proptest! {
        #[test]
        fn no_input_makes_it_fail_otherwise_than_by_an_error(input in proptest::collection::vec(proptest::num::u8::ANY, 0..200)) {
            for event in HookEvent::ALL {
                let _ = HookCall::parse(event, &input);
            }
        }
    }
}
