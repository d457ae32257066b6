//! Disks that are full, read-only or somebody else's, and what reaches them in which order.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};

use ken_files::{FileError, Lock, NewFile, create_folder, read_bounded, replace};

use crate::{acknowledge, acknowledged, open, part, start};

/// A small disk of its own, gone with the value.
struct Disk {
    folder: tempfile::TempDir,
}

impl Disk {
    /// `None` where this process may not mount one.
    fn mount() -> Option<Disk> {
        let folder = tempfile::tempdir().unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=64k,mode=0755", "tmpfs"])
            .arg(folder.path())
            .stderr(Stdio::null())
            .status();
        if mounted.is_ok_and(|status| status.success()) {
            return Some(Disk { folder });
        }
        eprintln!(
            "NOT RUN: this process may not mount a small disk, so a full and a read-only one were not tested"
        );
        None
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn remount(&self, option: &str) {
        let remounted = Command::new("mount")
            .args(["-o", &format!("remount,{option}")])
            .arg(self.path())
            .status();
        assert!(remounted.unwrap().success());
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.folder.path()).status();
    }
}

#[test]
fn a_line_that_does_not_fit_any_more_leaves_no_trace() {
    let test = "disk::a_line_that_does_not_fit_any_more_leaves_no_trace";
    if let Some((_, folder)) = part() {
        let mut log = open(&folder);
        log.append("a".repeat(700).as_bytes()).unwrap();
        // The limit is 1024 bytes: the system takes a part of this one.
        let error = log.append("b".repeat(700).as_bytes()).unwrap_err();
        assert_eq!(error.kind(), Some(ErrorKind::FileTooLarge), "{error}");
        assert_eq!(log.length().unwrap(), 701);
        log.append("c".repeat(100).as_bytes()).unwrap();

        let file = folder.join("file");
        replace(&file, b"old", NewFile::Shared).unwrap();
        let error = replace(&file, &[b'n'; 5000], NewFile::Shared).unwrap_err();
        assert_eq!(error.kind(), Some(ErrorKind::FileTooLarge), "{error}");
        assert_eq!(fs::read(&file).unwrap(), b"old");
        acknowledge("done");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    // Blocks of 512 bytes in a POSIX shell. The signal would end the process before it sees the error.
    let limited = ["sh", "-c", "trap '' XFSZ; ulimit -f 2; exec \"$0\" \"$@\""];
    let mut child = start(test, "limited", folder.path(), &limited);
    assert_eq!(acknowledged(&mut child), ["done"]);
    assert!(child.wait().unwrap().success());
    let content = fs::read_to_string(folder.path().join("log")).unwrap();
    assert_eq!(content, format!("{}\n{}\n", "a".repeat(700), "c".repeat(100)));
    let mut names: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    names.sort();
    assert_eq!(names, ["file", "lock", "log"]);
}

#[test]
fn a_full_disk_takes_nothing_acknowledged_and_leaves_nothing_half_where_mounting_is_allowed() {
    let Some(disk) = Disk::mount() else { return };
    let mut log = open(disk.path());
    let file = disk.path().join("file");
    replace(&file, b"old", NewFile::Shared).unwrap();
    let line = "x".repeat(3000);
    let mut appended = 0;
    let error = loop {
        match log.append(line.as_bytes()) {
            Ok(_) => appended += 1,
            Err(error) => break error,
        }
        assert!(appended < 100, "the disk is larger than it should be");
    };
    assert!(appended > 5);
    let expected = format!(
        "cannot append to {}/log: no space is left on the disk; free some and try again",
        disk.path().display()
    );
    assert_eq!(error.to_string(), expected);
    let content = fs::read_to_string(disk.path().join("log")).unwrap();
    assert_eq!(content, format!("{line}\n").repeat(appended));

    let error = replace(&file, &[b'n'; 100_000], NewFile::Shared).unwrap_err();
    assert_eq!(error.kind(), Some(ErrorKind::StorageFull), "{error}");
    assert_eq!(fs::read(&file).unwrap(), b"old");
    assert_eq!(fs::read_dir(disk.path()).unwrap().count(), 3);

    // A lock can be had on a full disk, and the log goes on when there is room again.
    drop(log);
    let mut log = open(disk.path());
    log.append(line.as_bytes()).unwrap_err();
    fs::remove_file(&file).unwrap();
    disk.remount("size=128k");
    log.append(b"room again").unwrap();
    assert_eq!(log.last_line().unwrap().unwrap(), b"room again");
}

#[test]
fn a_read_only_disk_is_named_as_one_where_mounting_is_allowed() {
    let Some(disk) = Disk::mount() else { return };
    let file = disk.path().join("file");
    replace(&file, b"old", NewFile::Shared).unwrap();
    disk.remount("ro");
    let errors = [
        replace(&file, b"new", NewFile::Shared).unwrap_err(),
        create_folder(&disk.path().join("new"), NewFile::Shared).unwrap_err(),
        Lock::try_acquire(&disk.path().join("lock"), "ken").unwrap_err(),
    ];
    for error in errors {
        assert!(
            error
                .to_string()
                .ends_with("the disk is mounted read-only; mount it writable or use another place"),
            "{error}"
        );
    }
    assert_eq!(read_bounded(&file, 10).unwrap(), b"old");
}

#[test]
fn a_folder_that_may_not_be_written_is_named() {
    use std::os::unix::fs::PermissionsExt;

    let test = "disk::a_folder_that_may_not_be_written_is_named";
    if let Some((_, folder)) = part() {
        let file = folder.join("file");
        let error = replace(&file, b"new", NewFile::Shared).unwrap_err();
        let expected = format!(
            "cannot create a file in {}: permission denied; check its owner and mode, and those of its folder",
            folder.display()
        );
        assert_eq!(error.to_string(), expected);
        let error = Lock::try_acquire(&folder.join("lock"), "ken").unwrap_err();
        assert!(
            matches!(
                &error,
                FileError::Io {
                    deed: "open the lock",
                    ..
                }
            ),
            "{error}"
        );
        assert_eq!(fs::read(&file).unwrap(), b"old");
        acknowledge("done");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("file"), b"old").unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o555)).unwrap();
    // Root may write everywhere, so it steps down first.
    let is_root = fs::write(folder.path().join("probe"), b"").is_ok();
    let mut wrapper: &[&str] = &[];
    if is_root {
        fs::remove_file(folder.path().join("probe")).unwrap();
        let down = ["--reuid=65534", "--regid=65534", "--clear-groups"];
        let own = std::env::current_exe().unwrap();
        let can = Command::new("setpriv")
            .args(down)
            .arg("test")
            .arg("-x")
            .arg(own)
            .status();
        if !can.is_ok_and(|status| status.success()) {
            eprintln!("NOT RUN: root could not step down to a user without rights");
            return;
        }
        wrapper = &["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    }
    let mut child = start(test, "powerless", folder.path(), wrapper);
    assert_eq!(acknowledged(&mut child), ["done"]);
    assert!(child.wait().unwrap().success());
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
}

/// What a traced process asked of the disk in `folder`, a word and a name a line.
#[cfg(target_os = "linux")]
fn deeds(trace: &str, folder: &Path) -> Vec<String> {
    let folder = folder.display().to_string();
    let name = |path: &str| match path.strip_prefix(&folder)?.trim_start_matches('/') {
        "" => Some("folder".to_owned()),
        name if name.starts_with(".ken-") => Some("temporary".to_owned()),
        name => Some(name.to_owned()),
    };
    let deed = |line: &str| {
        // With its process in front: `4711 fsync(5</tmp/x/log>) = 0`.
        let (call, arguments) = line.split_once(' ')?.1.trim_start().split_once('(')?;
        let path = if call.starts_with("rename") {
            arguments.rsplit('"').nth(1)?
        } else {
            arguments.split_once('<')?.1.split_once('>')?.0
        };
        Some(format!("{call} {}", name(path)?))
    };
    trace.lines().filter_map(deed).collect()
}

#[cfg(target_os = "linux")]
#[test]
fn everything_is_synced_before_it_is_acknowledged_where_tracing_is_allowed() {
    let test = "disk::everything_is_synced_before_it_is_acknowledged_where_tracing_is_allowed";
    if let Some((_, folder)) = part() {
        replace(&folder.join("file"), b"content", NewFile::Shared).unwrap();
        let mut log = open(&folder);
        log.append(b"one").unwrap();
        // Longer than the system writes in one piece: noted first, in case of a death in between.
        log.append(&[b'x'; 5000]).unwrap();
        create_folder(&folder.join("new"), NewFile::Private).unwrap();
        acknowledge("done");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let traces = tempfile::tempdir().unwrap();
    let output = traces.path().join("trace").display().to_string();
    let calls = "trace=write,fsync,fdatasync,rename,renameat,renameat2";
    let strace = ["strace", "-f", "-y", "-o", &output, "-e", calls];
    let can = Command::new("strace")
        .args(&strace[1..])
        .arg("true")
        .stderr(Stdio::null())
        .status();
    if !can.is_ok_and(|status| status.success()) {
        eprintln!("NOT RUN: strace is not installed or not allowed, so the order of syncs was not checked");
        return;
    }
    let mut child = start(test, "traced", folder.path(), &strace);
    assert_eq!(acknowledged(&mut child), ["done"]);
    assert!(child.wait().unwrap().success());
    let deeds = deeds(&fs::read_to_string(&output).unwrap(), folder.path());
    insta::assert_snapshot!(deeds.join("\n"), @r"
    write temporary
    fsync temporary
    rename file
    fsync folder
    write lock
    fsync folder
    write log
    fdatasync log
    write lock
    write log
    write lock
    fdatasync log
    fsync folder
    ");
}

#[test]
fn a_process_that_dies_in_the_middle_of_a_line_leaves_no_half_of_it() {
    let test = "disk::a_process_that_dies_in_the_middle_of_a_line_leaves_no_half_of_it";
    if let Some((_, folder)) = part() {
        let mut log = open(&folder);
        log.append("a".repeat(3700).as_bytes()).unwrap();
        acknowledge("first");
        // The system takes a part of this one, and ends the process at the attempt to write the rest.
        let _ = log.append("b".repeat(700).as_bytes());
        acknowledge("second");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let limited = ["sh", "-c", "ulimit -c 0; ulimit -f 8; exec \"$0\" \"$@\""];
    let mut child = start(test, "dying", folder.path(), &limited);
    assert_eq!(acknowledged(&mut child), ["first"]);
    assert!(!child.wait().unwrap().success());
    let path = folder.path().join("log");
    let torn = fs::read_to_string(&path).unwrap();
    assert_eq!(torn, format!("{}\n{}", "a".repeat(3700), "b".repeat(395)));
    let mut log = open(folder.path());
    assert_eq!(log.length().unwrap(), 3701);
    assert_eq!(log.append(b"next").unwrap().offset, 3701);
    assert_eq!(
        fs::read_to_string(&path).unwrap(),
        format!("{}\nnext\n", "a".repeat(3700))
    );
}
