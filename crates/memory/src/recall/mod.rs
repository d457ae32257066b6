//! Recall: one question to everything that is remembered.

mod hit;
mod rank;
mod request;

pub use hit::{Factors, Hit, Recall};
pub use request::{DEFAULT_K, Kind, MAX_K, Rank, RecallRequest};
