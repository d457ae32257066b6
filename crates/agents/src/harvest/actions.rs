//! What a session's row says: one to five lines of what was asked and done, and the files.

use super::command::Deed;
use super::request::{MAX_ACTION, cut, plain};
use super::session::{Asked, Session, weight};

/// As many lines as the contract recommends.
const MAX_ACTIONS: usize = 5;
/// As many files as the contract allows.
pub(crate) const MAX_FILES: usize = 50;

/// The lines of a session. `files` are those it edited, as the row will show them, most edited first.
///
/// The first request opens; commits, edits and commands close; between them stand the later requests that say most.
pub(crate) fn key_actions(session: &Session, files: &[String]) -> Vec<String> {
    let mut done = Vec::new();
    done.extend(committed(&session.commits));
    done.extend(edited(files));
    done.extend(ran(session));
    let mut lines: Vec<String> = requests(&session.requests, MAX_ACTIONS - done.len());
    lines.extend(done);
    if lines.is_empty() {
        lines.extend(session.greeting.clone());
    }
    lines
}

/// The first request and, of the later ones that are not variants of another, those that say most; in their order.
fn requests(all: &[Asked], places: usize) -> Vec<String> {
    let mut candidates: Vec<&Asked> = all.iter().skip(1).collect();
    candidates.sort_by_cached_key(|asked| (std::cmp::Reverse(weight(&asked.line)), asked.place));
    let with_words = |asked| -> (&Asked, String) { (asked, plain(&asked.line)) };
    let mut chosen: Vec<(&Asked, String)> = all.first().map(with_words).into_iter().collect();
    for asked in candidates {
        if chosen.len() >= places {
            break;
        }
        let words = plain(&asked.line);
        let variant = chosen
            .iter()
            .any(|(_, other)| other.contains(&words) || words.contains(other.as_str()));
        if !variant {
            chosen.push((asked, words));
        }
    }
    chosen.truncate(places);
    chosen.sort_by_key(|(asked, _)| asked.place);
    chosen.into_iter().map(|(asked, _)| asked.line.clone()).collect()
}

fn committed(subjects: &[String]) -> Option<String> {
    let last: Vec<&str> = subjects.iter().rev().take(3).rev().map(String::as_str).collect();
    (!last.is_empty()).then(|| {
        let more = subjects.len() - last.len();
        let text = format!("Committed: {}", last.join("; "));
        counted(&text, more)
    })
}

fn edited(files: &[String]) -> Option<String> {
    let shown: Vec<&str> = files.iter().take(3).map(String::as_str).collect();
    (!shown.is_empty()).then(|| counted(&format!("Edited {}", shown.join(", ")), files.len() - shown.len()))
}

/// The weightiest commands; of one that ran several times in different ways, the last.
fn ran(session: &Session) -> Option<String> {
    let same = |text: &str| text.split(' ').take(2).map(str::to_owned).collect::<Vec<_>>();
    let mut commands: Vec<(usize, &(Deed, String))> = session.commands.iter().enumerate().collect();
    commands.sort_by_key(|(at, (deed, _))| (*deed, std::cmp::Reverse(*at)));
    let mut shown: Vec<(usize, &str)> = Vec::new();
    for (at, (_, text)) in commands {
        if shown.len() < 3 && !shown.iter().any(|(_, other)| same(other) == same(text)) {
            shown.push((at, text));
        }
    }
    shown.sort_unstable();
    let shown: Vec<&str> = shown.into_iter().map(|(_, text)| text).collect();
    (!shown.is_empty()).then(|| cut(&format!("Ran {}", shown.join(", ")), MAX_ACTION))
}

fn counted(text: &str, more: usize) -> String {
    if more == 0 {
        return cut(text, MAX_ACTION);
    }
    let tail = format!(" and {more} more");
    cut(text, MAX_ACTION - tail.len()) + &tail
}

/// The files of a row out of those that a session edited: at most the contract's number, the most edited ones, in the
/// order in which they were first touched.
pub(crate) fn files_touched(mut by_edits: Vec<(String, u64, u64)>) -> Vec<String> {
    by_edits.truncate(MAX_FILES);
    by_edits.sort_by_key(|(_, _, place)| *place);
    by_edits.into_iter().map(|(path, _, _)| path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::harvest::redact::Redactor;
    use crate::harvest::told::Told;

    fn session(turns: &[&str], commands: &[&str]) -> Session {
        let mut session = Session::new("s", jiff::Timestamp::MAX);
        let mut redactor = Redactor::default();
        for turn in turns {
            session.asked(turn, None, &mut redactor);
        }
        session.settle(&Told::default());
        for command in commands {
            session.ran(command, &mut redactor);
        }
        session
    }

    #[test]
    fn a_row_tells_what_was_asked_and_done() {
        let session = session(
            &[
                "hello",
                "The parser drops the last token of a file without newline. Find out why.",
                "continue",
                "add a test",
                "the parser drops the last token of a file without newline. find out why!",
                "also make the error message say the line and the column, and what to do about it",
            ],
            &[
                "cargo nextest run -p parser | tail",
                "git add -A && git commit -m 'parser: keep the last token'",
                "cargo nextest run -p parser",
                "git push",
            ],
        );
        let files: Vec<String> = ["src/parser.rs", "tests/end.rs", "a", "b"]
            .map(str::to_owned)
            .to_vec();
        assert_eq!(
            key_actions(&session, &files),
            [
                "The parser drops the last token of a file without newline. Find out why.",
                "also make the error message say the line and the column, and what to do about it",
                "Committed: parser: keep the last token",
                "Edited src/parser.rs, tests/end.rs, a and 1 more",
                "Ran cargo nextest run -p parser, git push",
            ]
        );
    }

    #[test]
    fn a_greeting_stands_only_when_nothing_else_does() {
        assert_eq!(key_actions(&session(&["hello", "yes"], &[]), &[]), ["hello"]);
        assert_eq!(
            key_actions(&session(&["hello"], &["git push"]), &[]),
            ["Ran git push"]
        );
        assert!(key_actions(&session(&["yes", "/clear"], &["ls"]), &[]).is_empty());
    }

    #[test]
    fn a_session_of_a_thousand_requests_keeps_the_first_and_the_fullest() {
        let mut turns: Vec<String> = (0..1000).map(|n| format!("change number {n}")).collect();
        turns[500] =
            "rewrite the migration so that it can be stopped and started again at any row".to_owned();
        let turns: Vec<&str> = turns.iter().map(String::as_str).collect();
        let lines = key_actions(&session(&turns, &[]), &[]);
        assert_eq!(lines.len(), 5);
        assert_eq!(lines[0], "change number 0");
        assert!(
            lines.iter().any(|line| line.starts_with("rewrite the migration")),
            "{lines:?}"
        );
    }
}
