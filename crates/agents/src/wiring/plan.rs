use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use ken_files::{FileError, NewFile, read_bounded};
use serde::Serialize;
use similar::TextDiff;

use super::agent::{Agent, agents};
use super::facts::Facts;
use super::part::{Part, parts};
use super::receipt::{Receipt, digest};
use super::{Request, Scope, WiringError, reads, server_is_ours};

/// The largest settings file that is read.
pub(super) const LIMIT: u64 = 64 * 1024 * 1024;

/// How many links may lead from one to the next.
const LINKS: usize = 40;

/// What is about to be done to whose files. Making one writes nothing.
#[derive(Debug)]
pub struct Plan {
    /// Putting in or taking out.
    pub deed: Deed,
    /// Whose settings.
    pub scope: Scope,
    /// The agents, in the order in which they were asked for.
    pub agents: Vec<PlannedAgent>,
    /// The files that change, each once. Empty when there is nothing to do.
    pub files: Vec<FileChange>,
    pub(super) chosen: Vec<&'static Agent>,
    /// Notes whose places move when the plan is written: as they are now, and as they are then.
    moved: Vec<(String, String)>,
    pub(super) request: Request,
    /// Receipts that change although their file does not.
    pub(super) receipts: Vec<Receipt>,
    /// The folders that setup made, which go when they are empty; outermost first.
    pub(super) folders: Vec<PathBuf>,
}

/// Putting in or taking out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Deed {
    /// `ken setup`.
    Setup,
    /// `ken unsetup`.
    Unsetup,
}

/// An agent in a plan.
#[derive(Debug, Clone, Serialize)]
pub struct PlannedAgent {
    /// Its id.
    pub id: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Where a trace of it was found, if it is installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub installed: Option<PathBuf>,
    /// What the person should know, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What the person still has to do, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remains: Vec<String>,
}

/// A file that changes.
#[derive(Debug, Clone)]
pub struct FileChange {
    /// The file as the agent names it.
    pub path: PathBuf,
    /// The file that is written: `path` with links followed.
    pub real: PathBuf,
    /// Its bytes now; nothing where there is no file.
    pub before: Option<Vec<u8>>,
    /// Its bytes afterwards; nothing where it is removed.
    pub after: Option<Vec<u8>>,
    /// What is done to it, a phrase each: `adds the MCP server ken`.
    pub says: Vec<String>,
    pub(super) new: NewFile,
    /// What is remembered afterwards; nothing where the file is forgotten.
    pub(super) receipt: Option<Receipt>,
}

impl FileChange {
    /// The change as a unified diff, with `shown` as the file's name.
    pub fn diff(&self, shown: &str) -> String {
        let text = |bytes: &Option<Vec<u8>>| {
            String::from_utf8_lossy(bytes.as_deref().unwrap_or_default()).into_owned()
        };
        let name = |side: &Option<Vec<u8>>| {
            if side.is_some() {
                shown.to_owned()
            } else {
                "/dev/null".to_owned()
            }
        };
        let (before, after) = (text(&self.before), text(&self.after));
        TextDiff::from_lines(&before, &after)
            .unified_diff()
            .context_radius(3)
            .header(&name(&self.before), &name(&self.after))
            .to_string()
    }
}

impl Plan {
    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

/// What a setup of these agents would write. Reads only.
///
/// # Errors
/// The first file that cannot be set up: one that does not parse ([`WiringError::Broken`]), holds another's entry
/// under our name ([`WiringError::Foreign`]), or cannot be read. One such file refuses the whole plan.
pub fn plan_setup(agents: &[&'static Agent], request: &Request) -> Result<Plan, WiringError> {
    let mut plan = Plan::new(Deed::Setup, agents, request)?;
    for (path, real, parts) in files(agents, request)? {
        let before = read(&real)?;
        let receipt = Receipt::read(&request.paths, &real);
        let change = set_up(&path, &real, &parts, before, receipt, request)?;
        plan.warn(&parts, &change);
        plan.take(change);
    }
    Ok(plan)
}

/// What taking these agents' wiring out again would write. Reads only.
///
/// # Errors
/// As [`plan_setup`]; another's entry is left alone and is no error.
pub fn plan_unsetup(agents: &[&'static Agent], request: &Request) -> Result<Plan, WiringError> {
    let mut plan = Plan::new(Deed::Unsetup, agents, request)?;
    for (path, real, mut parts) in files(agents, request)? {
        let Some(bytes) = read(&real)? else {
            // A setup that was killed may have made the folders and no file.
            if let Some(receipt) = Receipt::read(&request.paths, &real) {
                plan.folders.extend(receipt.folders);
            }
            continue;
        };
        if let Some(index) = parts.iter().position(|part| matches!(part, Part::Block))
            && Part::Block.strip(&bytes, &path, request, None, None)? != bytes
            && let Some(other) = other_reader(&real, agents, request)
        {
            parts.remove(index);
            if let Some(planned) = plan.agents.first_mut() {
                planned.notes.push(format!(
                    "the lines about ken in {} stay: {} reads them too",
                    path.display(),
                    other.title
                ));
            }
        }
        if parts.is_empty() {
            continue;
        }
        let receipt = Receipt::read(&request.paths, &real);
        take_out(&mut plan, &path, &real, &parts, bytes, receipt.as_ref())?;
    }
    Ok(plan)
}

impl Plan {
    fn new(deed: Deed, chosen: &[&'static Agent], request: &Request) -> Result<Plan, WiringError> {
        if request.scope == Scope::Project && request.project.is_none() {
            return Err(WiringError::NoProject);
        }
        if deed == Deed::Setup && request.program.to_str().is_none() {
            return Err(WiringError::Program {
                path: request.program.clone(),
            });
        }
        let agents = chosen.iter().map(|agent| planned(agent, deed, request)).collect();
        Ok(Plan {
            deed,
            scope: request.scope,
            agents,
            files: Vec::new(),
            chosen: chosen.to_vec(),
            moved: Vec::new(),
            request: request.clone(),
            receipts: Vec::new(),
            folders: Vec::new(),
        })
    }

    /// Says of a file that its agent reads nothing in it, once it is set up.
    fn warn(&mut self, parts: &[Part], change: &FileChange) {
        for part in parts {
            let said = |bytes: &Option<Vec<u8>>| reads::unread(*part, bytes.as_deref()?, &change.path);
            if let Some(then) = said(&change.after)
                && let Some(planned) = self.agents.iter_mut().find(|agent| agent.id == part.owner())
            {
                let now = said(&change.before).unwrap_or_else(|| then.clone());
                if !planned.notes.contains(&now) {
                    planned.notes.push(now.clone());
                    self.moved.push((now, then));
                }
            }
        }
    }

    /// The agents as they are to be told of once the plan is written: a place in a note is then one in the file as it
    /// was left.
    pub fn agents_once_written(&self) -> Vec<PlannedAgent> {
        let mut agents = self.agents.clone();
        for note in agents.iter_mut().flat_map(|agent| &mut agent.notes) {
            if let Some((_, then)) = self.moved.iter().find(|(now, _)| now == note) {
                note.clone_from(then);
            }
        }
        agents
    }

    fn take(&mut self, change: FileChange) {
        if change.before != change.after {
            self.files.push(change);
        } else if let Some(receipt) = change.receipt
            && Receipt::read(&self.request.paths, &change.real).as_ref() != Some(&receipt)
        {
            self.receipts.push(receipt);
        }
    }
}

fn planned(agent: &Agent, deed: Deed, request: &Request) -> PlannedAgent {
    let installed = request.installed(agent);
    let (mut notes, mut remains) = (Vec::new(), Vec::new());
    if deed == Deed::Setup {
        if installed.is_none() {
            notes.push(format!("{} was not found on this machine", agent.title));
        }
        if let Some(name) = agent.instructions.overridden_by
            && let Some(file) = super::part::instructions(agent, request)
            && let Some(over) = file
                .parent()
                .map(|folder| folder.join(name))
                .filter(|over| over.exists())
        {
            notes.push(format!(
                "{} reads {} in place of {}: copy the lines about ken into it if they should be read",
                agent.title,
                over.display(),
                file.display()
            ));
        }
        let fits =
            |remains: &&super::agent::Remains| remains.scope.is_none_or(|scope| scope == request.scope);
        remains.extend(
            agent
                .remains
                .iter()
                .filter(fits)
                .map(|remains| remains.sentence.to_owned()),
        );
        if let Some(other) = super::inspect::wired_in_other_scope(agent, request) {
            notes.push(other);
        }
        notes.extend(reads::hooks_elsewhere(agent, request));
    }
    PlannedAgent {
        id: agent.id,
        title: agent.title,
        installed,
        notes,
        remains,
    }
}

pub(super) type Files = Vec<(PathBuf, PathBuf, Vec<Part>)>;

/// The files of these agents with what goes into each, every file once.
pub(super) fn files(agents: &[&'static Agent], request: &Request) -> Result<Files, WiringError> {
    let mut files: Files = Vec::new();
    for agent in agents {
        for (part, path) in parts(agent, request) {
            let real = follow(&path)?;
            match files.iter_mut().find(|(_, known, _)| *known == real) {
                Some((_, _, parts)) => {
                    if !parts.iter().any(|known| known.same(&part)) {
                        parts.push(part);
                    }
                }
                None => files.push((path, real, vec![part])),
            }
        }
    }
    Ok(files)
}

/// Another agent that is set up here and reads the same instructions file.
fn other_reader(real: &Path, leaving: &[&'static Agent], request: &Request) -> Option<&'static Agent> {
    agents().iter().copied().find(|agent| {
        leaving.iter().all(|leaves| leaves.id != agent.id)
            && super::part::instructions(agent, request)
                .and_then(|file| follow(&file).ok())
                .is_some_and(|file| file == real)
            && server_is_ours(agent, request)
    })
}

fn set_up(
    path: &Path,
    real: &Path,
    parts: &[Part],
    before: Option<Vec<u8>>,
    receipt: Option<Receipt>,
    request: &Request,
) -> Result<FileChange, WiringError> {
    let bytes = before.clone().unwrap_or_default();
    let found = receipt.as_ref().and_then(|receipt| receipt.facts.as_ref());
    let bare = strip(&bytes, path, parts, request, receipt.as_ref(), found)?;
    // A receipt of a file in which nothing of ours is left tells of another time.
    let standing = bare != bytes;
    // But of folders that a setup which was killed made for a file that it did not come to.
    let begun = receipt
        .as_ref()
        .filter(|_| before.is_none())
        .map(|receipt| receipt.folders.clone())
        .unwrap_or_default();
    let receipt = receipt.filter(|receipt| standing || !left_by(receipt, parts).is_empty());
    let known = receipt.is_some();
    let lost = standing && receipt.as_ref().is_none_or(|receipt| receipt.facts.is_none());
    let mut facts = receipt
        .as_ref()
        .and_then(|receipt| receipt.facts.clone())
        .unwrap_or(Facts {
            existed: before.is_some(),
            ..Facts::default()
        });
    let mut after = bytes.clone();
    let mut says = Vec::new();
    for part in parts {
        let (wired, said) = part.wire(&after, path, request, receipt.as_ref(), &mut facts)?;
        after = wired;
        says.extend(said);
    }
    // What others wrote must come out as it went in: else nothing is written at all.
    let taken_over = !facts.replaced.is_empty();
    let facts = (!lost || taken_over).then_some(facts);
    let bare = if taken_over {
        strip(&bytes, path, parts, request, receipt.as_ref(), facts.as_ref())?
    } else {
        bare
    };
    let back = strip(&after, path, parts, request, receipt.as_ref(), facts.as_ref())?;
    if back != bare && !parts[0].same_values(&back, &bare, path)? {
        return Err(WiringError::NotExact {
            path: path.to_owned(),
        });
    }
    let unchanged = before.as_deref() == Some(&after[..]);
    let original = match &receipt {
        Some(receipt) if receipt.wrote == digest(&bytes) => receipt.before.clone(),
        _ if standing => {
            let nothing = parts[0].is_nothing(&bare, facts.as_ref());
            (!nothing).then_some(bare)
        }
        _ => before.clone(),
    };
    let folders = match &receipt {
        Some(receipt) => receipt.folders.clone(),
        None => {
            let mut folders = missing_folders(real);
            let known: Vec<_> = begun
                .into_iter()
                .filter(|folder| !folders.contains(folder))
                .collect();
            folders.splice(0..0, known);
            folders
        }
    };
    let mut owners = receipt
        .as_ref()
        .map(|receipt| left_by(receipt, parts))
        .unwrap_or_default();
    owners.extend(owned(parts));
    let own = request.program.to_string_lossy().into_owned();
    let mut programs = receipt
        .as_ref()
        .map(|receipt| receipt.programs.clone())
        .unwrap_or_default();
    if !programs.contains(&own) {
        programs.push(own);
    }
    let receipt = Receipt {
        file: real.to_owned(),
        owners,
        programs,
        wrote: match (&receipt, unchanged) {
            (Some(receipt), true) => receipt.wrote.clone(),
            _ => digest(&after),
        },
        facts,
        folders,
        before: match (&receipt, unchanged) {
            (Some(receipt), true) => receipt.before.clone(),
            _ => original,
        },
    };
    // Nothing to remember of a file that already held all, unless an entry was taken over as it stood.
    let remember = !unchanged || known || taken_over;
    Ok(FileChange {
        path: path.to_owned(),
        real: real.to_owned(),
        before,
        after: Some(after),
        says,
        new: new_file(request.scope),
        receipt: remember.then_some(receipt),
    })
}

fn take_out(
    plan: &mut Plan,
    path: &Path,
    real: &Path,
    parts: &[Part],
    bytes: Vec<u8>,
    receipt: Option<&Receipt>,
) -> Result<(), WiringError> {
    let facts = receipt.and_then(|receipt| receipt.facts.as_ref());
    let bare = strip(&bytes, path, parts, &plan.request, receipt, facts)?;
    let untouched = receipt.filter(|receipt| receipt.wrote == digest(&bytes));
    let original = match untouched {
        // Parts of another agent that stay are no reason to bring back a time without them.
        Some(receipt) => {
            let before = receipt.before.clone().unwrap_or_default();
            parts[0].same_values(&bare, &before, path)?
        }
        None => false,
    };
    let after = match untouched {
        Some(receipt) if original => receipt.before.clone(),
        _ if bare == bytes => Some(bare),
        _ if parts[0].is_nothing(&bare, facts) => None,
        _ => Some(bare),
    };
    if after.is_none() {
        let folders = match receipt {
            Some(receipt) => receipt.folders.clone(),
            // Without a receipt: the agent's own folder in a project, which git would not keep when empty.
            None => plan
                .request
                .root()
                .filter(|_| plan.scope == Scope::Project)
                .and_then(|root| path.parent().filter(|folder| *folder != root))
                .map(Path::to_owned)
                .into_iter()
                .collect(),
        };
        for folder in folders {
            if !plan.folders.contains(&folder) {
                plan.folders.push(folder);
            }
        }
    }
    if after.as_ref() == Some(&bytes) {
        return Ok(());
    }
    let says = match &after {
        None => "setup made it".to_owned(),
        Some(_) => "takes out what setup put in".to_owned(),
    };
    plan.files.push(FileChange {
        path: path.to_owned(),
        real: real.to_owned(),
        before: Some(bytes),
        after,
        says: vec![says],
        new: new_file(plan.scope),
        receipt: receipt
            .filter(|receipt| !original && !left_by(receipt, parts).is_empty())
            .map(|receipt| Receipt {
                wrote: String::new(),
                owners: left_by(receipt, parts),
                ..receipt.clone()
            }),
    });
    Ok(())
}

/// Whose parts these are, each once.
fn owned(parts: &[Part]) -> Vec<String> {
    let owners: BTreeSet<&str> = parts.iter().map(|part| part.owner()).collect();
    owners.into_iter().map(str::to_owned).collect()
}

/// Who else's wiring a receipt tells of.
fn left_by(receipt: &Receipt, parts: &[Part]) -> Vec<String> {
    let leaving = owned(parts);
    receipt
        .owners
        .iter()
        .filter(|owner| !leaving.contains(owner))
        .cloned()
        .collect()
}

fn strip(
    bytes: &[u8],
    path: &Path,
    parts: &[Part],
    request: &Request,
    receipt: Option<&Receipt>,
    facts: Option<&Facts>,
) -> Result<Vec<u8>, WiringError> {
    parts.iter().rev().try_fold(bytes.to_vec(), |bytes, part| {
        part.strip(&bytes, path, request, receipt, facts)
    })
}

fn new_file(scope: Scope) -> NewFile {
    match scope {
        Scope::Project => NewFile::Shared,
        Scope::User => NewFile::Private,
    }
}

/// A file's bytes; nothing where there is none.
pub(super) fn read(real: &Path) -> Result<Option<Vec<u8>>, FileError> {
    match fs::symlink_metadata(real) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        _ => read_bounded(real, LIMIT).map(Some),
    }
}

/// A path with the links of its last part followed, and its folder with all links resolved: one file has one.
pub(super) fn follow(path: &Path) -> Result<PathBuf, FileError> {
    let mut target = path.to_owned();
    let mut seen = BTreeSet::new();
    while let Ok(next) = fs::read_link(&target) {
        let folder = target.parent().unwrap_or(Path::new("/")).to_owned();
        if !seen.insert(target.clone()) || seen.len() > LINKS {
            return Err(FileError::LinkLoop {
                path: path.to_owned(),
            });
        }
        target = folder.join(next);
    }
    let folder = target.parent().and_then(|folder| fs::canonicalize(folder).ok());
    Ok(match (folder, target.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        _ => target,
    })
}

/// The folders that must be made for a file, outermost first.
fn missing_folders(real: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<PathBuf> = real
        .ancestors()
        .skip(1)
        .take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists())
        .map(Path::to_owned)
        .collect();
    missing.reverse();
    missing
}
