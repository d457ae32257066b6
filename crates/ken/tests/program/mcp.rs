//! `ken mcp` as clients meet it: raw messages here, the Rust client of the protocol's own crate below, and the Python
//! client in `outside_mcp.rs`.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::machine::Machine;

/// A client that sends what it is told to.
pub(crate) struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Client {
    pub(crate) fn start(machine: &Machine, folder: &Path, arguments: &[&str]) -> Client {
        let mut child = machine
            .command(folder)
            .arg("mcp")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = BufReader::new(child.stdout.take().unwrap());
        Client {
            child,
            input,
            output,
            next: 0,
        }
    }

    /// With the handshake done as a client of the revision 2025-06-18.
    pub(crate) fn connected(machine: &Machine, folder: &Path, arguments: &[&str]) -> Client {
        let mut client = Client::start(machine, folder, arguments);
        let answer = client.initialize("2025-06-18");
        assert_eq!(answer["result"]["serverInfo"]["name"], "kenning", "{answer}");
        client
    }

    fn initialize(&mut self, revision: &str) -> Value {
        let answer = self.ask(
            "initialize",
            json!({"protocolVersion": revision, "capabilities": {}, "clientInfo": {"name": "Test Client", "version": "1"}}),
        );
        self.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        answer
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input.as_mut().unwrap(), "{message}").unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line)
            .unwrap_or_else(|e| panic!("only messages on standard output ({e}): {line:?}"))
    }

    fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params}));
        let answer = self.receive();
        assert_eq!(answer["id"], self.next, "{answer}");
        answer
    }

    /// A tool's whole result.
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let answer = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        answer["result"].clone()
    }

    /// A tool's structured answer, which must be the same as its text.
    pub(crate) fn answer(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.call(tool, arguments);
        assert_eq!(result["isError"], false, "{tool}: {result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(
            serde_json::from_str::<Value>(text).unwrap(),
            result["structuredContent"]
        );
        result["structuredContent"].clone()
    }

    /// Closes the input and waits for the end.
    fn close(mut self) -> Option<i32> {
        drop(self.input.take());
        let start = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(
                start.elapsed() < Duration::from_secs(5),
                "the end of its input does not end it"
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn prepared() -> (Machine, std::path::PathBuf) {
    let machine = Machine::new();
    let repo = machine.repository("work/ledger");
    machine.ken(&repo, ["init"]).done();
    machine
        .ken(
            &repo,
            ["edict", "add", "the rate limit is 500", "--category", "product"],
        )
        .done();
    machine.write(
        "agent-library/agents/codex.l5.yaml",
        "spec_version: \"0.1\"\nagent: {id: codex, type: code-assistant}\nlast_updated: \"2026-06-14T00:00:00Z\"\n\
         capabilities: [code-read]\n\
         known_entities:\n- name: Ledger importer\n  type: project\n  summary: Reads bank files.\n  visibility: team\n\
         recent_sessions:\n- date: \"2026-06-14\"\n  project_focus: [Ledger importer]\n  key_actions: [Rewrote the parser]\n  visibility: team\n",
    );
    (machine, repo)
}

#[test]
fn every_tool_answers_in_the_shape_that_it_promises() {
    let (machine, repo) = prepared();
    let mut client = Client::connected(&machine, &repo, &[]);
    let listed = client.ask("tools/list", json!({}));
    assert!(listed.to_string().len() < 6 * 1024);
    let calls = [
        ("recall", json!({"query": "parser"}), "hits"),
        (
            "recognize",
            json!({"text": "is the ledger importer done?"}),
            "recognised",
        ),
        ("brief", json!({}), "text"),
        ("facts", json!({}), "facts"),
        ("who_knows", json!({"name": "Ledger importer"}), "things"),
        ("recent_work", json!({"since": "14d"}), "sessions"),
        ("learn", json!({"content": "banks send two headers"}), "id"),
    ];
    let tools: Vec<&str> = listed["result"]["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|tool| tool["name"].as_str().unwrap())
        .collect();
    assert_eq!(tools.len(), calls.len());
    for (tool, arguments, holds) in calls {
        assert!(tools.contains(&tool));
        let answer = client.answer(tool, arguments);
        let value = &answer[holds];
        let something = value
            .as_array()
            .map_or(!value.as_str().unwrap_or_default().is_empty(), |rows| {
                !rows.is_empty()
            });
        assert!(something, "{tool} knows nothing: {answer}");
    }
    assert_eq!(client.close(), Some(0));
}

#[test]
fn facts_are_proposed_where_the_person_allows_it_and_kept_with_all_tools() {
    let (machine, repo) = prepared();
    machine.ken(&repo, ["trust"]).done();
    let names = |client: &mut Client| -> Vec<String> {
        let listed = client.ask("tools/list", json!({}));
        let tools = listed["result"]["tools"].as_array().unwrap();
        tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned())
            .collect()
    };
    let mut client = Client::connected(&machine, &repo, &["--agent", "codex"]);
    let proposal = json!({"text": "deploys go through the gate", "category": "ops"});
    let refused = client.call("propose_fact", proposal.clone());
    assert_eq!(refused["isError"], true, "{refused}");
    assert!(
        refused.to_string().contains("ken config edicts.propose true"),
        "{refused}"
    );
    assert!(!names(&mut client).contains(&"propose_fact".to_owned()));
    // A repository cannot allow it.
    machine.write("work/ledger/.agent/ken.toml", "[edicts]\npropose = true\n");
    assert_eq!(client.call("propose_fact", proposal.clone())["isError"], true);
    machine.ken(&repo, ["config", "edicts.propose", "true"]).done();
    assert_eq!(names(&mut client).len(), 8);
    let proposed = client.answer("propose_fact", proposal);
    assert_eq!(proposed["fact"]["confidence"], "inferred");
    assert_eq!(proposed["fact"]["source"], "codex");
    let unknown = client.ask("tools/call", json!({"name": "add_fact", "arguments": {}}));
    assert!(unknown["error"].is_object(), "{unknown}");

    let mut client = Client::connected(&machine, &repo, &["--agent", "codex", "--tools", "all"]);
    assert_eq!(names(&mut client).len(), 22);
    let added = client.answer(
        "add_fact",
        json!({"text": "the gate is open", "category": "ops", "key": "gate"}),
    );
    assert_eq!(
        (&added["outcome"], &added["fact"]["source"]),
        (&json!("added"), &json!("codex"))
    );
    let calls = [
        (
            "update_fact",
            json!({"id": "gate", "text": "the gate is shut"}),
            "outcome",
        ),
        ("fact", json!({"id": "gate"}), "text"),
        ("confirm_fact", json!({"id": "gate"}), "outcome"),
        ("fact_history", json!({"id": "gate"}), "history"),
        ("review_facts", json!({}), "contradictions"),
        (
            "compact_facts",
            json!({"ids": ["gate", "e_002"], "text": "the gate is shut to deploys"}),
            "merged",
        ),
        ("fact_stats", json!({}), "edicts"),
        ("validate_facts", json!({}), "findings"),
        ("render_facts", json!({"format": "markdown"}), "text"),
        ("export_facts", json!({}), "content"),
        (
            "import_facts",
            json!({"document": "edicts: [{text: more, category: ops}]"}),
            "added",
        ),
        ("remove_fact", json!({"id": "gate"}), "history_id"),
    ];
    let mut answers = serde_json::Map::new();
    for (tool, arguments, holds) in calls {
        let answer = client.answer(tool, arguments);
        assert!(!answer[holds].is_null(), "{tool}: {answer}");
        answers.insert(tool.to_owned(), answer);
    }
    assert_eq!(answers["compact_facts"]["dry_run"], true);
    assert_eq!(answers["import_facts"]["dry_run"], true);
    let restored = client.answer(
        "restore_fact",
        json!({"history_id": answers["remove_fact"]["history_id"]}),
    );
    assert_eq!(restored["fact"]["text"], "the gate is shut");
    let calls = [
        ("update_fact", json!({"id": "gate", "txet": "x"}), "txet"),
        ("update_fact", json!({"text": "x"}), "id"),
        (
            "add_fact",
            json!({"text": "x", "category": "ops", "ttl": "forever"}),
            "forever",
        ),
        (
            "remove_fact",
            json!({"id": "nothing"}),
            "there is no edict `nothing`",
        ),
        ("import_facts", json!({"document": "edicts: ["}), "not closed"),
        ("render_facts", json!({"format": "pdf"}), "pdf"),
    ];
    for (tool, arguments, says) in calls {
        let result = client.call(tool, arguments.clone());
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(says), "{tool} {arguments}: {text}");
    }
    let listed = machine.ken(&repo, ["edict", "list"]).done();
    assert!(
        listed.contains("the gate is shut") && !listed.contains("more (ops"),
        "{listed}"
    );
}

#[test]
fn wrong_arguments_are_tool_errors_that_say_how_to_mend_them() {
    let (machine, repo) = prepared();
    let mut client = Client::connected(&machine, &repo, &[]);
    let calls = [
        ("learn", json!({"content": "x", "pain": 11}), "0 to 10"),
        ("learn", json!({"content": " "}), "empty"),
        ("learn", json!({"content": "x", "pian": 1}), "pian"),
        ("recall", json!({}), "query"),
        ("recall", json!({"query": 7}), "string"),
        ("recall", json!({"query": "x", "since": "banana"}), "banana"),
        ("recall", json!({"query": "x", "kinds": ["rumour"]}), "rumour"),
        ("recent_work", json!({"agent": "nobody"}), "nobody"),
        ("recent_work", json!({"cursor": "AAAA"}), "cursor"),
    ];
    for (tool, arguments, says) in calls {
        let result = client.call(tool, arguments.clone());
        assert_eq!(result["isError"], true, "{tool} {arguments}: {result}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert!(text.contains(says), "{tool} {arguments}: {text}");
    }
    let unknown = client.ask(
        "tools/call",
        json!({"name": "forget_everything", "arguments": {}}),
    );
    assert!(
        unknown["error"]["message"]
            .as_str()
            .unwrap()
            .contains("forget_everything"),
        "{unknown}"
    );
}

#[test]
fn the_handshake_waits_for_no_file() {
    // A machine on which nothing can be opened: the home is not there, and the settings are broken.
    let machine = Machine::new();
    let broken = machine.write("settings/ken/config.toml", "[access\n");
    let folder = machine.folder("elsewhere");
    for opener in ["initialize", "server/discover"] {
        let mut command = machine.command(&folder);
        command
            .arg("mcp")
            .env("HOME", machine.home().join("not/there"))
            .env("XDG_CONFIG_HOME", broken.parent().unwrap().parent().unwrap())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        let mut client = Client {
            child,
            input,
            output,
            next: 0,
        };
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "Test Client", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {}
        });
        let call = if opener == "initialize" {
            assert_eq!(
                client.initialize("2025-11-25")["result"]["protocolVersion"],
                "2025-11-25"
            );
            client.ask("tools/call", json!({"name": "facts", "arguments": {}}))
        } else {
            let discovered = client.ask(opener, json!({"_meta": meta}));
            let versions = discovered["result"]["supportedVersions"].as_array().unwrap();
            assert!(versions.contains(&json!("2026-07-28")), "{discovered}");
            client.ask(
                "tools/call",
                json!({"name": "facts", "arguments": {}, "_meta": meta}),
            )
        };
        assert_eq!(call["result"]["isError"], true, "{call}");
        let said = call["result"]["content"][0]["text"].as_str().unwrap();
        assert!(said.contains("config.toml:"), "the broken file is named: {said}");
    }
}

#[test]
fn all_five_revisions_are_spoken() {
    let (machine, repo) = prepared();
    for revision in [
        "2024-11-05",
        "2025-03-26",
        "2025-06-18",
        "2025-11-25",
        "2026-07-28",
    ] {
        let mut client = Client::start(&machine, &repo, &[]);
        let answer = client.initialize(revision);
        let agreed = answer["result"]["protocolVersion"].as_str().unwrap().to_owned();
        // The newest is spoken without a handshake; a client that shakes hands all the same is answered.
        assert!(
            agreed == revision || revision == "2026-07-28",
            "{revision}: {answer}"
        );
        let call = client.ask(
            "tools/call",
            json!({"name": "facts", "arguments": {}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": agreed,
            "io.modelcontextprotocol/clientInfo": {"name": "Test Client", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {}}}),
        );
        assert_eq!(call["result"]["isError"], false, "{revision}: {call}");
    }
}

#[test]
fn what_another_process_wrote_a_moment_ago_is_found() {
    let (machine, repo) = prepared();
    let mut first = Client::connected(&machine, &repo, &["--agent", "claude-code"]);
    let mut second = Client::connected(&machine, &repo, &["--agent", "codex"]);
    let words = [
        "quokka",
        "wallaby",
        "numbat",
        "bilby",
        "dunnart",
        "potoroo",
        "bettong",
        "pademelon",
        "kowari",
        "phascogale",
    ];
    for (number, word) in words.into_iter().enumerate() {
        if number % 2 == 0 {
            machine
                .ken(&repo, ["learn", &format!("{word} came by command line")])
                .done();
        } else {
            first.answer("learn", json!({"content": format!("{word} came over MCP")}));
        }
        let found = second.answer("recall", json!({"query": word}));
        assert_eq!(found["hits"].as_array().unwrap().len(), 1, "{word}: {found}");
        if number % 2 == 1 {
            assert_eq!(found["hits"][0]["who"], json!(["claude-code"]));
        }
    }
    machine
        .ken(
            &repo,
            [
                "edict",
                "add",
                "wombats are out of scope",
                "--category",
                "product",
            ],
        )
        .done();
    assert_eq!(
        second.answer("facts", json!({"query": "wombats"}))["facts"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn a_server_answers_as_things_stand_now() {
    let machine = Machine::new();
    let folder = machine.folder("work/later");
    let mut client = Client::connected(&machine, &folder, &["--agent", "codex"]);
    let facts = |client: &mut Client| client.answer("facts", json!({}));
    assert_eq!(facts(&mut client)["facts"], json!([]));
    // The folder becomes a repository, and one that carries facts which nobody trusts yet.
    machine.repository("work/later");
    machine.write(
        "work/later/edicts.yaml",
        "version: 1\nedicts:\n  - {category: c, text: Numbats are in scope.}\n",
    );
    assert!(
        facts(&mut client)["untrusted"]
            .as_str()
            .unwrap()
            .contains("ken trust")
    );
    machine.ken(&folder, ["trust"]).done();
    assert_eq!(facts(&mut client)["facts"][0]["text"], "Numbats are in scope.");
    let brief = client.answer("brief", json!({"prompt": "are numbats in scope?"}));
    assert!(brief["text"].as_str().unwrap().contains("Numbats"), "{brief}");
    machine.ken(&folder, ["trust", "--remove"]).done();
    assert_eq!(facts(&mut client)["facts"], json!([]));
    // Settings as well.
    machine.ken(&folder, ["trust"]).done();
    machine.write(".config/ken/config.toml", "[access]\ncodex = \"public\"\n");
    assert_eq!(facts(&mut client)["facts"], json!([]), "edicts are of level team");
}

#[test]
fn the_agents_level_decides_what_it_sees() {
    let (machine, repo) = prepared();
    machine.write(".config/ken/config.toml", "[access]\ncursor = \"public\"\n");
    let mut codex = Client::connected(&machine, &repo, &["--agent", "codex"]);
    let mut cursor = Client::connected(&machine, &repo, &["--agent", "cursor"]);
    let asked = json!({"name": "Ledger importer"});
    assert_eq!(
        codex.answer("who_knows", asked.clone())["things"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
    assert_eq!(cursor.answer("who_knows", asked)["things"], json!([]));
    assert_eq!(
        cursor.answer("facts", json!({}))["facts"],
        json!([]),
        "edicts are of level team"
    );
}

#[test]
fn rubbish_between_messages_does_not_end_it() {
    let (machine, repo) = prepared();
    let mut client = Client::connected(&machine, &repo, &[]);
    client
        .input
        .as_mut()
        .unwrap()
        .write_all(b"this is not JSON\n")
        .unwrap();
    client
        .input
        .as_mut()
        .unwrap()
        .write_all(b"{\"jsonrpc\": \"2.0\"}\n")
        .unwrap();
    client.next += 1;
    let id = client.next;
    client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "facts", "arguments": {}}}));
    let answer = (0..4)
        .map(|_| client.receive())
        .find(|answer| answer["id"] == id)
        .expect("an answer comes");
    assert_eq!(answer["result"]["isError"], false);
}

/// The client of the protocol's own crate, as Rust programs use it.
#[tokio::test]
async fn the_rust_client_lists_and_calls() {
    use rmcp::ServiceExt;
    use rmcp::model::CallToolRequestParams;
    use rmcp::transport::TokioChildProcess;

    let (machine, repo) = prepared();
    let mut command = machine.command(&repo);
    command.arg("mcp");
    let transport = TokioChildProcess::new(tokio::process::Command::from(command)).unwrap();
    let client = ().serve(transport).await.unwrap();
    let tools = client.list_all_tools().await.unwrap();
    assert_eq!(tools.len(), 7);
    let arguments = json!({"query": "rewrote the parser"})
        .as_object()
        .cloned()
        .unwrap();
    let result = client
        .call_tool(CallToolRequestParams::new("recall").with_arguments(arguments))
        .await
        .unwrap();
    let hits = result.structured_content.unwrap()["hits"].clone();
    assert_eq!(hits[0]["kind"], "session", "{hits}");
    assert_eq!(hits[0]["who"], json!(["codex"]));
    assert_eq!(
        hits[0]["when"].as_str().map(|when| &when[..10]),
        Some("2026-06-14")
    );
    client.cancel().await.unwrap();
}
