//! Several processes on the same files: each test starts its own program anew, in another part.
#![cfg(unix)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::print_stderr
)]

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use ken_files::{FileError, Lock, LockedLog, NewFile, remove_leftovers, replace};

const PART: &str = "KEN_FILES_TEST_PART";
const FOLDER: &str = "KEN_FILES_TEST_FOLDER";
const PATIENCE: Duration = Duration::from_secs(60);

/// What this process is to do: nothing but start others, unless it was started by [`start`].
fn part() -> Option<(String, PathBuf)> {
    let part = std::env::var(PART).ok()?;
    Some((part, PathBuf::from(std::env::var_os(FOLDER)?)))
}

/// This program again, running only `test`, in another part. `wrapper` is a program and its arguments before it.
fn start(test: &str, part: &str, folder: &Path, wrapper: &[&str]) -> Child {
    let own = std::env::current_exe().unwrap();
    let mut command = match wrapper.split_first() {
        Some((program, arguments)) => {
            let mut command = Command::new(program);
            command.args(arguments).arg(own);
            command
        }
        None => Command::new(own),
    };
    command
        .args([test, "--exact", "--nocapture"])
        .env(PART, part)
        .env(FOLDER, folder)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Tells the one who started this process that a line is on the disk. The harness may have left a line unfinished.
fn acknowledge(line: &str) {
    println!("\nacknowledged {line}");
}

fn acknowledged(child: &mut Child) -> Vec<String> {
    let output = BufReader::new(child.stdout.take().unwrap());
    output
        .lines()
        .map_while(Result::ok)
        .filter_map(|line| line.strip_prefix("acknowledged ").map(str::to_owned))
        .collect()
}

fn open(folder: &Path) -> LockedLog {
    LockedLog::open(&folder.join("log"), &folder.join("lock"), "test", PATIENCE).unwrap()
}

fn append(folder: &Path, part: &str, number: u32) {
    let line = format!("{part}-{number} {}", "x".repeat(200));
    open(folder).append(line.as_bytes()).unwrap();
}

/// The first word of every line, each of which must be whole.
fn whole_lines(folder: &Path) -> Vec<String> {
    let content = fs::read_to_string(folder.join("log")).unwrap();
    assert!(content.ends_with('\n'));
    content
        .lines()
        .map(|line| {
            let (name, rest) = line.split_once(' ').unwrap();
            assert!(rest.len() == 200 && rest.bytes().all(|b| b == b'x'), "{line}");
            name.to_owned()
        })
        .collect()
}

#[test]
fn eight_processes_append_at_once_and_each_line_is_there_once() {
    if let Some((part, folder)) = part() {
        let mut longest = Duration::ZERO;
        for number in 0..200 {
            let start = Instant::now();
            append(&folder, &part, number);
            longest = longest.max(start.elapsed());
            acknowledge(&format!("{part}-{number}"));
        }
        acknowledge(&format!("longest {}", longest.as_millis()));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let test = "eight_processes_append_at_once_and_each_line_is_there_once";
    let begin = Instant::now();
    let mut children: Vec<Child> = (0..8)
        .map(|n| start(test, &format!("p{n}"), folder.path(), &[]))
        .collect();
    let mut promised = BTreeSet::new();
    let mut longest = 0;
    for child in &mut children {
        for name in acknowledged(child) {
            match name.strip_prefix("longest ") {
                Some(time) => longest = longest.max(time.parse::<u128>().unwrap()),
                None => assert!(promised.insert(name)),
            }
        }
        assert!(child.wait().unwrap().success());
    }
    let took = begin.elapsed();
    let lines = whole_lines(folder.path());
    assert_eq!(lines.len(), 1600);
    assert_eq!(lines.into_iter().collect::<BTreeSet<_>>(), promised);
    eprintln!("1600 appends of 8 processes took {took:?}, the longest of them {longest} ms");
    assert!(
        longest < PATIENCE.as_millis() / 2,
        "one append waited {longest} ms"
    );
}

#[test]
fn what_was_acknowledged_survives_processes_that_are_killed() {
    if let Some((part, folder)) = part() {
        for number in 0.. {
            append(&folder, &part, number);
            acknowledge(&format!("{part}-{number}"));
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let test = "what_was_acknowledged_survives_processes_that_are_killed";
    let mut children: Vec<Child> = (0..4)
        .map(|n| start(test, &format!("p{n}"), folder.path(), &[]))
        .collect();
    for (child, lived) in children.iter_mut().zip([300, 70, 110, 50]) {
        std::thread::sleep(Duration::from_millis(lived));
        child.kill().unwrap();
    }
    // The lock died with its holders, and a torn line, if there is one, is closed.
    append(folder.path(), "after", 0);
    let mut lines = whole_lines(folder.path());
    let count = lines.len();
    lines.sort();
    lines.dedup();
    assert_eq!(lines.len(), count, "a line is there twice");
    let mut promised = 0;
    for child in &mut children {
        for name in acknowledged(child) {
            promised += 1;
            assert!(lines.binary_search(&name).is_ok(), "{name} is lost");
        }
        child.wait().unwrap();
    }
    assert!(
        promised > 20,
        "only {promised} lines were appended before the end"
    );
}

#[test]
fn a_process_that_dies_frees_its_lock_and_is_not_named_any_more() {
    let test = "a_process_that_dies_frees_its_lock_and_is_not_named_any_more";
    if let Some((_, folder)) = part() {
        let _held = Lock::acquire(&folder.join("lock"), "ken dream", Duration::ZERO).unwrap();
        acknowledge("locked");
        std::thread::sleep(PATIENCE);
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("lock");
    let mut child = start(test, "holder", folder.path(), &[]);
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    while !line.starts_with("acknowledged") {
        line.clear();
        assert!(output.read_line(&mut line).unwrap() > 0, "the holder ended early");
    }
    let error = Lock::acquire(&path, "ken", Duration::from_millis(10)).unwrap_err();
    let named = format!("is locked by ken dream (process {})", child.id());
    assert!(error.to_string().contains(&named), "{error}");
    child.kill().unwrap();
    child.wait().unwrap();
    let left = fs::read_to_string(&path).unwrap();
    assert!(left.contains("ken dream"), "{left}");
    // Held by a program that writes no name: the dead one's stays in the file and is not believed.
    let foreign = fs::File::open(&path).unwrap();
    foreign.lock().unwrap();
    let error = Lock::acquire(&path, "ken", Duration::ZERO).unwrap_err();
    assert!(
        error.to_string().contains("is locked by another program"),
        "{error}"
    );
    drop(foreign);
    Lock::acquire(&path, "ken", Duration::ZERO).unwrap();
}

#[test]
fn a_line_that_does_not_fit_any_more_leaves_no_trace() {
    let test = "a_line_that_does_not_fit_any_more_leaves_no_trace";
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
fn a_replacement_that_is_killed_leaves_the_old_or_the_new_file() {
    let test = "a_replacement_that_is_killed_leaves_the_old_or_the_new_file";
    let content = |number: u32| vec![b'a' + u8::try_from(number % 26).unwrap(); 200_000];
    if let Some((_, folder)) = part() {
        for number in 0.. {
            replace(&folder.join("file"), &content(number), NewFile::Private).unwrap();
            acknowledge(&number.to_string());
        }
    }
    let folder = tempfile::tempdir().unwrap();
    for lived in [60, 85, 110] {
        let mut child = start(test, "writer", folder.path(), &[]);
        std::thread::sleep(Duration::from_millis(lived));
        child.kill().unwrap();
        let written = acknowledged(&mut child);
        child.wait().unwrap();
        let Some(last) = written.last().map(|number| number.parse::<u32>().unwrap()) else {
            continue;
        };
        let seen = fs::read(folder.path().join("file")).unwrap();
        assert!(
            seen == content(last) || seen == content(last + 1),
            "{} bytes",
            seen.len()
        );
        remove_leftovers(folder.path()).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

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
        ken_files::create_folder(&disk.path().join("new"), NewFile::Shared).unwrap_err(),
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
    assert_eq!(ken_files::read_bounded(&file, 10).unwrap(), b"old");
}

#[test]
fn a_folder_that_may_not_be_written_is_named() {
    use std::os::unix::fs::PermissionsExt;

    let test = "a_folder_that_may_not_be_written_is_named";
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
