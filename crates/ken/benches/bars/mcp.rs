//! A server that is asked over MCP, line by line.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::made_up::Home;

/// `ken mcp`, greeted.
pub(crate) struct Server {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    /// From the call to the first answer.
    pub(crate) first_answer: Duration,
}

impl Server {
    pub(crate) fn start(home: &Home) -> Server {
        let mut command = home.ken(&["mcp"]).command;
        let started = Instant::now();
        let mut child = command.stdin(Stdio::piped()).spawn().expect("ken mcp starts");
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().expect("its output is read"));
        let mut server = Server {
            child,
            input,
            output,
            first_answer: Duration::ZERO,
        };
        server.ask(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "bars", "version": "1"},
            }),
        );
        server.first_answer = started.elapsed();
        server.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        server
    }

    /// Calls a tool, and says how long the answer took.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> Duration {
        let started = Instant::now();
        let answer = self.ask("tools/call", &json!({"name": tool, "arguments": arguments}));
        let took = started.elapsed();
        assert!(answer["result"]["isError"] != json!(true), "{answer}");
        took
    }

    /// The most memory that it has had in use, in KiB; where the system says so.
    pub(crate) fn peak_memory(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
        line.trim().trim_end_matches(" kB").parse().ok()
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}));
        let mut line = String::new();
        self.output.read_line(&mut line).expect("ken mcp answers");
        let answer: Value = serde_json::from_str(&line).expect("its answer is JSON");
        assert!(answer.get("error").is_none(), "{line}");
        answer
    }

    fn send(&mut self, message: &Value) {
        let input = self.input.as_mut().expect("its input is open");
        writeln!(input, "{message}").expect("ken mcp listens");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It ends when nobody speaks to it any more.
        self.input = None;
        let _ = self.child.wait();
    }
}
