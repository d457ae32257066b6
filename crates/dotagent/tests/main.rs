//! The room at its door: what other rooms see of a `.agent/` folder.

#![allow(clippy::unwrap_used, clippy::panic)]

mod door;
