use std::fs;
use std::path::Path;

use ken_dotagent::{Folder, InitReport};

use super::{Project, noon, said};

fn names(report: &InitReport) -> String {
    let lines = |head: &str, paths: &[std::path::PathBuf]| -> String {
        paths
            .iter()
            .map(|path| format!("{head} {}\n", path.display()))
            .collect()
    };
    lines("created", &report.created) + &lines("extended", &report.extended)
}

fn read(root: &Path, name: &str) -> String {
    fs::read_to_string(root.join(name)).unwrap()
}

#[test]
fn the_layout_is_made_once() {
    let place = tempfile::tempdir().unwrap();
    let (folder, report) = Folder::init(place.path()).unwrap();
    insta::assert_snapshot!(names(&report), @r"
    created .gitignore
    created .gitattributes
    created .agent
    created .agent/episodic
    created .agent/semantic
    created .agent/personal
    created .agent/working
    created .agent/.dreamd
    created .agent/.dreamd/ken
    created .agent/episodic/AGENT_LEARNINGS.jsonl
    created .agent/personal/PREFERENCES.md
    created .agent/personal/DECISIONS.md
    ");
    insta::assert_snapshot!(read(place.path(), ".gitignore"), @r"
    /.agent/.dreamd/
    /.agent/personal/
    ");
    insta::assert_snapshot!(read(place.path(), ".gitattributes"), @r"
    /.agent/episodic/AGENT_LEARNINGS.jsonl merge=union
    /.agent/semantic/reviews.jsonl merge=union
    ");
    insta::assert_snapshot!(read(place.path(), ".agent/personal/PREFERENCES.md"), @r"
    # Preferences

    How you like work to be done: tools, style, tone, what to ask before. One line each is enough.

    This file is yours. Git leaves it out, and no model is shown it unless you say `--share-personal` on that very command.
    ");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = |name| {
            fs::metadata(place.path().join(name))
                .unwrap()
                .permissions()
                .mode()
                & 0o077
        };
        assert_eq!(
            (mode(".agent/personal"), mode(".agent/personal/DECISIONS.md")),
            (0, 0)
        );
    }
    folder.learn(said("kept"), &noon()).unwrap();
    fs::write(place.path().join(".agent/personal/PREFERENCES.md"), "mine\n").unwrap();

    let (again, report) = Folder::init(place.path()).unwrap();
    assert!(report.is_empty(), "{report:?}");
    assert_eq!(read(place.path(), ".agent/personal/PREFERENCES.md"), "mine\n");
    assert_eq!(again.read().unwrap().events.len(), 1);
}

#[test]
fn files_of_git_keep_what_people_wrote() {
    for (before, after) in [
        ("target", "target\n/.agent/.dreamd/\n/.agent/personal/\n"),
        (
            "# mine\r\ntarget\r\n",
            "# mine\r\ntarget\r\n/.agent/.dreamd/\r\n/.agent/personal/\r\n",
        ),
        (
            "# mine\r\ntarget",
            "# mine\r\ntarget\r\n/.agent/.dreamd/\r\n/.agent/personal/\r\n",
        ),
        (".agent/personal\n", ".agent/personal\n/.agent/.dreamd/\n"),
        (
            "/.agent/.dreamd/  \n/.agent/personal/",
            "/.agent/.dreamd/  \n/.agent/personal/",
        ),
        (
            "# /.agent/.dreamd/\n",
            "# /.agent/.dreamd/\n/.agent/.dreamd/\n/.agent/personal/\n",
        ),
    ] {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join(".gitignore"), before).unwrap();
        Folder::init(place.path()).unwrap();
        assert_eq!(read(place.path(), ".gitignore"), after, "{before:?}");
        let (_, report) = Folder::init(place.path()).unwrap();
        assert!(report.is_empty(), "{before:?}: {report:?}");
    }
    // Bytes that are not UTF-8 are people's too, and so is another way of merging.
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join(".gitignore"), b"caf\xe9\n").unwrap();
    fs::write(
        place.path().join(".gitattributes"),
        "*.png binary\n.agent/episodic/AGENT_LEARNINGS.jsonl text merge=ours\n",
    )
    .unwrap();
    let (_, report) = Folder::init(place.path()).unwrap();
    assert!(
        fs::read(place.path().join(".gitignore"))
            .unwrap()
            .starts_with(b"caf\xe9\n/.agent")
    );
    insta::assert_snapshot!(read(place.path(), ".gitattributes"), @r"
    *.png binary
    .agent/episodic/AGENT_LEARNINGS.jsonl text merge=ours
    /.agent/semantic/reviews.jsonl merge=union
    ");
    assert_eq!(report.extended.len(), 2);
}

#[test]
fn a_clone_brings_its_log_and_lacks_what_git_leaves_out() {
    let source = Project::new();
    source
        .folder
        .learn(said("from the other machine"), &noon())
        .unwrap();
    let place = tempfile::tempdir().unwrap();
    fs::create_dir_all(place.path().join(".agent/episodic")).unwrap();
    let log = ".agent/episodic/AGENT_LEARNINGS.jsonl";
    fs::write(place.path().join(log), source.log_text()).unwrap();

    // A clone can be learned in before anybody said init.
    let folder = Folder::open(place.path()).unwrap().unwrap();
    let learned = folder.learn(said("here"), &noon()).unwrap();
    assert_eq!(learned.line, 2);
    let (folder, report) = Folder::init(place.path()).unwrap();
    insta::assert_snapshot!(names(&report), @r"
    created .gitignore
    created .gitattributes
    created .agent/semantic
    created .agent/personal
    created .agent/working
    created .agent/personal/PREFERENCES.md
    created .agent/personal/DECISIONS.md
    ");
    assert_eq!(folder.read().unwrap().events.len(), 2);
}

#[test]
fn without_a_folder_there_is_none() {
    let place = tempfile::tempdir().unwrap();
    assert!(Folder::open(place.path()).unwrap().is_none());
    assert!(Folder::open(&place.path().join("nowhere")).unwrap().is_none());
    assert!(Folder::init(&place.path().join("nowhere")).is_err());

    let project = Project::new();
    fs::remove_dir_all(project.folder.path()).unwrap();
    let error = project.folder.learn(said("x"), &noon()).unwrap_err().to_string();
    assert!(
        error.ends_with(".agent does not exist; run `ken init` in its repository"),
        "{error}"
    );
    assert!(project.folder.read().is_err());
}
