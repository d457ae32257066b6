use std::collections::HashSet;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use ken_files::FileError;

use crate::Error;

/// What each session was told: hashes of lines, a file for each session, under the state folder's `brief/sessions/`.
///
/// Before a brief is given out its lines are written down as promised, which is where a full disk or a folder that
/// cannot be written says so; once it is given out, one byte of each line makes it told. So nothing is given out that
/// cannot be remembered, and nothing counts as told that was not given out.
#[derive(Debug, Clone)]
pub(crate) struct Sessions {
    /// The folder `brief` of the state folder.
    folder: PathBuf,
}

/// Sessions that nobody spoke in for this long are forgotten.
const LIFE: Duration = Duration::from_secs(30 * 24 * 3600);
const LIMIT: u64 = 4 * 1024 * 1024;
/// What stands before the hash of a line that is promised, and before one that was told.
const PROMISED: u8 = b'?';
const TOLD: u8 = b' ';

impl Sessions {
    pub(crate) fn new(state: &Path) -> Sessions {
        Sessions {
            folder: state.join("brief"),
        }
    }

    /// Hashes of the lines that the session was told.
    pub(crate) fn known(&self, session: &str) -> HashSet<String> {
        let bytes = self.read(session).unwrap_or_default();
        String::from_utf8_lossy(&bytes)
            .lines()
            .filter(|line| !line.starts_with(char::from(PROMISED)))
            .map(|line| line.trim_start().to_owned())
            .collect()
    }

    /// Writes the lines down as promised, so that [`Sessions::tell`] finds room for them, also on a disk that is full by
    /// then.
    pub(crate) fn promise<'a>(
        &self,
        session: &str,
        lines: impl Iterator<Item = &'a String>,
    ) -> Result<(), Error> {
        let bytes = self.read(session)?;
        let written: HashSet<&[u8]> = entries(&bytes).map(|(_, hash)| hash).collect();
        let missing = lines
            .map(|line| fingerprint(line))
            .filter(|hash| !written.contains(hash.as_bytes()));
        self.add(session, &bytes, missing, PROMISED)
    }

    /// Keeps that the session was told these lines.
    pub(crate) fn tell<'a>(
        &self,
        session: &str,
        lines: impl Iterator<Item = &'a String>,
    ) -> Result<(), Error> {
        let bytes = self.read(session)?;
        let path = self.file(session);
        let mut missing: Vec<String> = lines.map(|line| fingerprint(line)).collect();
        let told: Vec<usize> = entries(&bytes)
            .filter(|(_, hash)| missing.iter().any(|line| line.as_bytes() == *hash))
            .map(|(at, _)| at)
            .collect();
        if !told.is_empty() {
            let failed = |error| FileError::io("write", &path, error);
            let mut file = OpenOptions::new().write(true).open(&path).map_err(failed)?;
            for at in told {
                file.seek(SeekFrom::Start(at as u64))
                    .and_then(|_| file.write_all(&[TOLD]))
                    .map_err(failed)?;
            }
            let written: HashSet<&[u8]> = entries(&bytes).map(|(_, hash)| hash).collect();
            missing.retain(|line| !written.contains(line.as_bytes()));
        }
        self.add(session, &bytes, missing.into_iter(), TOLD)
    }

    /// Forgets what the session was told: after a compaction it may be said again.
    pub(crate) fn forget(&self, session: &str) {
        let _ = fs::remove_file(self.file(session));
    }

    /// Forgets sessions that ended long ago, with what was in flight in them.
    pub(crate) fn sweep(&self) {
        let Some(oldest) = SystemTime::now().checked_sub(LIFE) else {
            return;
        };
        let files = ["sessions", "in-flight"]
            .iter()
            .filter_map(|folder| fs::read_dir(self.folder.join(folder)).ok())
            .flatten();
        for file in files.flatten() {
            let old = file
                .metadata()
                .and_then(|meta| meta.modified())
                .is_ok_and(|at| at < oldest);
            if old {
                let _ = fs::remove_file(file.path());
            }
        }
    }

    /// What is written of the session; nothing where nothing was.
    fn read(&self, session: &str) -> Result<Vec<u8>, Error> {
        match ken_files::read_bounded(&self.file(session), LIMIT) {
            Err(error) if error.kind() == Some(ErrorKind::NotFound) => Ok(Vec::new()),
            read => Ok(read?),
        }
    }

    fn add(
        &self,
        session: &str,
        before: &[u8],
        hashes: impl Iterator<Item = String>,
        mark: u8,
    ) -> Result<(), Error> {
        let mut text = Vec::new();
        for hash in hashes {
            text.push(mark);
            text.extend(hash.as_bytes());
            text.push(b'\n');
        }
        if text.is_empty() {
            return Ok(());
        }
        // What a full disk left without its end must not take this with it.
        if before.last().is_some_and(|last| *last != b'\n') {
            text.insert(0, b'\n');
        }
        Ok(ken_files::add_to_private(&self.file(session), &text)?)
    }

    /// A session's id comes from another program: only its hash becomes a file name.
    fn file(&self, session: &str) -> PathBuf {
        self.folder.join("sessions").join(fingerprint(session))
    }
}

/// The lines of a session's file that hold a mark and a hash, each with the place of its mark.
fn entries(bytes: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let mut at = 0;
    bytes
        .split_inclusive(|byte| *byte == b'\n')
        .filter_map(move |line| {
            let here = at;
            at += line.len();
            let (mark, hash) = line.strip_suffix(b"\n")?.split_first()?;
            [PROMISED, TOLD].contains(mark).then_some((here, hash))
        })
}

/// A line's name in a session's memory.
pub(crate) fn fingerprint(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex()[..32].to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(texts: &[&str]) -> Vec<String> {
        texts.iter().map(|text| (*text).to_owned()).collect()
    }

    fn knows(sessions: &Sessions, session: &str, text: &str) -> bool {
        sessions.known(session).contains(&fingerprint(text))
    }

    #[test]
    fn a_session_is_remembered_until_it_is_forgotten() {
        let state = tempfile::tempdir().unwrap();
        let sessions = Sessions::new(state.path());
        assert!(sessions.known("../../s").is_empty());
        sessions.tell("../../s", lines(&["one", "two"]).iter()).unwrap();
        sessions.tell("../../s", lines(&["three"]).iter()).unwrap();
        assert!(
            ["one", "two", "three"]
                .iter()
                .all(|text| knows(&sessions, "../../s", text))
        );
        assert!(sessions.known("other").is_empty());
        sessions.forget("../../s");
        assert!(sessions.known("../../s").is_empty());
        assert_eq!(fs::read_dir(state.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_promised_is_told_in_the_room_that_was_made_for_it() {
        let state = tempfile::tempdir().unwrap();
        let sessions = Sessions::new(state.path());
        let size = || fs::metadata(sessions.file("s")).unwrap().len();
        sessions.promise("s", lines(&["one", "two"]).iter()).unwrap();
        assert!(!knows(&sessions, "s", "one"));
        let room = size();
        // Asked once more, as after a reply that was not taken.
        sessions.promise("s", lines(&["one", "two"]).iter()).unwrap();
        sessions.tell("s", lines(&["one"]).iter()).unwrap();
        assert!(knows(&sessions, "s", "one") && !knows(&sessions, "s", "two"));
        sessions.tell("s", lines(&["two", "one"]).iter()).unwrap();
        assert!(knows(&sessions, "s", "one") && knows(&sessions, "s", "two"));
        assert_eq!(size(), room);
        // Half a line, as a full disk leaves it, takes nothing with it.
        ken_files::add_to_private(&sessions.file("s"), b"?abc").unwrap();
        sessions.promise("s", lines(&["three"]).iter()).unwrap();
        sessions.tell("s", lines(&["three", "four"]).iter()).unwrap();
        assert!(
            ["one", "two", "three", "four"]
                .iter()
                .all(|text| knows(&sessions, "s", text))
        );
    }

    #[test]
    fn a_session_that_cannot_be_remembered_says_so() {
        let state = tempfile::tempdir().unwrap();
        let sessions = Sessions::new(state.path());
        let fails = |sessions: &Sessions| {
            let promised = sessions.promise("s", lines(&["x"]).iter());
            assert!(sessions.tell("s", lines(&["x"]).iter()).is_err());
            promised.unwrap_err().to_string()
        };
        fs::write(state.path().join("brief"), "not a folder").unwrap();
        fails(&sessions);
        fs::remove_file(state.path().join("brief")).unwrap();
        fs::create_dir_all(sessions.file("s")).unwrap();
        assert!(fails(&sessions).contains(&sessions.file("s").display().to_string()));
        assert!(sessions.known("s").is_empty());
    }
}
