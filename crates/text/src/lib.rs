//! Words and what is done with them.
//!
//! **Owns** normalisation, word and identifier splitting, stems, the arithmetic of BM25, the search interface that
//! every collection answers, the recognition of names in a text, what a sentence says of what (its frame and values),
//! token counts, and the fencing of text for a prompt.
//!
//! **May know** nothing of this workspace: it is ground floor.
//!
//! **Must never know** files, contracts or who is asking.
#![forbid(unsafe_code)]

pub mod bm25;
mod characters;
pub mod fence;
mod fingerprint;
pub mod frame;
mod identifiers;
mod lex;
pub mod mark;
mod normalize;
pub mod recognise;
mod script;
pub mod search;
mod term_hashes;
mod terms;
pub mod tokens;
mod transducer;
mod words;

pub use fingerprint::{fingerprint_text, phrase_in, plain_hash};
pub use identifiers::identifier_parts;
pub use normalize::{Normalised, Offsets, normalize};
pub use term_hashes::{TermHash, TermHashes};
pub use terms::{MAX_TERM, stem, terms, terms_of_question};
pub use words::{Word, words};
