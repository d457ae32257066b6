use clap::Args;
use ken_library::{AccessLevel, AgentId, Caller};
use ken_memory::Memory;
use ken_serve::{Options, ToolSet};

use crate::cli::Global;
use crate::context::Context;
use crate::error::CommandError;

/// Serve MCP on standard input and output, for an agent to ask and to write
#[derive(Debug, Args)]
#[command(after_help = "Example, for Claude Code:\n  claude mcp add ken -- ken mcp --agent claude-code")]
pub(crate) struct Mcp {
    /// The agent that this server is for: it writes under this name
    #[arg(long, value_name = "A", value_parser = super::parse::<AgentId>)]
    agent: Option<AgentId>,
    /// The tools that it offers: default, or all, with which the agent keeps the facts of the project too
    #[arg(long, value_name = "SET", default_value = "default", value_parser = super::parse::<ToolSet>)]
    tools: ToolSet,
    /// What the agent may see at most: public, team or private; without it, what the settings say
    #[arg(long, value_name = "LEVEL", value_parser = super::parse::<AccessLevel>)]
    access: Option<AccessLevel>,
}

impl Mcp {
    /// The world is looked at when a tool is called: the handshake waits for no file, and a server that outlives a
    /// `ken init` or a change of the settings answers as they are.
    pub(crate) fn run(self, global: Global) -> Result<(), CommandError> {
        let agent = self.agent.as_ref().map(ToString::to_string);
        let tools = self.tools;
        let open = Box::new(move || self.open(&global).map_err(|error| error.to_string()));
        ken_serve::stdio(Options { open, agent, tools })
            .map_err(|error| CommandError::could_not(error.to_string()))
    }

    fn open(&self, global: &Global) -> Result<Memory, CommandError> {
        let context = Context::from_environment(global)?;
        let level = self
            .access
            .unwrap_or_else(|| context.settings.access(self.agent.as_ref().map(AgentId::as_str)));
        context.memory_for(Caller::local_agent(level), self.agent.clone())
    }
}
