//! The `.agent` folder: the log of what was learned, and its lessons.
//!
//! **Owns** the layout of a repository's `.agent/` folder, the one way in for every observation
//! ([`Folder::learn`]), the shape of an event ([`Event`], also as dreamd 0.1 writes it), the reading of a log that
//! may hold anything ([`Folder::read`]), salience ([`salience()`]), the collection that a question searches
//! ([`EventIndex`]) and the reading of `LESSONS.md` ([`Folder::lessons`]).
//!
//! **May know** the ground floor: `files` (clock, locks, the durable append), `text` (words, search), `secrets` (the
//! redaction that every written event went through).
//!
//! **Must never know** edicts, manifests, who is asking, or which repository is trusted: those who join the contracts
//! decide what of it reaches a prompt. It has no network and no environment, prints nothing, and never opens
//! `personal/` or `working/`, which it only makes.
//!
//! Two rules hold everywhere. What [`Folder::learn`] has acknowledged is on the disk, once. And nothing is read or
//! written through a link that leads out of the folder, because a repository may come from anywhere.
#![forbid(unsafe_code)]

mod check;
mod checksum;
mod cycle;
mod decode;
mod dream;
mod error;
mod event;
mod folder;
mod git;
mod id;
mod index;
mod init;
mod layout;
mod learn;
mod lessons;
mod lines;
mod names;
mod place;
mod read;
mod repeats;
mod reviews;
mod salience;
mod table;

pub use check::{MAX_CONTENT, MAX_TAGS, Observation};
pub use cycle::{Cycle, CycleRequest, Wrote};
pub use decode::Unreadable;
pub use dream::{Decision, Dream, DreamInputs, DreamSettings, Group, dream};
pub use error::{Error, Refusal};
pub use event::{Event, SCHEMA_VERSION, time_as_of};
pub use folder::Folder;
pub use id::EventId;
pub use index::{EventIndex, Facet, Numbers, SKILL_WEIGHT, Stale, Standing, TAG_WEIGHT};
pub use init::InitReport;
pub use learn::Learned;
pub use lessons::{DETERMINISTIC, Facts, Lesson, NewLesson, render};
pub use lines::MAX_LINE;
pub use names::{Harness, Origin, SkillAction, Supersedes};
pub use read::{DuplicateId, Log, Logged, Refreshed, Skipped};
pub use repeats::DEDUP_WINDOW;
pub use reviews::{Review, Reviews, Verdict};
pub use salience::{DECAY_DAYS, Salience, final_score, salience, strength};
