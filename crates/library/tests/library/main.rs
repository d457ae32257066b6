//! The library at its door.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]

mod arbitrary;
mod caches;
mod contract;
mod leaks;
mod model;
mod questions;
mod reading;
mod setting;
mod store;
mod validation;
mod visibility;
mod writing;
