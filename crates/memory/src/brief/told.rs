use std::path::Path;

use ken_files::BoundedLog;

use super::Told;

/// The log of what was told, which a person can read: `brief/told.jsonl` under the state folder.
///
/// It is best effort: a brief is never refused because its log could not be written.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    log: BoundedLog,
}

/// The log is set aside at this size, in bytes; one earlier part is kept.
const LOG_LIMIT: u64 = 1024 * 1024;

impl Record {
    pub(crate) fn new(state: &Path) -> Record {
        Record {
            log: BoundedLog::new(state.join("brief"), "told", LOG_LIMIT),
        }
    }

    /// Adds a brief to the log.
    pub(crate) fn log(&self, told: &Told) {
        if let Ok(line) = serde_json::to_vec(told) {
            let _ = self.log.add(&line);
        }
    }

    /// The last briefs of the log, the newest first, of one session or of any. Lines that cannot be read are passed
    /// over.
    pub(crate) fn last(&self, session: Option<&str>, number: usize) -> Vec<Told> {
        let lines = self.log.lines();
        lines
            .iter()
            .rev()
            .filter_map(|line| serde_json::from_slice::<Told>(line).ok())
            .filter(|told| session.is_none_or(|wanted| told.session.as_deref() == Some(wanted)))
            .take(number)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::sessions::{Sessions, fingerprint};
    use super::*;

    fn told(session: &str, text: &str) -> Told {
        Told {
            at: "2026-11-30T00:00:00Z".parse().unwrap(),
            session: Some(session.to_owned()),
            agent: None,
            project: None,
            situation: "prompt".to_owned(),
            text: text.to_owned(),
            tokens: 1,
        }
    }

    #[test]
    fn the_last_brief_can_be_read_back_over_a_torn_line() {
        let state = tempfile::tempdir().unwrap();
        let record = Record::new(state.path());
        let last = |session| record.last(session, 1).pop().map(|told| told.text);
        assert_eq!(last(None), None);
        record.log(&told("a", "first"));
        record.log(&told("b", "second"));
        ken_files::add_to_private(&record.log.path(), b"{\"at\":").unwrap();
        assert_eq!(last(None).as_deref(), Some("second"));
        assert_eq!(last(Some("a")).as_deref(), Some("first"));
        assert_eq!(last(Some("c")), None);
        record.log(&told("c", "third"));
        let all: Vec<String> = record.last(None, 9).into_iter().map(|told| told.text).collect();
        assert_eq!(all, ["third", "second", "first"]);
    }

    #[test]
    fn a_state_folder_that_cannot_be_written_is_no_matter() {
        let state = tempfile::tempdir().unwrap();
        let file = state.path().join("brief");
        fs::write(&file, "not a folder").unwrap();
        let record = Record::new(state.path());
        record.log(&told("a", "x"));
        assert!(record.last(None, 1).is_empty());
    }

    #[test]
    fn processes_at_once_lose_no_line_when_the_log_is_full() {
        let state = tempfile::tempdir().unwrap();
        let (writers, briefs) = (6, 500);
        std::thread::scope(|scope| {
            for writer in 0..writers {
                // A record of its own, as a process has it.
                let record = Record::new(state.path());
                scope.spawn(move || {
                    for number in 0..briefs {
                        record.log(&told(
                            &writer.to_string(),
                            &format!("{number} {}", "x".repeat(1_000)),
                        ));
                    }
                });
            }
        });
        let record = Record::new(state.path());
        let number = |told: &Told| told.text.split(' ').next().unwrap().parse::<usize>().unwrap();
        for writer in 0..writers {
            let last = record.last(Some(&writer.to_string()), briefs);
            let numbers: Vec<usize> = last.iter().map(number).collect();
            let newest: Vec<usize> = (0..briefs).rev().take(numbers.len()).collect();
            assert_eq!(numbers, newest, "the newest, without a gap");
        }
        let kept = record.last(None, usize::MAX);
        assert!(
            kept.len() > 1_000 && kept.len() < writers * briefs,
            "{}",
            kept.len()
        );
        for file in ["told.jsonl", "told.1.jsonl"] {
            let text = fs::read_to_string(state.path().join("brief").join(file)).unwrap();
            // A line break too many is none too few.
            let mut lines = text.lines().filter(|line| !line.is_empty());
            assert!(lines.all(|line| serde_json::from_str::<Told>(line).is_ok()));
        }
    }

    #[cfg(unix)]
    #[test]
    fn what_was_told_is_for_this_user_alone() {
        use std::os::unix::fs::PermissionsExt;
        let state = tempfile::tempdir().unwrap();
        let record = Record::new(state.path());
        record.log(&told("a", "x"));
        let sessions = Sessions::new(state.path());
        sessions.tell("a", ["x".to_owned()].iter()).unwrap();
        let mode = |path: &str| {
            fs::metadata(state.path().join(path))
                .unwrap()
                .permissions()
                .mode()
                & 0o777
        };
        assert_eq!(
            (mode("brief"), mode("brief/sessions"), mode("brief/told.jsonl")),
            (0o700, 0o700, 0o600)
        );
        assert_eq!(mode(&format!("brief/sessions/{}", fingerprint("a"))), 0o600);
    }
}
