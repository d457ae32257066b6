//! A repository that was cloned chooses no place outside itself.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use ken_edicts::{Error, Limits, NewEdict, Patch, Store, locate};

use crate::support::{Project, noon};

const TEXT: &str = "version: 1\nedicts:\n  - id: e_001\n    text: \"one\"\n    category: rule\n    created: 2025-03-01T00:00:00Z\n    updated: 2025-03-01T00:00:00Z\n";

fn bound(project: &Project) -> Store {
    project.store.clone().within(project.path.parent().unwrap())
}

/// The store refuses every deed, and nothing appears beside the repository or in it.
fn assert_refused(project: &Project, outside: &Path) -> String {
    let store = bound(project);
    let (limits, clock) = (Limits::default(), noon());
    let before = fs::read(outside).ok();
    let patch = || Patch {
        text: Some("two".to_owned()),
        ..Patch::default()
    };
    let refusals = [
        store.init().unwrap_err(),
        store.load(&clock).unwrap_err(),
        store.standing(&clock).unwrap_err(),
        store
            .add(NewEdict::new("two", "rule"), &limits, &clock)
            .unwrap_err(),
        store.update("e_001", patch(), &limits, &clock).unwrap_err(),
        store.confirm("e_001", &clock).unwrap_err(),
        store.remove("e_001", &clock).unwrap_err(),
        store
            .restore("e_001_v1", Patch::default(), &limits, &clock)
            .unwrap_err(),
        locate(project.path.parent().unwrap(), project.path.parent()).unwrap_err(),
    ];
    for refusal in &refusals {
        assert!(matches!(refusal, Error::Outside { .. }), "{refusal}");
        assert_eq!(refusal.to_string(), refusals[0].to_string());
    }
    assert_eq!(fs::read(outside).ok(), before);
    assert!(project.path.is_symlink());
    let folder = fs::canonicalize(project.folder.path()).unwrap();
    refusals[0]
        .to_string()
        .replace(&format!("{}/", folder.display()), "")
        .replace(&format!("{}/", project.folder.path().display()), "")
}

#[test]
fn a_link_that_leads_nowhere_is_refused() {
    let project = Project::without_file("edicts.yaml");
    let outside = project.folder.path().join("out.yaml");
    symlink("../out.yaml", &project.path).unwrap();
    insta::assert_snapshot!(
        assert_refused(&project, &outside),
        @"repo/edicts.yaml is a link to ../out.yaml, which leads to no file; put the file itself there, or name the one you mean with --path"
    );
    let inside = Project::without_file("edicts.yaml");
    symlink("elsewhere.yaml", &inside.path).unwrap();
    assert_refused(&inside, &inside.path.with_file_name("elsewhere.yaml"));
}

#[test]
fn a_link_that_leads_out_or_into_gits_own_folder_is_refused() {
    let project = Project::without_file("edicts.yaml");
    let outside = project.folder.path().join("out.yaml");
    fs::write(&outside, TEXT).unwrap();
    symlink(&outside, &project.path).unwrap();
    insta::assert_snapshot!(
        assert_refused(&project, &outside),
        @"repo/edicts.yaml leads to out.yaml, outside repo; put the file itself there, or name the one you mean with --path"
    );
    let git = Project::without_file("edicts.yaml");
    let head = git.path.with_file_name(".git").join("HEAD");
    fs::create_dir(head.parent().unwrap()).unwrap();
    fs::write(&head, "ref: refs/heads/main\n").unwrap();
    symlink(".git/HEAD", &git.path).unwrap();
    insta::assert_snapshot!(
        assert_refused(&git, &head),
        @"repo/edicts.yaml leads to git's own repo/.git/HEAD; put the file itself there, or name the one you mean with --path"
    );
}

#[test]
fn a_folder_that_is_a_link_to_the_outside_is_refused() {
    let project = Project::without_file("edicts.yaml");
    let outside = project.folder.path().join("out");
    fs::create_dir(&outside).unwrap();
    let root = project.path.parent().unwrap();
    symlink(&outside, root.join("sub")).unwrap();
    let store = Store::new(root.join("sub/edicts.yaml"), None).within(root);
    store.init().unwrap_err();
    store
        .add(NewEdict::new("two", "rule"), &Limits::default(), &noon())
        .unwrap_err();
    assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
    fs::write(outside.join("edicts.yaml"), TEXT).unwrap();
    locate(&root.join("sub"), Some(root)).unwrap_err();
}

#[test]
fn a_link_that_stays_inside_is_followed_and_so_is_every_one_that_a_person_names() {
    let project = Project::without_file("edicts.yaml");
    let docs = project.path.with_file_name("docs");
    fs::create_dir(&docs).unwrap();
    let real = docs.join("facts.yaml");
    fs::write(&real, TEXT).unwrap();
    symlink("docs/facts.yaml", &project.path).unwrap();
    let found = locate(project.path.parent().unwrap(), project.path.parent()).unwrap();
    assert_eq!(found.as_deref(), Some(project.path.as_path()));
    bound(&project)
        .add(NewEdict::new("two", "rule"), &Limits::default(), &noon())
        .unwrap();
    assert!(project.path.is_symlink() && fs::read_to_string(&real).unwrap().contains("two"));

    let named = Project::without_file("edicts.yaml");
    let outside = named.folder.path().join("out.yaml");
    symlink("../out.yaml", &named.path).unwrap();
    named.add(NewEdict::new("two", "rule")).unwrap();
    assert!(fs::read_to_string(&outside).unwrap().contains("two"));
}

#[test]
fn a_file_that_is_not_there_yet_is_made_within_the_bound() {
    let project = Project::without_file("edicts.yaml");
    bound(&project).init().unwrap();
    bound(&project)
        .add(NewEdict::new("two", "rule"), &Limits::default(), &noon())
        .unwrap();
    assert_eq!(project.load().edicts.len(), 1);
}
