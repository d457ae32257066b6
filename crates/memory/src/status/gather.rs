use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};
use ken_edicts::{Edict, Edicts, Limits};

use super::next::{Surroundings, argument, next};
use super::{Counts, EdictDue, LastWrite, ProjectStatus, Status, Trouble};
use crate::names::key;
use crate::shown::{cut, shown, shown_whole};
use crate::sources::{EdictsRead, LibraryRead};
use crate::withhold::Screen;
use crate::{Memory, Project};

/// A manifest that was not regenerated for so many days is stale.
pub(super) const STALE_DAYS: i64 = 14;
/// Edicts that expire within so many days are shown.
const EXPIRING_DAYS: i64 = 7;
/// Why an edict needs a look.
pub(super) const EXPIRING: &str = "expiring";
pub(super) const STALE: &str = "stale";
/// So much of a text is shown of the last thing that was written.
const GLIMPSE: usize = 120;
/// So many lines of a log that cannot be read are listed; all are counted.
const LISTED_LINES: usize = 20;

impl Memory {
    /// How things stand: what is known, who wrote last, what needs a look, what cannot be read, and what to do next.
    /// Nothing in it is above the caller's level, and a caller from afar learns nothing of how this machine stands.
    pub fn status(&self) -> Status {
        if !self.is_local() {
            return Status::default();
        }
        let library = self.library();
        let edicts = self.edicts();
        let mut status = Status {
            library: self.place_of(&self.setting.paths.library, library.screen()),
            counts: Counts::of(&library),
            stale_agents: self.stale_agents(&library),
            ..Status::default()
        };
        if let Some(project) = &self.setting.project {
            status.project =
                Some(self.project_status(project, &edicts, library.screen(), &mut status.troubles));
        }
        self.edict_status(&edicts, library.screen(), &mut status);
        self.agent_folder_status(library.screen(), &mut status);
        self.library_status(&library, &mut status);
        status.last_writes.sort_by(|a, b| b.when.cmp(&a.when));
        // What cannot be read may name anything.
        let screen = library.screen();
        status
            .troubles
            .retain(|trouble| screen.allows_all([trouble.place.as_str(), trouble.message.as_str()]));
        status.next = next(&status, &Surroundings::default());
        shown_whole(status)
    }

    fn project_status(
        &self,
        project: &Project,
        edicts: &EdictsRead,
        screen: Screen<'_>,
        troubles: &mut Vec<Trouble>,
    ) -> ProjectStatus {
        if let Err(error) = self.trust_file().holds(project) {
            troubles.push(Trouble::error_at(&self.setting.paths.state, &error));
        }
        ProjectStatus {
            name: self.project_name(screen).unwrap_or_default(),
            root: self.place_of(&project.root, screen),
            trusted: self.is_trusted() == Some(true),
            carries_memory: self.untrusted().is_some() || self.is_trusted() == Some(true),
            agent_folder: project.agent_root().join(crate::project::AGENT_FOLDER).is_dir(),
            edicts_file: edicts.path.as_ref().map(|path| self.place_of(path, screen)),
        }
    }

    fn edict_status(&self, read: &EdictsRead, screen: Screen<'_>, status: &mut Status) {
        let visible = self.edicts_for(read, screen);
        status.counts.edicts = visible.len();
        if !self.reaches_team() {
            return;
        }
        status.troubles.extend(read.troubles.iter().cloned());
        // Until it is trusted, only the person reads what a repository says.
        if self.untrusted().is_some() && !self.hears_everything() {
            return;
        }
        let Some(edicts) = &read.edicts else { return };
        let now = self.setting.clock.now();
        status.edicts_due = visible
            .iter()
            .filter_map(|edict| due(edict, edicts, now))
            .collect();
        if read.broken.is_none() {
            status.troubles.extend(worth_a_look(edicts, now));
        }
        if let Some(last) = visible.iter().max_by_key(|edict| (edict.updated, edict.line)) {
            status.last_writes.push(LastWrite {
                who: shown(&last.source),
                when: last.updated.to_string(),
                what: "edict".to_owned(),
                text: Some(cut(shown(&last.text), GLIMPSE).0),
            });
        }
    }

    fn agent_folder_status(&self, screen: Screen<'_>, status: &mut Status) {
        let lessons = self.lessons();
        status.counts.lessons = self.lessons_for(&lessons, screen).len();
        if self.reaches_team() {
            status.troubles.extend(lessons.troubles.iter().cloned());
        }
        if !self.setting.may_read_events() {
            return;
        }
        let (log, path) = match self.log() {
            Ok(Some(read)) => read,
            Ok(None) => return,
            Err(error) => {
                let path = self
                    .setting
                    .project
                    .as_ref()
                    .map(|project| project.agent_root().to_owned());
                status
                    .troubles
                    .push(Trouble::error_at(&path.unwrap_or_default(), &error));
                return;
            }
        };
        let place = path.display().to_string();
        let visible = |logged: &&ken_dotagent::Logged| screen.allows_event(&logged.event);
        status.counts.events = log.events.iter().filter(visible).count();
        for skipped in log.skipped.iter().take(LISTED_LINES) {
            status.troubles.push(Trouble {
                place: format!("{place}:{}", skipped.line),
                severity: "error".to_owned(),
                message: format!("the line is no event: {}", skipped.why),
            });
        }
        let listed = log.skipped.len().min(LISTED_LINES) as u64;
        if log.skipped_count > listed {
            status.troubles.push(Trouble {
                place: place.clone(),
                severity: "error".to_owned(),
                message: format!(
                    "{} more lines are no events; they come up when those before them are mended",
                    log.skipped_count - listed
                ),
            });
        }
        for duplicate in log.duplicate_ids.iter().take(LISTED_LINES) {
            status.troubles.push(Trouble {
                place: format!("{place}:{}", duplicate.line),
                severity: "warning".to_owned(),
                message: format!(
                    "the line has the id of line {}, which counts; give it an id of its own",
                    duplicate.first
                ),
            });
        }
        let now = self.setting.clock.now();
        let last = log
            .events
            .iter()
            .filter(visible)
            .max_by_key(|logged| (logged.event.time_as_of(now), logged.line));
        if let Some(logged) = last {
            let harness = logged.event.source_harness.as_ref();
            status.last_writes.push(LastWrite {
                who: harness.map_or_else(|| "unknown".to_owned(), ToString::to_string),
                when: logged.event.timestamp.to_string(),
                what: "event".to_owned(),
                text: Some(cut(shown(&logged.event.content), GLIMPSE).0),
            });
        }
    }

    fn library_status(&self, library: &LibraryRead, status: &mut Status) {
        let last = library
            .view
            .agents()
            .iter()
            .filter_map(|card| Some((card.last_updated?, card.agent().to_string())))
            .max();
        if let Some((when, who)) = last {
            status.last_writes.push(LastWrite {
                who,
                when: when.to_string(),
                what: "manifest".to_owned(),
                text: None,
            });
        }
        if self.hears_everything() {
            status.troubles.extend(library.troubles.iter().cloned());
            for finding in library
                .loaded
                .findings()
                .filter(|f| f.severity == ken_library::Severity::Error)
            {
                status.troubles.push(Trouble {
                    place: format!("{}:{}:{}", finding.file.display(), finding.line, finding.column),
                    severity: "error".to_owned(),
                    message: finding.message.clone(),
                });
            }
        } else if let Some(note) = self.notes_of(library).pop() {
            status.troubles.push(Trouble {
                place: "library".to_owned(),
                severity: "error".to_owned(),
                message: note,
            });
        }
    }

    fn stale_agents(&self, library: &LibraryRead) -> Vec<String> {
        let Ok(limit) = self
            .setting
            .clock
            .now()
            .checked_sub(SignedDuration::from_hours(24 * STALE_DAYS))
        else {
            return Vec::new();
        };
        library
            .view
            .agents()
            .iter()
            .filter(|card| card.last_updated.is_none_or(|at| at < limit))
            .map(|card| card.agent().to_string())
            .collect()
    }
}

impl Counts {
    fn of(library: &LibraryRead) -> Counts {
        let view = &library.view;
        let distinct = |names: &mut dyn Iterator<Item = &str>| names.map(key).collect::<HashSet<_>>().len();
        Counts {
            agents: view.agents().len(),
            entities: distinct(&mut view.entities().iter().map(|row| row.name.as_str())),
            sessions: view.sessions().len(),
            workstreams: distinct(&mut view.workstreams().iter().map(|row| row.name.as_str())),
            notes: view.notes().len(),
            ..Counts::default()
        }
    }
}

/// Why an edict needs a look: it expires soon, or nobody confirmed it for longer than the file allows.
fn due(edict: &Edict, edicts: &Edicts, now: Timestamp) -> Option<EdictDue> {
    let soon = now
        .checked_add(SignedDuration::from_hours(24 * EXPIRING_DAYS))
        .ok()?;
    let (why, when) = match edict.expires_at {
        Some(at) if at <= soon => (EXPIRING, at),
        _ if ken_edicts::is_stale(edict, edicts.config.stale_threshold_days, now) => (STALE, edict.updated),
        _ => return None,
    };
    Some(EdictDue {
        id: edict.id.to_string(),
        text: shown(&edict.text),
        ttl: edict.ttl.as_str().to_owned(),
        why: why.to_owned(),
        when: Some(when),
        next: match why {
            EXPIRING => format!("ken edict update --expires-in 4w {}", argument(&edict.id)),
            _ => format!("ken edict confirm {}", argument(&edict.id)),
        },
    })
}

/// What a person should know of a file that can be read: limits that are near, and what the next write will move.
fn worth_a_look(edicts: &Edicts, now: Timestamp) -> Vec<Trouble> {
    let mut said: Vec<String> = edicts
        .near_limits(&Limits::default(), now)
        .into_iter()
        .map(|near| format!("{}; see `{}`", near.why, near.next))
        .collect();
    let expired = edicts.edicts.iter().filter(|edict| edict.expired(now)).count();
    if expired > 0 {
        let (edicts, have, them) = if expired == 1 {
            ("edict", "has", "it")
        } else {
            ("edicts", "have", "them")
        };
        said.push(format!(
            "{expired} {edicts} {have} expired; the next write moves {them} to history, and `ken edict validate` lists {them}"
        ));
    }
    let warnings = said.into_iter().map(|message| Trouble {
        place: edicts.path.display().to_string(),
        severity: "warning".to_owned(),
        message,
    });
    warnings.collect()
}
