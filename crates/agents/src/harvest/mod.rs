//! What a participant tells, gathered into a manifest: the same for every tool.
//!
//! A participant tells [`Session`]s and [`Memory`] files, one after the other; of sessions only the newest are held,
//! so that a store of any size needs little memory. [`Harvest::manifest`] then makes the rows.

mod actions;
mod command;
mod digests;
mod knowledge;
mod loop_guard;
mod memory;
mod names;
mod project;
mod readme;
mod redact;
mod request;
mod seen;
mod session;
mod streams;
mod told;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use jiff::{SignedDuration, Timestamp};
use ken_files::Clock;
use ken_library::{
    AgentId, AgentType, Dropped, MAX_SESSIONS, Manifest, Visibility, VisibilityPolicy, without_private,
};

use digests::Digests;
pub(crate) use digests::{Digest, Source};
use knowledge::Knowledge;
pub(crate) use memory::Memory;
pub(crate) use redact::Redactor;
pub(crate) use request::{bounded, is_synthetic};
pub(crate) use session::{Session, Task};

use project::Projects;
pub(crate) use project::remote_key;
use seen::Seen;
pub(crate) use seen::Standing;
use streams::Streams;
use told::Told;

use crate::participant::{Export, Progress, Skipped};
use crate::tree::Listed;

/// The window of sessions: so many days before the newest, or so many sessions, whichever is more.
const WINDOW_DAYS: i64 = 30;
const WINDOW_SESSIONS: usize = 100;
/// Longest working directory that the schema allows.
const MAX_CWD: usize = 512;

/// Where something took place, as the tool noted it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Whereabouts {
    pub(crate) folder: PathBuf,
    pub(crate) in_repository: bool,
    pub(crate) remote: Option<String>,
}

/// A session that may become a row.
#[derive(Debug)]
struct Kept {
    row: ken_library::Session,
    project: Option<PathBuf>,
    /// Whether it is private whatever its project is.
    private: bool,
}

/// A session whose transcript was read, for [`Seen`].
#[derive(Debug)]
struct Stands {
    id: String,
    last: Option<Timestamp>,
    project: Option<PathBuf>,
    folder: Option<PathBuf>,
    in_repository: bool,
    private: bool,
}

/// What was gathered so far.
#[derive(Debug)]
pub(crate) struct Harvest {
    agent: AgentId,
    pub(crate) redactor: Redactor,
    told: Told,
    digests: Digests,
    projects: Projects,
    /// The newest of projects that may be told, and of those that are private: many of the one kind must not push the
    /// other out.
    kept: [BTreeMap<(Option<Timestamp>, String), Kept>; 2],
    /// Sessions whose folders are gone and which name a remote: of which project they are is known when all others are.
    waiting: Vec<Session>,
    standing: Vec<Stands>,
    streams: Streams,
    knowledge: Knowledge,
    newest: Option<Timestamp>,
    sessions: usize,
    silent: u64,
    ahead: u64,
    /// Files that sessions edited outside of their projects.
    outside: u64,
}

/// The latest time that something can have happened at: a clock may be wrong by a day, and no more.
pub(crate) fn horizon(clock: &Clock) -> Timestamp {
    let now = clock.now();
    now.checked_add(SignedDuration::from_hours(24)).unwrap_or(now)
}

/// The rows of a store, and what was left out on the way.
#[derive(Debug)]
pub(crate) struct Harvested {
    pub(crate) manifest: Manifest,
    pub(crate) sessions: usize,
    pub(crate) skipped: Vec<Skipped>,
    pub(crate) credentials: usize,
    /// Transcripts that had not changed, and their bytes, which were not read.
    pub(crate) unchanged: usize,
    pub(crate) bytes_unread: u64,
}

impl Harvest {
    /// Nothing yet.
    pub(crate) fn new(agent: AgentId, export: &Export<'_>) -> Harvest {
        Harvest {
            agent,
            redactor: Redactor::default(),
            told: Told::read(&export.paths.state),
            digests: Digests::open(export.digests.as_deref()),
            projects: Projects::new(&export.paths.home, Seen::open(export.seen.as_deref())),
            waiting: Vec::new(),
            standing: Vec::new(),
            kept: Default::default(),
            streams: Streams::default(),
            knowledge: Knowledge::default(),
            newest: None,
            sessions: 0,
            silent: 0,
            ahead: 0,
            outside: 0,
        }
    }

    /// What a transcript holds: read only when it has changed since it was read last. `how` names the way in which it
    /// is read, when there is more than one.
    pub(crate) fn transcript<D: Digest>(
        &mut self,
        file: &Listed,
        how: &str,
        clock: &Clock,
        progress: &mut dyn Progress,
        read: impl FnOnce(&mut Redactor, &mut dyn Progress) -> std::io::Result<D>,
    ) -> std::io::Result<D> {
        let source = Source { file, how, log: None };
        self.digested(source, clock, progress, read)
    }

    /// What a source holds: read only when it has changed since it was read last.
    pub(crate) fn digested<D: Digest>(
        &mut self,
        source: Source<'_>,
        clock: &Clock,
        progress: &mut dyn Progress,
        read: impl FnOnce(&mut Redactor, &mut dyn Progress) -> std::io::Result<D>,
    ) -> std::io::Result<D> {
        self.digests
            .of(source, horizon(clock), &mut self.redactor, progress, read)
    }

    /// What was seen of sessions and folders before.
    pub(crate) fn seen(&mut self) -> &mut Seen {
        &mut self.projects.seen
    }

    /// A session is complete.
    pub(crate) fn session(&mut self, session: Session, clock: &Clock) {
        let waits = session.remote.is_some() && !session.folders.iter().any(|folder| folder.is_dir());
        if waits && self.waiting.len() < MAX_SESSIONS {
            self.waiting.push(session);
        } else {
            self.settled(session, clock);
        }
    }

    /// What is left of a session stands as the session stood.
    fn as_it_stood(&self, session: &mut Session) {
        match self.projects.seen.standing(&session.id) {
            Some(Standing::Off | Standing::Private) => session.private = true,
            Some(Standing::Told {
                folder,
                in_repository,
            }) => {
                if session.folders.is_empty() {
                    session.folders.push(folder.clone());
                }
                session.in_repository |= in_repository;
            }
            None => {}
        }
    }

    fn settled(&mut self, mut session: Session, clock: &Clock) {
        session.settle(&self.told);
        if session.remains {
            self.as_it_stood(&mut session);
        }
        let session = &session;
        let in_repository = session.was_in_repository();
        let folder = session
            .folders
            .iter()
            .find(|folder| folder.is_dir())
            .or_else(|| session.folders.first());
        // Where a folder is gone, what it was when it was there counts.
        let stood = self.projects.seen.standing(&session.id);
        let is_private = session.private
            || stood == Some(&Standing::Private) && !folder.is_some_and(|folder| folder.is_dir());
        let remote = session.remote.as_deref();
        let place = folder.map(|folder| self.projects.place(folder, in_repository, remote));
        let last = session.span.map(|span| span.last);
        if !session.remains {
            self.standing.push(Stands {
                id: session.id.clone(),
                last,
                project: place.as_ref().map(|place| place.project.clone()),
                folder: folder.cloned(),
                in_repository,
                private: is_private,
            });
        }

        let mut files: Vec<(String, u64, u64)> = Vec::new();
        if let (Some(place), Some(folder)) = (&place, folder) {
            let mut told: BTreeMap<String, (u64, u64)> = BTreeMap::new();
            for (path, (times, first)) in &session.files {
                let inside = self.relative(place, path, folder, session, in_repository);
                self.outside += u64::from(inside.is_none());
                if let Some(path) = inside {
                    let known = told.entry(path).or_insert((0, *first));
                    *known = (known.0 + times, known.1.min(*first));
                }
            }
            files.extend(
                told.into_iter()
                    .map(|(path, (times, first))| (path, times, first)),
            );
        }
        files.sort_by_key(|(_, times, first)| (std::cmp::Reverse(*times), *first));
        let by_edits: Vec<String> = files.iter().map(|(path, _, _)| path.clone()).collect();

        let actions = actions::key_actions(session, &by_edits);
        if actions.is_empty() {
            self.silent += 1;
            return;
        }
        self.sessions += 1;
        self.ahead += u64::from(session.ahead.is_some());
        self.newest = self.newest.max(last);
        // What is private in a project that is not must not show in the project either.
        if let Some(place) = place.as_ref().filter(|_| !is_private) {
            if let (Some(project), Some(span)) = (self.projects.all.get_mut(&place.project), session.span) {
                match &mut project.span {
                    Some(known) => known.widen(span),
                    None => project.span = Some(span),
                }
            }
            self.streams.add(&place.project, session);
        }
        let cwd = folder.map(|folder| self.redactor.path(&folder.to_string_lossy()));
        let row = ken_library::Session {
            date: last.map(|last| clock.local_date(last)),
            cwd: cwd.filter(|cwd| cwd.chars().count() <= MAX_CWD),
            key_actions: actions,
            files_touched: actions::files_touched(files),
            ..ken_library::Session::default()
        };
        let project = place.map(|place| place.project);
        let known = project.as_ref().and_then(|id| self.projects.all.get(id));
        // Of what nobody knows where it took place, nobody knows whose business it is.
        let private = is_private || known.is_none_or(|project| project.private);
        let kept = &mut self.kept[usize::from(private)];
        kept.insert(
            (last, session.id.clone()),
            Kept {
                row,
                project,
                private: is_private,
            },
        );
        if kept.len() > MAX_SESSIONS {
            kept.pop_first();
        }
    }

    /// A file's path as a row tells it: relative to the project, from whichever of the session's folders it is seen.
    fn relative(
        &mut self,
        place: &project::Place,
        path: &str,
        folder: &Path,
        session: &Session,
        in_repository: bool,
    ) -> Option<String> {
        place.relative(path, folder).or_else(|| {
            session
                .folders
                .iter()
                .filter(|other| *other != folder)
                .find_map(|other| {
                    let elsewhere = self.projects.place(other, in_repository, None);
                    // Another spelling or an earlier name of the same place, not another project.
                    let same = elsewhere.project == place.project || !other.is_dir();
                    same.then(|| elsewhere.relative(path, other)).flatten()
                })
        })
    }

    /// A memory file of the project that is in `folder`; `None` when nobody knows which that is. Without a folder,
    /// `private` says whether its rows are.
    pub(crate) fn memory(&mut self, file: &str, text: &str, place: Option<&Whereabouts>, private: bool) {
        let own = request::without_elements(&loop_guard::without_injected(text));
        let agent = self.agent.as_str();
        let own = self.told.taken_out_of_memory(&own, agent);
        let mut memory = Memory::parse(&self.redactor.text(&own));
        // Once more when lines that belong together are one.
        let told = |text: &String| self.told.holds_noted(text, agent);
        memory.pieces.retain(|piece| !told(&piece.text));
        memory.description = memory.description.filter(|text| !told(text));
        let id = place.map(|place| {
            let remote = place.remote.as_deref();
            self.projects
                .place(&place.folder, place.in_repository, remote)
                .project
        });
        self.knowledge.add(file, memory, id, private);
    }

    /// Keeps how each session stands, now that all is known of their folders.
    fn remember(&mut self) {
        for session in std::mem::take(&mut self.standing) {
            let project = session.project.and_then(|id| self.projects.all.get(&id));
            let private = session.private || project.is_none_or(|project| project.private);
            let standing = match session.folder.filter(|_| !private) {
                Some(folder) => Standing::Told {
                    folder,
                    in_repository: session.in_repository,
                },
                None => Standing::Private,
            };
            self.projects.seen.session(&session.id, session.last, standing);
        }
        std::mem::take(&mut self.projects.seen).close();
    }

    /// The manifest of everything that was told.
    pub(crate) fn manifest(mut self, id: AgentId, kind: AgentType, export: &Export<'_>) -> Harvested {
        let mut manifest = Manifest::new(id, kind);
        manifest.visibility_policy = Some(VisibilityPolicy {
            team_tags: vec!["project".to_owned(), "active".to_owned()],
            ..VisibilityPolicy::usual()
        });
        for session in std::mem::take(&mut self.waiting) {
            self.settled(session, export.clock);
        }
        self.remember();
        let since = self.newest.and_then(|newest| {
            newest
                .checked_sub(SignedDuration::from_hours(24 * WINDOW_DAYS))
                .ok()
        });
        self.knowledge.about_projects(&mut self.projects.all);
        manifest.entities = self.knowledge.entities(&self.projects.all, since, export.clock);
        manifest.notes = self.knowledge.notes(&self.projects.all, export.clock);
        manifest.workstreams = self
            .streams
            .rows(&self.projects.all, since, self.newest, export.clock);
        let [told, private] = self.kept;
        let mut kept: Vec<_> = told.into_iter().chain(private).collect();
        kept.sort_by(|(a, _), (b, _)| b.cmp(a));
        let mut outside = self.sessions - kept.len();
        for (_, kept) in kept {
            let mut row = kept.row;
            let project = kept.project.and_then(|id| self.projects.all.get(&id));
            row.project_focus = project
                .and_then(|project| project.name.clone())
                .into_iter()
                .collect();
            let private = kept.private || project.is_none_or(|project| project.private);
            row.visibility = private.then_some(Visibility::Private);
            manifest.sessions.push(row);
        }

        let (redacted, found) = ken_secrets::Redacted::new(manifest);
        self.redactor.note(found);
        let mut manifest = redacted.into_inner();
        manifest.entities.retain(|row| !row.name.contains("[redacted:"));
        manifest
            .workstreams
            .retain(|row| !row.name.contains("[redacted:"));
        let mut seen = BTreeSet::new();
        manifest.sessions.retain(|row| seen.insert(format!("{row:?}")));

        let dropped = match export.keep_private {
            true => Dropped::default(),
            false => without_private(&mut manifest),
        };
        // The window is of what may be told: private sessions take no place in it.
        let since = since.map(|since| export.clock.local_date(since));
        let mut place = 0;
        let before = manifest.sessions.len();
        manifest.sessions.retain(|row| {
            place += 1;
            place <= WINDOW_SESSIONS || row.date.is_some() && row.date >= since
        });
        manifest.sessions.truncate(MAX_SESSIONS);
        outside += before - manifest.sessions.len();
        let skipped = [
            (
                outside as u64,
                "sessions outside the window of 30 days or 100 sessions",
            ),
            (
                self.ahead,
                "sessions with a time in the future (which counts as unknown)",
            ),
            (self.outside, "edited files outside their session's project"),
            (self.silent, "sessions in which nothing was asked or done"),
            (dropped.private as u64, "private rows (kept with --keep-private)"),
            (dropped.mentioning as u64, "rows that name something private"),
        ];
        let (unchanged, bytes_unread) = self.digests.close();
        Harvested {
            unchanged,
            bytes_unread,
            manifest,
            sessions: self.sessions,
            skipped: skipped
                .into_iter()
                .filter_map(|(count, what)| Skipped::some(count, what))
                .collect(),
            credentials: self.redactor.found(),
        }
    }
}
