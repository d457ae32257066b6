//! Claude Code: transcripts of all projects, the history of prompts, and the auto-memory of every project.
//!
//! `$CLAUDE_CONFIG_DIR` or `~/.claude` holds `projects/<slug>/<uuid>.jsonl`, `<uuid>/subagents/*.jsonl` beside it,
//! `projects/<slug>/memory/*.md`, and `history.jsonl`. A folder's slug cannot be turned back into a path, and people
//! rename folders: which project it is, its lines say.

mod history;
mod line;
mod store;
mod transcript;

use std::io;
use std::path::{Path, PathBuf};

use ken_files::{Clock, Paths};
use ken_library::{AgentId, AgentType};

use crate::harvest::{Harvest, Redactor, Session, Whereabouts, horizon};
use crate::jsonl::LineCounts;
use crate::participant::{
    self, Discovery, Export, ExportError, Health, NoProgress, Participant, Progress, Projection, Store,
    Unfinished,
};
use crate::tree::Listed;
use history::Covered;
pub(crate) use store::slug_of;
use store::{Conversation, Folder, Listing};
use transcript::Told;

/// A memory file longer than this is not one.
const MAX_MEMORY: u64 = 1024 * 1024;

/// The participant for Claude Code.
#[derive(Debug, Clone, Copy, Default)]
pub struct ClaudeCode;

impl Participant for ClaudeCode {
    fn id(&self) -> AgentId {
        AgentId::new("claude-code").expect("the id is of the contract's pattern")
    }

    fn kind(&self) -> AgentType {
        AgentType::CodeAssistant
    }

    fn title(&self) -> &'static str {
        "Claude Code"
    }

    fn discover(&self, paths: &Paths) -> Discovery {
        participant::look(&home(paths), |home| {
            home.join("projects").exists() || home.join("history.jsonl").exists()
        })
    }

    fn export(&self, store: &Store, export: &mut Export<'_>) -> Result<Projection, ExportError> {
        let listing = Listing::of(&store.path, &export.paths.home)
            .map_err(|(path, source)| ExportError::Unreadable { path, source })?;
        let bytes = listing.bytes();
        export.progress.begin(&self.id(), bytes);
        let mut reading = Reading::new(export);
        for folder in &listing.folders {
            reading.folder(folder, export);
        }
        if let Some(file) = &listing.history {
            reading.history(file, export);
        }
        for folder in &listing.folders {
            reading.memories(folder, export);
        }
        // Which of them is about which project, nothing says.
        reading.memory_files(&listing.shared_memories, None, true, export);
        export.progress.finish();
        listing
            .tree
            .something_was_read(reading.transcripts, reading.first_unreadable.take())?;
        Ok(reading.finish(self, &listing, bytes, export))
    }

    fn unfinished(&self, transcript: &Path, clock: &Clock) -> io::Result<Unfinished> {
        let redactor = &mut Redactor::default();
        let told = transcript::read(transcript, "", false, horizon(clock), redactor, &mut NoProgress)?;
        Ok(told.session.unfinished())
    }

    fn health(&self, paths: &Paths) -> Health {
        participant::health_of(home(paths), self.discover(paths), |health| {
            let listing = Listing::of(&health.path, &paths.home)?;
            let folders = &listing.folders;
            let conversations: usize = folders.iter().map(|folder| folder.conversations.len()).sum();
            let memories: usize = folders.iter().map(|folder| folder.memories.len()).sum();
            let memories = memories + listing.shared_memories.len();
            health.holds.push(format!(
                "{conversations} transcripts in {} folders",
                folders.len()
            ));
            health.holds.push(format!("{memories} memory files"));
            if listing.history.is_some() {
                health.holds.push("a history of prompts".to_owned());
            }
            health.problems.extend(listing.tree.problems());
            Ok(())
        })
    }
}

fn home(paths: &Paths) -> PathBuf {
    paths.agent_home("CLAUDE_CONFIG_DIR", ".claude")
}

/// An export under way.
struct Reading {
    harvest: Harvest,
    covered: Covered,
    lines: LineCounts,
    transcripts: u64,
    /// Files that could not be read, and the first of them with the reason.
    unreadable: u64,
    first_unreadable: Option<(PathBuf, io::Error)>,
    /// By slug, the folder that most of its sessions were in, and whether that was a repository.
    homes_of_slugs: Vec<(String, PathBuf, bool)>,
    folder_homes: Vec<Option<(PathBuf, bool)>>,
}

impl Reading {
    fn new(export: &Export<'_>) -> Reading {
        Reading {
            harvest: Harvest::new(ClaudeCode.id(), export),
            covered: Covered::default(),
            lines: LineCounts::default(),
            transcripts: 0,
            unreadable: 0,
            first_unreadable: None,
            homes_of_slugs: Vec::new(),
            folder_homes: Vec::new(),
        }
    }

    /// All conversations of a folder, each with its helpers.
    fn folder(&mut self, folder: &Folder, export: &mut Export<'_>) {
        let mut strays: Vec<(Option<String>, Session)> = Vec::new();
        for file in &folder.stray_helpers {
            if let Some(told) = self.transcript(file, true, export) {
                strays.push((told.named, told.session));
            }
        }
        let mut home: Option<(PathBuf, bool)> = None;
        for (id, conversation) in &folder.conversations {
            let mine = |named: &Option<String>| named.as_deref() == Some(id);
            let (helpers, others): (Vec<_>, Vec<_>) = strays.into_iter().partition(|(named, _)| mine(named));
            strays = others;
            let helpers = helpers.into_iter().map(|(_, session)| session).collect();
            self.conversation(id, conversation, helpers, &folder.slug, &mut home, export);
        }
        // Helpers whose parents are gone still did something.
        for (named, session) in strays {
            let id = named.unwrap_or_else(|| session.id.clone());
            let gone = Conversation::default();
            self.conversation(&id, &gone, vec![session], &folder.slug, &mut home, export);
        }
        self.folder_homes.push(home);
    }

    fn conversation(
        &mut self,
        id: &str,
        conversation: &Conversation,
        mut helpers: Vec<Session>,
        slug: &str,
        home: &mut Option<(PathBuf, bool)>,
        export: &mut Export<'_>,
    ) {
        let mut session = Session::new(id, horizon(export.clock));
        if let Some(told) = conversation
            .own
            .as_ref()
            .and_then(|file| self.transcript(file, false, export))
        {
            session = told.session;
        }
        for file in &conversation.helpers {
            helpers.extend(self.transcript(file, true, export).map(|told| told.session));
        }
        for helper in helpers {
            session.absorb(helper);
        }
        let in_repository = session.was_in_repository();
        // The folder whose spelling gives the slug is the one it is named for; else any that was worked in.
        let named_for = session
            .folders
            .iter()
            .find(|folder| slug_of(&folder.to_string_lossy()) == slug);
        match (&home, named_for, session.folders.first()) {
            (_, Some(folder), _) => *home = Some((folder.clone(), in_repository)),
            (None, None, Some(folder)) => *home = Some((folder.clone(), in_repository)),
            _ => {}
        }
        if conversation.own.is_some() {
            self.covered.sessions.insert(id.to_owned());
        }
        if let Some(span) = session.span {
            for folder in &session.folders {
                self.covered
                    .spans
                    .entry(folder.clone())
                    .or_default()
                    .push((span.first, span.last));
            }
        }
        self.harvest.session(session, export.clock);
    }

    /// One file of transcript lines; `None` when it cannot be read.
    fn transcript(&mut self, file: &Listed, helper: bool, export: &mut Export<'_>) -> Option<Told> {
        let id = file
            .path
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned())
            .unwrap_or_default();
        let how = if helper { "helper" } else { "conversation" };
        let horizon = horizon(export.clock);
        let read = |redactor: &mut Redactor, progress: &mut dyn Progress| {
            transcript::read(&file.path, &id, helper, horizon, redactor, progress)
        };
        let told = self
            .harvest
            .transcript(file, how, export.clock, export.progress, read);
        match told {
            Ok(told) => {
                self.lines.add(told.counts);
                self.transcripts += 1;
                Some(told)
            }
            Err(error) => {
                self.unreadable += 1;
                self.first_unreadable.get_or_insert((file.path.clone(), error));
                None
            }
        }
    }

    fn history(&mut self, file: &Listed, export: &mut Export<'_>) {
        match history::read(
            &file.path,
            &self.covered,
            horizon(export.clock),
            &mut self.harvest.redactor,
            export.progress,
        ) {
            Ok((sessions, counts)) => {
                self.lines.add(counts);
                for mut session in sessions {
                    session.remains = true;
                    if let Some(folder) = session.folders.first() {
                        let slug = slug_of(&folder.to_string_lossy());
                        self.homes_of_slugs.push((slug, folder.clone(), false));
                    }
                    self.harvest.session(session, export.clock);
                }
            }
            Err(_) => self.unreadable += 1,
        }
    }

    /// The memory files of a folder. When no transcript says which project the folder is of, the history may.
    fn memories(&mut self, folder: &Folder, export: &mut Export<'_>) {
        let known = self.folder_homes.remove(0);
        let known = known.or_else(|| {
            let named = self
                .homes_of_slugs
                .iter()
                .find(|(slug, _, _)| *slug == folder.slug);
            named.map(|(_, folder, in_repository)| (folder.clone(), *in_repository))
        });
        // Nor may anything any more: then it may have been seen before.
        let known = known.or_else(|| {
            let seen = self.harvest.seen();
            let folder = seen
                .folders()
                .find(|seen| slug_of(&seen.to_string_lossy()) == folder.slug);
            folder.map(|folder| (folder.to_owned(), true))
        });
        // What belongs to no known folder may be anybody's business.
        let private = known.is_none();
        self.memory_files(&folder.memories, known.as_ref(), private, export);
    }

    fn memory_files(
        &mut self,
        files: &[Listed],
        known: Option<&(PathBuf, bool)>,
        private: bool,
        export: &mut Export<'_>,
    ) {
        for file in files {
            export.progress.advance(file.bytes);
            let Ok(bytes) = ken_files::read_bounded(&file.path, MAX_MEMORY) else {
                self.unreadable += 1;
                continue;
            };
            let text = String::from_utf8_lossy(&bytes);
            let name = file
                .path
                .file_name()
                .map(|name| name.to_string_lossy())
                .unwrap_or_default();
            let place = known.map(|(folder, in_repository)| Whereabouts {
                folder: folder.clone(),
                in_repository: *in_repository,
                remote: None,
            });
            self.harvest.memory(&name, &text, place.as_ref(), private);
        }
    }

    fn finish(self, who: &ClaudeCode, listing: &Listing, bytes: u64, export: &Export<'_>) -> Projection {
        let mut harvested = self.harvest.manifest(who.id(), who.kind(), export);
        let agent = &mut harvested.manifest.agent;
        agent.role_narrative = Some(
            "Code assistant at the command line: reads and changes repositories, runs commands and tests."
                .to_owned(),
        );
        agent.spec_version_compat = Some("0.1".to_owned());
        harvested.manifest.capabilities =
            ["code-read", "code-write", "shell", "image-analysis", "web-search"]
                .map(str::to_owned)
                .to_vec();
        let mut skipped = harvested.skipped;
        skipped.extend(self.lines.skipped());
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
