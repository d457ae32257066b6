//! What the room promises, tried at its door.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod claude_code;
mod codex;
mod codex_hostile;
mod codex_versions;
mod demo;
mod home;
mod hostile;
mod incremental;
mod loop_guard;
mod places;
mod private;
mod syncing;
mod wiring;
