use crate::HookEvent;

use super::Scope;
use super::agent::{
    Agent, Constant, Elsewhere, Hooks, Instructions, Mcp, Place, Places, Reads, Remains, Start, Strict,
    Syntax, Trace,
};

const fn own(file: &'static str) -> Place {
    Place::Own {
        variable: "CODEX_HOME",
        folder: ".codex",
        file,
    }
}

const CONFIG: Places = Places::both(Place::Project(".codex/config.toml"), own("config.toml"));

/// The Codex command line.
pub(super) static CODEX: Agent = Agent {
    id: "codex",
    title: "Codex",
    traces: &[Trace::File(own("")), Trace::Program("codex")],
    mcp: Mcp {
        file: CONFIG,
        syntax: Syntax::Toml,
        reads: Reads::JSON,
        table: &["mcp_servers"],
        start: Start::Split {
            program: "command",
            arguments: "args",
        },
        before: &[],
        after: &[],
    },
    hooks: Some(Hooks {
        file: Places::both(Place::Project(".codex/hooks.json"), own("hooks.json")),
        // "failed to parse hooks config", and no hook of it runs.
        reads: Reads::JSON,
        strict: Some(Strict {
            root: &["description", "hooks"],
            events: &[
                "PreToolUse",
                "PostToolUse",
                "PermissionRequest",
                "PostCompact",
                "SubagentStart",
                "SubagentStop",
                "Interrupt",
            ],
        }),
        elsewhere: Some(Elsewhere {
            file: CONFIG,
            syntax: Syntax::Toml,
            table: &["hooks"],
            sentence: "hooks of yours stand here, and ken's in hooks.json; Codex runs both and warns of two places at every start: move yours into hooks.json to end that",
        }),
        root: &[],
        table: &["hooks"],
        events: &[
            (HookEvent::SessionStart, "SessionStart"),
            (HookEvent::Prompt, "UserPromptSubmit"),
            (HookEvent::Stop, "Stop"),
            (HookEvent::SessionEnd, "SessionEnd"),
            (HookEvent::PreCompact, "PreCompact"),
        ],
        grouped: true,
        before: &[("type", Constant::Text("command"))],
        commands: &["command"],
        timeout: Some(("timeout", 1)),
    }),
    instructions: Instructions {
        project: &[Place::Project("AGENTS.md")],
        user: &[own("AGENTS.md")],
        imports: false,
        overridden_by: Some("AGENTS.override.md"),
    },
    remains: &[
        Remains {
            scope: Some(Scope::Project),
            sentence: "start `codex` in this project and trust the folder when it asks: it reads a project's .codex only then",
        },
        Remains {
            scope: None,
            sentence: "type /hooks in Codex and trust ken's hooks: new ones do not run before that",
        },
    ],
};
