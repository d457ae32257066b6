//! Paths, clock, atomic replace, locks and the durable append.
//!
//! **Owns** the fine print of the disk: how a file is replaced so that a crash leaves the old or the new one, how
//! processes exclude each other, how a line is appended so that an acknowledged one is never lost, where the work
//! tree of a repository ends, and what time it is.
//!
//! **May know** nothing of this workspace: it is ground floor.
//!
//! **Must never know** what the files mean: no YAML, no JSON, no contract. (Git's own small files are read here,
//! because they say where a project ends.) It never reads the environment or the home directory by itself; the
//! program hands both in.
//!
//! It holds the one place of the workspace that the compiler does not check: the mapping of a cache's file.
#![deny(unsafe_code)]

mod append;
mod bounded_log;
mod cache;
mod clock;
mod error;
mod folder;
mod git_config;
mod intent;
mod lock;
mod look;
mod paths;
mod read;
mod remote;
mod replace;
mod tail;
mod temporary;
mod worktree;

pub use append::{Appended, LockedLog};
pub use bounded_log::{BoundedLog, add_to_private};
pub use cache::{CacheFile, CacheFormat, CacheWriter, Section};
pub use clock::{Clock, ClockError};
pub use error::FileError;
pub use folder::create_folder;
pub use lock::Lock;
pub use look::FileLook;
pub use paths::Paths;
pub use read::{open_file, open_file_no_link, read_bounded, read_bounded_no_link};
pub use replace::{NewFile, replace};
pub use temporary::remove_leftovers;
pub use worktree::WorkTree;
