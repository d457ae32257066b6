//! The repositories of the story, as far as others read them: git's own files, README, package manifest, sources.

use std::path::{Path, PathBuf};

use ken_files::FileError;

use super::put;
use super::story::Place;

/// A file of a repository.
type Source = (&'static str, &'static str);

struct Repository {
    place: Place,
    remote: &'static str,
    /// Branches that are still there besides `main`.
    branches: &'static [&'static str],
    sources: &'static [Source],
}

const REPOSITORIES: &[Repository] = &[
    Repository {
        place: Place::Pay,
        remote: "git@git.example:brine-ferries/brinepay.git",
        branches: &["settlements-split", "tax-export", "utf16-statements"],
        sources: &[
            (
                "README.md",
                "# brinepay\n\nbrinepay takes the payments of the ferry bookings: it reads the banks' statement files, matches them with orders and posts them to the ledger.\n\n## Work on it\n\n`cargo nextest run`, with a database from `docker compose up -d db`.\n",
            ),
            (
                "Cargo.toml",
                "[package]\nname = \"brinepay\"\nversion = \"0.9.2\"\nedition = \"2024\"\n\n[dependencies]\n",
            ),
            (
                "src/main.rs",
                "mod parser;\n\nfn main() {\n    for file in std::env::args().skip(1) {\n        let bytes = std::fs::read(&file).expect(\"a statement file\");\n        for payment in parser::statement(&bytes) {\n            println!(\"{payment:?}\");\n        }\n    }\n}\n",
            ),
            (
                "src/parser/mod.rs",
                "//! Statement files into payments.\n\npub mod amount;\n\n/// One line of a statement.\n#[derive(Debug)]\npub struct Payment {\n    pub reference: String,\n    pub cents: i64,\n}\n\n/// Reads a statement; the last line may lack its newline.\npub fn statement(bytes: &[u8]) -> Vec<Payment> {\n    String::from_utf8_lossy(bytes)\n        .lines()\n        .filter_map(|line| line.split_once(';'))\n        .filter_map(|(reference, amount)| {\n            Some(Payment { reference: reference.to_owned(), cents: amount::cents(amount)? })\n        })\n        .collect()\n}\n",
            ),
            (
                "src/parser/amount.rs",
                "/// Cents of an amount with a decimal comma: `1.234,50`.\npub fn cents(text: &str) -> Option<i64> {\n    let digits: String = text.chars().filter(char::is_ascii_digit).collect();\n    text.contains(',').then(|| digits.parse().ok()).flatten()\n}\n",
            ),
            (
                "migrations/0042_split_settlements.sql",
                "-- expand: new table beside the old column\ncreate table settlement (id bigserial primary key, order_id bigint not null, cents bigint not null);\n",
            ),
            (".gitignore", "/target\n"),
        ],
    },
    Repository {
        place: Place::Web,
        remote: "https://git.example/brine-ferries/brine-web.git",
        branches: &["checkout-two-steps"],
        sources: &[
            (
                "README.md",
                "# brine-web\n\n> The booking page of the ferry line: timetable, cabin choice and checkout.\n",
            ),
            (
                "package.json",
                "{\n  \"name\": \"brine-web\",\n  \"version\": \"3.4.0\",\n  \"private\": true,\n  \"scripts\": { \"test\": \"vitest run\", \"build\": \"vite build\" }\n}\n",
            ),
            (
                "src/checkout/Checkout.tsx",
                "export function Checkout() {\n  return <form aria-label=\"checkout\" />;\n}\n",
            ),
        ],
    },
    Repository {
        place: Place::Gangplank,
        remote: "ssh://git@git.example/brine-ferries/gangplank.git",
        branches: &[],
        sources: &[
            (
                "README.md",
                "gangplank\n=========\n\ngangplank rolls a release out to the ferry line's servers, first to one of them, and takes it back when it misbehaves.\n",
            ),
            (
                "pyproject.toml",
                "[project]\nname = \"gangplank\"\nversion = \"1.7.0\"\n",
            ),
            ("gangplank/canary.py", "SOAK_MINUTES = 20\n"),
        ],
    },
];

/// The one commit of each repository, an empty tree: loose objects as git writes them, so that git itself is at home.
const OBJECTS: &[(&str, &str)] = &[
    (
        "4b/825dc642cb6eb9a060e54bf8d69288fbee4904",
        "78012b294a4d55306000000a2c0201",
    ),
    (
        "ef/52b83caa7f199035bcc8e4d38d6af67fca6b77",
        "7801958d410a023110043de7157317643664c704447c833fc8647b35601209117cbeacbec0bad4a9a8d44ac98326e1dde80039f5765e92389b54a021b23066a7ab5f2458ef57055c6067e26bdc5ba76bd35ce9d4375db4e78a03deb13c1f38d3740cfc83f69b4dface06fecc8ce296abf9009e2d3387",
    ),
];
const COMMIT: &str = "ef52b83caa7f199035bcc8e4d38d6af67fca6b77\n";

/// Writes all repositories and the private folder; answers their roots, the one to stand in first.
pub(super) fn write(home: &Path) -> Result<Vec<PathBuf>, FileError> {
    let mut roots = Vec::new();
    for repository in REPOSITORIES {
        let root = home.join(repository.place.folder());
        let git = root.join(".git");
        put(&git.join("HEAD"), "ref: refs/heads/main\n")?;
        put(
            &git.join("config"),
            format!(
                "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n[remote \"origin\"]\n\turl = {}\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n",
                repository.remote
            ),
        )?;
        for (name, hex) in OBJECTS {
            put(&git.join("objects").join(name), bytes_of(hex))?;
        }
        for branch in [&["main"], repository.branches].concat() {
            put(&git.join("refs/heads").join(branch), COMMIT)?;
        }
        for (name, text) in repository.sources {
            put(&root.join(name), text)?;
        }
        roots.push(root);
    }
    let allotment = home.join(Place::Allotment.folder());
    put(
        &allotment.join("beds.md"),
        "North bed: beans. South bed: leeks, again.\n",
    )?;
    Ok(roots)
}

fn bytes_of(hex: &str) -> Vec<u8> {
    hex.as_bytes()
        .chunks(2)
        .filter_map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok())
        .collect()
}
