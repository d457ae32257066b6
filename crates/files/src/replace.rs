use std::fs::{self, Metadata};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use crate::FileError;
use crate::folder::{parent, sync_folder};
use crate::read::must_be_regular;
use crate::temporary::Temporary;

/// Who may read a file or folder that did not exist before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewFile {
    /// Only the owner: files 0600, folders 0700. For the library and state.
    Private,
    /// As the process's umask says. For files that live in a repository.
    Shared,
}

/// How many links may lead from one to the next; the systems themselves stop at 40.
const LINKS: usize = 40;

/// Replaces the whole content of `path` so that a crash leaves either the old or the new bytes, and returns when the
/// new ones are on the disk.
///
/// A link stays a link: the file it leads to is replaced, or created where it leads nowhere. An existing file keeps
/// its mode, and its owner and group as far as this process may set them; its other hard links keep the old bytes.
/// `new` says who may read a file that did not exist. The folder must exist. On an error the old file is untouched
/// and no temporary file stays behind; one that a killed process left is found by
/// [`remove_leftovers`](crate::remove_leftovers).
///
/// # Errors
/// [`FileError::NotAFile`], [`FileError::LinkLoop`], [`FileError::ReadOnly`] for a file that nobody may write, else
/// [`FileError::Io`] with the file or folder that refused.
pub fn replace(path: &Path, bytes: &[u8], new: NewFile) -> Result<(), FileError> {
    let target = destination(path)?;
    let folder = parent(&target);
    let old = existing(&target)?;
    let private = old.is_some() || new == NewFile::Private;
    let temporary = Temporary::create(folder, private)?;
    temporary
        .file()
        .write_all(bytes)
        .map_err(|e| FileError::io("write", &target, e))?;
    if let Some(old) = &old {
        keep_identity(&temporary, old).map_err(|e| FileError::io("keep the mode of", &target, e))?;
    }
    temporary
        .file()
        .sync_all()
        .map_err(|e| FileError::io("write", &target, e))?;
    temporary.rename(&target)?;
    sync_folder(folder)
}

/// Where the bytes go: `path` with the links of its last part followed by hand, so that none of them is replaced.
fn destination(path: &Path) -> Result<PathBuf, FileError> {
    let mut target = path.to_owned();
    for _ in 0..=LINKS {
        if target.file_name().is_none() {
            let what = "a folder";
            return Err(FileError::NotAFile { path: target, what });
        }
        match fs::symlink_metadata(&target) {
            Ok(seen) if seen.is_symlink() => {
                let next =
                    fs::read_link(&target).map_err(|e| FileError::io("follow the link", &target, e))?;
                target = parent(&target).join(next);
            }
            Ok(_) => return Ok(target),
            Err(e) if e.kind() == ErrorKind::NotFound => return Ok(target),
            Err(e) => return Err(FileError::io("replace", target, e)),
        }
    }
    Err(FileError::LinkLoop {
        path: path.to_owned(),
    })
}

/// The file that is about to be replaced; `None` where there is none yet.
fn existing(target: &Path) -> Result<Option<Metadata>, FileError> {
    let seen = match fs::symlink_metadata(target) {
        Ok(seen) => seen,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(FileError::io("replace", target, e)),
    };
    must_be_regular(target, seen.file_type())?;
    if seen.permissions().readonly() {
        return Err(FileError::ReadOnly {
            path: target.to_owned(),
        });
    }
    Ok(Some(seen))
}

#[cfg(unix)]
fn keep_identity(temporary: &Temporary, old: &Metadata) -> std::io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};

    let file = temporary.file();
    let made = file.metadata()?;
    // Separately: one who may not give the file away may still be in its group.
    let owner = made.uid() == old.uid() || fchown(file, Some(old.uid()), None).is_ok();
    let group = made.gid() == old.gid() || fchown(file, None, Some(old.gid())).is_ok();
    let mode = kept_mode(old.mode(), owner, group);
    file.set_permissions(fs::Permissions::from_mode(mode))
}

/// The old mode, less what it would grant to people it was not meant for when owner or group could not be kept.
#[cfg(unix)]
fn kept_mode(old: u32, owner: bool, group: bool) -> u32 {
    let mut mode = old & 0o7777;
    if !owner {
        mode &= !0o4000;
    }
    if !group {
        mode &= !0o2070;
        mode |= (mode & 0o007) << 3;
    }
    mode
}

#[cfg(not(unix))]
fn keep_identity(temporary: &Temporary, old: &Metadata) -> std::io::Result<()> {
    temporary.file().set_permissions(old.permissions())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use proptest::prelude::*;

    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_new_file_and_an_old_one_get_the_bytes_and_nothing_else_appears() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a \"b\" ü.yaml");
        replace(&path, b"one", NewFile::Shared).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"one");
        replace(&path, b"", NewFile::Shared).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"");
        assert_eq!(names(folder.path()), ["a \"b\" ü.yaml"]);
    }

    #[test]
    fn a_name_of_255_bytes_works() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("n".repeat(255));
        replace(&path, b"one", NewFile::Shared).unwrap();
        replace(&path, b"two", NewFile::Shared).unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        let error = replace(&folder.path().join("n".repeat(256)), b"", NewFile::Shared).unwrap_err();
        assert!(error.to_string().contains("the name is too long"), "{error}");
        assert_eq!(names(folder.path()).len(), 1);
    }

    #[test]
    fn a_missing_folder_and_a_folder_in_the_place_are_named() {
        let home = tempfile::tempdir().unwrap();
        let error = replace(&home.path().join("no/f"), b"", NewFile::Shared).unwrap_err();
        let missing = format!(
            "cannot create a file in {}/no: it does not exist; check the path",
            home.path().display()
        );
        assert_eq!(error.to_string(), missing);
        let error = replace(home.path(), b"", NewFile::Shared).unwrap_err();
        assert!(
            matches!(error, FileError::NotAFile { what: "a folder", .. }),
            "{error}"
        );
        let error = replace(Path::new("/"), b"", NewFile::Shared).unwrap_err();
        assert!(
            matches!(error, FileError::NotAFile { what: "a folder", .. }),
            "{error}"
        );
        assert!(names(home.path()).is_empty());
    }

    #[test]
    fn a_read_only_file_is_respected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        fs::write(&path, b"old").unwrap();
        let mut mode = fs::metadata(&path).unwrap().permissions();
        mode.set_readonly(true);
        fs::set_permissions(&path, mode).unwrap();
        let error = replace(&path, b"new", NewFile::Shared).unwrap_err();
        assert!(matches!(error, FileError::ReadOnly { .. }), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
    }

    #[cfg(unix)]
    mod on_unix {
        use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

        use super::*;

        fn mode(path: &Path) -> u32 {
            fs::metadata(path).unwrap().mode() & 0o7777
        }

        #[test]
        fn an_old_file_keeps_its_mode_and_a_new_one_gets_what_was_asked() {
            let folder = tempfile::tempdir().unwrap();
            for kept in [0o600, 0o640, 0o664, 0o755, 0o200] {
                let path = folder.path().join(format!("{kept:o}"));
                fs::write(&path, b"old").unwrap();
                fs::set_permissions(&path, fs::Permissions::from_mode(kept)).unwrap();
                replace(&path, b"new", NewFile::Private).unwrap();
                assert_eq!(mode(&path), kept);
                replace(&path, b"new", NewFile::Shared).unwrap();
                assert_eq!(mode(&path), kept);
            }
            let private = folder.path().join("private");
            replace(&private, b"", NewFile::Private).unwrap();
            assert_eq!(mode(&private), 0o600);
            // What the umask makes of a new file is what the system does by itself.
            let (shared, plain) = (folder.path().join("shared"), folder.path().join("plain"));
            replace(&shared, b"", NewFile::Shared).unwrap();
            fs::write(&plain, b"").unwrap();
            assert_eq!(mode(&shared), mode(&plain));
        }

        #[test]
        fn root_keeps_owner_and_group() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("f");
            fs::write(&path, b"old").unwrap();
            if std::os::unix::fs::chown(&path, Some(12345), Some(54321)).is_err() {
                eprintln!("NOT RUN: keeping a foreign owner can only be tested as root");
                return;
            }
            fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
            replace(&path, b"new", NewFile::Private).unwrap();
            let seen = fs::metadata(&path).unwrap();
            assert_eq!((seen.uid(), seen.gid(), mode(&path)), (12345, 54321, 0o640));
        }

        #[test]
        fn a_mode_grants_nothing_to_a_group_it_was_not_meant_for() {
            assert_eq!(kept_mode(0o100_640, true, true), 0o640);
            assert_eq!(kept_mode(0o100_640, true, false), 0o600);
            assert_eq!(kept_mode(0o100_664, true, false), 0o644);
            assert_eq!(kept_mode(0o106_755, false, false), 0o755);
            assert_eq!(kept_mode(0o106_755, true, true), 0o6755);
        }

        #[test]
        fn a_chain_of_links_stays_and_its_end_is_replaced() {
            let home = tempfile::tempdir().unwrap();
            let (dots, work) = (home.path().join("dots"), home.path().join("work"));
            fs::create_dir(&dots).unwrap();
            fs::create_dir(&work).unwrap();
            fs::write(dots.join("real"), b"old").unwrap();
            fs::set_permissions(dots.join("real"), fs::Permissions::from_mode(0o640)).unwrap();
            symlink("real", dots.join("middle")).unwrap();
            symlink("../dots/middle", work.join("first")).unwrap();
            replace(&work.join("first"), b"new", NewFile::Private).unwrap();
            assert_eq!(fs::read(dots.join("real")).unwrap(), b"new");
            assert_eq!(mode(&dots.join("real")), 0o640);
            assert!(fs::symlink_metadata(work.join("first")).unwrap().is_symlink());
            assert!(fs::symlink_metadata(dots.join("middle")).unwrap().is_symlink());
            assert_eq!(names(&dots), ["middle", "real"]);
            assert_eq!(names(&work), ["first"]);
        }

        #[test]
        fn a_link_in_a_linked_folder_is_followed_from_where_it_really_stands() {
            let home = tempfile::tempdir().unwrap();
            fs::create_dir_all(home.path().join("deep/er")).unwrap();
            symlink("deep/er", home.path().join("short")).unwrap();
            symlink("../target", home.path().join("deep/er/link")).unwrap();
            replace(&home.path().join("short/link"), b"new", NewFile::Shared).unwrap();
            assert_eq!(fs::read(home.path().join("deep/target")).unwrap(), b"new");
        }

        #[test]
        fn a_link_that_leads_nowhere_gets_its_file() {
            let home = tempfile::tempdir().unwrap();
            let link = home.path().join("link");
            symlink("file", &link).unwrap();
            replace(&link, b"new", NewFile::Private).unwrap();
            assert_eq!(fs::read(home.path().join("file")).unwrap(), b"new");
            assert_eq!(mode(&home.path().join("file")), 0o600);
            assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
            symlink("no/file", home.path().join("far")).unwrap();
            let error = replace(&home.path().join("far"), b"", NewFile::Private).unwrap_err();
            assert!(error.to_string().contains("/no: it does not exist"), "{error}");
        }

        #[test]
        fn links_that_never_arrive_are_an_error() {
            let home = tempfile::tempdir().unwrap();
            let (a, b) = (home.path().join("a"), home.path().join("b"));
            symlink(&b, &a).unwrap();
            symlink(&a, &b).unwrap();
            let error = replace(&a, b"", NewFile::Shared).unwrap_err();
            assert!(
                matches!(&error, FileError::LinkLoop { path } if *path == a),
                "{error}"
            );
            assert_eq!(names(home.path()), ["a", "b"]);
        }

        #[test]
        fn a_link_to_a_device_or_a_folder_is_refused() {
            let home = tempfile::tempdir().unwrap();
            let link = home.path().join("link");
            symlink("/dev/null", &link).unwrap();
            let error = replace(&link, b"x", NewFile::Shared).unwrap_err();
            assert!(
                matches!(error, FileError::NotAFile { what: "a device", .. }),
                "{error}"
            );
            symlink(home.path(), home.path().join("folder")).unwrap();
            let error = replace(&home.path().join("folder"), b"x", NewFile::Shared).unwrap_err();
            assert!(
                matches!(error, FileError::NotAFile { what: "a folder", .. }),
                "{error}"
            );
        }

        #[test]
        fn whoever_opened_the_old_file_keeps_reading_it() {
            use std::io::Read;

            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("f");
            fs::write(&path, b"old").unwrap();
            let mut opened = fs::File::open(&path).unwrap();
            replace(&path, b"new", NewFile::Shared).unwrap();
            let mut text = String::new();
            opened.read_to_string(&mut text).unwrap();
            assert_eq!(text, "old");
        }
    }

    #[test]
    fn readers_see_the_old_or_the_new_and_never_between() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        let contents: Vec<Vec<u8>> = (0..4u8).map(|n| vec![b'a' + n; 9000 + usize::from(n)]).collect();
        replace(&path, &contents[0], NewFile::Shared).unwrap();
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            let reader = scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    let seen = fs::read(&path).unwrap();
                    assert!(contents.contains(&seen), "{} bytes of a mixture", seen.len());
                }
            });
            let write = |content| (0..6).try_for_each(|_| replace(&path, content, NewFile::Shared));
            let writers: Vec<_> = contents
                .iter()
                .map(|content| scope.spawn(move || write(content)))
                .collect();
            let written: Vec<_> = writers.into_iter().map(thread::ScopedJoinHandle::join).collect();
            done.store(true, Ordering::Relaxed);
            for result in written {
                result.unwrap().unwrap();
            }
            reader.join().unwrap();
        });
        assert_eq!(names(folder.path()), ["f"]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(24))]

        #[test]
        fn what_was_written_last_is_what_is_read(
            contents in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..5000), 1..5),
            name in "[a-zA-Z0-9 ._'\"-]{1,40}",
            private: bool,
        ) {
            prop_assume!(name != "." && name != "..");
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join(&name);
            let new = if private { NewFile::Private } else { NewFile::Shared };
            for content in &contents {
                replace(&path, content, new).unwrap();
                prop_assert_eq!(&fs::read(&path).unwrap(), content);
            }
            prop_assert_eq!(names(folder.path()), [name]);
        }
    }
}
