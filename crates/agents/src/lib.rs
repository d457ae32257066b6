//! Other agents' own stores, read only, projected into manifests.
//!
//! **Owns** where other tools keep what they know, how those files are read, and what of it becomes a row of their
//! L5 manifest: [`Participant`]s, [`sync`], and the made-up machine of [`demo`].
//!
//! **May know** the contracts (it writes manifests through the library's one write), the ground floor, and other
//! tools' formats.
//!
//! **Must never** write to another tool's store, run a program, use the network, read the environment, or show
//! anything: what happened is handed back as [`SyncLine`]s and told while it happens to a [`Progress`].
//!
//! A participant is one file or folder of code and one fixture tree: it finds the store, reads it, and tells sessions
//! and memories to a harvest; cleaning, redaction, projects, visibility, caps and order are there, once for all.
#![forbid(unsafe_code)]

mod claude_code;
pub mod demo;
mod harvest;
mod jsonl;
mod participant;
mod sync;

pub use claude_code::ClaudeCode;
pub use participant::{
    Discovery, Export, ExportError, Health, NoProgress, Participant, Progress, Projection, Skipped, Store,
    participants,
};
pub use sync::{RowCounts, SyncLine, SyncOptions, SyncOutcome, sync, sync_one};
