use ken_edicts::{NewEdict, Outcome};

use crate::support::{EXAMPLE, Project, noon};

#[test]
fn the_example_comes_back_byte_for_byte_but_for_history() {
    let project = Project::yaml(EXAMPLE);
    assert_eq!(project.load().findings, []);
    let added = project
        .add(NewEdict::new("Standups are at nine.", "operations"))
        .unwrap();
    assert_eq!(
        (added.outcome, added.edict.id.as_str()),
        (Outcome::Created, "e_004")
    );
    let (before, after) = EXAMPLE.split_once("\nhistory:").unwrap();
    insta::assert_snapshot!(project.text().strip_prefix(before).unwrap().strip_suffix(after).unwrap(), @"");
    project.store.remove("e_004", &noon()).unwrap();
    insta::assert_snapshot!(project.text().strip_prefix(EXAMPLE).unwrap(), @"");
}
