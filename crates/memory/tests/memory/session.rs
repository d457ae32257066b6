//! What a session was told, and what was in flight in it.

use ken_memory::{Brief, BriefRequest, InFlight, Memory, Situation};
use ken_text::tokens::prompt_tokens;

use crate::machine::Machine;

fn request(situation: Situation) -> BriefRequest {
    BriefRequest {
        session: Some("s1".to_owned()),
        ..BriefRequest::new(situation)
    }
}

/// Asks, and gives out what comes.
fn give(memory: &Memory, situation: Situation) -> Brief {
    let request = request(situation);
    let brief = memory.brief(&request);
    memory.told(&request, &brief);
    brief
}

fn about_orchard() -> Situation {
    Situation::Prompt("is Orchard frozen".to_owned())
}

#[test]
fn what_was_not_given_out_counts_as_never_said() {
    let machine = Machine::lived_in();
    let memory = machine.agent("codex");
    // A caller that gives up half-way asks, and does not say that it told.
    let lost = memory.brief(&request(Situation::SessionStart));
    assert!(!lost.text.is_empty());
    assert_eq!(memory.last_brief(None), None);
    assert_eq!(give(&memory, Situation::SessionStart).text, lost.text);
    assert_eq!(memory.last_brief(None).unwrap().text, lost.text);
    assert_eq!(give(&memory, about_orchard()).text, "");
}

#[test]
fn a_session_that_cannot_be_noted_says_so_before_it_is_told() {
    let machine = Machine::lived_in();
    let memory = machine.agent("codex");
    let asked = request(Situation::SessionStart);
    let brief = memory.brief(&asked);
    assert!(!brief.text.is_empty());
    // A file stands where the folder should be: as with a full disk, nothing can be kept.
    let sessions = machine.paths.state.join("brief/sessions");
    std::fs::create_dir_all(machine.paths.state.join("brief")).unwrap();
    std::fs::write(&sessions, "in the way").unwrap();
    let refused = memory.can_note(&asked, &brief).unwrap_err().to_string();
    assert!(refused.contains("brief/sessions"), "{refused}");
    // Without a session there is nothing to note, and who is asked answers all the same.
    let nobody = BriefRequest::new(Situation::SessionStart);
    assert!(memory.can_note(&nobody, &brief).is_ok());
    memory.told(&asked, &brief);
    assert_eq!(memory.last_brief(None).unwrap().text, brief.text);
    std::fs::remove_file(&sessions).unwrap();
    // What can be noted is not told yet; then it is, and needs no room any more.
    memory.can_note(&asked, &brief).unwrap();
    let size = || {
        let files = std::fs::read_dir(&sessions).unwrap();
        files
            .map(|file| file.unwrap().metadata().unwrap().len())
            .sum::<u64>()
    };
    let room = size();
    assert!(room > 0);
    assert_eq!(memory.brief(&asked).text, brief.text);
    memory.can_note(&asked, &brief).unwrap();
    memory.told(&asked, &brief);
    assert_eq!((memory.brief(&asked).text, size()), (String::new(), room));
    // The one sentence about trust is noted as well.
    machine.person().untrust().unwrap();
    let untrusted = memory.brief(&asked);
    assert!(untrusted.untrusted.is_some());
    memory.can_note(&asked, &untrusted).unwrap();
    memory.told(&asked, &untrusted);
    assert_eq!(memory.brief(&asked).untrusted, None);
}

#[test]
fn how_a_session_begins_decides_what_is_said_again() {
    let machine = Machine::lived_in();
    let memory = machine.agent("codex");
    let begin = |situation| give(&memory, situation).text;
    let whole = begin(Situation::SessionStart);
    assert!(whole.contains("frozen"));
    assert_eq!(
        begin(Situation::SessionStart),
        "",
        "a resumed session holds it still"
    );
    assert_eq!(begin(Situation::Cleared), whole);
    assert_eq!(begin(Situation::AfterCompaction), whole);
    assert_eq!(give(&memory, about_orchard()).text, "");
    // What changed since is said to a session that is resumed.
    machine.write(
        "edicts.yaml",
        "version: 1\nedicts:\n  - {category: release, text: Orchard is open again.}\n",
    );
    let resumed = begin(Situation::SessionStart);
    assert!(
        resumed.contains("open again") && !resumed.contains("PostgreSQL"),
        "{resumed}"
    );
}

#[test]
fn a_line_that_was_left_out_is_told_when_there_is_room() {
    let machine = Machine::lived_in();
    let memory = machine.agent("codex");
    let small = BriefRequest {
        budget: Some(75),
        ..request(Situation::SessionStart)
    };
    let first = memory.brief(&small);
    memory.told(&small, &first);
    assert!(first.left_out > 0 && first.tokens <= 75, "{}", first.text);
    let rest = give(&memory, Situation::SessionStart);
    assert!(!rest.text.is_empty());
    for line in first.text.lines().filter(|line| line.starts_with("- ")) {
        assert!(!rest.text.contains(line), "{line} twice");
    }
}

#[test]
fn after_a_compaction_the_session_hears_what_was_in_flight_in_it() {
    let machine = Machine::lived_in();
    let memory = machine.agent("codex");
    let note = InFlight {
        request: Some("move the importer\nto the new schema".to_owned()),
        files: vec!["src/importer.rs".to_owned(), "src/schema.rs".to_owned()],
    };
    memory.note_in_flight("s1", note).unwrap();
    // Only this session, only after its compaction, only in this project.
    assert!(!give(&memory, Situation::SessionStart).text.contains("importer"));
    let elsewhere = memory.brief(&BriefRequest {
        session: Some("s2".to_owned()),
        ..BriefRequest::new(Situation::AfterCompaction)
    });
    assert!(!elsewhere.text.contains("importer"));
    let brief = give(&memory, Situation::AfterCompaction);
    let work: Vec<&str> = brief
        .text
        .split("## Work here (library)\n")
        .nth(1)
        .unwrap()
        .lines()
        .take(2)
        .collect();
    assert_eq!(
        work,
        [
            "- before the compaction, noted by codex at 2026-11-30T12:00Z: the person asked: move the importer to the new schema",
            "- before the compaction, noted by codex at 2026-11-30T12:00Z: files being edited: src/importer.rs, src/schema.rs",
        ]
    );
    let outside = Memory::open(ken_memory::Setting {
        project: None,
        ..machine.setting()
    })
    .unwrap();
    assert_eq!(outside.brief(&request(Situation::AfterCompaction)).text, "");
    // In a repository that nobody trusts it is still the session's own.
    machine.person().untrust().unwrap();
    let untrusted = memory.brief(&request(Situation::AfterCompaction));
    assert!(untrusted.text.contains("importer") && untrusted.untrusted.is_some());
    assert!(
        !untrusted.text.contains("PostgreSQL") && !untrusted.text.contains("Streaming parser"),
        "{}",
        untrusted.text
    );
    // A person who clears the conversation is done with it.
    give(&memory, Situation::Cleared);
    assert!(
        !give(&memory, Situation::AfterCompaction)
            .text
            .contains("importer")
    );
}

#[test]
fn a_session_that_goes_on_is_not_told_what_it_noted_itself() {
    let machine = Machine::lived_in();
    let begin = |agent: &str| {
        let request = request(Situation::SessionStart);
        machine.agent(agent).brief(&request).text
    };
    let (stream, row) = ("in flight: Streaming parser", "- 2026-11-28 claude-code: Rewrote");
    let note = |request: &str| {
        let note = InFlight {
            request: Some(request.to_owned()),
            files: Vec::new(),
        };
        machine.agent("claude-code").note_in_flight("s1", note).unwrap();
    };
    note("something else");
    assert!(begin("claude-code").contains(stream) && begin("claude-code").contains(row));
    note("Rewrote the parser so that it streams");
    let text = begin("claude-code");
    assert!(text.contains(stream) && !text.contains(row), "{text}");
    assert!(text.contains("2026-11-25 codex: Moved the schema"), "{text}");
    note("Streaming parser");
    let text = begin("claude-code");
    assert!(!text.contains(stream) && text.contains(row), "{text}");
    // Of another session it is news.
    let other = BriefRequest::new(Situation::SessionStart);
    assert!(machine.agent("claude-code").brief(&other).text.contains(stream));
}

#[test]
fn a_note_of_what_is_in_flight_is_bounded_and_holds_no_credential() {
    let machine = Machine::lived_in();
    let memory = machine.agent("codex");
    let secret = ["ghp", "_", "a7b3d9e2g6", "h1k8m4p5q0", "r2s6t9v3w7", "x1y5z8"].concat();
    let note = InFlight {
        request: Some(format!("use {secret} and {}", "記".repeat(100_000))),
        files: (0..10_000)
            .map(|number| format!("src/{secret}/{number}{}", "x".repeat(500)))
            .collect(),
    };
    memory.note_in_flight("s1", note).unwrap();
    let folder = machine.paths.state.join("brief/in-flight");
    let file = std::fs::read_dir(&folder)
        .unwrap()
        .next()
        .unwrap()
        .unwrap()
        .path();
    let kept = std::fs::read_to_string(&file).unwrap();
    assert!(kept.len() < 4_000 && !kept.contains(&secret), "{kept}");
    let brief = memory.brief(&request(Situation::AfterCompaction));
    assert!(
        brief.text.contains("use [redacted:") && !brief.text.contains(&secret),
        "{}",
        brief.text
    );
    assert_eq!(brief.tokens, prompt_tokens(&brief.text));
    // An empty note, and one that cannot be read, are none.
    std::fs::write(&file, "{").unwrap();
    assert!(
        !memory
            .brief(&request(Situation::AfterCompaction))
            .text
            .contains("before the compaction")
    );
    memory.note_in_flight("s1", InFlight::default()).unwrap();
    assert!(!file.exists());
}

#[test]
fn sessions_at_once_do_not_get_in_each_others_way() {
    let machine = Machine::lived_in();
    let expected = machine.agent("codex").brief(&request(about_orchard())).text;
    std::thread::scope(|scope| {
        for _ in 0..4 {
            // A memory of its own, as a process has it.
            let memory = machine.agent("codex");
            let expected = &expected;
            scope.spawn(move || {
                for _ in 0..10 {
                    let brief = give(&memory, about_orchard());
                    assert!(brief.text.is_empty() || brief.text == *expected, "{}", brief.text);
                }
            });
        }
    });
    assert_eq!(machine.agent("codex").brief(&request(about_orchard())).text, "");
    assert!(!machine.agent("codex").told_briefs(Some("s1"), 100).is_empty());
}

#[test]
fn what_was_told_and_what_is_in_flight_are_nobody_elses() {
    use ken_library::{AccessLevel, Caller};
    let machine = Machine::lived_in();
    let memory = machine.agent("codex");
    give(&memory, Situation::SessionStart);
    let note = |text: &str| InFlight {
        request: Some(text.to_owned()),
        files: vec!["src/vault.rs".to_owned()],
    };
    memory
        .note_in_flight("s1", note("ask Zephyrine for the key"))
        .unwrap();
    // A name that the agent must not read does not come back by this way; the rest does.
    let brief = memory.brief(&request(Situation::AfterCompaction));
    assert!(
        !brief.text.contains("Zephyrine") && brief.text.contains("src/vault.rs"),
        "{}",
        brief.text
    );
    assert!(
        machine
            .person()
            .brief(&request(Situation::AfterCompaction))
            .text
            .contains("Zephyrine")
    );
    let remote = machine.caller(Caller::remote(AccessLevel::Team), None);
    assert!(remote.told_briefs(None, 9).is_empty());
    assert!(remote.note_in_flight("s1", note("obey")).is_err());
    assert!(
        !remote
            .brief(&request(Situation::AfterCompaction))
            .text
            .contains("vault")
    );
}
