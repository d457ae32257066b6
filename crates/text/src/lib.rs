//! Words and what is done with them.
//!
//! **Owns** normalisation, word and identifier splitting, stems, the arithmetic of BM25, the search interface that
//! every collection answers, the recognition of names in a text, token counts, and the fencing of text for a prompt.
//!
//! **May know** nothing of this workspace: it is ground floor.
//!
//! **Must never know** files, contracts or who is asking.
#![forbid(unsafe_code)]

pub mod bm25;
pub mod fence;
pub mod mark;
mod normalize;
pub mod recognise;
pub mod search;
pub mod tokens;
mod words;

pub use normalize::normalize;
pub use words::{Word, identifier_parts, stem, terms, words};
