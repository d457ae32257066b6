//! What setup remembers of a file, under the state directory. Without it, unsetup goes by what stands in the file.

use std::fs;
use std::path::{Path, PathBuf};

use ken_files::{Clock, FileError, NewFile, Paths, create_folder, read_bounded, replace};
use serde::{Deserialize, Serialize};

use super::facts::Facts;
use super::plan::LIMIT;

/// A file's way back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Receipt {
    /// The file, links followed.
    pub(super) file: PathBuf,
    /// Whose wiring stands in the file: agents' ids, and `instructions` for the block that all share.
    #[serde(default)]
    pub(super) owners: Vec<String>,
    /// The programs that setup wrote into the file, as they stand there: by these an entry is known as ours, whatever
    /// the program was called.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) programs: Vec<String>,
    /// The digest of the bytes that setup wrote. While the file has it, the way back is the bytes of before.
    pub(super) wrote: String,
    /// What the file does not show by itself; nothing where the first setup's receipt was lost.
    pub(super) facts: Option<Facts>,
    /// The folders that setup made for the file, outermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) folders: Vec<PathBuf>,
    /// The bytes of before, beside the receipt; nothing where there was no file.
    #[serde(skip)]
    pub(super) before: Option<Vec<u8>>,
}

const RECEIPT: &str = "receipt.json";
const BEFORE: &str = "before";
const BACKUPS: &str = "backups";

/// The folder below the state directory that holds receipts and backups.
fn folder(paths: &Paths) -> PathBuf {
    paths.state.join("wiring")
}

/// The lock that setups on one machine take one after the other. Its folder is made.
pub(super) fn lock_file(paths: &Paths) -> Result<PathBuf, FileError> {
    let folder = folder(paths);
    create_folder(&folder, NewFile::Private)?;
    Ok(folder.join("lock"))
}

fn folder_of(paths: &Paths, file: &Path) -> PathBuf {
    let digest = blake3::hash(file.as_os_str().as_encoded_bytes()).to_hex();
    folder(paths).join("files").join(&digest[..24])
}

/// The folders in which something is written for a file, below the state directory.
pub(super) fn folders_of(paths: &Paths, file: &Path) -> [PathBuf; 2] {
    [folder_of(paths, file), folder(paths).join(BACKUPS)]
}

pub(super) fn digest(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

impl Receipt {
    /// The receipt of a file. One that cannot be read is none: it only makes the way back exact where the file does
    /// not show it.
    pub(super) fn read(paths: &Paths, file: &Path) -> Option<Receipt> {
        let folder = folder_of(paths, file);
        let text = read_bounded(&folder.join(RECEIPT), LIMIT).ok()?;
        let mut receipt: Receipt = serde_json::from_slice(&text).ok()?;
        let before = read_bounded(&folder.join(BEFORE), LIMIT).ok();
        let existed = receipt.facts.as_ref().is_none_or(|facts| facts.existed);
        if existed && before.is_none() {
            // The bytes are lost, the facts are not.
            receipt.wrote.clear();
        }
        receipt.before = before;
        (receipt.file == file).then_some(receipt)
    }

    pub(super) fn write(&self, paths: &Paths) -> Result<(), FileError> {
        let folder = folder_of(paths, &self.file);
        create_folder(&folder, NewFile::Private)?;
        let before = folder.join(BEFORE);
        match &self.before {
            Some(bytes) => replace(&before, bytes, NewFile::Private)?,
            None => remove(&before)?,
        }
        let text = serde_json::to_vec_pretty(self).unwrap_or_default();
        replace(&folder.join(RECEIPT), &text, NewFile::Private)
    }

    /// Forgets a file.
    pub(super) fn forget(paths: &Paths, file: &Path) -> Result<(), FileError> {
        let folder = folder_of(paths, file);
        remove(&folder.join(RECEIPT))?;
        remove(&folder.join(BEFORE))?;
        // A folder that holds something else stays.
        let _ = fs::remove_dir(&folder);
        Ok(())
    }
}

pub(super) fn remove(file: &Path) -> Result<(), FileError> {
    match fs::remove_file(file) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(FileError::Io {
            deed: "remove",
            path: file.to_owned(),
            source,
        }),
        _ => Ok(()),
    }
}

/// Keeps a copy of a file's bytes under the state directory, named by the time and the file.
pub(super) fn back_up(paths: &Paths, clock: &Clock, file: &Path, bytes: &[u8]) -> Result<PathBuf, FileError> {
    let folder = folder(paths).join(BACKUPS);
    create_folder(&folder, NewFile::Private)?;
    let stamp = clock.now().strftime("%Y-%m-%dT%H%M%SZ").to_string();
    let name = file
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    let of = &digest(file.as_os_str().as_encoded_bytes())[..8];
    let mut copy = folder.join(format!("{stamp}-{of}-{name}"));
    let mut number = 2;
    while copy.exists() {
        copy = folder.join(format!("{stamp}-{number}-{of}-{name}"));
        number += 1;
    }
    replace(&copy, bytes, NewFile::Private)?;
    Ok(copy)
}
