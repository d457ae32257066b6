//! Work trees in every shape that git makes, and in some that only a hostile archive has.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use ken_files::WorkTree;

struct Home {
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Home {
    fn new() -> Home {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        Home {
            _folder: folder,
            path,
        }
    }

    fn write(&self, path: &str, content: &str) {
        let path = self.path.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn git_folder(&self, path: &str, config: &str) {
        self.write(&format!("{path}/HEAD"), "ref: refs/heads/main\n");
        self.write(&format!("{path}/config"), config);
        fs::create_dir_all(self.path.join(path).join("objects")).unwrap();
        fs::create_dir_all(self.path.join(path).join("refs")).unwrap();
    }

    /// A work tree at `tree`, linked to the repository whose git folder is `common`.
    fn link(&self, common: &str, name: &str, tree: &str) {
        let own = format!("{common}/worktrees/{name}");
        let full = |path: &str| self.path.join(path).display().to_string();
        self.write(&format!("{own}/HEAD"), "ref: refs/heads/feature/x\n");
        self.write(&format!("{own}/commondir"), "../..\n");
        self.write(
            &format!("{own}/gitdir"),
            &format!("{}\n", full(&format!("{tree}/.git"))),
        );
        self.write(&format!("{tree}/.git"), &format!("gitdir: {}\n", full(&own)));
    }

    fn find(&self, path: &str) -> Option<WorkTree> {
        WorkTree::containing(&self.path.join(path))
    }

    fn found(&self, path: &str) -> WorkTree {
        self.find(path).unwrap()
    }
}

#[test]
fn a_plain_repository_is_found_from_anywhere_below() {
    let home = Home::new();
    home.git_folder("my \"re po\"/.git", "");
    fs::create_dir_all(home.path.join("my \"re po\"/a/b")).unwrap();
    let tree = home.found("my \"re po\"/a/b");
    assert_eq!(tree.root, home.path.join("my \"re po\""));
    assert_eq!(tree.git, tree.root.join(".git"));
    assert_eq!(tree.common, tree.git);
    assert_eq!(tree.identity(), tree.common);
    assert_eq!(tree.branch().as_deref(), Some("main"));
    assert_eq!(tree.remote(), None);
    assert_eq!(tree.repository_name(), "my \"re po\"");
    // A folder that does not exist yet belongs where it will stand.
    assert_eq!(home.found("my \"re po\"/not/yet").root, tree.root);
    assert_eq!(home.find("elsewhere"), None);
}

#[cfg(unix)]
#[test]
fn two_ways_to_one_place_are_one() {
    let home = Home::new();
    home.git_folder("repo/.git", "");
    fs::create_dir_all(home.path.join("repo/a")).unwrap();
    std::os::unix::fs::symlink("repo/a", home.path.join("link")).unwrap();
    assert_eq!(home.found("link"), home.found("repo"));
    assert_eq!(home.found("repo/a/../../link"), home.found("repo"));
}

#[test]
fn linked_work_trees_share_identity_remote_and_name() {
    let home = Home::new();
    home.git_folder(
        "kenning/.git",
        "[remote \"origin\"]\n\turl = git@github.com:o/kenning.git\n",
    );
    home.link("kenning/.git", "x", "trees/renamed");
    let (main, linked) = (home.found("kenning"), home.found("trees/renamed"));
    assert_eq!(linked.root, home.path.join("trees/renamed"));
    assert_eq!(linked.git, home.path.join("kenning/.git/worktrees/x"));
    assert_eq!(linked.common, main.common);
    assert_eq!(linked.identity(), main.identity());
    assert_eq!(linked.branch().as_deref(), Some("feature/x"));
    assert_eq!(linked.remote().as_deref(), Some("github.com:o/kenning.git"));
    assert_eq!(linked.repository_name(), "kenning");
    assert_eq!(linked.main_root(), Some(main.root.clone()));
    assert_eq!(main.main_root(), Some(main.root.clone()));
    home.git_folder("kenning/.git", "");
    assert_eq!(linked.repository_name(), "kenning");
}

#[test]
fn a_submodule_is_a_repository_of_its_own() {
    let home = Home::new();
    home.git_folder("super/.git", "");
    home.git_folder(
        "super/.git/modules/libs/inner",
        "[core]\n\tworktree = ../../../../libs/inner\n",
    );
    home.write("super/libs/inner/.git", "gitdir: ../../.git/modules/libs/inner\n");
    let inner = home.found("super/libs/inner");
    assert_eq!(inner.root, home.path.join("super/libs/inner"));
    assert_eq!(inner.common, home.path.join("super/.git/modules/libs/inner"));
    assert_eq!(inner.identity(), inner.common);
    assert_eq!(inner.repository_name(), "inner");
    assert_eq!(inner.main_root(), Some(inner.root.clone()));
    assert_ne!(inner.identity(), home.found("super").identity());
}

#[test]
fn a_bare_repository_has_no_work_tree_but_its_linked_ones_are() {
    let home = Home::new();
    home.git_folder("outer/.git", "");
    home.git_folder("outer/store.git", "[core]\n\tbare = true\n");
    assert_eq!(home.find("outer/store.git"), None);
    assert_eq!(home.find("outer/store.git/objects"), None);
    assert_eq!(home.find("outer/.git/objects"), None);

    home.git_folder("work/.bare", "[core]\n\tbare = false\n\tbare = true\n");
    home.write("work/.git", "gitdir: ./.bare\n");
    home.link("work/.bare", "main", "work/main");
    assert_eq!(home.find("work"), None);
    let linked = home.found("work/main");
    assert_eq!(linked.common, home.path.join("work/.bare"));
    assert_eq!(linked.identity(), linked.common);
    assert_eq!(linked.repository_name(), "work");
    assert_eq!(linked.main_root(), None);
    home.git_folder("hidden/.git", "[core]\nbare\n");
    home.link("hidden/.git", "one", "hidden/one");
    assert_eq!(home.find("hidden"), None);
    assert_eq!(home.found("hidden/one").main_root(), None);
    assert_eq!(home.found("hidden/one").repository_name(), "hidden");

    home.link("outer/store.git", "wt", "elsewhere");
    assert_eq!(home.found("elsewhere").repository_name(), "store");
}

#[test]
fn what_is_no_repository_is_passed_by_and_what_is_broken_ends_the_walk() {
    let home = Home::new();
    home.git_folder("outer/.git", "");
    fs::create_dir_all(home.path.join("outer/empty/.git")).unwrap();
    assert_eq!(home.found("outer/empty").root, home.path.join("outer"));
    for (name, content) in [
        ("gone", "gitdir: /nowhere/at/all\n"),
        ("rubbish", "hello\n"),
        ("nothing", ""),
        ("pathless", "gitdir: \n"),
        ("binary", "gitdir: \u{0}\n"),
    ] {
        home.write(&format!("outer/{name}/.git"), content);
        assert_eq!(home.find(&format!("outer/{name}")), None, "{name}");
    }
    home.write("outer/dangling/own/HEAD", "ref: refs/heads/main\n");
    home.write("outer/dangling/own/commondir", "/nowhere/at/all\n");
    home.write("outer/dangling/.git", "gitdir: own\n");
    assert_eq!(home.find("outer/dangling"), None);
}

#[test]
fn a_claim_on_a_foreign_repository_does_not_give_its_identity() {
    let home = Home::new();
    home.git_folder("mine/.git", "[remote \"origin\"]\nurl = https://h/o/mine.git\n");
    home.link("mine/.git", "real", "real");
    let mine = home.found("mine").identity();
    assert_eq!(home.found("real").identity(), mine);
    let full = |path: &str| home.path.join(path).display().to_string();

    // The git folder itself, one of its work trees, and a git folder of its own that claims to share.
    home.write("direct/.git", &format!("gitdir: {}\n", full("mine/.git")));
    home.write(
        "second/.git",
        &format!("gitdir: {}\n", full("mine/.git/worktrees/real")),
    );
    home.write("forged/own/HEAD", "ref: refs/heads/main\n");
    home.write("forged/own/commondir", &full("mine/.git"));
    home.write("forged/own/gitdir", "../.git\n");
    home.write("forged/.git", "gitdir: own\n");
    home.write("inside/.git/HEAD", "ref: refs/heads/main\n");
    home.write("inside/.git/commondir", &full("mine/.git"));
    home.write("inside/.git/gitdir", &full("inside/.git"));
    for name in ["direct", "second", "forged", "inside"] {
        let tree = home.found(name);
        assert_eq!(tree.common, mine, "{name}");
        assert_eq!(tree.identity(), home.path.join(name).join(".git"), "{name}");
        assert_eq!(tree.main_root(), Some(home.path.join(name)), "{name}");
    }
    #[cfg(unix)]
    {
        fs::create_dir(home.path.join("linked")).unwrap();
        std::os::unix::fs::symlink(home.path.join("mine/.git"), home.path.join("linked/.git")).unwrap();
        assert_eq!(home.found("linked").identity(), home.path.join("linked/.git"));
    }
}

#[test]
fn branches_that_are_none_or_not_fit_to_print_are_not_named() {
    let home = Home::new();
    home.git_folder("r/.git", "");
    for (head, branch) in [
        ("ref: refs/heads/a/b-c\n", Some("a/b-c")),
        ("ref:refs/heads/x", Some("x")),
        ("0123456789012345678901234567890123456789\n", None),
        ("ref: refs/heads/.invalid\n", None),
        ("ref: refs/heads/\n", None),
        ("ref: refs/tags/v1\n", None),
        ("ref: refs/heads/\u{1b}[31m\n", None),
        ("", None),
    ] {
        home.write("r/.git/HEAD", head);
        assert_eq!(home.found("r").branch().as_deref(), branch, "{head:?}");
    }
}

#[cfg(unix)]
#[test]
fn nothing_in_a_repository_makes_us_hang_or_read_without_end() {
    let home = Home::new();
    home.git_folder("r/.git", "");
    let pipe = |path: &str| {
        let path = home.path.join(path);
        fs::remove_file(&path).unwrap();
        assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
    };
    pipe("r/.git/config");
    pipe("r/.git/HEAD");
    let tree = home.found("r");
    assert_eq!(tree.branch(), None);
    assert_eq!(tree.remote(), None);
    home.git_folder("big/.git", &"#".repeat(2_000_000));
    assert_eq!(home.found("big").remote(), None);
    home.write("endless/.git", &format!("gitdir: {}", "x".repeat(100_000)));
    assert_eq!(home.find("endless"), None);
}

/// Runs git in `folder` and gives its output; `None` where git is not installed.
fn git(folder: &Path, arguments: &[&str]) -> Option<String> {
    let output = Command::new("git")
        .current_dir(folder)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("HOME", folder)
        .args([
            "-c",
            "user.name=n",
            "-c",
            "user.email=e@example.com",
            "-c",
            "protocol.file.allow=always",
        ])
        .args(arguments)
        .output()
        .ok()?;
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "git {arguments:?}: {errors}");
    Some(String::from_utf8(output.stdout).unwrap().trim_end().to_owned())
}

#[test]
fn what_git_itself_makes_is_understood_as_git_understands_it() {
    let home = Home::new();
    let at = |path: &str| home.path.join(path);
    if git(&home.path, &["init", "-q", "-b", "trunk", "main"]).is_none() {
        eprintln!("NOT RUN: git is not installed, so its own repositories were not compared");
        return;
    }
    git(&at("main"), &["commit", "-q", "--allow-empty", "-m", "first"]);
    let url = format!("https://user:{}@example.com/o/thing.git", "pass");
    git(
        &at("main"),
        &["remote", "add", "upstream", "https://example.com/other.git"],
    );
    git(&at("main"), &["remote", "add", "origin", &url]);
    git(&at("main"), &["worktree", "add", "-q", "-b", "side", "../linked"]);
    git(
        &at("main"),
        &[
            "submodule",
            "--quiet",
            "add",
            &at("main").display().to_string(),
            "sub/module",
        ],
    );
    git(&home.path, &["clone", "-q", "--bare", "main", "store.git"]);
    git(
        &at("store.git"),
        &["worktree", "add", "-q", "../from bare", "trunk"],
    );
    git(
        &home.path,
        &["init", "-q", "--separate-git-dir", "apart", "separate"],
    );

    for tree in ["main", "linked", "main/sub/module", "from bare", "separate"] {
        let folder = at(tree);
        let found = WorkTree::containing(&folder).unwrap();
        let ask = |argument: &str| {
            PathBuf::from(git(&folder, &["rev-parse", "--path-format=absolute", argument]).unwrap())
        };
        assert_eq!(found.root, ask("--show-toplevel"), "{tree}");
        assert_eq!(found.git, ask("--git-dir").canonicalize().unwrap(), "{tree}");
        assert_eq!(
            found.common,
            ask("--git-common-dir").canonicalize().unwrap(),
            "{tree}"
        );
        assert_eq!(
            found.branch(),
            git(&folder, &["symbolic-ref", "--short", "HEAD"]),
            "{tree}"
        );
        if tree != "separate" {
            assert_eq!(found.identity(), found.common, "{tree}");
        }
    }
    assert_eq!(home.find("store.git"), None);
    let linked = home.found("linked");
    assert_eq!(
        linked.remote().as_deref(),
        Some("https://example.com/o/thing.git")
    );
    assert_eq!(linked.repository_name(), "thing");
    assert_eq!(home.found("from bare").repository_name(), "main");
    assert_eq!(home.found("separate").repository_name(), "separate");
}
