//! The faces for other programs: the Model Context Protocol on standard input and output.
//!
//! **Owns** the tools as other programs see them: names, words, schemas, bounds, and how an error reads there.
//!
//! **May know** `memory`, and through it every answer; the types of the contracts where an answer carries them.
//!
//! **Must never know** how an answer is found, nor read the environment. It is the only room with an asynchronous
//! runtime, and the one place where the protocol's crate is used.
//!
//! | Module | Subject |
//! |---|---|
//! | `stdio` | the runtime, the transport, the end of input |
//! | `server` | the handshake, the list of tools, one call |
//! | `sentence` | what an error may show of what it was given |
//! | `tools` | a table of tools; a file for those that read and one for the one that writes |
#![forbid(unsafe_code)]

mod sentence;
mod server;
mod stdio;
mod tools;

pub use stdio::{Error, Opener, Options, stdio};
pub use tools::ToolSet;
