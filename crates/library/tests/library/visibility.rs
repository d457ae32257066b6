//! visibility
