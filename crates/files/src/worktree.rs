use std::fs;
use std::path::{Path, PathBuf};

use crate::git_config::{Variable, variables};
use crate::{read_bounded, remote};

/// The git work tree that a folder belongs to, found without running git.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkTree {
    /// The folder that holds `.git`.
    pub root: PathBuf,
    /// This work tree's own git folder (differs from `common` in a linked work tree).
    pub git: PathBuf,
    /// The git folder that all work trees of the repository share.
    pub common: PathBuf,
    /// The settings of the repository; none when there are none or they cannot be read.
    config: Vec<Variable>,
}

/// More than any file of one line that git writes.
const LINE_LIMIT: u64 = 64 * 1024;

/// More than any configuration that people write.
const CONFIG_LIMIT: u64 = 1024 * 1024;

impl WorkTree {
    /// Walks up from `folder` (absolute, or as the process's current folder has it); `None` outside any work tree.
    ///
    /// All paths come out absolute and with their links resolved, so that two ways to one place are one. A `.git` that
    /// is no repository (an empty folder) is passed by, as git does; a bare repository, a folder inside a git folder,
    /// and a `.git` file that leads nowhere end the walk, so that no outer repository is taken for the inner one.
    pub fn containing(folder: &Path) -> Option<WorkTree> {
        let start = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        for root in start.ancestors() {
            let entry = root.join(".git");
            if entry.is_file() {
                return WorkTree::at(root, &pointed_to(&entry)?);
            }
            if is_git_folder(&entry) {
                return WorkTree::at(root, &entry);
            }
            if is_git_folder(root) && root.join("objects").is_dir() && root.join("refs").is_dir() {
                return None;
            }
        }
        None
    }

    fn at(root: &Path, git: &Path) -> Option<WorkTree> {
        if !is_git_folder(git) {
            return None;
        }
        let git = git.canonicalize().ok()?;
        let common = match first_line(&git.join("commondir")) {
            Some(path) => git.join(path).canonicalize().ok()?,
            None => git.clone(),
        };
        let config = read_bounded(&common.join("config"), CONFIG_LIMIT).unwrap_or_default();
        let tree = WorkTree {
            root: root.to_owned(),
            git,
            common,
            config: variables(&String::from_utf8_lossy(&config)),
        };
        // The setting speaks of the main work tree only; linked ones of a bare repository are work trees.
        let is_bare = tree.git == tree.common && is_bare(&tree.config);
        (!is_bare).then_some(tree)
    }

    /// What makes two folders work trees of one repository: the shared git folder, if it knows of this work tree.
    ///
    /// A `.git` file (or link) can claim any git folder. Where that folder does not point back here, the claim counts
    /// for nothing and the identity is this work tree's own `.git`: a folder that came out of an archive must not
    /// inherit what was granted to a repository on this machine.
    #[must_use]
    pub fn identity(&self) -> PathBuf {
        let entry = self.root.join(".git");
        let leads_to = |path: PathBuf, place: &Path| path.canonicalize().is_ok_and(|path| path == place);
        let is_known = if self.git != self.common {
            self.git.parent() == Some(&self.common.join("worktrees"))
                && first_line(&self.git.join("gitdir"))
                    .is_some_and(|back| leads_to(self.git.join(back), &entry))
        } else {
            self.git == entry
                || self
                    .config
                    .iter()
                    .filter(|variable| variable.is("core", "worktree"))
                    .filter_map(|variable| variable.value.as_deref())
                    .next_back()
                    .is_some_and(|back| leads_to(self.git.join(back), &self.root))
        };
        if is_known { self.common.clone() } else { entry }
    }

    /// The folder of the repository's main work tree, which may be this one; `None` for a linked work tree whose
    /// repository has none (a bare one) or keeps its git folder elsewhere.
    #[must_use]
    pub fn main_root(&self) -> Option<PathBuf> {
        let identity = self.identity();
        if self.git == self.common || identity == self.root.join(".git") {
            return Some(self.root.clone());
        }
        let has_main = identity.ends_with(".git") && !is_bare(&self.config);
        identity.parent().filter(|_| has_main).map(Path::to_owned)
    }

    /// The URL of the remote `origin`, else of the first remote; `None` without one.
    ///
    /// User, password, query and fragment are cut off, for each may be a credential. Git's own rewriting of URLs
    /// (`insteadOf`) and included files are not looked at.
    #[must_use]
    pub fn remote(&self) -> Option<String> {
        remote::url(&self.config)
    }

    /// `owner/name` of the repository by its remote, in any spelling of the URL; the name alone where the remote has no
    /// owner. `None` without a remote.
    #[must_use]
    pub fn owner_and_name(&self) -> Option<String> {
        self.remote().and_then(|url| remote::owner_and_name(&url))
    }

    /// The branch that is checked out; `None` when none is, or its name is not fit to print.
    #[must_use]
    pub fn branch(&self) -> Option<String> {
        let head = first_line(&self.git.join("HEAD"))?;
        let name = head.strip_prefix("ref:")?.trim().strip_prefix("refs/heads/")?;
        // Repositories that keep their refs in a table say `.invalid` here.
        let is_name = !name.is_empty() && name != ".invalid" && !name.chars().any(char::is_control);
        is_name.then(|| name.to_owned())
    }

    /// What people call the repository: the last part of its remote's path without `.git`, else the name of the main
    /// work tree's folder, so that all work trees of a repository share one name whatever their folders are called.
    #[must_use]
    pub fn repository_name(&self) -> String {
        let of = |path: &Path| path.file_name().map(|name| name.to_string_lossy().into_owned());
        let folder = || {
            let identity = self.identity();
            let own = of(&identity)?;
            // `.git` beside a main work tree, `.bare` above linked ones: hidden names are nobody's name.
            if own.starts_with('.') {
                return of(identity.parent()?);
            }
            Some(own.strip_suffix(".git").unwrap_or(&own).to_owned())
        };
        self.remote()
            .and_then(|url| remote::repository(&url))
            .or_else(folder)
            .or_else(|| of(&self.root))
            .unwrap_or_else(|| "repository".to_owned())
    }
}

fn is_bare(config: &[Variable]) -> bool {
    let setting = config.iter().rfind(|variable| variable.is("core", "bare"));
    setting.is_some_and(Variable::is_true)
}

/// Git itself asks for more, but what has a HEAD is meant to be a repository.
fn is_git_folder(path: &Path) -> bool {
    // HEAD may be a link to a branch that has no commit yet.
    fs::symlink_metadata(path.join("HEAD")).is_ok_and(|head| !head.is_dir())
}

/// Where a `.git` file (`gitdir: PATH`) leads, relative paths seen from its folder.
fn pointed_to(file: &Path) -> Option<PathBuf> {
    let line = first_line(file)?;
    let path = line.strip_prefix("gitdir:")?.trim_start();
    (!path.is_empty()).then(|| file.with_file_name(path))
}

fn first_line(file: &Path) -> Option<String> {
    let bytes = read_bounded(file, LINE_LIMIT).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let line = text.lines().next()?;
    (!line.is_empty()).then(|| line.to_owned())
}
