//! What the agent's tools did: commands that ran, files that a patch changed, plans.

use std::borrow::Cow;

use super::line::{Call, Payload};
use crate::harvest::{Redactor, Session, Task, bounded};

/// More files of one patch are passed over.
const MAX_PATCHED: usize = 1_000;

/// Tells the session what this line did, when it did something.
pub(crate) fn tell(payload: &Payload<'_>, session: &mut Session, redactor: &mut Redactor) {
    match payload.kind.as_deref().unwrap_or_default() {
        "local_shell_call" => {
            if let Some(action) = &payload.action {
                ran(action, session, redactor);
            }
        }
        "custom_tool_call" => {
            if let Some(input) = payload.input.as_deref() {
                patched(input, None, session, redactor);
            }
        }
        "function_call" => {
            let arguments = payload.arguments.as_deref().unwrap_or_default();
            // What a tool of somebody else's was called with is not looked at.
            if let Ok(call) = serde_json::from_str::<Call<'_>>(arguments) {
                called(
                    payload.name.as_deref().unwrap_or_default(),
                    &call,
                    session,
                    redactor,
                );
            }
        }
        _ => {}
    }
}

fn called(name: &str, call: &Call<'_>, session: &mut Session, redactor: &mut Redactor) {
    match name {
        "shell" | "shell_command" | "local_shell" | "container.exec" | "exec_command" | "unified_exec" => {
            ran(call, session, redactor);
        }
        "apply_patch" => {
            if let Some(patch) = call.input.as_deref().or(call.patch.as_deref()) {
                patched(patch, call.workdir.as_deref(), session, redactor);
            }
        }
        "update_plan" => {
            if let Some(plan) = &call.plan {
                let steps = plan.iter().filter_map(|step| {
                    Some(Task {
                        text: redactor.text(bounded(step.step.as_deref()?)),
                        done: step.status.as_deref() == Some("completed"),
                    })
                });
                session.task_list(steps.collect::<Vec<_>>());
            }
        }
        _ => {}
    }
}

fn ran(call: &Call<'_>, session: &mut Session, redactor: &mut Redactor) {
    let words = if call.command.is_empty() {
        &call.cmd
    } else {
        &call.command
    };
    let line = script(words);
    let folder = call.workdir.as_deref().or(call.working_directory.as_deref());
    if line.contains("*** Begin Patch") {
        patched(&line, folder, session, redactor);
    } else {
        session.ran(&line, redactor);
    }
}

/// The command line of a command that is given as words: of `bash -lc "..."`, the script.
fn script<'a>(words: &'a [Cow<'a, str>]) -> Cow<'a, str> {
    let shell = |program: &str| {
        let name = program.rsplit(['/', '\\']).next().unwrap_or(program);
        let name = name.trim_end_matches(".exe");
        matches!(
            name,
            "bash" | "sh" | "zsh" | "dash" | "fish" | "powershell" | "pwsh" | "cmd"
        )
    };
    match words {
        [] => Cow::Borrowed(""),
        [line] => Cow::Borrowed(line),
        [program, .., script] if shell(program) => Cow::Borrowed(script),
        // Words that the shell would take apart stay together.
        words => {
            let quoted = |word: &Cow<'_, str>| {
                if word.contains(|c: char| c.is_whitespace() || matches!(c, ';' | '&' | '|' | '"')) {
                    format!("'{}'", word.replace('\'', " "))
                } else {
                    word.to_string()
                }
            };
            Cow::Owned(words.iter().map(quoted).collect::<Vec<_>>().join(" "))
        }
    }
}

/// Every file that a patch adds, changes or moves to, as the session sees it from `folder`.
fn patched(patch: &str, folder: Option<&str>, session: &mut Session, redactor: &mut Redactor) {
    let Some((_, patch)) = patch.split_once("*** Begin Patch") else {
        return;
    };
    let mut edited = |path: &str| {
        let path = path.trim();
        match folder {
            Some(folder) if !path.starts_with('/') && !path.is_empty() => {
                session.edited(&format!("{}/{path}", folder.trim_end_matches('/')), redactor);
            }
            _ => session.edited(path, redactor),
        }
    };
    // A file that is moved is edited where it comes to lie.
    let mut pending: Option<&str> = None;
    for line in patch
        .lines()
        .filter(|line| line.starts_with("*** "))
        .take(MAX_PATCHED)
    {
        if let Some(path) = line.strip_prefix("*** Move to: ") {
            pending = None;
            edited(path);
            continue;
        }
        if let Some(path) = pending.take() {
            edited(path);
        }
        if line.starts_with("*** End Patch") {
            break;
        }
        pending = line
            .strip_prefix("*** Update File: ")
            .or_else(|| line.strip_prefix("*** Add File: "))
            .or_else(|| line.strip_prefix("*** Delete File: "));
    }
    if let Some(path) = pending {
        edited(path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(lines: &[&str]) -> Session {
        let mut session = Session::new("s", jiff::Timestamp::MAX);
        session.in_folder("/srv/p");
        for line in lines {
            let payload: Payload<'_> = serde_json::from_str(line).unwrap();
            tell(&payload, &mut session, &mut Redactor::default());
        }
        session
    }

    #[test]
    fn a_patch_is_found_wherever_it_stands() {
        let session = told(&[
            r#"{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch\n*** Update File: src/a.rs\n@@\n-x\n+*** Update File: no.rs\n*** Add File: src/b.rs\n+y\n*** End Patch\n*** Add File: after.rs"}"#,
            r#"{"type":"function_call","name":"apply_patch","arguments":"{\"input\":\"*** Begin Patch\\n*** Update File: old.rs\\n*** Move to: new.rs\\n*** End Patch\"}"}"#,
            r#"{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"apply_patch <<'E'\\n*** Begin Patch\\n*** Delete File: gone.rs\\n*** End Patch\\nE\"],\"workdir\":\"/srv/p/sub/\"}"}"#,
        ]);
        let files: Vec<&str> = session.files.keys().map(String::as_str).collect();
        assert_eq!(files, ["/srv/p/sub/gone.rs", "new.rs", "src/a.rs", "src/b.rs"]);
    }

    #[test]
    fn commands_come_in_four_shapes() {
        let session = told(&[
            r#"{"type":"function_call","name":"shell","arguments":"{\"command\":[\"bash\",\"-lc\",\"cd x && cargo test\"]}"}"#,
            r#"{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"npm test\"}"}"#,
            r#"{"type":"local_shell_call","action":{"type":"exec","command":["git","commit","-m","keep it; all"]}}"#,
            r#"{"type":"function_call","name":"shell_command","arguments":"{\"command\":\"git push\"}"}"#,
            r#"{"type":"function_call","name":"shell","arguments":"not json"}"#,
            r#"{"type":"function_call","name":"shell","arguments":{"command":["cargo","bench"]}}"#,
        ]);
        assert_eq!(session.commits, ["keep it; all"]);
        let commands: Vec<&str> = session.commands.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(commands, ["cargo test", "npm test", "git push"]);
    }

    #[test]
    fn the_last_plan_is_the_task_list() {
        let session = told(&[
            r#"{"type":"function_call","name":"update_plan","arguments":"{\"plan\":[{\"step\":\"a\",\"status\":\"completed\"},{\"step\":\"b\",\"status\":\"pending\"},7]}"}"#,
        ]);
        let tasks: Vec<_> = session.tasks.iter().map(|t| (t.text.as_str(), t.done)).collect();
        assert_eq!(tasks, [("a", true), ("b", false)]);
    }
}
