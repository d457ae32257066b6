//! How names are compared: as the recogniser compares them, so that what is one name in a text is one name here.

pub(crate) use ken_text::recognise::{is_common_word, key};
