use std::fs;

use proptest::prelude::*;

use super::*;

const SOON: Duration = Duration::from_secs(5);

struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        Place {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn log(&self) -> PathBuf {
        self.folder.path().join("log.jsonl")
    }

    fn open(&self) -> LockedLog {
        LockedLog::open(&self.log(), &self.folder.path().join("lock"), "test", SOON).unwrap()
    }

    fn content(&self) -> String {
        fs::read_to_string(self.log()).unwrap()
    }
}

#[test]
fn lines_follow_each_other_and_say_where_they_stand() {
    let place = Place::new();
    let mut log = place.open();
    assert_eq!(log.last_line().unwrap(), None);
    assert_eq!(log.append(b"one").unwrap(), Appended { offset: 0 });
    assert_eq!(log.append("zwöi".as_bytes()).unwrap(), Appended { offset: 4 });
    drop(log);
    let mut log = place.open();
    assert_eq!(log.append(b"three").unwrap(), Appended { offset: 10 });
    assert_eq!(place.content(), "one\nzwöi\nthree\n");
    assert_eq!(log.length().unwrap(), 16);
    assert_eq!(log.read_from(4).unwrap(), "zwöi\nthree\n".as_bytes());
    assert_eq!(log.read_from(16).unwrap(), b"");
    assert_eq!(log.read_from(1_000_000).unwrap(), b"");
    assert_eq!(log.last_line().unwrap().unwrap(), b"three");
}

#[test]
fn a_second_one_waits_for_the_lock() {
    let place = Place::new();
    let _held = place.open();
    let lock = place.folder.path().join("lock");
    let error = LockedLog::open(&place.log(), &lock, "other", Duration::ZERO).unwrap_err();
    assert!(matches!(error, FileError::Locked { .. }), "{error}");
}

#[test]
fn what_is_not_one_line_is_refused_and_nothing_is_written() {
    let place = Place::new();
    let mut log = place.open();
    for (line, fault) in [
        (&b""[..], "is empty"),
        (b" \t\r", "is empty"),
        (b"\n", "is empty"),
        (b"ab\ncd", "holds a line break at byte 2"),
        (b"ab\n", "holds a line break at byte 2"),
    ] {
        let error = log.append(line).unwrap_err();
        let expected = format!(
            "a line for {} {fault}; write exactly one line of text at a time",
            place.log().display()
        );
        assert_eq!(error.to_string(), expected);
    }
    assert_eq!(place.content(), "");
}

#[test]
fn a_torn_tail_is_closed_first() {
    let place = Place::new();
    fs::write(place.log(), "whole\n{\"torn").unwrap();
    let mut log = place.open();
    assert_eq!(log.last_line().unwrap().unwrap(), b"whole");
    assert_eq!(log.append(b"next").unwrap(), Appended { offset: 13 });
    assert_eq!(place.content(), "whole\n{\"torn\nnext\n");
}

#[cfg(unix)]
#[test]
fn what_a_killed_process_wrote_of_its_line_is_taken_back_and_nothing_else() {
    let cases = [
        // content, start and end of what the dead process wanted to append, what is left of it
        ("whole\n{\"torn", Some((6, 20)), "whole\n"),
        ("{\"torn", Some((0, 20)), ""),
        ("left by an editor\n{\"torn", Some((17, 40)), "left by an editor"),
        ("left by an editor\n", Some((17, 40)), "left by an editor\n"),
        ("left by an editor", Some((17, 40)), "left by an editor"),
        ("whole\nedited", None, "whole\nedited"),
        ("whole\nall of it", Some((6, 15)), "whole\nall of it"),
        ("whole\nlonger than it", Some((6, 15)), "whole\nlonger than it"),
        ("whole\ntorn\nedited", Some((6, 40)), "whole\ntorn\nedited"),
        ("whole\n\nedited", Some((6, 40)), "whole\n\nedited"),
        ("short", Some((6, 40)), "short"),
    ];
    for (content, wanted, left) in cases {
        let place = Place::new();
        let log = place.open();
        fs::write(place.log(), content).unwrap();
        if let Some((start, end)) = wanted {
            let identity = log.identity;
            Intent { identity, start, end }.note(log.lock.file());
        }
        drop(log);
        assert_eq!(
            place.open().length().unwrap(),
            left.len() as u64,
            "{content:?} {wanted:?}"
        );
        assert_eq!(place.content(), left);
        // Once is enough: what stands there now is nobody's torn line.
        assert_eq!(place.open().length().unwrap(), left.len() as u64);
    }
}

#[cfg(unix)]
#[test]
fn a_file_that_was_put_there_after_a_death_is_left_alone() {
    let place = Place::new();
    let log = place.open();
    let identity = log.identity;
    let intent = Intent {
        identity,
        start: 6,
        end: 20,
    };
    intent.note(log.lock.file());
    drop(log);
    let new = place.folder.path().join("new");
    fs::write(&new, "whole\n{\"torn").unwrap();
    fs::rename(&new, place.log()).unwrap();
    place.open().append(b"next").unwrap();
    assert_eq!(place.content(), "whole\n{\"torn\nnext\n");
}

#[test]
fn nothing_is_left_to_do_after_an_append() {
    let place = Place::new();
    let mut log = place.open();
    log.append(&[b'x'; 5000]).unwrap();
    assert_eq!(Intent::left(log.lock.file()), None);
    let intent = Intent {
        identity: log.identity,
        start: u64::MAX - 1,
        end: u64::MAX,
    };
    intent.note(log.lock.file());
    assert_eq!(Intent::left(log.lock.file()), Some(intent));
    log.append(&[b'x'; 5000]).unwrap();
    assert_eq!(Intent::left(log.lock.file()), None);
    assert_eq!(Intent::needed(log.identity, 4000, 4096), None);
    assert_eq!(Intent::needed(log.identity, 4096, 8192), None);
    assert!(Intent::needed(log.identity, 4000, 4097).is_some());
}

#[test]
fn bytes_that_others_add_meanwhile_do_not_move_the_offset() {
    let place = Place::new();
    let mut log = place.open();
    log.append(b"one").unwrap();
    let mut foreign = OpenOptions::new().append(true).open(place.log()).unwrap();
    foreign.write_all(b"foreign\n").unwrap();
    assert_eq!(log.append(b"two").unwrap(), Appended { offset: 12 });
    let appended = log
        .append_watched(b"three", || foreign.write_all(b"more\n").unwrap())
        .unwrap();
    assert_eq!(appended.offset, 16);
    assert_eq!(place.content(), "one\nforeign\ntwo\nthree\nmore\n");
}

#[cfg(unix)]
#[test]
fn a_file_that_was_put_there_meanwhile_gets_the_line_too() {
    let place = Place::new();
    let mut log = place.open();
    log.append(b"one").unwrap();
    let mut checkouts = ["from git", "from git\nand again"].into_iter();
    let appended = log
        .append_watched(b"two", || {
            if let Some(content) = checkouts.next() {
                let new = place.folder.path().join("new");
                fs::write(&new, content).unwrap();
                fs::rename(&new, place.log()).unwrap();
            }
        })
        .unwrap();
    assert_eq!(place.content(), "from git\nand again\ntwo\n");
    assert_eq!(appended.offset, 19);
    // What follows goes to the file that stands there now.
    log.append(b"three").unwrap();
    assert_eq!(place.content(), "from git\nand again\ntwo\nthree\n");
}

#[cfg(unix)]
#[test]
fn a_file_that_was_removed_meanwhile_is_made_anew() {
    let place = Place::new();
    let mut log = place.open();
    log.append(b"one").unwrap();
    fs::remove_file(place.log()).unwrap();
    assert_eq!(log.append(b"two").unwrap(), Appended { offset: 0 });
    assert_eq!(place.content(), "two\n");
}

#[cfg(unix)]
#[test]
fn a_folder_that_was_removed_meanwhile_is_an_error_and_not_an_acknowledgement() {
    let place = Place::new();
    let below = place.folder.path().join("below");
    fs::create_dir(&below).unwrap();
    let lock = place.folder.path().join("lock");
    let mut log = LockedLog::open(&below.join("log"), &lock, "test", SOON).unwrap();
    fs::remove_dir_all(&below).unwrap();
    let error = log.append(b"one").unwrap_err();
    assert_eq!(error.kind(), Some(ErrorKind::NotFound), "{error}");
}

#[cfg(unix)]
#[test]
fn a_file_that_never_stays_is_given_up() {
    let place = Place::new();
    let mut log = place.open();
    let mut times = 0;
    let error = log
        .append_watched(b"one", || {
            times += 1;
            let new = place.folder.path().join("new");
            fs::write(&new, "new\n").unwrap();
            fs::rename(&new, place.log()).unwrap();
        })
        .unwrap_err();
    assert!(
        matches!(error, FileError::Unsettled { attempts: 8, .. }),
        "{error}"
    );
    assert_eq!(times, 8);
}

#[cfg(unix)]
#[test]
fn a_link_is_followed_and_stays() {
    let place = Place::new();
    let real = place.folder.path().join("real");
    std::os::unix::fs::symlink(&real, place.log()).unwrap();
    place.open().append(b"one").unwrap();
    place.open().append(b"two").unwrap();
    assert_eq!(fs::read_to_string(&real).unwrap(), "one\ntwo\n");
    assert!(fs::symlink_metadata(place.log()).unwrap().is_symlink());
}

#[cfg(unix)]
#[test]
fn a_log_that_is_a_pipe_or_a_device_or_a_folder_is_refused() {
    let place = Place::new();
    let lock = place.folder.path().join("lock");
    let made = std::process::Command::new("mkfifo")
        .arg(place.log())
        .status()
        .unwrap();
    assert!(made.success());
    for path in [&place.log(), Path::new("/dev/null"), place.folder.path()] {
        let error = LockedLog::open(path, &lock, "test", SOON).unwrap_err();
        assert!(matches!(error, FileError::NotAFile { .. }), "{error}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_write_that_fails_is_an_error() {
    let full = OpenOptions::new()
        .read(true)
        .append(true)
        .open("/dev/full")
        .unwrap();
    let error = write_whole(&full, b"line\n").unwrap_err();
    assert_eq!(error.kind(), ErrorKind::StorageFull);
}

#[test]
fn only_our_own_tail_is_taken_back() {
    let place = Place::new();
    fs::write(place.log(), "kept\nours").unwrap();
    let file = OpenOptions::new().append(true).open(place.log()).unwrap();
    take_back(&file, 8, 4);
    assert_eq!(place.content(), "kept\nours");
    take_back(&file, 9, 0);
    assert_eq!(place.content(), "kept\nours");
    take_back(&file, 9, 4);
    assert_eq!(place.content(), "kept\n");
}

#[derive(Debug, Clone)]
enum Deed {
    Append(Vec<u8>),
    Foreign(Vec<u8>),
    Reopen,
}

fn deed() -> impl Strategy<Value = Deed> {
    let line = prop::collection::vec(any::<u8>().prop_filter("one line", |b| *b != b'\n'), 1..60);
    let line = line.prop_filter("not blank", |line| !line.trim_ascii().is_empty());
    let bytes = prop::collection::vec(
        prop_oneof![Just(b'\n'), Just(b' '), Just(b'x'), any::<u8>()],
        0..40,
    );
    prop_oneof![
        3 => line.prop_map(Deed::Append),
        1 => bytes.prop_map(Deed::Foreign),
        1 => Just(Deed::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn every_acknowledged_line_is_whole_whatever_others_leave_at_the_end(
        deeds in prop::collection::vec(deed(), 1..16)
    ) {
        let place = Place::new();
        let mut model = Vec::new();
        let mut acknowledged = Vec::new();
        let mut log = place.open();
        for deed in deeds {
            match deed {
                Deed::Append(line) => {
                    if model.last().is_some_and(|last| *last != b'\n') {
                        model.push(b'\n');
                    }
                    let offset = log.append(&line).unwrap().offset;
                    prop_assert_eq!(offset, model.len() as u64);
                    model.extend_from_slice(&line);
                    model.push(b'\n');
                    prop_assert_eq!(log.last_line().unwrap(), Some(line.clone()));
                    acknowledged.push((offset, line));
                }
                Deed::Foreign(bytes) => {
                    let mut foreign = OpenOptions::new().append(true).open(place.log()).unwrap();
                    foreign.write_all(&bytes).unwrap();
                    model.extend_from_slice(&bytes);
                }
                Deed::Reopen => {
                    drop(log);
                    log = place.open();
                }
            }
        }
        let content = log.read_from(0).unwrap();
        prop_assert_eq!(&content, &model);
        for (offset, line) in acknowledged {
            let at = usize::try_from(offset).unwrap();
            prop_assert!(at == 0 || content[at - 1] == b'\n');
            prop_assert_eq!(content[at..].split(|b| *b == b'\n').next().unwrap(), &line[..]);
        }
    }
}
