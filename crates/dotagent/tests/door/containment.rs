#![cfg(unix)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use ken_dotagent::Folder;

use super::{Project, noon, said};

/// Every path below a folder, with the bytes of files and the targets of links.
fn everything(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let kind = fs::symlink_metadata(&path).unwrap();
            let what = if kind.is_symlink() {
                fs::read_link(&path).unwrap().display().to_string()
            } else if kind.is_dir() {
                folders.push(path.clone());
                "folder".to_owned()
            } else {
                fs::read_to_string(&path).unwrap()
            };
            found.push((path, what));
        }
    }
    found.sort();
    found
}

fn refused(root: &Path) -> String {
    let before = everything(root);
    let error = Folder::init(root).unwrap_err().to_string();
    assert_eq!(everything(root), before, "nothing may be written");
    error.replace(root.to_str().unwrap(), "ROOT")
}

/// A repository as a hostile hand may plant it, beside a folder that must stay as it is.
fn planted(link: &str, target: &str) -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    let outside = place.path().join("outside");
    fs::create_dir_all(outside.join("folder")).unwrap();
    fs::write(outside.join("file"), "theirs\n").unwrap();
    let root = place.path().join("repo");
    let link = root.join(link);
    fs::create_dir_all(link.parent().unwrap()).unwrap();
    symlink(target, link).unwrap();
    (place, root)
}

#[test]
fn an_agent_that_is_not_a_folder_of_the_repository_stops_everything() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join(".agent"), "a file").unwrap();
    insta::assert_snapshot!(refused(place.path()), @"ROOT/.agent is not a folder; move it away and run `ken init` again");
    assert!(Folder::open(place.path()).is_err());

    for target in [
        "../outside/folder",
        "../outside/nothing",
        "/nowhere/at/all",
        ".agent",
    ] {
        let (_place, root) = planted(".agent", target);
        insta::allow_duplicates! {
            insta::assert_snapshot!(refused(&root), @"ROOT/.agent is a link that leads out of ROOT, and ken follows none of those; put a real folder in its place");
        }
        assert!(Folder::open(&root).is_err());
    }
}

#[test]
fn a_link_inside_that_leads_out_stops_everything() {
    for (link, target) in [
        (".agent/episodic", "../../outside/folder"),
        (".agent/episodic/AGENT_LEARNINGS.jsonl", "../../../outside/file"),
        (".agent/episodic/AGENT_LEARNINGS.jsonl", "../../../outside/new"),
        (
            ".agent/episodic/AGENT_LEARNINGS.jsonl",
            "../personal/DECISIONS.md",
        ),
        (".agent/semantic/LESSONS.md", "../../../outside/file"),
        (".agent/semantic/reviews.jsonl", "../../../outside/new"),
        (".agent/personal", "../../outside/folder"),
        (".agent/personal/PREFERENCES.md", "../../../outside/new"),
        (".agent/working", "../../outside/folder"),
        (".agent/.dreamd", "../../outside/folder"),
        (".agent/.dreamd/ken", "../../../outside/folder"),
        (".agent/.dreamd/ken/log.lock", "../../../../outside/file"),
        (".agent/.dreamd/ken/repeats-2.table", "../../../../outside/file"),
        (".gitignore", "../outside/file"),
        (".gitattributes", "../outside/new"),
    ] {
        let (place, root) = planted(link, target);
        let outside = everything(&place.path().join("outside"));
        let error = refused(&root);
        assert!(
            error.starts_with(&format!("ROOT/{link} is a link that leads out of ROOT")),
            "{error}"
        );
        assert_eq!(
            everything(&place.path().join("outside")),
            outside,
            "{link} -> {target}"
        );
    }
}

#[test]
fn links_planted_later_are_not_followed_either() {
    let project = Project::new();
    let outside = tempfile::tempdir().unwrap();
    let elsewhere = outside.path().join("file");
    fs::write(&elsewhere, "theirs\n").unwrap();

    let log = project.folder.log_path();
    fs::remove_file(&log).unwrap();
    symlink(&elsewhere, &log).unwrap();
    for error in [
        project.folder.learn(said("x"), &noon()).unwrap_err().to_string(),
        project.folder.read().unwrap_err().to_string(),
        project.folder.index().unwrap_err().to_string(),
    ] {
        assert!(
            error.contains("AGENT_LEARNINGS.jsonl is a link that leads out of"),
            "{error}"
        );
    }
    fs::remove_file(&log).unwrap();

    let lessons = project.folder.lessons_path();
    symlink("../personal/PREFERENCES.md", &lessons).unwrap();
    assert!(
        project.folder.lessons().is_err(),
        "what is private is not reached through a link"
    );

    let state = project.folder.path().join(".dreamd/ken");
    fs::remove_dir_all(&state).unwrap();
    symlink(outside.path(), &state).unwrap();
    assert!(project.folder.learn(said("x"), &noon()).is_err());
    fs::remove_file(&state).unwrap();
    let learned = project.folder.learn(said("x"), &noon()).unwrap();
    assert_eq!(learned.line, 1);

    // The table is a cache: one that leads out is not used, and costs nothing but the recurrence.
    symlink(&elsewhere, state.join("repeats-2.table")).unwrap();
    let big = "words ".repeat(4000);
    for n in 0..3 {
        let learned = project.folder.learn(said(&format!("{big}{n}")), &noon()).unwrap();
        assert!(!learned.deduplicated);
    }
    assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "theirs\n");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
}

#[test]
fn links_that_stay_are_followed_and_git_is_told_of_their_end() {
    let place = tempfile::tempdir().unwrap();
    fs::create_dir_all(place.path().join("tools/agent")).unwrap();
    symlink("tools/agent", place.path().join(".agent")).unwrap();
    let (folder, report) = Folder::init(place.path()).unwrap();
    assert!(!report.created.contains(&".agent".into()));
    folder.learn(said("through a link"), &noon()).unwrap();
    assert!(
        place
            .path()
            .join("tools/agent/episodic/AGENT_LEARNINGS.jsonl")
            .is_file()
    );
    insta::assert_snapshot!(fs::read_to_string(place.path().join(".gitignore")).unwrap(), @r"
    /.agent/.dreamd/
    /.agent/personal/
    /tools/agent/.dreamd/
    /tools/agent/personal/
    ");
    let (_, report) = Folder::init(place.path()).unwrap();
    assert!(report.is_empty());

    let (_place, root) = planted(".agent", ".git/hooks");
    fs::create_dir_all(root.join(".git/hooks")).unwrap();
    assert!(refused(&root).contains(".agent is a link"));
}

#[test]
fn what_is_no_file_is_not_opened() {
    let project = Project::new();
    let log = project.folder.log_path();
    fs::remove_file(&log).unwrap();
    fs::create_dir(&log).unwrap();
    let error = project.folder.read().unwrap_err().to_string();
    assert!(
        error.ends_with("is not a regular file; move it away and run `ken init` again"),
        "{error}"
    );
    assert!(project.folder.learn(said("x"), &noon()).is_err());
}

#[test]
fn a_folder_that_cannot_be_written_is_read_and_says_so() {
    use std::os::unix::fs::PermissionsExt;
    let project = Project::new();
    project.folder.learn(said("before"), &noon()).unwrap();
    let state = project.folder.path().join(".dreamd/ken");
    let closed = [state.clone(), project.folder.path().join("episodic")];
    let files = [project.folder.log_path(), state.join("log.lock")];
    let mode = |paths: &[PathBuf], mode| {
        for path in paths {
            fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    mode(&files, 0o400);
    mode(&closed, 0o500);
    let all_powerful = fs::OpenOptions::new().append(true).open(&files[0]).is_ok();
    let (read, learned) = (
        project.folder.read(),
        project.folder.learn(said("after"), &noon()),
    );
    mode(&closed, 0o700);
    mode(&files, 0o600);
    assert_eq!(read.unwrap().events.len(), 1);
    if !all_powerful {
        let error = learned.unwrap_err().to_string();
        assert!(
            error.starts_with("cannot ") && error.contains("permission denied; check"),
            "{error}"
        );
    }
}
