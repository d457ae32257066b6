//! The real agents, as their makers publish them, in a made-up home and without an account: they find what `ken setup`
//! wrote, start the server, run the hooks, and send a prompt that holds the brief.
//!
//! Each test runs once more in a network of its own that has no way out, so that nothing that these programs do can
//! reach anybody. Where no such network can be made, their traffic goes to a closed port of this machine.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::loopback::ModelServer;
use crate::machine::{Machine, program};

/// Set in the run that is inside: `cut off`, or `by proxies` where no network without a way out can be made.
const INSIDE: &str = "KEN_TEST_INSIDE";

/// Longer than any of these programs needs.
const PATIENCE: Duration = Duration::from_secs(40);

fn agent(variable: &str) -> String {
    let path = std::env::var(variable)
        .unwrap_or_else(|_| panic!("run ./test: it installs the agents that these tests start ({variable})"));
    assert!(
        Path::new(&path).is_file(),
        "{variable} names {path}, which is no file: run ./test"
    );
    path
}

/// Whether this is the run inside. In the run outside, starts the one inside and passes on what it found.
fn inside(test: &str) -> bool {
    if std::env::var_os(INSIDE).is_some() {
        return true;
    }
    let own = std::env::current_exe().unwrap();
    let name = format!("outside_agents::{test}");
    let up = "ip link set lo up 2>/dev/null || \"$KEN_TEST_PYTHON\" -c \"import fcntl,socket,struct; \
              s=socket.socket(); fcntl.ioctl(s, 0x8914, struct.pack('16sh', b'lo', 0x49))\"";
    let made = Command::new("unshare")
        .args(["-rn", "sh", "-c", up])
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    let mut command = if made {
        let mut command = Command::new("unshare");
        command
            .args(["-rn", "sh", "-c", &format!("{up}; exec \"$0\" \"$@\"")])
            .arg(own);
        command.env(INSIDE, "cut off");
        command
    } else {
        let mut command = Command::new(own);
        command.env(INSIDE, "by proxies");
        command
    };
    let output = command.args(["--exact", &name, "--nocapture"]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && said.contains("1 passed"),
        "{said}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    false
}

/// A machine with a repository in which something is known.
struct Desk {
    machine: Machine,
    repo: std::path::PathBuf,
}

struct Said {
    text: String,
    done: bool,
}

impl Desk {
    fn new() -> Desk {
        let machine = Machine::new();
        let repo = machine.repository("work/ledger");
        machine.ken(&repo, ["init"]).done();
        machine.ken(&repo, ["edict", "init"]).done();
        let fact = "The quokka importer listens on port 7000";
        machine
            .ken(&repo, ["edict", "add", fact, "--category", "architecture"])
            .done();
        Desk { machine, repo }
    }

    fn ken(&self, arguments: &str) -> String {
        self.machine.ken(&self.repo, arguments.split(' ')).done()
    }

    /// Runs an agent in the repository, as a person's shell would and with everything that calls home switched off.
    fn run<A: AsRef<OsStr>>(
        &self,
        agent: &str,
        arguments: impl IntoIterator<Item = A>,
        variables: &[(&str, &str)],
    ) -> Said {
        let mut command = Command::new(agent);
        command
            .args(arguments)
            .current_dir(&self.repo)
            .env_clear()
            .env("HOME", self.machine.home())
            .env("PATH", "/usr/bin:/bin")
            .env("TZ", "UTC")
            .env("DISABLE_AUTOUPDATER", "1")
            .env("DISABLE_TELEMETRY", "1")
            .env("DISABLE_ERROR_REPORTING", "1")
            .env("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1")
            // A debug build on a busy machine: what is tried here is the way, not the time.
            .env("KEN_HOOK_DEADLINE", "2500")
            .envs(variables.iter().copied())
            .stdin(Stdio::null());
        if std::env::var(INSIDE).is_ok_and(|how| how == "by proxies") {
            for name in [
                "HTTP_PROXY",
                "HTTPS_PROXY",
                "http_proxy",
                "https_proxy",
                "ALL_PROXY",
            ] {
                command.env(name, "http://127.0.0.1:9");
            }
            command.env("NO_PROXY", "127.0.0.1").env("no_proxy", "127.0.0.1");
        }
        let log = tempfile::NamedTempFile::new().unwrap();
        let file = log.reopen().unwrap();
        command.stderr(file.try_clone().unwrap()).stdout(file);
        let mut child = command.spawn().unwrap();
        let started = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if started.elapsed() > PATIENCE {
                child.kill().unwrap();
                child.wait().unwrap();
                panic!(
                    "{agent} did not end: {}",
                    std::fs::read_to_string(log.path()).unwrap()
                );
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        Said {
            text: std::fs::read_to_string(log.path()).unwrap(),
            done: status.success(),
        }
    }
}

/// That a prompt which an agent sent holds the brief, once, with the fact in it.
fn holds_the_brief(prompts: &[String]) {
    let asking: Vec<_> = prompts
        .iter()
        .filter(|prompt| prompt.contains("why does the quokka importer hang"))
        .collect();
    assert!(!asking.is_empty(), "no prompt arrived: {prompts:?}");
    let prompt = asking[0];
    assert_eq!(prompt.matches("<kenning-memory>").count(), 1, "{prompt}");
    assert!(
        prompt.contains("The quokka importer listens on port 7000"),
        "{prompt}"
    );
    assert!(
        prompt.contains("is the memory that all coding agents on this machine share"),
        "{prompt}"
    );
}

const PROMPT: &str = "why does the quokka importer hang";

#[test]
fn outside_claude_code_finds_the_server_and_loses_it_again() {
    let claude = agent("KEN_TEST_CLAUDE");
    if !inside("outside_claude_code_finds_the_server_and_loses_it_again") {
        return;
    }
    let desk = Desk::new();
    let get = || desk.run(&claude, ["mcp", "get", "ken"], &[]);
    desk.ken("setup claude-code --yes");
    let said = get();
    // A project's server waits for the person's consent, which needs a terminal.
    assert!(said.done && said.text.contains("Project config"), "{}", said.text);
    assert!(
        said.text.contains(program()) && said.text.contains("mcp --agent claude-code"),
        "{}",
        said.text
    );
    desk.ken("unsetup claude-code --yes");
    assert!(!get().text.contains(program()), "{}", get().text);
    // The person's own server is started at once.
    desk.ken("setup claude-code --user --yes");
    let said = get();
    assert!(
        said.text.contains("User config") && said.text.contains("Connected"),
        "{}",
        said.text
    );
    let list = desk.run(&claude, ["mcp", "list"], &[]);
    assert!(
        list.text.contains("ken:") && list.text.contains("Connected"),
        "{}",
        list.text
    );
    desk.ken("unsetup claude-code --user --yes");
    let said = get();
    assert!(!said.done && said.text.contains("No MCP server"), "{}", said.text);
    assert!(!desk.machine.read(".claude.json").contains("mcpServers"));
    // An entry that Claude Code itself wrote is taken over and put back.
    let added = desk.run(
        &claude,
        [
            "mcp", "add", "-s", "user", "ken", "--", "ken", "mcp", "--agent", "me",
        ],
        &[],
    );
    assert!(added.done, "{}", added.text);
    let servers = || -> serde_json::Value {
        let state: serde_json::Value = serde_json::from_str(&desk.machine.read(".claude.json")).unwrap();
        state["mcpServers"]["ken"].clone()
    };
    let theirs = servers();
    assert_eq!(theirs["command"], "ken");
    desk.ken("setup claude-code --user --yes");
    assert!(get().text.contains("Connected"), "{}", get().text);
    assert_eq!(servers()["type"], theirs["type"], "what else stood there stays");
    desk.ken("unsetup claude-code --user --yes");
    assert_eq!(servers(), theirs);
}

#[test]
fn outside_claude_code_sends_a_prompt_with_a_brief_in_it() {
    let claude = agent("KEN_TEST_CLAUDE");
    if !inside("outside_claude_code_sends_a_prompt_with_a_brief_in_it") {
        return;
    }
    for scope in ["", " --user"] {
        let (desk, server) = (Desk::new(), ModelServer::start());
        desk.ken(&format!("setup claude-code --yes{scope}"));
        let address = server.address();
        let variables = [
            ("ANTHROPIC_BASE_URL", address.as_str()),
            ("ANTHROPIC_API_KEY", "made-up"),
        ];
        let said = desk.run(&claude, ["-p", PROMPT], &variables);
        assert!(said.done && said.text.contains("done"), "{}", said.text);
        let prompts = server.prompts("/messages");
        holds_the_brief(&prompts);
        assert!(
            prompts[0].contains("mcp__ken__recall"),
            "the server's tools are offered: {}",
            prompts[0]
        );
        desk.ken(&format!("unsetup claude-code --yes{scope}"));
        let server = ModelServer::start();
        let address = server.address();
        let variables = [
            ("ANTHROPIC_BASE_URL", address.as_str()),
            ("ANTHROPIC_API_KEY", "made-up"),
        ];
        let said = desk.run(&claude, ["-p", PROMPT], &variables);
        assert!(said.done, "{}", said.text);
        let prompt = server.prompts("/messages").join("\n");
        assert!(
            prompt.contains(PROMPT) && !prompt.contains("kenning-memory"),
            "{prompt}"
        );
        assert!(!prompt.contains("mcp__ken__"), "{prompt}");
    }
}

/// A content of a file, and whether its agent reads the file when `ken setup` has put something into it.
type Read = (&'static str, bool);

#[test]
fn outside_claude_code_reads_the_files_that_setup_does_not_warn_of() {
    let claude = agent("KEN_TEST_CLAUDE");
    if !inside("outside_claude_code_reads_the_files_that_setup_does_not_warn_of") {
        return;
    }
    let desk = Desk::new();
    let contents: [Read; 6] = [
        ("{}", true),
        ("{\n  // mine\n}\n", false),
        ("{\n  \"env\": {\"A\": \"b\",}\n}\n", false),
        ("{\n  \"env\": {\"A\": \"a\tb\"}\n}\n", false),
        ("\u{feff}{\r\n}\r\n", true),
        ("", true),
    ];
    for (content, read) in contents {
        for file in [
            "work/ledger/.mcp.json",
            "work/ledger/.claude/settings.json",
            ".claude.json",
        ] {
            desk.machine.write(file, content);
        }
        let said = desk.ken("setup claude-code --yes");
        for file in [".mcp.json", ".claude/settings.json"] {
            let warned = said.contains(&format!("note: ~/work/ledger/{file}:"));
            assert_eq!(warned, !read, "{content:?}: {said}");
        }
        desk.machine.write(".claude.json", "{}");
        let server = ModelServer::start();
        let address = server.address();
        let variables = [
            ("ANTHROPIC_BASE_URL", address.as_str()),
            ("ANTHROPIC_API_KEY", "made-up"),
        ];
        let known = desk.run(&claude, ["mcp", "get", "ken"], &[]).text;
        assert_eq!(known.contains("Project config"), read, "{content:?}: {known}");
        let said = desk.run(&claude, ["-p", PROMPT], &variables).text;
        let briefed = server
            .prompts("/messages")
            .join("\n")
            .contains("<kenning-memory>");
        assert_eq!(briefed, read, "{content:?}: {said}");
        desk.ken("unsetup claude-code --yes");
        desk.machine.write(".claude.json", content);
        let said = desk.ken("setup claude-code --user --yes");
        assert_eq!(
            said.contains("note: ~/.claude.json:"),
            !read,
            "{content:?}: {said}"
        );
        let known = desk.run(&claude, ["mcp", "get", "ken"], &[]).text;
        assert_eq!(known.contains("User config"), read, "{content:?}: {known}");
        desk.machine.write(".claude.json", "{}");
        desk.ken("unsetup claude-code --user --yes");
    }
    // Why setup refuses a null: it is an error, or skipped with a warning.
    let server = ModelServer::start();
    let address = server.address();
    let variables = [
        ("ANTHROPIC_BASE_URL", address.as_str()),
        ("ANTHROPIC_API_KEY", "made-up"),
    ];
    let refused = || {
        desk.machine
            .ken(&desk.repo, ["setup", "claude-code", "--yes"])
            .refused(1)
    };
    desk.machine
        .write("work/ledger/.claude/settings.json", "{\"hooks\": null}");
    desk.machine.write("work/ledger/.mcp.json", "{}");
    assert!(refused().contains("`hooks` should be a table and is null"));
    let said = desk.run(&claude, ["-p", PROMPT], &variables).text;
    assert!(said.contains("settings entries were skipped"), "{said}");
    desk.machine
        .write("work/ledger/.mcp.json", "{\"mcpServers\": null}");
    assert!(refused().contains("`mcpServers` should be a table and is null"));
    let said = desk.run(&claude, ["mcp", "list"], &[]).text;
    assert!(said.contains("[Error] mcpServers"), "{said}");
}

#[test]
fn outside_codex_reads_the_files_that_setup_does_not_warn_of() {
    let codex = agent("KEN_TEST_CODEX");
    if !inside("outside_codex_reads_the_files_that_setup_does_not_warn_of") {
        return;
    }
    let (desk, server) = (Desk::new(), ModelServer::start());
    let ask = || {
        let before = server.prompts("/responses").len();
        let mut arguments = vec![
            "exec".to_owned(),
            "--trust".to_owned(),
            "--dangerously-bypass-hook-trust".to_owned(),
        ];
        arguments.extend(model(&server));
        arguments.push(PROMPT.to_owned());
        let said = desk.run(&codex, arguments, &[("MADE_UP_KEY", "made-up")]).text;
        (said, server.prompts("/responses")[before..].join("\n"))
    };
    let contents: [Read; 9] = [
        ("{}", true),
        ("{\n  // mine\n}\n", false),
        ("{\"hooks\": {},}", false),
        ("\u{feff}{}", false),
        ("{\r\n}\r\n", true),
        ("", true),
        ("{\"env\": {}}", false),
        ("{\"hooks\": {\"PreToolUse\": null}}", false),
        ("{\"description\": \"mine\", \"hooks\": {\"Bogus\": 1}}", true),
    ];
    for (content, read) in contents {
        desk.machine.write(".codex/hooks.json", content);
        let said = desk.ken("setup codex --user --yes");
        assert_eq!(
            said.contains("note: ~/.codex/hooks.json:"),
            !read,
            "{content:?}: {said}"
        );
        let (said, prompt) = ask();
        assert_eq!(prompt.contains("<kenning-memory>"), read, "{content:?}: {said}");
        assert_eq!(said.contains("failed to parse hooks config"), !read, "{said}");
        desk.ken("unsetup codex --user --yes");
    }
    // Hooks in both files run, with a warning.
    desk.machine.write(".codex/hooks.json", "{}");
    desk.machine.write(
        ".codex/config.toml",
        "[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = \"command\"\ncommand = \"touch ~/stopped\"\n",
    );
    let said = desk.ken("setup codex --user --yes");
    assert!(
        said.contains("note: ~/.codex/config.toml:1:9: hooks of yours stand here"),
        "{said}"
    );
    let (said, prompt) = ask();
    assert!(prompt.contains("<kenning-memory>"), "{said}");
    assert!(said.contains("loading hooks from both"), "{said}");
    assert!(desk.machine.home().join("stopped").exists(), "{said}");
}

/// What lets Codex speak to the server of the test, and to nobody else.
fn model(server: &ModelServer) -> Vec<String> {
    [
        "model=\"made-up\"".to_owned(),
        "model_provider=\"local\"".to_owned(),
        "model_providers.local.name=\"local\"".to_owned(),
        format!("model_providers.local.base_url=\"{}/v1\"", server.address()),
        "model_providers.local.env_key=\"MADE_UP_KEY\"".to_owned(),
        "model_providers.local.wire_api=\"responses\"".to_owned(),
        "analytics.enabled=false".to_owned(),
    ]
    .into_iter()
    .flat_map(|setting| ["-c".to_owned(), setting])
    .collect()
}

#[test]
fn outside_codex_finds_the_server_and_loses_it_again() {
    let codex = agent("KEN_TEST_CODEX");
    if !inside("outside_codex_finds_the_server_and_loses_it_again") {
        return;
    }
    let desk = Desk::new();
    let list = || desk.run(&codex, ["mcp", "list"], &[]).text;
    desk.ken("setup codex --user --yes");
    let said = list();
    assert!(
        said.contains(program()) && said.contains("mcp --agent codex") && said.contains("enabled"),
        "{said}"
    );
    desk.ken("unsetup codex --user --yes");
    assert!(!list().contains(program()), "{}", list());
    // A project's settings count once the person trusts the project.
    desk.ken("setup codex --yes");
    assert!(!list().contains(program()), "{}", list());
    let trust = format!(
        "[projects.\"{}\"]\ntrust_level = \"trusted\"\n",
        desk.repo.canonicalize().unwrap().display()
    );
    desk.machine.write(".codex/config.toml", &trust);
    assert!(list().contains(program()), "{}", list());
    desk.ken("unsetup codex --yes");
    assert!(!list().contains(program()), "{}", list());
    assert_eq!(desk.machine.read(".codex/config.toml"), trust);
    // An entry that Codex itself wrote is taken over and put back.
    let added = desk.run(
        &codex,
        ["mcp", "add", "ken", "--", "ken", "mcp", "--agent", "me"],
        &[],
    );
    assert!(added.done, "{}", added.text);
    let theirs = desk.machine.read(".codex/config.toml");
    assert!(theirs.contains("\"ken\""), "{theirs}");
    desk.ken("setup codex --user --yes");
    assert!(list().contains(program()), "{}", list());
    desk.ken("unsetup codex --user --yes");
    assert_eq!(desk.machine.read(".codex/config.toml"), theirs);
    // This version runs hooks without a switch in its settings.
    let features = desk.run(&codex, ["features", "list"], &[]).text;
    let hooks = features
        .lines()
        .find(|line| line.starts_with("hooks "))
        .unwrap_or_default();
    assert!(hooks.contains("stable") && hooks.ends_with("true"), "{features}");
}

#[test]
fn outside_codex_sends_a_prompt_with_a_brief_in_it() {
    let codex = agent("KEN_TEST_CODEX");
    if !inside("outside_codex_sends_a_prompt_with_a_brief_in_it") {
        return;
    }
    for scope in ["", " --user"] {
        let (desk, server) = (Desk::new(), ModelServer::start());
        desk.ken(&format!("setup codex --yes{scope}"));
        let ask = |flags: &[&str]| {
            let mut arguments = vec!["exec".to_owned(), "--trust".to_owned()];
            arguments.extend(flags.iter().map(|flag| (*flag).to_owned()));
            arguments.extend(model(&server));
            arguments.push(PROMPT.to_owned());
            desk.run(&codex, arguments, &[("MADE_UP_KEY", "made-up")])
        };
        if scope.is_empty() {
            // Hooks that nobody trusted do not run, as `ken setup` says.
            let said = ask(&[]);
            assert!(
                said.done && !said.text.contains("hook: UserPromptSubmit"),
                "{}",
                said.text
            );
            assert!(!server.prompts("/responses").join("\n").contains("kenning-memory"));
        }
        let before = server.prompts("/responses").len();
        // What `/hooks` does for good, for this one run.
        let said = ask(&["--dangerously-bypass-hook-trust"]);
        assert!(
            said.done && said.text.contains("hook: UserPromptSubmit Completed"),
            "{}",
            said.text
        );
        assert!(!said.text.contains("clamping"), "{}", said.text);
        holds_the_brief(&server.prompts("/responses")[before..]);
        desk.ken(&format!("unsetup codex --yes{scope}"));
        let before = server.prompts("/responses").len();
        let said = ask(&["--dangerously-bypass-hook-trust"]);
        assert!(said.done && !said.text.contains("hook:"), "{}", said.text);
        let prompt = server.prompts("/responses")[before..].join("\n");
        assert!(
            prompt.contains(PROMPT) && !prompt.contains("kenning-memory"),
            "{prompt}"
        );
    }
}
