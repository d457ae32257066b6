//! Work in flight: branches and task lists on which there was activity.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use ken_files::Clock;
use ken_library::{Visibility, WorkStatus, Workstream};

use super::names::is_one_common_word;
use super::project::Project;
use super::request::{cut, one_line};
use super::session::{Session, Span, Task};

/// Work untouched for longer before the newest session is paused.
const ACTIVE_DAYS: i64 = 14;
/// Longest summary that the contract recommends.
const MAX_SUMMARY: usize = 500;
/// Longest name that is made of a request.
const MAX_TITLE: usize = 80;
/// Task lists held that belong to no branch.
const MAX_LISTS: usize = 400;

/// Branches on which everything and nothing happens.
const SHARED_BRANCHES: &[&str] = &[
    "HEAD",
    "default",
    "dev",
    "develop",
    "development",
    "main",
    "master",
    "next",
    "production",
    "release",
    "staging",
    "trunk",
];

#[derive(Debug, Default)]
struct Stream {
    span: Option<Span>,
    sessions: u64,
    tasks: Option<(Option<Timestamp>, Vec<Task>)>,
}

/// All streams of a store, gathered session by session.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    branches: BTreeMap<(PathBuf, String), Stream>,
    /// Lists of sessions on a shared branch, by last activity and session id.
    lists: BTreeMap<(Option<Timestamp>, String), OpenList>,
}

/// A task list that belongs to no branch.
#[derive(Debug)]
struct OpenList {
    project: PathBuf,
    title: String,
    span: Option<Span>,
    tasks: Vec<Task>,
}

impl Streams {
    /// Takes a session's branches and its task list in.
    pub(crate) fn add(&mut self, project: &Path, session: &Session) {
        let mut own = None;
        for (branch, span) in &session.branches {
            if is_shared(branch) {
                continue;
            }
            let stream = self
                .branches
                .entry((project.to_owned(), branch.clone()))
                .or_default();
            stream.sessions += 1;
            match (&mut stream.span, span) {
                (Some(known), Some(span)) => known.widen(*span),
                (known @ None, span) => *known = *span,
                _ => {}
            }
            let last = span.map(|span| span.last);
            if own.as_ref().is_none_or(|(other, _)| *other <= last) {
                own = Some((last, branch.clone()));
            }
        }
        if session.tasks.is_empty() {
            return;
        }
        let last = session.span.map(|span| span.last);
        if let Some((_, branch)) = own {
            // The list belongs to the branch that the session ended on.
            if let Some(stream) = self.branches.get_mut(&(project.to_owned(), branch))
                && stream.tasks.as_ref().is_none_or(|(other, _)| *other <= last)
            {
                stream.tasks = Some((last, session.tasks.clone()));
            }
        } else if let Some(first) = session.requests.first()
            && session.tasks.len() > 1
            && session.tasks.iter().any(|task| !task.done)
        {
            let told = OpenList {
                project: project.to_owned(),
                title: cut(&first.line, MAX_TITLE),
                span: session.span,
                tasks: session.tasks.clone(),
            };
            self.lists.insert((last, session.id.clone()), told);
            if self.lists.len() > MAX_LISTS {
                self.lists.pop_first();
            }
        }
    }

    /// The rows, newest first: what was active since `since`. Status is relative to the newest session of the store,
    /// so that reading an old store tomorrow says the same as today.
    pub(crate) fn rows(
        self,
        projects: &BTreeMap<PathBuf, Project>,
        since: Option<Timestamp>,
        newest: Option<Timestamp>,
        clock: &Clock,
    ) -> Vec<Workstream> {
        let mut rows: Vec<(Option<Timestamp>, Workstream)> = Vec::new();
        let mut bearers: BTreeMap<&str, usize> = BTreeMap::new();
        for (_, branch) in self.branches.keys() {
            *bearers.entry(branch).or_default() += 1;
        }
        for ((id, branch), stream) in &self.branches {
            let Some(project) = projects.get(id) else { continue };
            let last = stream.span.map(|span| span.last);
            if last < since {
                continue;
            }
            let of = project.name.as_deref().unwrap_or("the home directory");
            let name = if bearers[branch.as_str()] > 1 {
                format!("{of}: {branch}")
            } else {
                branch.clone()
            };
            let open = |(_, tasks): &(_, Vec<Task>)| tasks.iter().any(|task| !task.done);
            let status = match branch_is_there(project, branch) {
                // Who deletes a branch has merged it or given it up; with work left on it nobody can say which.
                Some(false) if stream.tasks.as_ref().is_some_and(open) => WorkStatus::Paused,
                Some(false) => WorkStatus::Done,
                _ => status(last, newest),
            };
            let sessions = if stream.sessions == 1 {
                "1 session"
            } else {
                &format!("{} sessions", stream.sessions)
            };
            let mut summary = format!("Branch of {of}, {sessions}.");
            if let Some((_, tasks)) = &stream.tasks {
                summary = format!("{summary} {}", tell(tasks));
            }
            rows.push((last, row(&name, status, &summary, project, stream.span, clock)));
        }
        for ((last, _), list) in &self.lists {
            let Some(project) = projects.get(&list.project) else {
                continue;
            };
            if *last >= since {
                let status = status(*last, newest);
                rows.push((
                    *last,
                    row(&list.title, status, &tell(&list.tasks), project, list.span, clock),
                ));
            }
        }
        rows.sort_by(|(a, x), (b, y)| b.cmp(a).then_with(|| x.name.cmp(&y.name)));
        let mut rows: Vec<Workstream> = rows.into_iter().map(|(_, row)| row).collect();
        let mut names = std::collections::BTreeSet::new();
        rows.retain(|row| names.insert(row.name.to_lowercase()));
        rows
    }
}

fn is_shared(branch: &str) -> bool {
    branch.is_empty() || SHARED_BRANCHES.contains(&branch) || is_one_common_word(branch)
}

fn status(last: Option<Timestamp>, newest: Option<Timestamp>) -> WorkStatus {
    let (Some(last), Some(newest)) = (last, newest) else {
        return WorkStatus::Paused;
    };
    if newest.duration_since(last).as_hours() <= ACTIVE_DAYS * 24 {
        WorkStatus::Active
    } else {
        WorkStatus::Paused
    }
}

fn row(
    name: &str,
    status: WorkStatus,
    summary: &str,
    project: &Project,
    span: Option<Span>,
    clock: &Clock,
) -> Workstream {
    let mut row = Workstream::new(cut(name, 128), status);
    row.summary = Some(cut(summary, MAX_SUMMARY));
    row.started = span.map(|span| clock.local_date(span.first));
    row.last_touched = span.map(|span| clock.local_date(span.last));
    row.related_entities = project.name.clone().into_iter().collect();
    row.visibility = project.private.then_some(Visibility::Private);
    row
}

fn tell(tasks: &[Task]) -> String {
    let done = tasks.iter().filter(|task| task.done).count();
    let open: Vec<String> = tasks
        .iter()
        .filter(|task| !task.done)
        .map(|task| cut(&one_line(&task.text), 100))
        .filter(|text| !text.is_empty())
        .take(4)
        .collect();
    let told = format!("{done} of {} tasks done", tasks.len());
    if open.is_empty() {
        format!("{told}.")
    } else {
        format!("{told}; open: {}.", open.join("; "))
    }
}

/// Whether the branch is still in the repository; `None` when that cannot be told.
fn branch_is_there(project: &Project, branch: &str) -> Option<bool> {
    let git = project.git.as_deref()?;
    let heads = git.join("refs/heads");
    let odd = branch.starts_with('/') || branch.split('/').any(|part| matches!(part, "" | "." | ".."));
    if odd || git.join("reftable").exists() || !heads.is_dir() {
        return None;
    }
    if heads.join(branch).is_file() {
        return Some(true);
    }
    let packed = match ken_files::read_bounded(&git.join("packed-refs"), 16 * 1024 * 1024) {
        Ok(bytes) => bytes,
        Err(_) if git.join("packed-refs").exists() => return None,
        Err(_) => Vec::new(),
    };
    let wanted = format!(" refs/heads/{branch}");
    let there = packed.split(|b| *b == b'\n').any(|line| {
        line.strip_suffix(b"\r")
            .unwrap_or(line)
            .ends_with(wanted.as_bytes())
    });
    Some(there)
}
