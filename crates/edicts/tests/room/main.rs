//! The room at its door: what callers see of a file, and what a write leaves in it.

mod support;

mod adding;
