//! Other agents' settings, written: the MCP server, the hooks, and a marked block in the instructions file.
//!
//! Agents are data: an [`Agent`] says where its files are and in which dialect they are written; the engine here knows
//! no agent by name. Every edit is made at places that the file's own parser gave, and what others wrote stays byte
//! for byte. [`plan_setup`] and [`plan_unsetup`] only read; [`Plan::apply`] writes.
//!
//! **The way back.** What setup inserts, it inserts so that it can be cut out again without a remainder. Where the
//! changed file does not show how it was (a container that was empty, an entry that was taken over), a receipt under
//! the state directory remembers it, together with the bytes of before; a file that nobody changed since gets exactly
//! those.

mod agent;
mod apply;
mod block;
mod claude_code;
mod codex;
mod command;
mod doc;
mod error;
mod facts;
mod hooks;
mod inspect;
mod json;
mod part;
mod plan;
mod reads;
mod receipt;
mod request;
mod server;
mod text;
mod toml;

pub use agent::{
    Agent, Constant, Elsewhere, Hooks, Instructions, Mcp, Place, Places, Reads, Remains, Start, Strict,
    Syntax, Trace, agent, agents,
};
pub use apply::{Applied, Written};
pub use error::WiringError;
pub use inspect::{Inspection, PartInspection, ScopeInspection, State, inspect};
pub use plan::{Deed, FileChange, Plan, PlannedAgent, plan_setup, plan_unsetup};
pub use request::{Request, Scope};

use inspect::server_is_ours;
