//! Codex: sessions of all folders, the history of prompts, what its database notes, and its memories.
//!
//! `$CODEX_HOME` or `~/.codex` holds `sessions/YYYY/MM/DD/rollout-<time>-<uuid>.jsonl` (older ones compressed as
//! `.jsonl.zst`), `archived_sessions/`, `history.jsonl`, `session_index.jsonl`, `state_<n>.sqlite` and `memories/`. A
//! rollout is the session; the others tell what is left of sessions whose rollouts are gone.

mod deeds;
mod line;
mod memories;
mod prompts;
mod rollout;
mod sessions;
mod state;
mod store;
mod unpack;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use ken_files::{Clock, Paths};
use ken_library::{AgentId, AgentType};

use crate::harvest::{Harvest, Redactor, Session, Source, Standing, Whereabouts, horizon};
use crate::jsonl::LineCounts;
use crate::participant::{
    self, Discovery, Export, ExportError, Health, NoProgress, Participant, Progress, Projection, Skipped,
    Store, Unfinished,
};
use crate::tree::Listed;
use line::Owner;
use rollout::Rollout;
use sessions::Sessions;
use state::{Thread, Threads};
use store::{Listing, id_of};

/// A memory file longer than this is not one.
const MAX_MEMORY: u64 = 1024 * 1024;

/// The participant for Codex.
#[derive(Debug, Clone, Copy, Default)]
pub struct Codex;

impl Participant for Codex {
    fn id(&self) -> AgentId {
        AgentId::new("codex").expect("the id is of the contract's pattern")
    }

    fn kind(&self) -> AgentType {
        AgentType::CodeAssistant
    }

    fn title(&self) -> &'static str {
        "Codex"
    }

    fn discover(&self, paths: &Paths) -> Discovery {
        participant::look(&home(paths), store::is_one)
    }

    fn export(&self, store: &Store, export: &mut Export<'_>) -> Result<Projection, ExportError> {
        let listing =
            Listing::of(&store.path).map_err(|(path, source)| ExportError::Unreadable { path, source })?;
        let bytes = listing.bytes();
        export.progress.begin(&self.id(), bytes);
        let mut reading = Reading::new(export);
        let threads = reading.threads(&listing, export);
        reading.rollouts(&listing, export);
        reading.remains(&listing, threads, export);
        for file in &listing.memories {
            reading.memories(file, export);
        }
        export.progress.finish();
        listing
            .tree
            .something_was_read(reading.read, reading.first_unreadable.take())?;
        Ok(reading.finish(self, &listing, bytes, export))
    }

    fn unfinished(&self, transcript: &Path, clock: &Clock) -> io::Result<Unfinished> {
        let file = Listed {
            path: transcript.to_owned(),
            bytes: fs::metadata(transcript)?.len(),
        };
        let redactor = &mut Redactor::default();
        let told = rollout::read(
            &file,
            "",
            &BTreeSet::new(),
            horizon(clock),
            redactor,
            &mut NoProgress,
        )?;
        Ok(told.session.unfinished())
    }

    fn health(&self, paths: &Paths) -> Health {
        participant::health_of(home(paths), self.discover(paths), |health| {
            let listing = Listing::of(&health.path)?;
            health.holds.push(format!("{} sessions", listing.rollouts.len()));
            health
                .holds
                .push(format!("{} memory files", listing.memories.len()));
            if listing.history.is_some() {
                health.holds.push("a history of prompts".to_owned());
            }
            if listing.state.is_some() {
                health.holds.push("a database of sessions".to_owned());
            }
            health.problems.extend(listing.tree.problems());
            Ok(())
        })
    }
}

fn home(paths: &Paths) -> PathBuf {
    paths.agent_home("CODEX_HOME", ".codex")
}

/// An export under way.
struct Reading {
    harvest: Harvest,
    /// Sessions whose rollout was read, or that are not to be told.
    covered: BTreeSet<String>,
    /// By their ids, what the person said in sessions, for those that were forked from them.
    turns: BTreeMap<String, BTreeSet<u64>>,
    /// Folders that sessions worked in, and what was noted of them.
    folders: BTreeMap<PathBuf, Whereabouts>,
    lines: LineCounts,
    read: u64,
    /// Sessions for which the person has switched memory off.
    off: BTreeSet<String>,
    /// Sessions for which it is on, as the database says.
    on: BTreeSet<String>,
    /// Sessions whose rollouts cannot be read.
    unread: BTreeSet<String>,
    swollen: u64,
    damaged: u64,
    unreadable: u64,
    first_unreadable: Option<(PathBuf, io::Error)>,
    /// What is wrong with the database.
    database: Option<String>,
}

impl Reading {
    fn new(export: &Export<'_>) -> Reading {
        Reading {
            harvest: Harvest::new(Codex.id(), export),
            covered: BTreeSet::new(),
            turns: BTreeMap::new(),
            folders: BTreeMap::new(),
            lines: LineCounts::default(),
            read: 0,
            off: BTreeSet::new(),
            on: BTreeSet::new(),
            unread: BTreeSet::new(),
            swollen: 0,
            damaged: 0,
            unreadable: 0,
            first_unreadable: None,
            database: None,
        }
    }

    /// All rollouts: each session with what its helpers did.
    fn rollouts(&mut self, listing: &Listing, export: &mut Export<'_>) {
        let mut sessions = Sessions::default();
        // A fork is read when it is known what was said in the session that it repeats.
        let mut waiting: Vec<(&str, &Listed, String)> = Vec::new();
        for (stem, file) in &listing.rollouts {
            let id = id_of(stem);
            let Some(told) = self.rollout(file, id, &BTreeSet::new(), export.clock, export.progress) else {
                continue;
            };
            match told.forked_from.clone().filter(|from| *from != told.id) {
                Some(from) => waiting.push((id, file, from)),
                None => self.take(told, &mut sessions, export),
            }
        }
        while !waiting.is_empty() {
            let known = |from: &String| self.turns.contains_key(from);
            let ready = waiting.iter().position(|(_, _, from)| known(from)).unwrap_or(0);
            let (id, file, from) = waiting.remove(ready);
            // Of a session that is gone, the fork is all that is left.
            let repeated = self.turns.get(&from).cloned().unwrap_or_default();
            // What is read a second time was counted the first time.
            if let Some(told) = self.rollout(file, id, &repeated, export.clock, &mut NoProgress) {
                self.take(told, &mut sessions, export);
            }
        }
        for session in sessions.rest() {
            self.session(session, export);
        }
    }

    fn take(&mut self, mut told: Rollout, sessions: &mut Sessions, export: &Export<'_>) {
        self.lines.add(told.counts);
        // What a fork repeats is passed over only when the session that it repeats is there.
        let from = told.forked_from.take_if(|from| !self.turns.contains_key(from));
        let from_off = from.as_ref().is_some_and(|from| self.is_off(from));
        let standing = from.and_then(|from| self.harvest.seen().standing(&from).cloned());
        told.session.private |= standing == Some(Standing::Private);
        self.turns.entry(told.id.clone()).or_default().extend(&told.turns);
        self.covered.insert(told.id.clone());
        // What a session's helpers did is the session's.
        let parent_off = told.parent.clone().is_some_and(|parent| self.is_off(&parent));
        if told.off || from_off || parent_off || self.is_off(&told.id) {
            sessions.forget(&told.id);
            self.is_off_from_now_on(told.id);
            return;
        }
        let complete = match told.owner {
            Owner::Machine => None,
            Owner::Helper => sessions.add_helper(told),
            Owner::Person => sessions.add(told),
        };
        if let Some(session) = complete {
            self.session(session, export);
        }
    }

    /// Whether memory is switched off for a session, or was when more of it was left.
    fn is_off(&mut self, id: &str) -> bool {
        self.off.contains(id) || !self.on.contains(id) && self.harvest.seen().is_off(id)
    }

    fn is_off_from_now_on(&mut self, id: String) {
        self.harvest.seen().session(&id, None, Standing::Off);
        self.off.insert(id);
    }

    /// One file; `None` when it cannot be read.
    fn rollout(
        &mut self,
        file: &Listed,
        id: &str,
        repeated: &BTreeSet<u64>,
        clock: &Clock,
        progress: &mut dyn Progress,
    ) -> Option<Rollout> {
        let horizon = horizon(clock);
        // A fork is told otherwise when more is known of what it repeats.
        let mut how = blake3::Hasher::new();
        for turn in repeated {
            how.update(&turn.to_le_bytes());
        }
        let how = how.finalize().to_hex();
        let read = |redactor: &mut Redactor, progress: &mut dyn Progress| {
            rollout::read(file, id, repeated, horizon, redactor, progress)
        };
        let told = self.harvest.transcript(file, &how, clock, progress, read);
        match told {
            Ok(told) => {
                self.read += 1;
                Some(told)
            }
            Err(error) => {
                match error.kind() {
                    io::ErrorKind::FileTooLarge => self.swollen += 1,
                    io::ErrorKind::Other => self.damaged += 1,
                    _ => self.unreadable += 1,
                }
                self.first_unreadable.get_or_insert((file.path.clone(), error));
                self.unread.insert(id.to_owned());
                None
            }
        }
    }

    fn session(&mut self, session: Session, export: &Export<'_>) {
        let in_repository = session.was_in_repository();
        for folder in &session.folders {
            let known = self.folders.entry(folder.clone()).or_default();
            known.folder.clone_from(folder);
            known.in_repository |= in_repository;
            known.remote = known.remote.take().or_else(|| session.remote.clone());
        }
        self.harvest.session(session, export.clock);
    }

    /// What is left of sessions whose rollouts are gone.
    fn remains(&mut self, listing: &Listing, threads: Vec<Thread>, export: &mut Export<'_>) {
        let horizon = horizon(export.clock);
        let mut names = BTreeMap::new();
        if let Some(file) = &listing.names {
            match prompts::names(file, &mut self.harvest.redactor, export.progress) {
                Ok((found, counts)) => {
                    names = found;
                    self.lines.add(counts);
                }
                Err(_) => self.unreadable += 1,
            }
        }
        let mut sessions = BTreeMap::new();
        if let Some(file) = &listing.history {
            let redactor = &mut self.harvest.redactor;
            match prompts::history(file, &self.covered, horizon, redactor, export.progress) {
                Ok((found, counts)) => {
                    sessions = found;
                    self.lines.add(counts);
                }
                Err(_) => self.unreadable += 1,
            }
        }
        for thread in threads {
            if self.covered.contains(&thread.id) {
                continue;
            }
            let session = sessions
                .entry(thread.id.clone())
                .or_insert_with_key(|id| Session::new(id, horizon));
            session.in_folder(thread.folder.as_deref().unwrap_or_default());
            for at in [thread.created, thread.updated].into_iter().flatten() {
                session.active_at(at);
            }
            session.in_repository |= thread.in_repository;
            session.remote = thread.remote.clone();
            session.on_branch(thread.branch.as_deref().unwrap_or_default(), thread.updated);
            let name = names.get(&thread.id).cloned().or(thread.name);
            if let (false, Some(words)) = (session.has_words(), name.or(thread.first_words)) {
                session.asked(&words, thread.created, &mut self.harvest.redactor);
            }
        }
        for mut session in sessions.into_values() {
            // It is for good: what is left of a session does not say whether it was switched on again.
            if self.harvest.seen().is_off(&session.id) {
                self.off.insert(session.id);
                continue;
            }
            session.remains = true;
            session.private =
                self.unread.contains(&session.id) && self.harvest.seen().standing(&session.id).is_none();
            self.session(session, export);
        }
    }

    /// What the database knows of sessions.
    fn threads(&mut self, listing: &Listing, export: &mut Export<'_>) -> Vec<Thread> {
        let Some(file) = &listing.state else {
            return Vec::new();
        };
        let scratch = export.paths.state.join("harvest").join("codex");
        let read = |redactor: &mut Redactor, progress: &mut dyn Progress| {
            progress.advance(file.bytes);
            state::threads(&file.path, &scratch, redactor).map_err(io::Error::other)
        };
        let source = Source {
            file,
            how: "database",
            log: Some(&state::log_of(&file.path)),
        };
        let threads = self
            .harvest
            .digested(source, export.clock, export.progress, read)
            .unwrap_or_else(|why| {
                let name = file.path.file_name().unwrap_or_default().to_string_lossy();
                self.database = Some(format!("{name}, which {why}"));
                Threads::default()
            })
            .0;
        for thread in threads.iter().filter(|thread| thread.off) {
            self.is_off_from_now_on(thread.id.clone());
        }
        let on = threads.iter().filter(|thread| thread.on);
        self.on.extend(on.map(|thread| thread.id.clone()));
        self.covered.extend(self.off.iter().cloned());
        threads
    }

    fn memories(&mut self, file: &Listed, export: &mut Export<'_>) {
        export.progress.advance(file.bytes);
        let Ok(bytes) = ken_files::read_bounded(&file.path, MAX_MEMORY) else {
            self.unreadable += 1;
            return;
        };
        let text = String::from_utf8_lossy(&bytes);
        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
        for piece in memories::pieces(&name, &text) {
            let mut private = false;
            if let Some(thread) = &piece.thread {
                if self.off.contains(thread) || self.harvest.seen().is_off(thread) {
                    continue;
                }
                private = self.harvest.seen().standing(thread) == Some(&Standing::Private);
            }
            let place = piece.folder.map(PathBuf::from).map(|folder| {
                let known = self.folders.get(&folder).cloned();
                known.unwrap_or_else(|| Whereabouts {
                    folder,
                    ..Whereabouts::default()
                })
            });
            // What belongs to no folder is about the person.
            let private = private || place.is_none();
            self.harvest.memory(&name, &piece.text, place.as_ref(), private);
        }
    }

    fn finish(self, who: &Codex, listing: &Listing, bytes: u64, export: &Export<'_>) -> Projection {
        let mut harvested = self.harvest.manifest(who.id(), who.kind(), export);
        let agent = &mut harvested.manifest.agent;
        agent.role_narrative = Some(
            "Code assistant at the command line and in the editor: reads, changes and reviews repositories, runs commands and tests."
                .to_owned(),
        );
        agent.spec_version_compat = Some("0.1".to_owned());
        harvested.manifest.capabilities = ["code-read", "code-write", "shell", "code-review", "web-search"]
            .map(str::to_owned)
            .to_vec();
        let mut skipped = harvested.skipped;
        skipped.extend(self.lines.skipped());
        let left_out = [
            (self.off.len() as u64, "sessions for which memory is switched off"),
            (
                self.swollen,
                "compressed sessions that unpack to more than 200 times their size",
            ),
            (self.damaged, "compressed sessions that cannot be unpacked"),
        ];
        skipped.extend(
            left_out
                .into_iter()
                .filter_map(|(count, what)| Skipped::some(count, what)),
        );
        skipped.extend(
            self.database
                .and_then(|why| Skipped::some(1, &format!("database: {why}"))),
        );
        skipped.extend(listing.tree.skipped(self.unreadable));
        Projection {
            manifest: harvested.manifest,
            sessions_read: harvested.sessions,
            unchanged: harvested.unchanged,
            bytes_read: bytes - harvested.bytes_unread,
            skipped,
            credentials_found: harvested.credentials,
        }
    }
}
