//! Other agents: their own stores, read only, projected into manifests; their settings, into which `ken` is wired.
//!
//! **Owns** where other tools keep what they know, how those files are read, and what of it becomes a row of their
//! L5 manifest: [`Participant`]s, [`sync`], and the made-up machine of [`demo`]. Where their settings are and what is
//! put into them: [`wiring`]. What their hooks send and want to hear: [`hook`].
//!
//! **May know** the contracts (it writes manifests through the library's one write), the ground floor, and other
//! tools' formats.
//!
//! **Must never** write to another tool's store (its settings are written by [`wiring`] alone, and only what is ours),
//! run a program, use the network, read the environment, or show anything: what happened is handed back as
//! [`SyncLine`]s and told while it happens to a [`Progress`].
//!
//! # Adding a participant
//!
//! 1. One file (or folder) beside `claude_code`: find the store in `discover`, and in `export` read it and tell a
//!    `Harvest` what was found, one `Session` (`asked`, `edited`, `ran`, `on_branch`, ...) and one memory file after the
//!    other. Cleaning of turns, redaction, projects, entities, workstreams, visibility, the window and the order of rows
//!    are in `harvest`, once for all. `tree` lists files and never leaves the store, `jsonl` reads lines of any length in
//!    bounded memory, `lenient` takes fields of any shape, and `Harvest::transcript` reads only what has changed.
//! 2. One line in [`participants`].
//! 3. One tree `tests/fixtures/<id>/home`, copied into a temporary home by the tests with `@HOME@`, `@SLUG@` and
//!    `@TOKEN@` filled in, and a snapshot of the manifest that it gives.
#![forbid(unsafe_code)]

mod claude_code;
mod codex;
pub mod demo;
mod harvest;
pub mod hook;
mod jsonl;
mod lenient;
mod newest;
mod participant;
mod sync;
mod tree;
pub mod wiring;

pub use claude_code::ClaudeCode;
pub use codex::Codex;
pub use hook::HookEvent;
pub use participant::{
    Discovery, Export, ExportError, Health, NoProgress, Participant, Progress, Projection, Skipped, Store,
    Unfinished, participants,
};
pub use sync::{RowCounts, SyncLine, SyncOptions, SyncOutcome, sync, sync_one};
