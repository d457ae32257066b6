//! The brief: what reaches a prompt by itself.

mod layout;
mod request;
mod told;

pub use request::{Brief, BriefRequest, Section, SectionKind, Situation, Told};
