//! Laws over files as people write them.

use ken_edicts::{Edict, Limits, NewEdict, Patch, Store};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError};

use crate::files::{Choices, valid_yaml};
use crate::support::{Project, noon};

/// An edict without its place and without the time of its last change.
fn content(edict: &Edict) -> serde_json::Value {
    let mut value = serde_json::to_value(edict).unwrap();
    value.as_object_mut().unwrap().remove("updated");
    value
}

fn contents(store: &Store) -> Vec<serde_json::Value> {
    store.load(&noon()).unwrap().edicts.iter().map(content).collect()
}

/// Whether every line of `old` but those in `except` stands in `new`, in order; returns the first that does not.
fn lost_line(old: &str, new: &str, except: std::ops::Range<usize>, comments: bool) -> Option<String> {
    // Between the items of a list in brackets commas come and go.
    let item = |line: &str| match line.rsplit_once('}') {
        Some((item, _)) if line.starts_with("  {id: ") => item.to_owned(),
        _ => line.to_owned(),
    };
    let mut left = new.lines().map(item);
    old.lines()
        .enumerate()
        .filter(|(at, line)| !except.contains(at) && !line.trim().is_empty())
        .filter(|(_, line)| comments || !line.trim_start().starts_with('#'))
        .find(|(_, line)| !left.any(|other| other == item(line)))
        .map(|(_, line)| line.to_owned())
}

fn check(condition: bool, what: &str, before: &str, after: &str) -> Result<(), TestCaseError> {
    if condition {
        return Ok(());
    }
    Err(TestCaseError::fail(format!(
        "{what}\n--- before\n{before}\n--- after\n{after}"
    )))
}

/// The lines of an edict: from its own to the next one's, or to the end.
fn lines_of(store: &Store, text: &str, at: usize) -> std::ops::Range<usize> {
    let edicts = store.load(&noon()).unwrap().edicts;
    let start = edicts[at].line as usize - 1;
    // A dash on a line of its own stands above.
    let start = (0..start)
        .rev()
        .find(|n| text.lines().nth(*n).unwrap().trim_start().starts_with('-'))
        .map_or(start, |n| {
            if text.lines().nth(start).unwrap().trim_start().starts_with('-') {
                start
            } else {
                n
            }
        });
    let next = edicts
        .get(at + 1)
        .map_or(usize::MAX, |next| next.line as usize - 1);
    start..next
}

/// Every case is a write to the disk: few in the suite, as many as wanted by `PROPTEST_CASES`.
fn few() -> Config {
    let wanted = std::env::var("PROPTEST_CASES")
        .ok()
        .and_then(|cases| cases.parse().ok());
    Config {
        cases: wanted.unwrap_or(80),
        failure_persistence: None,
        ..Config::default()
    }
}

proptest! {
    #![proptest_config(few())]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200), json in any::<bool>()) {
        let project = Project::without_file(if json { "edicts.json" } else { "edicts.yaml" });
        std::fs::write(&project.path, bytes).unwrap();
        let _ = project.store.load(&noon());
    }

    #[test]
    fn any_text_of_yaml_signs_is_read_or_refused(text in "[-a-z:#?|>&*!%@`'\"\\[\\]{},\n \t~0-9]{0,120}") {
        let project = Project::yaml(&format!("edicts:\n{text}"));
        let _ = project.store.load(&noon());
    }

    #[test]
    fn a_change_stays_inside_the_edict_that_it_changes(bytes in proptest::collection::vec(any::<u8>(), 0..160)) {
        let mut choices = Choices::new(&bytes);
        let made = valid_yaml(&mut choices);
        let project = Project::yaml(&made.text);
        let before = made.text.as_str();
        let loaded = project.store.load(&noon());
        check(loaded.is_ok(), &format!("not read: {loaded:?}"), before, "")?;
        let loaded = loaded.unwrap();
        check(loaded.set_aside.is_empty(), &format!("{:?}", loaded.findings), before, "")?;
        prop_assert_eq!(loaded.edicts.iter().map(|e| e.id.to_string()).collect::<Vec<_>>(), &made.ids[..]);
        let old = contents(&project.store);
        let deed = choices.below(4);
        let at = choices.below(made.ids.len().max(1));
        let id = made.ids.get(at).cloned();
        let done = match (deed, &id) {
            (1, Some(id)) => project.store.confirm(id, &noon()),
            (2, Some(id)) => {
                let patch = Patch {
                    text: Some(["new words", "with: a colon", "two\nlines", " ümlaut 漢 \"q\" 'a' "][choices.below(4)].to_owned()),
                    tags: Some(vec!["c".to_owned(); choices.below(2)]),
                    ..Patch::default()
                };
                project.store.update(id, patch, &Limits::default(), &noon())
            }
            (3, Some(id)) => project.store.remove(id, &noon()),
            _ => project.add(NewEdict::new("an added one", "release")),
        };
        let after = project.text();
        check(done.is_ok(), &format!("deed {deed}: {done:?}"), before, &after)?;
        let new = contents(&project.store);
        // Every other edict is what it was.
        match (deed, &id) {
            (3, Some(_)) => prop_assert_eq!(new.len(), old.len() - 1),
            (1 | 2, Some(_)) => prop_assert_eq!(new.len(), old.len()),
            _ => prop_assert_eq!(new.len(), old.len() + 1),
        }
        let others: Vec<_> = old.iter().enumerate().filter(|(n, _)| *n != at || id.is_none() || !(1..=3).contains(&deed)).map(|(_, e)| e).collect();
        let mut missing = new.iter();
        for edict in others {
            // Dates that the file leaves out are filled in by the write.
            let same = missing.any(|now| now == edict);
            check(same, &format!("deed {deed}: {edict} changed"), before, &after)?;
        }
        // Every line outside of it stands as it was, but for lists that were empty.
        let store = Project::yaml(before);
        let except = match (deed, &id) {
            (1..=3, Some(_)) => lines_of(&store.store, before, at),
            _ => 0..0,
        };
        let empty = |line: &str| line.trim_start_matches('\u{feff}').starts_with("edicts:") || line.starts_with("history:");
        let lost = lost_line(before, &after, except, deed != 3).filter(|line| !empty(line));
        check(lost.is_none(), &format!("deed {deed}: lost {lost:?}"), before, &after)?;
        let remarks = |text: &str| text.matches('#').count();
        check(deed != 3 || remarks(before) <= remarks(&after), "a remark was lost", before, &after)?;
        check(before.contains("\r\n") == after.contains("\r\n") && !after.replace("\r\n", "").contains('\r'), "line endings", before, &after)?;
        check(!before.contains('\r') || !after.replace("\r\n", "").contains('\n'), "mixed line endings", before, &after)?;
    }
}
