//! The L5 and L6 library: manifests, visibility, questions.
//!
//! **Owns** the contract of `l5-manifest`: one YAML manifest per agent below `agents/`, how it is read, validated and
//! written, who may see which row of it, and the questions that are asked of all of them together.
//!
//! **May know** the ground floor: the disk, credential shapes, words.
//!
//! **Must never know** the two other contracts, other tools' stores, the network, the environment, or how an answer is
//! shown. Every read that leaves it goes through [`Loaded::view`], and every manifest write through [`Library::write`].
#![forbid(unsafe_code)]

mod error;
mod extra;
mod finding;
mod id;
mod level;
mod manifest_read;
mod model;
mod scalar;
pub mod tree;
mod yaml_read;

pub use error::Error;
pub use extra::Extra;
pub use finding::{Finding, Severity};
pub use id::{AGENT_ID_MAX, AgentId, AgentIdError, AgentType, AgentTypeError};
pub use level::{AccessLevel, Caller, Grant, LevelError, Place, Visibility};
pub use manifest_read::{MAX_BYTES, ReadManifest, read_manifest};
pub use model::{
    AgentBlock, Entity, Manifest, Note, PRIVATE_FAMILIES, Row, SPEC_VERSION, Session, VisibilityPolicy,
    WorkStatus, WorkStatusError, Workstream,
};
pub use yaml_read::{MAX_ANCHORS, MAX_DEPTH, MAX_REPEATED};
