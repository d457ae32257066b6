//! The Python client of the protocol, which most programs that speak MCP are built on.

use crate::machine::{Machine, program};

/// The interpreter that has the clients of `tests/requirements.txt`; `./test` makes it.
pub(crate) fn python() -> String {
    std::env::var("KEN_TEST_PYTHON").expect("run ./test: it installs the clients that these tests speak with")
}

const SCRIPT: &str = r#"
import asyncio, json, os, subprocess, sys
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

ken, repo = sys.argv[1:3]

async def main():
    server = StdioServerParameters(command=ken, args=["mcp", "--agent", "claude-code"], env=dict(os.environ), cwd=repo)
    async with stdio_client(server) as (read, write):
        async with ClientSession(read, write) as session:
            await session.initialize()
            tools = (await session.list_tools()).tools
            print("tools", " ".join(sorted(tool.name for tool in tools)))
            calls = {
                "learn": {"content": "two importers deadlock without the table lock", "pain": 8},
                "recall": {"query": "importers deadlock"},
                "recognize": {"text": "anything"},
                "brief": {},
                "facts": {},
                "who_knows": {"name": "anything"},
                "recent_work": {},
            }
            for tool in tools:
                # The client validates what comes back against the tool's own output schema.
                result = await session.call_tool(tool.name, calls[tool.name])
                failed = getattr(result, "is_error", None) or getattr(result, "isError", False)
                print(tool.name, "failed" if failed else "answered")
            subprocess.run([ken, "learn", "the quokka was written by another process"], cwd=repo, check=True, stdout=subprocess.DEVNULL)
            result = await session.call_tool("recall", {"query": "quokka"})
            text = json.loads(result.content[0].text)
            print("found", len(text["hits"]), text["hits"][0]["who"])

asyncio.run(main())
"#;

#[test]
fn outside_the_python_client_lists_calls_and_finds() {
    let machine = Machine::new();
    let repo = machine.repository("work/ledger");
    machine.ken(&repo, ["init"]).done();
    let output = std::process::Command::new(python())
        .args(["-c", SCRIPT, program(), repo.to_str().unwrap()])
        .env_clear()
        .env("HOME", machine.home())
        .env("PATH", "/usr/bin:/bin")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{said}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    insta::assert_snapshot!(said, @"
    tools brief facts learn recall recent_work recognize who_knows
    recall answered
    recognize answered
    brief answered
    facts answered
    who_knows answered
    recent_work answered
    learn answered
    found 1 ['cli']
    ");
}
