use serde_json::{Map, Value, json};

use super::HookEvent;

/// What a hook has to say; an empty text is nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct HookReply<'t> {
    /// For the model: goes into the conversation.
    pub context: &'t str,
    /// For the person: is shown, and does not go into the conversation.
    pub notice: &'t str,
}

/// The reply in the shape that `agent` expects on standard output, one line; `None` when there is nothing to say, or
/// no way to say it at this event. Silence is a reply that every agent accepts.
///
/// Claude Code and Codex share a shape: `hookSpecificOutput` with the event's name as they spell it, and
/// `systemMessage` for the person. Cursor's keys differ, and it has none for the person.
pub fn hook_reply(agent: &str, event: HookEvent, reply: HookReply<'_>) -> Option<String> {
    let name = match event {
        HookEvent::SessionStart => "SessionStart",
        HookEvent::Prompt => "UserPromptSubmit",
        // What is said at these does not reach the model, or keeps the agent from stopping.
        HookEvent::Stop | HookEvent::SessionEnd | HookEvent::PreCompact => return None,
    };
    let mut said = Map::new();
    let context = Some(reply.context).filter(|text| !text.trim().is_empty());
    let notice = Some(reply.notice).filter(|text| !text.trim().is_empty());
    if agent == "cursor" {
        if let Some(context) = context {
            if event == HookEvent::Prompt {
                said.insert("continue".to_owned(), json!(true));
            }
            said.insert("additional_context".to_owned(), json!(context));
        }
    } else {
        if let Some(notice) = notice {
            said.insert("systemMessage".to_owned(), json!(notice));
        }
        if let Some(context) = context {
            let specific = json!({"hookEventName": name, "additionalContext": context});
            said.insert("hookSpecificOutput".to_owned(), specific);
        }
    }
    (!said.is_empty()).then(|| Value::Object(said).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context(text: &str) -> HookReply<'_> {
        HookReply {
            context: text,
            notice: "",
        }
    }

    #[test]
    fn each_agent_hears_it_in_its_own_shape() {
        let said = |agent, event| hook_reply(agent, event, context("a \"b\"\nc"));
        insta::assert_snapshot!(said("claude-code", HookEvent::SessionStart).unwrap(), @r#"{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"a \"b\"\nc"}}"#);
        insta::assert_snapshot!(said("codex", HookEvent::Prompt).unwrap(), @r#"{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"a \"b\"\nc"}}"#);
        insta::assert_snapshot!(said("cursor", HookEvent::Prompt).unwrap(), @r#"{"continue":true,"additional_context":"a \"b\"\nc"}"#);
        insta::assert_snapshot!(said("cursor", HookEvent::SessionStart).unwrap(), @r#"{"additional_context":"a \"b\"\nc"}"#);
        for event in [HookEvent::Stop, HookEvent::SessionEnd, HookEvent::PreCompact] {
            assert_eq!(said("claude-code", event), None);
            assert_eq!(said("codex", event), None);
        }
    }

    #[test]
    fn the_person_is_told_apart_from_the_model() {
        let notice = |context| HookReply {
            context,
            notice: "say `ken trust`",
        };
        let said = |context| hook_reply("codex", HookEvent::Prompt, notice(context));
        insta::assert_snapshot!(said("").unwrap(), @r#"{"systemMessage":"say `ken trust`"}"#);
        insta::assert_snapshot!(said("x").unwrap(), @r#"{"systemMessage":"say `ken trust`","hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"x"}}"#);
        assert_eq!(hook_reply("cursor", HookEvent::Prompt, notice("")), None);
        assert_eq!(hook_reply("claude-code", HookEvent::Prompt, context(" ")), None);
    }
}
