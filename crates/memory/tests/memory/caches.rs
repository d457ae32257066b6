//! Caches of the library and of the edicts: whatever becomes of them, every answer is the same, for everyone.

use std::fs;
use std::path::{Path, PathBuf};

use ken_library::{AccessLevel, Caller};
use ken_memory::{BriefRequest, Situation};

use crate::machine::Machine;

/// What everyone is answered, each question as a process of its own asks it.
fn answers(machine: &Machine) -> String {
    let text = "Ask Zephyrine whether db_version of Orchard, once Lampwick, suits Mercury Bank";
    let mut answers = String::new();
    for (caller, level) in [
        (Caller::person(), AccessLevel::Private),
        (Caller::local_agent(AccessLevel::Team), AccessLevel::Team),
        (Caller::local_agent(AccessLevel::Public), AccessLevel::Public),
    ] {
        let memory = || machine.caller(caller.clone(), Some("codex"));
        let mut said = machine.shown(&memory().recognise(text));
        for situation in [Situation::SessionStart, Situation::Prompt(text.to_owned())] {
            said += &machine.shown(&memory().brief(&BriefRequest::new(situation)));
        }
        for name in ["Orchard", "the parser"] {
            said += &machine.shown(&memory().who_knows(name));
        }
        said += &machine.shown(&memory().status());
        said += &machine.shown(&memory().recent_work(&Default::default()).unwrap());
        // Where what they asked stands is not repeated; the private name is the person's alone.
        let told = said.matches("Zephyrine").count();
        assert_eq!(told > 0, level == AccessLevel::Private, "{level}: {said}");
        assert!(!said.contains("vault") || level == AccessLevel::Private, "{said}");
        answers += &said;
    }
    answers
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for path in entries.map(|entry| entry.unwrap().path()) {
        if path.is_dir() {
            files(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// Every file that is only a cache.
fn caches(machine: &Machine) -> Vec<PathBuf> {
    let mut found = Vec::new();
    files(&machine.paths.library.join(".ken/cache"), &mut found);
    files(&machine.paths.state.join("edicts"), &mut found);
    found.retain(|path| {
        path.extension()
            .is_none_or(|ending| ending != "json" && ending != "lock")
    });
    found
}

#[test]
fn cold_warm_deleted_damaged_or_impossible_they_change_no_answer() {
    let machine = Machine::lived_in();
    let expected = answers(&machine);
    assert!(caches(&machine).len() >= 3, "{:?}", caches(&machine));
    // As long as the files are fresh they are compared byte by byte, and not afterwards.
    for _ in 0..2 {
        assert_eq!(answers(&machine), expected);
        std::thread::sleep(std::time::Duration::from_millis(200));
    }
    assert_eq!(answers(&machine), expected);
    let whole: Vec<(PathBuf, Vec<u8>)> = caches(&machine)
        .into_iter()
        .map(|path| (path.clone(), fs::read(path).unwrap()))
        .collect();
    for (number, (path, bytes)) in whole.iter().enumerate() {
        let mut garbled = bytes.clone();
        let middle = bytes.len() / 2;
        garbled[middle..].iter_mut().for_each(|byte| *byte ^= 0x5a);
        let damage: [&[u8]; 3] = [&bytes[..middle], &garbled, b""];
        fs::write(path, damage[number % 3]).unwrap();
        assert_eq!(answers(&machine), expected, "{path:?}");
        fs::remove_file(path).unwrap();
        assert_eq!(answers(&machine), expected, "{path:?}");
    }
    // Each in the place of another.
    for ((path, _), (_, bytes)) in whole.iter().zip(whole.iter().skip(1)) {
        fs::write(path, bytes).unwrap();
    }
    assert_eq!(answers(&machine), expected);
    // Nowhere to put them.
    for folder in [
        machine.paths.library.join(".ken"),
        machine.paths.state.join("edicts"),
    ] {
        fs::remove_dir_all(&folder).unwrap();
        fs::write(&folder, "not a folder").unwrap();
    }
    assert_eq!(answers(&machine), expected);
}
