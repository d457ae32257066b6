//! What the room promises at its door.

mod cases;
mod labelled;
mod laws;
mod redaction;
