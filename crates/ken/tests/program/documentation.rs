//! The documentation is true: every `console` block of README.md and docs/ is run, in order, on a fresh machine, and
//! what stands below a command must be what it prints. `...` on a line of its own stands for any lines, and `[..]`
//! within a line for any text.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::machine::{Machine, program};

/// A command of a document and what the document says it prints.
struct Example {
    line: usize,
    command: String,
    expected: Vec<String>,
}

fn examples(document: &str) -> Vec<Example> {
    let mut found: Vec<Example> = Vec::new();
    let mut inside = false;
    for (number, line) in document.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            inside = line.trim() == "```console";
        } else if inside {
            if let Some(command) = line.strip_prefix("$ ") {
                found.push(Example {
                    line: number + 1,
                    command: command.to_owned(),
                    expected: Vec::new(),
                });
            } else {
                let last = found.last_mut().expect("a console block starts with a command");
                last.expected.push(line.to_owned());
            }
        }
    }
    found
}

/// Whether `actual` is what `expected` says, with its ellipses.
fn agrees(expected: &[String], actual: &[&str]) -> bool {
    match expected.split_first() {
        None => actual.is_empty(),
        Some((first, rest)) if first.trim() == "..." => {
            (0..=actual.len()).any(|skipped| agrees(rest, &actual[skipped..]))
        }
        Some((first, rest)) => actual
            .split_first()
            .is_some_and(|(line, lines)| line_agrees(first, line) && agrees(rest, lines)),
    }
}

fn line_agrees(expected: &str, actual: &str) -> bool {
    let mut parts = expected.split("[..]");
    let first = parts.next().unwrap_or_default();
    let Some(mut left) = actual.strip_prefix(first) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    if parts.is_empty() {
        return left.is_empty();
    }
    let (last, middle) = parts.split_last().expect("there is a part");
    for part in middle {
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    left.ends_with(last)
}

fn run_document(path: &Path) -> usize {
    let document = std::fs::read_to_string(path).unwrap();
    let examples = examples(&document);
    let machine = Machine::new();
    let bin = Path::new(program()).parent().unwrap();
    let start = machine.folder("work");
    // One shell for the whole document, so that `cd` and variables carry over, as they do for its reader.
    let marker = "--- end of example ---";
    let mut script = String::from("exec 2>&1\n");
    for example in &examples {
        script.push_str(&format!("{}\necho '{marker}'\n", example.command));
    }
    let output = Command::new("sh")
        .args(["-c", &script])
        .current_dir(&start)
        .env_clear()
        .env("HOME", machine.home())
        .env("PATH", format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display()))
        .env("TZ", "UTC")
        .env("KEN_NOW", crate::machine::NOW)
        .env("KEN_HOOK_DEADLINE", "60000")
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&output.stdout).replace(machine.home().to_str().unwrap(), "~");
    let end = format!("{marker}\n");
    let mut printed = printed.split(&end);
    for example in &examples {
        let actual = printed.next().unwrap_or_default();
        let lines: Vec<&str> = actual.lines().map(str::trim_end).collect();
        let expected: Vec<String> = example.expected.iter().map(|l| l.trim_end().to_owned()).collect();
        assert!(
            agrees(&expected, &lines),
            "{}:{}: `{}` does not print what the document says.\nexpected:\n{}\nactual:\n{actual}",
            path.display(),
            example.line,
            example.command,
            expected.join("\n"),
        );
    }
    examples.len()
}

/// README.md, CHANGELOG.md and everything below docs/.
fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut documents = vec![root.join("README.md"), root.join("CHANGELOG.md")];
    let mut folders = vec![root.join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "md") {
                documents.push(path);
            }
        }
    }
    documents
}

#[test]
fn every_link_of_the_documentation_leads_somewhere() {
    for document in documents() {
        let text = std::fs::read_to_string(&document).unwrap();
        for (link, _) in text.split("](").skip(1).filter_map(|rest| rest.split_once(')')) {
            let file = link.split('#').next().unwrap_or_default();
            let outside = file.starts_with("https://") || file.is_empty();
            assert!(
                outside || document.parent().unwrap().join(file).exists(),
                "{}: {link} leads nowhere",
                document.display()
            );
        }
    }
}

#[test]
fn every_command_of_the_documentation_does_what_it_says() {
    let run: usize = documents().iter().map(|document| run_document(document)).sum();
    assert!(
        run >= 10,
        "only {run} examples were found: the tour in README.md is one of them"
    );
}

#[test]
fn ellipses_stand_for_what_they_say() {
    let expected: Vec<String> = ["a", "...", "b [..] c"].iter().map(|l| (*l).to_owned()).collect();
    assert!(agrees(&expected, &["a", "x", "y", "b 12 c"]));
    assert!(agrees(&expected, &["a", "b  c"]));
    assert!(!agrees(&expected, &["a", "x", "b 12 d"]));
    assert!(!agrees(&expected, &["x", "b 12 c"]));
}

#[test]
fn the_rules_of_edicts_are_all_documented_in_their_own_words() {
    let document = include_str!("../../../../docs/edicts.md");
    let documented: Vec<(&str, &str)> = document
        .lines()
        .filter_map(|line| {
            let mut cells = line.strip_prefix("| `")?.split(" | ");
            let code = cells.next()?.strip_suffix('`')?;
            let about = cells.next()?;
            let severity = cells.next()?;
            let remedy = cells.next()?;
            (["error", "warning", "error, warning"].contains(&severity) && remedy.len() > 8)
                .then_some((code, about))
        })
        .collect();
    let rules: Vec<(&str, &str)> = ken_edicts::Rule::ALL
        .iter()
        .map(|rule| (rule.code(), rule.about()))
        .collect();
    assert_eq!(documented, rules);
}

#[test]
fn the_rules_of_the_audit_are_all_documented_in_their_own_words() {
    let document = include_str!("../../../../docs/continuous-integration.md");
    for rule in ken_memory::LeakRule::ALL {
        let row = format!("| `{}` | {} |", rule.code(), rule.about());
        assert!(document.lines().any(|line| line == row), "{row}");
    }
}
