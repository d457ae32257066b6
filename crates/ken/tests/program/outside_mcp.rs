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
    server = StdioServerParameters(command=ken, args=["mcp", "--agent", "claude-code", "--tools", "all"], env=dict(os.environ), cwd=repo)
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
                "propose_fact": {"text": "the queue is drained at night", "category": "ops"},
                "add_fact": {"text": "the gate is open", "category": "ops", "key": "gate"},
                "fact": {"id": "gate"},
                "update_fact": {"id": "gate", "text": "the gate is shut"},
                "confirm_fact": {"id": "e_001"},
                "remove_fact": {"id": "gate"},
                "restore_fact": {},
                "fact_history": {},
                "review_facts": {},
                "compact_facts": {"ids": ["e_001", "gate"], "text": "shut at night"},
                "fact_stats": {},
                "validate_facts": {},
                "render_facts": {},
                "import_facts": {"document": "edicts: [{text: more, category: ops}]", "write": True},
                "export_facts": {},
            }
            assert sorted(calls) == sorted(tool.name for tool in tools), "every tool is called"
            for tool, arguments in calls.items():
                # The client validates what comes back against the tool's own output schema.
                result = await session.call_tool(tool, arguments)
                failed = getattr(result, "is_error", None) or getattr(result, "isError", False)
                print(tool, "failed" if failed else "answered")
                if tool == "remove_fact":
                    calls["restore_fact"]["history_id"] = json.loads(result.content[0].text)["history_id"]
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
    machine.ken(&repo, ["trust"]).done();
    machine.ken(&repo, ["config", "edicts.propose", "true"]).done();
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
    tools add_fact brief compact_facts confirm_fact export_facts fact fact_history fact_stats facts import_facts learn propose_fact recall recent_work recognize remove_fact render_facts restore_fact review_facts update_fact validate_facts who_knows
    learn answered
    recall answered
    recognize answered
    brief answered
    facts answered
    who_knows answered
    recent_work answered
    propose_fact answered
    add_fact answered
    fact answered
    update_fact answered
    confirm_fact answered
    remove_fact answered
    restore_fact answered
    fact_history answered
    review_facts answered
    compact_facts answered
    fact_stats answered
    validate_facts answered
    render_facts answered
    import_facts answered
    export_facts answered
    found 1 ['cli']
    ");
}
