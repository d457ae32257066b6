use std::fs::File;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use ken_files::{Clock, LockedLog};
use ken_secrets::{Finding, Redacted};

use crate::check::Checked;
use crate::init::ensure_writable;
use crate::layout::{LOG, LOG_LOCK};
use crate::repeats::{Repeats, text_hash};
use crate::{Error, Event, EventId, Folder, Observation, SCHEMA_VERSION};

/// How long an append waits for the others. Each of them holds the lock for one write to the disk.
const PATIENCE: Duration = Duration::from_secs(5);

/// An observation that is on the disk.
#[derive(Debug, Clone, PartialEq)]
pub struct Learned {
    /// The event, as it stands in the log.
    pub event: Event,
    /// Its line, from 1; 0 when another program took the log away before its lines could be counted.
    pub line: u64,
    /// Whether it was there already: an event of the last 24 hours with the same dedup key. Nothing was written then.
    pub deduplicated: bool,
    /// The credentials that were found in what was given, and are not in what was written.
    pub redactions: Vec<Finding>,
}

impl Folder {
    /// Checks an observation, takes the credentials out of every field, and appends it: the one way into the log.
    ///
    /// When it returns, the event is on the disk. Any number of processes may do this at once. The event's recurrence
    /// is one more than the highest of the earlier events of the same text, as far as they are known without reading
    /// the log (a fresh clone's log becomes known over many calls); its id follows the last one of the log.
    ///
    /// # Errors
    /// [`Error::Refused`] when a rule is broken; nothing is written then. Else what keeps the log from being written:
    /// another process that holds the lock for more than a few seconds, a link that leads out, a full disk.
    pub fn learn(&self, observation: Observation, clock: &Clock) -> Result<Learned, Error> {
        let (observation, redactions) = observation.check()?;
        ensure_writable(&self.layout)?;
        let path = self.layout.path(LOG);
        let text = text_hash(&observation.content);
        self.catch_up_unlocked(&path);

        let holder = format!("ken learn for {}", observation.harness);
        let mut log = LockedLog::open(&path, &self.layout.path(LOG_LOCK), &holder, PATIENCE)?;
        let now = clock.now();
        let now = Timestamp::from_millisecond(now.as_millisecond()).unwrap_or(now);
        let before = self.before(&log, text, observation.dedup_key.as_deref(), now)?;
        if let Some((event, offset)) = before.same_key {
            drop(log);
            let line = self.line_at(&path, offset);
            self.fold(&path);
            return Ok(Learned {
                event,
                line,
                deduplicated: true,
                redactions,
            });
        }
        let last = before.last.into_iter().chain(*lock(&self.here.last));
        let id = EventId::mint(now, last);
        // The proof that the writer asks for; every field was scanned before, and nothing is found twice.
        let (event, _) = Redacted::new(event(id, now, before.recurrence, observation));
        let (line, offset) = append(&mut log, &event)?;
        drop(log);

        let event = event.into_inner();
        *lock(&self.here.last) = Some(event.id);
        let noted = self.repeats().note(&event, text, &line, offset);
        let line = noted.unwrap_or_else(|| self.line_at(&path, offset));
        self.fold(&path);
        Ok(Learned {
            event,
            line,
            deduplicated: false,
            redactions,
        })
    }

    fn repeats(&self) -> MutexGuard<'_, Repeats> {
        lock(&self.here.repeats)
    }

    /// Reads what may be much of the log before others have to wait for it. Best effort: what cannot be looked up costs
    /// the recurrence, not the observation.
    fn catch_up_unlocked(&self, path: &Path) {
        let mut repeats = self.repeats();
        if !repeats.reached_the_end()
            && let Ok(log) = File::open(path)
        {
            let _ = repeats.catch_up(&self.layout, &log);
        }
    }

    /// What the held log says about an event that is about to follow.
    fn before(&self, log: &LockedLog, text: u64, key: Option<&str>, now: Timestamp) -> Result<Before, Error> {
        let path = self.layout.path(LOG);
        let mut repeats = self.repeats();
        let caught_up = repeats.catch_up_locked(&self.layout, log.file());
        let recurrence = match caught_up {
            Ok(()) => repeats.next_recurrence(log.file(), text),
            Err(_) => 0,
        };
        let same_key = match key {
            Some(key) => caught_up
                .and_then(|()| repeats.find_key(log.file(), key, now))
                .map_err(|error| Error::reading(&path, error))?,
            None => None,
        };
        let last = match repeats.last() {
            Some(id) => Some(id),
            None => log
                .last_line()?
                .and_then(|line| Event::parse(line.trim_ascii()).ok())
                .map(|event| event.id),
        };
        Ok(Before {
            recurrence,
            same_key,
            last,
        })
    }

    /// The event is on the disk: that its line cannot be counted any more is no error.
    fn line_at(&self, path: &Path, offset: u64) -> u64 {
        let line = File::open(path).and_then(|log| self.repeats().line_at(&log, offset));
        line.unwrap_or(0)
    }

    fn fold(&self, path: &Path) {
        let mut repeats = self.repeats();
        if repeats.wants_folding()
            && let Ok(log) = File::open(path)
        {
            repeats.fold(&self.layout, &log);
        }
    }
}

struct Before {
    recurrence: u64,
    /// The event that has this dedup key already, and where it begins.
    same_key: Option<(Event, u64)>,
    /// The id of the log's last event.
    last: Option<EventId>,
}

/// A lock whose holder panicked is as good as any: what it guards is found again on the disk.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn event(id: EventId, timestamp: Timestamp, recurrence: u64, checked: Checked) -> Event {
    Event {
        schema_version: SCHEMA_VERSION.to_owned(),
        id,
        timestamp,
        content: checked.content,
        pain: checked.pain,
        importance: checked.importance,
        recurrence,
        skill_action: checked.skill_action,
        source_harness: Some(checked.harness),
        pinned: false,
        origin: checked.origin,
        tags: checked.tags,
        supersedes: checked.supersedes,
        client_dedup_key: checked.dedup_key,
        extra: serde_json::Map::new(),
    }
}

/// Writes a line of an event that was scanned, and gives it with the byte at which it begins.
fn append(log: &mut LockedLog, event: &Redacted<Event>) -> Result<(String, u64), Error> {
    let line = event.to_line();
    let offset = log.append(line.as_bytes())?.offset;
    Ok((line, offset))
}
