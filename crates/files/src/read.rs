use std::fs::{self, File, FileType, Metadata, OpenOptions};
use std::io::Read;
use std::path::Path;

use crate::FileError;

/// Whether the last part of a path may be a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Links {
    /// Follow it.
    Followed,
    /// Refuse it, also when it is put there at the last moment.
    Refused,
}

/// Reads a whole file of at most `limit` bytes, following links.
///
/// Anything but a regular file is refused without being opened: a named pipe would hang, a device might act.
///
/// # Errors
/// [`FileError::TooLarge`], [`FileError::NotAFile`], or [`FileError::Io`].
pub fn read_bounded(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    read(path, limit, Links::Followed)
}

/// As [`read_bounded`], but the file itself may not be a link (the folders above it may): for files of a repository
/// or a peer that could point at something private.
///
/// # Errors
/// [`FileError::Link`] besides those of [`read_bounded`].
pub fn read_bounded_no_link(path: &Path, limit: u64) -> Result<Vec<u8>, FileError> {
    read(path, limit, Links::Refused)
}

/// Opens a regular file as `options` say, following links. Flags of the system's own in them are replaced.
///
/// Anything else is refused without being opened: a named pipe would hang, a device might act. What is put in its
/// place at the last moment does not hang either.
///
/// # Errors
/// [`FileError::NotAFile`], or [`FileError::Io`].
pub fn open_file(options: &mut OpenOptions, path: &Path) -> Result<File, FileError> {
    looked_at(options, path, Links::Followed, "open").map(|(file, _)| file)
}

/// As [`open_file`], but the file itself may not be a link (the folders above it may).
///
/// # Errors
/// [`FileError::Link`] besides those of [`open_file`].
pub fn open_file_no_link(options: &mut OpenOptions, path: &Path) -> Result<File, FileError> {
    looked_at(options, path, Links::Refused, "open").map(|(file, _)| file)
}

fn looked_at(
    options: &mut OpenOptions,
    path: &Path,
    links: Links,
    deed: &'static str,
) -> Result<(File, Metadata), FileError> {
    let before = match links {
        Links::Followed => fs::metadata(path),
        Links::Refused => fs::symlink_metadata(path),
    };
    if let Ok(before) = before {
        must_be_regular(path, before.file_type())?;
    }
    open_regular(options, path, links, deed)
}

fn read(path: &Path, limit: u64, links: Links) -> Result<Vec<u8>, FileError> {
    let (file, seen) = looked_at(OpenOptions::new().read(true), path, links, "read")?;
    let too_large = || FileError::TooLarge {
        path: path.to_owned(),
        limit,
    };
    if seen.len() > limit {
        return Err(too_large());
    }
    // The size is only a hint: the file may grow meanwhile, and those of /proc claim to be empty.
    let mut bytes = Vec::with_capacity(usize::try_from(seen.len()).unwrap_or(0) + 1);
    file.take(limit.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|e| FileError::io("read", path, e))?;
    if bytes.len() as u64 > limit {
        return Err(too_large());
    }
    Ok(bytes)
}

/// Opens what must be a regular file, and never hangs on what is not.
pub(crate) fn open_regular(
    options: &mut OpenOptions,
    path: &Path,
    links: Links,
    deed: &'static str,
) -> Result<(File, Metadata), FileError> {
    never_hang(options, links);
    let file = options.open(path).map_err(|e| refusal(path, links, deed, e))?;
    let opened = file.metadata().map_err(|e| FileError::io(deed, path, e))?;
    must_be_regular(path, opened.file_type())?;
    Ok((file, opened))
}

/// Why a path could not be opened: what stands there says it better than the system does.
fn refusal(path: &Path, links: Links, deed: &'static str, error: std::io::Error) -> FileError {
    let seen = match links {
        Links::Followed => fs::metadata(path),
        Links::Refused => fs::symlink_metadata(path),
    };
    match seen.map(|seen| must_be_regular(path, seen.file_type())) {
        Ok(Err(refused)) => refused,
        _ => FileError::io(deed, path, error),
    }
}

#[cfg(unix)]
fn never_hang(options: &mut OpenOptions, links: Links) {
    use std::os::unix::fs::OpenOptionsExt;

    use rustix::fs::OFlags;

    let mut flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    if links == Links::Refused {
        flags |= OFlags::NOFOLLOW;
    }
    options.custom_flags(flags.bits().cast_signed());
}

#[cfg(not(unix))]
fn never_hang(_: &mut OpenOptions, _: Links) {}

/// Refuses everything but a regular file, by name.
pub(crate) fn must_be_regular(path: &Path, kind: FileType) -> Result<(), FileError> {
    let path = path.to_owned();
    if kind.is_file() {
        Ok(())
    } else if kind.is_symlink() {
        Err(FileError::Link { path })
    } else {
        let what = kind_name(kind);
        Err(FileError::NotAFile { path, what })
    }
}

/// What something on the disk is called, with its article.
pub(crate) fn kind_name(kind: FileType) -> &'static str {
    if kind.is_dir() {
        return "a folder";
    }
    if kind.is_file() {
        return "a file";
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt;

        if kind.is_fifo() {
            return "a named pipe";
        }
        if kind.is_socket() {
            return "a socket";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
    }
    "something special"
}

/// Which file an open one is, whatever its name becomes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    #[cfg(unix)]
    pub(crate) fn of(seen: &Metadata) -> Identity {
        use std::os::unix::fs::MetadataExt;

        Identity::from_numbers(seen.dev(), seen.ino())
    }

    /// Without inode numbers (off Unix) every existing file counts as the same one.
    #[cfg(not(unix))]
    pub(crate) fn of(_: &Metadata) -> Identity {
        Identity::from_numbers(0, 0)
    }

    pub(crate) fn numbers(self) -> (u64, u64) {
        (self.device, self.inode)
    }

    pub(crate) fn from_numbers(device: u64, inode: u64) -> Identity {
        Identity { device, inode }
    }

    /// Whether this file is the one that stands at `path` now.
    pub(crate) fn is_at(self, path: &Path) -> bool {
        fs::metadata(path).is_ok_and(|there| Identity::of(&there) == self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_is_inclusive_and_a_larger_file_is_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        fs::write(&path, b"12345").unwrap();
        assert_eq!(read_bounded(&path, 5).unwrap(), b"12345");
        let error = read_bounded(&path, 4).unwrap_err();
        assert!(matches!(error, FileError::TooLarge { limit: 4, .. }), "{error}");
        assert_eq!(read_bounded(&path, u64::MAX).unwrap(), b"12345");
        fs::write(&path, b"").unwrap();
        assert_eq!(read_bounded(&path, 0).unwrap(), b"");
    }

    #[test]
    fn a_missing_file_says_so() {
        let error = read_bounded(Path::new("/nowhere/at/all"), 5).unwrap_err();
        insta::assert_snapshot!(error, @"cannot read /nowhere/at/all: it does not exist; check the path");
    }

    #[test]
    fn a_folder_is_named_as_one() {
        let folder = tempfile::tempdir().unwrap();
        let error = read_bounded(folder.path(), 5).unwrap_err();
        assert!(
            matches!(error, FileError::NotAFile { what: "a folder", .. }),
            "{error}"
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_file_that_claims_to_be_empty_is_read_and_bounded() {
        let path = Path::new("/proc/self/status");
        assert!(read_bounded(path, 1 << 20).unwrap().len() > 100);
        assert!(matches!(read_bounded(path, 100), Err(FileError::TooLarge { .. })));
    }

    #[cfg(unix)]
    #[test]
    fn devices_and_sockets_are_refused() {
        let error = read_bounded(Path::new("/dev/zero"), 5).unwrap_err();
        assert!(
            matches!(error, FileError::NotAFile { what: "a device", .. }),
            "{error}"
        );
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("socket");
        let _socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
        let error = read_bounded(&path, 5).unwrap_err();
        assert!(
            matches!(error, FileError::NotAFile { what: "a socket", .. }),
            "{error}"
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_named_pipe_is_refused_without_waiting_for_its_other_end() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        let error = read_bounded(&path, 5).unwrap_err();
        assert!(
            matches!(
                error,
                FileError::NotAFile {
                    what: "a named pipe",
                    ..
                }
            ),
            "{error}"
        );
        for mut options in [
            File::options().read(true).clone(),
            File::options().append(true).create(true).clone(),
        ] {
            let error = open_file(&mut options, &path).unwrap_err();
            assert!(matches!(error, FileError::NotAFile { .. }), "{error}");
            let error = open_file_no_link(&mut options, &path).unwrap_err();
            assert!(matches!(error, FileError::NotAFile { .. }), "{error}");
        }
        // Exchanged after the look: what is opened is looked at again, and opening does not hang.
        let mut options = OpenOptions::new();
        never_hang(options.read(true), Links::Followed);
        let opened = options.open(&path).unwrap().metadata().unwrap();
        assert!(must_be_regular(&path, opened.file_type()).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_or_refused_as_asked() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("f");
        let link = folder.path().join("l");
        fs::write(&file, b"x").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(read_bounded(&link, 5).unwrap(), b"x");
        assert_eq!(read_bounded_no_link(&file, 5).unwrap(), b"x");
        assert!(matches!(
            read_bounded_no_link(&link, 5),
            Err(FileError::Link { .. })
        ));
        open_file(File::options().read(true), &link).unwrap();
        let error = open_file_no_link(File::options().read(true), &link).unwrap_err();
        assert!(matches!(error, FileError::Link { .. }), "{error}");
        // Put there after the look: the open itself refuses.
        let mut options = OpenOptions::new();
        never_hang(options.read(true), Links::Refused);
        options.open(&link).unwrap_err();
        options.open(&file).unwrap();
    }
}
