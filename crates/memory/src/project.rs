use std::path::{Path, PathBuf};

use ken_files::{Paths, WorkTree};
use serde::Serialize;

/// The project that a question is asked in: where its files are read, and which project they belong to.
///
/// Files are read from the work tree one stands in. Trust and sessions go by the identity, which all work trees of a
/// repository share, so that two checkouts of one repository are one project and two repositories never are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Project {
    /// The root of the git work tree, else the nearest folder with `.agent`, else the folder that was named.
    pub root: PathBuf,
    /// The git folder that all work trees of the repository share, if it knows of this one; outside a repository the
    /// root itself. Links are resolved.
    pub identity: PathBuf,
    /// The repository's name by its remote, else the folder's: the same in every work tree.
    pub name: String,
    /// Its name with the owner in front, by its remote: what sessions call a repository whose own name is one common
    /// word, because that alone would name nothing.
    #[serde(skip)]
    pub owner_and_name: Option<String>,
    /// The main work tree, when this one is linked to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub main: Option<PathBuf>,
    /// Where the question is asked, at or below the root: the search for an edicts file walks up from here.
    #[serde(skip)]
    pub start: PathBuf,
}

impl Project {
    /// The project that `start` lies in: the root of its git work tree, else the nearest folder with `.agent`, else
    /// none. The home directory is never a project, not even when it is a repository or holds `.agent`.
    pub fn find(start: &Path, paths: &Paths) -> Option<Project> {
        let start = canonical(start);
        let home = canonical(&paths.home);
        if let Some(tree) = WorkTree::containing(&start)
            && canonical(&tree.root) != home
        {
            return Some(Project::of_tree(&tree, start));
        }
        start
            .ancestors()
            .take_while(|folder| **folder != *home)
            .find(|folder| folder.join(AGENT_FOLDER).is_dir())
            .map(|root| Project::of_folder(root, start.clone()))
    }

    /// The project at a folder that a person named: as [`Project::find`], else that very folder. `None` for the home
    /// directory and for what is not a folder.
    pub fn at(folder: &Path, paths: &Paths) -> Option<Project> {
        if !folder.is_dir() || canonical(folder) == canonical(&paths.home) {
            return None;
        }
        Project::find(folder, paths).or_else(|| {
            let folder = canonical(folder);
            Some(Project::of_folder(&folder, folder.clone()))
        })
    }

    /// The folder whose `.agent/` serves this project: this work tree's own; else, in a linked work tree whose
    /// checkout carries none, the main one's, so that what is learned there outlives the linked tree.
    pub fn agent_root(&self) -> &Path {
        if self.root.join(AGENT_FOLDER).exists() {
            return &self.root;
        }
        match &self.main {
            Some(main) if main.join(AGENT_FOLDER).is_dir() => main,
            _ => &self.root,
        }
    }

    /// Every name by which sessions may call it.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        std::iter::once(&self.name).chain(&self.owner_and_name)
    }

    fn of_tree(tree: &WorkTree, start: PathBuf) -> Project {
        let root = canonical(&tree.root);
        Project {
            identity: tree.identity(),
            name: tree.repository_name(),
            owner_and_name: tree.owner_and_name().filter(|name| name.contains('/')),
            main: tree.main_root().filter(|main| *main != root),
            root,
            start,
        }
    }

    fn of_folder(root: &Path, start: PathBuf) -> Project {
        Project {
            root: root.to_owned(),
            identity: root.to_owned(),
            name: folder_name(root),
            owner_and_name: None,
            main: None,
            start,
        }
    }
}

/// The folder that the `.agent` contract names.
pub(crate) const AGENT_FOLDER: &str = ".agent";

/// The path with its links resolved; as it is when it cannot be resolved.
pub(crate) fn canonical(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_owned())
}

fn folder_name(folder: &Path) -> String {
    folder.file_name().map_or_else(
        || folder.display().to_string(),
        |name| name.to_string_lossy().into_owned(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    struct Machine {
        _folder: tempfile::TempDir,
        root: PathBuf,
        paths: Paths,
    }

    impl Machine {
        fn new() -> Machine {
            let folder = tempfile::tempdir().unwrap();
            let root = folder.path().canonicalize().unwrap();
            let paths = Paths::under(root.join("home"));
            fs::create_dir_all(&paths.home).unwrap();
            Machine {
                _folder: folder,
                root,
                paths,
            }
        }

        fn folder(&self, path: &str) -> PathBuf {
            let folder = self.root.join(path);
            fs::create_dir_all(&folder).unwrap();
            folder
        }

        fn repository(&self, path: &str) -> PathBuf {
            let root = self.folder(path);
            self.folder(&format!("{path}/.git/objects"));
            self.folder(&format!("{path}/.git/refs"));
            fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
            fs::write(root.join(".git/config"), "[core]\n\tbare = false\n").unwrap();
            root
        }

        fn linked(&self, repository: &Path, path: &str) -> PathBuf {
            let root = self.folder(path);
            let git = repository.join(".git/worktrees/linked");
            fs::create_dir_all(&git).unwrap();
            fs::write(git.join("HEAD"), "ref: refs/heads/other\n").unwrap();
            fs::write(git.join("commondir"), "../..\n").unwrap();
            fs::write(git.join("gitdir"), format!("{}\n", root.join(".git").display())).unwrap();
            fs::write(root.join(".git"), format!("gitdir: {}\n", git.display())).unwrap();
            root
        }

        fn find(&self, start: &Path) -> Option<Project> {
            Project::find(start, &self.paths)
        }
    }

    #[test]
    fn a_repository_is_found_from_below_and_a_folder_with_agent_outside_one() {
        let machine = Machine::new();
        let repository = machine.repository("home/code/orchard");
        let below = machine.folder("home/code/orchard/src/deep");
        let project = machine.find(&below).unwrap();
        assert_eq!(
            (project.root.as_path(), project.name.as_str()),
            (repository.as_path(), "orchard")
        );
        assert_eq!(project.start, below);
        let plain = machine.folder("home/notes");
        assert_eq!(machine.find(&plain), None);
        machine.folder("home/notes/.agent");
        assert_eq!(
            machine.find(&machine.folder("home/notes/a/b")).unwrap().root,
            plain
        );
    }

    #[test]
    fn home_is_never_a_project() {
        let machine = Machine::new();
        machine.folder("home/.agent");
        machine.folder(".agent");
        assert_eq!(machine.find(&machine.folder("home/somewhere")), None);
        machine.repository("home");
        assert_eq!(machine.find(&machine.folder("home/somewhere")), None);
        assert_eq!(machine.find(&machine.paths.home), None);
        assert_eq!(Project::at(&machine.paths.home, &machine.paths), None);
        let named = Project::at(&machine.folder("home/somewhere"), &machine.paths).unwrap();
        assert_eq!(named.name, "somewhere");
    }

    #[test]
    fn work_trees_of_one_repository_are_one_project_and_two_repositories_never() {
        let machine = Machine::new();
        let one = machine.repository("one");
        let linked = machine.linked(&one, "elsewhere");
        let two = machine.repository("two");
        let [one, linked, two] = [one, linked, two].map(|root| machine.find(&root).unwrap());
        assert_eq!(one.identity, linked.identity);
        assert_eq!(one.name, linked.name);
        assert_ne!(one.root, linked.root);
        assert_ne!(one.identity, two.identity);
        // Its own `.agent` when the checkout has one, else the main work tree's.
        assert_eq!(linked.agent_root(), linked.root);
        fs::create_dir(one.root.join(".agent")).unwrap();
        assert_eq!(linked.agent_root(), one.root);
        fs::create_dir(linked.root.join(".agent")).unwrap();
        assert_eq!(linked.agent_root(), linked.root);
    }

    #[test]
    fn a_folder_that_only_points_at_a_repository_does_not_become_it() {
        let machine = Machine::new();
        let real = machine.repository("real");
        machine.linked(&real, "honest");
        let pointing = machine.folder("pointing");
        fs::write(
            pointing.join(".git"),
            format!("gitdir: {}\n", real.join(".git/worktrees/linked").display()),
        )
        .unwrap();
        let direct = machine.folder("direct");
        fs::write(
            direct.join(".git"),
            format!("gitdir: {}\n", real.join(".git").display()),
        )
        .unwrap();
        let identity = machine.find(&real).unwrap().identity;
        for folder in [pointing, direct] {
            assert!(
                machine.find(&folder).is_none_or(|p| p.identity != identity),
                "{folder:?}"
            );
        }
        #[cfg(unix)]
        {
            let link = machine.folder("link");
            std::os::unix::fs::symlink(real.join(".git"), link.join(".git")).unwrap();
            assert!(machine.find(&link).is_none_or(|p| p.identity != identity));
        }
    }
}
