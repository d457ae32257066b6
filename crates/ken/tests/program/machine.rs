//! A hermetic machine: a home of its own, a cleared environment, a pinned clock and zone. Every whole-program test runs
//! `ken` on one, so that neither the developer's own memory nor their settings can change a result.

use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// The instant at which every test takes place unless it says otherwise.
pub(crate) const NOW: &str = "2026-06-15T12:00:00Z";

/// A made-up machine below a temporary folder; removed when dropped.
pub(crate) struct Machine {
    folder: TempDir,
    now: String,
}

/// What a run of `ken` said. It must be looked at.
#[must_use]
pub(crate) struct Run {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: Option<i32>,
}

impl Machine {
    pub(crate) fn new() -> Machine {
        let folder = tempfile::Builder::new().prefix("ken-test-").tempdir().unwrap();
        let machine = Machine {
            folder,
            now: NOW.to_owned(),
        };
        std::fs::create_dir_all(machine.home()).unwrap();
        machine
    }

    /// The same machine at another time.
    pub(crate) fn at(mut self, now: &str) -> Machine {
        now.clone_into(&mut self.now);
        self
    }

    pub(crate) fn home(&self) -> PathBuf {
        self.folder.path().join("home")
    }

    /// A folder below the home, made when absent.
    pub(crate) fn folder(&self, relative: &str) -> PathBuf {
        let path = self.home().join(relative);
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    /// A git repository below the home with a remote, made without running git.
    pub(crate) fn repository(&self, relative: &str) -> PathBuf {
        let root = self.folder(relative);
        let name = root.file_name().unwrap().to_str().unwrap().to_owned();
        self.write(&format!("{relative}/.git/HEAD"), "ref: refs/heads/main\n");
        self.write(
            &format!("{relative}/.git/config"),
            format!("[remote \"origin\"]\n\turl = https://git.example/made-up/{name}.git\n"),
        );
        root
    }

    /// Writes a file below the home, with its folders.
    pub(crate) fn write(&self, relative: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.home().join(relative);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn read(&self, relative: &str) -> String {
        let path = self.home().join(relative);
        std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    }

    /// `ken` in `folder`, ready to be given arguments and run.
    pub(crate) fn command(&self, folder: &Path) -> Command {
        let mut command = Command::new(program());
        command
            .current_dir(folder)
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", "/usr/bin:/bin")
            .env("TZ", "UTC")
            .env("KEN_NOW", &self.now)
            // A loaded machine must not make a hook give up where the test is about something else.
            .env("KEN_HOOK_DEADLINE", "60000")
            .stdin(Stdio::null());
        command
    }

    /// Runs `ken` in `folder`.
    pub(crate) fn ken<A: AsRef<OsStr>>(&self, folder: &Path, arguments: impl IntoIterator<Item = A>) -> Run {
        self.finish(self.command(folder).args(arguments))
    }

    /// Runs `ken` in `folder` with something on its standard input.
    pub(crate) fn ken_with_input<A: AsRef<OsStr>>(
        &self,
        folder: &Path,
        arguments: impl IntoIterator<Item = A>,
        input: &[u8],
    ) -> Run {
        let mut child = self
            .command(folder)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let input = input.to_vec();
        // A program that refuses early closes its input: that is its right.
        let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        self.run_of(output)
    }

    fn finish(&self, command: &mut Command) -> Run {
        let output = command.output().unwrap();
        self.run_of(output)
    }

    fn run_of(&self, output: std::process::Output) -> Run {
        let clean = |bytes: Vec<u8>| {
            let text = String::from_utf8(bytes).expect("ken prints UTF-8");
            text.replace(self.home().to_str().unwrap(), "~")
        };
        Run {
            stdout: clean(output.stdout),
            stderr: clean(output.stderr),
            code: output.status.code(),
        }
    }
}

/// The binary under test.
pub(crate) fn program() -> &'static str {
    env!("CARGO_BIN_EXE_ken")
}

impl Run {
    /// The standard output of a run that must have succeeded.
    pub(crate) fn done(self) -> String {
        assert_eq!(
            self.code,
            Some(0),
            "stdout: {}\nstderr: {}",
            self.stdout,
            self.stderr
        );
        self.stdout
    }

    /// The standard error of a run that must have failed with `code`, printed nothing else, and said one sentence.
    pub(crate) fn refused(self, code: i32) -> String {
        assert_eq!(
            self.code,
            Some(code),
            "stdout: {}\nstderr: {}",
            self.stdout,
            self.stderr
        );
        assert_eq!(self.stdout, "", "an error goes to standard error");
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        self.stderr
    }

    /// The JSON object that a run printed.
    pub(crate) fn json(self) -> serde_json::Value {
        let text = self.done();
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("not one JSON object ({e}): {text}"))
    }
}
