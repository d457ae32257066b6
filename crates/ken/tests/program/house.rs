//! The layout, held against what `cargo metadata` says: arrows point down, heavy things have one home, the lock file
//! stays small. `docs/architecture.md` is the picture; this is its lock.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, PackageId};

/// The floors, ground first. A room may use rooms of lower floors only: rooms of one floor do not know each other.
const FLOORS: &[&[&str]] = &[
    &["ken-files", "ken-text", "ken-secrets"],
    &["ken-edicts", "ken-dotagent", "ken-library"],
    &["ken-agents", "ken-memory", "ken-federate"],
    &["ken-serve"],
    &["ken"],
];

/// Heavy dependencies and the rooms they may be reached from (directly; the rooms above reach them through those).
const HOMES: &[(&str, &[&str])] = &[
    ("tokio", &["ken-serve", "ken-federate", "ken"]),
    ("rmcp", &["ken-serve"]),
    ("axum", &["ken-serve"]),
    ("ureq", &["ken-serve", "ken-federate"]),
    ("async-nats", &["ken-federate"]),
    ("rusqlite", &["ken-agents"]),
    ("jsonschema", &["ken-library", "ken-edicts"]),
    ("clap", &["ken"]),
    ("indicatif", &["ken"]),
];

/// Packages in Cargo.lock. Raise it on purpose, in the commit that adds the dependency, and say there what it brings.
const LOCKED_PACKAGES: usize = 300;

fn metadata() -> Metadata {
    MetadataCommand::new()
        .manifest_path(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../Cargo.toml"))
        .other_options(["--locked", "--offline", "--filter-platform", &host()].map(str::to_owned))
        .exec()
        .expect("cargo metadata answers")
}

/// The platform of this machine: only its packages have been fetched.
fn host() -> String {
    let said = std::process::Command::new("rustc")
        .arg("-vV")
        .output()
        .expect("rustc runs")
        .stdout;
    let said = String::from_utf8(said).expect("rustc speaks UTF-8");
    said.lines()
        .find_map(|line| line.strip_prefix("host: "))
        .expect("rustc names its host")
        .to_owned()
}

fn floor_of(room: &str) -> usize {
    FLOORS
        .iter()
        .position(|rooms| rooms.contains(&room))
        .unwrap_or_else(|| panic!("{room} stands on no floor: add it to FLOORS and to docs/architecture.md"))
}

/// What each room of the workspace needs to run: names of its direct dependencies, without development ones.
fn direct(metadata: &Metadata) -> BTreeMap<String, BTreeSet<String>> {
    metadata
        .workspace_packages()
        .into_iter()
        .map(|package| {
            let needs = package
                .dependencies
                .iter()
                .filter(|d| d.kind != DependencyKind::Development)
                .map(|d| d.name.clone())
                .collect();
            (package.name.to_string(), needs)
        })
        .collect()
}

#[test]
fn arrows_point_down() {
    for (room, needs) in direct(&metadata()) {
        let floor = floor_of(&room);
        for need in needs
            .iter()
            .filter(|n| n.as_str() == "ken" || n.starts_with("ken-"))
        {
            assert!(
                floor_of(need) < floor,
                "{room} must not know {need}: arrows only point down"
            );
        }
    }
}

#[test]
fn heavy_dependencies_have_one_home() {
    let metadata = metadata();
    for (room, needs) in direct(&metadata) {
        for (heavy, homes) in HOMES {
            assert!(
                !needs.contains(*heavy) || homes.contains(&room.as_str()),
                "{room} uses {heavy}, whose home is {homes:?}"
            );
        }
    }
    // A runtime must not come in by the back door either, through a dependency of a room below `serve`.
    for room in FLOORS[..3]
        .iter()
        .flat_map(|rooms| rooms.iter())
        .filter(|room| **room != "ken-federate")
    {
        let reached = reached_from(&metadata, room);
        for heavy in ["tokio", "rmcp", "hyper", "reqwest"] {
            assert!(
                !reached.contains(heavy),
                "{room} reaches {heavy} through one of its dependencies"
            );
        }
    }
}

/// Everything a room reaches through normal dependencies.
fn reached_from(metadata: &Metadata, room: &str) -> BTreeSet<String> {
    let resolve = metadata.resolve.as_ref().expect("metadata resolves");
    let nodes: BTreeMap<&PackageId, _> = resolve.nodes.iter().map(|node| (&node.id, node)).collect();
    let Some(start) = metadata.packages.iter().find(|p| p.name.as_str() == room) else {
        return BTreeSet::new();
    };
    let (mut seen, mut open) = (BTreeSet::new(), vec![&start.id]);
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        for dependency in &nodes[id].deps {
            if dependency
                .dep_kinds
                .iter()
                .any(|k| k.kind == DependencyKind::Normal)
            {
                open.push(&dependency.pkg);
            }
        }
    }
    seen.into_iter().map(|id| metadata[id].name.to_string()).collect()
}

#[test]
fn the_lock_file_stays_small() {
    let lock = include_str!("../../../../Cargo.lock");
    let packages = lock.matches("[[package]]").count();
    assert!(
        packages <= LOCKED_PACKAGES,
        "Cargo.lock has {packages} packages, the cap is {LOCKED_PACKAGES}"
    );
}

#[test]
fn every_room_says_what_it_owns() {
    for package in metadata().workspace_packages() {
        let name = package.name.as_str();
        let source = package
            .manifest_path
            .parent()
            .expect("a manifest lies in a folder")
            .join("src");
        let file = if name == "ken" { "main.rs" } else { "lib.rs" };
        let opening = std::fs::read_to_string(source.join(file)).unwrap();
        assert!(opening.starts_with("//!"), "{name} does not open with what it is");
        for part in ["**Owns**", "**May know**", "**Must never"] {
            assert!(
                opening.contains(part),
                "{name}/src/{file} does not say what it {part}"
            );
        }
        // `files` maps caches, in one place; there the attribute that allows it stands once.
        let checked = if name == "ken-files" { "deny" } else { "forbid" };
        assert!(
            opening.contains(&format!("#![{checked}(unsafe_code)]")),
            "{name} does not {checked} unsafe code"
        );
    }
}

#[test]
fn one_place_alone_is_not_checked_by_the_compiler() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut folders = vec![crates];
    let mut allowed = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "rs") && !path.ends_with("house.rs") {
                let text = std::fs::read_to_string(&path).unwrap();
                allowed.extend(text.matches("allow(unsafe_code)").map(|_| path.clone()));
            }
        }
    }
    assert_eq!(allowed.len(), 1, "{allowed:?}");
    assert!(allowed[0].ends_with("files/src/cache/mapping.rs"));
}

#[test]
fn the_picture_shows_every_room() {
    let picture = include_str!("../../../../docs/architecture.md");
    for package in metadata().workspace_packages() {
        let room = package.name.as_str().trim_start_matches("ken-");
        assert!(
            picture.contains(&format!("### `{room}`")),
            "docs/architecture.md has no paragraph on `{room}`"
        );
    }
}
