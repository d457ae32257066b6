//! The library at its door.

mod arbitrary;
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
