//! The room at its door: a made-up home with all three contracts in it, and the questions put to it.
#![allow(clippy::unwrap_used, clippy::panic)]

mod brief;
mod caches;
mod change_facts;
mod credentials;
mod facts;
mod fence;
mod freshness;
mod grouping;
mod languages;
mod leaks;
mod learn;
mod machine;
mod recall;
mod recent;
mod recognise;
mod rich;
mod session;
mod silence;
mod status;
mod trust;
mod who_knows;
