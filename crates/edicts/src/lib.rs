//! Edicts: the ground truth of a project in `edicts.yaml` (or `.yml`, `.json`): few, short facts that must always win.
//!
//! **Owns** the file of the edicts contract: reading it with every check and default, adding, changing, confirming,
//! removing and restoring edicts under a lock without touching a byte around them, limits, expiry, history, and
//! rendering for people and for prompts.
//!
//! **May know** the ground floor: `ken-files` (locks, replace, clock), `ken-text` (search, tokens, fences),
//! `ken-secrets` (what may be written).
//!
//! **Must never know** the other two contracts, the environment, the home directory, the terminal or the network. It
//! never writes the file on a read.
//!
//! The way in is [`Store`]; [`locate`] finds the file.
#![forbid(unsafe_code)]

mod access;
mod block;
mod cache;
mod change;
mod compact;
mod contain;
mod deeds;
mod draft;
mod edit;
mod error;
mod export;
mod fields;
mod finding;
mod flow;
mod import;
mod input;
mod json;
mod kept;
mod last_good;
mod limits;
mod load;
mod locate;
mod manner;
mod model;
mod name;
mod node;
mod normalise;
mod place;
mod render;
mod review;
mod rewrite;
mod scalar;
mod schema;
mod search;
mod source;
mod stats;
mod store;
mod validate;
mod when;
mod yaml;

pub use compact::{Compacted, Merged};
pub use deeds::Outcome;
pub use error::Error;
pub use export::{ExportFormat, export};
pub use finding::{Finding, Rule, Severity};
pub use import::{Imported, Renamed};
pub use input::{NewEdict, Patch};
pub use last_good::Standing;
pub use limits::{Limits, NearLimit, Usage};
pub use locate::{FILE_NAMES, locate};
pub use model::{Confidence, Config, Edict, Edicts, HistoryEntry, SetAside, Ttl};
pub use name::{EdictId, Key, Label};
pub use render::{RenderFormat, Rendered, order, render, render_these};
pub use review::{Candidates, Pair, Review, ReviewRequest, Reviewed};
#[doc(hidden)]
pub use schema::compiled_schemas;
pub use schema::{SCHEMA, SCHEMA_ADDRESS};
pub use search::{EdictHit, EdictIndex, Filter, search};
#[doc(hidden)]
pub use source::parsed_files;
pub use stats::Stats;
pub use store::{MAX_FILE, Store, Written, read};
pub use validate::{Report, is_stale};
pub use when::parse_duration;
