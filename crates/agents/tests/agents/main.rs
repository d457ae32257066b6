//! What the room promises, tried at its door.

mod claude_code;
mod demo;
mod home;
mod hostile;
mod syncing;
