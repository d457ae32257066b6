//! One session as a participant tells it, whatever tool it comes from: small, bounded, already without credentials.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::command::{self, Command, Deed};
use super::redact::Redactor;
use super::request::{self, Request};
use super::told::Told;
use crate::participant::Unfinished;

/// Requests held of a session; how the rows are chosen among them is [`super::actions`].
const MAX_REQUESTS: usize = 12;
/// Distinct files, folders, branches and commands held of a session.
const MAX_FILES: usize = 4096;
/// Files held that were edited last.
const MAX_RECENT: usize = 8;
const MAX_FOLDERS: usize = 16;
const MAX_BRANCHES: usize = 32;
const MAX_COMMANDS: usize = 64;
const MAX_TASKS: usize = 100;
/// Bytes held of a folder's path: more than [`super::project::MAX_PATH`].
const MAX_FOLDER: usize = 2 * super::project::MAX_PATH;

/// From the first to the last activity.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Span {
    pub(crate) first: Timestamp,
    pub(crate) last: Timestamp,
}

impl Span {
    pub(crate) fn at(at: Timestamp) -> Span {
        Span { first: at, last: at }
    }

    pub(crate) fn widen(&mut self, other: Span) {
        self.first = self.first.min(other.first);
        self.last = self.last.max(other.last);
    }
}

/// A request that was kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Asked {
    /// Its place among all requests of the session.
    pub(crate) place: u64,
    pub(crate) at: Option<Timestamp>,
    /// What a row shows of it.
    pub(crate) line: String,
    /// Where that is made of several lines, or is not all: the lines.
    pub(crate) lines: Option<String>,
}

/// An item of an agent's own task list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Task {
    pub(crate) text: String,
    pub(crate) done: bool,
}

/// A session, told bit by bit in the order in which it happened.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Session {
    /// The tool's own name for it; orders sessions of the same instant.
    pub(crate) id: String,
    pub(crate) span: Option<Span>,
    /// Working directories, in order of appearance.
    pub(crate) folders: Vec<PathBuf>,
    pub(crate) requests: Vec<Asked>,
    pub(crate) greeting: Option<String>,
    /// Edited files as the tool named them, with how often and in which place of first appearance.
    pub(crate) files: BTreeMap<String, (u64, u64)>,
    pub(crate) commits: Vec<String>,
    pub(crate) commands: Vec<(Deed, String)>,
    pub(crate) branches: BTreeMap<String, Option<Span>>,
    pub(crate) tasks: Vec<Task>,
    /// Whether the tool noted a repository, were it one without a branch.
    pub(crate) in_repository: bool,
    /// The repository's remote, as [`super::project::remote_key`] spells it.
    #[serde(default)]
    pub(crate) remote: Option<String>,
    /// Whether it is only what is left of a session whose transcript is gone.
    #[serde(skip)]
    pub(crate) remains: bool,
    /// Whether it is private, wherever it took place.
    #[serde(skip)]
    pub(crate) private: bool,
    /// The earliest time in it that has not come yet; such a time counts as unknown.
    pub(crate) ahead: Option<Timestamp>,
    /// The last thing that was asked, however little it says.
    #[serde(skip)]
    latest: Option<String>,
    /// The files that were edited last, the last one at the end.
    #[serde(skip)]
    recent: Vec<String>,
    #[serde(skip)]
    horizon: Option<Timestamp>,
    #[serde(skip)]
    asked: u64,
    #[serde(skip)]
    seen: HashSet<u64>,
}

impl Session {
    /// A session of which nothing is told yet. What is said to have happened after `horizon` was noted by a clock that
    /// was wrong: nobody knows when it was.
    pub(crate) fn new(id: &str, horizon: Timestamp) -> Session {
        Session {
            id: id.to_owned(),
            horizon: Some(horizon),
            ..Session::default()
        }
    }

    /// Something happened at this instant.
    pub(crate) fn active_at(&mut self, at: Timestamp) {
        if self.is_ahead(at) {
            self.ahead = Some(self.ahead.map_or(at, |ahead| ahead.min(at)));
            return;
        }
        match &mut self.span {
            Some(span) => span.widen(Span::at(at)),
            None => self.span = Some(Span::at(at)),
        }
    }

    /// Whether each of its times counts at this horizon as it did when the session was told.
    pub(crate) fn is_as_of(&self, horizon: Timestamp) -> bool {
        self.ahead.is_none_or(|ahead| ahead > horizon) && self.span.is_none_or(|span| span.last <= horizon)
    }

    fn is_ahead(&self, at: Timestamp) -> bool {
        self.horizon.is_some_and(|horizon| at > horizon)
    }

    /// The working directory at this point.
    pub(crate) fn in_folder(&mut self, folder: &str) {
        // What is far longer than any path of a system is held as such, but not whole.
        let folder = &folder[..folder.floor_char_boundary(MAX_FOLDER)];
        let folder = Path::new(folder);
        if self.folders.last().is_some_and(|last| last == folder)
            || self.folders.len() == MAX_FOLDERS
            || self.folders.iter().any(|known| known == folder)
            || folder.as_os_str().is_empty()
        {
            return;
        }
        self.folders.push(folder.to_owned());
    }

    /// The branch at this point; an empty one means that there was no repository.
    pub(crate) fn on_branch(&mut self, branch: &str, at: Option<Timestamp>) {
        if branch.is_empty() {
            return;
        }
        if !self.branches.contains_key(branch) {
            if self.branches.len() == MAX_BRANCHES {
                return;
            }
            self.branches.insert(branch.to_owned(), None);
        }
        let at = at.filter(|at| !self.is_ahead(*at));
        if let (Some(span), Some(at)) = (self.branches.get_mut(branch), at) {
            match span {
                Some(span) => span.widen(Span::at(at)),
                None => *span = Some(Span::at(at)),
            }
        }
    }

    /// The person asked this, at this instant.
    pub(crate) fn asked(&mut self, turn: &str, at: Option<Timestamp>, redactor: &mut Redactor) {
        match request::clean(&redactor.text(request::bounded(turn))) {
            Request::Nothing => {}
            Request::Greeting(line) => {
                self.greeting.get_or_insert(line);
            }
            Request::Asked { line, lines } => {
                self.latest = Some(line.clone());
                self.asked += 1;
                let plain = request::plain(&line);
                let fingerprint = u64_of(&plain);
                if self.seen.len() < MAX_FILES && !self.seen.insert(fingerprint) {
                    return;
                }
                self.requests.push(Asked {
                    place: self.asked,
                    at,
                    lines: Some(lines).filter(|lines| *lines != line),
                    line,
                });
                if self.requests.len() > MAX_REQUESTS {
                    self.drop_slightest();
                }
            }
        }
    }

    /// The request that says least goes; the first one never.
    fn drop_slightest(&mut self) {
        let slightest = self
            .requests
            .iter()
            .enumerate()
            .skip(1)
            .min_by_key(|(at, asked)| (weight(&asked.line), std::cmp::Reverse(*at)))
            .map(|(at, _)| at);
        if let Some(at) = slightest {
            self.requests.remove(at);
        }
    }

    /// The session is complete: what it was told in a brief and said again is taken out.
    pub(crate) fn settle(&mut self, told: &Told) {
        self.requests.retain_mut(|asked| {
            match told.taken_out_of(asked.lines.as_ref().unwrap_or(&asked.line), asked.at) {
                Cow::Borrowed(_) => true,
                Cow::Owned(own) => match request::shown(&own) {
                    Some(line) => {
                        asked.line = line;
                        true
                    }
                    None => false,
                },
            }
        });
        let last = self.span.map(|span| span.last);
        self.tasks.retain(|task| !told.holds(&task.text, last));
        self.commits.retain(|subject| !told.holds(subject, last));
    }

    /// What was in hand when the telling ended.
    pub(crate) fn unfinished(self) -> Unfinished {
        Unfinished {
            request: self.latest,
            files: self.recent.into_iter().rev().map(PathBuf::from).collect(),
        }
    }

    /// Whether it took place in a repository, by what the tool noted. `HEAD` alone says nothing: some versions noted it
    /// outside of any repository too.
    pub(crate) fn was_in_repository(&self) -> bool {
        self.in_repository || self.branches.keys().any(|branch| branch != "HEAD")
    }

    /// Whether anything was asked, were it only a greeting.
    pub(crate) fn has_words(&self) -> bool {
        !self.requests.is_empty() || self.greeting.is_some()
    }

    /// Takes over what another telling of this session holds of the person's words.
    pub(crate) fn with_words_of(&mut self, other: Session) {
        self.requests = other.requests;
        self.greeting = other.greeting;
        self.latest = other.latest;
    }

    /// The agent wrote to this file.
    pub(crate) fn edited(&mut self, path: &str, redactor: &mut Redactor) {
        if path.len() > 4096 {
            return;
        }
        // As the tool spelled it: taken apart, a credential in it may not look like one any more.
        self.edited_file(&redactor.path(path));
    }

    fn edited_file(&mut self, path: &str) {
        if path.is_empty() || path.len() > 4096 {
            return;
        }
        self.recent.retain(|other| other != path);
        self.recent.push(path.to_owned());
        if self.recent.len() > MAX_RECENT {
            self.recent.remove(0);
        }
        let place = self.files.len() as u64;
        if let Some((times, _)) = self.files.get_mut(path) {
            *times += 1;
        } else if self.files.len() < MAX_FILES {
            self.files.insert(path.to_owned(), (1, place));
        }
    }

    /// The agent ran this command line.
    pub(crate) fn ran(&mut self, line: &str, redactor: &mut Redactor) {
        let line = request::bounded(line);
        if command::that_mattered(line).is_empty() {
            return;
        }
        for command in command::that_mattered(&redactor.text(line)) {
            match command {
                Command::Commit(subject) => keep(&mut self.commits, subject),
                Command::Other(deed, text) => keep(&mut self.commands, (deed, text)),
            }
        }
    }

    /// The agent's task list as it is from now on.
    pub(crate) fn task_list(&mut self, tasks: impl IntoIterator<Item = Task>) {
        self.tasks = tasks.into_iter().take(MAX_TASKS).collect();
    }

    /// One task was added to the list.
    pub(crate) fn add_task(&mut self, text: String) {
        if self.tasks.len() < MAX_TASKS {
            self.tasks.push(Task { text, done: false });
        }
    }

    /// The task of this place (from one) was finished, or opened again.
    pub(crate) fn set_task(&mut self, place: usize, done: bool) {
        if let Some(task) = place.checked_sub(1).and_then(|at| self.tasks.get_mut(at)) {
            task.done = done;
        }
    }

    /// The session was taken up again, as another telling of it says.
    pub(crate) fn goes_on(&mut self, later: Session) {
        let places = self.requests.last().map_or(0, |asked| asked.place);
        for mut asked in later.requests.iter().cloned() {
            asked.place += places;
            let said = |other: &Asked| request::plain(&other.line) == request::plain(&asked.line);
            if !self.requests.iter().any(said) {
                self.requests.push(asked);
            }
        }
        while self.requests.len() > MAX_REQUESTS {
            self.drop_slightest();
        }
        if self.greeting.is_none() {
            self.greeting.clone_from(&later.greeting);
        }
        for (branch, span) in &later.branches {
            self.on_branch(branch, span.map(|span| span.first));
            self.on_branch(branch, span.map(|span| span.last));
        }
        if !later.tasks.is_empty() {
            self.tasks.clone_from(&later.tasks);
        }
        self.absorb(later);
    }

    /// Takes in what a helper of this session did: its edits, commands and times, not its words.
    pub(crate) fn absorb(&mut self, helper: Session) {
        self.in_repository |= helper.in_repository;
        self.private |= helper.private;
        self.remote = self.remote.take().or(helper.remote);
        self.ahead = self.ahead.into_iter().chain(helper.ahead).min();
        if let Some(span) = helper.span {
            match &mut self.span {
                Some(mine) => mine.widen(span),
                None => self.span = Some(span),
            }
        }
        for folder in helper.folders {
            self.in_folder(&folder.to_string_lossy());
        }
        let mut files: Vec<_> = helper.files.into_iter().collect();
        files.sort_by_key(|(_, (_, place))| *place);
        for (path, (times, _)) in files {
            self.edited_file(&path);
            if let Some((mine, _)) = self.files.get_mut(&path) {
                *mine += times - 1;
            }
        }
        for subject in helper.commits {
            keep(&mut self.commits, subject);
        }
        for command in helper.commands {
            keep(&mut self.commands, command);
        }
    }
}

/// How much a request says: its words, up to a long sentence's worth.
pub(crate) fn weight(line: &str) -> usize {
    line.split_whitespace()
        .filter(|word| word.len() > 2)
        .take(24)
        .count()
}

/// Adds what is new; the oldest goes when there are too many.
fn keep<T: PartialEq>(list: &mut Vec<T>, item: T) {
    if !list.contains(&item) {
        if list.len() == MAX_COMMANDS {
            list.remove(0);
        }
        list.push(item);
    }
}

fn u64_of(text: &str) -> u64 {
    let hash = blake3::hash(text.as_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_bytes()[..8]);
    u64::from_le_bytes(first)
}
