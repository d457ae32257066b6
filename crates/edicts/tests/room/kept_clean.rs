//! What a writer leaves on the disk, and how much it puts there.

use std::fs;

use ken_edicts::{Limits, MAX_FILE, NewEdict, Store};
use ken_files::create_folder;

use crate::support::{Project, noon};

const LEFT: &str = ".ken-0123456789abcdef.tmp";

#[test]
fn the_next_write_removes_what_a_killed_one_left() {
    let project = Project::yaml("version: 1\nedicts: []\n");
    let state = project.folder.path().join("state/edicts");
    create_folder(&state, ken_files::NewFile::Private).unwrap();
    let (beside, copy) = (project.path.with_file_name(LEFT), state.join(LEFT));
    let mine = project.path.with_file_name(".ken-notes.tmp");
    for path in [&beside, &copy, &mine] {
        fs::write(path, "half").unwrap();
    }
    project.add(NewEdict::new("one", "rule")).unwrap();
    assert!(!beside.exists() && !copy.exists() && mine.exists());

    let new = Project::without_file("edicts.yaml");
    let beside = new.path.with_file_name(LEFT);
    fs::write(&beside, "half").unwrap();
    new.store.init().unwrap();
    assert!(!beside.exists());
}

#[cfg(unix)]
#[test]
fn what_was_left_is_removed_where_the_link_leads() {
    let project = Project::yaml("version: 1\nedicts: []\n");
    let other = project.folder.path().join("other");
    fs::create_dir(&other).unwrap();
    let link = other.join("edicts.yaml");
    std::os::unix::fs::symlink(&project.path, &link).unwrap();
    let beside = project.path.with_file_name(LEFT);
    fs::write(&beside, "half").unwrap();
    Store::new(&link, None)
        .add(NewEdict::new("one", "rule"), &Limits::default(), &noon())
        .unwrap();
    assert!(!beside.exists());
}

#[test]
fn a_write_that_could_not_be_read_again_is_refused() {
    let room = "# filler\n".repeat(MAX_FILE as usize / 9 - 10);
    let text = format!("version: 1\nedicts: []\n{room}");
    let project = Project::yaml(&text);
    let refused = project
        .add(NewEdict::new("word ".repeat(40), "rule"))
        .unwrap_err()
        .to_string();
    assert!(refused.contains("is larger than 4194304 bytes; "), "{refused}");
    assert_eq!(project.text(), text);
}
