use std::fs::OpenOptions;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use ken_files::{FileError, NewFile, create_folder};

use crate::Error;
use crate::git::{GitFile, Planned};
use crate::layout::{
    AGENT, DECISIONS, INDEX, Kind, LESSONS, LOG, LOG_LOCK, Layout, PERSONAL, PREFERENCES, REPEATS,
    REPEATS_LOCK, REVIEWS, STATE, WORKING,
};

/// What [`Folder::init`](crate::Folder::init) did; paths are relative to the project's root.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InitReport {
    /// Folders and files that did not exist before, parents first.
    pub created: Vec<PathBuf>,
    /// Files to which lines were added.
    pub extended: Vec<PathBuf>,
}

impl InitReport {
    /// Whether everything was there already.
    pub fn is_empty(&self) -> bool {
        self.created.is_empty() && self.extended.is_empty()
    }
}

const FOLDERS: &[(&str, NewFile)] = &[
    ("episodic", NewFile::Shared),
    ("semantic", NewFile::Shared),
    (PERSONAL, NewFile::Private),
    (WORKING, NewFile::Shared),
    (".dreamd", NewFile::Shared),
    (STATE, NewFile::Shared),
];

const FILES: &[(&str, &str, NewFile)] = &[
    (LOG, "", NewFile::Shared),
    (PREFERENCES, PREFERENCES_HEADER, NewFile::Private),
    (DECISIONS, DECISIONS_HEADER, NewFile::Private),
];

const PREFERENCES_HEADER: &str = "# Preferences

How you like work to be done: tools, style, tone, what to ask before. One line each is enough.

This file is yours. Git leaves it out, and no model is shown it unless you say `--share-personal` on that very command.
";

const DECISIONS_HEADER: &str = "# Decisions

What you decided for yourself, with the date and the reason, so that it need not be decided again.

This file is yours. Git leaves it out, and no model is shown it unless you say `--share-personal` on that very command.
";

/// What git leaves out: state, and what is private.
const IGNORED: &[&str] = &[".dreamd/", "personal/"];
/// Files to which two branches add lines.
const MERGED: &[&str] = &[LOG, REVIEWS];

pub(crate) fn init(layout: &Layout) -> Result<InitReport, Error> {
    // Everything is looked at before anything is written.
    if !layout.root.is_dir() {
        return Err(Error::NotAFolder {
            path: layout.root.clone(),
        });
    }
    layout.check_agent()?;
    layout.check(INDEX, Kind::Folder)?;
    for (folder, _) in FOLDERS {
        layout.check(folder, Kind::Folder)?;
    }
    for file in [
        LOG,
        LESSONS,
        REVIEWS,
        PREFERENCES,
        DECISIONS,
        LOG_LOCK,
        REPEATS,
        REPEATS_LOCK,
    ] {
        layout.check(file, Kind::File)?;
    }
    let ignored = git_paths(layout, IGNORED);
    let merged = git_paths(layout, MERGED);
    let git = [
        GitFile::ignore(&layout.root, &ignored).plan()?,
        GitFile::attributes(&layout.root, &merged).plan()?,
    ];

    let mut report = InitReport::default();
    // The ignore file first: what is private is never there without it.
    for planned in git.into_iter().flatten() {
        let Planned {
            name,
            path,
            bytes,
            new,
        } = planned;
        ken_files::replace(&path, &bytes, NewFile::Shared)?;
        if new {
            report.created.push(name.into());
        } else {
            report.extended.push(name.into());
        }
    }
    make_folder(&layout.agent(), Path::new(AGENT), NewFile::Shared, &mut report)?;
    for (folder, new) in FOLDERS {
        make_folder(
            &layout.path(folder),
            &Path::new(AGENT).join(folder),
            *new,
            &mut report,
        )?;
    }
    for (file, text, new) in FILES {
        make_file(
            &layout.path(file),
            &Path::new(AGENT).join(file),
            text,
            *new,
            &mut report,
        )?;
    }
    Ok(report)
}

/// Patterns for paths as git knows them. Where `.agent` is a link to a folder of the repository, git sees that folder.
fn git_paths(layout: &Layout, inside: &[&str]) -> Vec<String> {
    let real = layout.real_name().filter(|name| name != AGENT);
    let names = [Some(AGENT.to_owned()), real];
    let paths = names.iter().flatten();
    paths
        .map(|name| name.replace(['\\', '*', '?', '['], "?"))
        .flat_map(|name| inside.iter().map(move |path| format!("/{name}/{path}")))
        .collect()
}

fn make_folder(path: &Path, name: &Path, new: NewFile, report: &mut InitReport) -> Result<(), Error> {
    if !path.exists() {
        create_folder(path, new)?;
        report.created.push(name.to_owned());
    }
    Ok(())
}

/// Makes a file that is not there; one that appears meanwhile stands.
fn make_file(
    path: &Path,
    name: &Path,
    text: &str,
    new: NewFile,
    report: &mut InitReport,
) -> Result<(), Error> {
    if path.exists() {
        return Ok(());
    }
    if !text.is_empty() {
        ken_files::replace(path, text.as_bytes(), new)?;
        report.created.push(name.to_owned());
        return Ok(());
    }
    match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(_) => report.created.push(name.to_owned()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
        Err(error) => return Err(FileError::io("create", path, error).into()),
    }
    Ok(())
}

/// Makes the folders that a fresh clone lacks: the state is never committed, and git keeps no empty folder.
pub(crate) fn ensure_writable(layout: &Layout) -> Result<(), Error> {
    layout.expect_agent()?;
    if !layout.check_inside(LOG, Kind::File)? {
        create_folder(&layout.path("episodic"), NewFile::Shared)?;
    }
    if !layout.check_inside(LOG_LOCK, Kind::File)? {
        create_folder(&layout.path(STATE), NewFile::Shared)?;
    }
    Ok(())
}
