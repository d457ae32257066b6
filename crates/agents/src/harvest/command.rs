//! Shell commands that mattered: a commit, a test run, a deployment; not the looking around.

use super::request::{cut, one_line};

/// What a command that mattered did. The order is that of importance.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
pub(crate) enum Deed {
    /// Something left the machine or changed a running system: a push, a release, a deployment, a migration.
    Shipped,
    /// Tests, checks or measurements ran.
    Checked,
    /// Something was built or installed.
    Built,
}

/// A part of a command line that mattered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Command {
    /// `git commit` with this subject.
    Commit(String),
    /// Any other, shortened.
    Other(Deed, String),
}

/// Longest piece of a command that a row shows.
const SHOWN: usize = 60;

/// First words of commands that matter; `*` stands for any one word.
const KNOWN: &[(Deed, &[&str])] = &[
    (
        Deed::Shipped,
        &[
            "git push",
            "git merge",
            "git rebase",
            "git tag",
            "git revert",
            "git cherry-pick",
            "gh pr create",
            "gh pr merge",
            "gh release create",
            "glab mr create",
            "cargo publish",
            "cargo release",
            "npm publish",
            "pnpm publish",
            "twine upload",
            "docker push",
            "kubectl apply",
            "kubectl rollout",
            "kubectl delete",
            "kubectl scale",
            "helm install",
            "helm upgrade",
            "helm rollback",
            "terraform apply",
            "terraform destroy",
            "pulumi up",
            "ansible-playbook",
            "fly deploy",
            "flyctl deploy",
            "vercel deploy",
            "serverless deploy",
            "alembic upgrade",
            "alembic downgrade",
            "sqlx migrate",
            "diesel migration",
            "prisma migrate",
            "npx prisma migrate",
            "rails db:migrate",
            "flyway migrate",
            "dbmate up",
            "goose up",
            "systemctl restart",
        ],
    ),
    (
        Deed::Checked,
        &[
            "cargo test",
            "cargo nextest",
            "cargo clippy",
            "cargo bench",
            "cargo miri",
            "cargo fuzz",
            "cargo mutants",
            "npm test",
            "npm t",
            "npm run test",
            "npm run lint",
            "npm run e2e",
            "yarn test",
            "pnpm test",
            "bun test",
            "deno test",
            "npx vitest",
            "npx jest",
            "npx playwright",
            "npx tsc",
            "vitest",
            "jest",
            "playwright test",
            "pytest",
            "python -m pytest",
            "python3 -m pytest",
            "uv run pytest",
            "poetry run pytest",
            "tox",
            "nox",
            "ruff check",
            "mypy",
            "pyright",
            "go test",
            "go vet",
            "make test",
            "make check",
            "make lint",
            "just test",
            "mvn test",
            "mvn verify",
            "gradle test",
            "./gradlew test",
            "./gradlew check",
            "dotnet test",
            "rspec",
            "bundle exec rspec",
            "mix test",
            "ctest",
            "swift test",
            "phpunit",
            "bazel test",
            "hyperfine",
            "k6 run",
        ],
    ),
    (
        Deed::Built,
        &[
            "cargo build",
            "cargo add",
            "cargo install",
            "cargo update",
            "npm install",
            "npm i",
            "npm run build",
            "yarn add",
            "yarn build",
            "pnpm add",
            "pnpm install",
            "pnpm build",
            "bun add",
            "pip install",
            "uv add",
            "uv sync",
            "poetry add",
            "go build",
            "go get",
            "make build",
            "docker build",
            "docker compose up",
            "docker-compose up",
            "mvn package",
            "gradle build",
            "./gradlew build",
            "dotnet build",
            "bundle install",
            "brew install",
            "apt install",
            "apt-get install",
            "bazel build",
        ],
    ),
];

/// Words in the name of a script or target by which it matters.
const TELLING: &[(Deed, &[&str])] = &[
    (
        Deed::Shipped,
        &["deploy", "release", "migrate", "rollback", "publish", "backfill"],
    ),
    (
        Deed::Checked,
        &["test", "tests", "check", "bench", "lint", "e2e", "verify"],
    ),
    (Deed::Built, &["build", "install", "setup"]),
];

/// The parts of a command line that mattered, in their order.
pub(crate) fn that_mattered(line: &str) -> Vec<Command> {
    parts(line).into_iter().filter_map(of_part).collect()
}

fn of_part(part: &str) -> Option<Command> {
    let words: Vec<&str> = bare_words(part);
    let first = words.first()?;
    if *first == "git" && words.get(1) == Some(&"commit") {
        return commit_subject(part).map(Command::Commit);
    }
    let known = |names: &[&str]| {
        names.iter().any(|name| {
            let mut wanted = name.split(' ');
            let mut given = words.iter();
            wanted.all(|w| given.next() == Some(&w))
        })
    };
    let deed = KNOWN
        .iter()
        .find(|(_, names)| known(names))
        .map(|(deed, _)| *deed)
        .or_else(|| telling(&words))?;
    // A here-document or the rest of a script is not the command.
    let shown = words.join(" ");
    Some(Command::Other(deed, cut(&one_line(&shown), SHOWN)))
}

/// Programs that only look, whatever the words behind them are.
const LOOKERS: &[&str] = &[
    "awk", "cat", "cd", "code", "cp", "echo", "find", "git", "grep", "head", "jq", "less", "ls", "man",
    "mkdir", "mv", "open", "printf", "rg", "rm", "sed", "tail", "touch", "tree", "vim", "wc", "which",
];

/// `./scripts/deploy.sh`, `make release`, `npm run migrate`, `gangplank deploy`: told by the name of what is run.
fn telling(words: &[&str]) -> Option<Deed> {
    if let [program, deed, ..] = words
        && !LOOKERS.contains(program)
        && TELLING[0].1.contains(deed)
    {
        return Some(Deed::Shipped);
    }
    let name = match words {
        ["make" | "just" | "task", target, ..] => *target,
        ["npm" | "yarn" | "pnpm" | "bun", "run", script, ..] => *script,
        ["bash" | "sh" | "python" | "python3" | "node", script, ..] if script.contains(['/', '.']) => *script,
        [script, ..]
            if script.starts_with("./") || script.starts_with("scripts/") || script.starts_with("bin/") =>
        {
            *script
        }
        _ => return None,
    };
    let name = name.rsplit('/').next().unwrap_or(name);
    let has = |wanted: &&str| name.split(['-', '_', '.', ':']).any(|word| word == *wanted);
    TELLING
        .iter()
        .find(|(_, wanted)| wanted.iter().any(has))
        .map(|(deed, _)| *deed)
}

/// Splits at `&&`, `||`, `;`, `|` and newlines outside quotes; a pipe's later parts only shape the output.
fn parts(line: &str) -> Vec<&str> {
    let bytes = line.as_bytes();
    let mut found = Vec::new();
    let (mut start, mut at, mut piped) = (0, 0, false);
    let mut quote = None;
    while at < bytes.len() {
        let b = bytes[at];
        match quote {
            Some(open) => {
                if b == b'\\' && open == b'"' {
                    at += 1;
                } else if b == open {
                    quote = None;
                }
            }
            None if matches!(b, b'"' | b'\'') => quote = Some(b),
            None if b == b'\\' => at += 1,
            // What follows a here-document's mark is its text.
            None if bytes[at..].starts_with(b"<<") => break,
            None if matches!(b, b';' | b'\n' | b'&' | b'|') => {
                let double = bytes.get(at + 1) == Some(&b);
                let redirect =
                    b == b'&' && (bytes.get(at + 1) == Some(&b'>') || at > 0 && bytes[at - 1] == b'>');
                if !redirect {
                    if !piped {
                        found.push(&line[start..at]);
                    }
                    piped = b == b'|' && !double;
                    at += usize::from(double);
                    start = at + 1;
                }
            }
            None => {}
        }
        at += 1;
    }
    if !piped {
        found.push(line.get(start..).unwrap_or_default());
    }
    found
}

/// The words of a command without settings of variables, wrappers and redirections before and behind it.
fn bare_words(part: &str) -> Vec<&str> {
    let part = part.split("<<").next().unwrap_or(part);
    let mut words: Vec<&str> = part.split_whitespace().collect();
    loop {
        match words.as_slice() {
            [first, ..] if first.contains('=') && !first.starts_with(['-', '"', '\'']) => words.remove(0),
            [
                "sudo" | "time" | "nice" | "exec" | "command" | "env" | "(" | "nohup",
                ..,
            ] => words.remove(0),
            ["timeout", ..] => {
                words.drain(..2.min(words.len()));
                continue;
            }
            _ => break,
        };
    }
    if let ["git", "-C", _, rest @ ..] = words.as_slice() {
        words = [&["git"], rest].concat();
    }
    let end = words
        .iter()
        .position(|w| w.starts_with('>') || w.starts_with("2>") || w.starts_with("&>") || *w == "&")
        .unwrap_or(words.len());
    words.truncate(end);
    words
}

/// The first line of a commit's message, given by `-m "..."`, `-am '...'`, `--message=...` or a here-document.
fn commit_subject(part: &str) -> Option<String> {
    let flag = part.split_whitespace().find(|w| {
        (w.starts_with('-')
            && !w.starts_with("--")
            && w[1..]
                .split(['"', '\'', '='])
                .next()
                .is_some_and(|w| w.ends_with('m')))
            || w.starts_with("--message")
    })?;
    let at = flag.as_ptr() as usize - part.as_ptr() as usize;
    let name = flag.find(['"', '\'', '=']).unwrap_or(flag.len());
    let value = part[at + name..].trim_start_matches('=').trim_start();
    let message = if let Some(here) = value
        .find("<<")
        .filter(|_| value.starts_with("\"$(cat") || value.starts_with("$(cat"))
    {
        value[here..].split_once('\n').map(|(_, body)| body)?
    } else {
        match value.chars().next()? {
            quote @ ('"' | '\'') => value[1..].split(quote).next()?,
            _ => value.split_whitespace().next()?,
        }
    };
    let subject = message.lines().map(str::trim).find(|l| !l.is_empty())?;
    Some(one_line(subject)).filter(|s| !s.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commits(line: &str) -> Vec<String> {
        that_mattered(line)
            .into_iter()
            .filter_map(|c| match c {
                Command::Commit(subject) => Some(subject),
                Command::Other(..) => None,
            })
            .collect()
    }

    fn others(line: &str) -> Vec<String> {
        that_mattered(line)
            .into_iter()
            .filter_map(|c| match c {
                Command::Other(_, text) => Some(text),
                Command::Commit(_) => None,
            })
            .collect()
    }

    #[test]
    fn the_subject_of_a_commit_is_read_in_every_form() {
        assert_eq!(
            commits("git add -A && git commit -m \"parser: stop at the newline\""),
            ["parser: stop at the newline"]
        );
        assert_eq!(
            commits("git commit -am 'one; two && three'"),
            ["one; two && three"]
        );
        assert_eq!(commits("git -C sub commit --message=short"), ["short"]);
        assert_eq!(
            commits("git commit -m \"$(cat <<'EOF'\nfix: the lexer's end\n\nLong body.\nEOF\n)\""),
            ["fix: the lexer's end"]
        );
        assert!(commits("git commit --amend --no-edit").is_empty());
    }

    #[test]
    fn looking_around_does_not_matter() {
        for line in [
            "ls -la",
            "cat a.rs | grep test",
            "git status; git diff",
            "cd /repo && rg 'cargo test' src",
            "echo done",
            "",
        ] {
            assert!(that_mattered(line).is_empty(), "{line}");
        }
    }

    #[test]
    fn what_mattered_is_shortened_to_the_command() {
        assert_eq!(
            others("cd /repo && RUST_LOG=debug timeout 60 cargo nextest run -p parser 2>&1 | tail -5"),
            ["cargo nextest run -p parser"]
        );
        assert_eq!(
            others("./scripts/deploy.sh staging; make release"),
            ["./scripts/deploy.sh staging", "make release"]
        );
        assert_eq!(
            others("npm run migrate -- --to 12 &"),
            ["npm run migrate -- --to 12"]
        );
        assert_eq!(
            others("python3 - <<'EOF'\nprint('cargo test')\nEOF"),
            Vec::<String>::new()
        );
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(256))]
        #[test]
        fn no_command_line_breaks_it(line in "(git commit|cargo test|-m|\"|'|<<|EOF|\n|\\\\|&&|\\||;|>| |=|\\PC){0,24}") {
            for command in that_mattered(&line) {
                let (Command::Commit(text) | Command::Other(_, text)) = command;
                proptest::prop_assert!(!text.is_empty() && !text.contains('\n'));
            }
        }
    }
}
