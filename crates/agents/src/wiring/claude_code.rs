use crate::HookEvent;

use super::Scope;
use super::agent::{
    Agent, Constant, Hooks, Instructions, Mcp, Place, Places, Reads, Remains, Start, Syntax, Trace,
};

const fn own(file: &'static str) -> Place {
    Place::Own {
        variable: "CLAUDE_CONFIG_DIR",
        folder: ".claude",
        file,
    }
}

/// `~/.claude.json`, which lies in the folder that `CLAUDE_CONFIG_DIR` names where it is set.
const STATE: Place = Place::Moved {
    variable: "CLAUDE_CONFIG_DIR",
    file: ".claude.json",
    home: ".claude.json",
};

/// Claude Code.
pub(super) static CLAUDE_CODE: Agent = Agent {
    id: "claude-code",
    title: "Claude Code",
    traces: &[Trace::File(own("")), Trace::File(STATE), Trace::Program("claude")],
    mcp: Mcp {
        file: Places::both(Place::Project(".mcp.json"), STATE),
        syntax: Syntax::Json,
        // Over a comment in `.mcp.json` no server of it is known; `.claude.json` is then moved away as corrupted.
        reads: Reads::MARKED_JSON,
        table: &["mcpServers"],
        start: Start::Split {
            program: "command",
            arguments: "args",
        },
        before: &[],
        after: &[],
    },
    hooks: Some(Hooks {
        file: Places::both(Place::Project(".claude/settings.json"), own("settings.json")),
        // "These settings did not load, so nothing in them is in effect".
        reads: Reads::MARKED_JSON,
        strict: None,
        elsewhere: None,
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
        project: &[Place::Project("CLAUDE.md"), Place::Project(".claude/CLAUDE.md")],
        user: &[own("CLAUDE.md")],
        imports: true,
        overridden_by: None,
    },
    remains: &[Remains {
        scope: Some(Scope::Project),
        sentence: "start `claude` in this project and, when it asks, trust the folder and allow the server ken of .mcp.json",
    }],
};
