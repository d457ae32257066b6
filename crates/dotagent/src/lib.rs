//! The .agent folder: the log of what was learned, and its lessons.
