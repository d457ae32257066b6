use ken_edicts::{Error, NewEdict, Store};

use crate::support::{EXAMPLE, Project, noon};

#[test]
fn a_broken_file_leaves_the_last_good_one_in_force() {
    let project = Project::yaml(EXAMPLE);
    assert!(project.store.standing(&noon()).unwrap().problem.is_none());
    project
        .add(NewEdict::new("Written by this program.", "release"))
        .unwrap();
    let good = project.load();
    std::fs::write(&project.path, format!("{}<<<<<<< HEAD\n", project.text())).unwrap();
    let standing = project.store.standing(&noon()).unwrap();
    assert!(matches!(standing.problem, Some(Error::Parse { .. })));
    let texts = |edicts: &ken_edicts::Edicts| {
        edicts
            .in_force(noon().now())
            .map(|edict| edict.text.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(texts(&standing.edicts), texts(&good));
    assert_eq!(standing.edicts.config, good.config);
    // Writing into a broken file is refused, and it stays as it is.
    let before = project.text();
    assert!(matches!(
        project.add(NewEdict::new("x", "release")),
        Err(Error::Parse { .. })
    ));
    assert_eq!(project.text(), before);
    // Once mended, it counts again.
    std::fs::write(&project.path, EXAMPLE).unwrap();
    assert_eq!(project.store.standing(&noon()).unwrap().edicts.edicts.len(), 3);
}

#[test]
fn without_a_copy_the_problem_is_the_answer() {
    let project = Project::yaml("edicts: [\n");
    assert!(matches!(
        project.store.standing(&noon()),
        Err(Error::Parse { .. })
    ));
    let store = Store::new(&project.path, None);
    assert!(matches!(store.standing(&noon()), Err(Error::Parse { .. })));
}
