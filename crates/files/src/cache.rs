//! Caches: files of sections that can be made again at any time, and are believed only when nothing speaks against it.

mod mapping;

use std::fmt;
use std::fs::OpenOptions;
use std::io::Write;
use std::ops::{Deref, Range};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use twox_hash::XxHash3_64;

use crate::folder::parent;
use crate::look::FileLook;
use crate::read::open_file;
use crate::temporary::Temporary;
use crate::{FileError, NewFile};
use mapping::Bytes;

/// What a cache holds and in which version. A reader of another version takes the file for none; so that two versions
/// of a program can work side by side, put the version into the file's name, too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheFormat {
    /// What it holds; of a longer name the first sixteen bytes count.
    pub name: &'static str,
    /// Raised whenever the sections, or what their contents were made with, change.
    pub version: u32,
}

const MAGIC: &[u8; 8] = b"kencache";
const NAME: usize = 16;
/// Magic, name, version, number of sections, device and inode of the folder.
const FIXED: usize = 8 + NAME + 4 + 4 + 8 + 8;
/// Start, length and checksum of a section.
const ENTRY: usize = 24;
const CHECKSUM: usize = 8;
/// More sections than any cache has.
const MOST_SECTIONS: usize = 64;
/// Sections begin at multiples of this.
const ALIGNMENT: usize = 8;

/// A cache that is being made.
#[derive(Debug)]
pub struct CacheWriter {
    format: CacheFormat,
    sections: Vec<Vec<u8>>,
}

impl CacheWriter {
    /// A cache without sections.
    pub fn new(format: CacheFormat) -> CacheWriter {
        CacheWriter {
            format,
            sections: Vec::new(),
        }
    }

    /// Adds the next section; the first is number 0.
    ///
    /// # Panics
    /// Past 64 sections.
    pub fn section(&mut self, bytes: Vec<u8>) {
        assert!(self.sections.len() < MOST_SECTIONS, "a cache has few sections");
        self.sections.push(bytes);
    }

    /// Puts the cache at `path` in one step: others see the old file or the new one. The folder must exist. It does not
    /// wait for the disk, because a cache that a power failure damaged is made again.
    ///
    /// # Errors
    /// [`FileError::Io`] when the file cannot be written; then the old one is untouched.
    pub fn write(&self, path: &Path, new: NewFile) -> Result<CacheFile, FileError> {
        let folder = parent(path);
        let place = place_of(folder).map_err(|error| FileError::io("look at", folder, error))?;
        let bytes = self.bytes(place);
        let temporary = Temporary::create(folder, new == NewFile::Private)?;
        temporary
            .file()
            .write_all(&bytes)
            .map_err(|error| FileError::io("write", path, error))?;
        temporary.rename(path)?;
        Ok(CacheFile::trusted(bytes))
    }

    /// The cache without a file.
    pub fn in_memory(self) -> CacheFile {
        CacheFile::trusted(self.bytes((0, 0)))
    }

    fn bytes(&self, place: (u64, u64)) -> Vec<u8> {
        let header = FIXED + self.sections.len() * ENTRY + CHECKSUM;
        let mut start = header.next_multiple_of(ALIGNMENT);
        let mut bytes = Vec::with_capacity(
            start
                + self
                    .sections
                    .iter()
                    .map(|section| section.len().next_multiple_of(ALIGNMENT))
                    .sum::<usize>(),
        );
        bytes.extend_from_slice(MAGIC);
        bytes.extend_from_slice(&name_of(self.format));
        bytes.extend_from_slice(&self.format.version.to_le_bytes());
        bytes.extend_from_slice(&(self.sections.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&place.0.to_le_bytes());
        bytes.extend_from_slice(&place.1.to_le_bytes());
        for section in &self.sections {
            for number in [start as u64, section.len() as u64, XxHash3_64::oneshot(section)] {
                bytes.extend_from_slice(&number.to_le_bytes());
            }
            start += section.len().next_multiple_of(ALIGNMENT);
        }
        bytes.extend_from_slice(&XxHash3_64::oneshot(&bytes).to_le_bytes());
        for section in &self.sections {
            bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
            bytes.extend_from_slice(section);
        }
        bytes.resize(bytes.len().next_multiple_of(ALIGNMENT), 0);
        bytes
    }
}

/// A cache that is whole as far as its header says. Cheap to clone.
#[derive(Clone)]
pub struct CacheFile {
    inside: Arc<Inside>,
}

struct Inside {
    bytes: Bytes,
    sections: Vec<Entry>,
}

struct Entry {
    range: Range<usize>,
    checksum: u64,
    sound: OnceLock<bool>,
}

impl CacheFile {
    /// Opens the cache at `path`. `None` when there is none that can be used: no regular file, cut off, a damaged header,
    /// another format or version, or a file that was not made in this folder. A cache that came with a clone, an archive
    /// or a copy was made by nobody knows whom, and is not believed.
    ///
    /// The contents are not looked at here: [`CacheFile::section`] does, section by section.
    pub fn open(path: &Path, format: &CacheFormat) -> Option<CacheFile> {
        let file = open_file(OpenOptions::new().read(true), path).ok()?;
        let length = file.metadata().ok()?.len();
        let bytes = Bytes::of(&file, length)?;
        let (place, sections) = read_header(&bytes, format)?;
        (place == place_of(parent(path)).ok()?).then(|| CacheFile {
            inside: Arc::new(Inside { bytes, sections }),
        })
    }

    fn trusted(bytes: Vec<u8>) -> CacheFile {
        let sections = entries(&bytes).unwrap_or_default();
        for section in &sections {
            let _ = section.sound.set(true);
        }
        CacheFile {
            inside: Arc::new(Inside {
                bytes: Bytes::Read(bytes),
                sections,
            }),
        }
    }

    /// A section, by its number; `None` when there is no such, or it is damaged. Its checksum is computed once.
    pub fn section(&self, number: usize) -> Option<Section> {
        let entry = self.inside.sections.get(number)?;
        let sound = entry.sound.get_or_init(|| {
            let bytes = self.inside.bytes.get(entry.range.clone());
            bytes.is_some_and(|bytes| XxHash3_64::oneshot(bytes) == entry.checksum)
        });
        sound.then(|| Section {
            inside: Arc::clone(&self.inside),
            number,
        })
    }
}

impl fmt::Debug for CacheFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CacheFile({} bytes)", self.inside.bytes.len())
    }
}

/// The bytes of one section of a cache, as they were written. Cheap to clone; it keeps the cache open.
#[derive(Clone)]
pub struct Section {
    inside: Arc<Inside>,
    number: usize,
}

impl Deref for Section {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        let range = self.inside.sections[self.number].range.clone();
        &self.inside.bytes[range]
    }
}

impl AsRef<[u8]> for Section {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl fmt::Debug for Section {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Section({} bytes)", self.len())
    }
}

fn name_of(format: CacheFormat) -> [u8; NAME] {
    let mut name = [0; NAME];
    for (place, byte) in name.iter_mut().zip(format.name.bytes()) {
        *place = byte;
    }
    name
}

fn place_of(folder: &Path) -> std::io::Result<(u64, u64)> {
    Ok(FileLook::of(&std::fs::metadata(folder)?).place())
}

/// Where the cache was made, and its sections, when the header is sound.
fn read_header(bytes: &[u8], format: &CacheFormat) -> Option<((u64, u64), Vec<Entry>)> {
    let of_this_kind = bytes.get(..8)? == MAGIC
        && bytes.get(8..8 + NAME)? == name_of(*format)
        && bytes.get(8 + NAME..12 + NAME)? == format.version.to_le_bytes();
    let sections = of_this_kind.then(|| entries(bytes)).flatten()?;
    Some((
        (number_at(bytes, FIXED - 16)?, number_at(bytes, FIXED - 8)?),
        sections,
    ))
}

fn entries(bytes: &[u8]) -> Option<Vec<Entry>> {
    let count = u32::from_le_bytes(bytes.get(12 + NAME..16 + NAME)?.try_into().ok()?) as usize;
    let end = FIXED + count.min(MOST_SECTIONS) * ENTRY;
    if count > MOST_SECTIONS || XxHash3_64::oneshot(bytes.get(..end)?) != number_at(bytes, end)? {
        return None;
    }
    (0..count)
        .map(|number| {
            let at = FIXED + number * ENTRY;
            let start = usize::try_from(number_at(bytes, at)?).ok()?;
            let range = start..start.checked_add(usize::try_from(number_at(bytes, at + 8)?).ok()?)?;
            bytes.get(range.clone())?;
            Some(Entry {
                range,
                checksum: number_at(bytes, at + 16)?,
                sound: OnceLock::new(),
            })
        })
        .collect()
}

fn number_at(bytes: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const FORMAT: CacheFormat = CacheFormat {
        name: "test",
        version: 3,
    };

    fn writer(sections: &[&[u8]]) -> CacheWriter {
        let mut writer = CacheWriter::new(FORMAT);
        for section in sections {
            writer.section(section.to_vec());
        }
        writer
    }

    fn contents(cache: &CacheFile) -> Vec<Option<Vec<u8>>> {
        (0..3)
            .map(|number| cache.section(number).map(|section| section.to_vec()))
            .collect()
    }

    #[test]
    fn what_is_written_is_read_small_and_mapped_on_the_disk_and_in_memory() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache");
        for size in [0, 5, 100_000] {
            let large = vec![7; size];
            let sections: [&[u8]; 3] = [b"one", &large, b""];
            let expected: Vec<Option<Vec<u8>>> = sections.iter().map(|s| Some(s.to_vec())).collect();
            assert_eq!(contents(&writer(&sections).in_memory()), expected);
            let written = writer(&sections).write(&path, NewFile::Private).unwrap();
            assert_eq!(contents(&written), expected);
            let read = CacheFile::open(&path, &FORMAT).unwrap();
            assert_eq!(contents(&read), expected);
            // The mapped one lives on when a newer one takes its place.
            writer(&[b"newer"]).write(&path, NewFile::Private).unwrap();
            assert_eq!(contents(&read), expected);
            assert!(read.section(3).is_none());
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_private_cache_is_for_its_owner_alone() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache");
        writer(&[b"one"]).write(&path, NewFile::Private).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn no_byte_can_be_changed_or_cut_off_unseen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache");
        let large = vec![7; 70_000];
        for sections in [&[&b"some bytes"[..], b"and more of them"], &[&b"x"[..], &large]] {
            writer(sections).write(&path, NewFile::Private).unwrap();
            let whole = fs::read(&path).unwrap();
            let expected = contents(&CacheFile::open(&path, &FORMAT).unwrap());
            let damaged = folder.path().join("damaged");
            let step = 1 + whole.len() / 300;
            for at in (0..whole.len()).step_by(step) {
                fs::write(&damaged, &whole[..at]).unwrap();
                if let Some(cache) = CacheFile::open(&damaged, &FORMAT) {
                    // Nothing but padding is missing.
                    assert_eq!(contents(&cache), expected);
                }
                let mut changed = whole.clone();
                changed[at] ^= 0x40;
                fs::write(&damaged, &changed).unwrap();
                let Some(cache) = CacheFile::open(&damaged, &FORMAT) else {
                    continue;
                };
                for (found, expected) in contents(&cache).into_iter().zip(&expected) {
                    assert!(found.is_none() || found == *expected, "byte {at}");
                }
            }
        }
    }

    #[test]
    fn no_other_version_no_other_format_no_other_folder() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cache");
        writer(&[b"one"]).write(&path, NewFile::Private).unwrap();
        let open = |name, version| CacheFile::open(&path, &CacheFormat { name, version });
        assert!(open("test", 3).is_some());
        assert!(open("test", 4).is_none() && open("tests", 3).is_none());
        let other = tempfile::tempdir().unwrap();
        let copy = other.path().join("cache");
        fs::copy(&path, &copy).unwrap();
        if cfg!(unix) {
            assert!(CacheFile::open(&copy, &FORMAT).is_none());
        }
        assert!(CacheFile::open(&other.path().join("none"), &FORMAT).is_none());
        assert!(CacheFile::open(other.path(), &FORMAT).is_none());
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_no_cache_and_nobody_waits_for_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &path,
            rustix::fs::FileType::Fifo,
            0o600.into(),
            0,
        )
        .unwrap();
        assert!(CacheFile::open(&path, &FORMAT).is_none());
    }
}
