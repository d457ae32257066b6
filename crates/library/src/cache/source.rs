//! The manifest's own file, to which its cache refers for longer texts.

use std::cell::OnceCell;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Lost;
use crate::manifest_read::{digest_of, read_bytes};

/// The file, read when the first text is wanted, and only if its bytes are those that the cache was made of.
#[derive(Debug)]
pub(crate) struct Source {
    path: PathBuf,
    digest: [u8; 32],
    bytes: OnceCell<Option<Arc<Vec<u8>>>>,
}

impl Source {
    /// The file at `path`, whose bytes had this BLAKE3 digest.
    pub(crate) fn new(path: &Path, digest: [u8; 32]) -> Source {
        Source {
            path: path.to_owned(),
            digest,
            bytes: OnceCell::new(),
        }
    }

    /// The same, of bytes that were just read.
    pub(crate) fn read(path: &Path, digest: [u8; 32], bytes: Arc<Vec<u8>>) -> Source {
        Source {
            path: path.to_owned(),
            digest,
            bytes: OnceCell::from(Some(bytes)),
        }
    }

    /// No file: for bytes that refer to none.
    pub(crate) fn nothing() -> Source {
        Source {
            path: PathBuf::new(),
            digest: [0; 32],
            bytes: OnceCell::from(None),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn digest(&self) -> [u8; 32] {
        self.digest
    }

    /// The file's bytes. That they are the right ones is told by their digest, not by how the file looks: so neither a
    /// writer in the middle of its work nor a clock that jumps can mix two manifests.
    pub(crate) fn bytes(&self) -> Result<&[u8], Lost> {
        self.bytes
            .get_or_init(|| self.read_again())
            .as_ref()
            .map(|bytes| bytes.as_slice())
            .ok_or(Lost::Changed)
    }

    /// The bytes, if they were read.
    pub(crate) fn read_already(&self) -> Option<Arc<Vec<u8>>> {
        self.bytes.get()?.clone()
    }

    /// The same, to keep.
    pub(crate) fn into_bytes(mut self) -> Result<Arc<Vec<u8>>, Lost> {
        self.bytes
            .take()
            .unwrap_or_else(|| self.read_again())
            .ok_or(Lost::Changed)
    }

    fn read_again(&self) -> Option<Arc<Vec<u8>>> {
        let bytes = read_bytes(&self.path).ok()?;
        (digest_of(&bytes) == self.digest).then(|| Arc::new(bytes))
    }
}
