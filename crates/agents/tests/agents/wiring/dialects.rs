//! Agents to come: made-up rows in the dialects of others show that the engine needs no word of theirs.

use ken_agents::HookEvent;
use ken_agents::wiring::{
    Agent, Constant, Hooks, Instructions, Mcp, Place, Places, Reads, Start, State, Syntax, Trace, inspect,
    plan_setup, plan_unsetup,
};

use super::{Desk, clock};

const NO_INSTRUCTIONS: Instructions = Instructions {
    project: &[],
    user: &[],
    imports: false,
    overridden_by: None,
};

const SPLIT: Start = Start::Split {
    program: "command",
    arguments: "args",
};

/// `servers` with `type: stdio`, in a project only.
static EDITOR: Agent = Agent {
    id: "editor",
    title: "Editor",
    traces: &[Trace::Program("editor")],
    mcp: Mcp {
        file: Places {
            project: Some(Place::Project(".editor/mcp.json")),
            user: None,
        },
        syntax: Syntax::Json,
        reads: Reads::WITH_COMMENTS,
        table: &["servers"],
        start: SPLIT,
        before: &[("type", Constant::Text("stdio"))],
        after: &[],
    },
    hooks: None,
    instructions: NO_INSTRUCTIONS,
    remains: &[],
};

/// `context_servers` in settings with comments, with an empty `env`.
static PANE: Agent = Agent {
    id: "pane",
    title: "Pane",
    traces: &[],
    mcp: Mcp {
        file: Places::both(
            Place::Project(".pane/settings.json"),
            Place::Home(".config/pane/settings.json"),
        ),
        syntax: Syntax::Json,
        reads: Reads::WITH_COMMENTS,
        table: &["context_servers"],
        start: SPLIT,
        before: &[],
        after: &[("env", Constant::EmptyTable)],
    },
    hooks: None,
    instructions: NO_INSTRUCTIONS,
    remains: &[],
};

/// Program and arguments as one list, deeper in the file.
static SHELL: Agent = Agent {
    id: "shell",
    title: "Shell",
    traces: &[],
    mcp: Mcp {
        file: Places::both(
            Place::Project("shell.jsonc"),
            Place::Home(".config/shell/shell.json"),
        ),
        syntax: Syntax::Json,
        reads: Reads::WITH_COMMENTS,
        table: &["tools", "mcp"],
        start: Start::List { key: "command" },
        before: &[("type", Constant::Text("local"))],
        after: &[
            ("enabled", Constant::Truth(true)),
            ("tools", Constant::Texts(&["*"])),
        ],
    },
    hooks: None,
    instructions: NO_INSTRUCTIONS,
    remains: &[],
};

/// Hooks with a version, plain lists, a command line a shell, in a file of their own.
static PILOT: Agent = Agent {
    id: "pilot",
    title: "Pilot",
    traces: &[],
    mcp: Mcp {
        file: Places::both(Place::Project(".pilot/mcp.toml"), Place::Home(".pilot/mcp.toml")),
        syntax: Syntax::Toml,
        reads: Reads::WITH_COMMENTS,
        table: &["tools", "mcp_servers"],
        start: SPLIT,
        before: &[],
        after: &[("startup_timeout_sec", Constant::Number(10))],
    },
    hooks: Some(Hooks {
        file: Places::both(
            Place::Project(".pilot/hooks/ken.json"),
            Place::Home(".pilot/hooks/ken.json"),
        ),
        reads: Reads::WITH_COMMENTS,
        strict: None,
        elsewhere: None,
        root: &[("version", Constant::Number(1))],
        table: &["hooks"],
        events: &[
            (HookEvent::SessionStart, "sessionStart"),
            (HookEvent::Prompt, "userPromptSubmitted"),
        ],
        grouped: false,
        before: &[("type", Constant::Text("command"))],
        commands: &["bash", "powershell"],
        timeout: Some(("timeoutSec", 1)),
    }),
    instructions: NO_INSTRUCTIONS,
    remains: &[],
};

/// Servers and hooks in one file, time limits in milliseconds.
static TWIN: Agent = Agent {
    id: "twin",
    title: "Twin",
    traces: &[],
    mcp: Mcp {
        file: Places::both(
            Place::Project(".twin/settings.json"),
            Place::Home(".twin/settings.json"),
        ),
        syntax: Syntax::Json,
        reads: Reads::WITH_COMMENTS,
        table: &["mcpServers"],
        start: SPLIT,
        before: &[],
        after: &[],
    },
    hooks: Some(Hooks {
        file: Places::both(
            Place::Project(".twin/settings.json"),
            Place::Home(".twin/settings.json"),
        ),
        reads: Reads::WITH_COMMENTS,
        strict: None,
        elsewhere: None,
        root: &[],
        table: &["hooks"],
        events: &[
            (HookEvent::Prompt, "BeforeAgent"),
            (HookEvent::PreCompact, "PreCompress"),
        ],
        grouped: true,
        before: &[("type", Constant::Text("command"))],
        commands: &["command"],
        timeout: Some(("timeout", 1000)),
    }),
    instructions: Instructions {
        project: &[Place::Project("TWIN.md")],
        user: &[Place::Home(".twin/TWIN.md")],
        imports: true,
        overridden_by: None,
    },
    remains: &[],
};

static ROWS: [&Agent; 5] = [&EDITOR, &PANE, &SHELL, &PILOT, &TWIN];

fn written(desk: &Desk, row: &'static Agent, file: &str) -> String {
    plan_setup(&[row], &desk.request)
        .unwrap()
        .apply(&clock())
        .unwrap();
    desk.read(&format!("work/ledger/{file}"))
        .replace(desk.root().to_str().unwrap(), "")
}

#[test]
fn servers_are_written_in_every_dialect() {
    let desk = Desk::new();
    insta::assert_snapshot!(written(&desk, &EDITOR, ".editor/mcp.json"), @r#"
    {
      "servers": {
        "ken": {
          "type": "stdio",
          "command": "/bin/ken",
          "args": ["mcp", "--agent", "editor"]
        }
      }
    }
    "#);
    desk.write(
        "work/ledger/.pane/settings.json",
        "// Pane's settings\n{\n\t\"theme\": \"dark\", // as ever\n\t\"context_servers\": {\n\t\t// none yet\n\t},\n}\n",
    );
    insta::assert_snapshot!(written(&desk, &PANE, ".pane/settings.json"), @r#"
    // Pane's settings
    {
    	"theme": "dark", // as ever
    	"context_servers": {
    		// none yet
    		"ken": {
    			"command": "/bin/ken",
    			"args": ["mcp", "--agent", "pane"],
    			"env": {}
    		}
    	},
    }
    "#);
    insta::assert_snapshot!(written(&desk, &SHELL, "shell.jsonc"), @r#"
    {
      "tools": {
        "mcp": {
          "ken": {
            "type": "local",
            "command": ["/bin/ken", "mcp", "--agent", "shell"],
            "enabled": true,
            "tools": ["*"]
          }
        }
      }
    }
    "#);
    insta::assert_snapshot!(written(&desk, &PILOT, ".pilot/mcp.toml"), @r#"
    [tools.mcp_servers.ken]
    command = "/bin/ken"
    args = ["mcp", "--agent", "pilot"]
    startup_timeout_sec = 10
    "#);
}

#[test]
fn hooks_are_written_in_every_dialect() {
    let desk = Desk::new();
    insta::assert_snapshot!(written(&desk, &PILOT, ".pilot/hooks/ken.json"), @r#"
    {
      "version": 1,
      "hooks": {
        "sessionStart": [
          {
            "type": "command",
            "bash": "/bin/ken hook session-start --agent pilot",
            "powershell": "/bin/ken hook session-start --agent pilot",
            "timeoutSec": 3
          }
        ],
        "userPromptSubmitted": [
          {
            "type": "command",
            "bash": "/bin/ken hook prompt --agent pilot",
            "powershell": "/bin/ken hook prompt --agent pilot",
            "timeoutSec": 3
          }
        ]
      }
    }
    "#);
    insta::assert_snapshot!(written(&desk, &TWIN, ".twin/settings.json"), @r#"
    {
      "mcpServers": {
        "ken": {
          "command": "/bin/ken",
          "args": ["mcp", "--agent", "twin"]
        }
      },
      "hooks": {
        "BeforeAgent": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "/bin/ken hook prompt --agent twin",
                "timeout": 3000
              }
            ]
          }
        ],
        "PreCompress": [
          {
            "hooks": [
              {
                "type": "command",
                "command": "/bin/ken hook pre-compact --agent twin",
                "timeout": 3000
              }
            ]
          }
        ]
      }
    }
    "#);
}

#[test]
fn every_dialect_is_once_and_has_its_way_back() {
    let cases: [&[(&str, &str)]; 4] = [
        &[],
        &[
            (".editor/mcp.json", "{\n  \"servers\": {},\n  \"inputs\": []\n}\n"),
            (
                ".pane/settings.json",
                "{ \"context_servers\": { \"a\": { \"url\": \"x\" } } }",
            ),
            (
                "shell.jsonc",
                "{\n  // tools\n  \"tools\": {\n    \"x\": 1\n  }\n}\n",
            ),
            (
                ".pilot/mcp.toml",
                "[tools]\nmcp_servers = { a = { command = \"x\" } }\n",
            ),
            (".pilot/hooks/ken.json", "{\"version\": 1, \"hooks\": {}}"),
            (".twin/settings.json", "{\r\n\t\"hooks\": {\r\n\t}\r\n}"),
            ("TWIN.md", "# Twin"),
        ],
        &[
            (".editor/mcp.json", ""),
            (".pane/settings.json", "// nothing\n"),
            ("shell.jsonc", "{\"tools\":{\"mcp\":{}}}"),
            (".pilot/mcp.toml", "tools.x = 1\n"),
            (
                ".pilot/hooks/ken.json",
                "{\n  \"version\": 1,\n  \"hooks\": {\n    \"sessionStart\": [\n      { \"bash\": \"x\" },\n    ],\n  },\n}\n",
            ),
            (
                ".twin/settings.json",
                "{\"hooks\":{\"BeforeAgent\":[{\"hooks\":[]}]}}",
            ),
        ],
        &[
            (".pilot/hooks/ken.json", "{\n  \"mine\": true\n}\n"),
            (".twin/settings.json", "{\n  \"a\": [\n  ]\n}\n"),
        ],
    ];
    for files in cases {
        let desk = Desk::new();
        for (file, content) in files {
            desk.write(&format!("work/ledger/{file}"), content);
        }
        let before = desk.tree();
        plan_setup(&ROWS, &desk.request).unwrap().apply(&clock()).unwrap();
        let again = plan_setup(&ROWS, &desk.request).unwrap();
        assert!(again.is_empty(), "{again:?}");
        for row in ROWS {
            let found = inspect(row, &desk.request);
            let project = found.scopes.last().unwrap();
            assert!(project.is_complete(), "{found:?}");
            assert!(project.parts.iter().all(|part| part.state == State::Present));
        }
        // One after the other: each takes out its own.
        for row in ROWS {
            plan_unsetup(&[row], &desk.request)
                .unwrap()
                .apply(&clock())
                .unwrap();
        }
        assert_eq!(desk.tree(), before, "{files:?}");
    }
}

/// Two agents that read one file: one leaves, and what the other needs stays.
#[test]
fn two_agents_in_one_file_do_not_take_each_other_out() {
    static SECOND: Agent = Agent {
        id: "second",
        title: "Second",
        traces: &[],
        mcp: Mcp {
            file: Places::both(
                Place::Project("shell.jsonc"),
                Place::Home(".config/shell/shell.json"),
            ),
            syntax: Syntax::Json,
            reads: Reads::WITH_COMMENTS,
            table: &["second"],
            start: SPLIT,
            before: &[],
            after: &[],
        },
        hooks: None,
        instructions: NO_INSTRUCTIONS,
        remains: &[],
    };
    for content in [None, Some("{\n  \"tools\": {}\n}\n")] {
        let desk = Desk::new();
        if let Some(content) = content {
            desk.write("work/ledger/shell.jsonc", content);
        }
        let before = desk.tree();
        plan_setup(&[&SHELL], &desk.request)
            .unwrap()
            .apply(&clock())
            .unwrap();
        let first = desk.tree();
        plan_setup(&[&SECOND], &desk.request)
            .unwrap()
            .apply(&clock())
            .unwrap();
        plan_unsetup(&[&SECOND], &desk.request)
            .unwrap()
            .apply(&clock())
            .unwrap();
        assert_eq!(desk.tree(), first);
        plan_setup(&[&SECOND], &desk.request)
            .unwrap()
            .apply(&clock())
            .unwrap();
        plan_unsetup(&[&SHELL], &desk.request)
            .unwrap()
            .apply(&clock())
            .unwrap();
        let left = desk.read("work/ledger/shell.jsonc");
        assert!(
            left.contains("\"second\"") && !left.contains("\"local\""),
            "{left}"
        );
        plan_unsetup(&[&SECOND], &desk.request)
            .unwrap()
            .apply(&clock())
            .unwrap();
        assert_eq!(desk.tree(), before, "{content:?}");
    }
}

#[test]
fn a_scope_that_an_agent_does_not_have_is_left_out() {
    let desk = Desk::new().user();
    let before = desk.tree();
    assert!(plan_setup(&[&EDITOR], &desk.request).unwrap().is_empty());
    assert_eq!(desk.tree(), before);
}
