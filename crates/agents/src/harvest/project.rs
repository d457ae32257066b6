//! Which project a folder belongs to, what it is called, and whether it may be told.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use ken_files::WorkTree;

use super::names::is_one_common_word;
use super::readme;
use super::request::plain;
use super::seen::{Repository, Seen, Tree};
use super::session::Span;

/// Longer paths are no folder of any system, and are not looked for on the disk.
pub(crate) const MAX_PATH: usize = 4096;

/// A project that sessions took place in.
#[derive(Debug, Clone, Default)]
pub(crate) struct Project {
    /// What sessions call it; `None` for the home directory itself, which is no project.
    pub(crate) name: Option<String>,
    pub(crate) aliases: Vec<String>,
    pub(crate) summary: Option<String>,
    /// Outside any repository, below the home directory: nobody else's business.
    pub(crate) private: bool,
    pub(crate) span: Option<Span>,
    /// The main work tree, where it is still there.
    pub(crate) root: Option<PathBuf>,
    /// The git folder that all its work trees share.
    pub(crate) git: Option<PathBuf>,
}

impl Project {
    /// Whether its name can stand as an entity: one common word cannot be recognised without error.
    pub(crate) fn is_named(&self) -> bool {
        self.name.as_deref().is_some_and(|name| !is_one_common_word(name))
    }
}

/// A folder's place: its project, and from where paths are told.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    pub(crate) project: PathBuf,
    /// Prefixes that are taken off the paths of files, the first that fits.
    roots: Vec<PathBuf>,
}

impl Place {
    /// A file's path relative to the project with `/` between its parts; `None` outside of it.
    pub(crate) fn relative(&self, file: &str, folder: &Path) -> Option<String> {
        let path = lexical(&folder.join(file));
        self.roots
            .iter()
            .find_map(|root| path.strip_prefix(root).ok())
            .filter(|inside| !inside.as_os_str().is_empty())
            .map(|inside| {
                let parts: Vec<_> = inside
                    .components()
                    .map(|c| c.as_os_str().to_string_lossy())
                    .collect();
                parts.join("/")
            })
    }
}

/// A folder, whether the tool noted a repository, and the remote that it noted.
type Looked = (PathBuf, bool, Option<String>);

/// All projects, found by folder. Each folder is looked at once.
#[derive(Debug)]
pub(crate) struct Projects {
    homes: Vec<PathBuf>,
    places: BTreeMap<Looked, Place>,
    pub(crate) seen: Seen,
    /// By the git folder that all work trees of a repository share, or by the folder itself outside of repositories.
    pub(crate) all: BTreeMap<PathBuf, Project>,
}

impl Projects {
    /// None yet; `home` is the person's home directory, `seen` what was seen before.
    pub(crate) fn new(home: &Path, seen: Seen) -> Projects {
        let mut homes = vec![lexical(home)];
        homes.extend(std::fs::canonicalize(home).ok().filter(|real| *real != homes[0]));
        Projects {
            homes,
            places: BTreeMap::new(),
            seen,
            all: BTreeMap::new(),
        }
    }

    /// The place of a folder. `in_repository` and `remote` are what the tool noted at the time; they decide for folders
    /// that are gone, where nothing else is known of them.
    pub(crate) fn place(&mut self, folder: &Path, in_repository: bool, remote: Option<&str>) -> Place {
        let key = (lexical(folder), in_repository, remote.map(str::to_owned));
        if let Some(place) = self.places.get(&key) {
            return place.clone();
        }
        let place = self.look(&key.0, in_repository, remote);
        self.places.insert(key, place.clone());
        place
    }

    fn look(&mut self, folder: &Path, in_repository: bool, remote: Option<&str>) -> Place {
        let may_be_there = folder.as_os_str().len() <= MAX_PATH;
        let real = may_be_there.then(|| std::fs::canonicalize(folder).ok()).flatten();
        let tree = folder
            .ancestors()
            .take(if may_be_there { usize::MAX } else { 0 })
            .find(|ancestor| ancestor.is_dir())
            .and_then(|ancestor| self.tree(ancestor));
        if may_be_there
            && in_repository
            && !folder.is_dir()
            && let Some(place) = self.gone(folder, tree.as_ref(), remote)
        {
            return place;
        }
        let mut roots: Vec<PathBuf> = agents_own_tree(folder).map(Path::to_owned).into_iter().collect();
        let id = match &tree {
            Some(tree) => {
                roots.push(tree.root.clone());
                // The same work tree as the tool spelled it, through a link or not.
                let spelled = folder
                    .ancestors()
                    .find(|a| std::fs::canonicalize(a).is_ok_and(|real| real == tree.root));
                roots.extend(spelled.map(Path::to_owned));
                roots.push(folder.to_owned());
                let id = tree.identity();
                let seen = |root: &Path| Tree {
                    repository: id.clone(),
                    root: root.to_owned(),
                };
                self.seen.folder(folder, seen(spelled.unwrap_or(&tree.root)));
                self.seen.folder(&tree.root, seen(&tree.root));
                id
            }
            None => {
                roots.push(folder.to_owned());
                roots.extend(real.clone());
                real.unwrap_or_else(|| folder.to_owned())
            }
        };
        let was_repository = in_repository && !folder.is_dir();
        let private = tree.is_none() && !was_repository && self.in_home(&id);
        let of_folder = || Project {
            name: (!self.homes.contains(&id)).then(|| folder_name(folder)).flatten(),
            private,
            ..Project::default()
        };
        match &tree {
            Some(tree) => self.repository(&id, tree),
            None if !self.all.contains_key(&id) => drop(self.all.insert(id.clone(), of_folder())),
            None => {}
        }
        if let Some(project) = self.all.get_mut(&id) {
            // A folder is told when any session knows that it was a repository.
            project.private &= private;
        }
        Place { project: id, roots }
    }

    /// The place of a folder that is gone, if it is known to have been in another repository than in the one that its
    /// path leads into now: by what was seen, or by a remote that a repository which is there has too.
    fn gone(&mut self, folder: &Path, around: Option<&WorkTree>, remote: Option<&str>) -> Option<Place> {
        let seen = self.seen.tree(folder);
        if let Some(around) = around
            && seen
                .as_ref()
                .is_none_or(|seen| seen.repository == around.identity())
        {
            return None;
        }
        let root = seen.as_ref().map_or(folder, |tree| &tree.root).to_owned();
        let known = seen
            .as_ref()
            .and_then(|tree| self.seen.repository(&tree.repository));
        let remote = remote
            .or(known.and_then(|known| known.remote.as_deref()))
            .map(str::to_owned);
        let there = seen.as_ref().and_then(|tree| self.still_there(&tree.repository));
        let there = there.or_else(|| {
            let same: Vec<PathBuf> = self
                .seen
                .with_remote(remote.as_deref()?)
                .map(|(id, _)| id.to_owned())
                .collect();
            same.into_iter().find_map(|id| self.still_there(&id))
        });
        let id = match there {
            Some(id) => id,
            // Nothing of it is left but what it was called.
            None => {
                let tree = seen?;
                let known = self.seen.repository(&tree.repository)?;
                self.all
                    .entry(tree.repository.clone())
                    .or_insert_with(|| Project {
                        name: known.name.clone(),
                        aliases: known.aliases.clone(),
                        ..Project::default()
                    });
                tree.repository
            }
        };
        let mut roots: Vec<PathBuf> = agents_own_tree(folder).map(Path::to_owned).into_iter().collect();
        roots.extend([root, folder.to_owned()]);
        Some(Place { project: id, roots })
    }

    /// A repository that was seen, if it is where it was.
    fn still_there(&mut self, id: &Path) -> Option<PathBuf> {
        if self.all.get(id).is_none_or(|project| project.git.is_none()) {
            let root = &self.seen.repository(id)?.root;
            let tree = self.tree(root).filter(|tree| tree.identity() == id)?;
            self.repository(id, &tree);
        }
        Some(id.to_owned())
    }

    /// The work tree that an existing folder is in. What holds the whole home (dotfiles, a system's history) makes no
    /// project of everything in it.
    fn tree(&self, folder: &Path) -> Option<WorkTree> {
        WorkTree::containing(folder)
            .filter(|tree| !self.homes.iter().any(|home| home.starts_with(&tree.root)))
    }

    /// A repository that is there.
    fn repository(&mut self, id: &Path, tree: &WorkTree) {
        if self.all.get(id).is_some_and(|project| project.git.is_some()) {
            return;
        }
        let project = of_repository(tree);
        let seen = Repository {
            root: project.root.clone().unwrap_or_else(|| tree.root.clone()),
            name: project.name.clone(),
            aliases: project.aliases.clone(),
            remote: tree.remote().and_then(|url| remote_key(&url)),
        };
        self.seen.repository_is(id, seen);
        self.all.insert(id.to_owned(), project);
    }

    /// Whether a folder is the home directory or below it.
    fn in_home(&self, folder: &Path) -> bool {
        self.homes.iter().any(|home| folder.starts_with(home))
    }
}

fn of_repository(tree: &WorkTree) -> Project {
    let root = tree.main_root().unwrap_or_else(|| tree.root.clone());
    let remote = tree.owner_and_name();
    let package = readme::package_name(&root);
    let folder = folder_name(&root);
    let short = Some(tree.repository_name()).filter(|name| !name.is_empty());
    // One common word names no project: the owner in front of it, or the package's own name, tells it apart.
    let name = short.map(|short| {
        if !is_one_common_word(&short) {
            return short;
        }
        let package = package.clone().filter(|package| !is_one_common_word(package));
        remote
            .clone()
            .filter(|path| path.contains('/'))
            .or(package)
            .unwrap_or(short)
    });
    let mut aliases: Vec<String> = Vec::new();
    for alias in [remote, package, folder].into_iter().flatten() {
        let known = |other: &String| plain(other) == plain(&alias);
        if !is_one_common_word(&alias) && !name.iter().any(known) && !aliases.iter().any(known) {
            aliases.push(alias);
        }
    }
    Project {
        name,
        aliases,
        summary: readme::first_sentence(&root),
        private: false,
        span: None,
        root: Some(root),
        git: Some(tree.common.clone()),
    }
}

/// The work tree that an agent made for itself inside the repository, also when it is gone again.
fn agents_own_tree(folder: &Path) -> Option<&Path> {
    folder.ancestors().find(|tree| {
        let parent = tree.parent();
        parent.is_some_and(|parent| parent.ends_with(".claude/worktrees"))
    })
}

/// A remote's URL in the one form in which two of them are compared: host and path, or the path on this machine.
pub(crate) fn remote_key(url: &str) -> Option<String> {
    let url = url.split(['?', '#']).next().unwrap_or(url).trim();
    let url = url
        .trim_end_matches('/')
        .trim_end_matches(".git")
        .trim_end_matches('/');
    let (host, path) = match url.split_once("://") {
        Some((_, rest)) => rest.split_once('/')?,
        None => match url.split_once(':') {
            Some((host, path)) if !host.contains('/') && host.len() > 1 => (host, path),
            _ => ("", url),
        },
    };
    let host = host.rsplit('@').next().unwrap_or(host);
    let host = host.split(':').next().unwrap_or(host).to_lowercase();
    let path = if host.is_empty() {
        path
    } else {
        path.trim_start_matches('/')
    };
    (!path.is_empty() && url.len() <= MAX_PATH).then(|| format!("{host}:{path}"))
}

/// The last part of a path, however the system spells paths.
fn folder_name(path: &Path) -> Option<String> {
    let text = path.to_string_lossy();
    let name = text.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next()?;
    (!name.is_empty() && !name.ends_with(':')).then(|| name.to_owned())
}

/// Without `.`, `..` and a slash at the end; links are not looked at.
fn lexical(path: &Path) -> PathBuf {
    let mut clean = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !clean.pop() {
                    clean.push("..");
                }
            }
            other => clean.push(other),
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn repository(root: &Path, remote: Option<&str>) {
        fs::create_dir_all(root.join(".git")).unwrap();
        fs::write(root.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
        let config = remote.map_or(String::new(), |url| {
            format!("[remote \"origin\"]\n\turl = {url}\n")
        });
        fs::write(
            root.join(".git/config"),
            format!("[core]\n\tbare = false\n{config}"),
        )
        .unwrap();
    }

    #[test]
    fn a_remote_in_all_spellings_is_one_remote() {
        for url in [
            "git@Forge.example:coast/tidewater.git",
            "ssh://git@forge.example:22/coast/tidewater.git",
            "https://user:word@forge.example/coast/tidewater?x=y",
        ] {
            assert_eq!(
                remote_key(url).as_deref(),
                Some("forge.example:coast/tidewater"),
                "{url}"
            );
        }
        assert_eq!(
            remote_key("/srv/git/tidewater.git").as_deref(),
            Some(":/srv/git/tidewater")
        );
    }

    #[test]
    fn a_repository_has_its_remote_s_name_and_the_others_as_aliases() {
        let home = tempfile::tempdir().unwrap();
        let root = home.path().join("code/tw");
        repository(&root, Some("git@forge.example:coast/tidewater.git"));
        fs::create_dir_all(root.join("src")).unwrap();
        fs::write(root.join("Cargo.toml"), "[package]\nname = \"tide-core\"\n").unwrap();
        fs::write(root.join("README.md"), "# T\n\nMoves money at night. Fast.\n").unwrap();
        let mut projects = Projects::new(home.path(), Seen::default());
        let place = projects.place(&root.join("src"), true, None);
        assert_eq!(projects.place(&root, true, None).project, place.project);
        let project = &projects.all[&place.project];
        assert_eq!(project.name.as_deref(), Some("tidewater"));
        assert_eq!(project.aliases, ["coast/tidewater", "tide-core", "tw"]);
        assert_eq!(project.summary.as_deref(), Some("Moves money at night."));
        assert!(!project.private);
        let file = root.join("src/a.rs");
        assert_eq!(
            place.relative(&file.to_string_lossy(), &root).as_deref(),
            Some("src/a.rs")
        );
        assert_eq!(
            place.relative("b.rs", &root.join("src")).as_deref(),
            Some("src/b.rs")
        );
        assert_eq!(place.relative("/etc/hosts", &root), None);
    }

    #[test]
    fn folders_of_the_home_are_private_unless_they_were_repositories() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir_all(home.path().join("taxes-2026")).unwrap();
        let mut projects = Projects::new(home.path(), Seen::default());
        let mut private = |folder: PathBuf, in_repository| {
            let id = projects.place(&folder, in_repository, None).project;
            (projects.all[&id].name.clone(), projects.all[&id].private)
        };
        let named = |name: &str| Some(name.to_owned());
        assert_eq!(
            private(home.path().join("taxes-2026"), false),
            (named("taxes-2026"), true)
        );
        assert_eq!(private(home.path().to_owned(), false), (None, true));
        assert_eq!(
            private(home.path().join("gone-diary"), false),
            (named("gone-diary"), true)
        );
        assert_eq!(
            private(home.path().join("gone-repo"), true),
            (named("gone-repo"), false)
        );
        assert_eq!(
            private(PathBuf::from("/srv/tidewater-site"), false),
            (named("tidewater-site"), false)
        );
    }

    #[test]
    fn a_home_under_version_control_does_not_make_everything_in_it_a_project() {
        let home = tempfile::tempdir().unwrap();
        repository(home.path(), Some("git@forge.example:me/dotfiles.git"));
        fs::create_dir_all(home.path().join("letters-to-mum")).unwrap();
        let mut projects = Projects::new(home.path(), Seen::default());
        let id = projects
            .place(&home.path().join("letters-to-mum"), true, None)
            .project;
        assert!(projects.all[&id].private);
    }

    #[test]
    fn work_trees_are_one_project_and_a_removed_one_inside_the_repository_too() {
        let home = tempfile::tempdir().unwrap();
        let main = home.path().join("tidewater");
        repository(&main, None);
        let linked = home.path().join("tidewater-fix");
        let git = main.join(".git/worktrees/fix");
        fs::create_dir_all(&git).unwrap();
        fs::write(git.join("commondir"), "../..\n").unwrap();
        fs::write(git.join("gitdir"), format!("{}\n", linked.join(".git").display())).unwrap();
        fs::write(git.join("HEAD"), "ref: refs/heads/fix\n").unwrap();
        fs::create_dir_all(&linked).unwrap();
        fs::write(linked.join(".git"), format!("gitdir: {}\n", git.display())).unwrap();
        let mut projects = Projects::new(home.path(), Seen::default());
        let id = projects.place(&main, true, None).project;
        assert_eq!(projects.place(&linked, true, None).project, id);
        assert_eq!(
            projects
                .place(&main.join(".claude/worktrees/gone"), true, None)
                .project,
            id
        );
        let gone = projects.place(&main.join(".claude/worktrees/gone"), true, None);
        let file = main.join(".claude/worktrees/gone/src/a.rs");
        assert_eq!(
            gone.relative(&file.to_string_lossy(), &main).as_deref(),
            Some("src/a.rs")
        );
        let place = projects.place(&linked, true, None);
        let file = linked.join("a.rs");
        assert_eq!(
            place.relative(&file.to_string_lossy(), &linked).as_deref(),
            Some("a.rs")
        );
    }
}
