use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use ken_files::{Clock, FileError, Lock, NewFile, create_folder, replace};
use ken_secrets::Redacted;

use crate::dream::{Dream, DreamInputs, DreamSettings, Group, dream};
use crate::init::ensure_writable;
use crate::layout::{CYCLE_LOCK, Kind, LESSONS};
use crate::lessons::{DETERMINISTIC, LARGEST, NewLesson, render};
use crate::{Error, Folder, Harness, Log};

/// How long a cycle waits for another one.
const PATIENCE: Duration = Duration::from_secs(30);
/// How often a file that somebody else keeps changing is written anew.
const ATTEMPTS: usize = 5;

/// How a cycle is run.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CycleRequest {
    /// The facts that override what was learned.
    pub facts: Vec<String>,
    /// Thresholds and budgets.
    pub settings: DreamSettings,
    /// Decide, and write nothing.
    pub dry: bool,
}

/// What became of `LESSONS.md`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrote {
    /// It has other lessons now.
    Lessons,
    /// It has no lesson any more, and nobody else wrote in it.
    Removed,
    /// It says what it said; not even its date moved.
    Nothing,
}

/// What a cycle decided and did.
#[derive(Debug)]
pub struct Cycle {
    /// The log as it was.
    pub log: Log,
    /// What it decided; places are those of the log's events.
    pub dream: Dream,
    /// What it wrote, or would have.
    pub wrote: Wrote,
}

impl Folder {
    /// Distils the log into `LESSONS.md`: reads, decides ([`dream`]), and puts the file in place in one step, so that it
    /// is as before or as after, whenever the process ends. One cycle at a time; appends go on meanwhile. What people
    /// wrote outside the blocks stays. With the same inputs nothing is written.
    ///
    /// # Errors
    /// When the log, the reviews or the lessons cannot be read, another cycle takes more than half a minute, a link leads
    /// out, or the disk refuses.
    pub fn cycle(&self, request: &CycleRequest, clock: &Clock) -> Result<Cycle, Error> {
        let _lock = match request.dry {
            true => None,
            false => {
                ensure_writable(&self.layout)?;
                let path = self.layout.path(CYCLE_LOCK);
                if let Some(folder) = path.parent() {
                    create_folder(folder, NewFile::Shared)?;
                }
                Some(Lock::acquire(&path, "ken dream", PATIENCE)?)
            }
        };
        let log = self.read()?;
        let reviews = self.reviews()?;
        let decided = dream(&DreamInputs {
            events: &log.events,
            reviews: &reviews,
            seen: &HashMap::new(),
            facts: &request.facts,
            now: clock.now(),
            settings: request.settings,
        });
        let lessons: Vec<NewLesson> = decided.lessons().map(|group| lesson(group, &log)).collect();
        let wrote = self.write_lessons(&lessons, request.dry)?;
        Ok(Cycle {
            log,
            dream: decided,
            wrote,
        })
    }

    fn write_lessons(&self, lessons: &[NewLesson], dry: bool) -> Result<Wrote, Error> {
        let path = self.lessons_path();
        for _ in 0..ATTEMPTS {
            let before = self.lessons_text(&path)?;
            let text = render(lessons, before.as_deref().unwrap_or_default(), DETERMINISTIC);
            let text = text.map(|text| Redacted::new(text).0.into_inner());
            let wrote = match (&before, &text) {
                (Some(before), Some(text)) if before == text => Wrote::Nothing,
                (None, None) => Wrote::Nothing,
                (_, Some(_)) => Wrote::Lessons,
                (Some(_), None) => Wrote::Removed,
            };
            if dry || wrote == Wrote::Nothing {
                return Ok(wrote);
            }
            // An editor does not know the lock.
            if self.lessons_text(&path)? != before {
                continue;
            }
            match text {
                Some(text) => {
                    if let Some(folder) = path.parent() {
                        create_folder(folder, NewFile::Shared)?;
                    }
                    replace(&path, text.as_bytes(), NewFile::Shared)?;
                }
                None => fs::remove_file(&path).map_err(|error| Error::reading(&path, error))?,
            }
            return Ok(wrote);
        }
        Err(Error::Unsettled { path })
    }

    /// The lessons' file as it stands; `None` when there is none.
    fn lessons_text(&self, path: &Path) -> Result<Option<String>, Error> {
        if !self.layout.expect(LESSONS, Kind::File)? {
            return Ok(None);
        }
        match ken_files::read_bounded(path, LARGEST) {
            Ok(bytes) => match String::from_utf8(bytes) {
                Ok(text) => Ok(Some(text)),
                Err(_) => Err(Error::NotUtf8 {
                    path: path.to_owned(),
                }),
            },
            Err(FileError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

fn lesson(group: &Group, log: &Log) -> NewLesson {
    let event = |place: &usize| &log.events[*place].event;
    let speaker = event(&group.speaker);
    let harnesses: BTreeSet<&Harness> = group
        .members
        .iter()
        .filter_map(|member| event(member).source_harness.as_ref())
        .collect();
    NewLesson {
        id: speaker.id,
        skill: speaker.skill_action.clone(),
        content: speaker.content.clone(),
        recurrence: group.recurrence,
        pain: speaker.pain,
        last_seen: group.last_seen,
        harnesses: harnesses.into_iter().cloned().collect(),
    }
}
