//! Hooks: what agents tell them, what they want to hear back, and the log of what became of it.
//!
//! A hook is a guest in somebody else's program. So everything here is bounded, and nothing here fails for a reason
//! that the agent's person could not see in `ken doctor`.

mod call;
mod event;
mod log;
mod reply;
mod report;

pub use call::{CallError, HookCall, MAX_INPUT, MAX_PROMPT, StartSource};
pub use event::{HookEvent, UnknownHookEvent};
pub use log::{HookLog, HookOutcome, HookRun};
pub use reply::{HookReply, hook_reply};
pub use report::{HookFailure, HookReport, REPORTED, hook_reports};
