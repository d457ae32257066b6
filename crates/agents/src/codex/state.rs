//! `state_*.sqlite`: what Codex itself notes of its sessions.
//!
//! A copy is read, taken together with its write-ahead log: the database is open in the running program, and what it
//! did last stands only in the log. Nothing that another program has open is locked, and nothing is written beside it.
//! What stands in it may be meant to do harm: only a plain table is read, in bounded time and memory.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use ken_files::{Lock, NewFile};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use serde::{Deserialize, Serialize};

use super::prompts::epoch;
use crate::harvest::{Digest, Redactor, Session, remote_key};
use crate::tree;

/// A larger database, its log included, is not copied.
const MAX_BYTES: u64 = 256 * 1024 * 1024;
/// Threads read, the newest; and bytes of a text.
const MAX_THREADS: usize = 5_000;
const MAX_TEXT: usize = 16 * 1024;
/// How often a copy is tried while the program rewrites its database, and how long another reader is waited for.
const TRIES: usize = 5;
const PATIENCE: Duration = Duration::from_secs(10);
/// How long the copy is read, and after how many of the engine's steps the time is looked at.
const READING: Duration = Duration::from_secs(5);
const STEPS: i32 = 10_000;

/// A session as the database knows it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Thread {
    pub(crate) id: String,
    pub(crate) folder: Option<String>,
    pub(crate) branch: Option<String>,
    /// The repository's remote, as [`remote_key`] spells it: without whoever signs in there.
    pub(crate) remote: Option<String>,
    /// Whether there was a commit.
    pub(crate) in_repository: bool,
    /// The name that a person gave it.
    pub(crate) name: Option<String>,
    pub(crate) first_words: Option<String>,
    pub(crate) created: Option<Timestamp>,
    pub(crate) updated: Option<Timestamp>,
    /// Whether memory is switched off for it, and whether the database says that it is not.
    pub(crate) off: bool,
    pub(crate) on: bool,
}

/// All of them, in the order of the database.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Threads(pub(crate) Vec<Thread>);

impl Digest for Threads {
    fn session(&self) -> Option<&Session> {
        None
    }

    fn names(&self) -> Vec<&str> {
        let named = self
            .0
            .iter()
            .flat_map(|thread| [Some(&thread.id), thread.branch.as_ref(), thread.remote.as_ref()]);
        named.flatten().map(String::as_str).collect()
    }

    fn folders(&self) -> Vec<&str> {
        self.0
            .iter()
            .filter_map(|thread| thread.folder.as_deref())
            .collect()
    }
}

/// The log beside a database, in which the last that happened stands.
pub(crate) fn log_of(database: &Path) -> PathBuf {
    with_ending(database, "-wal")
}

/// The database's threads that people began, without credentials in what was said. `scratch` is a folder of this
/// program's own for the copy, which is taken away again. The error is a sentence's second half: what is wrong with the
/// database.
pub(crate) fn threads(database: &Path, scratch: &Path, redactor: &mut Redactor) -> Result<Threads, String> {
    let copy = Copy::of(database, scratch)?;
    let mut threads = read(&copy.database, READING).map_err(|error| match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => {
            format!("takes longer than {} seconds to read", READING.as_secs())
        }
        _ => format!("is damaged or of an unknown layout ({error})"),
    })?;
    for thread in &mut threads {
        for text in [&mut thread.name, &mut thread.first_words].into_iter().flatten() {
            *text = redactor.text(of_whole_words(text));
        }
    }
    Ok(Threads(threads))
}

/// A text without the word in which it was cut: half a credential is not recognised as one.
fn of_whole_words(text: &str) -> &str {
    if text.chars().nth(MAX_TEXT - 1).is_none() {
        return text;
    }
    text.rfind(char::is_whitespace).map_or("", |at| &text[..at])
}

/// A copy of a database. Dropped, it is gone.
struct Copy {
    folder: PathBuf,
    database: PathBuf,
    _lock: Lock,
}

impl Copy {
    fn of(database: &Path, scratch: &Path) -> Result<Copy, String> {
        let cannot = |error: &dyn std::fmt::Display| format!("cannot be copied ({error})");
        ken_files::create_folder(scratch, NewFile::Private).map_err(|error| cannot(&error))?;
        let lock = Lock::acquire(&scratch.join("copy.lock"), "ken sync", PATIENCE)
            .map_err(|error| cannot(&error))?;
        let folder = scratch.join("copy");
        // What a killed process left.
        let _ = fs::remove_dir_all(&folder).or_else(|_| fs::remove_file(&folder));
        ken_files::create_folder(&folder, NewFile::Private).map_err(|error| cannot(&error))?;
        let copy = Copy {
            database: folder.join("state.sqlite"),
            folder,
            _lock: lock,
        };
        for _ in 0..TRIES {
            let before = Seen::of(database).map_err(|error| cannot(&error))?;
            if before.bytes > MAX_BYTES {
                return Err(format!("is larger than {} MiB", MAX_BYTES / (1024 * 1024)));
            }
            for ending in ["", "-wal", "-shm"] {
                let from = with_ending(database, ending);
                let to = with_ending(&copy.database, ending);
                match take(&from, &to) {
                    Ok(()) => {}
                    Err(error) if error.kind() == io::ErrorKind::NotFound && !ending.is_empty() => {}
                    Err(error) => return Err(cannot(&error)),
                }
            }
            // The log only grows until it is worked into the database: then the parts do not belong together.
            if Seen::of(database).is_ok_and(|after| after == before) {
                return Ok(copy);
            }
        }
        Err("is being rewritten all the time".to_owned())
    }
}

impl Drop for Copy {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// By what a database's rewriting is noticed: its own file, and the head of its log.
#[derive(PartialEq)]
struct Seen {
    changed: Option<std::time::SystemTime>,
    length: u64,
    log: Vec<u8>,
    bytes: u64,
}

impl Seen {
    fn of(database: &Path) -> io::Result<Seen> {
        let about = fs::metadata(database)?;
        let mut head = Vec::new();
        let mut log_length = 0;
        match tree::open(&log_of(database)) {
            Ok(file) => {
                log_length = file.metadata()?.len();
                file.take(32).read_to_end(&mut head)?;
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        Ok(Seen {
            changed: about.modified().ok(),
            length: about.len(),
            log: head,
            bytes: about.len() + log_length,
        })
    }
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(ending);
    path.into()
}

/// Copies a regular file into the private folder, at most as far as is allowed.
fn take(from: &Path, to: &Path) -> io::Result<()> {
    let source = tree::open(from)?;
    io::copy(&mut source.take(MAX_BYTES), &mut File::create(to)?)?;
    Ok(())
}

/// Reads the threads of a database that nobody else has open, for at most so long.
fn read(database: &Path, at_most: Duration) -> rusqlite::Result<Vec<Thread>> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(database, flags)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    let begun = Instant::now();
    let out_of_time = move || begun.elapsed() >= at_most;
    connection.progress_handler(STEPS, Some(out_of_time))?;
    // A view may have rows without end, and a table of a module of the engine's does as that module likes.
    let plain = "SELECT count(*) FROM pragma_table_list('threads') WHERE schema = 'main' AND type = 'table'";
    if connection.query_row(plain, [], |row| row.get::<_, i64>(0))? == 0 {
        return Ok(Vec::new());
    }
    let mut columns = Vec::new();
    let mut statement = connection.prepare("SELECT name FROM pragma_table_info('threads')")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        columns.push(row.get::<_, String>(0)?);
    }
    if !columns.iter().any(|column| column == "id") {
        return Ok(Vec::new());
    }
    // A column that this version does not have is empty.
    let column = |name: &str| {
        let there = columns.iter().any(|column| column == name);
        if there {
            format!("\"{name}\"")
        } else {
            "NULL".to_owned()
        }
    };
    let text = |name: &str| format!("substr({}, 1, {MAX_TEXT})", column(name));
    let query = format!(
        "SELECT {}, {}, {}, {}, {}, {}, coalesce({}, {}), coalesce({}, {}), {}, {}, {}, {} FROM threads ORDER BY 8 DESC, 1 LIMIT {MAX_THREADS}",
        text("id"),
        text("cwd"),
        text("git_branch"),
        text("name"),
        text("title"),
        text("first_user_message"),
        column("created_at_ms"),
        column("created_at"),
        column("updated_at_ms"),
        column("updated_at"),
        text("source"),
        text("memory_mode"),
        text("git_origin_url"),
        text("git_sha"),
    );
    let mut statement = connection.prepare(&query)?;
    let mut rows = statement.query([])?;
    let mut threads = Vec::new();
    while let Some(row) = rows.next()? {
        let text = |at: usize| -> rusqlite::Result<Option<String>> {
            Ok(match row.get_ref(at)? {
                ValueRef::Text(text) => {
                    Some(String::from_utf8_lossy(text).into_owned()).filter(|t| !t.is_empty())
                }
                _ => None,
            })
        };
        let time = |at: usize| -> rusqlite::Result<Option<Timestamp>> {
            Ok(match row.get_ref(at)? {
                ValueRef::Integer(number) => epoch(number),
                _ => None,
            })
        };
        // Helpers and the program's own are noted as `{"subagent":...}`.
        let Some(id) = text(0)?.filter(|_| !matches!(text(8), Ok(Some(source)) if source.starts_with('{')))
        else {
            continue;
        };
        let mode = text(9)?;
        threads.push(Thread {
            id,
            folder: text(1)?,
            branch: text(2)?,
            name: text(3)?,
            first_words: text(5)?.or(text(4)?),
            created: time(6)?,
            updated: time(7)?,
            off: mode.as_deref() == Some("disabled"),
            on: mode.is_some_and(|mode| mode != "disabled"),
            in_repository: text(11)?.is_some(),
            remote: text(10)?.as_deref().and_then(remote_key),
        });
    }
    Ok(threads)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_ends_when_its_time_is_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state.sqlite");
        let made = Connection::open(&path).unwrap();
        made.execute_batch(
            "CREATE TABLE threads (id TEXT, title TEXT);
             WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000)
             INSERT INTO threads SELECT i, 'words' FROM n;",
        )
        .unwrap();
        assert_eq!(read(&path, READING).unwrap().len(), MAX_THREADS);
        let error = read(&path, Duration::ZERO).unwrap_err();
        assert_eq!(error.sqlite_error_code(), Some(ErrorCode::OperationInterrupted));
    }
}
