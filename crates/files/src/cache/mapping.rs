//! The one place of the workspace that is not checked by the compiler: a file as memory.

use std::fs::File;
use std::io::Read;

use memmap2::Mmap;

/// Below this many bytes reading costs no more than mapping.
const SMALL: u64 = 64 * 1024;

/// The bytes of a cache's file.
#[derive(Debug)]
pub(super) enum Bytes {
    Read(Vec<u8>),
    Mapped(Mmap),
}

impl Bytes {
    /// All `length` bytes of an open regular file; `None` when they cannot be read.
    pub(super) fn of(mut file: &File, length: u64) -> Option<Bytes> {
        if length > SMALL {
            return map(file, length).map(Bytes::Mapped);
        }
        let mut bytes = vec![0; usize::try_from(length).ok()?];
        file.read_exact(&mut bytes).ok()?;
        Some(Bytes::Read(bytes))
    }
}

impl std::ops::Deref for Bytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Read(bytes) => bytes,
            Bytes::Mapped(map) => map,
        }
    }
}

#[allow(unsafe_code)]
fn map(file: &File, length: u64) -> Option<Mmap> {
    let length = usize::try_from(length).ok()?;
    // SAFETY: a mapping is sound as long as nobody changes the file's bytes under it. Only caches are mapped: files
    // that this program alone makes, whole, under a name of their own, and puts in place by renaming; none is ever
    // written to again, so a newer one is another file and the mapped one lives on. Whoever cuts or edits a cache in
    // place with other tools while it is in use breaks this process and no data: nothing is in a cache alone.
    unsafe { memmap2::MmapOptions::new().len(length).map(file).ok() }
}
