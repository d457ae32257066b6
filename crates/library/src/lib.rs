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

#[cfg(test)]
extern crate self as ken_library;

mod cache;
mod carry;
mod error;
mod extra;
mod fields;
mod filter;
mod finding;
mod fit;
mod forbidden;
mod id;
mod level;
mod load;
mod manifest_read;
mod model;
mod named;
mod names;
mod parallel;
pub mod questions;
mod scalar;
mod schema;
mod screen;
mod search;
mod snapshot;
mod store;
mod succession;
pub mod tree;
mod validate;
mod view;
mod visibility;
mod words;
mod yaml_read;
mod yaml_write;

pub use carry::{Dropped, Revealing, carry_committed, revealing, without_private};
pub use error::Error;
pub use extra::Extra;
pub use filter::{AgentCard, Visible};
pub use finding::{Finding, Severity};
pub use fit::{Fitted, MAX_ENTITIES, MAX_NOTES, MAX_SESSIONS, MAX_WORKSTREAMS};
pub use forbidden::ForbiddenNames;
pub use id::{AGENT_ID_MAX, AgentId, AgentIdError, AgentType, AgentTypeError};
pub use level::{AccessLevel, Caller, Grant, LevelError, Place, Visibility};
pub use manifest_read::{MAX_BYTES, ReadManifest, read_manifest};
pub use model::{
    AgentBlock, Entity, Manifest, Note, PRIVATE_FAMILIES, Row, SPEC_VERSION, Session, VisibilityPolicy,
    WorkStatus, WorkStatusError, Workstream,
};
pub use named::{Bearer, Named, NamedRow, RowId};
pub use schema::SCHEMA;
#[doc(hidden)]
pub use schema::compiled_schemas;
pub use search::{Changed, FoundRow, RowKind, RowSearch};
pub use store::{Failure, Library, Loaded, Outcome, Written};
pub use succession::Succession;
pub use validate::{Report, validate_file, validate_files};
pub use view::View;
pub use visibility::{Effective, Reason, Rules};
pub use words::RowPlace;
#[doc(hidden)]
pub use yaml_read::parsed_documents;
pub use yaml_read::{MAX_ANCHORS, MAX_DEPTH, MAX_REPEATED};
pub use yaml_write::to_yaml;
