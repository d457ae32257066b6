//! The L5 and L6 library: manifests, visibility, questions.
