//! A model's server on the loopback, as far as agents need one to send a prompt: it answers every one with a word and
//! keeps what it was asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A request that an agent sent.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) path: String,
    pub(crate) body: String,
}

pub(crate) struct ModelServer {
    port: u16,
    asked: Arc<Mutex<Vec<Asked>>>,
}

impl ModelServer {
    /// Starts it on a free port. It ends with the test's process.
    pub(crate) fn start() -> ModelServer {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&asked);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let kept = Arc::clone(&kept);
                // A client that goes away in the middle has said all that it will say.
                std::thread::spawn(move || answer(stream, &kept).ok());
            }
        });
        ModelServer { port, asked }
    }

    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// The prompts that were sent to a path that ends so.
    pub(crate) fn prompts(&self, end: &str) -> Vec<String> {
        let asked = self.asked.lock().unwrap();
        let prompts = asked.iter().filter(|asked| {
            let path = asked.path.split('?').next().unwrap_or_default();
            path.ends_with(end)
        });
        prompts.map(|asked| asked.body.clone()).collect()
    }
}

fn answer(stream: TcpStream, kept: &Mutex<Vec<Asked>>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let mut words = line.split_whitespace();
    let (method, path) = (
        words.next().unwrap_or_default().to_owned(),
        words.next().unwrap_or_default().to_owned(),
    );
    let mut length = 0;
    loop {
        let mut header = String::new();
        reader.read_line(&mut header)?;
        let Some((name, value)) = header.trim_end().split_once(':') else {
            break;
        };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let prompts = path.split('?').next().unwrap_or_default();
    let reply = match method.as_str() {
        "POST" if prompts.ends_with("/messages") => Some(stream_of(&MESSAGES)),
        "POST" if prompts.ends_with("/responses") => Some(stream_of(&RESPONSES)),
        _ => None,
    };
    let asked = Asked {
        path,
        body: String::from_utf8_lossy(&body).into_owned(),
    };
    kept.lock().unwrap().push(asked);
    let mut stream = stream;
    let (status, kind, reply) = match reply {
        Some(reply) => ("200 OK", "text/event-stream", reply),
        None => ("404 Not Found", "application/json", "{}".to_owned()),
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        reply.len()
    )?;
    if method != "HEAD" {
        stream.write_all(reply.as_bytes())?;
    }
    stream.flush()
}

/// Server-sent events: each has its name as its object's `type` too.
fn stream_of(events: &[&str]) -> String {
    events
        .iter()
        .map(|data| {
            let value: serde_json::Value = serde_json::from_str(data).unwrap();
            format!("event: {}\ndata: {data}\n\n", value["type"].as_str().unwrap())
        })
        .collect()
}

const MESSAGES: [&str; 6] = [
    r#"{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"made-up","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}"#,
    r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"done"}}"#,
    r#"{"type":"content_block_stop","index":0}"#,
    r#"{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":1}}"#,
    r#"{"type":"message_stop"}"#,
];

const RESPONSES: [&str; 3] = [
    r#"{"type":"response.created","response":{"id":"r_1"}}"#,
    r#"{"type":"response.output_item.done","item":{"type":"message","role":"assistant","id":"m_1","content":[{"type":"output_text","text":"done"}]}}"#,
    r#"{"type":"response.completed","response":{"id":"r_1","usage":{"input_tokens":1,"input_tokens_details":null,"output_tokens":1,"output_tokens_details":null,"total_tokens":2}}}"#,
];
