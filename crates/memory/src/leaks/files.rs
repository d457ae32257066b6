//! Which files are kept, and of what kind they are.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::{Leak, LeakRule};
use crate::Memory;
use crate::project::AGENT_FOLDER;

/// A file to look at.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct KeptFile {
    pub(super) path: PathBuf,
    pub(super) kind: FileKind,
}

/// What a file is, beside its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum FileKind {
    Edicts,
    /// One JSON value a line.
    Lines,
    /// A manifest of this machine's own library.
    OwnManifest,
    /// A manifest anywhere else: it leaves the machine, or came from another.
    Manifest,
    Text,
}

/// Folders in which nothing is looked for: git's own, caches, and what belongs to the person alone.
const PASSED_OVER: &[&str] = &[".git", ".dreamd"];
const PERSONAL: &str = "personal";

impl Memory {
    /// The files to look at, in order, and what is wrong with the names that were given.
    pub(super) fn kept_files(&self, paths: &[PathBuf]) -> (Vec<KeptFile>, Vec<Leak>) {
        let mut found = Collected {
            library: &self.setting.paths.library,
            files: Vec::new(),
            unread: Vec::new(),
        };
        if paths.is_empty() {
            if let Some(project) = &self.setting.project {
                match self.edicts_place(project) {
                    Ok(Some((path, _))) => found.file(path),
                    Ok(None) => {}
                    Err(error) => found.unread.push(unread(&project.root, &error.to_string())),
                }
                found.walk(&project.agent_root().join(AGENT_FOLDER), true);
            }
            for folder in ["agents", "versions", "staging"] {
                found.walk(&self.setting.paths.library.join(folder), true);
            }
        }
        for path in paths {
            match fs::metadata(path) {
                Ok(seen) if seen.is_dir() => found.walk(path, false),
                Ok(_) => found.file(path.clone()),
                Err(error) => found.unread.push(unread(path, &error.to_string())),
            }
        }
        found.files.sort();
        found.files.dedup();
        (found.files, found.unread)
    }
}

/// A finding on what could not be looked at.
pub(super) fn unread(path: &Path, why: &str) -> Leak {
    Leak {
        path: path.to_owned(),
        line: 1,
        column: 1,
        rule: LeakRule::Unread,
        kind: "file".to_owned(),
        fingerprint: String::new(),
        message: format!("it was not looked at: {why}"),
    }
}

struct Collected<'l> {
    library: &'l Path,
    files: Vec<KeptFile>,
    unread: Vec<Leak>,
}

impl Collected<'_> {
    fn file(&mut self, path: PathBuf) {
        let kind = self.kind(&path);
        self.files.push(KeptFile { path, kind });
    }

    /// Every file below a folder that is kept: `all` of them, or those that bear a name of the contracts.
    fn walk(&mut self, folder: &Path, all: bool) {
        let mut open = vec![(folder.to_owned(), all)];
        while let Some((folder, all)) = open.pop() {
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                Err(error) => {
                    self.unread.push(unread(&folder, &error.to_string()));
                    continue;
                }
            };
            for entry in entries {
                let (path, kind) = match entry.and_then(|entry| Ok((entry.path(), entry.file_type()?))) {
                    Ok(entry) => entry,
                    Err(error) => {
                        self.unread.push(unread(&folder, &error.to_string()));
                        continue;
                    }
                };
                let name = path
                    .file_name()
                    .unwrap_or_default()
                    .to_string_lossy()
                    .into_owned();
                if kind.is_dir() {
                    let personal =
                        name == PERSONAL && folder.file_name().is_some_and(|name| name == AGENT_FOLDER);
                    if PASSED_OVER.contains(&name.as_str()) || personal {
                        continue;
                    }
                    let kept = all || name == AGENT_FOLDER || is_of_library(&path);
                    open.push((path, kept));
                } else if all && !is_temporary(&name) || has_kept_name(&name) {
                    // Where a link leads is looked at where it stands, if it is kept.
                    if !kind.is_symlink() {
                        self.file(path);
                    }
                }
            }
        }
    }

    fn kind(&self, path: &Path) -> FileKind {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let yaml = name.ends_with(".yaml") || name.ends_with(".yml");
        if ken_edicts::FILE_NAMES.contains(&&*name) {
            FileKind::Edicts
        } else if name.ends_with(".jsonl") {
            FileKind::Lines
        } else if yaml && path.starts_with(self.library) {
            FileKind::OwnManifest
        } else if is_manifest(&name) || yaml && path.ancestors().any(is_of_library) {
            FileKind::Manifest
        } else {
            FileKind::Text
        }
    }
}

fn is_manifest(name: &str) -> bool {
    name.ends_with(".l5.yaml") || name.ends_with(".l5.yml")
}

fn has_kept_name(name: &str) -> bool {
    ken_edicts::FILE_NAMES.contains(&name) || is_manifest(name)
}

/// Whether a folder is one of a library's that hold manifests under other names.
fn is_of_library(folder: &Path) -> bool {
    let named = |name: &str| folder.file_name().is_some_and(|own| own == name);
    let beside = |name: &str| folder.parent().is_some_and(|parent| parent.join(name).is_dir());
    (named("versions") || named("staging")) && beside("agents")
}

/// Whether a file is one that a write is about to put in place, or a lock.
fn is_temporary(name: &str) -> bool {
    name.starts_with(".ken-") && name.ends_with(".tmp") || name.ends_with(".lock")
}
