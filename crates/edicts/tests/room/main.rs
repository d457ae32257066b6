//! The room at its door: what callers see of a file, and what a write leaves in it.
#![allow(clippy::unwrap_used)]

mod files;
mod support;

mod adding;
mod cached;
mod changing;
#[cfg(unix)]
mod contained;
mod documents;
mod kept_clean;
mod laws;
mod loading;
mod rendering;
mod schema;
mod standing;
mod together;
mod upkeep;
