//! Kenning: one memory for every coding agent on a machine.
fn main() {}
