use std::fmt;
use std::str::FromStr;

/// A moment in an agent's session at which it runs a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HookEvent {
    /// A session begins or is taken up again.
    SessionStart,
    /// The person sent a prompt.
    Prompt,
    /// The agent has finished its turn.
    Stop,
    /// The session is over.
    SessionEnd,
    /// The conversation is about to be compacted.
    PreCompact,
}

impl HookEvent {
    /// All of them, in the order of a session.
    pub const ALL: [HookEvent; 5] = [
        HookEvent::SessionStart,
        HookEvent::Prompt,
        HookEvent::Stop,
        HookEvent::SessionEnd,
        HookEvent::PreCompact,
    ];

    /// The word that `ken hook` takes.
    pub fn as_str(self) -> &'static str {
        match self {
            HookEvent::SessionStart => "session-start",
            HookEvent::Prompt => "prompt",
            HookEvent::Stop => "stop",
            HookEvent::SessionEnd => "session-end",
            HookEvent::PreCompact => "pre-compact",
        }
    }
}

impl fmt::Display for HookEvent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for HookEvent {
    type Err = UnknownHookEvent;

    fn from_str(text: &str) -> Result<HookEvent, UnknownHookEvent> {
        HookEvent::ALL
            .into_iter()
            .find(|event| event.as_str() == text)
            .ok_or_else(|| UnknownHookEvent(text.to_owned()))
    }
}

/// A word that names no hook event.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no hook event; those are session-start, prompt, stop, session-end and pre-compact")]
pub struct UnknownHookEvent(String);
