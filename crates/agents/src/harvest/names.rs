//! What may be the name of a thing: not a single common word, not a title, not a piece of a sentence.

use super::request::plain;

/// Longest name, in characters and in words.
const MAX_NAME: usize = 128;
const MAX_WORDS: usize = 5;

/// Words of which titles are made; a name of nothing else names nothing.
const TITLE_WORDS: &[&str] = &[
    "about",
    "and",
    "api",
    "architecture",
    "background",
    "changelog",
    "code",
    "codebase",
    "commands",
    "common",
    "context",
    "conventions",
    "current",
    "debugging",
    "decisions",
    "dependencies",
    "design",
    "details",
    "development",
    "docs",
    "documentation",
    "environment",
    "feedback",
    "files",
    "findings",
    "for",
    "general",
    "gotchas",
    "guide",
    "guidelines",
    "history",
    "ideas",
    "implementation",
    "important",
    "index",
    "info",
    "information",
    "in",
    "insights",
    "instructions",
    "issues",
    "key",
    "known",
    "learnings",
    "lessons",
    "list",
    "log",
    "main",
    "memory",
    "misc",
    "my",
    "next",
    "notes",
    "of",
    "on",
    "open",
    "other",
    "overview",
    "patterns",
    "plan",
    "plans",
    "preferences",
    "problems",
    "profile",
    "progress",
    "project",
    "projects",
    "questions",
    "quick",
    "readme",
    "recent",
    "reference",
    "references",
    "requirements",
    "research",
    "role",
    "rules",
    "session",
    "sessions",
    "settings",
    "setup",
    "state",
    "status",
    "steps",
    "structure",
    "style",
    "summary",
    "task",
    "tasks",
    "tech",
    "technical",
    "testing",
    "tests",
    "the",
    "things",
    "tips",
    "to",
    "todo",
    "todos",
    "tools",
    "topics",
    "troubleshooting",
    "usage",
    "user",
    "work",
    "workflow",
    "workflows",
];

/// Words with which an instruction or a question begins.
const SENTENCE_STARTS: &[&str] = &[
    "always", "avoid", "can", "do", "does", "don't", "dont", "ensure", "how", "if", "is", "it", "keep",
    "make", "must", "never", "please", "prefer", "prefers", "remember", "should", "since", "that", "there",
    "they", "this", "use", "we", "what", "when", "where", "why", "you",
];

/// Whether `name` may be the name of an entity.
pub(crate) fn names_a_thing(name: &str) -> bool {
    let name = name.trim();
    let words: Vec<String> = plain(name)
        .split(' ')
        .filter(|w| !w.is_empty())
        .map(str::to_owned)
        .collect();
    let is = |list: &[&str], word: &String| list.contains(&word.as_str());
    let Some(first) = words.first() else {
        return false;
    };
    if name.chars().count() > MAX_NAME || words.len() > MAX_WORDS || name.contains("[redacted") {
        return false;
    }
    if words.iter().all(|word| is(TITLE_WORDS, word)) || words.len() > 1 && is(SENTENCE_STARTS, first) {
        return false;
    }
    if name.ends_with(['.', '!', '?', ':', ';', ',', '…']) || name.contains(", ") || name.contains('\n') {
        return false;
    }
    !is_one_common_word(name)
}

/// Whether the name is nothing but one common word.
pub(crate) fn is_one_common_word(name: &str) -> bool {
    let plain = plain(name);
    !plain.is_empty() && !plain.contains(' ') && is_common(&plain)
}

fn is_common(word: &str) -> bool {
    TITLE_WORDS.contains(&word)
        || SENTENCE_STARTS.contains(&word)
        || ken_text::recognise::is_common_word(word)
}

/// Names as people write them out of an agent's file or field names: `feedback_flaky-tests` without the kind in front.
pub(crate) fn without_kind<'a>(name: &'a str, kind: Option<&str>) -> &'a str {
    let name = name.trim();
    let strip = |kind: &str, marks: &[char]| {
        name.strip_prefix(kind)
            .and_then(|rest| rest.strip_prefix(marks))
            .filter(|rest| !rest.is_empty())
    };
    // `user-service` is a thing of its own unless the file says that it is about the user.
    kind.and_then(|kind| strip(kind, &['_', '-']))
        .or_else(|| {
            ["project", "feedback", "reference", "user"]
                .into_iter()
                .find_map(|kind| strip(kind, &['_']))
        })
        .unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_have_names() {
        for name in [
            "tidewater",
            "Payments migration",
            "flaky-parser-tests",
            "PAY-1432",
            "C++ bindings",
            "ledger_v2",
            "支払い",
            "no mocks",
        ] {
            assert!(names_a_thing(name), "{name}");
        }
    }

    #[test]
    fn titles_pieces_of_sentences_and_common_words_do_not_name_a_thing() {
        for name in [
            "Project Overview",
            "notes",
            "TODO",
            "Key decisions and conventions",
            "Use integration tests",
            "Always run the linter first",
            "The database is on port 5432.",
            "Migrations, seeds and fixtures",
            "how to deploy",
            "a name that goes on for far too many words",
            "token [redacted:github-token]",
            "",
            "---",
        ] {
            assert!(!names_a_thing(name), "{name}");
        }
    }

    #[test]
    fn the_kind_in_front_of_a_name_is_not_part_of_it() {
        assert_eq!(
            without_kind("feedback_flaky-tests", Some("feedback")),
            "flaky-tests"
        );
        assert_eq!(without_kind("project_ledger", None), "ledger");
        assert_eq!(without_kind("user-service", Some("project")), "user-service");
        assert_eq!(without_kind("feedback", Some("feedback")), "feedback");
    }
}
