//! What people really write, and what nobody should.

use std::fmt::Write as _;
use std::time::Instant;

use insta::assert_snapshot;
use ken_library::Visibility;

use crate::setting::{HEAD, Shelf, day, lines, message, read};

#[test]
fn unquoted_words_dates_and_numbers_are_the_texts_they_are() {
    let read = read(
        "spec_version: 0.1
agent: {id: sample, type: code-assistant, instance: 12}
last_updated: 2026-06-26T00:00:00Z
capabilities: [no, 1.10, ~x]
known_entities:
- name: no
  summary: on
  last_touched: 2026-06-24
  tags: [0x1F, true, 1_000]
  visibility: team
recent_sessions:
- date: 2026-06-24
  cwd: /x
  visibility: team
",
    )
    .unwrap();
    let manifest = &read.manifest;
    assert_eq!(manifest.spec_version, "0.1");
    assert_eq!(manifest.agent.instance.as_deref(), Some("12"));
    assert_eq!(
        manifest.last_updated,
        Some("2026-06-26T00:00:00Z".parse().unwrap())
    );
    assert_eq!(manifest.capabilities, ["no", "1.10", "~x"]);
    assert_eq!(manifest.entities[0].name, "no");
    assert_eq!(manifest.entities[0].summary.as_deref(), Some("on"));
    assert_eq!(manifest.entities[0].last_touched, day("2026-06-24"));
    assert_eq!(manifest.entities[0].tags, ["0x1F", "true", "1_000"]);
    assert_eq!(manifest.sessions[0].date, day("2026-06-24"));
    assert_snapshot!(lines(&read.findings), @r#"
    sample.l5.yaml:1:15 /spec_version warning: other readers may take 0.1 for a number; put it in quotes
    sample.l5.yaml:2:53 /agent/instance warning: other readers may take 12 for a number; put it in quotes
    sample.l5.yaml:3:15 /last_updated warning: other readers may take 2026-06-26T00:00:00Z for a date; put it in quotes
    sample.l5.yaml:4:16 /capabilities/0 warning: other readers may take no for a truth value; put it in quotes
    sample.l5.yaml:4:20 /capabilities/1 warning: other readers may take 1.10 for a number; put it in quotes
    sample.l5.yaml:6:9 /known_entities/0/name warning: other readers may take no for a truth value; put it in quotes
    sample.l5.yaml:7:12 /known_entities/0/summary warning: other readers may take on for a truth value; put it in quotes
    sample.l5.yaml:8:17 /known_entities/0/last_touched warning: other readers may take 2026-06-24 for a date; put it in quotes
    sample.l5.yaml:9:10 /known_entities/0/tags/0 warning: other readers may take 0x1F for a number; put it in quotes
    sample.l5.yaml:9:16 /known_entities/0/tags/1 warning: other readers may take true for a truth value; put it in quotes
    sample.l5.yaml:9:22 /known_entities/0/tags/2 warning: other readers may take 1_000 for a number; put it in quotes
    sample.l5.yaml:12:9 /recent_sessions/0/date warning: other readers may take 2026-06-24 for a date; put it in quotes
    "#);
}

#[test]
fn nothing_is_an_absent_key() {
    let read = read(format!(
        "{HEAD}capabilities:\nknown_entities:\n- name: A\n  summary: ~\n  tags: null\nnotes: null\nvisibility_policy:\n"
    ))
    .unwrap();
    assert_eq!(read.manifest.entities[0].summary, None);
    assert!(read.manifest.entities[0].tags.is_empty());
    assert!(read.manifest.notes.is_empty() && read.manifest.visibility_policy.is_none());
    assert_snapshot!(lines(&read.findings), @r#"
    sample.l5.yaml:6:1 /capabilities warning: nothing stands here, which is read as if the key were absent; remove the key or give it a value
    sample.l5.yaml:9:3 /known_entities/0/summary warning: nothing stands here, which is read as if the key were absent; remove the key or give it a value
    sample.l5.yaml:10:3 /known_entities/0/tags warning: nothing stands here, which is read as if the key were absent; remove the key or give it a value
    sample.l5.yaml:11:1 /notes warning: nothing stands here, which is read as if the key were absent; remove the key or give it a value
    sample.l5.yaml:12:1 /visibility_policy warning: nothing stands here, which is read as if the key were absent; remove the key or give it a value
    "#);
}

#[test]
fn a_byte_order_mark_and_windows_lines_are_fine() {
    let text = format!("\u{feff}{HEAD}known_entities:\n- name: A\n  summary: |\n    one\n    two\n")
        .replace('\n', "\r\n");
    let read = read(text).unwrap();
    assert_eq!(read.manifest.entities[0].summary.as_deref(), Some("one\ntwo\n"));
    assert!(read.findings.is_empty(), "{:?}", read.findings);
}

#[test]
fn a_session_without_a_day_keeps_none() {
    let read = read(format!(
        "{HEAD}recent_sessions:\n- date: \"\"\n- date:\n- cwd: /x\n"
    ))
    .unwrap();
    assert!(
        read.manifest
            .sessions
            .iter()
            .all(|session| session.date.is_none())
    );
    assert_eq!(read.manifest.sessions.len(), 3);
}

#[test]
fn an_unreadable_row_or_value_costs_itself() {
    let read = read(format!(
        "{HEAD}known_entities:
- name: Good
  last_touched: 2026-02-30
  visibility: everyone
  aliases: [a, [b]]
- just a text
- summary: no name
- name: \"\"
- name: Last
  tags: one
known_workstreams: none
"
    ))
    .unwrap();
    let names: Vec<&str> = read
        .manifest
        .entities
        .iter()
        .map(|row| row.name.as_str())
        .collect();
    assert_eq!(names, ["Good", "Last"]);
    assert_eq!(read.manifest.entities[0].visibility, None);
    assert_snapshot!(lines(&read.findings), @r#"
    sample.l5.yaml:8:17 /known_entities/0/last_touched error: "2026-02-30" is not a day of the calendar, such as "2026-01-31"
    sample.l5.yaml:9:15 /known_entities/0/visibility error: "everyone" is not a level; write public, team or private
    sample.l5.yaml:10:16 /known_entities/0/aliases/1 error: a list stands here, and one text is wanted
    sample.l5.yaml:11:3 /known_entities/1 error: a single value stands here, and a mapping is wanted
    sample.l5.yaml:12:3 /known_entities/2 error: `name` is missing or no text; give the row one
    sample.l5.yaml:13:3 /known_entities/3 error: `name` is missing or no text; give the row one
    sample.l5.yaml:15:9 /known_entities/4/tags error: a single value stands here, and a list of texts is wanted
    sample.l5.yaml:16:20 /known_workstreams error: a single value stands here, and a list is wanted
    "#);
}

#[test]
fn what_is_no_document_is_refused_with_its_place() {
    let mut said = String::new();
    let long = "a".repeat(70);
    for text in [
        "",
        "# only a comment\n",
        "- a\n- b\n",
        "just text\n",
        "a: 1\na: 2\n",
        "agent: {id: a, id: b}\n",
        "a: 1\n---\nb: 2\n",
        "a: !!python/object/apply:os.system [ls]\n",
        "a: !ruby/object:X {}\n",
        "a: !!binary aGk=\n",
        "a: !!int x\n",
        "a: [1, 2\n",
        "a: \"open\n",
        "a:\n\t- b\n",
        "a: *nothing\n",
        "a: &x [*x]\n",
        "? [a]\n: b\n",
        ": b\n",
        "<<: {a: b}\n",
        "spec_version: \"0.1\"\n",
        "agent: sample\n",
        "agent: {type: other}\n",
        "agent: {id: [a], type: other}\n",
        "agent: {id: ../x, type: other}\n",
        "agent: {id: a/b, type: other}\n",
        "agent: {id: \"x\\n\", type: other}\n",
        &format!("agent: {{id: {long}, type: other}}\n"),
    ] {
        let error = read(text).unwrap_err();
        writeln!(said, "{}", message(&error)).unwrap();
    }
    assert_snapshot!(said, @r#"
    sample.l5.yaml:1:1 the file holds no document; a manifest begins with spec_version, agent and last_updated
    sample.l5.yaml:1:1 the file holds no document; a manifest begins with spec_version, agent and last_updated
    sample.l5.yaml:1:1 a manifest is a mapping, and this is a list; begin with `spec_version: "0.1"`
    sample.l5.yaml:1:1 a manifest is a mapping, and this is a single value; begin with `spec_version: "0.1"`
    sample.l5.yaml:2:1 the key "a" stands here and on line 1 in one mapping; remove one of them
    sample.l5.yaml:1:16 the key "id" stands here and on line 1 in one mapping; remove one of them
    sample.l5.yaml:2:1 a second document begins here; a manifest is one document, so move this one into a file of its own
    sample.l5.yaml:1:36 the tag "!!python/object/apply:os.system" is not read here; remove it
    sample.l5.yaml:1:19 the tag "!ruby/object:X" is not read here; remove it
    sample.l5.yaml:1:13 the tag "!!binary" is not read here; remove it
    sample.l5.yaml:1:10 the tag "!!int" does not fit its value; remove it
    sample.l5.yaml:1:4 not YAML: unclosed bracket '['; quote the text or fix the indentation
    sample.l5.yaml:1:4 not YAML: unclosed quote; quote the text or fix the indentation
    sample.l5.yaml:2:2 not YAML: tabs disallowed within this context (block indentation); quote the text or fix the indentation
    sample.l5.yaml:1:4 this alias has no anchor before it; write the value out
    sample.l5.yaml:1:8 this alias stands inside what it repeats; write the value out
    sample.l5.yaml:1:3 a key must be a single text, not a list or mapping; write it as text
    sample.l5.yaml:1:1 a key is missing here; write one before the colon
    sample.l5.yaml:1:1 merge keys (`<<`) are not read; write the keys out
    sample.l5.yaml:1:1 `agent` is missing; add it with an `id` and a `type`
    sample.l5.yaml:1:8 `agent` must be a mapping; write its `id` and `type` below it
    sample.l5.yaml:1:8 `agent.id` is missing; write the file's name without `.l5.yaml`
    sample.l5.yaml:1:13 `agent.id` must be a text; write the file's name without `.l5.yaml`
    sample.l5.yaml:1:13 "../x" is not an agent id: it holds other characters; use 1 to 64 of a-z, 0-9, `_` and `-`, beginning with a letter or digit, for example `claude-code`
    sample.l5.yaml:1:13 "a/b" is not an agent id: it holds other characters; use 1 to 64 of a-z, 0-9, `_` and `-`, beginning with a letter or digit, for example `claude-code`
    sample.l5.yaml:1:13 "x\n" is not an agent id: it holds other characters; use 1 to 64 of a-z, 0-9, `_` and `-`, beginning with a letter or digit, for example `claude-code`
    sample.l5.yaml:1:13 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa" is not an agent id: it is longer than 64 characters; use 1 to 64 of a-z, 0-9, `_` and `-`, beginning with a letter or digit, for example `claude-code`
    "#);
    let mut bytes = b"ab: \xc3\xa9\ncd: x".to_vec();
    bytes.push(0xff);
    assert_snapshot!(message(&read(&bytes).unwrap_err()), @"sample.l5.yaml:2:6 this byte is not UTF-8; save the file as UTF-8");
}

#[test]
fn hostile_files_are_refused_at_once() {
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..40 {
        let before = format!("*a{}", level - 1);
        writeln!(bomb, "a{level}: &a{level} [{}]", vec![before; 9].join(", ")).unwrap();
    }
    let mut block = String::new();
    for level in 0..2_000 {
        writeln!(block, "{}a:", " ".repeat(level)).unwrap();
    }
    let anchors: String = (0..5_000).fold(String::new(), |mut all, n| {
        writeln!(all, "k{n}: &a{n} v").unwrap();
        all
    });
    let mut said = String::new();
    for text in [
        "[".repeat(100_000),
        "{a: ".repeat(100_000),
        "- ".repeat(100_000),
        "? ".repeat(100_000),
        block,
        bomb,
        anchors,
        format!("{HEAD}{}", "#".repeat(5 << 20)),
    ] {
        let start = Instant::now();
        let error = read(&text).unwrap_err();
        let took = start.elapsed();
        writeln!(said, "{}", message(&error)).unwrap();
        // Generous: these tests run unoptimised and side by side.
        assert!(took.as_millis() < 2_000, "{took:?} for {}", message(&error));
    }
    assert_snapshot!(said, @r#"
    sample.l5.yaml:1:65 collections stand more than 64 deep in each other; flatten them
    sample.l5.yaml:1:257 collections stand more than 64 deep in each other; flatten them
    sample.l5.yaml:1:129 collections stand more than 64 deep in each other; flatten them
    sample.l5.yaml:1:3 a key must be a single text, not a list or mapping; write it as text
    sample.l5.yaml:65:65 collections stand more than 64 deep in each other; flatten them
    sample.l5.yaml:5:9 anchors and aliases hold more than 100000 values; write out the ones that are needed
    sample.l5.yaml:1001:15 more than 1000 anchors; write the values out
    sample.l5.yaml is larger than 4194304 bytes; split it or remove what is not needed
    "#);
}

#[test]
fn only_regular_files_named_after_their_agent_are_manifests_and_one_bad_file_hides_no_other() {
    let shelf = Shelf::new();
    shelf.agent("good", "known_entities: [{name: A, visibility: team}]\n");
    shelf.agent("also-good", "");
    shelf.put("broken.l5.yaml", "a: [");
    shelf.put("other-id.l5.yaml", HEAD);
    shelf.put("Upper.l5.yaml", HEAD);
    shelf.put("notes.yaml", HEAD);
    shelf.put(".good.l5.yaml", HEAD);
    std::fs::create_dir(shelf.path("folder.l5.yaml")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink(shelf.path("good.l5.yaml"), shelf.path("link.l5.yaml")).unwrap();
    for other in ["staging/x", "versions/x"] {
        let folder = shelf.folder.path().join(other);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("x.l5.yaml"), HEAD.replace("sample", "x")).unwrap();
    }
    let loaded = shelf.load();
    let agents: Vec<String> = loaded.agents().map(ToString::to_string).collect();
    assert_eq!(agents, ["also-good", "good"]);
    let root = shelf.folder.path().display().to_string();
    let failures: Vec<String> = loaded
        .failures
        .iter()
        .map(|failure| failure.error.to_string().replace(&root, ""))
        .collect();
    #[cfg(unix)]
    assert_snapshot!(failures.join("\n"), @r#"
    /agents/Upper.l5.yaml: "Upper" is not an agent id: it holds other characters; use 1 to 64 of a-z, 0-9, `_` and `-`, beginning with a letter or digit, for example `claude-code`, and name the file after it
    /agents/broken.l5.yaml:1:4 not YAML: unclosed bracket '['; quote the text or fix the indentation
    /agents/folder.l5.yaml is a folder, and only regular files are read; put the manifest itself there
    /agents/link.l5.yaml is a link, and only regular files are read; put the manifest itself there
    /agents/other-id.l5.yaml:3:7 `agent.id` is "sample" and the file is named after "other-id"; make them the same
    "#);
}

#[test]
fn an_absent_library_is_an_empty_one() {
    let folder = tempfile::tempdir().unwrap();
    let library = ken_library::Library::open(folder.path().join("nowhere"));
    let loaded = library.load().unwrap();
    assert!(loaded.agents().next().is_none() && loaded.failures.is_empty());
    assert!(!library.root().exists());
}

#[test]
fn aliases_repeat_what_their_anchor_holds() {
    let read = read(format!(
        "{HEAD}known_entities:\n- &a\n  name: A\n  tags: &t [x, y]\n  visibility: public\n- {{name: B, tags: *t}}\n- *a\n"
    ))
    .unwrap();
    let rows = &read.manifest.entities;
    assert_eq!(rows[1].tags, ["x", "y"]);
    assert_eq!(rows[2], rows[0]);
    assert_eq!(rows[0].visibility, Some(Visibility::Public));
}
