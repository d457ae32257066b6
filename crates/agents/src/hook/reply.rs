use serde_json::{Value, json};

use super::HookEvent;

/// What a hook has to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookReply<'t> {
    /// For the model: goes into the conversation.
    Context(&'t str),
    /// For the person: is shown, and does not go into the conversation.
    Notice(&'t str),
}

/// The reply in the shape that `agent` expects on standard output, one line; `None` when there is nothing to say, or
/// no way to say it at this event. Silence is a reply that every agent accepts.
///
/// Claude Code and Codex share a shape: `hookSpecificOutput` with the event's name as they spell it, and
/// `systemMessage` for the person. Cursor's keys differ.
pub fn hook_reply(agent: &str, event: HookEvent, reply: HookReply<'_>) -> Option<String> {
    let (HookReply::Context(text) | HookReply::Notice(text)) = reply;
    if text.trim().is_empty() {
        return None;
    }
    let said = match agent {
        "cursor" => in_cursors_shape(event, reply),
        _ => in_the_usual_shape(event, reply),
    };
    said.map(|value| value.to_string())
}

fn in_the_usual_shape(event: HookEvent, reply: HookReply<'_>) -> Option<Value> {
    let name = match event {
        HookEvent::SessionStart => "SessionStart",
        HookEvent::Prompt => "UserPromptSubmit",
        // What is said at these does not reach the model, or keeps the agent from stopping.
        HookEvent::Stop | HookEvent::SessionEnd | HookEvent::PreCompact => return None,
    };
    Some(match reply {
        HookReply::Context(text) => json!({
            "hookSpecificOutput": {"hookEventName": name, "additionalContext": text}
        }),
        HookReply::Notice(text) => json!({"systemMessage": text}),
    })
}

fn in_cursors_shape(event: HookEvent, reply: HookReply<'_>) -> Option<Value> {
    match (event, reply) {
        (HookEvent::SessionStart, HookReply::Context(text)) => Some(json!({"additional_context": text})),
        (HookEvent::Prompt, HookReply::Context(text)) => {
            Some(json!({"continue": true, "additional_context": text}))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_agent_hears_it_in_its_own_shape() {
        let said = |agent, event| hook_reply(agent, event, HookReply::Context("a \"b\"\nc"));
        insta::assert_snapshot!(said("claude-code", HookEvent::SessionStart).unwrap(), @r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"a \"b\"\nc"}}"#);
        insta::assert_snapshot!(said("codex", HookEvent::Prompt).unwrap(), @r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"a \"b\"\nc"}}"#);
        insta::assert_snapshot!(said("cursor", HookEvent::Prompt).unwrap(), @r#"{"continue":true,"additional_context":"a \"b\"\nc"}"#);
        for event in [HookEvent::Stop, HookEvent::SessionEnd, HookEvent::PreCompact] {
            assert_eq!(said("claude-code", event), None);
            assert_eq!(said("codex", event), None);
        }
    }

    #[test]
    fn the_person_is_told_apart_from_the_model() {
        let notice = hook_reply("codex", HookEvent::Prompt, HookReply::Notice("say `ken trust`"));
        insta::assert_snapshot!(notice.unwrap(), @r#"{"systemMessage":"say `ken trust`"}"#);
        assert_eq!(
            hook_reply("claude-code", HookEvent::Prompt, HookReply::Context(" ")),
            None
        );
    }
}
