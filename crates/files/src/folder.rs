use std::fs::{self, DirBuilder, File};
use std::io::{self, ErrorKind};
use std::path::Path;

use crate::read::kind_name;
use crate::{FileError, NewFile};

/// Creates a folder and its parents, durably; an existing one is left as it is.
///
/// With [`NewFile::Private`] every folder that is made, parents included, is 0700.
///
/// # Errors
/// [`FileError::NotAFolder`] where a file stands in the way, else [`FileError::Io`] for the folder that failed.
pub fn create_folder(path: &Path, new: NewFile) -> Result<(), FileError> {
    let missing: Vec<&Path> = path
        .ancestors()
        .take_while(|folder| !folder.as_os_str().is_empty() && !folder.is_dir())
        .collect();
    for folder in missing.into_iter().rev() {
        match builder(new).create(folder) {
            Ok(()) => sync_folder(parent(folder))?,
            // Another process was quicker, or something else stands there.
            Err(e) if e.kind() == ErrorKind::AlreadyExists => must_be_folder(folder)?,
            Err(e) => return Err(FileError::io("create the folder", folder, e)),
        }
    }
    Ok(())
}

fn must_be_folder(path: &Path) -> Result<(), FileError> {
    let what = match fs::metadata(path) {
        Ok(seen) if seen.is_dir() => return Ok(()),
        Ok(seen) => kind_name(seen.file_type()),
        Err(_) => "a link that leads nowhere",
    };
    Err(FileError::NotAFolder {
        path: path.to_owned(),
        what,
    })
}

#[cfg(unix)]
fn builder(new: NewFile) -> DirBuilder {
    use std::os::unix::fs::DirBuilderExt;

    let mut builder = DirBuilder::new();
    if new == NewFile::Private {
        builder.mode(0o700);
    }
    builder
}

#[cfg(not(unix))]
fn builder(_: NewFile) -> DirBuilder {
    DirBuilder::new()
}

/// The folder that holds `path`: never the empty path, which no system call understands.
pub(crate) fn parent(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) => Path::new("."),
        None => path,
    }
}

/// Makes the entries of a folder durable: a file is not safe before its name is.
///
/// Folders that cannot be opened for reading, and disks that do not sync folders, are as durable as they get.
pub(crate) fn sync_folder(folder: &Path) -> Result<(), FileError> {
    if !cfg!(unix) {
        return Ok(());
    }
    let synced = match File::open(folder) {
        Ok(folder) => folder.sync_all(),
        Err(e) if e.kind() == ErrorKind::PermissionDenied => Ok(()),
        Err(e) => Err(e),
    };
    match synced {
        Err(e) if !cannot_sync(&e) => Err(FileError::io("sync the folder", folder, e)),
        _ => Ok(()),
    }
}

fn cannot_sync(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::InvalidInput | ErrorKind::Unsupported)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    fn mode(path: &Path) -> u32 {
        use std::os::unix::fs::PermissionsExt;

        fs::metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[cfg(unix)]
    #[test]
    fn private_folders_are_0700_and_existing_ones_keep_their_mode() {
        use std::os::unix::fs::PermissionsExt;

        let home = tempfile::tempdir().unwrap();
        let open = home.path().join("open");
        fs::create_dir(&open).unwrap();
        fs::set_permissions(&open, fs::Permissions::from_mode(0o755)).unwrap();
        create_folder(&open.join("a/b"), NewFile::Private).unwrap();
        create_folder(&open, NewFile::Private).unwrap();
        assert_eq!(mode(&open), 0o755);
        assert_eq!(mode(&open.join("a")), 0o700);
        assert_eq!(mode(&open.join("a/b")), 0o700);
    }

    #[test]
    fn what_exists_is_no_error_and_links_to_folders_count_as_folders() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("with space/and \"quotes\"");
        create_folder(&folder, NewFile::Shared).unwrap();
        create_folder(&folder, NewFile::Shared).unwrap();
        #[cfg(unix)]
        {
            let link = home.path().join("link");
            std::os::unix::fs::symlink(&folder, &link).unwrap();
            create_folder(&link.join("below"), NewFile::Private).unwrap();
            assert!(folder.join("below").is_dir());
        }
    }

    #[test]
    fn a_file_in_the_way_is_named() {
        let home = tempfile::tempdir().unwrap();
        let file = home.path().join("f");
        fs::write(&file, b"").unwrap();
        let error = create_folder(&file.join("below"), NewFile::Shared).unwrap_err();
        assert!(
            matches!(&error, FileError::NotAFolder { path, what: "a file" } if *path == file),
            "{error}"
        );
        assert!(file.is_file());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_that_leads_nowhere_is_named() {
        let home = tempfile::tempdir().unwrap();
        let link = home.path().join("l");
        std::os::unix::fs::symlink("nowhere", &link).unwrap();
        let error = create_folder(&link, NewFile::Shared).unwrap_err();
        assert!(error.to_string().contains("a link that leads nowhere"), "{error}");
    }

    #[test]
    fn many_at_once_make_one_folder() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("a/b/c/d");
        std::thread::scope(|scope| {
            let makers: Vec<_> = (0..8)
                .map(|_| scope.spawn(|| create_folder(&folder, NewFile::Private)))
                .collect();
            for maker in makers {
                maker.join().unwrap().unwrap();
            }
        });
        assert!(folder.is_dir());
    }

    #[test]
    fn the_parent_is_never_the_empty_path() {
        assert_eq!(parent(Path::new("f")), Path::new("."));
        assert_eq!(parent(Path::new("a/f")), Path::new("a"));
        assert_eq!(parent(Path::new("/")), Path::new("/"));
    }
}
