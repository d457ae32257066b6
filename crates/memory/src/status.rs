use std::collections::HashSet;

use jiff::{SignedDuration, Timestamp};
use ken_edicts::{Edict, Edicts};
use serde::Serialize;

use crate::names::key;
use crate::shown::{cut, shown};
use crate::sources::{EdictsRead, LibraryRead};
use crate::withhold::Screen;
use crate::{Memory, Project};

/// A project, as status shows it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct ProjectStatus {
    /// Its name.
    pub name: String,
    /// Its root.
    pub root: String,
    /// Whether this machine's person trusted what it carries.
    pub trusted: bool,
    /// Whether it carries memory at all: edicts or an `.agent` folder.
    pub carries_memory: bool,
    /// Whether it has an `.agent` folder.
    pub agent_folder: bool,
    /// Where its edicts file is, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub edicts_file: Option<String>,
}

/// Who wrote last.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LastWrite {
    /// The harness or agent.
    pub who: String,
    /// When, RFC 3339 or a day.
    pub when: String,
    /// `event`, `edict` or `manifest`.
    pub what: String,
    /// The first words of it, for an event or edict that the caller may see.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// An edict that needs a person's eye.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct EdictDue {
    /// Its id.
    pub id: String,
    /// Its text.
    pub text: String,
    /// `stale` or `expiring`.
    pub why: String,
    /// When it was last confirmed, or when it expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub when: Option<Timestamp>,
}

/// A file, or a line of one, that could not be read as its contract says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Trouble {
    /// `file`, `file:line` or `file:line:column`.
    pub place: String,
    /// `error` (it is not in force or not searched) or `warning`.
    pub severity: String,
    /// What is wrong and what to do.
    pub message: String,
}

impl Trouble {
    /// Something that is not in force or not searched.
    pub(crate) fn error_at(path: &std::path::Path, error: &dyn std::fmt::Display) -> Trouble {
        Trouble {
            place: path.display().to_string(),
            severity: "error".to_owned(),
            message: error.to_string(),
        }
    }

    /// What the reader of edicts found.
    pub(crate) fn of_edicts(finding: &ken_edicts::Finding) -> Trouble {
        let message = match &finding.edict {
            Some(edict) => format!("{edict}: {}", finding.message),
            None => finding.message.clone(),
        };
        Trouble {
            place: format!("{}:{}:{}", finding.path.display(), finding.line, finding.column),
            severity: match finding.severity {
                ken_edicts::Severity::Error => "error",
                ken_edicts::Severity::Warning => "warning",
            }
            .to_owned(),
            message,
        }
    }
}

/// How much of everything is known.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Manifests that can be read.
    pub agents: usize,
    /// Entities, same-named rows of several agents counted once.
    pub entities: usize,
    /// Sessions.
    pub sessions: usize,
    /// Workstreams, same-named counted once.
    pub workstreams: usize,
    /// Notes.
    pub notes: usize,
    /// Events of this project.
    pub events: usize,
    /// Lessons of this project.
    pub lessons: usize,
    /// Edicts in force.
    pub edicts: usize,
}

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Next {
    /// What to type.
    pub command: String,
    /// Why.
    pub why: String,
}

/// The answer to "how do things stand?".
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Status {
    /// The project one stands in, if any.
    pub project: Option<ProjectStatus>,
    /// Where the library is.
    pub library: String,
    /// How much is known, as far as the caller may see.
    pub counts: Counts,
    /// Who wrote last, newest first: the last event, edict and manifest.
    pub last_writes: Vec<LastWrite>,
    /// Agents whose manifest is older than 14 days.
    pub stale_agents: Vec<String>,
    /// Edicts that are stale or expire within 7 days.
    pub edicts_due: Vec<EdictDue>,
    /// Everything that could not be read, with its place.
    pub troubles: Vec<Trouble>,
    /// The next thing to do; nothing when all is well.
    pub next: Option<Next>,
}

/// A manifest that was not regenerated for so many days is stale.
const STALE_DAYS: i64 = 14;
/// Edicts that expire within so many days are shown.
const EXPIRING_DAYS: i64 = 7;
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
        status.next = next(&status);
        status
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
        let Some(edicts) = &read.edicts else { return };
        let now = self.setting.clock.now();
        status.edicts_due = visible
            .iter()
            .filter_map(|edict| due(edict, edicts, now))
            .collect();
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
        let events = match self.events() {
            Ok(Some(events)) => events,
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
        let log = events.index().log();
        let place = events.path().display().to_string();
        let visible = |logged: &&ken_dotagent::Logged| {
            let event = &logged.event;
            screen.allows_all([event.content.as_str(), event.skill_action.as_str()])
        };
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
                    "{} more lines are no events; `ken doctor` lists them",
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
            for read in &library.loaded.manifests {
                for finding in read
                    .findings
                    .iter()
                    .filter(|f| f.severity == ken_library::Severity::Error)
                {
                    status.troubles.push(Trouble {
                        place: format!("{}:{}:{}", finding.file.display(), finding.line, finding.column),
                        severity: "error".to_owned(),
                        message: finding.message.clone(),
                    });
                }
            }
        } else if let Some(note) = self.library_notes().pop() {
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
        Some(at) if at <= soon => ("expiring", at),
        _ if ken_edicts::is_stale(edict, edicts.config.stale_threshold_days, now) => ("stale", edict.updated),
        _ => return None,
    };
    Some(EdictDue {
        id: edict.id.to_string(),
        text: shown(&edict.text),
        why: why.to_owned(),
        when: Some(when),
    })
}

/// What to do next: first what is broken, then what is missing, then what is old.
fn next(status: &Status) -> Option<Next> {
    let say = |command: &str, why: String| {
        Some(Next {
            command: command.to_owned(),
            why,
        })
    };
    let broken = |part: &str| {
        status
            .troubles
            .iter()
            .find(|trouble| trouble.severity == "error" && trouble.place.contains(part))
    };
    if let Some(trouble) = broken("edicts.") {
        return say(
            "ken edict validate",
            format!("{} is not in force as it stands", trouble.place),
        );
    }
    if let Some(trouble) = broken(".l5.yaml").or_else(|| broken("library")) {
        return say(
            "ken library validate",
            format!("{} cannot be read in full", trouble.place),
        );
    }
    if let Some(project) = &status.project {
        if project.carries_memory && !project.trusted {
            return say(
                "ken trust",
                "what this repository carries is not trusted on this machine yet".to_owned(),
            );
        }
        if !project.agent_folder {
            return say(
                "ken init",
                "this project has no .agent folder to learn into".to_owned(),
            );
        }
    }
    if let Some(trouble) = status.troubles.iter().find(|trouble| trouble.severity == "error") {
        return say("ken doctor", format!("{}: {}", trouble.place, trouble.message));
    }
    if status.counts.agents == 0 {
        return say("ken sync", "no agent's memory was read yet".to_owned());
    }
    if !status.stale_agents.is_empty() {
        return say(
            "ken sync",
            format!(
                "not read for {STALE_DAYS} days: {}",
                status.stale_agents.join(", ")
            ),
        );
    }
    if !status.edicts_due.is_empty() {
        let number = status.edicts_due.len();
        let edicts = if number == 1 { "edict is" } else { "edicts are" };
        return say(
            "ken edict review",
            format!("{number} {edicts} stale or about to expire"),
        );
    }
    None
}
